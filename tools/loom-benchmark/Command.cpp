//===- Command.cpp - One run of loom-benchmark ----------------------------===//
#include "Command.h"
#include "loom/Bench/Bundle.h"
#include "loom/Bench/Run.h"
#include "loom/Bench/Summary.h"
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Runtime/X86Device.h"
#include "loom/Support/FileIO.h"
#include "loom/ToolSupport/ToolContext.h"
#include "loom/Transforms/LoopPipelines.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

namespace loom::bench {

namespace {
class Command {
public:
  explicit Command(const Options &options) : options(options), tool(options.tool) {}

  int run();

private:
  bool checkFlags();
  bool checkDevice();
  bool checkTarget();
  bool checkSanitizer();
  void warnAboutFlags();
  bool loadProgramText();
  bool plan();
  void describe();
  void describeDevice(const runtime::Device &device);
  std::string defaultFileOutputDir() const;
  llvm::Error createOutputFolder();
  bool measure();
  report::CompileReport compileReport(const runtime::X86Device &device,
                                      llvm::ArrayRef<std::string> kernels);
  std::vector<report::DiagnosticRow> takeDiagnostics();
  bool writeResults();
  std::string rerunCommand() const;

  bool isJsonl() const { return options.outputFormat == "jsonl"; }
  bool hasBundle() const { return !options.bundleDir.empty() && options.bundlePolicy != "none"; }
  bool fail(const llvm::Twine &message) {
    tool.error(message);
    return false;
  }

  const Options &options;
  ToolContext tool;
  const TargetProfile *profile = nullptr;
  runtime::SanitizerOptions sanitizers;
  std::optional<AtomicOutput> output;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<EffectiveBinding> bindings;
  BenchmarkPlan planned;
  BenchmarkResults results;
  RunDescription description;
  size_t diagnosticsTaken = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What was asked for
//===----------------------------------------------------------------------===//

bool Command::checkFlags() {
  if (!options.benchmark.empty() && !options.caseName.empty())
    return fail("--benchmark and --case exclude each other");
  if (!options.compare.empty()) {
    if (!options.benchmark.empty() || !options.caseName.empty())
      return fail("--compare names the benchmarks; --benchmark and --case do not go with it");
    if (options.measure != "dispatch_complete")
      return fail("--compare needs --measure=dispatch_complete");
  }
  if (options.fileOutputDir == "-")
    return fail("--file-output-dir names a folder; it cannot be standard output");
  return checkDevice() & checkTarget() & checkSanitizer();
}

/// Nothing runs when only a plan is wanted, so that devices of other machines can be planned for.
bool Command::checkDevice() {
  if (options.device == "x86")
    return true;
  static constexpr llvm::StringRef known[] = {"amdgpu", "hip", "vulkan"};
  if (!llvm::is_contained(known, llvm::StringRef(options.device).split(':').first))
    return fail("unknown device '" + options.device + "'; this version measures on x86 only");
  return options.dryRun || fail("--device=" + options.device +
                                " is not supported yet: this version measures on x86 only; " +
                                "--dry-run plans for it");
}

bool Command::checkTarget() {
  std::vector<std::string> suggestions;
  profile = lookupTargetProfile(options.target, TargetFamily::X86, &suggestions);
  if (!profile) {
    return fail(describeUnknownTarget(options.target, suggestions));
  }
  return profile->family == TargetFamily::X86 || options.dryRun ||
         fail("--target=" + options.target +
              " is not supported by benchmarks yet: this version measures on x86 only; " +
              "loom-compile compiles for it");
}

bool Command::checkSanitizer() {
  llvm::Expected<runtime::SanitizerOptions> parsed = runtime::parseSanitizers(options.sanitizer);
  if (!parsed)
    return fail("--sanitizer: " + llvm::toString(parsed.takeError()));
  llvm::Expected<runtime::SanitizerReporting> reporting =
      runtime::parseSanitizerReporting(options.sanitizerReporting);
  if (!reporting)
    return fail("--sanitizer-reporting: " + llvm::toString(reporting.takeError()));
  sanitizers = *parsed;
  sanitizers.reporting = *reporting;
  return true;
}

/// A flag that changes nothing is worth a word: the numbers would be taken for something else.
void Command::warnAboutFlags() {
  static constexpr llvm::StringRef general[] = {"measure", "iterations", "warmup-iterations"};
  static constexpr llvm::StringRef comparing[] = {"interleave", "repetitions"};
  for (const auto &[flag, wasGiven] : options.given) {
    if (!wasGiven || llvm::is_contained(general, flag))
      continue;
    if (llvm::is_contained(comparing, flag)) {
      if (options.compare.empty())
        llvm::errs() << options.tool << ": warning: --" << flag
                     << " has no effect without --compare\n";
    } else if (options.measure != "dispatch_complete") {
      llvm::errs() << options.tool << ": warning: --" << flag
                   << " has no effect without --measure=dispatch_complete\n";
    }
  }
}

//===----------------------------------------------------------------------===//
// Program and plan
//===----------------------------------------------------------------------===//

bool Command::loadProgramText() {
  llvm::Expected<std::vector<ConfigBinding>> given =
      collectConfigBindings(options.config, options.configFiles);
  if (!given)
    return fail(llvm::toString(given.takeError()));
  module = loadProgram(
      &tool.context(), options.input(), options.libraries,
      [&](llvm::StringRef path) { return tool.load(path); },
      [&](const llvm::Twine &message) { tool.error(message); });
  return module && mlir::succeeded(applyConfig(*module, *given, &bindings));
}

bool Command::plan() {
  SelectionOptions selection;
  selection.benchmark = options.benchmark;
  selection.caseName = options.caseName;
  if (!options.compare.empty())
    for (llvm::StringRef name : llvm::split(options.compare, ','))
      selection.compare.push_back(name.str());
  if (options.sample >= 0)
    selection.sample = options.sample;
  selection.maxSamples = options.maxSamples;
  selection.measure = description.policy.measure;
  selection.interleave = description.interleave;
  selection.repetitions = options.repetitions;
  llvm::Expected<BenchmarkPlan> made = planBenchmarks(*module, selection);
  if (!made)
    return fail(llvm::toString(made.takeError()));
  planned = std::move(*made);
  for (const Candidate &candidate : planned.candidates)
    if (candidate.isTruncated(options.maxSamples))
      llvm::errs() << options.tool << ": warning: benchmark @" << candidate.benchmark << " has "
                   << candidate.totalSamples << " samples; the first " << options.maxSamples
                   << " are measured (--max-samples-per-case)\n";
  results = BenchmarkResults::planned(planned);
  return true;
}

static uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? uint64_t(pages) * uint64_t(bytes) : UINT64_MAX;
}

/// What the document says before anything was planned or run.
void Command::describe() {
  MeasurePolicy &policy = description.policy;
  if (options.measure == "dispatch_complete")
    policy.measure = Measure::DispatchComplete;
  policy.warmupIterations = options.warmupIterations;
  policy.iterations = options.iterations;
  policy.batchSize = options.batchSize;
  policy.minTimeNs = uint64_t(options.minTimeMs) * 1000000;
  policy.warmupTimeNs = uint64_t(options.warmupTimeMs) * 1000000;
  policy.maxBatches = options.maxBatches;
  policy.stablePpm = options.stablePpm;
  description.ring.minBytes = options.ringMinBytes;
  description.ring.count = options.ringCount;
  description.ring.maxBytes = physicalMemory() / 2;
  description.interleave = llvm::StringRef(options.interleave).equals_insensitive("ababa")
                               ? Interleave::Ababa
                               : Interleave::RoundRobin;
  description.maxSamples = options.maxSamples;
  if (options.sample >= 0)
    description.selectedSample = options.sample;
  description.dryRun = options.dryRun;
  description.source = inputName(options.input());
  description.resultsPath = isStandardStream(options.output) ? "-" : options.output;
  description.sanitizer = runtime::stringifySanitizers(sanitizers);
  description.sanitizerReporting = options.sanitizerReporting;
  if (hasBundle())
    description.bundle = ArtifactBundle{options.bundleDir, options.bundlePolicy};
  for (const auto &[flag, wasGiven] : options.given) {
    std::string key = flag;
    std::replace(key.begin(), key.end(), '-', '_');
    description.overrides.push_back({key, wasGiven});
  }
  llvm::StringRef driver = llvm::StringRef(options.device).split(':').first;
  description.device.uri = options.device;
  description.device.driver = description.device.provider = driver.str();
  description.device.targetFamily = stringifyFamily(profile->family).str();
}

/// The same program, selection and policy have the same name in each run.
static std::string runIdOf(const Options &options, llvm::StringRef program) {
  std::string text = program.str();
  auto add = [&](llvm::StringRef word) {
    text += '\0';
    text += word;
  };
  for (const std::string &word :
       {options.benchmark, options.caseName, options.compare, options.measure, options.interleave,
        options.device, options.target, options.sanitizer, options.sanitizerReporting})
    add(word);
  for (int64_t number :
       {options.sample, options.maxSamples, options.iterations, options.warmupIterations,
        options.batchSize, options.minTimeMs, options.warmupTimeMs, options.maxBatches,
        options.stablePpm, options.repetitions, options.ringMinBytes, options.ringCount})
    add(std::to_string(number));
  return "r" + llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, /*Width=*/16);
}

std::string Command::defaultFileOutputDir() const {
  llvm::SmallString<256> dir;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, dir);
  llvm::StringRef stem = isStandardStream(options.input())
                             ? llvm::StringRef("stdin")
                             : llvm::sys::path::stem(options.inputs.front());
  llvm::sys::path::append(dir, "iree-loom-benchmark",
                          stem + "_" + llvm::StringRef(description.runId).drop_front());
  return dir.str().str();
}

//===----------------------------------------------------------------------===//
// The measurement
//===----------------------------------------------------------------------===//

void Command::describeDevice(const runtime::Device &device) {
  description.device.id = device.name().str() + ":0";
  description.device.spec = {{"target_key", profile->key},
                             {"host_cpu", llvm::sys::getHostCPUName().str()},
                             {"subgroup_size", profile->subgroupSize}};
}

std::vector<report::DiagnosticRow> Command::takeDiagnostics() {
  static const char *const names[] = {"note", "warning", "error", "remark"};
  std::vector<report::DiagnosticRow> rows;
  llvm::ArrayRef<ShownDiagnostic> all = tool.diagnostics().diagnostics();
  for (const ShownDiagnostic &diag : all.drop_front(diagnosticsTaken)) {
    std::string place;
    if (!diag.file.empty())
      place = diag.file + ":" + std::to_string(diag.line) + ":" + std::to_string(diag.column);
    rows.push_back({names[static_cast<unsigned>(diag.severity)], place, diag.message});
  }
  diagnosticsTaken = all.size();
  return rows;
}

/// What is known of kernels that were compiled into this process. There is no artifact, so that its
/// sizes stay unknown.
report::CompileReport Command::compileReport(const runtime::X86Device &device,
                                             llvm::ArrayRef<std::string> kernels) {
  report::CompileReport report;
  report.mode = options.compileReport == "details" ? report::Mode::Details : report::Mode::Summary;
  report.backend = "llvm";
  report.targetFamily = stringifyFamily(profile->family).str();
  report.targetKey = profile->key;
  for (const EffectiveBinding &binding : bindings)
    report.configBindings.push_back({binding.key, binding.value});
  for (const std::string &symbol : kernels) {
    KernelDefOp kernel = device.specialized(symbol);
    if (!kernel)
      continue;
    report::Entry entry;
    entry.function = entry.sourceFunction = symbol;
    entry.targetExport = kernel.getArtifactName().str();
    report.entries.push_back(std::move(entry));
    llvm::append_range(report.loopPipelines, readLoopPipelines(kernel));
  }
  return report;
}

/// Only when a case may write into it.
llvm::Error Command::createOutputFolder() {
  for (const Candidate &candidate : planned.candidates)
    if (!candidate.subject->writes.empty())
      return createFolderOf(description.fileOutputDir + "/file");
  return llvm::Error::success();
}

bool Command::measure() {
  runtime::X86DeviceOptions deviceOptions;
  deviceOptions.launchLimitMs = options.timeoutMs;
  runtime::X86Device device(*module, *profile, deviceOptions);
  if (std::optional<runtime::Issue> issue = device.setSanitizers(sanitizers))
    return fail(issue->message);
  describeDevice(device);
  RunOptions run;
  run.policy = description.policy;
  run.ring = description.ring;
  uint64_t memory = physicalMemory();
  check::Conditions conditions = check::standardConditions(
      *profile, memory == UINT64_MAX ? std::nullopt : std::optional(memory));
  run.execution.conditions = &conditions;
  if (!isStandardStream(options.input()))
    run.execution.inputFolder = llvm::sys::path::parent_path(options.inputs.front()).str();
  run.execution.outputFolder = description.fileOutputDir;
  run.execution.resolveKernel = [&](llvm::StringRef symbol) { return device.specialized(symbol); };
  if (options.compileReport != "none")
    run.report = [&](llvm::ArrayRef<std::string> kernels) {
      return compileReport(device, kernels);
    };
  run.takeDiagnostics = [&] { return takeDiagnostics(); };
  if (llvm::Error error = createOutputFolder())
    return fail(llvm::toString(std::move(error)));
  HostClock clock;
  if (!llvm::sys::Process::StandardErrIsDisplayed()) {
    Progress silent;
    results = runBenchmarks(planned, device, clock, silent, run);
  } else {
    unsigned columns = llvm::sys::Process::StandardErrColumns();
    TerminalProgress progress(llvm::errs(), columns == 0 ? 80 : columns);
    results = runBenchmarks(planned, device, clock, progress, run);
    printTimes(llvm::errs(), description, planned, results);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The command line that runs checks of the program, without `--case` and `--sample`.
std::string Command::rerunCommand() const {
  std::string command;
  llvm::raw_string_ostream os(command);
  os << (llvm::StringRef(options.tool).starts_with("iree-") ? "iree-test-loom" : "loom-test");
  auto add = [&](const std::string &argument) {
    os << ' ';
    llvm::sys::printArg(os, argument, /*Quote=*/false);
  };
  add(options.input());
  for (const std::string &library : options.libraries)
    add("--library=" + library);
  for (const std::string &binding : options.config)
    add("--config=" + binding);
  for (const std::string &file : options.configFiles)
    add("--config-file=" + file);
  if (options.target != Options().target)
    add("--target=" + options.target);
  if (sanitizers.any())
    add("--sanitizer=" + options.sanitizer);
  if (options.maxSamples != Options().maxSamples)
    add("--max-samples-per-case=" + std::to_string(options.maxSamples));
  return command;
}

bool Command::writeResults() {
  std::string document =
      isJsonl() ? toRows(description, planned, results) : toSnapshot(description, planned, results);
  output->stream() << document;
  if (llvm::Error error = output->commit())
    return fail(llvm::toString(std::move(error)));
  if (!hasBundle())
    return true;
  if (llvm::Error error =
          writeBundle(description, planned, results, isJsonl() ? "results.jsonl" : "results.json",
                      document, options.input(), options.commandLine))
    return fail(llvm::toString(std::move(error)));
  return true;
}

int Command::run() {
  if (!checkFlags())
    return 1;
  warnAboutFlags();
  describe();
  // An output that cannot be written is found before any work is spent on it.
  if (!isStandardStream(options.output))
    if (llvm::Error error = createFolderOf(options.output))
      return fail(llvm::toString(std::move(error))), 1;
  llvm::Expected<AtomicOutput> opened = AtomicOutput::open(options.output);
  if (!opened)
    return fail(llvm::toString(opened.takeError())), 1;
  output = std::move(*opened);
  if (!loadProgramText())
    return 1;
  mlir::FailureOr<std::string> text = tool.serialize(*module, /*asBytecode=*/false);
  if (mlir::failed(text))
    return 1;
  description.runId = runIdOf(options, *text);
  description.fileOutputDir =
      options.fileOutputDir.empty() ? defaultFileOutputDir() : options.fileOutputDir;
  if (!plan() || (!options.dryRun && !measure()) || !writeResults())
    return 1;
  printFailures(llvm::errs(), planned, results, rerunCommand());
  return succeeded(planned, results) ? 0 : 1;
}

int runCommand(const Options &options) { return Command(options).run(); }

} // namespace loom::bench
