//===- LowerSmallFloat.h - Arithmetic of 16-bit floats ----------*- C++ -*-===//
//
// A back end computes f16 and bf16 in f32 where the hardware has no such instructions. That is
// right for sum, difference, product and quotient, where rounding to f32 first cannot change the
// result, but not for a fused multiply-add, for f64 and for 64-bit integers; and some conversions
// become calls of a library. Here such operations are written out so that each rounds once. The
// means is rounding to odd: an inexact result takes the neighbour with an odd last bit, which no
// later rounding to at least two bits less can mistake for a tie.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERSMALLFLOAT_H
#define LOOM_LIB_TARGET_COMMON_LOWERSMALLFLOAT_H

#include "LowerEmitter.h"

namespace loom::lowering {

class LoweringTarget;

/// Float operations on scalars and vectors of any float type.
class SmallFloats {
public:
  SmallFloats(Emitter &emitter, const LoweringTarget &target) : emitter(emitter), target(target) {}

  mlir::Value binary(FloatOp op, mlir::Value a, mlir::Value b, FastMathFlags flags);
  /// A binary intrinsic whose result is one of the operands, as llvm.minimum.
  mlir::Value choose(llvm::StringRef intrinsic, mlir::Value a, mlir::Value b, FastMathFlags flags);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c, FastMathFlags flags);
  mlir::Value negate(mlir::Value a, FastMathFlags flags);
  mlir::Value absolute(mlir::Value a, FastMathFlags flags);
  mlir::Value compare(FloatPredicate predicate, mlir::Value a, mlir::Value b, FastMathFlags flags);

  mlir::Value extend(mlir::Value a, mlir::Type type);
  mlir::Value truncate(mlir::Value a, mlir::Type type);
  mlir::Value fromInteger(mlir::Value a, mlir::Type type, bool isSigned);

private:
  /// True when values of the element type of `type` are computed in a wider type.
  bool isWidened(mlir::Type type) const;
  mlir::Value extendBFloat(mlir::Value a, mlir::Type type);
  mlir::Value roundToBFloat(mlir::Value single, mlir::Type type);
  mlir::Value roundToOddSingle(mlir::Value value);
  mlir::Value addToOdd(mlir::Value a, mlir::Value b);
  mlir::Value makeOdd(mlir::Value value, mlir::Value isInexact, mlir::Value grows);
  mlir::Value integerToOddDouble(mlir::Value value, bool isSigned);

  Emitter &emitter;
  const LoweringTarget &target;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERSMALLFLOAT_H
