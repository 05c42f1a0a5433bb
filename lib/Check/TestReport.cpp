//===- TestReport.cpp - What a run of checks found ------------------------===//
#include "loom/Check/TestReport.h"

using namespace llvm;

namespace loom::check {

using runtime::Issue;

uint64_t TestReport::failedSampleCount() const {
  return count_if(samples, [](const SampleResult &sample) { return !sample.passed(); });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json expectationsJson(const SampleResult &sample) {
  Json failures = Json::array();
  for (const ExpectationFailure &failure : sample.failures) {
    Json row;
    row["index"] = failure.index;
    row["kind"] = failure.kind;
    row["actual_value_id"] = failure.actualId;
    row["expected_value_id"] = failure.expectedId;
    row["detail"] = failure.detail;
    failures.push_back(std::move(row));
  }
  Json expectations;
  expectations["expectation_count"] = sample.expectationCount;
  expectations["passed_count"] = sample.expectationCount - sample.failures.size();
  expectations["failure_count"] = sample.failures.size();
  expectations["failures"] = std::move(failures);
  return expectations;
}

static Json issueJson(const Issue &issue) {
  Json row;
  row["category"] =
      issue.category == Issue::Category::CompileRejected ? "compile_rejected" : "none";
  auto optional = [&](const char *key, const std::string &value) {
    if (!value.empty())
      row[key] = value;
  };
  optional("provider", issue.provider);
  optional("stage", issue.stage);
  optional("kind", issue.kind);
  optional("message", issue.message);
  return row;
}

static Json sampleJson(const SampleResult &sample) {
  Json row;
  row["case"] = sample.caseName;
  row["sample_ordinal"] = sample.ordinal;
  row["passed"] = sample.passed();
  row["expectations"] = expectationsJson(sample);
  if (!sample.issues.empty()) {
    Json issues = Json::array();
    for (const Issue &issue : sample.issues)
      issues.push_back(issueJson(issue));
    row["issues"] = std::move(issues);
  }
  return row;
}

static Json planningIssueJson(const PlanningIssue &issue) {
  Json row;
  row["kind"] = stringifyPlanningIssueKind(issue.kind).str();
  row["message"] = issue.message;
  row["case"] = issue.caseName;
  row["case_index"] = issue.caseIndex;
  row["op"] = issue.op;
  if (issue.location) {
    Json place;
    place["filename"] = issue.location->file;
    place["start_line"] = issue.location->startLine;
    place["start_column"] = issue.location->startColumn;
    place["end_line"] = issue.location->endLine;
    place["end_column"] = issue.location->endColumn;
    row["source_location"] = std::move(place);
  }
  if (!issue.fixHint.empty())
    row["fix_hint"] = issue.fixHint;
  return row;
}

Json toJson(const TestReport &report) {
  Json root;
  root["format"] = "loom.test.v0";
  root["case_count"] = report.caseCount;
  root["scenario_count"] = 0u;
  root["sample_count"] = report.samples.size();
  root["failed_sample_count"] = report.failedSampleCount();
  root["trial_count"] = 0u;
  root["failed_trial_count"] = 0u;
  root["skipped_case_count"] = 0u;
  root["planning_issue_count"] = report.planningIssues.size();
  root["xfail_count"] = 0u;
  root["xpass_count"] = 0u;
  root["xfail_mismatch_count"] = 0u;
  Json samples = Json::array(), issues = Json::array();
  for (const SampleResult &sample : report.samples)
    samples.push_back(sampleJson(sample));
  for (const PlanningIssue &issue : report.planningIssues)
    issues.push_back(planningIssueJson(issue));
  root["samples"] = std::move(samples);
  root["trials"] = Json::array();
  root["skipped_cases"] = Json::array();
  root["planning_issues"] = std::move(issues);
  root["xfails"] = Json::array();
  return root;
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

/// Beyond these the JSON document has to be read.
static constexpr uint64_t kShownSamples = 20;

static std::string placeOf(const std::optional<SourceLocation> &location) {
  return location ? stringifyPlace(*location) + ": " : "";
}

static void printSample(raw_ostream &os, const SampleResult &sample, StringRef rerun) {
  os << "FAILED: case @" << sample.caseName << ", sample " << sample.ordinal;
  if (!sample.parameters.empty()) {
    os << " (";
    interleaveComma(sample.parameters, os,
                    [&](const auto &entry) { os << entry.first << " = " << entry.second; });
    os << ')';
  }
  os << '\n';
  for (const Issue &issue : sample.issues)
    os << "  not run: " << issue.message << '\n';
  for (const ExpectationFailure &failure : sample.failures)
    os << "  " << placeOf(failure.location) << "check.expect." << failure.kind << ": "
       << failure.detail << '\n';
  os << "  run it alone: " << rerun << " --case=@" << sample.caseName
     << " --sample=" << sample.ordinal << '\n';
}

void printSummary(raw_ostream &os, const TestReport &report, StringRef rerun) {
  for (const PlanningIssue &issue : report.planningIssues) {
    os << placeOf(issue.location) << "error: case @" << issue.caseName
       << " cannot be run: " << issue.message << " [" << stringifyPlanningIssueKind(issue.kind)
       << "]\n";
    if (!issue.fixHint.empty())
      os << "  " << issue.fixHint << '\n';
  }
  uint64_t failed = report.failedSampleCount(), shown = 0;
  if (failed == 0)
    return;
  for (const SampleResult &sample : report.samples)
    if (!sample.passed() && shown++ < kShownSamples)
      printSample(os, sample, rerun);
  if (failed > kShownSamples)
    os << "... and " << failed - kShownSamples << " more failed samples; the report on standard "
       << "output has all of them\n";
  os << failed << " of " << report.samples.size() << " samples failed\n";
}

} // namespace loom::check
