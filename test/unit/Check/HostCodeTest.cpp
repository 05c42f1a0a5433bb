//===- HostCodeTest.cpp - Evaluating scalar programs on the host ----------===//
#include "HostCode.h"
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;

namespace {

/// What @f of `text` makes of `arguments`, or why it makes nothing.
std::string call(const std::string &text, std::vector<uint64_t> arguments) {
  Program program(text);
  HostFunctions functions(*program);
  if (std::optional<std::string> reason = functions.refuse("f"))
    return "refused: " + *reason;
  llvm::SmallVector<uint64_t> results;
  if (llvm::Error error = functions.call("f", arguments, results))
    return llvm::toString(std::move(error));
  std::string list;
  for (uint64_t result : results)
    list += (list.empty() ? "" : " ") + std::to_string(result);
  return list;
}

TEST(HostCode, LoopsCarryValuesAndEndAtTheirBound) {
  const char *text =
      "func.def @f(%lower: offset, %upper: offset, %step: offset) -> (i64, offset) {\n"
      "  %zero = scalar.constant 0 : i64\n"
      "  %one = scalar.constant 1 : i64\n"
      "  %count, %last = scf.for %i = [%lower to %upper step %step](%n = %zero : i64, "
      "%l = %lower : offset) -> (i64, offset) {\n"
      "    %next = scalar.addi %n, %one : i64\n"
      "    scf.yield %next, %i : i64, offset\n"
      "  }\n"
      "  func.return %count, %last : i64, offset\n}\n";
  EXPECT_EQ(call(text, {0, 10, 3}), "4 9");
  EXPECT_EQ(call(text, {10, 10, 3}), "0 10");
  EXPECT_EQ(call(text, {11, 10, 3}), "0 11");
  // The next step would leave 64 bits.
  EXPECT_EQ(call(text, {0, UINT64_MAX, uint64_t(1) << 63}), "2 9223372036854775808");
  EXPECT_EQ(call(text, {0, 1, 0}), "t.loom:4:19: the step of the loop is not positive");
}

TEST(HostCode, YieldsAreAssignedAtOnce) {
  EXPECT_EQ(call("func.def @f(%n: index, %a: i32, %b: i32) -> (i32, i32) {\n"
                 "  %zero = index.constant 0 : index\n  %one = index.constant 1 : index\n"
                 "  %x, %y = scf.for %i = [%zero to %n step %one](%p = %a : i32, %q = %b : i32) -> "
                 "(i32, i32) {\n"
                 "    scf.yield %q, %p : i32, i32\n  }\n"
                 "  func.return %x, %y : i32, i32\n}\n",
                 {3, 7, 8}),
            "8 7");
}

TEST(HostCode, ChoosesBranches) {
  const char *text = "func.def @f(%n: index) -> (i32) {\n"
                     "  %a = scalar.constant 10 : i32\n  %b = scalar.constant 20 : i32\n"
                     "  %c = scf.switch %n -> (i32) {\n"
                     "    case -1 {\n      scf.yield %b : i32\n    }\n"
                     "    case 4 {\n"
                     "      %s = scalar.addi %a, %b : i32\n      scf.yield %s : i32\n    }\n"
                     "    default {\n      scf.yield %a : i32\n    }\n  }\n"
                     "  func.return %c : i32\n}\n";
  EXPECT_EQ(call(text, {uint64_t(-1)}), "20");
  EXPECT_EQ(call(text, {4}), "30");
  EXPECT_EQ(call(text, {5}), "10");
}

TEST(HostCode, CallsHaveFramesOfTheirOwn) {
  const char *text = "func.def @f(%n: i64) -> (i64) {\n"
                     "  %zero = scalar.constant 0 : i64\n  %one = scalar.constant 1 : i64\n"
                     "  %more = scalar.cmpi sgt, %n, %zero : i64\n"
                     "  %r = scf.if %more -> (i64) {\n"
                     "    %less = scalar.subi %n, %one : i64\n"
                     "    %rest = func.call @f(%less) : (i64) -> (i64)\n"
                     "    %sum = scalar.addi %rest, %n : i64\n"
                     "    scf.yield %sum : i64\n"
                     "  } else {\n    scf.yield %zero : i64\n  }\n"
                     "  func.return %r : i64\n}\n";
  EXPECT_EQ(call(text, {100}), "5050");
  EXPECT_EQ(call(text, {1000}), "t.loom:7:13: calls stand within more than 256 other calls");
}

TEST(HostCode, EndlessLoopsEnd) {
  EXPECT_EQ(call("func.def @f() {\n"
                 "  %true = scalar.constant true : i1\n"
                 "  scf.while() {\n"
                 "    scf.condition %true : i1\n"
                 "  } do() {\n    scf.yield\n  }\n"
                 "  func.return\n}\n",
                 {}),
            "t.loom:3:3: the evaluation takes too many steps");
}

TEST(HostCode, AssumptionsAndWhereClausesAreChecked) {
  EXPECT_EQ(call("func.def @f(%n: i8) -> (i8) {\n"
                 "  %m = scalar.assume %n [range(%n, -2, 5)] : i8\n"
                 "  func.return %m : i8\n}\n",
                 {0xfd}),
            "t.loom:2:8: range(%n, -2, 5) does not hold: %n is -3");
  const char *text = "func.def @f(%n: index) -> (index) where [range(%n, 1, 4)] {\n"
                     "  func.return %n : index\n}\n";
  EXPECT_EQ(call(text, {4}), "4");
  EXPECT_EQ(call(text, {5}), "t.loom:1:1: range(%n, 1, 4) does not hold: %n is 5");
}

/// Calls a function of two numbers of `type` that states `fact`; empty when it returns.
static std::string violation(const char *fact, const char *type, uint64_t a, uint64_t b) {
  std::string text = std::string("func.def @f(%a: ") + type + ", %b: " + type + ") -> (" + type +
                     ") where [" + fact + "] {\n  func.return %a : " + type + "\n}\n";
  std::string told = call(text, {a, b});
  size_t place = told.find("does not hold");
  return place == std::string::npos ? "" : told.substr(place + strlen("does not hold: "));
}

TEST(HostCode, EveryFactIsChecked) {
  EXPECT_EQ(violation("mul(%a, 4)", "index", 66, 0), "%a is 66");
  EXPECT_EQ(violation("mul(%a, 4)", "index", 64, 0), "");
  EXPECT_EQ(violation("mul(%a, %b)", "i32", 9, 3), "");
  EXPECT_EQ(violation("mul(%a, %b)", "i32", 9, 0), "%a is 9, %b is 0");
  EXPECT_EQ(violation("pow2(%a)", "i32", 32, 0), "");
  EXPECT_EQ(violation("pow2(%a)", "i32", 0, 0), "%a is 0");
  EXPECT_EQ(violation("pow2(%a)", "i32", 0x80000000, 0), "%a is -2147483648");
  EXPECT_EQ(violation("pow2(%a)", "offset", uint64_t(1) << 63, 0), "");
  EXPECT_EQ(violation("eq(%a, %b)", "i8", 0xff, 0xff), "");
  EXPECT_EQ(violation("ne(%a, %b)", "i8", 0xff, 0xff), "%a is -1, %b is -1");
  EXPECT_EQ(violation("lt(%a, %b)", "i8", 0xff, 1), "");
  EXPECT_EQ(violation("ult(%a, %b)", "i8", 0xff, 1), "%a is -1, %b is 1");
  EXPECT_EQ(violation("uge(%a, -1)", "i8", 0xff, 1), "");
  EXPECT_EQ(violation("le(%a, 7)", "offset", ~uint64_t(0), 0), "%a is 18446744073709551615");
  EXPECT_EQ(violation("gt(%a, %b)", "index", 3, 3), "%a is 3, %b is 3");
  EXPECT_EQ(violation("ge(%a, %b)", "index", 3, 3), "");
  EXPECT_EQ(violation("not_nan(%a)", "f32", 0x7fc00000, 0), "%a is nan");
  EXPECT_EQ(violation("not_nan(%a)", "f32", 0x7f800000, 0), "");
  EXPECT_EQ(violation("not_inf(%a)", "f32", 0xff800000, 0), "%a is -inf");
  EXPECT_EQ(violation("finite(%a)", "f32", 0x7fc00000, 0), "%a is nan");
  EXPECT_EQ(violation("finite(%a)", "f64", 0, 0), "");
  EXPECT_EQ(violation("ne(%a, %b)", "f64", 0, uint64_t(1) << 63), "%a is 0.0, %b is -0.0");
}

TEST(HostCode, SaysWhatHasNoValue) {
  const char *text = "func.def @f(%a: i32, %b: i32) -> (i32) {\n"
                     "  %q = scalar.divsi %a, %b : i32\n"
                     "  func.return %q : i32\n}\n";
  EXPECT_EQ(call(text, {7, 2}), "3");
  EXPECT_EQ(call(text, {7, 0}), "t.loom:2:8: 'scalar.divsi' has no result for these values");
  EXPECT_EQ(call("func.def @f(%a: index, %b: index) -> (index) {\n"
                 "  %q = index.mul %a, %b : index\n  func.return %q : index\n}\n",
                 {uint64_t(1) << 40, uint64_t(1) << 40}),
            "t.loom:2:8: 'index.mul' has no result for these values");
}

TEST(HostCode, RefusesWhatItCannotEvaluate) {
  EXPECT_EQ(call("func.decl @f()\n", {}), "refused: function @f is declared and never defined");
  EXPECT_EQ(call("func.decl @g()\nfunc.def @f() {\n  func.call @g() : ()\n  func.return\n}\n", {}),
            "refused: t.loom:3:3: function @g is declared and never defined");
  EXPECT_EQ(call("func.def @f(%b: buffer) {\n  func.return\n}\n", {0}),
            "refused: t.loom:1:1: function @f has a parameter or result of type buffer; the host "
            "evaluates functions of scalars");
  // Found in a branch that would not run, and behind a call.
  EXPECT_EQ(call("func.def @f(%x: f32) -> (f32) {\n"
                 "  %y = func.call @g(%x) : (f32) -> (f32)\n  func.return %y : f32\n}\n"
                 "func.def @g(%x: f32) -> (f32) {\n"
                 "  %never = scalar.constant false : i1\n"
                 "  scf.if %never {\n"
                 "    %v = vector.splat %x : vector<4xf32>\n  }\n"
                 "  func.return %x : f32\n}\n",
                 {0}),
            "refused: t.loom:8:10: 'vector.splat' is not evaluated on the host");
  EXPECT_EQ(call("func.def @f() -> (i32) {\n  %p = scalar.poison : i32\n"
                 "  %z = scalar.constant 0 : i32\n  func.return %z : i32\n}\n",
                 {}),
            "refused: t.loom:2:8: 'scalar.poison' is not evaluated on the host");
}

TEST(HostCode, ReadsConfigurationValues) {
  EXPECT_EQ(call("config.def @size = 12 : index\n"
                 "func.def @f() -> (index) {\n  %s = config.get @size : index\n"
                 "  func.return %s : index\n}\n",
                 {}),
            "12");
  EXPECT_EQ(call("config.decl @size : index\n"
                 "func.def @f() -> (index) {\n  %s = config.get @size : index\n"
                 "  func.return %s : index\n}\n",
                 {}),
            "refused: t.loom:3:8: @size has no value");
}

TEST(HostCode, FoldsWhatHasAFolder) {
  EXPECT_EQ(call("func.def @f(%w: i32) -> (i8) {\n"
                 "  %c = scalar.bitfield.extracts %w {offset = 4, width = 4} : i32 -> i8\n"
                 "  func.return %c : i8\n}\n",
                 {0xf0}),
            "255");
}

} // namespace
