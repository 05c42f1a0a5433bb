// Folds of integer functions against arithmetic on wider integers of the host.
#include "FoldFixture.h"
#include <functional>
#include <random>

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

using Wide = __int128;
/// The value, or nothing where the function has none; operands by sign, results exact.
using Reference = std::function<std::optional<Wide>(Wide a, Wide b, unsigned width)>;

Wide unsignedOf(Wide value, unsigned width) { return value & ((Wide(1) << width) - 1); }
Wide signedOf(Wide value, unsigned width) {
  Wide bits = unsignedOf(value, width);
  return bits >> (width - 1) & 1 ? bits - (Wide(1) << width) : bits;
}
Wide least(unsigned width) { return -(Wide(1) << (width - 1)); }

Wide floorDiv(Wide a, Wide b) {
  Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Signed division by `divide`, where it has a value.
Reference signedDivision(std::function<Wide(Wide, Wide)> divide) {
  return [divide](Wide a, Wide b, unsigned width) -> std::optional<Wide> {
    if (b == 0 || (a == least(width) && b == -1))
      return std::nullopt;
    return divide(a, b);
  };
}
Reference unsignedDivision(std::function<Wide(Wide, Wide)> divide) {
  return [divide](Wide a, Wide b, unsigned width) -> std::optional<Wide> {
    if (b == 0)
      return std::nullopt;
    return divide(unsignedOf(a, width), unsignedOf(b, width));
  };
}
/// A shift, bit by bit, for amounts below the width.
Reference stepwise(std::function<Wide(Wide, unsigned)> step) {
  return [step](Wide a, Wide b, unsigned width) -> std::optional<Wide> {
    Wide amount = unsignedOf(b, width);
    if (amount >= width)
      return std::nullopt;
    Wide value = unsignedOf(a, width);
    for (Wide i = 0; i < amount; ++i)
      value = unsignedOf(step(value, width), width);
    return value;
  };
}
Reference exact(std::function<Wide(Wide, Wide, unsigned)> compute) {
  return [compute](Wide a, Wide b, unsigned width) { return std::optional(compute(a, b, width)); };
}

const std::pair<const char *, Reference> kBinary[] = {
    {"addi", exact([](Wide a, Wide b, unsigned) { return a + b; })},
    {"subi", exact([](Wide a, Wide b, unsigned) { return a - b; })},
    {"muli", exact([](Wide a, Wide b, unsigned) { return a * b; })},
    {"divsi", signedDivision([](Wide a, Wide b) { return a / b; })},
    {"remsi", signedDivision([](Wide a, Wide b) { return a % b; })},
    {"floordivsi", signedDivision(floorDiv)},
    {"ceildivsi", signedDivision([](Wide a, Wide b) { return -floorDiv(-a, b); })},
    {"divui", unsignedDivision([](Wide a, Wide b) { return a / b; })},
    {"remui", unsignedDivision([](Wide a, Wide b) { return a % b; })},
    {"ceildivui", unsignedDivision([](Wide a, Wide b) { return (a + b - 1) / b; })},
    {"minsi", exact([](Wide a, Wide b, unsigned) { return a < b ? a : b; })},
    {"maxsi", exact([](Wide a, Wide b, unsigned) { return a > b ? a : b; })},
    {"minui",
     exact([](Wide a, Wide b, unsigned w) { return unsignedOf(a, w) < unsignedOf(b, w) ? a : b; })},
    {"maxui",
     exact([](Wide a, Wide b, unsigned w) { return unsignedOf(a, w) > unsignedOf(b, w) ? a : b; })},
    {"andi", exact([](Wide a, Wide b, unsigned) { return a & b; })},
    {"ori", exact([](Wide a, Wide b, unsigned) { return a | b; })},
    {"xori", exact([](Wide a, Wide b, unsigned) { return a ^ b; })},
    {"shli", stepwise([](Wide a, unsigned) { return a * 2; })},
    {"shrui", stepwise([](Wide a, unsigned) { return a / 2; })},
    {"shrsi", stepwise([](Wide a, unsigned w) { return a / 2 | (a >> (w - 1) << (w - 1)); })},
    {"rotli", stepwise([](Wide a, unsigned w) { return a * 2 | a >> (w - 1); })},
    {"rotri", stepwise([](Wide a, unsigned w) { return a / 2 | (a & 1) << (w - 1); })},
};

Wide countLeading(Wide a, unsigned width) {
  Wide count = 0;
  while (count < width && !(unsignedOf(a, width) >> (width - 1 - unsigned(count)) & 1))
    ++count;
  return count;
}
Wide countTrailing(Wide a, unsigned width) {
  Wide count = 0;
  while (count < width && !(a >> unsigned(count) & 1))
    ++count;
  return count;
}
Wide countOnes(Wide a, unsigned width) {
  Wide count = 0;
  for (unsigned i = 0; i < width; ++i)
    count += a >> i & 1;
  return count;
}

const std::pair<const char *, std::function<Wide(Wide, unsigned)>> kUnary[] = {
    {"negi", [](Wide a, unsigned) { return -a; }},
    {"absi", [](Wide a, unsigned) { return a < 0 ? -a : a; }},
    {"signi", [](Wide a, unsigned) { return Wide(a > 0) - Wide(a < 0); }},
    {"ctlzi", countLeading},
    {"cttzi", countTrailing},
    {"ctpopi", countOnes},
};

class LanewiseInteger : public ::testing::Test, protected FoldFixture {
protected:
  Attribute number(unsigned width, Wide value) {
    return IntegerAttr::get(integer(width), APInt(width, uint64_t(unsignedOf(value, width))));
  }
  /// Values of a width: all of a small one, else edges and random ones.
  static std::vector<Wide> samples(unsigned width) {
    std::vector<Wide> values;
    if (width <= 8) {
      for (Wide value = least(width); value < -least(width); ++value)
        values.push_back(value);
      return values;
    }
    for (Wide edge : {Wide(0), least(width), -least(width), Wide(width)})
      for (int near = -2; near <= 2; ++near)
        values.push_back(signedOf(edge + near, width));
    std::mt19937_64 random(width);
    for (int i = 0; i < 60; ++i)
      values.push_back(signedOf(Wide(random() >> random() % 64), width));
    return values;
  }
  void compare(Operation *op, std::optional<Wide> expected, ArrayRef<Attribute> operands,
               unsigned width, const char *name) {
    std::optional<int64_t> folded = foldInteger(op, operands);
    ASSERT_EQ(folded.has_value(), expected.has_value()) << name << " in i" << width;
    if (!expected)
      return;
    ASSERT_EQ(Wide(*folded), signedOf(*expected, width)) << name << " in i" << width;
  }
};

TEST_F(LanewiseInteger, BinaryFunctionsFoldToTheirValue) {
  for (unsigned width : {1, 8, 16, 32, 64})
    for (const auto &[name, reference] : kBinary) {
      Operation *op =
          make("scalar." + std::string(name), {integer(width), integer(width)}, integer(width));
      for (Wide a : samples(width))
        for (Wide b : samples(width))
          compare(op, reference(a, b, width), {number(width, a), number(width, b)}, width, name);
    }
}

TEST_F(LanewiseInteger, UnaryFunctionsFoldToTheirValue) {
  for (unsigned width : {1, 8, 16, 32, 64})
    for (const auto &[name, reference] : kUnary) {
      Operation *op = make("scalar." + std::string(name), {integer(width)}, integer(width));
      for (Wide a : samples(width))
        compare(op, reference(a, width), {number(width, a)}, width, name);
    }
}

TEST_F(LanewiseInteger, BrokenPromisesDoNotFold) {
  constexpr unsigned width = 8;
  auto fits = [](Wide value) { return value == signedOf(value, width); };
  auto fitsUnsigned = [](Wide value) { return value == unsignedOf(value, width); };
  for (bool isSigned : {false, true}) {
    NamedAttribute flag = builder().getNamedAttr(
        "overflow",
        OverflowFlagsAttr::get(&context, isSigned ? OverflowFlags::nsw : OverflowFlags::nuw));
    for (StringRef name : {"addi", "subi", "muli"}) {
      Operation *op =
          make(("scalar." + name).str(), {integer(width), integer(width)}, integer(width), flag);
      for (Wide a : samples(width))
        for (Wide b : samples(width)) {
          Wide x = isSigned ? a : unsignedOf(a, width), y = isSigned ? b : unsignedOf(b, width);
          Wide result = name == "addi" ? x + y : name == "subi" ? x - y : x * y;
          bool holds = isSigned ? fits(result) : fitsUnsigned(result);
          compare(op, holds ? std::optional(result) : std::nullopt,
                  {number(width, a), number(width, b)}, width, name.data());
        }
    }
    Operation *shift = make("scalar.shli", {integer(width), integer(width)}, integer(width), flag);
    for (Wide a : samples(width))
      for (Wide amount = 0; amount < width; ++amount) {
        Wide result = (isSigned ? a : unsignedOf(a, width)) << unsigned(amount);
        bool holds = isSigned ? fits(result) : fitsUnsigned(result);
        compare(shift, holds ? std::optional(result) : std::nullopt,
                {number(width, a), number(width, amount)}, width, "shli");
      }
  }
}

TEST_F(LanewiseInteger, MultiplyAddPromisesItsFinalResultOnly) {
  constexpr unsigned width = 8;
  Type i8 = integer(width);
  NamedAttribute flag =
      builder().getNamedAttr("overflow", OverflowFlagsAttr::get(&context, OverflowFlags::nsw));
  Operation *plain = make("scalar.fmai", {i8, i8, i8}, i8);
  Operation *promised = make("scalar.fmai", {i8, i8, i8}, i8, flag);
  for (Wide a : samples(width))
    for (Wide b : samples(width))
      for (Wide c : {-128, -100, -1, 0, 3, 127}) {
        Wide result = a * b + c;
        Attribute operands[] = {number(width, a), number(width, b), number(width, c)};
        compare(plain, result, operands, width, "fmai");
        compare(promised, result == signedOf(result, width) ? std::optional(result) : std::nullopt,
                operands, width, "fmai<nsw>");
      }
}

TEST_F(LanewiseInteger, ComparisonsFold) {
  const std::pair<IntPredicate, std::function<bool(Wide, Wide)>> signedOrder[] = {
      {IntPredicate::eq, std::equal_to<Wide>()}, {IntPredicate::ne, std::not_equal_to<Wide>()},
      {IntPredicate::slt, std::less<Wide>()},    {IntPredicate::sle, std::less_equal<Wide>()},
      {IntPredicate::sgt, std::greater<Wide>()}, {IntPredicate::sge, std::greater_equal<Wide>()},
      {IntPredicate::ult, std::less<Wide>()},    {IntPredicate::ule, std::less_equal<Wide>()},
      {IntPredicate::ugt, std::greater<Wide>()}, {IntPredicate::uge, std::greater_equal<Wide>()},
  };
  for (const auto &[predicate, reference] : signedOrder) {
    Operation *op =
        make("scalar.cmpi", {integer(8), integer(8)}, integer(1),
             builder().getNamedAttr("predicate", IntPredicateAttr::get(&context, predicate)));
    bool isUnsigned = predicate >= IntPredicate::ult;
    for (Wide a : samples(8))
      for (Wide b : samples(8)) {
        bool expected =
            isUnsigned ? reference(unsignedOf(a, 8), unsignedOf(b, 8)) : reference(a, b);
        ASSERT_EQ(foldInteger(op, {number(8, a), number(8, b)}), expected ? -1 : 0);
      }
  }
}

TEST_F(LanewiseInteger, WidthsChangeBySignByZerosAndByLowBits) {
  Operation *extsi = make("scalar.extsi", {integer(8)}, integer(32));
  Operation *extui = make("scalar.extui", {integer(8)}, integer(32));
  Operation *bit = make("scalar.extsi", {integer(1)}, integer(8));
  Operation *trunci = make("scalar.trunci", {integer(32)}, integer(8));
  for (Wide a : samples(8)) {
    ASSERT_EQ(foldInteger(extsi, {number(8, a)}), int64_t(a));
    ASSERT_EQ(foldInteger(extui, {number(8, a)}), int64_t(unsignedOf(a, 8)));
    ASSERT_EQ(foldInteger(trunci, {number(32, a * 259 + 7)}), int64_t(signedOf(a * 259 + 7, 8)));
  }
  EXPECT_EQ(foldInteger(bit, {number(1, 1)}), -1);
}

TEST_F(LanewiseInteger, FieldsOfBitsFold) {
  for (bool isSigned : {false, true})
    for (int64_t width = 1; width <= 8; ++width)
      for (int64_t offset = 0; offset + width <= 8; ++offset) {
        Operation *op = make(isSigned ? "scalar.bitfield.extracts" : "scalar.bitfield.extractu",
                             {integer(8)}, integer(16),
                             {builder().getNamedAttr("offset", builder().getI64IntegerAttr(offset)),
                              builder().getNamedAttr("width", builder().getI64IntegerAttr(width))});
        for (Wide a : samples(8)) {
          Wide field = unsignedOf(a, 8) >> offset;
          Wide expected = isSigned ? signedOf(field, width) : unsignedOf(field, width);
          ASSERT_EQ(foldInteger(op, {number(8, a)}), int64_t(expected));
        }
      }
}

/// Operands that decide alone, or change nothing: whatever the other one is.
TEST_F(LanewiseInteger, IdentitiesAgreeWithTheFunction) {
  for (unsigned width : {1, 8})
    for (const auto &[name, reference] : kBinary) {
      Type type = integer(width);
      Operation *op = make("scalar." + std::string(name), {type, type}, type);
      Operation *same = make("scalar." + std::string(name), {type, type}, type);
      same->setOperand(1, same->getOperand(0));
      auto check = [&](Operation *of, OpFoldResult folded, Wide a, Wide b) {
        std::optional<Wide> expected = reference(a, b, width);
        if (!expected)
          return; // any result will do
        Attribute constant = llvm::dyn_cast<Attribute>(folded);
        Wide got = constant ? Wide(cast<IntegerAttr>(constant).getValue().getSExtValue())
                   : llvm::cast<Value>(folded) == of->getOperand(0) ? a
                                                                    : b;
        ASSERT_EQ(got, signedOf(*expected, width)) << name << " in i" << width;
      };
      for (Wide b : samples(width)) {
        SmallVector<OpFoldResult> results;
        if (succeeded(op->fold({Attribute(), number(width, b)}, results)) && results.size() == 1)
          for (Wide a : samples(width))
            check(op, results[0], a, b);
      }
      SmallVector<OpFoldResult> results;
      if (succeeded(same->fold({Attribute(), Attribute()}, results)) && results.size() == 1)
        for (Wide a : samples(width))
          check(same, results[0], a, a);
    }
}

/// The literal of a vector constant stands for every lane.
TEST_F(LanewiseInteger, VectorsFoldAsTheirLanes) {
  Type lanes = loom::VectorType::get(&context, {4}, integer(8));
  for (const auto &[name, reference] : kBinary) {
    Operation *op = make("vector." + std::string(name), {lanes, lanes}, lanes);
    for (Wide a : {-128, -7, 0, 1, 5, 127})
      for (Wide b : {-128, -1, 0, 3, 7, 8})
        compare(op, reference(a, b, 8), {number(8, a), number(8, b)}, 8, name);
  }
}

} // namespace
