//===- Measure.h - How often, how long, when it is enough -------*- C++ -*-===//
//
// Two ways to measure. An end-to-end measurement times a fixed number of iterations. A measurement
// of dispatches times batches of logical operations, each a run of every launch of a sample, until
// the policy is content:
//
//  1. Warm-up batches run untimed: at least `warmupIterations`, and as long as `warmupTimeNs`.
//  2. Batches are timed: at least `iterations`, and until their times add up to `minTimeNs`.
//  3. From then on it is enough when p90 of the batch times lies at most `stablePpm` above p50, at
//     once when `stablePpm` is 0.
//  4. `maxBatches` batches are enough in any case; no more warm-up batches run either.
//
// Nothing here knows what is measured.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_MEASURE_H
#define LOOM_BENCH_MEASURE_H

#include "loom/Bench/Clock.h"
#include "loom/Bench/Statistics.h"
#include "loom/Runtime/Device.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace loom::bench {

/// What one time covers.
enum class Measure {
  CaseEndToEnd,     ///< making values, launches and expectations of every sample
  DispatchComplete, ///< a batch of launches, from the first to the end of the last
};
/// "case_end_to_end", "dispatch_complete".
llvm::StringRef stringifyMeasure(Measure measure);

/// Defaults are those of the flags.
struct MeasurePolicy {
  Measure measure = Measure::CaseEndToEnd;
  uint64_t warmupIterations = 1, iterations = 10; ///< iterations, or batches
  // For dispatches only.
  uint64_t batchSize = 1; ///< logical operations in a batch
  uint64_t minTimeNs = 100000000, warmupTimeNs = 0;
  uint64_t maxBatches = 1000;
  uint64_t stablePpm = 100000;
};

enum class StopReason {
  None,           ///< nothing was measured
  MinimumReached, ///< the minimums, where stability was not asked for
  Stable,
  MaxBatchCount,
};
/// "none", "minimum_reached", "stable", "max_batch_count".
llvm::StringRef stringifyStopReason(StopReason reason);

/// Whether `batches`, the timed ones, are enough; None when they are not.
StopReason stopReason(const MeasurePolicy &policy, const Times &batches);

struct BatchMeasurement {
  uint64_t warmupBatches = 0, warmupDurationNs = 0;
  Distribution batches;
  StopReason stop = StopReason::None;
};
struct IterationMeasurement {
  Distribution iterations;
};

/// Why a measurement was broken off.
using Stopped = std::optional<runtime::Issue>;
/// Runs the batch or iteration of that number; warm-up and timed ones are counted on. Returns why
/// it could not.
using Work = llvm::function_ref<Stopped(uint64_t number)>;
/// Hears the clock after each batch or iteration, outside of the timed part.
using Observer = llvm::function_ref<void(uint64_t now, const Times &timed)>;

/// Times of a measurement that was broken off are of no use and not handed out.
Stopped measureBatches(const MeasurePolicy &policy, Clock &clock, Work work, Observer observer,
                       BatchMeasurement &result);
Stopped measureIterations(const MeasurePolicy &policy, Clock &clock, Work work, Observer observer,
                          IterationMeasurement &result);

/// What is to be kept in mind with the result of measureBatches, in a fixed order:
///  - `short_measured_duration`: less than 1 ms was measured
///  - `single_logical_operation_batch`: each time is that of one operation and includes what it
///    costs to start and to await it
///  - `low_physical_dispatch_sample_count`: fewer than 100 launches
///  - `sub_microsecond_logical_operation`: p50 of an operation is less than 1 us
///  - `unstable_p90_to_p50`: the spread is larger than the policy asks for
std::vector<llvm::StringRef> timingWarnings(const MeasurePolicy &policy,
                                            const BatchMeasurement &result,
                                            uint64_t dispatchesPerOperation);

} // namespace loom::bench

#endif // LOOM_BENCH_MEASURE_H
