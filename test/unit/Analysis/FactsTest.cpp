// Ranges, exact values, differences and trip counts.
#include "loom/Analysis/Facts.h"
#include "Program.h"
#include "loom/Dialect/SCF/SCF.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

using Bounds = std::pair<int64_t, int64_t>;

std::optional<Bounds> boundsOf(const Facts &facts, Value value, Operation *at = nullptr) {
  auto range = facts.range(value, at);
  if (!range)
    return std::nullopt;
  return Bounds(range->smin().getSExtValue(), range->smax().getSExtValue());
}

TEST(Facts, AssumptionsAndArithmeticGiveRanges) {
  Program p(Program::kernel("(%n: index, %free: index)", R"(
  %count = index.assume %n [range(%n, 0, 64)] : index
  %two = index.constant 2 : index
  %rest = index.sub %count, %two : index
  %scaled = index.mul %rest, %two : index
  %product = index.madd %count, %two, %two : index
  %capped = index.min %free, %count : index
  %lane = kernel.workitem.id<x> : index
  %three = index.constant 3 : index
  %same = index.assume %free [ge(%free, 7), lt(%free, 8)] : index)"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("n")), std::nullopt);
  EXPECT_EQ(boundsOf(facts, p.value("count")), Bounds(0, 64));
  EXPECT_EQ(boundsOf(facts, p.value("rest")), Bounds(-2, 62));
  EXPECT_EQ(boundsOf(facts, p.value("scaled")), Bounds(-4, 124));
  EXPECT_EQ(boundsOf(facts, p.value("product")), Bounds(2, 130));
  EXPECT_EQ(boundsOf(facts, p.value("capped")), Bounds(INT64_MIN, 64));
  EXPECT_EQ(boundsOf(facts, p.value("lane")), Bounds(0, 31));
  EXPECT_EQ(facts.exact(p.value("three")), 3);
  EXPECT_EQ(facts.exact(p.value("same")), 7);
  EXPECT_EQ(facts.exact(p.value("count")), std::nullopt);
  EXPECT_TRUE(facts.isNonNegative(p.value("count")));
  EXPECT_FALSE(facts.isNonNegative(p.value("rest")));
  EXPECT_TRUE(facts.fitsSigned(p.value("rest"), 7));
  EXPECT_FALSE(facts.fitsSigned(p.value("rest"), 6));
  EXPECT_FALSE(facts.fitsSigned(p.value("capped"), 32));
}

TEST(Facts, WhereClausesSpeakOfParameters) {
  std::string text = Program::kernel(
      "(%n: index, %m: i32, %bytes: offset) where [range(%n, 1, 8), lt(%m, 5), le(%bytes, 4096)]",
      "");
  Program p(text);
  // The clause counts whether the module or the kernel is what is analyzed.
  for (Operation *root : {p.module->getOperation(), p.value("n").getParentBlock()->getParentOp()}) {
    Facts facts(root);
    EXPECT_EQ(boundsOf(facts, p.value("n")), Bounds(1, 8));
    EXPECT_EQ(boundsOf(facts, p.value("m")), Bounds(INT32_MIN, 4));
    EXPECT_EQ(boundsOf(facts, p.value("bytes")), Bounds(0, 4096));
  }
}

TEST(Facts, OffsetsAreNonNegativeNumbers) {
  Program p(Program::kernel("(%base: offset, %n: index, %i: i32)", R"(
  %row = index.assume %n [range(%n, 0, 7)] : index
  %pitch = index.constant 128 : offset
  %start = index.scale %row, %pitch : index, offset -> offset
  %next = index.add %start, %pitch : offset
  %position = index.cast %next : offset to index
  %far = index.add %base, %pitch : offset
  %unsigned = index.cast %i : i32 to offset
  %below = index.cmp ult, %start, %pitch : offset
  %never = index.cmp ult, %next, %pitch : offset)"));
  Facts facts(*p.module);
  EXPECT_EQ(facts.exact(p.value("pitch")), 128);
  EXPECT_EQ(boundsOf(facts, p.value("base")), Bounds(0, INT64_MAX));
  EXPECT_EQ(boundsOf(facts, p.value("start")), Bounds(0, 896));
  EXPECT_EQ(boundsOf(facts, p.value("next")), Bounds(128, 1024));
  EXPECT_EQ(boundsOf(facts, p.value("position")), Bounds(128, 1024));
  EXPECT_EQ(boundsOf(facts, p.value("far")), Bounds(128, INT64_MAX));
  EXPECT_EQ(boundsOf(facts, p.value("unsigned")), Bounds(0, UINT32_MAX));
  EXPECT_EQ(facts.exact(p.value("below")), std::nullopt);
  EXPECT_EQ(facts.exact(p.value("never")), 0);
}

TEST(Facts, UnsignedComparisonsNeedNonNegativeSides) {
  Program p(Program::kernel("(%n: index)", R"(
  %a = index.assume %n [range(%n, 0, 3)] : index
  %b = index.assume %n [range(%n, -1, 3)] : index
  %limit = index.constant 8 : index
  %yes = index.cmp ult, %a, %limit : index
  %no = index.cmp uge, %a, %limit : index
  %open = index.cmp ult, %b, %limit : index)"));
  Facts facts(*p.module);
  EXPECT_EQ(facts.exact(p.value("yes")), 1);
  EXPECT_EQ(facts.exact(p.value("no")), 0);
  EXPECT_EQ(facts.exact(p.value("open")), std::nullopt);
}

// The queue of the row sum reads ahead by the depth; the lowering relies on these ranges to compute
// addresses in 32 bits.
TEST(Facts, InductionValuesOfQueueLoopsAreTight) {
  Program p(Program::kernel("(%n: index)", R"(
  %count = index.assume %n [range(%n, 0, 64)] : index
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %four = index.constant 4 : index
  %end = index.sub %count, %two : index
  scf.for %row = [%zero to %end step %one] {
    %ahead = index.add %row, %two : index
    %third = index.madd %row, %one, %two : index
  }
  %groups = index.div %count, %four : index
  %rounded = index.mul %groups, %four : index
  scf.for %group = [%zero to %rounded step %four] {
    %last = index.add %group, %one : index
  }
  scf.for %odd = [%one to %count step %four] {
    %unused = index.constant 0 : index
  }
  scf.for %never = [%two to %one step %one] {
    %nothing = index.add %never, %one : index
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("row")), Bounds(0, 61));
  EXPECT_EQ(boundsOf(facts, p.value("ahead")), Bounds(2, 63));
  EXPECT_EQ(boundsOf(facts, p.value("third")), Bounds(2, 63));
  EXPECT_EQ(boundsOf(facts, p.value("group")), Bounds(0, 60));
  EXPECT_EQ(boundsOf(facts, p.value("last")), Bounds(1, 61));
  // 1, 5, ..., 61.
  EXPECT_EQ(boundsOf(facts, p.value("odd")), Bounds(1, 61));
  EXPECT_EQ(boundsOf(facts, p.value("never")), std::nullopt);
  EXPECT_EQ(boundsOf(facts, p.value("nothing")), std::nullopt);
}

// The shape of the row sum after read-ahead (depth 3) and unrolling (factor 4): a group loop hands
// its position to the loop of the remainder. Every row stays below 64.
TEST(Facts, PositionsThatLoopsHandOnStayTight) {
  Program p(Program::kernel("(%n: index)", R"(
  %count = index.assume %n [range(%n, 0, 64)] : index
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %three = index.constant 3 : index
  %four = index.constant 4 : index
  %five = index.constant 5 : index
  %short = index.cmp sle, %count, %two : index
  scf.if %short {
    scf.for %serial = [%zero to %count step %one] {
      %unused = index.constant 0 : index
    }
  } else {
    %steady_end = index.sub %count, %two : index
    %main_end = index.sub %steady_end, %three : index
    %position = scf.for %group = [%zero to %main_end step %four](%carried = %zero : index) -> (index) {
      %ahead = index.add %group, %five : index
      %next_group = index.add %group, %four : index
      scf.yield %next_group : index
    }
    %drained = scf.for %row = [%position to %steady_end step %one](%last = %position : index) -> (index) {
      %later = index.add %row, %two : index
      %next_row = index.add %row, %one : index
      scf.yield %next_row : index
    }
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("serial")), Bounds(0, 1));
  EXPECT_EQ(boundsOf(facts, p.value("steady_end")), Bounds(1, 62));
  EXPECT_EQ(boundsOf(facts, p.value("group")), Bounds(0, 56));
  EXPECT_EQ(boundsOf(facts, p.value("ahead")), Bounds(5, 61));
  EXPECT_EQ(boundsOf(facts, p.value("position")), Bounds(0, 60));
  EXPECT_EQ(boundsOf(facts, p.value("row")), Bounds(0, 61));
  EXPECT_EQ(boundsOf(facts, p.value("later")), Bounds(2, 63));
  EXPECT_EQ(boundsOf(facts, p.value("drained")), Bounds(0, 62));
}

TEST(Facts, AStepThatMayNotBePositiveSaysNothing) {
  Program p(Program::kernel("(%n: index, %s: index)", R"(
  %zero = index.constant 0 : index
  %count = index.assume %n [range(%n, 0, 64)] : index
  %step = index.assume %s [range(%s, 0, 4)] : index
  scf.for %row = [%zero to %count step %step] {
    %unused = index.constant 0 : index
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("row")), std::nullopt);
}

TEST(Facts, CarriedValuesGrowToTheirLimitAndTheAnalysisEnds) {
  Program p(Program::kernel("(%n: index)", R"(
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %hundred = index.constant 100 : index
  %sums, %caps, %through = scf.for %i = [%zero to %n step %one](%sum = %zero : index, %cap = %zero : index, %outer = %zero : index) -> (index, index, index) {
    %more = index.add %sum, %one : index
    %next = index.add %cap, %one : index
    %capped = index.min %next, %hundred : index
    %grown = index.add %outer, %one : index
    %inner = scf.for %j = [%zero to %n step %one](%passed = %grown : index) -> (index) {
      scf.yield %passed : index
    }
    scf.yield %more, %capped, %inner : index, index, index
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("sums")), Bounds(0, INT64_MAX));
  EXPECT_EQ(boundsOf(facts, p.value("caps")), Bounds(0, 100));
  EXPECT_EQ(boundsOf(facts, p.value("through")), Bounds(0, INT64_MAX));
}

TEST(Facts, ConditionsNarrowWhatTheyCompare) {
  Program p(Program::kernel("(%n: index, %i: index)", R"(
  %count = index.assume %n [range(%n, 0, 64)] : index
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %eight = index.constant 8 : index
  %large = index.cmp sge, %count, %eight : index
  scf.if %large {
    %a = index.sub %count, %eight : index
  } else {
    %b = index.sub %count, %eight : index
  }
  %inside = index.cmp ult, %i, %count : index
  %odd = index.cmp ne, %i, %one : index
  %both = scalar.andi %inside, %odd : i1
  scf.if %both {
    %c = index.add %i, %one : index
  } else {
    %d = index.add %i, %one : index
  }
  %full = index.cmp eq, %eight, %count : index
  scf.if %full {
    %e = index.add %count, %one : index
    scf.for %k = [%zero to %count step %one] {
      %f = index.add %k, %zero : index
    }
  }
  %impossible = index.cmp sgt, %count, %eight : index
  scf.if %impossible {
    %less = index.cmp slt, %count, %eight : index
    scf.if %less {
      %g = index.add %count, %one : index
    }
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(boundsOf(facts, p.value("a")), Bounds(0, 56));
  EXPECT_EQ(boundsOf(facts, p.value("b")), Bounds(-8, -1));
  EXPECT_EQ(boundsOf(facts, p.value("c")), Bounds(1, 64));
  EXPECT_FALSE(facts.isNonNegative(p.value("d")));
  EXPECT_EQ(facts.exact(p.value("e")), 9);
  EXPECT_EQ(boundsOf(facts, p.value("k")), Bounds(0, 7));
  // Never computed: nothing is claimed of it.
  EXPECT_EQ(boundsOf(facts, p.value("g")), std::nullopt);

  EXPECT_EQ(boundsOf(facts, p.value("count")), Bounds(0, 64));
  EXPECT_EQ(boundsOf(facts, p.value("count"), p.at("a")), Bounds(8, 64));
  EXPECT_EQ(boundsOf(facts, p.value("count"), p.at("b")), Bounds(0, 7));
  EXPECT_EQ(facts.exact(p.value("count"), p.at("e")), 8);
  // An alias of the compared value is compared too.
  EXPECT_EQ(boundsOf(facts, p.value("n"), p.at("a")), Bounds(8, INT64_MAX));
}

TEST(Facts, DifferencesFollowComparisonsAndSums) {
  Program p(Program::kernel("(%n: index, %m: index, %k: index)", R"(
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %five = index.constant 5 : index
  %n5 = index.add %n, %five : index
  %n3 = index.sub %n5, %two : index
  %below = index.assume %m [lt(%m, %n)] : index
  %least = index.min %n, %k : index
  %ordered = index.cmp sle, %n, %k : index
  scf.if %ordered {
    %place = index.constant 0 : index
  }
  scf.for %i = [%zero to %n step %one] {
    %inside = index.constant 0 : index
  })"));
  Facts facts(*p.module);
  EXPECT_EQ(facts.maxDifference(p.value("n5"), p.value("n")), 5);
  EXPECT_EQ(facts.maxDifference(p.value("n"), p.value("n3")), -3);
  EXPECT_EQ(facts.maxDifference(p.value("n3"), p.value("n5")), -2);
  EXPECT_EQ(facts.maxDifference(p.value("below"), p.value("n3")), -4);
  EXPECT_EQ(facts.maxDifference(p.value("m"), p.value("n")), std::nullopt);
  EXPECT_EQ(facts.maxDifference(p.value("least"), p.value("n5")), -5);
  EXPECT_EQ(facts.maxDifference(p.value("n"), p.value("k")), std::nullopt);
  EXPECT_EQ(facts.maxDifference(p.value("n"), p.value("k"), p.at("place")), 0);
  // Two steps: m < n <= k.
  EXPECT_EQ(facts.maxDifference(p.value("below"), p.value("k"), p.at("place")), -1);
  EXPECT_EQ(facts.maxDifference(p.value("i"), p.value("n"), p.at("inside")), -1);
  // A null value is zero.
  EXPECT_EQ(facts.maxDifference(Value(), p.value("i"), p.at("inside")), 0);
}

struct Trip {
  const char *lower, *upper, *step;
  std::optional<int64_t> count;
};

TEST(Facts, TripCountsAreExactOrUnknown) {
  Program p(Program::kernel("(%n: index, %m: index)", R"(
  %c0 = index.constant 0 : index
  %c1 = index.constant 1 : index
  %c4 = index.constant 4 : index
  %c9 = index.constant 9 : index
  %neg = index.constant -1 : index
  %low = index.constant -9223372036854775808 : index
  %high = index.constant 9223372036854775807 : index
  %small = index.assume %n [range(%n, 0, 4)] : index
  %n9 = index.add %n, %c9 : index
  %at_most = index.assume %m [le(%m, %n)] : index)"));
  Facts facts(*p.module);
  const Trip trips[] = {{"c0", "c9", "c1", 9},
                        {"c0", "c9", "c4", 3},
                        {"c1", "c9", "c4", 2},
                        {"c0", "c4", "c4", 1},
                        {"c0", "c1", "c4", 1},
                        {"c9", "c9", "c1", 0},
                        {"c9", "c4", "c1", 0},
                        {"c4", "small", "c1", 0},
                        {"c1", "small", "c1", std::nullopt},
                        {"n", "n9", "c1", 9},
                        {"n", "n9", "c4", 3},
                        {"n9", "n", "c1", 0},
                        {"n", "n", "c1", 0},
                        {"n", "at_most", "c1", 0},
                        {"at_most", "n", "c1", std::nullopt},
                        {"c0", "c9", "c0", std::nullopt},
                        {"c0", "c9", "neg", std::nullopt},
                        {"c0", "c9", "n", std::nullopt},
                        {"low", "high", "c1", std::nullopt},
                        {"c0", "high", "c4", 2305843009213693952}};
  for (const Trip &trip : trips)
    EXPECT_EQ(facts.tripCount(p.value(trip.lower), p.value(trip.upper), p.value(trip.step)),
              trip.count)
        << trip.lower << " to " << trip.upper << " step " << trip.step;
}

TEST(Facts, ContradictoryPromisesNeitherCrashNorHang) {
  Program p(Program::kernel(
      "(%n: index, %m: index) where [lt(%n, %m), lt(%m, %n), ge(%n, 5), le(%n, 1)]", R"(
  %a = index.assume %n [range(%n, 8, 9), lt(%n, 2)] : index
  %b = index.add %a, %m : index)"));
  Facts facts(*p.module);
  (void)facts.range(p.value("a"));
  (void)facts.range(p.value("b"));
  (void)facts.maxDifference(p.value("n"), p.value("m"));
  (void)facts.exact(p.value("n"));
}

} // namespace
