//===- LowerKernel.cpp - The walk over one kernel -------------------------===//
#include "LowerSanitizer.h"
#include "LowerVector.h"

using namespace mlir;

namespace loom::lowering {

SmallVector<Type> KernelLowering::parameterTypes() {
  SmallVector<Type> types;
  for (Type type : plan.body().getArgumentTypes())
    types.push_back(scalarType(type));
  return types;
}

void KernelLowering::defineParameters(ValueRange parameters) {
  for (auto [argument, value] : llvm::zip(plan.body().getArguments(), parameters)) {
    if (isa<IndexType>(argument.getType()))
      define(argument, RangedValue{value, Interval()});
    else
      define(argument, value);
  }
}

void KernelLowering::emitBody(ValueRange parameters) {
  defineParameters(parameters);
  lowerBlock(plan.body());
  emitter.setLine(0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void KernelLowering::lowerBlock(Block &block) { lowerFrom(block.begin(), block.end()); }

void KernelLowering::lowerFrom(Block::iterator first, Block::iterator end) {
  for (; first != end; ++first) {
    if (first->hasTrait<OpTrait::IsTerminator>())
      continue;
    // What follows an exit is only for those who stayed.
    if (auto exit = dyn_cast<KernelExitOp>(*first))
      return lowerExit(exit, std::next(first), end);
    lowerOp(&*first);
  }
}

bool KernelLowering::needsLanes(Operation *op) const {
  return !llvm::all_of(op->getResults(), [&](Value result) { return hasScalarForm(result); });
}

void KernelLowering::lowerOp(Operation *op) {
  if (worksOnNothing(op))
    return;
  operations.push_back({getTextName(op).str(), op->getLoc()});
  emitter.setLine(operations.size());
  if (!sanitizer->lower(op))
    lowerPlain(op);
}

void KernelLowering::lowerPlain(Operation *op) {
  if (auto loop = dyn_cast<ScfForOp>(op))
    return lowerFor(loop);
  if (auto loop = dyn_cast<ScfWhileOp>(op))
    return lowerWhile(loop);
  if (auto branch = dyn_cast<ScfIfOp>(op))
    return lowerIf(branch);
  if (auto choice = dyn_cast<ScfSwitchOp>(op))
    return lowerSwitch(choice);
  if (lowerVolatile(op) || lowerMemory(op) || lowerVectorMemory(op) || lowerFragment(op) ||
      lowerCollective(op) || lowerAtomic(op) || lowerVectorAtomic(op) || lowerBytes(op) ||
      lowerTransfer(op))
    return;
  if (isa<IndexAssumeOp, ScalarAssumeOp>(op))
    return lowerAssume(op);
  if (auto compare = dyn_cast<IndexCmpOp>(op); compare && lowerSpanCompare(compare))
    return;
  FormScope form(*this, needsLanes(op));
  if (auto select = dyn_cast<ScfSelectOp>(op))
    return lowerSelect(select);
  if (auto lookup = dyn_cast<ScfLookupOp>(op))
    return lowerLookup(lookup);
  if (isa<ScfScheduleFenceOp>(op))
    return;
  if (auto assertion = dyn_cast<KernelAssertOp>(op))
    return lowerAssert(assertion);
  if (!(lowerIndex(op) || lowerPosition(op) || lowerLanewise(op) || lowerVector(op)))
    llvm::report_fatal_error("checkKernel accepted an operation that has no lowering: " +
                             Twine(getTextName(op)));
}

/// The results are the operands, about which more is known.
void KernelLowering::lowerAssume(Operation *op) {
  for (auto [input, result] : llvm::zip(op->getOperands(), op->getResults())) {
    FormScope form(*this, !hasScalarForm(result));
    if (isa<IndexType>(result.getType()))
      define(result, ranged(input));
    else
      define(result, get(input));
  }
}

void KernelLowering::lowerSelect(ScfSelectOp op) {
  Value result = op.getResult(), condition = op.getCondition();
  if (isa<BufferType, ViewType>(result.getType()) && inLanes) {
    Value chosen = emitter.select(lanesOf(condition), passed(op.getTrueValue(), result),
                                  passed(op.getFalseValue(), result));
    return receive(result, chosen);
  }
  Value whenTrue = passed(op.getTrueValue(), result),
        whenFalse = passed(op.getFalseValue(), result);
  if (hasScalarForm(condition))
    return receive(result, emitter.select(scalarOf(condition), whenTrue, whenFalse));
  // Facts know the number, whatever the lanes choose: both operands are that number.
  if (hasScalarForm(result))
    return receive(result, whenTrue);
  receive(result, selectLanes(lanesOf(condition), whenTrue, whenFalse));
}

/// `selector == key`; null when facts say that it never is.
Value KernelLowering::matchesKey(Value selector, int64_t key) {
  Interval possible = known(selector);
  if (key < possible.low || key > possible.high)
    return {};
  return ranges.compare(IntPredicate::eq, ranged(selector), ranges.constant(key));
}

void KernelLowering::lowerLookup(ScfLookupOp op) {
  bool selectorIsScalar = hasScalarForm(op.getSelector()) && !shapeOf(op.getSelector()).stride;
  SmallVector<Value> conditions;
  {
    FormScope form(*this, !selectorIsScalar);
    conditions = llvm::map_to_vector(
        op.getKeys(), [&](int64_t key) { return matchesKey(op.getSelector(), key); });
  }
  for (auto [column, result] : llvm::enumerate(op.getResults())) {
    // The result may be the same for all lanes although their rows differ.
    Value chosen = passed(op.getRow(conditions.size())[column], result, !selectorIsScalar);
    for (auto [row, condition] : llvm::enumerate(conditions)) {
      if (!condition)
        continue;
      Value value = passed(op.getRow(row)[column], result, !selectorIsScalar);
      chosen = selectorIsScalar ? emitter.select(condition, value, chosen)
                                : selectLanes(condition, value, chosen);
    }
    if (selectorIsScalar)
      receive(result, chosen);
    else
      receiveLanes(result, chosen);
  }
}

void KernelLowering::lowerAssert(KernelAssertOp op) {
  Value condition = op.getCondition();
  Value fails = hasScalarForm(condition) ? emitter.binary(IntegerOp::Xor, scalarOf(condition),
                                                          emitter.constant(flagType(), 1))
                                         : any(both(mask, negated(lanesOf(condition))));
  Block *stop = emitter.makeBlock(), *next = emitter.makeBlock();
  emitter.branchIf(fails, stop, {}, next, {});
  emitter.enter(stop);
  emitter.trap();
  emitter.branch(next);
  emitter.enter(next);
}

} // namespace loom::lowering
