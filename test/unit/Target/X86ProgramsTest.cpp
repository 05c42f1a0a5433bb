//===- X86ProgramsTest.cpp - Whole kernels on the x86 device --------------===//
#include "LoweringPrograms.h"
#include <random>

namespace loom::test {
namespace {

std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> mantissa(-1.0f, 1.0f);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::ldexp(mantissa(generator), exponent(generator));
  return values;
}

/// Equal bits: a test that lets -0 pass for 0 would not see a wrong initial value.
template <typename T>
void expectSameBits(const std::vector<T> &actual, const std::vector<T> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(std::memcmp(&actual[i], &expected[i], sizeof(T)), 0)
        << "element " << i << ": " << actual[i] << ", expected " << expected[i];
}

using X86ProgramsTest = LoweringTest;

TEST_F(X86ProgramsTest, SaxpyWithTail) {
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("saxpy") @saxpy(%n: index) {
  %one = index.constant 1 : index
  %size = index.constant 64 : index
  %pad = index.constant 63 : index
  %padded = index.add %n, %pad : index
  %groups = index.div %padded, %size : index
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index, %alpha: f32, %x: buffer, %y: buffer) {
  %base = index.constant 0 : offset
  %xs = buffer.view %x[%base] : buffer -> view<[%n]xf32>
  %ys = buffer.view %y[%base] : buffer -> view<[%n]xf32>
  %i = kernel.workitem.dispatch.id<x> : index
  %inside = index.cmp slt, %i, %n : index
  scf.if %inside {
    %a = view.load %xs[%i] : view<[%n]xf32> -> f32
    %b = view.load %ys[%i] : view<[%n]xf32> -> f32
    %p = scalar.mulf %alpha, %a : f32
    %s = scalar.addf %p, %b : f32
    view.store %s, %ys[%i] : f32, view<[%n]xf32>
  }
  kernel.return
}
)");
  for (int64_t n : {0, 1, 63, 64, 65, 1000}) {
    std::vector<float> x = randomFloats(n + 8, n), y = randomFloats(n + 8, n + 1), expected = y;
    float alpha = 1.1f;
    for (int64_t i = 0; i < n; ++i) {
      volatile float product = alpha * x[i];
      expected[i] = product + y[i];
    }
    Arguments arguments;
    arguments.add(n).add(alpha).add(x).add(y);
    launch(kernels, "saxpy", (n + 63) / 64, arguments);
    expectSameBits(y, expected); // the eight elements behind the end too
  }
}

std::string rowSum(const std::string &attributes) {
  return R"(
kernel.def export("sum_rows") @sum() {
  %unit = index.constant 1 : index
  %width = index.constant 32 : index
  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%width, %unit, %unit) : index
} launch(%row_count: index, %input: buffer, %output: buffer) {
  %count = index.assume %row_count [)" +
         attributes + R"(] : index
  %lane = kernel.workitem.id<x> : index
  %base = index.constant 0 : offset
  %values = buffer.view %input[%base] : buffer -> view<[%count]x32xf32>
  %sums = buffer.view %output[%base] : buffer -> view<32xf32>
  %begin = index.constant 0 : index
  %step = index.constant 1 : index
  %initial = scalar.constant 0.0 : f32
  %result = scf.for %row = [%begin to %count step %step](%sum = %initial : f32) -> (f32) {
    %value = view.load %values[%row, %lane] : view<[%count]x32xf32> -> f32
    %next = scalar.addf %sum, %value : f32
    scf.yield %next : f32
  }
  view.store %result, %sums[%lane] : f32, view<32xf32>
  kernel.return
}
)";
}

TEST_F(X86ProgramsTest, RowSumAddsInRowOrder) {
  for (const char *fact : {"range(%row_count, 0, 64)", "ge(%row_count, 0)"}) {
    x86::CompiledKernels kernels = compile(rowSum(fact));
    for (int64_t count = 0; count <= 64; ++count) {
      std::vector<float> input = randomFloats(64 * 32, count), output(32, -1.0f);
      std::vector<float> expected(32, 0.0f), reversed(32, 0.0f);
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t row = 0; row < count; ++row) {
          expected[lane] += input[row * 32 + lane];
          reversed[lane] += input[(count - 1 - row) * 32 + lane];
        }
      launch(kernels, "sum_rows", 1, Arguments().add(count).add(input).add(output));
      expectSameBits(output, expected);
      // The data tells orders apart.
      if (count == 64) {
        EXPECT_NE(expected, reversed);
      }
    }
  }
}

TEST_F(X86ProgramsTest, VectorRowSumAddsLanesInOrder) {
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("sum_vector_rows") @sum() {
  %unit = index.constant 1 : index
  %width = index.constant 32 : index
  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%width, %unit, %unit) : index
} launch(%row_count: index, %input: buffer, %output: buffer) {
  %count = index.assume %row_count [range(%row_count, 0, 64)] : index
  %lane = kernel.workitem.id<x> : index
  %base = index.constant 0 : offset
  %values = buffer.view %input[%base] : buffer -> view<64x32x4xf32>
  %sums = buffer.view %output[%base] : buffer -> view<32xf32>
  %begin = index.constant 0 : index
  %step = index.constant 1 : index
  %initial = scalar.constant 0.0 : f32
  %result = scf.for %row = [%begin to %count step %step](%sum = %initial : f32) -> (f32) {
    %value = vector.load %values[%row, %lane, %begin] : view<64x32x4xf32> -> vector<4xf32>
    %next = vector.reduce<addf> %value, %sum : vector<4xf32>, f32
    scf.yield %next : f32
  }
  view.store %result, %sums[%lane] : f32, view<32xf32>
  kernel.return
}
)");
  for (int64_t count : {0, 1, 2, 17, 64}) {
    std::vector<float> input = randomFloats(64 * 128, count), output(32, -1.0f);
    std::vector<float> expected(32, 0.0f), pairwise(32, 0.0f);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t row = 0; row < count; ++row) {
        const float *four = &input[(row * 32 + lane) * 4];
        for (int64_t k = 0; k < 4; ++k)
          expected[lane] += four[k];
        pairwise[lane] += (four[0] + four[1]) + (four[2] + four[3]);
      }
    launch(kernels, "sum_vector_rows", 1, Arguments().add(count).add(input).add(output));
    expectSameBits(output, expected);
    if (count == 64) {
      EXPECT_NE(expected, pairwise);
    }
  }
}

TEST_F(X86ProgramsTest, PositionsInThreeDimensions) {
  // Nothing is exact: grid and size come from the caller. Each work-item writes where it is.
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("where") @where(%x: index, %y: index, %z: index) {
  kernel.launch.config workgroups(%x, %y, %z) workgroup_size(%y, %z, %x) : index
} launch(%output: buffer) {
  %base = index.constant 0 : offset
  %gx = kernel.workgroup.id<x> : index
  %gy = kernel.workgroup.id<y> : index
  %gz = kernel.workgroup.id<z> : index
  %ix = kernel.workitem.id<x> : index
  %iy = kernel.workitem.id<y> : index
  %iz = kernel.workitem.id<z> : index
  %cx = kernel.workgroup.count<x> : index
  %cy = kernel.workgroup.count<y> : index
  %cz = kernel.workgroup.count<z> : index
  %sx = kernel.workgroup.size<x> : index
  %sy = kernel.workgroup.size<y> : index
  %sz = kernel.workgroup.size<z> : index
  %dx = kernel.workitem.dispatch.id<x> : index
  %dy = kernel.workitem.dispatch.id<y> : index
  %dz = kernel.workitem.dispatch.id<z> : index
  %wx = index.mul %cx, %sx : index
  %wy = index.mul %cy, %sy : index
  %wz = index.mul %cz, %sz : index
  %view = buffer.view %output[%base] : buffer -> view<[%wz]x[%wy]x[%wx]xi64>
  %thousand = index.constant 1000 : index
  %a = index.madd %gx, %thousand, %gy : index
  %b = index.madd %a, %thousand, %gz : index
  %c = index.madd %b, %thousand, %ix : index
  %d = index.madd %c, %thousand, %iy : index
  %e = index.madd %d, %thousand, %iz : index
  %value = index.cast %e : index to i64
  view.store %value, %view[%dz, %dy, %dx] : i64, view<[%wz]x[%wy]x[%wx]xi64>
  kernel.return
}
)");
  const x86::CompiledKernel *kernel = kernels.lookup("where");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->info.workgroupSize[0], std::nullopt);
  const int64_t grid[3] = {2, 3, 4}, size[3] = {5, 2, 3};
  const int64_t width = 10, height = 6, depth = 12, groups = 24;
  std::vector<int64_t> output(width * height * depth, -1), expected(output);
  Arguments arguments;
  arguments.add(output);
  // In two parts, as two threads would.
  kernel->run(arguments.data(), 0, 7, grid, size);
  EXPECT_EQ(std::count(output.begin(), output.end(), -1), (groups - 7) * 30);
  kernel->run(arguments.data(), 7, groups, grid, size);
  for (int64_t z = 0; z < depth; ++z)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        int64_t value = 0;
        for (int64_t part : {x / 5, y / 2, z / 3, x % 5, y % 2, z % 3})
          value = value * 1000 + part;
        expected[(z * height + y) * width + x] = value;
      }
  expectSameBits(output, expected);
}

TEST_F(X86ProgramsTest, ArgumentsOfEveryKind) {
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%index: index, %offset: offset, %i1: i1, %i8: i8, %i16: i16, %i32: i32, %i64: i64, %f16: f16, %bf16: bf16, %f32: f32, %f64: f64, %out: buffer) {
  %base = index.constant 0 : offset
  %view = buffer.view %out[%base] : buffer -> view<11xi64>
  %a = index.cast %index : index to i64
  view.store %a, %view[0] : i64, view<11xi64>
  %b = index.cast %offset : offset to i64
  view.store %b, %view[1] : i64, view<11xi64>
  %c = scalar.extui %i1 : i1 to i64
  view.store %c, %view[2] : i64, view<11xi64>
  %d = scalar.extsi %i8 : i8 to i64
  view.store %d, %view[3] : i64, view<11xi64>
  %e = scalar.extsi %i16 : i16 to i64
  view.store %e, %view[4] : i64, view<11xi64>
  %f = scalar.extsi %i32 : i32 to i64
  view.store %f, %view[5] : i64, view<11xi64>
  view.store %i64, %view[6] : i64, view<11xi64>
  %g = scalar.bitcast %f16 : f16 to i16
  %g64 = scalar.extui %g : i16 to i64
  view.store %g64, %view[7] : i64, view<11xi64>
  %h = scalar.bitcast %bf16 : bf16 to i16
  %h64 = scalar.extui %h : i16 to i64
  view.store %h64, %view[8] : i64, view<11xi64>
  %i = scalar.bitcast %f32 : f32 to i32
  %ii = scalar.extui %i : i32 to i64
  view.store %ii, %view[9] : i64, view<11xi64>
  %j = scalar.bitcast %f64 : f64 to i64
  view.store %j, %view[10] : i64, view<11xi64>
  kernel.return
}
)");
  std::vector<int64_t> output(11);
  double f64 = -0.1;
  int64_t f64Bits;
  std::memcpy(&f64Bits, &f64, 8);
  Arguments arguments;
  arguments.add(int64_t(-5)).add(uint64_t(1) << 40).add(uint8_t(1)).add(int8_t(-2));
  arguments.add(int16_t(-300)).add(int32_t(-70000)).add(INT64_MIN).add(uint16_t(0xfc01));
  arguments.add(uint16_t(0x7f81)).add(1.5f).add(f64).add(output);
  launch(kernels, "k", 1, arguments);
  expectSameBits(output, {-5, int64_t(1) << 40, 1, -2, -300, -70000, INT64_MIN, 0xfc01, 0x7f81,
                          0x3fc00000, f64Bits});
}

TEST_F(X86ProgramsTest, VectorsOfTwoDimensions) {
  // A window of 2x3 elements out of rows of eight is read in two runs; the store spans whole rows.
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%row: index, %column: index, %rows: index, %in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %skip = index.constant 12 : offset
  %values = buffer.view %in[%base] : buffer -> view<[%rows]x8xf32>
  %window = vector.load %values[%row, %column] : view<[%rows]x8xf32> -> vector<2x3xf32>
  %packed = buffer.view %out[%skip] : buffer -> view<2x3xf32>
  vector.store %window, %packed[0, 0] : vector<2x3xf32>, view<2x3xf32>
  %corner = vector.extract %window[1, 2] : vector<2x3xf32> -> f32
  %rest = buffer.view %out[%base] : buffer -> view<16xf32>
  view.store %corner, %rest[0] : f32, view<16xf32>
  %wide = buffer.view %out[%base] : buffer -> view<2x8xf32>
  %pair = vector.splat %corner : vector<2x1xf32>
  vector.store %pair, %wide[0, 7] : vector<2x1xf32>, view<2x8xf32>
  kernel.return
}
)");
  std::vector<float> input(40), output(16, -1.0f);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(i);
  Arguments arguments;
  arguments.add(int64_t(3)).add(int64_t(4)).add(int64_t(5)).add(input).add(output);
  launch(kernels, "k", 1, arguments);
  expectSameBits(output, {38, -1, -1, 28, 29, 30, 36, 38, 38, -1, -1, -1, -1, -1, -1, 38});
}

TEST_F(X86ProgramsTest, FlagsTakeAByteEach) {
  x86::CompiledKernels kernels = compile(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %flags = buffer.view %in[%base] : buffer -> view<9xi1>
  %results = buffer.view %out[%base] : buffer -> view<9xi1>
  %eight = vector.load %flags[1] : view<9xi1> -> vector<8xi1>
  vector.store %eight, %results[0] : vector<8xi1>, view<9xi1>
  %first = view.load %flags[0] : view<9xi1> -> i1
  view.store %first, %results[8] : i1, view<9xi1>
  kernel.return
}
)");
  std::vector<uint8_t> flags = {1, 0, 1, 1, 0, 0, 0, 1, 0}, results(10, 7);
  launch(kernels, "k", 1, Arguments().add(flags).add(results));
  expectSameBits(results, {0, 1, 1, 0, 0, 0, 1, 0, 1, 7});
}

TEST_F(X86ProgramsTest, CarriedValuesChangePlacesAtOnce) {
  // Fibonacci, and an index that is carried with a float and a buffer.
  x86::CompiledKernels kernels = compile(elementwise({"i64", "i64"}, R"(
    %zero = index.constant 0 : index
    %unit = index.constant 1 : index
    %x = scalar.constant 0 : i64
    %y = scalar.constant 1 : i64
    %fx, %fy, %b, %k = scf.for %j = [%zero to %i step %unit](%p = %x : i64, %q = %y : i64, %buffer = %b0 : buffer, %last = %zero : index) -> (i64, i64, buffer, index) {
      %next = scalar.addi %p, %q : i64
      scf.yield %q, %next, %b1, %j : i64, i64, buffer, index
    }
    %view = buffer.view %b[%base] : buffer -> view<[%n]xi64>
    %last64 = index.cast %k : index to i64
    %result = scalar.addi %fx, %last64 : i64
    view.store %result, %view[%i] : i64, view<[%n]xi64>)"));
  std::vector<int64_t> first(40, -1), second(40, -1), expectFirst = first, expectSecond = second;
  launch(kernels, "k", 1, Arguments().add(int64_t(40)).add(first).add(second));
  int64_t p = 0, q = 1;
  for (int64_t i = 0; i < 40; ++i) {
    (i ? expectSecond : expectFirst)[i] = p + std::max<int64_t>(i - 1, 0);
    int64_t next = p + q;
    p = q;
    q = next;
  }
  expectSameBits(first, expectFirst);
  expectSameBits(second, expectSecond);
}

TEST_F(X86ProgramsTest, BranchesAndSelects) {
  x86::CompiledKernels kernels = compile(elementwise({"i32", "i1"}, R"(
    %seven = index.constant 7 : index
    %rest = index.rem %i, %seven : index
    %three = index.constant 3 : index
    %low = index.cmp slt, %rest, %three : index
    %value, %position = scf.if %low -> (i32, index) {
      %a = scalar.constant 100 : i32
      %inner = index.cmp eq, %rest, %three : index
      scf.if %inner {
        view.store %a, %v0[%i] : i32, view<[%n]xi32>
      }
      scf.yield %a, %rest : i32, index
    } else {
      %b = scalar.constant 200 : i32
      %big = index.add %i, %rest : index
      scf.yield %b, %big : i32, index
    }
    %p32 = index.cast %position : index to i32
    %sum = scalar.addi %value, %p32 : i32
    %flag = scf.select %low, %sum, %p32 : i32
    view.store %flag, %v0[%i] : i32, view<[%n]xi32>
    view.store %low, %v1[%i] : i1, view<[%n]xi1>)"));
  std::vector<int32_t> output(100, -1), expected(100);
  std::vector<uint8_t> flags(100, 7), expectedFlags(100);
  for (int32_t i = 0; i < 100; ++i) {
    bool low = i % 7 < 3;
    expected[i] = low ? 100 + i % 7 : i + i % 7;
    expectedFlags[i] = low;
  }
  launch(kernels, "k", 2, Arguments().add(int64_t(100)).add(output).add(flags));
  expectSameBits(output, expected);
  expectSameBits(flags, expectedFlags);
}

TEST_F(X86ProgramsTest, ProfilesThatTheHostLacks) {
  // What this machine has is not known here; the answer has to agree with running the code.
  const TargetProfile *profile = lookupTargetProfile("x86:avx512");
  ASSERT_NE(profile, nullptr);
  llvm::Error error = x86::checkHost(*profile);
  bool canRun = !error;
  std::string message = llvm::toString(std::move(error));
  mlir::FailureOr<x86::CompiledKernels> kernels =
      x86::compileKernels(parse(rowSum("range(%row_count, 0, 64)")), *profile);
  EXPECT_EQ(mlir::succeeded(kernels), canRun);
  if (!canRun) {
    EXPECT_NE(message.find("cannot run code for x86:avx512; it lacks "), std::string::npos);
    EXPECT_NE(takeErrors().find(message), std::string::npos);
  }
}

} // namespace
} // namespace loom::test
