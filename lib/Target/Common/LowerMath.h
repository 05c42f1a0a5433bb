//===- LowerMath.h - Mathematical functions in arithmetic -------*- C++ -*-===//
//
// The mathematical functions of `scalar` and `vector`, written out in sums, products, fused
// multiply-adds, quotients, square roots and integer operations of f32 or f64, none of which may be
// fused or reordered. So a function gives the same bits in scalars and in vectors, on every
// processor, and vectors are computed as vectors.
//
// The largest errors, in units of the last place, are in docs/internals/math.md; LanewiseTest
// measures them and fails when one grows. All functions return a NaN for a NaN, but powf of 1 or to
// the power 0; odd functions keep the sign of a zero.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMATH_H
#define LOOM_LIB_TARGET_COMMON_LOWERMATH_H

#include "LowerEmitter.h"
#include "loom/IR/Lanewise.h"

namespace loom::lowering {

/// The value of a mathematical function but geluf. The operands are f32 or f64, scalars or vectors.
mlir::Value emitMath(Emitter &emitter, LanewiseFunction function,
                     llvm::ArrayRef<mlir::Value> operands);
/// geluf; `scale` is that of the variant `logistic`.
mlir::Value emitGelu(Emitter &emitter, GeluVariant variant, double scale, mlir::Value operand);
/// The exact remainder of a division toward zero, with the sign of the dividend, of two f32 or f64.
/// It is an f64 that every type of both operands holds.
mlir::Value emitRemainder(Emitter &emitter, mlir::Value dividend, mlir::Value divisor);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERMATH_H
