//===- Disassembly.h - What llvm-objdump says about a code object -*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_DISASSEMBLY_H
#define LOOM_TEST_UNIT_TARGET_DISASSEMBLY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace loom::test {

/// A wait as its instruction prints it.
struct PrintedWait {
  unsigned node;
  std::string counter; ///< vmcnt, lgkmcnt, vscnt, loadcnt, storecnt, dscnt, kmcnt, xcnt
  unsigned count;

  bool operator==(const PrintedWait &other) const {
    return node == other.node && counter == other.counter && count == other.count;
  }
};

std::ostream &operator<<(std::ostream &stream, const PrintedWait &wait);

struct PrintedInstruction {
  std::string text; ///< mnemonic and operands
  uint64_t address;
  std::optional<uint64_t> target; ///< of a branch

  std::string mnemonic() const { return llvm::StringRef(text).split(' ').first.str(); }
  bool isGlobalLoad() const { return llvm::StringRef(text).starts_with("global_load"); }
  /// A move between registers, also as half of a dual instruction.
  bool isCopy() const;
  std::vector<PrintedWait> waits(unsigned node) const;
};

/// Code of one symbol, without what pads the section.
class Disassembly {
public:
  Disassembly(llvm::ArrayRef<char> codeObject, llvm::StringRef cpu, llvm::StringRef symbol,
              uint64_t bytes);

  std::vector<PrintedInstruction> instructions;

  std::vector<PrintedWait> waits() const;

  /// The single-block loop with the most global loads, from its first to its last instruction.
  llvm::ArrayRef<PrintedInstruction> steadyLoop() const;
};

/// Counts of the waits for loads in `body`, in order.
std::vector<unsigned> loadWaits(llvm::ArrayRef<PrintedInstruction> body);

/// Loads that are pending at the backedge of `body` once it has run a few times.
unsigned pendingLoads(llvm::ArrayRef<PrintedInstruction> body);

/// Output of a program of LLVM's; fails the test when it cannot be run.
std::string runLLVMTool(llvm::StringRef tool, llvm::ArrayRef<std::string> arguments,
                        llvm::ArrayRef<char> input);

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_DISASSEMBLY_H
