//===- LineIndex.h - Places of a text as editors count them -----*- C++ -*-===//
//
// Three ways to name a place: the byte offset, which the parser's listener uses; line and column as
// diagnostics have them (from 1, in bytes, lines end in \n); and the protocol's position (from 0,
// in UTF-16 code units, lines end in \n, \r\n or \r).
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LSP_LINEINDEX_H
#define LOOM_LSP_LINEINDEX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"
#include <vector>

namespace loom::lsp {

/// The bytes [begin, end) of a text.
struct Span {
  unsigned begin = 0, end = 0;
};

inline bool operator==(Span a, Span b) { return a.begin == b.begin && a.end == b.end; }
inline bool operator<(Span a, Span b) {
  return a.begin < b.begin || (a.begin == b.begin && a.end < b.end);
}

class LineIndex {
public:
  /// `text` lives as long as the index.
  explicit LineIndex(llvm::StringRef text);

  llvm::lsp::Position position(unsigned offset) const;
  llvm::lsp::Range range(Span span) const { return {position(span.begin), position(span.end)}; }
  /// A position behind the end of its line means that end, one behind the last line the end of the
  /// text, as the protocol asks for. A position inside of a character means its beginning.
  unsigned offset(llvm::lsp::Position position) const;
  /// The offset of a diagnostic's place; places outside of the text are moved to its end.
  unsigned sourceOffset(unsigned line, unsigned column) const;
  /// The line that holds `offset`, without its end.
  Span lineOf(unsigned offset) const;

private:
  /// A character of several bytes, and by how many the bytes up to its end outnumber code units.
  struct WideCharacter {
    Span bytes;
    unsigned surplus;
  };

  unsigned lineNumber(unsigned offset) const;
  Span line(unsigned number) const;
  /// Code units of the text before `offset`, which counts as the beginning of its character.
  unsigned unitsBefore(unsigned offset) const;

  llvm::StringRef text;
  std::vector<unsigned> starts;       ///< of lines as the protocol counts them
  std::vector<unsigned> sourceStarts; ///< of lines that end in \n
  std::vector<WideCharacter> wide;
};

/// The token at `offset`: a name with its sigil, a word with its dots, a number, a string, or one
/// character. At the end of a line it is the last character of the line, so that there is something
/// to underline.
Span tokenAt(llvm::StringRef text, unsigned offset);

} // namespace loom::lsp

#endif // LOOM_LSP_LINEINDEX_H
