//===- LanewiseTest.cpp - Functions of numbers on the x86 device ----------===//
//
// Every function of scalar and vector that has exact values, on every type, computed by kernels
// whose values are scalars and by kernels whose values are vectors of lanes, against the evaluation
// that constants are folded with.
//
//===----------------------------------------------------------------------===//
#include "loom/IR/Lanewise.h"
#include "LanewisePrograms.h"
#include "llvm/ADT/StringExtras.h"

using llvm::APFloat;
using llvm::APInt;
using namespace mlir;

namespace loom::test {
namespace {

constexpr size_t kRows = 1024;

/// What a result has to be: nothing is known, a NaN, or these bits.
struct Expected {
  enum { Anything, NaN, Bits } kind = Anything;
  uint64_t bits = 0;

  static Expected nan() { return {NaN, 0}; }
  static Expected of(const APInt &value) { return {Bits, value.getZExtValue()}; }
  static Expected of(const APFloat &value) { return of(value.bitcastToAPInt()); }
  static Expected of(bool value) { return {Bits, value}; }
};
using Reference = std::function<Expected(llvm::ArrayRef<uint64_t>)>;

struct Case {
  RowOperation operation;
  Reference reference;
};

struct Function {
  const char *name;
  LanewiseFunction function;
  unsigned arity;
};

#define FUNCTION(name, arity)                                                                      \
  Function { #name, LanewiseFunction::name, arity }

const Function integerFunctions[] = {
    FUNCTION(addi, 2),      FUNCTION(subi, 2),       FUNCTION(muli, 2),  FUNCTION(divsi, 2),
    FUNCTION(divui, 2),     FUNCTION(remsi, 2),      FUNCTION(remui, 2), FUNCTION(ceildivsi, 2),
    FUNCTION(ceildivui, 2), FUNCTION(floordivsi, 2), FUNCTION(negi, 1),  FUNCTION(absi, 1),
    FUNCTION(minsi, 2),     FUNCTION(maxsi, 2),      FUNCTION(minui, 2), FUNCTION(maxui, 2),
    FUNCTION(fmai, 3),      FUNCTION(signi, 1),      FUNCTION(andi, 2),  FUNCTION(ori, 2),
    FUNCTION(xori, 2),      FUNCTION(shli, 2),       FUNCTION(shrsi, 2), FUNCTION(shrui, 2),
    FUNCTION(rotli, 2),     FUNCTION(rotri, 2),      FUNCTION(ctlzi, 1), FUNCTION(cttzi, 1),
    FUNCTION(ctpopi, 1)};

const Function floatFunctions[] = {
    FUNCTION(addf, 2),     FUNCTION(subf, 2),       FUNCTION(mulf, 2),    FUNCTION(divf, 2),
    FUNCTION(remf, 2),     FUNCTION(negf, 1),       FUNCTION(absf, 1),    FUNCTION(copysignf, 2),
    FUNCTION(minimumf, 2), FUNCTION(maximumf, 2),   FUNCTION(minnumf, 2), FUNCTION(maxnumf, 2),
    FUNCTION(fmaf, 3),     FUNCTION(ceilf, 1),      FUNCTION(floorf, 1),  FUNCTION(truncf, 1),
    FUNCTION(roundf, 1),   FUNCTION(roundevenf, 1), FUNCTION(signf, 1)};

const char *const integerPredicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};
const char *const floatPredicates[] = {"oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                       "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};

std::string operands(unsigned arity) {
  return arity == 1 ? " %x" : arity == 2 ? " %x, %y" : " %x, %y, %z";
}

std::vector<APFloat> numbers(const NumberType &type, llvm::ArrayRef<uint64_t> row) {
  std::vector<APFloat> values;
  for (uint64_t pattern : row)
    values.push_back(type.number(pattern));
  return values;
}

bool anyNaN(llvm::ArrayRef<APFloat> values) {
  return llvm::any_of(values, [](const APFloat &value) { return value.isNaN(); });
}

/// Counts what was compared, and checks it.
class LanewiseValuesTest : public LanewiseTest {
protected:
  /// Computes the cases in the form and compares every row.
  void check(const NumberType &type, llvm::ArrayRef<Case> cases, unsigned arity, RowForm form) {
    if (cases.empty())
      return;
    Rows rows = makeRows(type, arity, kRows, 17 * arity + type.bits);
    std::vector<RowOperation> operations;
    for (const Case &entry : cases)
      operations.push_back(entry.operation);
    std::vector<std::vector<uint64_t>> results = run(type, operations, rows, form);
    for (auto [number, entry] : llvm::enumerate(cases)) {
      size_t compared = 0;
      for (auto [i, row] : llvm::enumerate(rows)) {
        Expected expected = entry.reference(row);
        if (expected.kind == Expected::Anything)
          continue;
        ++compared;
        uint64_t actual = results[number][i];
        if (expected.kind == Expected::NaN ? entry.operation.result->isNaN(actual)
                                           : actual == expected.bits)
          continue;
        std::string inputs;
        for (uint64_t value : row)
          inputs += " 0x" + llvm::utohexstr(value);
        ADD_FAILURE() << nameOf(form) << ": " << entry.operation.text << " of " << type.name << " :"
                      << inputs << " gives 0x" << llvm::utohexstr(actual) << ", expected "
                      << (expected.kind == Expected::NaN ? "a NaN"
                                                         : "0x" + llvm::utohexstr(expected.bits));
        break;
      }
      // Of shifts and of conversions to 8-bit floats few rows have a value.
      EXPECT_GE(compared, kRows / 32) << entry.operation.text << " of " << type.name;
      combinations += compared > 0;
    }
  }

  /// The cases of each arity by themselves, in all forms of kernels.
  void checkAll(const NumberType &type, llvm::function_ref<std::vector<Case>(unsigned)> cases) {
    for (RowForm form :
         {RowForm::Uniform, RowForm::Lanes, RowForm::VectorUniform, RowForm::VectorLanes})
      for (unsigned arity : {1, 2, 3})
        check(type, cases(arity), arity, form);
  }

  Type lowerCase(const NumberType &type) {
    Builder builder(&context);
    if (!type.isFloat())
      return builder.getIntegerType(type.bits);
    for (Type candidate :
         {Type(Float8E4M3FNType::get(&context)), Type(Float8E5M2Type::get(&context)),
          Type(builder.getF16Type()), Type(builder.getBF16Type()), Type(builder.getF32Type()),
          Type(builder.getF64Type())})
      if (&cast<FloatType>(candidate).getFloatSemantics() == type.semantics)
        return candidate;
    std::abort();
  }

  size_t combinations = 0;
};

TEST_F(LanewiseValuesTest, Integers) {
  for (const NumberType &type : integerTypes())
    checkAll(type, [&](unsigned arity) {
      std::vector<Case> cases;
      auto values = [&type](llvm::ArrayRef<uint64_t> row) {
        return llvm::map_to_vector(row, [&](uint64_t bits) { return APInt(type.bits, bits); });
      };
      for (const Function &function : integerFunctions)
        if (function.arity == arity)
          cases.push_back({{function.name + operands(arity) + " : $", &type},
                           [&function, values](llvm::ArrayRef<uint64_t> row) {
                             std::optional<APInt> value =
                                 evaluateInteger(function.function, values(row));
                             return value ? Expected::of(*value) : Expected();
                           }});
      for (auto [number, name] : llvm::enumerate(integerPredicates))
        if (arity == 2)
          cases.push_back({{std::string("cmpi ") + name + ", %x, %y : $->", &numberType("i1")},
                           [number = number, values](llvm::ArrayRef<uint64_t> row) {
                             auto operands = values(row);
                             return Expected::of(
                                 compareIntegers(IntPredicate(number), operands[0], operands[1]));
                           }});
      return cases;
    });
  EXPECT_EQ(combinations, 4u * 5 * (29 + 10));
}

TEST_F(LanewiseValuesTest, Floats) {
  for (const NumberType &type : floatTypes())
    checkAll(type, [&](unsigned arity) {
      std::vector<Case> cases;
      for (const Function &function : floatFunctions) {
        if (function.arity != arity)
          continue;
        // These choose among their operands, or move bits.
        bool mayHideNaN = llvm::is_contained({LanewiseFunction::minnumf, LanewiseFunction::maxnumf,
                                              LanewiseFunction::signf, LanewiseFunction::negf,
                                              LanewiseFunction::absf, LanewiseFunction::copysignf},
                                             function.function);
        cases.push_back({{function.name + operands(arity) + " : $", &type},
                         [&function, &type, mayHideNaN](llvm::ArrayRef<uint64_t> row) {
                           std::vector<APFloat> values = numbers(type, row);
                           std::optional<APFloat> value = evaluateFloat(function.function, values);
                           if (value)
                             return Expected::of(*value);
                           return anyNaN(values) && !mayHideNaN ? Expected::nan() : Expected();
                         }});
      }
      const char *const modes[] = {"ordered", "number", "ieee"};
      for (auto [number, mode] : llvm::enumerate(modes))
        if (arity == 3)
          cases.push_back({{std::string("clampf<") + mode + "> %x, %y, %z : $", &type},
                           [&type, number = number](llvm::ArrayRef<uint64_t> row) {
                             std::optional<APFloat> value = evaluateFloat(
                                 LanewiseFunction::clampf, numbers(type, row), ClampMode(number));
                             return value ? Expected::of(*value) : Expected();
                           }});
      return cases;
    });
  EXPECT_EQ(combinations, 4u * 6 * (19 + 3));
}

TEST_F(LanewiseValuesTest, FloatComparisons) {
  for (const NumberType &type : floatTypes())
    checkAll(type, [&](unsigned arity) {
      std::vector<Case> cases;
      const NumberType &truth = numberType("i1");
      for (auto [number, name] : llvm::enumerate(floatPredicates))
        if (arity == 2)
          cases.push_back({{std::string("cmpf ") + name + ", %x, %y : $->", &truth},
                           [&type, number = number](llvm::ArrayRef<uint64_t> row) {
                             return Expected::of(compareFloats(
                                 FloatPredicate(number), type.number(row[0]), type.number(row[1])));
                           }});
      if (arity != 1)
        return cases;
      auto test = [&](const char *name, bool (APFloat::*holds)() const) {
        cases.push_back({{std::string(name) + " %x : $->", &truth},
                         [&type, holds](llvm::ArrayRef<uint64_t> row) {
                           return Expected::of((type.number(row[0]).*holds)());
                         }});
      };
      test("isnanf", &APFloat::isNaN);
      test("isinff", &APFloat::isInfinity);
      test("isfinitef", &APFloat::isFinite);
      return cases;
    });
  EXPECT_EQ(combinations, 4u * 6 * (14 + 3));
}

TEST_F(LanewiseValuesTest, Conversions) {
  auto convert = [&](LanewiseFunction function, const NumberType &from, const NumberType &to) {
    Type source = lowerCase(from), target = lowerCase(to);
    return [=, &from, &to](llvm::ArrayRef<uint64_t> row) -> Expected {
      TypedAttr literal;
      if (from.isFloat())
        literal = FloatAttr::get(source, from.number(row[0]));
      else
        literal = IntegerAttr::get(source, APInt(from.bits, row[0]));
      TypedAttr value = convertNumber(function, literal, target);
      if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
        return Expected::of(integer.getValue());
      if (auto number = dyn_cast_or_null<FloatAttr>(value))
        return Expected::of(number.getValue());
      return from.isNaN(row[0]) && to.isFloat() ? Expected::nan() : Expected();
    };
  };
  std::vector<NumberType> all(integerTypes().begin(), integerTypes().end());
  all.insert(all.end(), floatTypes().begin(), floatTypes().end());
  size_t expected = 0;
  for (const NumberType &from : all)
    checkAll(from, [&](unsigned arity) {
      std::vector<Case> cases;
      auto add = [&](const char *name, LanewiseFunction function, const NumberType &to) {
        cases.push_back({{std::string(name) + " %x : $=>", &to}, convert(function, from, to)});
        ++expected;
      };
      for (const NumberType &to : all) {
        if (arity != 1)
          break;
        if (from.isFloat() && to.isFloat()) {
          if (from.bits < to.bits)
            add("extf", LanewiseFunction::extf, to);
          if (from.bits > to.bits)
            add("fptrunc", LanewiseFunction::fptrunc, to);
        } else if (from.isFloat()) {
          add("fptosi", LanewiseFunction::fptosi, to);
          add("fptoui", LanewiseFunction::fptoui, to);
        } else if (to.isFloat()) {
          add("sitofp", LanewiseFunction::sitofp, to);
          add("uitofp", LanewiseFunction::uitofp, to);
        } else if (from.bits < to.bits) {
          add("extsi", LanewiseFunction::extsi, to);
          add("extui", LanewiseFunction::extui, to);
        } else if (from.bits > to.bits) {
          add("trunci", LanewiseFunction::trunci, to);
        }
        if (from.bits == to.bits && from.bits > 1 && &from != &to)
          add("bitcast", LanewiseFunction::bitcast, to);
      }
      return cases;
    });
  EXPECT_EQ(combinations, expected);
  // 26 conversions of floats, 120 between floats and integers, 30 of integers, and bit casts.
  EXPECT_GE(expected, 4u * (26 + 120 + 30));
}

TEST_F(LanewiseValuesTest, AMDGPUNeedsNoLibrary) {
  auto check = [&](const NumberType &type, llvm::ArrayRef<Function> functions) {
    for (unsigned arity : {1, 2, 3}) {
      std::vector<RowOperation> operations;
      for (const Function &function : functions)
        if (function.arity == arity)
          operations.push_back({function.name + operands(arity) + " : $", &type});
      if (operations.empty())
        continue;
      for (RowForm form : {RowForm::Lanes, RowForm::VectorLanes})
        EXPECT_EQ(compileForAMDGPU(type, operations, arity, form), std::vector<std::string>())
            << type.name;
    }
  };
  for (const NumberType &type : integerTypes())
    check(type, integerFunctions);
  for (const NumberType &type : floatTypes())
    check(type, floatFunctions);
}

/// Divisions by a literal take other ways than others.
TEST_F(LanewiseValuesTest, DivisionByLiterals) {
  for (const char *name : {"i8", "i32", "i64"}) {
    const NumberType &type = numberType(name);
    for (RowForm form : {RowForm::Uniform, RowForm::Lanes}) {
      std::vector<Case> cases;
      for (const Function &function : integerFunctions)
        if (function.function >= LanewiseFunction::divsi &&
            function.function <= LanewiseFunction::floordivsi)
          for (int64_t divisor : {-7, -1, 1, 3, 10}) {
            std::string constant = "constant " + std::to_string(divisor) + " : $\n    %r" +
                                   std::to_string(cases.size()) + " = scalar." + function.name +
                                   " %x, %d" + std::to_string(cases.size()) + " : $";
            cases.push_back({{constant, &type}, [&, divisor](llvm::ArrayRef<uint64_t> row) {
                               std::optional<APInt> value = evaluateInteger(
                                   function.function, {APInt(type.bits, row[0]),
                                                       APInt(type.bits, divisor, true, true)});
                               return value ? Expected::of(*value) : Expected();
                             }});
          }
      for (auto [number, entry] : llvm::enumerate(cases))
        entry.operation.result = &type, entry.operation.defines = "%d" + std::to_string(number);
      check(type, cases, 1, form);
    }
  }
  EXPECT_EQ(combinations, 3u * 2 * 7 * 5);
}

//===----------------------------------------------------------------------===//
// Operations beside the functions
//===----------------------------------------------------------------------===//

/// Sixteen bytes for each work-item go through vectors of these types in turn.
struct BitcastCase {
  const char *element;
  unsigned count;
};

TEST_F(LanewiseValuesTest, VectorBitcasts) {
  const BitcastCase types[] = {{"i8", 16}, {"f8E4M3", 16}, {"bf16", 8},
                               {"f32", 4}, {"i64", 2},     {"2x8xi8", 1}};
  auto vector = [](const BitcastCase &type) {
    bool hasShape = llvm::StringRef(type.element).contains('x');
    return "vector<" + (hasShape ? "" : std::to_string(type.count) + "x") + type.element + ">";
  };
  std::vector<char> bytes(16 * 100), nothing(bytes.size(), 0x33);
  std::mt19937 generator(2);
  for (char &byte : bytes)
    byte = generator();
  for (int64_t size : {1, 64})
    for (const BitcastCase &from : types) {
      // From bytes to the first type, to the second one, and back.
      std::string body = "    %k = index.constant 16 : index\n    %row = index.mul %i, %k : index\n"
                         "    %all = index.mul %n, %k : index\n"
                         "    %in = buffer.view %b0[%base] : buffer -> view<[%all]xi8>\n"
                         "    %x = vector.load %in[%row] : view<[%all]xi8> -> vector<16xi8>\n"
                         "    %a = vector.bitcast %x : vector<16xi8> to " +
                         vector(from) + "\n";
      std::vector<std::string> elements = {"i8"};
      for (const BitcastCase &to : types) {
        std::string id = std::to_string(elements.size());
        body += "    %b_" + id + " = vector.bitcast %a : " + vector(from) + " to " + vector(to) +
                "\n    %c_" + id + " = vector.bitcast %b_" + id + " : " + vector(to) +
                " to vector<16xi8>\n    %out_" + id + " = buffer.view %b" + id +
                "[%base] : buffer -> view<[%all]xi8>\n    vector.store %c_" + id + ", %out_" + id +
                "[%row] : vector<16xi8>, view<[%all]xi8>\n";
        elements.push_back("i8");
      }
      x86::CompiledKernels kernels = compile(elementwise(elements, body, size));
      std::vector<std::vector<char>> results(std::size(types), nothing);
      Arguments arguments;
      arguments.add(int64_t(100)).add(bytes);
      for (std::vector<char> &result : results)
        arguments.add(result);
      launch(kernels, "k", (100 + size - 1) / size, arguments);
      for (auto [number, to] : llvm::enumerate(types))
        EXPECT_EQ(results[number], bytes) << vector(from) << " to " << vector(to) << ", " << size;
    }
}

/// Elements that are looked at, not only moved back.
TEST_F(LanewiseValuesTest, VectorBitcastsAreLittleEndian) {
  std::string body = R"(
    %four = index.constant 4 : index
    %row = index.mul %i, %four : index
    %all = index.mul %n, %four : index
    %in = buffer.view %b0[%base] : buffer -> view<[%all]xi8>
    %x = vector.load %in[%row] : view<[%all]xi8> -> vector<4xi8>
    %word = vector.bitcast %x : vector<4xi8> to vector<1xi32>
    %one = vector.constant 1 : vector<1xi32>
    %more = vector.addi %word, %one : vector<1xi32>
    %halves = vector.bitcast %more : vector<1xi32> to vector<2xi16>
    %out = buffer.view %b1[%base] : buffer -> view<[%all]xi16>
    %two = index.constant 2 : index
    %place = index.mul %i, %two : index
    vector.store %halves, %out[%place] : vector<2xi16>, view<[%all]xi16>
    %flags = vector.bitcast %word : vector<1xi32> to vector<32xi1>
    %bits = vector.extui %flags : vector<32xi1> to vector<32xi8>
    %spread = index.constant 32 : index
    %first = index.mul %i, %spread : index
    %many = index.mul %n, %spread : index
    %single = buffer.view %b2[%base] : buffer -> view<[%many]xi8>
    vector.store %bits, %single[%first] : vector<32xi8>, view<[%many]xi8>
)";
  std::vector<uint32_t> words;
  std::mt19937 generator(4);
  for (size_t i = 0; i < 100; ++i)
    words.push_back(i == 0 ? 0xffff : generator());
  for (int64_t size : {1, 64}) {
    x86::CompiledKernels kernels = compile(elementwise({"i8", "i16", "i8"}, body, size));
    std::vector<uint32_t> more(words.size());
    std::vector<uint8_t> bits(words.size() * 32);
    launch(kernels, "k", (100 + size - 1) / size,
           Arguments().add(int64_t(words.size())).add(words).add(more).add(bits));
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(more[i], words[i] + 1);
      for (size_t bit = 0; bit < 32; ++bit)
        ASSERT_EQ(bits[32 * i + bit], words[i] >> bit & 1) << i << ", " << bit;
    }
  }
}

TEST_F(LanewiseValuesTest, SelectionsFieldsAndConstants) {
  std::string body = R"(
    %x = view.load %v0[%i] : view<[%n]xi32> -> i32
    %low = scalar.bitfield.extractu %x {offset = 3, width = 5} : i32 -> i8
    %low32 = scalar.extui %low : i8 to i32
    view.store %low32, %v1[%i] : i32, view<[%n]xi32>
    %signed = scalar.bitfield.extracts %x {offset = 20, width = 12} : i32 -> i64
    %signed32 = scalar.trunci %signed : i64 to i32
    view.store %signed32, %v2[%i] : i32, view<[%n]xi32>
    %v = vector.splat %x : vector<3xi32>
    %seven = vector.constant 7 : vector<3xi32>
    %mask = vector.cmpi sgt, %v, %seven : vector<3xi32> -> vector<3xi1>
    %chosen = vector.select %mask, %v, %seven : vector<3xi32>
    %picked = vector.extract %chosen[2] : vector<3xi32> -> i32
    view.store %picked, %v3[%i] : i32, view<[%n]xi32>
    %large = scalar.constant 448.0 : f8E4M3
    %tiny = scalar.constant -6.103515625e-05 : f8E5M2
    %p = scalar.poison : i32
    %q = scalar.extf %large : f8E4M3 to f32
    %r = scalar.extf %tiny : f8E5M2 to f32
    %s = scalar.addf %q, %r : f32
    %t = scalar.bitcast %s : f32 to i32
    view.store %t, %v4[%i] : i32, view<[%n]xi32>
)";
  std::vector<int32_t> x;
  std::mt19937 generator(5);
  for (size_t i = 0; i < 100; ++i)
    x.push_back(i % 2 ? generator() : generator() % 16);
  float sum = 448.0f - 6.103515625e-05f;
  int32_t sumBits;
  std::memcpy(&sumBits, &sum, 4);
  for (int64_t size : {1, 64}) {
    x86::CompiledKernels kernels =
        compile(elementwise({"i32", "i32", "i32", "i32", "i32"}, body, size));
    std::vector<int32_t> low(100), top(100), larger(100), constant(100);
    launch(kernels, "k", (100 + size - 1) / size,
           Arguments().add(int64_t(100)).add(x).add(low).add(top).add(larger).add(constant));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(low[i], x[i] >> 3 & 31);
      EXPECT_EQ(top[i], x[i] >> 20);
      EXPECT_EQ(larger[i], std::max(x[i], 7));
      EXPECT_EQ(constant[i], sumBits);
    }
  }
}

} // namespace
} // namespace loom::test
