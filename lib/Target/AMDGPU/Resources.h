//===- Resources.h - What a code object says about its kernels --*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_AMDGPU_RESOURCES_H
#define LOOM_LIB_TARGET_AMDGPU_RESOURCES_H

#include "WaitRecorder.h"
#include "llvm/Support/Error.h"
#include <map>

namespace llvm {
class DiagnosticInfoOptimizationBase;
class Module;
class TargetMachine;
} // namespace llvm

namespace loom::amdgpu {

/// The facts of LLVM's `kernel-resource-usage` remarks that the code object does not repeat.
class ResourceRemarks {
public:
  void add(const llvm::DiagnosticInfoOptimizationBase &remark);

  /// Waves that one SIMD can keep resident, by LLVM's occupancy model.
  std::optional<unsigned> occupancy(llvm::StringRef kernel) const;

private:
  std::map<std::string, unsigned> occupancies;
};

/// Reads one entry per kernel of `module` back from the linked `codeObject`: sizes from the symbol
/// table, registers, spills and memory from the AMDGPU metadata note (AMDGPU Usage, "Code Object
/// V5 Metadata", which version 6 keeps), instructions by disassembly. Also gives `waits` the
/// mnemonics of the instructions it refers to.
llvm::Error readResources(llvm::ArrayRef<char> codeObject, const llvm::Module &module,
                          const llvm::TargetMachine &machine, const TargetProfile &profile,
                          const ResourceRemarks &remarks, std::vector<report::Entry> &entries,
                          WaitLog &waits);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_RESOURCES_H
