//===- Summary.cpp - Results for people -----------------------------------===//
#include "loom/Bench/Summary.h"
#include "Documents.h"
#include "loom/Bench/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace loom::bench {

static std::string nameOf(const Candidate &candidate, std::optional<uint64_t> sample) {
  std::string name = "@" + candidate.benchmark;
  if (sample && !candidate.subject->parameters.empty())
    name += ", sample " + std::to_string(candidate.samples[*sample]);
  return name;
}

static void printBatches(llvm::raw_ostream &os, const MeasurePolicy &policy,
                         const Evidence &evidence) {
  Distribution operation = evidence.batches->batches.dividedBy(policy.batchSize);
  os << "p50 " << readableTime(operation.p50) << ", p90 " << readableTime(operation.p90)
     << " (batches: " << operation.count << " of " << policy.batchSize << ", "
     << stringifyStopReason(evidence.batches->stop) << ")";
  for (llvm::StringRef warning :
       timingWarnings(policy, *evidence.batches, evidence.dispatchesPerOperation))
    os << "\n  " << warning;
  os << '\n';
}

static void printRow(llvm::raw_ostream &os, const RunDescription &run, const Candidate &candidate,
                     std::optional<uint64_t> sample, const Evidence &evidence) {
  if (!evidence.iterations && !evidence.batches)
    return;
  os << nameOf(candidate, sample) << ": ";
  if (evidence.batches)
    return printBatches(os, run.policy, evidence);
  const Distribution &times = evidence.iterations->iterations;
  os << "p50 " << readableTime(times.p50) << ", p90 " << readableTime(times.p90) << " ("
     << times.count << " iterations, samples: " << evidence.samplesPerIteration << ")\n";
}

void printTimes(llvm::raw_ostream &os, const RunDescription &run, const BenchmarkPlan &plan,
                const BenchmarkResults &results) {
  if (!plan.isComparison())
    for (const BenchmarkRow &row : plan.rows)
      if (row.workItem)
        printRow(os, run, plan.candidates[row.candidate], row.sample,
                 results.workItems[*row.workItem]);
  for (auto [turn, evidence] : llvm::zip_equal(plan.repetitions, results.repetitions))
    printRow(os, run, plan.candidates[turn.candidate], 0, evidence);
  for (const Comparison &comparison : compareRepetitions(plan, results, run.policy.batchSize)) {
    uint64_t baseline = median(comparison.baseline.p50), compared = median(comparison.compared.p50);
    os << "@" << plan.candidates[comparison.candidate].benchmark << " takes "
       << llvm::format("%.3f", ratio(compared, baseline)) << " times as long as @"
       << plan.candidates[0].benchmark << " (p50 " << readableTime(compared) << " and "
       << readableTime(baseline) << ")\n";
  }
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static void printPlanningIssues(llvm::raw_ostream &os, const Candidate &candidate) {
  for (const check::PlanningIssue &issue : candidate.issues) {
    if (issue.location)
      os << stringifyPlace(*issue.location) << ": ";
    os << "error: benchmark @" << candidate.benchmark << " cannot be measured: " << issue.message
       << " [" << stringifyPlanningIssueKind(issue.kind) << "]\n";
    if (!issue.fixHint.empty())
      os << "  " << issue.fixHint << '\n';
  }
}

/// A failure that a failed sample is not there to explain.
static void printEvidence(llvm::raw_ostream &os, const Candidate &candidate,
                          const Evidence &evidence) {
  if (!evidence.failure || evidence.failedSamples != 0)
    return;
  const Failure &failure = *evidence.failure;
  if (evidence.state == RowState::Skipped) {
    os << "skipped: benchmark @" << candidate.benchmark << ": " << failure.message << " ["
       << failure.kind << "]\n";
    return;
  }
  os << "error: benchmark @" << candidate.benchmark << " was not measured: ";
  // The compiler has said why.
  if (failure.stage == "compile" && failure.diagnostics && !failure.diagnostics->empty())
    os << "kernel @" << failure.entry << " does not compile\n";
  else
    os << failure.message << " [" << failure.stage << ", " << failure.kind << "]\n";
}

void printFailures(llvm::raw_ostream &os, const BenchmarkPlan &plan,
                   const BenchmarkResults &results, llvm::StringRef rerun) {
  for (const Candidate *candidate : unplanned(plan))
    printPlanningIssues(os, *candidate);
  for (auto [item, evidence] : llvm::zip_equal(plan.workItems, results.workItems))
    printEvidence(os, plan.candidates[item.candidate], evidence);
  for (auto [turn, evidence] : llvm::zip_equal(plan.repetitions, results.repetitions))
    if (evidence.checkedSamples != 0)
      printEvidence(os, plan.candidates[turn.candidate], evidence);
  check::TestReport report;
  for (const CheckedSample &sample : results.samples)
    report.samples.push_back(sample.result);
  printSummary(os, report, rerun);
}

} // namespace loom::bench
