#include "LoopInterpreter.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"

namespace loom::test {
using namespace mlir;

void LoopInterpreter::fail(Operation *op, const std::string &why) {
  if (error.empty())
    error = getTextName(op).str() + ": " + why;
}

bool LoopInterpreter::run(KernelDefOp kernel, std::vector<Argument> arguments) {
  error.clear();
  reads.clear();
  trace.clear();
  values.clear();
  for (auto [parameter, argument] : llvm::zip(kernel.getBody().getArguments(), arguments))
    values[parameter].number = argument;
  runBlock(kernel.getBody().front());
  return error.empty();
}

/// Returns what the terminator passes on.
std::vector<LoopInterpreter::Cell> LoopInterpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!error.empty())
      return {};
    runOp(&op);
  }
  std::vector<Cell> passed;
  for (Value value : block.getTerminator()->getOperands())
    passed.push_back(values[value]);
  return passed;
}

void LoopInterpreter::runFor(Operation *op) {
  auto loop = cast<ScfForOp>(op);
  // Wider than the bounds, so that the counter never wraps.
  __int128 upper = number(loop.getUpper()), step = number(loop.getStep());
  if (step <= 0)
    return fail(op, "the step is not positive");
  std::vector<Cell> carried;
  for (Value init : loop.getInits())
    carried.push_back(values[init]);
  for (__int128 i = number(loop.getLower()); i < upper && error.empty(); i += step) {
    set(loop.getInductionVar(), static_cast<int64_t>(i));
    for (auto [argument, cell] : llvm::zip(loop.getRegionIterArgs(), carried))
      values[argument] = cell;
    carried = runBlock(*loop.getBlock());
  }
  if (error.empty())
    for (auto [result, cell] : llvm::zip_equal(loop.getResults(), carried))
      values[result] = cell;
}

void LoopInterpreter::runIf(Operation *op) {
  auto choice = cast<ScfIfOp>(op);
  Region &region = number(choice.getCondition()) ? choice.getThenRegion() : choice.getElseRegion();
  if (region.empty())
    return;
  std::vector<Cell> passed = runBlock(region.front());
  if (error.empty())
    for (auto [result, cell] : llvm::zip_equal(choice.getResults(), passed))
      values[result] = cell;
}

static bool compare(IntPredicate predicate, int64_t a, int64_t b) {
  uint64_t ua = a, ub = b;
  switch (predicate) {
  case IntPredicate::eq:
    return a == b;
  case IntPredicate::ne:
    return a != b;
  case IntPredicate::slt:
    return a < b;
  case IntPredicate::sle:
    return a <= b;
  case IntPredicate::sgt:
    return a > b;
  case IntPredicate::sge:
    return a >= b;
  case IntPredicate::ult:
    return ua < ub;
  case IntPredicate::ule:
    return ua <= ub;
  case IntPredicate::ugt:
    return ua > ub;
  case IntPredicate::uge:
    return ua >= ub;
  }
  return false;
}

bool LoopInterpreter::runIndex(Operation *op) {
  auto binary = [&](auto function) {
    int64_t result = 0;
    bool wraps = function(number(op->getOperand(0)), number(op->getOperand(1)), &result);
    if (wraps || (isa<OffsetType>(op->getResult(0).getType()) && result < 0))
      fail(op, "the result does not fit");
    set(op->getResult(0), result);
    return true;
  };
  if (auto constant = dyn_cast<IndexConstantOp>(op)) {
    set(op->getResult(0), constant.getInt());
    return true;
  }
  if (isa<IndexAddOp>(op))
    return binary([](int64_t a, int64_t b, int64_t *r) { return __builtin_add_overflow(a, b, r); });
  if (isa<IndexSubOp>(op))
    return binary([](int64_t a, int64_t b, int64_t *r) { return __builtin_sub_overflow(a, b, r); });
  if (isa<IndexMulOp>(op))
    return binary([](int64_t a, int64_t b, int64_t *r) { return __builtin_mul_overflow(a, b, r); });
  if (isa<IndexDivOp>(op))
    return binary(
        [](int64_t a, int64_t b, int64_t *r) { return a < 0 || b <= 0 || (*r = a / b, 0); });
  if (isa<IndexMinOp>(op))
    return binary([](int64_t a, int64_t b, int64_t *r) { return *r = std::min(a, b), false; });
  if (isa<IndexMaxOp>(op))
    return binary([](int64_t a, int64_t b, int64_t *r) { return *r = std::max(a, b), false; });
  if (isa<IndexMaddOp>(op)) {
    int64_t product, sum;
    if (__builtin_mul_overflow(number(op->getOperand(0)), number(op->getOperand(1)), &product) ||
        __builtin_add_overflow(product, number(op->getOperand(2)), &sum))
      return fail(op, "the result does not fit"), true;
    set(op->getResult(0), sum);
    return true;
  }
  if (auto cmp = dyn_cast<IndexCmpOp>(op)) {
    set(op->getResult(0),
        int64_t(compare(cmp.getPredicate(), number(cmp.getLhs()), number(cmp.getRhs()))));
    return true;
  }
  if (isa<IndexCastOp>(op)) {
    set(op->getResult(0), number(op->getOperand(0)));
    return true;
  }
  if (isa<IndexAssumeOp, BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(op)) {
    for (Value result : op->getResults())
      values[result] = Cell(values[op->getOperand(cast<OpResult>(result).getResultNumber())]);
    return true;
  }
  return false;
}

bool LoopInterpreter::runFloat(Operation *op) {
  if (auto constant = dyn_cast<ScalarConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      set(op->getResult(0), static_cast<float>(number.getValueAsDouble()));
    else
      set(op->getResult(0), cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
    return true;
  }
  auto result = [&](float value) { return set(op->getResult(0), value), true; };
  if (isa<ScalarAddFOp>(op))
    return result(lane(op->getOperand(0)) + lane(op->getOperand(1)));
  if (isa<ScalarMulFOp>(op))
    return result(lane(op->getOperand(0)) * lane(op->getOperand(1)));
  if (isa<ScalarSIToFPOp>(op))
    return result(static_cast<float>(number(op->getOperand(0))));
  if (auto reduce = dyn_cast<VectorReduceOp>(op)) {
    float sum = lane(reduce.getInitial());
    for (float value : values[reduce.getVector()].lanes)
      sum += value;
    return result(sum);
  }
  if (auto collective = dyn_cast<KernelSubgroupReduceOp>(op)) // a subgroup of one lane
    return result(lane(collective.getValue()));
  if (auto select = dyn_cast<ScfSelectOp>(op)) {
    values[op->getResult(0)] = Cell(
        values[number(select.getCondition()) ? select.getTrueValue() : select.getFalseValue()]);
    return true;
  }
  return false;
}

/// First element of an access of `count` elements, checked against the buffer.
template <typename Access> int64_t LoopInterpreter::elementOf(Access op, size_t count) {
  auto view = cast<ViewType>(op.getView().getType());
  SmallVector<Value> dims = getDynamicDims(op.getView());
  auto dim = dims.begin();
  auto index = op.getIndices().begin();
  int64_t element = 0;
  for (auto [i, position] : llvm::enumerate(op.getStaticIndices())) {
    if (!op.getLinear()) {
      int64_t extent = view.getShape()[i];
      element *= ShapedType::isDynamic(extent) ? number(*dim++) : extent;
    }
    element += ShapedType::isDynamic(position) ? number(*index++) : position;
  }
  Cell &cell = values[op.getView()];
  element += cell.base;
  if (element < 0 || element + int64_t(count) > int64_t(buffers.at(cell.number).size())) {
    fail(op, "element " + std::to_string(element) + " is outside the buffer");
    return 0;
  }
  return element;
}

bool LoopInterpreter::runMemory(Operation *op) {
  if (auto view = dyn_cast<BufferViewOp>(op)) {
    values[op->getResult(0)].number = number(view.getSource());
    values[op->getResult(0)].base = number(view.getOffset()) / int64_t(sizeof(float));
    return true;
  }
  auto read = [&](auto load, size_t count) {
    int64_t element = elementOf(load, count), buffer = number(load.getView());
    reads.emplace_back(buffer, element);
    if (error.empty())
      values[op->getResult(0)].lanes.assign(buffers[buffer].begin() + element,
                                            buffers[buffer].begin() + element + count);
  };
  if (auto load = dyn_cast<ViewLoadOp>(op)) {
    read(load, 1);
    return true;
  }
  if (auto load = dyn_cast<VectorLoadOp>(op)) {
    read(load, cast<loom::VectorType>(load.getType()).getNumElements());
    return true;
  }
  if (auto store = dyn_cast<ViewStoreOp>(op)) {
    int64_t element = elementOf(store, 1);
    if (error.empty())
      buffers[number(store.getView())][element] = lane(store.getValue());
    return true;
  }
  return false;
}

void LoopInterpreter::runOp(Operation *op) {
  if (traced)
    trace.push_back(getTextName(op).str());
  if (isa<ScfForOp>(op))
    return runFor(op);
  if (isa<ScfIfOp>(op))
    return runIf(op);
  if (isa<KernelWorkitemIdOp>(op))
    return set(op->getResult(0), workitem);
  if (isa<ScfScheduleFenceOp>(op))
    return;
  if (!runIndex(op) && !runFloat(op) && !runMemory(op))
    fail(op, "not known to this interpreter");
}

} // namespace loom::test
