//===- ExpectedFailures.cpp - Records that are expected to fail -----------===//
#include "loom/Check/TestReport.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace loom::check {

using Outcome = ExpectedFailure::Outcome;

StringRef stringifyOutcome(Outcome outcome) {
  switch (outcome) {
  case Outcome::XFail:
    return "xfail";
  case Outcome::Pass:
    return "pass";
  case Outcome::XPass:
    return "xpass";
  case Outcome::DiagnosticMismatch:
    return "diagnostic_mismatch";
  case Outcome::NotExecuted:
    return "not_executed";
  }
  llvm_unreachable("covered switch");
}

/// "TARGET/002".
static bool isCode(StringRef text) {
  auto [domain, number] = text.split('/');
  return !domain.empty() && all_of(domain, [](char c) { return isUpper(c) || c == '_'; }) &&
         number.size() == 3 && all_of(number, isDigit);
}

Expected<ExpectedFailure> parseExpectedFailure(StringRef text, bool mayPass) {
  ExpectedFailure expected;
  auto [record, codes] = text.split('=');
  record = record.trim();
  record.consume_front("@");
  SmallVector<StringRef> list;
  codes.split(list, ',');
  if (record.empty() || !all_of(list, [](StringRef code) { return isCode(code.trim()); }))
    return createStringError("'" + text +
                             "' is not of the form @record=DOMAIN/NNN, with ',' "
                             "between several codes");
  expected.record = record.str();
  expected.diagnostic = codes.str();
  expected.mayPass = mayPass;
  return expected;
}

/// The diagnostic behind a failed run; empty when it has none.
static StringRef diagnosticOf(const RunResult &result) {
  for (const runtime::Issue &issue : result.issues)
    if (!issue.diagnostic.empty())
      return issue.diagnostic;
  for (const ExpectationFailure &failure : result.failures)
    if (!failure.diagnostic.empty())
      return failure.diagnostic;
  return {};
}

/// All samples or trials of a record.
static std::vector<const RunResult *> resultsOf(const TestReport &report, StringRef record) {
  std::vector<const RunResult *> results;
  for (const SampleResult &sample : report.samples)
    if (sample.caseName == record)
      results.push_back(&sample);
  for (const TrialResult &trial : report.trials)
    if (trial.scenario == record)
      results.push_back(&trial);
  return results;
}

static void decide(const TestReport &report, ExpectedFailure &expected) {
  std::vector<const RunResult *> results = resultsOf(report, expected.record);
  expected.outcome = results.empty()    ? Outcome::NotExecuted
                     : expected.mayPass ? Outcome::Pass
                                        : Outcome::XPass;
  SmallVector<StringRef> codes;
  StringRef(expected.diagnostic).split(codes, ',');
  for (const RunResult *result : results) {
    if (result->passed())
      continue;
    StringRef observed = diagnosticOf(*result);
    bool isExpected = any_of(codes, [&](StringRef code) { return code.trim() == observed; });
    if (isExpected) {
      expected.outcome = Outcome::XFail;
      continue;
    }
    expected.outcome = Outcome::DiagnosticMismatch;
    expected.observed = observed.str();
    return;
  }
}

void applyExpectedFailures(TestReport &report, std::vector<ExpectedFailure> expected) {
  for (ExpectedFailure &one : expected)
    decide(report, one);
  report.expectedFailures = std::move(expected);
}

} // namespace loom::check
