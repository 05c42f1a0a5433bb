//===- CHeader.h - Kernels as C sees them -----------------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_X86_CHEADER_H
#define LOOM_LIB_TARGET_X86_CHEADER_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Target/X86/X86Object.h"

namespace loom::x86 {

/// A header for C11 and C++11 that declares the kernels of an object: for each the struct of its
/// arguments, exact extents of its launch as macros, its launch configuration function and its
/// entry. `kernels` and `infos` belong together. Fails after reporting a name that C cannot refer
/// to.
mlir::FailureOr<std::string> writeCHeader(llvm::ArrayRef<KernelDefOp> kernels,
                                          llvm::ArrayRef<LoweredKernel> infos,
                                          const TargetProfile &profile);

} // namespace loom::x86

#endif // LOOM_LIB_TARGET_X86_CHEADER_H
