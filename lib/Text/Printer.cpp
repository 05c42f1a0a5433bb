//===- Printer.cpp - The canonical text of a module -----------------------===//
//
// Implements MLIR's OpAsmPrinter over a string, so that the assembly formats of the ODS definitions
// drive it. Names are assigned before anything is written: the author's where they are free in
// their scope, with a number behind them where they are not.
//
//===----------------------------------------------------------------------===//
#include "TypedValues.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/EnumEntries.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/Tokens.h"
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
      if (!region.empty() && !region.hasOneBlock())
        nameBlocks(op, region);
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

  StringRef lookup(Block *block) const {
    auto it = blockNames.find(block);
    return it == blockNames.end() ? StringRef("entry") : StringRef(it->second);
  }

  void enterTop() { scopes.emplace_back(); }

private:
  struct Scope {
    llvm::StringSet<> used;
    bool isolated = false;
  };

  /// The author's labels while there are as many as blocks; else numbers.
  void nameBlocks(Operation *op, Region &region) {
    SmallVector<StringRef> authored;
    for (auto [owner, name] : getSourceInfo(op->getLoc()).blockNames)
      if (owner == region.getRegionNumber())
        authored.push_back(name);
    bool fits = authored.size() + 1 == region.getBlocks().size();
    for (auto [i, block] : llvm::enumerate(llvm::drop_begin(region)))
      blockNames[&block] = fits ? authored[i].str() : "bb" + std::to_string(i + 1);
  }

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
  llvm::DenseMap<Block *, std::string> blockNames;
};

class Printer final : public OpAsmPrinter {
public:
  Printer(std::string &text, MLIRContext *context) : text(text), os(text), context(context) {}

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
      // What stands in front of an alias cannot use it.
      if (getTextName(&op) == "encoding.alias")
        aliases.try_emplace(op.getAttr("encoding"),
                            op.getAttrOfType<StringAttr>("name").getValue());
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
    SmallVector<Value> dims;
    if (countSlots(type))
      if (Value value = typed.next(type))
        dims = getDynamicDims(value);
    printTextType(*this, type, dims);
  }
  void printAttribute(Attribute attribute) override {
    auto alias = aliases.find(attribute);
    if (alias != aliases.end())
      os << '#' << alias->second;
    else
      printTextAttribute(os, attribute);
  }
  void printAttributeWithoutType(Attribute attribute) override { printAttribute(attribute); }
  void printNamedAttribute(NamedAttribute attribute) override {
    os << attribute.getName().getValue() << " = ";
    printAttribute(attribute.getValue());
  }
  // Formats print what has a class of its own through these.
  LogicalResult printAlias(Attribute attribute) override {
    printAttribute(attribute);
    return success();
  }
  LogicalResult printAlias(Type type) override {
    printType(type);
    return success();
  }
  void printKeywordOrString(StringRef keyword) override { os << keyword; }
  void printString(StringRef string) override {
    printTextAttribute(os, StringAttr::get(context, string));
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
  void printSuccessor(Block *block) override { os << '^' << names.lookup(block); }
  void printSuccessorAndUseList(Block *block, ValueRange operands) override {
    printSuccessor(block);
    if (operands.empty())
      return;
    os << '(';
    llvm::interleaveComma(operands, os, [&](Value operand) {
      printOperand(operand);
      os << ": ";
      printTextType(*this, operand.getType(), getDynamicDims(operand));
    });
    os << ')';
  }
  // The text shows what the language defines; what passes note on operations is not part of it.
  void printOptionalAttrDict(ArrayRef<NamedAttribute> attributes,
                             ArrayRef<StringRef> elided) override {
    SmallVector<NamedAttribute> shown;
    for (NamedAttribute attribute : attributes)
      if (!llvm::is_contained(elided, attribute.getName().getValue()) &&
          llvm::is_contained(known, attribute.getName()) &&
          !attribute.getName().getValue().ends_with("SegmentSizes"))
        shown.push_back(attribute);
    if (shown.empty())
      return;
    llvm::sort(shown, [](NamedAttribute a, NamedAttribute b) {
      return a.getName().getValue() < b.getName().getValue();
    });
    os << " {";
    llvm::interleaveComma(shown, os, [&](NamedAttribute a) {
      StringRef key = a.getName().getValue();
      if (std::optional<StringRef> word = spellEnumEntry(statement, key, a.getValue()))
        os << key << " = " << *word;
      else
        printNamedAttribute(a);
    });
    os << '}';
  }
  void printOptionalAttrDictWithKeyword(ArrayRef<NamedAttribute>, ArrayRef<StringRef>) override {}
  void printCustomOrGenericOp(Operation *op) override {
    if (!op->getResults().empty()) {
      llvm::interleaveComma(op->getResults(), os, [&](OpResult r) { printOperand(r); });
      os << " = ";
    }
    typed = TypedValues(op);
    known = op->getName().getAttributeNames();
    statement = getTextName(op);
    // The op writes its own internal name first; the text has no prefix, or another word.
    size_t begin = text.size();
    op->getName().printAssembly(op, *this, /*defaultDialect=*/"");
    std::string word;
    if (auto worded = dyn_cast<StatementWordOpInterface>(op))
      word = worded.getStatementWord();
    size_t before = text.size();
    if (!word.empty())
      text.replace(begin, op->getName().getStringRef().size(), word);
    else if (StringRef(text).substr(begin).starts_with("loom_"))
      text.erase(begin, strlen("loom_"));
    for (auto &[open, close] : spans) {
      open -= before - text.size();
      close -= before - text.size();
    }
  }
  void printGenericOp(Operation *op, bool) override { os << op->getName(); }
  void shadowRegionArgs(Region &, ValueRange) override {}
  void printAffineMapOfSSAIds(AffineMapAttr, ValueRange) override {}
  void printAffineExprOfSSAIds(AffineExpr, ValueRange, ValueRange) override {}

  void printRegion(Region &region, bool, bool printTerminators, bool) override {
    size_t begin = text.size();
    unsigned number = region.getRegionNumber();
    SourceInfo info = getSourceInfo(region.getParentOp()->getLoc());
    os << '{';
    for (auto [owner, comment] : info.regionBegin)
      if (owner == number)
        os << ' ' << comment;
    os << '\n';
    indentation += 2;
    bool first = true;
    TypedValues savedTyped = typed;
    ArrayRef<StringAttr> savedKnown = known;
    StringRef savedStatement = statement;
    for (Block &block : region) {
      if (!block.isEntryBlock())
        printLabel(block);
      for (Operation &op : block) {
        bool implied =
            !printTerminators && op.hasTrait<OpTrait::IsTerminator>() && op.getNumOperands() == 0;
        if (implied)
          continue;
        printStatement(&op, first);
        first = false;
      }
    }
    typed = savedTyped;
    known = savedKnown;
    statement = savedStatement;
    SmallVector<StringRef> comments;
    for (auto [owner, comment] : info.regionEnd)
      if (owner == number)
        comments.push_back(comment);
    printComments(comments, first);
    indentation -= 2;
    os.indent(indentation) << '}';
    spans.push_back({begin, text.size()});
  }

private:
  void printLabel(Block &block) {
    os.indent(indentation - 2);
    printSuccessor(&block);
    if (block.getNumArguments()) {
      os << '(';
      llvm::interleaveComma(block.getArguments(), os, [&](BlockArgument argument) {
        printOperand(argument);
        os << ": ";
        printTextType(*this, argument.getType(), getDynamicDims(argument));
      });
      os << ')';
    }
    os << ":\n";
  }

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
    auto savedSpans = std::move(spans);
    spans.clear();
    size_t begin = text.size();
    printCustomOrGenericOp(op);
    if (!info.inside.empty())
      weaveComments(begin, info.inside);
    spans = std::move(savedSpans);
    if (!info.trailing.empty())
      os << ' ' << info.trailing;
    os << '\n';
    if (!isa<ModuleOp>(op))
      printComments(info.after, false);
  }

  /// Puts comments that stand inside of a statement back behind the tokens they followed.
  void weaveComments(size_t begin, ArrayRef<InnerComment> comments) {
    SmallVector<std::pair<size_t, size_t>> segments;
    size_t start = begin;
    for (auto [open, close] : spans) {
      segments.push_back({start, open});
      start = close;
    }
    segments.push_back({start, text.size()});
    for (size_t i = segments.size(); i-- > 0;) {
      SmallVector<InnerComment> own;
      for (const InnerComment &comment : comments)
        if (std::min<size_t>(comment.segment, segments.size() - 1) == i)
          own.push_back(comment);
      if (own.empty())
        continue;
      auto [from, to] = segments[i];
      std::string woven = weaveSegment(StringRef(text).slice(from, to), own, /*isFirst=*/i == 0,
                                       /*goesOn=*/i + 1 < segments.size());
      text.replace(from, to - from, woven);
    }
  }

  std::string weaveSegment(StringRef segment, ArrayRef<InnerComment> comments, bool isFirst,
                           bool goesOn) {
    std::string woven;
    const std::string asDeep = "\n" + std::string(indentation, ' '), deeper = asDeep + "    ";
    unsigned count = 0;
    size_t done = 0;
    bool broken = false;
    // Comments before a token, on the line of the last one or on lines of their own: where the text
    // begins a line with the token, they stand as deep.
    auto place = [&](StringRef gap, bool all) {
      size_t lineBegin = gap.rfind('\n');
      // What follows a closing brace stands below it.
      const std::string &usual = isFirst || count != 0 ? deeper : asDeep;
      std::string newLine = lineBegin == StringRef::npos ? usual : gap.substr(lineBegin).str();
      broken = false;
      while (!comments.empty() && (all || comments.front().token <= count)) {
        woven += comments.front().ownLine || broken ? newLine : std::string(" ");
        woven += comments.front().text;
        comments = comments.drop_front();
        broken = true;
      }
      return newLine;
    };
    forEachToken(segment, [&](size_t tokenBegin, size_t tokenEnd) {
      StringRef gap = segment.slice(done, tokenBegin);
      std::string newLine = place(gap, false);
      woven += broken ? StringRef(newLine) : gap;
      woven += segment.slice(tokenBegin, tokenEnd);
      done = tokenEnd;
      ++count;
      return true;
    });
    std::string newLine = place(segment.drop_front(done), true);
    woven += broken && goesOn ? StringRef(newLine) : segment.drop_front(done);
    return woven;
  }

  std::string &text;
  mutable llvm::raw_string_ostream os;
  MLIRContext *context;
  NameTable names;
  llvm::DenseMap<Attribute, StringRef> aliases;
  unsigned indentation = 0;
  /// Of the statement being printed: values that types can belong to, attributes that the language
  /// defines, and where its regions stand in the text.
  TypedValues typed;
  ArrayRef<StringAttr> known;
  StringRef statement; ///< the name of its operation
  SmallVector<std::pair<size_t, size_t>> spans;
};

} // namespace

std::string printSourceText(ModuleOp module) {
  std::string text;
  PendingDimsScope dims; // extents are asked for often
  Printer(text, module.getContext()).printModule(module);
  return text;
}

std::string printSourceText(Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op))
    return printSourceText(module);
  std::string text;
  PendingDimsScope dims;
  Printer(text, op->getContext()).printSingle(op);
  return text;
}

} // namespace loom
