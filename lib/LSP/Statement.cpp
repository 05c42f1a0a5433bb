//===- Statement.cpp - Parts of the text around a name --------------------===//
#include "Statement.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/StringExtras.h"

namespace loom::lsp {
using namespace mlir;

/// A header that is longer is cut off: nobody reads more in a hover.
static constexpr size_t kMaxHeader = 1000;

bool skipOpaque(StringRef text, size_t &i) {
  if (text.substr(i, 2) == "//") {
    i = std::min(text.find('\n', i), text.size());
    return true;
  }
  if (text[i] != '"')
    return false;
  i = std::max<size_t>(tokenAt(text, i).end, i + 1);
  return true;
}

/// The place behind the brace that closes the one at `open`.
static size_t closeBrace(StringRef text, size_t open) {
  unsigned depth = 0;
  for (size_t i = open; i < text.size();) {
    if (skipOpaque(text, i))
      continue;
    depth += text[i] == '{';
    depth -= text[i] == '}';
    ++i;
    if (depth == 0)
      return i;
  }
  return text.size();
}

std::string statementHeader(StringRef text, unsigned begin) {
  std::string header;
  size_t i = begin;
  for (int depth = 0; i < text.size() && header.size() < kMaxHeader;) {
    size_t from = i;
    if (skipOpaque(text, i)) {
      if (text[from] == '"')
        header += text.slice(from, i);
      continue;
    }
    char c = text[i];
    if (c == '\n' && depth <= 0)
      break;
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    i = c == '{' ? closeBrace(text, i) : i + 1;
    StringRef part = text.slice(from, i);
    header += part.contains('\n') && c == '{' ? StringRef("{ ... }") : part;
  }
  return StringRef(header).rtrim().str();
}

std::string commentAbove(StringRef text, unsigned lineBegin) {
  SmallVector<StringRef> lines;
  StringRef above = text.take_front(lineBegin);
  while (above.consume_back("\n")) {
    size_t begin = above.rfind('\n') + 1; // npos + 1 is 0
    StringRef line = above.drop_front(begin).trim();
    if (!line.consume_front("//"))
      break;
    line.consume_front(" ");
    lines.push_back(line);
    above = above.take_front(begin);
  }
  return llvm::join(llvm::reverse(lines), "\n");
}

unsigned placeOf(const Analysis &analysis, Operation *op) {
  FileLineColLoc place = getFileLoc(op->getLoc());
  return place ? analysis.lines.sourceOffset(place.getLine(), place.getColumn()) : 0;
}

std::string spellType(const Analysis &analysis, Value value) {
  // What an extent is follows from operations that are right.
  SmallVector<Value> dims;
  if (!analysis.hasErrors)
    dims = getDynamicDims(value);
  std::string spelling;
  llvm::raw_string_ostream os(spelling);
  printTextType(os, value.getType(), [&](unsigned i) {
    StringRef name = i < dims.size() ? getValueName(dims[i]) : StringRef();
    if (name.empty())
      os << '?';
    else
      os << '%' << name;
  });
  return spelling;
}

} // namespace loom::lsp
