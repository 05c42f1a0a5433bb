// Merging and selecting: declarations, definitions and their disagreements.
#include "loom/Link/Link.h"
#include "../Analysis/Program.h"
#include <gmock/gmock.h>

using namespace loom;
using namespace loom::test;
using namespace mlir;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class Link : public ::testing::Test {
protected:
  Link() : errors(message), scope(&context, errors) {
    DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The text of the linked module; empty after an error.
  std::string link(const std::vector<std::string> &texts, const LinkOptions &options = {}) {
    std::vector<OwningOpRef<ModuleOp>> modules;
    std::vector<LinkInput> inputs;
    for (const std::string &text : texts) {
      std::string name = std::string(1, 'a' + modules.size()) + ".loom";
      modules.push_back(parseSourceText(text, name, &context));
      if (!modules.back())
        return {};
      inputs.push_back({name, *modules.back()});
    }
    std::vector<std::string> before;
    for (auto &module : modules)
      before.push_back(printSourceText(*module));
    auto linked = linkModules(&context, inputs, options);
    // The inputs are only borrowed.
    for (auto [module, text] : llvm::zip(modules, before))
      EXPECT_EQ(printSourceText(*module), text);
    return failed(linked) ? std::string() : printSourceText(linked->get());
  }

  MLIRContext context;
  std::string message;
  llvm::raw_string_ostream errors;
  DiagnosticEngineScope scope;
};

const std::string caller = "func.decl pure @affine(%x: f32) -> (f32)\n"
                           "\n"
                           "// Uses what another input defines.\n"
                           "func.def @twice(%x: f32) -> (f32) {\n"
                           "  %y = func.call pure @affine(%x) : (f32) -> (f32)\n"
                           "  func.return %y : f32\n"
                           "}\n";
const std::string library = "func.def public pure @affine(%x: f32) -> (f32) {\n"
                            "  func.return %x : f32\n"
                            "}\n";
const std::string kernel =
    "kernel.def @fill(%n: index) {\n"
    "  %unit = index.constant 1 : index\n"
    "  kernel.launch.config workgroups(%n, %unit, %unit) workgroup_size(%unit, %unit, %unit) : "
    "index\n"
    "} launch(%n: index, %out: buffer) {\n"
    "  kernel.return\n"
    "}\n";

TEST_F(Link, ADefinitionOfAnyInputSatisfiesADeclaration) {
  std::string first = link({caller, library});
  EXPECT_THAT(first, Not(HasSubstr("func.decl")));
  EXPECT_LT(first.find("@twice"), first.find("func.def public pure @affine"));
  EXPECT_THAT(first, HasSubstr("// Uses what another input defines."));
  // The definition stays where it stands, also when its input comes first.
  std::string second = link({library, caller});
  EXPECT_LT(second.find("func.def public pure @affine"), second.find("@twice"));
  EXPECT_EQ(message, "");
}

TEST_F(Link, KernelsAndConfigurationValuesLinkToo) {
  std::string text = link({"kernel.decl @fill(%n: index) launch(%n: index, %out: buffer)\n"
                           "config.decl @rows : index\n"
                           "config.decl @open : index\n",
                           kernel, "config.def @rows = 4 : index\n"});
  EXPECT_THAT(text, Not(HasSubstr("kernel.decl")));
  EXPECT_THAT(text, HasSubstr("kernel.def @fill"));
  EXPECT_THAT(text, Not(HasSubstr("config.decl @rows")));
  EXPECT_THAT(text, HasSubstr("config.def @rows = 4 : index"));
  // A value may still come from the command line.
  EXPECT_THAT(text, HasSubstr("config.decl @open : index"));
}

TEST_F(Link, EqualFamiliesAndTargetsBecomeOne) {
  const std::string shared = "amdgpu.target<gfx1151> @t\n"
                             "template.decl @id(%x: f32) -> (f32)\n";
  std::string text = link({shared + "template.def<@id> @one(%x: f32) -> (f32) {\n"
                                    "  template.return %x : f32\n}\n",
                           shared + "template.def<@id> @two(%x: f32) -> (f32) {\n"
                                    "  template.return %x : f32\n}\n"});
  EXPECT_EQ(text.find("template.decl @id"), text.rfind("template.decl @id"));
  EXPECT_EQ(text.find("amdgpu.target"), text.rfind("amdgpu.target"));
  EXPECT_THAT(text, HasSubstr("@one"));
  EXPECT_THAT(text, HasSubstr("@two"));
}

TEST_F(Link, DifferentFamiliesAndTargetsAreErrors) {
  EXPECT_EQ(link({"template.decl @id(%x: f32) -> (f32)\namdgpu.target<gfx1151> @t\n",
                  "template.decl @id(%x: f64) -> (f64)\namdgpu.target<gfx1150> @t\n"}),
            "");
  EXPECT_THAT(message, HasSubstr("b.loom:1:1: error: @id is declared as (f64) -> (f64), but "
                                 "elsewhere it is (f32) -> (f32) [LINK/002]"));
  EXPECT_THAT(message, HasSubstr("a.loom:1:1: note: also declared here"));
  EXPECT_THAT(message, HasSubstr("b.loom:2:1: error: @t is declared with 'row' that is different"));
}

TEST_F(Link, TwoDefinitionsNameBothPlaces) {
  EXPECT_EQ(link({library, caller, library}), "");
  EXPECT_THAT(message, HasSubstr("c.loom:1:1: error: redefinition of symbol @affine [SYMBOL/005]"));
  EXPECT_THAT(message, HasSubstr("a.loom:1:1: note: first defined here"));
  message.clear();
  // The kind does not matter: there is one namespace.
  EXPECT_EQ(link({"config.def @fill = 3 : index\n", kernel}), "");
  EXPECT_THAT(message, HasSubstr("b.loom:1:1: error: redefinition of symbol @fill [SYMBOL/005]"));
}

TEST_F(Link, DeclarationsHaveToAgree) {
  struct Case {
    const char *declaration, *definition, *expected;
  };
  const Case cases[] = {
      {"func.decl @f(%x: f32) -> (f64)\n",
       "func.def public @f(%x: f32) -> (f32) {\n  func.return %x : f32\n}\n",
       "@f is declared as (f32) -> (f64), but elsewhere it is (f32) -> (f32) [LINK/002]"},
      {"func.decl pure @f()\n", "func.def public @f() {\n  func.return\n}\n",
       "@f is declared with 'pure' that is different elsewhere [LINK/002]"},
      {"func.decl @f(%n: index) where [ge(%n, 1)]\n",
       "func.def public @f(%n: index) where [ge(%n, 0)] {\n  func.return\n}\n",
       "@f is declared with 'where [...]' that is different elsewhere [LINK/002]"},
      {"kernel.decl @fill() launch(%n: index, %out: buffer)\n", kernel.c_str(),
       "@fill is declared as (index, buffer), but elsewhere it is [index](index, buffer)"},
      {"config.decl @c : index\n", "config.def @c = 1 : i32\n",
       "@c is declared as index, but elsewhere it is i32 [LINK/002]"},
      {"func.decl @fill(%n: index)\n", kernel.c_str(),
       "@fill is declared by 'func.decl', but elsewhere it is a 'kernel.def' [LINK/002]"},
      {"func.decl @f(%n: index)\n", "func.decl @f(%n: i32)\n",
       "b.loom:1:1: error: @f is declared as (i32)"},
  };
  for (const Case &c : cases) {
    message.clear();
    EXPECT_EQ(link({c.declaration, c.definition}), "") << c.declaration;
    EXPECT_THAT(message, HasSubstr(c.expected));
    EXPECT_THAT(message, HasSubstr(": note: "));
  }
}

TEST_F(Link, ADeclarationMayStateLessThanTheDefinition) {
  EXPECT_NE(link({"func.decl @f(%n: index)\n",
                  "func.def public pure @f(%m: index) where [ge(%m, 0)] {\n  func.return\n}\n"}),
            "");
  EXPECT_EQ(message, "");
}

TEST_F(Link, WhatNothingDefinesIsAnErrorUnlessALaterLinkFollows) {
  EXPECT_EQ(link({caller, caller.substr(0, caller.find('\n') + 1)}), "");
  EXPECT_THAT(message,
              HasSubstr("a.loom:1:1: error: @affine is declared here, but no input defines "
                        "it [LINK/001]"));
  message.clear();
  LinkOptions later;
  later.allowUnresolved = true;
  std::string text = link({caller, caller.substr(0, caller.find('\n') + 1)}, later);
  EXPECT_EQ(text.find("func.decl"), text.rfind("func.decl"));
  EXPECT_NE(text, "");
  EXPECT_EQ(message, "");
}

TEST_F(Link, NoInputIsRescuedByAnother) {
  // The first input calls what it does not declare; the second defines it.
  EXPECT_EQ(link({caller.substr(caller.find('\n') + 2), library}), "");
  EXPECT_THAT(message, HasSubstr("a.loom:3:8: error: undefined function @affine [SYMBOL/002]"));
}

TEST_F(Link, RootsSelect) {
  LinkOptions options;
  options.mode = LinkMode::Link;
  options.roots = {"@twice"};
  std::string text = link({caller, library, kernel}, options);
  EXPECT_THAT(text, HasSubstr("@twice"));
  EXPECT_THAT(text, HasSubstr("func.def public pure @affine"));
  EXPECT_THAT(text, Not(HasSubstr("@fill")));
  options.roots = {"@twce"};
  EXPECT_EQ(link({caller, library, kernel}, options), "");
  EXPECT_THAT(message, HasSubstr("undefined root @twce; did you mean 'twice'? [SYMBOL/002]"));
}

TEST_F(Link, RootsBelongToSelectionOnly) {
  LinkOptions options;
  options.roots = {"@twice"};
  EXPECT_EQ(link({caller, library}, options), "");
  EXPECT_THAT(message, HasSubstr("merging keeps every symbol"));
  options.mode = LinkMode::Link;
  options.roots.clear();
  EXPECT_EQ(link({caller, library}, options), "");
  EXPECT_THAT(message, HasSubstr("takes at least one root"));
}

TEST_F(Link, TheSameInputsGiveTheSameText) {
  EXPECT_EQ(link({caller, library, kernel}), link({caller, library, kernel}));
}

} // namespace
