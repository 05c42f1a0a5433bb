//===- HostNumbers.h - Functions of numbers, on the host --------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_HOSTNUMBERS_H
#define LOOM_LIB_CHECK_HOSTNUMBERS_H

#include "loom/IR/Lanewise.h"
#include "loom/Runtime/Scalar.h"

namespace loom::check {

/// One function of `scalar`, ready to be evaluated on bit patterns.
///
/// Where folding is exact this computes the same numbers. Beyond that: mathematical functions are
/// those of the host's mathematical library in f64, rounded once to f32 or a narrower format, so
/// that they are right to the last bit but for rare ties; a NaN comes out where a NaN or no number
/// does.
class HostNumber {
public:
  /// Nothing when an operand or the result of `op` is not a scalar.
  static std::optional<HostNumber> create(LanewiseOpInterface op);

  /// Whether every result follows from IEEE 754 alone.
  bool isExact() const;
  unsigned operandCount() const { return operands.size(); }

  /// Nothing where the function has no value for these operands.
  std::optional<uint64_t> evaluate(llvm::ArrayRef<uint64_t> bits) const;

private:
  HostNumber() = default;
  std::optional<uint64_t> evaluateInteger(llvm::ArrayRef<uint64_t> bits) const;
  std::optional<uint64_t> convert(uint64_t bits) const;
  uint64_t compare(llvm::ArrayRef<uint64_t> bits) const;
  uint64_t evaluateFloat(llvm::ArrayRef<uint64_t> bits) const;
  double clamp(double value, double lower, double upper) const;
  double mathematics(double x, double y) const;

  LanewiseFunction function;
  llvm::SmallVector<runtime::ElementType, 3> operands;
  runtime::ElementType result;
  OverflowFlags overflow = OverflowFlags::none;
  IntPredicate order = IntPredicate::eq;
  FloatPredicate relation = FloatPredicate::oeq;
  ClampMode clampMode = ClampMode::ordered;
  GeluVariant gelu = GeluVariant::erf;
  double geluScale = 1;
};

} // namespace loom::check

#endif // LOOM_LIB_CHECK_HOSTNUMBERS_H
