//===- SymbolIndex.cpp - All symbols of all inputs of a link --------------===//
#include "SymbolIndex.h"
#include "loom/Analysis/SymbolReach.h"

namespace loom {
using namespace mlir;

SymbolIndex::SymbolIndex(ArrayRef<LinkInput> inputs) : linkInputs(inputs), byInput(inputs.size()) {
  for (auto [input, source] : llvm::enumerate(inputs)) {
    ModuleOp module = source.module;
    for (Operation &op : *module.getBody())
      add(&op, input);
    // Benchmarks and imports may stand before what they name.
    for (Operation &op : *module.getBody()) {
      auto import = dyn_cast<ModuleImportOp>(op);
      if (!import)
        continue;
      for (auto name : import.getSymbols().getAsRange<FlatSymbolRefAttr>())
        if (auto id = lookup(input, name.getValue()))
          importsOf[*id].push_back(import);
    }
  }
  for (auto [id, symbol] : llvm::enumerate(symbols)) {
    if (symbol.kind->role != SymbolRole::Benchmark)
      continue;
    if (auto name = symbol.op->getAttrOfType<FlatSymbolRefAttr>("subject"))
      if (auto subject = lookup(symbol.input, name.getValue()))
        bySubject[*subject].push_back(id);
  }
}

void SymbolIndex::add(Operation *op, unsigned input) {
  const SymbolKind *kind = getSymbolKind(op);
  if (!kind)
    return;
  SymbolId id = symbols.size();
  symbols.push_back({op, getSymbol(op), input, kind});
  StringRef name = symbols.back().name;
  if (name.empty())
    return;
  byInput[input].try_emplace(name, id);
  byName[name].push_back(id);
  if (kind->role == SymbolRole::Implementation)
    if (auto family = op->getAttrOfType<FlatSymbolRefAttr>("family"))
      byFamily[family.getValue()].push_back(id);
}

std::optional<SymbolId> SymbolIndex::lookup(unsigned input, StringRef name) const {
  auto it = byInput[input].find(name);
  return it == byInput[input].end() ? std::nullopt : std::optional(it->second);
}

ArrayRef<SymbolId> SymbolIndex::named(StringRef name) const {
  auto it = byName.find(name);
  return it == byName.end() ? ArrayRef<SymbolId>() : ArrayRef<SymbolId>(it->second);
}

ArrayRef<SymbolId> SymbolIndex::implementations(StringRef family) const {
  auto it = byFamily.find(family);
  return it == byFamily.end() ? ArrayRef<SymbolId>() : ArrayRef<SymbolId>(it->second);
}

ArrayRef<SymbolId> SymbolIndex::benchmarks(SymbolId id) const {
  auto it = bySubject.find(id);
  return it == bySubject.end() ? ArrayRef<SymbolId>() : ArrayRef<SymbolId>(it->second);
}

ArrayRef<ModuleImportOp> SymbolIndex::imports(SymbolId id) const {
  auto it = importsOf.find(id);
  return it == importsOf.end() ? ArrayRef<ModuleImportOp>() : ArrayRef<ModuleImportOp>(it->second);
}

} // namespace loom
