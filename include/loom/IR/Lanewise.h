//===- Lanewise.h - Functions of numbers --------------------------*- C++ -*-===//
//
// What the arithmetic of `scalar` computes, and `vector` for each lane (families in Lanewise.td).
// Integers wrap in their width. Floats round to nearest even in their own format; formats narrower
// than f32 are computed in f32 and rounded to the format, where f8E4M3 saturates at 448. A function
// has no value for some operands: division by zero, the most negative integer divided by -1, a
// shift amount outside the width, a float outside the integer type it is converted to, a broken
// promise. Nothing is folded then, nor where a NaN would have to be made up, whose bits differ by
// target.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_LANEWISE_H
#define LOOM_IR_LANEWISE_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"

namespace loom {

/// Named as the operations of `scalar` and `vector`.
enum class LanewiseFunction {
  // Integers.
  addi,
  subi,
  muli,
  divsi,
  divui,
  remsi,
  remui,
  ceildivsi,
  ceildivui,
  floordivsi,
  negi,
  absi,
  minsi,
  maxsi,
  minui,
  maxui,
  fmai,
  signi,
  // Bits.
  andi,
  ori,
  xori,
  shli,
  shrsi,
  shrui,
  rotli,
  rotri,
  ctlzi,
  cttzi,
  ctpopi,
  // Floats.
  addf,
  subf,
  mulf,
  divf,
  remf,
  negf,
  absf,
  copysignf,
  minimumf,
  maximumf,
  minnumf,
  maxnumf,
  fmaf,
  clampf,
  ceilf,
  floorf,
  truncf,
  roundf,
  roundevenf,
  signf,
  isnanf,
  isinff,
  isfinitef,
  // Mathematics.
  expf,
  exp2f,
  expm1f,
  logf,
  log2f,
  log10f,
  log1pf,
  sqrtf,
  rsqrtf,
  cbrtf,
  powf,
  sinf,
  cosf,
  tanf,
  asinf,
  acosf,
  atanf,
  atan2f,
  sinturnsf,
  costurnsf,
  sinhf,
  coshf,
  tanhf,
  asinhf,
  acoshf,
  atanhf,
  erff,
  erfcf,
  logisticf,
  siluf,
  softplusf,
  geluf,
  // Comparisons.
  cmpi,
  cmpf,
  // Conversions.
  sitofp,
  uitofp,
  fptosi,
  fptoui,
  extf,
  fptrunc,
  extsi,
  extui,
  trunci,
  bitcast,
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value of an integer function of integers of one width, in that width; nothing where it has
/// no value or is not such a function.
std::optional<llvm::APInt> evaluateInteger(LanewiseFunction function,
                                           llvm::ArrayRef<llvm::APInt> operands,
                                           OverflowFlags flags = OverflowFlags::none);
bool compareIntegers(IntPredicate predicate, const llvm::APInt &lhs, const llvm::APInt &rhs);

/// The value of a float function of floats of one format; nothing where it is not known exactly:
/// mathematical functions, results that are NaN (but moved bits are exact: negf, absf, copysignf),
/// and zeros whose sign the language leaves open.
std::optional<llvm::APFloat> evaluateFloat(LanewiseFunction function,
                                           llvm::ArrayRef<llvm::APFloat> operands,
                                           ClampMode mode = ClampMode::ordered);
bool compareFloats(FloatPredicate predicate, const llvm::APFloat &lhs, const llvm::APFloat &rhs);

/// `value` rounded once to nearest even: an overflow of f8E4M3 gives 448 or -448, of other formats
/// an infinity. A NaN stays one.
llvm::APFloat roundFloat(const llvm::APFloat &value, const llvm::fltSemantics &format);
/// `value`, of the element type `from`, converted to the element type `to`; nothing where the
/// conversion has no exact value. Literals are IntegerAttr and FloatAttr of their type.
mlir::TypedAttr convertNumber(LanewiseFunction function, mlir::Attribute value, mlir::Type to);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Folds an operation that computes `function`. Constants are those of one lane, of the element
/// type (a vector constant has one literal for all lanes); so is the result.
mlir::OpFoldResult foldLanewise(mlir::Operation *op, LanewiseFunction function,
                                llvm::ArrayRef<mlir::Attribute> operands);
/// What the interface of lanewise operations verifies.
mlir::LogicalResult verifyLanewise(mlir::Operation *op);
/// Checks that all vectors among operands and results of `op` have one shape, dynamic extents
/// included.
mlir::LogicalResult verifySameShape(mlir::Operation *op);
/// Checks offset and width of a field of bits that is taken out of `from` to become a `to`.
mlir::LogicalResult verifyBitField(mlir::Operation *op, mlir::Type from, mlir::Type to,
                                   int64_t offset, int64_t width);
/// Checks that the poison that `op` makes is not observed: stored, or returned, directly or through
/// functions of it.
mlir::LogicalResult verifyPoison(mlir::Operation *op);
/// The type of a mask for `vector`: i1 in its shape.
mlir::Type getMaskType(mlir::Type vector);

} // namespace loom

#include "loom/IR/LanewiseInterface.h.inc"

#endif // LOOM_IR_LANEWISE_H
