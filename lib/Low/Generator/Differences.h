//===- Differences.h - What LLVM's tables do not say ------------*- C++ -*-===//
//
// The names that Loom gives differently from LLVM's mnemonics, and the instructions that it does
// not offer. Everything else comes from LLVM's tables.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_LOW_GENERATOR_DIFFERENCES_H
#define LOOM_LIB_LOW_GENERATOR_DIFFERENCES_H

#include "Table.h"

namespace loom::lowgen {

/// The reason why an instruction of this name is not offered; null when it is.
const char *whyNotOffered(llvm::StringRef name, llvm::StringRef pseudo);

/// Loom's name of an immediate that LLVM prints as `printed`.
std::string immediateName(llvm::StringRef printed);
/// True for the immediates that Loom always leaves at their default.
bool isFixedImmediate(llvm::StringRef name);
/// True for an immediate that has no default although the assembler has one.
bool isRequiredImmediate(llvm::StringRef name);
/// The range of an immediate that LLVM prints in words, or does not check. {0, 0} for others.
std::pair<int64_t, int64_t> knownRange(llvm::StringRef name, llvm::StringRef set);

/// The suffix of Loom's name that tells an addressing mode or encoding: `_saddr`, `_rtn`, `_dpp`.
std::string nameSuffix(llvm::StringRef pseudo, llvm::StringRef mnemonic);
/// Orders the pseudo instructions that have one name: the lowest is taken.
unsigned preference(llvm::StringRef pseudo, llvm::StringRef mnemonic, bool readsM0);

/// Entries that no mnemonic of LLVM has.
void addHandEntries(Table &table);

} // namespace loom::lowgen

#endif // LOOM_LIB_LOW_GENERATOR_DIFFERENCES_H
