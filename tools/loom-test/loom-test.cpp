//===- loom-test.cpp - Run the checks of a program ------------------------===//
//
// Standard output holds one line, the `loom.test.v0` report; whatever is for people goes to
// standard error. Exit status: 1 when a sample failed, a case could not be planned, or the tool
// could not do its work (then there is no report).
//
//===----------------------------------------------------------------------===//
#include "loom/Check/Execute.h"
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Runtime/X86Device.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/NearMatches.h"
#include "loom/ToolSupport/ToolContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace loom;
using namespace loom::check;

namespace {

struct Options {
  std::string tool; ///< the name it was called by
  std::vector<std::string> inputs, libraries, config, configFiles;
  std::string caseName, device = "x86", target = "x86:native", sanitizer = "none";
  int64_t sample = -1, maxSamples = PlanOptions::kDefaultMaxSamples;

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

bool acceptSanitizer(ToolContext &tool, const Options &options) {
  if (options.sanitizer.empty() || options.sanitizer == "none")
    return true;
  tool.error("--sanitizer=" + options.sanitizer +
             " is not supported yet: this version runs checks without sanitizers");
  return false;
}

/// The x86 profile that `--target` names; null after reporting.
const TargetProfile *acceptTarget(ToolContext &tool, const Options &options) {
  std::vector<std::string> suggestions;
  const TargetProfile *profile =
      lookupTargetProfile(options.target, TargetFamily::X86, &suggestions);
  if (!profile) {
    std::string message = "unknown target '" + options.target + "'";
    for (auto [i, near] : llvm::enumerate(suggestions))
      message += (i == 0 ? "; did you mean " : ", ") + near;
    tool.error(message);
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

/// The command line without `--case` and `--sample`.
std::string rerunCommand(const Options &options) {
  std::string command = options.tool + " " + shellWord(options.input());
  auto add = [&](const std::string &argument) { command += " " + shellWord(argument); };
  for (const std::string &library : options.libraries)
    add("--library=" + library);
  for (const std::string &binding : options.config)
    add("--config=" + binding);
  for (const std::string &file : options.configFiles)
    add("--config-file=" + file);
  if (options.target != Options().target)
    add("--target=" + options.target);
  if (options.maxSamples != PlanOptions::kDefaultMaxSamples)
    add("--max-samples-per-case=" + std::to_string(options.maxSamples));
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

llvm::Expected<TestReport> check(mlir::ModuleOp module, const TargetProfile &profile,
                                 const Options &options) {
  PlanOptions planning;
  planning.caseName = options.caseName;
  planning.maxSamplesPerCase = options.maxSamples;
  llvm::Expected<TestPlan> plan = planCases(module, planning);
  if (!plan)
    return plan.takeError();
  if (plan->cases.empty())
    llvm::errs() << options.tool << ": warning: the input has no check.case\n";
  for (const CasePlan &planned : plan->cases)
    if (planned.isTruncated())
      llvm::errs() << options.tool << ": warning: case @" << planned.name << " has "
                   << planned.totalSamples << " samples; the first " << planned.sampleCount
                   << " are run (--max-samples-per-case)\n";

  runtime::X86Device device(module, profile);
  ExecuteOptions execution;
  if (options.sample >= 0)
    execution.sample = options.sample;
  execution.resolveKernel = [&](llvm::StringRef symbol) { return device.specialized(symbol); };
  return runPlan(*plan, device, execution);
}

int run(const Options &options) {
  ToolContext tool(options.tool);
  bool isAccepted = acceptDevice(tool, options);
  const TargetProfile *profile = acceptTarget(tool, options);
  isAccepted &= acceptSanitizer(tool, options);
  if (!isAccepted || !profile)
    return 1;
  auto module = load(tool, options);
  if (!module)
    return 1;
  llvm::Expected<TestReport> report = check(*module, *profile, options);
  if (!report) {
    tool.error(llvm::toString(report.takeError()));
    return 1;
  }
  if (mlir::failed(tool.write("-", jsonLine(toJson(*report)))))
    return 1;
  printSummary(llvm::errs(), *report, rerunCommand(options));
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
  commandLine.option("case", options.caseName, "the case to run; all when there is none", {},
                     "@SYMBOL");
  commandLine.integer("sample", options.sample, -1, INT64_MAX,
                      "the one sample of each case to run, counted from 0; -1 for all");
  commandLine.integer("max-samples-per-case", options.maxSamples, 1, INT64_MAX,
                      "how many samples of a case are run at most");
  commandLine.option("device", options.device, "where kernels run: x86", {}, "DEVICE");
  commandLine.option("target", options.target, "what kernels are compiled for: x86:avx2", {},
                     "FAMILY:SELECTOR");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option("sanitizer", options.sanitizer, "only none is supported yet", {}, "none");
  commandLine.refused("sanitizer-reporting", "sanitizers are not supported yet");
  commandLine.refused("xfail", "expected failures are not supported yet");
  commandLine.refused("allow-failure", "expected failures are not supported yet");
  commandLine.refused("pipeline", "the default pipeline is the only one; loom-opt runs single "
                                  "passes");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  return run(options);
}
