//===- StatisticsTest.cpp - What a list of times amounts to ---------------===//
#include "loom/Bench/Statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom::bench;

namespace {

TEST(Statistics, PercentilesAreOfNearestRank) {
  EXPECT_EQ(nearestRank({10, 20, 30, 40, 50}, 50), 30u);
  EXPECT_EQ(nearestRank({10, 20, 30, 40, 50}, 90), 50u);
  EXPECT_EQ(nearestRank({10, 20, 30, 40}, 50), 20u);
  EXPECT_EQ(nearestRank({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 90), 9u);
  EXPECT_EQ(nearestRank({7}, 1), 7u);
  EXPECT_EQ(nearestRank({7}, 100), 7u);
}

TEST(Statistics, MedianTakesAnyOrderAndNothing) {
  EXPECT_EQ(median({5, 1, 4}), 4u);
  EXPECT_EQ(median({5, 1}), 1u);
  EXPECT_EQ(median({}), 0u);
}

TEST(Statistics, SpreadIsInPartsPerMillion) {
  EXPECT_EQ(spreadPpm(100, 110), 100000u);
  EXPECT_EQ(spreadPpm(3, 4), 333333u);
  EXPECT_EQ(spreadPpm(5, 5), 0u);
  EXPECT_EQ(spreadPpm(0, 0), 0u);
  EXPECT_EQ(spreadPpm(0, 2), 2000000u); // as from 1
  EXPECT_EQ(spreadPpm(1, UINT64_MAX), UINT64_MAX);
}

TEST(Statistics, RangeIsMeasuredFromTheMedian) {
  EXPECT_EQ(rangePpm({100, 90, 110}), 200000u);
  EXPECT_EQ(rangePpm({42}), 0u);
  EXPECT_EQ(rangePpm({}), 0u);
}

TEST(Statistics, TimesAreSummedUp) {
  Times times;
  for (uint64_t time : {50, 10, 40, 20, 30, 31})
    times.add(time);
  Distribution all = times.summarize();
  EXPECT_EQ(all.count, 6u);
  EXPECT_EQ(all.total, 181u);
  EXPECT_EQ(all.min, 10u);
  EXPECT_EQ(all.max, 50u);
  EXPECT_EQ(all.p50, 30u);
  EXPECT_EQ(all.p90, 50u);
  EXPECT_EQ(roundTo(all.mean, 3), 30.167);
  EXPECT_EQ(all.p90ToP50Ppm(), 666666u);
}

TEST(Statistics, NoTimesAreAllZero) {
  Distribution none = Times().summarize();
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.total, 0u);
  EXPECT_EQ(none.p50, 0u);
  EXPECT_EQ(none.mean, 0);
}

TEST(Statistics, PartsOfABatchAreRoundedDownButForTheMean) {
  Times times;
  times.add(1000);
  times.add(1001);
  Distribution part = times.summarize().dividedBy(64);
  EXPECT_EQ(part.count, 2u);
  EXPECT_EQ(part.total, 31u);
  EXPECT_EQ(part.min, 15u);
  EXPECT_EQ(part.p90, 15u);
  EXPECT_EQ(part.p90ToP50Ppm(), 0u);
  EXPECT_EQ(roundTo(part.mean, 3), 15.633);
}

TEST(Statistics, SumsSaturate) {
  Times times;
  times.add(UINT64_MAX);
  times.add(5);
  EXPECT_EQ(times.total(), UINT64_MAX);
  EXPECT_EQ(times.count(), 2u);
}

} // namespace
