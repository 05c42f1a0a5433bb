//===- TargetPlan.cpp - Selecting for a target while linking --------------===//
#include "loom/IR/Diagnostics.h"
#include "loom/Link/Config.h"
#include "loom/Link/Plan.h"
#include "loom/Transforms/SelectEarly.h"

namespace loom {
using namespace mlir;

/// The implementations of `plan` that nothing needs on the target, as far as that can be told.
static llvm::DenseSet<Operation *> findUnneeded(const LinkPlan &plan, const TargetProfile &target,
                                                ArrayRef<ConfigBinding> bindings) {
  llvm::DenseSet<Operation *> unneeded;
  OwningOpRef<ModuleOp> linked = materialize(plan);
  {
    // Told where the result gets its values.
    ScopedDiagnosticHandler quiet(plan.context, [](Diagnostic &) { return success(); });
    SmallVector<ModuleOp> sources;
    for (const LinkInput &input : plan.inputs)
      sources.push_back(input.module);
    if (failed(applyConfig(*linked, bindings, /*effective=*/nullptr, sources)) ||
        failed(verifyModule(*linked)))
      return unneeded;
  }
  FailureOr<llvm::StringSet<>> needed = findNeededImplementations(*linked, target);
  if (failed(needed))
    return unneeded;
  for (const PlannedSymbol &symbol : plan.symbols)
    if (symbol.reason == LinkReason::Provider && !needed->contains(symbol.outputName))
      unneeded.insert(symbol.op);
  return unneeded;
}

LogicalResult planForTarget(MLIRContext *context, ArrayRef<LinkInput> inputs,
                            const LinkOptions &options, ArrayRef<ConfigBinding> bindings,
                            LinkPlan &plan) {
  if (failed(planLink(context, inputs, options, plan)))
    return failure();
  if (!options.target)
    return success();
  llvm::DenseSet<Operation *> unneeded = findUnneeded(plan, *options.target, bindings);
  if (unneeded.empty())
    return success();
  LinkOptions selected = options;
  selected.unneeded = &unneeded;
  plan = LinkPlan();
  return planLink(context, inputs, selected, plan);
}

} // namespace loom
