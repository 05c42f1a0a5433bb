//===- Tokens.h - The tokens of a statement ---------------------*- C++ -*-===//
//
// A coarse view of the text for what the parser does not remember. A comment inside a statement is
// kept with the number of tokens before it, so that it finds its place again in the canonical text,
// whose tokens are the same; diagnostics find the token of a statement that they are about.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_SUPPORT_TOKENS_H
#define LOOM_SUPPORT_TOKENS_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace loom {

inline bool isTokenWordPart(char c) {
  return llvm::isAlnum(c) || llvm::StringRef("_.%@#^").contains(c);
}

/// The end of the token that begins at `text[begin]`, which is not a blank: a word with its sigil,
/// a string, or one other character.
inline size_t tokenEndAt(llvm::StringRef text, size_t begin) {
  size_t i = begin + 1;
  if (text[begin] == '"') {
    while (i < text.size() && text[i] != '"' && text[i] != '\n')
      i += text[i] == '\\' ? 2 : 1;
    return std::min(i + 1, text.size());
  }
  if (isTokenWordPart(text[begin]))
    while (i < text.size() && isTokenWordPart(text[i]))
      ++i;
  return i;
}

/// Calls `token(begin, end)` for every token of `text`, comments left out, until it says false.
template <typename Fn> void forEachToken(llvm::StringRef text, Fn token) {
  size_t i = 0;
  while (i < text.size()) {
    if (llvm::isSpace(text[i])) {
      ++i;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else {
      size_t tokenEnd = tokenEndAt(text, i);
      if (!token(i, tokenEnd))
        return;
      i = tokenEnd;
    }
  }
}

inline unsigned countTokens(llvm::StringRef text) {
  unsigned count = 0;
  forEachToken(text, [&](size_t, size_t) { return ++count, true; });
  return count;
}

/// True when a line begins like a statement: an operation, with or without result names before it.
inline bool looksLikeStatement(llvm::StringRef line) {
  line = line.take_until([](char c) { return c == '\n'; }).ltrim();
  bool named = line.starts_with("%");
  if (named)
    line = line.substr(line.find('=')).drop_front(line.contains('=')).ltrim();
  if (line.starts_with("^"))
    return true;
  // Behind `%x =` any word names an operation: instructions of Low have no dot.
  llvm::StringRef word = line.take_while(llvm::isAlnum);
  return !word.empty() && (named || line.substr(word.size()).starts_with("."));
}

} // namespace loom

#endif // LOOM_SUPPORT_TOKENS_H
