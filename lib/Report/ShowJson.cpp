//===- ShowJson.cpp - The view of a compile report as JSON ----------------===//
#include "Metrics.h"
#include "loom/Report/Show.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>
#include <tuple>

using namespace llvm;

namespace loom::report {

using Sorted = nlohmann::json;

static void addText(Sorted &object, const char *key, const std::string &text) {
  if (!text.empty())
    object[key] = text;
}

static void addMetrics(Sorted &object, const std::vector<Metric> &metrics) {
  for (const Metric &metric : metrics)
    if (metric.value)
      object[metric.key] = *metric.value;
}

static Sorted identityJson(const CompileReport &report) {
  Entry facts = aggregate(report.entries);
  Sorted identity = {{"schema_version", reportSchemaVersion},
                     {"mode", report.mode == Mode::Details ? "details" : "summary"}};
  addText(identity, "artifact_kind", report.artifactKind);
  addText(identity, "artifact_format", report.artifactFormat);
  addText(identity, "backend", report.backend);
  addText(identity, "module", report.module);
  addText(identity, "function", facts.function);
  addText(identity, "target_family", report.targetFamily);
  addText(identity, "target_key", report.targetKey);
  addText(identity, "target_export", facts.targetExport);
  auto bindings = report.configBindings;
  std::sort(bindings.begin(), bindings.end());
  identity["config_bindings"] = Sorted::array();
  for (const auto &[key, value] : bindings)
    identity["config_bindings"].push_back(Sorted{{"key", key}, {"value", value}});
  return identity;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static Sorted extentJson(const std::optional<uint64_t> (&extent)[3]) {
  Sorted object = Sorted::object();
  addMetrics(object, {{"", "x", extent[0]},
                      {"", "y", extent[1]},
                      {"", "z", extent[2]},
                      {"", "flat", flatSize(extent)}});
  return object;
}

static Sorted workloadJson(const Entry &entry) {
  Sorted object = Sorted::object();
  if (!hasWorkload(entry))
    return object;
  if (Sorted size = extentJson(entry.workgroupSize); !size.empty())
    object["workgroup_size"] = size;
  if (Sorted count = extentJson(entry.workgroupCount); !count.empty())
    object["workgroup_count"] = count;
  if (entry.subgroupSize)
    object["subgroup_size"] = *entry.subgroupSize;
  LaunchFacts facts = launchFacts(entry);
  addMetrics(object, {{"", "workitems_per_workgroup", facts.workitemsPerWorkgroup},
                      {"", "dispatch_workgroup_count", facts.workgroups},
                      {"", "subgroups_per_workgroup", facts.subgroupsPerWorkgroup},
                      {"", "dispatch_subgroup_count", facts.subgroups},
                      {"", "dispatch_workitem_count", facts.workitems}});
  return object;
}

static Sorted waitReasonsJson(const CompileReport &report, const Entry &entry) {
  std::vector<WaitGroup> groups;
  for (WaitGroup &group : waitsByReason(report))
    if (group.function == entry.function)
      groups.push_back(std::move(group));
  std::sort(groups.begin(), groups.end(), [](const WaitGroup &a, const WaitGroup &b) {
    return std::tie(a.counter, a.reason) < std::tie(b.counter, b.reason);
  });
  Sorted reasons = Sorted::array();
  for (const WaitGroup &group : groups) {
    Sorted row = {{"counter", group.counter}, {"reason", group.reason}};
    // Inside of a summary the keys go without the `wait_` of the entry's metrics.
    for (const Metric &metric : waitMetrics(group.summary))
      row["summary"][StringRef(metric.key).drop_front(strlen("wait_")).str()] = *metric.value;
    reasons.push_back(std::move(row));
  }
  return {{"reason_count", reasons.size()}, {"reasons", reasons}};
}

static Sorted waitActionsJson(const CompileReport &report, const Entry &entry) {
  Sorted rows = Sorted::array();
  for (const WaitAction &wait : report.waits) {
    if (wait.function != entry.function)
      continue;
    Sorted row = {{"action", wait.action},
                  {"block_index", wait.blockIndex},
                  {"counter", wait.counter},
                  {"node_index", wait.nodeIndex},
                  {"outstanding_after", wait.outstandingAfter},
                  {"outstanding_before", wait.outstandingBefore},
                  {"reason", wait.reason},
                  {"target_count", wait.targetCount}};
    addText(row, "producer_operation", wait.producerOperation);
    addText(row, "producer_descriptor_key", wait.producerInstruction);
    addText(row, "consumer_operation", wait.consumerOperation);
    addText(row, "consumer_descriptor_key", wait.consumerInstruction);
    rows.push_back(std::move(row));
  }
  return rows;
}

static Sorted entryJson(const CompileReport &report, const Entry &entry) {
  std::string name = displayName(entry);
  Sorted object = Sorted::object();
  object["identity"]["name"] = name;
  Sorted aliases = Sorted::array();
  for (const std::string &alias : {entry.sourceFunction, entry.targetExport, entry.function})
    if (!alias.empty() && alias != name &&
        llvm::none_of(aliases, [&](const Sorted &seen) { return seen == alias; }))
      aliases.push_back(alias);
  if (!aliases.empty())
    object["identity"]["aliases"] = aliases;
  object["artifact_facts"] = Sorted::object();
  addMetrics(object["artifact_facts"], artifactMetrics(entry));
  object["execution_economics"] = {{"fixed_trip_multiplicity_coverage", "unavailable"},
                                   {"issued_byte_coverage", "unavailable"},
                                   {"reason", "exact_fixed_trip_multiplicities_unavailable"}};
  Sorted &analysis = object["compiler_analysis"] = Sorted::object();
  addMetrics(analysis, resourceMetrics(entry));
  addText(analysis, "limiting_resource", entry.occupancyLimit);
  if (!sameWorkload(entry, aggregate(report.entries)))
    object["workload"] = workloadJson(entry);
  if (!waitsKnown(report))
    return object;
  addMetrics(analysis, waitMetrics(waitTotal(report, entry.function)));
  object["wait_reasons"] = waitReasonsJson(report, entry);
  if (report.mode == Mode::Details)
    object["wait_actions"] = waitActionsJson(report, entry);
  return object;
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

static Sorted stagesJson(const LoopPipeline &loop) {
  Sorted stages = Sorted::array();
  for (const PipelineStage &stage : loop.stages) {
    Sorted row = {{"position", stage.position},
                  {"op", stage.op},
                  {"stage", stage.producer ? "producer" : "consumer"},
                  {"iteration_lookahead", stage.iterationLookahead}};
    if (stage.guarded)
      row["partition"] = "guarded";
    stages.push_back(std::move(row));
  }
  return stages;
}

static Sorted loopPipelineJson(const CompileReport &report, const LoopPipeline &loop) {
  Sorted row = {{"function", loop.function},
                {"loop", loop.loop},
                {"schedule", "read_ahead"},
                {"outcome", loop.pipelined ? "pipelined" : "serial"},
                {"depth", loop.depth},
                {"queue_records", loop.queueRecords},
                {"values_per_record", loop.valuesPerRecord},
                {"read_count", loop.readCount}};
  if (report.mode == Mode::Details)
    row["stages"] = stagesJson(loop);
  return row;
}

static void addDiagnostics(Sorted &view, const CompileReport &report) {
  if (diagnosticTotal(report) == 0)
    return;
  view["diagnostic_count"] = diagnosticTotal(report);
  for (const DiagnosticRow &row : report.diagnostics) {
    Sorted object = {{"severity", row.severity}, {"message", row.message}};
    addText(object, "location", row.location);
    view["diagnostics"].push_back(std::move(object));
  }
}

nlohmann::json showJson(const LoadedReport &loaded) {
  const CompileReport &report = loaded.report;
  Sorted view = {{"kind", "loom.compile_report.show"},
                 {"schema_version", reportSchemaVersion},
                 {"missing_evidence", "omitted_metrics_are_unavailable"},
                 {"source", loaded.source},
                 {"container_kind", loaded.inEnvelope ? "benchmark_envelope" : "direct"},
                 {"identity", identityJson(report)},
                 {"workload", workloadJson(aggregate(report.entries))},
                 {"entries", Sorted::array()}};
  view["status"]["code"] = report.status.code;
  view["status"]["name"] = report.status.name;
  for (const Entry &entry : report.entries)
    view["entries"].push_back(entryJson(report, entry));
  for (const LoopPipeline &loop : report.loopPipelines)
    view["loop_pipelines"].push_back(loopPipelineJson(report, loop));
  for (const auto &[key, value] : loaded.context)
    view["envelope_context"][key] = value;
  addDiagnostics(view, report);
  return view;
}

} // namespace loom::report
