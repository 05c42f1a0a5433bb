//===- NearMatchesTest.cpp - Suggestions for misspelled names -------------===//
#include "loom/Support/NearMatches.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(NearMatches, BestFirstThenGivenOrder) {
  EXPECT_THAT(
      nearMatches("read_ahead.dept", {"read_ahead.unroll", "read_ahead.depth", "read_ahead.dep"}),
      ElementsAre("read_ahead.depth", "read_ahead.dep"));
  EXPECT_THAT(nearMatches("gfx115", {"gfx942", "gfx1151", "gfx1150"}),
              ElementsAre("gfx1151", "gfx1150"));
}

TEST(NearMatches, CaseAndDashesCostNothing) {
  EXPECT_THAT(nearMatches("Read_Ahead", {"read-ahead"}), ElementsAre("read-ahead"));
}

TEST(NearMatches, PartsOfNames) {
  EXPECT_THAT(nearMatches("depth", {"read_ahead.depth", "unrelated"}),
              ElementsAre("read_ahead.depth"));
}

TEST(NearMatches, NothingNear) {
  EXPECT_THAT(nearMatches("xyz", {"output", "input"}), IsEmpty());
  EXPECT_EQ(didYouMean("xyz", {"output"}), "");
}

TEST(NearMatches, Sentence) {
  EXPECT_EQ(didYouMean("sow", {"show"}), "; did you mean 'show'?");
  EXPECT_EQ(didYouMean("aab", {"aac", "aad"}), "; did you mean 'aac' or 'aad'?");
  EXPECT_EQ(didYouMean("aab", {"aac", "aad", "aae", "aaf"}),
            "; did you mean 'aac', 'aad' or 'aae'?");
}

} // namespace
