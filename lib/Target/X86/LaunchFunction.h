//===- LaunchFunction.h - Launch configurations as machine code -*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_X86_LAUNCHFUNCTION_H
#define LOOM_LIB_TARGET_X86_LAUNCHFUNCTION_H

#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Target/X86/X86Object.h"

namespace llvm {
class Module;
}

namespace loom::x86 {

/// The name of the launch configuration function of the kernel that is called `symbol` in the
/// artifact.
std::string launchFunctionName(llvm::StringRef symbol);

/// Bytes of workgroup memory that a kernel of x86 reserves itself, at most.
int64_t fixedStorageBytes(KernelDefOp kernel, const Facts &facts);

/// Adds the launch configuration function of `kernel`, which was lowered to `info` and has
/// `fixedStorage` bytes of workgroup memory of its own, to `module`. Fails after reporting each
/// operation of the configuration that is not computed on the host.
mlir::LogicalResult addLaunchFunction(KernelDefOp kernel, const LoweredKernel &info,
                                      int64_t fixedStorage, const TargetProfile &profile,
                                      llvm::Module &module);

} // namespace loom::x86

#endif // LOOM_LIB_TARGET_X86_LAUNCHFUNCTION_H
