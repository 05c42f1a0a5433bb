//===- loom-opt.cpp - Run passes on .loom text ----------------------------===//
//
// The tool of the lit tests: it reads a program, runs the passes that the command line names, and
// writes the result as text. Passes are named as in Passes.td, `--read-ahead`, in the order in
// which they shall run; `--pass-pipeline` takes MLIR's textual pipelines.
//
//===----------------------------------------------------------------------===//
#include "loom/Support/CommandLine.h"
#include "loom/ToolSupport/ToolContext.h"
#include "loom/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

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
  if (auto status = commandLine.parse(rest.size(), rest.data()))
    return *status;

  ToolContext tool("loom-opt");
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
  if (!passes.empty()) {
    mlir::PassManager manager(&tool.context(), mlir::ModuleOp::getOperationName());
    std::string problem;
    llvm::raw_string_ostream os(problem);
    if (mlir::failed(mlir::parsePassPipeline(passes, manager, os))) {
      tool.error(problem);
      return 1;
    }
    if (mlir::failed(manager.run(*module)) || tool.diagnostics().errorCount())
      return 1;
  }
  auto bytes = tool.serialize(*module, emitBytecode);
  return mlir::failed(bytes) || mlir::failed(tool.write(output, *bytes));
}
