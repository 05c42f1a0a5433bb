//===- MathTest.cpp - Mathematical functions on the x86 device ------------===//
//
// Accuracy against long double, whose 64 bits of significand leave 11 of them for errors of f64:
//
//   LoweringTests --gtest_filter='*MathAccuracy*'
//
// prints the table of docs/internals/math.md.
//
//===----------------------------------------------------------------------===//
#include "LanewisePrograms.h"
#include "llvm/Support/Format.h"
#include <cmath>

using llvm::APFloat;

namespace loom::test {
namespace {

using Extended = long double;

const Extended pi = acosl(-1.0L);

Extended logistic(Extended x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }

/// sin(2 pi x), or the cosine, from the next quarter turn on.
Extended turns(Extended x, bool cosine) {
  if (!std::isfinite(x))
    return NAN;
  Extended size = fabsl(x), fraction = size - truncl(size);
  int quarter = static_cast<int>(rintl(fraction * 4));
  Extended rest = (fraction - quarter * 0.25L) * 2 * pi;
  quarter += cosine;
  Extended value = quarter & 1 ? cosl(rest) : sinl(rest);
  value = quarter & 2 ? -value : value;
  return x < 0 && !cosine ? -value : value;
}

struct MathFunction {
  const char *name;
  Extended (*reference)(Extended);
  double bounds[2]; ///< the largest error in ulp, in f32 and f64
  /// The tails of some functions vanish with an argument that is itself rounded; there the bound is
  /// for arguments above this one.
  double from = -INFINITY;
};

const MathFunction functions[] = {
    {"expf", [](Extended x) { return expl(x); }, {0.9, 0.9}},
    {"exp2f", [](Extended x) { return exp2l(x); }, {0.9, 0.9}},
    {"expm1f", [](Extended x) { return expm1l(x); }, {1.4, 1.4}},
    {"logf", [](Extended x) { return logl(x); }, {0.6, 0.6}},
    {"log2f", [](Extended x) { return log2l(x); }, {0.6, 0.6}},
    {"log10f", [](Extended x) { return log10l(x); }, {0.6, 0.6}},
    {"log1pf", [](Extended x) { return log1pl(x); }, {1.0, 1.0}},
    {"sqrtf", [](Extended x) { return sqrtl(x); }, {0.5, 0.5001}},
    {"rsqrtf", [](Extended x) { return 1 / sqrtl(x); }, {1.5, 1.5}},
    {"cbrtf", [](Extended x) { return cbrtl(x); }, {0.9, 0.9}},
    {"sinf", [](Extended x) { return sinl(x); }, {0.8, 0.8}},
    {"cosf", [](Extended x) { return cosl(x); }, {0.8, 0.8}},
    {"tanf", [](Extended x) { return tanl(x); }, {2.1, 2.1}},
    {"asinf", [](Extended x) { return asinl(x); }, {0.8, 0.8}},
    {"acosf", [](Extended x) { return acosl(x); }, {0.8, 0.8}},
    {"atanf", [](Extended x) { return atanl(x); }, {1.6, 1.6}},
    {"sinturnsf", [](Extended x) { return turns(x, false); }, {1.1, 1.1}},
    {"costurnsf", [](Extended x) { return turns(x, true); }, {0.8, 0.8}},
    {"sinhf", [](Extended x) { return sinhl(x); }, {2.1, 2.2}},
    {"coshf", [](Extended x) { return coshl(x); }, {1.4, 1.4}},
    {"tanhf", [](Extended x) { return tanhl(x); }, {2.5, 2.6}},
    {"asinhf", [](Extended x) { return asinhl(x); }, {1.1, 1.1}},
    {"acoshf", [](Extended x) { return acoshl(x); }, {1.4, 1.4}},
    {"atanhf", [](Extended x) { return atanhl(x); }, {0.7, 0.7}},
    {"erff", [](Extended x) { return erfl(x); }, {1.2, 1.2}},
    {"erfcf", [](Extended x) { return erfcl(x); }, {4.0, 4.0}},
    {"logisticf", logistic, {2.6, 2.7}},
    {"siluf",
     [](Extended x) { return std::isinf(x) && x < 0 ? -0.0L : x * logistic(x); },
     {3.2, 3.3}},
    {"softplusf", [](Extended x) { return (x > 0 ? x : 0) + log1pl(expl(-fabsl(x))); }, {1.6, 1.6}},
    {"geluf<erf>",
     [](Extended x) { return std::isinf(x) && x < 0 ? -0.0L : x / 2 * erfcl(-x / sqrtl(2)); },
     {4.6, 4.6}},
    {"geluf<tanh>",
     [](Extended x) {
       return std::isinf(x) && x < 0
                  ? -0.0L
                  : x * logistic(2 * sqrtl(2 / pi) * (x + 0.044715L * x * x * x));
     },
     {25, 25},
     -4},
    {"geluf<logistic>",
     [](Extended x) { return std::isinf(x) && x < 0 ? -0.0L : x * logistic(1.702L * x); },
     {25, 25},
     -10},
};

std::string textOf(const MathFunction &function) {
  std::string name = function.name;
  return name + " %x" + (name == "geluf<logistic>" ? " {scale = 1.702}" : "") + " : $";
}

double numberOf(const NumberType &type, uint64_t pattern) {
  APFloat value = type.number(pattern);
  bool loses;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

uint64_t patternOf(const NumberType &type, double number) {
  APFloat value(number);
  bool loses;
  value.convert(*type.semantics, APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

/// The distance of `actual` from `exact` in units of the last place of f32 or f64.
double error(const NumberType &type, double actual, Extended exact) {
  int exponent;
  frexpl(exact, &exponent);
  bool isSingle = type.bits == 32;
  exponent = std::max(exponent, isSingle ? -125 : -1021) - (isSingle ? 24 : 53);
  return static_cast<double>(ldexpl(fabsl(actual - exact), -exponent));
}

/// Special values, any bits, and arguments at which functions bend.
Rows samples(const NumberType &type, size_t count, unsigned arity = 1) {
  Rows rows = makeRows(type, arity, 1024, 3);
  std::mt19937_64 generator(type.bits);
  auto uniform = [&] { return double(int64_t(generator())) / 9223372036854775808.0; };
  auto one = [&]() -> uint64_t {
    switch (generator() % 5) {
    case 0:
      return generator() & llvm::maskTrailingOnes<uint64_t>(type.bits);
    case 1:
      return patternOf(type, uniform() * 20);
    case 2:
      return patternOf(type, uniform() * (type.bits == 32 ? 110 : 760));
    case 3:
      return patternOf(type, 1 + std::ldexp(uniform(), -int(generator() % 20)));
    default:
      return patternOf(type, std::ldexp(uniform(), int(generator() % 40) - 30));
    }
  };
  while (rows.size() < count) {
    std::vector<uint64_t> &row = rows.emplace_back();
    for (unsigned i = 0; i < arity; ++i)
      row.push_back(one());
  }
  return rows;
}

class MathTest : public LanewiseTest {
protected:
  /// Compares with the exact value where that is finite; else the result has to be the same.
  /// Returns the error in ulp.
  double compare(const NumberType &type, const std::string &name, llvm::ArrayRef<uint64_t> row,
                 uint64_t pattern, Extended exact) {
    double actual = numberOf(type, pattern);
    double rounded = numberOf(type, patternOf(numberType("f64"), double(exact)));
    if (type.bits == 32)
      rounded = float(exact);
    bool isFinite = std::isfinite(rounded) && std::isfinite(actual);
    bool isSame = rounded == actual || (std::isnan(rounded) && std::isnan(actual));
    if (!isFinite && !isSame) {
      ADD_FAILURE() << name << " of " << type.name << " at " << numberOf(type, row[0])
                    << (row.size() > 1 ? ", " + std::to_string(numberOf(type, row[1])) : "")
                    << " is " << actual << ", expected " << rounded;
      return 0;
    }
    return isFinite ? error(type, actual, exact) : 0;
  }

  void report(const std::string &name, const NumberType &type, double worst, double at,
              double bound) {
    llvm::outs() << llvm::format("%-16s %s  %7.3f ulp at %g\n", name.c_str(), type.name, worst, at);
    EXPECT_LE(worst, bound) << name << " of " << type.name << " at " << at;
  }
};

TEST_F(MathTest, MathAccuracy) {
  for (const char *typeName : {"f32", "f64"}) {
    const NumberType &type = numberType(typeName);
    Rows rows = samples(type, 200000);
    std::vector<RowOperation> operations;
    for (const MathFunction &function : functions)
      operations.push_back({textOf(function), &type});
    auto results = run(type, operations, rows, RowForm::Lanes);
    // The same bits in scalars and in vectors.
    Rows few(rows.begin(), rows.begin() + 5000);
    auto scalars = run(type, operations, few, RowForm::Uniform);
    auto vectors = run(type, operations, few, RowForm::VectorLanes);
    for (auto [number, function] : llvm::enumerate(functions)) {
      double worst = 0, at = 0;
      for (size_t i = 0; i < rows.size(); ++i) {
        double x = numberOf(type, rows[i][0]);
        uint64_t bits = results[number][i];
        if (i < few.size()) {
          auto isSame = [&](uint64_t other) {
            return other == bits || (type.isNaN(other) && type.isNaN(bits));
          };
          ASSERT_TRUE(isSame(scalars[number][i])) << function.name << " of " << x;
          ASSERT_TRUE(isSame(vectors[number][i])) << function.name << " of " << x;
        }
        double off = compare(type, function.name, rows[i], bits, function.reference(x));
        if (off > worst && x >= function.from) {
          worst = off;
          at = x;
        }
      }
      report(function.name, type, worst, at, function.bounds[type.bits == 64]);
    }
  }
}

TEST_F(MathTest, MathAccuracyOfTwo) {
  struct {
    const char *name;
    Extended (*reference)(Extended, Extended);
    double bounds[2];
  } table[] = {{"powf", [](Extended x, Extended y) { return powl(x, y); }, {1.0, 1.0}},
               {"atan2f", [](Extended y, Extended x) { return atan2l(y, x); }, {1.6, 1.6}}};
  for (const char *typeName : {"f32", "f64"}) {
    const NumberType &type = numberType(typeName);
    Rows rows = samples(type, 200000, 2);
    for (size_t i = 2048; i < rows.size(); i += 2) {
      // Results that are neither zero nor infinite.
      double x = std::fabs(numberOf(type, rows[i][0]));
      if (x > 0 && std::isfinite(x))
        rows[i] = {patternOf(type, x),
                   patternOf(type, numberOf(type, rows[i][1]) / (std::fabs(std::log2(x)) + 0.1))};
    }
    std::vector<RowOperation> operations;
    for (auto &function : table)
      operations.push_back({std::string(function.name) + " %x, %y : $", &type});
    auto results = run(type, operations, rows, RowForm::Lanes);
    Rows few(rows.begin(), rows.begin() + 5000);
    auto scalars = run(type, operations, few, RowForm::Uniform);
    for (auto [number, function] : llvm::enumerate(table)) {
      double worst = 0, at = 0;
      for (size_t i = 0; i < rows.size(); ++i) {
        double x = numberOf(type, rows[i][0]), y = numberOf(type, rows[i][1]);
        uint64_t bits = results[number][i];
        if (i < few.size()) {
          uint64_t scalar = scalars[number][i];
          ASSERT_TRUE(scalar == bits || (type.isNaN(scalar) && type.isNaN(bits)))
              << function.name << " of " << x << ", " << y;
        }
        double off = compare(type, function.name, rows[i], bits, function.reference(x, y));
        if (off > worst) {
          worst = off;
          at = x;
        }
      }
      report(function.name, type, worst, at, function.bounds[type.bits == 64]);
    }
  }
}

/// Narrower floats are computed in f32 and rounded.
TEST_F(MathTest, NarrowFloats) {
  const NumberType &single = numberType("f32");
  for (const char *typeName : {"f8E4M3", "f8E5M2", "f16", "bf16"}) {
    const NumberType &type = numberType(typeName);
    Rows rows, wide;
    for (uint64_t bits = 0; bits < uint64_t(1) << type.bits; bits += type.bits == 8 ? 1 : 3) {
      rows.push_back({bits});
      wide.push_back({patternOf(single, numberOf(type, bits))});
    }
    rows.resize(rows.size() & ~size_t(1), {0});
    wide.resize(rows.size(), {0});
    std::vector<RowOperation> operations, wideOperations;
    for (const MathFunction &function : functions) {
      operations.push_back({textOf(function), &type});
      wideOperations.push_back({textOf(function), &single});
    }
    auto results = run(type, operations, rows, RowForm::Lanes);
    auto exact = run(single, wideOperations, wide, RowForm::Lanes);
    for (auto [number, function] : llvm::enumerate(functions))
      for (size_t i = 0; i < rows.size(); ++i) {
        double result = numberOf(single, exact[number][i]);
        // f8E4M3 has no infinity.
        uint64_t expected = patternOf(type, result);
        if (type.isNaN(expected) && !std::isnan(result))
          expected = result < 0 ? 0xfe : 0x7e;
        ASSERT_TRUE(results[number][i] == expected ||
                    (type.isNaN(results[number][i]) && std::isnan(result)))
            << function.name << " of " << type.name << " at " << numberOf(type, rows[i][0])
            << " is " << numberOf(type, results[number][i]);
      }
  }
}

TEST_F(MathTest, AMDGPUNeedsNoLibrary) {
  for (const char *typeName : {"bf16", "f16", "f32", "f64"}) {
    const NumberType &type = numberType(typeName);
    for (const MathFunction &function : functions)
      EXPECT_EQ(compileForAMDGPU(type, {{textOf(function), &type}}, 1, RowForm::Lanes),
                std::vector<std::string>())
          << function.name << " of " << typeName;
    EXPECT_EQ(compileForAMDGPU(type, {{"powf %x, %y : $", &type}, {"atan2f %x, %y : $", &type}}, 2,
                               RowForm::Lanes),
              std::vector<std::string>());
  }
}

TEST_F(MathTest, AMDGPUApproximatesOnRequest) {
  const NumberType &single = numberType("f32"), &half = numberType("f16");
  auto lower = [&](const std::string &text, const NumberType &type) {
    return lowerToText(lanewiseProgram(type, {{text, &type}}, 1, RowForm::Lanes), amdgpu());
  };
  for (const char *name : {"exp", "exp2", "log", "log2", "log10", "sqrt"}) {
    std::string function = name + std::string("f");
    std::string call = std::string("call afn float @llvm.") + name + ".f32";
    EXPECT_NE(lower(function + "<afn> %x : $", single).find(call), std::string::npos) << name;
    EXPECT_NE(lower(function + "<afn> %x : $", half).find(call), std::string::npos) << name;
    EXPECT_EQ(lower(function + " %x : $", single).find("call afn"), std::string::npos) << name;
  }
  EXPECT_EQ(lower("expf<afn> %x : $", numberType("f64")).find("@llvm.exp"), std::string::npos);
}

} // namespace
} // namespace loom::test
