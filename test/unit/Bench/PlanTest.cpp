//===- PlanTest.cpp - What is measured, and in which order ----------------===//
#include "loom/Bench/Plan.h"
#include "BenchFixture.h"
#include "gmock/gmock.h"

using namespace loom;
using namespace loom::bench;
using check::PlanningIssueKind;
using check::Program;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Planned {
public:
  explicit Planned(const std::string &records, SelectionOptions options = {})
      : program(std::string(kCopyProgram) + records), made(planBenchmarks(*program, options)) {
    if (!made)
      error = llvm::toString(made.takeError());
  }

  BenchmarkPlan *operator->() { return &*made; }
  const Candidate &operator[](size_t index) { return made->candidates[index]; }

  std::string error;

private:
  Program program;
  llvm::Expected<BenchmarkPlan> made;
};

std::string turns(const std::vector<Repetition> &repetitions) {
  std::string text;
  for (const Repetition &turn : repetitions)
    text += turn.token + std::to_string(turn.repetition) + ' ';
  return text;
}

TEST(BenchPlan, AnAssignmentSelectsSamples) {
  Planned plan("check.benchmark<@copy_case> @small {rows = 8}\n"
               "check.benchmark<@copy_case> @large {rows = 64}\n"
               "check.benchmark<@copy_case> @one {seed = 13, rows = 64}\n");
  EXPECT_EQ(plan->benchmarkCount, 3u);
  EXPECT_THAT(plan[0].samples, ElementsAre(0, 2, 4));
  EXPECT_THAT(plan[1].samples, ElementsAre(1, 3, 5));
  EXPECT_THAT(plan[2].samples, ElementsAre(5));
  EXPECT_EQ(plan[2].id(), "c2");
  EXPECT_EQ(plan->sampleCount(), 7u);
}

TEST(BenchPlan, WithoutAssignmentsAllSamplesAreMeasured) {
  Planned plan("check.benchmark<@copy_case>\n");
  EXPECT_EQ(plan[0].benchmark, "copy"); // without `_case`
  EXPECT_THAT(plan[0].samples, ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_EQ(plan->workItems.size(), 1u);
  EXPECT_EQ(plan->workItems[0].end, 6u);
  ASSERT_EQ(plan->rows.size(), 1u);
  EXPECT_FALSE(plan->rows[0].sample);
}

TEST(BenchPlan, DispatchesAreMeasuredSampleBySample) {
  SelectionOptions options;
  options.measure = Measure::DispatchComplete;
  Planned plan("check.benchmark<@copy_case> @small {rows = 8}\n", options);
  ASSERT_EQ(plan->workItems.size(), 3u);
  EXPECT_EQ(plan->workItems[1].begin, 1u);
  EXPECT_EQ(plan->workItems[1].end, 2u);
  ASSERT_EQ(plan->rows.size(), 3u);
  EXPECT_EQ(*plan->rows[2].sample, 2u);
}

TEST(BenchPlan, TheSameWorkIsDoneOnce) {
  std::string records = "check.benchmark<@copy_case> @a {rows = 8}\n"
                        "check.benchmark<@copy_case> @b {rows = 8}\n"
                        "check.benchmark<@copy_case> @c\n";
  Planned plan(records);
  ASSERT_EQ(plan->workItems.size(), 2u);
  EXPECT_EQ(*plan->rows[1].workItem, 0u);
  EXPECT_EQ(*plan->rows[2].workItem, 1u);

  SelectionOptions options;
  options.measure = Measure::DispatchComplete;
  Planned dispatches(records, options);
  EXPECT_EQ(dispatches->workItems.size(), 6u);
  EXPECT_EQ(dispatches->rows.size(), 12u);
}

TEST(BenchPlan, SamplesAreLimited) {
  SelectionOptions options;
  options.maxSamples = 2;
  Planned plan("check.benchmark<@copy_case> @large {rows = 64}\n", options);
  EXPECT_THAT(plan[0].samples, ElementsAre(1, 3));
  EXPECT_EQ(plan[0].totalSamples, 3u);
  EXPECT_TRUE(plan[0].isTruncated(2));
  EXPECT_FALSE(plan[0].isTruncated(3));
}

TEST(BenchPlan, OneSampleCanBeSelected) {
  SelectionOptions options;
  options.sample = 3;
  Planned plan("check.benchmark<@copy_case> @large {rows = 64}\n", options);
  EXPECT_THAT(plan[0].samples, ElementsAre(3));
  EXPECT_EQ(*plan->rows[0].sample, 0u);
  options.sample = 2;
  EXPECT_EQ(Planned("check.benchmark<@copy_case> @large {rows = 64}\n", options).error,
            "benchmark @large does not measure sample 2 of case @copy_case");
}

TEST(BenchPlan, ACaseCanBeMeasuredWithoutABenchmark) {
  SelectionOptions options;
  options.caseName = "@copy_case";
  Planned plan("", options);
  EXPECT_EQ(plan[0].benchmark, "copy_case");
  EXPECT_EQ(plan[0].samples.size(), 6u);
  options.caseName = "copy_cas";
  EXPECT_EQ(Planned("", options).error, "there is no case @copy_cas; did you mean 'copy_case'?");
}

TEST(BenchPlan, NamesThatNothingHasAreErrors) {
  EXPECT_THAT(Planned("").error, HasSubstr("the input has no check.benchmark"));
  SelectionOptions options;
  options.benchmark = "smal";
  EXPECT_EQ(Planned("check.benchmark<@copy_case> @small\n", options).error,
            "there is no benchmark @smal; did you mean 'small'?");
}

TEST(BenchPlan, BadAssignmentsAreIssuesOfTheirBenchmark) {
  Planned plan("check.benchmark<@copy_case> @bad {row = 8, seed = 14}\n"
               "check.benchmark<@copy_case> @good {rows = 8}\n"
               "check.benchmark<@copy_case> @real {rows = 8.0}\n");
  ASSERT_EQ(plan[0].issues.size(), 2u);
  const check::PlanningIssue &unknown = plan[0].issues[0];
  EXPECT_EQ(unknown.kind, PlanningIssueKind::InvalidBenchmarkAssignment);
  EXPECT_EQ(unknown.message, "@copy_case has no parameter with the name 'row'; did you mean "
                             "'rows'?");
  EXPECT_EQ(unknown.benchmarkName, "bad");
  EXPECT_EQ(*unknown.benchmarkIndex, 0u);
  EXPECT_EQ(unknown.op, "check.benchmark");
  EXPECT_EQ(plan[0].issues[1].message,
            "the value of 'seed' is none of the values of the parameter");
  EXPECT_TRUE(plan[0].samples.empty());
  EXPECT_FALSE(plan->rows[0].workItem);
  EXPECT_EQ(plan[1].samples.size(), 3u);
  EXPECT_EQ(plan[2].issues[0].message, "the value of 'rows' is no integer");
}

TEST(BenchPlan, DispatchesNeedALaunch) {
  SelectionOptions options;
  options.measure = Measure::DispatchComplete;
  std::string text = "check.case @none {\n  check.return\n}\ncheck.benchmark<@none>\n";
  Planned plan(text, options);
  ASSERT_EQ(plan[0].issues.size(), 1u);
  EXPECT_EQ(plan[0].issues[0].kind, PlanningIssueKind::InvalidBenchmarkCase);
  EXPECT_TRUE(Planned(text)[0].issues.empty());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position of a literal among the values of a parameter; 99 for none.
uint64_t position(const std::string &parameter, const std::string &literal) {
  Program program("check.case @c {\n  %p = check.param." + parameter +
                  "\n  check.return\n}\ncheck.benchmark<@c> {p = " + literal + "}\n");
  check::TestPlan plan = program.plan();
  EXPECT_TRUE(plan.issues.empty()) << parameter;
  CheckBenchmarkOp op = *(*program).getOps<CheckBenchmarkOp>().begin();
  std::string reason;
  std::optional<uint64_t> found =
      positionOf(plan.cases[0].parameters[0], op.getAssignments()->begin()->getValue(), reason);
  EXPECT_EQ(found.has_value(), reason.empty());
  return found.value_or(99);
}

TEST(BenchPlan, ValuesArePlacedInTheirParameter) {
  std::string choice = "choice values([5, 8, 5, -1]) name(\"p\") : index";
  EXPECT_EQ(position(choice, "8"), 1u);
  EXPECT_EQ(position(choice, "5"), 0u); // the first of two
  EXPECT_EQ(position(choice, "-1"), 3u);
  EXPECT_EQ(position(choice, "6"), 99u);

  std::string linear = "range linear bounds(-4 to 10) step(3) name(\"p\") : i32";
  EXPECT_EQ(position(linear, "-4"), 0u);
  EXPECT_EQ(position(linear, "8"), 4u);
  EXPECT_EQ(position(linear, "9"), 99u);
  EXPECT_EQ(position(linear, "11"), 99u); // beyond the last
  EXPECT_EQ(position(linear, "-7"), 99u);

  std::string powers = "range po2 bounds(3 to 64) name(\"p\") : index";
  EXPECT_EQ(position(powers, "4"), 0u);
  EXPECT_EQ(position(powers, "64"), 4u);
  EXPECT_EQ(position(powers, "2"), 99u);

  std::string seeds = "seed base(-1) count(3) name(\"p\") : i64";
  EXPECT_EQ(position(seeds, "1"), 2u);
  EXPECT_EQ(position(seeds, "2"), 99u);

  std::string reals = "range linear bounds(0.0 to 1.0) step(0.1) name(\"p\") : f32";
  EXPECT_EQ(position(reals, "0.3"), 3u);
  EXPECT_EQ(position(reals, "1.0"), 10u);
  EXPECT_EQ(position(reals, "1"), 10u);
  EXPECT_EQ(position(reals, "0.30000000001"), 3u);
  EXPECT_EQ(position(reals, "0.31"), 99u);
  EXPECT_EQ(position(reals, "-0.1"), 99u);
}

TEST(BenchPlan, AHugeRangeIsPlacedAtOnce) {
  EXPECT_EQ(
      position("range linear bounds(0 to 9000000000000000000) step(2) name(\"p\") : index", "18"),
      9u);
}

TEST(BenchPlan, SamplesThatCannotBeNumberedAreAnIssue) {
  std::string text = "check.case @vast {\n";
  for (std::string name : {"a", "b", "c"})
    text += "  %" + name + " = check.param.range linear bounds(0 to 9000000000000000000) name(\"" +
            name + "\") : index\n";
  text += "  check.return\n}\n";
  Planned low(text + "check.benchmark<@vast> {a = 5, b = 0, c = 0}\n");
  EXPECT_THAT(low[0].samples, ElementsAre(5));
  Planned high(text + "check.benchmark<@vast> {a = 0, b = 0, c = 1}\n");
  ASSERT_EQ(high[0].issues.size(), 1u);
  EXPECT_EQ(high[0].issues[0].message, "the case has more samples than can be numbered");
  EXPECT_TRUE(high[0].samples.empty());
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

TEST(BenchPlan, TheBaselineOfAbabaIsAroundTheOther) {
  EXPECT_EQ(turns(scheduleRepetitions(2, Interleave::Ababa, 2)), "A0 B0 A1 B1 A2 ");
  EXPECT_EQ(turns(scheduleRepetitions(2, Interleave::Ababa, 1)), "A0 B0 A1 ");
}

TEST(BenchPlan, RoundRobinTakesTurns) {
  EXPECT_EQ(turns(scheduleRepetitions(3, Interleave::RoundRobin, 2)), "A0 B0 C0 A1 B1 C1 ");
}

const char *const kThree = "check.benchmark<@copy_case> @a {rows = 8, seed = 11}\n"
                           "check.benchmark<@copy_case> @b {rows = 64, seed = 11}\n"
                           "check.benchmark<@copy_case> @all\n";

SelectionOptions comparing(std::vector<std::string> names) {
  SelectionOptions options;
  options.compare = std::move(names);
  options.measure = Measure::DispatchComplete;
  return options;
}

TEST(BenchPlan, ComparedBenchmarksHaveWorkOfTheirOwn) {
  Planned plan(kThree, comparing({"@b", " a", "@b"}));
  EXPECT_THAT(plan.error, HasSubstr("--interleave=ABABA compares two benchmarks"));
  SelectionOptions options = comparing({"@b", " a", "@b"});
  options.interleave = Interleave::RoundRobin;
  Planned all(kThree, options);
  EXPECT_EQ(all[0].benchmark, "b");
  EXPECT_EQ(all[1].benchmark, "a");
  EXPECT_EQ(all->workItems.size(), 3u);
  EXPECT_TRUE(all->isComparison());
  EXPECT_EQ(all->repetitions.size(), 6u);
}

TEST(BenchPlan, ComparisonsThatCannotBeMade) {
  EXPECT_THAT(Planned(kThree, comparing({"@a"})).error, HasSubstr("at least two"));
  EXPECT_THAT(Planned(kThree, comparing({"@a", ""})).error, HasSubstr("an empty name"));
  EXPECT_THAT(Planned(kThree, comparing({"@a", "@bb"})).error, HasSubstr("no benchmark @bb"));
  EXPECT_THAT(Planned(kThree, comparing({"@a", "@all"})).error,
              HasSubstr("benchmark @all measures 6 samples; --compare needs one"));
  std::string twice = "check.benchmark<@copy_case>\ncheck.benchmark<@copy_case>\n";
  EXPECT_THAT(Planned(kThree + twice, comparing({"@copy", "@b"})).error,
              HasSubstr("two benchmarks have the name @copy"));
}

TEST(BenchPlan, ASelectedSampleMakesAComparisonPossible) {
  SelectionOptions options = comparing({"@all", "@all"});
  options.sample = 4;
  Planned plan(kThree, options);
  EXPECT_THAT(plan[1].samples, ElementsAre(4));
}

} // namespace
