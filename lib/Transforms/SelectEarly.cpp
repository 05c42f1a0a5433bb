//===- SelectEarly.cpp - Which implementations a program needs ------------===//
#include "loom/Transforms/SelectEarly.h"
#include "SpecializeUnit.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace loom {
using namespace mlir;

/// Where others may begin: everything but private functions and templates, which are needed by
/// somebody or not at all.
static SmallVector<Operation *> findRoots(ModuleOp module) {
  SmallVector<Operation *> roots;
  for (Operation &op : *module.getBody()) {
    bool isInner = isa<TemplateDeclOp, TemplateDefOp, TemplateUkernelOp>(op) ||
                   (isa<FuncDefOp>(op) &&
                    SymbolTable::getSymbolVisibility(&op) != SymbolTable::Visibility::Public);
    if (!isInner || op.hasAttr("retain"))
      roots.push_back(&op);
  }
  return roots;
}

/// Values that are missing stay open; they are nobody's mistake yet.
static void bindConfig(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(createBindConfig());
  (void)manager.run(module);
}

FailureOr<llvm::StringSet<>> findNeededImplementations(ModuleOp module,
                                                       const TargetProfile &target) {
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  bindConfig(module);
  ModuleSymbols symbols(module);
  llvm::SetVector<Operation *> needed, undecided;
  bool ok = true;
  auto specialize = [&](Operation *symbol) {
    if (isa<KernelDefOp, FuncDefOp>(symbol))
      ok &= succeeded(UnitSpecializer(symbol, symbols, &target, /*checkFacts=*/false)
                          .runEarly(needed, undecided));
    // Which implementations a family gets is what is asked here.
    return ok && !isa<TemplateDeclOp>(symbol);
  };
  reachableSymbols(module, findRoots(module), specialize);
  if (!ok)
    return failure();
  // What an implementation that may be chosen yet needs is decided when it is. That it names its
  // own family is no need of the others.
  SmallVector<Operation *> inside;
  for (Operation *implementation : undecided)
    for (Region &body : implementation->getRegions())
      for (Block &block : body)
        for (Operation &op : block)
          forEachReference(&op, [&](FlatSymbolRefAttr name) {
            if (Operation *symbol = symbols.symbols.lookup(name.getValue()))
              inside.push_back(symbol);
          });
  llvm::SetVector<Operation *> reached = reachableSymbols(module, inside);
  reached.insert(needed.begin(), needed.end());
  reached.insert(undecided.begin(), undecided.end());
  llvm::StringSet<> names;
  for (Operation *op : reached)
    if (isa<TemplateDefOp, TemplateUkernelOp>(op))
      names.insert(getSymbol(op));
  return names;
}

} // namespace loom
