//===- TestReportTest.cpp - loom.test.v0 and the summary ------------------===//
#include "loom/Check/TestReport.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::check;

namespace {

SampleResult sample(llvm::StringRef name, uint64_t ordinal) {
  SampleResult result;
  result.caseName = name.str();
  result.ordinal = ordinal;
  result.expectationCount = 2;
  return result;
}

ExpectationFailure failure() {
  ExpectationFailure failure;
  failure.index = 1;
  failure.kind = "equal";
  failure.actualId = 2;
  failure.expectedId = 3;
  failure.detail = "%output[5] is 0.5, %expected[5] is 44.0";
  failure.location = SourceLocation{"t.loom", 9, 3, 9, 3};
  return failure;
}

std::string summary(const TestReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(os, report, "loom-test t.loom --config=d=3");
  return text;
}

/// The part of every document before the arrays.
std::string counts(unsigned cases, unsigned samples, unsigned failed, unsigned issues) {
  auto n = [](unsigned value) { return std::to_string(value); };
  return "{\"format\":\"loom.test.v0\",\"case_count\":" + n(cases) +
         ",\"scenario_count\":0,\"sample_count\":" + n(samples) +
         ",\"failed_sample_count\":" + n(failed) +
         ",\"trial_count\":0,\"failed_trial_count\":0,\"skipped_case_count\":0,"
         "\"planning_issue_count\":" +
         n(issues) + ",\"xfail_count\":0,\"xpass_count\":0,\"xfail_mismatch_count\":0,";
}

TEST(TestReport, AnEmptyRunHasEveryField) {
  EXPECT_EQ(jsonLine(toJson(TestReport())), counts(0, 0, 0, 0) +
                                                "\"samples\":[],\"trials\":[],\"skipped_cases\":[],"
                                                "\"planning_issues\":[],\"xfails\":[]}\n");
  EXPECT_TRUE(TestReport().passed());
  EXPECT_EQ(summary(TestReport()), "");
}

TEST(TestReport, SamplesKeepTheOrderOfTheirFields) {
  TestReport report;
  report.caseCount = 1;
  report.samples.push_back(sample("c", 0));
  report.samples.push_back(sample("c", 1));
  report.samples[1].failures.push_back(failure());
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(
      jsonLine(toJson(report)),
      counts(1, 2, 1, 0) +
          "\"samples\":[{\"case\":\"c\",\"sample_ordinal\":0,\"passed\":true,\"expectations\":"
          "{\"expectation_count\":2,\"passed_count\":2,\"failure_count\":0,\"failures\":[]}},"
          "{\"case\":\"c\",\"sample_ordinal\":1,\"passed\":false,\"expectations\":"
          "{\"expectation_count\":2,\"passed_count\":1,\"failure_count\":1,\"failures\":["
          "{\"index\":1,\"kind\":\"equal\",\"actual_value_id\":2,\"expected_value_id\":3,"
          "\"detail\":\"%output[5] is 0.5, %expected[5] is 44.0\"}]}}],"
          "\"trials\":[],\"skipped_cases\":[],\"planning_issues\":[],\"xfails\":[]}\n");
}

TEST(TestReport, IssuesOfSamplesAndPlans) {
  TestReport report;
  report.caseCount = 2;
  SampleResult result = sample("c", 0);
  result.expectationCount = 0;
  runtime::Issue issue;
  issue.category = runtime::Issue::Category::CompileRejected;
  issue.provider = "x86";
  issue.stage = "compile";
  issue.message = "no barriers";
  result.issues.push_back(issue);
  report.samples.push_back(result);
  PlanningIssue planning;
  planning.kind = PlanningIssueKind::UnsupportedCaseBodyOp;
  planning.message = "no";
  planning.caseName = "d";
  planning.caseIndex = 1;
  planning.op = "func.call";
  planning.location = SourceLocation{"t.loom", 4, 3, 4, 3};
  planning.fixHint = "remove it";
  report.planningIssues.push_back(planning);
  EXPECT_EQ(
      jsonLine(toJson(report)),
      counts(2, 1, 1, 1) +
          "\"samples\":[{\"case\":\"c\",\"sample_ordinal\":0,\"passed\":false,\"expectations\":"
          "{\"expectation_count\":0,\"passed_count\":0,\"failure_count\":0,\"failures\":[]},"
          "\"issues\":[{\"category\":\"compile_rejected\",\"provider\":\"x86\","
          "\"stage\":\"compile\",\"message\":\"no barriers\"}]}],"
          "\"trials\":[],\"skipped_cases\":[],\"planning_issues\":[{"
          "\"kind\":\"unsupported_case_body_op\",\"message\":\"no\",\"case\":\"d\","
          "\"case_index\":1,\"op\":\"func.call\",\"source_location\":{\"filename\":\"t.loom\","
          "\"start_line\":4,\"start_column\":3,\"end_line\":4,\"end_column\":3},"
          "\"fix_hint\":\"remove it\"}],\"xfails\":[]}\n");
  EXPECT_EQ(summary(report),
            "t.loom:4:3: error: case @d cannot be run: no [unsupported_case_body_op]\n"
            "  remove it\n"
            "FAILED: case @c, sample 0\n"
            "  not run: no barriers\n"
            "  run it alone: loom-test t.loom --config=d=3 --case=@c --sample=0\n"
            "1 of 1 samples failed\n");
}

TEST(TestReport, APlanningIssueAloneFailsTheRun) {
  TestReport report;
  report.planningIssues.emplace_back();
  EXPECT_EQ(report.failedSampleCount(), 0u);
  EXPECT_FALSE(report.passed());
}

TEST(TestReport, TheSummarySaysHowToRunASampleAlone) {
  TestReport report;
  report.samples.push_back(sample("passes", 0));
  report.samples.push_back(sample("c", 3));
  report.samples[1].parameters = {{"rows", "8"}, {"seed", "12"}};
  report.samples[1].failures.push_back(failure());
  EXPECT_EQ(summary(report),
            "FAILED: case @c, sample 3 (rows = 8, seed = 12)\n"
            "  t.loom:9:3: check.expect.equal: %output[5] is 0.5, %expected[5] is 44.0\n"
            "  run it alone: loom-test t.loom --config=d=3 --case=@c --sample=3\n"
            "1 of 2 samples failed\n");
}

TEST(TestReport, TheSummaryEndsAfterTwentySamples) {
  TestReport report;
  for (unsigned i = 0; i < 50; ++i) {
    report.samples.push_back(sample("c", i));
    report.samples[i].failures.push_back(failure());
  }
  std::string text = summary(report);
  EXPECT_NE(text.find("sample 19\n"), std::string::npos);
  EXPECT_EQ(text.find("sample 20\n"), std::string::npos);
  EXPECT_NE(text.find("... and 30 more failed samples; the report on standard output has all of "
                      "them\n50 of 50 samples failed\n"),
            std::string::npos);
}

} // namespace
