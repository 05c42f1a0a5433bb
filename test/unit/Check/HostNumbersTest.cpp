//===- HostNumbersTest.cpp - Functions of numbers, on the host ------------===//
#include "HostNumbers.h"
#include "CheckFixture.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Runtime/Random.h"
#include <cmath>

using namespace loom;
using namespace loom::check;
using llvm::APFloat;
using llvm::APInt;
using runtime::ElementType;
using runtime::Scalar;

namespace {

/// The only operation of a function over `operands` values of `type`.
class OneOp {
public:
  OneOp(const std::string &op, const std::string &type, unsigned operands,
        const std::string &result, const std::string &types)
      : program(text(op, type, operands, result, types)) {
    auto function = *(*program).getOps<FuncDefOp>().begin();
    operation = mlir::cast<LanewiseOpInterface>(function.getBody().front().front());
    number = HostNumber::create(operation);
  }

  std::optional<uint64_t> operator()(llvm::ArrayRef<uint64_t> bits) const {
    return number->evaluate(bits);
  }
  LanewiseFunction function() { return operation.getLanewiseFunction(); }
  const HostNumber &decoded() const { return *number; }

private:
  static std::string text(const std::string &op, const std::string &type, unsigned operands,
                          const std::string &result, const std::string &types) {
    std::string parameters, values;
    for (unsigned i = 0; i < operands; ++i) {
      parameters += (i ? ", %" : "%") + std::string(1, 'a' + i) + ": " + type;
      values += (i ? ", %" : "%") + std::string(1, 'a' + i);
    }
    return "func.def @f(" + parameters + ") -> (" + result + ") {\n  %r = scalar." + op + " " +
           values + " : " + types + "\n  func.return %r : " + result + "\n}\n";
  }

  Program program;
  LanewiseOpInterface operation;
  std::optional<HostNumber> number;
};

/// Random patterns, and corners often enough to meet each other.
uint64_t draw(runtime::Xoroshiro128 &random, unsigned width) {
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t sign = uint64_t(1) << (width - 1);
  uint64_t choice = random.next();
  switch (choice % 6) {
  case 0:
    return choice >> 8 & 7;
  case 1:
    return mask - (choice >> 8 & 7);
  case 2:
    return (sign + (choice >> 8 & 7)) & mask;
  default:
    return random.next() & mask;
  }
}

TEST(HostNumbers, IntegersAreThoseOfTheFolder) {
  runtime::Xoroshiro128 random(1);
  unsigned withoutValue = 0;
  for (std::string type : {"i1", "i8", "i16", "i32", "i64"}) {
    unsigned width = std::stoi(type.substr(1));
    for (std::string op :
         {"addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui",
          "floordivsi", "minsi", "maxui", "andi", "xori", "shli", "shrsi", "shrui", "rotli"}) {
      OneOp evaluate(op, type, 2, type, type);
      for (unsigned i = 0; i < 200; ++i) {
        uint64_t a = draw(random, width), b = draw(random, width);
        std::optional<APInt> expected =
            evaluateInteger(evaluate.function(), {APInt(width, a), APInt(width, b)});
        std::optional<uint64_t> actual = evaluate({a, b});
        ASSERT_EQ(actual.has_value(), expected.has_value()) << op << ' ' << type;
        withoutValue += !actual;
        if (actual) {
          EXPECT_EQ(*actual, expected->getZExtValue()) << op << ' ' << type;
        }
      }
    }
  }
  EXPECT_GT(withoutValue, 100u);
}

struct FloatType {
  const char *name;
  ElementType type;
  const llvm::fltSemantics &semantics;
};
const FloatType kFloats[] = {{"f8E4M3", ElementType::F8E4M3, APFloat::Float8E4M3FN()},
                             {"f8E5M2", ElementType::F8E5M2, APFloat::Float8E5M2()},
                             {"f16", ElementType::F16, APFloat::IEEEhalf()},
                             {"bf16", ElementType::BF16, APFloat::BFloat()},
                             {"f32", ElementType::F32, APFloat::IEEEsingle()},
                             {"f64", ElementType::F64, APFloat::IEEEdouble()}};

TEST(HostNumbers, FloatsAreThoseOfTheFolderWhereItHasAny) {
  runtime::Xoroshiro128 random(2);
  for (const FloatType &type : kFloats) {
    unsigned width = runtime::elementBits(type.type);
    auto number = [&](uint64_t bits) { return APFloat(type.semantics, APInt(width, bits)); };
    for (auto [op, operands] : {std::pair("addf", 2u),           std::pair("subf", 2u),
                                std::pair("mulf", 2u),           std::pair("divf", 2u),
                                std::pair("remf", 2u),           std::pair("negf", 1u),
                                std::pair("absf", 1u),           std::pair("copysignf", 2u),
                                std::pair("minimumf", 2u),       std::pair("maximumf", 2u),
                                std::pair("minnumf", 2u),        std::pair("maxnumf", 2u),
                                std::pair("fmaf", 3u),           std::pair("clampf<ordered>", 3u),
                                std::pair("clampf<number>", 3u), std::pair("clampf<ieee>", 3u),
                                std::pair("ceilf", 1u),          std::pair("floorf", 1u),
                                std::pair("truncf", 1u),         std::pair("roundf", 1u),
                                std::pair("roundevenf", 1u),     std::pair("signf", 1u)}) {
      OneOp evaluate(op, type.name, operands, type.name, type.name);
      ClampMode mode = llvm::StringRef(op).contains("number") ? ClampMode::number
                       : llvm::StringRef(op).contains("ieee") ? ClampMode::ieee
                                                              : ClampMode::ordered;
      for (unsigned i = 0; i < 300; ++i) {
        std::vector<uint64_t> bits;
        std::vector<APFloat> numbers;
        for (unsigned k = 0; k < operands; ++k) {
          bits.push_back(draw(random, width));
          numbers.push_back(number(bits.back()));
        }
        std::optional<uint64_t> actual = evaluate(bits);
        ASSERT_TRUE(actual);
        if (auto expected = evaluateFloat(evaluate.function(), numbers, mode)) {
          EXPECT_EQ(*actual, expected->bitcastToAPInt().getZExtValue()) << op << ' ' << type.name;
        }
      }
    }
  }
}

TEST(HostNumbers, NansComeOutWhereNumbersDoNot) {
  OneOp add("addf", "f32", 2, "f32", "f32"), divide("divf", "f32", 2, "f32", "f32");
  OneOp least("minimumf", "f16", 2, "f16", "f16"), root("sqrtf", "f64", 1, "f64", "f64");
  auto isNaN = [](ElementType type, std::optional<uint64_t> bits) {
    return bits && std::isnan(Scalar::fromBits(type, *bits).toDouble());
  };
  EXPECT_TRUE(isNaN(ElementType::F32, add({0x7f800000, 0xff800000})));
  EXPECT_TRUE(isNaN(ElementType::F32, divide({0, 0})));
  EXPECT_TRUE(isNaN(ElementType::F16, least({0x7e00, 0x3c00})));
  EXPECT_TRUE(isNaN(ElementType::F64, root({0xbff0000000000000})));
}

TEST(HostNumbers, MathematicsIsThatOfALongerFormat) {
  using Function = long double (*)(long double);
  const std::pair<const char *, Function> functions[] = {
      {"expf", std::exp},     {"exp2f", std::exp2},   {"expm1f", std::expm1},
      {"logf", std::log},     {"log2f", std::log2},   {"log10f", std::log10},
      {"log1pf", std::log1p}, {"sqrtf", std::sqrt},   {"cbrtf", std::cbrt},
      {"sinf", std::sin},     {"cosf", std::cos},     {"tanf", std::tan},
      {"asinf", std::asin},   {"acosf", std::acos},   {"atanf", std::atan},
      {"sinhf", std::sinh},   {"coshf", std::cosh},   {"tanhf", std::tanh},
      {"asinhf", std::asinh}, {"acoshf", std::acosh}, {"atanhf", std::atanh},
      {"erff", std::erf},     {"erfcf", std::erfc}};
  runtime::Xoroshiro128 random(3);
  for (auto [op, function] : functions) {
    OneOp evaluate(op, "f32", 1, "f32", "f32");
    EXPECT_EQ(evaluate.decoded().isExact(), llvm::StringRef(op) == "sqrtf");
    for (unsigned i = 0; i < 200; ++i) {
      float x = static_cast<float>(random.nextUnit() * 6 - 3);
      float actual = static_cast<float>(
          Scalar::fromBits(ElementType::F32,
                           *evaluate({Scalar::fromDouble(ElementType::F32, x).bits()}))
              .toDouble());
      float expected = static_cast<float>(function(x));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << op << ' ' << x;
      } else {
        EXPECT_NEAR(actual, expected, std::fabs(std::nextafter(expected, 1e30f) - expected))
            << op << ' ' << x;
      }
    }
  }
}

double evaluateDouble(const std::string &op, std::vector<double> operands) {
  OneOp evaluate(op, "f64", operands.size(), "f64", "f64");
  std::vector<uint64_t> bits;
  for (double operand : operands)
    bits.push_back(Scalar::fromDouble(ElementType::F64, operand).bits());
  return Scalar::fromBits(ElementType::F64, *evaluate(bits)).toDouble();
}

TEST(HostNumbers, FunctionsThatHaveNoNameInC) {
  EXPECT_EQ(evaluateDouble("sinturnsf", {0.25}), 1.0);
  EXPECT_EQ(evaluateDouble("sinturnsf", {-0.75}), 1.0);
  EXPECT_EQ(evaluateDouble("sinturnsf", {7.5}), 0.0);
  EXPECT_TRUE(std::signbit(evaluateDouble("sinturnsf", {-0.0})));
  EXPECT_EQ(evaluateDouble("costurnsf", {0.5}), -1.0);
  EXPECT_EQ(evaluateDouble("costurnsf", {1e15 + 0.25}), 0.0);
  EXPECT_TRUE(std::isnan(evaluateDouble("costurnsf", {INFINITY})));
  EXPECT_NEAR(evaluateDouble("sinturnsf", {1.0 / 12}), 0.5, 1e-15);
  EXPECT_NEAR(evaluateDouble("costurnsf", {1.0 / 6}), 0.5, 1e-15);
  EXPECT_EQ(evaluateDouble("rsqrtf", {0.25}), 2.0);
  EXPECT_EQ(evaluateDouble("powf", {2.0, 10.0}), 1024.0);
  EXPECT_EQ(evaluateDouble("atan2f", {1.0, 0.0}), std::atan2(1.0, 0.0));
  EXPECT_EQ(evaluateDouble("logisticf", {0.0}), 0.5);
  EXPECT_EQ(evaluateDouble("siluf", {0.0}), 0.0);
  EXPECT_EQ(evaluateDouble("softplusf", {1000.0}), 1000.0);
  EXPECT_NEAR(evaluateDouble("softplusf", {0.0}), std::log(2.0), 1e-15);
  EXPECT_NEAR(evaluateDouble("geluf<erf>", {1.0}), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(evaluateDouble("geluf<tanh>", {1.0}), 0.8411919906082768, 1e-15);
}

// The references were computed with 60 decimal digits.
TEST(HostNumbers, SmallResultsKeepAllTheirBits) {
  struct Case {
    const char *op;
    double argument, expected;
  };
  const Case cases[] = {
      {"geluf<tanh>", -20.0, -0x1.a927dc6157cb0p-866},
      {"geluf<tanh>", -3.5, -0x1.4310a638bbb3ap-11},
      {"geluf<tanh>", -9.0, -0x1.52d52fdb61dbap-93},
      {"geluf<erf>", -8.0, -0x1.669d2c90d55cep-48},
      {"geluf<erf>", -20.5, -0x1.7040215f3d1f6p-305},
      {"geluf<erf>", -5.25, -0x1.acb3dedb209ffp-22},
      {"siluf", -30.7, -0x1.918c50231e23dp-40},
      {"siluf", -500.3, -0x1.234aab8bb8201p-713},
      {"sinturnsf", 0.4999999, 0x1.515370f9c8fd9p-21},
      {"sinturnsf", 0.49999999999, 0x1.14566224c49adp-34},
      {"sinturnsf", 0.1, 0x1.2cf2304755a5ep-1},
      {"costurnsf", 0.25000000001, -0x1.14566224c49adp-34},
      {"costurnsf", 0.7499999999, -0x1.596bfaadf5c18p-31},
      {"costurnsf", 5.1, 0x1.9e3779b97f4b4p-1},
  };
  for (auto [op, argument, expected] : cases) {
    double actual = evaluateDouble(op, {argument});
    EXPECT_TRUE(actual == expected || actual == std::nextafter(expected, 1.0) ||
                actual == std::nextafter(expected, -1.0))
        << op << ' ' << argument << ": " << actual << ", not " << expected;
  }
  for (const char *op : {"siluf", "geluf<erf>", "geluf<tanh>"}) {
    EXPECT_EQ(evaluateDouble(op, {-INFINITY}), 0.0) << op;
    EXPECT_TRUE(std::signbit(evaluateDouble(op, {-INFINITY}))) << op;
    EXPECT_EQ(evaluateDouble(op, {INFINITY}), INFINITY) << op;
    EXPECT_TRUE(std::isnan(evaluateDouble(op, {NAN}))) << op;
    EXPECT_EQ(evaluateDouble(op, {-1e200}), 0.0) << op;
  }
}

TEST(HostNumbers, Conversions) {
  auto convert = [](const char *op, const std::string &from, const std::string &to, uint64_t bits) {
    return OneOp(op, from, 1, to, from + " to " + to)({bits});
  };
  EXPECT_EQ(convert("sitofp", "i8", "f32", 0xff), 0xbf800000u);
  EXPECT_EQ(convert("uitofp", "i8", "f32", 0xff), 0x437f0000u);
  // 2^62 + 2^54 + 1 lies above the middle of two bf16; a way over f64 would end on the even one.
  EXPECT_EQ(convert("sitofp", "i64", "bf16", 0x4040000000000001), 0x5e81u);
  EXPECT_EQ(convert("sitofp", "i32", "f8E4M3", uint32_t(-100000)), 0xfeu);
  EXPECT_EQ(convert("fptosi", "f32", "i8", 0x42fe6666), 127u); // 127.2
  EXPECT_EQ(convert("fptosi", "f32", "i8", 0x43000000), std::nullopt);
  EXPECT_EQ(convert("fptosi", "f32", "i8", 0xc300e666), 0x80u); // -128.9
  EXPECT_EQ(convert("fptosi", "f32", "i8", 0xc3010000), std::nullopt);
  EXPECT_EQ(convert("fptoui", "f32", "i8", 0x437fffff), 255u);
  EXPECT_EQ(convert("fptoui", "f32", "i8", 0xbf7fffff), 0u);
  EXPECT_EQ(convert("fptoui", "f32", "i8", 0xbf800000), std::nullopt);
  EXPECT_EQ(convert("fptosi", "f64", "i64", 0x43e0000000000000), std::nullopt);
  EXPECT_EQ(convert("fptoui", "f64", "i64", 0x43e0000000000000), uint64_t(1) << 63);
  EXPECT_EQ(convert("fptosi", "f32", "i32", 0x7fc00000), std::nullopt);
  EXPECT_EQ(convert("extf", "f8E5M2", "f32", 0x3c), 0x3f800000u);
  EXPECT_EQ(convert("fptrunc", "f64", "f16", 0x3ff0000000000001), 0x3c00u);
  EXPECT_EQ(convert("extsi", "i8", "i32", 0x80), 0xffffff80u);
  EXPECT_EQ(convert("extui", "i8", "i32", 0x80), 0x80u);
  EXPECT_EQ(convert("trunci", "i32", "i1", 3), 1u);
  EXPECT_EQ(convert("bitcast", "f32", "i32", 0x80000000), 0x80000000u);
}

} // namespace
