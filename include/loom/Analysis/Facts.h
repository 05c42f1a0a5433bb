//===- Facts.h - What is known of values ------------------------*- C++ -*-===//
//
// One analysis answers every question about values: exact constants and signed ranges, from
// constants, assume operations, `where` clauses, launch configurations, loop bounds and enclosing
// conditions. It has three answers: proven, disproven and unknown; nothing may be decided on the
// third. Facts are computed from the IR and never stored in it.
//
// A value has one range wherever it is visible. At a place inside of conditionals and loops more is
// known of it: the conditions that lead there. Questions take that place as `at`; without it they
// are answered for every place. What is computed inside of a conditional profits from its condition
// in any case.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_ANALYSIS_FACTS_H
#define LOOM_ANALYSIS_FACTS_H

#include "loom/IR/Loom.h"
#include <memory>
#include <optional>

namespace loom {

enum class Proof { Proven, Disproven, Unknown };

class Facts {
public:
  /// Analyzes everything below `root`. Later changes of the IR are not seen, and a value made after
  /// an operation was erased may be taken for one of its results: ask first, change then, and make
  /// a new object afterwards.
  explicit Facts(mlir::Operation *root);
  ~Facts();
  Facts(Facts &&) noexcept;

  /// The one value that `value` has, or nullopt. Integers (by sign), index and offset.
  std::optional<int64_t> exact(mlir::Value value, mlir::Operation *at = nullptr) const;
  /// The range of an integer, index or offset value, of 64 bits for the last two; nullopt for other
  /// types, where nothing is known, and for values that are never computed.
  std::optional<mlir::ConstantIntRanges> range(mlir::Value value,
                                               mlir::Operation *at = nullptr) const;
  /// True when every value of the range fits a signed integer of `bits`.
  bool fitsSigned(mlir::Value value, unsigned bits, mlir::Operation *at = nullptr) const;
  bool isNonNegative(mlir::Value value, mlir::Operation *at = nullptr) const;
  /// A number that divides `value` for sure, at least one; zero when `value` is zero.
  uint64_t divisor(mlir::Value value) const;

  /// The largest difference `a - b` of index or offset values, or nullopt; a null value stands for
  /// zero. Knows comparisons between values that hold `at` the place, and sums with constants,
  /// beyond the ranges of the two.
  std::optional<int64_t> maxDifference(mlir::Value a, mlir::Value b,
                                       mlir::Operation *at = nullptr) const;
  /// Whether `a predicate b` holds.
  Proof compare(IntPredicate predicate, mlir::Value a, mlir::Value b,
                mlir::Operation *at = nullptr) const;
  Proof compare(IntPredicate predicate, mlir::Value a, int64_t literal,
                mlir::Operation *at = nullptr) const;

  /// The number of iterations of `[lower, upper)` by `step`, when it is exact; zero for an empty
  /// loop. Nullopt also when the step is not an exact positive number.
  std::optional<int64_t> tripCount(mlir::Value lower, mlir::Value upper, mlir::Value step,
                                   mlir::Operation *at = nullptr) const;

  /// Whether all predicates of a `where` clause hold when parameter i has the value arguments[i].
  /// `failing`, if given, receives the position of the first disproven predicate, else of the first
  /// unknown one.
  Proof prove(mlir::ArrayAttr predicates, mlir::ValueRange arguments, unsigned *failing = nullptr,
              mlir::Operation *at = nullptr) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace loom

#endif // LOOM_ANALYSIS_FACTS_H
