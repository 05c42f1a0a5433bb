//===- Messages.cpp - What diagnostics point at and how they name it ------===//
#include "loom/IR/Messages.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/Tokens.h"
#include "mlir/IR/Matchers.h"

namespace loom {
using namespace mlir;

namespace {
/// What is looked for, from the place of an operation on.
enum class Wanted {
  Word,    ///< an occurrence of a word in the statement
  Literal, ///< what stands behind a word, in parentheses or without
  Key,     ///< a word in front of `=`
  Indices, ///< the `[` behind an occurrence of a word
  End,     ///< what closes the block that the operation is in
  Empty,   ///< the closing brace of the first region without operations
};

struct Place {
  Wanted wanted;
  StringRef word;
  unsigned occurrence = 0;
  bool hasRegions = false; ///< of the operation: its header ends at the first brace
};
} // namespace

/// `op` is where the search begins.
static Location makePlace(Operation *op, const Place &place) {
  Builder b(op->getContext());
  Attribute parts[] = {b.getI64IntegerAttr(static_cast<int64_t>(place.wanted)),
                       b.getStringAttr(place.word), b.getI64IntegerAttr(place.occurrence),
                       b.getBoolAttr(op->getNumRegions() != 0)};
  return FusedLoc::get(op->getLoc(), b.getArrayAttr(parts), op->getContext());
}

static std::optional<Place> readPlace(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto parts = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  if (!parts || parts.size() != 4)
    return std::nullopt;
  auto wanted = dyn_cast<IntegerAttr>(parts[0]), occurrence = dyn_cast<IntegerAttr>(parts[2]);
  auto word = dyn_cast<StringAttr>(parts[1]);
  auto hasRegions = dyn_cast<BoolAttr>(parts[3]);
  if (!wanted || !occurrence || !word || !hasRegions)
    return std::nullopt;
  return Place{static_cast<Wanted>(wanted.getInt()), word.getValue(),
               static_cast<unsigned>(occurrence.getInt()), hasRegions.getValue()};
}

//===----------------------------------------------------------------------===//
// Making places
//===----------------------------------------------------------------------===//

/// The place of an operand, or of what stands behind it: values that are used twice stand in the
/// text in the order of the operands.
static Location makeOperandPlace(Operation *op, unsigned number, Wanted wanted) {
  if (number >= op->getNumOperands())
    return op->getLoc();
  StringRef name = getValueName(op->getOperand(number));
  if (name.empty())
    return op->getLoc();
  unsigned occurrence = llvm::count_if(op->getOperands().take_front(number),
                                       [&](Value other) { return getValueName(other) == name; });
  std::string word = ("%" + name).str();
  return makePlace(op, {wanted, word, occurrence});
}

Location atOperand(Operation *op, unsigned number) {
  return makeOperandPlace(op, number, Wanted::Word);
}

Location atOperand(Operation *op, Value value) {
  return atOperand(op, std::distance(op->operand_begin(), llvm::find(op->getOperands(), value)));
}

Location atIndices(Operation *op, unsigned number) {
  return makeOperandPlace(op, number, Wanted::Indices);
}

Location atSymbol(Operation *op, StringRef name) { return atWord(op, ("@" + name).str()); }

Location atWord(Operation *op, StringRef word, unsigned occurrence) {
  return makePlace(op, {Wanted::Word, word, occurrence});
}

Location atLiteral(Operation *op, StringRef word) { return makePlace(op, {Wanted::Literal, word}); }

Location atKey(Operation *op, StringRef key) { return makePlace(op, {Wanted::Key, key}); }

bool isLeftOut(Operation *op) {
  FileLineColLoc place = getFileLoc(op->getLoc());
  return place && place == getFileLoc(op->getParentOp()->getLoc());
}

Location atEndOf(Block &block) {
  for (Operation &op : llvm::reverse(block))
    if (!isLeftOut(&op))
      return makePlace(&op, {Wanted::End, {}});
  return makePlace(block.getParentOp(), {Wanted::Empty, {}});
}

//===----------------------------------------------------------------------===//
// Finding places
//===----------------------------------------------------------------------===//

static size_t indentOf(StringRef text, size_t place) {
  StringRef line = text.drop_front(text.rfind('\n', place) + 1);
  return line.take_while([](char c) { return c == ' ' || c == '\t'; }).size();
}

/// The statement that begins at `begin`, up to its first region when it has regions. Its lines but
/// the first are indented, or stand in brackets.
static StringRef statementAt(StringRef text, size_t begin, bool hasRegions) {
  StringRef rest = text.drop_front(begin);
  size_t indent = begin ? indentOf(text, begin - 1) : 0, end = rest.size(), last = 0;
  int depth = 0;
  forEachToken(rest, [&](size_t tokenBegin, size_t tokenEnd) {
    bool isOnNewLine = rest.slice(last, tokenBegin).contains('\n');
    bool ends = depth < 0 || (hasRegions && rest[tokenBegin] == '{');
    if (depth == 0 && isOnNewLine)
      ends |= indentOf(text, begin + tokenBegin - 1) <= indent ||
              looksLikeStatement(rest.drop_front(tokenBegin));
    if (ends) {
      end = tokenBegin;
      return false;
    }
    last = tokenEnd;
    depth += StringRef("([{").contains(rest[tokenBegin]);
    depth -= StringRef(")]}").contains(rest[tokenBegin]);
    return true;
  });
  return rest.take_front(end);
}

/// Where `place` is in `statement`; `seen` counts the occurrences of its word.
static std::optional<size_t> findInStatement(const Place &place, StringRef statement,
                                             unsigned &seen) {
  SmallVector<StringRef> tokens;
  forEachToken(statement, [&](size_t begin, size_t end) {
    tokens.push_back(statement.slice(begin, end));
    return true;
  });
  auto is = [&](size_t i, StringRef token) { return i < tokens.size() && tokens[i] == token; };
  for (auto [i, token] : llvm::enumerate(tokens)) {
    if (token != place.word || (place.wanted == Wanted::Key && !is(i + 1, "=")) ||
        seen++ != place.occurrence)
      continue;
    size_t at = i;
    if (place.wanted == Wanted::Indices && is(i + 1, "["))
      at = i + 1;
    else if (place.wanted == Wanted::Literal)
      at = is(i + 1, "(") ? i + 2 : i + 1;
    if (at >= tokens.size())
      return std::nullopt;
    return tokens[at].begin() - statement.begin();
  }
  return std::nullopt;
}

/// What closes the block with the operation at the beginning of `text`: a brace, or a label. With
/// `isEmpty` the brace behind the first one with nothing inside.
static std::optional<size_t> findEnd(StringRef text, bool isEmpty) {
  std::optional<size_t> found;
  int depth = 0;
  bool isOpened = false;
  forEachToken(text, [&](size_t begin, size_t) {
    char c = text[begin];
    bool closes = c == '}' || (c == '^' && text.take_front(begin).rtrim(" \t").ends_with("\n"));
    if (isEmpty ? c == '}' && isOpened : closes && depth == 0)
      found = begin;
    isOpened = c == '{';
    depth += c == '{';
    depth -= c == '}';
    return !found;
  });
  return found;
}

/// Behind the brace that closes the one at the beginning of `text`; nothing when none does.
static std::optional<size_t> findBehindRegion(StringRef text) {
  std::optional<size_t> behind;
  int depth = 0;
  forEachToken(text, [&](size_t begin, size_t end) {
    depth += text[begin] == '{';
    depth -= text[begin] == '}';
    if (depth == 0)
      behind = end;
    return depth != 0;
  });
  return behind;
}

/// Looks for `place` in the statement at `begin`. One with regions may go on behind each of them:
/// `} launch(...) where [...] {`.
static std::optional<size_t> findInParts(const Place &place, StringRef text, size_t begin) {
  unsigned seen = 0;
  while (true) {
    StringRef part = statementAt(text, begin, place.hasRegions);
    if (std::optional<size_t> found = findInStatement(place, part, seen))
      return begin + *found;
    begin += part.size();
    std::optional<size_t> behind = place.hasRegions && text.substr(begin).starts_with("{")
                                       ? findBehindRegion(text.substr(begin))
                                       : std::nullopt;
    if (!behind)
      return std::nullopt;
    begin += *behind;
    if (text.substr(begin).ltrim(" \t").starts_with("\n"))
      return std::nullopt;
  }
}

std::optional<size_t> findToken(Location location, StringRef text, size_t begin) {
  std::optional<Place> place = readPlace(location);
  if (!place || begin >= text.size())
    return std::nullopt;
  if (place->wanted != Wanted::End && place->wanted != Wanted::Empty)
    return findInParts(*place, text, begin);
  std::optional<size_t> found = findEnd(text.drop_front(begin), place->wanted == Wanted::Empty);
  return found ? std::optional<size_t>(begin + *found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string spellValue(Value value) {
  if (StringRef name = value ? getValueName(value) : StringRef(); !name.empty())
    return ("%" + name).str();
  IntegerAttr constant;
  if (value && matchPattern(value, m_Constant(&constant)))
    return std::to_string(constant.getValue().getSExtValue());
  return {};
}

std::string spellPassed(Value value, StringRef what, size_t i) {
  std::string name = spellValue(value);
  return name.empty() ? (what + " " + Twine(i)).str() : "'" + name + "'";
}

std::string whichIs(Value filler) {
  std::string name = spellValue(filler);
  return name.empty() ? name : ", which is " + name;
}

std::string spellType(Value value) {
  SmallVector<Value> dims = getDynamicDims(value);
  std::string result;
  llvm::raw_string_ostream os(result);
  printTextType(os, value.getType(), [&](unsigned slot) {
    std::string name = slot < dims.size() ? spellValue(dims[slot]) : std::string();
    os << (name.empty() ? "?" : name);
  });
  return result;
}

std::string spellType(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (operand.getType() == type)
      return spellType(operand);
  for (Value result : op->getResults())
    if (result.getType() == type)
      return spellType(result);
  return stringifyType(type);
}

} // namespace loom
