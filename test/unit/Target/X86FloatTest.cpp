//===- X86FloatTest.cpp - Floats and integers on the x86 device -----------===//
//
// The reference for every float format is llvm::APFloat, which rounds once.
//
//===----------------------------------------------------------------------===//
#include "LoweringPrograms.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <functional>
#include <random>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace loom::test {
namespace {

struct Format {
  const char *name;
  unsigned bits;
  const llvm::fltSemantics &semantics;
};

const Format formats[] = {{"f16", 16, APFloat::IEEEhalf()},
                          {"bf16", 16, APFloat::BFloat()},
                          {"f32", 32, APFloat::IEEEsingle()},
                          {"f64", 64, APFloat::IEEEdouble()}};

const Format &formatOf(const std::string &name) {
  for (const Format &format : formats)
    if (format.name == name)
      return format;
  std::abort();
}

/// Elements of any width, as bits.
class Column {
public:
  Column(unsigned bits, size_t count) : bits(bits), bytes(count * bits / 8, 0xcc) {}
  uint64_t get(size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, &bytes[i * bits / 8], bits / 8);
    return value;
  }
  void set(size_t i, uint64_t value) { std::memcpy(&bytes[i * bits / 8], &value, bits / 8); }
  void *data() { return bytes.data(); }

private:
  unsigned bits;
  std::vector<char> bytes;
};

/// Bits that matter: zeros, ones, the ends of every range, NaN, and random patterns.
std::vector<uint64_t> patterns(const Format &format, size_t count, unsigned seed) {
  const llvm::fltSemantics &s = format.semantics;
  std::vector<uint64_t> values;
  for (bool negative : {false, true})
    for (const APFloat &f :
         {APFloat::getZero(s, negative), APFloat::getInf(s, negative),
          APFloat::getQNaN(s, negative), APFloat::getLargest(s, negative),
          APFloat::getSmallest(s, negative), APFloat::getSmallestNormalized(s, negative),
          APFloat::getOne(s, negative)})
      values.push_back(f.bitcastToAPInt().getZExtValue());
  std::mt19937_64 generator(seed);
  uint64_t one = APFloat::getOne(s).bitcastToAPInt().getZExtValue();
  while (values.size() < count) {
    uint64_t bits = generator();
    // Half of them near one, where sums and products meet.
    if (values.size() % 2)
      bits = one ^ (bits & ((uint64_t(1) << (format.bits == 16 ? 10 : format.bits / 2)) - 1));
    values.push_back(format.bits == 64 ? bits : bits & ((uint64_t(1) << format.bits) - 1));
  }
  return values;
}

class X86FloatTest : public LoweringTest {
protected:
  using Reference = std::function<uint64_t(llvm::ArrayRef<uint64_t>)>;

  /// Runs `operation`, which defines %r of type `result` from %x, %y, %z of type `operand`, on
  /// every row of `rows` and compares with `reference`. Any NaN equals any other when the result is
  /// a float.
  void check(const std::string &operation, const std::string &operand, unsigned operandBits,
             const std::string &result, unsigned resultBits,
             const std::vector<std::vector<uint64_t>> &rows, const Reference &reference) {
    size_t arity = rows[0].size();
    std::vector<std::string> elements(arity, operand);
    elements.push_back(result);
    std::string body, names[] = {"%x", "%y", "%z"};
    for (size_t k = 0; k < arity; ++k)
      body += "    " + names[k] + " = view.load %v" + std::to_string(k) + "[%i] : view<[%n]x" +
              operand + "> -> " + operand + "\n";
    body += "    " + operation + "\n    view.store %r, %v" + std::to_string(arity) +
            "[%i] : " + result + ", view<[%n]x" + result + ">\n";
    x86::CompiledKernels kernels = compile(elementwise(elements, body));
    std::vector<Column> columns(arity, Column(operandBits, rows.size()));
    columns.emplace_back(resultBits, rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t k = 0; k < arity; ++k)
        columns[k].set(i, rows[i][k]);
    Arguments arguments;
    arguments.add(int64_t(rows.size()));
    for (Column &column : columns)
      arguments.add(column.data());
    launch(kernels, "k", (rows.size() + 63) / 64, arguments);
    const Format *format = nullptr;
    for (const Format &candidate : formats)
      if (candidate.name == result)
        format = &candidate;
    for (size_t i = 0; i < rows.size(); ++i) {
      uint64_t actual = columns.back().get(i), expected = reference(rows[i]);
      if (actual == expected || (format && isNaN(*format, actual) && isNaN(*format, expected)))
        continue;
      std::string inputs;
      for (uint64_t value : rows[i])
        inputs += " 0x" + llvm::utohexstr(value);
      FAIL() << operation << " :" << inputs << " gives 0x" << llvm::utohexstr(actual)
             << ", expected 0x" << llvm::utohexstr(expected);
    }
  }

  static APFloat decode(const Format &format, uint64_t bits) {
    return APFloat(format.semantics, APInt(format.bits, bits));
  }
  static uint64_t encode(const APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }
  static bool isNaN(const Format &format, uint64_t bits) { return decode(format, bits).isNaN(); }

  using FloatReference = std::function<APFloat(llvm::ArrayRef<APFloat>)>;
  void checkFloat(const std::string &name, const Format &format, unsigned arity,
                  const FloatReference &reference, std::vector<std::vector<uint64_t>> rows = {}) {
    size_t count = 3000;
    std::vector<std::vector<uint64_t>> columns;
    for (unsigned k = 0; k < arity; ++k)
      columns.push_back(patterns(format, count, 17 * k + format.bits));
    // All pairs of the special values in front, then random ones.
    for (size_t i = 0; i < 14 * 14 && arity > 1; ++i)
      rows.push_back(arity == 2 ? std::vector<uint64_t>{columns[0][i / 14], columns[1][i % 14]}
                                : std::vector<uint64_t>{columns[0][i / 14], columns[1][i % 14],
                                                        columns[2][i % 13]});
    for (size_t i = 0; i < count; ++i) {
      std::vector<uint64_t> row;
      for (unsigned k = 0; k < arity; ++k)
        row.push_back(columns[k][i]);
      rows.push_back(row);
    }
    std::string operands = arity == 1 ? "%x" : arity == 2 ? "%x, %y" : "%x, %y, %z";
    check("%r = scalar." + name + " " + operands + " : " + format.name, format.name, format.bits,
          format.name, format.bits, rows, [&](llvm::ArrayRef<uint64_t> bits) {
            std::vector<APFloat> values;
            for (uint64_t value : bits)
              values.push_back(decode(format, value));
            return encode(reference(values));
          });
  }
};

constexpr auto nearest = APFloat::rmNearestTiesToEven;

TEST_F(X86FloatTest, Arithmetic) {
  for (const Format &format : formats) {
    SCOPED_TRACE(format.name);
    checkFloat("addf", format, 2, [](auto v) { return v[0] + v[1]; });
    checkFloat("subf", format, 2, [](auto v) { return v[0] - v[1]; });
    checkFloat("mulf", format, 2, [](auto v) { return v[0] * v[1]; });
    checkFloat("divf", format, 2, [](auto v) { return v[0] / v[1]; });
    checkFloat("minimumf", format, 2, [](auto v) { return llvm::minimum(v[0], v[1]); });
    checkFloat("maximumf", format, 2, [](auto v) { return llvm::maximum(v[0], v[1]); });
  }
}

TEST_F(X86FloatTest, FusedMultiplyAddRoundsOnce) {
  for (const Format &format : formats) {
    SCOPED_TRACE(format.name);
    std::vector<std::vector<uint64_t>> rows;
    if (format.bits == 16) {
      // A product half way between two values, and an addend far below: rounding first to a wider
      // format loses the addend and then breaks the tie the wrong way.
      APFloat one = APFloat::getOne(format.semantics),
              small = APFloat::getSmallest(format.semantics);
      APFloat next = one;
      next.next(false);
      for (const APFloat &addend : {small, -small})
        for (uint64_t shift = 0; shift < 300; ++shift) {
          APFloat factor = one;
          for (uint64_t i = 0; i < shift % 60; ++i)
            factor.next(false);
          APFloat other = next;
          for (uint64_t i = 0; i < shift / 5; ++i)
            other.next(false);
          rows.push_back({encode(factor), encode(other), encode(addend)});
        }
    }
    checkFloat(
        "fmaf", format, 3,
        [](auto v) {
          APFloat result = v[0];
          result.fusedMultiplyAdd(v[1], v[2], nearest);
          return result;
        },
        rows);
  }
}

TEST_F(X86FloatTest, ProductAndSumAreNotFused) {
  const Format &f32 = formatOf("f32");
  std::vector<std::vector<uint64_t>> rows;
  size_t different = 0;
  auto x = patterns(f32, 2000, 1), y = patterns(f32, 2000, 2), z = patterns(f32, 2000, 3);
  for (size_t i = 0; i < x.size(); ++i) {
    rows.push_back({x[i], y[i], z[i]});
    APFloat fused = decode(f32, x[i]);
    fused.fusedMultiplyAdd(decode(f32, y[i]), decode(f32, z[i]), nearest);
    different += encode(fused) != encode(decode(f32, x[i]) * decode(f32, y[i]) + decode(f32, z[i]));
  }
  EXPECT_GT(different, 100u);
  check("%p = scalar.mulf %x, %y : f32\n    %r = scalar.addf %p, %z : f32", "f32", 32, "f32", 32,
        rows, [&](llvm::ArrayRef<uint64_t> v) {
          return encode(decode(f32, v[0]) * decode(f32, v[1]) + decode(f32, v[2]));
        });
}

TEST_F(X86FloatTest, ConversionsBetweenFormats) {
  for (const Format &from : formats)
    for (const Format &to : formats) {
      if (from.bits == to.bits)
        continue;
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      std::vector<std::vector<uint64_t>> rows;
      for (uint64_t bits : patterns(from, 4000, 7))
        rows.push_back({bits});
      // Values half way between two of the narrower format, and one step beside.
      if (from.bits > to.bits)
        for (uint64_t bits : patterns(to, 2000, 8)) {
          APFloat low = decode(to, bits), high = low;
          high.next(false);
          bool loses;
          low.convert(from.semantics, nearest, &loses);
          high.convert(from.semantics, nearest, &loses);
          APFloat half(from.semantics, "0.5");
          APFloat middle = low * half + high * half, above = middle, below = middle;
          above.next(false);
          below.next(true);
          for (const APFloat &value : {middle, above, below})
            rows.push_back({encode(value)});
        }
      check(std::string("%r = scalar.") + (from.bits < to.bits ? "extf" : "fptrunc") +
                " %x : " + from.name + " to " + to.name,
            from.name, from.bits, to.name, to.bits, rows, [&](llvm::ArrayRef<uint64_t> v) {
              APFloat value = decode(from, v[0]);
              bool loses;
              value.convert(to.semantics, nearest, &loses);
              return encode(value);
            });
    }
}

TEST_F(X86FloatTest, ConversionsFromIntegers) {
  for (unsigned bits : {1u, 8u, 16u, 32u, 64u})
    for (const Format &to : formats)
      for (bool isSigned : {false, true}) {
        std::string integer = "i" + std::to_string(bits);
        SCOPED_TRACE(integer + " to " + to.name);
        std::vector<std::vector<uint64_t>> rows;
        std::mt19937_64 generator(bits);
        for (unsigned i = 0; i < 3000; ++i) {
          // Numbers of every length, with bits far behind the leading ones.
          uint64_t value = generator() >> (i % 64);
          if (i % 3 == 0)
            value = (uint64_t(1) << 63 | uint64_t(1) << (i % 63) | (i & 1)) >> (i / 64 % 32);
          rows.push_back({bits == 1 ? value & 1 : value & llvm::maxUIntN(bits)});
        }
        // Half way between two values of every format, and one unit beside.
        for (unsigned precision : {8u, 11u, 24u, 53u})
          for (unsigned length = precision + 1; length <= bits; ++length)
            for (uint64_t odd : {0, 1}) {
              uint64_t middle = uint64_t(1) << (length - 1) | uint64_t(1)
                                                                  << (length - 1 - precision);
              middle |= odd << (length - precision);
              for (uint64_t value : {middle, middle - 1, middle + 1})
                for (uint64_t signedValue : {value, -value})
                  rows.push_back({signedValue & llvm::maxUIntN(bits)});
            }
        unsigned stored = std::max(bits, 8u);
        check(std::string("%r = scalar.") + (isSigned ? "sitofp" : "uitofp") + " %x : " + integer +
                  " to " + to.name,
              integer, stored, to.name, to.bits, rows, [&](llvm::ArrayRef<uint64_t> v) {
                APFloat value(to.semantics);
                value.convertFromAPInt(APInt(bits, v[0], false, true), isSigned, nearest);
                return encode(value);
              });
      }
}

TEST_F(X86FloatTest, Reductions) {
  // Four lanes x, y, z, x and the initial value y.
  auto reduce = [&](const std::string &kind, const std::string &type, unsigned bits,
                    const std::vector<std::vector<uint64_t>> &rows,
                    std::function<uint64_t(uint64_t, uint64_t)> combine) {
    std::string integer = type[0] == 'i' ? "0" : "0.0";
    std::string program =
        "%r = vector.reduce<" + kind + "> %four, %y : vector<4x" + type + ">, " + type;
    std::vector<std::string> elements(3, type);
    std::string body = "    %y = view.load %v1[%i] : view<[%n]x" + type + "> -> " + type + R"(
    %quarter = index.constant 4 : index
    %first = index.mul %i, %quarter : index
    %all = index.mul %n, %quarter : index
    %wide = buffer.view %b0[%base] : buffer -> view<[%all]x)" +
                       type + ">\n    %four = vector.load %wide[%first] : view<[%all]x" + type +
                       "> -> vector<4x" + type + ">\n    " + program +
                       "\n    view.store %r, %v2[%i] : " + type + ", view<[%n]x" + type + ">";
    x86::CompiledKernels kernels = compile(elementwise(elements, body));
    Column lanes(bits, rows.size() * 4), initial(bits, rows.size()), output(bits, rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      initial.set(i, rows[i][4]);
      for (size_t k = 0; k < 4; ++k)
        lanes.set(4 * i + k, rows[i][k]);
    }
    Arguments arguments;
    arguments.add(int64_t(rows.size())).add(lanes.data()).add(initial.data()).add(output.data());
    launch(kernels, "k", (rows.size() + 63) / 64, arguments);
    const Format *format = type[0] == 'i' ? nullptr : &formatOf(type);
    for (size_t i = 0; i < rows.size(); ++i) {
      uint64_t expected = rows[i][4];
      for (size_t k = 0; k < 4; ++k)
        expected = combine(expected, rows[i][k]);
      if (format && isNaN(*format, expected) && isNaN(*format, output.get(i)))
        continue;
      ASSERT_EQ(output.get(i), expected) << kind << " row " << i;
    }
  };
  auto rowsOf = [](const Format &format) {
    std::vector<std::vector<uint64_t>> rows;
    auto values = patterns(format, 5000, 11);
    std::mt19937 generator(1);
    std::shuffle(values.begin(), values.end(), generator);
    for (size_t i = 0; i + 5 <= values.size(); i += 5)
      rows.emplace_back(values.begin() + i, values.begin() + i + 5);
    for (size_t i = 0; i < 14 * 14; ++i) {
      auto special = patterns(format, 14, 0);
      rows.push_back(
          {special[i / 14], special[i % 14], special[i % 13], special[i % 7], special[i % 11]});
    }
    return rows;
  };
  for (const char *name : {"bf16", "f32", "f64"}) {
    const Format &format = formatOf(name);
    auto with = [&](APFloat (*f)(const APFloat &, const APFloat &)) {
      return [&format, f](uint64_t a, uint64_t b) {
        return encode(f(decode(format, a), decode(format, b)));
      };
    };
    auto rows = rowsOf(format);
    reduce("addf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return a + b; }));
    reduce("mulf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return a * b; }));
    reduce("minimumf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return llvm::minimum(a, b); }));
    reduce("maximumf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return llvm::maximum(a, b); }));
    reduce("minnumf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return llvm::minimumnum(a, b); }));
    reduce("maxnumf", name, format.bits, rows,
           with([](const APFloat &a, const APFloat &b) { return llvm::maximumnum(a, b); }));
  }
  std::vector<std::vector<uint64_t>> integers;
  std::mt19937_64 generator(9);
  for (unsigned i = 0; i < 500; ++i) {
    std::vector<uint64_t> row;
    for (unsigned k = 0; k < 5; ++k)
      row.push_back(generator());
    integers.push_back(row);
  }
  using U = uint64_t;
  auto integer = [&](const char *kind, U (*f)(U, U)) { reduce(kind, "i64", 64, integers, f); };
  integer("addi", [](U a, U b) { return a + b; });
  integer("muli", [](U a, U b) { return a * b; });
  integer("andi", [](U a, U b) { return a & b; });
  integer("ori", [](U a, U b) { return a | b; });
  integer("xori", [](U a, U b) { return a ^ b; });
  integer("minsi", [](U a, U b) { return U(std::min(int64_t(a), int64_t(b))); });
  integer("maxsi", [](U a, U b) { return U(std::max(int64_t(a), int64_t(b))); });
  integer("minui", [](U a, U b) { return std::min(a, b); });
  integer("maxui", [](U a, U b) { return std::max(a, b); });
}

TEST_F(X86FloatTest, VectorArithmetic) {
  for (const char *name : {"f16", "bf16", "f32", "f64"}) {
    const Format &format = formatOf(name);
    std::string type = std::string("vector<4x") + name + ">";
    std::string view = std::string("view<[%n]x4x") + name + ">";
    x86::CompiledKernels kernels = compile(elementwise({name, name, name}, R"(
    %p = buffer.view %b0[%base] : buffer -> )" + view + R"(
    %q = buffer.view %b1[%base] : buffer -> )" + view + R"(
    %s = buffer.view %b2[%base] : buffer -> )" + view + R"(
    %x = vector.load %p[%i, 0] : )" + view + " -> " + type + R"(
    %y = vector.load %q[%i, 0] : )" + view + " -> " + type + R"(
    %c = vector.constant 1.5 : )" + type + R"(
    %d = vector.mulf %x, %y : )" + type + R"(
    %e = vector.addf %d, %c : )" + type + R"(
    %f = vector.subf %e, %x : )" + type + R"(
    vector.store %f, %s[%i, 0] : )" + type + ", " + view));
    size_t count = 1000;
    auto x = patterns(format, 4 * count, 21), y = patterns(format, 4 * count, 22);
    Column xs(format.bits, 4 * count), ys(format.bits, 4 * count), out(format.bits, 4 * count);
    for (size_t i = 0; i < 4 * count; ++i) {
      xs.set(i, x[i]);
      ys.set(i, y[i]);
    }
    Arguments arguments;
    arguments.add(int64_t(count)).add(xs.data()).add(ys.data()).add(out.data());
    launch(kernels, "k", (count + 63) / 64, arguments);
    APFloat constant(format.semantics, "1.5");
    for (size_t i = 0; i < 4 * count; ++i) {
      APFloat expected =
          decode(format, x[i]) * decode(format, y[i]) + constant - decode(format, x[i]);
      if (expected.isNaN() && isNaN(format, out.get(i)))
        continue;
      ASSERT_EQ(out.get(i), encode(expected)) << name << " element " << i;
    }
  }
}

} // namespace
} // namespace loom::test
