//===- Materialize.cpp - From a plan to a module --------------------------===//
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Module/Module.h"
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Link/Plan.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringMap.h"

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
  void findUsedEncodings();
  bool keepsAlias(EncodingAliasOp alias, const LinkInput &input) const;
  bool copyAlias(OpBuilder &builder, EncodingAliasOp alias);
  void rename(Operation *op, unsigned input);

  const LinkPlan &plan;
  llvm::DenseMap<Operation *, const PlannedSymbol *> symbols;
  llvm::DenseMap<Operation *, const PlannedImport *> imports;
  llvm::DenseSet<Attribute> used;     ///< encodings of the planned symbols
  llvm::StringMap<Attribute> aliases; ///< of the result
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

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

void Materializer::findUsedEncodings() {
  AttrTypeWalker walker;
  walker.addWalk([&](EncodingAttr encoding) { used.insert(encoding); });
  for (const PlannedSymbol &symbol : plan.symbols)
    symbol.op->walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      if (Attribute properties = op->getPropertiesAsAttribute())
        walker.walk(properties);
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
    });
}

/// A merge keeps everything of its inputs; otherwise an alias stays for what is written with it.
bool Materializer::keepsAlias(EncodingAliasOp alias, const LinkInput &input) const {
  return (plan.mode == LinkMode::Merge && input.role == LinkRole::Input) ||
         used.contains(alias.getEncoding());
}

/// False when the result has the same alias already. One that is called like another gets a name of
/// its own.
bool Materializer::copyAlias(OpBuilder &builder, EncodingAliasOp alias) {
  std::string name = alias.getName().str();
  for (unsigned number = 2;; ++number) {
    auto [known, isNew] = aliases.try_emplace(name, alias.getEncoding());
    if (!isNew && known->second == alias.getEncoding())
      return false;
    if (isNew)
      break;
    name = (alias.getName() + "_" + Twine(number)).str();
  }
  auto copy = cast<EncodingAliasOp>(builder.clone(*alias));
  copy.setName(name);
  return true;
}

/// Puts the comments of an operation that was left out in front of `op`.
static void prependComments(Operation *op, SmallVectorImpl<StringRef> &comments) {
  if (comments.empty())
    return;
  SourceInfo info = getSourceInfo(op->getLoc());
  info.leading.insert(info.leading.begin(), comments.begin(), comments.end());
  op->setLoc(setSourceInfo(op->getLoc(), info));
  comments.clear();
}

OwningOpRef<ModuleOp> Materializer::run() {
  OwningOpRef<ModuleOp> linked(ModuleOp::create(location(), "linked"));
  OpBuilder builder = OpBuilder::atBlockEnd(linked->getBody());
  findUsedEncodings();
  for (const LinkInput &input : plan.inputs) {
    ModuleOp module = input.module;
    SmallVector<StringRef> comments; ///< of aliases that the result has already
    for (Operation &op : *module.getBody()) {
      Operation *last = linked->getBody()->empty() ? nullptr : &linked->getBody()->back();
      if (auto alias = dyn_cast<EncodingAliasOp>(op)) {
        if (keepsAlias(alias, input) && !copyAlias(builder, alias))
          llvm::append_range(comments, getSourceInfo(op.getLoc()).leading);
      } else if (const PlannedSymbol *symbol = symbols.lookup(&op)) {
        copySymbol(builder, *symbol);
      } else if (const PlannedImport *import = imports.lookup(&op)) {
        auto copy = cast<ModuleImportOp>(builder.clone(op));
        copy.setSymbolsAttr(builder.getArrayAttr(import->symbols));
      }
      if (!linked->getBody()->empty() && &linked->getBody()->back() != last)
        prependComments(&linked->getBody()->back(), comments);
    }
  }
  return linked;
}

} // namespace

OwningOpRef<ModuleOp> materialize(const LinkPlan &plan) { return Materializer(plan).run(); }

} // namespace loom
