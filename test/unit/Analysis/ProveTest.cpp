// The three-valued answers about predicates.
#include "Program.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Template/Template.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

class Prove : public ::testing::Test {
protected:
  /// Asks about `%a` and `%b`, values of the kernel body, under one predicate.
  Proof ask(const std::string &body, const std::string &predicate, bool inside = false) {
    // The parameters have a fixed width, for which unsigned predicates exist too.
    Program p("template.decl @question(%a: i32, %b: i32) where [" + predicate + "]\n" +
              Program::kernel("(%n: index, %m: index)", body));
    Facts facts(*p.module);
    auto family = *p.module->getOps<TemplateDeclOp>().begin();
    SmallVector<Value> arguments{p.value("a"), p.value("b")};
    return facts.prove(family.getWhereAttr(), arguments, nullptr, inside ? p.at("place") : nullptr);
  }

  const std::string ranges = R"(
  %a = index.assume %n [range(%n, 8, 16), mul(%n, 8)] : index
  %b = index.assume %m [range(%m, 16, 32)] : index)";
};

TEST_F(Prove, RangesDecideComparisons) {
  EXPECT_EQ(ask(ranges, "le(%a, %b)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "lt(%a, %b)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "gt(%a, %b)"), Proof::Disproven);
  EXPECT_EQ(ask(ranges, "ge(%b, %a)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "eq(%a, %b)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "ne(%a, 17)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "eq(%a, 17)"), Proof::Disproven);
  EXPECT_EQ(ask(ranges, "ule(%a, %b)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "uge(%a, 17)"), Proof::Disproven);
  EXPECT_EQ(ask(ranges, "ult(%a, -1)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "range(%a, 8, 16)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "range(%a, 9, 16)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "range(%a, 17, 20)"), Proof::Disproven);
  EXPECT_EQ(ask(ranges, "range(%a, 0, %b)"), Proof::Proven);
}

TEST_F(Prove, MultiplesFollowArithmetic) {
  EXPECT_EQ(ask(ranges, "mul(%a, 4)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "mul(%a, 3)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "mul(%b, 2)"), Proof::Unknown);
  const std::string sums = R"(
  %six = index.constant 6 : index
  %four = index.constant 4 : index
  %x = index.mul %n, %six : index
  %y = index.mul %four, %m : index
  %a = index.add %x, %y : index
  %b = index.madd %n, %four, %six : index)";
  EXPECT_EQ(ask(sums, "mul(%a, 2)"), Proof::Proven);
  EXPECT_EQ(ask(sums, "mul(%a, 4)"), Proof::Unknown);
  EXPECT_EQ(ask(sums, "mul(%b, 2)"), Proof::Proven);
  const std::string exact = R"(
  %a = index.constant 12 : index
  %b = index.constant 0 : index)";
  EXPECT_EQ(ask(exact, "mul(%a, 6)"), Proof::Proven);
  EXPECT_EQ(ask(exact, "mul(%a, 5)"), Proof::Disproven);
  EXPECT_EQ(ask(exact, "mul(%b, 5)"), Proof::Proven);
  EXPECT_EQ(ask(exact, "mul(%a, %b)"), Proof::Disproven);
  EXPECT_EQ(ask(exact, "mul(%b, %a)"), Proof::Proven);
  const std::string both = R"(
  %a = index.assume %n [mul(%n, 4), mul(%n, 6)] : index
  %b = index.constant 0 : index)";
  EXPECT_EQ(ask(both, "mul(%a, 12)"), Proof::Proven);
  EXPECT_EQ(ask(both, "mul(%a, 24)"), Proof::Unknown);
}

TEST_F(Prove, InductionValuesAreMultiplesOfTheirStep) {
  const std::string loop = R"(
  %zero = index.constant 0 : index
  %four = index.constant 4 : index
  scf.for %a = [%zero to %n step %four] {
    %b = index.constant 0 : index
    %place = index.constant 0 : index
  })";
  EXPECT_EQ(ask(loop, "mul(%a, 4)"), Proof::Proven);
  EXPECT_EQ(ask(loop, "mul(%a, 8)"), Proof::Unknown);
}

TEST_F(Prove, PowersOfTwo) {
  const std::string values = R"(
  %a = index.assume %n [pow2(%n)] : index
  %sixteen = index.constant 16 : index
  %b = index.mul %a, %sixteen : index)";
  EXPECT_EQ(ask(values, "pow2(%a)"), Proof::Proven);
  EXPECT_EQ(ask(values, "pow2(%b)"), Proof::Proven);
  EXPECT_EQ(ask(values, "ge(%a, 1)"), Proof::Proven);
  const std::string others = R"(
  %a = index.constant 12 : index
  %b = index.assume %m [range(%m, -4, 0)] : index)";
  EXPECT_EQ(ask(others, "pow2(%a)"), Proof::Disproven);
  EXPECT_EQ(ask(others, "pow2(%b)"), Proof::Disproven);
  EXPECT_EQ(ask(ranges, "pow2(%a)"), Proof::Unknown);
}

TEST_F(Prove, EqualValuesAndPromisesBetweenValues) {
  const std::string alias = R"(
  %a = index.assume %n [ge(%n, -5)] : index
  %b = index.assume %a [le(%a, 5)] : index)";
  EXPECT_EQ(ask(alias, "eq(%a, %b)"), Proof::Proven);
  EXPECT_EQ(ask(alias, "lt(%a, %b)"), Proof::Disproven);
  EXPECT_EQ(ask(alias, "ule(%a, %b)"), Proof::Proven);
  const std::string promise = R"(
  %a, %b = index.assume %n, %m [lt(%n, %m)] : index, index)";
  EXPECT_EQ(ask(promise, "lt(%a, %b)"), Proof::Proven);
  EXPECT_EQ(ask(promise, "ne(%a, %b)"), Proof::Proven);
  EXPECT_EQ(ask(promise, "ge(%a, %b)"), Proof::Disproven);
  EXPECT_EQ(ask(promise, "ult(%a, %b)"), Proof::Unknown);
}

TEST_F(Prove, ConditionsHoldInTheirArmOnly) {
  const std::string body = R"(
  %a = index.assume %n [ge(%n, 0)] : index
  %b = index.assume %m [ge(%m, 0)] : index
  %c = index.cmp uge, %a, %b : index
  scf.if %c {
    %other = index.constant 0 : index
  } else {
    %place = index.constant 0 : index
  })";
  EXPECT_EQ(ask(body, "lt(%a, %b)"), Proof::Unknown);
  EXPECT_EQ(ask(body, "lt(%a, %b)", /*inside=*/true), Proof::Proven);
  EXPECT_EQ(ask(body, "ult(%a, %b)", /*inside=*/true), Proof::Proven);
  EXPECT_EQ(ask(body, "ge(%a, %b)", /*inside=*/true), Proof::Disproven);
}

TEST_F(Prove, AllPredicatesCountAndTheFailingOneIsNamed) {
  EXPECT_EQ(ask(ranges, "le(%a, %b), mul(%a, 8)"), Proof::Proven);
  EXPECT_EQ(ask(ranges, "le(%a, %b), mul(%a, 16)"), Proof::Unknown);
  EXPECT_EQ(ask(ranges, "mul(%a, 16), eq(%a, 1)"), Proof::Disproven);
  Program p(
      "template.decl @question(%a: index) where [ge(%a, 0), mul(%a, 16), pow2(%a), eq(%a, 1)]\n" +
      Program::kernel("(%n: index)", "  %v = index.assume %n [range(%n, 8, 16)] : index\n"
                                     "  %w = index.assume %n [range(%n, 1, 1)] : index"));
  Facts facts(*p.module);
  ArrayAttr where = (*p.module->getOps<TemplateDeclOp>().begin()).getWhereAttr();
  unsigned failing = 99;
  EXPECT_EQ(facts.prove(where, {p.value("v")}, &failing), Proof::Disproven);
  EXPECT_EQ(failing, 3u);
  EXPECT_EQ(facts.prove(where, {p.value("w")}, &failing), Proof::Disproven);
  EXPECT_EQ(failing, 1u);
  EXPECT_EQ(facts.prove({}, {p.value("w")}, &failing), Proof::Proven);
}

TEST_F(Prove, IntegersAndFloats) {
  Program p("func.decl @question(%i: i32, %f: f32) where [range(%i, 0, 9), finite(%f)]\n"
            "func.decl @wide(%i: i32, %f: f32) where [ult(%i, 10), not_nan(%f)]\n" +
            Program::kernel("(%j: i32, %g: f32, %h: f32) where [ge(%j, 0), finite(%g)]",
                            "  %i = scalar.constant 3 : i32\n  %f = scalar.constant inf : f32"));
  Facts facts(*p.module);
  auto declarations = llvm::to_vector(p.module->getOps<FuncDeclOp>());
  ArrayAttr narrow = declarations[0].getWhereAttr(), wide = declarations[1].getWhereAttr();
  auto prove = [&](ArrayAttr where, const char *i, const char *f) {
    return facts.prove(where, {p.value(i), p.value(f)});
  };
  EXPECT_EQ(prove(narrow, "i", "g"), Proof::Proven);
  EXPECT_EQ(prove(narrow, "i", "f"), Proof::Disproven);
  EXPECT_EQ(prove(narrow, "i", "h"), Proof::Unknown);
  EXPECT_EQ(prove(narrow, "j", "g"), Proof::Unknown);
  EXPECT_EQ(prove(wide, "i", "f"), Proof::Proven);
  EXPECT_EQ(prove(wide, "i", "g"), Proof::Proven);
}

} // namespace
