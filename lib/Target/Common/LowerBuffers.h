//===- LowerBuffers.h - How a kernel uses its buffers -----------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERBUFFERS_H
#define LOOM_LIB_TARGET_COMMON_LOWERBUFFERS_H

#include "loom/Dialect/Kernel/Kernel.h"

namespace loom::lowering {

/// What can be said of one parameter. Nothing holds for parameters that are no buffers.
struct BufferUse {
  bool isRead = false, isWritten = false;
  /// No other parameter reaches the bytes that are accessed through this one.
  bool isDisjoint = false;
  uint64_t alignment = 1; ///< of the address, in bytes
};

/// One entry per parameter of `kernel`. Follows buffers through assume operations and views; an
/// access whose buffer is chosen at run time counts for every parameter.
llvm::SmallVector<BufferUse> analyzeBuffers(KernelDefOp kernel);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERBUFFERS_H
