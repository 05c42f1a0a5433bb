//===- LowerMathFunctions.h - Parts of LowerMath.cpp ------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMATHFUNCTIONS_H
#define LOOM_LIB_TARGET_COMMON_LOWERMATHFUNCTIONS_H

#include "LowerMathNumber.h"

namespace loom::lowering {

/// The numbers of LowerMathCoefficients.h for one type.
struct MathConstants {
  llvm::ArrayRef<double> ln2, log10Of2, ln2Full, log2OfE, log10OfE, twoThirds, third, halfPi,
      quarterPi, twoPi, rootHalf;
  llvm::ArrayRef<double> exp, log, logTail, sin, cos, atan, asin, erf, erfc;
};
const MathConstants &constantsOf(Float x);

/// A polynomial, the constant coefficient first.
Float polynomial(Float x, llvm::ArrayRef<double> coefficients);

/// `x * factor` rounded to an integer: as a float, and as an integer of the same width. |x *
/// factor| is below half of two to the number of mantissa bits; of other values, NaN included, both
/// are some value.
struct Rounded {
  Float number;
  Integer integer;
};
Rounded roundToInteger(Float x, double factor);

/// Whether a condition holds for any element.
mlir::Value any(Truth condition);

// LowerMathExp.cpp
Float exponential(Float x);
Float exponential2(Float x);
Float exponentialMinusOne(Float x);
/// factor / (1 + e^-x), where the factor is small or of the size and sign of x.
Float timesLogistic(Float factor, Float x);
/// e^-(square.high + square.low) * factor, of a square up to 800 and a factor of moderate
/// size. A subnormal result is rounded once.
Float scaledExponential(Pair square, Float factor);
enum class LogBase { E, Two, Ten };
Float logarithm(Float x, LogBase base);
Float logarithmOfOnePlus(Float x);
Float powerOf(Float x, Float y);
Float cubeRoot(Float x);
Float hyperbolicSine(Float x);
Float hyperbolicCosine(Float x);
Float hyperbolicTangent(Float x);
Float inverseHyperbolicSine(Float x);
Float inverseHyperbolicCosine(Float x);
Float inverseHyperbolicTangent(Float x);

// LowerMathAngle.cpp
Float sine(Float x);
Float cosine(Float x);
Float tangent(Float x);
Float sineOfTurns(Float x);
Float cosineOfTurns(Float x);
Float arcSine(Float x);
Float arcCosine(Float x);
Float arcTangent(Float y, Float x);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERMATHFUNCTIONS_H
