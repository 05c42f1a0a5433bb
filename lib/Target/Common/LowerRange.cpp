//===- LowerRange.cpp - Integer arithmetic in as few bits as fit ----------===//
#include "LowerRange.h"

using namespace mlir;

namespace loom::lowering {

using Wide = __int128;

/// The part of [low, high] that 64 bits can hold; `exact` tells whether that is all of it.
static Interval clamp(Wide low, Wide high, bool &exact) {
  Interval all;
  exact = low >= all.low && high <= all.high;
  return {static_cast<int64_t>(std::max<Wide>(low, all.low)),
          static_cast<int64_t>(std::min<Wide>(high, all.high))};
}

RangedValue RangeArithmetic::constant(int64_t value) {
  unsigned bits = llvm::isInt<32>(value) ? 32 : 64;
  return {emitter.constant(emitter.integer(bits), value), {value, value}};
}

Value RangeArithmetic::convert(RangedValue a, unsigned bits) {
  if (a.bits() == bits)
    return a.value;
  Type type = emitter.integer(bits);
  if (std::optional<int64_t> exact = a.interval.exact())
    return emitter.constant(type, *exact);
  bool nonNegative = a.interval.low >= 0;
  if (a.bits() > bits)
    return emitter.truncate(a.value, type, {/*isSigned=*/true, /*isUnsigned=*/nonNegative});
  return nonNegative ? emitter.zeroExtend(a.value, type, /*nonNegative=*/true)
                     : emitter.cast(CastOp::SExt, a.value, type);
}

RangedValue RangeArithmetic::narrow(RangedValue a, Interval known) {
  RangedValue result = {a.value, a.interval.intersect(known)};
  if (std::optional<int64_t> exact = result.interval.exact())
    return constant(*exact);
  if (result.interval.fits32())
    result.value = convert(result, 32);
  return result;
}

RangedValue RangeArithmetic::combine(IntegerOp op, RangedValue a, RangedValue b, Interval raw,
                                     bool rawIsExact, Interval known) {
  Interval interval = raw.intersect(known);
  if (std::optional<int64_t> exact = interval.exact())
    return constant(*exact);
  bool narrow = a.bits() == 32 && b.bits() == 32 && interval.fits32();
  unsigned bits = narrow ? 32 : 64;
  NoWrap noWrap;
  noWrap.isSigned = narrow || rawIsExact;
  noWrap.isUnsigned = noWrap.isSigned && a.interval.low >= 0 && b.interval.low >= 0 &&
                      (op != IntegerOp::Sub || interval.low >= 0);
  return {emitter.binary(op, convert(a, bits), convert(b, bits), noWrap), interval};
}

RangedValue RangeArithmetic::add(RangedValue a, RangedValue b, Interval known) {
  if (a.interval.exact() == 0)
    return narrow(b, known);
  if (b.interval.exact() == 0)
    return narrow(a, known);
  bool exact;
  Interval raw =
      clamp(Wide(a.interval.low) + b.interval.low, Wide(a.interval.high) + b.interval.high, exact);
  return combine(IntegerOp::Add, a, b, raw, exact, known);
}

RangedValue RangeArithmetic::sub(RangedValue a, RangedValue b, Interval known) {
  if (b.interval.exact() == 0)
    return narrow(a, known);
  bool exact;
  Interval raw =
      clamp(Wide(a.interval.low) - b.interval.high, Wide(a.interval.high) - b.interval.low, exact);
  return combine(IntegerOp::Sub, a, b, raw, exact, known);
}

RangedValue RangeArithmetic::mul(RangedValue a, RangedValue b, Interval known) {
  if (a.interval.exact() == 1)
    return narrow(b, known);
  if (b.interval.exact() == 1)
    return narrow(a, known);
  Wide corners[] = {Wide(a.interval.low) * b.interval.low, Wide(a.interval.low) * b.interval.high,
                    Wide(a.interval.high) * b.interval.low,
                    Wide(a.interval.high) * b.interval.high};
  bool exact;
  Interval raw = clamp(*std::min_element(std::begin(corners), std::end(corners)),
                       *std::max_element(std::begin(corners), std::end(corners)), exact);
  return combine(IntegerOp::Mul, a, b, raw, exact, known);
}

RangedValue RangeArithmetic::pick(StringRef intrinsic, RangedValue a, RangedValue b,
                                  Interval interval) {
  unsigned bits = std::max(a.bits(), b.bits());
  Value value =
      emitter.intrinsic(intrinsic, emitter.integer(bits), {convert(a, bits), convert(b, bits)});
  return {value, interval};
}

RangedValue RangeArithmetic::min(RangedValue a, RangedValue b) {
  if (a.interval.high <= b.interval.low)
    return a;
  if (b.interval.high <= a.interval.low)
    return b;
  return pick(
      "llvm.smin", a, b,
      {std::min(a.interval.low, b.interval.low), std::min(a.interval.high, b.interval.high)});
}

RangedValue RangeArithmetic::max(RangedValue a, RangedValue b) {
  if (a.interval.low >= b.interval.high)
    return a;
  if (b.interval.low >= a.interval.high)
    return b;
  return pick(
      "llvm.smax", a, b,
      {std::max(a.interval.low, b.interval.low), std::max(a.interval.high, b.interval.high)});
}

RangedValue RangeArithmetic::divide(bool remainder, RangedValue a, RangedValue b,
                                    Interval interval) {
  unsigned bits = std::max(a.bits(), b.bits());
  Value dividend = convert(a, bits), divisor = convert(b, bits);
  interval = Interval::ofBits(bits).intersect(interval);
  bool isVector =
      isa<mlir::VectorType>(dividend.getType()) || isa<mlir::VectorType>(divisor.getType());
  if (isVector && bits == 32 && !b.interval.exact()) {
    // No processor divides vectors of integers. The quotient of two 32-bit numbers is exact in f64
    // up to its fraction: it is at least 2^-32 of its size away from the next integer.
    Value quotient =
        emitter.binary(FloatOp::Div, emitter.cast(CastOp::SIToFP, dividend, emitter.f64()),
                       emitter.cast(CastOp::SIToFP, divisor, emitter.f64()), FastMathFlags::none);
    Value whole = emitter.cast(CastOp::FPToSI, quotient, emitter.integer(32));
    if (!remainder)
      return {whole, interval};
    Value multiple = emitter.binary(IntegerOp::Mul, whole, divisor);
    return {emitter.binary(IntegerOp::Sub, dividend, multiple), interval};
  }
  // A division may be executed although nobody uses its result.
  if (b.interval.low <= 0) {
    if (!b.interval.exact())
      divisor = emitter.freeze(divisor);
    divisor = emitter.intrinsic("llvm.umax", divisor.getType(),
                                {divisor, emitter.constant(divisor.getType(), 1)});
  }
  return {emitter.binary(remainder ? IntegerOp::URem : IntegerOp::UDiv, dividend, divisor),
          interval};
}

RangedValue RangeArithmetic::div(RangedValue a, RangedValue b) {
  Interval interval;
  if (a.interval.low >= 0 && b.interval.low > 0)
    interval = {a.interval.low / b.interval.high, a.interval.high / b.interval.low};
  return divide(/*remainder=*/false, a, b, interval);
}

RangedValue RangeArithmetic::rem(RangedValue a, RangedValue b) {
  Interval interval;
  if (a.interval.low >= 0 && b.interval.low > 0)
    interval = {0, std::min(a.interval.high, b.interval.high - 1)};
  return divide(/*remainder=*/true, a, b, interval);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The smallest interval from 0 that holds all numbers of as many bits as `high` has.
static Interval sameBits(int64_t high) {
  return {0,
          static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(llvm::bit_width<uint64_t>(high)))};
}

RangedValue RangeArithmetic::bitwise(IntegerOp op, RangedValue a, RangedValue b) {
  // Numbers that are extended by their sign give one that is.
  unsigned bits = std::max(a.bits(), b.bits());
  Value value = emitter.binary(op, convert(a, bits), convert(b, bits));
  bool aIsPositive = a.interval.low >= 0, bIsPositive = b.interval.low >= 0;
  Interval interval = Interval::ofBits(bits);
  if (aIsPositive && bIsPositive)
    interval = op == IntegerOp::And ? Interval{0, std::min(a.interval.high, b.interval.high)}
                                    : sameBits(std::max(a.interval.high, b.interval.high));
  else if (op == IntegerOp::And && (aIsPositive || bIsPositive))
    interval = {0, aIsPositive ? a.interval.high : b.interval.high};
  return {value, interval};
}

RangedValue RangeArithmetic::shiftLeft(RangedValue a, RangedValue amount, Interval known) {
  bool narrow =
      a.bits() == 32 && known.fits32() && amount.interval.low >= 0 && amount.interval.high < 32;
  unsigned bits = narrow ? 32 : 64;
  NoWrap noWrap = {/*isSigned=*/true, /*isUnsigned=*/a.interval.low >= 0};
  return {emitter.binary(IntegerOp::Shl, convert(a, bits), convert(amount, bits), noWrap),
          Interval::ofBits(bits).intersect(known)};
}

RangedValue RangeArithmetic::shiftRight(RangedValue a, RangedValue amount, bool bySign) {
  bool isPositive = a.interval.low >= 0;
  bool narrow = a.bits() == 32 && (bySign || isPositive) && amount.interval.low >= 0 &&
                amount.interval.high < 32;
  unsigned bits = narrow ? 32 : 64;
  Value value = emitter.binary(bySign && !isPositive ? IntegerOp::AShr : IntegerOp::LShr,
                               convert(a, bits), convert(amount, bits));
  Interval interval;
  if (isPositive)
    interval = {0, a.interval.high};
  else if (bySign)
    interval = {a.interval.low, std::max<int64_t>(a.interval.high, -1)};
  return {value, Interval::ofBits(bits).intersect(interval)};
}

RangedValue RangeArithmetic::rotate(RangedValue a, RangedValue amount, bool left) {
  Value value = convert(a, 64);
  StringRef name = left ? "llvm.fshl" : "llvm.fshr";
  return {emitter.intrinsic(name, emitter.integer(64), {value, value, convert(amount, 64)}),
          Interval()};
}

RangedValue RangeArithmetic::countBits(StringRef intrinsic, RangedValue a) {
  bool isPopulation = intrinsic == "llvm.ctpop", isLeading = intrinsic == "llvm.ctlz";
  // Above the 32 bits of a number that is not negative there are zeros only; below one that is not
  // zero there is the same.
  bool narrow = a.bits() == 32 &&
                (a.interval.low > 0 || (a.interval.low == 0 && (isPopulation || isLeading)));
  unsigned bits = narrow ? 32 : 64;
  SmallVector<Value> operands = {convert(a, bits)};
  if (!isPopulation) // a zero has as many zeros as bits
    operands.push_back(emitter.constant(emitter.integer(1), 0));
  Value count = emitter.intrinsic(intrinsic, emitter.integer(bits), operands);
  Interval interval = {0, bits};
  if (narrow && isLeading) {
    count = emitter.binary(IntegerOp::Add, count, emitter.constant(count.getType(), 32));
    interval = {32, 64};
  }
  return {count, interval};
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Value RangeArithmetic::compare(IntPredicate predicate, RangedValue a, RangedValue b) {
  unsigned bits = std::max(a.bits(), b.bits());
  return emitter.compare(predicate, convert(a, bits), convert(b, bits));
}

} // namespace loom::lowering
