//===- LowerTransfers.h - Transfers that run beside the kernel --*- C++ -*-===//
//
// The device has no engine that would copy beside the kernel: a transfer is carried out where it is
// issued, and a wait has nothing left to wait for. What a program may do between the two stays the
// same as everywhere; checkTransfers holds it to that.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERTRANSFERS_H
#define LOOM_LIB_TARGET_COMMON_LOWERTRANSFERS_H

#include "LowerTarget.h"

namespace loom::lowering {

/// Whether `op` is a transfer, a group or a wait that is lowered for `target`. Where that depends
/// on more than its name, `condition` becomes what stands in the way.
bool isTransferSupported(mlir::Operation *op, const LoweringTarget &target, std::string &condition);

/// Reports what the transfers of `kernel` may not do on any target:
///  - a token joins a group in the order of issue, with no wait between a transfer and its group;
///  - each group is waited for exactly once on every path, and `newer_groups` is the number of
///    groups that were made later and not waited for yet;
///  - until its group has been waited for, nothing reads or writes the destination of a transfer
///    and nothing writes its source, as far as places are known: the same view, or ranges of bytes
///    of one buffer that are numbers;
///  - both ends are in the memory that the transfer is between, where that is known;
///  - a cluster gather is the same for the whole cluster (findClusterProblem).
mlir::LogicalResult checkTransfers(KernelDefOp kernel, const Facts &facts);

/// Why `op`, if it is a cluster gather of `kernel`, is not one that all workgroups of a cluster
/// take part in alike: the size of the cluster is static, the mask a number that names every
/// workgroup of it, control, addresses and a predicate are the same for all of them, the latter a
/// number.
std::optional<std::string> findClusterProblem(mlir::Operation *op, KernelDefOp kernel,
                                              const Facts &facts);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERTRANSFERS_H
