//===- LowerLanewise.h - Lowering of functions of numbers -------*- C++ -*-===//
//
// The functions of Lanewise.h on lowered operands: scalars, or vectors of any number of elements,
// on which a function works element by element. Where a function has a value it is that of
// evaluateInteger, evaluateFloat and convertNumber, bit by bit; mathematical functions are those of
// LowerMath.h, narrower floats computed in f32 and rounded. Where it has none the result is
// arbitrary. Nothing traps, whatever the operands are, poison included.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERLANEWISE_H
#define LOOM_LIB_TARGET_COMMON_LOWERLANEWISE_H

#include "LowerSmallFloat.h"
#include "loom/IR/Lanewise.h"

namespace loom::lowering {

class LoweringTarget;

/// Whether KernelLowering::lowerLanewise lowers `op` for `target`: constants, assumptions, poison,
/// selections, bit fields and bit casts of `scalar` and `vector`, and every LanewiseFunction.
bool isLanewiseSupported(mlir::Operation *op, const LoweringTarget &target);

class LanewiseLowering {
public:
  LanewiseLowering(Emitter &emitter, SmallFloats &floats, const LoweringTarget &target)
      : emitter(emitter), floats(floats), target(target) {}

  /// What `op`, which implements LanewiseOpInterface, computes of its lowered operands.
  mlir::Value lower(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  /// `kind` of two values whose element type in Loom is `element`.
  mlir::Value combine(CombiningKind kind, mlir::Value a, mlir::Value b, FastMathFlags flags,
                      mlir::Type element);
  /// The bits [offset, offset + width) of integers as integers of type `element`.
  mlir::Value bitField(mlir::Value a, int64_t offset, int64_t width, mlir::Type element,
                       bool isSigned);

private:
  using Operands = llvm::ArrayRef<mlir::Value>;

  mlir::Value integer(LanewiseFunction function, Operands operands, OverflowFlags flags,
                      bool divisorIsConstant);
  mlir::Value truthValue(LanewiseFunction function, Operands operands);
  mlir::Value bits(LanewiseFunction function, Operands operands);
  mlir::Value choose(llvm::StringRef intrinsic, IntPredicate predicate, mlir::Value a,
                     mlir::Value b);
  mlir::Value divide(LanewiseFunction function, mlir::Value a, mlir::Value b,
                     bool divisorIsConstant);
  mlir::Value quotientInFloat(mlir::Value a, mlir::Value b, bool isSigned);
  mlir::Value safeDivisor(mlir::Value a, mlir::Value b, bool isSigned);
  mlir::Value number(LanewiseFunction function, Operands operands, FastMathFlags flags,
                     mlir::Type element);
  mlir::Value clamp(ClampMode mode, Operands operands, FastMathFlags flags, mlir::Type element);
  mlir::Value sign(mlir::Value a, mlir::Type element);
  mlir::Value math(mlir::Operation *op, LanewiseFunction function, Operands operands,
                   FastMathFlags flags, mlir::Type element);
  mlir::Value compare(mlir::Operation *op, LanewiseFunction function, Operands operands,
                      FastMathFlags flags, mlir::Type element);
  mlir::Value convert(LanewiseFunction function, mlir::Value a, mlir::Type from, mlir::Type to);
  mlir::Value constantLike(mlir::Value like, int64_t value);

  Emitter &emitter;
  SmallFloats &floats;
  const LoweringTarget &target;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERLANEWISE_H
