//===- LanesKernelsTest.cpp - Workgroup memory, transfers, exits ----------===//
//
// What concerns whole kernels: the dynamic tail of workgroup memory, lengths of buffers, transfers
// beside the kernel, work-items that leave, and subgroups that a target record asks for.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

class LanesKernelsTest : public LanesTest {};

const char *const kBarrier = "kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)";

/// Compares element by element and prints where two vectors differ.
template <typename T>
void expectSame(const std::vector<T> &actual, const std::vector<T> &expected,
                const std::string &what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(actual[i], expected[i]) << what << ", element " << i;
}

//===----------------------------------------------------------------------===//
// Storage and lengths
//===----------------------------------------------------------------------===//

/// Each work-item writes to the tail and reads what a neighbour wrote. `bound` makes %length, the
/// length of the tail in bytes, of what the launch gives.
std::string tailText(const std::string &bound) {
  std::string text = R"(
kernel.def export("k") @k(%size: index, %bytes: offset) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) dynamic_workgroup_storage(%bytes) : index
} launch(%size: index, %given: offset, %in: buffer, %out: buffer, %lengths: buffer) {
  %base = index.constant 0 : offset
  $bound
  %tail = kernel.workgroup.storage align(64) %length : buffer
  %fixed_bytes = index.constant 64 : offset
  %fixed = buffer.alloca<workgroup> align(16) %fixed_bytes : buffer
  %own_bytes = index.constant 24 : offset
  %own = buffer.alloca<private> align(8) %own_bytes : buffer
  %slots = buffer.view %tail[%base] : buffer -> view<[%size]xi64>
  %flags = buffer.view %fixed[%base] : buffer -> view<8xi64>
  %from = buffer.view %in[%base] : buffer -> view<256xi64>
  %to = buffer.view %out[%base] : buffer -> view<256xi64>
  %counts = buffer.view %lengths[%base] : buffer -> view<6xi64>
  %i = kernel.workitem.dispatch.id<x> : index
  %local = kernel.workitem.id<x> : index
  %value = view.load %from[%i] : view<256xi64> -> i64
  view.store %value, %slots[%local] : i64, view<[%size]xi64>
  $barrier
  %five = index.constant 5 : index
  %next = index.add %local, %five : index
  %other = index.rem %next, %size : index
  %theirs = view.load %slots[%other] : view<[%size]xi64> -> i64
  view.store %theirs, %to[%i] : i64, view<256xi64>
  %zero = index.constant 0 : index
  %is_first = index.cmp eq, %i, %zero : index
  scf.if %is_first {
    %aligned = buffer.assume.alignment %in {minimum_alignment = 8} : buffer
    %a = buffer.length %aligned
    %b = buffer.length %out
    %c = buffer.length %lengths
    %d = buffer.length %tail
    %e = buffer.length %fixed
    %f = buffer.length %own
    %a64 = index.cast %a : offset to i64
    %b64 = index.cast %b : offset to i64
    %c64 = index.cast %c : offset to i64
    %d64 = index.cast %d : offset to i64
    %e64 = index.cast %e : offset to i64
    %f64 = index.cast %f : offset to i64
    view.store %a64, %counts[0] : i64, view<6xi64>
    view.store %b64, %counts[1] : i64, view<6xi64>
    view.store %c64, %counts[2] : i64, view<6xi64>
    view.store %d64, %counts[3] : i64, view<6xi64>
    view.store %e64, %counts[4] : i64, view<6xi64>
    view.store %f64, %counts[5] : i64, view<6xi64>
  }
  kernel.return
}
)";
  return replaced(replaced(text, "$barrier", kBarrier), "$bound", bound);
}

TEST_F(LanesKernelsTest, DynamicWorkgroupMemoryAndLengths) {
  const std::string bounds[] = {
      "%length = index.assume %given [lt(%given, 4096)] : offset",
      "%two_bytes = index.constant 2 : offset\n  %more = index.add %given, %two_bytes : offset\n"
      "  %length = index.sub %more, %two_bytes : offset"};
  forEachProfile([&](const LaneProfile &profile) {
    for (const std::string &bound : bounds) {
      std::optional<x86::CompiledKernels> kernels = compileFor(tailText(bound), profile.key);
      ASSERT_TRUE(kernels);
      EXPECT_TRUE(kernels->lookup("k")->info.hasLengths);
      EXPECT_EQ(kernels->lookup("k")->info.subgroupSize, profile.lanes);
      for (int64_t size : {1, 7, 16, 64, 100}) {
        std::vector<int64_t> in(256), out(256, -1), expected = out, lengths(6);
        for (size_t i = 0; i < in.size(); ++i)
          in[i] = i * i * 7919;
        for (int64_t i = 0; i < 2 * size; ++i)
          expected[i] = in[i / size * size + (i % size + 5) % size];
        launchSized(*kernels, "k", 2, {size, 1, 1},
                    Arguments()
                        .add(size)
                        .add(size * 8)
                        .add(in)
                        .add(out)
                        .add(lengths)
                        .add(int64_t(2048))
                        .add(int64_t(1) << 40)
                        .add(int64_t(0)));
        expectSame(out, expected, profile.key);
        EXPECT_EQ(lengths, (std::vector<int64_t>{2048, int64_t(1) << 40, 0, size * 8, 64, 24}));
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Work-items bring rows of 4 elements to workgroup memory, through one loop that waits for the
/// transfer of the iteration before, read those of a neighbour and bring them back. A gather gives
/// each lane of a subgroup a row of its own.
std::string transferText(const std::string &type, int64_t lanes) {
  std::string text = R"(
kernel.def export("k") @k(%size: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%size: index, %flags: buffer, %in: buffer, %out: buffer, %rows: buffer, %again: buffer) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %many = index.constant 16384 : offset
  %all = buffer.alloca<workgroup> align(16) %many : buffer
  %more_bytes = index.constant 16384 : offset
  %more = buffer.alloca<workgroup> align(16) %more_bytes : buffer
  %flag_view = buffer.view %flags[%base] : buffer -> view<256xi1>
  %from = buffer.view %in[%base] : buffer -> view<256x4x$type>
  %to = buffer.view %out[%base] : buffer -> view<256x4x$type>
  %tiles = buffer.view %all[%base] : buffer -> view<512x4x$type>
  %lanes = buffer.view %more[%base] : buffer -> view<128x8x$type>
  %row_view = buffer.view %rows[%base] : buffer -> view<256x4x$type>
  %again_view = buffer.view %again[%base] : buffer -> view<256x4x$type>
  %i = kernel.workitem.dispatch.id<x> : index
  %local = kernel.workitem.id<x> : index
  %lane = kernel.subgroup.lane.id : index
  %subgroup = kernel.subgroup.id : index
  %flag = view.load %flag_view[%i] : view<256xi1> -> i1
  %source = view.subview %from[%i, 0] : view<256x4x$type> -> view<1x4x$type>
  %four = index.constant 4 : index
  %tile = index.mul %local, %four : index
  %first = view.subview %tiles[%tile, 0] : view<512x4x$type> -> view<1x4x$type>
  %token = kernel.async.copy %source to %first {cache_scope = cu, cache_temporal = regular, direction = global_to_workgroup} : view<1x4x$type> to view<1x4x$type> -> kernel.async.token
  %group = kernel.async.group %token : kernel.async.token -> kernel.async.group
  %three = index.constant 3 : index
  %last = scf.for %k = [%zero to %three step %one](%before = %group : kernel.async.group) -> (kernel.async.group) {
    %number = index.add %k, %one : index
    %row = index.add %tile, %number : index
    %place = view.subview %tiles[%row, 0] : view<512x4x$type> -> view<1x4x$type>
    %next = kernel.async.copy.mask %source to %place, %flag {cache_scope = cu, cache_temporal = regular, direction = global_to_workgroup} : view<1x4x$type> to view<1x4x$type>, i1 -> kernel.async.token
    %newer = kernel.async.group %next : kernel.async.token -> kernel.async.group
    kernel.async.wait %before {newer_groups = 1} : kernel.async.group
    scf.yield %newer : kernel.async.group
  }
  kernel.async.wait %last {newer_groups = 0} : kernel.async.group
  $barrier
  %width = kernel.subgroup.size : index
  %begin = index.mul %subgroup, %width : index
  %part = view.subview %lanes[%begin, 0] : view<128x8x$type> -> view<$widthx8x$type>
  %gathered = kernel.async.gather.mask %source to %part, %flag {cache_scope = cu, cache_temporal = regular} : view<1x4x$type> to view<$widthx8x$type>, i1 -> kernel.async.token
  %everything = kernel.async.group %gathered : kernel.async.token -> kernel.async.group
  kernel.async.wait %everything {newer_groups = 0} : kernel.async.group
  scf.if %flag {
    %own_row = index.add %begin, %lane : index
    %mine = vector.load %lanes[%own_row, 0] : view<128x8x$type> -> vector<4x$type>
    vector.store %mine, %row_view[%i, 0] : vector<4x$type>, view<256x4x$type>
  }
  %five = index.constant 5 : index
  %shifted = index.add %local, %five : index
  %other = index.rem %shifted, %size : index
  %other_tile = index.mul %other, %four : index
  %theirs = view.subview %tiles[%other_tile, 0] : view<512x4x$type> -> view<1x4x$type>
  %target = view.subview %to[%i, 0] : view<256x4x$type> -> view<1x4x$type>
  %return = kernel.async.copy %theirs to %target {cache_scope = cu, cache_temporal = regular, direction = workgroup_to_global} : view<1x4x$type> to view<1x4x$type> -> kernel.async.token
  %returned = kernel.async.group %return : kernel.async.token -> kernel.async.group
  kernel.async.wait %returned {newer_groups = 0} : kernel.async.group
  scf.if %flag {
    %last_row = index.add %tile, %three : index
    %brought = vector.load %tiles[%last_row, 0] : view<512x4x$type> -> vector<4x$type>
    vector.store %brought, %again_view[%i, 0] : vector<4x$type>, view<256x4x$type>
  }
  kernel.return
}
)";
  text = replaced(replaced(text, "$barrier", kBarrier), "$width", std::to_string(lanes));
  return replaced(text, "$type", type);
}

TEST_F(LanesKernelsTest, Transfers) {
  const char *const types[] = {"i8", "f16", "f32", "i64"};
  forEachProfile([&](const LaneProfile &profile) {
    ElementType type(types[llvm::Log2_64(profile.lanes) - 3]);
    std::optional<x86::CompiledKernels> kernels =
        compileFor(transferText(type.name, profile.lanes), profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    size_t row = 4 * type.bytes;
    for (int64_t size : {1, 7, 16, 64, 100})
      for (int round = 0; round < 16; ++round) {
        std::vector<uint8_t> flags(256), in(256 * row), out(in.size(), 0xcc), rows = out,
                                                                              again = out;
        for (uint8_t &flag : flags)
          flag = random() % 2;
        for (uint8_t &byte : in)
          byte = random();
        std::vector<uint8_t> expected = out, expectedRows = out;
        for (int64_t i = 0; i < 2 * size; ++i) {
          int64_t other = i / size * size + (i % size + 5) % size;
          std::memcpy(&expected[i * row], &in[other * row], row);
          if (flags[i])
            std::memcpy(&expectedRows[i * row], &in[i * row], row);
        }
        launchSized(*kernels, "k", 2, {size, 1, 1},
                    Arguments().add(size).add(flags).add(in).add(out).add(rows).add(again));
        expectSame(out, expected, type.name + " copied");
        expectSame(rows, expectedRows, type.name + " gathered");
        expectSame(again, expectedRows, type.name + " in a loop");
        if (HasFatalFailure())
          return;
      }
  });
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// Vectors across the strides of views, of numbers and of values, and atomic accesses.
const char *const kStrides = R"(
kernel.def export("k") @k(%size: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%rows: index, %pitch: index, %flags: buffer, %in: buffer, %apart: buffer, %cells: buffer, %out: buffer, %turned: buffer) {
  %base = index.constant 0 : offset
  %layout = encoding.layout.strided [%pitch, 2] : encoding<layout>
  %flag_view = buffer.view %flags[%base] : buffer -> view<256xi1>
  %columns = buffer.view %in[%base] : buffer -> view<8x16xi32, #encoding.layout.strided<strides = [1, 8]>>
  %pairs = buffer.view %apart[%base] : buffer -> view<[%rows]x4xi32, %layout>
  %counts = buffer.view %cells[%base] : buffer -> view<256x2xi32, #encoding.layout.strided<strides = [3, 2]>>
  %to = buffer.view %out[%base] : buffer -> view<256x12xi32>
  %tiles = buffer.view %turned[%base] : buffer -> view<256x4x2xi32, #encoding.layout.strided<strides = [8, 1, 4]>>
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<256xi1> -> i1
  scf.if %flag {
    %eight = index.constant 8 : index
    %twelve = index.constant 12 : index
    %row = index.rem %i, %eight : index
    %column = index.rem %i, %twelve : index
    %across = vector.load %columns[%row, %column] : view<8x16xi32, #encoding.layout.strided<strides = [1, 8]>> -> vector<4xi32>
    vector.store %across, %to[%i, 0] : vector<4xi32>, view<256x12xi32>
    %spread = vector.load %pairs[%i, 0] : view<[%rows]x4xi32, %layout> -> vector<4xi32>
    vector.store %spread, %to[%i, 4] : vector<4xi32>, view<256x12xi32>
    %zero = vector.constant 0 : vector<4xi32>
    %is_less = vector.cmpi slt, %across, %spread : vector<4xi32> -> vector<4xi1>
    %masked = vector.load.mask %pairs[%i, 0], %is_less, %zero : view<[%rows]x4xi32, %layout>, vector<4xi1>, vector<4xi32>
    vector.store %masked, %to[%i, 8] : vector<4xi32>, view<256x12xi32>
    %both = vector.load %to[%i, 0] : view<256x12xi32> -> vector<8xi32>
    %tile = vector.bitcast %both : vector<8xi32> to vector<4x2xi32>
    vector.store %tile, %tiles[%i, 0, 0] : vector<4x2xi32>, view<256x4x2xi32, #encoding.layout.strided<strides = [8, 1, 4]>>
    %number = index.cast %row : index to i32
    %before = view.atomic.rmw<addi> %number, %counts[%i, 1] {ordering = relaxed, scope = device} : i32, view<256x2xi32, #encoding.layout.strided<strides = [3, 2]>> -> i32
  }
  kernel.return
}
)";

TEST_F(LanesKernelsTest, Strides) {
  forEachProfile([&](const LaneProfile &profile) {
    // Elements apart from each other take much code.
    if (profile.lanes > 16 && !isLong())
      return;
    std::optional<x86::CompiledKernels> kernels = compileFor(kStrides, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (int64_t size : {7, 16, 64, 100})
      for (int round = 0; round < 64; ++round) {
        constexpr int64_t pitch = 9;
        std::vector<uint8_t> flags(256);
        std::vector<int32_t> in(128), apart(256 * pitch + 8), cells(3 * 256), out(256 * 12, -1),
            turned(256 * 8, -1);
        for (uint8_t &flag : flags)
          flag = random() % 2;
        for (auto *values : {&in, &apart, &cells})
          for (int32_t &value : *values)
            value = static_cast<int32_t>(random() % 100);
        std::vector<int32_t> expectedCells = cells, expected = out, expectedTurned = turned;
        for (int64_t i = 0; i < 2 * size; ++i)
          for (int64_t k = 0; k < 4 && flags[i]; ++k) {
            int32_t across = in[i % 8 + 8 * (i % 12 + k)], spread = apart[i * pitch + 2 * k];
            expected[12 * i + k] = across;
            expected[12 * i + 4 + k] = spread;
            expected[12 * i + 8 + k] = across < spread ? spread : 0;
            // Element [r, c] of the tile is element 2r + c of both, and lies at r + 4c.
            expectedTurned[8 * i + k / 2 + 4 * (k % 2)] = across;
            expectedTurned[8 * i + (4 + k) / 2 + 4 * (k % 2)] = spread;
            if (k == 0)
              expectedCells[3 * i + 2] += i % 8;
          }
        launchSized(*kernels, "k", 2, {size, 1, 1},
                    Arguments()
                        .add(int64_t(256))
                        .add(pitch)
                        .add(flags)
                        .add(in)
                        .add(apart)
                        .add(cells)
                        .add(out)
                        .add(turned));
        expectSame(out, expected, "read");
        expectSame(turned, expectedTurned, "written");
        expectSame(cells, expectedCells, "counted");
        if (HasFatalFailure())
          return;
      }
  });
}

//===----------------------------------------------------------------------===//
// Exits
//===----------------------------------------------------------------------===//

/// Workgroups leave in front of the first barrier and between two, work-items behind the last one.
/// Who leaves says so in a region, which may wait too.
std::string exitText() {
  return replaced(R"(
kernel.def export("k") @k(%size: index, %groups: index) {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%size: index, %first: index, %second: index, %flags: buffer, %in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %bytes = index.constant 1024 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<1024xi1>
  %from = buffer.view %in[%base] : buffer -> view<1024xi32>
  %to = buffer.view %out[%base] : buffer -> view<1024x4xi32>
  %storage = buffer.alloca<workgroup> align(16) %bytes : buffer
  %shared = buffer.view %storage[%base] : buffer -> view<256xi32>
  %i = kernel.workitem.dispatch.id<x> : index
  %local = kernel.workitem.id<x> : index
  %g = kernel.workgroup.id<x> : index
  %value = view.load %from[%i] : view<1024xi32> -> i32
  %leaves_first = index.cmp eq, %g, %first : index
  kernel.exit %leaves_first : i1 {
    %sum = kernel.workgroup.reduce<addi> %value : i32
    view.store %sum, %to[%i, 0] : i32, view<1024x4xi32>
  }
  view.store %value, %shared[%local] : i32, view<256xi32>
  $barrier
  %three = index.constant 3 : index
  %next = index.add %local, %three : index
  %other = index.rem %next, %size : index
  %theirs = view.load %shared[%other] : view<256xi32> -> i32
  %leaves_second = index.cmp eq, %g, %second : index
  kernel.exit %leaves_second : i1
  $barrier
  %both = scalar.addi %value, %theirs : i32
  view.store %both, %shared[%local] : i32, view<256xi32>
  $barrier
  %sums = view.load %shared[%other] : view<256xi32> -> i32
  view.store %theirs, %to[%i, 1] : i32, view<1024x4xi32>
  %flag = view.load %flag_view[%i] : view<1024xi1> -> i1
  kernel.exit %flag : i1 {
    view.store %sums, %to[%i, 2] : i32, view<1024x4xi32>
  }
  %zero = scalar.constant 0 : i32
  %negative = scalar.cmpi slt, %sums, %zero : i32
  kernel.exit %negative : i1
  view.store %sums, %to[%i, 3] : i32, view<1024x4xi32>
  kernel.return
}
)",
                  "$barrier", kBarrier);
}

TEST_F(LanesKernelsTest, ExitsAroundBarriers) {
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(exitText(), profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (int64_t size : {1, 7, 16, 40, 64, 100})
      for (int round = 0; round < 64; ++round) {
        int64_t groups = 4, first = random() % 6, second = random() % 6;
        std::vector<uint8_t> flags(1024);
        std::vector<int32_t> in(1024), out(4096, 7), expected = out;
        for (int32_t &value : in)
          value = static_cast<int32_t>(random() % 2000) - 1000;
        for (uint8_t &flag : flags)
          flag = random() % 4 < static_cast<uint64_t>(round % 5);
        for (int64_t i = 0; i < groups * size; ++i) {
          int64_t begin = i / size * size;
          auto at = [&](int64_t distance) { return in[begin + (i - begin + distance) % size]; };
          if (i / size == first) {
            expected[4 * i] = 0;
            for (int64_t k = 0; k < size; ++k)
              expected[4 * i] += in[begin + k];
            continue;
          }
          if (i / size == second)
            continue;
          expected[4 * i + 1] = at(3);
          int32_t sums = at(3) + at(6);
          if (flags[i])
            expected[4 * i + 2] = sums;
          else if (sums >= 0)
            expected[4 * i + 3] = sums;
        }
        launchSized(*kernels, "k", groups, {size, 1, 1},
                    Arguments().add(size).add(first).add(second).add(flags).add(in).add(out));
        expectSame(out, expected,
                   std::string(profile.key) + ", workgroups of " + std::to_string(size));
        if (HasFatalFailure())
          return;
      }
  });
}

} // namespace
} // namespace loom::test
