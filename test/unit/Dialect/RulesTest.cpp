//===- RulesTest.cpp - Rules that no text can break -----------------------===//
//
// The parser keeps many rules already: it counts the rows of a table and gives every loop an
// induction value. Programs that passes make, or that come from bytecode, are held to them by the
// verifier. Each test takes a sound program, breaks one thing, and expects the message.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Text/Text.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace loom;
using namespace mlir;
using testing::HasSubstr;

namespace {

class RulesTest : public testing::Test {
protected:
  RulesTest() : errors(shown), scope(&context, errors) {
    DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The first operation of that class in the program.
  template <typename OpTy> OpTy parse(const std::string &text) {
    module = parseSourceText(text, "rules.loom", &context);
    EXPECT_TRUE(module && succeeded(verifyModule(*module))) << shown;
    OpTy found;
    if (module)
      module->walk([&](OpTy op) { found = found ? found : op; });
    return found;
  }

  /// What the verifier says. A scope says the same thing once.
  std::string verify() {
    DiagnosticEngineScope once(&context, errors);
    EXPECT_TRUE(failed(verifyModule(*module)));
    return shown;
  }

  Attribute numbers(ArrayRef<int64_t> values) { return DenseI64ArrayAttr::get(&context, values); }

  MLIRContext context;
  std::string shown;
  llvm::raw_string_ostream errors;
  DiagnosticEngineScope scope;
  OwningOpRef<ModuleOp> module;
};

const char *kLoop = R"(func.def @f(%n: index, %o: offset, %x: f32, %c: i1, %b: buffer, %z: offset) {
  %all = buffer.view %b[%z] : buffer -> view<[%n]xf32>
  %r, %v = scf.for %i = [%n to %n step %n](%m = %n : index, %u = %all : view<[%n]xf32>) -> (index, view<[%r]xf32>) {
    scf.yield %m, %u : index, view<[%m]xf32>
  }
  func.return
}
)";

TEST_F(RulesTest, LoopHasInductionValue) {
  auto loop = parse<ScfForOp>("func.def @f(%n: index) {\n  scf.for %i = [%n to %n step %n] {\n"
                              "  }\n  func.return\n}\n");
  ASSERT_TRUE(loop);
  loop.getBlock()->eraseArgument(0);
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:3: error: the body of 'scf.for' has no induction "
                                  "value [STRUCTURE/007]"));
}

TEST_F(RulesTest, LoopBoundsShareOneType) {
  auto loop = parse<ScfForOp>(kLoop);
  ASSERT_TRUE(loop);
  loop.getStepMutable().assign(loop->getParentOfType<FuncDefOp>().getBody().getArgument(1));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: the bounds, the step and the induction "
                                  "value of 'scf.for' share one type, but there are index and "
                                  "offset [TYPE/001]"));
}

TEST_F(RulesTest, UnrollingIsRequestedOnce) {
  auto loop = parse<ScfForOp>(kLoop);
  ASSERT_TRUE(loop);
  loop.getFactorMutable().assign(loop.getStep());
  loop.setFullUnroll(true);
  EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: unroll and unroll(%factor) exclude each "
                                  "other [STRUCTURE/014]"));
}

TEST_F(RulesTest, TiesNameInitialValues) {
  auto loop = parse<ScfForOp>(kLoop);
  ASSERT_TRUE(loop);
  loop->setAttr("ties", numbers({-1, 2}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: result 1 is tied to an initial value "
                                  "that does not exist [STRUCTURE/013]"));
  shown.clear();
  loop->setAttr("ties", numbers({2}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: 'ties' has 1 value for 2 results "
                                  "[STRUCTURE/013]"));
}

TEST_F(RulesTest, ExtentsNameResults) {
  for (int64_t extent : {int64_t(1), int64_t(-3), INT64_MIN}) {
    shown.clear();
    auto loop = parse<ScfForOp>(kLoop);
    ASSERT_TRUE(loop);
    loop->setAttr("extents", numbers({extent}));
    EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: in the result list of 'scf.for' an "
                                    "extent has to be an index and a layout an encoding "
                                    "[TYPE/003]"));
  }
}

TEST_F(RulesTest, ExtentsAreComplete) {
  auto loop = parse<ScfForOp>(kLoop);
  ASSERT_TRUE(loop);
  loop->setAttr("extents", numbers({}));
  EXPECT_THAT(verify(), HasSubstr("in the result list of 'scf.for' an extent has to be"));
}

TEST_F(RulesTest, ResultsNameNothingInside) {
  auto branch = parse<ScfIfOp>(R"(func.def @f(%n: index, %c: i1, %b: buffer, %z: offset) {
  %all = buffer.view %b[%z] : buffer -> view<[%n]xf32>
  %r, %v = scf.if %c -> (index, view<[%r]xf32>) {
    %m = index.add %n, %n : index
    %u = buffer.view %b[%z] : buffer -> view<[%m]xf32>
    scf.yield %m, %u : index, view<[%m]xf32>
  } else {
    scf.yield %n, %all : index, view<[%n]xf32>
  }
  func.return
}
)");
  ASSERT_TRUE(branch);
  Operation *yield = branch.getThenRegion().front().getTerminator();
  branch.getElseRegion().front().getTerminator()->setOperands(yield->getOperands());
  branch->removeAttr("extents");
  EXPECT_THAT(verify(), HasSubstr("rules.loom:3:12: error: an extent or layout of result 1 of "
                                  "'scf.if' is defined inside of a region; yield it beside the "
                                  "value and name that result in the result list [TYPE/001]"));
}

const char *kTable = R"(func.def @f(%n: index, %x: f32, %y: f64) {
  %a = scf.lookup %n { 0 = (%x), 1 = (%x) } default(%x) : f32
  func.return
}
)";

TEST_F(RulesTest, TableIsRectangular) {
  auto lookup = parse<ScfLookupOp>(kTable);
  ASSERT_TRUE(lookup);
  lookup->setAttr("keys", numbers({0, 1, 2}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:8: error: the table of 'scf.lookup' is not of one "
                                  "width [STRUCTURE/013]"));
}

TEST_F(RulesTest, TableHasColumnTypes) {
  auto lookup = parse<ScfLookupOp>(kTable);
  ASSERT_TRUE(lookup);
  lookup.getCellsMutable()[1].set(lookup->getParentOfType<FuncDefOp>().getBody().getArgument(2));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:8: error: column 0 of 'scf.lookup' has type f32, "
                                  "but row 1 has f64 [TYPE/001]"));
}

TEST_F(RulesTest, SwitchHasOneRegionForEachKey) {
  auto choice = parse<ScfSwitchOp>("func.def @f(%n: index) {\n  scf.switch %n {\n    case 0 {\n"
                                   "    }\n    default {\n    }\n  }\n  func.return\n}\n");
  ASSERT_TRUE(choice);
  choice->setAttr("keys", numbers({0, 1, 2}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:3: error: 'scf.switch' has 3 keys, but 2 regions "
                                  "[STRUCTURE/013]"));
}

TEST_F(RulesTest, FailureHasStatus) {
  auto fail = parse<FuncFailOp>("func.def @f(%m: buffer) {\n  func.fail aborted, %m : buffer\n}\n");
  ASSERT_TRUE(fail);
  fail.setStatus("sideways");
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:3: error: 'func.fail' with an unknown status "
                                  "[STRUCTURE/014]"));
}

TEST_F(RulesTest, PlacesAreLocations) {
  auto place = parse<FuncLocationOp>("func.def @f() {\n"
                                     "  %p = func.location [#func.location.unknown] : buffer\n"
                                     "  func.return\n}\n");
  ASSERT_TRUE(place);
  place->setAttr("locations", Builder(&context).getStrArrayAttr({"here"}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:2:8: error: 'func.location' has a malformed location "
                                  "[STRUCTURE/014]"));
}

TEST_F(RulesTest, DefinitionsHaveBodies) {
  auto function = parse<FuncDefOp>("func.def @f() {\n  func.return\n}\n");
  ASSERT_TRUE(function);
  function.getBody().getBlocks().clear();
  EXPECT_THAT(verify(), HasSubstr("rules.loom:1:1: error: 'func.def' has a body [STRUCTURE/006]"));
  shown.clear();
  auto implementation =
      parse<TemplateDefOp>("template.decl @g()\n\ntemplate.def<@g> @h() {\n  template.return\n}\n");
  ASSERT_TRUE(implementation);
  implementation.getBody().getBlocks().clear();
  EXPECT_THAT(verify(),
              HasSubstr("rules.loom:3:1: error: 'template.def' has a body [STRUCTURE/006]"));
}

TEST_F(RulesTest, HeadersNameTheirParameters) {
  auto declaration = parse<FuncDeclOp>("func.decl @f(%n: index, %m: index)\n");
  ASSERT_TRUE(declaration);
  declaration->setAttr("arg_names", Builder(&context).getStrArrayAttr({"n"}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:1:1: error: a header has one name for each parameter "
                                  "and result [STRUCTURE/013]"));
}

TEST_F(RulesTest, HeadersFillTheirExtents) {
  auto declaration = parse<FuncDeclOp>("func.decl @f(%n: index, %v: view<[%n]xf32>)\n");
  ASSERT_TRUE(declaration);
  declaration->removeAttr("extents");
  EXPECT_THAT(verify(), HasSubstr("rules.loom:1:1: error: an extent of view<[?]xf32> in the header "
                                  "has no value [STRUCTURE/013]"));
}

TEST_F(RulesTest, WhereNamesWhatTheHeaderHas) {
  auto declaration = parse<FuncDeclOp>("func.decl @f(%n: index) -> (index) where [ge(%n, 0)]\n");
  ASSERT_TRUE(declaration);
  auto ge = PredicateAttr::get(&context, static_cast<uint32_t>(PredicateKind::ge), 1, {1, 0});
  declaration->setAttr("where", ArrayAttr::get(&context, {ge}));
  EXPECT_THAT(verify(), HasSubstr("rules.loom:1:1: error: 'func.decl' has a predicate without the "
                                  "arguments of its kind [STRUCTURE/021]"));
}

} // namespace
