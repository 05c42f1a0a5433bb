//===- JsonWriter.cpp - The JSON form of a compile report -----------------===//
#include "Derived.h"
#include "loom/Report/ReportDocument.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace loom::report {

/// Bits of `detail_flags`: the sections of the format that were recorded.
enum DetailFlag : unsigned {
  ArtifactSizeBit = 1u << 0,
  AllocationBit = 1u << 2,
  MemoryBit = 1u << 3,
  EmissionBit = 1u << 4,
  SourceLowBit = 1u << 7,
  EntriesBit = 1u << 11,
  TargetResourcesBit = 1u << 13,
  WaitPlanBit = 1u << 18,
  WorkloadBit = 1u << 20,
  ConfigBindingsBit = 1u << 23,
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Json textOrNull(const std::string &text) { return text.empty() ? Json() : Json(text); }

template <typename T> static Json numberOrNull(const std::optional<T> &value) {
  return value ? Json(*value) : Json();
}

template <typename T>
static void addKnown(Json &object, const char *key, const std::optional<T> &value) {
  if (value)
    object[key] = *value;
}

static void addSection(Json &object, const char *key, Json section) {
  if (!section.empty())
    object[key] = std::move(section);
}

/// `{count, rows}` with an index in front of each row.
static Json collection(const std::vector<Json> &rows) {
  Json list = Json::array();
  for (const Json &row : rows) {
    Json indexed = {{"index", list.size()}};
    indexed.update(row);
    list.push_back(std::move(indexed));
  }
  return {{"count", rows.size()}, {"rows", std::move(list)}};
}

/// The same for a table whose rows belong to details mode.
static Json detailCollection(const CompileReport &report, const std::vector<Json> &rows) {
  return report.mode == Mode::Details ? collection(rows) : Json{{"count", rows.size()}};
}

//===----------------------------------------------------------------------===//
// Sections that entries and root share
//===----------------------------------------------------------------------===//

static Json extentJson(const std::optional<uint64_t> (&extent)[3]) {
  Json object = Json::object();
  addKnown(object, "x", extent[0]);
  addKnown(object, "y", extent[1]);
  addKnown(object, "z", extent[2]);
  addKnown(object, "flat", flatSize(extent));
  return object;
}

static Json workloadJson(const Entry &entry) {
  Json object = Json::object();
  addSection(object, "workgroup_size", extentJson(entry.workgroupSize));
  addSection(object, "workgroup_count", extentJson(entry.workgroupCount));
  addKnown(object, "dispatch_workitem_count", launchFacts(entry).workitems);
  return object;
}

static Json registersJson(const RegisterUse &use) {
  Json object = Json::object();
  if (!use.registerClass.empty())
    object["register_class"] = use.registerClass;
  object["final"] = {{"register_count", use.registerCount}};
  return object;
}

static Json resourcesJson(const Entry &entry) {
  Json object = Json::object();
  if (entry.scalar)
    object["scalar"] = registersJson(*entry.scalar);
  if (entry.vector)
    object["vector"] = registersJson(*entry.vector);
  addKnown(object, "subgroup_size", entry.subgroupSize);
  addKnown(object, "max_subgroups_per_simd", entry.maxSubgroupsPerSimd);
  addKnown(object, "resident_subgroups_per_simd", entry.residentSubgroupsPerSimd);
  addKnown(object, "occupancy_percent", occupancyPercent(entry));
  if (entry.residentSubgroupsPerSimd)
    object["limiting_resource"] = textOrNull(entry.occupancyLimit);
  return object;
}

static Json waitSummaryJson(const WaitSummary &summary) {
  return {{"action_count", summary.actionCount},
          {"explicit_action_count", summary.explicitCount},
          {"planned_action_count", summary.plannedCount},
          {"full_drain_count", summary.fullDrainCount},
          {"partial_wait_count", summary.partialWaitCount},
          {"drained_count", summary.drainedCount},
          {"max_drained_count", summary.maxDrainedCount},
          {"max_outstanding_before", summary.maxOutstandingBefore},
          {"max_full_drain_outstanding_before", summary.maxFullDrainOutstandingBefore}};
}

static unsigned detailFlags(const CompileReport &report, const Entry &facts) {
  unsigned flags = 0;
  if (facts.instructionCount || facts.codeBytes || facts.codeStorageBytes)
    flags |= EmissionBit;
  if (spillCount(facts))
    flags |= AllocationBit;
  if (facts.privateBytes || facts.localBytes)
    flags |= MemoryBit;
  if (!resourcesJson(facts).empty())
    flags |= TargetResourcesBit;
  if (waitsKnown(report))
    flags |= WaitPlanBit;
  if (hasWorkload(facts))
    flags |= WorkloadBit;
  return flags;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// How many rows of the tables of waits belong to `function`.
static void addWaitRowCounts(Json &row, const CompileReport &report, StringRef function) {
  auto count = [&](const auto &groups) {
    return llvm::count_if(groups, [&](const auto &group) { return group.function == function; });
  };
  row["wait_counter_row_count"] = count(waitsByCounter(report));
  row["wait_reason_summary_row_count"] = count(waitsByReason(report));
  row["wait_action_row_count"] = waitTotal(report, function).actionCount;
}

static Json entryJson(const CompileReport &report, const Entry &entry) {
  Json row = {{"function", textOrNull(entry.function)},
              {"source_function", textOrNull(entry.sourceFunction)},
              {"target_bundle", nullptr},
              {"target_snapshot", nullptr},
              {"target_export", textOrNull(entry.targetExport)},
              {"target_export_symbol", nullptr},
              {"target_config", nullptr},
              {"detail_flags", detailFlags(report, entry)}};
  addKnown(row, "allocation_spill_count", spillCount(entry));
  addKnown(row, "instruction_count", entry.instructionCount);
  addKnown(row, "code_byte_count", entry.codeBytes);
  addKnown(row, "code_storage_byte_count", entry.codeStorageBytes);
  addKnown(row, "private_memory_bytes", entry.privateBytes);
  addKnown(row, "local_memory_bytes", entry.localBytes);
  if (waitsKnown(report)) {
    addWaitRowCounts(row, report, entry.function);
    row["wait_plan"] = waitSummaryJson(waitTotal(report, entry.function));
  }
  addSection(row, "workload", workloadJson(entry));
  addSection(row, "target_resources", resourcesJson(entry));
  return row;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

static Json groupJson(const CompileReport &report, const WaitGroup &group, bool withReason) {
  Json row = {
      {"function", group.function}, {"counter", group.counter}, {"counter_id", group.counterId}};
  if (withReason) {
    row["reason"] = group.reason;
    row["reason_id"] = waitReasonId(report, group.reason);
  }
  row["summary"] = waitSummaryJson(group.summary);
  return row;
}

static void addWaitEnd(Json &row, const std::string &role, const std::optional<unsigned> &node,
                       const std::string &operation, const std::string &instruction) {
  row[role + "_node"] = numberOrNull(node);
  row[role + "_scheduled_ordinal"] = nullptr;
  row[role + "_operation"] = textOrNull(operation);
  row[role + "_descriptor_key"] = textOrNull(instruction);
  row[role + "_semantic_tag"] = nullptr;
}

static Json waitActionJson(const CompileReport &report, const WaitAction &wait) {
  Json row = {{"function", wait.function},
              {"counter", wait.counter},
              {"counter_id", wait.counterId},
              {"action", wait.action},
              {"action_id", waitActionId(wait.action)},
              {"reason", wait.reason},
              {"reason_id", waitReasonId(report, wait.reason)},
              {"block_index", wait.blockIndex},
              {"node_index", wait.nodeIndex},
              {"scheduled_ordinal", wait.scheduledOrdinal}};
  addWaitEnd(row, "producer", wait.producerNode, wait.producerOperation, wait.producerInstruction);
  addWaitEnd(row, "consumer", wait.consumerNode, wait.consumerOperation, wait.consumerInstruction);
  row["target_count"] = wait.targetCount;
  row["outstanding_before"] = wait.outstandingBefore;
  row["outstanding_after"] = wait.outstandingAfter;
  row["drained_count"] =
      wait.outstandingBefore - std::min(wait.outstandingBefore, wait.outstandingAfter);
  return row;
}

static void addWaits(Json &root, const CompileReport &report) {
  root["wait_plan"] = waitSummaryJson(waitTotal(report));
  std::vector<Json> counters, reasons, actions;
  for (const WaitGroup &group : waitsByCounter(report))
    counters.push_back(groupJson(report, group, /*withReason=*/false));
  for (const WaitGroup &group : waitsByReason(report))
    reasons.push_back(groupJson(report, group, /*withReason=*/true));
  for (const WaitAction &wait : report.waits)
    actions.push_back(waitActionJson(report, wait));
  root["wait_counter_rows"] = detailCollection(report, counters);
  root["wait_reason_summary_rows"] = reasons.empty() ? Json{{"count", 0u}} : collection(reasons);
  root["wait_action_rows"] = report.mode == Mode::Details
                                 ? collection(actions)
                                 : Json{{"count", waitTotal(report).actionCount}};
}

//===----------------------------------------------------------------------===//
// Source loops
//===----------------------------------------------------------------------===//

static Json stageJson(const LoopPipeline &loop, const PipelineStage &stage) {
  Json row = {{"function", loop.function},
              {"loop", loop.loop},
              {"position", stage.position},
              {"op", stage.op},
              {"stage", stage.producer ? "producer" : "consumer"},
              {"iteration_lookahead", stage.iterationLookahead}};
  if (stage.guarded)
    row["partition"] = "guarded";
  return row;
}

static Json loopPipelinesJson(const CompileReport &report) {
  std::vector<Json> rows;
  Json stages = Json::array();
  for (const LoopPipeline &loop : report.loopPipelines) {
    rows.push_back({{"function", loop.function},
                    {"loop", loop.loop},
                    {"schedule", "read_ahead"},
                    {"outcome", loop.pipelined ? "pipelined" : "serial"},
                    {"depth", loop.depth},
                    {"queue_records", loop.queueRecords},
                    {"values_per_record", loop.valuesPerRecord},
                    {"read_count", loop.readCount}});
    for (const PipelineStage &stage : loop.stages)
      stages.push_back(stageJson(loop, stage));
  }
  Json object = collection(rows);
  if (report.mode == Mode::Details)
    object["stages"] = std::move(stages);
  return object;
}

//===----------------------------------------------------------------------===//
// Root
//===----------------------------------------------------------------------===//

static void addIdentity(Json &root, const CompileReport &report, const Entry &facts) {
  root["module"] = textOrNull(report.module);
  root["function"] = textOrNull(facts.function);
  root["backend"] = textOrNull(report.backend);
  root["target_family"] = textOrNull(report.targetFamily);
  root["target_key"] = textOrNull(report.targetKey);
  root["target_bundle"] = nullptr;
  root["target_snapshot"] = nullptr;
  root["target_export"] = textOrNull(facts.targetExport);
  root["target_export_symbol"] = nullptr;
  root["target_config"] = nullptr;
  root["lowered"] = nullptr;
  root["artifact_format"] = textOrNull(report.artifactFormat);
  addKnown(root, "artifact_size", report.artifactSize);
}

static unsigned rootDetailFlags(const CompileReport &report, const Entry &facts) {
  unsigned flags = detailFlags(report, facts) | EntriesBit;
  if (report.artifactSize)
    flags |= ArtifactSizeBit;
  if (!report.loopPipelines.empty())
    flags |= SourceLowBit;
  if (!report.configBindings.empty())
    flags |= ConfigBindingsBit;
  return flags;
}

static void addDiagnostics(Json &root, const CompileReport &report) {
  if (diagnosticTotal(report) == 0)
    return;
  root["diagnostic_count"] = diagnosticTotal(report);
  if (report.mode != Mode::Details)
    return;
  Json &rows = root["diagnostics"] = Json::array();
  for (const DiagnosticRow &row : report.diagnostics)
    rows.push_back({{"severity", row.severity},
                    {"location", textOrNull(row.location)},
                    {"message", row.message}});
}

/// The facts of the final code: what the allocation, the emission and the target say.
static void addCodeSections(Json &root, const CompileReport &report, const Entry &facts) {
  addSection(root, "workload", workloadJson(facts));
  if (std::optional<uint64_t> spills = spillCount(facts))
    root["allocation"] = {{"spill_count", *spills}};
  if (waitsKnown(report))
    addWaits(root, report);
  Json emission = Json::object(), memory = Json::object();
  addKnown(emission, "instruction_count", facts.instructionCount);
  addKnown(emission, "code_byte_count", facts.codeBytes);
  addKnown(emission, "code_storage_byte_count", facts.codeStorageBytes);
  addSection(root, "emission", std::move(emission));
  addKnown(memory, "private_bytes", facts.privateBytes);
  addKnown(memory, "local_bytes", facts.localBytes);
  addSection(root, "memory", std::move(memory));
  addSection(root, "target_resources", resourcesJson(facts));
}

Json toJson(const CompileReport &report) {
  Entry facts = aggregate(report.entries);
  Json root = {{"kind", reportKind},
               {"schema_version", reportSchemaVersion},
               {"mode", report.mode == Mode::Details ? "details" : "summary"},
               {"artifact_kind", report.artifactKind},
               {"status", {{"code", report.status.code}, {"name", report.status.name}}},
               {"detail_flags", rootDetailFlags(report, facts)}};
  std::vector<Json> bindings, entries;
  for (const auto &[key, value] : report.configBindings)
    bindings.push_back({{"key", key}, {"value", value}});
  if (!bindings.empty())
    root["config_bindings"] = collection(bindings);
  addIdentity(root, report, facts);
  for (const Entry &entry : report.entries)
    entries.push_back(entryJson(report, entry));
  root["entries"] = collection(entries);
  addCodeSections(root, report, facts);
  addDiagnostics(root, report);
  if (!report.loopPipelines.empty())
    root["source_low"] = {{"loop_pipelines", loopPipelinesJson(report)}};
  return root;
}

} // namespace loom::report
