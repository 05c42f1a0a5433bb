//===- VectorOpsTest.cpp - Elements of vectors and their order ------------===//
#include "VectorPrograms.h"

namespace loom::test {
namespace {

using Shape = std::vector<int64_t>;

int64_t numberOf(const Shape &shape, const Shape &at) {
  int64_t number = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    number = number * shape[axis] + at[axis];
  return number;
}

/// The coordinates of an element.
Shape coordinates(const Shape &shape, int64_t number) {
  Shape at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; number /= shape[axis])
    at[axis] = number % shape[axis];
  return at;
}

/// For each element of a vector of `shape` the one of `source` at the coordinates `from` gives.
Elements pick(const Shape &shape, const Elements &source, const Shape &sourceShape,
              std::function<Shape(Shape)> from) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Elements result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(source.at(numberOf(sourceShape, from(coordinates(shape, i)))));
  return result;
}

std::string vectorText(const std::string &extents, const std::string &element) {
  return ValueType(element, extents).text();
}

/// A case with one input of `extents` that becomes one result.
VectorCase unary(const std::string &name, const std::string &element, const std::string &from,
                 const std::string &to, const std::string &operation,
                 std::function<Elements(const Elements &)> expected) {
  std::string words = operation.substr(0, operation.find('|'));
  std::string rest = operation.substr(operation.find('|') + 1);
  return {
      name + "_" + element + "_" + from,
      {{element, from}},
      {{element, to}},
      "  %r0 = " + words + " %a0" + rest + " : " + vectorText(from, element) + " -> " +
          vectorText(to, element),
      [expected](const std::vector<Elements> &a) { return std::vector<Elements>{expected(a[0])}; }};
}

const char *const someTypes[] = {"i8", "f16", "f32", "i64"};

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, ExtractAtLiterals) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back(unary("one", type, "5", "", "vector.extract|[3]",
                          [](const Elements &v) { return Elements{v[3]}; }));
    cases.push_back(unary("element", type, "2x3", "", "vector.extract|[1, 2]",
                          [](const Elements &v) { return Elements{v[5]}; }));
    cases.push_back(unary("row", type, "3x2x2", "2x2", "vector.extract|[2]",
                          [](const Elements &v) { return Elements(v.begin() + 8, v.end()); }));
  }
  run(cases);
}

TEST_F(VectorOpsTest, ExtractAtValues) {
  std::vector<VectorCase> cases;
  for (std::string type : {"i8", "f32", "i64"})
    for (int64_t count : {1, 2, 5, 16, 37}) {
      std::string extent = std::to_string(count);
      cases.push_back({"at_" + type + "_" + extent,
                       {{type, extent}, {"i32", "", below(count)}},
                       {{type, ""}},
                       "  %x = index.cast %a1 : i32 to index\n  %r0 = vector.extract %a0[%x] : " +
                           vectorText(extent, type) + " -> " + type,
                       [](const std::vector<Elements> &a) {
                         return std::vector<Elements>{{a[0].at(a[1][0])}};
                       }});
    }
  cases.push_back({"mixed",
                   {{"f32", "3x4x5"}, {"i32", "", below(3)}, {"i32", "", below(5)}},
                   {{"f32", ""}, {"f32", "4x5"}},
                   R"(  %x = index.cast %a1 : i32 to index
  %y = index.cast %a2 : i32 to index
  %r0 = vector.extract %a0[%x, 2, %y] : vector<3x4x5xf32> -> f32
  %r1 = vector.extract %a0[%x] : vector<3x4x5xf32> -> vector<4x5xf32>)",
                   [](const std::vector<Elements> &a) {
                     auto row = a[0].begin() + a[1][0] * 20;
                     return std::vector<Elements>{{a[0][a[1][0] * 20 + 10 + a[2][0]]},
                                                  Elements(row, row + 20)};
                   }});
  cases.push_back({"inner_literal",
                   {{"i16", "3x4x2"}, {"i32", "", below(4)}},
                   {{"i16", "2"}},
                   R"(  %y = index.cast %a1 : i32 to index
  %r0 = vector.extract %a0[1, %y] : vector<3x4x2xi16> -> vector<2xi16>)",
                   [](const std::vector<Elements> &a) {
                     auto part = a[0].begin() + 8 + a[1][0] * 2;
                     return std::vector<Elements>{Elements(part, part + 2)};
                   }});
  run(cases);
}

TEST_F(VectorOpsTest, Insert) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back({"literal_" + type,
                     {{type, "3x2"}, {type, ""}, {type, "2"}},
                     {{type, "3x2"}, {type, "3x2"}},
                     "  %r0 = vector.insert %a1 into %a0[2, 0] : " + type + ", " +
                         vectorText("3x2", type) + "\n  %r1 = vector.insert %a2 into %a0[1] : " +
                         vectorText("2", type) + ", " + vectorText("3x2", type),
                     [](const std::vector<Elements> &a) {
                       std::vector<Elements> r = {a[0], a[0]};
                       r[0][4] = a[1][0];
                       r[1][2] = a[2][0];
                       r[1][3] = a[2][1];
                       return r;
                     }});
    cases.push_back({"value_" + type,
                     {{type, "7"}, {type, ""}, {"i32", "", below(7)}},
                     {{type, "7"}},
                     "  %x = index.cast %a2 : i32 to index\n"
                     "  %r0 = vector.insert %a1 into %a0[%x] : " +
                         type + ", " + vectorText("7", type),
                     [](const std::vector<Elements> &a) {
                       std::vector<Elements> r = {a[0]};
                       r[0].at(a[2][0]) = a[1][0];
                       return r;
                     }});
    cases.push_back({"part_" + type,
                     {{type, "2x3x4"}, {type, "4"}, {"i32", "", below(3)}},
                     {{type, "2x3x4"}},
                     "  %x = index.cast %a2 : i32 to index\n"
                     "  %r0 = vector.insert %a1 into %a0[1, %x] : " +
                         vectorText("4", type) + ", " + vectorText("2x3x4", type),
                     [](const std::vector<Elements> &a) {
                       std::vector<Elements> r = {a[0]};
                       for (size_t i = 0; i < 4; ++i)
                         r[0].at(12 + a[2][0] * 4 + i) = a[1][i];
                       return r;
                     }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, Slice) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes)
    cases.push_back(
        unary("literal", type, "3x8", "2x4", "vector.slice|[1, 3]", [](const Elements &v) {
          return pick({2, 4}, v, {3, 8}, [](Shape at) { return Shape{at[0] + 1, at[1] + 3}; });
        }));
  for (int64_t extent : {1, 2, 5, 7})
    cases.push_back({"value_" + std::to_string(extent),
                     {{"f32", "8"}, {"i32", "", below(9 - extent)}},
                     {{"f32", std::to_string(extent)}},
                     "  %x = index.cast %a1 : i32 to index\n"
                     "  %r0 = vector.slice %a0[%x] : vector<8xf32> -> " +
                         vectorText(std::to_string(extent), "f32"),
                     [extent](const std::vector<Elements> &a) {
                       auto first = a[0].begin() + a[1][0];
                       return std::vector<Elements>{Elements(first, first + extent)};
                     }});
  cases.push_back({"both",
                   {{"i16", "5x6"}, {"i32", "", below(3)}, {"i32", "", below(5)}},
                   {{"i16", "3x2"}},
                   R"(  %x = index.cast %a1 : i32 to index
  %y = index.cast %a2 : i32 to index
  %r0 = vector.slice %a0[%x, %y] : vector<5x6xi16> -> vector<3x2xi16>)",
                   [](const std::vector<Elements> &a) {
                     int64_t x = a[1][0], y = a[2][0];
                     return std::vector<Elements>{pick({3, 2}, a[0], {5, 6}, [&](Shape at) {
                       return Shape{at[0] + x, at[1] + y};
                     })};
                   }});
  run(cases);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, Concat) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back({"inner_" + type,
                     {{type, "2x3"}, {type, "2x1"}, {type, "2x4"}},
                     {{type, "2x8"}},
                     "  %r0 = vector.concat<1> %a0, %a1, %a2 : " + vectorText("2x3", type) + ", " +
                         vectorText("2x1", type) + ", " + vectorText("2x4", type) + " -> " +
                         vectorText("2x8", type),
                     [](const std::vector<Elements> &a) {
                       Elements r;
                       for (size_t row = 0; row < 2; ++row) {
                         r.insert(r.end(), &a[0][row * 3], &a[0][row * 3] + 3);
                         r.push_back(a[1][row]);
                         r.insert(r.end(), &a[2][row * 4], &a[2][row * 4] + 4);
                       }
                       return std::vector<Elements>{r};
                     }});
    cases.push_back({"outer_" + type,
                     {{type, "2x3"}, {type, "1x3"}},
                     {{type, "3x3"}},
                     "  %r0 = vector.concat<0> %a0, %a1 : " + vectorText("2x3", type) + ", " +
                         vectorText("1x3", type) + " -> " + vectorText("3x3", type),
                     [](const std::vector<Elements> &a) {
                       Elements r = a[0];
                       r.insert(r.end(), a[1].begin(), a[1].end());
                       return std::vector<Elements>{r};
                     }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, TransposeAndShuffle) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back(
        unary("matrix", type, "3x4", "4x3", "vector.transpose<[1, 0]>|", [](const Elements &v) {
          return pick({4, 3}, v, {3, 4}, [](Shape at) { return Shape{at[1], at[0]}; });
        }));
    // Axis i of the result is axis p[i] of the operand.
    cases.push_back(unary(
        "turned", type, "2x3x4", "4x2x3", "vector.transpose<[2, 0, 1]>|", [](const Elements &v) {
          return pick({4, 2, 3}, v, {2, 3, 4}, [](Shape at) { return Shape{at[1], at[2], at[0]}; });
        }));
    cases.push_back({"shuffle_" + type,
                     {{type, "5"}},
                     {{type, "5"}},
                     "  %r0 = vector.shuffle<[3, 3, 0, 4, 1]> %a0 : " + vectorText("5", type),
                     [](const std::vector<Elements> &a) {
                       const Elements &v = a[0];
                       return std::vector<Elements>{{v[3], v[3], v[0], v[4], v[1]}};
                     }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, InterleaveAndBack) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes)
    for (int64_t axis : {0, 1}) {
      std::string whole = axis ? "2x6" : "4x3", number = std::to_string(axis);
      Shape shape = axis ? Shape{2, 6} : Shape{4, 3};
      cases.push_back({"interleave_" + type + number,
                       {{type, "2x3"}, {type, "2x3"}},
                       {{type, whole}},
                       "  %r0 = vector.interleave<" + number +
                           "> %a0, %a1 : " + vectorText("2x3", type) + ", " +
                           vectorText("2x3", type) + " -> " + vectorText(whole, type),
                       [=](const std::vector<Elements> &a) {
                         Elements r;
                         for (int64_t i = 0; i < 12; ++i) {
                           Shape at = coordinates(shape, i);
                           int64_t side = at[axis] % 2;
                           at[axis] /= 2;
                           r.push_back(a[side].at(numberOf({2, 3}, at)));
                         }
                         return std::vector<Elements>{r};
                       }});
      cases.push_back({"deinterleave_" + type + number,
                       {{type, whole}},
                       {{type, "2x3"}, {type, "2x3"}},
                       "  %r0, %r1 = vector.deinterleave<" + number +
                           "> %a0 : " + vectorText(whole, type) + " -> " + vectorText("2x3", type) +
                           ", " + vectorText("2x3", type),
                       [=](const std::vector<Elements> &a) {
                         std::vector<Elements> r;
                         for (int64_t side : {0, 1})
                           r.push_back(pick({2, 3}, a[0], shape, [&](Shape at) {
                             at[axis] = 2 * at[axis] + side;
                             return at;
                           }));
                         return r;
                       }});
    }
  run(cases);
}

TEST_F(VectorOpsTest, Broadcast) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back(unary("rows", type, "4", "3x4", "vector.broadcast|", [](const Elements &v) {
      return pick({3, 4}, v, {4}, [](Shape at) { return Shape{at[1]}; });
    }));
    cases.push_back(
        unary("columns", type, "3x1", "2x3x2", "vector.broadcast|", [](const Elements &v) {
          return pick({2, 3, 2}, v, {3, 1}, [](Shape at) { return Shape{at[1], 0}; });
        }));
  }
  run(cases);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, FromScalars) {
  std::vector<VectorCase> cases;
  for (std::string type : someTypes) {
    cases.push_back({"splat_" + type,
                     {{type, ""}},
                     {{type, "2x3"}},
                     "  %r0 = vector.splat %a0 : " + vectorText("2x3", type),
                     [](const std::vector<Elements> &a) {
                       return std::vector<Elements>{Elements(6, a[0][0])};
                     }});
    cases.push_back({"elements_" + type,
                     {{type, ""}, {type, ""}},
                     {{type, "3"}},
                     "  %r0 = vector.from_elements %a0, %a1, %a0 : " + vectorText("3", type),
                     [](const std::vector<Elements> &a) {
                       return std::vector<Elements>{{a[0][0], a[1][0], a[0][0]}};
                     }});
    // What poison leaves is replaced.
    cases.push_back(
        {"poison_" + type,
         {{type, ""}},
         {{type, "2"}},
         "  %p = vector.poison : " + vectorText("2", type) +
             "\n  %q = vector.insert %a0 into %p[1] : " + type + ", " + vectorText("2", type) +
             "\n  %r0 = vector.insert %a0 into %q[0] : " + type + ", " + vectorText("2", type),
         [](const std::vector<Elements> &a) { return std::vector<Elements>{{a[0][0], a[0][0]}}; }});
  }
  run(cases);
}

TEST_F(VectorOpsTest, Iota) {
  std::vector<VectorCase> cases;
  for (std::string name : {"i8", "i16", "i32", "i64"}) {
    ElementType type(name);
    cases.push_back({"iota_" + name,
                     {{name, ""}, {name, ""}},
                     {{name, "2x3"}},
                     "  %r0 = vector.iota %a0 step %a1 : " + vectorText("2x3", name),
                     [type](const std::vector<Elements> &a) {
                       Elements r;
                       for (uint64_t i = 0; i < 6; ++i)
                         r.push_back((a[0][0] + i * a[1][0]) & type.mask());
                       return std::vector<Elements>{r};
                     }});
  }
  // Elements of index, by one and in an order of their own.
  cases.push_back({"iota_index",
                   {{"i32", ""}, {"i32", ""}, {"f32", "4"}},
                   {{"i64", ""}, {"f32", "3"}},
                   R"(  %x = index.cast %a0 : i32 to index
  %y = index.cast %a1 : i32 to index
  %two = index.constant 2 : index
  %all = vector.iota %x step %y : vector<5xindex>
  %third = vector.extract %all[3] : vector<5xindex> -> index
  %r0 = index.cast %third : index to i64
  %back = index.constant -1 : index
  %order = vector.iota %two step %back : vector<3xindex>
  %r1 = vector.table.lookup %a2[%order] : vector<4xf32>, vector<3xindex> -> vector<3xf32>)",
                   [](const std::vector<Elements> &a) {
                     int64_t x = static_cast<int32_t>(a[0][0]), y = static_cast<int32_t>(a[1][0]);
                     return std::vector<Elements>{{static_cast<uint64_t>(x + 3 * y)},
                                                  {a[2][2], a[2][1], a[2][0]}};
                   }});
  run(cases);
}

TEST_F(VectorOpsTest, MaskRange) {
  std::vector<VectorCase> cases;
  for (std::string name : {"i8", "i16", "i32", "i64"}) {
    ElementType type(name);
    // Small distances and the ends of the type.
    auto make = [type](Random &random) {
      uint64_t base = random() % 3 == 0 ? type.mask() >> 1
                      : random() % 2    ? 0
                                        : (type.mask() >> 1) + 1;
      return (base + random() % 11 - 5) & type.mask();
    };
    cases.push_back(
        {"range_" + name,
         {{name, "", make}, {name, "", make}, {name, "", make}},
         {{"i1", "9"}},
         "  %r0 = vector.mask.range [%a0 to %a1 step %a2] : " + name + " -> vector<9xi1>",
         [type](const std::vector<Elements> &a) {
           Elements r;
           for (int64_t i = 0; i < 9; ++i)
             r.push_back(__int128(type.asSigned(a[0][0])) + __int128(i) * type.asSigned(a[2][0]) <
                         type.asSigned(a[1][0]));
           return std::vector<Elements>{r};
         }});
  }
  cases.push_back({"range_index",
                   {{"i32", ""}, {"i32", ""}},
                   {{"i1", "2x4"}},
                   R"(  %x = index.cast %a0 : i32 to index
  %y = index.cast %a1 : i32 to index
  %step = index.constant 1000000000 : index
  %r0 = vector.mask.range [%x to %y step %step] : index -> vector<2x4xi1>)",
                   [](const std::vector<Elements> &a) {
                     Elements r;
                     for (int64_t i = 0; i < 8; ++i)
                       r.push_back(static_cast<int32_t>(a[0][0]) + i * 1000000000 <
                                   static_cast<int32_t>(a[1][0]));
                     return std::vector<Elements>{r};
                   }});
  // The usual tail.
  cases.push_back({"range_item",
                   {{"i32", "", below(80)}},
                   {{"i1", "4"}},
                   R"(  %y = index.cast %a0 : i32 to index
  %step = index.constant 1 : index
  %r0 = vector.mask.range [%i to %y step %step] : index -> vector<4xi1>)",
                   [](const std::vector<Elements> &a) {
                     Elements r;
                     for (uint64_t i = 0; i < 4; ++i)
                       r.push_back(a[1][0] + i < a[0][0]);
                     return std::vector<Elements>{r};
                   },
                   /*usesItem=*/true});
  run(cases);
}

} // namespace
} // namespace loom::test
