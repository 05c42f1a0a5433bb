//===- ExpectedFailuresTest.cpp - Records that are expected to fail -------===//
#include "loom/Check/TestReport.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::check;
using Outcome = ExpectedFailure::Outcome;

namespace {

SampleResult sample(llvm::StringRef name, llvm::StringRef diagnostic) {
  SampleResult result;
  result.caseName = name.str();
  if (diagnostic != "passes") {
    result.issues.emplace_back();
    result.issues[0].diagnostic = diagnostic.str();
  }
  return result;
}

/// The outcome for @c, whose samples have these diagnostics, and whether the run is good.
std::pair<Outcome, bool> decide(llvm::ArrayRef<const char *> samples, llvm::StringRef codes,
                                bool mayPass = false) {
  TestReport report;
  for (const char *diagnostic : samples)
    report.samples.push_back(sample("c", diagnostic));
  applyExpectedFailures(report,
                        {llvm::cantFail(parseExpectedFailure(("@c=" + codes).str(), mayPass))});
  return {report.expectedFailures[0].outcome, report.passed()};
}

using Decision = std::pair<Outcome, bool>;

TEST(ExpectedFailures, EveryFailedSampleHasToFailAsExpected) {
  EXPECT_EQ(decide({"TYPE/001"}, "TYPE/001"), Decision(Outcome::XFail, true));
  EXPECT_EQ(decide({"TYPE/001", "passes"}, "TYPE/001"), Decision(Outcome::XFail, true));
  EXPECT_EQ(decide({"TYPE/001", "TARGET/002"}, "TYPE/001"),
            Decision(Outcome::DiagnosticMismatch, false));
  EXPECT_EQ(decide({"TYPE/001", "TARGET/002"}, "TYPE/001,TARGET/002"),
            Decision(Outcome::XFail, true));
  EXPECT_EQ(decide({""}, "TYPE/001"), Decision(Outcome::DiagnosticMismatch, false));
  EXPECT_EQ(decide({"passes", "passes"}, "TYPE/001"), Decision(Outcome::XPass, false));
  EXPECT_EQ(decide({"passes", "passes"}, "TYPE/001", true), Decision(Outcome::Pass, true));
  EXPECT_EQ(decide({"TYPE/001"}, "TYPE/001", true), Decision(Outcome::XFail, true));
  EXPECT_EQ(decide({}, "TYPE/001", true), Decision(Outcome::NotExecuted, false));
}

TEST(ExpectedFailures, CountersStayRaw) {
  TestReport report;
  report.samples = {sample("c", "TYPE/001"), sample("d", "TYPE/001")};
  applyExpectedFailures(report, {llvm::cantFail(parseExpectedFailure("c=TYPE/001", false))});
  EXPECT_EQ(report.failedSampleCount(), 2u);
  EXPECT_FALSE(report.passed()); // @d was not expected to
  Json json = toJson(report);
  EXPECT_EQ(json["failed_sample_count"], 2u);
  EXPECT_EQ(json["xfail_count"], 1u);
  EXPECT_EQ(json["xfails"][0].dump(),
            "{\"record\":\"@c\",\"diagnostic\":\"TYPE/001\",\"outcome\":\"xfail\",\"policy\":"
            "\"strict\"}");
}

TEST(ExpectedFailures, CountTrialsToo) {
  TestReport report;
  TrialResult trial;
  trial.scenario = "s";
  trial.issues.emplace_back();
  trial.issues[0].diagnostic = "TARGET/002";
  report.trials = {trial};
  EXPECT_FALSE(report.passed());
  applyExpectedFailures(report, {llvm::cantFail(parseExpectedFailure("@s=TARGET/002", false))});
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(toJson(report)["failed_trial_count"], 1u);
}

} // namespace
