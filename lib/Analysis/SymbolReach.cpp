//===- SymbolReach.cpp - Which symbols a root needs -----------------------===//
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Check/Check.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringMap.h"

namespace loom {
using namespace mlir;

StringRef getSymbol(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.getValue() : StringRef();
}

FailureOr<SmallVector<Operation *>> resolveRoots(ModuleOp module, ArrayRef<std::string> names) {
  llvm::SetVector<Operation *> roots;
  llvm::StringMap<Operation *> symbols;
  std::vector<std::string> known;
  for (Operation &op : *module.getBody()) {
    if (StringRef symbol = getSymbol(&op); !symbol.empty() && !isa<CheckBenchmarkOp>(op)) {
      symbols.try_emplace(symbol, &op);
      known.push_back(symbol.str());
    }
    if (names.empty() && isa<KernelDefOp>(op))
      roots.insert(&op);
  }
  bool ok = true;
  for (const std::string &spelled : names) {
    StringRef name = StringRef(spelled).trim();
    name.consume_front("@");
    if (Operation *root = symbols.lookup(name)) {
      roots.insert(root);
      continue;
    }
    ok = false;
    emitCoded(module.getLoc(), DiagCode::SymbolUndefined, "undefined root @")
        << name << didYouMean(name, known);
  }
  for (Operation &op : *module.getBody())
    if (op.hasAttr("retain"))
      roots.insert(&op);
  if (!ok)
    return failure();
  return SmallVector<Operation *>(roots.begin(), roots.end());
}

void forEachReference(Operation *op, llvm::function_ref<void(FlatSymbolRefAttr)> visit) {
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (NamedAttribute attribute : nested->getAttrs())
      attribute.getValue().walk([&](FlatSymbolRefAttr symbol) { visit(symbol); });
  });
}

llvm::SetVector<Operation *> reachableSymbols(ModuleOp module, ArrayRef<Operation *> roots,
                                              llvm::function_ref<bool(Operation *)> enter) {
  llvm::StringMap<Operation *> symbols;
  llvm::StringMap<SmallVector<Operation *>> implementations;
  for (Operation &op : *module.getBody()) {
    if (StringRef symbol = getSymbol(&op); !symbol.empty())
      symbols.try_emplace(symbol, &op);
    if (isa<TemplateDefOp, TemplateUkernelOp>(op))
      implementations[op.getAttrOfType<FlatSymbolRefAttr>("family").getValue()].push_back(&op);
  }
  llvm::SetVector<Operation *> reached(roots.begin(), roots.end());
  // The set grows while it is gone through.
  for (unsigned i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    if (enter && !enter(op))
      continue;
    forEachReference(op, [&](FlatSymbolRefAttr name) {
      if (Operation *symbol = symbols.lookup(name.getValue()))
        reached.insert(symbol);
    });
    if (auto family = dyn_cast<TemplateDeclOp>(op))
      for (Operation *impl : implementations.lookup(family.getSymName()))
        reached.insert(impl);
  }
  return reached;
}

void eraseOthers(ModuleOp module, const llvm::SetVector<Operation *> &keep) {
  llvm::StringMap<bool> kept;
  for (Operation *op : keep)
    kept[getSymbol(op)] = true;
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto benchmark = dyn_cast<CheckBenchmarkOp>(op);
    if (benchmark ? !kept.lookup(benchmark.getSubject()) : !keep.contains(&op))
      op.erase();
  }
}

} // namespace loom
