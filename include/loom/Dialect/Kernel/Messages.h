//===- Messages.h - What is said of a kernel that ran -----------*- C++ -*-===//
#ifndef LOOM_DIALECT_KERNEL_MESSAGES_H
#define LOOM_DIALECT_KERNEL_MESSAGES_H

#include "loom/Dialect/Kernel/Kernel.h"

namespace loom {

/// "file:line:column: ", or nothing when the place is not known.
std::string placeText(mlir::Location location);

/// The only operation in the body of a kernel for which `predicate` holds, or null.
mlir::Operation *findOnlyOp(KernelDefOp kernel,
                            llvm::function_ref<bool(mlir::Operation *)> predicate);

/// Where byte `at` of argument `argument` is, which has `size` of them and may lie outside:
/// ", at byte 68 of the 64 bytes of %x", ", 4 bytes in front of the 64 bytes of argument 1".
std::string byteText(KernelDefOp kernel, unsigned argument, int64_t at, uint64_t size);

} // namespace loom

#endif // LOOM_DIALECT_KERNEL_MESSAGES_H
