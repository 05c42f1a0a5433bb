//===- Assembler.h - LLVM's assembler for one processor ---------*- C++ -*-===//
//
// Prints and parses single instructions. The generator of the descriptor tables and the test of
// them ask the same question of it: is this text, for this processor, that instruction?
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_LOW_GENERATOR_ASSEMBLER_H
#define LOOM_LIB_LOW_GENERATOR_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loom::lowgen {

class Assembler {
public:
  /// Null when LLVM does not know the processor.
  static std::unique_ptr<Assembler> create(llvm::StringRef triple, llvm::StringRef cpu,
                                           llvm::StringRef features = "");
  ~Assembler();

  const llvm::MCInstrInfo &instructions() const;
  const llvm::MCRegisterInfo &registers() const;
  /// Register class of an operand under this processor's hardware mode; negative for others.
  int registerClass(const llvm::MCOperandInfo &operand) const;

  /// The mnemonic as printed; empty when the instruction has none.
  std::string mnemonic(const llvm::MCInst &inst) const;
  /// One line, with single blanks.
  std::string print(const llvm::MCInst &inst) const;
  /// The one instruction that `text` assembles to for this processor.
  std::optional<llvm::MCInst> parse(const std::string &text) const;

private:
  struct State;
  explicit Assembler(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// Instruction number by LLVM's name; 0 when there is none.
unsigned findOpcode(const llvm::MCInstrInfo &instructions, llvm::StringRef name);

/// How the text of an instruction tells it from others of one mnemonic: what has to be inserted
/// into the printed text, or appended to it. Candidates in the order in which to try them.
/// `pseudo` is LLVM's name of the pseudo instruction.
std::vector<std::string> assemblyCandidates(llvm::StringRef printed, llvm::StringRef mnemonic,
                                            llvm::StringRef pseudo);

/// The instruction that a pseudo instruction becomes in the encodings of `families`
/// (SIEncodingFamily of LLVM's AMDGPU back end, tried in order); 0 when there is none.
unsigned realOpcode(const llvm::MCInstrInfo &instructions, unsigned pseudo,
                    llvm::ArrayRef<unsigned> families);

} // namespace loom::lowgen

#endif // LOOM_LIB_LOW_GENERATOR_ASSEMBLER_H
