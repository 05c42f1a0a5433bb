//===- MeasureTest.cpp - How often, how long, when it is enough -----------===//
#include "loom/Bench/Measure.h"
#include "BenchFixture.h"
#include "gmock/gmock.h"

using namespace loom::bench;
using loom::runtime::Issue;
using testing::ElementsAre;

namespace {

/// Batches that take the listed times; the last one is repeated.
class Batches {
public:
  Batches(std::vector<uint64_t> durations) : durations(std::move(durations)) {}

  BatchMeasurement measure(const MeasurePolicy &policy) {
    BatchMeasurement result;
    Stopped problem = measureBatches(
        policy, clock, [&](uint64_t number) { return run(number); },
        [&](uint64_t now, const Times &timed) {
          clock.time += 1000000; // what is not timed may take as long as it likes
        },
        result);
    EXPECT_FALSE(problem);
    return result;
  }

  FakeClock clock;
  std::vector<uint64_t> numbers;

private:
  Stopped run(uint64_t number) {
    numbers.push_back(number);
    clock.time += durations[std::min<size_t>(number, durations.size() - 1)];
    return std::nullopt;
  }

  std::vector<uint64_t> durations;
};

MeasurePolicy policy(uint64_t iterations, uint64_t minTime, uint64_t ppm, uint64_t maxBatches) {
  MeasurePolicy made;
  made.measure = Measure::DispatchComplete;
  made.warmupIterations = 0;
  made.iterations = iterations;
  made.minTimeNs = minTime;
  made.stablePpm = ppm;
  made.maxBatches = maxBatches;
  return made;
}

TEST(Measure, StopsAtTheMinimumsWithoutAStabilityRule) {
  Batches batches({10, 90, 10, 90});
  BatchMeasurement result = batches.measure(policy(4, 0, 0, 100));
  EXPECT_EQ(result.stop, StopReason::MinimumReached);
  EXPECT_EQ(result.batches.count, 4u);
  EXPECT_EQ(result.batches.total, 200u);
  EXPECT_EQ(result.warmupBatches, 0u);
}

TEST(Measure, BatchesGrowInNumberUntilTheMinimumTime) {
  Batches batches({10});
  BatchMeasurement result = batches.measure(policy(3, 95, 100000, 100));
  EXPECT_EQ(result.stop, StopReason::Stable);
  EXPECT_EQ(result.batches.count, 10u);
  EXPECT_EQ(result.batches.total, 100u);
}

TEST(Measure, GoesOnUntilTheTimesAreStable) {
  // p90 is 100 until ten times as many batches of 10 have come.
  Batches batches({100, 10});
  BatchMeasurement result = batches.measure(policy(2, 0, 100000, 100));
  EXPECT_EQ(result.stop, StopReason::Stable);
  EXPECT_EQ(result.batches.count, 10u);
  EXPECT_EQ(result.batches.p50, 10u);
  EXPECT_EQ(result.batches.p90, 10u);
  EXPECT_EQ(result.batches.max, 100u);
}

TEST(Measure, ASpreadOfExactlyTheLimitIsStable) {
  Batches batches({100, 110});
  EXPECT_EQ(batches.measure(policy(2, 0, 100000, 100)).batches.count, 2u);
  Batches wider({100, 111});
  EXPECT_GT(wider.measure(policy(2, 0, 100000, 100)).batches.count, 2u);
}

TEST(Measure, StopsAtTheLimitOfBatches) {
  std::vector<uint64_t> unstable;
  for (unsigned i = 0; i < 20; ++i)
    unstable.push_back(i % 2 == 0 ? 10 : 50);
  Batches batches(unstable);
  BatchMeasurement result = batches.measure(policy(2, 0, 1000, 15));
  EXPECT_EQ(result.stop, StopReason::MaxBatchCount);
  EXPECT_EQ(result.batches.count, 15u);
}

TEST(Measure, TheLimitOfBatchesIsBelowTheMinimums) {
  Batches batches({10});
  BatchMeasurement result = batches.measure(policy(50, 0, 0, 5));
  EXPECT_EQ(result.stop, StopReason::MaxBatchCount);
  EXPECT_EQ(result.batches.count, 5u);
}

TEST(Measure, AClockThatStandsStillEndsAtTheLimit) {
  Batches batches({0});
  MeasurePolicy endless = policy(1, 1000, 0, 7);
  endless.warmupTimeNs = 1000;
  BatchMeasurement result = batches.measure(endless);
  EXPECT_EQ(result.stop, StopReason::MaxBatchCount);
  EXPECT_EQ(result.warmupBatches, 7u);
  EXPECT_EQ(result.batches.count, 7u);
}

TEST(Measure, WarmsUpByCountAndByTime) {
  Batches byCount({10});
  MeasurePolicy warm = policy(2, 0, 0, 100);
  warm.warmupIterations = 3;
  BatchMeasurement result = byCount.measure(warm);
  EXPECT_EQ(result.warmupBatches, 3u);
  EXPECT_EQ(result.warmupDurationNs, 30u);
  EXPECT_EQ(result.batches.count, 2u);
  EXPECT_THAT(byCount.numbers, ElementsAre(0, 1, 2, 3, 4));

  Batches byTime({10});
  warm.warmupTimeNs = 45;
  result = byTime.measure(warm);
  EXPECT_EQ(result.warmupBatches, 5u);
  EXPECT_EQ(result.warmupDurationNs, 50u);
}

TEST(Measure, ABatchThatFailsEndsTheMeasurement) {
  FakeClock clock;
  BatchMeasurement result;
  unsigned runs = 0;
  Stopped problem = measureBatches(
      policy(10, 0, 0, 100), clock,
      [&](uint64_t number) -> Stopped {
        ++runs;
        if (number < 3)
          return std::nullopt;
        Issue issue;
        issue.message = "lost";
        return issue;
      },
      [](uint64_t, const Times &) {}, result);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message, "lost");
  EXPECT_EQ(runs, 4u);
  EXPECT_EQ(result.batches.count, 0u);
  EXPECT_EQ(result.stop, StopReason::None);
}

TEST(Measure, IterationsAreCounted) {
  FakeClock clock;
  IterationMeasurement result;
  MeasurePolicy made;
  made.warmupIterations = 2;
  made.iterations = 3;
  EXPECT_FALSE(measureIterations(
      made, clock,
      [&](uint64_t number) {
        clock.time += 100 + number;
        return Stopped();
      },
      [](uint64_t, const Times &) {}, result));
  EXPECT_EQ(result.iterations.count, 3u);
  EXPECT_EQ(result.iterations.min, 102u);
  EXPECT_EQ(result.iterations.max, 104u);
}

TEST(Measure, WarningsSayWhatTheTimesAreWorth) {
  MeasurePolicy made = policy(1, 0, 100000, 100);
  BatchMeasurement bad;
  bad.batches = {2, 5000, 1000, 4000, 2500, 900, 4000};
  EXPECT_THAT(timingWarnings(made, bad, 1),
              ElementsAre("short_measured_duration", "single_logical_operation_batch",
                          "low_physical_dispatch_sample_count", "sub_microsecond_logical_operation",
                          "unstable_p90_to_p50"));
  made.stablePpm = 0;
  EXPECT_EQ(timingWarnings(made, bad, 1).back(), "sub_microsecond_logical_operation");
}

TEST(Measure, GoodTimesHaveNoWarnings) {
  MeasurePolicy made = policy(1, 0, 100000, 100);
  made.batchSize = 10;
  BatchMeasurement good;
  good.batches = {10, 1000000, 100000, 100000, 100000, 100000, 110000};
  EXPECT_TRUE(timingWarnings(made, good, 1).empty());
  // Each limit by itself.
  good.batches.total = 999999;
  EXPECT_THAT(timingWarnings(made, good, 1), ElementsAre("short_measured_duration"));
  good.batches.total = 1000000;
  good.batches.count = 9;
  EXPECT_THAT(timingWarnings(made, good, 1), ElementsAre("low_physical_dispatch_sample_count"));
  EXPECT_TRUE(timingWarnings(made, good, 2).empty());
  good.batches.count = 10;
  good.batches.p50 = 9999;
  good.batches.p90 = 9999;
  EXPECT_THAT(timingWarnings(made, good, 1), ElementsAre("sub_microsecond_logical_operation"));
  good.batches.p50 = 100000;
  good.batches.p90 = 110001;
  EXPECT_THAT(timingWarnings(made, good, 1), ElementsAre("unstable_p90_to_p50"));
}

} // namespace
