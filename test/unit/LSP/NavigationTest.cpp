//===- NavigationTest.cpp - Definitions, references, hovers ---------------===//
#include "Documents.h"
#include "loom/LSP/OpDocs.h"

using namespace loom;
using namespace loom::lsp;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr char kLoop[] = R"(func.def public @first(%n: index, %v: view<[%n]xf32>) -> (f32) {
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %start = scalar.constant 0.0 : f32
  %total = scf.for %i = [%zero to %n step %one](%sum = %start : f32) -> (f32) {
    %x = view.load %v[%i] : view<[%n]xf32> -> f32
    %next = scalar.addf %sum, %x : f32
    scf.yield %next : f32
  }
  func.return %total : f32
}

func.def public @second(%n: index) -> (index) {
  %rows = index.assume %n [range(%n, 0, 128)] : index
  func.return %rows : index
}
)";

class NavigationTest : public DocumentTest {};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST_F(NavigationTest, ValuesLeadToTheirDefinitions) {
  Document &a = open("a", kLoop);
  EXPECT_THAT(diagnostics(a), IsEmpty());
  EXPECT_THAT(definitions(a, at(a, "%next : f32")), ElementsAre("a:7 %next"));
  EXPECT_THAT(definitions(a, at(a, "%sum, %x")), ElementsAre("a:5 %sum"));
  EXPECT_THAT(definitions(a, at(a, "%i]")), ElementsAre("a:5 %i"));
  EXPECT_THAT(definitions(a, at(a, "%total : f32")), ElementsAre("a:5 %total"));
  // The definition itself, the place behind the name, and names in types.
  EXPECT_THAT(definitions(a, at(a, "%zero =")), ElementsAre("a:2 %zero"));
  EXPECT_THAT(definitions(a, at(a, "%next : f32", 0, 5)), ElementsAre("a:7 %next"));
  EXPECT_THAT(definitions(a, at(a, "[%n]xf32>)", 0, 2)), ElementsAre("a:1 %n"));
  EXPECT_THAT(definitions(a, at(a, "[%n]xf32> ->", 0, 2)), ElementsAre("a:1 %n"));
}

TEST_F(NavigationTest, EqualNamesInTwoFunctionsAreTwoValues) {
  Document &a = open("a", kLoop);
  EXPECT_THAT(references(a, at(a, "%n step")), ElementsAre("a:1 %n", "a:5 %n", "a:6 %n"));
  EXPECT_THAT(references(a, at(a, "%n step"), true),
              ElementsAre("a:1 %n", "a:1 %n", "a:5 %n", "a:6 %n"));
  EXPECT_THAT(references(a, at(a, "%n [range"), true),
              ElementsAre("a:13 %n", "a:14 %n", "a:14 %n"));
}

TEST_F(NavigationTest, NothingStandsBetweenNames) {
  Document &a = open("a", kLoop);
  EXPECT_THAT(definitions(a, at(a, "= index", 0, 0)), IsEmpty());
  EXPECT_THAT(definitions(a, at(a, "index.constant")), IsEmpty());
  EXPECT_THAT(references(a, at(a, "index.constant"), true), IsEmpty());
  EXPECT_THAT(definitions(a, Position(999, 0)), IsEmpty());
}

TEST_F(NavigationTest, ATieIsAUse) {
  Document &a = open("a", R"(func.decl @f(%x: i32) -> (i32)

func.def public @g(%x: i32) -> (i32) {
  %y = func.call @f(%x) : (i32) -> (%x as i32)
  func.return %y : i32
}
)");
  EXPECT_THAT(references(a, at(a, "%x as"), true), ElementsAre("a:3 %x", "a:4 %x", "a:4 %x"));
  EXPECT_THAT(definitions(a, at(a, "%x as")), ElementsAre("a:3 %x"));
}

TEST_F(NavigationTest, StatementsWithErrorsKeepTheirNames) {
  Document &a = open("a", R"(func.def public @f(%n: index) -> (index) {
  %two = index.constant 2 : index
  %bad = index.addd %n, %two : index
  %worse = index.mul %bad, %n index
  func.return %worse : index
}
)");
  EXPECT_EQ(diagnostics(a).size(), 2u);
  EXPECT_THAT(references(a, at(a, "%n:"), true), ElementsAre("a:1 %n", "a:3 %n", "a:4 %n"));
  EXPECT_THAT(definitions(a, at(a, "%two : ")), ElementsAre("a:2 %two"));
  EXPECT_THAT(definitions(a, at(a, "%bad, ")), ElementsAre("a:3 %bad"));
  EXPECT_THAT(definitions(a, at(a, "%worse : ")), ElementsAre("a:4 %worse"));
  EXPECT_THAT(hoverText(a, at(a, "%bad, ")), HasSubstr("has errors"));
}

TEST_F(NavigationTest, NamesInCommentsAndStringsAreNone) {
  Document &a = open("a", R"(func.def public @f(%n: index) -> (index) {
  // %n and @f
  func.return %n : index // %n
}
)");
  EXPECT_THAT(references(a, at(a, "%n:"), true), ElementsAre("a:1 %n", "a:3 %n"));
  EXPECT_THAT(references(a, at(a, "@f("), true), ElementsAre("a:1 @f"));
}

constexpr char kDeclarations[] =
    R"(func.decl @f(%rows: view<[%n]x[%m]xf32>, %m: index) -> (%r: vector<[%n]xf32>) where [lt(%m, 8)]
kernel.decl @k(%n: i32) launch(%n: index) where [lt(%n, 4), mul(%n, 2)]
func.def @g(%m: index) {
  func.return
}
)";

TEST_F(NavigationTest, NamesOfDeclarationsAreTold) {
  Document &a = open("a", kDeclarations);
  EXPECT_THAT(hoverText(a, at(a, "%rows")), HasSubstr("%rows: view<[%n]x[%m]xf32>\n"));
  EXPECT_THAT(hoverText(a, at(a, "%rows")), HasSubstr("In the header of `func.decl`"));
  EXPECT_THAT(hoverText(a, at(a, "%m]xf32")), HasSubstr("%m: index\n"));
  EXPECT_THAT(hoverText(a, at(a, "%n]xf32>)")), HasSubstr("%n: index\n"));
  EXPECT_THAT(hoverText(a, at(a, "%r:")), HasSubstr("%r: vector<[%n]xf32>\n"));
  EXPECT_THAT(hoverText(a, at(a, "%n: i32")), HasSubstr("%n: i32\n"));
  EXPECT_THAT(hoverText(a, at(a, "%n: index")), HasSubstr("kernel.decl @k(%n: i32) launch"));
  // A parameter, an extent where it stands first, and each signature of a kernel for itself.
  EXPECT_THAT(references(a, at(a, "%m, 8"), true), ElementsAre("a:1 %m", "a:1 %m", "a:1 %m"));
  EXPECT_THAT(definitions(a, at(a, "%n]xf32>)")), ElementsAre("a:1 %n"));
  EXPECT_THAT(references(a, at(a, "%n]x[%m]"), true), ElementsAre("a:1 %n", "a:1 %n"));
  EXPECT_THAT(references(a, at(a, "%n: i32"), true), ElementsAre("a:2 %n"));
  EXPECT_THAT(references(a, at(a, "%n: index")), ElementsAre("a:2 %n", "a:2 %n"));
  EXPECT_THAT(references(a, at(a, "%m: index) {"), true), ElementsAre("a:3 %m"));
}

TEST_F(NavigationTest, ABodySeesTheExtentsThatItsHeaderNames) {
  Document &a = open("a", "func.def @f(%v: view<[%n]xf32>) -> (index) {\n"
                          "  func.return %n : index\n"
                          "}\n");
  EXPECT_EQ(diagnostics(a).size(), 0u);
  EXPECT_THAT(definitions(a, at(a, "%n :")), ElementsAre("a:1 %n"));
  EXPECT_THAT(references(a, at(a, "%n]"), true), ElementsAre("a:1 %n", "a:2 %n"));
  EXPECT_THAT(hoverText(a, at(a, "%n]")), HasSubstr("%n: index\n"));
  EXPECT_THAT(hoverText(a, at(a, "%v")), HasSubstr("%v: view<[%n]xf32>\n"));
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

constexpr char kCaller[] = R"(func.decl public @helper(%x: f32) -> (f32)

func.def public @caller(%x: f32) -> (f32) {
  %y = func.call @helper(%x) : (f32) -> (f32)
  func.return %y : f32
}
)";
constexpr char kHelper[] = R"(// Doubles.
// In one rounding.
func.def public @helper(%x: f32) -> (f32) {
  %y = scalar.addf %x, %x : f32
  func.return %y : f32
}
)";

TEST_F(NavigationTest, ADeclarationLeadsToTheDefinitionInAnotherFile) {
  Document &caller = open("caller", kCaller);
  EXPECT_THAT(definitions(caller, at(caller, "@helper(%x)")), ElementsAre("caller:1 @helper"));
  open("helper", kHelper);
  for (unsigned nth : {0, 1})
    EXPECT_THAT(definitions(caller, at(caller, "@helper", nth)), ElementsAre("helper:3 @helper"));
  workspace.close("helper");
  EXPECT_THAT(definitions(caller, at(caller, "@helper(%x)")), ElementsAre("caller:1 @helper"));
}

TEST_F(NavigationTest, ReferencesOfSymbolsAreInAllFiles) {
  Document &helper = open("b-helper", kHelper);
  Document &caller = open("a-caller", kCaller);
  auto all = ElementsAre("a-caller:1 @helper", "a-caller:4 @helper", "b-helper:3 @helper");
  EXPECT_THAT(references(helper, at(helper, "@helper"), true), all);
  EXPECT_THAT(references(caller, at(caller, "@helper", 1), true), all);
  EXPECT_THAT(references(helper, at(helper, "@helper")), ElementsAre("a-caller:4 @helper"));
}

TEST_F(NavigationTest, TwoFilesThatDefineASymbolDoNotMeanEachOthers) {
  Document &one = open("one", kHelper);
  open("two", kHelper);
  EXPECT_THAT(references(one, at(one, "@helper"), true), ElementsAre("one:3 @helper"));
  EXPECT_THAT(definitions(one, at(one, "@helper")), ElementsAre("one:3 @helper"));
}

TEST_F(NavigationTest, SymbolsHaveDots) {
  Document &a = open("a", R"(config.def @a.depth = 3 : index

func.def public @f() -> (index) {
  %depth = config.get @a.depth : index
  func.return %depth : index
}
)");
  EXPECT_THAT(definitions(a, at(a, "@a.depth : ", 0, 4)), ElementsAre("a:1 @a.depth"));
  EXPECT_THAT(references(a, at(a, "@a.depth"), true), ElementsAre("a:1 @a.depth", "a:4 @a.depth"));
}

//===----------------------------------------------------------------------===//
// Hover
//===----------------------------------------------------------------------===//

TEST_F(NavigationTest, HoverOfAResultHasTypeOpAndStatement) {
  Document &a = open("a", kLoop);
  std::string text = hoverText(a, at(a, "%next : f32"));
  EXPECT_THAT(text, HasSubstr("%next: f32"));
  EXPECT_THAT(text,
              HasSubstr("Result of `scalar.addf`: " + findOpDoc("scalar.addf")->summary.str()));
  EXPECT_THAT(text, HasSubstr("%next = scalar.addf %sum, %x : f32"));
  std::string loop = hoverText(a, at(a, "%total : f32"));
  EXPECT_THAT(loop, HasSubstr("%total = scf.for %i = [%zero to %n step %one](%sum = %start : f32) "
                              "-> (f32) { ... }"));
}

TEST_F(NavigationTest, HoverNamesExtents) {
  Document &a = open("a", kLoop);
  EXPECT_THAT(hoverText(a, at(a, "%v[")),
              AllOf(HasSubstr("%v: view<[%n]xf32>"), HasSubstr("Argument of `func.def`")));
  EXPECT_THAT(hoverText(a, at(a, "%i]")),
              AllOf(HasSubstr("%i: index"), HasSubstr("Argument of `scf.for`")));
}

TEST_F(NavigationTest, HoverOfAnOperationIsItsDocumentation) {
  Document &a = open("a", kLoop);
  auto result = hover(workspace, a, at(a, "scf.for"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(textOf("a", *result->range), "scf.for");
  const OpDoc *doc = findOpDoc("scf.for");
  EXPECT_THAT(result->contents.value, AllOf(HasSubstr("`scf.for`: " + doc->summary.str()),
                                            HasSubstr(doc->description.str())));
  EXPECT_EQ(hoverText(a, at(a, "= index", 0, 0)), "nothing");
}

TEST_F(NavigationTest, HoverOfASymbolHasHeaderCommentAndFile) {
  open("file:///x/helper.loom", kHelper);
  Document &caller = open("file:///x/caller.loom", kCaller);
  std::string text = hoverText(caller, at(caller, "@helper(%x)"));
  EXPECT_THAT(text, HasSubstr("func.def public @helper(%x: f32) -> (f32) { ... }"));
  EXPECT_THAT(text, HasSubstr("\nDoubles.\nIn one rounding.\n"));
  EXPECT_THAT(text, HasSubstr("In `helper.loom`"));
  EXPECT_THAT(hoverText(caller, at(caller, "@caller")), testing::Not(HasSubstr("In `")));
}

TEST_F(NavigationTest, HoverOfAKernelHasBothSignatures) {
  Document &a = open("a", R"(kernel.def export("k") @k(%n: index) {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%x: buffer) {
  kernel.return
}
)");
  EXPECT_THAT(
      hoverText(a, at(a, "@k")),
      HasSubstr("kernel.def export(\"k\") @k(%n: index) { ... } launch(%x: buffer) { ... }"));
}

TEST_F(NavigationTest, HoverOfAnUnknownSymbolSaysSo) {
  Document &a = open("a", R"(func.def public @f() -> (index) {
  %d = config.get @missing : index
  func.return %d : index
}
)");
  EXPECT_THAT(hoverText(a, at(a, "@missing")), HasSubstr("No open document defines it"));
}

} // namespace
