//===- Snapshot.cpp - Results as one object -------------------------------===//
#include "Documents.h"
#include "llvm/ADT/STLExtras.h"

namespace loom::bench {

static void addUnlessEmpty(Json &root, const char *key, Json rows) {
  if (!rows.empty())
    root[key] = std::move(rows);
}

/// What a planned item will cover.
static void addPlannedItem(Json &row, const RunDescription &run, const WorkItem &item,
                           const Candidate &candidate) {
  bool dispatches = run.policy.measure == Measure::DispatchComplete;
  row["kind"] = dispatches ? "dispatch_sample" : "case_end_to_end";
  row["representative_candidate_index"] = candidate.index;
  row["representative_candidate_id"] = candidate.id();
  row["benchmark"] = candidate.benchmark;
  row["case"] = candidate.subject->name;
  row["measure"] = stringifyMeasure(run.policy.measure).str();
  if (dispatches) {
    row["benchmark_sample_index"] = item.begin;
    row["case_sample_index"] = candidate.samples[item.begin];
    addMembers(row, sampleFields(candidate, item.begin));
  } else {
    row["benchmark_sample_begin"] = item.begin;
    row["benchmark_sample_end"] = item.end;
    row["sample_count"] = item.end - item.begin;
  }
}

static Json workItemsJson(const RunDescription &run, const BenchmarkPlan &plan,
                          const BenchmarkResults &results) {
  Json rows = Json::array();
  for (auto [index, item] : llvm::enumerate(plan.workItems)) {
    const Candidate &candidate = plan.candidates[item.candidate];
    const Evidence &evidence = results.workItems[index];
    Json row = {{"work_item_index", index}};
    if (run.dryRun) {
      row["state"] = stringifyRowState(evidence.state).str();
      addPlannedItem(row, run, item, candidate);
    } else {
      row["benchmark"] = candidate.benchmark;
      row["case"] = candidate.subject->name;
      row["state"] = stringifyRowState(evidence.state).str();
      if (item.end - item.begin == 1)
        addMembers(row, sampleFields(candidate, item.begin));
      addMembers(row, evidenceJson(run, evidence));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

static Json benchmarksJson(const BenchmarkPlan &plan, const BenchmarkResults &results) {
  Json rows = Json::array();
  for (const BenchmarkRow &planned : plan.rows) {
    const Candidate &candidate = plan.candidates[planned.candidate];
    Json row = candidateFields(candidate);
    if (planned.workItem)
      row["work_item_index"] = *planned.workItem;
    row["benchmark"] = candidate.benchmark;
    row["case"] = candidate.subject->name;
    row["state"] = stringifyRowState(stateOf(plan, results, planned)).str();
    if (planned.sample && !candidate.subject->parameters.empty())
      row["sample_index"] = candidate.samples[*planned.sample];
    rows.push_back(std::move(row));
  }
  return rows;
}

static Json failedSamplesJson(const BenchmarkPlan &plan, const BenchmarkResults &results) {
  Json rows = Json::array();
  for (const CheckedSample &sample : results.samples) {
    if (sample.result.passed())
      continue;
    const Candidate &candidate = plan.candidates[sample.candidate];
    Json row = candidateFields(candidate);
    row["work_item_index"] = sample.workItem;
    row["benchmark"] = candidate.benchmark;
    row["case"] = candidate.subject->name;
    row["benchmark_sample_index"] = sample.benchmarkSample;
    row["case_sample_index"] = sample.result.ordinal;
    addMembers(row, sampleFields(*candidate.subject, sample.result.ordinal));
    row["sample_result"] = toJson(sample.result);
    rows.push_back(std::move(row));
  }
  return rows;
}

static Json failuresJson(const BenchmarkPlan &plan) {
  Json rows = Json::array();
  for (const Candidate *candidate : unplanned(plan))
    rows.push_back(planningFailureJson(*candidate));
  return rows;
}

static Json repetitionsJson(const RunDescription &run, const BenchmarkPlan &plan,
                            const BenchmarkResults &results) {
  Json rows = Json::array();
  for (auto [order, turn] : llvm::enumerate(plan.repetitions)) {
    const Evidence &evidence = results.repetitions[order];
    Json row = candidateFields(plan.candidates[turn.candidate]);
    row["baseline_candidate_id"] = plan.candidates[0].id();
    row["comparison_group"] = kComparisonGroup;
    row["method"] = stringifyInterleave(run.interleave).str();
    row["order_index"] = order;
    row["repetition_index"] = turn.repetition;
    row["schedule_token"] = std::string(1, turn.token);
    row["state"] = stringifyRowState(evidence.state).str();
    if (!run.dryRun)
      addMembers(row, evidenceJson(run, evidence));
    rows.push_back(std::move(row));
  }
  return rows;
}

static Json comparisonsJson(const RunDescription &run, const BenchmarkPlan &plan,
                            const BenchmarkResults &results) {
  Json rows = Json::array();
  for (const Comparison &comparison : compareRepetitions(plan, results, run.policy.batchSize)) {
    uint64_t baseline = median(comparison.baseline.p50), compared = median(comparison.compared.p50);
    rows.push_back({{"comparison_group", kComparisonGroup},
                    {"method", stringifyInterleave(run.interleave).str()},
                    {"baseline_candidate_id", plan.candidates[0].id()},
                    {"candidate_id", plan.candidates[comparison.candidate].id()},
                    {"baseline_repetition_count", comparison.baseline.p50.size()},
                    {"candidate_repetition_count", comparison.compared.p50.size()},
                    {"p50_ns",
                     {{"baseline", baseline},
                      {"candidate", compared},
                      {"ratio", ratio(compared, baseline)},
                      {"speedup", ratio(baseline, compared)}}}});
  }
  return rows;
}

std::string toSnapshot(const RunDescription &run, const BenchmarkPlan &plan,
                       const BenchmarkResults &results) {
  Json root = {{"tool", "iree-benchmark-loom"},
               {"run_id", run.runId},
               {"source", run.source},
               {"results_path", run.resultsPath},
               {"file_output_dir", run.fileOutputDir}};
  if (run.bundle)
    root["artifact_bundle"] = bundleJson(*run.bundle);
  root["output_format"] = "snapshot";
  root["dry_run"] = run.dryRun;
  root["sanitizer"] = sanitizerJson(run);
  root["device"] = deviceJson(run);
  root["summary"] = summaryJson(run, plan, results);
  addUnlessEmpty(root, "work_items", workItemsJson(run, plan, results));
  addUnlessEmpty(root, "benchmarks", benchmarksJson(plan, results));
  addUnlessEmpty(root, "failed_samples", failedSamplesJson(plan, results));
  addUnlessEmpty(root, "failures", failuresJson(plan));
  addUnlessEmpty(root, "repetitions", repetitionsJson(run, plan, results));
  addUnlessEmpty(root, "comparisons", comparisonsJson(run, plan, results));
  return jsonLine(root);
}

} // namespace loom::bench
