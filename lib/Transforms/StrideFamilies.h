//===- StrideFamilies.h - Layouts that control flow chooses from -*- C++ -*-===//
//
// Values between which control flow chooses form a family, whose facts are collected before the
// pass `carry-strides` changes anything: how many axes it has, and whether one of its layouts may
// be dense.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_STRIDEFAMILIES_H
#define LOOM_LIB_TRANSFORMS_STRIDEFAMILIES_H

#include "loom/Dialect/Kernel/Kernel.h"

namespace loom {

/// Layouts, and storage encodings, which have one.
bool isLayout(mlir::Value value);
/// Whether `type` is a view whose layout is a value.
bool hasDynamicLayout(mlir::Type type);
/// The buffer of which `buffer` is another name.
mlir::Value behindPromise(mlir::Value buffer);

/// Layouts or buffers between which control flow chooses.
struct StrideFamily {
  size_t rank = 0; ///< strides that its layouts have
  bool mayBeDense = false;
  bool asksForLength = false;
  EncodingAttr schema; ///< of its storage encodings
  bool hasUnknownSchema = false;
  bool hasOtherRanks = false; ///< not all of its layouts and their views have as many axes

  void add(const StrideFamily &other) {
    hasOtherRanks |= other.hasOtherRanks || (rank && other.rank && rank != other.rank);
    rank = std::max(rank, other.rank);
    mayBeDense |= other.mayBeDense;
    asksForLength |= other.asksForLength;
    hasUnknownSchema |=
        other.hasUnknownSchema || (schema && other.schema && schema != other.schema);
    schema = schema ? schema : other.schema;
  }
};

class StrideFamilies {
public:
  /// Collects what is below `kernel`.
  explicit StrideFamilies(KernelDefOp kernel);
  StrideFamily of(mlir::Value value) const { return families.lookup(leaderOf(value)); }

private:
  void collect(mlir::Operation *op);
  void collectLayout(mlir::Value layout);
  mlir::Value leaderOf(mlir::Value value) const {
    for (mlir::Value parent = parents.lookup(value); parent; parent = parents.lookup(value))
      value = parent;
    return value;
  }
  void join(mlir::Value a, mlir::Value b) {
    mlir::Value left = leaderOf(a), right = leaderOf(b);
    if (left == right)
      return;
    parents[right] = left;
    StrideFamily added = families.lookup(right);
    families[left].add(added);
  }
  void add(mlir::Value value, const StrideFamily &facts) { families[leaderOf(value)].add(facts); }

  llvm::DenseMap<mlir::Value, mlir::Value> parents;
  llvm::DenseMap<mlir::Value, StrideFamily> families; ///< by their leaders
};

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_STRIDEFAMILIES_H
