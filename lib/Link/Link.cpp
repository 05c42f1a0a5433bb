//===- Link.cpp - Several inputs become one module ------------------------===//
#include "loom/Link/Link.h"
#include "LinkSymbols.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace loom {
using namespace mlir;

namespace {

/// Everything that the inputs say about one symbol, in input order.
struct Entry {
  Operation *definition = nullptr;
  SmallVector<Operation *> declarations;
};

class Linker {
public:
  Linker(MLIRContext *context, ArrayRef<LinkInput> inputs, const LinkOptions &options)
      : context(context), inputs(inputs), options(options) {}

  FailureOr<OwningOpRef<ModuleOp>> link();

private:
  void collect(Operation *op);
  void check(const Entry &entry);
  bool isCopied(Operation *op) const;
  OwningOpRef<ModuleOp> copy();
  LogicalResult selectRoots(ModuleOp module);

  MLIRContext *context;
  ArrayRef<LinkInput> inputs;
  const LinkOptions &options;
  llvm::StringMap<Entry> entries;
  std::vector<StringRef> order; ///< names in order of appearance
  bool ok = true;
};

void Linker::collect(Operation *op) {
  StringRef name = getSymbol(op);
  if (name.empty())
    return;
  auto [it, inserted] = entries.try_emplace(name);
  if (inserted)
    order.push_back(it->first());
  Entry &entry = it->second;
  if (isDeclaration(op)) {
    entry.declarations.push_back(op);
  } else if (!entry.definition) {
    entry.definition = op;
  } else if (isShareable(op) && op->getName() == entry.definition->getName()) {
    ok &= succeeded(checkAgreement(op, entry.definition));
  } else {
    ok = false;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
    diag << name;
    diag.attachNote(entry.definition->getLoc()) << "first defined here";
  }
}

void Linker::check(const Entry &entry) {
  if (entry.declarations.empty())
    return;
  Operation *first = entry.declarations.front();
  Operation *definition = entry.definition;
  for (Operation *declaration : entry.declarations)
    if (definition || declaration != first)
      ok &= succeeded(checkAgreement(declaration, definition ? definition : first));
  // A configuration value may still come from the command line.
  if (definition || options.allowUnresolved || isa<ConfigDeclOp>(first))
    return;
  ok = false;
  emitCoded(first, DiagCode::LinkUnresolved, "@")
      << getSymbol(first) << " is declared here, but no input defines it";
}

/// A declaration stays when nothing defines it, and then its first copy; of shared symbols the
/// first copy counts as definition.
bool Linker::isCopied(Operation *op) const {
  StringRef name = getSymbol(op);
  if (name.empty())
    return true;
  const Entry &entry = entries.find(name)->second;
  if (entry.definition)
    return op == entry.definition;
  return op == entry.declarations.front();
}

OwningOpRef<ModuleOp> Linker::copy() {
  Location loc = inputs.empty() ? UnknownLoc::get(context)
                                : const_cast<ModuleOp &>(inputs.front().module).getLoc();
  OwningOpRef<ModuleOp> linked(ModuleOp::create(loc));
  OpBuilder builder = OpBuilder::atBlockEnd(linked->getBody());
  for (const LinkInput &input : inputs)
    for (Operation &op : *ModuleOp(input.module).getBody())
      if (isCopied(&op))
        builder.clone(op);
  return linked;
}

LogicalResult Linker::selectRoots(ModuleOp module) {
  auto roots = resolveRoots(module, options.roots);
  if (failed(roots))
    return failure();
  eraseOthers(module, reachableSymbols(module, *roots));
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> Linker::link() {
  bool selecting = options.mode == LinkMode::Link;
  if (selecting == options.roots.empty()) {
    mlir::emitError(UnknownLoc::get(context),
                    selecting ? "linking by need takes at least one root"
                              : "merging keeps every symbol; a root makes no difference to it");
    return failure();
  }
  // A library must not make up for a declaration that an input forgot.
  for (const LinkInput &input : inputs)
    ok &= succeeded(verifyModule(input.module));
  if (!ok)
    return failure();
  for (const LinkInput &input : inputs)
    for (Operation &op : *ModuleOp(input.module).getBody())
      collect(&op);
  for (StringRef name : order)
    check(entries.find(name)->second);
  if (!ok)
    return failure();
  OwningOpRef<ModuleOp> linked = copy();
  if (selecting && failed(selectRoots(*linked)))
    return failure();
  if (failed(verifyModule(*linked)))
    return failure();
  return linked;
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> linkModules(MLIRContext *context, ArrayRef<LinkInput> inputs,
                                             const LinkOptions &options) {
  return Linker(context, inputs, options).link();
}

} // namespace loom
