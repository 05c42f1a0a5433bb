//===- UnrollGroup.h - Copies of a loop body and their order ----*- C++ -*-===//
//
// Writes several consecutive iterations of a loop as straight-line code. Each copy takes what the
// copy before it yields, so that carried values and queue records are the right values directly.
// Then the operations are put into the order that the schedule asks for, as far as their
// dependences allow. The order in which values are combined never changes.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_UNROLLGROUP_H
#define LOOM_LIB_TRANSFORMS_UNROLLGROUP_H

#include "LoopBody.h"

namespace loom {

class UnrollGroup {
public:
  /// `loop` has to stay until the last `emit`.
  explicit UnrollGroup(ScfForOp loop);

  const LoopBody &getBody() const { return body; }

  /// Writes `count` iterations at the insertion point, which stays behind them. The first one has
  /// the induction value `first`. Returns what the last one yields.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder, mlir::Value first, int64_t step,
                                      int64_t count, mlir::ValueRange carried);

private:
  /// What decides the order of two operations that do not depend on each other: the smaller key
  /// goes first.
  using Key = std::tuple<int64_t, int64_t, int64_t>;
  struct Item {
    mlir::Operation *op;
    Key key;
  };
  class Emission;

  bool hasFoldedDistance(mlir::Operation *op) const;
  int64_t countLeadingReads() const;
  Key keyOf(int64_t copy, int64_t position) const;
  Key keyOfInduction(int64_t copy) const;
  static void order(llvm::ArrayRef<Item> items, mlir::Block *block,
                    mlir::Block::iterator insertionPoint);

  ScfForOp loop;
  LoopBody body;
  UnrollSchedule schedule;
  int64_t queueRecords;
  /// Reads before the first use in a group that advances a queue; 0 without one.
  int64_t leadingReads = 0;
  /// Positions of the operations that need the induction variable itself.
  llvm::SmallVector<int64_t> inductionUsers;
  bool yieldsInduction;
};

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_UNROLLGROUP_H
