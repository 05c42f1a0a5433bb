//===- loom-format.cpp - Canonical text and conversion --------------------===//
#include "loom/Support/CommandLine.h"
#include "loom/Support/FileIO.h"
#include "loom/ToolSupport/ToolContext.h"

using namespace loom;

namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string from = "auto", to = "text", output;
  bool check = false, inPlace = false;
};

enum class Outcome { Unchanged, Changed, Failed };

/// Reads the raw text and its canonical form. Fails after reporting.
mlir::FailureOr<std::pair<std::string, std::string>> canonicalize(const Options &options,
                                                                  llvm::StringRef path) {
  ToolContext tool("loom-format");
  auto buffer = readInput(path);
  if (!buffer) {
    tool.error(llvm::toString(buffer.takeError()));
    return mlir::failure();
  }
  auto module = loadModule((*buffer)->getMemBufferRef(), &tool.context(), tool.diagnostics(),
                           parseInputFormat(options.from));
  if (!module)
    return mlir::failure();
  auto text = tool.serialize(*module, /*asBytecode=*/false);
  if (mlir::failed(text))
    return mlir::failure();
  return std::pair((*buffer)->getBuffer().str(), *text);
}

Outcome checkOne(const Options &options, llvm::StringRef path) {
  auto texts = canonicalize(options, path);
  if (mlir::failed(texts))
    return Outcome::Failed;
  if (texts->first == texts->second)
    return Outcome::Unchanged;
  llvm::StringRef have = texts->first, want = texts->second;
  size_t line = 1, i = 0;
  for (; i < std::min(have.size(), want.size()) && have[i] == want[i]; ++i)
    line += have[i] == '\n';
  llvm::errs() << inputName(path) << ':' << line
               << ": error: not in canonical form; loom-format --in-place rewrites it\n";
  return Outcome::Failed;
}

Outcome rewriteOne(const Options &options, llvm::StringRef path) {
  auto texts = canonicalize(options, path);
  if (mlir::failed(texts))
    return Outcome::Failed;
  if (texts->first == texts->second)
    return Outcome::Unchanged;
  if (llvm::Error problem = writeOutput(path, texts->second)) {
    llvm::errs() << "loom-format: error: " << llvm::toString(std::move(problem)) << '\n';
    return Outcome::Failed;
  }
  llvm::outs() << "loom-format: formatted " << path << '\n';
  return Outcome::Changed;
}

int checkAll(const Options &options) {
  unsigned failed = 0;
  for (llvm::StringRef path : options.inputs)
    failed += checkOne(options, path) == Outcome::Failed;
  if (options.inputs.size() > 1)
    (failed ? llvm::errs() : llvm::outs())
        << "loom-format: " << (failed ? "FAIL" : "PASS") << " (" << options.inputs.size()
        << " checked, " << failed << " failed)\n";
  return failed != 0;
}

int rewriteAll(const Options &options) {
  unsigned counts[3] = {};
  for (llvm::StringRef path : options.inputs)
    ++counts[static_cast<unsigned>(rewriteOne(options, path))];
  unsigned failed = counts[static_cast<unsigned>(Outcome::Failed)];
  (failed ? llvm::errs() : llvm::outs())
      << "loom-format: " << counts[static_cast<unsigned>(Outcome::Changed)] << " formatted, "
      << counts[static_cast<unsigned>(Outcome::Unchanged)] << " unchanged, " << failed
      << " failed\n";
  return failed != 0;
}

int convert(const Options &options) {
  ToolContext tool("loom-format");
  auto module = tool.load(options.inputs.empty() ? "-" : options.inputs.front(),
                          parseInputFormat(options.from));
  if (!module)
    return 1;
  auto bytes = tool.serialize(*module, options.to != "text");
  return mlir::failed(bytes) || mlir::failed(tool.write(options.output, *bytes));
}

/// Rules between flags; returns what is wrong, or nothing.
llvm::StringRef findConflict(const Options &options) {
  bool many = options.check || options.inPlace;
  if (options.check && options.inPlace)
    return "--check and --in-place exclude each other";
  if (many && options.to != "text")
    return "--check and --in-place work on text; --to=bc is for conversion";
  if (many && !options.output.empty())
    return "--output is for conversion, not for --check and --in-place";
  if (!many && options.inputs.size() > 1)
    return "conversion takes one input; --check and --in-place take several";
  if (options.inPlace && options.inputs.empty())
    return "--in-place needs at least one file";
  for (const std::string &input : options.inputs)
    if (isStandardStream(input) && (options.inPlace || options.inputs.size() > 1))
      return "standard input can only be converted, or checked alone";
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine commandLine("loom-format",
                          "Converts programs between text and bytecode, and checks or rewrites "
                          "text to its canonical form.");
  commandLine.positionals(options.inputs, 0, UINT32_MAX, "[FILE...]",
                          "programs; standard input when there is none");
  commandLine.option("from", options.from, "how inputs are read", kInputFormats);
  commandLine.option("to", options.to, "what conversion writes", kOutputFormats);
  commandLine.option("output", options.output, "where conversion writes", {}, "PATH");
  commandLine.flag("check", options.check, "only say whether the inputs are in canonical form");
  commandLine.flag("in-place", options.inPlace, "rewrite the inputs that are not");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  if (llvm::StringRef conflict = findConflict(options); !conflict.empty()) {
    llvm::errs() << "loom-format: error: " << conflict << '\n';
    return 1;
  }
  if (options.check && options.inputs.empty())
    options.inputs.push_back("-");
  if (options.check)
    return checkAll(options);
  if (options.inPlace)
    return rewriteAll(options);
  return convert(options);
}
