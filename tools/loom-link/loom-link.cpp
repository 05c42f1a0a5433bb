//===- loom-link.cpp - Several programs become one module -----------------===//
#include "loom/Link/Config.h"
#include "loom/Link/Plan.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/FileIO.h"
#include "loom/Target/TargetProfile.h"
#include "loom/ToolSupport/ToolContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace loom;

namespace {

struct Options {
  std::vector<std::string> inputs, libraries, rootLibraries, transitiveLibraries;
  std::vector<std::string> roots, config, configFiles;
  std::string mode = "auto", from = "auto", to = "text", output, target;
  std::string dependencyReport, dependencyComponent;
  bool inputExports = false, inputTests = false, stripCheck = false;
  bool allowUnresolved = false, requireResolvedConfig = false, strictDeps = false;
  bool printConfigSchema = false, printPlan = false, listSymbols = false, verify = true;

  bool asksForRoots() const {
    return !roots.empty() || !rootLibraries.empty() || inputExports || inputTests;
  }
  bool links() const { return mode == "link" || (mode == "auto" && asksForRoots()); }
  bool analyzesDependencies() const { return strictDeps || !dependencyReport.empty(); }
};

class LinkTool {
public:
  explicit LinkTool(const Options &options) : options(options), tool("loom-link") {}
  int run() { return mlir::succeeded(link()) ? 0 : 1; }

private:
  mlir::LogicalResult checkFlags();
  mlir::LogicalResult checkTarget();
  mlir::LogicalResult load();
  mlir::LogicalResult load(llvm::ArrayRef<std::string> paths, LinkRole role);
  mlir::LogicalResult link();
  mlir::LogicalResult planAndReport(LinkPlan &plan);
  mlir::LogicalResult writeModule(const LinkPlan &plan);
  mlir::LogicalResult fail(const llvm::Twine &message) {
    tool.error(message);
    return mlir::failure();
  }

  const Options &options;
  ToolContext tool;
  LinkOptions linkOptions;
  std::vector<ConfigBinding> bindings;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<LinkInput> inputs;
};

} // namespace

//===----------------------------------------------------------------------===//
// What was asked for
//===----------------------------------------------------------------------===//

mlir::LogicalResult LinkTool::checkFlags() {
  bool isMerge = !options.links();
  if (isMerge && options.asksForRoots())
    return fail("--mode=" + options.mode +
                " keeps every symbol; --root, --root-library, --include-input-exports and "
                "--include-input-tests say what --mode=link keeps");
  if (!isMerge && !options.asksForRoots())
    return fail("--mode=link keeps what roots need; name some with --root, --root-library, "
                "--include-input-exports or --include-input-tests");
  if (!isMerge && options.analyzesDependencies())
    return fail("--strict-deps and --dependency-report are for --mode=merge");
  if (!options.analyzesDependencies() && !options.dependencyComponent.empty())
    return fail("--dependency-component needs --strict-deps or --dependency-report");
  if (options.printConfigSchema + options.printPlan + options.listSymbols > 1)
    return fail("--print-config-schema, --print-plan and --list-symbols exclude each other");
  if (isStandardStream(options.dependencyReport) && !options.dependencyReport.empty() &&
      isStandardStream(options.output))
    return fail("the output and the dependency report cannot both go to standard output");
  llvm::Expected<std::vector<ConfigBinding>> collected =
      collectConfigBindings(options.config, options.configFiles);
  if (!collected)
    return fail(llvm::toString(collected.takeError()));
  bindings = std::move(*collected);
  return checkTarget();
}

mlir::LogicalResult LinkTool::checkTarget() {
  if (options.target.empty())
    return mlir::success();
  std::vector<std::string> suggestions;
  linkOptions.target = lookupTargetProfile(options.target, std::nullopt, &suggestions);
  if (!linkOptions.target) {
    return fail(describeUnknownTarget(options.target, suggestions));
  }
  if (!options.links())
    return fail("--target-profile selects what --mode=link keeps; --mode=" + options.mode +
                " keeps every symbol");
  return mlir::success();
}

mlir::LogicalResult LinkTool::load(llvm::ArrayRef<std::string> paths, LinkRole role) {
  bool ok = true;
  for (const std::string &path : paths) {
    std::string name = inputName(path);
    if (llvm::any_of(inputs, [&](const LinkInput &other) { return other.name == name; }))
      return fail("'" + name + "' is named twice");
    if (isStandardStream(path) && (role != LinkRole::Input || options.inputs.size() > 1))
      return fail(role == LinkRole::Input ? "standard input has to be the only input"
                                          : "a library cannot be read from standard input");
    modules.push_back(tool.load(path, parseInputFormat(options.from)));
    ok &= static_cast<bool>(modules.back());
    inputs.push_back({name, ok ? *modules.back() : mlir::ModuleOp(), role});
  }
  return mlir::success(ok);
}

mlir::LogicalResult LinkTool::load() {
  std::vector<std::string> primary = options.inputs;
  bool anyLibrary = !options.libraries.empty() || !options.rootLibraries.empty() ||
                    !options.transitiveLibraries.empty();
  if (primary.empty() && !anyLibrary)
    primary.push_back("-");
  bool ok = mlir::succeeded(load(primary, LinkRole::Input));
  ok &= mlir::succeeded(load(options.libraries, LinkRole::Library));
  ok &= mlir::succeeded(load(options.rootLibraries, LinkRole::RootLibrary));
  ok &= mlir::succeeded(load(options.transitiveLibraries, LinkRole::TransitiveLibrary));
  return mlir::success(ok);
}

//===----------------------------------------------------------------------===//
// The link
//===----------------------------------------------------------------------===//

/// The report is written when the analysis fails too, and above all then.
mlir::LogicalResult LinkTool::planAndReport(LinkPlan &plan) {
  linkOptions.mode = options.links() ? LinkMode::Link : LinkMode::Merge;
  linkOptions.roots = options.roots;
  linkOptions.inputExports = options.inputExports;
  linkOptions.inputTests = options.inputTests;
  linkOptions.stripCheck = options.stripCheck;
  linkOptions.allowUnresolved = options.allowUnresolved;
  linkOptions.strictDependencies = options.analyzesDependencies();
  linkOptions.verifyInputs = false; // loading did
  mlir::LogicalResult planned = planForTarget(&tool.context(), inputs, linkOptions, bindings, plan);
  if (options.dependencyReport.empty())
    return planned;
  std::string component = options.dependencyComponent;
  if (component.empty())
    component = inputs.front().name;
  if (mlir::failed(tool.write(options.dependencyReport, dependencyReport(plan, component))))
    return mlir::failure();
  return planned;
}

mlir::LogicalResult LinkTool::writeModule(const LinkPlan &plan) {
  mlir::OwningOpRef<mlir::ModuleOp> linked = materialize(plan);
  std::vector<mlir::ModuleOp> sources;
  for (auto &module : modules)
    sources.push_back(*module);
  if (mlir::failed(applyConfig(*linked, bindings, /*effective=*/nullptr, sources)) ||
      (options.requireResolvedConfig && mlir::failed(requireResolvedConfig(*linked))))
    return mlir::failure();
  constexpr unsigned kErrorLimit = 100;
  if (options.verify && mlir::failed(verifyModule(*linked, kErrorLimit)))
    return mlir::failure();
  if (options.printConfigSchema)
    return tool.write(options.output, configSchema(*linked));
  mlir::FailureOr<std::string> bytes = tool.serialize(*linked, options.to != "text");
  return mlir::failed(bytes) ? mlir::failure() : tool.write(options.output, *bytes);
}

mlir::LogicalResult LinkTool::link() {
  if (mlir::failed(checkFlags()) || mlir::failed(load()))
    return mlir::failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.listSymbols) {
    loom::listSymbols(os, inputs);
    return tool.write(options.output, text);
  }
  LinkPlan plan;
  if (mlir::failed(planAndReport(plan)))
    return mlir::failure();
  if (options.printPlan) {
    loom::printPlan(os, plan);
    return tool.write(options.output, text);
  }
  return writeModule(plan);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static void declareInputs(CommandLine &commandLine, Options &options) {
  commandLine.positionals(options.inputs, 0, UINT32_MAX, "[FILE...]",
                          "programs, text or bytecode; standard input when there is neither a "
                          "program nor a library");
  commandLine.option("mode", options.mode,
                     "merge keeps every symbol, link what the roots need; auto is link when a flag "
                     "asks for roots",
                     {"auto", "merge", "archive", "link"});
  commandLine.option("from", options.from, "how inputs are read", kInputFormats);
  commandLine.option("to", options.to, "what is written", kOutputFormats);
  commandLine.option("output", options.output, "where the result goes", {}, "PATH");
  commandLine.list("root", options.roots, "symbol that the link keeps, with all it needs",
                   "@SYMBOL");
  commandLine.list("library", options.libraries,
                   "program that satisfies declarations and implements families; merging leaves "
                   "it out",
                   "PATH");
  commandLine.list("root-library", options.rootLibraries, "library whose exports are all roots",
                   "PATH");
  commandLine.list("transitive-library", options.transitiveLibraries,
                   "library that the inputs may not depend on directly", "PATH");
  commandLine.flag("include-input-exports", options.inputExports,
                   "what the inputs export is a root: kernels, and what is public");
  commandLine.flag("include-input-tests", options.inputTests, "tests of the inputs are roots");
}

static void declareRest(CommandLine &commandLine, Options &options) {
  commandLine.flag("strict-deps", options.strictDeps,
                   "what the inputs declare has to be defined by an input or exported by a direct "
                   "library");
  commandLine.option("dependency-report", options.dependencyReport,
                     "where that analysis is written as JSON, also when it fails; implies "
                     "--strict-deps",
                     {}, "PATH");
  commandLine.option("dependency-component", options.dependencyComponent,
                     "what the report calls the inputs; the first input when empty", {}, "NAME");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option(
      "target-profile", options.target,
      "specialize for this target and leave out implementations of families that nothing "
      "chooses on it",
      {}, "FAMILY:SELECTOR");
  commandLine.flag("strip-check", options.stripCheck,
                   "leave out tests, benchmarks and what only they use");
  commandLine.flag("require-resolved-config", options.requireResolvedConfig,
                   "a configuration key without a value is an error");
  commandLine.flag("allow-unresolved", options.allowUnresolved,
                   "keep declarations that nothing defines for a later link");
  commandLine.flag("print-config-schema", options.printConfigSchema,
                   "print the configuration keys of the result as JSON instead of the result");
  commandLine.flag("print-plan", options.printPlan,
                   "print the symbols of the result with the reason of each instead of the result");
  commandLine.flag("list-symbols", options.listSymbols,
                   "print the symbols of all inputs and libraries; nothing is linked");
  commandLine.flag("verify", options.verify, "verify the result before it is written");
}

int main(int argc, char **argv) {
  Options options;
  CommandLine commandLine("loom-link", "Links programs to one module.");
  declareInputs(commandLine, options);
  declareRest(commandLine, options);
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  return LinkTool(options).run();
}
