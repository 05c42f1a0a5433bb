//===- Differences.h - Bounds of differences of values ----------*- C++ -*-===//
//
// A system of constraints `x - y <= k` over values and the number zero, and the tightest bound that
// follows for a given difference: the shortest path from one to the other. The constraints come
// from relations, from sums with constants, from minima and maxima, and from ranges.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_ANALYSIS_DIFFERENCES_H
#define LOOM_LIB_ANALYSIS_DIFFERENCES_H

#include "Relations.h"
#include "llvm/ADT/MapVector.h"

namespace loom {

class Differences {
public:
  using RangeFn = llvm::function_ref<std::optional<mlir::ConstantIntRanges>(mlir::Value)>;

  /// Collects what is known of the two values at a place. A null value stands for zero; `at` may be
  /// null.
  Differences(mlir::Value a, mlir::Value b, mlir::Operation *at, RangeFn rangeOf);

  /// The largest value of `a - b`, or nullopt.
  std::optional<int64_t> bound() const;

private:
  /// A value as node plus constant; the node of a null value is zero.
  struct Term {
    unsigned node;
    int64_t offset;
  };
  struct Edge {
    unsigned from, to;
    int64_t limit; ///< from - to <= limit
  };

  Term term(mlir::Value value);
  unsigned node(mlir::Value value);
  void add(mlir::Value lhs, mlir::Value rhs, int64_t limit);
  void add(const Relation &relation, RangeFn rangeOf);

  llvm::MapVector<mlir::Value, unsigned> nodes;
  llvm::SmallVector<Edge> edges;
  Term termA, termB;
};

} // namespace loom

#endif // LOOM_LIB_ANALYSIS_DIFFERENCES_H
