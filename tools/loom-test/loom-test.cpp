//===- loom-test.cpp - Run the checks of a program ------------------------===//
//
// Standard output holds one line, the `loom.test.v0` report; whatever is for people goes to
// standard error. Exit status: 1 when a sample failed, a case could not be planned, or the tool
// could not do its work (then there is no report). What --xfail or --allow-failure accepts does not
// count; what they do not find as they say does.
//
//===----------------------------------------------------------------------===//
#include "loom/Bench/Plan.h"
#include "loom/Check/Execute.h"
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Runtime/X86Device.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/NearMatches.h"
#include "loom/ToolSupport/ToolContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace loom;
using namespace loom::check;

namespace {

struct Options {
  std::string tool; ///< the name it was called by
  std::vector<std::string> inputs, libraries, config, configFiles;
  std::vector<std::string> xfail, allowFailure;
  std::vector<bool> allowOrder; ///< for each of both, in their order, whether it is of the second
  std::string caseName, device = "x86", target = "x86:native", pipeline = "default";
  std::string sanitizer = "none", sanitizerReporting = "default", fileOutputDir;
  bool timing = false;
  int64_t sample = -1, trial = -1, maxSamples = PlanOptions::kDefaultMaxSamples;
  int64_t timeoutMs = runtime::X86DeviceOptions::kUsualLimitMs;

  std::string input() const { return inputs.empty() ? "-" : inputs.front(); }
};

//===----------------------------------------------------------------------===//
// What was asked for
//===----------------------------------------------------------------------===//

bool acceptDevice(ToolContext &tool, const Options &options) {
  llvm::StringRef driver = llvm::StringRef(options.device).split(':').first;
  if (options.device == "x86")
    return true;
  static constexpr llvm::StringRef later[] = {"amdgpu", "hip", "vulkan"};
  if (llvm::is_contained(later, driver))
    tool.error("--device=" + options.device +
               " is not supported yet: this version runs checks on x86 only");
  else
    tool.error("unknown device '" + options.device + "'; this version runs checks on x86 only");
  return false;
}

bool acceptSanitizers(ToolContext &tool, const Options &options,
                      runtime::SanitizerOptions &sanitizers) {
  llvm::Expected<runtime::SanitizerOptions> parsed = runtime::parseSanitizers(options.sanitizer);
  if (!parsed) {
    tool.error("--sanitizer: " + llvm::toString(parsed.takeError()));
    return false;
  }
  llvm::Expected<runtime::SanitizerReporting> reporting =
      runtime::parseSanitizerReporting(options.sanitizerReporting);
  if (!reporting) {
    tool.error("--sanitizer-reporting: " + llvm::toString(reporting.takeError()));
    return false;
  }
  sanitizers = *parsed;
  sanitizers.reporting = *reporting;
  return true;
}

bool acceptPipeline(ToolContext &tool, const Options &options) {
  if (options.pipeline.empty() || options.pipeline == "default")
    return true;
  tool.error("--pipeline=" + options.pipeline +
             ": checks run kernels of the default pipeline; loom-opt runs single passes");
  return false;
}

bool acceptExpectedFailures(ToolContext &tool, const Options &options,
                            std::vector<ExpectedFailure> &expected) {
  bool isAccepted = true;
  auto refuse = [&](const llvm::Twine &message) {
    tool.error(message);
    isAccepted = false;
  };
  auto strict = options.xfail.begin(), allowed = options.allowFailure.begin();
  for (bool mayPass : options.allowOrder) {
    llvm::Expected<ExpectedFailure> parsed =
        parseExpectedFailure(mayPass ? *allowed++ : *strict++, mayPass);
    if (!parsed) {
      refuse((mayPass ? "--allow-failure: " : "--xfail: ") + llvm::toString(parsed.takeError()));
      continue;
    }
    for (const ExpectedFailure &other : expected)
      if (other.record == parsed->record)
        refuse("@" + other.record + " is expected to fail twice");
    expected.push_back(std::move(*parsed));
  }
  return isAccepted;
}

/// The order of two list flags on a command line that was parsed: which of them comes when.
std::vector<bool> orderOf(int argc, char **argv, llvm::StringRef first, llvm::StringRef second) {
  std::vector<bool> order;
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument == "--")
      break;
    if (!argument.consume_front("--"))
      continue;
    std::string name = argument.split('=').first.str();
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == first || name == second)
      order.push_back(name == second);
  }
  return order;
}

/// The x86 profile that `--target` names; null after reporting.
const TargetProfile *acceptTarget(ToolContext &tool, const Options &options) {
  std::vector<std::string> suggestions;
  const TargetProfile *profile =
      lookupTargetProfile(options.target, TargetFamily::X86, &suggestions);
  if (!profile) {
    tool.error(describeUnknownTarget(options.target, suggestions));
  } else if (profile->family != TargetFamily::X86) {
    tool.error("--target=" + options.target +
               " is not supported by checks yet: this version runs " +
               "them on x86 only; loom-compile compiles for it");
    profile = nullptr;
  }
  return profile;
}

//===----------------------------------------------------------------------===//
// Running one sample again
//===----------------------------------------------------------------------===//

/// `argument` as a shell has to read it.
std::string shellWord(llvm::StringRef argument) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_./=:@,+%").contains(c);
  };
  if (!argument.empty() && llvm::all_of(argument, isPlain))
    return argument.str();
  std::string text = "'";
  for (char c : argument)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The command line without what selects a case, a sample or a trial, and without what is expected
/// of all of them.
std::string rerunCommand(const Options &options) {
  std::string command = options.tool + " " + shellWord(options.input());
  auto add = [&](const std::string &argument) { command += " " + shellWord(argument); };
  for (const std::string &library : options.libraries)
    add("--library=" + library);
  for (const std::string &binding : options.config)
    add("--config=" + binding);
  for (const std::string &file : options.configFiles)
    add("--config-file=" + file);
  const Options defaults;
  auto addChanged = [&](const std::string &flag, const std::string &value,
                        const std::string &usual) {
    if (value != usual)
      add("--" + flag + "=" + value);
  };
  addChanged("target", options.target, defaults.target);
  addChanged("sanitizer", options.sanitizer, defaults.sanitizer);
  addChanged("sanitizer-reporting", options.sanitizerReporting, defaults.sanitizerReporting);
  addChanged("file-output-dir", options.fileOutputDir, defaults.fileOutputDir);
  if (options.maxSamples != PlanOptions::kDefaultMaxSamples)
    add("--max-samples-per-case=" + std::to_string(options.maxSamples));
  if (options.timeoutMs != defaults.timeoutMs)
    add("--timeout-ms=" + std::to_string(options.timeoutMs));
  return command;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

mlir::OwningOpRef<mlir::ModuleOp> load(ToolContext &tool, const Options &options) {
  llvm::Expected<std::vector<ConfigBinding>> bindings =
      collectConfigBindings(options.config, options.configFiles);
  if (!bindings) {
    tool.error(llvm::toString(bindings.takeError()));
    return {};
  }
  auto module = loadProgram(
      &tool.context(), options.input(), options.libraries,
      [&](llvm::StringRef path) { return tool.load(path); },
      [&](const llvm::Twine &message) { tool.error(message); });
  if (module && mlir::failed(applyConfig(*module, *bindings)))
    return {};
  return module;
}

/// The folder that relative paths of the program begin in; empty for the working directory.
std::string inputFolder(const Options &options) {
  return options.input() == "-" || options.input().empty()
             ? std::string()
             : llvm::sys::path::parent_path(options.input()).str();
}

/// What the host has, which is what kernels on x86 have.
std::optional<uint64_t> memoryOfHost() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0)
    return std::nullopt;
  return uint64_t(pages) * uint64_t(size);
}

/// A number of a sample means nothing to a scenario, and one of a trial nothing to a case.
llvm::Error checkSelection(const TestPlan &plan, const Options &options) {
  if (options.sample >= 0 && !plan.scenarios.empty())
    return llvm::createStringError("--sample is of cases, and scenario @" +
                                   plan.scenarios.front().name +
                                   " is selected; --trial is of scenarios");
  if (options.trial >= 0 && !plan.cases.empty())
    return llvm::createStringError("--trial is of scenarios, and case @" + plan.cases.front().name +
                                   " is selected; --case names a scenario");
  return llvm::Error::success();
}

void warnAboutPlan(const TestPlan &plan, const Options &options) {
  auto warning = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << options.tool << ": warning: ";
  };
  if (plan.cases.empty() && plan.scenarios.empty())
    warning() << "the input has no check.case\n";
  for (const CasePlan &planned : plan.cases)
    if (planned.isTruncated())
      warning() << "case @" << planned.name << " has " << planned.totalSamples
                << " samples; the first " << planned.sampleCount
                << " are run (--max-samples-per-case)\n";
  for (const ScenarioPlan &planned : plan.scenarios)
    if (planned.isTruncated())
      warning() << "scenario @" << planned.name << " has " << planned.totalTrials
                << " trials; the first " << planned.trialCount
                << " are run (--max-samples-per-case)\n";
}

/// Benchmarks of the planned cases that loom-benchmark could not run are issues of the plan as
/// well.
llvm::Error addBenchmarkIssues(mlir::ModuleOp module, TestPlan &plan) {
  if (module.getOps<CheckBenchmarkOp>().empty())
    return llvm::Error::success();
  llvm::Expected<bench::BenchmarkPlan> benchmarks = bench::planBenchmarks(module, {});
  if (!benchmarks)
    return benchmarks.takeError();
  auto isPlanned = [&](llvm::StringRef name) {
    return llvm::any_of(plan.cases, [&](const CasePlan &planned) { return planned.name == name; });
  };
  for (const bench::Candidate &candidate : benchmarks->candidates)
    for (const PlanningIssue &issue : candidate.issues)
      // What is wrong with the case itself has been found already.
      if ((issue.kind == PlanningIssueKind::InvalidBenchmarkCase ||
           issue.kind == PlanningIssueKind::InvalidBenchmarkAssignment) &&
          isPlanned(issue.caseName))
        plan.issues.push_back(issue);
  return llvm::Error::success();
}

llvm::Expected<TestReport> check(mlir::ModuleOp module, const TargetProfile &profile,
                                 const runtime::SanitizerOptions &sanitizers,
                                 const Options &options, RunTimes &times) {
  PlanOptions planning;
  planning.caseName = options.caseName;
  planning.maxSamplesPerCase = options.maxSamples;
  llvm::Expected<TestPlan> plan = planCases(module, planning);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = checkSelection(*plan, options))
    return error;
  if (llvm::Error error = addBenchmarkIssues(module, *plan))
    return error;
  warnAboutPlan(*plan, options);

  runtime::X86DeviceOptions deviceOptions;
  deviceOptions.launchLimitMs = options.timeoutMs;
  runtime::X86Device device(module, profile, deviceOptions);
  if (sanitizers.any())
    if (std::optional<runtime::Issue> issue = device.setSanitizers(sanitizers))
      return llvm::createStringError(issue->message);
  Conditions conditions = standardConditions(profile, memoryOfHost());
  ExecuteOptions execution;
  execution.placement = runtime::Placement::Guarded;
  if (options.sample >= 0)
    execution.sample = options.sample;
  if (options.trial >= 0)
    execution.trial = options.trial;
  execution.inputFolder = inputFolder(options);
  execution.outputFolder =
      options.fileOutputDir.empty() ? execution.inputFolder : options.fileOutputDir;
  execution.conditions = &conditions;
  if (options.timing)
    execution.times = &times;
  execution.resolveKernel = [&](llvm::StringRef symbol) { return device.specialized(symbol); };
  return runPlan(*plan, device, execution);
}

int run(const Options &options) {
  ToolContext tool(options.tool);
  runtime::SanitizerOptions sanitizers;
  std::vector<ExpectedFailure> expected;
  bool isAccepted = acceptDevice(tool, options);
  const TargetProfile *profile = acceptTarget(tool, options);
  isAccepted &= acceptSanitizers(tool, options, sanitizers);
  isAccepted &= acceptPipeline(tool, options);
  isAccepted &= acceptExpectedFailures(tool, options, expected);
  if (!isAccepted || !profile)
    return 1;
  auto module = load(tool, options);
  if (!module)
    return 1;
  RunTimes times;
  llvm::Expected<TestReport> report = check(*module, *profile, sanitizers, options, times);
  if (!report) {
    tool.error(llvm::toString(report.takeError()));
    return 1;
  }
  applyExpectedFailures(*report, std::move(expected));
  if (mlir::failed(tool.write("-", jsonLine(toJson(*report)))))
    return 1;
  printSummary(llvm::errs(), *report, rerunCommand(options));
  if (options.timing)
    llvm::errs() << options.tool << ": " << times.launches << " launches in " << times.launchNs
                 << " ns, compiled in " << times.compileNs << " ns\n";
  return report->passed() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  options.tool = llvm::sys::path::filename(argv[0]).str();
  CommandLine commandLine(options.tool, "Runs the checks of a program.");
  commandLine.positionals(options.inputs, 0, 1, "[FILE]",
                          "program, text or bytecode; standard input when there is none");
  commandLine.list("library", options.libraries,
                   "program that satisfies declarations and implements families", "PATH");
  commandLine.option("case", options.caseName,
                     "the case or scenario to run; all when there is none", {}, "@SYMBOL");
  commandLine.integer("sample", options.sample, -1, INT64_MAX,
                      "the one sample of each case to run, counted from 0; -1 for all");
  commandLine.integer("trial", options.trial, -1, INT64_MAX,
                      "the one trial of each scenario to run, counted from 0 over all its "
                      "configurations; -1 for all");
  commandLine.integer("max-samples-per-case", options.maxSamples, 1, INT64_MAX,
                      "how many samples of a case are run at most");
  commandLine.integer("timeout-ms", options.timeoutMs, 0, INT32_MAX,
                      "how long a launch of a kernel may take; 0 for as long as it takes");
  commandLine.option("device", options.device, "where kernels run: x86", {}, "DEVICE");
  commandLine.option("target", options.target, "what kernels are compiled for: x86:avx2", {},
                     "FAMILY:SELECTOR");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option("sanitizer", options.sanitizer,
                     "checks inside of kernels: none, all, or access, value, operation, race, "
                     "asan, ubsan, tsan with | between several",
                     {}, "CHECKS");
  static constexpr llvm::StringRef kReporting[] = {"default", "trap", "report-only"};
  commandLine.option("sanitizer-reporting", options.sanitizerReporting,
                     "whether a kernel ends where such a check fails", kReporting);
  commandLine.list("xfail", options.xfail,
                   "case or scenario that has to fail with one of these diagnostics",
                   "@RECORD=DOMAIN/NNN,...");
  commandLine.list("allow-failure", options.allowFailure, "the same for one that may also pass",
                   "@RECORD=DOMAIN/NNN,...");
  commandLine.option("file-output-dir", options.fileOutputDir,
                     "folder that check.file.write.npy writes relative paths to; that of the input "
                     "when there is none",
                     {}, "DIR");
  commandLine.flag("timing", options.timing,
                   "say on standard error how long kernels ran and were compiled");
  commandLine.option("pipeline", options.pipeline, "only the default pipeline runs checks", {},
                     "default");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  options.allowOrder = orderOf(argc, argv, "xfail", "allow-failure");
  return run(options);
}
