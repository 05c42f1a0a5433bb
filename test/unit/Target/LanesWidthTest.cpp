//===- LanesWidthTest.cpp - Kernels with more lanes than a subgroup -------===//
//
// Kernels that do not see their subgroups, with as many lanes as pay: how many those are, and that
// results are those of single work-items, up to the last element of a buffer.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

class LanesWidthTest : public LoweringTest {};

/// `size` is that of a workgroup in x and y, `body` gets %lx, %ly, %x, %n and buffers %a, %b, %c.
std::string kernelText(const std::string &size, const std::string &body) {
  std::string text = R"(
kernel.def export("k") @k(%groups: index) {
  %one = index.constant 1 : index
  $constants
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%sx, %sy, %one) : index
} launch(%a: buffer, %b: buffer, %c: buffer, %count: index, %extent: index) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %n = index.assume %count [range(%count, 1, 65536)] : index
  %m = index.assume %extent [range(%extent, 0, 65536)] : index
  %lx = kernel.workitem.id<x> : index
  %ly = kernel.workitem.id<y> : index
  %x = kernel.workitem.dispatch.id<x> : index
$body
  kernel.return
}
)";
  size_t comma = size.find(',');
  std::string constants = "%sx = index.constant " + size.substr(0, comma) +
                          " : index\n  %sy = index.constant " + size.substr(comma + 1) + " : index";
  return replaced(replaced(text, "$constants", constants), "$body", body);
}

/// Each work-item adds a column, as `sums` carried values to which `value` is added.
std::string columnsText(const std::string &size, unsigned sums = 1,
                        const std::string &value = "%v = scalar.mulf %read, %read : f32") {
  std::string results, inits, types, next, yields;
  for (unsigned i = 0; i < sums; ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "";
    results += comma + "%all" + number;
    inits += comma + "%s" + number + " = %none : f32";
    types += comma + "f32";
    next += "      %t" + number + " = scalar.addf %s" + number + ", %v : f32\n";
    yields += comma + "%t" + number;
  }
  std::string body = R"(
  %values = buffer.view %a[%base] : buffer -> view<[%m]x[%n]xf32>
  %results = buffer.view %c[%base] : buffer -> view<[%n]xf32>
  %none = scalar.constant 0.0 : f32
  %inside = index.cmp slt, %x, %n : index
  scf.if %inside {
    $results = scf.for %row = [%zero to %m step %one]($inits) -> ($types) {
      %read = view.load %values[%row, %x] : view<[%m]x[%n]xf32> -> f32
      $value
$next      scf.yield $yields : $types
    }
    view.store %all0, %results[%x] : f32, view<[%n]xf32>
  })";
  const std::pair<const char *, std::string> parts[] = {{"$results", results}, {"$inits", inits},
                                                        {"$types", types},     {"$value", value},
                                                        {"$next", next},       {"$yields", yields}};
  for (const auto &[name, text] : parts)
    body = replaced(body, name, text);
  return kernelText(size, body);
}

//===----------------------------------------------------------------------===//
// How many
//===----------------------------------------------------------------------===//

TEST_F(LanesWidthTest, ChoosesHowMany) {
  auto lanesOf = [&](const std::string &text) {
    std::string ir = lowerToText(text, x86());
    for (int64_t lanes : {64, 32, 16, 8})
      if (ir.find("<" + std::to_string(lanes) + " x float>") != std::string::npos)
        return lanes;
    return int64_t(0);
  };
  EXPECT_EQ(lanesOf(columnsText("64,1")), 64);
  EXPECT_EQ(lanesOf(columnsText("128,2")), 64);
  // What is carried takes registers.
  EXPECT_EQ(lanesOf(columnsText("64,1", 2)), 32);
  EXPECT_EQ(lanesOf(columnsText("64,1", 6)), 16);
  // Rows of work-items are not cut.
  EXPECT_EQ(lanesOf(columnsText("96,1")), 32);
  EXPECT_EQ(lanesOf(columnsText("16,16")), 16);
  EXPECT_EQ(lanesOf(columnsText("40,1")), 16);
  EXPECT_EQ(lanesOf(columnsText("8,1")), 8);
  // A long function, and lanes that see each other.
  EXPECT_EQ(lanesOf(columnsText("64,1", 1, "%v = scalar.expf %read : f32")), 16);
  std::string seeing = "%lane = kernel.subgroup.lane.id : index\n%v = scalar.negf %read : f32";
  EXPECT_EQ(lanesOf(columnsText("64,1", 1, seeing)), 16);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST_F(LanesWidthTest, SumsOfColumns) {
  for (unsigned sums : {1, 2, 3}) {
    x86::CompiledKernels kernels = compile(columnsText("128,1", sums));
    for (int64_t columns : {1, 15, 32, 63, 64, 65, 127, 128, 200, 257})
      for (int64_t rows : {0, 1, 5}) {
        GuardedBytes in(rows * columns * 4, true), out(columns * 4, true);
        auto *from = reinterpret_cast<float *>(in.data());
        auto *to = reinterpret_cast<float *>(out.data());
        for (int64_t i = 0; i < rows * columns; ++i)
          from[i] = 1.0f / (i * 37 % 101 + 3);
        int64_t groups = (columns + 127) / 128;
        launchSized(kernels, "k", groups, {128, 1, 1},
                    Arguments().add(from).add(from).add(to).add(columns).add(rows));
        for (int64_t column = 0; column < columns; ++column) {
          float sum = 0;
          for (int64_t row = 0; row < rows; ++row) {
            // Rounded for itself.
            volatile float square = from[row * columns + column] * from[row * columns + column];
            sum += square;
          }
          ASSERT_EQ(to[column], sum) << sums << " sums, " << columns << " columns, " << column;
        }
      }
  }
}

TEST_F(LanesWidthTest, DotsOfBytes) {
  for (std::string kind : {"s8s8", "u8s8", "s8u8", "u8u8"}) {
    std::string text = kernelText("64,1", R"(
  %ws = buffer.view %a[%base] : buffer -> view<[%m]x[%n]x4xi8>
  %vs = buffer.view %b[%base] : buffer -> view<[%m]x4xi8>
  %results = buffer.view %c[%base] : buffer -> view<[%n]xi32>
  %inside = index.cmp slt, %x, %n : index
  scf.if %inside {
    %none = vector.constant 7 : vector<1xi32>
    %all = scf.for %k = [%zero to %m step %one](%acc = %none : vector<1xi32>) -> (vector<1xi32>) {
      %w = vector.load %ws[%k, %x, 0] : view<[%m]x[%n]x4xi8> -> vector<4xi8>
      %v = vector.load %vs[%k, 0] : view<[%m]x4xi8> -> vector<4xi8>
      %next = vector.dot4i<)" + kind + R"(> %w, %v, %acc : vector<4xi8>, vector<4xi8>, vector<1xi32>
      scf.yield %next : vector<1xi32>
    }
    %total = vector.extract %all[0] : vector<1xi32> -> i32
    view.store %total, %results[%x] : i32, view<[%n]xi32>
  })");
    x86::CompiledKernels kernels = compile(text);
    auto number = [&](char byte, bool isSigned) {
      return isSigned ? int32_t(int8_t(byte)) : int32_t(uint8_t(byte));
    };
    for (int64_t rows : {1, 8, 33, 64, 70, 128})
      for (int64_t words : {1, 3, 40}) {
        GuardedBytes w(rows * words * 4, true), v(words * 4, true), out(rows * 4, true);
        // Every third byte is an extreme one.
        for (size_t i = 0; i < w.size; ++i)
          w.data()[i] = i % 3 ? char(i * 73) : char(0x80);
        for (size_t i = 0; i < v.size; ++i)
          v.data()[i] = i % 5 ? char(0x80 - i % 2) : char(i * 29);
        auto *to = reinterpret_cast<int32_t *>(out.data());
        launchSized(kernels, "k", (rows + 63) / 64, {64, 1, 1},
                    Arguments().add(w.data()).add(v.data()).add(to).add(rows).add(words));
        for (int64_t row = 0; row < rows; ++row) {
          int32_t sum = 7;
          for (int64_t i = 0; i < words * 4; ++i)
            sum += number(w.data()[(i / 4 * rows + row) * 4 + i % 4], kind[0] == 's') *
                   number(v.data()[i], kind[2] == 's');
          ASSERT_EQ(to[row], sum) << kind << ", row " << row << " of " << rows;
        }
      }
  }
}

/// Short vectors for each lane, close together or apart, up to the end of the buffers.
TEST_F(LanesWidthTest, VectorsThatMoveAsOne) {
  for (int64_t pitch : {4, 6}) {
    std::string row = "x" + std::to_string(pitch) + "xi8>";
    std::string text = kernelText("64,1", R"(
  %from = buffer.view %a[%base] : buffer -> view<[%n])" +
                                              row + R"(
  %to = buffer.view %c[%base] : buffer -> view<[%n])" +
                                              row + R"(
  %inside = index.cmp slt, %x, %n : index
  scf.if %inside {
    %v = vector.load %from[%x, 0] : view<[%n])" +
                                              row + R"( -> vector<4xi8>
    %sum = vector.addi %v, %v : vector<4xi8>
    vector.store %sum, %to[%x, 0] : vector<4xi8>, view<[%n])" +
                                              row + R"(
  })");
    x86::CompiledKernels kernels = compile(text);
    for (int64_t rows : {1, 17, 63, 64, 65, 100}) {
      size_t bytes = (rows - 1) * pitch + 4;
      GuardedBytes in(bytes, true), out(bytes, true);
      std::vector<char> expected(bytes, char(0x55));
      for (size_t i = 0; i < bytes; ++i) {
        in.data()[i] = char(i * 7 + 1);
        out.data()[i] = char(0x55);
        if (i % pitch < 4)
          expected[i] = char(2 * in.data()[i]);
      }
      launchSized(kernels, "k", (rows + 63) / 64, {64, 1, 1},
                  Arguments().add(in.data()).add(in.data()).add(out.data()).add(rows).add(rows));
      for (size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(out.data()[i], expected[i]) << "byte " << i << " of " << rows << " rows";
    }
  }
}

/// A tile goes through workgroup memory: work-items wait for each other, with 32 lanes each row is
/// one access.
TEST_F(LanesWidthTest, TransposesThroughWorkgroupMemory) {
  std::string text = kernelText("32,8", R"(
  %bytes = index.constant 4224 : offset
  %side = index.constant 32 : index
  %eight = index.constant 8 : index
  %source = buffer.view %a[%base] : buffer -> view<[%m]x[%n]xf32>
  %target = buffer.view %c[%base] : buffer -> view<[%n]x[%m]xf32>
  %storage = buffer.alloca<workgroup> align(64) %bytes : buffer
  %tile = buffer.view %storage[%base] : buffer -> view<32x33xf32>
  %in_x = index.cmp slt, %lx, %n : index
  scf.for %j = [%zero to %side step %eight] {
    %row = index.add %ly, %j : index
    %in_y = index.cmp slt, %row, %m : index
    scf.if %in_y {
      scf.if %in_x {
        %value = view.load %source[%row, %lx] : view<[%m]x[%n]xf32> -> f32
        view.store %value, %tile[%row, %lx] : f32, view<32x33xf32>
      }
    }
  }
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  %in_m = index.cmp slt, %lx, %m : index
  scf.for %j = [%zero to %side step %eight] {
    %row = index.add %ly, %j : index
    %in_n = index.cmp slt, %row, %n : index
    scf.if %in_n {
      scf.if %in_m {
        %value = view.load %tile[%lx, %row] : view<32x33xf32> -> f32
        view.store %value, %target[%row, %lx] : f32, view<[%n]x[%m]xf32>
      }
    }
  })");
  EXPECT_NE(lowerToText(text, x86()).find("<32 x float>"), std::string::npos);
  x86::CompiledKernels kernels = compile(text);
  for (int64_t width : {1, 16, 31, 32})
    for (int64_t height : {1, 7, 17, 32}) {
      GuardedBytes in(width * height * 4, true), out(width * height * 4, true);
      auto *from = reinterpret_cast<float *>(in.data());
      auto *to = reinterpret_cast<float *>(out.data());
      for (int64_t i = 0; i < width * height; ++i)
        from[i] = i;
      launchSized(kernels, "k", 1, {32, 8, 1},
                  Arguments().add(from).add(from).add(to).add(width).add(height));
      for (int64_t i = 0; i < width * height; ++i)
        ASSERT_EQ(to[i % width * height + i / width], from[i]) << width << "x" << height;
    }
}

} // namespace
} // namespace loom::test
