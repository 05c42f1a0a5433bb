//===- Results.cpp - What a run of benchmarks found -----------------------===//
#include "loom/Bench/Results.h"
#include "Documents.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace loom::bench {

llvm::StringRef stringifyRowState(RowState state) {
  switch (state) {
  case RowState::Planned:
    return "planned";
  case RowState::Ok:
    return "ok";
  case RowState::Failed:
    return "failed";
  case RowState::Skipped:
    return "skipped";
  }
  llvm_unreachable("covered switch");
}

BenchmarkResults BenchmarkResults::planned(const BenchmarkPlan &plan) {
  BenchmarkResults results;
  results.workItems.resize(plan.workItems.size());
  results.repetitions.resize(plan.repetitions.size());
  results.reports.resize(plan.candidates.size());
  return results;
}

uint64_t BenchmarkResults::failedSampleCount() const {
  return llvm::count_if(samples,
                        [](const CheckedSample &sample) { return !sample.result.passed(); });
}

std::vector<Comparison> compareRepetitions(const BenchmarkPlan &plan,
                                           const BenchmarkResults &results, uint64_t batchSize) {
  std::vector<Comparison::Side> sides(plan.candidates.size());
  for (auto [turn, evidence] : llvm::zip_equal(plan.repetitions, results.repetitions)) {
    if (evidence.state != RowState::Ok || !evidence.batches)
      continue;
    Distribution operation = evidence.batches->batches.dividedBy(batchSize);
    sides[turn.candidate].p50.push_back(operation.p50);
    sides[turn.candidate].p90.push_back(operation.p90);
  }
  std::vector<Comparison> comparisons;
  for (uint64_t candidate = 1; plan.isComparison() && candidate < sides.size(); ++candidate)
    if (!sides[0].p50.empty() && !sides[candidate].p50.empty())
      comparisons.push_back({candidate, sides[0], sides[candidate]});
  return comparisons;
}

RowState stateOf(const BenchmarkPlan &plan, const BenchmarkResults &results,
                 const BenchmarkRow &row) {
  if (!row.workItem)
    return RowState::Failed;
  RowState state = results.workItems[*row.workItem].state;
  if (state != RowState::Ok)
    return state;
  for (auto [turn, evidence] : llvm::zip_equal(plan.repetitions, results.repetitions))
    if (turn.candidate == row.candidate && evidence.state != RowState::Ok)
      return evidence.state;
  return state;
}

bool succeeded(const BenchmarkPlan &plan, const BenchmarkResults &results) {
  return llvm::all_of(plan.rows, [&](const BenchmarkRow &row) {
    RowState state = stateOf(plan, results, row);
    return state != RowState::Failed && !(state == RowState::Skipped && plan.isComparison());
  });
}

/// Samples that were checked before a timing, turns of a comparison included.
static uint64_t checkedSamples(const BenchmarkResults &results, uint64_t Evidence::*count) {
  uint64_t sum = 0;
  for (const std::vector<Evidence> *list : {&results.workItems, &results.repetitions})
    for (const Evidence &evidence : *list)
      sum += evidence.*count;
  return sum;
}

Json summaryJson(const RunDescription &run, const BenchmarkPlan &plan,
                 const BenchmarkResults &results) {
  std::vector<bool> failed(plan.candidates.size());
  for (const BenchmarkRow &row : plan.rows)
    if (stateOf(plan, results, row) == RowState::Failed)
      failed[row.candidate] = true;
  Json summary = {{"planned",
                   {{"case_count", plan.cases.cases.size()},
                    {"benchmark_count", plan.benchmarkCount},
                    {"selected_benchmark_count", plan.candidates.size()},
                    {"logical_sample_count", plan.sampleCount()},
                    {"work_item_count", plan.workItems.size()}}},
                  {"failures",
                   {{"row_count", unplanned(plan).size()},
                    {"failed_benchmark_count", llvm::count(failed, true)}}},
                  {"correctness",
                   {{"sample_count", checkedSamples(results, &Evidence::checkedSamples)},
                    {"failed_sample_count", checkedSamples(results, &Evidence::failedSamples)}}}};
  if (!run.bundle)
    return summary;
  uint64_t reports =
      llvm::count_if(results.reports, [](const auto &report) { return report.has_value(); });
  summary["artifacts"] = {{"bundle_enabled", true},          {"profile_count", 0u},
                          {"compile_report_count", reports}, {"artifact_manifest_count", 0u},
                          {"target_artifact_count", 0u},     {"target_listing_count", 0u},
                          {"hal_executable_count", 0u}};
  return summary;
}

} // namespace loom::bench
