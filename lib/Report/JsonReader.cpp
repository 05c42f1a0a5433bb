//===- JsonReader.cpp - Reading the JSON form of a compile report ---------===//
//
// Reading goes in three steps: take the facts out of the document, check what they have to satisfy
// among themselves, then write the document anew from them and compare. The last step is what finds
// a wrong count, sum, product or percentage, with one rule for all of them.
//
//===----------------------------------------------------------------------===//
#include "Derived.h"
#include "JsonCursor.h"
#include "loom/Report/ReportDocument.h"
#include "loom/Report/Status.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace llvm;

namespace loom::report {

//===----------------------------------------------------------------------===//
// Root
//===----------------------------------------------------------------------===//

static void readHeader(const JsonCursor &root, CompileReport &report) {
  std::string kind = root.text("kind");
  if (!root.failed() && kind != reportKind)
    root.at("kind").fail("'" + kind + "' is not a compile report ('" + reportKind + "')");
  uint64_t version = root.number("schema_version");
  if (!root.failed() && version != reportSchemaVersion)
    root.at("schema_version")
        .fail("version " + Twine(version) + " is not version " + Twine(reportSchemaVersion) +
              ", which this build reads; compile again with the tools of this build");
  std::string mode = root.text("mode");
  if (!root.failed() && mode != "summary" && mode != "details")
    root.at("mode").fail("'" + mode + "' is neither 'summary' nor 'details'");
  report.mode = mode == "details" ? Mode::Details : Mode::Summary;
  report.artifactKind = root.text("artifact_kind");

  JsonCursor status = root.at("status");
  report.status.code = status.at("code").number(18);
  report.status.name = status.text("name");
  if (!root.failed() && report.status.name != statusName(report.status.code))
    status.at("name").fail("'" + report.status.name + "' is not the name of status " +
                           Twine(report.status.code) + ", '" + statusName(report.status.code) +
                           "'");
}

static void readIdentity(const JsonCursor &root, CompileReport &report) {
  report.module = root.textOrEmpty("module");
  report.backend = root.textOrEmpty("backend");
  report.targetFamily = root.textOrEmpty("target_family");
  report.targetKey = root.textOrEmpty("target_key");
  report.artifactFormat = root.textOrEmpty("artifact_format");
  report.artifactSize = root.optionalNumber("artifact_size");
  if (std::optional<JsonCursor> bindings = root.find("config_bindings"))
    for (const JsonCursor &row : bindings->rows(/*rowsRequired=*/true))
      report.configBindings.push_back({row.text("key"), row.text("value")});
}

static void readDiagnostics(const JsonCursor &root, CompileReport &report) {
  std::optional<uint64_t> count = root.optionalNumber("diagnostic_count");
  if (!count)
    return;
  if (report.mode == Mode::Summary) {
    report.diagnosticCount = count;
    return;
  }
  for (const JsonCursor &row : root.at("diagnostics").elements())
    report.diagnostics.push_back(
        {row.text("severity"), row.textOrEmpty("location"), row.text("message")});
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static void readExtent(const JsonCursor &workload, const char *key,
                       std::optional<uint64_t> (&extent)[3]) {
  std::optional<JsonCursor> object = workload.find(key);
  if (!object)
    return;
  extent[0] = object->optionalNumber("x");
  extent[1] = object->optionalNumber("y");
  extent[2] = object->optionalNumber("z");
  std::optional<uint64_t> flat = object->optionalNumber("flat");
  if (flat && flat != flatSize(extent))
    object->at("flat").fail(Twine(*flat) + " is not the product of x, y and z");
}

static std::optional<RegisterUse> readRegisters(const JsonCursor &resources, const char *key) {
  std::optional<JsonCursor> object = resources.find(key);
  if (!object)
    return std::nullopt;
  RegisterUse use;
  use.registerClass = object->textOrEmpty("register_class");
  use.registerCount = object->at("final").number32("register_count");
  return use;
}

static void readResources(const JsonCursor &resources, Entry &entry) {
  entry.scalar = readRegisters(resources, "scalar");
  entry.vector = readRegisters(resources, "vector");
  entry.subgroupSize = resources.optionalNumber32("subgroup_size");
  entry.maxSubgroupsPerSimd = resources.optionalNumber32("max_subgroups_per_simd");
  entry.residentSubgroupsPerSimd = resources.optionalNumber32("resident_subgroups_per_simd");
  entry.occupancyLimit = resources.textOrEmpty("limiting_resource");
}

static Entry readEntry(const JsonCursor &row) {
  Entry entry;
  entry.function = row.textOrEmpty("function");
  entry.sourceFunction = row.textOrEmpty("source_function");
  entry.targetExport = row.textOrEmpty("target_export");
  entry.spills = row.optionalNumber("allocation_spill_count");
  entry.instructionCount = row.optionalNumber("instruction_count");
  entry.codeBytes = row.optionalNumber("code_byte_count");
  entry.codeStorageBytes = row.optionalNumber("code_storage_byte_count");
  entry.privateBytes = row.optionalNumber("private_memory_bytes");
  entry.localBytes = row.optionalNumber("local_memory_bytes");
  if (std::optional<JsonCursor> workload = row.find("workload")) {
    readExtent(*workload, "workgroup_size", entry.workgroupSize);
    readExtent(*workload, "workgroup_count", entry.workgroupCount);
  }
  if (std::optional<JsonCursor> resources = row.find("target_resources"))
    readResources(*resources, entry);
  return entry;
}

static void readEntries(const JsonCursor &root, CompileReport &report) {
  std::set<std::vector<std::string>> identities;
  for (const JsonCursor &row : root.at("entries").rows(/*rowsRequired=*/true)) {
    Entry entry = readEntry(row);
    std::vector<std::string> identity = {entry.function, entry.sourceFunction, entry.targetExport,
                                         row.textOrEmpty("target_export_symbol")};
    if (llvm::all_of(identity, [](const std::string &name) { return name.empty(); }))
      row.fail("the entry has no name");
    if (!identities.insert(identity).second)
      row.fail("the entry has the names of an earlier one");
    report.entries.push_back(std::move(entry));
  }
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

static void checkFunction(const JsonCursor &row, const CompileReport &report,
                          const std::string &function) {
  if (llvm::none_of(report.entries, [&](const Entry &e) { return e.function == function; }))
    row.at("function").fail("'" + function + "' is not the function of an entry");
}

static WaitSummary readWaitSummary(const JsonCursor &object) {
  WaitSummary summary;
  summary.actionCount = object.number("action_count");
  summary.explicitCount = object.number("explicit_action_count");
  summary.plannedCount = object.number("planned_action_count");
  summary.fullDrainCount = object.number("full_drain_count");
  summary.partialWaitCount = object.number("partial_wait_count");
  summary.drainedCount = object.number("drained_count");
  summary.maxDrainedCount = object.number("max_drained_count");
  summary.maxOutstandingBefore = object.number("max_outstanding_before");
  summary.maxFullDrainOutstandingBefore = object.number("max_full_drain_outstanding_before");
  auto check = [&](bool holds, const char *rule) {
    if (!holds)
      object.fail(rule);
  };
  check(summary.explicitCount + summary.plannedCount == summary.actionCount,
        "explicit and planned actions do not add up to action_count");
  check(summary.fullDrainCount + summary.partialWaitCount == summary.actionCount,
        "full drains and partial waits do not add up to action_count");
  check(summary.maxDrainedCount <= summary.drainedCount,
        "max_drained_count is larger than drained_count");
  check(summary.maxDrainedCount <= summary.maxOutstandingBefore,
        "max_drained_count is larger than max_outstanding_before");
  check(summary.maxFullDrainOutstandingBefore <= summary.maxOutstandingBefore,
        "max_full_drain_outstanding_before is larger than max_outstanding_before");
  check(summary.fullDrainCount != 0 || summary.maxFullDrainOutstandingBefore == 0,
        "max_full_drain_outstanding_before without a full drain");
  return summary;
}

static void readWaitReasons(const JsonCursor &root, CompileReport &report) {
  std::set<std::vector<std::string>> seen;
  for (const JsonCursor &row : root.at("wait_reason_summary_rows").rows(/*rowsRequired=*/false)) {
    WaitGroup group;
    group.function = row.text("function");
    group.counter = row.text("counter");
    group.counterId = row.number32("counter_id");
    group.reason = row.text("reason");
    group.summary = readWaitSummary(row.at("summary"));
    checkFunction(row, report, group.function);
    if (group.summary.actionCount == 0)
      row.at("summary").fail("a row without waits");
    if (!seen.insert({group.function, group.counter, group.reason}).second)
      row.fail("the row repeats function, counter and reason of an earlier one");
    report.waitReasons.push_back(std::move(group));
  }
}

static WaitAction readWaitAction(const JsonCursor &row) {
  WaitAction wait;
  wait.function = row.text("function");
  wait.counter = row.text("counter");
  wait.counterId = row.number32("counter_id");
  wait.action = row.text("action");
  wait.reason = row.text("reason");
  wait.blockIndex = row.number32("block_index");
  wait.nodeIndex = row.number32("node_index");
  wait.scheduledOrdinal = row.number32("scheduled_ordinal");
  wait.producerNode = row.optionalNumber32("producer_node");
  wait.producerOperation = row.textOrEmpty("producer_operation");
  wait.producerInstruction = row.textOrEmpty("producer_descriptor_key");
  wait.consumerNode = row.optionalNumber32("consumer_node");
  wait.consumerOperation = row.textOrEmpty("consumer_operation");
  wait.consumerInstruction = row.textOrEmpty("consumer_descriptor_key");
  wait.targetCount = row.number32("target_count");
  wait.outstandingBefore = row.number32("outstanding_before");
  wait.outstandingAfter = row.number32("outstanding_after");
  return wait;
}

static void checkWaitAction(const JsonCursor &row, const WaitAction &wait) {
  bool isExplicit = wait.action == "explicit";
  if (!row.failed() && !isExplicit && wait.action != "planned")
    row.at("action").fail("'" + wait.action + "' is neither 'explicit' nor 'planned'");
  bool hasEnds = wait.producerNode || wait.consumerNode || !wait.producerOperation.empty() ||
                 !wait.consumerOperation.empty() || !wait.producerInstruction.empty() ||
                 !wait.consumerInstruction.empty();
  if (isExplicit && hasEnds)
    row.fail("an explicit wait has neither producer nor consumer");
  if (wait.outstandingAfter > wait.outstandingBefore)
    row.at("outstanding_after").fail("larger than outstanding_before");
}

static void readWaits(const JsonCursor &root, CompileReport &report) {
  std::optional<JsonCursor> plan = root.find("wait_plan");
  if (!plan)
    return;
  report.waitsRecorded = true;
  readWaitSummary(*plan);
  readWaitReasons(root, report);
  bool details = report.mode == Mode::Details;
  root.at("wait_counter_rows").rows(/*rowsRequired=*/details);
  for (const JsonCursor &row : root.at("wait_action_rows").rows(/*rowsRequired=*/details)) {
    WaitAction wait = readWaitAction(row);
    checkWaitAction(row, wait);
    checkFunction(row, report, wait.function);
    report.waits.push_back(std::move(wait));
  }
  // In details mode the sums follow from the rows, and the comparison finds the differences.
  if (details)
    report.waitReasons.clear();
}

//===----------------------------------------------------------------------===//
// Source loops
//===----------------------------------------------------------------------===//

static LoopPipeline readLoop(const JsonCursor &row) {
  LoopPipeline loop;
  loop.function = row.text("function");
  loop.loop = row.number32("loop");
  std::string schedule = row.text("schedule"), outcome = row.text("outcome");
  if (!row.failed() && schedule != "read_ahead")
    row.at("schedule").fail("unknown schedule '" + schedule + "'");
  if (!row.failed() && outcome != "pipelined" && outcome != "serial")
    row.at("outcome").fail("'" + outcome + "' is neither 'pipelined' nor 'serial'");
  loop.pipelined = outcome == "pipelined";
  loop.depth = row.number32("depth");
  loop.queueRecords = row.number32("queue_records");
  loop.valuesPerRecord = row.number32("values_per_record");
  loop.readCount = row.number32("read_count");
  if (row.failed())
    return loop;
  if (loop.depth == 0 || loop.queueRecords != loop.depth - 1)
    row.fail("queue_records is not depth - 1");
  else if (loop.pipelined != (loop.depth > 1))
    row.fail("outcome '" + outcome + "' contradicts depth " + Twine(loop.depth));
  else if (!loop.pipelined && (loop.valuesPerRecord != 0 || loop.readCount != 0))
    row.fail("a serial loop has no queue and reads nothing ahead");
  return loop;
}

/// Checks that `stage` may follow the stages of `loop`: positions count up from zero, and one that
/// is repeated holds the two halves of one guarded operation.
static void checkStage(const JsonCursor &row, const LoopPipeline &loop,
                       const PipelineStage &stage) {
  if (stage.iterationLookahead != (stage.producer ? loop.queueRecords : 0))
    row.at("iteration_lookahead").fail("contradicts the queue of the loop");
  if (loop.stages.empty()) {
    if (stage.position != 0)
      row.at("position").fail("the first stage has position 0");
    return;
  }
  const PipelineStage &last = loop.stages.back();
  bool otherHalf = last.guarded && stage.guarded && last.op == stage.op && last.producer &&
                   !stage.producer && last.position == stage.position;
  if (!otherHalf && stage.position != last.position + 1)
    row.at("position")
        .fail("expected " + Twine(last.position + 1) + ", found " + Twine(stage.position));
}

static void readStage(const JsonCursor &row, CompileReport &report) {
  PipelineStage stage;
  stage.position = row.number32("position");
  stage.op = row.text("op");
  std::string role = row.text("stage"), function = row.text("function");
  unsigned ordinal = row.number32("loop");
  if (!row.failed() && role != "producer" && role != "consumer")
    row.at("stage").fail("'" + role + "' is neither 'producer' nor 'consumer'");
  stage.producer = role == "producer";
  stage.iterationLookahead = row.number32("iteration_lookahead");
  if (std::optional<JsonCursor> partition = row.find("partition")) {
    stage.guarded = partition->text() == "guarded";
    if (!stage.guarded)
      partition->fail("expected 'guarded'");
  }
  auto loop = llvm::find_if(report.loopPipelines, [&](const LoopPipeline &l) {
    return l.function == function && l.loop == ordinal && l.pipelined;
  });
  if (loop == report.loopPipelines.end())
    return row.fail("there is no pipelined loop " + Twine(ordinal) + " of '" + function + "'");
  checkStage(row, *loop, stage);
  loop->stages.push_back(std::move(stage));
}

static void readLoopPipelines(const JsonCursor &root, CompileReport &report) {
  std::optional<JsonCursor> sourceLow = root.find("source_low");
  std::optional<JsonCursor> section = sourceLow ? sourceLow->find("loop_pipelines") : std::nullopt;
  if (!section)
    return;
  std::set<std::pair<std::string, unsigned>> seen;
  for (const JsonCursor &row : section->rows(/*rowsRequired=*/true)) {
    LoopPipeline loop = readLoop(row);
    if (!seen.insert({loop.function, loop.loop}).second)
      row.fail("the row repeats function and loop of an earlier one");
    report.loopPipelines.push_back(std::move(loop));
  }
  if (report.mode != Mode::Details)
    return;
  for (const JsonCursor &row : section->at("stages").elements())
    readStage(row, report);
  for (const LoopPipeline &loop : report.loopPipelines)
    if (loop.pipelined && loop.stages.empty())
      section->at("stages").fail("no stages of loop " + Twine(loop.loop) + " of '" + loop.function +
                                 "'");
}

//===----------------------------------------------------------------------===//
// Document
//===----------------------------------------------------------------------===//

static void readEnvelope(const JsonCursor &row, LoadedReport &loaded) {
  loaded.inEnvelope = true;
  for (const char *key : {"run_id", "candidate_id", "candidate_index", "case", "benchmark",
                          "sample_id", "sample_index"}) {
    if (std::optional<JsonCursor> field = row.find(key))
      loaded.context.push_back({key, field->word()});
  }
}

Expected<LoadedReport> fromJson(const Json &document, StringRef source) {
  std::string problem;
  LoadedReport loaded;
  loaded.source = source.str();
  JsonCursor root(document, problem);
  const Json *body = &document;
  if (root.has("type") && root.at("type").text() == "compile_report") {
    readEnvelope(root, loaded);
    root = root.at("compile_report");
    body = document.contains("compile_report") ? &document["compile_report"] : nullptr;
  }
  CompileReport &report = loaded.report;
  using Step = void (*)(const JsonCursor &, CompileReport &);
  for (Step step :
       {readHeader, readIdentity, readEntries, readWaits, readLoopPipelines, readDiagnostics})
    if (problem.empty())
      step(root, report);
  if (problem.empty())
    checkContains(*body, toJson(report), root.where(), problem);
  if (!problem.empty())
    return createStringError(inconvertibleErrorCode(), source + ": " + problem);
  return loaded;
}

} // namespace loom::report
