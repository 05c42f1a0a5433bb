//===- LowerBytes.h - Ranges of bytes ---------------------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERBYTES_H
#define LOOM_LIB_TARGET_COMMON_LOWERBYTES_H

#include "LowerTarget.h"

namespace loom::lowering {

/// Whether `op` is an operation on ranges of bytes that is lowered for `target`. Where that depends
/// on more than its name, `condition` becomes what stands in the way.
bool isByteOpSupported(mlir::Operation *op, const LoweringTarget &target, std::string &condition);

/// Where the length of a buffer is known from: the operation that reserved it, or a parameter. Null
/// when the buffer is chosen while the kernel runs.
mlir::Value lengthSourceOf(mlir::Value buffer);

/// Whether the argument block of `kernel` goes on with the lengths of its buffers.
bool asksForLengths(KernelDefOp kernel);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERBYTES_H
