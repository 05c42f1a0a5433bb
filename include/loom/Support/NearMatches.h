//===- NearMatches.h - Suggestions for misspelled names ---------*- C++ -*-===//
//
// What an error message offers when a name is unknown: flags, configuration keys, symbols, targets.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_SUPPORT_NEARMATCHES_H
#define LOOM_SUPPORT_NEARMATCHES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace loom {

/// The names of `known` that `name` may have been meant as, best first and at most three: those
/// within an edit distance of a third of the name's length (case and `-` against `_` cost nothing),
/// and those of which `name` is a proper part of at least three characters. Equally good names keep
/// their order.
std::vector<std::string> nearMatches(llvm::StringRef name, llvm::ArrayRef<std::string> known);

/// The near matches as the end of a sentence, "; did you mean 'a' or 'b'?", or nothing.
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> known);

} // namespace loom

#endif // LOOM_SUPPORT_NEARMATCHES_H
