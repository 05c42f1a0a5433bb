//===- CompleteTest.cpp - What can stand at the cursor --------------------===//
#include "Documents.h"
#include "loom/LSP/OpDocs.h"

using namespace loom;
using namespace loom::lsp;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

namespace {

class CompleteTest : public DocumentTest {
protected:
  /// Opens `text`, whose cursor is `|`, and asks there.
  llvm::lsp::CompletionList ask(llvm::StringRef text) {
    auto [before, behind] = text.split('|');
    Document &document = open("a", (before + behind).str());
    return complete(workspace, document, LineIndex(document.text()).position(before.size()));
  }

  std::vector<std::string> labels(llvm::StringRef text) {
    std::vector<std::string> result;
    for (const auto &item : ask(text).items)
      result.push_back(item.label);
    return result;
  }
};

/// `body` in a function with a loop and a value behind it.
std::string inFunction(llvm::StringRef body) {
  return ("func.def public @f(%n: index, %x: f32) -> (f32) {\n"
          "  %zero = index.constant 0 : index\n"
          "  %one = index.constant 1 : index\n"
          "  %total = scf.for %i = [%zero to %n step %one](%sum = %x : f32) -> (f32) {\n"
          "    %next = scalar.addf %sum, %x : f32\n"
          "    scf.yield %next : f32\n"
          "  }\n" +
          body +
          "  %later = scalar.addf %total, %x : f32\n"
          "  func.return %later : f32\n"
          "}\n\n"
          "func.def public @g(%other: index) -> (index) {\n"
          "  func.return %other : index\n"
          "}\n")
      .str();
}

TEST_F(CompleteTest, ValuesInScopeNearestFirst) {
  EXPECT_THAT(labels(inFunction("  %new = scalar.addf %|\n")),
              ElementsAre("%total", "%one", "%zero", "%x", "%n"));
  llvm::lsp::CompletionList list = ask(inFunction("  %new = scalar.addf %to|\n"));
  EXPECT_EQ(list.items[0].label, "%total");
  EXPECT_EQ(list.items[0].detail, "f32");
  EXPECT_EQ(textOf("a", list.items[0].textEdit->range), "%to");
}

TEST_F(CompleteTest, ValuesOfTheLoopInTheLoopOnly) {
  std::string text = inFunction("");
  size_t yield = text.find("%next : f32");
  text.insert(yield + 1, "|");
  EXPECT_THAT(labels(text), ElementsAre("%next", "%sum", "%i", "%one", "%zero", "%x", "%n"));
}

TEST_F(CompleteTest, ResultsAreNotVisibleInTheirOwnStatement) {
  std::string text = inFunction("");
  text.insert(text.find("%total, %x") + 1, "|");
  EXPECT_THAT(labels(text), Not(Contains("%later")));
}

TEST_F(CompleteTest, ValuesOfOneBranchAreNotOfTheOther) {
  std::string text = "func.def public @f(%c: i1, %x: f32) -> (f32) {\n"
                     "  %r = scf.if %c -> (f32) {\n"
                     "    %then = scalar.addf %x, %x : f32\n"
                     "    scf.yield %then : f32\n"
                     "  } else {\n"
                     "    %other = scalar.mulf %x, %x : f32\n"
                     "    scf.yield %| : f32\n"
                     "  }\n"
                     "  func.return %r : f32\n"
                     "}\n";
  EXPECT_THAT(labels(text), ElementsAre("%other", "%x", "%c"));
}

TEST_F(CompleteTest, ShadowedNamesAreOfferedOnce) {
  std::string text = "func.def public @f(%x: f32) -> (f32) {\n"
                     "  %y = scalar.addf %x, %x : f32\n"
                     "  func.return %| : f32\n"
                     "}\n";
  EXPECT_THAT(labels(text), ElementsAre("%y", "%x"));
}

TEST_F(CompleteTest, SymbolsOfAllDocuments) {
  open("b", "config.def @b.depth = 3 : index\n");
  llvm::lsp::CompletionList list = ask("func.decl public @f()\n\n"
                                       "func.def public @g() {\n"
                                       "  func.call @|\n"
                                       "  func.return\n"
                                       "}\n");
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[0].label, "@b.depth");
  EXPECT_EQ(list.items[0].detail, "config.def");
  EXPECT_EQ(list.items[1].label, "@f");
  EXPECT_EQ(list.items[1].detail, "func.decl");
  EXPECT_EQ(list.items[2].label, "@g");
}

TEST_F(CompleteTest, OperationsWithTheirDocumentation) {
  for (llvm::StringRef text : {"|", "  |", "%a = |", "%a, %b = |", "{ |", "^next: |"})
    EXPECT_EQ(labels(text).size(), opDocs().size()) << text.str();
  llvm::lsp::CompletionList list = ask("%a = scalar.ad|");
  ASSERT_FALSE(list.items.empty());
  for (const auto &item : list.items) {
    EXPECT_TRUE(llvm::StringRef(item.label).starts_with("scalar.")) << item.label;
    EXPECT_EQ(item.detail, findOpDoc(item.label)->summary);
    EXPECT_EQ(item.documentation->value, findOpDoc(item.label)->description);
    EXPECT_EQ(textOf("a", item.textEdit->range), "scalar.ad");
  }
  EXPECT_THAT(labels("buffer.assume.|"), Contains("buffer.assume.alignment"));
  EXPECT_THAT(labels("nothing.|"), IsEmpty());
}

TEST_F(CompleteTest, NothingInOtherPlaces) {
  for (llvm::StringRef text :
       {"%a = index.constant |", "// scalar.|", "// %|", "func.def export(\"%|", "%a |",
        "%a = scalar.addf %a, %b : |", "\"a\" scalar.|"})
    EXPECT_THAT(labels(text), IsEmpty()) << text.str();
}

TEST_F(CompleteTest, TheTableOfOperationsIsSortedAndDocumented) {
  ASSERT_FALSE(opDocs().empty());
  for (const OpDoc &doc : opDocs()) {
    EXPECT_EQ(findOpDoc(doc.name), &doc);
    EXPECT_FALSE(doc.summary.empty()) << doc.name.str();
    EXPECT_FALSE(doc.description.empty()) << doc.name.str();
  }
  EXPECT_EQ(findOpDoc("scalar.addd"), nullptr);
  EXPECT_EQ(findOpDoc("zzz"), nullptr);
}

} // namespace
