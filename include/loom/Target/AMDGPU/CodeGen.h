//===- CodeGen.h - LLVM IR to an AMDGPU code object -------------*- C++ -*-===//
#ifndef LOOM_TARGET_AMDGPU_CODEGEN_H
#define LOOM_TARGET_AMDGPU_CODEGEN_H

#include "loom/Report/CompileReport.h"
#include "loom/Target/TargetProfile.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace loom::amdgpu {

/// What to produce from a module of kernels.
enum class OutputKind {
  CodeObject, ///< linked ELF (.hsaco)
  Assembly,   ///< the text that the code object was assembled from, for people
};

/// Source operation names by ordinal. The lowering gives every instruction a debug location whose
/// line is 1 + an index into this table (in a NoDebug compile unit, so that nothing is emitted).
using SourceOperations = std::vector<std::string>;

struct CodeGenResult {
  /// The code object, or the assembly text.
  std::vector<char> artifact;
  /// One entry per kernel in module order: what the emitted code object says, read back from it
  /// (empty for assembly output).
  std::vector<report::Entry> entries;
  /// Waits of the final machine code, in layout order.
  std::vector<report::WaitAction> waits;
};

/// Compiles every `amdgpu_kernel` function of `module` for `profile`. The module's triple and data
/// layout are set here. Runs the address pass, instruction selection, the `loom-source` scheduler,
/// register allocation, wait insertion and the wait recorder, then lld, all in this process.
/// Code generation uses the module up: afterwards its functions are what LLVM's passes left.
/// Fails, without a crash, on invalid IR and on what LLVM or lld report as an error.
/// Thread-safe; LLVM's global options are as before when it returns.
llvm::Expected<CodeGenResult> compileModule(llvm::Module &module, const TargetProfile &profile,
                                            OutputKind kind, const SourceOperations &operations);

/// Sets triple and data layout of `module` for `profile` (for `--format=llvm-ir`).
llvm::Error prepareModule(llvm::Module &module, const TargetProfile &profile);

} // namespace loom::amdgpu

#endif // LOOM_TARGET_AMDGPU_CODEGEN_H
