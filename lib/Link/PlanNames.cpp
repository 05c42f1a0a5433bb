//===- PlanNames.cpp - What the symbols of a plan are called --------------===//
//
// The symbols of the inputs and those that others can name keep their names. A private symbol of a
// library gives way when its name is taken: nobody outside of its module refers to it.
//
//===----------------------------------------------------------------------===//
#include "Planner.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Low/Low.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Diagnostics.h"

namespace loom {
using namespace mlir;

static bool saysPublic(Operation *op) {
  auto visibility = op->getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName());
  return visibility && visibility.getValue() == "public";
}

/// What a library exports is an export of the result only when it was asked for. Of the copies of a
/// family one that is public makes it public.
bool Planner::isPublic(unsigned ordinal) const {
  SymbolId id = ids[ordinal];
  if (index[id].kind->role == SymbolRole::Family)
    for (SymbolId copy : index.named(index[id].name))
      if (index.isOfInput(copy) && index[copy].kind->role == SymbolRole::Family &&
          saysPublic(index[copy].op))
        return true;
  return saysPublic(index[id].op) &&
         (index.isOfInput(id) || plan.symbols[ordinal].reason == LinkReason::Root);
}

bool Planner::keepsName(unsigned ordinal) const {
  const IndexedSymbol &symbol = index[ids[ordinal]];
  SymbolRole role = symbol.kind->role;
  if (index.isOfInput(ids[ordinal]) || plan.symbols[ordinal].reason == LinkReason::Root ||
      role == SymbolRole::Declaration || role == SymbolRole::Family)
    return true;
  // Kernels and configuration values are known by their names outside of the program.
  return symbol.kind->visibility == SymbolVisibility::Always && role != SymbolRole::Record;
}

void Planner::reportTaken(SymbolId id, SymbolId holder) {
  resolver.ok = false;
  SymbolId declaration = index[id].isDeclaration() ? id : holder;
  ArrayRef<ModuleImportOp> imports = index.imports(declaration);
  SymbolId other = declaration == id ? holder : id;
  if (index[declaration].isDeclaration() && !imports.empty()) {
    ModuleImportOp import = imports.front();
    InFlightDiagnostic diag = emitCoded(import, DiagCode::LinkImport, "@");
    diag << index[id].name << " is imported from '" << import.getKey()
         << "', but the result has another symbol of that name";
    diag.attachNote(index[other].op->getLoc()) << "defined here";
    return;
  }
  InFlightDiagnostic diag =
      emitCoded(index[id].op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
  diag << index[id].name;
  diag.attachNote(index[holder].op->getLoc()) << "first defined here";
}

void Planner::assignNames() {
  SmallVector<unsigned> order(ids.size());
  for (unsigned ordinal = 0; ordinal != ids.size(); ++ordinal) {
    order[ordinal] = ordinal;
    plan.symbols[ordinal].isPublic = isPublic(ordinal);
  }
  llvm::sort(order, [&](unsigned a, unsigned b) { return ids[a] < ids[b]; });
  llvm::StringMap<SymbolId> taken;
  for (unsigned ordinal : order) {
    SymbolId id = ids[ordinal];
    if (!keepsName(ordinal) || index[id].name.empty())
      continue;
    auto [holder, inserted] = taken.try_emplace(index[id].name, id);
    if (!inserted)
      reportTaken(id, holder->second);
  }
  SmallVector<unsigned> late;
  for (unsigned ordinal : order) {
    SymbolId id = ids[ordinal];
    if (!keepsName(ordinal) && !index[id].name.empty() &&
        !taken.try_emplace(index[id].name, id).second)
      late.push_back(ordinal);
  }
  for (unsigned ordinal : late) {
    std::string &name = plan.symbols[ordinal].outputName;
    for (unsigned number = 1; !taken.try_emplace(name, ids[ordinal]).second; ++number)
      name = index[ids[ordinal]].name.str() + "_" + std::to_string(number);
  }
}

/// Kernels that are compiled together need different names in the artifact. Those for targets that
/// exclude each other are not.
void Planner::checkArtifactNames() {
  auto excludes = [&](unsigned first, unsigned second) {
    Operation *a = findTarget(ids[first]), *b = findTarget(ids[second]);
    const TargetProfile *left = a ? profileOfRecord(a) : nullptr;
    const TargetProfile *right = b ? profileOfRecord(b) : nullptr;
    return left && right && !satisfiesTarget(*left, *right) && !satisfiesTarget(*right, *left);
  };
  llvm::StringMap<SmallVector<unsigned, 1>> holders;
  for (unsigned ordinal = 0; ordinal != ids.size(); ++ordinal) {
    const PlannedSymbol &symbol = plan.symbols[ordinal];
    if (!isa<KernelDefOp, LowKernelDefOp>(symbol.op))
      continue;
    auto exported = symbol.op->getAttrOfType<StringAttr>("export_name");
    StringRef name = exported ? exported.getValue() : StringRef(symbol.outputName);
    SmallVector<unsigned, 1> &others = holders[name];
    const auto *other =
        llvm::find_if(others, [&](unsigned holder) { return !excludes(holder, ordinal); });
    if (other == others.end()) {
      others.push_back(ordinal);
      continue;
    }
    resolver.ok = false;
    InFlightDiagnostic diag =
        emitCoded(symbol.op, DiagCode::SymbolDuplicate, "two kernels have the name \"");
    diag << name << "\" in the artifact";
    diag.attachNote(plan.symbols[*other].op->getLoc()) << "the first one is here";
  }
}

void Planner::collectRenames() {
  Builder builder(plan.context);
  for (auto [id, target] : resolver.resolved()) {
    auto ordinal = ordinals.find(target);
    if (ordinal == ordinals.end())
      continue;
    StringRef outputName = plan.symbols[ordinal->second].outputName;
    if (outputName != index[id].name)
      plan.renames[index[id].input][builder.getStringAttr(index[id].name)] =
          builder.getStringAttr(outputName);
  }
}

void Planner::collectImports() {
  for (auto [input, source] : llvm::enumerate(plan.inputs)) {
    ModuleOp module = source.module;
    for (auto import : module.getOps<ModuleImportOp>()) {
      PlannedImport kept{import, {}};
      for (auto name : import.getSymbols().getAsRange<FlatSymbolRefAttr>()) {
        auto id = index.lookup(input, name.getValue());
        auto result = id ? resolver.resolved().find(*id) : resolver.resolved().end();
        if (result != resolver.resolved().end() && index[result->second].isDeclaration() &&
            ordinals.contains(result->second))
          kept.symbols.push_back(name);
      }
      if (!kept.symbols.empty())
        plan.imports.push_back(std::move(kept));
    }
  }
}

} // namespace loom
