//===- CompareTest.cpp - Expectations on values ---------------------------===//
#include "loom/Runtime/Compare.h"
#include "loom/Runtime/Random.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace loom::runtime;

namespace {

using Kind = Agreement::Kind;

Tensor make(ElementType type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(Tensor::create(type, shape));
}

constexpr ElementType kTypes[] = {ElementType::I8,     ElementType::I16,    ElementType::I32,
                                  ElementType::I64,    ElementType::Index,  ElementType::Offset,
                                  ElementType::F8E4M3, ElementType::F8E5M2, ElementType::F16,
                                  ElementType::BF16,   ElementType::F32,    ElementType::F64};

Agreement of(Kind kind) {
  Agreement agreement;
  agreement.kind = kind;
  return agreement;
}

TEST(Compare, ReportsTheFirstMismatchAndCountsAll) {
  Tensor a = make(ElementType::I16, {4}), b = make(ElementType::I16, {4});
  EXPECT_FALSE(compare(a, b, of(Kind::Numeric)));
  b.set(1, *Scalar::fromInteger(ElementType::I16, -7));
  b.set(3, *Scalar::fromInteger(ElementType::I16, 9));
  std::optional<Mismatch> mismatch = compare(a, b, of(Kind::Numeric));
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->count, 2u);
  EXPECT_EQ(mismatch->total, 4u);
  EXPECT_EQ(mismatch->flat, 1u);
  EXPECT_EQ(mismatch->actual.toInteger(), 0);
  EXPECT_EQ(mismatch->expected.toInteger(), -7);
}

/// Whether elements agree, asked in a tensor between equal ones and as scalars.
bool agree(ElementType type, uint64_t actual, uint64_t expected, const Agreement &agreement) {
  Scalar x = Scalar::fromBits(type, actual), y = Scalar::fromBits(type, expected);
  Tensor a = make(type, {3}), e = make(type, {3});
  a.set(1, x);
  e.set(1, y);
  std::optional<Mismatch> mismatch = compare(a, e, agreement), alone = compare(x, y, agreement);
  EXPECT_EQ(mismatch.has_value(), alone.has_value());
  if (mismatch) {
    EXPECT_EQ(mismatch->flat, 1u);
    EXPECT_EQ(mismatch->count, 1u);
  }
  return !alone;
}

bool agree(ElementType type, double actual, double expected, const Agreement &agreement) {
  return agree(type, Scalar::fromDouble(type, actual).bits(),
               Scalar::fromDouble(type, expected).bits(), agreement);
}

TEST(Compare, FloatsByNumberOrByBits) {
  for (ElementType type : kTypes) {
    if (!isFloat(type))
      continue;
    EXPECT_TRUE(agree(type, -0.0, 0.0, of(Kind::Numeric)));
    EXPECT_FALSE(agree(type, -0.0, 0.0, of(Kind::Bitwise)));
    EXPECT_FALSE(agree(type, NAN, NAN, of(Kind::Numeric)));
    EXPECT_TRUE(agree(type, NAN, NAN, of(Kind::Bitwise)));
    EXPECT_FALSE(agree(type, 1.0, 1.25, of(Kind::Numeric)));
    EXPECT_FALSE(agree(type, 1.0, -1.0, of(Kind::Numeric)));
    EXPECT_TRUE(agree(type, INFINITY, INFINITY, of(Kind::Numeric))); // 448 for f8E4M3
  }
  // NaNs with other bits.
  EXPECT_FALSE(
      agree(ElementType::F32, uint64_t(0x7fc00000), uint64_t(0x7fc00001), of(Kind::Bitwise)));
  EXPECT_FALSE(agree(ElementType::F16, uint64_t(0x7e00), uint64_t(0xfe00), of(Kind::Bitwise)));
}

// The loops over blocks against the definition, with mismatches anywhere.
TEST(Compare, FindsEveryMismatchOfLargeTensors) {
  Xoroshiro128 random(5);
  for (ElementType type : kTypes)
    for (int64_t count : {1, 1023, 1024, 1025, 5000}) {
      Tensor a = make(type, {count}), e = make(type, {count});
      uint64_t wanted = random.next() % 4, first = count;
      std::vector<bool> isSet(count);
      uint64_t set = 0;
      for (uint64_t i = 0; i < wanted; ++i) {
        uint64_t at = random.next() % count;
        if (isSet[at])
          continue;
        isSet[at] = true;
        ++set;
        first = std::min(first, at);
        e.set(at, Scalar::fromBits(type, 1));
      }
      for (Kind kind : {Kind::Numeric, Kind::Bitwise}) {
        std::optional<Mismatch> mismatch = compare(a, e, of(kind));
        ASSERT_EQ(mismatch.has_value(), set != 0);
        if (!mismatch)
          continue;
        EXPECT_EQ(mismatch->count, set);
        EXPECT_EQ(mismatch->flat, first);
        EXPECT_EQ(mismatch->expected.bits(), 1u);
      }
    }
}

Agreement close(double absolute, double relative, bool nansAgree = false) {
  Agreement agreement = of(Kind::Close);
  agreement.absolute = absolute;
  agreement.relative = relative;
  agreement.nansAgree = nansAgree;
  return agreement;
}

TEST(Compare, CloseIsRelativeToTheExpectedValue) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    EXPECT_TRUE(agree(type, 1.125, 1.0, close(0.125, 0)));
    EXPECT_FALSE(agree(type, 1.125, 1.0, close(0.124, 0)));
    EXPECT_TRUE(agree(type, 1.125, 1.0, close(0, 0.125)));
    EXPECT_FALSE(agree(type, 1.125, 1.0, close(0, 0.12)));
    EXPECT_TRUE(agree(type, 1.0, 1.125, close(0, 0.12)));
    EXPECT_TRUE(agree(type, -2.0, -1.0, close(0.5, 0.5)));
    EXPECT_FALSE(agree(type, 1.0, -1.0, close(0.5, 1.0)));
    EXPECT_FALSE(agree(type, NAN, NAN, close(1, 1)));
    EXPECT_TRUE(agree(type, NAN, NAN, close(0, 0, true)));
    EXPECT_FALSE(agree(type, NAN, 1.0, close(INFINITY, 1, true)));
    EXPECT_FALSE(agree(type, 1.0, NAN, close(1, 1, true)));
    EXPECT_FALSE(agree(type, INFINITY, INFINITY, close(1, 1, true)));
    EXPECT_FALSE(agree(type, INFINITY, 1.0, close(1, 1)));
  }
}

TEST(Compare, UlpCountsNumbersOfTheFormat) {
  Agreement two = of(Kind::Ulp);
  two.maxUlp = 2;
  for (ElementType type : kTypes) {
    if (!isFloat(type))
      continue;
    uint64_t one = Scalar::fromDouble(type, 1.0).bits();
    uint64_t minus = uint64_t(1) << (elementBits(type) - 1);
    EXPECT_TRUE(agree(type, one, one + 2, two));
    EXPECT_FALSE(agree(type, one, one + 3, two));
    EXPECT_TRUE(agree(type, uint64_t(0), minus, two));
    EXPECT_TRUE(agree(type, uint64_t(1), minus + 1, two)); // across zero
    EXPECT_FALSE(agree(type, uint64_t(1), minus + 2, two));
    EXPECT_FALSE(agree(type, NAN, NAN, two));
    Agreement same = two;
    same.nansAgree = true;
    EXPECT_TRUE(agree(type, NAN, NAN, same));
    EXPECT_FALSE(agree(type, NAN, 1.0, same));
    EXPECT_EQ(ulpDistance(Scalar::fromBits(type, one), Scalar::fromBits(type, one + 7)), 7u);
    EXPECT_EQ(ulpDistance(Scalar::fromBits(type, minus + 3), Scalar::fromBits(type, 4)), 7u);
    EXPECT_FALSE(ulpDistance(Scalar::fromDouble(type, NAN), Scalar::fromBits(type, one)));
  }
}

} // namespace
