//===- Planner.cpp - How a plan comes to be -------------------------------===//
#include "Planner.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Support/NearMatches.h"
#include "loom/Target/TargetProfile.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Inputs that stay as they are
//===----------------------------------------------------------------------===//

/// Adds `id` and what it needs inside of its own module.
void Planner::addLocalReach(SymbolId id, llvm::DenseSet<SymbolId> &reached) const {
  SmallVector<SymbolId> worklist{id};
  while (!worklist.empty()) {
    SymbolId next = worklist.pop_back_val();
    if (!reached.insert(next).second)
      continue;
    const IndexedSymbol &symbol = index[next];
    forEachReference(symbol.op, [&](FlatSymbolRefAttr name) {
      if (auto needed = index.lookup(symbol.input, name.getValue()))
        worklist.push_back(*needed);
    });
    if (symbol.kind->role == SymbolRole::Family)
      for (SymbolId implementation : index.implementations(symbol.name))
        if (index[implementation].input == symbol.input)
          worklist.push_back(implementation);
  }
}

/// Tests, benchmarks, and what nothing but them can need: private symbols and declarations that no
/// other symbol of their module reaches.
llvm::DenseSet<SymbolId> Planner::findTestOnly() const {
  llvm::DenseSet<SymbolId> byTests, byOthers, result;
  for (SymbolId id = 0; id != index.size(); ++id)
    if (index.isOfInput(id) && index[id].isForTests())
      addLocalReach(id, byTests);
  for (SymbolId id = 0; id != index.size(); ++id) {
    const IndexedSymbol &symbol = index[id];
    bool isSeen = isVisible(symbol.op) && !symbol.isDeclaration();
    if (index.isOfInput(id) && !symbol.isForTests() &&
        (isSeen || symbol.op->hasAttr("retain") || !byTests.contains(id)))
      addLocalReach(id, byOthers);
  }
  for (SymbolId id : byTests)
    if (!byOthers.contains(id))
      result.insert(id);
  return result;
}

void Planner::seedInputs() {
  llvm::DenseSet<SymbolId> stripped;
  if (options.stripCheck)
    stripped = findTestOnly();
  for (SymbolId id = 0; id != index.size(); ++id) {
    if (!index.isOfInput(id) || stripped.contains(id))
      continue;
    // Where libraries are linked, a declaration that nothing uses needs nothing.
    if (plan.mode == LinkMode::Link && index[id].kind->isRequired)
      continue;
    if (resolver.resolve(id) == id)
      add(id, LinkReason::Merge);
  }
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

void Planner::reportUndefinedRoot(StringRef name) {
  std::vector<std::string> known;
  for (SymbolId id = 0; id != index.size(); ++id)
    if (!index[id].name.empty() && (index.isOfInput(id) || isVisible(index[id].op)))
      known.push_back(index[id].name.str());
  ModuleOp module = index.inputs().front().module;
  emitCoded(module.getLoc(), DiagCode::SymbolUndefined, "undefined root @")
      << name << didYouMean(name, known);
}

/// A definition of an input, else what an input declares, else what a library exports.
std::optional<SymbolId> Planner::findRoot(StringRef name) {
  std::optional<SymbolId> declared, exported, hidden;
  for (SymbolId id : index.named(name)) {
    bool isDeclaration = index[id].isDeclaration();
    if (index.isOfInput(id) && !isDeclaration)
      return id;
    if (index.isOfInput(id)) {
      declared = declared.value_or(id);
      continue;
    }
    if (isDeclaration)
      continue;
    if (!isVisible(index[id].op)) {
      hidden = hidden.value_or(id);
    } else if (!exported) {
      exported = id;
    } else if (!declared && resolver.resolve(id) != resolver.resolve(*exported)) {
      InFlightDiagnostic diag =
          emitCoded(index[id].op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
      diag << name << ", which is a root";
      diag.attachNote(index[*exported].op->getLoc()) << "first defined here";
      return std::nullopt;
    }
  }
  if (declared || exported)
    return declared ? declared : exported;
  if (!hidden) {
    reportUndefinedRoot(name);
    return std::nullopt;
  }
  emitCoded(index[*hidden].op, DiagCode::LinkRoot, "root @")
      << name << " is not exported by its library '" << index.inputs()[index[*hidden].input].name
      << "'";
  return std::nullopt;
}

void Planner::addRoot(StringRef spelled) {
  StringRef name = spelled.trim();
  name.consume_front("@");
  std::optional<SymbolId> id = findRoot(name);
  if (!id) {
    resolver.ok = false;
  } else if (options.stripCheck && index[*id].isForTests()) {
    resolver.ok = false;
    emitCoded(index[*id].op, DiagCode::LinkRoot, "root @")
        << name << " is a '" << getTextName(index[*id].op) << "', and tests are left out";
  } else {
    add(resolver.resolve(*id), LinkReason::Root);
  }
}

/// Kernels and what is `public`. Configuration values and records are visible too, but nobody asks
/// for them by themselves.
static bool isExport(const IndexedSymbol &symbol) {
  if (symbol.isDeclaration() || symbol.isForTests() || !isVisible(symbol.op))
    return false;
  StringRef entity = symbol.kind->entity;
  return symbol.kind->visibility == SymbolVisibility::Public || entity.ends_with("kernel");
}

void Planner::seedRoots() {
  for (StringRef name : options.roots)
    addRoot(name);
  for (SymbolId id = 0; id != index.size(); ++id) {
    const IndexedSymbol &symbol = index[id];
    bool isRoot = false;
    if (index.isOfInput(id))
      isRoot = (!symbol.isDeclaration() && symbol.op->hasAttr("retain")) ||
               (options.inputExports && isExport(symbol)) ||
               (options.inputTests && symbol.kind->role == SymbolRole::Test);
    else if (index.role(id) == LinkRole::RootLibrary)
      isRoot = isExport(symbol);
    if (isRoot && !(options.stripCheck && symbol.isForTests()))
      add(resolver.resolve(id), LinkReason::Root);
  }
  if (!plan.symbols.empty() || !resolver.ok)
    return;
  resolver.ok = false;
  ModuleOp module = index.inputs().front().module;
  emitCoded(module.getLoc(), DiagCode::LinkRoot,
            "what the link was asked to keep has no symbol: nothing is exported or tested");
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

void Planner::add(SymbolId id, LinkReason reason, std::optional<unsigned> cause) {
  if (!ordinals.try_emplace(id, ids.size()).second)
    return;
  ids.push_back(id);
  const IndexedSymbol &symbol = index[id];
  plan.symbols.push_back(
      {symbol.op, symbol.input, symbol.name, reason, cause, symbol.name.str(), false});
}

/// The target record that a symbol names, or null.
Operation *Planner::findTarget(SymbolId id) const {
  auto name = index[id].op->getAttrOfType<FlatSymbolRefAttr>("target");
  auto record = name ? index.lookup(index[id].input, name.getValue()) : std::nullopt;
  return record && index[*record].kind->role == SymbolRole::Record ? index[*record].op : nullptr;
}

void Planner::addProviders(SymbolId family, unsigned ordinal) {
  SmallVector<std::pair<SymbolId, std::string>> rejected;
  bool any = false;
  for (SymbolId id : index.implementations(index[family].name)) {
    if (options.unneeded && options.unneeded->contains(index[id].op))
      continue;
    std::optional<std::string> reason;
    if (options.target)
      reason = ruledOut(index[id].op, findTarget(id), *options.target);
    if (reason) {
      rejected.push_back({id, *reason});
      continue;
    }
    any = true;
    add(id, LinkReason::Provider, ordinal);
  }
  if (any || rejected.empty())
    return;
  resolver.ok = false;
  InFlightDiagnostic diag =
      emitCoded(index[family].op, DiagCode::LinkTarget, "no implementation of @");
  diag << index[family].name << " is left for the target profile";
  for (auto &[id, reason] : rejected)
    diag.attachNote(index[id].op->getLoc())
        << "@" << index[id].name << " is not eligible: " << reason;
}

void Planner::expand(unsigned ordinal) {
  SymbolId id = ids[ordinal];
  const IndexedSymbol &symbol = index[id];
  forEachReference(symbol.op, [&](FlatSymbolRefAttr name) {
    if (auto needed = resolver.resolve(symbol.input, name.getValue()))
      add(*needed, LinkReason::Dependency, ordinal);
  });
  if (symbol.kind->role == SymbolRole::Family)
    addProviders(id, ordinal);
  if (index.isOfInput(id) && !options.stripCheck)
    for (SymbolId benchmark : index.benchmarks(id))
      add(benchmark, LinkReason::Dependency, ordinal);
}

LogicalResult Planner::run() {
  resolver.checkInputs();
  if (plan.mode == LinkMode::Merge || options.keepInputs)
    seedInputs();
  if (plan.mode == LinkMode::Link) {
    seedRoots();
    // The plan grows while it is gone through.
    for (unsigned ordinal = 0; ordinal != ids.size(); ++ordinal)
      expand(ordinal);
  }
  if (!resolver.ok)
    return failure();
  assignNames();
  checkArtifactNames();
  collectRenames();
  collectImports();
  return success(resolver.ok);
}

LogicalResult planLink(MLIRContext *context, ArrayRef<LinkInput> inputs, const LinkOptions &options,
                       LinkPlan &plan) {
  plan.context = context;
  plan.mode = options.mode;
  plan.inputs.assign(inputs.begin(), inputs.end());
  std::stable_partition(plan.inputs.begin(), plan.inputs.end(),
                        [](const LinkInput &input) { return input.role == LinkRole::Input; });
  plan.renames.resize(inputs.size());
  auto hasRole = [&](LinkRole role) {
    return llvm::any_of(inputs, [&](const LinkInput &input) { return input.role == role; });
  };
  bool asksForRoots = !options.roots.empty() || options.inputExports || options.inputTests ||
                      options.keepInputs || hasRole(LinkRole::RootLibrary);
  bool links = options.mode == LinkMode::Link;
  if (links != asksForRoots || inputs.empty()) {
    mlir::emitError(UnknownLoc::get(context),
                    inputs.empty() ? "a link takes at least one input"
                    : links ? "linking by need takes at least one root"
                            : "merging keeps every symbol; a root makes no difference to it");
    return failure();
  }
  // A library must not make up for a declaration that an input forgot.
  bool ok = true;
  if (options.verifyInputs)
    for (const LinkInput &input : inputs)
      ok &= succeeded(verifyModule(input.module));
  if (!ok)
    return failure();
  SymbolIndex index(plan.inputs);
  return Planner(index, options, plan).run();
}

} // namespace loom
