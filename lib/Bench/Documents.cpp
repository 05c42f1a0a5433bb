//===- Documents.cpp - Parts that both forms of a document share ----------===//
#include "Documents.h"
#include "loom/Report/ReportDocument.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace loom::bench {

using runtime::ElementType;
using runtime::Extents;
using runtime::Scalar;

void addMembers(Json &object, const Json &from) {
  for (const auto &[key, value] : from.items())
    object[key] = value;
}

void addText(Json &object, const char *key, const std::string &text) {
  if (!text.empty())
    object[key] = text;
}

double ratio(uint64_t dividend, uint64_t divisor) {
  return divisor == 0 ? 0
                      : roundTo(static_cast<double>(dividend) / static_cast<double>(divisor), 6);
}

//===----------------------------------------------------------------------===//
// Candidates and samples
//===----------------------------------------------------------------------===//

Json candidateFields(const Candidate &candidate) {
  return {{"candidate_id", candidate.id()}, {"candidate_index", candidate.index}};
}

static Json valueJson(const Scalar &value) {
  if (runtime::isFloat(value.type())) {
    if (!std::isfinite(value.toDouble()))
      return "nonfinite";
    return value.toDouble();
  }
  if (value.type() == ElementType::I1)
    return value.toInteger() != 0;
  if (value.type() == ElementType::Offset)
    return value.bits();
  return value.toInteger();
}

Json sampleFields(const check::CasePlan &subject, uint64_t ordinal) {
  Json fields = Json::object();
  if (subject.parameters.empty())
    return fields;
  Json values = Json::object(), positions = Json::object();
  std::vector<Scalar> bound = subject.parameterValues(ordinal);
  uint64_t rest = ordinal;
  for (auto [index, parameter] : llvm::enumerate(subject.parameters)) {
    std::string name =
        parameter.name().empty() ? "param_" + std::to_string(index) : parameter.name().str();
    values[name] = valueJson(bound[index]);
    positions[name] = rest % parameter.count();
    rest /= parameter.count();
  }
  fields["sample_id"] = "s" + std::to_string(ordinal);
  fields["sample_index"] = ordinal;
  fields["sample"] = {{"sample_ordinal", ordinal},
                      {"parameter_count", subject.parameters.size()},
                      {"parameters", std::move(values)},
                      {"parameter_ordinals", std::move(positions)}};
  return fields;
}

Json sampleFields(const Candidate &candidate, std::optional<uint64_t> position) {
  if (!position)
    return Json::object();
  return sampleFields(*candidate.subject, candidate.samples[*position]);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

Json sanitizerJson(const RunDescription &run) {
  return {{"checks", run.sanitizer}, {"reporting_mode", run.sanitizerReporting}};
}

Json bundleJson(const ArtifactBundle &bundle) {
  return {{"dir", bundle.dir}, {"policy", bundle.policy}};
}

Json deviceJson(const RunDescription &run) {
  const DeviceDescription &device = run.device;
  Json object = {{"device_uri", device.uri},
                 {"driver", device.driver},
                 {"provider", device.provider},
                 {"target_family", device.targetFamily},
                 {"state", device.id.empty() ? "planned" : "created"}};
  if (!device.id.empty()) {
    object["device_id"] = device.id;
    object["device_spec"] = device.spec;
  }
  return object;
}

std::string compileReportPath(const RunDescription &run, const Candidate &candidate) {
  return "compile_reports/" + run.runId + "_" + candidate.id() + "_compile_report.json";
}

Json compileReportEnvelope(const RunDescription &run, const Candidate &candidate,
                           llvm::StringRef entry, const report::CompileReport &report) {
  Json row = {{"type", "compile_report"}, {"run_id", run.runId}};
  addMembers(row, candidateFields(candidate));
  row["benchmark"] = candidate.benchmark;
  row["case"] = candidate.subject->name;
  addText(row, "entry", entry.str());
  row["state"] = report.status.code == 0 ? "ok" : "failed";
  row["compile_report"] = report::toJson(report);
  return row;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static void addDiagnostics(Json &object, const std::vector<report::DiagnosticRow> &diagnostics) {
  auto count = [&](llvm::StringRef severity) {
    return llvm::count_if(
        diagnostics, [&](const report::DiagnosticRow &row) { return row.severity == severity; });
  };
  object["diagnostic_error_count"] = count("error");
  object["diagnostic_warning_count"] = count("warning");
  object["diagnostic_remark_count"] = count("remark");
  Json rows = Json::array();
  for (const report::DiagnosticRow &diagnostic : diagnostics) {
    Json row = {{"severity", diagnostic.severity}};
    addText(row, "location", diagnostic.location);
    row["message"] = diagnostic.message;
    rows.push_back(std::move(row));
  }
  object["diagnostics"] = std::move(rows);
}

Json failureJson(const Failure &failure) {
  Json object = Json::object();
  addText(object, "entry", failure.entry);
  object["stage"] = failure.stage;
  object["kind"] = failure.kind;
  addText(object, "message", failure.message);
  if (failure.diagnostics)
    addDiagnostics(object, *failure.diagnostics);
  return object;
}

Json planningFailureJson(const Candidate &candidate) {
  Json rows = Json::array();
  for (const check::PlanningIssue &issue : candidate.issues)
    rows.push_back(toJson(issue));
  return {{"stage", "plan"},
          {"kind", "planning_issues"},
          {"message", "benchmark @" + candidate.benchmark + " cannot be measured"},
          {"planning_issue_count", candidate.issues.size()},
          {"planning_issues", std::move(rows)}};
}

std::vector<const Candidate *> unplanned(const BenchmarkPlan &plan) {
  std::vector<const Candidate *> list;
  for (const Candidate &candidate : plan.candidates)
    if (!candidate.issues.empty())
      list.push_back(&candidate);
  return list;
}

//===----------------------------------------------------------------------===//
// Evidence
//===----------------------------------------------------------------------===//

static Json extentsJson(const Extents &extents) {
  return {{"x", extents[0]}, {"y", extents[1]}, {"z", extents[2]}};
}

static Json launchJson(const LaunchRecord &launch) {
  Json workload = Json::array();
  for (const auto &[type, value] : launch.workload) {
    workload.push_back({{"type", type}, {"value", valueJson(value)}});
  }
  Json config = {{"workgroup_count", extentsJson(launch.geometry.workgroups)},
                 {"workgroup_size", extentsJson(launch.geometry.workgroupSize)}};
  if (launch.geometry.clusterSize)
    config["workgroup_cluster_size"] = extentsJson(*launch.geometry.clusterSize);
  return {{"case_sample_index", launch.caseSample},
          {"sequence_step_index", launch.step},
          {"entry", launch.entry},
          {"workload", std::move(workload)},
          {"launch_config", std::move(config)}};
}

static Json timesJson(const Distribution &times) {
  return {{"count", times.count}, {"total", times.total},           {"min", times.min},
          {"max", times.max},     {"mean", roundTo(times.mean, 3)}, {"p50", times.p50},
          {"p90", times.p90}};
}

static Json spreadTimesJson(const Distribution &times) {
  Json object = timesJson(times);
  object["p90_to_p50_delta_ppm"] = times.p90ToP50Ppm();
  return object;
}

static Json interpretationJson(const MeasurePolicy &policy, const BatchMeasurement &batches,
                               uint64_t dispatchesPerOperation) {
  Json warnings = Json::array();
  for (llvm::StringRef warning : timingWarnings(policy, batches, dispatchesPerOperation))
    warnings.push_back(warning.str());
  return {{"score", "operation_timing_ns"},
          {"score_time_domain", "host_wall"},
          {"score_meaning", policy.batchSize == 1
                                ? "host_queue_completion_normalized_logical_operation_time"
                                : "host_queue_completion_throughput_normalized_batch_time"},
          {"score_unit", "logical_operation"},
          {"warnings", std::move(warnings)}};
}

static Json batchesJson(const MeasurePolicy &policy, const Evidence &evidence) {
  const BatchMeasurement &batches = *evidence.batches;
  uint64_t operations = batches.batches.count * policy.batchSize;
  uint64_t dispatches = operations * evidence.dispatchesPerOperation;
  double each = static_cast<double>(batches.batches.total) / static_cast<double>(dispatches);
  return {{"samples_per_iteration", evidence.checkedSamples},
          {"failed_sample_count", evidence.failedTimedSamples},
          {"logical_operations_per_batch", policy.batchSize},
          {"physical_dispatches_per_batch", policy.batchSize * evidence.dispatchesPerOperation},
          {"physical_dispatches_per_logical_operation", evidence.dispatchesPerOperation},
          {"warmup_batch_count", batches.warmupBatches},
          {"warmup_duration_ns", batches.warmupDurationNs},
          {"measured_batch_count", batches.batches.count},
          {"measured_logical_operation_count", operations},
          {"measured_physical_dispatch_count", dispatches},
          {"measured_duration_ns", batches.batches.total},
          {"mean_physical_dispatch_duration_ns", roundTo(each, 3)},
          {"stop_reason", stringifyStopReason(batches.stop).str()},
          {"timing_interpretation",
           interpretationJson(policy, batches, evidence.dispatchesPerOperation)},
          {"batch_timing_ns", spreadTimesJson(batches.batches)},
          {"operation_timing_ns", spreadTimesJson(batches.batches.dividedBy(policy.batchSize))}};
}

static Json dataCacheJson(const DataCache &cache) {
  return {{"validity", "check_ops"},
          {"cache_policy", "binding_ring"},
          {"correctness_materialization", "host_visible"},
          {"measurement_materialization", "host_visible"},
          {"binding_count", cache.bindingCount},
          {"binding_ring_count", cache.ringCount},
          {"dispatches_per_batch", cache.dispatchesPerBatch},
          {"requested_min_ring_bytes", cache.requestedBytes},
          {"binding_set_bytes", cache.setBytes},
          {"binding_ring_bytes", cache.ringBytes()},
          {"ring_byte_target_met", cache.ringBytes() >= cache.requestedBytes}};
}

Json evidenceJson(const RunDescription &run, const Evidence &evidence) {
  const MeasurePolicy &policy = run.policy;
  Json object = {{"policy",
                  {{"measure", stringifyMeasure(policy.measure).str()},
                   {"warmup_iterations", policy.warmupIterations},
                   {"iterations", policy.iterations}}},
                 {"correctness",
                  {{"sample_count", evidence.checkedSamples},
                   {"failed_sample_count", evidence.failedSamples}}}};
  if (!evidence.launches.empty()) {
    Json launches = Json::array();
    for (const LaunchRecord &launch : evidence.launches)
      launches.push_back(launchJson(launch));
    object["launches"] = std::move(launches);
  }
  if (evidence.iterations)
    object["measurement"] = {{"samples_per_iteration", evidence.samplesPerIteration},
                             {"failed_sample_count", evidence.failedTimedSamples},
                             {"timing_ns", timesJson(evidence.iterations->iterations)}};
  if (evidence.batches)
    object["measurement"] = batchesJson(policy, evidence);
  if (evidence.dataCache)
    object["data_cache"] = dataCacheJson(*evidence.dataCache);
  if (evidence.report)
    object["compile_report"] = report::toJson(*evidence.report);
  if (evidence.failure)
    object["failure"] = failureJson(*evidence.failure);
  return object;
}

} // namespace loom::bench
