//===- Link.cpp - Several inputs become one module ------------------------===//
#include "loom/Link/Link.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Link/Plan.h"
#include "loom/Support/FileIO.h"

namespace loom {
using namespace mlir;

FailureOr<OwningOpRef<ModuleOp>> linkModules(MLIRContext *context, ArrayRef<LinkInput> inputs,
                                             const LinkOptions &options) {
  LinkPlan plan;
  if (failed(planLink(context, inputs, options, plan)))
    return failure();
  OwningOpRef<ModuleOp> linked = materialize(plan);
  if (failed(verifyModule(*linked)))
    return failure();
  return linked;
}

OwningOpRef<ModuleOp> loadProgram(MLIRContext *context, const std::string &path,
                                  ArrayRef<std::string> libraries,
                                  llvm::function_ref<OwningOpRef<ModuleOp>(StringRef)> load,
                                  llvm::function_ref<void(const Twine &)> error) {
  OwningOpRef<ModuleOp> program = load(path);
  bool ok = static_cast<bool>(program);
  if (libraries.empty())
    return program;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<LinkInput> inputs{{inputName(path), ok ? *program : ModuleOp()}};
  for (const std::string &library : libraries) {
    if (isStandardStream(library)) {
      error("a library cannot be read from standard input");
      return {};
    }
    modules.push_back(load(library));
    ok &= static_cast<bool>(modules.back());
    if (ok)
      inputs.push_back({library, *modules.back(), LinkRole::Library});
  }
  if (!ok)
    return {};
  LinkOptions options;
  options.mode = LinkMode::Link;
  options.keepInputs = true;
  options.verifyInputs = false;
  FailureOr<OwningOpRef<ModuleOp>> linked = linkModules(context, inputs, options);
  return failed(linked) ? OwningOpRef<ModuleOp>() : std::move(*linked);
}

} // namespace loom
