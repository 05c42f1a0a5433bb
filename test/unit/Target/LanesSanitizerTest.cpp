//===- LanesSanitizerTest.cpp - Who the access sanitizer reports ----------===//
//
// Random accesses of random work-items, with extents and buffers of random sizes: exactly those
// work-items are reported of which the plain model says that they leave their view or buffer, all
// others read and write what they should, and nothing else changes.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"
#include "loom/Target/Common/Monitor.h"
#include <set>

namespace loom::test {
namespace {

using Item = std::pair<int64_t, int64_t>; ///< workgroup, work-item

/// Notes who reports.
struct Recorder : Monitor {
  explicit Recorder(std::vector<int64_t> sizes) : Monitor(), sizes(std::move(sizes)) {
    report = take;
    bufferBytes = this->sizes.data();
  }

  static void take(const Monitor *monitor, uint32_t, int64_t workgroup, int64_t firstItem,
                   uint64_t lanes, const int64_t *, const int64_t *) {
    auto *self = const_cast<Recorder *>(static_cast<const Recorder *>(monitor));
    for (unsigned lane = 0; lane < 64; ++lane)
      if (lanes >> lane & 1)
        self->twice |= !self->items.insert({workgroup, firstItem + lane}).second;
  }

  std::vector<int64_t> sizes;
  std::set<Item> items;
  bool twice = false; ///< a work-item was reported more than once for its one access
};

enum class Form { Load, Store, VectorLoad, MaskedLoad, Gather, Matrix };
enum class Index { Affine, Loaded, Uniform };

constexpr int64_t kGroups = 3, kWords = 64;

/// A kernel with one access that may be wrong, `out[i] = …` or `data[x] = …`.
struct Program {
  Form form;
  Index index;
  int64_t size;         ///< of a workgroup
  int64_t extent;       ///< of the view
  int64_t words;        ///< of the buffer behind it
  int64_t stride, base; ///< of an affine index
  bool isDynamic, isGuarded, isInLoop;

  static Program make(Random &random) {
    auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    Program program;
    program.form = static_cast<Form>(below(6));
    program.index = static_cast<Index>(below(3));
    program.size = 1 + below(70);
    program.extent = 1 + below(kWords);
    program.words = std::max<int64_t>(program.extent - 4 + below(10), 1);
    program.stride = below(5) - 1;
    program.base = below(12) - 4;
    program.isDynamic = below(2);
    program.isGuarded = below(2);
    program.isInLoop = below(3) == 0;
    // Work-items that write one place would differ in what they leave there.
    if (program.form == Form::Store) {
      program.index = Index::Affine;
      program.stride = 1;
    }
    return program;
  }

  std::string text() const;
  std::string accessText() const;
  /// The coordinate of a work-item.
  int64_t coordinate(int64_t i, const std::vector<int32_t> &places) const {
    return index == Index::Affine ? i * stride + base : places[index == Index::Uniform ? 0 : i];
  }
  bool takesPart(int64_t i, const std::vector<int32_t> &places) const {
    return !isGuarded || places[i] % 2 == 0;
  }
  /// The elements that a work-item accesses.
  std::vector<int64_t> elements(int64_t i, const std::vector<int32_t> &places) const;
};

std::string Program::accessText() const {
  std::string view = "%view[%x] : ";
  std::string type = isDynamic ? "view<[%extent]xi32>" : "view<" + std::to_string(extent) + "xi32>";
  switch (form) {
  case Form::Load:
    return "  %r = view.load " + view + type + " -> i32\n";
  case Form::Store:
    return "  view.store %seven, %view[%x] : i32, " + type + "\n  %r = scalar.constant 5 : i32\n";
  case Form::VectorLoad:
    return "  %v = vector.load " + view + type + " -> vector<3xi32>\n";
  case Form::MaskedLoad:
    return "  %v = vector.load.mask %view[%x], %mask, %zeros : " + type +
           ", vector<3xi1>, vector<3xi32>\n";
  case Form::Gather:
    return "  %v = vector.gather %view[%x][%offsets] : " + type +
           ", vector<3xi32> -> vector<3xi32>\n";
  case Form::Matrix:
    return "  %r = view.load %matrix[%x, %y] : view<" + std::to_string(extent) + "x2xi32> -> i32\n";
  }
  return "";
}

std::string Program::text() const {
  std::string number = std::to_string(extent);
  bool isVector = form == Form::VectorLoad || form == Form::MaskedLoad || form == Form::Gather;
  std::string type = isDynamic ? "view<[%extent]xi32>" : "view<" + number + "xi32>";
  std::string indexText = index == Index::Affine ? "  %x = index.madd %i, %stride, %first : index\n"
                          : index == Index::Loaded
                              ? "  %x = index.cast %place : i32 to index\n"
                              : "  %p0 = view.load %places[0] : view<256xi32> -> i32\n"
                                "  %x = index.cast %p0 : i32 to index\n";
  std::string access = accessText();
  if (isVector)
    access += "  %r = vector.reduce<addi> %v, %zero : vector<3xi32>, i32\n";
  access += "  view.store %r, %out[%i] : i32, view<256xi32>\n";
  if (isInLoop)
    access = "scf.for %again = [%zero_index to %one step %one] {\n" + access + "}\n";
  if (isGuarded)
    access = "scf.if %even {\n" + access + "}\n";
  return "kernel.def @k() {\n"
         "  %one = index.constant 1 : index\n"
         "  %groups = index.constant " +
         std::to_string(kGroups) +
         " : index\n"
         "  %size = index.constant " +
         std::to_string(size) +
         " : index\n"
         "  kernel.launch.config workgroups(%groups, %one, %one) "
         "workgroup_size(%size, %one, %one) : index\n"
         "} launch(%extent: index, %stride_value: index, %data: buffer, %places_buffer: buffer, "
         "%out_buffer: buffer) {\n"
         "  %base = index.constant 0 : offset\n"
         "  %one = index.constant 1 : index\n"
         "  %zero_index = index.constant 0 : index\n"
         "  %two = scalar.constant 2 : i32\n"
         "  %zero = scalar.constant 0 : i32\n"
         "  %unit = scalar.constant 1 : i32\n"
         "  %seven = scalar.constant 7 : i32\n"
         "  %zeros = vector.constant 0 : vector<3xi32>\n"
         "  %offsets = vector.from_elements %two, %zero, %unit : vector<3xi32>\n"
         "  %counts = vector.from_elements %zero, %unit, %two : vector<3xi32>\n"
         "  %view = buffer.view %data[%base] : buffer -> " +
         type +
         "\n"
         "  %matrix = buffer.view %data[%base] : buffer -> view<" +
         number +
         "x2xi32>\n"
         "  %places = buffer.view %places_buffer[%base] : buffer -> view<256xi32>\n"
         "  %out = buffer.view %out_buffer[%base] : buffer -> view<256xi32>\n"
         "  %i = kernel.workitem.dispatch.id<x> : index\n"
         "  %stride = index.constant " +
         std::to_string(stride) +
         " : index\n"
         "  %first = index.constant " +
         std::to_string(this->base) +
         " : index\n"
         "  %place = view.load %places[%i] : view<256xi32> -> i32\n"
         "  %rest = scalar.remsi %place, %two : i32\n"
         "  %even = scalar.cmpi eq, %rest, %zero : i32\n"
         "  %limits = vector.splat %place : vector<3xi32>\n"
         "  %mask = vector.cmpi slt, %counts, %limits : vector<3xi32> -> vector<3xi1>\n"
         "  %y = index.cast %rest : i32 to index\n" +
         indexText + access +
         "  kernel.return\n"
         "}\n";
}

std::vector<int64_t> Program::elements(int64_t i, const std::vector<int32_t> &places) const {
  int64_t x = coordinate(i, places);
  switch (form) {
  case Form::Load:
  case Form::Store:
    return {x};
  case Form::VectorLoad:
  case Form::Gather:
    return {x, x + 1, x + 2};
  case Form::MaskedLoad: {
    std::vector<int64_t> taken;
    for (int64_t element = 0; element < 3; ++element)
      if (element < places[i])
        taken.push_back(x + element);
    return taken;
  }
  case Form::Matrix: {
    int64_t y = places[i] % 2;
    // Outside of the matrix in either dimension is outside of everything.
    return {x < 0 || x >= extent || y < 0 ? -1 : x * 2 + y};
  }
  }
  return {};
}

class LanesSanitizerTest : public LoweringTest {
protected:
  void check(const Program &program, const char *profile, Random &random);
};

void LanesSanitizerTest::check(const Program &program, const char *profile, Random &random) {
  std::string text = program.text();
  SCOPED_TRACE(std::string(profile) + "\n" + text + "words = " + std::to_string(program.words));
  LoweringOptions options;
  options.checks.access = true;
  options.monitor = true;
  mlir::FailureOr<x86::CompiledKernels> kernels =
      x86::compileKernels(parse(text), *lookupTargetProfile(profile), options);
  ASSERT_TRUE(mlir::succeeded(kernels)) << takeErrors();

  std::vector<int32_t> data(program.words + 64), places(256), out(256, -1);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = 1000 + static_cast<int32_t>(i);
  for (int32_t &place : places)
    place = static_cast<int32_t>(random() % 80) - 6;
  std::vector<int32_t> before = data, expectedOut = out, expectedData = data;
  std::set<Item> wrong;
  int64_t extent = program.form == Form::Matrix ? 2 * program.extent : program.extent;
  for (int64_t i = 0; i < kGroups * program.size; ++i) {
    if (!program.takesPart(i, places))
      continue;
    std::vector<int64_t> elements = program.elements(i, places);
    bool isWrong = llvm::any_of(elements, [&](int64_t element) {
      return element < 0 || element >= extent || element >= program.words;
    });
    if (isWrong)
      wrong.insert({i / program.size, i % program.size});
    if (program.form == Form::Store) {
      if (!isWrong)
        expectedData[elements[0]] = 7;
      expectedOut[i] = 5;
      continue;
    }
    expectedOut[i] = 0;
    for (int64_t element : elements)
      expectedOut[i] += isWrong ? 0 : before[element];
  }
  Recorder recorder({0, 0, program.words * 4, 1024, 1024});
  Arguments arguments;
  arguments.add(program.extent).add(program.stride).add(data).add(places).add(out);
  arguments.add(static_cast<const Monitor *>(&recorder));
  launch(*kernels, "k", kGroups, arguments);
  EXPECT_EQ(recorder.items, wrong);
  EXPECT_FALSE(recorder.twice);
  EXPECT_EQ(out, expectedOut);
  EXPECT_EQ(data, expectedData);
}

TEST_F(LanesSanitizerTest, ReportsWhoLeavesTheViewOrItsBuffer) {
  Random random(2026);
  int programs = isLong() ? 200 : 16;
  for (int number = 0; number < programs && !HasFailure(); ++number)
    check(Program::make(random), kLaneProfiles[number % 4].key, random);
}

} // namespace
} // namespace loom::test
