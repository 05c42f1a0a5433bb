//===- VectorMemoryTest.cpp - Masked, gathered and scattered accesses -----===//
//
// All memory lies between pages that nobody may access, and what no element with a true condition
// covers has to keep its bytes.
//
//===----------------------------------------------------------------------===//
#include "VectorPrograms.h"

namespace loom::test {
namespace {

using Inputs = std::vector<Elements>;

std::string vectorText(const std::string &extents, const std::string &element) {
  return ValueType(element, extents).text();
}

const char *const types[] = {"i1", "f16", "f32", "i64"};
/// The type that runs in every variant; widths without masked instructions run in fewer.
const char *const thorough = "f32";

/// The bytes that results hold before a kernel runs.
uint64_t untouched(const std::string &type) {
  uint64_t value = 0;
  std::memset(&value, 0xcc, ElementType(type).bytes);
  return value;
}

//===----------------------------------------------------------------------===//
// Consecutive elements
//===----------------------------------------------------------------------===//

/// Five columns from a column between -4 and 19 of 16; those outside are masked off.
const char *const maskInside = R"(  %step = scalar.constant 1 : i32
  %c = index.cast %a1 : i32 to index
  %columns = vector.iota %a1 step %step : vector<5xi32>
  %zero = vector.constant 0 : vector<5xi32>
  %end = vector.constant 16 : vector<5xi32>
  %from = vector.cmpi sge, %columns, %zero : vector<5xi32> -> vector<5xi1>
  %to = vector.cmpi slt, %columns, %end : vector<5xi32> -> vector<5xi1>
  %inside = vector.andi %from, %to : vector<5xi1>
  %mask = vector.andi %inside, %a2 : vector<5xi1>
)";

uint64_t nearColumn(Random &random) { return uint32_t(int32_t(random() % 24) - 4); }

/// For each of the five columns its number, or -1 where it is masked off.
std::vector<int> columnsOf(uint64_t first, const Elements &mask) {
  std::vector<int> columns;
  for (int k = 0; k < 5; ++k) {
    int column = int32_t(first) + k;
    columns.push_back(mask[k] && column >= 0 && column < 16 ? column : -1);
  }
  return columns;
}

TEST_F(VectorOpsTest, MaskedLoads) {
  std::vector<VectorCase> cases;
  for (std::string type : types)
    cases.push_back(
        {"load_mask_" + type,
         {ValueType(type, "16").left(), {"i32", "", nearColumn}, {"i1", "5"}, {type, "5"}},
         {{type, "5"}},
         std::string(maskInside) +
             "  %r0 = vector.load.mask $view0[$row0, %c], %mask, %a3 : $type0, "
             "vector<5xi1>, " +
             vectorText("5", type),
         [](const Inputs &a) {
           Elements r = a[3];
           std::vector<int> columns = columnsOf(a[1][0], a[2]);
           for (size_t k = 0; k < 5; ++k)
             if (columns[k] >= 0)
               r[k] = a[0].at(columns[k]);
           return Inputs{r};
         }});
  for (VectorCase &test : cases)
    test.everyVariant = test.results[0].element.name == thorough;
  run(cases);
}

TEST_F(VectorOpsTest, MaskedStores) {
  std::vector<VectorCase> cases;
  for (std::string type : types)
    cases.push_back({"store_mask_" + type,
                     {{type, "5"}, {"i32", "", nearColumn}, {"i1", "5"}},
                     {ValueType(type, "16").left()},
                     std::string(maskInside) +
                         "  vector.store.mask %a0, $view3[$row3, %c], %mask : " +
                         vectorText("5", type) + ", $type3, vector<5xi1>",
                     [type](const Inputs &a) {
                       Elements r(16, untouched(type));
                       std::vector<int> columns = columnsOf(a[1][0], a[2]);
                       for (size_t k = 0; k < 5; ++k)
                         if (columns[k] >= 0)
                           r.at(columns[k]) = a[0][k];
                       return Inputs{r};
                     }});
  for (VectorCase &test : cases)
    test.everyVariant = test.results[0].element.name == thorough;
  run(cases);
}

/// Boxes of more than one run of elements, and of whole rows.
TEST_F(VectorOpsTest, MaskedBoxes) {
  std::vector<VectorCase> cases;
  for (std::string type : {"f32"}) {
    cases.push_back(
        {"box_load_" + type,
         {ValueType(type, "4x6").left(), {"i32", "", below(4)}, {"i1", "2x3"}, {type, "2x3"}},
         {{type, "2x3"}},
         "  %c = index.cast %a1 : i32 to index\n"
         "  %r0 = vector.load.mask $view0[$row0, 2, %c], %a2, %a3 : $type0, "
         "vector<2x3xi1>, " +
             vectorText("2x3", type),
         [](const Inputs &a) {
           Elements r = a[3];
           for (size_t k = 0; k < 6; ++k)
             if (a[2][k])
               r[k] = a[0].at((2 + k / 3) * 6 + a[1][0] + k % 3);
           return Inputs{r};
         }});
    cases.push_back({"box_store_" + type,
                     {{type, "2x3"}, {"i32", "", below(4)}, {"i1", "2x3"}},
                     {ValueType(type, "4x6").left()},
                     "  %c = index.cast %a1 : i32 to index\n"
                     "  vector.store.mask %a0, $view3[$row3, 1, %c], %a2 : " +
                         vectorText("2x3", type) + ", $type3, vector<2x3xi1>",
                     [type](const Inputs &a) {
                       Elements r(24, untouched(type));
                       for (size_t k = 0; k < 6; ++k)
                         if (a[2][k])
                           r.at((1 + k / 3) * 6 + a[1][0] + k % 3) = a[0][k];
                       return Inputs{r};
                     }});
    cases.push_back({"rows_" + type,
                     {ValueType(type, "4x3").left(), {"i1", "2x3"}, {type, "2x3"}},
                     {{type, "2x3"}, ValueType(type, "4x3").left()},
                     "  %r0 = vector.load.mask $view0[$row0, 1, 0], %a1, %a2 : $type0, "
                     "vector<2x3xi1>, " +
                         vectorText("2x3", type) +
                         "\n  vector.store.mask %a2, $view4[$row4, 2, 0], %a1 : " +
                         vectorText("2x3", type) + ", $type4, vector<2x3xi1>",
                     [type](const Inputs &a) {
                       Inputs r = {a[2], Elements(12, untouched(type))};
                       for (size_t k = 0; k < 6; ++k)
                         if (a[1][k]) {
                           r[0][k] = a[0][3 + k];
                           r[1][6 + k] = a[2][k];
                         }
                       return r;
                     }});
  }
  cases[0].everyVariant = true;
  run(cases);
}

TEST_F(VectorOpsTest, ExpandAndCompress) {
  std::vector<VectorCase> cases;
  for (std::string type : types) {
    // From the last column only one element fits.
    cases.push_back({"expand_" + type,
                     {ValueType(type, "9").left(), {"i32", "", below(4)}, {"i1", "6"}, {type, "6"}},
                     {{type, "6"}},
                     "  %c = index.cast %a1 : i32 to index\n"
                     "  %r0 = vector.load.expand $view0[$row0, %c], %a2, %a3 : $type0, "
                     "vector<6xi1>, " +
                         vectorText("6", type),
                     [](const Inputs &a) {
                       Elements r = a[3];
                       size_t next = a[1][0];
                       for (size_t k = 0; k < 6; ++k)
                         if (a[2][k])
                           r[k] = a[0].at(next++);
                       return Inputs{r};
                     }});
    cases.push_back({"compress_" + type,
                     {{type, "6"}, {"i32", "", below(4)}, {"i1", "6"}},
                     {ValueType(type, "9").left()},
                     "  %c = index.cast %a1 : i32 to index\n"
                     "  vector.store.compress %a0, $view3[$row3, %c], %a2 : " +
                         vectorText("6", type) + ", $type3, vector<6xi1>",
                     [type](const Inputs &a) {
                       Elements r(9, untouched(type));
                       size_t next = a[1][0];
                       for (size_t k = 0; k < 6; ++k)
                         if (a[2][k])
                           r.at(next++) = a[0][k];
                       return Inputs{r};
                     }});
  }
  for (VectorCase &test : cases)
    test.everyVariant = test.results[0].element.name == thorough;
  run(cases);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

TEST_F(VectorOpsTest, Gathers) {
  std::vector<VectorCase> cases;
  for (std::string type : types)
    for (std::string offset : {"i8", "i64"}) {
      ElementType offsets(offset);
      auto make = [offsets](Random &random) { return (random() % 16 - 8) & offsets.mask(); };
      // Where the mask is false the offset may point anywhere.
      auto far = [offsets](Random &random) { return random() & offsets.mask(); };
      std::string vector = vectorText("2x2", type), places = vectorText("2x2", offset);
      cases.push_back(
          {"gather_" + type + "_" + offset,
           {ValueType(type, "16").left(), {offset, "2x2", make}},
           {{type, "2x2"}},
           "  %r0 = vector.gather $view0[$row0, 8][%a1] : $type0, " + places + " -> " + vector,
           [offsets](const Inputs &a) {
             Elements r;
             for (uint64_t offset : a[1])
               r.push_back(a[0].at(8 + offsets.asSigned(offset)));
             return Inputs{r};
           }});
      cases.push_back(
          {"gather_mask_" + type + "_" + offset,
           {ValueType(type, "16").left(),
            {offset, "2x2", make},
            {"i1", "2x2"},
            {offset, "2x2", far}},
           {{type, "2x2"}},
           "  %pass = vector.constant " +
               std::string(offsets.name == "" || ElementType(type).isFloat() ? "1.0" : "1") +
               " : " + vector + "\n  %o = vector.select %a2, %a1, %a3 : " + places +
               "\n  %r0 = vector.gather.mask $view0[$row0, 8][%o], %a2, %pass : "
               "$type0, " +
               places + ", vector<2x2xi1>, " + vector,
           [offsets, type](const Inputs &a) {
             Elements r(4, ElementType(type).isFloat() ? ElementType(type).rounded(1.0) : 1);
             for (size_t k = 0; k < 4; ++k)
               if (a[2][k])
                 r[k] = a[0].at(8 + offsets.asSigned(a[1][k]));
             return Inputs{r};
           }});
    }
  for (VectorCase &test : cases)
    test.everyVariant = test.results[0].element.name == thorough;
  run(cases);
}

/// Offsets that differ: five steps on a ring of 16 places.
const char *const ringOffsets = R"(  %step = scalar.constant 5 : i32
  %steps = vector.iota %a1 step %step : vector<6xi32>
  %ring = vector.constant 15 : vector<6xi32>
  %middle = vector.constant 8 : vector<6xi32>
  %places = vector.andi %steps, %ring : vector<6xi32>
  %offsets = vector.subi %places, %middle : vector<6xi32>
)";

TEST_F(VectorOpsTest, Scatters) {
  std::vector<VectorCase> cases;
  for (std::string type : types) {
    std::string vector = vectorText("6", type);
    cases.push_back({"scatter_" + type,
                     {{type, "6"}, {"i32", ""}},
                     {ValueType(type, "16").left()},
                     ringOffsets +
                         ("  vector.scatter %a0, $view2[$row2, 8][%offsets] : " + vector) +
                         ", $type2, vector<6xi32>",
                     [type](const Inputs &a) {
                       Elements r(16, untouched(type));
                       for (uint64_t k = 0; k < 6; ++k)
                         r[(a[1][0] + 5 * k) % 16] = a[0][k];
                       return Inputs{r};
                     }});
    cases.push_back({"scatter_mask_" + type,
                     {{type, "6"}, {"i32", ""}, {"i1", "6"}, {"i32", "6"}},
                     {ValueType(type, "16").left()},
                     ringOffsets +
                         ("  %o = vector.select %a2, %offsets, %a3 : vector<6xi32>\n"
                          "  vector.scatter.mask %a0, $view4[$row4, 8][%o], %a2 : " +
                          vector) +
                         ", $type4, vector<6xi32>, vector<6xi1>",
                     [type](const Inputs &a) {
                       Elements r(16, untouched(type));
                       for (uint64_t k = 0; k < 6; ++k)
                         if (a[2][k])
                           r[(a[1][0] + 5 * k) % 16] = a[0][k];
                       return Inputs{r};
                     }});
  }
  for (VectorCase &test : cases)
    test.everyVariant = test.results[0].element.name == thorough;
  run(cases);
}

//===----------------------------------------------------------------------===//
// All types and numbers of lanes
//===----------------------------------------------------------------------===//

/// Place, mask and offsets come from scalars, which every target loads at once.
const char *const placeText = R"(  %c = index.cast %a0 : i32 to index
  %one = scalar.constant 1 : i32
  %two = scalar.constant 2 : i32
  %o = vector.iota %a0 step %two : vector<2xi32>
  %bits = vector.iota %one step %one : vector<2xi32>
  %all = vector.splat %a1 : vector<2xi32>
  %set = vector.andi %all, %bits : vector<2xi32>
  %zero = vector.constant 0 : vector<2xi32>
  %m = vector.cmpi ne, %set, %zero : vector<2xi32> -> vector<2xi1>
)";
const char *const loads = R"(  %p = vector.constant $literal : $vector
  %r0 = vector.load.mask $view2[$row2, %c], %m, %p : $type2, vector<2xi1>, $vector
  %r1 = vector.load.expand $view2[$row2, %c], %m, %p : $type2, vector<2xi1>, $vector
  %r2 = vector.gather $view2[$row2, 1][%o] : $type2, vector<2xi32> -> $vector
  %r3 = vector.gather.mask $view2[$row2, 1][%o], %m, %p : $type2, vector<2xi32>, vector<2xi1>, $vector)";
const char *const stores =
    R"(  vector.store.mask %a2, $view3[$row3, %c], %m : $vector, $type3, vector<2xi1>
  vector.store.compress %a2, $view4[$row4, %c], %m : $vector, $type4, vector<2xi1>
  vector.scatter %a2, $view5[$row5, 1][%o] : $vector, $type5, vector<2xi32>
  vector.scatter.mask %a2, $view6[$row6, 1][%o], %m : $vector, $type6, vector<2xi32>, vector<2xi1>)";

/// Where in a row of six operation `kind` finds element `k` when it starts at `first` and `before`
/// elements went before; nothing where it is masked off.
std::optional<size_t> placeOf(size_t kind, const Inputs &a, size_t &before, size_t k) {
  if (kind != 2 && !(a[1][0] >> k & 1))
    return std::nullopt;
  size_t first = a[0][0];
  return kind == 0 ? first + k : kind == 1 ? first + before++ : 1 + first + 2 * k;
}

/// Each operation on vectors of two elements.
void addAccesses(std::vector<VectorCase> &cases, const std::string &type) {
  ElementType element(type);
  uint64_t one = element.isFloat() ? element.rounded(1.0) : 1;
  auto textOf = [&](const char *operations) {
    std::string text = std::string(placeText) + operations;
    for (auto [name, word] : {std::make_pair("$vector", vectorText("2", type)),
                              std::make_pair("$literal", std::string(element.isFloat() ? "1.0"
                                                                     : type == "i1"    ? "true"
                                                                                       : "1"))})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, std::strlen(name), word);
    return text;
  };
  ValueType row = ValueType(type, "6").left(), pair(type, "2");
  ValueType place("i32", "", below(3)), mask("i32", "", below(4));
  cases.push_back({"loads_" + type,
                   {place, mask, row},
                   {pair, pair, pair, pair},
                   textOf(loads),
                   [one](const Inputs &a) {
                     Inputs r(4, Elements(2, one));
                     for (size_t kind = 0; kind < 4; ++kind)
                       for (size_t k = 0, before = 0; k < 2; ++k)
                         if (auto place = placeOf(kind, a, before, k))
                           r[kind][k] = a[2].at(*place);
                     return r;
                   }});
  cases.push_back({"stores_" + type,
                   {place, mask, pair},
                   {row, row, row, row},
                   textOf(stores),
                   [type](const Inputs &a) {
                     Inputs r(4, Elements(6, untouched(type)));
                     for (size_t kind = 0; kind < 4; ++kind)
                       for (size_t k = 0, before = 0; k < 2; ++k)
                         if (auto place = placeOf(kind, a, before, k))
                           r[kind].at(*place) = a[2][k];
                     return r;
                   }});
}

class VectorLanesTest : public VectorOpsTest, public ::testing::WithParamInterface<unsigned> {};

TEST_P(VectorLanesTest, EveryAccessOfEveryType) {
  std::vector<VectorCase> cases;
  for (const char *type :
       {"i1", "i8", "i16", "i32", "i64", "f8E4M3", "f8E5M2", "f16", "bf16", "f32", "f64"})
    addAccesses(cases, type);
  runInLanes(cases, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Lanes, VectorLanesTest, ::testing::Values(8u, 16u, 32u, 64u));

//===----------------------------------------------------------------------===//
// Affine addresses
//===----------------------------------------------------------------------===//

/// y[i] = x[i] + 1 with four elements per work-item; behind the end all are masked off, whole
/// work-items too. `order` turns the work-items around.
std::string tailProgram(const std::string &order) {
  return R"(
kernel.def export("tail") @tail(%n: index) {
  %one = index.constant 1 : index
  %three = index.constant 3 : index
  %size = index.constant 20 : index
  kernel.launch.config workgroups(%three, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index, %x: buffer, %y: buffer) {
  %base = index.constant 0 : offset
  %one = index.constant 1 : index
  %four = index.constant 4 : index
  %last = index.constant 59 : index
  %xs = buffer.view %x[%base] : buffer -> view<[%n]xf32>
  %ys = buffer.view %y[%base] : buffer -> view<[%n]xf32>
  %item = kernel.workitem.dispatch.id<x> : index
)" + order +
         R"(
  %i = index.mul %place, %four : index
  %mask = vector.mask.range [%i to %n step %one] : index -> vector<4xi1>
  %ones = vector.constant 1.0 : vector<4xf32>
  %a = vector.load.mask %xs[%i], %mask, %ones : view<[%n]xf32>, vector<4xi1>, vector<4xf32>
  %b = vector.addf %a, %ones : vector<4xf32>
  vector.store.mask %b, %ys[%i], %mask : vector<4xf32>, view<[%n]xf32>, vector<4xi1>
  %offsets = vector.iota %one step %one : vector<4xindex>
  %before = index.sub %i, %one : index
  %c = vector.gather.mask %ys[%before][%offsets], %mask, %ones : view<[%n]xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  %d = vector.addf %c, %ones : vector<4xf32>
  vector.scatter.mask %d, %ys[%before][%offsets], %mask : vector<4xf32>, view<[%n]xf32>, vector<4xindex>, vector<4xi1>
  kernel.return
}
)";
}

TEST_F(VectorOpsTest, TailsOfAffineAccesses) {
  for (const char *order :
       {"  %place = index.add %item, %zero : index", "  %place = index.sub %last, %item : index"}) {
    std::string text = "  %zero = index.constant 0 : index\n" + std::string(order);
    x86::CompiledKernels kernels = compile(tailProgram(text));
    for (int64_t n : {0, 1, 3, 4, 63, 64, 66, 200, 239, 240}) {
      GuardedBytes x(n * sizeof(float), true), y(n * sizeof(float), true);
      for (int64_t i = 0; i < n; ++i)
        reinterpret_cast<float *>(x.data())[i] = static_cast<float>(i);
      launch(kernels, "tail", 3, Arguments().add(n).add(x.data()).add(y.data()));
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(reinterpret_cast<float *>(y.data())[i], static_cast<float>(i) + 2)
            << n << ", " << i;
    }
  }
}

} // namespace
} // namespace loom::test
