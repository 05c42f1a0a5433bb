//===- LowerKernel.cpp - The walk over one kernel -------------------------===//
#include "LowerKernel.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

Type KernelLowering::lowered(Type type) {
  if (isAddressType(type))
    return emitter.integer(64);
  if (isa<BufferType, ViewType>(type))
    return emitter.pointer(target.bufferSpace());
  if (auto vector = dyn_cast<VectorType>(type))
    return emitter.vector(ShapedType::getNumElements(vector.getShape()), vector.getElementType());
  return type;
}

Type KernelLowering::carrier(Value value) {
  if (isa<IndexType>(value.getType()) && known(value).fits32())
    return emitter.integer(32);
  return lowered(value.getType());
}

Interval KernelLowering::known(Value value) const {
  Interval interval;
  if (std::optional<int64_t> exact = facts.exact(value))
    interval = {*exact, *exact};
  else if (std::optional<ConstantIntRanges> range = facts.range(value))
    interval = {range->smin().getSExtValue(), range->smax().getSExtValue()};
  return interval.low <= interval.high ? interval : Interval();
}

RangedValue KernelLowering::ranged(Value value) {
  Value mapped = get(value);
  unsigned bits = mapped.getType().getIntOrFloatBitWidth();
  return {mapped, Interval::ofBits(bits).intersect(known(value))};
}

void KernelLowering::define(Value value, RangedValue lowered) {
  values[value] = ranges.narrow(lowered, known(value)).value;
}

Value KernelLowering::as(Value value, Type type) {
  Value mapped = get(value);
  if (mapped.getType() == type)
    return mapped;
  return ranges.convert(ranged(value), type.getIntOrFloatBitWidth());
}

SmallVector<Type> KernelLowering::parameterTypes() {
  SmallVector<Type> types;
  for (Type type : plan.body().getArgumentTypes())
    types.push_back(lowered(type));
  return types;
}

void KernelLowering::emitBody(ValueRange parameters) {
  Block &body = plan.body();
  for (auto [argument, value] : llvm::zip(body.getArguments(), parameters)) {
    if (isa<IndexType>(argument.getType()))
      define(argument, RangedValue{value, Interval()});
    else
      define(argument, value);
  }
  lowerBlock(body);
  emitter.setLine(0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      lowerOp(&op);
}

void KernelLowering::lowerOp(Operation *op) {
  operations.push_back(getTextName(op).str());
  emitter.setLine(operations.size());
  if (auto loop = dyn_cast<ScfForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<ScfIfOp>(op))
    return lowerIf(branch);
  if (auto select = dyn_cast<ScfSelectOp>(op))
    return lowerSelect(select);
  if (auto lookup = dyn_cast<ScfLookupOp>(op))
    return lowerLookup(lookup);
  if (auto choice = dyn_cast<ScfSwitchOp>(op))
    return lowerSwitch(choice);
  bool done = lowerIndex(op) || lowerPosition(op) || lowerScalar(op) || lowerScalarCast(op) ||
              lowerVector(op) || lowerMemory(op);
  if (!done)
    llvm::report_fatal_error("checkKernel accepted an operation that has no lowering: " +
                             Twine(getTextName(op)));
}

void KernelLowering::lowerSelect(ScfSelectOp op) {
  Type type = carrier(op.getResult());
  Value chosen = emitter.select(get(op.getCondition()), as(op.getTrueValue(), type),
                                as(op.getFalseValue(), type));
  define(op.getResult(), chosen);
}

/// `selector == key`; null when facts say that it never is.
Value KernelLowering::matchesKey(Value selector, int64_t key) {
  Interval possible = known(selector);
  if (key < possible.low || key > possible.high)
    return {};
  return ranges.compare(IntPredicate::eq, ranged(selector), ranges.constant(key));
}

void KernelLowering::lowerLookup(ScfLookupOp op) {
  SmallVector<Value> conditions = llvm::map_to_vector(
      op.getKeys(), [&](int64_t key) { return matchesKey(op.getSelector(), key); });
  for (auto [column, result] : llvm::enumerate(op.getResults())) {
    Type type = carrier(result);
    Value chosen = as(op.getRow(conditions.size())[column], type);
    for (auto [row, condition] : llvm::enumerate(conditions))
      if (condition)
        chosen = emitter.select(condition, as(op.getRow(row)[column], type), chosen);
    define(result, chosen);
  }
}

void KernelLowering::lowerSwitch(ScfSwitchOp op) {
  unsigned line = operations.size();
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(carrier(result));
  Block *join = emitter.makeBlock(types);
  auto emitArm = [&](Region &region) {
    lowerBlock(region.front());
    emitter.setLine(line);
    SmallVector<Value> yields;
    for (auto [value, type] : llvm::zip(region.front().getTerminator()->getOperands(), types))
      yields.push_back(as(value, type));
    emitter.branch(join, yields);
  };
  for (auto [key, region] : llvm::zip(op.getKeys(), op.getCaseRegions())) {
    Value condition = matchesKey(op.getSelector(), key);
    if (!condition)
      continue;
    Block *arm = emitter.makeBlock(), *next = emitter.makeBlock();
    emitter.branchIf(condition, arm, {}, next, {});
    emitter.enter(arm);
    emitArm(region);
    emitter.enter(next);
  }
  emitArm(op.getDefaultRegion());
  emitter.enter(join);
  for (auto [result, value] : llvm::zip(op.getResults(), join->getArguments()))
    define(result, Value(value));
}

void KernelLowering::lowerIf(ScfIfOp op) {
  unsigned line = operations.size();
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(carrier(result));
  Region &elseRegion = op.getElseRegion();
  bool hasElse =
      !elseRegion.empty() && (!types.empty() || !llvm::hasSingleElement(elseRegion.front()));
  Block *thenBlock = emitter.makeBlock(), *elseBlock = hasElse ? emitter.makeBlock() : nullptr;
  Block *join = emitter.makeBlock(types);
  emitter.branchIf(get(op.getCondition()), thenBlock, {}, hasElse ? elseBlock : join, {});
  auto emitArm = [&](Block *block, Region &region) {
    emitter.enter(block);
    lowerBlock(region.front());
    emitter.setLine(line);
    SmallVector<Value> yields;
    for (auto [value, type] : llvm::zip(region.front().getTerminator()->getOperands(), types))
      yields.push_back(as(value, type));
    emitter.branch(join, yields);
  };
  emitArm(thenBlock, op.getThenRegion());
  if (hasElse)
    emitArm(elseBlock, elseRegion);
  emitter.enter(join);
  for (auto [result, value] : llvm::zip(op.getResults(), join->getArguments()))
    define(result, Value(value));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// How the counter of a loop runs.
struct Counter {
  Value lower, upper, step;  ///< of one type
  Interval interval;         ///< of the counter inside the loop
  IntPredicate less;         ///< of the counter's order
  bool reachesUpper = false; ///< counter + step never leaves the type
  NoWrap noWrap;             ///< of counter + step, then
  bool runs = false;         ///< the loop has at least one iteration
};

} // namespace

/// Whether facts prove `lower < upper`, signed.
static bool isProvenLess(const Facts &facts, Value lower, Value upper) {
  MLIRContext *context = lower.getContext();
  auto less = PredicateAttr::get(context, static_cast<uint32_t>(PredicateKind::lt),
                                 /*valueMask=*/3, {0, 1});
  return facts.prove(ArrayAttr::get(context, {less}), {lower, upper}) == Proof::Proven;
}

/// The counter of a loop over `index`, in 32 bits if everything it meets fits.
static Counter indexCounter(ScfForOp op, const Facts &facts, RangeArithmetic &ranges,
                            RangedValue lower, RangedValue upper, RangedValue step,
                            Interval known) {
  Counter counter;
  Interval inside = {lower.interval.low, upper.interval.high};
  if (inside.high > inside.low)
    --inside.high;
  counter.interval = known.intersect(inside);
  bool narrow = lower.interval.fits32() && upper.interval.fits32() && step.interval.fits32() &&
                counter.interval.fits32();
  unsigned bits = narrow ? 32 : 64;
  counter.lower = ranges.convert(lower, bits);
  counter.upper = ranges.convert(upper, bits);
  counter.step = ranges.convert(step, bits);
  counter.less = IntPredicate::slt;
  int64_t last;
  counter.reachesUpper = !llvm::AddOverflow(counter.interval.high, step.interval.high, last) &&
                         (!narrow || llvm::isInt<32>(last));
  counter.noWrap = {/*isSigned=*/true, /*isUnsigned=*/counter.interval.low >= 0};
  counter.runs =
      lower.interval.high < upper.interval.low || isProvenLess(facts, op.getLower(), op.getUpper());
  return counter;
}

/// The counter of a loop over `offset`, which is unsigned.
static Counter offsetCounter(ScfForOp op, const Facts &facts, Value lower, Value upper,
                             Value step) {
  Counter counter;
  counter.lower = lower;
  counter.upper = upper;
  counter.step = step;
  counter.less = IntPredicate::ult;
  std::optional<int64_t> first = facts.exact(op.getLower()), end = facts.exact(op.getUpper());
  std::optional<int64_t> width = facts.exact(op.getStep());
  int64_t last;
  counter.reachesUpper = end && width && *end >= 0 && !llvm::AddOverflow(*end, *width, last);
  counter.noWrap = {/*isSigned=*/true, /*isUnsigned=*/true};
  counter.runs = first && end && *first >= 0 && *first < *end;
  return counter;
}

/// Computes the counter of the next iteration, and whether there is one.
static Value emitAdvance(Emitter &emitter, const Counter &counter, Value current, Value &next) {
  if (counter.reachesUpper) {
    next = emitter.binary(IntegerOp::Add, current, counter.step, counter.noWrap);
    return emitter.compare(counter.less, next, counter.upper);
  }
  // Near the largest value the sum may wrap, so the distance to the end decides.
  Value distance = emitter.binary(IntegerOp::Sub, counter.upper, current);
  next = emitter.binary(IntegerOp::Add, current, counter.step);
  return emitter.compare(IntPredicate::ugt, distance, counter.step);
}

void KernelLowering::lowerFor(ScfForOp op) {
  unsigned line = operations.size();
  Value iv = op.getInductionVar();
  Counter counter =
      isa<IndexType>(iv.getType())
          ? indexCounter(op, facts, ranges, ranged(op.getLower()), ranged(op.getUpper()),
                         ranged(op.getStep()), known(iv))
          : offsetCounter(op, facts, get(op.getLower()), get(op.getUpper()), get(op.getStep()));

  auto carried = op.getRegionIterArgs();
  SmallVector<Type> types = {counter.lower.getType()};
  SmallVector<Value> first = {counter.lower};
  for (auto [argument, init] : llvm::zip(carried, op.getInits())) {
    types.push_back(carrier(argument));
    first.push_back(as(init, types.back()));
  }
  ArrayRef<Type> carriedTypes = ArrayRef(types).drop_front();
  Block *loop = emitter.makeBlock(types);
  Block *exit = emitter.makeBlock(counter.runs ? ArrayRef<Type>() : carriedTypes);
  if (counter.runs)
    emitter.branch(loop, first);
  else
    emitter.branchIf(emitter.compare(counter.less, counter.lower, counter.upper), loop, first, exit,
                     ArrayRef(first).drop_front());

  emitter.enter(loop);
  Value current = loop->getArgument(0);
  if (isa<IndexType>(iv.getType()))
    define(iv, RangedValue{current, counter.interval});
  else
    define(iv, current);
  for (auto [argument, value] : llvm::zip(carried, loop->getArguments().drop_front()))
    define(argument, Value(value));
  lowerBlock(*op.getBlock());
  emitter.setLine(line);

  SmallVector<Value> again = {Value()};
  for (auto [value, type] : llvm::zip(op.getYield()->getOperands(), carriedTypes))
    again.push_back(as(value, type));
  Value goesOn = emitAdvance(emitter, counter, current, again[0]);
  ArrayRef<Value> last = ArrayRef(again).drop_front();
  emitter.branchIf(goesOn, loop, again, exit, counter.runs ? ArrayRef<Value>() : last);
  emitter.enter(exit);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    define(result, counter.runs ? last[i] : Value(exit->getArgument(i)));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

RangedValue KernelLowering::position(Position position, Dimension dimension) {
  unsigned d = static_cast<unsigned>(dimension);
  std::optional<int64_t> size = plan.exactSize(d), count = plan.exactCount(d);
  switch (position) {
  case Position::WorkitemId:
    if (size == 1)
      return ranges.constant(0);
    break;
  case Position::WorkgroupId:
    if (count == 1)
      return ranges.constant(0);
    break;
  case Position::WorkgroupSize:
    if (size)
      return ranges.constant(*size);
    break;
  case Position::WorkgroupCount:
    if (count)
      return ranges.constant(*count);
    break;
  }
  return target.emitPosition(position, d);
}

bool KernelLowering::lowerPosition(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](KernelWorkitemIdOp id) {
        define(id, position(Position::WorkitemId, id.getDimension()));
        return true;
      })
      .Case([&](KernelWorkgroupIdOp id) {
        define(id, position(Position::WorkgroupId, id.getDimension()));
        return true;
      })
      .Case([&](KernelWorkgroupSizeOp size) {
        define(size, position(Position::WorkgroupSize, size.getDimension()));
        return true;
      })
      .Case([&](KernelWorkgroupCountOp count) {
        define(count, position(Position::WorkgroupCount, count.getDimension()));
        return true;
      })
      .Case([&](KernelDispatchIdOp id) {
        RangedValue group = position(Position::WorkgroupId, id.getDimension());
        RangedValue size = position(Position::WorkgroupSize, id.getDimension());
        RangedValue item = position(Position::WorkitemId, id.getDimension());
        define(id, ranges.add(ranges.mul(group, size), item, known(id)));
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
