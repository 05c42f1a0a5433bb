// Facts as attributes: what they say about ranges, and lists that only damaged bytes can hold.
#include "loom/IR/Predicates.h"
#include "FoldFixture.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

class Predicates : public ::testing::Test, protected FoldFixture {
protected:
  ArrayAttr list(PredicateKind kind, uint32_t mask, ArrayRef<int64_t> args) {
    return builder().getArrayAttr(
        PredicateAttr::get(&context, static_cast<uint32_t>(kind), mask, args));
  }
  /// Range of value 0 as "low..high"; empty when nothing is known.
  std::string range(PredicateKind kind, ArrayRef<int64_t> literals, unsigned width) {
    SmallVector<int64_t> args = {0};
    args.append(literals.begin(), literals.end());
    auto stated = rangeFromPredicates(list(kind, 1, args), 0, width);
    if (!stated)
      return "";
    return std::to_string(stated->smin().getSExtValue()) + ".." +
           std::to_string(stated->smax().getSExtValue());
  }
  std::string verify(ArrayAttr predicates, ArrayRef<Type> types, unsigned subjects = 1) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      message = diag.str();
      return success();
    });
    Type type = integer(32);
    (void)verifyPredicates(make("scalar.negi", {type}, type), predicates, types, subjects);
    return message;
  }
};

TEST_F(Predicates, BoundsAreThoseOfTheWidth) {
  EXPECT_EQ(range(PredicateKind::range, {-8, 7}, 16), "-8..7");
  EXPECT_EQ(range(PredicateKind::le, {300}, 8), "");
  EXPECT_EQ(range(PredicateKind::ge, {-300}, 8), "");
  EXPECT_EQ(range(PredicateKind::lt, {100}, 8), "-128..99");
  EXPECT_EQ(range(PredicateKind::gt, {INT64_MAX}, 64), "");
  EXPECT_EQ(range(PredicateKind::eq, {1}, 1), "-1..-1");
  EXPECT_EQ(range(PredicateKind::eq, {0}, 1), "0..0");
  EXPECT_EQ(range(PredicateKind::pow2, {}, 32), "1..2147483647");
  EXPECT_EQ(range(PredicateKind::range, {9, 3}, 32), "") << "contradictions say nothing";
}

TEST_F(Predicates, UnsignedBoundsBelowTheSignBitAreSignedOnes) {
  EXPECT_EQ(range(PredicateKind::ult, {16}, 32), "0..15");
  EXPECT_EQ(range(PredicateKind::ule, {16}, 32), "0..16");
  EXPECT_EQ(range(PredicateKind::ult, {0}, 32), "");
  EXPECT_EQ(range(PredicateKind::ule, {200}, 8), "") << "200 has the sign bit set";
  EXPECT_EQ(range(PredicateKind::uge, {16}, 32), "") << "negative values are large ones";
}

TEST_F(Predicates, MalformedListsAreRefused) {
  Type i32 = integer(32);
  const char *message = "' has a predicate without the arguments of its kind";
  EXPECT_EQ(verify(list(PredicateKind::range, 1, {0, 1, 2}), {i32}), "");
  for (ArrayAttr bad : {list(PredicateKind::range, 1, {0, 1}), list(PredicateKind::pow2, 0, {0}),
                        list(PredicateKind::ge, 1, {1, 0}), list(PredicateKind::ge, 3, {0, 7}),
                        list(PredicateKind::ge, 1, {-1, 0}), list(PredicateKind::eq, 1, {}),
                        list(static_cast<PredicateKind>(99), 1, {0, 1})})
    EXPECT_NE(verify(bad, {i32}).find(message), std::string::npos);
}

} // namespace
