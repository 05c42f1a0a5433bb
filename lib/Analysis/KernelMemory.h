//===- KernelMemory.h - What a kernel may write -----------------*- C++ -*-===//
#ifndef LOOM_LIB_ANALYSIS_KERNELMEMORY_H
#define LOOM_LIB_ANALYSIS_KERNELMEMORY_H

#include "loom/Dialect/Kernel/Kernel.h"

namespace loom {

/// Where a buffer or view comes from.
struct MemoryRoot {
  mlir::Value base;        ///< a parameter or storage of the kernel; null when chosen at run time
  bool isPromised = false; ///< passed a `buffer.assume.noalias`
  bool isStorage = false;  ///< reserved by the kernel itself, so that it overlaps nothing else

  bool mayOverlap(const MemoryRoot &other) const;
};

MemoryRoot findMemoryRoot(mlir::Value value);

/// The writes of a kernel, of whichever work-item.
class KernelWrites {
public:
  explicit KernelWrites(KernelDefOp kernel);
  /// Whether memory of that root may be written by the kernel at all.
  bool mayWrite(const MemoryRoot &root) const;

private:
  void visit(mlir::Operation *op);

  bool isAnywhere = false; ///< some write is not known
  llvm::SmallVector<MemoryRoot> roots;
};

} // namespace loom

#endif // LOOM_LIB_ANALYSIS_KERNELMEMORY_H
