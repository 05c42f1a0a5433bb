//===- ReadAheadContractTest.cpp - The loop contract, on a device ---------===//
//
// Whatever depth, factor and schedule a loop asks for, the kernel that runs has the bits of the
// serial loop and reads nothing behind the last row. Every count from 0 to 64 is run; the rows past
// the count lie on a page that cannot be read.
//
//===----------------------------------------------------------------------===//
#include "SumPrograms.h"
#include "loom/Runtime/X86Device.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <random>

using namespace loom;
using namespace loom::test;
using runtime::Argument;
using runtime::ElementType;
using runtime::Scalar;
using runtime::Tensor;

namespace {

constexpr int64_t kMaxRows = 64, kLanes = 32;

/// Values of both signs whose magnitudes span 2^-20 to 2^20: any other order of a sum shows.
std::vector<float> randomValues(size_t count) {
  std::mt19937 random(20240607);
  std::uniform_real_distribution<float> mantissa(1.0f, 2.0f);
  std::uniform_int_distribution<int> exponent(-20, 20), sign(0, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::ldexp(sign(random) ? mantissa(random) : -mantissa(random), exponent(random));
  return values;
}

/// The serial loop in C++. The accumulator is volatile, so that no compiler reorders it.
std::vector<float> serialSums(const std::vector<float> &values, int64_t rows, int64_t width) {
  std::vector<float> sums(kLanes);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    volatile float sum = 0.0f;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < width; ++i)
        sum = sum + values[(row * kLanes + lane) * width + i];
    sums[lane] = sum;
  }
  return sums;
}

class Kernel {
public:
  Kernel(const std::string &program, int64_t width)
      : width(width), values(randomValues(kMaxRows * kLanes * width)),
        module(context.parse(program)) {
    if (module)
      device.emplace(*module, *lookupTargetProfile("x86:native"));
  }

  bool compiles() { return device && !device->prepare("sum"); }

  /// The number of counts from 0 to 64 whose result has other bits than the serial loop.
  unsigned countDifferences() {
    unsigned differences = 0;
    for (int64_t rows = 0; rows <= kMaxRows; ++rows)
      differences += run(rows) != bits(serialSums(values, rows, width));
    return differences;
  }

private:
  static std::vector<uint32_t> bits(const std::vector<float> &floats) {
    std::vector<uint32_t> result;
    for (float value : floats)
      result.push_back(llvm::bit_cast<uint32_t>(value));
    return result;
  }

  std::vector<uint32_t> run(int64_t rows) {
    // The matrix ends with its last row: the next byte cannot be read.
    auto matrix = llvm::cantFail(Tensor::guarded(ElementType::F32, {rows, kLanes, width}));
    auto sums = llvm::cantFail(Tensor::guarded(ElementType::F32, {kLanes}));
    memcpy(matrix.data(), values.data(), matrix.byteSize());
    memset(sums.data(), 0xff, sums.byteSize());
    Argument arguments[] = {Scalar::fromBits(ElementType::Index, static_cast<uint64_t>(rows)),
                            &matrix, &sums};
    runtime::LaunchGeometry geometry;
    geometry.workgroupSize = {kLanes, 1, 1};
    EXPECT_FALSE(device->launch({"sum", geometry, arguments}));
    std::vector<uint32_t> result(kLanes);
    memcpy(result.data(), sums.data(), sums.byteSize());
    return result;
  }

  int64_t width;
  std::vector<float> values;
  Context context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<runtime::X86Device> device;
};

void expectContract(bool vector, llvm::StringRef schedule) {
  for (int64_t depth = 1; depth <= 6; ++depth)
    for (int64_t factor = 0; factor <= 8; ++factor) {
      SCOPED_TRACE(llvm::formatv("depth {0} factor {1}", depth, factor).str());
      Kernel kernel(sumProgram(depth, factor, schedule, vector), vector ? 4 : 1);
      ASSERT_TRUE(kernel.compiles());
      EXPECT_EQ(kernel.countDifferences(), 0u);
    }
}

TEST(ReadAheadContract, ScalarRecurrence) { expectContract(false, "recurrence"); }
TEST(ReadAheadContract, ScalarLinear) { expectContract(false, "linear"); }
TEST(ReadAheadContract, ScalarInterleaved) { expectContract(false, "interleaved"); }
TEST(ReadAheadContract, VectorRecurrence) { expectContract(true, "recurrence"); }

/// A sum of even and odd rows apart, added at the end: the comparison above has to notice.
TEST(ReadAheadContract, ReassociationIsNoticed) {
  Kernel kernel(std::string(kHead) + R"(  %two = index.constant 2 : index
  %elements = buffer.view %matrix[%origin] : buffer -> view<64x32xf32>
  %even, %odd = scf.for %row = [%first to %rows step %two](%e = %zero : f32, %o = %zero : f32) -> (f32, f32) {
    %value = view.load %elements[%row, %lane] : view<64x32xf32> -> f32
    %next = scalar.addf %e, %value : f32
    %other_row = index.add %row, %step : index
    %exists = index.cmp slt, %other_row, %rows : index
    %other = scf.if %exists -> (f32) {
      %loaded = view.load %elements[%other_row, %lane] : view<64x32xf32> -> f32
      scf.yield %loaded : f32
    } else {
      scf.yield %zero : f32
    }
    %other_next = scalar.addf %o, %other : f32
    scf.yield %next, %other_next : f32, f32
  }
  %total = scalar.addf %even, %odd : f32
)" + kTail,
                1);
  ASSERT_TRUE(kernel.compiles());
  // Up to two rows there is only one order.
  EXPECT_GE(kernel.countDifferences(), 60u);
}

} // namespace
