//===- VectorArithmeticTest.cpp - Reductions, bits, tables, schemas -------===//
//
// Floats are compared with llvm::APFloat, which rounds once; 8-bit floats are computed in a format
// that holds every sum and product of them.
//
//===----------------------------------------------------------------------===//
#include "VectorPrograms.h"
#include <cmath>

using llvm::APFloat;

namespace loom::test {
namespace {

using Inputs = std::vector<Elements>;

std::string vectorText(const std::string &extents, const std::string &element) {
  return ValueType(element, extents).text();
}

const char *const floatTypes[] = {"f8E4M3", "f8E5M2", "f16", "bf16", "f32", "f64"};
const char *const integerTypes[] = {"i8", "i16", "i32", "i64"};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

using Combine = std::function<uint64_t(const ElementType &, uint64_t, uint64_t)>;

const std::pair<const char *, Combine> integerKinds[] = {
    {"addi", [](const ElementType &t, uint64_t a, uint64_t b) { return (a + b) & t.mask(); }},
    {"muli", [](const ElementType &t, uint64_t a, uint64_t b) { return (a * b) & t.mask(); }},
    {"minsi", [](const ElementType &t, uint64_t a,
                 uint64_t b) { return t.asSigned(a) < t.asSigned(b) ? a : b; }},
    {"maxsi", [](const ElementType &t, uint64_t a,
                 uint64_t b) { return t.asSigned(a) > t.asSigned(b) ? a : b; }},
    {"minui", [](const ElementType &, uint64_t a, uint64_t b) { return std::min(a, b); }},
    {"maxui", [](const ElementType &, uint64_t a, uint64_t b) { return std::max(a, b); }},
    {"andi", [](const ElementType &, uint64_t a, uint64_t b) { return a & b; }},
    {"ori", [](const ElementType &, uint64_t a, uint64_t b) { return a | b; }},
    {"xori", [](const ElementType &, uint64_t a, uint64_t b) { return a ^ b; }}};

/// The smaller or larger number; `isNumber` prefers it to a NaN.
uint64_t choose(const ElementType &type, uint64_t a, uint64_t b, bool larger, bool isNumber) {
  APFloat x = type.number(a), y = type.number(b);
  if (isNumber)
    return type.rounded(larger ? maximumnum(x, y) : minimumnum(x, y));
  return type.rounded(larger ? maximum(x, y) : minimum(x, y));
}

const std::pair<const char *, Combine> floatKinds[] = {
    {"addf", [](const ElementType &t, uint64_t a, uint64_t b) { return t.add(a, b); }},
    {"mulf", [](const ElementType &t, uint64_t a, uint64_t b) { return t.mul(a, b); }},
    {"minimumf",
     [](const ElementType &t, uint64_t a, uint64_t b) { return choose(t, a, b, false, false); }},
    {"maximumf",
     [](const ElementType &t, uint64_t a, uint64_t b) { return choose(t, a, b, true, false); }},
    {"minnumf",
     [](const ElementType &t, uint64_t a, uint64_t b) { return choose(t, a, b, false, true); }},
    {"maxnumf",
     [](const ElementType &t, uint64_t a, uint64_t b) { return choose(t, a, b, true, true); }}};

/// Of a matrix all elements, those of each row, and those of each column.
VectorCase reduction(const std::string &kind, const std::string &name, const Combine &combine) {
  ElementType type(name);
  return {kind + "_" + name,
          {{name, "3x4"}, {name, "4"}, {name, ""}},
          {{name, ""}, {name, "3"}, {name, "4"}, {name, ""}},
          "  %r0 = vector.reduce<" + kind + "> %a0, %a2 : " + vectorText("3x4", name) + ", " +
              name + "\n  %s = vector.slice %a1[1] : " + vectorText("4", name) + " -> " +
              vectorText("3", name) + "\n  %r1 = vector.reduce.axes<" + kind +
              "> %a0, %s axes [1] : " + vectorText("3x4", name) + ", " + vectorText("3", name) +
              "\n  %r2 = vector.reduce.axes<" + kind +
              "> %a0, %a1 axes [0] : " + vectorText("3x4", name) + ", " + vectorText("4", name) +
              "\n  %r3 = vector.reduce.axes<" + kind +
              "> %a0, %a2 axes [0, 1] : " + vectorText("3x4", name) + ", " + name,
          [type, combine](const Inputs &a) {
            Elements all = a[2], rows(a[1].begin() + 1, a[1].end()), columns = a[1];
            for (size_t i = 0; i < 12; ++i) {
              all[0] = combine(type, all[0], a[0][i]);
              rows[i / 4] = combine(type, rows[i / 4], a[0][i]);
              columns[i % 4] = combine(type, columns[i % 4], a[0][i]);
            }
            return Inputs{all, rows, columns, all};
          }};
}

TEST_F(VectorOpsTest, IntegerReductions) {
  std::vector<VectorCase> cases;
  for (auto &[kind, combine] : integerKinds)
    cases.push_back(reduction(kind, "i32", combine));
  for (size_t kind : {0, 1, 2, 5})
    for (const char *name : {"i8", "i64"})
      cases.push_back(reduction(integerKinds[kind].first, name, integerKinds[kind].second));
  for (size_t kind : {6, 7, 8})
    cases.push_back(reduction(integerKinds[kind].first, "i1", integerKinds[kind].second));
  run(cases);
}

TEST_F(VectorOpsTest, FloatReductions) {
  std::vector<VectorCase> cases;
  for (auto &[kind, combine] : floatKinds)
    cases.push_back(reduction(kind, "f32", combine));
  for (size_t kind : {0, 2})
    for (const char *name : {"f8E4M3", "f8E5M2", "f16", "bf16", "f64"})
      cases.push_back(reduction(floatKinds[kind].first, name, floatKinds[kind].second));
  run(cases);
}

/// Any order is right; of numbers without a rounding error all give the same.
TEST_F(VectorOpsTest, ReductionsInAnyOrder) {
  std::vector<VectorCase> cases;
  for (std::string name : {"f16", "f32", "f64"}) {
    ElementType type(name);
    auto small = [type](Random &random) { return type.rounded(double(random() % 9) - 4); };
    cases.push_back({"any_" + name,
                     {{name, "9", small}, {name, "", small}},
                     {{name, ""}, {name, ""}},
                     "  %r0 = vector.reduce<addf, reassoc> %a0, %a1 : " + vectorText("9", name) +
                         ", " + name + "\n  %r1 = vector.dotf<reassoc> %a0, %a0, %a1 : " +
                         vectorText("9", name) + ", " + vectorText("9", name) + ", " + name,
                     [type](const Inputs &a) {
                       uint64_t sum = a[1][0], dot = a[1][0];
                       for (uint64_t x : a[0]) {
                         sum = type.add(sum, x);
                         dot = type.fma(x, x, dot);
                       }
                       return Inputs{{sum}, {dot}};
                     }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, DotOfFloats) {
  std::vector<VectorCase> cases;
  for (std::string name : floatTypes) {
    ElementType type(name);
    cases.push_back({"dotf_" + name,
                     {{name, "5"}, {name, "5"}, {name, ""}},
                     {{name, ""}},
                     "  %r0 = vector.dotf %a0, %a1, %a2 : " + vectorText("5", name) + ", " +
                         vectorText("5", name) + ", " + name,
                     [type](const Inputs &a) {
                       uint64_t sum = a[2][0];
                       for (size_t i = 0; i < 5; ++i)
                         sum = type.fma(a[0][i], a[1][i], sum);
                       return Inputs{{sum}};
                     }});
  }
  for (std::string name : {"f16", "bf16"}) {
    ElementType type(name), single("f32");
    cases.push_back({"dot2f_" + name,
                     {{name, "2x6"}, {name, "2x6"}, {"f32", "2x3"}},
                     {{"f32", "2x3"}},
                     "  %r0 = vector.dot2f %a0, %a1, %a2 : " + vectorText("2x6", name) + ", " +
                         vectorText("2x6", name) + ", vector<2x3xf32>",
                     [type, single](const Inputs &a) {
                       Elements sums = a[2];
                       for (size_t i = 0; i < 12; ++i)
                         sums[i / 2] =
                             single.fma(single.rounded(type.number(a[0][i])),
                                        single.rounded(type.number(a[1][i])), sums[i / 2]);
                       return Inputs{sums};
                     }});
  }
  const char *kinds[] = {"fp8bf8", "bf8fp8", "fp8fp8", "bf8bf8"};
  for (std::string kind : kinds) {
    ElementType lhs(kind[0] == 'f' ? "f8E4M3" : "f8E5M2");
    ElementType rhs(kind[3] == 'f' ? "f8E4M3" : "f8E5M2");
    cases.push_back(
        {"dot4f8_" + kind,
         {{"i32", "3"}, {"i32", "3"}, {"f32", "3"}},
         {{"f32", "3"}},
         "  %r0 = vector.dot4f8<" + kind + "> %a0, %a1, %a2 : vector<3xi32>, vector<3xf32>",
         [lhs, rhs](const Inputs &a) {
           ElementType single("f32");
           Elements sums = a[2];
           for (size_t i = 0; i < 12; ++i) {
             uint64_t x = a[0][i / 4] >> (i % 4 * 8) & 0xff;
             uint64_t y = a[1][i / 4] >> (i % 4 * 8) & 0xff;
             sums[i / 4] = single.fma(single.rounded(lhs.number(x)), single.rounded(rhs.number(y)),
                                      sums[i / 4]);
           }
           return Inputs{sums};
         }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, DotOfIntegers) {
  std::vector<VectorCase> cases;
  for (std::string kind : {"s8s8", "u8s8", "s8u8", "u8u8"})
    cases.push_back({"dot4i_" + kind,
                     {{"i8", "2x8"}, {"i8", "2x8"}, {"i32", "2x2"}},
                     {{"i32", "2x2"}},
                     "  %r0 = vector.dot4i<" + kind +
                         "> %a0, %a1, %a2 : vector<2x8xi8>, vector<2x8xi8>, vector<2x2xi32>",
                     [kind](const Inputs &a) {
                       Elements sums = a[2];
                       for (size_t i = 0; i < 16; ++i) {
                         int64_t x = kind[0] == 's' ? int8_t(a[0][i]) : int64_t(a[0][i]);
                         int64_t y = kind[2] == 's' ? int8_t(a[1][i]) : int64_t(a[1][i]);
                         sums[i / 4] = uint32_t(sums[i / 4] + uint64_t(x * y));
                       }
                       return Inputs{sums};
                     }});
  for (std::string kind : {"s4s4", "u4s4", "s4u4", "u4u4"})
    cases.push_back({"dot8i4_" + kind,
                     {{"i32", "3"}, {"i32", "3"}, {"i32", "3"}},
                     {{"i32", "3"}},
                     "  %r0 = vector.dot8i4<" + kind + "> %a0, %a1, %a2 : vector<3xi32>",
                     [kind](const Inputs &a) {
                       auto nibble = [](uint64_t word, size_t place, bool isSigned) {
                         int64_t value = word >> (4 * place) & 15;
                         return isSigned && value > 7 ? value - 16 : value;
                       };
                       Elements sums = a[2];
                       for (size_t i = 0; i < 24; ++i)
                         sums[i / 8] = uint32_t(
                             sums[i / 8] + uint64_t(nibble(a[0][i / 8], i % 8, kind[0] == 's') *
                                                    nibble(a[1][i / 8], i % 8, kind[2] == 's')));
                       return Inputs{sums};
                     }});
  run(cases);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, Bitfields) {
  struct Field {
    const char *from, *to;
    unsigned offset, width;
  };
  const Field fields[] = {{"i8", "i8", 0, 4},    {"i8", "i8", 4, 4},    {"i32", "i8", 11, 7},
                          {"i32", "i32", 0, 32}, {"i16", "i64", 5, 11}, {"i64", "i64", 63, 1},
                          {"i64", "i64", 0, 64}, {"i8", "i1", 6, 1},    {"i1", "i8", 0, 1},
                          {"i32", "i16", 3, 16}};
  std::vector<VectorCase> cases;
  for (const Field &field : fields) {
    ElementType from(field.from), to(field.to);
    uint64_t ones = field.width == 64 ? ~uint64_t(0) : (uint64_t(1) << field.width) - 1;
    std::string place = "{offset = " + std::to_string(field.offset) +
                        ", width = " + std::to_string(field.width) + "}";
    std::string source = vectorText("3", from.name), result = vectorText("3", to.name);
    cases.push_back({"field_" + from.name + "_" + to.name + "_" + std::to_string(field.offset) +
                         "_" + std::to_string(field.width),
                     {{from.name, "3"}, {to.name, "3"}},
                     {{to.name, "3"}, {to.name, "3"}, {from.name, "3"}},
                     "  %r0 = vector.bitfield.extractu %a0 " + place + " : " + source + " -> " +
                         result + "\n  %r1 = vector.bitfield.extracts %a0 " + place + " : " +
                         source + " -> " + result + "\n  %r2 = vector.bitfield.insert %a1 into " +
                         "%a0 " + place + " : " + result + ", " + source,
                     [=](const Inputs &a) {
                       Inputs r(3);
                       for (size_t i = 0; i < 3; ++i) {
                         uint64_t bits = a[0][i] >> field.offset & ones;
                         r[0].push_back(bits);
                         r[1].push_back(llvm::SignExtend64(bits, field.width) & to.mask());
                         r[2].push_back((a[0][i] & ~(ones << field.offset)) | (a[1][i] & ones)
                                                                                  << field.offset);
                       }
                       return r;
                     }});
  }
  run(cases);
}

/// The bits of a stream, lowest first.
std::vector<bool> streamOf(const Elements &elements, unsigned width) {
  std::vector<bool> stream;
  for (uint64_t element : elements)
    for (unsigned bit = 0; bit < width; ++bit)
      stream.push_back(element >> bit & 1);
  return stream;
}

Elements fieldsOf(const std::vector<bool> &stream, unsigned width) {
  Elements fields(stream.size() / width);
  for (size_t bit = 0; bit < stream.size(); ++bit)
    fields[bit / width] |= uint64_t(stream[bit]) << bit % width;
  return fields;
}

TEST_F(VectorOpsTest, Packing) {
  struct Packing {
    unsigned width;
    const char *lane, *fields, *word, *words;
  };
  const Packing packings[] = {
      {4, "i8", "8", "i32", "1"},   {3, "i8", "2x4", "i8", "3"}, {5, "i16", "8", "i8", "5"},
      {12, "i16", "4", "i16", "3"}, {8, "i8", "8", "i32", "2"},  {1, "i1", "16", "i16", "1"},
      {1, "i8", "16", "i8", "2"},   {7, "i8", "8", "i8", "7"},   {32, "i32", "4", "i64", "2"},
      {40, "i64", "2", "i16", "5"}, {16, "i32", "3", "i8", "6"}, {24, "i32", "4", "i16", "6"}};
  std::vector<VectorCase> cases;
  for (const Packing &packing : packings) {
    ElementType lane(packing.lane);
    unsigned width = packing.width, wordBits = ElementType(packing.word).bits;
    std::string number = "<" + std::to_string(width) + ">";
    std::string fields = vectorText(packing.fields, packing.lane);
    std::string words = vectorText(packing.words, packing.word);
    cases.push_back({"pack_" + std::to_string(width) + "_" + packing.lane + "_" + packing.word,
                     {{packing.lane, packing.fields}, {packing.word, packing.words}},
                     {{packing.word, packing.words},
                      {packing.lane, packing.fields},
                      {packing.lane, packing.fields}},
                     "  %r0 = vector.bitpack" + number + " %a0 : " + fields + " -> " + words +
                         "\n  %r1 = vector.bitunpacku" + number + " %a1 : " + words + " -> " +
                         fields + "\n  %r2 = vector.bitunpacks" + number + " %a1 : " + words +
                         " -> " + fields,
                     [=](const Inputs &a) {
                       Elements unpacked = fieldsOf(streamOf(a[1], wordBits), width), extended;
                       for (uint64_t field : unpacked)
                         extended.push_back(llvm::SignExtend64(field, width) & lane.mask());
                       return Inputs{fieldsOf(streamOf(a[0], width), wordBits), unpacked, extended};
                     }});
  }
  run(cases);
}

//===----------------------------------------------------------------------===//
// Tables and transforms
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, TableLookup) {
  std::vector<VectorCase> cases;
  for (std::string type : {"i8", "f32", "i64", "f8E5M2"})
    for (std::string index : {"i8", "i64"})
      for (int64_t size :
           type == "f32" ? std::vector<int64_t>{1, 5, 16, 40} : std::vector<int64_t>{7})
        cases.push_back(
            {"lookup_" + type + "_" + index + "_" + std::to_string(size),
             {{type, std::to_string(size)}, {index, "2x3", below(size)}},
             {{type, "2x3"}},
             "  %r0 = vector.table.lookup %a0[%a1] : " + vectorText(std::to_string(size), type) +
                 ", " + vectorText("2x3", index) + " -> " + vectorText("2x3", type),
             [](const Inputs &a) {
               Elements r;
               for (uint64_t index : a[1])
                 r.push_back(a[0].at(index));
               return Inputs{r};
             }});
  run(cases);
}

TEST_F(VectorOpsTest, TableQuantize) {
  std::vector<VectorCase> cases;
  for (std::string name : floatTypes)
    for (std::string code : {"i8", "i32"})
      for (bool countsTies : {false, true})
        for (bool nanIsMax : {false, true}) {
          ElementType type(name);
          // From a few values, so that many are equal; now and then a NaN or an infinity.
          auto make = [type](Random &random) {
            return random() % 6 ? type.rounded(double(random() % 8) - 3.5) : type.random(random);
          };
          std::string thresholds;
          for (int i = 0; i < 5; ++i) {
            std::string limit = i == 4   ? "2.5"
                                : i == 3 ? "0.5"
                                : i == 2 ? "0.5"
                                : i      ? "-1.5"
                                         : "-2.5";
            thresholds +=
                "  %t" + std::to_string(i) + " = scalar.constant " + limit + " : " + name + "\n";
          }
          cases.push_back(
              {"quantize_" + name + "_" + code + (countsTies ? "_upper" : "_lower") +
                   (nanIsMax ? "_max" : "_zero"),
               {{name, "2x2", make}},
               {{code, "2x2"}},
               thresholds + "  %t = vector.from_elements %t0, %t1, %t2, %t3, %t4 : " +
                   vectorText("5", name) + "\n  %r0 = vector.table.quantize %a0, %t {nan = " +
                   (nanIsMax ? "max" : "zero") + ", tie = " + (countsTies ? "upper" : "lower") +
                   "} : " + vectorText("2x2", name) + ", " + vectorText("5", name) + " -> " +
                   vectorText("2x2", code),
               [=](const Inputs &a) {
                 Elements codes;
                 for (uint64_t bits : a[0]) {
                   APFloat x = type.number(bits);
                   double value = x.isNaN() ? 0 : x.convertToDouble();
                   uint64_t count = 0;
                   for (double limit : {-2.5, -1.5, 0.5, 0.5, 2.5})
                     count += countsTies ? limit <= value : limit < value;
                   codes.push_back(x.isNaN() ? (nanIsMax ? 5 : 0) : count);
                 }
                 return Inputs{codes};
               }});
        }
  run(cases);
}

/// Rows of the transform from the definition of its butterflies.
void hadamard(const ElementType &type, uint64_t *row, size_t extent, bool isOrthonormal) {
  for (size_t stride = 1; stride < extent; stride *= 2)
    for (size_t i = 0; i < extent; ++i)
      if (i / stride % 2 == 0) {
        uint64_t a = row[i], b = row[i + stride];
        row[i] = type.add(a, b);
        row[i + stride] = type.sub(a, b);
      }
  double half = 0.70710678118654752440; // the root of one half
  uint64_t scale = type.rounded(extent == 1   ? 1
                                : extent == 2 ? half
                                : extent == 8 ? half / 2
                                              : 0.25);
  for (size_t i = 0; i < extent && isOrthonormal; ++i)
    row[i] = type.mul(row[i], scale);
}

TEST_F(VectorOpsTest, Transform) {
  std::vector<VectorCase> cases;
  for (std::string name : floatTypes)
    for (size_t extent : name == "f32" ? std::vector<size_t>{1, 2, 8, 16} : std::vector<size_t>{8})
      for (bool isOrthonormal : {false, true}) {
        ElementType type(name);
        std::string text = vectorText("2x" + std::to_string(extent), name);
        cases.push_back(
            {"transform_" + name + "_" + std::to_string(extent) +
                 (isOrthonormal ? "_orthonormal" : ""),
             {{name, "2x" + std::to_string(extent)}},
             {{name, "2x" + std::to_string(extent)}},
             std::string("  %t = encoding.define #transform.hadamard<normalization = ") +
                 (isOrthonormal ? "orthonormal" : "none") +
                 "> : encoding<transform>\n  %r0 = vector.transform %a0, %t : " + text +
                 ", encoding<transform> -> " + text,
             [=](const Inputs &a) {
               Elements rows = a[0];
               for (size_t row = 0; row < 2; ++row)
                 hadamard(type, &rows[row * extent], extent, isOrthonormal);
               return Inputs{rows};
             }});
      }
  run(cases);
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// A number of one type in another, rounded once.
uint64_t convert(const ElementType &from, const ElementType &to, uint64_t value, bool isSigned) {
  if (from.isFloat())
    return to.rounded(from.number(value));
  APFloat number(APFloat::IEEEquad());
  number.convertFromAPInt(llvm::APInt(from.bits, value), isSigned, APFloat::rmNearestTiesToEven);
  return to.rounded(number);
}

std::string schemaText(const std::string &parameters) {
  return "  %s = encoding.define #encoding.operand<" + parameters + "> : encoding<schema>\n";
}

TEST_F(VectorOpsTest, DecodeIntegers) {
  std::vector<VectorCase> cases;
  struct Format {
    const char *word, *lane;
  };
  for (Format format : {Format{"i8", "i8"},
                        {"u8", "i8"},
                        {"quant_i8", "i8"},
                        {"u16", "i16"},
                        {"i32", "i32"},
                        {"u1", "i1"}})
    for (std::string value : {"f16", "f32", "f8E5M2"}) {
      ElementType lane(format.lane), type(value), scale("bf16");
      bool isSigned = format.word[0] != 'u';
      std::string name = std::string("decode_") + format.word + "_" + value;
      std::string codes = vectorText("2x6", lane.name), results = vectorText("2x6", value);
      cases.push_back(
          {name,
           {{lane.name, "2x6"}, {lane.name, "3"}, {"bf16", "3"}},
           {{value, "2x6"}},
           schemaText(
               "affine = scale_plus_zero_point, element_format = " + std::string(format.word) +
               ", payload_elements = 12, payload_packing = dense_lanes, "
               "scale_format = bf16, scale_group_elements = 4, scale_operands "
               "= 1, scale_topology = group_1d") +
               "  %r0 = vector.decode %a0 using %s {scale = %a2 : vector<3xbf16>, "
               "zero_point = %a1 : " +
               vectorText("3", lane.name) + "} : " + codes + ", encoding<schema> -> " + results,
           [=](const Inputs &a) {
             Elements r;
             for (size_t i = 0; i < 12; ++i) {
               uint64_t v = convert(lane, type, a[0][i], isSigned);
               v = type.sub(v, convert(lane, type, a[1][i / 4], isSigned));
               r.push_back(type.mul(v, convert(scale, type, a[2][i / 4], true)));
             }
             return Inputs{r};
           }});
    }
  // Without arithmetic an integer stays one.
  cases.push_back({"decode_plain",
                   {{"i8", "4"}},
                   {{"i32", "4"}, {"i32", "4"}},
                   schemaText("element_format = i8, payload_elements = 4, payload_packing = "
                              "dense_lanes") +
                       "  %t = encoding.define #encoding.u8<payload_elements = 4> : "
                       "encoding<schema>\n"
                       "  %r0 = vector.decode %a0 using %s : vector<4xi8>, encoding<schema> -> "
                       "vector<4xi32>\n"
                       "  %r1 = vector.decode %a0 using %t : vector<4xi8>, encoding<schema> -> "
                       "vector<4xi32>",
                   [](const Inputs &a) {
                     Inputs r = {{}, a[0]};
                     for (uint64_t code : a[0])
                       r[0].push_back(uint32_t(int8_t(code)));
                     return r;
                   }});
  run(cases);
}

TEST_F(VectorOpsTest, DecodeByTopology) {
  struct Topology {
    const char *words;
    size_t scales;
    std::function<size_t(size_t row, size_t column)> index;
  };
  const Topology topologies[] = {
      {"scale_group_shape = [24], scale_topology = tensor_global", 1,
       [](size_t, size_t) { return 0; }},
      {"scale_group_shape = [6], scale_topology = row", 4, [](size_t row, size_t) { return row; }},
      {"scale_group_shape = [4], scale_topology = column", 6,
       [](size_t, size_t column) { return column; }},
      {"scale_group_elements = 5, scale_topology = block_1d", 5,
       [](size_t row, size_t column) { return (row * 6 + column) / 5; }},
      {"scale_group_shape = [3, 4], scale_topology = block_2d", 4,
       [](size_t row, size_t column) { return row / 3 * 2 + column / 4; }}};
  std::vector<VectorCase> cases;
  for (auto [number, topology] : llvm::enumerate(topologies)) {
    std::string scales = vectorText(std::to_string(topology.scales), "f32");
    auto index = topology.index;
    cases.push_back({"topology_" + std::to_string(number),
                     {{"i8", "4x6"}, {"f32", std::to_string(topology.scales)}},
                     {{"f32", "4x6"}},
                     schemaText(std::string("affine = scale_plus_min, element_format = i8, "
                                            "payload_elements = 24, payload_packing = dense_lanes, "
                                            "scale_format = f32, scale_operands = 1, ") +
                                topology.words) +
                         "  %r0 = vector.decode %a0 using %s {minimum = %a1 : " + scales +
                         ", scale = %a1 : " + scales +
                         "} : vector<4x6xi8>, encoding<schema> -> vector<4x6xf32>",
                     [index](const Inputs &a) {
                       ElementType byte("i8"), type("f32");
                       Elements r;
                       for (size_t i = 0; i < 24; ++i) {
                         uint64_t scale = a[1].at(index(i / 6, i % 6));
                         uint64_t v = type.mul(convert(byte, type, a[0][i], true), scale);
                         r.push_back(type.add(v, scale));
                       }
                       return Inputs{r};
                     }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, DecodeRecordsAndCodebooks) {
  std::vector<VectorCase> cases;
  auto product = [](int64_t code, uint64_t scale) {
    ElementType half("f16"), type("f32");
    return type.mul(type.rounded(double(code)), type.rounded(half.number(scale)));
  };
  cases.push_back({"q8_0",
                   {{"i8", "2x16"}, {"f16", "1"}},
                   {{"f32", "2x16"}},
                   R"(  %s = encoding.define #ggml.q8_0 : encoding<schema>
  %r0 = vector.decode %a0 using %s {scale = %a1 : vector<1xf16>} : vector<2x16xi8>, encoding<schema> -> vector<2x16xf32>)",
                   [=](const Inputs &a) {
                     Elements r;
                     for (size_t i = 0; i < 32; ++i)
                       r.push_back(product(int8_t(a[0][i]), a[1][i / 32]));
                     return Inputs{r};
                   }});
  cases.push_back({"q4_0",
                   {{"i8", "32"}, {"f16", "2"}, {"i8", "8", below(16)}},
                   {{"f32", "64"}, {"f32", "8"}},
                   R"(  %s = encoding.define #ggml.q4_0 : encoding<schema>
  %r0 = vector.decode %a0 using %s {scale = %a1 : vector<2xf16>} : vector<32xi8>, encoding<schema> -> vector<64xf32>
  %r1 = vector.decode %a2 using %s {scale = %a1 : vector<2xf16>} : vector<8xi8>, encoding<schema> -> vector<8xf32>)",
                   [=](const Inputs &a) {
                     Inputs r(2);
                     for (size_t i = 0; i < 64; ++i) {
                       uint64_t byte = a[0][i / 32 * 16 + i % 16];
                       r[0].push_back(
                           product(int64_t(byte >> (i % 32 / 16 * 4) & 15) - 8, a[1][i / 32]));
                     }
                     for (uint64_t code : a[2])
                       r[1].push_back(product(int64_t(code) - 8, a[1][0]));
                     return r;
                   }});
  cases.push_back(
      {"codebook",
       {{"i8", "6", below(16)}, {"f16", "16"}, {"f32", "1"}},
       {{"f32", "6"}},
       schemaText("affine = scale_plus_bias, codebook = dynamic_table_operand, "
                  "element_format = codebook_index, payload_elements = 6, "
                  "payload_packing = dense_lanes, scale_format = f32, "
                  "scale_group_elements = 6, scale_operands = 1, scale_topology = "
                  "tensor_global") +
           R"(  %r0 = vector.decode %a0 using %s {bias = %a2 : vector<1xf32>, codebook = %a1 : vector<16xf16>, scale = %a2 : vector<1xf32>} : vector<6xi8>, encoding<schema> -> vector<6xf32>)",
       [](const Inputs &a) {
         ElementType half("f16"), type("f32");
         Elements r;
         for (uint64_t code : a[0])
           r.push_back(
               type.add(type.mul(type.rounded(half.number(a[1].at(code))), a[2][0]), a[2][0]));
         return Inputs{r};
       }});
  run(cases);
}

TEST_F(VectorOpsTest, EncodeFloats) {
  std::vector<VectorCase> cases;
  const std::pair<const char *, const char *> formats[] = {{"f8e4m3fn", "f8E4M3"},
                                                           {"f8e5m2", "f8E5M2"},
                                                           {"f16", "f16"},
                                                           {"bf16", "bf16"},
                                                           {"f32", "f32"}};
  for (auto [word, lane] : formats)
    for (std::string value : {"f32", "f64", "bf16"}) {
      ElementType type(value), payload(lane);
      auto small = [payload](Random &random) {
        return payload.rounded(double(random() % 16 + 1) / 8);
      };
      std::string values = vectorText("2x4", value), codes = vectorText("2x4", lane);
      cases.push_back(
          {std::string("encode_") + word + "_" + value,
           {{value, "2x4"}, {lane, "2", small}, {value, "2"}},
           {{lane, "2x4"}},
           schemaText(std::string("affine = scale_plus_bias, element_format = ") + word +
                      ", payload_elements = 8, payload_packing = dense_lanes, rounding = "
                      "nearest_even, scale_format = " +
                      (std::string(word) == "f16" ? "f32" : word) +
                      ", scale_group_elements = 4, scale_operands = 1, scale_topology = "
                      "group_1d") +
               (std::string(word) == "f16"
                    ? "  %w = vector.extf %a1 : vector<2xf16> to vector<2xf32>\n"
                    : "") +
               "  %r0 = vector.encode %a0 using %s {bias = %a2 : " + vectorText("2", value) +
               ", scale = " +
               (std::string(word) == "f16" ? "%w : vector<2xf32>"
                                           : "%a1 : " + vectorText("2", lane)) +
               "} : " + values + ", encoding<schema> -> " + codes,
           [=](const Inputs &a) {
             Elements r;
             for (size_t i = 0; i < 8; ++i) {
               uint64_t v = type.sub(a[0][i], a[2][i / 4]);
               v = type.div(v, convert(payload, type, a[1][i / 4], true));
               r.push_back(convert(type, payload, v, true));
             }
             return Inputs{r};
           }});
    }
  run(cases);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, RefusesWhatHasNoExactMeaning) {
  const std::pair<const char *, const char *> refused[] = {
      {"  %s = encoding.define #ggml.q6_k : encoding<schema>\n"
       "  %r = vector.decode %a using %s {scale = %h : vector<1xf16>, secondary_scale = %a : "
       "vector<8xi8>} : vector<8xi8>, encoding<schema> -> vector<8xf32>",
       "with the schema #ggml.q6_k"},
      {"  %s = encoding.define #encoding.operand<element_format = i8, payload_elements = 4, "
       "payload_packing = dense_lanes> : encoding<schema>\n"
       "  %r = vector.decode %a using %s : vector<8xi8>, encoding<schema> -> vector<8xf32>",
       "for 8 elements with a schema of 4"},
      {"  %s = encoding.define #encoding.operand<element_format = i4, payload_elements = 8, "
       "payload_packing = bitfield_stream> : encoding<schema>\n"
       "  %r = vector.decode %a using %s : vector<8xi8>, encoding<schema> -> vector<8xf32>",
       "with the payload packing bitfield_stream"},
      {"  %r = vector.fragment<lhs> %a shape [16, 16] : vector<8xi8>", "'vector.fragment'"},
      {"  %r = vector.mma %a, %a, %a : vector<8xi8>, vector<8xi8>, vector<8xi8>", "'vector.mma'"}};
  for (auto [body, reason] : refused) {
    mlir::ModuleOp module = parse(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%b: buffer) {
  %base = index.constant 0 : offset
  %v = buffer.view %b[%base] : buffer -> view<8xi8>
  %a = vector.load %v[0] : view<8xi8> -> vector<8xi8>
  %h = vector.constant 1.0 : vector<1xf16>
)" + std::string(body) + "\n  kernel.return\n}\n");
    ASSERT_TRUE(module);
    EXPECT_TRUE(failed(x86::compileKernels(module, x86())));
    EXPECT_NE(takeErrors().find(reason), std::string::npos) << body;
  }
}

} // namespace
} // namespace loom::test
