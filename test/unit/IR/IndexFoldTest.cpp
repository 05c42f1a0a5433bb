// Folds and ranges of `index` have to hold on carriers of 32 and of 64 bits.
#include "FoldFixture.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include <algorithm>

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

/// The result on a carrier of `Carrier`'s width; nothing where it is unspecified.
template <typename Carrier, typename Unsigned>
std::optional<int64_t> compute(StringRef name, int64_t left, int64_t right) {
  constexpr int width = sizeof(Carrier) * 8;
  Carrier a = Carrier(left), b = Carrier(right);
  Unsigned bits = Unsigned(a);
  if (name == "andi")
    return a & b;
  if (name == "ori")
    return a | b;
  if (name == "xori")
    return a ^ b;
  if (name == "ctlzi" || name == "cttzi" || name == "ctpopi") {
    int leading = 0, trailing = 0, ones = 0;
    while (leading < width && !(bits >> (width - 1 - leading) & 1))
      ++leading;
    while (trailing < width && !(bits >> trailing & 1))
      ++trailing;
    for (int i = 0; i < width; ++i)
      ones += bits >> i & 1;
    return name == "ctlzi" ? leading : name == "cttzi" ? trailing : ones;
  }
  if (b < 0 || b >= width)
    return std::nullopt;
  int amount = int(b);
  Unsigned turned = amount == 0 ? bits : Unsigned(bits << amount | bits >> (width - amount));
  Unsigned back = amount == 0 ? bits : Unsigned(bits >> amount | bits << (width - amount));
  if (name == "shli") {
    __int128 exact = __int128(a) << amount;
    return exact == Carrier(exact) ? std::optional<int64_t>(int64_t(exact)) : std::nullopt;
  }
  if (name == "shrsi")
    return a >> amount;
  if (name == "shrui")
    return Carrier(bits >> amount);
  return Carrier(name == "rotli" ? turned : back);
}

const int64_t kValues[] = {0,         1,         2,         3,          7,         31,
                           32,        63,        64,        100,        -1,        -2,
                           -64,       INT32_MAX, INT32_MIN, UINT32_MAX, 1ll << 40, -(1ll << 40),
                           INT64_MAX, INT64_MIN, 0x5555,    -0x1234567, 1 << 30,   65536};

const StringRef kBinary[] = {"andi", "ori", "xori", "shli", "shrsi", "shrui", "rotli", "rotri"};
const StringRef kUnary[] = {"ctlzi", "cttzi", "ctpopi"};

class IndexFold : public ::testing::Test, protected FoldFixture {
protected:
  Type index = IndexType::get(&context);
  Attribute number(int64_t value) { return IntegerAttr::get(index, value); }
  Operation *makeIndex(StringRef name, size_t operands) {
    return make(("index." + name).str(), SmallVector<Type>(operands, index), index);
  }
  /// Calls `check` with the results that the two carriers give, as far as they hold the operands.
  static void onCarriers(StringRef name, int64_t a, int64_t b,
                         llvm::function_ref<void(int64_t)> check) {
    if (auto wide = compute<int64_t, uint64_t>(name, a, b))
      check(*wide);
    if (a == int32_t(a) && b == int32_t(b))
      if (auto narrow = compute<int32_t, uint32_t>(name, a, b))
        check(*narrow);
  }
};

TEST_F(IndexFold, FoldsHoldOnBothCarriers) {
  unsigned folds = 0;
  auto check = [&](Operation *op, StringRef name, int64_t a, int64_t b,
                   ArrayRef<Attribute> operands) {
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return;
    ++folds;
    Attribute constant = llvm::dyn_cast<Attribute>(results[0]);
    int64_t folded = constant ? cast<IntegerAttr>(constant).getInt()
                     : llvm::cast<Value>(results[0]) == op->getOperand(0) ? a
                                                                          : b;
    onCarriers(name, a, b, [&](int64_t expected) {
      EXPECT_EQ(folded, expected) << name.str() << ' ' << a << ' ' << b;
    });
  };
  for (StringRef name : kBinary) {
    Operation *op = makeIndex(name, 2);
    for (int64_t a : kValues)
      for (int64_t b : kValues) {
        check(op, name, a, b, {number(a), number(b)});
        check(op, name, a, b, {Attribute(), number(b)});
      }
  }
  for (StringRef name : kUnary) {
    Operation *op = makeIndex(name, 1);
    for (int64_t a : kValues)
      check(op, name, a, 0, {number(a)});
  }
  EXPECT_GT(folds, 1500u);
}

TEST_F(IndexFold, WidthDependentResultsStay) {
  auto stays = [&](StringRef name, ArrayRef<int64_t> values) {
    SmallVector<Attribute> operands;
    for (int64_t value : values)
      operands.push_back(number(value));
    EXPECT_FALSE(fold(makeIndex(name, values.size()), operands)) << name.str();
  };
  stays("ctlzi", {1});
  stays("cttzi", {0});
  stays("ctpopi", {-1});
  stays("shrui", {-8, 1});
  stays("rotli", {1, 4});
  stays("shli", {1, 32});
  stays("shli", {INT64_MAX, 1});
  stays("shrsi", {8, -1});
}

TEST_F(IndexFold, RangesHoldOnBothCarriers) {
  auto ranges = [](int64_t low, int64_t high) {
    return ConstantIntRanges::fromSigned(APInt(64, low, true), APInt(64, high, true));
  };
  auto check = [&](Operation *op, StringRef name, int64_t a, int64_t b,
                   ArrayRef<ConstantIntRanges> operands) {
    cast<InferIntRangeInterface>(op).inferResultRanges(
        operands, [&](Value, const ConstantIntRanges &result) {
          onCarriers(name, a, b, [&](int64_t value) {
            EXPECT_TRUE(result.smin().sle(value) && result.smax().sge(value))
                << name.str() << ' ' << a << ' ' << b << " gives " << value;
          });
        });
  };
  for (StringRef name : kBinary) {
    Operation *op = makeIndex(name, 2);
    for (int64_t a : kValues)
      for (int64_t b : kValues)
        for (int64_t other : {b, int64_t(0), int64_t(5), a})
          for (int64_t edge : {a, int64_t(-3), int64_t(1000)})
            check(op, name, a, b,
                  {ranges(std::min(a, edge), std::max(a, edge)),
                   ranges(std::min(b, other), std::max(b, other))});
  }
  for (StringRef name : kUnary)
    for (int64_t a : kValues)
      check(makeIndex(name, 1), name, a, 0, {ranges(a, a)});
}

TEST_F(IndexFold, ComparisonsFoldWhereEveryCarrierAgrees) {
  auto compare = [&](IntPredicate predicate, Type type) {
    return make("index.cmp", {type, type}, integer(1),
                builder().getNamedAttr("predicate", IntPredicateAttr::get(&context, predicate)));
  };
  Operation *equal = compare(IntPredicate::eq, index), *less = compare(IntPredicate::slt, index);
  Operation *below = compare(IntPredicate::ult, index);
  Operation *bytes = compare(IntPredicate::ult, OffsetType::get(&context));
  EXPECT_EQ(foldInteger(equal, {number(3), number(3)}), -1);
  EXPECT_EQ(foldInteger(less, {number(-4), number(3)}), -1);
  EXPECT_EQ(foldInteger(below, {number(4), number(3)}), 0);
  // In 32 bits, -1 and 4294967295 are the same.
  EXPECT_FALSE(fold(equal, {number(-1), number(UINT32_MAX)}));
  EXPECT_FALSE(fold(less, {number(0), number(1ll << 31)}));
  EXPECT_FALSE(fold(below, {number(-1), number(UINT32_MAX)}));
  EXPECT_EQ(foldInteger(below, {number(-1), number(3)}), 0);
  EXPECT_EQ(foldInteger(below, {number(3), number(-1)}), -1);
  EXPECT_EQ(foldInteger(below, {number(-5), number(-1)}), -1);
  EXPECT_EQ(foldInteger(equal, {number(1ll << 40), number(1ll << 40)}), -1);
  EXPECT_EQ(foldInteger(bytes, {number(3), number(UINT32_MAX)}), -1);
  EXPECT_FALSE(fold(bytes, {number(3), number(1ll << 40)}));
}

} // namespace
