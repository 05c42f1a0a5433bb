//===- KernelSupport.h - Shared by the files of the `kernel` dialect ------===//
#ifndef LOOM_LIB_DIALECT_KERNEL_KERNELSUPPORT_H
#define LOOM_LIB_DIALECT_KERNEL_KERNELSUPPORT_H

#include "loom/Dialect/Kernel/Kernel.h"

namespace loom {

/// `subgroup` or `workgroup`: who can wait for each other.
ParseResult parseBarrierScope(OpAsmParser &parser, SyncScopeAttr &scope);
void printBarrierScope(OpAsmPrinter &printer, mlir::Operation *op, SyncScopeAttr scope);

/// The launch configuration of `kernel`; null while the kernel has none.
KernelLaunchConfigOp getLaunchConfig(KernelDefOp kernel);
/// The exact positive value of an operand of the launch configuration of the kernel around `op`
/// (0 to 2 workgroups, 3 to 5 workgroup size), or nothing.
std::optional<int64_t> exactExtent(mlir::Operation *op, unsigned operand);
/// The same along an axis of a cluster; 1 when there are no clusters.
std::optional<int64_t> exactClusterSize(mlir::Operation *op, unsigned axis);

/// Checks that what decides whether barriers and workgroup collectives of `kernel` run is the same
/// for everybody who takes part, and that the length of dynamic workgroup memory is.
mlir::LogicalResult verifyBarrierControl(KernelDefOp kernel);

} // namespace loom

#endif // LOOM_LIB_DIALECT_KERNEL_KERNELSUPPORT_H
