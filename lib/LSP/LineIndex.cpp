//===- LineIndex.cpp - Places of a text as editors count them -------------===//
#include "loom/LSP/LineIndex.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace loom::lsp {

/// Bytes and UTF-16 code units of the character that `text` begins with. A byte that begins none is
/// a character of its own.
static std::pair<unsigned, unsigned> measureCharacter(StringRef text) {
  unsigned char lead = text.front();
  unsigned bytes = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
  if (bytes > text.size())
    return {1, 1};
  for (unsigned i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      return {1, 1};
  return {bytes, bytes == 4 ? 2 : 1};
}

LineIndex::LineIndex(StringRef text) : text(text), starts{0}, sourceStarts{0} {
  for (unsigned i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      starts.push_back(i + 1);
      sourceStarts.push_back(i + 1);
    } else if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      starts.push_back(i + 1);
    }
  }
  unsigned surplus = 0;
  for (unsigned at = 0; at < text.size();) {
    auto [bytes, units] = measureCharacter(text.drop_front(at));
    if (bytes > 1)
      wide.push_back({{at, at + bytes}, surplus += bytes - units});
    at += bytes;
  }
}

unsigned LineIndex::lineNumber(unsigned offset) const {
  return llvm::upper_bound(starts, offset) - starts.begin() - 1;
}

Span LineIndex::line(unsigned number) const {
  unsigned begin = starts[number];
  unsigned end = number + 1 < starts.size() ? starts[number + 1] : text.size();
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r'))
    --end;
  return {begin, end};
}

Span LineIndex::lineOf(unsigned offset) const {
  return line(lineNumber(std::min<unsigned>(offset, text.size())));
}

unsigned LineIndex::unitsBefore(unsigned offset) const {
  auto next = llvm::partition_point(
      wide, [&](const WideCharacter &character) { return character.bytes.end <= offset; });
  if (next != wide.end())
    offset = std::min(offset, next->bytes.begin);
  return offset - (next == wide.begin() ? 0 : std::prev(next)->surplus);
}

llvm::lsp::Position LineIndex::position(unsigned offset) const {
  unsigned number = lineNumber(std::min<unsigned>(offset, text.size()));
  Span span = line(number);
  unsigned units = unitsBefore(std::min(offset, span.end)) - unitsBefore(span.begin);
  return {static_cast<int>(number), static_cast<int>(units)};
}

unsigned LineIndex::offset(llvm::lsp::Position position) const {
  if (position.line < 0)
    return 0;
  if (static_cast<size_t>(position.line) >= starts.size())
    return text.size();
  Span span = line(position.line);
  unsigned at = span.begin;
  for (int units = 0; at < span.end;) {
    auto [bytes, width] = measureCharacter(text.slice(at, span.end));
    units += width;
    if (units > position.character)
      break;
    at += bytes;
  }
  return at;
}

unsigned LineIndex::sourceOffset(unsigned line, unsigned column) const {
  if (line == 0 || line > sourceStarts.size())
    return text.size();
  size_t offset = static_cast<size_t>(sourceStarts[line - 1]) + std::max(column, 1u) - 1;
  return std::min<size_t>(offset, text.size());
}

static bool isNamePart(char c) { return isAlnum(c) || c == '_'; }
static bool isDottedPart(char c) { return isNamePart(c) || c == '.'; }

/// Length of the string that `text` begins with, as far as it stands on its line.
static size_t stringLength(StringRef text) {
  for (size_t i = 1; i < text.size() && text[i] != '\n' && text[i] != '\r'; ++i) {
    if (text[i] == '"')
      return i + 1;
    if (text[i] == '\\')
      ++i;
  }
  return 1;
}

Span tokenAt(StringRef text, unsigned offset) {
  StringRef rest = text.drop_front(std::min<size_t>(offset, text.size()));
  unsigned begin = text.size() - rest.size();
  if (rest.empty() || rest.front() == '\n' || rest.front() == '\r') {
    bool empty = begin == 0 || text[begin - 1] == '\n' || text[begin - 1] == '\r';
    // Back to the beginning of a character of several bytes.
    unsigned last = begin - !empty;
    while (last > 0 && last < begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80)
      --last;
    return {last, begin};
  }
  char first = rest.front();
  size_t length = measureCharacter(rest).first;
  if (first == '%' || first == '^')
    length += rest.drop_front().take_while(isNamePart).size();
  else if (first == '@' || first == '#')
    length += rest.drop_front().take_while(isDottedPart).size();
  else if (isNamePart(first))
    length = rest.take_while(isDottedPart).size();
  else if (first == '"')
    length = stringLength(rest);
  else if (rest.starts_with("->") || rest.starts_with("//"))
    length = 2;
  return {begin, static_cast<unsigned>(begin + length)};
}

} // namespace loom::lsp
