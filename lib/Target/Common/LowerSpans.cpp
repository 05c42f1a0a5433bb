//===- LowerSpans.cpp - Masks of consecutive lanes ------------------------===//
//
// A comparison of a sequence with what is the same for all lanes holds from one lane on or up to
// one. Whether any lane or every lane is active then follows from two scalars, and the vector of
// flags is only built where some are and some are not.
//
//===----------------------------------------------------------------------===//
#include "LowerKernel.h"

using namespace mlir;

namespace loom::lowering {

/// Bounds whose sums and differences stay far inside of 64 bits.
static bool isModerate(Interval interval) {
  constexpr int64_t limit = int64_t(1) << 61;
  return interval.low >= -limit && interval.high <= limit;
}

/// Whether b - a fits for sure.
static bool hasDistance(Interval a, Interval b) {
  int64_t low, high;
  return !llvm::SubOverflow(b.low, a.high, low) && !llvm::SubOverflow(b.high, a.low, high) &&
         high <= (int64_t(1) << 62);
}

std::optional<KernelLowering::Span> KernelLowering::spanWhere(IntPredicate predicate, RangedValue a,
                                                              int64_t stride, RangedValue b) {
  if (stride == 0 || stride == std::numeric_limits<int64_t>::min() ||
      !hasDistance(a.interval, b.interval))
    return std::nullopt;
  int64_t size = std::abs(stride);
  bool ascends = stride > 0;
  RangedValue distance = ranges.sub(b, a);
  if (predicate == IntPredicate::eq) {
    if (size != 1 || !isModerate(distance.interval))
      return std::nullopt;
    RangedValue only = ascends ? distance : ranges.sub(ranges.constant(0), distance);
    return Span{only, ranges.add(only, ranges.constant(1))};
  }
  // In front of the bound stride * l is below the distance, or from it on it is not.
  bool isBelow = predicate == IntPredicate::slt || predicate == IntPredicate::sle;
  bool includesEqual = predicate == IntPredicate::sle || predicate == IntPredicate::sgt;
  if (!isBelow && predicate != IntPredicate::sgt && predicate != IntPredicate::sge)
    return std::nullopt;
  RangedValue bound = includesEqual ? ranges.add(distance, ranges.constant(1)) : distance;
  if (!ascends) {
    if (!isModerate(bound.interval))
      return std::nullopt;
    bound = ranges.sub(ranges.constant(1), bound);
  }
  if (size > 1) {
    // Rounded up; what is below zero stays out of reach as zero.
    if (!isModerate({0, size}) || !isModerate(bound.interval))
      return std::nullopt;
    bound = ranges.add(ranges.max(bound, ranges.constant(0)), ranges.constant(size - 1));
    bound = ranges.div(bound, ranges.constant(size));
  }
  return isBelow == ascends ? Span{{}, bound} : Span{bound, {}};
}

KernelLowering::Span KernelLowering::intersection(const Span &a, const Span &b) {
  auto bound = [](RangedValue x, RangedValue y, auto choose) {
    return x.value && y.value ? choose(x, y) : x.value ? x : y;
  };
  return {bound(a.first, b.first, [&](RangedValue x, RangedValue y) { return ranges.max(x, y); }),
          bound(a.end, b.end, [&](RangedValue x, RangedValue y) { return ranges.min(x, y); })};
}

Value KernelLowering::maskOf(const Span &span) {
  Type narrow = emitter.integer(32);
  Value numbers = emitter.iota(laneCount(), narrow);
  auto compared = [&](IntPredicate predicate, RangedValue bound) {
    bound = ranges.min(ranges.max(bound, ranges.constant(0)), ranges.constant(laneCount()));
    return emitter.compare(predicate, numbers, ranges.convert(bound, 32));
  };
  Value mask;
  if (span.end.value)
    mask = compared(IntPredicate::slt, span.end);
  if (span.first.value) {
    Value from = compared(IntPredicate::sge, span.first);
    mask = mask ? emitter.binary(IntegerOp::And, mask, from) : from;
  }
  spans[mask] = span;
  return mask;
}

const KernelLowering::Span *KernelLowering::spanOf(Value mask) const {
  auto found = spans.find(mask);
  return found == spans.end() ? nullptr : &found->second;
}

Value KernelLowering::isAny(const Span &span) {
  RangedValue zero = ranges.constant(0), lanes = ranges.constant(laneCount());
  RangedValue first = span.first.value ? ranges.max(span.first, zero) : zero;
  RangedValue end = span.end.value ? ranges.min(span.end, lanes) : lanes;
  return ranges.compare(IntPredicate::slt, first, end);
}

Value KernelLowering::isAll(const Span &span) {
  Value fromFirst, toLast;
  if (span.first.value)
    fromFirst = ranges.compare(IntPredicate::sle, span.first, ranges.constant(0));
  if (span.end.value)
    toLast = ranges.compare(IntPredicate::sge, span.end, ranges.constant(laneCount()));
  if (fromFirst && toLast)
    return emitter.binary(IntegerOp::And, fromFirst, toLast);
  return fromFirst ? fromFirst : toLast;
}

/// Unsigned comparisons of numbers that are not negative are signed ones.
static std::optional<IntPredicate> signedForm(IntPredicate predicate, bool isNonNegative) {
  switch (predicate) {
  case IntPredicate::ult:
    return isNonNegative ? std::optional(IntPredicate::slt) : std::nullopt;
  case IntPredicate::ule:
    return isNonNegative ? std::optional(IntPredicate::sle) : std::nullopt;
  case IntPredicate::ugt:
    return isNonNegative ? std::optional(IntPredicate::sgt) : std::nullopt;
  case IntPredicate::uge:
    return isNonNegative ? std::optional(IntPredicate::sge) : std::nullopt;
  default:
    return predicate;
  }
}

bool KernelLowering::lowerSpanCompare(IndexCmpOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs(), result = op.getResult();
  if (laneCount() == 1 || hasScalarForm(result) || !isa<IndexType>(lhs.getType()) ||
      !hasScalarForm(lhs) || !hasScalarForm(rhs))
    return false;
  int64_t stride;
  if (llvm::SubOverflow(shapeOf(lhs).stride, shapeOf(rhs).stride, stride))
    return false;
  bool isNonNegative;
  {
    FormScope form(*this, true);
    isNonNegative = known(lhs).low >= 0 && known(rhs).low >= 0;
  }
  std::optional<IntPredicate> predicate = signedForm(op.getPredicate(), isNonNegative);
  if (!predicate)
    return false;
  FormScope form(*this, false);
  std::optional<Span> span = spanWhere(*predicate, ranged(lhs), stride, ranged(rhs));
  if (!span)
    return false;
  values[result] = {Value(), maskOf(*span), 0};
  return true;
}

} // namespace loom::lowering
