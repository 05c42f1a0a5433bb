//===- Comparisons.h - Predicates of comparisons ----------------*- C++ -*-===//
#ifndef LOOM_ANALYSIS_COMPARISONS_H
#define LOOM_ANALYSIS_COMPARISONS_H

#include "loom/IR/Loom.h"
#include "loom/IR/Predicates.h"
#include <optional>
#include <string>

namespace loom {

/// `b swapped a` for `a predicate b`.
IntPredicate swapOperands(IntPredicate predicate);
/// What holds when `predicate` does not.
IntPredicate negate(IntPredicate predicate);
/// The comparison that a predicate in the natural order of its operands states, signed ones for
/// order; nullopt for `ult` and the like, which count bits, and for what compares nothing.
std::optional<IntPredicate> comparisonOf(PredicateKind kind);

/// "range(%count, 0, 64)"; `nameOf` gives the name of the value at a position.
std::string spellPredicate(PredicateAttr predicate,
                           llvm::function_ref<std::string(unsigned)> nameOf);

} // namespace loom

#endif // LOOM_ANALYSIS_COMPARISONS_H
