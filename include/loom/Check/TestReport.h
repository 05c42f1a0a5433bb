//===- TestReport.h - What a run of checks found ----------------*- C++ -*-===//
//
// The model of a `loom.test.v0` document, its JSON and a summary for people.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_TESTREPORT_H
#define LOOM_CHECK_TESTREPORT_H

#include "loom/Check/Plan.h"
#include "loom/Runtime/Device.h"
#include "loom/Support/Json.h"

namespace loom::check {

/// An expectation that did not hold.
struct ExpectationFailure {
  uint64_t index = 0;                    ///< among the expectations of the case, in source order
  std::string kind;                      ///< "equal", "bitwise"
  uint64_t actualId = 0, expectedId = 0; ///< positions among the values of the case
  /// First mismatch for people: names, coordinates, both values, how many differ.
  std::string detail;
  std::optional<SourceLocation> location;
};

struct SampleResult {
  std::string caseName; ///< without `@`
  uint64_t ordinal = 0;
  std::vector<std::pair<std::string, std::string>> parameters; ///< names and values
  uint64_t expectationCount = 0;
  std::vector<ExpectationFailure> failures;
  /// Why the sample was not evaluated. When there is one, no expectation was.
  std::vector<runtime::Issue> issues;

  bool passed() const { return failures.empty() && issues.empty(); }
};

struct TestReport {
  uint64_t caseCount = 0; ///< cases that were planned
  std::vector<SampleResult> samples;
  std::vector<PlanningIssue> planningIssues;

  uint64_t failedSampleCount() const;
  /// No sample failed and nothing could not be planned.
  bool passed() const { return failedSampleCount() == 0 && planningIssues.empty(); }
};

/// The `loom.test.v0` document; jsonLine makes it one line.
Json toJson(const TestReport &report);

/// Says for each failing sample which expectation failed, where and how, and how to run it alone:
/// `rerun` is the command line without `--case` and `--sample`. Writes nothing about what passed.
void printSummary(llvm::raw_ostream &os, const TestReport &report, llvm::StringRef rerun);

} // namespace loom::check

#endif // LOOM_CHECK_TESTREPORT_H
