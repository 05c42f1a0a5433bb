//===- X86Device.h - Kernels that run in this process -----------*- C++ -*-===//
//
// Compiles kernels for the processor of this machine and loads them into this process. Their
// results have the bits of scalar evaluation in program order: nothing is fused, reassociated or
// otherwise relaxed beyond the flags that the program carries.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_X86_X86DEVICE_H
#define LOOM_TARGET_X86_X86DEVICE_H

#include "loom/Target/Common/Lowering.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace loom::x86 {

/// Runs the workgroups [firstGroup, endGroup) of a launch; see lowerForX86. Reentrant: several
/// threads may run disjoint ranges of one launch.
using KernelFunction = void (*)(const void *arguments, int64_t firstGroup, int64_t endGroup,
                                const int64_t grid[3], const int64_t size[3]);

struct CompiledKernel {
  LoweredKernel info;
  KernelFunction run = nullptr;
};

/// Kernels and the memory of their code. The functions are valid as long as this object lives.
class CompiledKernels {
public:
  CompiledKernels(CompiledKernels &&) noexcept;
  CompiledKernels &operator=(CompiledKernels &&) noexcept;
  ~CompiledKernels();

  /// The kernel of that name in the artifact, or null.
  const CompiledKernel *lookup(llvm::StringRef symbol) const;
  /// In the order of the source module.
  llvm::ArrayRef<CompiledKernel> kernels() const { return list; }
  /// The operation that the instruction at that address of this process was made from; null when it
  /// is none of these kernels' or of none of their operations.
  const LoweredOperation *operationAt(uint64_t address) const;
  /// The addresses of the kernels' code in this process: from the first on, up to the second.
  std::pair<uint64_t, uint64_t> codeRange() const { return range; }
  /// What the kernels tell a monitor by number.
  llvm::ArrayRef<SanitizerSite> sites() const { return siteList; }

private:
  struct Code;
  CompiledKernels(std::vector<CompiledKernel> list, std::unique_ptr<Code> code);
  std::pair<uint64_t, uint64_t> findCode() const;
  friend mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                                         const TargetProfile &profile,
                                                         const LoweringOptions &options);
  friend llvm::Expected<CompiledKernels> loadKernels(llvm::ArrayRef<char> object,
                                                     llvm::ArrayRef<LoweredKernel> kernels,
                                                     std::vector<LoweredOperation> operations);

  std::vector<CompiledKernel> list;
  std::vector<SanitizerSite> siteList;
  std::unique_ptr<Code> code;
  std::pair<uint64_t, uint64_t> range;
};

/// Lowers, compiles and loads every kernel of `module`. Fails after reporting at the module what
/// x86 cannot carry out, or that this machine lacks instructions that `profile` promises. May be
/// called from several threads with modules of different contexts; LLVM's global options are
/// neither read into the result nor changed.
mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module, const TargetProfile &profile,
                                                const LoweringOptions &options = {});

// The steps of compileKernels.

/// Fails when this machine cannot run code for `profile`. `native` needs x86-64-v3 at least.
llvm::Error checkHost(const TargetProfile &profile);
/// Sets triple and data layout of `module` for `profile` and verifies it (for `--format=llvm-ir`).
llvm::Error prepareModule(llvm::Module &module, const TargetProfile &profile);
/// Optimizes the module and emits a relocatable ELF object. The same module and profile give the
/// same bytes on machines with the same processor. A line table says which operation an
/// instruction comes from (see Lowering.h); the code is the same with and without it.
llvm::Expected<llvm::SmallVector<char, 0>>
emitObject(llvm::Module &module, const TargetProfile &profile, bool withLineTable = false);
/// Links an object made by emitObject into this process. `operations` are those behind the lines of
/// its line table.
llvm::Expected<CompiledKernels> loadKernels(llvm::ArrayRef<char> object,
                                            llvm::ArrayRef<LoweredKernel> kernels,
                                            std::vector<LoweredOperation> operations = {});

} // namespace loom::x86

#endif // LOOM_TARGET_X86_X86DEVICE_H
