//===- Facts.cpp - What is known of values --------------------------------===//
#include "loom/Analysis/Facts.h"
#include "Differences.h"
#include "RangeAnalysis.h"
#include "Relations.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

struct Facts::State {
  DataFlowSolver solver;

  explicit State(Operation *root) {
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<RangeAnalysis>();
    // Without a result every question is answered with "unknown".
    valid = succeeded(solver.initializeAndRun(root));
  }

  std::optional<ConstantIntRanges> rangeOf(Value value) const {
    const auto *lattice = valid ? solver.lookupState<RangeLattice>(value) : nullptr;
    if (!lattice || lattice->getValue().isUninitialized())
      return std::nullopt;
    return lattice->getValue().getValue();
  }

  std::optional<int64_t> constantOf(Value value) const {
    using ConstantLattice = dataflow::Lattice<dataflow::ConstantValue>;
    IntegerAttr literal;
    if (!matchPattern(value, m_Constant(&literal))) {
      const auto *lattice = valid ? solver.lookupState<ConstantLattice>(value) : nullptr;
      if (lattice && !lattice->getValue().isUninitialized())
        literal = dyn_cast_or_null<IntegerAttr>(lattice->getValue().getConstantValue());
    }
    if (!literal)
      return std::nullopt;
    const APInt bits = literal.getValue();
    return bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue();
  }

  bool valid = false;
};

Facts::Facts(Operation *root) : state(std::make_unique<State>(root)) {}
Facts::~Facts() = default;
Facts::Facts(Facts &&) noexcept = default;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

std::optional<ConstantIntRanges> Facts::range(Value value, Operation *at) const {
  Type type = value.getType();
  if (!rangeWidth(type))
    return std::nullopt;
  std::optional<ConstantIntRanges> range;
  if (auto constant = state->constantOf(value))
    return ConstantIntRanges::constant(APInt(rangeWidth(type), *constant, /*isSigned=*/true,
                                             /*implicitTrunc=*/true));
  range = state->rangeOf(value);
  if (range && at)
    range = refineAt(value, *range, at, [&](Value other) { return this->range(other); });
  if (!range || *range == ConstantIntRanges::maxRange(rangeWidth(type)))
    return std::nullopt;
  return range;
}

std::optional<int64_t> Facts::exact(Value value, Operation *at) const {
  if (!rangeWidth(value.getType()))
    return std::nullopt;
  if (auto constant = state->constantOf(value))
    return constant;
  auto known = range(value, at);
  auto constant = known ? known->getConstantValue() : std::nullopt;
  if (!constant)
    return std::nullopt;
  return constant->getBitWidth() == 1 ? constant->getZExtValue() : constant->getSExtValue();
}

bool Facts::fitsSigned(Value value, unsigned bits, Operation *at) const {
  auto known = range(value, at);
  if (!known)
    return rangeWidth(value.getType()) && rangeWidth(value.getType()) <= bits;
  return known->smin().isSignedIntN(bits) && known->smax().isSignedIntN(bits);
}

bool Facts::isNonNegative(Value value, Operation *at) const {
  auto known = range(value, at);
  return known && known->smin().isNonNegative();
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

std::optional<int64_t> Facts::maxDifference(Value a, Value b, Operation *at) const {
  for (Value value : {a, b})
    if (value && !isAddressType(value.getType()))
      return std::nullopt;
  return Differences(a, b, at, [&](Value value) { return range(value, at); }).bound();
}

std::optional<int64_t> Facts::tripCount(Value lower, Value upper, Value step, Operation *at) const {
  auto stride = exact(step, at);
  if (!stride || *stride <= 0)
    return std::nullopt;
  std::optional<int64_t> most, least;
  auto from = exact(lower, at), to = exact(upper, at);
  if (from && to) {
    if (*to <= *from)
      return 0;
    most = least = llvm::checkedSub(*to, *from);
  } else {
    most = maxDifference(upper, lower, at);
    if (most && *most <= 0)
      return 0;
    auto reverse = maxDifference(lower, upper, at);
    least = reverse ? llvm::checkedSub<int64_t>(0, *reverse) : std::nullopt;
  }
  if (!most || most != least)
    return std::nullopt;
  return (*most - 1) / *stride + 1;
}

static IntPredicate toSigned(IntPredicate predicate) {
  switch (predicate) {
  case IntPredicate::ult:
    return IntPredicate::slt;
  case IntPredicate::ule:
    return IntPredicate::sle;
  case IntPredicate::ugt:
    return IntPredicate::sgt;
  case IntPredicate::uge:
    return IntPredicate::sge;
  default:
    return predicate;
  }
}

static Proof toProof(std::optional<bool> known) {
  return !known ? Proof::Unknown : *known ? Proof::Proven : Proof::Disproven;
}

/// `a predicate b` from the largest values of `a - b` and `b - a`.
static std::optional<bool> decideByDifference(IntPredicate predicate, std::optional<int64_t> ab,
                                              std::optional<int64_t> ba) {
  bool notGreater = ab && *ab <= 0, less = ab && *ab < 0;
  bool notLess = ba && *ba <= 0, greater = ba && *ba < 0;
  switch (predicate) {
  case IntPredicate::eq:
  case IntPredicate::ne:
    if (less || greater)
      return predicate == IntPredicate::ne;
    if (notGreater && notLess)
      return predicate == IntPredicate::eq;
    return std::nullopt;
  case IntPredicate::slt:
    return less ? std::optional(true) : notLess ? std::optional(false) : std::nullopt;
  case IntPredicate::sle:
    return notGreater ? std::optional(true) : greater ? std::optional(false) : std::nullopt;
  case IntPredicate::sgt:
    return greater ? std::optional(true) : notGreater ? std::optional(false) : std::nullopt;
  case IntPredicate::sge:
    return notLess ? std::optional(true) : less ? std::optional(false) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// By ranges alone: what is known of integers of fixed width.
static std::optional<bool> compareRanges(IntPredicate predicate,
                                         const std::optional<ConstantIntRanges> &a,
                                         const std::optional<ConstantIntRanges> &b) {
  if (!a || !b || a->smin().getBitWidth() != b->smin().getBitWidth())
    return std::nullopt;
  return intrange::evaluatePred(static_cast<intrange::CmpPredicate>(predicate), *a, *b);
}

Proof Facts::compare(IntPredicate predicate, Value a, Value b, Operation *at) const {
  // The same relation, tested around this place: covers what differences cannot say.
  bool tested = false;
  if (at)
    forEachPathRelation(at, [&](const Relation &r) {
      Value lhs = stripAssumes(r.lhs), rhs = stripAssumes(r.rhs);
      Value x = stripAssumes(a), y = stripAssumes(b);
      tested |= (lhs == x && rhs == y && r.predicate == predicate) ||
                (lhs == y && rhs == x && swapOperands(r.predicate) == predicate);
    });
  if (tested)
    return Proof::Proven;
  if (!isAddressType(a.getType()))
    return toProof(a == b ? decideByDifference(toSigned(predicate), 0, 0)
                          : compareRanges(predicate, range(a, at), range(b, at)));
  // Among non-negative numbers both orders agree. Otherwise the unsigned order depends on the width
  // of the carrier, which only equal values do not care for.
  if (IntPredicate ordered = toSigned(predicate); ordered != predicate) {
    if (stripAssumes(a) != stripAssumes(b) && (!isNonNegative(a, at) || !isNonNegative(b, at)))
      return Proof::Unknown;
    predicate = ordered;
  }
  return toProof(decideByDifference(predicate, maxDifference(a, b, at), maxDifference(b, a, at)));
}

Proof Facts::compare(IntPredicate predicate, Value a, int64_t literal, Operation *at) const {
  Type type = a.getType();
  if (!isAddressType(type)) {
    unsigned width = rangeWidth(type);
    if (!width)
      return Proof::Unknown;
    APInt bits(width, literal, /*isSigned=*/true, /*implicitTrunc=*/true);
    // A literal that the type cannot hold is compared as a number.
    if (width > 1 && bits.getSExtValue() != literal)
      return Proof::Unknown;
    return toProof(compareRanges(predicate, range(a, at), ConstantIntRanges::constant(bits)));
  }
  if (IntPredicate ordered = toSigned(predicate); ordered != predicate) {
    if (literal < 0 || !isNonNegative(a, at))
      return Proof::Unknown;
    predicate = ordered;
  }
  auto above = maxDifference(a, Value(), at), below = maxDifference(Value(), a, at);
  if (above)
    above = llvm::checkedSub(*above, literal);
  if (below)
    below = llvm::checkedAdd(*below, literal);
  return toProof(decideByDifference(predicate, above, below));
}

} // namespace loom
