//===- LanesTransfersTest.cpp - Transfers of all layouts, and clusters ----===//
//
// A transfer moves the bytes of one view, in the order of its elements, to those of another one.
// Random types, shapes and strides, of numbers, of values and of values that differ between
// work-items, are compared with a copy byte by byte.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

class LanesTransfersTest : public LanesTest {};

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// One end of a transfer, with strides in elements.
struct End {
  struct Axis {
    int64_t extent, stride;
    enum { Literal, Value, Varying } kind;
  };
  std::string type;
  int64_t elementBytes;
  std::vector<Axis> axes;
  bool isDense = false;

  int64_t count() const {
    int64_t elements = 1;
    for (const Axis &axis : axes)
      elements *= axis.extent;
    return elements;
  }
  /// Work-items have strides up to so much larger.
  static constexpr int64_t kMostVariation = 2;
  static int64_t strideFor(const Axis &axis, int64_t item) {
    return axis.stride + (axis.kind == Axis::Varying ? item % (kMostVariation + 1) : 0);
  }
  /// Bytes from the first element of any work-item to the end of its last.
  int64_t span() const {
    int64_t last = 0;
    for (const Axis &axis : axes)
      last += (axis.extent - 1) * (axis.stride + kMostVariation);
    return (last + 1) * elementBytes;
  }
  /// Where byte `byte` in the order of elements lies.
  int64_t place(int64_t byte, int64_t item) const {
    int64_t element = byte / elementBytes, offset = 0;
    for (size_t axis = axes.size(); axis-- > 0;) {
      offset += element % axes[axis].extent * strideFor(axes[axis], item);
      element /= axes[axis].extent;
    }
    return offset * elementBytes + byte % elementBytes;
  }
  std::string viewType(const std::string &layout) const {
    std::string text = "view<";
    for (const Axis &axis : axes)
      text += std::to_string(axis.extent) + "x";
    return text + type + (layout.empty() ? "" : ", " + layout) + ">";
  }
};

const std::pair<const char *, int64_t> kTypes[] = {{"i8", 1}, {"i16", 2}, {"f32", 4}, {"i64", 8}};

/// An end of `bytes` bytes, a power of two.
End randomEnd(Random &random, int64_t bytes) {
  End end;
  std::tie(end.type, end.elementBytes) = kTypes[random() % 4];
  int64_t elements = bytes / end.elementBytes;
  while (elements > 1 && end.axes.size() < 3) {
    int64_t extent = int64_t(1) << (1 + random() % 3);
    extent = end.axes.size() == 2 || extent > elements ? elements : extent;
    end.axes.push_back({extent, 0, End::Axis::Literal});
    elements /= extent;
  }
  if (end.axes.empty() || random() % 3 == 0)
    end.axes.push_back({1, 0, End::Axis::Literal});
  end.isDense = random() % 3 == 0;
  int64_t stride = 1;
  for (End::Axis &axis : llvm::reverse(end.axes)) {
    if (!end.isDense) {
      // Sides by side now and then, so that there are runs.
      stride += random() % 2 ? 0 : random() % 3;
      axis.kind =
          std::array{End::Axis::Literal, End::Axis::Value, End::Axis::Varying}[random() % 3];
    }
    axis.stride = stride;
    bool isVarying = axis.kind == End::Axis::Varying;
    stride *= axis.extent;
    // Elements of one work-item do not meet.
    stride += isVarying ? axis.extent * End::kMostVariation : 0;
  }
  return end;
}

/// Writes the layout of an end; values are parameters `%<name><axis>`.
struct LayoutText {
  std::string parameters, setup, layout;
  std::vector<int64_t> arguments;
};

LayoutText textOf(const End &end, const std::string &name) {
  LayoutText text;
  if (end.isDense)
    return text;
  std::string strides;
  bool isLiteral = true;
  for (auto [number, axis] : llvm::enumerate(end.axes)) {
    std::string value = std::to_string(axis.stride);
    if (axis.kind != End::Axis::Literal) {
      value = "%" + name + std::to_string(number);
      text.parameters += ", " + value + ": index";
      text.arguments.push_back(axis.stride);
      isLiteral = false;
      if (axis.kind == End::Axis::Varying) {
        text.setup += "  " + value + "_own = index.add " + value + ", %variation : index\n";
        value += "_own";
      }
    }
    strides += (number ? ", " : "") + value;
  }
  if (isLiteral) {
    text.layout = "#encoding.layout.strided<strides = [" + strides + "]>";
    return text;
  }
  text.layout = "%" + name + "_layout";
  text.setup +=
      "  " + text.layout + " = encoding.layout.strided [" + strides + "] : encoding<layout>\n";
  return text;
}

int64_t roundedUp(int64_t bytes) { return (bytes + 15) / 16 * 16; }

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

const char *const kCopy = R"(
kernel.def export("k") @k(%size: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%size: index, %flags: buffer, %in: buffer, %out: buffer$parameters) {
  %base = index.constant 0 : offset
  %untouched = scalar.constant -52 : i8
  %room = index.constant $room : offset
  %tile = buffer.alloca<workgroup> align(64) %room : buffer
  %i = kernel.workitem.dispatch.id<x> : index
  %local = kernel.workitem.id<x> : index
  %three = index.constant 3 : index
  %variation = index.rem %i, %three : index
$setup  %source_span = index.constant $source_span : offset
  %target_span = index.constant $target_span : offset
  %from = index.scale %i, %source_span : index, offset -> offset
  %to = index.scale %local, %target_span : index, offset -> offset
  %back = index.scale %i, %target_span : index, offset -> offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<256xi1>
  %flag = view.load %flag_view[%i] : view<256xi1> -> i1
  %source = buffer.view %in[%from] : buffer -> $source_type
  %target = buffer.view %tile[%to] : buffer -> $target_type
  buffer.fill %untouched, %tile[%to], %target_span : i8
  $barrier
  %token = kernel.async.copy$mask %source to %target$flag {cache_scope = cu, cache_temporal = regular, direction = global_to_workgroup} : $source_type to $target_type$flag_type -> kernel.async.token
  %group = kernel.async.group %token : kernel.async.token -> kernel.async.group
  kernel.async.wait %group {newer_groups = 0} : kernel.async.group
  $barrier
  buffer.copy %tile[%to], %out[%back], %target_span
  kernel.return
}
)";

TEST_F(LanesTransfersTest, CopiesBetweenAnyLayouts) {
  forEachProfile([&](const LaneProfile &profile) {
    for (unsigned seed = 0; seed < (isLong() ? 100u : 10u); ++seed) {
      Random random(seed * 64 + profile.lanes);
      int64_t bytes = int64_t(8) << random() % 4;
      End source = randomEnd(random, bytes), target = randomEnd(random, bytes);
      LayoutText from = textOf(source, "s"), to = textOf(target, "t");
      int64_t sourceSpan = roundedUp(source.span()), targetSpan = roundedUp(target.span());
      int64_t most = std::min<int64_t>(40, 65536 / targetSpan);
      bool isMasked = random() % 2;
      bool hasBarrier = random() % 2;
      std::string text = kCopy;
      for (auto [name, value] : std::vector<std::pair<std::string, std::string>>{
               {"$parameters", from.parameters + to.parameters},
               {"$room", std::to_string(most * targetSpan)},
               {"$setup", from.setup + to.setup},
               {"$source_span", std::to_string(sourceSpan)},
               {"$target_span", std::to_string(targetSpan)},
               {"$source_type", source.viewType(from.layout)},
               {"$target_type", target.viewType(to.layout)},
               {"$barrier",
                hasBarrier ? "kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)" : ""},
               {"$mask", isMasked ? ".mask" : ""},
               {"$flag_type", isMasked ? ", i1" : ""},
               {"$flag", isMasked ? ", %flag" : ""}})
        text = replaced(text, name, value);
      std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
      ASSERT_TRUE(kernels) << text;
      for (int64_t size : {int64_t(1), most / 2 + 1, most}) {
        std::vector<uint8_t> flags(256), in(2 * size * sourceSpan), out(2 * size * targetSpan);
        for (uint8_t &flag : flags)
          flag = random() % 2;
        for (uint8_t &byte : in)
          byte = random();
        std::vector<uint8_t> expected(out.size(), uint8_t(-52));
        for (int64_t i = 0; i < 2 * size; ++i)
          for (int64_t byte = 0; byte < bytes; ++byte)
            if (!isMasked || flags[i])
              expected[i * targetSpan + target.place(byte, i)] =
                  in[i * sourceSpan + source.place(byte, i)];
        Arguments arguments;
        arguments.add(size).add(flags).add(in).add(out);
        for (const LayoutText *side : {&from, &to})
          for (int64_t stride : side->arguments)
            arguments.add(stride);
        launchSized(*kernels, "k", 2, {size, 1, 1}, arguments);
        ASSERT_EQ(out, expected) << profile.key << ", seed " << seed << ", size " << size << text;
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

const char *const kGather = R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant $size : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%in: buffer, %out: buffer, %row: index$parameters) {
  %base = index.constant 0 : offset
  %untouched = scalar.constant -52 : i8
  %room = index.constant $room : offset
  %tile = buffer.alloca<workgroup> align(64) %room : buffer
  %i = kernel.workitem.dispatch.id<x> : index
  %zero = index.constant 0 : index
  %local = kernel.workitem.id<x> : index
  %group_id = kernel.workgroup.id<x> : index
  %three = index.constant 3 : index
  %variation = index.rem %i, %three : index
$setup  %source_span = index.constant $source_span : offset
  %from = index.scale %i, %source_span : index, offset -> offset
  %source = buffer.view %in[%from] : buffer -> $source_type
  %layout = encoding.layout.strided [%row, 1] : encoding<layout>
  %target = buffer.view %tile[%base] : buffer -> view<$lanesx$lengthx$type, %layout>
  %is_first = index.cmp eq, %local, %zero : index
  scf.if %is_first {
    buffer.fill %untouched, %tile[%base], %room : i8
  }
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  %token = kernel.async.gather %source to %target {cache_scope = cu, cache_temporal = regular} : $source_type to view<$lanesx$lengthx$type, %layout> -> kernel.async.token
  %group = kernel.async.group %token : kernel.async.token -> kernel.async.group
  kernel.async.wait %group {newer_groups = 0} : kernel.async.group
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  scf.if %is_first {
    %back = index.scale %group_id, %room : index, offset -> offset
    buffer.copy %tile[%base], %out[%back], %room
  }
  kernel.return
}
)";

TEST_F(LanesTransfersTest, GathersIntoRowsAnyDistanceApart) {
  forEachProfile([&](const LaneProfile &profile) {
    for (unsigned seed = 0; seed < (isLong() ? 40u : 4u); ++seed) {
      Random random(seed * 64 + profile.lanes + 1);
      int64_t bytes = int64_t(8) << random() % 3;
      End source = randomEnd(random, bytes);
      LayoutText from = textOf(source, "s");
      auto [type, elementBytes] = kTypes[random() % 4];
      int64_t length = bytes / elementBytes + random() % 2, row = length + random() % 3;
      int64_t sourceSpan = roundedUp(source.span());
      int64_t room = roundedUp(profile.lanes * row * elementBytes);
      // One subgroup, that may be short.
      int64_t size = profile.lanes - random() % 3;
      std::string text = kGather;
      for (auto [name, value] : std::vector<std::pair<std::string, std::string>>{
               {"$parameters", from.parameters},
               {"$room", std::to_string(room)},
               {"$size", std::to_string(size)},
               {"$setup", from.setup},
               {"$source_span", std::to_string(sourceSpan)},
               {"$source_type", source.viewType(from.layout)},
               {"$lanes", std::to_string(profile.lanes)},
               {"$length", std::to_string(length)},
               {"$type", type}})
        text = replaced(text, name, value);
      std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
      ASSERT_TRUE(kernels) << text;
      std::vector<uint8_t> in(2 * size * sourceSpan), out(2 * room);
      for (uint8_t &byte : in)
        byte = random();
      std::vector<uint8_t> expected(out.size(), uint8_t(-52));
      for (int64_t i = 0; i < 2 * size; ++i)
        for (int64_t byte = 0; byte < bytes; ++byte)
          expected[i / size * room + i % size * row * elementBytes + byte] =
              in[i * sourceSpan + source.place(byte, i)];
      Arguments arguments;
      arguments.add(in).add(out).add(row);
      for (int64_t stride : from.arguments)
        arguments.add(stride);
      launchSized(*kernels, "k", 2, {size, 1, 1}, arguments);
      // What follows the source in a row is anything.
      for (int64_t group = 0; group < 2; ++group)
        for (int64_t lane = 0; lane < size; ++lane)
          for (int64_t byte = bytes; byte < length * elementBytes; ++byte)
            expected[group * room + lane * row * elementBytes + byte] =
                out[group * room + lane * row * elementBytes + byte];
      ASSERT_EQ(out, expected) << profile.key << ", seed " << seed << text;
    }
  });
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

const char *const kClusters = R"(
kernel.def export("k") @k(%x: index, %y: index, %z: index) {
  %one = index.constant 1 : index
  %cx = index.constant $cx : index
  %cy = index.constant $cy : index
  %cz = index.constant $cz : index
  kernel.launch.config workgroups($grid) workgroup_size(%one, %one, %one) cluster_size(%cx, %cy, %cz) : index
} launch(%in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %sixteen = index.constant 16 : offset
  %shared = buffer.alloca<workgroup> align(16) %sixteen : buffer
  %source = buffer.view %in[%base] : buffer -> view<4xi32>
  %tile = buffer.view %shared[%base] : buffer -> view<2xi64>
  %results = buffer.view %out[%base] : buffer -> view<4096x16xi64>
  %everybody = scalar.constant $mask : i32
  %token = kernel.async.cluster.gather %source to %tile using %everybody {cache_scope = cu, cache_temporal = regular} : view<4xi32> to view<2xi64>, i32 -> kernel.async.token
  %group = kernel.async.group %token : kernel.async.token -> kernel.async.group
  kernel.async.wait %group {newer_groups = 0} : kernel.async.group
  %gx = kernel.workgroup.id<x> : index
  %gy = kernel.workgroup.id<y> : index
  %gz = kernel.workgroup.id<z> : index
  %nx = kernel.workgroup.count<x> : index
  %ny = kernel.workgroup.count<y> : index
  %plane = index.madd %gz, %ny, %gy : index
  %flat = index.madd %plane, %nx, %gx : index
$queries
  %first = vector.load %tile[0] : view<2xi64> -> vector<2xi64>
  vector.store %first, %results[%flat, 14] : vector<2xi64>, view<4096x16xi64>
  kernel.return
}
)";

TEST_F(LanesTransfersTest, PositionsInClusters) {
  using Extents = std::array<int64_t, 3>;
  const Extents shapes[] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 2}, {4, 2, 3}, {32, 1, 1}};
  const char *const questions[] = {"id", "count", "workgroup.id", "size"};
  for (const Extents &shape : shapes)
    for (bool isExact : {false, true}) {
      Extents grid = {shape[0] * 2, shape[1] * 3, shape[2]};
      int64_t all = shape[0] * shape[1] * shape[2];
      std::string queries;
      unsigned column = 0;
      auto ask = [&](const std::string &what) {
        std::string name = "%q" + std::to_string(column);
        queries += "  " + name + " = kernel.cluster." + what + " : index\n  " + name +
                   "_i = index.cast " + name + " : index to i64\n  view.store " + name +
                   "_i, %results[%flat, " + std::to_string(column++) +
                   "] : i64, view<4096x16xi64>\n";
      };
      for (const char *question : questions)
        for (const char *axis : {"x", "y", "z"})
          ask(std::string(question) + "<" + axis + ">");
      ask("workgroup.flat_id");
      std::string text = kClusters;
      std::string extents, constants;
      for (unsigned d = 0; d < 3; ++d) {
        std::string name = "%e" + std::to_string(d);
        constants += "  " + name + " = index.constant " + std::to_string(grid[d]) + " : index\n";
        extents += (d ? ", " : "") + name;
      }
      if (isExact)
        text = replaced(text, "  kernel.launch.config", constants + "  kernel.launch.config");
      for (auto [name, value] : std::vector<std::pair<std::string, std::string>>{
               {"$cx", std::to_string(shape[0])},
               {"$cy", std::to_string(shape[1])},
               {"$cz", std::to_string(shape[2])},
               {"$grid", isExact ? extents : "%x, %y, %z"},
               {"$mask", std::to_string(int32_t(all == 32 ? ~0u : (1u << all) - 1))},
               {"$queries", queries}})
        text = replaced(text, name, value);
      std::optional<x86::CompiledKernels> kernels = compileFor(text, "x86:avx2");
      ASSERT_TRUE(kernels) << text;
      int64_t groups = grid[0] * grid[1] * grid[2];
      std::vector<int64_t> in = {0x123456789abcdef0, -77}, out(4096 * 16, -1), expected = out;
      for (int64_t flat = 0; flat < groups; ++flat) {
        int64_t at[3] = {flat % grid[0], flat / grid[0] % grid[1], flat / grid[0] / grid[1]};
        int64_t *row = &expected[flat * 16];
        for (unsigned d = 0; d < 3; ++d) {
          row[d] = at[d] / shape[d];
          row[3 + d] = grid[d] / shape[d];
          row[6 + d] = at[d] % shape[d];
          row[9 + d] = shape[d];
        }
        row[12] = row[6] + shape[0] * (row[7] + shape[1] * row[8]);
        row[14] = in[0];
        row[15] = in[1];
      }
      int64_t size[3] = {1, 1, 1};
      Arguments arguments;
      arguments.add(in).add(out);
      kernels->lookup("k")->run(arguments.data(), 0, groups, grid.data(), size);
      ASSERT_EQ(out, expected) << text;
      ASSERT_TRUE(kernels->lookup("k")->info.clusterSize);
      EXPECT_EQ(*kernels->lookup("k")->info.clusterSize, shape);
    }
}

} // namespace
} // namespace loom::test
