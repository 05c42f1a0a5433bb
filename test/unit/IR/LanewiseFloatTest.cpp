// Folds of float functions against the arithmetic of the host, and against tables of all values of
// the small formats.
#include "FoldFixture.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

template <typename To, typename From> To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &value, sizeof(To));
  return to;
}

/// A format of 8 or 16 bits, decoded from its definition: `exponentBits` and `mantissaBits` behind
/// the sign. Without infinities, the code of all ones alone is a NaN.
struct SmallFormat {
  unsigned exponentBits, mantissaBits;
  bool hasInfinity;

  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  unsigned codes() const { return 1u << width(); }

  double decode(unsigned code) const {
    unsigned mantissa = code & ((1u << mantissaBits) - 1);
    unsigned exponent = code >> mantissaBits & ((1u << exponentBits) - 1);
    int bias = (1 << (exponentBits - 1)) - 1;
    unsigned highest = (1u << exponentBits) - 1;
    double value;
    if (hasInfinity && exponent == highest)
      value = mantissa ? NAN : INFINITY;
    else if (!hasInfinity && exponent == highest && mantissa == (1u << mantissaBits) - 1)
      value = NAN;
    else if (exponent == 0)
      value = std::ldexp(mantissa, 1 - bias - int(mantissaBits));
    else
      value = std::ldexp(mantissa + (1u << mantissaBits), int(exponent) - bias - int(mantissaBits));
    return code >> (exponentBits + mantissaBits) ? -value : value;
  }

  /// The code of the nearest number, of two equally near ones the even code; `value` is no NaN.
  unsigned encode(double value) {
    if (magnitudes.empty())
      for (unsigned code = 0; code < codes() / 2; ++code)
        if (std::isfinite(decode(code)))
          magnitudes[decode(code)] = code;
    unsigned sign = std::signbit(value) ? codes() / 2 : 0;
    double magnitude = std::fabs(value), largest = magnitudes.rbegin()->first;
    unsigned last = magnitudes.rbegin()->second;
    // Half a step beyond the largest number begins the overflow.
    double step = largest - std::prev(magnitudes.end(), 2)->first;
    if (magnitude >= largest + step / 2 || (magnitude > largest && !hasInfinity))
      return sign | (hasInfinity ? last + 1 : last);
    auto above = magnitudes.lower_bound(magnitude);
    if (above == magnitudes.end())
      return sign | last;
    if (above->first == magnitude || above == magnitudes.begin())
      return sign | above->second;
    auto below = std::prev(above);
    double down = magnitude - below->first, up = above->first - magnitude;
    bool takesAbove = up < down || (up == down && above->second % 2 == 0);
    return sign | (takesAbove ? above : below)->second;
  }

  std::map<double, unsigned> magnitudes;
};

class LanewiseFloat : public ::testing::Test, protected FoldFixture {
protected:
  Type f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
  Type f16 = Float16Type::get(&context), bf16 = BFloat16Type::get(&context);
  Type e4m3 = Float8E4M3FNType::get(&context), e5m2 = Float8E5M2Type::get(&context);

  std::vector<std::pair<Type, SmallFormat>> smallFormats() {
    return {{e4m3, {4, 3, false, {}}},
            {e5m2, {5, 2, true, {}}},
            {f16, {5, 10, true, {}}},
            {bf16, {8, 7, true, {}}}};
  }

  Attribute single(float value) { return floatOf(f32, bitsOf<uint32_t>(value)); }
  Attribute wide(double value) { return floatOf(f64, bitsOf<uint64_t>(value)); }

  static std::vector<float> singles() {
    std::vector<float> values = {0.0f,      -0.0f,   1.0f,      -1.0f,       0.5f,      -0.5f,
                                 1.5f,      2.5f,    -2.5f,     0.49999997f, 3.4e38f,   -3.4e38f,
                                 1e-45f,    -1e-45f, 1.18e-38f, INFINITY,    -INFINITY, NAN,
                                 8388609.f, 1e30f,   0.1f,      16777216.f};
    std::mt19937 random(7);
    while (values.size() < 150)
      values.push_back(bitsOf<float>(uint32_t(random())));
    return values;
  }

  /// The fold of `op` is the value, bit by bit, and nothing when that is a NaN.
  void expectSingle(Operation *op, ArrayRef<Attribute> operands, float expected, const char *name) {
    std::optional<uint64_t> bits = foldFloat(op, operands);
    if (std::isnan(expected))
      ASSERT_FALSE(bits) << name;
    else
      ASSERT_EQ(bits, uint64_t(bitsOf<uint32_t>(expected))) << name;
  }
};

float smaller(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
float larger(float a, float b) { return -smaller(-a, -b); }

const std::pair<const char *, std::function<float(float, float)>> kBinary[] = {
    {"addf", [](float a, float b) { return a + b; }},
    {"subf", [](float a, float b) { return a - b; }},
    {"mulf", [](float a, float b) { return a * b; }},
    {"divf", [](float a, float b) { return a / b; }},
    {"remf", [](float a, float b) { return std::fmod(a, b); }},
    {"minimumf", smaller},
    {"maximumf", larger},
};

TEST_F(LanewiseFloat, BinaryFunctionsFoldToTheirValue) {
  for (const auto &[name, reference] : kBinary) {
    Operation *op = make("scalar." + std::string(name), {f32, f32}, f32);
    for (float a : singles())
      for (float b : singles())
        expectSingle(op, {single(a), single(b)}, reference(a, b), name);
  }
}

TEST_F(LanewiseFloat, NumbersBeatNaNs) {
  Operation *minnum = make("scalar.minnumf", {f32, f32}, f32);
  Operation *maxnum = make("scalar.maxnumf", {f32, f32}, f32);
  for (float a : singles())
    for (float b : singles()) {
      // The sign of zero is left open.
      bool open = a == 0 && b == 0 && std::signbit(a) != std::signbit(b);
      float least = std::isnan(a) ? b : std::isnan(b) ? a : smaller(a, b);
      float most = std::isnan(a) ? b : std::isnan(b) ? a : larger(a, b);
      expectSingle(minnum, {single(a), single(b)}, open ? NAN : least, "minnumf");
      expectSingle(maxnum, {single(a), single(b)}, open ? NAN : most, "maxnumf");
    }
}

TEST_F(LanewiseFloat, DoublesAndFusedProducts) {
  Operation *fma = make("scalar.fmaf", {f32, f32, f32}, f32);
  Operation *wideFma = make("scalar.fmaf", {f64, f64, f64}, f64);
  Operation *product = make("scalar.mulf", {f64, f64}, f64);
  std::mt19937_64 random(11);
  for (float a : singles())
    for (float b : singles()) {
      float c = bitsOf<float>(uint32_t(random()));
      expectSingle(fma, {single(a), single(b), single(c)}, std::fma(a, b, c), "fmaf");
      double x = bitsOf<double>(uint64_t(random())), y = b, z = a;
      for (auto [folded, expected] :
           {std::pair(foldFloat(wideFma, {wide(x), wide(y), wide(z)}), std::fma(x, y, z)),
            std::pair(foldFloat(product, {wide(x), wide(y)}), x * y)}) {
        if (std::isnan(expected))
          ASSERT_FALSE(folded);
        else
          ASSERT_EQ(folded, bitsOf<uint64_t>(expected));
      }
    }
}

TEST_F(LanewiseFloat, UnaryFunctionsFoldToTheirValue) {
  const std::pair<const char *, std::function<float(float)>> functions[] = {
      {"ceilf", [](float a) { return std::ceil(a); }},
      {"floorf", [](float a) { return std::floor(a); }},
      {"truncf", [](float a) { return std::trunc(a); }},
      {"roundf", [](float a) { return std::round(a); }},
      {"roundevenf", [](float a) { return std::nearbyint(a); }},
      {"signf", [](float a) { return a > 0   ? 1.0f
                                     : a < 0 ? -1.0f
                                             : 0.0f; }},
  };
  for (const auto &[name, reference] : functions) {
    Operation *op = make("scalar." + std::string(name), {f32}, f32);
    for (float a : singles()) {
      bool open = name == std::string("signf") && a == 0 && std::signbit(a);
      expectSingle(op, {single(a)}, open ? NAN : reference(a), name);
    }
  }
}

TEST_F(LanewiseFloat, SignsAreBitsOfNaNsToo) {
  Operation *neg = make("scalar.negf", {f32}, f32), *abs = make("scalar.absf", {f32}, f32);
  Operation *copy = make("scalar.copysignf", {f32, f32}, f32);
  for (uint32_t bits :
       {0u, 0x80000000u, 0x3f800000u, 0x7f800000u, 0x7fc00000u, 0xffc00123u, 0x7f800001u}) {
    EXPECT_EQ(foldFloat(neg, {floatOf(f32, bits)}), uint64_t(bits ^ 0x80000000u));
    EXPECT_EQ(foldFloat(abs, {floatOf(f32, bits)}), uint64_t(bits & 0x7fffffffu));
    EXPECT_EQ(foldFloat(copy, {floatOf(f32, bits), single(-2.0f)}), uint64_t(bits | 0x80000000u));
  }
}

TEST_F(LanewiseFloat, ClampsFollowTheirMode) {
  auto clamp = [&](ClampMode mode) {
    return make("scalar.clampf", {f32, f32, f32}, f32,
                builder().getNamedAttr("mode", ClampModeAttr::get(&context, mode)));
  };
  Operation *ordered = clamp(ClampMode::ordered), *number = clamp(ClampMode::number);
  Operation *ieee = clamp(ClampMode::ieee);
  auto folds = [&](Operation *op, float v, float low, float high, float expected) {
    expectSingle(op, {single(v), single(low), single(high)}, expected, "clampf");
  };
  for (Operation *op : {ordered, number, ieee}) {
    folds(op, 5, 0, 4, 4);
    folds(op, -5, 0, 4, 0);
    folds(op, 2, 0, 4, 2);
    folds(op, 2, 4, 0, 0); // first the lower bound, then the upper one
  }
  folds(ordered, NAN, 0, 4, NAN);
  folds(ordered, 7, NAN, 4, 4);
  folds(ordered, 7, 0, NAN, 7);
  folds(ordered, -0.0f, 0.0f, 4, -0.0f);
  folds(number, NAN, 0, 4, 0);
  folds(number, 7, NAN, NAN, 7);
  folds(ieee, NAN, 0, 4, NAN);
  folds(ieee, 7, NAN, 4, NAN);
  folds(ieee, -0.0f, 0.0f, 4, 0.0f);
}

/// All pairs of the 8-bit formats: computed in f32, then rounded; f8E4M3 saturates.
TEST_F(LanewiseFloat, SmallFormatsRoundTheResultOfF32) {
  for (auto &[type, format] : smallFormats()) {
    if (format.width() > 8)
      continue;
    for (const auto &[name, reference] : kBinary) {
      Operation *op = make("scalar." + std::string(name), {type, type}, type);
      for (unsigned a = 0; a < 256; ++a)
        for (unsigned b = 0; b < 256; ++b) {
          float result = reference(float(format.decode(a)), float(format.decode(b)));
          std::optional<uint64_t> folded = foldFloat(op, {floatOf(type, a), floatOf(type, b)});
          if (std::isnan(result))
            ASSERT_FALSE(folded) << name;
          else
            ASSERT_EQ(folded, uint64_t(format.encode(result))) << name << ' ' << a << ' ' << b;
        }
    }
  }
}

TEST_F(LanewiseFloat, EveryValueWidensExactly) {
  for (auto &[type, format] : smallFormats()) {
    Operation *op = make("scalar.extf", {type}, f64);
    for (unsigned code = 0; code < format.codes(); ++code) {
      double value = format.decode(code);
      std::optional<uint64_t> folded = foldFloat(op, {floatOf(type, code)});
      if (std::isnan(value))
        ASSERT_FALSE(folded);
      else
        ASSERT_EQ(folded, bitsOf<uint64_t>(value)) << code;
    }
  }
}

TEST_F(LanewiseFloat, NarrowingRoundsOnce) {
  std::mt19937_64 random(3);
  for (auto &[type, format] : smallFormats()) {
    Operation *op = make("scalar.fptrunc", {f64}, type);
    auto check = [&](double value) {
      if (std::isnan(value))
        return;
      ASSERT_EQ(foldFloat(op, {wide(value)}), uint64_t(format.encode(value))) << value;
    };
    for (unsigned i = 0; i < 3000; ++i) {
      // Near a number of the format, near the middle of two, and anywhere.
      double near = format.decode(random() % format.codes());
      double next = format.decode((random() % format.codes()) | 1);
      check(near);
      check(std::nextafter(near, INFINITY));
      check((near + next) / 2);
      check(bitsOf<double>(uint64_t(random())));
    }
    check(INFINITY);
    check(-INFINITY);
  }
  Operation *saturating = make("scalar.fptrunc", {f32}, e4m3);
  for (float value : {448.0f, 464.0f, 480.0f, 1e30f, INFINITY}) {
    EXPECT_EQ(foldFloat(saturating, {single(value)}), 0x7eu);
    EXPECT_EQ(foldFloat(saturating, {single(-value)}), 0xfeu);
  }
  EXPECT_FALSE(foldFloat(saturating, {single(NAN)}));
}

TEST_F(LanewiseFloat, IntegersConvertBothWays) {
  Operation *fromSigned = make("scalar.sitofp", {integer(64)}, f32);
  Operation *fromUnsigned = make("scalar.uitofp", {integer(64)}, f32);
  Operation *toSigned = make("scalar.fptosi", {f32}, integer(8));
  Operation *toUnsigned = make("scalar.fptoui", {f32}, integer(8));
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    int64_t value = int64_t(random() >> random() % 64);
    Attribute attr = IntegerAttr::get(integer(64), value);
    ASSERT_EQ(foldFloat(fromSigned, {attr}), uint64_t(bitsOf<uint32_t>(float(value))));
    ASSERT_EQ(foldFloat(fromUnsigned, {attr}), uint64_t(bitsOf<uint32_t>(float(uint64_t(value)))));
  }
  for (float value = -300; value < 300; value += 0.25f) {
    float whole = std::trunc(value);
    std::optional<int64_t> asSigned, asUnsigned;
    if (whole >= -128 && whole <= 127)
      asSigned = int64_t(whole);
    if (whole >= 0 && whole <= 255)
      asUnsigned = int64_t(int8_t(uint8_t(whole)));
    ASSERT_EQ(foldInteger(toSigned, {single(value)}), asSigned) << value;
    ASSERT_EQ(foldInteger(toUnsigned, {single(value)}), asUnsigned) << value;
  }
  for (float value : {NAN, INFINITY, -INFINITY, 1e30f}) {
    EXPECT_FALSE(foldInteger(toSigned, {single(value)}));
    EXPECT_FALSE(foldInteger(toUnsigned, {single(value)}));
  }
  // Beyond the format, targets differ.
  Operation *overflow = make("scalar.uitofp", {integer(32)}, e4m3);
  EXPECT_FALSE(foldFloat(overflow, {IntegerAttr::get(integer(32), 1000)}));
}

TEST_F(LanewiseFloat, BitsKeepTheirType) {
  Operation *toInt = make("scalar.bitcast", {f32}, integer(32));
  Operation *toFloat = make("scalar.bitcast", {integer(16)}, bf16);
  EXPECT_EQ(foldInteger(toInt, {floatOf(f32, 0x7f800001)}), 0x7f800001);
  EXPECT_EQ(foldFloat(toFloat, {IntegerAttr::get(integer(16), 0x3f80)}), 0x3f80u);
}

TEST_F(LanewiseFloat, ComparisonsAndQuestionsFold) {
  using P = FloatPredicate;
  auto truth = [](P p, float a, float b) {
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (p) {
    case P::oeq:
      return a == b;
    case P::ogt:
      return a > b;
    case P::oge:
      return a >= b;
    case P::olt:
      return a < b;
    case P::ole:
      return a <= b;
    case P::one:
      return a < b || a > b;
    case P::ord:
      return !unordered;
    case P::ueq:
      return unordered || a == b;
    case P::ugt:
      return !(a <= b);
    case P::uge:
      return !(a < b);
    case P::ult:
      return !(a >= b);
    case P::ule:
      return !(a > b);
    case P::une:
      return a != b;
    case P::uno:
      return unordered;
    }
    return false;
  };
  for (unsigned i = 0; i <= getMaxEnumValForFloatPredicate(); ++i) {
    P predicate = P(i);
    Operation *op =
        make("scalar.cmpf", {f32, f32}, integer(1),
             builder().getNamedAttr("predicate", FloatPredicateAttr::get(&context, predicate)));
    for (float a : singles())
      for (float b : singles())
        ASSERT_EQ(foldInteger(op, {single(a), single(b)}), truth(predicate, a, b) ? -1 : 0);
  }
  Operation *nan = make("scalar.isnanf", {f32}, integer(1));
  Operation *inf = make("scalar.isinff", {f32}, integer(1));
  Operation *finite = make("scalar.isfinitef", {f32}, integer(1));
  for (float a : singles()) {
    ASSERT_EQ(foldInteger(nan, {single(a)}), std::isnan(a) ? -1 : 0);
    ASSERT_EQ(foldInteger(inf, {single(a)}), std::isinf(a) ? -1 : 0);
    ASSERT_EQ(foldInteger(finite, {single(a)}), std::isfinite(a) ? -1 : 0);
  }
}

/// The value depends on the precision of the target's library.
TEST_F(LanewiseFloat, MathematicsDoesNotFold) {
  for (StringRef name : {"expf", "logf", "sqrtf", "sinf", "sinturnsf", "erff", "softplusf"})
    EXPECT_FALSE(fold(make(("scalar." + name).str(), {f32}, f32), {single(0.25f)})) << name.str();
}

} // namespace
