//===- Printer.cpp - The canonical text of a module -----------------------===//
//
// Implements MLIR's OpAsmPrinter over a string, so that the assembly formats of the ODS definitions
// drive it. Names are assigned before anything is written: the author's where they are free in
// their scope, with a number behind them where they are not.
//
//===----------------------------------------------------------------------===//
#include "loom/IR/AsmSupport.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace loom {
using namespace mlir;

namespace {

/// A name for every value below an operation.
class NameTable {
public:
  void assign(Operation *op) {
    for (Region &region : op->getRegions()) {
      scopes.emplace_back();
      scopes.back().isolated = op->hasTrait<OpTrait::IsIsolatedFromAbove>();
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          define(argument, "arg");
        for (Operation &inner : block)
          assign(&inner);
      }
      scopes.pop_back();
    }
    for (OpResult result : op->getResults())
      define(result, synthesize(op));
  }

  StringRef lookup(Value value) const {
    auto it = names.find(value);
    return it == names.end() ? StringRef("?") : StringRef(it->second);
  }

  void enterTop() { scopes.emplace_back(); }

private:
  struct Scope {
    llvm::StringSet<> used;
    bool isolated = false;
  };

  /// A name that tells what the value is: `c32` for a constant, else the last word of the op.
  static std::string synthesize(Operation *op) {
    StringRef name = getTextName(op);
    if (name == "index.constant")
      if (auto value = op->getAttrOfType<IntegerAttr>("value"))
        if (!value.getValue().isNegative())
          return "c" + std::to_string(value.getValue().getSExtValue());
    return name.rsplit('.').second.str();
  }

  bool isUsed(StringRef name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      if (scope->used.contains(name))
        return true;
      if (scope->isolated)
        return false;
    }
    return false;
  }

  void define(Value value, std::string fallback) {
    StringRef authored = getValueName(value);
    std::string base = authored.empty() ? std::move(fallback) : authored.str();
    std::string name = base;
    // Names grow by a counter of their own, so that many copies of one name stay cheap.
    while (isUsed(name))
      name = base + "_" + std::to_string(counters[base]++);
    scopes.back().used.insert(name);
    names[value] = name;
  }

  std::vector<Scope> scopes;
  llvm::StringMap<unsigned> counters;
  llvm::DenseMap<Value, std::string> names;
};

class Printer final : public OpAsmPrinter {
public:
  explicit Printer(std::string &text) : text(text), os(text) {}

  void printModule(ModuleOp module) {
    StringRef lastFile;
    Operation *previous = nullptr;
    for (Operation &op : *module.getBody()) {
      NameTable table;
      table.enterTop();
      table.assign(&op);
      names = std::move(table);
      // Programs of several files, and operations made by the compiler, get a blank line between
      // them; within a file the author decides.
      FileLineColLoc place = getFileLoc(op.getLoc());
      StringRef file = place ? place.getFilename().getValue() : StringRef();
      SourceInfo info = getSourceInfo(op.getLoc());
      bool separated = !info.leading.empty() && info.leading.front().empty();
      if (previous && !separated && (file != lastFile || file.empty()))
        os << '\n';
      printStatement(&op, /*first=*/!previous);
      previous = &op;
      lastFile = file;
    }
    printComments(getSourceInfo(module.getLoc()).after, !previous);
  }

  void printSingle(Operation *op) {
    names.enterTop();
    names.assign(op);
    printStatement(op, true);
  }

  //===--- AsmPrinter --------------------------------------------------------===//
  raw_ostream &getStream() const override { return os; }
  void printNewline() override {
    os << '\n';
    os.indent(indentation);
  }
  void increaseIndent() override { indentation += 2; }
  void decreaseIndent() override { indentation -= 2; }
  void printFloat(const APFloat &value) override { printFloatLiteral(os, value); }
  void printType(Type type) override {
    printTextType(os, type, [&](unsigned) { os << '?'; });
  }
  void printAttribute(Attribute attribute) override {
    if (auto string = dyn_cast<StringAttr>(attribute))
      printString(string.getValue());
    else if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
      printSymbolName(symbol.getValue());
    else if (auto type = dyn_cast<TypeAttr>(attribute))
      printType(type.getValue());
    else if (isa<IntegerAttr, FloatAttr>(attribute))
      printLiteral(os, attribute);
    else
      attribute.print(os, /*elideType=*/true);
  }
  void printAttributeWithoutType(Attribute attribute) override { printAttribute(attribute); }
  void printNamedAttribute(NamedAttribute attribute) override {
    os << attribute.getName().getValue() << " = ";
    printAttribute(attribute.getValue());
  }
  LogicalResult printAlias(Attribute) override { return failure(); }
  LogicalResult printAlias(Type) override { return failure(); }
  void printKeywordOrString(StringRef keyword) override { os << keyword; }
  void printString(StringRef string) override {
    os << '"';
    for (char c : string) {
      if (c == '"' || c == '\\')
        os << '\\' << c;
      else if (c == '\n')
        os << "\\n";
      else if (c == '\t')
        os << "\\t";
      else if (c == '\r')
        os << "\\r";
      else
        os << c;
    }
    os << '"';
  }
  void printSymbolName(StringRef symbol) override { os << '@' << symbol; }
  void printResourceHandle(const AsmDialectResourceHandle &) override {}
  LogicalResult pushCyclicPrinting(const void *) override { return success(); }
  void popCyclicPrinting() override {}

  //===--- OpAsmPrinter ------------------------------------------------------===//
  void printOptionalLocationSpecifier(Location) override {}
  void printRegionArgument(BlockArgument argument, ArrayRef<NamedAttribute>,
                           bool omitType) override {
    printOperand(argument);
    if (omitType)
      return;
    os << ": ";
    printType(argument.getType());
  }
  void printOperand(Value value) override { printOperand(value, os); }
  void printOperand(Value value, raw_ostream &stream) override {
    stream << '%' << names.lookup(value);
  }
  void printSuccessor(Block *) override { os << "^block"; }
  void printSuccessorAndUseList(Block *block, ValueRange) override { printSuccessor(block); }
  // The text shows what the language defines; what passes note on operations is not part of it.
  void printOptionalAttrDict(ArrayRef<NamedAttribute>, ArrayRef<StringRef>) override {}
  void printOptionalAttrDictWithKeyword(ArrayRef<NamedAttribute>, ArrayRef<StringRef>) override {}
  void printCustomOrGenericOp(Operation *op) override {
    if (!op->getResults().empty()) {
      llvm::interleaveComma(op->getResults(), os, [&](OpResult r) { printOperand(r); });
      os << " = ";
    }
    // The op writes its own internal name first; the text has no prefix.
    size_t begin = text.size();
    op->getName().printAssembly(op, *this, /*defaultDialect=*/"");
    if (StringRef(text).substr(begin).starts_with("loom_"))
      text.erase(begin, strlen("loom_"));
  }
  void printGenericOp(Operation *op, bool) override { os << op->getName(); }
  void shadowRegionArgs(Region &, ValueRange) override {}
  void printAffineMapOfSSAIds(AffineMapAttr, ValueRange) override {}
  void printAffineExprOfSSAIds(AffineExpr, ValueRange, ValueRange) override {}

  void printRegion(Region &region, bool, bool printTerminators, bool) override {
    os << "{\n";
    indentation += 2;
    bool first = true;
    for (Block &block : region)
      for (Operation &op : block) {
        bool implied =
            !printTerminators && op.hasTrait<OpTrait::IsTerminator>() && op.getNumOperands() == 0;
        if (implied)
          continue;
        printStatement(&op, first);
        first = false;
      }
    unsigned number = region.getRegionNumber();
    SmallVector<StringRef> comments;
    for (auto [owner, comment] : getSourceInfo(region.getParentOp()->getLoc()).regionEnd)
      if (owner == number)
        comments.push_back(comment);
    printComments(comments, first);
    indentation -= 2;
    os.indent(indentation) << '}';
  }

private:
  void printComments(ArrayRef<StringRef> lines, bool first) {
    for (StringRef line : lines) {
      if (line.empty()) {
        // A blank line separates: there is none at the beginning of a region.
        if (!first)
          os << '\n';
        continue;
      }
      os.indent(indentation) << line << '\n';
      first = false;
    }
  }

  void printStatement(Operation *op, bool first) {
    SourceInfo info = getSourceInfo(op->getLoc());
    printComments(info.leading, first);
    os.indent(indentation);
    printCustomOrGenericOp(op);
    if (!info.trailing.empty())
      os << ' ' << info.trailing;
    os << '\n';
  }

  std::string &text;
  mutable llvm::raw_string_ostream os;
  NameTable names;
  unsigned indentation = 0;
};

} // namespace

std::string printSourceText(ModuleOp module) {
  std::string text;
  Printer(text).printModule(module);
  return text;
}

std::string printSourceText(Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op))
    return printSourceText(module);
  std::string text;
  Printer(text).printSingle(op);
  return text;
}

} // namespace loom
