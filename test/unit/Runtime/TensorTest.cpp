//===- TensorTest.cpp - Host arrays and their guard pages -----------------===//
#include "loom/Runtime/Tensor.h"
#include "loom/Runtime/Compare.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace loom::runtime;

namespace {

Tensor make(ElementType type, llvm::ArrayRef<int64_t> shape, Placement where = Placement::Heap) {
  return llvm::cantFail(Tensor::create(type, shape, where));
}

std::string failureOf(ElementType type, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<Tensor> tensor = Tensor::create(type, shape);
  return tensor ? std::string("no failure") : llvm::toString(tensor.takeError());
}

TEST(Tensor, BeginsAsZerosInRowMajorOrder) {
  Tensor tensor = make(ElementType::F32, {2, 3});
  EXPECT_EQ(tensor.elementCount(), 6u);
  EXPECT_EQ(tensor.byteSize(), 24u);
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(tensor.get(i).bits(), 0u);
  EXPECT_EQ(tensor.position(4), "[1, 1]");
  EXPECT_EQ(make(ElementType::I8, {}).position(0), "[]");
  EXPECT_EQ(make(ElementType::I8, {}).elementCount(), 1u);
}

TEST(Tensor, StoresElementsLittleEndian) {
  Tensor tensor = make(ElementType::I32, {2});
  tensor.set(1, Scalar::fromBits(ElementType::I32, 0x01020304));
  const uint8_t expected[] = {0, 0, 0, 0, 4, 3, 2, 1};
  EXPECT_EQ(std::memcmp(tensor.data(), expected, 8), 0);
  EXPECT_EQ(tensor.get(1).bits(), 0x01020304u);
}

TEST(Tensor, HeapIsAligned) {
  for (int64_t extent : {1, 7, 64, 1000})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(make(ElementType::I8, {extent}).data()) % 64, 0u);
}

TEST(Tensor, RefusesShapesThatCannotBe) {
  EXPECT_EQ(failureOf(ElementType::F32, {4, -1}), "an extent of -1 is negative");
  const char *tooLarge = "a tensor has at most 4294967296 bytes";
  EXPECT_EQ(failureOf(ElementType::F32, {(int64_t(1) << 30) + 1}), tooLarge);
  EXPECT_EQ(failureOf(ElementType::F32, {INT64_MAX, INT64_MAX, INT64_MAX}), tooLarge);
  EXPECT_EQ(failureOf(ElementType::F32, {int64_t(1) << 62, 4}), tooLarge);
}

TEST(Tensor, AnyExtentMayBeZero) {
  Tensor tensor = make(ElementType::F64, {INT64_MAX, INT64_MAX, 0});
  EXPECT_EQ(tensor.elementCount(), 0u);
  EXPECT_NE(tensor.data(), nullptr);
  EXPECT_NE(make(ElementType::F64, {0}, Placement::Guarded).data(), nullptr);
}

TEST(Tensor, GuardedIsUsableToTheLastByteAndAlignedBySize) {
  for (int64_t extent : {1, 3, 4096, 4097, 100000}) {
    Tensor tensor = make(ElementType::I8, {extent}, Placement::Guarded);
    for (int64_t i = 0; i < extent; ++i)
      tensor.set(i, Scalar::fromBits(ElementType::I8, i));
    EXPECT_EQ(tensor.get(extent - 1).bits(), uint64_t(extent - 1) & 0xff);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data() + extent) % 4096, 0u);
  }
  Tensor rows = make(ElementType::F32, {64, 32}, Placement::Guarded);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(rows.data()) % 64, 0u);
}

TEST(TensorDeathTest, GuardedFaultsOneByteBeyondItsEnd) {
  Tensor tensor = make(ElementType::I8, {100}, Placement::Guarded);
  volatile uint8_t *end = tensor.data() + tensor.byteSize();
  EXPECT_EQ(end[-1], 0);
  EXPECT_DEATH(
      {
        uint8_t value = *end;
        (void)value;
      },
      "");
  EXPECT_DEATH({ *end = 1; }, "");
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

TEST(Compare, ReportsTheFirstMismatchAndCountsAll) {
  Tensor a = make(ElementType::I16, {4}), b = make(ElementType::I16, {4});
  EXPECT_FALSE(compare(a, b, Equality::Numeric));
  b.set(1, *Scalar::fromInteger(ElementType::I16, -7));
  b.set(3, *Scalar::fromInteger(ElementType::I16, 9));
  std::optional<Mismatch> mismatch = compare(a, b, Equality::Numeric);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->count, 2u);
  EXPECT_EQ(mismatch->total, 4u);
  EXPECT_EQ(mismatch->flat, 1u);
  EXPECT_EQ(mismatch->actual.toInteger(), 0);
  EXPECT_EQ(mismatch->expected.toInteger(), -7);
}

TEST(Compare, FloatsByNumberOrByBits) {
  auto differ = [](double actual, double expected, Equality equality) {
    Tensor a = make(ElementType::F32, {2}), e = make(ElementType::F32, {2});
    a.set(1, Scalar::fromDouble(ElementType::F32, actual));
    e.set(1, Scalar::fromDouble(ElementType::F32, expected));
    std::optional<Mismatch> mismatch = compare(a, e, equality);
    EXPECT_TRUE(!mismatch || mismatch->flat == 1);
    EXPECT_EQ(mismatch.has_value(),
              compare(a.get(1), e.get(1), equality).has_value()); // the scalar form agrees
    return mismatch.has_value();
  };
  EXPECT_FALSE(differ(-0.0, 0.0, Equality::Numeric));
  EXPECT_TRUE(differ(-0.0, 0.0, Equality::Bitwise));
  EXPECT_TRUE(differ(NAN, NAN, Equality::Numeric));
  EXPECT_FALSE(differ(NAN, NAN, Equality::Bitwise));
  EXPECT_FALSE(differ(INFINITY, INFINITY, Equality::Numeric));
  EXPECT_TRUE(differ(1.0, std::nextafter(1.0f, 2.0f), Equality::Numeric));
}

} // namespace
