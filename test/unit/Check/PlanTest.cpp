//===- PlanTest.cpp - Samples of cases and what cannot be planned ---------===//
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;
using runtime::Scalar;

namespace {

/// A case "c" around `body`, one operation a line, after a kernel with a buffer.
std::string caseOf(llvm::StringRef body) {
  return ("kernel.def @touch() {\n"
          "  %one = index.constant 1 : index\n"
          "  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : "
          "index\n"
          "} launch(%data: buffer) {\n"
          "  kernel.return\n"
          "}\n"
          "check.case public @c {\n" +
          body + "\n  check.return\n}\n")
      .str();
}

/// The values of every sample of the only case, one text per sample: "0 8".
std::vector<std::string> samplesOf(llvm::StringRef body, uint64_t limit = 4096) {
  Program program(caseOf(body));
  PlanOptions options;
  options.maxSamplesPerCase = limit;
  TestPlan plan = program.plan(options);
  for (const PlanningIssue &issue : plan.issues)
    ADD_FAILURE() << issue.message;
  std::vector<std::string> samples;
  for (uint64_t i = 0; i < plan.cases[0].sampleCount; ++i) {
    std::string text;
    for (const Scalar &value : plan.cases[0].parameterValues(i))
      text += (text.empty() ? "" : " ") + value.toText();
    samples.push_back(text);
  }
  return samples;
}

using Texts = std::vector<std::string>;

/// The issues of the only case, "kind op line:column message".
Texts issuesOf(const std::string &text) {
  Program program(text);
  TestPlan plan = program.plan();
  EXPECT_EQ(plan.cases.size(), 1u);
  EXPECT_EQ(plan.cases[0].sampleCount, 0u) << "a case with an issue has no samples";
  Texts texts;
  for (const PlanningIssue &issue : plan.issues) {
    EXPECT_EQ(issue.caseName, "c");
    EXPECT_TRUE(issue.location && issue.location->file == "t.loom");
    texts.push_back(stringifyPlanningIssueKind(issue.kind).str() + " " + issue.op + " " +
                    std::to_string(issue.location->startLine) + ":" +
                    std::to_string(issue.location->startColumn) + " " + issue.message);
  }
  return texts;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

TEST(Parameters, LinearRangesHoldBothEnds) {
  EXPECT_EQ(samplesOf("  %n = check.param.range linear bounds(2 to 5) : index"),
            (Texts{"2", "3", "4", "5"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range linear bounds(-4 to 4) step(3) : i8"),
            (Texts{"-4", "-1", "2"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range linear bounds(7 to 7) : i64"), (Texts{"7"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range linear bounds(0.5 to 2.0) step(0.5) : f32"),
            (Texts{"0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range linear bounds(0.0 to 0.9) step(0.5) : f64"),
            (Texts{"0.0", "0.5"}));
}

TEST(Parameters, PowersOfTwoBeginAtTheFirstOne) {
  EXPECT_EQ(samplesOf("  %n = check.param.range po2 bounds(3 to 20) : index"),
            (Texts{"4", "8", "16"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range po2 bounds(1 to 4) : i32"), (Texts{"1", "2", "4"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range po2 bounds(64 to 64) : index"), (Texts{"64"}));
  EXPECT_EQ(samplesOf("  %n = check.param.range po2 bounds(4611686018427387904 to "
                      "9223372036854775807) : i64"),
            (Texts{"4611686018427387904"}));
}

TEST(Parameters, ChoicesKeepOrderAndDuplicates) {
  EXPECT_EQ(samplesOf("  %n = check.param.choice values([8, 1, 8]) : index"),
            (Texts{"8", "1", "8"}));
}

TEST(Parameters, SeedsAreConsecutive) {
  EXPECT_EQ(samplesOf("  %s = check.param.seed base(-1) count(3) : i64"), (Texts{"-1", "0", "1"}));
}

TEST(Parameters, TheFirstVariesFastest) {
  EXPECT_EQ(samplesOf("  %m = check.param.choice values([8, 64]) name(\"rows\") : index\n"
                      "  %s = check.param.seed base(11) count(3) : i64"),
            (Texts{"8 11", "64 11", "8 12", "64 12", "8 13", "64 13"}));
}

TEST(Parameters, OrdinalsAreMixedRadixNumbers) {
  // Three parameters of 2, 3 and 5 values: sample i has the digits i % 2, i / 2 % 3, i / 6.
  Texts samples = samplesOf("  %a = check.param.range linear bounds(0 to 1) : index\n"
                            "  %b = check.param.range linear bounds(0 to 2) : index\n"
                            "  %c = check.param.range linear bounds(0 to 4) : index");
  ASSERT_EQ(samples.size(), 30u);
  unsigned ordinal = 0;
  for (unsigned c = 0; c < 5; ++c)
    for (unsigned b = 0; b < 3; ++b)
      for (unsigned a = 0; a < 2; ++a)
        EXPECT_EQ(samples[ordinal++],
                  std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c));
}

TEST(Parameters, WithoutAnyThereIsOneSample) { EXPECT_EQ(samplesOf(""), (Texts{""})); }

TEST(Parameters, TheLimitKeepsTheFirstSamples) {
  const char *body = "  %a = check.param.range linear bounds(0 to 99) : index\n"
                     "  %b = check.param.range linear bounds(0 to 99) : index";
  EXPECT_EQ(samplesOf(body).size(), 4096u);
  EXPECT_EQ(samplesOf(body, 3), (Texts{"0 0", "1 0", "2 0"}));
  Program program(caseOf(body));
  PlanOptions options;
  options.maxSamplesPerCase = 3;
  TestPlan plan = program.plan(options);
  EXPECT_TRUE(plan.cases[0].isTruncated());
  EXPECT_EQ(plan.cases[0].totalSamples, 10000u);
  options.maxSamplesPerCase = 10000;
  EXPECT_FALSE(program.plan(options).cases[0].isTruncated());
}

TEST(Parameters, HugeProductsDoNotOverflow) {
  const char *range = "check.param.range linear bounds(-9223372036854775807 to "
                      "9223372036854775807) : i64";
  Program program(caseOf(std::string("  %a = ") + range + "\n  %b = " + range));
  TestPlan plan = program.plan();
  EXPECT_EQ(plan.cases[0].totalSamples, UINT64_MAX);
  EXPECT_EQ(plan.cases[0].sampleCount, 4096u);
  EXPECT_EQ(plan.cases[0].parameterValues(1)[0].toInteger(), -9223372036854775806);
}

//===----------------------------------------------------------------------===//
// Planning issues
//===----------------------------------------------------------------------===//

TEST(Planning, ReportsInvalidParameters) {
  EXPECT_EQ(issuesOf(caseOf("  %a = check.param.range linear bounds(3 to 2) : index\n"
                            "  %b = check.param.range po2 bounds(5 to 7) : index\n"
                            "  %c = check.param.range linear bounds(0 to 255) : i8\n"
                            "  %d = check.param.range linear bounds(0.0 to inf) step(1.0) : f32\n"
                            "  %e = check.param.seed base(120) count(20) : i8")),
            (Texts{"invalid_parameter check.param.range 8:8 the range ends before it begins",
                   "invalid_parameter check.param.range 9:8 no power of two lies in the range",
                   "invalid_parameter check.param.range 10:8 the bounds do not fit i8",
                   "invalid_parameter check.param.range 11:8 the range has no values: its bounds "
                   "are finite and ascend, and its step is a number",
                   "invalid_parameter check.param.seed 12:8 the seeds 120 to 139 do not fit i8"}));
}

TEST(Planning, ReportsDuplicateParameterNames) {
  EXPECT_EQ(
      issuesOf(caseOf("  %a = check.param.choice values([1]) name(\"n\") : index\n"
                      "  %b = check.param.choice values([2]) name(\"n\") : index")),
      (Texts{"duplicate_parameter_name check.param.choice 9:8 two parameters of the case have "
             "the name \"n\"; the first one is at t.loom:8:8"}));
}

TEST(Planning, ReportsInvalidValueSources) {
  EXPECT_EQ(
      issuesOf(caseOf("  %a = check.generate.iota offset(0) step(1) : tensor<300xi8>\n"
                      "  %b = check.generate.fill value(0.0) : tensor<1073741825xf32>\n"
                      "  %s = check.literal value(1) : i64\n"
                      "  %c = check.generate.random.uniform seed(%s) range(0 to 200) : "
                      "tensor<4xi8>")),
      (Texts{"invalid_value_source check.generate.iota 8:8 element 128 does not fit i8",
             "invalid_value_source check.generate.fill 9:8 a tensor has at most 4294967296 bytes",
             "invalid_value_source check.generate.random.uniform 11:8 the range leaves i8"}));
}

TEST(Planning, ReportsOperationsThatACaseCannotRun) {
  EXPECT_EQ(
      issuesOf(caseOf("  %a = index.constant 3 : index")),
      (Texts{"unsupported_case_body_op index.constant 8:8 'index.constant' cannot be run by a "
             "case; a case has operations of 'check', calls of functions and kernel launches"}));
}

TEST(Planning, ReportsKernelsThatNothingDefines) {
  std::string text = "kernel.decl @gone() launch(%data: buffer)\n"
                     "check.case @c {\n"
                     "  %a = check.generate.fill value(0.0) : tensor<4xf32>\n"
                     "  kernel.launch @gone(%a) : (tensor<4xf32>)\n"
                     "  check.return\n"
                     "}\n";
  EXPECT_EQ(issuesOf(text), (Texts{"invalid_invocation kernel.launch 4:3 kernel @gone is declared "
                                   "and never defined"}));
}

TEST(Planning, AnIssueStopsOnlyItsCase) {
  Program program("check.case @bad {\n"
                  "  %a = check.param.range linear bounds(1 to 0) : index\n"
                  "  check.return\n"
                  "}\n"
                  "check.case @good {\n"
                  "  check.return\n"
                  "}\n");
  TestPlan plan = program.plan();
  ASSERT_EQ(plan.cases.size(), 2u);
  EXPECT_EQ(plan.cases[0].sampleCount, 0u);
  EXPECT_EQ(plan.cases[1].sampleCount, 1u);
  ASSERT_EQ(plan.issues.size(), 1u);
  EXPECT_EQ(plan.issues[0].caseName, "bad");
  EXPECT_EQ(plan.issues[0].caseIndex, 0u);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

std::string selectionError(Program &program, llvm::StringRef name) {
  PlanOptions options;
  options.caseName = name.str();
  llvm::Expected<TestPlan> plan = planCases(*program, options);
  return plan ? "none" : llvm::toString(plan.takeError());
}

TEST(Selection, ByNameWithAndWithoutAt) {
  Program program("check.case @sum_rows_short {\n  check.return\n}\n"
                  "check.case @sum_rows_full {\n  check.return\n}\n"
                  "check.benchmark<@sum_rows_full> @sum_rows_64\n");
  EXPECT_EQ(program.plan().cases.size(), 2u);
  for (const char *name : {"sum_rows_full", "@sum_rows_full", " @sum_rows_full "}) {
    PlanOptions options;
    options.caseName = name;
    TestPlan plan = program.plan(options);
    ASSERT_EQ(plan.cases.size(), 1u) << name;
    EXPECT_EQ(plan.cases[0].name, "sum_rows_full");
    EXPECT_EQ(plan.cases[0].index, 1u);
  }
  EXPECT_EQ(selectionError(program, "@sum_row_full"),
            "there is no case @sum_row_full; did you mean 'sum_rows_full'?");
  EXPECT_EQ(selectionError(program, "x"), "there is no case @x");
  Program empty("");
  EXPECT_EQ(selectionError(empty, "x"), "there is no case @x: the input has no check.case");
  EXPECT_TRUE(empty.plan().cases.empty());
}

} // namespace
