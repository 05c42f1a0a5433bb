//===- ScalarTest.cpp - Types and exact bits of values --------------------===//
#include "loom/Runtime/Scalar.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace loom::runtime;

namespace {

uint64_t floatBits(ElementType type, double value) {
  return Scalar::fromDouble(type, value).bits();
}

TEST(Scalar, DescribesEveryType) {
  struct Row {
    ElementType type;
    const char *spelling;
    unsigned bits, bytes;
    bool isFloat;
  };
  const Row rows[] = {
      {ElementType::I1, "i1", 1, 1, false},          {ElementType::I8, "i8", 8, 1, false},
      {ElementType::I16, "i16", 16, 2, false},       {ElementType::I32, "i32", 32, 4, false},
      {ElementType::I64, "i64", 64, 8, false},       {ElementType::Index, "index", 64, 8, false},
      {ElementType::Offset, "offset", 64, 8, false}, {ElementType::F16, "f16", 16, 2, true},
      {ElementType::BF16, "bf16", 16, 2, true},      {ElementType::F32, "f32", 32, 4, true},
      {ElementType::F64, "f64", 64, 8, true}};
  for (const Row &row : rows) {
    EXPECT_EQ(stringifyElementType(row.type), row.spelling);
    EXPECT_EQ(elementBits(row.type), row.bits) << row.spelling;
    EXPECT_EQ(elementBytes(row.type), row.bytes) << row.spelling;
    EXPECT_EQ(isFloat(row.type), row.isFloat) << row.spelling;
  }
}

TEST(Scalar, RoundsToHalfPrecision) {
  EXPECT_EQ(floatBits(ElementType::F16, 1.0), 0x3c00u);
  EXPECT_EQ(floatBits(ElementType::F16, -2.0), 0xc000u);
  // 65504 is the largest; 65520 lies half way to the next step and rounds to infinity.
  EXPECT_EQ(floatBits(ElementType::F16, 65504.0), 0x7bffu);
  EXPECT_EQ(floatBits(ElementType::F16, 65519.0), 0x7bffu);
  EXPECT_EQ(floatBits(ElementType::F16, 65520.0), 0x7c00u);
  // Ties go to the even neighbour.
  EXPECT_EQ(floatBits(ElementType::F16, 1.0 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(floatBits(ElementType::F16, 1.0 + 3 * 0x1p-11), 0x3c02u);
  // Subnormals down to 2^-24, and half of it to zero.
  EXPECT_EQ(floatBits(ElementType::F16, 0x1p-24), 0x0001u);
  EXPECT_EQ(floatBits(ElementType::F16, 0x1p-25), 0x0000u);
  EXPECT_EQ(floatBits(ElementType::F16, -0.0), 0x8000u);
}

TEST(Scalar, RoundsToBFloat) {
  EXPECT_EQ(floatBits(ElementType::BF16, 1.0), 0x3f80u);
  EXPECT_EQ(floatBits(ElementType::BF16, 1.0 + 0x1p-8), 0x3f80u);
  EXPECT_EQ(floatBits(ElementType::BF16, 1.0 + 3 * 0x1p-8), 0x3f82u);
  EXPECT_EQ(floatBits(ElementType::BF16, std::numeric_limits<double>::max()), 0x7f80u);
}

TEST(Scalar, EveryBFloatAndHalfSurvivesTheWayThroughDouble) {
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      double value = Scalar::fromBits(type, bits).toDouble();
      if (std::isnan(value))
        continue;
      ASSERT_EQ(floatBits(type, value), bits);
    }
}

TEST(Scalar, IntegersKeepToTheirRange) {
  struct Row {
    ElementType type;
    WideInteger low, high;
  };
  const Row rows[] = {{ElementType::I1, 0, 1},
                      {ElementType::I8, -128, 127},
                      {ElementType::I16, -32768, 32767},
                      {ElementType::I32, INT32_MIN, INT32_MAX},
                      {ElementType::I64, INT64_MIN, INT64_MAX},
                      {ElementType::Index, INT64_MIN, INT64_MAX},
                      {ElementType::Offset, 0, UINT64_MAX}};
  for (const Row &row : rows) {
    SCOPED_TRACE(stringifyElementType(row.type).str());
    ASSERT_TRUE(Scalar::fromInteger(row.type, row.low));
    ASSERT_TRUE(Scalar::fromInteger(row.type, row.high));
    EXPECT_EQ(Scalar::fromInteger(row.type, row.low)->toInteger(), static_cast<int64_t>(row.low));
    EXPECT_EQ(Scalar::fromInteger(row.type, row.high)->toInteger(), static_cast<int64_t>(row.high));
    EXPECT_FALSE(Scalar::fromInteger(row.type, row.low - 1));
    EXPECT_FALSE(Scalar::fromInteger(row.type, row.high + 1));
  }
}

TEST(Scalar, BitsAboveTheWidthAreDropped) {
  EXPECT_EQ(Scalar::fromBits(ElementType::I8, 0x1ff).bits(), 0xffu);
  EXPECT_EQ(Scalar::fromBits(ElementType::I8, 0x1ff).toInteger(), -1);
  EXPECT_EQ(Scalar::fromBits(ElementType::I1, 3).toInteger(), 1);
  EXPECT_EQ(Scalar::fromInteger(ElementType::I32, -1)->bits(), 0xffffffffu);
}

TEST(Scalar, TextIsShortAndReadsBack) {
  auto text = [](ElementType type, double value) {
    return Scalar::fromDouble(type, value).toText();
  };
  EXPECT_EQ(text(ElementType::F32, 34.0), "34.0");
  EXPECT_EQ(text(ElementType::F32, 0.1), "0.1");
  EXPECT_EQ(text(ElementType::F64, 0.1), "0.1");
  EXPECT_EQ(text(ElementType::F16, 0.1), "0.1");
  EXPECT_EQ(text(ElementType::F64, 0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text(ElementType::F32, -0.0), "-0.0");
  EXPECT_EQ(text(ElementType::F32, 120.0), "120.0");
  EXPECT_EQ(text(ElementType::F32, -2048.0), "-2048.0");
  EXPECT_EQ(text(ElementType::F64, 1234567.5), "1234567.5");
  EXPECT_EQ(text(ElementType::F32, 0.001), "0.001");
  EXPECT_EQ(text(ElementType::F16, 65504.0), "65504.0"); // 65500 reads the same
  EXPECT_EQ(text(ElementType::F32, 1e-7), "1e-07");
  EXPECT_EQ(text(ElementType::F32, 1e30), "1e+30");
  EXPECT_EQ(text(ElementType::F32, INFINITY), "inf");
  EXPECT_EQ(text(ElementType::F16, -INFINITY), "-inf");
  EXPECT_EQ(Scalar::fromBits(ElementType::F32, 0x7fc00000).toText(), "nan");
  EXPECT_EQ(Scalar::fromBits(ElementType::F32, 0xffc00000).toText(), "-nan");
  EXPECT_EQ(Scalar::fromBits(ElementType::Offset, UINT64_MAX).toText(), "18446744073709551615");
  EXPECT_EQ(Scalar::fromBits(ElementType::I1, 1).toText(), "true");
  EXPECT_EQ(Scalar::fromInteger(ElementType::I8, -128)->toText(), "-128");
}

TEST(Scalar, HexShowsTheWholeType) {
  EXPECT_EQ(Scalar::fromDouble(ElementType::F32, 1.5).toHex(), "0x3fc00000");
  EXPECT_EQ(Scalar::fromDouble(ElementType::BF16, 0.0).toHex(), "0x0000");
  EXPECT_EQ(Scalar::fromInteger(ElementType::I64, 1)->toHex(), "0x0000000000000001");
}

TEST(Scalar, NumericEqualityKnowsZerosAndNaN) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    Scalar zero = Scalar::fromDouble(type, 0.0), minusZero = Scalar::fromDouble(type, -0.0);
    Scalar nan = Scalar::fromDouble(type, NAN), one = Scalar::fromDouble(type, 1.0);
    EXPECT_TRUE(numericallyEqual(zero, minusZero));
    EXPECT_NE(zero.bits(), minusZero.bits());
    EXPECT_FALSE(numericallyEqual(nan, nan));
    EXPECT_TRUE(numericallyEqual(one, one));
    EXPECT_FALSE(numericallyEqual(one, zero));
  }
  EXPECT_FALSE(numericallyEqual(*Scalar::fromInteger(ElementType::I64, 1),
                                *Scalar::fromInteger(ElementType::I64, 2)));
}

} // namespace
