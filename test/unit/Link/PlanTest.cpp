// The plan of a link: reasons, causes, names and dependencies.
#include "loom/Link/Plan.h"
#include "../Analysis/Program.h"
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/Target/TargetProfile.h"
#include <gmock/gmock.h>

using namespace loom;
using namespace loom::test;
using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

using Strings = std::vector<std::string>;

class Plan : public ::testing::Test {
protected:
  Plan() : errors(message), scope(&context, errors) {
    DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    link.mode = LinkMode::Link;
  }

  void add(const std::string &name, const std::string &text, LinkRole role = LinkRole::Input) {
    modules.push_back(parseSourceText(text, name, &context));
    ASSERT_TRUE(modules.back()) << message;
    inputs.push_back({name, *modules.back(), role});
  }

  bool run() { return succeeded(planLink(&context, inputs, link, plan)); }

  /// `root @f`, `dependency @g of f`: reason, name, and the name of the cause.
  Strings reasons() const {
    static const char *const names[] = {"merge", "root", "dependency", "provider"};
    Strings lines;
    for (const PlannedSymbol &symbol : plan.symbols) {
      std::string line = names[static_cast<unsigned>(symbol.reason)];
      line += " @" + symbol.name.str();
      if (symbol.cause)
        line += " of " + plan.symbols[*symbol.cause].name.str();
      lines.push_back(line);
    }
    return lines;
  }

  std::vector<DependencyState> states() const {
    std::vector<DependencyState> result;
    for (const LinkDependency &dependency : plan.dependencies)
      result.push_back(dependency.state);
    return result;
  }

  static std::string function(const std::string &header, const std::string &callee = "") {
    std::string call =
        callee.empty() ? "" : "  %y = func.call @" + callee + "(%x) : (f32) -> (f32)\n";
    return "func.def " + header + "(%x: f32) -> (f32) {\n" + call + "  func.return %x : f32\n}\n";
  }
  static std::string declaration(const std::string &name) {
    return "func.decl @" + name + "(%x: f32) -> (f32)\n";
  }

  MLIRContext context;
  std::string message;
  llvm::raw_string_ostream errors;
  DiagnosticEngineScope scope;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<LinkInput> inputs;
  LinkOptions link;
  LinkPlan plan;
};

TEST_F(Plan, EverySymbolHasAReasonAndWhatItIsNeededForComesFirst) {
  add("a", declaration("b") + function("@a", "b") + function("@idle"));
  add("lib", declaration("c") + function("public @b", "c") + function("@idle"), LinkRole::Library);
  add("deep", function("public @c", "d") + function("@d", "e") + function("@e", "d"),
      LinkRole::TransitiveLibrary);
  link.roots = {" @a "};
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(reasons(), (Strings{"root @a", "dependency @b of a", "dependency @c of b",
                                "dependency @d of c", "dependency @e of d"}));
  for (auto [ordinal, symbol] : llvm::enumerate(plan.symbols))
    EXPECT_LT(symbol.cause.value_or(0), ordinal + 1);
  EXPECT_EQ(plan.symbols[2].input, 2u);
  EXPECT_FALSE(plan.symbols[1].isPublic);
}

TEST_F(Plan, LibrariesStandBehindInputsWhateverTheOrder) {
  add("lib", "amdgpu.target<gfx1151> @t\n" + function("public target(@t) @b"), LinkRole::Library);
  add("a", "amdgpu.target<gfx1151> @t\n" + declaration("b") + function("target(@t) @a", "b"));
  link.roots = {"a"};
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(plan.inputs[0].name, "a");
  EXPECT_EQ(reasons(), (Strings{"root @a", "dependency @t of a", "dependency @b of a"}));
  EXPECT_EQ(plan.symbols[1].input, 0u);
}

TEST_F(Plan, FamiliesBringTheirImplementationsFromEverywhere) {
  const std::string family = "template.decl @f(%x: f32) -> (f32)\n";
  auto implementation = [](const std::string &header) {
    return "template.def<@f> " + header + "(%x: f32) -> (f32) {\n  template.return %x : f32\n}\n";
  };
  add("a", family + implementation("@own") +
               "func.def @a(%x: f32) -> (f32) {\n  %y = template.apply<@f>(%x) : (f32) -> (f32)\n"
               "  func.return %y : f32\n}\n");
  add("lib",
      family + implementation("requires [#target.subgroup.size<64>] @wide") +
          implementation("public @exported"),
      LinkRole::Library);
  link.roots = {"a"};
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(reasons(), (Strings{"root @a", "dependency @f of a", "provider @own of f",
                                "provider @wide of f", "provider @exported of f"}));
  plan = LinkPlan();
  link.target = lookupTargetProfile("amdgpu:gfx1151");
  ASSERT_TRUE(link.target);
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(reasons(), (Strings{"root @a", "dependency @f of a", "provider @own of f",
                                "provider @exported of f"}));
}

TEST_F(Plan, PrivateNamesOfLibrariesGiveWay) {
  add("a", declaration("b") + function("@a", "h") + function("@h", "b"));
  add("lib", function("public @b", "h") + function("@h"), LinkRole::Library);
  link.roots = {"a"};
  ASSERT_TRUE(run()) << message;
  Strings names;
  for (const PlannedSymbol &symbol : plan.symbols)
    names.push_back(symbol.outputName);
  EXPECT_EQ(names, (Strings{"a", "h", "b", "h_1"}));
  EXPECT_TRUE(plan.renames[0].empty());
  EXPECT_EQ(plan.renames[1].lookup(StringAttr::get(&context, "h")),
            StringAttr::get(&context, "h_1"));
  OwningOpRef<ModuleOp> linked = materialize(plan);
  EXPECT_TRUE(succeeded(verifyModule(*linked))) << message;
  EXPECT_EQ(linked->getName(), "linked");
  // The inputs are only borrowed.
  EXPECT_THAT(printSourceText(*modules[1]), HasSubstr("func.call @h("));
}

TEST_F(Plan, DependenciesAreKnownWhenThePlanFails) {
  add("a", declaration("local") + declaration("direct") + declaration("far") +
               declaration("hidden") + declaration("none") + declaration("twice"));
  add("b", function("public @local"));
  add("lib", function("public @direct") + function("@hidden") + function("public @twice"),
      LinkRole::Library);
  add("more", function("public @twice"), LinkRole::Library);
  add("far", function("public @far"), LinkRole::TransitiveLibrary);
  link.mode = LinkMode::Merge;
  link.strictDependencies = true;
  EXPECT_FALSE(run());
  EXPECT_THAT(states(), ElementsAre(DependencyState::Local, DependencyState::Direct,
                                    DependencyState::Transitive, DependencyState::Hidden,
                                    DependencyState::Unresolved, DependencyState::Ambiguous));
  EXPECT_EQ(plan.dependencies[2].provider, 4u);
  EXPECT_EQ(plan.dependencies[4].definition, nullptr);
  EXPECT_THAT(dependencyReport(plan, "x"), HasSubstr(R"("component":"x","status":"failed")"));
}

TEST_F(Plan, KeptInputsStayWholeAndTakeWhatTheyUse) {
  add("a", declaration("b") + declaration("unused") + "config.decl @key : index\n" +
               function("@a", "b") + function("@idle"));
  add("lib", function("public @b") + function("public @c"), LinkRole::Library);
  link.keepInputs = true;
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(reasons(), (Strings{"merge @key", "merge @a", "merge @idle", "dependency @b of a"}));
}

TEST_F(Plan, AskingForNothingIsAnError) {
  EXPECT_FALSE(run());
  EXPECT_THAT(message, HasSubstr("a link takes at least one input"));
  add("a", function("@a"));
  message.clear();
  EXPECT_FALSE(run());
  EXPECT_THAT(message, HasSubstr("takes at least one root"));
  message.clear();
  link.inputExports = true;
  EXPECT_FALSE(run());
  EXPECT_THAT(message, HasSubstr("nothing is exported or tested [LINK/004]"));
}

TEST_F(Plan, RetainedSymbolsOfInputsAreRoots) {
  add("a", function("@a") + function("retain @kept"));
  add("lib", function("retain @other"), LinkRole::Library);
  link.roots = {"a"};
  ASSERT_TRUE(run()) << message;
  EXPECT_EQ(reasons(), (Strings{"root @a", "root @kept"}));
}

TEST_F(Plan, TheSameInputsGiveTheSamePlan) {
  add("a", declaration("b") + function("public @a", "b"));
  add("lib", function("public @b", "h") + function("@h"), LinkRole::Library);
  link.inputExports = true;
  std::string texts[2];
  for (std::string &text : texts) {
    plan = LinkPlan();
    ASSERT_TRUE(run()) << message;
    llvm::raw_string_ostream os(text);
    printPlan(os, plan);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THAT(texts[0], HasSubstr("plan mode=link symbols=3\n0 root @a provider=a module=a cause=- "
                                  "flags=definition,public\n"));
}

TEST(SymbolKinds, NamesAreUniqueAndDeclarationsHaveDefinitions) {
  Strings seen;
  for (const SymbolKind &kind : symbolKinds()) {
    EXPECT_THAT(seen, ::testing::Not(::testing::Contains(kind.op.str())));
    // A pattern must not hide what stands behind it.
    for (const std::string &earlier : seen) {
      StringRef pattern = earlier;
      if (pattern.consume_back("*")) {
        EXPECT_FALSE(kind.op.starts_with(pattern)) << kind.op.str();
      }
    }
    seen.push_back(kind.op.str());
    if (kind.role != SymbolRole::Declaration)
      continue;
    EXPECT_TRUE(llvm::any_of(symbolKinds(), [&](const SymbolKind &other) {
      return other.entity == kind.entity && other.role != SymbolRole::Declaration;
    })) << kind.op.str();
  }
}

TEST(SymbolKinds, WhatOperationsAre) {
  Program p("func.def @f() {\n  func.return\n}\n"
            "func.def public @g() {\n  func.return\n}\n"
            "config.def @c = 1 : index\n"
            "check.case @case {\n  check.return\n}\n"
            "check.benchmark<@case>\n"
            "func.decl @d()\n"
            "module.import \"x\" [@d]\n"
            "x86.target<avx2> @t\n");
  auto roles = llvm::map_range(*p.module->getBody(), [](Operation &op) {
    const SymbolKind *kind = getSymbolKind(&op);
    return kind ? static_cast<int>(kind->role) : -1;
  });
  EXPECT_THAT(std::vector<int>(roles.begin(), roles.end()),
              ElementsAre(int(SymbolRole::Definition), int(SymbolRole::Definition),
                          int(SymbolRole::Definition), int(SymbolRole::Test),
                          int(SymbolRole::Benchmark), int(SymbolRole::Declaration), -1,
                          int(SymbolRole::Record)));
  auto visible =
      llvm::map_range(*p.module->getBody(), [](Operation &op) { return isVisible(&op); });
  EXPECT_THAT(std::vector<bool>(visible.begin(), visible.end()),
              ElementsAre(false, true, true, false, false, false, false, true));
}

} // namespace
