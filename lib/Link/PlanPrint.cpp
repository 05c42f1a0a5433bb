//===- PlanPrint.cpp - What a link will do, for people and tools ----------===//
#include "SymbolIndex.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Link/Plan.h"
#include "loom/Support/Json.h"
#include "llvm/Support/Path.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static StringRef spellReason(LinkReason reason) {
  static constexpr StringRef names[] = {"merge", "root", "dependency", "provider"};
  return names[static_cast<unsigned>(reason)];
}

static StringRef spellRole(LinkRole role) {
  static constexpr StringRef names[] = {"input", "library", "root-library", "transitive-library"};
  return names[static_cast<unsigned>(role)];
}

static StringRef spellState(DependencyState state) {
  static constexpr StringRef names[] = {"local",  "direct",    "transitive",
                                        "hidden", "ambiguous", "unresolved"};
  return names[static_cast<unsigned>(state)];
}

static StringRef spellRole(SymbolRole role) {
  static constexpr StringRef names[] = {"definition", "declaration", "family",   "implementation",
                                        "record",     "test",        "benchmark"};
  return names[static_cast<unsigned>(role)];
}

/// A value of a `key=value` pair; with quotes where blanks or quotes would make it ambiguous.
static void printWord(llvm::raw_ostream &os, StringRef word) {
  bool isPlain = !word.empty() && llvm::all_of(word, [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) > ' ';
  });
  if (isPlain) {
    os << word;
    return;
  }
  os << '"';
  llvm::printEscapedString(word, os);
  os << '"';
}

/// What the module is called: a linked module by its name, another one by its file.
static StringRef moduleName(const LinkInput &input) {
  ModuleOp module = input.module;
  return module.getName() ? *module.getName() : llvm::sys::path::stem(input.name);
}

static void printSource(llvm::raw_ostream &os, const LinkInput &input) {
  os << " provider=";
  printWord(os, input.name);
  os << " module=";
  printWord(os, moduleName(input));
}

static void printName(llvm::raw_ostream &os, StringRef name) {
  if (name.empty())
    os << " -";
  else
    os << " @" << name;
}

/// True when other modules could name the symbol; a private one is known in its module only.
static bool isGlobal(Operation *op) {
  SymbolRole role = getSymbolKind(op)->role;
  return role == SymbolRole::Declaration || role == SymbolRole::Family ||
         (role != SymbolRole::Record && isVisible(op));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool saysPublic(Operation *op) {
  auto visibility = op->getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName());
  return visibility && visibility.getValue() == "public";
}

static SmallVector<StringRef> describe(Operation *op) {
  SmallVector<StringRef> flags{spellRole(getSymbolKind(op)->role)};
  if (saysPublic(op))
    flags.push_back("public");
  if (op->hasAttr("retain"))
    flags.push_back("retain");
  if (op->hasAttr("export_name"))
    flags.push_back("export");
  return flags;
}

void printPlan(llvm::raw_ostream &os, const LinkPlan &plan) {
  os << "plan mode=" << (plan.mode == LinkMode::Merge ? "merge" : "link")
     << " symbols=" << plan.symbols.size() << '\n';
  for (auto [ordinal, symbol] : llvm::enumerate(plan.symbols)) {
    os << ordinal << ' ' << spellReason(symbol.reason);
    printName(os, symbol.name);
    printSource(os, plan.inputs[symbol.input]);
    os << " cause=";
    if (symbol.cause)
      os << *symbol.cause;
    else
      os << '-';
    SmallVector<StringRef> flags = describe(symbol.op);
    if (saysPublic(symbol.op) && !symbol.isPublic)
      flags.push_back("internalized");
    std::string renamed = "renamed:@" + symbol.outputName;
    if (symbol.outputName != symbol.name)
      flags.push_back(renamed);
    os << " flags=" << llvm::join(flags, ",") << '\n';
  }
}

void listSymbols(llvm::raw_ostream &os, ArrayRef<LinkInput> inputs) {
  SymbolIndex index(inputs);
  for (SymbolId id = 0; id != index.size(); ++id) {
    const IndexedSymbol &symbol = index[id];
    os << (index.isOfInput(id) ? "input" : "library");
    printName(os, symbol.name);
    printSource(os, inputs[symbol.input]);
    os << " identity=" << (isGlobal(symbol.op) ? "global" : "private")
       << " flags=" << llvm::join(describe(symbol.op), ",") << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Dependency report
//===----------------------------------------------------------------------===//

static Json place(Operation *op) {
  FileLineColLoc loc = op ? getFileLoc(op->getLoc()) : FileLineColLoc();
  if (!loc)
    return nullptr;
  return loc.getFilename().str() + ":" + std::to_string(loc.getLine()) + ":" +
         std::to_string(loc.getColumn());
}

/// The libraries that an input uses by a declaration, or for a family that it names.
static std::vector<bool> findUsed(const LinkPlan &plan) {
  std::vector<bool> used(plan.inputs.size(), false);
  for (const LinkDependency &dependency : plan.dependencies)
    if (dependency.definition)
      used[dependency.provider] = true;
  SymbolIndex index(plan.inputs);
  for (SymbolId id = 0; id != index.size(); ++id)
    if (index.isOfInput(id) && index[id].kind->role == SymbolRole::Family)
      for (SymbolId implementation : index.implementations(index[id].name))
        used[index[implementation].input] = true;
  return used;
}

std::string dependencyReport(const LinkPlan &plan, StringRef component) {
  bool ok = true;
  Json dependencies = Json::array(), libraries = Json::array();
  for (auto [row, dependency] : llvm::enumerate(plan.dependencies)) {
    bool isAllowed =
        dependency.state == DependencyState::Local || dependency.state == DependencyState::Direct;
    ok &= isAllowed;
    Json provider = nullptr;
    if (dependency.definition)
      provider = plan.inputs[dependency.provider].name;
    dependencies.push_back({{"index", row},
                            {"symbol", getSymbol(dependency.declaration).str()},
                            {"operation", getTextName(dependency.declaration).str()},
                            {"input", plan.inputs[dependency.input].name},
                            {"place", place(dependency.declaration)},
                            {"state", spellState(dependency.state).str()},
                            {"provider", provider},
                            {"definition_place", place(dependency.definition)}});
  }
  std::vector<bool> used = findUsed(plan);
  for (auto [i, input] : llvm::enumerate(plan.inputs))
    if (input.role != LinkRole::Input)
      libraries.push_back({{"index", libraries.size()},
                           {"provider", input.name},
                           {"role", spellRole(input.role).str()},
                           {"used", bool(used[i])}});
  return jsonLine({{"kind", "loom.dependency_report"},
                   {"schema_version", 0},
                   {"component", component.str()},
                   {"status", ok ? "ok" : "failed"},
                   {"dependencies", {{"count", dependencies.size()}, {"rows", dependencies}}},
                   {"libraries", {{"count", libraries.size()}, {"rows", libraries}}}});
}

} // namespace loom
