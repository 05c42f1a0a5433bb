//===- Documents.h - Open documents for the tests -------------------------===//
#ifndef LOOM_TEST_UNIT_LSP_DOCUMENTS_H
#define LOOM_TEST_UNIT_LSP_DOCUMENTS_H

#include "loom/LSP/Features.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace loom::lsp {

/// A workspace whose places are named by pieces of text.
class DocumentTest : public testing::Test {
protected:
  Document &open(llvm::StringRef uri, llvm::StringRef text) {
    return workspace.open(uri, text.str(), 1);
  }

  /// Where `needle` begins, the `nth` time it occurs (from 0), moved by `delta` bytes.
  static Position at(const Document &document, llvm::StringRef needle, unsigned nth = 0,
                     unsigned delta = 1) {
    size_t offset = document.text().find(needle);
    for (; nth && offset != llvm::StringRef::npos; --nth)
      offset = document.text().find(needle, offset + 1);
    EXPECT_NE(offset, llvm::StringRef::npos) << needle.str();
    return LineIndex(document.text()).position(offset + delta);
  }

  /// The text in a range of an open document.
  std::string textOf(llvm::StringRef uri, Range range) {
    llvm::StringRef text = workspace.find(uri)->text();
    LineIndex lines(text);
    return text.slice(lines.offset(range.start), lines.offset(range.end)).str();
  }

  /// "uri:line text" for each location, lines from 1.
  std::vector<std::string> describe(llvm::ArrayRef<Location> locations) {
    std::vector<std::string> result;
    for (const Location &location : locations)
      result.push_back(location.uri + ":" + std::to_string(location.range.start.line + 1) + " " +
                       textOf(location.uri, location.range));
    return result;
  }

  std::vector<std::string> definitions(const Document &document, Position position) {
    return describe(findDefinitions(workspace, document, position));
  }
  std::vector<std::string> references(const Document &document, Position position,
                                      bool withDefinitions = false) {
    return describe(findReferences(workspace, document, position, withDefinitions));
  }
  std::string hoverText(const Document &document, Position position) {
    auto result = hover(workspace, document, position);
    return result ? result->contents.value : "nothing";
  }

  Workspace workspace;
};

} // namespace loom::lsp

#endif // LOOM_TEST_UNIT_LSP_DOCUMENTS_H
