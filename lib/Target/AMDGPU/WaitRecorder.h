//===- WaitRecorder.h - Why the final code waits ----------------*- C++ -*-===//
//
// A machine pass at the very end of the pipeline that reads every wait instruction as it will be
// emitted, and says for each what it waits for. It changes nothing. Terms:
//  - node: an instruction that occupies code bytes, counted in layout order from 0;
//  - consumer: the next instruction of the block that reads, or overwrites, a register which one
//    of the requests that the wait completes was to load;
//  - producer: the youngest request that has to complete, among those for this consumer when there
//    is one, if it is the same on every path to the wait.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_WAITRECORDER_H
#define LOOM_LIB_TARGET_AMDGPU_WAITRECORDER_H

#include "loom/Report/CompileReport.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class FunctionPass;
}

namespace loom::amdgpu {

/// What the recorder found in one compilation.
class WaitLog {
public:
  explicit WaitLog(const SourceOperations &operations) : operations(operations) {}

  /// Name of the source operation with debug location line `line`; empty when there is none.
  llvm::StringRef operation(unsigned line) const {
    return line && line <= operations.size() ? llvm::StringRef(operations[line - 1])
                                             : llvm::StringRef();
  }

  void addFunction(llvm::StringRef function, unsigned nodes) { nodeCounts[function] = nodes; }
  void addAction(report::WaitAction action) { actions.push_back(std::move(action)); }

  /// Fills in the mnemonics of `function` from its disassembled code, one per node. Does nothing
  /// when their number is not that of the recorded nodes.
  void attachMnemonics(llvm::StringRef function, const std::vector<std::string> &mnemonics);

  std::vector<report::WaitAction> takeActions() { return std::move(actions); }

private:
  const SourceOperations &operations;
  std::vector<report::WaitAction> actions;
  llvm::StringMap<unsigned> nodeCounts;
};

/// The pass; `log` must outlive it. LLVM takes ownership of the pass.
llvm::FunctionPass *createWaitRecorderPass(const TargetProfile &profile, WaitLog &log);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_WAITRECORDER_H
