//===- LowerRange.h - Integer arithmetic in as few bits as fit --*- C++ -*-===//
//
// Coordinates are mathematical integers. Here each is a value of 32 or 64 bits together with an
// interval that contains it; an operation chooses its width and its no-wrap flags from the
// intervals. A value may be a vector: then the interval contains every element that matters, and
// what is computed for others is arbitrary.
//
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERRANGE_H
#define LOOM_LIB_TARGET_COMMON_LOWERRANGE_H

#include "LowerEmitter.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>
#include <optional>

namespace loom::lowering {

/// All integers from `low` to `high`, both included.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  static Interval ofBits(unsigned bits) { return {llvm::minIntN(bits), llvm::maxIntN(bits)}; }
  bool fits32() const { return llvm::isInt<32>(low) && llvm::isInt<32>(high); }
  std::optional<int64_t> exact() const {
    return low == high ? std::optional<int64_t>(low) : std::nullopt;
  }
  /// What lies in both. When nothing does, one of the two is false for reasons outside of this
  /// program's contract, and this interval stays as it is.
  Interval intersect(Interval other) const {
    Interval both = {std::max(low, other.low), std::min(high, other.high)};
    return both.low <= both.high ? both : *this;
  }
};

/// A signed value of type i32 or i64, or a vector of them.
struct RangedValue {
  mlir::Value value;
  Interval interval;

  unsigned bits() const {
    return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  }
};

class RangeArithmetic {
public:
  explicit RangeArithmetic(Emitter &emitter) : emitter(emitter) {}

  RangedValue constant(int64_t value);

  // The exact results; the caller vouches that they lie in `known` and in 64 bits.
  RangedValue add(RangedValue a, RangedValue b, Interval known = {});
  RangedValue sub(RangedValue a, RangedValue b, Interval known = {});
  RangedValue mul(RangedValue a, RangedValue b, Interval known = {});
  RangedValue min(RangedValue a, RangedValue b);
  RangedValue max(RangedValue a, RangedValue b);
  /// Quotient or remainder of a dividend >= 0 and a divisor > 0. Otherwise the result is some
  /// value; nothing traps.
  RangedValue div(RangedValue a, RangedValue b);
  RangedValue rem(RangedValue a, RangedValue b);

  /// And, or, exclusive or of two's complement numbers.
  RangedValue bitwise(IntegerOp op, RangedValue a, RangedValue b);
  /// `a` times a power of two; by an amount from 0 to 63. The caller vouches as for sums.
  RangedValue shiftLeft(RangedValue a, RangedValue amount, Interval known = {});
  /// By an amount from 0 to 63. Of a negative value shifted by zeros the result is that of 64 bits.
  RangedValue shiftRight(RangedValue a, RangedValue amount, bool bySign);
  /// In 64 bits.
  RangedValue rotate(RangedValue a, RangedValue amount, bool left);
  /// The number of bits that llvm.ctlz, llvm.cttz or llvm.ctpop count in 64 bits.
  RangedValue countBits(llvm::StringRef intrinsic, RangedValue a);

  /// An i1. Unsigned predicates order negative values above all others, at either width.
  mlir::Value compare(IntPredicate predicate, RangedValue a, RangedValue b);

  /// The same value in 32 bits if it fits, with its interval narrowed to `known`.
  RangedValue narrow(RangedValue a, Interval known = {});
  /// The same value as an integer of `bits` bits, 32 or 64. Narrowing is only for values that fit.
  mlir::Value convert(RangedValue a, unsigned bits);

private:
  RangedValue combine(IntegerOp op, RangedValue a, RangedValue b, Interval raw, bool rawIsExact,
                      Interval known);
  RangedValue pick(llvm::StringRef intrinsic, RangedValue a, RangedValue b, Interval interval);
  RangedValue divide(bool remainder, RangedValue a, RangedValue b, Interval interval);

  Emitter &emitter;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERRANGE_H
