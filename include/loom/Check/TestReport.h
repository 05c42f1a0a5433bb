//===- TestReport.h - What a run of checks found ----------------*- C++ -*-===//
//
// The model of a `loom.test.v0` document, its JSON and a summary for people.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_TESTREPORT_H
#define LOOM_CHECK_TESTREPORT_H

#include "loom/Check/Conditions.h"
#include "loom/Runtime/Device.h"
#include "loom/Support/Json.h"

namespace loom::check {

/// An expectation that did not hold.
struct ExpectationFailure {
  uint64_t index = 0; ///< among the expectations of the case, in source order
  /// "equal", "bitwise", "close", "shape", "custom", "event"; "none" for a file that could not be
  /// written.
  std::string kind;
  /// Positions among the values of the case; nothing where no value is compared.
  std::optional<uint64_t> actualId, expectedId;
  /// First mismatch for people: names, coordinates, both values, how many differ.
  std::string detail;
  std::optional<SourceLocation> location;
  /// Code of a diagnostic, "TARGET/002"; empty when there is none.
  std::string diagnostic;
  /// An event of the device that nobody expected: `location` is where it happened.
  bool isUnexpectedEvent = false;
};

/// What running a sample or a trial to its end found.
struct RunResult {
  uint64_t expectationCount = 0;
  std::vector<ExpectationFailure> failures;
  /// Why the expectations were not evaluated. When there is one, none was.
  std::vector<runtime::Issue> issues;

  bool passed() const { return failures.empty() && issues.empty(); }
};

struct SampleResult : RunResult {
  std::string caseName; ///< without `@`
  uint64_t ordinal = 0;
  std::vector<std::pair<std::string, std::string>> parameters; ///< names and values
};

struct TrialResult : RunResult {
  std::string scenario;       ///< without `@`
  uint64_t entropy = 0;       ///< the source of everything random in the trial
  uint64_t configuration = 0; ///< below ScenarioPlan::configurations
  uint64_t index = 0;         ///< in its check.trial
  uint64_t ordinal = 0;       ///< over all configurations and trials of the scenario
};

/// One `--xfail` or `--allow-failure`: a record that is expected, or allowed, to fail with one of
/// the diagnostics.
struct ExpectedFailure {
  std::string record;     ///< symbol of a case or scenario, without `@`
  std::string diagnostic; ///< as it was given: "TYPE/001,TARGET/002"
  bool mayPass = false;   ///< `--allow-failure`

  enum class Outcome { XFail, Pass, XPass, DiagnosticMismatch, NotExecuted };
  Outcome outcome = Outcome::NotExecuted;
  std::string observed; ///< of a mismatch with a known diagnostic
};
llvm::StringRef stringifyOutcome(ExpectedFailure::Outcome outcome);

/// Parses `@record=DOMAIN/NNN[,DOMAIN/NNN...]`.
llvm::Expected<ExpectedFailure> parseExpectedFailure(llvm::StringRef text, bool mayPass);

struct TestReport {
  uint64_t caseCount = 0;     ///< cases that were planned
  uint64_t scenarioCount = 0; ///< scenarios that were planned
  std::vector<SampleResult> samples;
  std::vector<TrialResult> trials;
  std::vector<SkippedCase> skipped;
  std::vector<PlanningIssue> planningIssues;
  std::vector<ExpectedFailure> expectedFailures;

  uint64_t failedSampleCount() const;
  uint64_t failedTrialCount() const;
  uint64_t count(ExpectedFailure::Outcome outcome) const;
  /// No sample or trial failed beyond those that were expected to, nothing could not be planned,
  /// and what was expected to fail failed as expected.
  bool passed() const;
};

/// Decides the outcome of each of `expected` and adds it to the report. A record fails when one of
/// its samples or trials fails; all of those have to fail with one of the diagnostics.
void applyExpectedFailures(TestReport &report, std::vector<ExpectedFailure> expected);

/// The `loom.test.v0` document; jsonLine makes it one line.
Json toJson(const TestReport &report);
/// One of its `samples`, as other documents embed it.
Json toJson(const SampleResult &sample);
/// One of its `planning_issues`.
Json toJson(const PlanningIssue &issue);

/// Says for each failing sample which expectation failed, where and how, and how to run it alone:
/// `rerun` is the command line without `--case` and `--sample`. Says what was skipped and why.
/// Writes nothing about what passed.
void printSummary(llvm::raw_ostream &os, const TestReport &report, llvm::StringRef rerun);

} // namespace loom::check

#endif // LOOM_CHECK_TESTREPORT_H
