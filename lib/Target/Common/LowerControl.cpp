//===- LowerControl.cpp - Control flow ------------------------------------===//
//
// What decides for all active lanes alike becomes a branch. What decides for each lane becomes a
// mask: each way is run for the lanes that take it, when there are any, and the values that leave
// it are selected. The code that runs under a mask is written a second time for the case that every
// lane takes it, where memory is reached, since masked accesses are slow.
//
//===----------------------------------------------------------------------===//
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace loom::lowering {

/// Conditionals of at most so many simple operations become selects.
constexpr unsigned kMostSelected = 8;
/// Code under a mask is written twice when it has at most so many operations.
constexpr unsigned kMostVersioned = 400;

static unsigned countOps(Region &region) {
  unsigned count = 0;
  region.walk([&](Operation *) { ++count; });
  return count;
}

/// Whether a region can be run for lanes that do not take it.
static bool isSimple(Region &region) {
  if (region.empty())
    return true;
  Block &block = region.front();
  return llvm::range_size(block) <= kMostSelected && llvm::all_of(block, [](Operation &op) {
           return op.hasTrait<OpTrait::IsTerminator>() || (op.getNumRegions() == 0 && isPure(&op));
         });
}

static bool reachesMemory(Region &region) {
  return region
      .walk([](Operation *op) {
        return isMemoryEffectFree(op) || op->getNumRegions() ? WalkResult::advance()
                                                             : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool KernelLowering::isWorthVersions(Region &region) const {
  // What is written four times has to be as much smaller.
  return versionDepth < kDeepestVersion &&
         countOps(region) <= kMostVersioned >> (2 * versionDepth) && reachesMemory(region);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value KernelLowering::selectLanes(Value condition, Value whenTrue, Value whenFalse) {
  auto vector = cast<mlir::VectorType>(whenTrue.getType());
  int64_t copies = vector.getNumElements() / laneCount();
  if (copies > 1)
    condition = concatenate(SmallVector<Value>(copies, condition));
  return emitter.select(condition, whenTrue, whenFalse);
}

SmallVector<Value> KernelLowering::emitMasked(Value active, bool twice, TypeRange types,
                                              llvm::function_ref<SmallVector<Value>()> body) {
  llvm::SaveAndRestore saved(mask, active);
  if (!twice || !active)
    return body();
  llvm::SaveAndRestore deeper(versionDepth, versionDepth + 1);
  Block *forAll = emitter.makeBlock(), *forSome = emitter.makeBlock();
  Block *join = emitter.makeBlock(types);
  emitter.branchIf(all(active), forAll, {}, forSome, {});
  emitter.enter(forAll);
  mask = Value();
  emitter.branch(join, body());
  emitter.enter(forSome);
  mask = active;
  emitter.branch(join, body());
  emitter.enter(join);
  return llvm::to_vector_of<Value>(join->getArguments());
}

/// The type of a value that is passed on in the lane form.
Type KernelLowering::passedLaneType(Value target) {
  Type type = passedType(target);
  if (!hasScalarForm(target))
    return type;
  return isa<BufferType, ViewType>(target.getType()) ? laneType(target.getType()) : spread(type);
}

void KernelLowering::receiveLanes(Value target, Value lanes) {
  if (isEmpty(target))
    return;
  values[target] = {Value(), lanes, 0};
  if (!hasScalarForm(target))
    return;
  // All active lanes agree.
  Value scalar = isa<BufferType, ViewType>(target.getType())
                     ? emitter.cast(CastOp::IntToPtr, emitter.extract(lanes, firstActive(mask)),
                                    scalarType(target.getType()))
                     : scalarOf(target);
  receive(target, scalar);
}

/// Runs `region` for the lanes of `active`, when there are any. The values that it passes on for
/// `results`, in the lane form.
SmallVector<Value> KernelLowering::lowerArm(Region &region, ValueRange results, Value active) {
  SmallVector<Type> types;
  SmallVector<Value> skipped;
  for (Value result : results) {
    types.push_back(passedLaneType(result));
    skipped.push_back(emitter.undefined(types.back()));
  }
  if (region.empty() || (results.empty() && llvm::hasSingleElement(region.front())))
    return skipped;
  unsigned line = operations.size();
  Block *run = emitter.makeBlock(), *join = emitter.makeBlock(types);
  emitter.branchIf(any(active), run, {}, join, skipped);
  emitter.enter(run);
  auto body = [&] {
    lowerBlock(region.front());
    emitter.setLine(line);
    return passedAll(region.front().getTerminator()->getOperands(), results, /*forLanes=*/true);
  };
  emitter.branch(join, emitMasked(active, isWorthVersions(region), types, body));
  emitter.enter(join);
  return llvm::to_vector_of<Value>(join->getArguments());
}

SmallVector<Value> KernelLowering::passedAll(ValueRange sources, ValueRange targets,
                                             bool forLanes) {
  SmallVector<Value> values;
  for (auto [source, target] : llvm::zip(sources, targets))
    values.push_back(passed(source, target, forLanes));
  return values;
}

SmallVector<Type> KernelLowering::passedTypes(ValueRange targets) {
  return llvm::map_to_vector(targets, [&](Value target) { return passedType(target); });
}

//===----------------------------------------------------------------------===//
// Conditionals
//===----------------------------------------------------------------------===//

void KernelLowering::lowerIf(ScfIfOp op) {
  if (!hasScalarForm(op.getCondition()))
    return lowerDivergentIf(op);
  unsigned line = operations.size();
  SmallVector<Value> results(op.getResults());
  Region &elseRegion = op.getElseRegion();
  bool hasElse =
      !elseRegion.empty() && (!results.empty() || !llvm::hasSingleElement(elseRegion.front()));
  Block *thenBlock = emitter.makeBlock(), *elseBlock = hasElse ? emitter.makeBlock() : nullptr;
  Block *join = emitter.makeBlock(passedTypes(results));
  emitter.branchIf(scalarOf(op.getCondition()), thenBlock, {}, hasElse ? elseBlock : join, {});
  auto emitArm = [&](Block *block, Region &region) {
    emitter.enter(block);
    lowerBlock(region.front());
    emitter.setLine(line);
    emitter.branch(join, passedAll(region.front().getTerminator()->getOperands(), results));
  };
  emitArm(thenBlock, op.getThenRegion());
  if (hasElse)
    emitArm(elseBlock, elseRegion);
  emitter.enter(join);
  for (auto [result, value] : llvm::zip(results, join->getArguments()))
    receive(result, value);
}

/// The lane form of the results. `isSplit` says that not all lanes take the first arm.
SmallVector<Value> KernelLowering::lowerArms(ScfIfOp op, bool isSplit) {
  Value condition = lanesOf(op.getCondition());
  SmallVector<Value> results(op.getResults());
  Region *regions[] = {&op.getThenRegion(), &op.getElseRegion()};
  SmallVector<Value> arms[2], chosen;
  auto mayRunForAll = [&](Region *region) {
    return isSimple(*region) &&
           (region->empty() ||
            llvm::all_of(region->front(), [&](Operation &o) { return this->mayRunForAll(&o); }));
  };
  if (mayRunForAll(regions[0]) && mayRunForAll(regions[1])) {
    for (unsigned i = 0; i < 2; ++i) {
      if (regions[i]->empty())
        continue;
      lowerBlock(regions[i]->front());
      arms[i] = passedAll(regions[i]->front().getTerminator()->getOperands(), results,
                          /*forLanes=*/true);
    }
  } else {
    {
      llvm::SaveAndRestore once(versionDepth, isSplit ? kDeepestVersion : versionDepth);
      arms[0] = lowerArm(*regions[0], results, both(mask, condition));
    }
    arms[1] = lowerArm(*regions[1], results, both(mask, negated(condition)));
  }
  for (size_t i = 0; i < results.size(); ++i)
    chosen.push_back(selectLanes(condition, arms[0][i], arms[1][i]));
  return chosen;
}

void KernelLowering::lowerDivergentIf(ScfIfOp op) {
  Value condition = lanesOf(op.getCondition());
  SmallVector<Value> results(op.getResults()), chosen;
  Region &thenRegion = op.getThenRegion();
  if (!results.empty() && !mask && spanOf(condition) && isWorthVersions(thenRegion)) {
    // Where all lanes take the first arm nothing is selected either.
    unsigned line = operations.size();
    SmallVector<Type> types =
        llvm::map_to_vector(results, [&](Value result) { return passedLaneType(result); });
    Block *whole = emitter.makeBlock(), *split = emitter.makeBlock();
    Block *join = emitter.makeBlock(types);
    emitter.branchIf(all(condition), whole, {}, split, {});
    emitter.enter(whole);
    {
      llvm::SaveAndRestore deeper(versionDepth, versionDepth + 1);
      lowerBlock(thenRegion.front());
    }
    emitter.setLine(line);
    emitter.branch(join, passedAll(thenRegion.front().getTerminator()->getOperands(), results,
                                   /*forLanes=*/true));
    emitter.enter(split);
    emitter.branch(join, lowerArms(op, /*isSplit=*/true));
    emitter.enter(join);
    chosen = llvm::to_vector_of<Value>(join->getArguments());
  } else {
    chosen = lowerArms(op, /*isSplit=*/false);
  }
  for (auto [result, value] : llvm::zip(results, chosen))
    receiveLanes(result, value);
}

void KernelLowering::lowerSwitch(ScfSwitchOp op) {
  Value selector = op.getSelector();
  if (!hasScalarForm(selector) || shapeOf(selector).stride)
    return lowerDivergentSwitch(op);
  unsigned line = operations.size();
  SmallVector<Value> results(op.getResults());
  Block *join = emitter.makeBlock(passedTypes(results));
  auto emitArm = [&](Region &region) {
    lowerBlock(region.front());
    emitter.setLine(line);
    emitter.branch(join, passedAll(region.front().getTerminator()->getOperands(), results));
  };
  for (auto [key, region] : llvm::zip(op.getKeys(), op.getCaseRegions())) {
    FormScope form(*this, false);
    Value condition = matchesKey(selector, key);
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
  for (auto [result, value] : llvm::zip(results, join->getArguments()))
    receive(result, value);
}

void KernelLowering::lowerDivergentSwitch(ScfSwitchOp op) {
  SmallVector<Value> results(op.getResults());
  SmallVector<Value> conditions;
  Value rest = mask;
  SmallVector<SmallVector<Value>> arms;
  for (auto [key, region] : llvm::zip(op.getKeys(), op.getCaseRegions())) {
    Value condition;
    {
      FormScope form(*this, true);
      condition = matchesKey(op.getSelector(), key);
    }
    if (!condition)
      continue;
    conditions.push_back(condition);
    arms.push_back(lowerArm(region, results, both(mask, condition)));
    rest = both(rest, negated(condition));
  }
  SmallVector<Value> chosen;
  if (rest) {
    chosen = lowerArm(op.getDefaultRegion(), results, rest);
  } else {
    lowerBlock(op.getDefaultRegion().front());
    chosen = passedAll(op.getDefaultRegion().front().getTerminator()->getOperands(), results,
                       /*forLanes=*/true);
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    for (auto [condition, arm] : llvm::zip(conditions, arms))
      chosen[i] = selectLanes(condition, arm[i], chosen[i]);
    receiveLanes(result, chosen[i]);
  }
}

/// `first` to `end` are run by those for whom the condition does not hold.
void KernelLowering::lowerExit(KernelExitOp op, Block::iterator first, Block::iterator end) {
  operations.push_back({getTextName(op).str(), op->getLoc()});
  emitter.setLine(operations.size());
  Value condition = op.getCondition();
  Region &region = op.getBody();
  if (hasScalarForm(condition)) {
    Block *leave = emitter.makeBlock(), *stay = emitter.makeBlock(), *join = emitter.makeBlock();
    emitter.branchIf(scalarOf(condition), leave, {}, stay, {});
    emitter.enter(leave);
    if (!region.empty())
      lowerBlock(region.front());
    emitter.branch(join);
    emitter.enter(stay);
    lowerFrom(first, end);
    emitter.branch(join);
    return emitter.enter(join);
  }
  Value leaving = lanesOf(condition);
  lowerArm(region, {}, both(mask, leaving));
  Value staying = both(mask, negated(leaving));
  Block *run = emitter.makeBlock(), *join = emitter.makeBlock();
  emitter.branchIf(any(staying), run, {}, join, {});
  emitter.enter(run);
  emitMasked(staying, versionDepth < kDeepestVersion, {}, [&] {
    lowerFrom(first, end);
    return SmallVector<Value>();
  });
  emitter.branch(join);
  emitter.enter(join);
}

} // namespace loom::lowering
