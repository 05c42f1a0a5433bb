//===- LineIndexTest.cpp - Offsets, UTF-16 positions, tokens --------------===//
#include "loom/LSP/LineIndex.h"
#include "gtest/gtest.h"

using namespace loom::lsp;
using llvm::lsp::Position;

namespace {

std::string tokenOf(llvm::StringRef text, unsigned offset) {
  Span span = tokenAt(text, offset);
  return text.slice(span.begin, span.end).str();
}

/// Every offset of `text` at which a character begins has to come back from its position.
void expectRoundTrip(llvm::StringRef text) {
  LineIndex lines(text);
  for (unsigned i = 0; i <= text.size(); ++i) {
    bool continuation = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    bool lineEnd = i > 0 && i < text.size() && text[i - 1] == '\r' && text[i] == '\n';
    if (!continuation && !lineEnd) {
      EXPECT_EQ(lines.offset(lines.position(i)), i) << text.str();
    }
  }
}

TEST(LineIndex, CountsLinesAndColumnsFromZero) {
  LineIndex lines("ab\n\ncd");
  EXPECT_EQ(lines.position(0), Position(0, 0));
  EXPECT_EQ(lines.position(2), Position(0, 2));
  EXPECT_EQ(lines.position(3), Position(1, 0));
  EXPECT_EQ(lines.position(6), Position(2, 2));
  EXPECT_EQ(lines.position(100), Position(2, 2));
  expectRoundTrip("ab\n\ncd");
}

TEST(LineIndex, CountsUTF16Units) {
  // One, two and three bytes are one unit, four bytes are two.
  llvm::StringRef text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  LineIndex lines(text);
  EXPECT_EQ(lines.position(1), Position(0, 1));
  EXPECT_EQ(lines.position(3), Position(0, 2));
  EXPECT_EQ(lines.position(6), Position(0, 3));
  EXPECT_EQ(lines.position(10), Position(0, 5));
  EXPECT_EQ(lines.position(11), Position(0, 6));
  // Between the halves of a surrogate pair is the beginning of its character.
  EXPECT_EQ(lines.offset(Position(0, 4)), 6u);
  EXPECT_EQ(lines.position(8), Position(0, 3));
  expectRoundTrip(text);
}

TEST(LineIndex, BadBytesAreCharacters) {
  llvm::StringRef text = "\xFF\xE2\x82z\xF0";
  LineIndex lines(text);
  EXPECT_EQ(lines.position(3), Position(0, 3));
  EXPECT_EQ(lines.position(5), Position(0, 5));
  EXPECT_EQ(lines.offset(Position(0, 5)), 5u);
}

TEST(LineIndex, KnowsEveryLineEnd) {
  llvm::StringRef text = "a\r\nb\rc\n";
  LineIndex lines(text);
  EXPECT_EQ(lines.position(3), Position(1, 0));
  EXPECT_EQ(lines.position(5), Position(2, 0));
  EXPECT_EQ(lines.position(7), Position(3, 0));
  EXPECT_EQ(lines.position(2), Position(0, 1));
  EXPECT_EQ(lines.lineOf(1), (Span{0, 1}));
  expectRoundTrip(text);
  // A diagnostic's line ends in \n alone.
  EXPECT_EQ(lines.sourceOffset(2, 3), 5u);
  EXPECT_EQ(lines.sourceOffset(3, 1), 7u);
}

TEST(LineIndex, PlacesOutsideOfTheTextAreMovedIntoIt) {
  LineIndex lines("ab\ncd\n");
  EXPECT_EQ(lines.offset(Position(0, 99)), 2u);
  EXPECT_EQ(lines.offset(Position(99, 0)), 6u);
  EXPECT_EQ(lines.offset(Position(-1, 0)), 0u);
  EXPECT_EQ(lines.offset(Position(0, -1)), 0u);
  EXPECT_EQ(lines.sourceOffset(0, 0), 6u);
  EXPECT_EQ(lines.sourceOffset(9, 1), 6u);
  EXPECT_EQ(lines.sourceOffset(1, 4000000000u), 6u);
  EXPECT_EQ(LineIndex("").position(0), Position(0, 0));
  EXPECT_EQ(LineIndex("").offset(Position(3, 3)), 0u);
}

TEST(TokenAt, CoversWholeTokens) {
  llvm::StringRef text = "%sum_1 = scalar.addf @a.b.c, #x.y<0x1F> \"s\\\"t\" -> ^done: //";
  EXPECT_EQ(tokenOf(text, 0), "%sum_1");
  EXPECT_EQ(tokenOf(text, 7), "=");
  EXPECT_EQ(tokenOf(text, 9), "scalar.addf");
  EXPECT_EQ(tokenOf(text, 21), "@a.b.c");
  EXPECT_EQ(tokenOf(text, text.find('#')), "#x.y");
  EXPECT_EQ(tokenOf(text, text.find("0x")), "0x1F");
  EXPECT_EQ(tokenOf(text, text.find('"')), "\"s\\\"t\"");
  EXPECT_EQ(tokenOf(text, text.find("->")), "->");
  EXPECT_EQ(tokenOf(text, text.find('^')), "^done");
  EXPECT_EQ(tokenOf("\xE2\x82\xAC", 0), "\xE2\x82\xAC");
  EXPECT_EQ(tokenOf("\"open\n\"", 0), "\"");
}

TEST(TokenAt, IsTheLastCharacterAtTheEndOfALine) {
  EXPECT_EQ(tokenOf("ab\ncd", 2), "b");
  EXPECT_EQ(tokenOf("ab\r\ncd", 2), "b");
  EXPECT_EQ(tokenOf("ab", 2), "b");
  EXPECT_EQ(tokenOf("a\xC3\xA9\n", 3), "\xC3\xA9");
  EXPECT_EQ(tokenOf("\nab", 0), "");
  EXPECT_EQ(tokenOf("a\n\nb", 2), "");
  EXPECT_EQ(tokenOf("", 0), "");
  EXPECT_EQ(tokenOf("ab", 99), "b");
}

} // namespace
