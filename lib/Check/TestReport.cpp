//===- TestReport.cpp - What a run of checks found ------------------------===//
#include "loom/Check/TestReport.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace loom::check {

using runtime::Issue;

uint64_t TestReport::failedSampleCount() const {
  return count_if(samples, [](const SampleResult &sample) { return !sample.passed(); });
}

uint64_t TestReport::failedTrialCount() const {
  return count_if(trials, [](const TrialResult &trial) { return !trial.passed(); });
}

uint64_t TestReport::count(ExpectedFailure::Outcome outcome) const {
  return count_if(expectedFailures,
                  [&](const ExpectedFailure &expected) { return expected.outcome == outcome; });
}

/// Whether the record of that name failed as it was expected to.
static bool isAccepted(const TestReport &report, StringRef record) {
  return any_of(report.expectedFailures, [&](const ExpectedFailure &expected) {
    return expected.record == record && expected.outcome == ExpectedFailure::Outcome::XFail;
  });
}

bool TestReport::passed() const {
  using Outcome = ExpectedFailure::Outcome;
  auto isFine = [&](const RunResult &result, StringRef record) {
    return result.passed() || isAccepted(*this, record);
  };
  return planningIssues.empty() && count(Outcome::XPass) == 0 &&
         count(Outcome::DiagnosticMismatch) == 0 && count(Outcome::NotExecuted) == 0 &&
         all_of(samples,
                [&](const SampleResult &sample) { return isFine(sample, sample.caseName); }) &&
         all_of(trials, [&](const TrialResult &trial) { return isFine(trial, trial.scenario); });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json placeJson(const SourceLocation &place) {
  Json row;
  row["filename"] = place.file;
  row["start_line"] = place.startLine;
  row["start_column"] = place.startColumn;
  row["end_line"] = place.endLine;
  row["end_column"] = place.endColumn;
  return row;
}

static Json idJson(std::optional<uint64_t> id) { return id ? Json(*id) : Json(nullptr); }

static Json expectationsJson(const RunResult &result, bool withPlaces) {
  Json failures = Json::array();
  for (const ExpectationFailure &failure : result.failures) {
    Json row;
    row["index"] = failure.index;
    row["kind"] = failure.kind;
    row["actual_value_id"] = idJson(failure.actualId);
    row["expected_value_id"] = idJson(failure.expectedId);
    row["detail"] = failure.detail;
    if (withPlaces && failure.location)
      row["source_location"] = placeJson(*failure.location);
    failures.push_back(std::move(row));
  }
  Json expectations;
  expectations["expectation_count"] = result.expectationCount;
  expectations["passed_count"] = result.expectationCount - result.failures.size();
  expectations["failure_count"] = result.failures.size();
  expectations["failures"] = std::move(failures);
  return expectations;
}

static void setIfAny(Json &row, const char *key, const std::string &value) {
  if (!value.empty())
    row[key] = value;
}

static Json issueJson(const Issue &issue) {
  Json row;
  row["category"] =
      issue.category == Issue::Category::CompileRejected ? "compile_rejected" : "none";
  setIfAny(row, "provider", issue.provider);
  setIfAny(row, "stage", issue.stage);
  setIfAny(row, "kind", issue.kind);
  setIfAny(row, "message", issue.message);
  return row;
}

static void addIssues(Json &row, const RunResult &result) {
  if (result.issues.empty())
    return;
  Json issues = Json::array();
  for (const Issue &issue : result.issues)
    issues.push_back(issueJson(issue));
  row["issues"] = std::move(issues);
}

Json toJson(const SampleResult &sample) {
  Json row;
  row["case"] = sample.caseName;
  row["sample_ordinal"] = sample.ordinal;
  row["passed"] = sample.passed();
  row["expectations"] = expectationsJson(sample, /*withPlaces=*/false);
  addIssues(row, sample);
  return row;
}

/// 64 bits as text: a number of JSON keeps no more than 53 of them in many readers.
static std::string hexText(uint64_t value) {
  std::string text;
  raw_string_ostream(text) << format_hex(value, 18);
  return text;
}

static Json trialJson(const TrialResult &trial) {
  Json row;
  row["scenario"] = trial.scenario;
  row["entropy"] = hexText(trial.entropy);
  row["configuration_ordinal"] = trial.configuration;
  row["trial_index"] = trial.index;
  row["trial_ordinal"] = trial.ordinal;
  row["passed"] = trial.passed();
  row["expectations"] = expectationsJson(trial, /*withPlaces=*/true);
  addIssues(row, trial);
  return row;
}

static Json skippedJson(const SkippedCase &skipped) {
  Json row;
  row["case"] = skipped.caseName;
  row["provider"] = skipped.provider;
  row["op"] = skipped.op;
  row["code"] = skipped.code;
  setIfAny(row, "display_message", skipped.message);
  return row;
}

Json toJson(const PlanningIssue &issue) {
  Json row;
  row["kind"] = stringifyPlanningIssueKind(issue.kind).str();
  row["message"] = issue.message;
  row["case"] = issue.caseName;
  row["case_index"] = issue.caseIndex;
  if (issue.benchmarkIndex) {
    row["benchmark"] = issue.benchmarkName;
    row["benchmark_index"] = *issue.benchmarkIndex;
  }
  row["op"] = issue.op;
  if (issue.location)
    row["source_location"] = placeJson(*issue.location);
  setIfAny(row, "fix_hint", issue.fixHint);
  return row;
}

static Json expectedFailureJson(const ExpectedFailure &expected) {
  Json row;
  row["record"] = "@" + expected.record;
  row["diagnostic"] = expected.diagnostic;
  row["outcome"] = stringifyOutcome(expected.outcome).str();
  setIfAny(row, "observed_diagnostic", expected.observed);
  row["policy"] = expected.mayPass ? "allow_failure" : "strict";
  return row;
}

template <typename Rows, typename Convert> static Json rowsJson(const Rows &rows, Convert convert) {
  Json array = Json::array();
  for (const auto &row : rows)
    array.push_back(convert(row));
  return array;
}

Json toJson(const TestReport &report) {
  using Outcome = ExpectedFailure::Outcome;
  Json root;
  root["format"] = "loom.test.v0";
  root["case_count"] = report.caseCount;
  root["scenario_count"] = report.scenarioCount;
  root["sample_count"] = report.samples.size();
  root["failed_sample_count"] = report.failedSampleCount();
  root["trial_count"] = report.trials.size();
  root["failed_trial_count"] = report.failedTrialCount();
  root["skipped_case_count"] = report.skipped.size();
  root["planning_issue_count"] = report.planningIssues.size();
  root["xfail_count"] = report.count(Outcome::XFail);
  root["xpass_count"] = report.count(Outcome::XPass);
  root["xfail_mismatch_count"] =
      report.count(Outcome::DiagnosticMismatch) + report.count(Outcome::NotExecuted);
  root["samples"] = rowsJson(report.samples, [](const SampleResult &row) { return toJson(row); });
  root["trials"] = rowsJson(report.trials, trialJson);
  root["skipped_cases"] = rowsJson(report.skipped, skippedJson);
  root["planning_issues"] =
      rowsJson(report.planningIssues, [](const PlanningIssue &row) { return toJson(row); });
  root["xfails"] = rowsJson(report.expectedFailures, expectedFailureJson);
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

/// The line of the source that `location` is in, with a mark below its column; nothing when the
/// file cannot be read again.
static void printSourceLine(raw_ostream &os, const SourceLocation &location) {
  auto file = llvm::MemoryBuffer::getFile(location.file);
  if (!file)
    return;
  StringRef rest = (*file)->getBuffer(), line;
  for (unsigned number = 0; number < location.startLine; ++number) {
    if (rest.empty())
      return;
    std::tie(line, rest) = rest.split('\n');
  }
  line = line.rtrim('\r');
  if (location.startColumn < 1 || location.startColumn > line.size())
    return;
  os << "    " << line << "\n    ";
  for (char c : line.take_front(location.startColumn - 1))
    os << (c == '\t' ? '\t' : ' ');
  os << "^\n";
}

/// What failed in a sample or trial, line by line.
static void printFailures(raw_ostream &os, const RunResult &result) {
  for (const Issue &issue : result.issues)
    os << "  not run: " << issue.message << '\n';
  for (const ExpectationFailure &failure : result.failures) {
    os << "  " << placeOf(failure.location);
    if (failure.isUnexpectedEvent)
      os << "error: ";
    else if (failure.kind != "none")
      os << "check.expect" << (failure.kind == "custom" ? "" : "." + failure.kind) << ": ";
    os << failure.detail << '\n';
    if (failure.isUnexpectedEvent && failure.location)
      printSourceLine(os, *failure.location);
  }
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
  printFailures(os, sample);
  os << "  run it alone: " << rerun << " --case=@" << sample.caseName
     << " --sample=" << sample.ordinal << '\n';
}

static void printTrial(raw_ostream &os, const TrialResult &trial, StringRef rerun) {
  os << "FAILED: scenario @" << trial.scenario << ", trial " << trial.ordinal
     << " (configuration = " << trial.configuration << ", trial = " << trial.index
     << ", entropy = " << hexText(trial.entropy) << ")\n";
  printFailures(os, trial);
  os << "  run it alone: " << rerun << " --case=@" << trial.scenario << " --trial=" << trial.ordinal
     << '\n';
}

static void printPlanning(raw_ostream &os, const TestReport &report) {
  for (const PlanningIssue &issue : report.planningIssues) {
    os << placeOf(issue.location) << "error: ";
    if (issue.benchmarkIndex)
      os << "benchmark @" << issue.benchmarkName;
    else
      os << (issue.isScenario ? "scenario" : "case") << " @" << issue.caseName;
    os << " cannot be run: " << issue.message << " [" << stringifyPlanningIssueKind(issue.kind)
       << "]\n";
    if (!issue.fixHint.empty())
      os << "  " << issue.fixHint << '\n';
    if (issue.location)
      printSourceLine(os, *issue.location);
  }
  for (const SkippedCase &skipped : report.skipped)
    os << placeOf(skipped.location) << "skipped: case @" << skipped.caseName << ": "
       << skipped.message << " [" << skipped.code << "]\n";
}

static void printExpectedFailures(raw_ostream &os, const TestReport &report) {
  using Outcome = ExpectedFailure::Outcome;
  for (const ExpectedFailure &expected : report.expectedFailures) {
    std::string record = "@" + expected.record + " ";
    if (expected.outcome == Outcome::XPass)
      os << "FAILED: " << record << "was expected to fail with " << expected.diagnostic
         << " and passed\n";
    else if (expected.outcome == Outcome::DiagnosticMismatch)
      os << "FAILED: " << record << "was expected to fail with " << expected.diagnostic
         << " and failed with " << (expected.observed.empty() ? "no diagnostic" : expected.observed)
         << '\n';
    else if (expected.outcome == Outcome::NotExecuted)
      os << "FAILED: " << record << "was expected to fail with " << expected.diagnostic
         << " and was not run\n";
  }
}

void printSummary(raw_ostream &os, const TestReport &report, StringRef rerun) {
  printPlanning(os, report);
  printExpectedFailures(os, report);
  uint64_t failed = 0, shown = 0;
  auto show = [&](const RunResult &result, StringRef record, auto print) {
    if (result.passed() || isAccepted(report, record))
      return;
    ++failed;
    if (shown++ < kShownSamples)
      print();
  };
  for (const SampleResult &sample : report.samples)
    show(sample, sample.caseName, [&] { printSample(os, sample, rerun); });
  for (const TrialResult &trial : report.trials)
    show(trial, trial.scenario, [&] { printTrial(os, trial, rerun); });
  if (failed == 0)
    return;
  if (failed > kShownSamples)
    os << "... and " << failed - kShownSamples << " more failed samples; the report on standard "
       << "output has all of them\n";
  os << failed << " of " << report.samples.size() + report.trials.size() << " samples failed\n";
}

} // namespace loom::check
