//===- Kernel.h - The `kernel` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_KERNEL_KERNEL_H
#define LOOM_DIALECT_KERNEL_KERNEL_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"

namespace loom {

/// A value that collectives move between lanes: a payload scalar, an index, or a vector of one
/// dimension of payload scalars.
bool isCollectiveValue(mlir::Type type);

/// Checks that a running kernel is around `op`. In templates and in functions that are to be
/// inlined the question is asked after inlining.
mlir::LogicalResult verifyInKernel(mlir::Operation *op);
/// Checks that no kernel is around `op`.
mlir::LogicalResult verifyOutsideKernel(mlir::Operation *op);

template <typename ConcreteType>
class InKernelTrait : public mlir::OpTrait::TraitBase<ConcreteType, InKernelTrait> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInKernel(op); }
};
template <typename ConcreteType>
class OutsideKernelTrait : public mlir::OpTrait::TraitBase<ConcreteType, OutsideKernelTrait> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyOutsideKernel(op); }
};
/// Of an operation in which several work-items take part at once: which of them are active matters.
template <typename ConcreteType>
class ConvergentTrait : public mlir::OpTrait::TraitBase<ConcreteType, ConvergentTrait> {};

} // namespace loom

#include "loom/Dialect/Kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Kernel/KernelOps.h.inc"

#endif // LOOM_DIALECT_KERNEL_KERNEL_H
