//===- Materialize.cpp - From a plan to a module --------------------------===//
#include "loom/Dialect/Module/Module.h"
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Link/Plan.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace loom {
using namespace mlir;

namespace {

class Materializer {
public:
  explicit Materializer(const LinkPlan &plan) : plan(plan) {
    for (const PlannedSymbol &symbol : plan.symbols)
      symbols[symbol.op] = &symbol;
    for (const PlannedImport &import : plan.imports)
      imports[import.op] = &import;
  }

  OwningOpRef<ModuleOp> run();

private:
  Location location() const;
  void copySymbol(OpBuilder &builder, const PlannedSymbol &symbol);
  void rename(Operation *op, unsigned input);

  const LinkPlan &plan;
  llvm::DenseMap<Operation *, const PlannedSymbol *> symbols;
  llvm::DenseMap<Operation *, const PlannedImport *> imports;
};

/// The place of the first input, with the comments at the ends of all inputs.
Location Materializer::location() const {
  ModuleOp first = plan.inputs.front().module;
  SourceInfo info = getSourceInfo(first.getLoc());
  for (const LinkInput &input : ArrayRef<LinkInput>(plan.inputs).drop_front()) {
    ModuleOp module = input.module;
    if (input.role == LinkRole::Input)
      llvm::append_range(info.after, getSourceInfo(module.getLoc()).after);
  }
  return setSourceInfo(first.getLoc(), info);
}

void Materializer::rename(Operation *op, unsigned input) {
  const auto &names = plan.renames[input];
  if (names.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
    StringAttr name = names.lookup(symbol.getAttr());
    return name ? std::optional<Attribute>(FlatSymbolRefAttr::get(name)) : std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(op);
}

void Materializer::copySymbol(OpBuilder &builder, const PlannedSymbol &symbol) {
  Operation *op = builder.clone(*symbol.op);
  rename(op, symbol.input);
  if (symbol.outputName != symbol.name)
    op->setAttr(SymbolTable::getSymbolAttrName(), builder.getStringAttr(symbol.outputName));
  StringRef visibility = SymbolTable::getVisibilityAttrName();
  if (op->hasAttr(visibility))
    op->setAttr(visibility, builder.getStringAttr(symbol.isPublic ? "public" : "private"));
}

OwningOpRef<ModuleOp> Materializer::run() {
  OwningOpRef<ModuleOp> linked(ModuleOp::create(location(), "linked"));
  OpBuilder builder = OpBuilder::atBlockEnd(linked->getBody());
  for (const LinkInput &input : plan.inputs) {
    ModuleOp module = input.module;
    for (Operation &op : *module.getBody()) {
      if (const PlannedSymbol *symbol = symbols.lookup(&op)) {
        copySymbol(builder, *symbol);
      } else if (const PlannedImport *import = imports.lookup(&op)) {
        auto copy = cast<ModuleImportOp>(builder.clone(op));
        copy.setSymbolsAttr(builder.getArrayAttr(import->symbols));
      }
    }
  }
  return linked;
}

} // namespace

OwningOpRef<ModuleOp> materialize(const LinkPlan &plan) { return Materializer(plan).run(); }

} // namespace loom
