//===- ReadAheadPlan.h - How a loop body is cut in two ----------*- C++ -*-===//
//
// Read-ahead cuts the body of a loop into a producer, which runs `depth - 1` iterations ahead, and
// a consumer, which runs in order:
//
//  - the producer is the read closure: all reads and everything that they need;
//  - the consumer is everything else;
//  - a queue record holds the values that the consumer takes from the producer. What the consumer
//    can cheaply compute by itself from the induction variable and from outside the loop, constants
//    and index arithmetic, is computed a second time instead.
//
// The cut exists only if the producer does not depend on carried values, and it changes nothing
// only if nothing in the body writes memory or synchronizes.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_READAHEADPLAN_H
#define LOOM_LIB_TRANSFORMS_READAHEADPLAN_H

#include "LoopBody.h"
#include "loom/Report/CompileReport.h"
#include "llvm/ADT/SetVector.h"

namespace loom {

/// The largest depth that can be asked for.
inline constexpr int64_t kMaxPipelineDepth = 65535;

/// What a loop asks for and what was known about it when the pass began.
struct ReadAheadRequest {
  ScfForOp loop;
  std::optional<int64_t> depth;
  LoopBounds bounds;

  ReadAheadRequest(ScfForOp loop, const Facts &facts)
      : loop(loop), depth(facts.exact(loop.getDepth())), bounds(loop, facts) {}
  /// Iterations between a read and its use.
  int64_t records() const { return *depth - 1; }
  /// Known to have fewer iterations than the depth; known to have as many or more. With neither,
  /// the loop decides when it runs.
  bool isAlwaysShort() const;
  bool isAlwaysLong() const;
  /// How far ahead the reads are; nullopt when that fits no address type.
  std::optional<int64_t> distance() const;
};

/// Reports a depth that is not exact or not in 1..65535.
mlir::LogicalResult checkDepth(const ReadAheadRequest &request);

struct ReadAheadPlan {
  /// Operations in body order. A recomputed operation of the producer is in both.
  llvm::SmallVector<mlir::Operation *> producer, consumer;
  /// The values of a queue record, in order of definition.
  llvm::SmallVector<mlir::Value> queued;
  /// Distance between the induction variables of producer and consumer. Not set for a loop that is
  /// always short.
  int64_t distance = 0;
  /// Whether the consumer needs its induction variable.
  bool consumerUsesInduction = false;
  report::LoopPipeline row;
};

/// Cuts the loop of `request`, whose depth is above one. Reports everything that stands in the way.
mlir::FailureOr<ReadAheadPlan> planReadAhead(const ReadAheadRequest &request);

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_READAHEADPLAN_H
