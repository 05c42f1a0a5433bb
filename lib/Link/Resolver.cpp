//===- Resolver.cpp - Which symbol a name stands for ----------------------===//
#include "Resolver.h"
#include "loom/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

void Resolver::checkInputs() {
  llvm::StringMap<SymbolId> owners;
  for (SymbolId id = 0; id != index.size(); ++id) {
    const IndexedSymbol &symbol = index[id];
    if (!index.isOfInput(id) || symbol.isDeclaration() || symbol.name.empty())
      continue;
    auto [it, inserted] = owners.try_emplace(symbol.name, id);
    if (inserted)
      continue;
    const IndexedSymbol &first = index[it->second];
    SymbolRole role = symbol.kind->role;
    bool maybeOne =
        role == first.kind->role && (role == SymbolRole::Family || role == SymbolRole::Record);
    if (maybeOne) {
      ok &= succeeded(checkAgreement(symbol.op, first.op));
      continue;
    }
    ok = false;
    InFlightDiagnostic diag =
        emitCoded(symbol.op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
    diag << symbol.name;
    diag.attachNote(first.op->getLoc()) << "first defined here";
  }
}

SymbolId Resolver::resolve(SymbolId id) {
  auto it = results.find(id);
  if (it != results.end())
    return it->second;
  SymbolId result = id;
  switch (index[id].kind->role) {
  case SymbolRole::Declaration:
    result = resolveDeclaration(id);
    break;
  case SymbolRole::Family:
    result = resolveFamily(id);
    break;
  case SymbolRole::Record:
    result = resolveRecord(id);
    break;
  case SymbolRole::Definition:
  case SymbolRole::Implementation:
  case SymbolRole::Test:
  case SymbolRole::Benchmark:
    break;
  }
  results.insert({id, result});
  return result;
}

std::optional<SymbolId> Resolver::resolve(unsigned input, StringRef name) {
  std::optional<SymbolId> local = index.lookup(input, name);
  return local ? std::optional(resolve(*local)) : std::nullopt;
}

/// Of the copies in the inputs and, where they take part, in libraries. Those of the inputs were
/// compared with each other before.
SymbolId Resolver::resolveFamily(SymbolId id) {
  std::optional<SymbolId> first;
  for (SymbolId copy : index.named(index[id].name)) {
    if (index[copy].kind->role != SymbolRole::Family ||
        (options.mode == LinkMode::Merge && !index.isOfInput(copy)))
      continue;
    if (!first)
      first = copy;
    else if (!results.contains(*first) && !index.isOfInput(copy))
      ok &= succeeded(checkAgreement(index[copy].op, index[*first].op));
  }
  results.insert({*first, *first});
  return *first;
}

SymbolId Resolver::resolveRecord(SymbolId id) {
  for (SymbolId copy : index.named(index[id].name))
    if (isSameRecord(index[copy].op, index[id].op))
      return copy;
  return id;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

Resolver::Candidates Resolver::findDefinitions(SymbolId id) {
  Candidates result;
  llvm::SmallSetVector<SymbolId, 2> eligible;
  ArrayRef<ModuleImportOp> imports = index.imports(id);
  for (SymbolId candidate : index.named(index[id].name)) {
    const IndexedSymbol &symbol = index[candidate];
    SymbolRole role = symbol.kind->role;
    if (symbol.input == index[id].input || role == SymbolRole::Declaration ||
        role == SymbolRole::Family || role == SymbolRole::Benchmark)
      continue;
    StringRef source = index.inputs()[symbol.input].name;
    bool isAdmitted = imports.empty() || llvm::any_of(imports, [&](ModuleImportOp import) {
                        return import.getKey() == source;
                      });
    if (!isAdmitted)
      result.unimported.push_back(candidate);
    else if (!isVisible(symbol.op))
      result.hidden.push_back(candidate);
    else
      eligible.insert(resolve(candidate));
  }
  result.eligible.assign(eligible.begin(), eligible.end());
  return result;
}

LinkDependency Resolver::describe(SymbolId id, const Candidates &candidates) const {
  LinkDependency result{index[id].op, index[id].input, DependencyState::Unresolved};
  auto define = [&](SymbolId definition) {
    result.definition = index[definition].op;
    result.provider = index[definition].input;
  };
  if (candidates.eligible.empty()) {
    if (candidates.hidden.empty())
      return result;
    result.state = DependencyState::Hidden;
    define(candidates.hidden.front());
    return result;
  }
  define(candidates.eligible.front());
  LinkRole role = index.role(candidates.eligible.front());
  result.state = candidates.eligible.size() > 1        ? DependencyState::Ambiguous
                 : role == LinkRole::Input             ? DependencyState::Local
                 : role == LinkRole::TransitiveLibrary ? DependencyState::Transitive
                                                       : DependencyState::Direct;
  return result;
}

bool Resolver::mayStay(SymbolId id, DependencyState state) const {
  bool isElsewhere = state == DependencyState::Direct || state == DependencyState::Transitive;
  bool isStrict = options.strictDependencies && state != DependencyState::Direct;
  if (!index[id].kind->isRequired || isExternal(index[id].op))
    return true;
  return !isStrict && (isElsewhere || options.allowUnresolved);
}

SymbolId Resolver::resolveDeclaration(SymbolId id) {
  Candidates candidates = findDefinitions(id);
  LinkDependency dependency = describe(id, candidates);
  if (index[id].kind->isRequired && (dependency.definition || !isExternal(index[id].op)))
    dependencies.push_back(dependency);
  if (candidates.eligible.size() > 1)
    reportAmbiguous(id, candidates);
  else if (candidates.eligible.size() == 1)
    ok &= succeeded(checkAgreement(index[id].op, dependency.definition));
  bool isSatisfied = !candidates.eligible.empty() &&
                     (options.mode == LinkMode::Link || dependency.state == DependencyState::Local);
  if (isSatisfied)
    return candidates.eligible.front();
  if (dependency.state != DependencyState::Ambiguous && !mayStay(id, dependency.state))
    reportUnsatisfied(id, dependency, candidates);
  SymbolId first = unsatisfied.try_emplace(index[id].name, findFullest(id)).first->second;
  if (first != id)
    ok &= succeeded(checkAgreement(index[id].op, index[first].op));
  return first;
}

/// A declaration of a kernel with its workload also stands for those without, but not the reverse.
SymbolId Resolver::findFullest(SymbolId id) const {
  if (!index[id].kind->ignoresWorkload)
    return id;
  for (SymbolId other : index.named(index[id].name))
    if (index[other].isDeclaration() && !index[other].kind->ignoresWorkload &&
        (options.mode == LinkMode::Link || index.isOfInput(other)))
      return other;
  return id;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Resolver::reportAmbiguous(SymbolId id, const Candidates &candidates) {
  ok = false;
  StringRef name = index[id].name;
  // Two of the inputs were reported when their symbols were collected.
  SymbolId first = candidates.eligible.front();
  if (!reportedAmbiguous.insert(name).second)
    return;
  for (SymbolId other : ArrayRef<SymbolId>(candidates.eligible).drop_front()) {
    if (index.isOfInput(first) && index.isOfInput(other))
      continue;
    InFlightDiagnostic diag =
        emitCoded(index[other].op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
    diag << name << ", which a declaration needs";
    diag.attachNote(index[first].op->getLoc()) << "first defined here";
    diag.attachNote(index[id].op->getLoc()) << "declared here";
  }
}

void Resolver::reportUnsatisfied(SymbolId id, const LinkDependency &dependency,
                                 const Candidates &candidates) {
  ok = false;
  Operation *op = index[id].op;
  bool isStrict = options.strictDependencies;
  InFlightDiagnostic diag =
      emitCoded(op, isStrict ? DiagCode::LinkIndirect : DiagCode::LinkUnresolved, "@");
  diag << index[id].name;
  if (dependency.state == DependencyState::Transitive) {
    diag << " is declared here, but of the libraries only '"
         << index.inputs()[dependency.provider].name
         << "' exports it, which is no direct dependency";
    diag.attachNote(dependency.definition->getLoc()) << "defined here";
    return;
  }
  diag << (isStrict ? " is declared here, but neither an input nor a direct library exports it"
                    : " is declared here, but no input defines it");
  for (SymbolId hidden : candidates.hidden)
    diag.attachNote(index[hidden].op->getLoc())
        << "this definition is not 'public', so that other modules do not see it";
  for (ModuleImportOp import : index.imports(id)) {
    bool isThere = llvm::any_of(
        index.inputs(), [&](const LinkInput &input) { return import.getKey() == input.name; });
    diag.attachNote(import.getLoc()) << "it is imported from '" << import.getKey() << "'"
                                     << (isThere ? "" : ", which is not part of this link");
  }
  for (SymbolId other : candidates.unimported)
    diag.attachNote(index[other].op->getLoc())
        << "this definition is in '" << index.inputs()[index[other].input].name
        << "', which no import of it names";
}

} // namespace loom
