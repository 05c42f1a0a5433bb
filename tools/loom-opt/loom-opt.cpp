//===- loom-opt.cpp - Run passes on .loom text ----------------------------===//
//
// The tool of the lit tests: it reads a program, runs the passes that the command line names, and
// writes the result as text. Passes are named as in Passes.td, `--read-ahead`, in the order in
// which they shall run; `--pass-pipeline` takes MLIR's textual pipelines.
//
//===----------------------------------------------------------------------===//
#include "loom/Support/CommandLine.h"
#include "loom/Support/NearMatches.h"
#include "loom/ToolSupport/ToolContext.h"
#include "loom/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace loom;

/// `a,b{x=y}` from the flags that name passes, in the order of the command line; the other
/// arguments stay in `rest`.
static std::string takePassFlags(int argc, char **argv, std::vector<const char *> &rest) {
  std::string pipeline;
  rest.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    llvm::StringRef name = argument;
    llvm::StringRef options;
    bool isFlag = name.consume_front("--");
    if (isFlag)
      std::tie(name, options) = name.split('=');
    if (!isFlag || !mlir::PassInfo::lookup(name)) {
      rest.push_back(argv[i]);
      continue;
    }
    if (!pipeline.empty())
      pipeline += ',';
    pipeline += name;
    if (!options.empty())
      pipeline += ("{" + options.trim("'\"") + "}").str();
  }
  return pipeline;
}

/// The names that passes and pipelines are called by. MLIR tells them to a parser of command lines
/// only, as options that stay registered.
static llvm::ArrayRef<std::string> passNames() {
  static mlir::PassPipelineCLParser parser("", "passes");
  static const std::vector<std::string> names = [] {
    std::vector<std::string> known;
    for (llvm::StringRef name : llvm::cl::getRegisteredOptions().keys())
      if (mlir::PassInfo::lookup(name))
        known.push_back(name.str());
    llvm::sort(known);
    return known;
  }();
  return names;
}

/// What to say of a word that names no pass; empty when each of `pipeline` does.
static std::string findUnknownPass(llvm::StringRef pipeline) {
  llvm::SmallVector<llvm::StringRef> words;
  unsigned braces = 0;
  for (size_t i = 0, begin = 0; i <= pipeline.size(); ++i) {
    char c = i < pipeline.size() ? pipeline[i] : ',';
    if (llvm::is_contained({'{', '}', '(', ')', ','}, c)) {
      // What stands before '(' names operations; options stand in braces.
      if (braces == 0 && c != '(')
        words.push_back(pipeline.slice(begin, i).trim());
      begin = i + 1;
      braces += c == '{' ? 1 : c == '}' && braces ? -1 : 0;
    }
  }
  for (llvm::StringRef word : words)
    if (!word.empty() && !mlir::PassInfo::lookup(word) && !mlir::PassPipelineInfo::lookup(word)) {
      return ("there is no pass '" + word + "'" + didYouMean(word, passNames()) +
              "; the passes are " + llvm::join(passNames(), ", "))
          .str();
    }
  return {};
}

/// The elements of `a,b{x=y,z},op(c,d)`.
static llvm::SmallVector<llvm::StringRef> splitPipeline(llvm::StringRef pipeline) {
  llvm::SmallVector<llvm::StringRef> elements;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= pipeline.size(); ++i) {
    char c = i < pipeline.size() ? pipeline[i] : ',';
    depth += llvm::is_contained({'{', '(', '['}, c);
    depth -= llvm::is_contained({'}', ')', ']'}, c);
    if (c != ',' || (depth > 0 && i < pipeline.size()))
      continue;
    elements.push_back(pipeline.slice(begin, i));
    begin = i + 1;
  }
  return elements;
}

/// Runs the passes one after the other, and verifies after each. MLIR's own way to do that asks
/// chains of values for their extents anew for each operation.
static mlir::LogicalResult runPasses(ToolContext &tool, mlir::ModuleOp module,
                                     llvm::StringRef pipeline) {
  std::vector<std::unique_ptr<mlir::PassManager>> managers;
  for (llvm::StringRef element : splitPipeline(pipeline)) {
    managers.push_back(
        std::make_unique<mlir::PassManager>(&tool.context(), mlir::ModuleOp::getOperationName()));
    managers.back()->enableVerifier(false);
    std::string problem;
    llvm::raw_string_ostream os(problem);
    if (mlir::succeeded(mlir::parsePassPipeline(element, *managers.back(), os)))
      continue;
    std::string unknown = findUnknownPass(element);
    tool.error(unknown.empty() ? problem : "--pass-pipeline: " + unknown);
    return mlir::failure();
  }
  for (std::unique_ptr<mlir::PassManager> &manager : managers)
    if (mlir::failed(manager->run(module)) || tool.diagnostics().errorCount() ||
        mlir::failed(verifyModule(module)))
      return mlir::failure();
  return mlir::success();
}

/// A flag that the tool does not have, but whose name is nearly that of a pass; empty without one.
static std::string findMisspelledPass(llvm::ArrayRef<const char *> arguments,
                                      const CommandLine &commandLine) {
  std::vector<FlagInfo> flags = commandLine.flags();
  for (llvm::StringRef argument : arguments) {
    llvm::StringRef name = argument.split('=').first;
    if (argument == "--")
      break;
    if (!name.consume_front("--") ||
        llvm::any_of(flags, [&](const FlagInfo &flag) { return name == flag.name; }))
      continue;
    std::string nearest = didYouMean(name, passNames());
    if (!nearest.empty())
      return ("there is no flag or pass '--" + name + "'" + nearest).str();
  }
  return {};
}

int main(int argc, char **argv) {
  registerLoomPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();

  std::vector<const char *> rest;
  std::string pipeline = takePassFlags(argc, argv, rest);
  std::vector<std::string> inputs;
  std::string passPipeline, output;
  bool emitBytecode = false;
  CommandLine commandLine("loom-opt", "Runs passes on a program and writes the result as text.");
  commandLine.positionals(inputs, 0, 1, "[FILE]", "program; standard input when there is none");
  commandLine.option("pass-pipeline", passPipeline,
                     "passes in MLIR's syntax: builtin.module(specialize{target=amdgpu:gfx1151})",
                     {}, "PIPELINE");
  commandLine.option("output", output, "where the result goes", {}, "PATH");
  commandLine.flag("emit-bytecode", emitBytecode, "write bytecode instead of text");
  ToolContext tool("loom-opt");
  std::string misspelled = findMisspelledPass(rest, commandLine);
  if (!misspelled.empty()) {
    tool.error(misspelled);
    return 1;
  }
  if (auto status = commandLine.parse(rest.size(), rest.data()))
    return *status;

  if (!pipeline.empty() && !passPipeline.empty()) {
    tool.error("--pass-pipeline and flags that name passes exclude each other");
    return 1;
  }
  if (passPipeline.empty())
    passPipeline = pipeline;
  llvm::StringRef passes = passPipeline;
  if (passes.consume_front("builtin.module(") && !passes.consume_back(")")) {
    tool.error("--pass-pipeline: ')' is missing at the end");
    return 1;
  }
  auto module = tool.load(inputs.empty() ? "-" : inputs.front());
  if (!module)
    return 1;
  if (!passes.empty() && mlir::failed(runPasses(tool, *module, passes)))
    return 1;
  auto bytes = tool.serialize(*module, emitBytecode);
  return mlir::failed(bytes) || mlir::failed(tool.write(output, *bytes));
}
