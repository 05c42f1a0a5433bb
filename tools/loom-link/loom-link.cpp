//===- loom-link.cpp - Several programs become one module -----------------===//
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/FileIO.h"
#include "loom/ToolSupport/ToolContext.h"

using namespace loom;

namespace {
struct Options {
  std::vector<std::string> inputs, roots, config, configFiles;
  std::string mode = "auto", from = "auto", to = "text", output;
  bool allowUnresolved = false;
};
} // namespace

static int run(const Options &options) {
  ToolContext tool("loom-link");
  bool linkMode = options.mode == "link" || (options.mode == "auto" && !options.roots.empty());
  if (!linkMode && !options.roots.empty()) {
    tool.error("--root selects what --mode=link keeps; --mode=" + options.mode +
               " keeps every symbol");
    return 1;
  }
  llvm::Expected<std::vector<ConfigBinding>> bindings =
      collectConfigBindings(options.config, options.configFiles);
  if (!bindings) {
    tool.error(llvm::toString(bindings.takeError()));
    return 1;
  }
  std::vector<std::string> paths = options.inputs;
  if (paths.empty())
    paths.push_back("-");
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<LinkInput> inputs;
  bool ok = true;
  for (const std::string &path : paths) {
    if (isStandardStream(path) && paths.size() > 1) {
      tool.error("standard input has to be the only input");
      return 1;
    }
    modules.push_back(tool.load(path, parseInputFormat(options.from)));
    ok &= static_cast<bool>(modules.back());
    if (ok)
      inputs.push_back({inputName(path), *modules.back()});
  }
  if (!ok)
    return 1;
  LinkOptions link;
  link.mode = linkMode ? LinkMode::Link : LinkMode::Merge;
  link.roots = options.roots;
  link.allowUnresolved = options.allowUnresolved;
  auto linked = linkModules(&tool.context(), inputs, link);
  if (mlir::failed(linked) || mlir::failed(applyConfig(**linked, *bindings)) ||
      mlir::failed(verifyModule(**linked)))
    return 1;
  auto bytes = tool.serialize(**linked, options.to != "text");
  return mlir::failed(bytes) || mlir::failed(tool.write(options.output, *bytes));
}

int main(int argc, char **argv) {
  Options options;
  CommandLine commandLine("loom-link", "Links programs to one module.");
  commandLine.positionals(options.inputs, 0, UINT32_MAX, "[FILE...]",
                          "programs, text or bytecode; standard input when there is none");
  commandLine.option("mode", options.mode,
                     "merge keeps every symbol, link what the roots need; auto is link with roots",
                     {"auto", "merge", "archive", "link"});
  commandLine.option("from", options.from, "how inputs are read", kInputFormats);
  commandLine.option("to", options.to, "what is written", kOutputFormats);
  commandLine.option("output", options.output, "where the module goes", {}, "PATH");
  commandLine.list("root", options.roots, "symbol that the link keeps", "@SYMBOL");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.flag("allow-unresolved", options.allowUnresolved,
                   "keep declarations that nothing defines for a later link");
  for (llvm::StringRef later : {"library", "root-library", "transitive-library"})
    commandLine.refused(later, "libraries are not supported yet; name every input");
  for (llvm::StringRef later : {"print-plan", "list-symbols", "print-config-schema", "strip-check",
                                "require-resolved-config", "strict-deps", "dependency-report",
                                "target-profile", "include-input-exports"})
    commandLine.refused(later, "this flag is not supported yet");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  return run(options);
}
