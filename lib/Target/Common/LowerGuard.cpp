//===- LowerGuard.cpp - Segments that only the first work-items run -------===//
//
// Where all that a segment does stands behind `number of the work-item < bound`, only blocks that
// have such work-items are run: whole ones without a mask, and at most one with.
//
//===----------------------------------------------------------------------===//
#include "LowerFission.h"
#include "loom/Analysis/Comparisons.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace loom::lowering {

/// How much `value` grows from work-item to work-item of the workgroup, in their flat order, when
/// that is the same everywhere.
std::optional<int64_t> KernelLowering::Fission::itemStride(Value value) const {
  if (isForWorkgroup(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto ofPosition = [&](Dimension dimension) -> std::optional<int64_t> {
    for (unsigned d = 0; d < 3; ++d)
      if (d != static_cast<unsigned>(dimension) && lowering.plan.exactSize(d) != 1)
        return std::nullopt;
    return 1;
  };
  auto combined = [&](bool adds) -> std::optional<int64_t> {
    std::optional<int64_t> a = itemStride(op->getOperand(0)), b = itemStride(op->getOperand(1));
    int64_t sum;
    if (!a || !b || (adds ? llvm::AddOverflow(*a, *b, sum) : llvm::SubOverflow(*a, *b, sum)))
      return std::nullopt;
    return sum;
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<KernelWorkitemIdOp, KernelDispatchIdOp>(
          [&](auto id) { return ofPosition(id.getDimension()); })
      .Case([&](IndexAddOp) { return combined(/*adds=*/true); })
      .Case([&](IndexSubOp) { return combined(/*adds=*/false); })
      .Case([&](IndexAssumeOp assume) {
        return itemStride(assume->getOperand(cast<OpResult>(value).getResultNumber()));
      })
      .Case([&](IndexMulOp mul) -> std::optional<int64_t> {
        for (auto [a, b] :
             {std::pair(mul.getLhs(), mul.getRhs()), std::pair(mul.getRhs(), mul.getLhs())}) {
          std::optional<int64_t> stride = itemStride(a), factor = lowering.facts.exact(b);
          int64_t product;
          if (stride && factor && !llvm::MulOverflow(*stride, *factor, product))
            return product;
        }
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// What stands behind an exit counts as the region of the guard.
std::optional<KernelLowering::Fission::Guard>
KernelLowering::Fission::guardOf(ArrayRef<Operation *> segment) const {
  if (lowering.laneCount() == 1)
    return std::nullopt;
  Guard guard;
  for (Operation *op : segment) {
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
      continue;
    guard.op = op;
    break;
  }
  IndexCmpOp compare;
  if (auto branch = dyn_cast_or_null<ScfIfOp>(guard.op)) {
    bool hasElse =
        !branch.getElseRegion().empty() && !llvm::hasSingleElement(branch.getElseRegion().front());
    auto follows = [&](Operation *op) {
      return op == guard.op || (op->getNumRegions() == 0 && isMemoryEffectFree(op));
    };
    if (hasElse || branch->getNumResults() || !llvm::all_of(segment, follows) ||
        !lowering.isWorthVersions(branch.getThenRegion()))
      return std::nullopt;
    compare = branch.getCondition().getDefiningOp<IndexCmpOp>();
  } else if (auto exit = dyn_cast_or_null<KernelExitOp>(guard.op)) {
    if (!exit.getBody().empty() && !llvm::hasSingleElement(exit.getBody().front()))
      return std::nullopt;
    compare = exit.getCondition().getDefiningOp<IndexCmpOp>();
  }
  if (!compare || !isa<IndexType>(compare.getLhs().getType()))
    return std::nullopt;
  std::optional<IntPredicate> predicate = compare.getPredicate();
  if (isa<KernelExitOp>(guard.op))
    predicate = negate(*predicate);
  std::optional<int64_t> a = itemStride(compare.getLhs()), b = itemStride(compare.getRhs());
  auto isThere = [&](Value value) { return once.contains(value) || isComputedAgain(value); };
  if (!predicate || !a || !b || llvm::SubOverflow(*a, *b, guard.stride) || guard.stride == 0 ||
      !isThere(compare.getLhs()) || !isThere(compare.getRhs()))
    return std::nullopt;
  guard.predicate = *predicate;
  guard.lhs = compare.getLhs();
  guard.rhs = compare.getRhs();
  return guard;
}

/// Runs `body` for the work-items that the guard lets in; false, and nothing was run, when they are
/// not the first ones of the workgroup, nor a single one.
bool KernelLowering::Fission::emitGuarded(const Guard &guard, ValueRange inputs,
                                          llvm::function_ref<void()> body) {
  Type wide = emitter.integer(64);
  RangeArithmetic &ranges = lowering.ranges;
  lowering.setBlock(emitter.constant(wide, 0));
  brought.clear();
  bring(guard.lhs);
  bring(guard.rhs);
  FormScope form(lowering, false);
  std::optional<Span> span = lowering.spanWhere(guard.predicate, lowering.ranged(guard.lhs),
                                                guard.stride, lowering.ranged(guard.rhs));
  brought.clear();
  if (!span || !span->end.value)
    return false;
  auto forBlock = [&] {
    brought.clear();
    for (Value input : inputs)
      bring(input);
    body();
  };
  RangedValue all = {lowering.itemCount(), {1, lowering.plan.largestItems()}};
  if (std::optional<int64_t> exact = lowering.plan.exactItems())
    all = ranges.constant(*exact);
  RangedValue zero = ranges.constant(0);
  if (!span->first.value) {
    RangedValue items = ranges.max(ranges.min(span->end, all), zero);
    lowering.emitItems(ranges.convert(items, 64), forBlock);
  } else {
    Value isThere =
        emitter.binary(IntegerOp::And, ranges.compare(IntPredicate::sge, span->first, zero),
                       ranges.compare(IntPredicate::slt, span->first, all));
    emitter.when(isThere, [&] {
      llvm::SaveAndRestore inBlock(lowering.group.isInBlock, true);
      Interval inside = {0, lowering.plan.largestItems() - 1};
      RangedValue item = ranges.narrow(span->first, inside);
      RangedValue lanes = ranges.constant(lowering.laneCount());
      lowering.setBlock(ranges.convert(ranges.div(item, lanes), 64));
      RangedValue lane = ranges.rem(item, lanes);
      Value one = lowering.maskOf({lane, ranges.add(lane, ranges.constant(1))});
      llvm::SaveAndRestore saved(lowering.mask, one);
      forBlock();
    });
  }
  brought.clear();
  return true;
}

} // namespace loom::lowering
