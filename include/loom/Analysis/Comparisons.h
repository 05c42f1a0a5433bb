//===- Comparisons.h - Predicates of comparisons ----------------*- C++ -*-===//
#ifndef LOOM_ANALYSIS_COMPARISONS_H
#define LOOM_ANALYSIS_COMPARISONS_H

#include "loom/IR/Loom.h"

namespace loom {

/// `b swapped a` for `a predicate b`.
IntPredicate swapOperands(IntPredicate predicate);
/// What holds when `predicate` does not.
IntPredicate negate(IntPredicate predicate);

} // namespace loom

#endif // LOOM_ANALYSIS_COMPARISONS_H
