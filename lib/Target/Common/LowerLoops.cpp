//===- LowerLoops.cpp - Loops ---------------------------------------------===//
#include "LowerLoops.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// Whether facts prove `lower < upper`, signed.
static bool isProvenLess(const Facts &facts, Value lower, Value upper) {
  MLIRContext *context = lower.getContext();
  auto less = PredicateAttr::get(context, static_cast<uint32_t>(PredicateKind::lt),
                                 /*valueMask=*/3, {0, 1});
  return facts.prove(ArrayAttr::get(context, {less}), {lower, upper}) == Proof::Proven;
}

/// The same for all lanes.
bool KernelLowering::isUniform(Value value) const {
  return hasScalarForm(value) && !shapeOf(value).stride;
}

/// In 32 bits if everything that the counter meets fits.
KernelLowering::Counter KernelLowering::indexCounter(ScfForOp op) {
  Value iv = op.getInductionVar();
  auto rangedInForm = [&](Value value, bool lanes) {
    FormScope form(*this, lanes);
    return ranged(value);
  };
  RangedValue lower = rangedInForm(op.getLower(), !hasScalarForm(iv));
  RangedValue upper = rangedInForm(op.getUpper(), !isUniform(op.getUpper()));
  RangedValue step = rangedInForm(op.getStep(), !isUniform(op.getStep()));
  Counter counter;
  Interval inside = {lower.interval.low, upper.interval.high};
  if (inside.high > inside.low)
    --inside.high;
  {
    FormScope form(*this, true);
    counter.interval = known(iv).intersect(inside);
  }
  int64_t stride = hasScalarForm(iv) ? shapeOf(iv).stride : 0;
  bool narrow = lower.interval.fits32() && upper.interval.fits32() && step.interval.fits32() &&
                widened(counter.interval, stride).fits32();
  unsigned bits = narrow ? 32 : 64;
  counter.lower = ranges.convert(lower, bits);
  // A bound that is known exactly became a scalar.
  if (!hasScalarForm(iv) && !isa<mlir::VectorType>(counter.lower.getType()))
    counter.lower = emitter.splat(counter.lower, spread(counter.lower.getType()));
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
KernelLowering::Counter KernelLowering::offsetCounter(ScfForOp op) {
  auto inForm = [&](Value value, bool lanes) { return lanes ? lanesOf(value) : scalarOf(value); };
  Counter counter;
  counter.lower = inForm(op.getLower(), !hasScalarForm(op.getInductionVar()));
  counter.upper = inForm(op.getUpper(), !isUniform(op.getUpper()));
  counter.step = inForm(op.getStep(), !isUniform(op.getStep()));
  counter.less = IntPredicate::ult;
  std::optional<int64_t> first = facts.exact(op.getLower()), end = facts.exact(op.getUpper());
  std::optional<int64_t> width = facts.exact(op.getStep());
  int64_t last;
  counter.reachesUpper = end && width && *end >= 0 && !llvm::AddOverflow(*end, *width, last);
  counter.noWrap = {/*isSigned=*/true, /*isUnsigned=*/true};
  counter.runs = first && end && *first >= 0 && *first < *end;
  return counter;
}

KernelLowering::Counter KernelLowering::counterOf(ScfForOp op) {
  return isa<IndexType>(op.getInductionVar().getType()) ? indexCounter(op) : offsetCounter(op);
}

void KernelLowering::defineCounter(Value iv, Value current, const Counter &counter) {
  if (!hasScalarForm(iv) || !isa<IndexType>(iv.getType()))
    return receive(iv, current);
  FormScope form(*this, false);
  define(iv, RangedValue{current, widened(counter.interval, shapeOf(iv).stride)});
}

void KernelLowering::lowerFor(ScfForOp op) {
  if (isUniform(op.getLower()) && isUniform(op.getUpper()) && isUniform(op.getStep()))
    return lowerUniformFor(op);
  lowerDivergentFor(op);
}

void KernelLowering::lowerUniformFor(ScfForOp op) {
  unsigned line = operations.size();
  Value iv = op.getInductionVar();
  Counter counter = counterOf(op);
  SmallVector<Value> carried(op.getRegionIterArgs());
  SmallVector<Type> types = {counter.lower.getType()};
  SmallVector<Value> first = {counter.lower};
  llvm::append_range(types, passedTypes(carried));
  llvm::append_range(first, passedAll(op.getInits(), carried));
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
  defineCounter(iv, current, counter);
  for (auto [argument, value] : llvm::zip(carried, loop->getArguments().drop_front()))
    receive(argument, value);
  lowerBlock(*op.getBlock());
  emitter.setLine(line);

  SmallVector<Value> again = {Value()};
  llvm::append_range(again, passedAll(op.getYield()->getOperands(), carried));
  Value goesOn = advance(counter, current, again[0]);
  ArrayRef<Value> last = ArrayRef(again).drop_front();
  emitter.branchIf(goesOn, loop, again, exit, counter.runs ? ArrayRef<Value>() : last);
  emitter.enter(exit);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value value = counter.runs ? last[i] : Value(exit->getArgument(i));
    if (hasScalarForm(result) || !hasScalarForm(carried[i]))
      receive(result, value);
    else
      receiveCarried(result, carried[i], value);
  }
}

/// `result` is varying, but what the loop carried for it is not.
void KernelLowering::receiveCarried(Value result, Value carried, Value value) {
  receive(carried, value);
  receive(result, passed(carried, result));
}

Value KernelLowering::advance(const Counter &counter, Value current, Value &next) {
  if (counter.reachesUpper) {
    next = emitter.binary(IntegerOp::Add, current, counter.step, counter.noWrap);
    return emitter.compare(counter.less, next, counter.upper);
  }
  // Near the largest value the sum may wrap, so the distance to the end decides.
  Value distance = emitter.binary(IntegerOp::Sub, counter.upper, current);
  next = emitter.binary(IntegerOp::Add, current, counter.step);
  return emitter.compare(IntPredicate::ugt, distance, counter.step);
}

//===----------------------------------------------------------------------===//
// Loops that lanes leave one after another
//===----------------------------------------------------------------------===//

/// Values carried around a loop that lanes leave. What is the same in all lanes that still run has
/// the scalar form; what those that left take with them is kept beside it, lane by lane.
struct KernelLowering::Carried {
  SmallVector<Value> targets;   ///< arguments of the body
  SmallVector<Type> types;      ///< of the loop's block arguments: for each target, then kept ones
  SmallVector<unsigned> kept;   ///< targets in the scalar form
  SmallVector<Value> arguments; ///< of the iteration at hand, as `types`

  /// The lane form of target `i`.
  unsigned keptPosition(unsigned i) const {
    return targets.size() + (llvm::find(kept, i) - kept.begin());
  }
};

KernelLowering::Carried KernelLowering::carry(ValueRange targets) {
  Carried carried;
  carried.targets = llvm::to_vector(targets);
  carried.types = passedTypes(targets);
  for (auto [i, target] : llvm::enumerate(targets))
    if (hasScalarForm(target)) {
      carried.kept.push_back(i);
      carried.types.push_back(passedLaneType(target));
    }
  return carried;
}

SmallVector<Value> KernelLowering::firstOf(const Carried &carried, ValueRange inits) {
  SmallVector<Value> first = passedAll(inits, carried.targets);
  for (unsigned i : carried.kept)
    first.push_back(passed(inits[i], carried.targets[i], /*forLanes=*/true));
  return first;
}

/// What the next iteration gets when the lanes of `active` computed `next` in this one.
SmallVector<Value> KernelLowering::nextOf(const Carried &carried, ArrayRef<Value> next,
                                          ArrayRef<Value> nextLanes, Value active) {
  SmallVector<Value> again;
  for (auto [i, target] : llvm::enumerate(carried.targets))
    again.push_back(hasScalarForm(target) || !active
                        ? next[i]
                        : selectLanes(active, next[i], carried.arguments[i]));
  for (auto [k, i] : llvm::enumerate(carried.kept)) {
    Value before = carried.arguments[carried.targets.size() + k];
    again.push_back(active ? selectLanes(active, nextLanes[k], before) : nextLanes[k]);
  }
  return again;
}

/// What lane 0's counter is where it is compared with the end, of a loop whose counter ascends from
/// lane to lane.
Interval KernelLowering::metBy(ScfForOp op, const Counter &counter) {
  FormScope form(*this, false);
  Interval inside = widened(counter.interval, shapeOf(op.getInductionVar()).stride);
  Interval first = known(op.getLower());
  int64_t step = std::max<int64_t>(known(op.getStep()).high, 0), last;
  if (llvm::AddOverflow(inside.high, step, last))
    return Interval();
  return {std::min(inside.low, first.low), std::max(last, first.high)};
}

/// The iterations that every lane runs, in front of the others. Returns what those begin with.
SmallVector<Value> KernelLowering::lowerWholeIterations(ScfForOp op, Carried &carried,
                                                        ArrayRef<Value> first, Value step,
                                                        llvm::function_ref<Value(Value)> isActive) {
  SmallVector<Type> types(ValueRange(first).getTypes());
  Block *loop = emitter.makeBlock(types), *rest = emitter.makeBlock(types);
  emitter.branchIf(all(isActive(first[0])), loop, first, rest, first);
  emitter.enter(loop);
  Value current = loop->getArgument(0);
  receive(op.getInductionVar(), current);
  carried.arguments = llvm::to_vector_of<Value>(loop->getArguments().drop_front());
  for (auto [i, target] : llvm::enumerate(carried.targets))
    receive(target, carried.arguments[i]);
  SmallVector<Value> next, nextLanes;
  {
    llvm::SaveAndRestore deeper(versionDepth, versionDepth + 1);
    lowerMaskedBody(op.getBodyRegion(), op.getYield(), Value(), carried, next, nextLanes);
  }
  SmallVector<Value> again = {emitter.binary(IntegerOp::Add, current, step)};
  llvm::append_range(again, nextOf(carried, next, nextLanes, Value()));
  emitter.branchIf(all(isActive(again[0])), loop, again, rest, again);
  emitter.enter(rest);
  return llvm::to_vector_of<Value>(rest->getArguments());
}

void KernelLowering::lowerDivergentFor(ScfForOp op) {
  unsigned line = operations.size();
  Value iv = op.getInductionVar(), outer = mask;
  Counter counter = counterOf(op);
  Carried carried = carry(op.getRegionIterArgs());
  // Nobody comes back when all have the same counter: then the mask follows from it. It does so too
  // when the counter is an ascending sequence of the lanes and the end the same for all.
  bool isSpan = counter.reachesUpper && counter.less == IntPredicate::slt && hasScalarForm(iv) &&
                shapeOf(iv).stride > 0 && isUniform(op.getUpper());
  bool followsFromCounter = isSpan || (counter.reachesUpper && isUniform(iv));
  Interval met, end;
  if (isSpan) {
    FormScope form(*this, false);
    met = metBy(op, counter);
    end = known(op.getUpper());
  }
  auto counterLanes = [&](Value current) {
    Lowered lowered = {current, Value(), shapeOf(iv).stride};
    if (!hasScalarForm(iv))
      return current;
    values[iv] = lowered;
    return lanesOf(iv);
  };
  auto isActive = [&](Value current) {
    unsigned bits = getElementTypeOrSelf(current.getType()).getIntOrFloatBitWidth();
    Interval limits = Interval::ofBits(bits);
    if (isSpan)
      if (std::optional<Span> span =
              spanWhere(IntPredicate::slt, {current, limits.intersect(met)}, shapeOf(iv).stride,
                        {counter.upper, limits.intersect(end)}))
        return both(outer, maskOf(*span));
    Value inside = emitter.compare(counter.less, counterLanes(current), counter.upper);
    return both(outer, inside);
  };

  SmallVector<Type> types = {counter.lower.getType()};
  SmallVector<Value> first = {counter.lower};
  Value active = isActive(counter.lower);
  if (!followsFromCounter) {
    types.push_back(active.getType());
    first.push_back(active);
  }
  size_t own = types.size();
  llvm::append_range(types, carried.types);
  llvm::append_range(first, firstOf(carried, op.getInits()));
  bool splits = isSpan && !outer && isWorthVersions(op.getBodyRegion());
  if (splits) {
    first = lowerWholeIterations(op, carried, first, counter.step, isActive);
    active = isActive(first[0]);
    emitter.setLine(line);
  }
  SmallVector<Value> left = takenAlong(carried, ArrayRef(first).drop_front(own));
  Block *loop = emitter.makeBlock(types), *exit = emitter.makeBlock(ValueRange(left).getTypes());
  emitter.branchIf(any(active), loop, first, exit, left);

  emitter.enter(loop);
  Value current = loop->getArgument(0);
  active = followsFromCounter ? isActive(current) : Value(loop->getArgument(1));
  receive(iv, current);
  carried.arguments = llvm::to_vector_of<Value>(loop->getArguments().drop_front(own));
  for (auto [i, target] : llvm::enumerate(carried.targets))
    receive(target, carried.arguments[i]);
  SmallVector<Value> next, nextLanes;
  {
    llvm::SaveAndRestore deeper(versionDepth, splits ? kDeepestVersion : versionDepth);
    lowerMaskedBody(op.getBodyRegion(), op.getYield(), active, carried, next, nextLanes);
  }
  emitter.setLine(line);

  Value step = counter.step;
  SmallVector<Value> again = {emitter.binary(IntegerOp::Add, current, step)};
  Value goesOn;
  if (followsFromCounter) {
    goesOn = isActive(again[0]);
  } else if (counter.reachesUpper) {
    goesOn = both(active, emitter.compare(counter.less, counterLanes(again[0]), counter.upper));
  } else {
    Value distance = emitter.binary(IntegerOp::Sub, counter.upper, counterLanes(current));
    goesOn = both(active, emitter.compare(IntPredicate::ugt, distance, step));
  }
  if (!followsFromCounter)
    again.push_back(goesOn);
  SmallVector<Value> carriedOn = nextOf(carried, next, nextLanes, active);
  llvm::append_range(again, carriedOn);
  emitter.branchIf(any(goesOn), loop, again, exit, takenAlong(carried, carriedOn));
  emitter.enter(exit);
  mask = outer;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    receiveLanes(result, exit->getArgument(i));
}

/// For each carried value what lanes have when they leave, in the lane form.
SmallVector<Value> KernelLowering::takenAlong(const Carried &carried, ArrayRef<Value> arguments) {
  SmallVector<Value> left;
  for (auto [i, target] : llvm::enumerate(carried.targets))
    left.push_back(arguments[hasScalarForm(target) ? carried.keptPosition(i) : i]);
  return left;
}

void KernelLowering::lowerMaskedBody(Region &region, Operation *yield, Value active,
                                     const Carried &carried, SmallVector<Value> &next,
                                     SmallVector<Value> &nextLanes) {
  SmallVector<Value> all = emitMasked(active, isWorthVersions(region), carried.types, [&] {
    lowerBlock(region.front());
    SmallVector<Value> passedOn = passedAll(yield->getOperands(), carried.targets);
    for (unsigned i : carried.kept)
      passedOn.push_back(passed(yield->getOperand(i), carried.targets[i], /*forLanes=*/true));
    return passedOn;
  });
  next.assign(all.begin(), all.begin() + carried.targets.size());
  nextLanes.assign(all.begin() + carried.targets.size(), all.end());
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

void KernelLowering::lowerWhile(ScfWhileOp op) {
  auto condition = cast<ScfConditionOp>(op.getBefore().front().getTerminator());
  if (!hasScalarForm(condition.getCondition()))
    return lowerDivergentWhile(op);
  unsigned line = operations.size();
  SmallVector<Value> first(op.getBefore().getArguments()), second(op.getAfter().getArguments());
  SmallVector<Value> results(op.getResults());
  Block *loop = emitter.makeBlock(passedTypes(first)), *body = emitter.makeBlock();
  Block *exit = emitter.makeBlock();
  emitter.branch(loop, passedAll(op.getInits(), first));
  emitter.enter(loop);
  for (auto [target, value] : llvm::zip(first, loop->getArguments()))
    receive(target, value);
  lowerBlock(op.getBefore().front());
  emitter.setLine(line);
  SmallVector<Value> forwarded = passedAll(condition.getValues(), second);
  SmallVector<Value> left = passedAll(condition.getValues(), results);
  emitter.branchIf(scalarOf(condition.getCondition()), body, {}, exit, {});
  emitter.enter(body);
  for (auto [target, value] : llvm::zip(second, forwarded))
    receive(target, value);
  lowerBlock(op.getAfter().front());
  emitter.setLine(line);
  emitter.branch(loop, passedAll(op.getAfter().front().getTerminator()->getOperands(), first));
  emitter.enter(exit);
  for (auto [result, value] : llvm::zip(results, left))
    receive(result, value);
}

void KernelLowering::lowerDivergentWhile(ScfWhileOp op) {
  unsigned line = operations.size();
  Value outer = mask;
  auto condition = cast<ScfConditionOp>(op.getBefore().front().getTerminator());
  SmallVector<Value> results(op.getResults()), second(op.getAfter().getArguments());
  Carried carried = carry(op.getBefore().getArguments());
  // The mask, what is carried, and the results of the lanes that left.
  Value active = outer ? outer : allLanes();
  SmallVector<Type> types = {active.getType()};
  llvm::append_range(types, carried.types);
  size_t own = types.size();
  SmallVector<Value> start = {active};
  llvm::append_range(start, firstOf(carried, op.getInits()));
  for (Value result : results) {
    types.push_back(passedLaneType(result));
    start.push_back(emitter.undefined(types.back()));
  }
  Block *loop = emitter.makeBlock(types), *body = emitter.makeBlock(), *exit = emitter.makeBlock();
  emitter.branch(loop, start);
  emitter.enter(loop);
  active = loop->getArgument(0);
  carried.arguments =
      llvm::to_vector_of<Value>(loop->getArguments().slice(1, carried.types.size()));
  for (auto [i, target] : llvm::enumerate(carried.targets))
    receive(target, carried.arguments[i]);
  llvm::SaveAndRestore saved(mask, active);
  lowerBlock(op.getBefore().front());
  emitter.setLine(line);
  Value goesOn = both(active, lanesOf(condition.getCondition()));
  SmallVector<Value> forwarded = passedAll(condition.getValues(), second);
  SmallVector<Value> left;
  for (auto [i, result] : llvm::enumerate(results))
    left.push_back(selectLanes(active, passed(condition.getValues()[i], result, /*forLanes=*/true),
                               loop->getArgument(own + i)));
  emitter.branchIf(any(goesOn), body, {}, exit, {});
  emitter.enter(body);
  for (auto [target, value] : llvm::zip(second, forwarded))
    receive(target, value);
  SmallVector<Value> next, nextLanes;
  lowerMaskedBody(op.getAfter(), op.getAfter().front().getTerminator(), goesOn, carried, next,
                  nextLanes);
  emitter.setLine(line);
  SmallVector<Value> again = {goesOn};
  llvm::append_range(again, nextOf(carried, next, nextLanes, goesOn));
  llvm::append_range(again, left);
  emitter.branch(loop, again);
  emitter.enter(exit);
  mask = outer;
  for (auto [result, value] : llvm::zip(results, left))
    receiveLanes(result, value);
}

} // namespace loom::lowering
