//===- LowerSmallFloat.h - Arithmetic of floats of 8 and 16 bits -*- C++ -*-===//
//
// A back end computes f16 and bf16 in f32 where the hardware has no such instructions. That is
// right for sum, difference, product and quotient, where rounding to f32 first cannot change the
// result, but not for a fused multiply-add, for f64 and for 64-bit integers; and some conversions
// become calls of a library. Here such operations are written out so that each rounds once. The
// means is rounding to odd: an inexact result takes the neighbour with an odd last bit, which no
// later rounding to at least two bits less can mistake for a tie.
//
// LLVM has no floats of 8 bits: they are carried as i8. Where bf16 has no conversions, LLVM keeps
// values of that type in f32 and rounds them by a library call whenever they cross a branch, so
// bf16 is carried as i16 there. So that formats can be told apart, operations take Loom's element
// type of their operands; where it is left out it is the one that the operands have in LLVM.
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

  mlir::Value binary(FloatOp op, mlir::Value a, mlir::Value b, FastMathFlags flags,
                     mlir::Type element = {});
  /// A binary intrinsic whose result is one of the operands, as llvm.minimum.
  mlir::Value choose(llvm::StringRef intrinsic, mlir::Value a, mlir::Value b, FastMathFlags flags,
                     mlir::Type element = {});
  /// A unary intrinsic whose result is exact, as llvm.floor.
  mlir::Value unary(llvm::StringRef intrinsic, mlir::Value a, FastMathFlags flags,
                    mlir::Type element = {});
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c, FastMathFlags flags,
                  mlir::Type element = {});
  // Bits are moved, those of a NaN too.
  mlir::Value negate(mlir::Value a, FastMathFlags flags, mlir::Type element = {});
  mlir::Value absolute(mlir::Value a, FastMathFlags flags, mlir::Type element = {});
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign, FastMathFlags flags,
                       mlir::Type element = {});
  mlir::Value compare(FloatPredicate predicate, mlir::Value a, mlir::Value b, FastMathFlags flags,
                      mlir::Type element = {});
  enum class Test { NaN, Infinite, Finite };
  mlir::Value test(Test test, mlir::Value a, mlir::Type element);

  /// A number in the shape of `like`, rounded to `element`.
  mlir::Value constant(double number, mlir::Type element, mlir::Type like);
  /// Whether values of an element type are carried as integers of their bits.
  bool isCarriedAsBits(mlir::Type element) const;
  /// A literal as what carries it.
  mlir::TypedAttr carried(mlir::TypedAttr literal) const;
  /// `a` in a type that has instructions of its own: f32 for anything narrower, else itself.
  mlir::Value widen(mlir::Value a, mlir::Type element);
  /// An f32 or f64 rounded to `element`.
  mlir::Value narrow(mlir::Value a, mlir::Type element);
  /// Between element types of Loom; to a narrower one rounded once.
  mlir::Value convert(mlir::Value a, mlir::Type from, mlir::Type to);
  /// The same between types of LLVM.
  mlir::Value extend(mlir::Value a, mlir::Type type);
  mlir::Value truncate(mlir::Value a, mlir::Type type);
  mlir::Value fromInteger(mlir::Value a, mlir::Type to, bool isSigned);
  /// Toward zero. Some value for a NaN or a result that `type` does not hold.
  mlir::Value toInteger(mlir::Value a, mlir::Type from, mlir::Type type, bool isSigned);

private:
  /// True when values of an element type are computed in a wider type.
  bool isWidened(mlir::Type element) const;
  mlir::Value computeWide(llvm::ArrayRef<mlir::Value> operands, mlir::Type element,
                          llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> compute);
  mlir::Value extendBFloat(mlir::Value a);
  mlir::Value extendF8(mlir::Value a, mlir::Type element);
  mlir::Value roundToBFloat(mlir::Value single);
  mlir::Value roundToF8(mlir::Value single, mlir::Type element);
  mlir::Value roundToOddSingle(mlir::Value value);
  mlir::Value addToOdd(mlir::Value a, mlir::Value b);
  mlir::Value makeOdd(mlir::Value value, mlir::Value isInexact, mlir::Value grows);
  mlir::Value integerToOddDouble(mlir::Value value, bool isSigned);
  /// The bits of floats, and floats of bits.
  mlir::Value bitsOf(mlir::Value a);
  mlir::Value fromBits(mlir::Value bits, mlir::Type element);

  Emitter &emitter;
  const LoweringTarget &target;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERSMALLFLOAT_H
