//===- Rows.cpp - Results as one object a line ----------------------------===//
//
// In this order: run, plan of each candidate, device, failures of planning, compile, sample,
// benchmark (in a comparison benchmark.repetition and comparison), summary.
//
//===----------------------------------------------------------------------===//
#include "Documents.h"
#include "loom/Report/ReportDocument.h"
#include "llvm/ADT/STLExtras.h"

namespace loom::bench {

namespace {
class RowWriter {
public:
  RowWriter(const RunDescription &run, const BenchmarkPlan &plan, const BenchmarkResults &results)
      : run(run), plan(plan), results(results) {}

  std::string write();

private:
  void add(const char *kind, const Json &fields);
  void addRun();
  void addPlan(const Candidate &candidate);
  void addCompile(const CompileRow &compile);
  void addSample(const CheckedSample &sample);
  void addBenchmark(const BenchmarkRow &planned);
  void addRepetition(uint64_t order);
  void addComparison(const Comparison &comparison);
  Json resultJson(const Candidate &candidate, RowState state, std::optional<uint64_t> sample,
                  const Evidence *evidence);

  const RunDescription &run;
  const BenchmarkPlan &plan;
  const BenchmarkResults &results;
  std::string text;
};
} // namespace

void RowWriter::add(const char *kind, const Json &fields) {
  Json row = {{"row", kind}, {"run_id", run.runId}};
  addMembers(row, fields);
  text += jsonLine(row);
}

void RowWriter::addRun() {
  Json row = {{"tool", "iree-benchmark-loom"},
              {"source", run.source},
              {"results_path", run.resultsPath},
              {"file_output_dir", run.fileOutputDir}};
  if (run.bundle)
    row["artifact_bundle"] = bundleJson(*run.bundle);
  row["dry_run"] = run.dryRun;
  row["sanitizer"] = sanitizerJson(run);
  add("run", row);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static void addCaseParameters(Json &row, const check::CasePlan &subject) {
  if (subject.parameters.empty())
    return;
  row["case_sample_count"] = subject.sampleCount;
  row["case_cartesian_sample_count"] = subject.totalSamples;
  row["case_sample_count_truncated"] = subject.isTruncated();
  Json parameters = Json::array();
  for (auto [index, parameter] : llvm::enumerate(subject.parameters))
    parameters.push_back({{"name", parameter.name().empty() ? "param_" + std::to_string(index)
                                                            : parameter.name().str()},
                          {"kind", parameter.kind().str()},
                          {"sample_count", parameter.count()}});
  row["case_parameters"] = std::move(parameters);
}

static void addDispatchPolicy(Json &row, const RunDescription &run) {
  const MeasurePolicy &policy = run.policy;
  row["batch_size"] = policy.batchSize;
  row["min_time_ns"] = policy.minTimeNs;
  row["warmup_time_ns"] = policy.warmupTimeNs;
  row["max_batches"] = policy.maxBatches;
  row["stable_p90_to_p50_ppm"] = policy.stablePpm;
  row["profile_final_batch"] = false;
  row["data_cache_policy"] = {{"validity", "check_ops"},
                              {"cache_policy", "binding_ring"},
                              {"input_ring_min_bytes", run.ring.minBytes},
                              {"input_ring_count", run.ring.count}};
}

void RowWriter::addPlan(const Candidate &candidate) {
  const check::CasePlan &subject = *candidate.subject;
  Json row = candidateFields(candidate);
  row["benchmark"] = candidate.benchmark;
  row["case"] = subject.name;
  row["measure"] = stringifyMeasure(run.policy.measure).str();
  row["warmup_iterations"] = run.policy.warmupIterations;
  row["iterations"] = run.policy.iterations;
  row["benchmark_sample_count"] = candidate.samples.size();
  row["benchmark_cartesian_sample_count"] = candidate.totalSamples;
  row["benchmark_sample_count_truncated"] = candidate.isTruncated(run.maxSamples);
  if (run.selectedSample)
    row["selected_sample"] = *run.selectedSample;
  row["kernel_launch_count"] = subject.launches.size();
  if (subject.launches.size() == 1) {
    KernelLaunchOp launch = subject.launches.front();
    row["kernel_entry"] = launch.getKernel().str();
    row["kernel_argument_count"] = launch.getArguments().size();
  }
  addCaseParameters(row, subject);
  Json overrides = Json::object();
  for (const auto &[flag, wasGiven] : run.overrides)
    overrides[flag] = wasGiven;
  row["cli_overrides"] = std::move(overrides);
  if (run.policy.measure == Measure::DispatchComplete)
    addDispatchPolicy(row, run);
  add("plan", row);
}

//===----------------------------------------------------------------------===//
// What happened
//===----------------------------------------------------------------------===//

void RowWriter::addCompile(const CompileRow &compile) {
  const Candidate &candidate = plan.candidates[compile.candidate];
  Json row = candidateFields(candidate);
  row["benchmark"] = candidate.benchmark;
  row["case"] = candidate.subject->name;
  row["entry"] = compile.entry;
  row["state"] = compile.failure ? "failed" : "ok";
  if (compile.failure) {
    Failure failure = *compile.failure;
    failure.entry.clear();
    addMembers(row, failureJson(failure));
  }
  if (run.bundle && compile.report)
    row["compile_report_path"] = compileReportPath(run, candidate);
  if (compile.report)
    row["compile_report"] = report::toJson(*compile.report);
  add("compile", row);
}

void RowWriter::addSample(const CheckedSample &sample) {
  const Candidate &candidate = plan.candidates[sample.candidate];
  Json row = candidateFields(candidate);
  row["work_item_index"] = sample.workItem;
  addMembers(row, sampleFields(*candidate.subject, sample.result.ordinal));
  if (sample.benchmarkSample != sample.result.ordinal)
    row["benchmark_sample_ordinal"] = sample.benchmarkSample;
  row["sample_result"] = toJson(sample.result);
  add("sample", row);
}

Json RowWriter::resultJson(const Candidate &candidate, RowState state,
                           std::optional<uint64_t> sample, const Evidence *evidence) {
  Json result = {{"benchmark", candidate.benchmark},
                 {"case", candidate.subject->name},
                 {"state", stringifyRowState(state).str()}};
  if (sample)
    result["sample_ordinal"] = candidate.samples[*sample];
  if (!evidence || run.dryRun)
    return result;
  if (run.bundle && evidence->report)
    result["compile_report_path"] = compileReportPath(run, candidate);
  addMembers(result, evidenceJson(run, *evidence));
  return result;
}

void RowWriter::addBenchmark(const BenchmarkRow &planned) {
  const Candidate &candidate = plan.candidates[planned.candidate];
  Json row = candidateFields(candidate);
  if (planned.workItem)
    row["work_item_index"] = *planned.workItem;
  addMembers(row, sampleFields(candidate, planned.sample));
  row["benchmark_result"] =
      resultJson(candidate, stateOf(plan, results, planned), planned.sample,
                 planned.workItem ? &results.workItems[*planned.workItem] : nullptr);
  add("benchmark", row);
}

void RowWriter::addRepetition(uint64_t order) {
  const Repetition &turn = plan.repetitions[order];
  const Candidate &candidate = plan.candidates[turn.candidate];
  std::optional<uint64_t> sample;
  if (!candidate.samples.empty())
    sample = 0;
  Json row = candidateFields(candidate);
  addMembers(row, sampleFields(candidate, sample));
  row["comparison_group"] = kComparisonGroup;
  row["baseline_candidate_id"] = plan.candidates[0].id();
  row["method"] = stringifyInterleave(run.interleave).str();
  row["order_index"] = order;
  row["repetition_index"] = turn.repetition;
  row["schedule_token"] = std::string(1, turn.token);
  const Evidence &evidence = results.repetitions[order];
  row["benchmark_result"] = resultJson(candidate, evidence.state, sample, &evidence);
  add("benchmark.repetition", row);
}

void RowWriter::addComparison(const Comparison &comparison) {
  const Comparison::Side &baseline = comparison.baseline, &compared = comparison.compared;
  uint64_t baseP50 = median(baseline.p50), baseP90 = median(baseline.p90);
  uint64_t p50 = median(compared.p50), p90 = median(compared.p90);
  add("comparison", {{"comparison_group", kComparisonGroup},
                     {"method", stringifyInterleave(run.interleave).str()},
                     {"baseline_candidate_id", plan.candidates[0].id()},
                     {"candidate_id", plan.candidates[comparison.candidate].id()},
                     {"baseline_repetition_count", baseline.p50.size()},
                     {"candidate_repetition_count", compared.p50.size()},
                     {"baseline_p50_ns", baseP50},
                     {"candidate_p50_ns", p50},
                     {"baseline_p90_ns", baseP90},
                     {"candidate_p90_ns", p90},
                     {"baseline_p50_spread_ppm", rangePpm(baseline.p50)},
                     {"candidate_p50_spread_ppm", rangePpm(compared.p50)},
                     {"baseline_p90_spread_ppm", rangePpm(baseline.p90)},
                     {"candidate_p90_spread_ppm", rangePpm(compared.p90)},
                     {"ratio_p50", ratio(p50, baseP50)},
                     {"speedup_p50", ratio(baseP50, p50)},
                     {"ratio_p90", ratio(p90, baseP90)},
                     {"speedup_p90", ratio(baseP90, p90)}});
}

std::string RowWriter::write() {
  addRun();
  for (const Candidate &candidate : plan.candidates)
    addPlan(candidate);
  add("device", deviceJson(run));
  for (const Candidate *candidate : unplanned(plan))
    add("failure", planningFailureJson(*candidate));
  for (const CompileRow &compile : results.compiles)
    addCompile(compile);
  for (const CheckedSample &sample : results.samples)
    addSample(sample);
  if (plan.isComparison()) {
    for (uint64_t order = 0; order < plan.repetitions.size(); ++order)
      addRepetition(order);
    for (const Comparison &comparison : compareRepetitions(plan, results, run.policy.batchSize))
      addComparison(comparison);
  } else {
    for (const BenchmarkRow &planned : plan.rows)
      addBenchmark(planned);
  }
  add("summary", {{"dry_run", run.dryRun}, {"summary", summaryJson(run, plan, results)}});
  return std::move(text);
}

std::string toRows(const RunDescription &run, const BenchmarkPlan &plan,
                   const BenchmarkResults &results) {
  return RowWriter(run, plan, results).write();
}

} // namespace loom::bench
