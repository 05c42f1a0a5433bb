//===- Relations.h - Comparisons that hold at a place ----------*- C++ -*-===//
//
// A relation is one comparison of two values that is known to hold: because an enclosing `scf.if`
// tested it, because a loop keeps it for its induction value, or because an assume operation or a
// `where` clause states it. A relation about a value holds for every alias of it; aliases are the
// results of assume operations, which equal their operands.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_ANALYSIS_RELATIONS_H
#define LOOM_LIB_ANALYSIS_RELATIONS_H

#include "loom/Analysis/Comparisons.h"

namespace loom {

struct Relation {
  IntPredicate predicate;
  mlir::Value lhs, rhs;
};
using RelationFn = llvm::function_ref<void(const Relation &)>;

/// The value at the end of a chain of assume operations.
mlir::Value stripAssumes(mlir::Value value);

/// A `where` clause and its parameters, or the predicates and operands of an assume operation:
/// position i of a predicate is values[i].
struct StatedFacts {
  mlir::ArrayAttr predicates;
  llvm::SmallVector<mlir::Value> values;
};
/// What is stated of `value` by its assume operations (nearest first) and, for a parameter, by the
/// `where` clause of its definition.
void forEachStatement(mlir::Value value,
                      llvm::function_ref<void(const StatedFacts &, unsigned position)> visit);

/// Every relation that the conditionals around `at` establish.
void forEachPathRelation(mlir::Operation *at, RelationFn visit);
/// `lower <= iv` and `iv < upper` for every loop around `at`.
void forEachLoopRelation(mlir::Operation *at, RelationFn visit);
/// Relations between values that the statements about `value` contain.
void forEachStatedRelation(mlir::Value value, RelationFn visit);

/// The part of `range`, a range of `value`, that the conditionals around `at` leave over; nullopt
/// when they leave nothing. `rangeOf` gives ranges of other values, nullopt when they have none
/// (yet).
std::optional<mlir::ConstantIntRanges>
refineAt(mlir::Value value, mlir::ConstantIntRanges range, mlir::Operation *at,
         llvm::function_ref<std::optional<mlir::ConstantIntRanges>(mlir::Value)> rangeOf);

} // namespace loom

#endif // LOOM_LIB_ANALYSIS_RELATIONS_H
