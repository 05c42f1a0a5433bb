//===- Measure.cpp - How often, how long, when it is enough ---------------===//
#include "loom/Bench/Measure.h"
#include "llvm/Support/ErrorHandling.h"
#include <chrono>

namespace loom::bench {

Clock::~Clock() = default;

uint64_t HostClock::now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

llvm::StringRef stringifyMeasure(Measure measure) {
  return measure == Measure::CaseEndToEnd ? "case_end_to_end" : "dispatch_complete";
}

llvm::StringRef stringifyStopReason(StopReason reason) {
  switch (reason) {
  case StopReason::None:
    return "none";
  case StopReason::MinimumReached:
    return "minimum_reached";
  case StopReason::Stable:
    return "stable";
  case StopReason::MaxBatchCount:
    return "max_batch_count";
  }
  llvm_unreachable("covered switch");
}

StopReason stopReason(const MeasurePolicy &policy, const Times &batches) {
  bool minimum = batches.count() >= policy.iterations && batches.total() >= policy.minTimeNs;
  if (minimum && policy.stablePpm == 0)
    return StopReason::MinimumReached;
  if (minimum && batches.count() != 0 && batches.summarize().p90ToP50Ppm() <= policy.stablePpm)
    return StopReason::Stable;
  return batches.count() >= policy.maxBatches ? StopReason::MaxBatchCount : StopReason::None;
}

/// Runs `work` and adds its duration to `timed`; the time after it is put into `now`.
static Stopped timeOnce(Clock &clock, Work work, uint64_t number, Times &timed, uint64_t &now) {
  uint64_t before = clock.now();
  Stopped problem = work(number);
  now = clock.now();
  if (!problem)
    timed.add(now - before);
  return problem;
}

Stopped measureBatches(const MeasurePolicy &policy, Clock &clock, Work work, Observer observer,
                       BatchMeasurement &result) {
  uint64_t number = 0, now = 0;
  Times warmup, timed;
  while ((warmup.count() < policy.warmupIterations || warmup.total() < policy.warmupTimeNs) &&
         warmup.count() < policy.maxBatches) {
    if (Stopped problem = timeOnce(clock, work, number++, warmup, now))
      return problem;
    observer(now, timed);
  }
  StopReason stop;
  while ((stop = stopReason(policy, timed)) == StopReason::None) {
    if (Stopped problem = timeOnce(clock, work, number++, timed, now))
      return problem;
    observer(now, timed);
  }
  result = {warmup.count(), warmup.total(), timed.summarize(), stop};
  return std::nullopt;
}

Stopped measureIterations(const MeasurePolicy &policy, Clock &clock, Work work, Observer observer,
                          IterationMeasurement &result) {
  uint64_t number = 0, now = 0;
  Times warmup, timed;
  while (number < policy.warmupIterations + policy.iterations) {
    Times &times = number < policy.warmupIterations ? warmup : timed;
    if (Stopped problem = timeOnce(clock, work, number++, times, now))
      return problem;
    observer(now, timed);
  }
  result.iterations = timed.summarize();
  return std::nullopt;
}

std::vector<llvm::StringRef> timingWarnings(const MeasurePolicy &policy,
                                            const BatchMeasurement &result,
                                            uint64_t dispatchesPerOperation) {
  std::vector<llvm::StringRef> warnings;
  const Distribution &batches = result.batches;
  if (batches.total < 1000000)
    warnings.push_back("short_measured_duration");
  if (policy.batchSize == 1)
    warnings.push_back("single_logical_operation_batch");
  if (batches.count * policy.batchSize * dispatchesPerOperation < 100)
    warnings.push_back("low_physical_dispatch_sample_count");
  if (batches.dividedBy(policy.batchSize).p50 < 1000)
    warnings.push_back("sub_microsecond_logical_operation");
  if (policy.stablePpm != 0 && batches.p90ToP50Ppm() > policy.stablePpm)
    warnings.push_back("unstable_p90_to_p50");
  return warnings;
}

} // namespace loom::bench
