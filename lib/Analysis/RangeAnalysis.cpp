//===- RangeAnalysis.cpp - Ranges by dataflow -----------------------------===//
#include "RangeAnalysis.h"
#include "Relations.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/IR/Predicates.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

namespace loom {
using namespace mlir;

unsigned rangeWidth(Type type) {
  if (isa<OffsetType>(type))
    return 64;
  return type.isIntOrIndex() ? ConstantIntRanges::getStorageBitwidth(type) : 0;
}

static ConstantIntRanges nonNegativeRange(unsigned width) {
  return ConstantIntRanges::fromSigned(APInt::getZero(width), APInt::getSignedMaxValue(width));
}

ConstantIntRanges fullRange(Type type) {
  return isa<OffsetType>(type) ? nonNegativeRange(64)
                               : ConstantIntRanges::maxRange(rangeWidth(type));
}

/// A range is empty when promises contradict each other. Nothing is derived from that.
static bool isEmpty(const ConstantIntRanges &range) {
  return range.smin().sgt(range.smax()) || range.umin().ugt(range.umax());
}

/// What is known of a value that comes from outside: its type, and what a `where` clause says of a
/// parameter.
static ConstantIntRanges entryRange(Value value) {
  ConstantIntRanges range = fullRange(value.getType());
  if (!isa<BlockArgument>(value))
    return range;
  forEachStatement(value, [&](const StatedFacts &facts, unsigned position) {
    auto stated = rangeFromPredicates(facts.predicates, position, rangeWidth(value.getType()));
    if (stated && !isEmpty(range.intersection(*stated)))
      range = range.intersection(*stated);
  });
  return range;
}

void RangeAnalysis::setToEntryState(RangeLattice *lattice) {
  Value value = lattice->getAnchor();
  if (rangeWidth(value.getType()))
    propagateIfChanged(lattice, lattice->join(IntegerValueRange(entryRange(value))));
}

/// The end that moved away from `before` goes as far as the type allows.
static ConstantIntRanges widen(const ConstantIntRanges &before, const ConstantIntRanges &after,
                               Type type) {
  ConstantIntRanges full = fullRange(type);
  APInt low = after.smin().slt(before.smin()) ? full.smin() : after.smin();
  APInt high = after.smax().sgt(before.smax()) ? full.smax() : after.smax();
  return ConstantIntRanges::fromSigned(low, high);
}

/// Whether results of `op` stay within what its operands span, so that a circle of values which
/// grows without end has to lead through another operation.
static bool isBoundedByOperands(Operation *op) {
  return isa<IndexMinOp, IndexMaxOp, IndexDivOp, IndexRemOp, IndexAssumeOp, IndexCastOp, IndexCmpOp,
             ScfSelectOp>(op);
}

void RangeAnalysis::update(RangeLattice *lattice, const ConstantIntRanges &range) {
  constexpr unsigned kMaxGrowth = 4;
  IntegerValueRange before = lattice->getValue();
  ChangeResult changed = lattice->join(IntegerValueRange(range));
  Operation *op = lattice->getAnchor().getDefiningOp();
  if (changed == ChangeResult::Change && !before.isUninitialized() &&
      !(op && isBoundedByOperands(op)) && ++growth[lattice->getAnchor()] > kMaxGrowth)
    changed |= lattice->join(IntegerValueRange(
        widen(before.getValue(), lattice->getValue().getValue(), lattice->getAnchor().getType())));
  propagateIfChanged(lattice, changed);
}

std::optional<ConstantIntRanges> RangeAnalysis::rangeAt(Value value, Operation *at,
                                                        ProgramPoint *dependent) {
  IntegerValueRange range = getLatticeElementFor(dependent, value)->getValue();
  if (range.isUninitialized())
    return std::nullopt;
  bool waiting = false;
  auto refined =
      refineAt(value, range.getValue(), at, [&](Value other) -> std::optional<ConstantIntRanges> {
        IntegerValueRange known = getLatticeElementFor(dependent, other)->getValue();
        if (!known.isUninitialized())
          return known.getValue();
        waiting = true;
        return std::nullopt;
      });
  return waiting ? std::nullopt : refined;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The outcome of a comparison as range of one bit. In unsigned order a negative side depends on
/// the width of the carrier, so that nothing is known then.
static ConstantIntRanges inferCompare(IntPredicate predicate, const ConstantIntRanges &lhs,
                                      const ConstantIntRanges &rhs) {
  std::optional<bool> known;
  if (predicate < IntPredicate::ult || (lhs.smin().isNonNegative() && rhs.smin().isNonNegative()))
    known = intrange::evaluatePred(static_cast<intrange::CmpPredicate>(predicate), lhs, rhs);
  return ConstantIntRanges::fromUnsigned(APInt(1, known.value_or(false)),
                                         APInt(1, known.value_or(true)));
}

/// Operations of the index dialect that touch `offset`, which MLIR's interface leaves out. Returns
/// nullopt for those that say nothing.
static std::optional<ConstantIntRanges> inferOffset(Operation *op,
                                                    ArrayRef<ConstantIntRanges> ranges) {
  constexpr auto kNoWrap = intrange::OverflowFlags::Nsw;
  if (auto constant = dyn_cast<IndexConstantOp>(op))
    return ConstantIntRanges::constant(APInt(64, constant.getInt(), true));
  if (isa<IndexAddOp>(op))
    return intrange::inferAdd(ranges, kNoWrap);
  if (isa<IndexSubOp>(op))
    return intrange::inferSub(ranges, kNoWrap);
  if (isa<IndexScaleOp>(op))
    return intrange::inferMul(ranges, kNoWrap);
  auto cast = dyn_cast<IndexCastOp>(op);
  if (!cast)
    return std::nullopt;
  unsigned from = ranges[0].smin().getBitWidth(), to = rangeWidth(cast.getType());
  if (from < to)
    return intrange::extUIRange(ranges[0], to);
  return from > to ? intrange::truncRange(ranges[0], to) : ranges[0];
}

static bool hasOffset(Operation *op) {
  auto isOffset = [](Type type) { return isa<OffsetType>(type); };
  return llvm::any_of(op->getOperandTypes(), isOffset) ||
         llvm::any_of(op->getResultTypes(), isOffset);
}

/// What an assume operation leaves of the range of its operand `position`.
static ConstantIntRanges inferAssume(IndexAssumeOp op, unsigned position,
                                     ArrayRef<ConstantIntRanges> ranges) {
  ConstantIntRanges range = ranges[position];
  if (auto stated = rangeFromPredicates(op.getPredicates(), position, 64))
    range = range.intersection(*stated);
  return range;
}

LogicalResult RangeAnalysis::visitOperation(Operation *op, ArrayRef<const RangeLattice *>,
                                            ArrayRef<RangeLattice *> results) {
  if (llvm::none_of(op->getResultTypes(), rangeWidth))
    return success();
  auto infer = dyn_cast<InferIntRangeInterface>(op);
  IntegerAttr literal;
  if (!infer && matchPattern(op, m_Constant(&literal))) {
    update(results[0], ConstantIntRanges::constant(literal.getValue()));
    return success();
  }
  bool select = isa<ScfSelectOp>(op), offsets = hasOffset(op);
  if (!infer && !select && !(offsets && isa<IndexScaleOp>(op))) {
    setAllToEntryStates(results);
    return success();
  }
  SmallVector<ConstantIntRanges> ranges;
  for (Value operand : op->getOperands()) {
    auto range = rangeAt(operand, op, getProgramPointAfter(op));
    if (!range)
      return success();
    ranges.push_back(*range);
  }
  auto set = [&](unsigned i, ConstantIntRanges range) {
    Type type = results[i]->getAnchor().getType();
    if (isa<OffsetType>(type))
      range = range.intersection(nonNegativeRange(64));
    update(results[i], isEmpty(range) ? fullRange(type) : range);
  };
  if (select) {
    set(0, ranges[1].rangeUnion(ranges[2]));
  } else if (auto cmp = dyn_cast<IndexCmpOp>(op)) {
    set(0, inferCompare(cmp.getPredicate(), ranges[0], ranges[1]));
  } else if (auto assume = dyn_cast<IndexAssumeOp>(op); assume && offsets) {
    for (unsigned i = 0; i < results.size(); ++i)
      set(i, inferAssume(assume, i, ranges));
  } else if (offsets) {
    if (auto range = inferOffset(op, ranges))
      set(0, *range);
  } else {
    infer.inferResultRanges(ranges, [&](Value value, const ConstantIntRanges &range) {
      set(cast<OpResult>(value).getResultNumber(), range);
    });
  }
  for (RangeLattice *result : results)
    if (result->getValue().isUninitialized())
      setToEntryState(result);
  return success();
}

//===----------------------------------------------------------------------===//
// Block arguments
//===----------------------------------------------------------------------===//

void RangeAnalysis::setInductionRange(ScfForOp loop, RangeLattice *lattice) {
  ProgramPoint *point = getProgramPointBefore(loop.getBlock());
  auto lower = rangeAt(loop.getLower(), loop, point);
  auto upper = rangeAt(loop.getUpper(), loop, point);
  auto step = rangeAt(loop.getStep(), loop, point);
  if (!lower || !upper || !step)
    return;
  if (!step->smin().isStrictlyPositive())
    return setToEntryState(lattice);
  APInt first = lower->smin();
  // A loop that never runs has no induction value.
  if (upper->smax().sle(first))
    return;
  APInt last = upper->smax() - 1;
  // From an exact begin, an exact step reaches certain values only.
  bool overflow = false;
  APInt span = last.ssub_ov(first, overflow);
  if (!overflow && lower->smin() == lower->smax() && step->smin() == step->smax())
    last = first + span.udiv(step->smin()) * step->smin();
  update(lattice, ConstantIntRanges::fromSigned(first, last));
}

void RangeAnalysis::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                 ArrayRef<RangeLattice *> arguments,
                                                 unsigned firstIndex) {
  if (auto loop = dyn_cast<ScfForOp>(op); loop && successor.getSuccessor())
    return setInductionRange(loop, arguments.front());
  SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
}

} // namespace loom
