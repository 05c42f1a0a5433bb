//===- FeaturesTest.cpp - Diagnostics, formatting, changes of documents ---===//
#include "Documents.h"
#include "llvm/Support/JSON.h"

using namespace loom;
using namespace loom::lsp;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class FeaturesTest : public DocumentTest {
protected:
  /// Applies edits, which do not overlap and are few.
  std::string apply(const Document &document, llvm::ArrayRef<llvm::lsp::TextEdit> edits) {
    std::string text = document.text().str();
    LineIndex lines(document.text());
    EXPECT_LE(edits.size(), 1u);
    for (const auto &edit : edits) {
      unsigned begin = lines.offset(edit.range.start);
      text.replace(begin, lines.offset(edit.range.end) - begin, edit.newText);
    }
    return text;
  }

  static llvm::lsp::TextDocumentContentChangeEvent changeOf(Range range, std::string text) {
    llvm::lsp::TextDocumentContentChangeEvent event;
    event.range = range;
    event.text = std::move(text);
    return event;
  }
};

constexpr char kGood[] = R"(func.def public @f(%x: f32) -> (f32) {
  // Twice.
  %y = scalar.addf %x, %x : f32
  func.return %y : f32
}
)";

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

TEST_F(FeaturesTest, AGoodProgramHasNoDiagnostics) {
  EXPECT_THAT(diagnostics(open("a", kGood)), IsEmpty());
  EXPECT_THAT(diagnostics(open("b", "")), IsEmpty());
}

TEST_F(FeaturesTest, DiagnosticsHaveTokenCodeAndMessage) {
  Document &a = open("a", "func.def public @f(%x: f32) -> (f32) {\n"
                          "  %y = scalar.addd %x, %x : f32\n"
                          "  func.return %x : f32\n"
                          "}\n");
  std::vector<Diagnostic> found = diagnostics(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(textOf("a", found[0].range), "scalar.addd");
  EXPECT_EQ(found[0].code, "PARSE/002");
  EXPECT_THAT(found[0].message, HasSubstr("unknown operation 'scalar.addd'"));
  EXPECT_THAT(found[0].message, testing::Not(HasSubstr("PARSE")));
  EXPECT_EQ(found[0].severity, mlir::DiagnosticSeverity::Error);
}

TEST_F(FeaturesTest, NotesAreRelatedInformation) {
  Document &a = open("a", "config.def @k = 1 : index\n"
                          "config.def @k = 2 : index\n");
  std::vector<Diagnostic> found = diagnostics(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "SYMBOL/005");
  EXPECT_EQ(found[0].range.start.line, 1);
  ASSERT_EQ(found[0].related.size(), 1u);
  EXPECT_EQ(found[0].related[0].first.uri, "a");
  EXPECT_EQ(found[0].related[0].first.range.start.line, 0);
  EXPECT_THAT(found[0].related[0].second, HasSubstr("first defined here"));
}

TEST_F(FeaturesTest, TheVerifierSpeaksWhenTheGrammarIsSatisfied) {
  Document &a = open("a", "func.def public @f(%x: f32) -> (f32) {\n"
                          "  %y = func.call @missing(%x) : (f32) -> (f32)\n"
                          "  func.return %y : f32\n"
                          "}\n");
  std::vector<Diagnostic> found = diagnostics(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "SYMBOL/002");
  EXPECT_EQ(textOf("a", found[0].range), "@missing");
  // With a mistake of grammar beside it, what only follows is not reported.
  EXPECT_EQ(diagnostics(open("b", a.text().str() + "junk\n")).size(), 1u);
}

TEST_F(FeaturesTest, TheVerifierSpeaksOfStatementsWithoutMistakesOfGrammar) {
  Document &a = open("a", "func.def @good(%x: f32) -> (f32) {\n"
                          "  func.return : f64\n" // of the grammar
                          "}\n\n"
                          "func.def @other(%x: f32) -> (f32) {\n"
                          "  %y = func.call @good(%x) : (f32) -> (f32)\n"
                          "  %z = func.call @broken(%y) : (f32) -> (f32)\n" // follows
                          "  func.return %z, %z : f32, f32\n"               // of the verifier
                          "}\n\n"
                          "func.def @broken(%x f32) -> (f32) {\n" // of the grammar
                          "  func.return %x : f32\n"
                          "}\n\n"
                          "func.def @last() {\n"
                          "  func.return\n"
                          "}\n");
  std::vector<std::string> found;
  for (const Diagnostic &one : diagnostics(a))
    found.push_back(std::to_string(one.range.start.line + 1) + " " + one.code);
  EXPECT_THAT(found,
              testing::UnorderedElementsAre("2 PARSE/003", "8 STRUCTURE/008", "11 PARSE/003"));
  // Nothing is lost, and the order is that of the text.
  std::vector<std::string> names;
  for (mlir::Operation &op : *a.analysis().module().getBody())
    names.push_back(op.getAttrOfType<mlir::StringAttr>("sym_name").str());
  EXPECT_THAT(names, testing::ElementsAre("good", "other", "last"));
}

TEST_F(FeaturesTest, DiagnosticsCountInUTF16) {
  Document &a = open("a", "func.def export(\"\xF0\x9F\x98\x80\") @f() {\n"
                          "  junk \"\xF0\x9F\x98\x80\"\n"
                          "  func.return\n"
                          "}\n");
  for (const Diagnostic &diagnostic : diagnostics(a)) {
    EXPECT_GE(diagnostic.range.start.line, 0);
    EXPECT_LT(diagnostic.range.start, diagnostic.range.end);
    EXPECT_NE(textOf("a", diagnostic.range), "");
  }
}

TEST_F(FeaturesTest, DiagnosticsAsJSON) {
  Diagnostic diagnostic{Range(Position(1, 2), Position(1, 3)),
                        mlir::DiagnosticSeverity::Error,
                        "TYPE/001",
                        "message",
                        {{Location{"u", Range(Position(0, 0), Position(0, 1))}, "note"}}};
  std::string text = llvm::formatv("{0}", llvm::json::Value(diagnostic));
  EXPECT_EQ(text,
            R"({"code":"TYPE/001","message":"message","range":{"end":{"character":3,"line":1},)"
            R"("start":{"character":2,"line":1}},"relatedInformation":[{"location":{"range":{)"
            R"("end":{"character":1,"line":0},"start":{"character":0,"line":0}},"uri":"u"},)"
            R"("message":"note"}],"severity":1,"source":"loom"})");
  diagnostic.severity = mlir::DiagnosticSeverity::Warning;
  diagnostic.code.clear();
  diagnostic.related.clear();
  text = llvm::formatv("{0}", llvm::json::Value(diagnostic));
  EXPECT_THAT(text, HasSubstr("\"severity\":2"));
  EXPECT_THAT(text, testing::Not(HasSubstr("code")));
}

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

TEST_F(FeaturesTest, CanonicalTextIsLeftAlone) { EXPECT_THAT(format(open("a", kGood)), IsEmpty()); }

TEST_F(FeaturesTest, TheEditMakesTheTextCanonical) {
  std::string text = kGood;
  text.replace(text.find("  %y"), 4, "%y ");
  text.replace(text.find(", %x"), 4, ",%x");
  Document &a = open("a", text);
  std::vector<llvm::lsp::TextEdit> edits = format(a);
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(apply(a, edits), kGood);
  // Lines that are right are not touched.
  EXPECT_EQ(edits[0].range, Range(Position(2, 0), Position(3, 0)));
}

TEST_F(FeaturesTest, EveryKindOfDifferenceIsMended) {
  for (llvm::StringRef text :
       {"func.def public @f(%x: f32) -> (f32) {\n  // Twice.\n  %y = scalar.addf %x, %x : f32\n  "
        "func.return %y : f32\n}",
        "\n\nfunc.def public @f(%x: f32) -> (f32) {\n  // Twice.\n  %y = scalar.addf %x, %x : f32\n"
        "  func.return %y : f32\n}\n\n\n",
        "func.def public @f(%x: f32) -> (f32) {\r\n  // Twice.\r\n  %y = scalar.addf %x, %x : "
        "f32\r\n"
        "  func.return %y : f32\r\n}\r\n",
        "func.def public @f(%x: f32) -> (f32) {\n  // Twice.\n\n\n  %y = scalar.addf %x,\n   %x : "
        "f32 func.return %y : f32 }"}) {
    Document &a = open("a", text);
    EXPECT_THAT(diagnostics(a), IsEmpty()) << text.str();
    Document &again = open("b", apply(a, format(a)));
    EXPECT_THAT(format(again), IsEmpty()) << text.str();
  }
}

TEST_F(FeaturesTest, ATextWithErrorsIsNotFormatted) {
  EXPECT_THAT(format(open("a", std::string("   ") + kGood + "junk\n")), IsEmpty());
  EXPECT_THAT(format(open("b", "  config.def @k = 1 : index\nconfig.def @k = 2 : index\n")),
              IsEmpty());
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

TEST_F(FeaturesTest, ChangesAreAppliedInOrder) {
  Document &a = open("a", "one\ntwo\nthree\n");
  a.change({changeOf(Range(Position(1, 0), Position(1, 3)), "2"),
            changeOf(Range(Position(1, 1), Position(2, 1)), "\nT"),
            changeOf(Range(Position(0, 0), Position(0, 0)), "\xF0\x9F\x98\x80")},
           7);
  EXPECT_EQ(a.text(), "\xF0\x9F\x98\x80one\n2\nThree\n");
  EXPECT_EQ(a.version(), 7);
  // Two units are one character.
  a.change({changeOf(Range(Position(0, 2), Position(0, 3)), "O")}, 8);
  EXPECT_EQ(a.text(), "\xF0\x9F\x98\x80One\n2\nThree\n");
  a.change({changeOf(Range(Position(9, 0), Position(9, 9)), "end")}, 9);
  EXPECT_EQ(a.text(), "\xF0\x9F\x98\x80One\n2\nThree\nend");
  // A range that ends before it begins is an insertion.
  a.change({changeOf(Range(Position(1, 1), Position(0, 0)), "!")}, 10);
  EXPECT_EQ(a.text(), "\xF0\x9F\x98\x80One\n2!\nThree\nend");
  llvm::lsp::TextDocumentContentChangeEvent whole;
  whole.text = "all";
  a.change({whole}, 11);
  EXPECT_EQ(a.text(), "all");
}

TEST_F(FeaturesTest, AnAnalysisIsOfOneText) {
  Document &a = open("a", kGood);
  EXPECT_TRUE(a.isStale());
  const Analysis *first = &a.analysis();
  EXPECT_FALSE(a.isStale());
  EXPECT_EQ(&a.analysis(), first);
  a.setText("junk\n", 2);
  EXPECT_TRUE(a.isStale());
  EXPECT_EQ(diagnostics(a).size(), 1u);
  a.setText(kGood, 3);
  EXPECT_THAT(diagnostics(a), IsEmpty());
}

/// Prefixes and texts with a hole are what an author types; nothing may crash on them.
TEST_F(FeaturesTest, EveryPrefixAndEveryHoleIsAnswered) {
  std::string text = "config.def @k.d = 3 : index\n"
                     "func.def public @f(%n: index, %v: view<[%n]xf32>) -> (f32) where "
                     "[range(%n, 0, 4)] {\n"
                     "  %zero = index.constant 0 : index\n"
                     "  %d = config.get @k.d : index\n"
                     "  %s = scalar.constant -1.5 : f32\n"
                     "  %t = scf.for %i = [%zero to %n step %d](%a = %s : f32) -> (f32) "
                     "pipeline(%d) {\n"
                     "    %x = view.load %v[%i] : view<[%n]xf32> -> f32\n"
                     "    %b = scalar.addf %a, %x : f32\n"
                     "    scf.yield %b : f32\n"
                     "  }\n"
                     "  func.return %t : f32\n"
                     "}\n";
  unsigned names = 0;
  auto askAll = [&](llvm::StringRef variant, unsigned place) {
    Document &a = open("a", variant);
    Position position = LineIndex(a.text()).position(place);
    names += findDefinitions(workspace, a, position).size();
    names += findReferences(workspace, a, position, true).size();
    names += hover(workspace, a, position).has_value();
    names += complete(workspace, a, position).items.size();
    for (const Diagnostic &diagnostic : diagnostics(a))
      EXPECT_LE(diagnostic.range.start, diagnostic.range.end);
  };
  for (unsigned i = 0; i <= text.size(); i += 3) {
    askAll(llvm::StringRef(text).take_front(i), i);
    std::string hole = text;
    hole.erase(i, 5);
    askAll(hole, i);
  }
  EXPECT_GT(names, 1000u);
}

} // namespace
