//===- ElementsTest.cpp - Conversions of narrow floats --------------------===//
//
// The reference is LLVM's APFloat, which shares nothing with the conversions under test.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Elements.h"
#include "loom/Runtime/Random.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace loom::runtime;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct Format {
  ElementType type;
  const llvm::fltSemantics &semantics;
};
const Format kFormats[] = {{ElementType::F8E4M3, APFloat::Float8E4M3FN()},
                           {ElementType::F8E5M2, APFloat::Float8E5M2()},
                           {ElementType::F16, APFloat::IEEEhalf()},
                           {ElementType::BF16, APFloat::BFloat()},
                           {ElementType::F32, APFloat::IEEEsingle()}};

/// The bits that `value` has in the format; larger numbers than f8E4M3 has become its largest.
uint64_t reference(const Format &format, double value) {
  APFloat number(value);
  bool lossy;
  number.convert(format.semantics, APFloat::rmNearestTiesToEven, &lossy);
  if (number.isNaN() && !std::isnan(value))
    number = APFloat::getLargest(format.semantics, std::signbit(value));
  return number.bitcastToAPInt().getZExtValue();
}

TEST(Elements, LoadsEveryPatternOfNarrowFormats) {
  for (const Format &format : kFormats) {
    unsigned bits = elementBits(format.type);
    if (bits > 16)
      continue;
    for (uint64_t pattern = 0; pattern < uint64_t(1) << bits; ++pattern) {
      APFloat number(format.semantics, APInt(bits, pattern));
      bool lossy;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      double value = Scalar::fromBits(format.type, pattern).toDouble();
      ASSERT_EQ(bitCast<uint64_t>(value), number.bitcastToAPInt().getZExtValue())
          << stringifyElementType(format.type).str() << ' ' << pattern;
    }
  }
}

TEST(Elements, StoresEveryNumberAndWhatLiesBetweenTwo) {
  for (const Format &format : kFormats) {
    unsigned bits = elementBits(format.type);
    uint64_t step = bits > 16 ? 4093 : 1;
    for (uint64_t pattern = 0; pattern < uint64_t(1) << bits; pattern += step) {
      double value = Scalar::fromBits(format.type, pattern).toDouble();
      double next = Scalar::fromBits(format.type, pattern + 1).toDouble();
      double middle = value + (next - value) / 2; // a tie
      for (double number : {value, middle, std::nextafter(middle, value),
                            std::nextafter(middle, next), std::nextafter(value, next)})
        ASSERT_EQ(Scalar::fromDouble(format.type, number).bits(), reference(format, number))
            << stringifyElementType(format.type).str() << ' ' << number;
    }
  }
}

TEST(Elements, StoresDoublesOfEveryKind) {
  Xoroshiro128 random(3);
  for (const Format &format : kFormats) {
    for (double number : {0.0, 1e308, 4.9e-324, double(INFINITY), 448.0, 464.0, 464.1, 480.0,
                          57344.0, 61440.0, 65504.0, 65520.0, 3.4e38, 3.5e38})
      for (double signedNumber : {number, -number})
        EXPECT_EQ(Scalar::fromDouble(format.type, signedNumber).bits(),
                  reference(format, signedNumber))
            << stringifyElementType(format.type).str() << ' ' << signedNumber;
    for (unsigned i = 0; i < 100000; ++i) {
      double number = bitCast<double>(random.next());
      ASSERT_EQ(Scalar::fromDouble(format.type, number).bits(), reference(format, number))
          << stringifyElementType(format.type).str() << ' ' << number;
    }
  }
}

} // namespace
