//===- ShowText.cpp - A compile report as text ----------------------------===//
#include "Metrics.h"
#include "loom/Report/Show.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace loom::report {

static constexpr const char *unavailable = "unavailable";

static std::string orUnavailable(const std::string &text) {
  return text.empty() ? unavailable : text;
}

static std::string orUnavailable(const std::optional<uint64_t> &value, Unit unit = Unit::None) {
  return value ? numberText(*value, unit) : unavailable;
}

//===----------------------------------------------------------------------===//
// Header and launch
//===----------------------------------------------------------------------===//

static void printHeader(raw_ostream &os, const LoadedReport &loaded) {
  const CompileReport &report = loaded.report;
  os << "Loom compile report\n"
     << "  source: " << loaded.source << "\n"
     << "  schema: " << reportKind << " v" << reportSchemaVersion << " ("
     << (report.mode == Mode::Details ? "details" : "summary") << ", "
     << (loaded.inEnvelope ? "benchmark_envelope" : "direct") << ")\n"
     << "  status: " << report.status.name << " (" << report.status.code << ")\n"
     << "  artifact: " << report.artifactKind << " (" << orUnavailable(report.artifactFormat)
     << ")\n"
     << "  target: " << orUnavailable(report.targetFamily) << "/" << orUnavailable(report.targetKey)
     << " via " << orUnavailable(report.backend) << "\n"
     << "  specialization: bundle=unavailable, snapshot=unavailable, config=unavailable\n";
  for (size_t i = 0; i != loaded.context.size(); ++i)
    os << (i == 0 ? "  benchmark: " : ", ") << loaded.context[i].first << "="
       << loaded.context[i].second;
  if (!loaded.context.empty())
    os << "\n";
  if (!report.configBindings.empty())
    os << "  config:\n";
  for (const auto &[key, value] : report.configBindings)
    os << "    " << key << " = " << value << "\n";
}

static std::string extentText(const std::optional<uint64_t> (&extent)[3]) {
  if (!extent[0] && !extent[1] && !extent[2])
    return unavailable;
  return "(" + orUnavailable(extent[0]) + ", " + orUnavailable(extent[1]) + ", " +
         orUnavailable(extent[2]) + ")";
}

static void printLaunch(raw_ostream &os, const Entry &entry, unsigned indent) {
  os.indent(indent) << "Launch geometry (compiled artifact)\n";
  auto line = [&](const char *label, const std::string &value) {
    os.indent(indent + 2) << label << ": " << value << "\n";
  };
  if (!hasWorkload(entry))
    return line("static launch geometry", unavailable);
  LaunchFacts facts = launchFacts(entry);
  std::optional<uint64_t> subgroupSize;
  if (entry.subgroupSize)
    subgroupSize = *entry.subgroupSize;
  line("workgroup size", extentText(entry.workgroupSize));
  line("workitems per workgroup", orUnavailable(facts.workitemsPerWorkgroup));
  line("workgroup count", extentText(entry.workgroupCount));
  line("dispatch workgroups", orUnavailable(facts.workgroups));
  line("workgroup cluster size", unavailable);
  line("subgroup size (workitems)", orUnavailable(subgroupSize));
  line("subgroups per workgroup", orUnavailable(facts.subgroupsPerWorkgroup));
  line("dispatch subgroups", orUnavailable(facts.subgroups));
  line("dispatch workitems", orUnavailable(facts.workitems));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static void printKnown(raw_ostream &os, const std::vector<Metric> &metrics) {
  for (const Metric &metric : metrics)
    if (metric.value)
      os << "    " << metric.label << ": " << numberText(*metric.value, metric.unit) << "\n";
}

static void printAnalysis(raw_ostream &os, const CompileReport &report, const Entry &entry) {
  std::string block;
  raw_string_ostream lines(block);
  printKnown(lines, resourceMetrics(entry));
  if (entry.residentSubgroupsPerSimd)
    lines << "    occupancy limit: "
          << (entry.occupancyLimit.empty() ? "none" : entry.occupancyLimit) << "\n";
  if (waitsKnown(report))
    printKnown(lines, waitMetrics(waitTotal(report, entry.function)));
  if (!block.empty())
    os << "  Compiler analysis\n" << block;
}

static void printWaitReasons(raw_ostream &os, const CompileReport &report, const Entry &entry) {
  bool first = true;
  for (const WaitGroup &group : waitsByReason(report)) {
    if (group.function != entry.function)
      continue;
    if (first)
      os << "  Wait reasons (compiler analysis)\n";
    first = false;
    const WaitSummary &summary = group.summary;
    os << "    " << group.counter << " / " << group.reason << ":\n"
       << "      actions=" << summary.actionCount << " explicit=" << summary.explicitCount
       << " planned=" << summary.plannedCount << " full_drains=" << summary.fullDrainCount
       << " partial_waits=" << summary.partialWaitCount << " drained=" << summary.drainedCount
       << " max_drained=" << summary.maxDrainedCount
       << " max_outstanding_before=" << summary.maxOutstandingBefore << "\n";
  }
}

/// ` producer=view.load[global_load_b32]`, with what is known of it.
static std::string waitEndText(const char *role, const std::string &operation,
                               const std::string &instruction) {
  if (operation.empty() && instruction.empty())
    return "";
  std::string text = std::string(" ") + role + "=" + operation;
  return instruction.empty() ? text : text + "[" + instruction + "]";
}

static void printWaitActions(raw_ostream &os, const CompileReport &report, const Entry &entry) {
  bool first = true;
  for (const WaitAction &wait : report.waits) {
    if (wait.function != entry.function)
      continue;
    if (first)
      os << "  Waits (final machine code)\n";
    first = false;
    os << "    block " << wait.blockIndex << ": " << wait.counter
       << " target_count=" << wait.targetCount << " outstanding_before=" << wait.outstandingBefore
       << waitEndText("producer", wait.producerOperation, wait.producerInstruction)
       << waitEndText("consumer", wait.consumerOperation, wait.consumerInstruction)
       << " reason=" << wait.reason << "\n";
  }
}

static void printEntry(raw_ostream &os, const CompileReport &report, const Entry &entry) {
  os << "\nEntry " << displayName(entry) << "\n";
  if (!sameWorkload(entry, aggregate(report.entries)))
    printLaunch(os, entry, 2);
  os << "  Artifact facts\n";
  for (const Metric &metric : artifactMetrics(entry))
    os << "    " << metric.label << ": " << orUnavailable(metric.value, metric.unit) << "\n";
  os << "  Compiled execution economics (compiler analysis)\n"
     << "    coverage: unavailable (exact_fixed_trip_multiplicities_unavailable)\n";
  printAnalysis(os, report, entry);
  printWaitReasons(os, report, entry);
  printWaitActions(os, report, entry);
}

//===----------------------------------------------------------------------===//
// Blocks of the whole report
//===----------------------------------------------------------------------===//

static void printLoopPipelines(raw_ostream &os, const CompileReport &report) {
  if (report.loopPipelines.empty())
    return;
  os << "\nSource loop pipelines\n";
  for (const LoopPipeline &loop : report.loopPipelines) {
    os << "  " << loop.function << " loop " << loop.loop << ": "
       << (loop.pipelined ? "pipelined" : "serial") << " depth=" << loop.depth
       << " queue_records=" << loop.queueRecords << " values_per_record=" << loop.valuesPerRecord
       << " reads=" << loop.readCount << "\n";
    for (const PipelineStage &stage : loop.stages)
      os << "    " << stage.position << ": " << stage.op
         << (stage.guarded ? " partition=guarded" : "")
         << (stage.producer ? " producer" : " consumer")
         << " iteration_lookahead=" << stage.iterationLookahead << "\n";
  }
}

static void printDiagnostics(raw_ostream &os, const CompileReport &report) {
  uint64_t count = diagnosticTotal(report);
  if (count == 0)
    return;
  os << "\nDiagnostics: " << numberText(count) << "\n";
  for (const DiagnosticRow &row : report.diagnostics)
    os << "  " << row.location << (row.location.empty() ? "" : ": ") << row.severity << ": "
       << row.message << "\n";
}

std::string showText(const LoadedReport &loaded) {
  std::string text;
  raw_string_ostream os(text);
  const CompileReport &report = loaded.report;
  printHeader(os, loaded);
  os << "\n";
  printLaunch(os, aggregate(report.entries), 0);
  for (const Entry &entry : report.entries)
    printEntry(os, report, entry);
  if (report.entries.empty())
    os << "\nentries: none\n";
  printLoopPipelines(os, report);
  printDiagnostics(os, report);
  return text;
}

} // namespace loom::report
