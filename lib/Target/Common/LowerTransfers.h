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

/// `extent` places, `bytes` apart; with a stride, an `index`, so many times as far.
struct TransferAxis {
  int64_t extent;
  mlir::Value stride;
  int64_t bytes;
};

/// One end of a transfer: where the pieces of bytes lie that move one after the other.
struct TransferEnd {
  mlir::Value view;
  std::optional<TransferAxis> rows; ///< of a gather's destination: one for each lane
  llvm::SmallVector<TransferAxis> axes;
  int64_t pieceBytes = 0;

  /// How many pieces there are, without rows.
  int64_t count() const;
  /// Whether all pieces lie side by side.
  bool isDense() const;
  /// How many bytes lie side by side.
  int64_t runBytes() const;
  /// Makes pieces of so many bytes, a divisor of runBytes().
  void cutInto(int64_t bytes);
  /// The strides that are values: that of the rows first, then from the outermost axis on.
  void forEachStride(llvm::function_ref<void(mlir::Value stride)> body) const;

private:
  size_t firstDenseAxis() const;
};

/// A transfer as a copy of as many pieces of the same size from one end to the other.
struct Transfer {
  TransferEnd source, target;
  mlir::Value mask; ///< null when it always takes place
};

/// What `op` moves; nothing when it is no transfer, or the layout of a view is not known. A cluster
/// gather is the same for each workgroup of the cluster (see findClusterProblem), so that each of
/// them does it for itself: the participants are all of them.
std::optional<Transfer> transferOf(mlir::Operation *op);

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
