//===- TensorTest.cpp - Host arrays and their guard pages -----------------===//
#include "loom/Runtime/Tensor.h"
#include "gtest/gtest.h"
#include <cstring>
#include <optional>

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

TEST(Tensor, AlignmentsThatAreAskedForAreKept) {
  for (uint64_t alignment : {1u, 16u, 256u, 4096u, 65536u})
    for (Placement where : {Placement::Heap, Placement::Guarded})
      for (int64_t extent : {0, 1, 20, 4096, 5000}) {
        Tensor tensor = llvm::cantFail(Tensor::create(ElementType::I8, {extent}, where, alignment));
        auto address = [](const Tensor &some) { return reinterpret_cast<uintptr_t>(some.data()); };
        EXPECT_EQ(address(tensor) % alignment, 0u) << extent;
        EXPECT_EQ(address(llvm::cantFail(tensor.clone(where))) % alignment, 0u) << extent;
        for (int64_t i = 0; i < extent; ++i)
          EXPECT_EQ(tensor.get(i).bits(), 0u);
      }
}

TEST(Tensor, WritesBesideAGuardedTensorAreFoundOnce) {
  // 20 bytes at a multiple of 16 leave 12 behind them and the rest of the page in front.
  Tensor tensor =
      llvm::cantFail(Tensor::create(ElementType::I8, {20}, Placement::Guarded, /*alignment=*/16));
  EXPECT_EQ(tensor.takeStrayWrite(), std::nullopt);
  tensor.data()[0] = tensor.data()[19] = 1;
  EXPECT_EQ(tensor.takeStrayWrite(), std::nullopt);
  for (int at : {-4000, -1, 20, 31}) {
    tensor.data()[at] = 0;
    EXPECT_EQ(tensor.takeStrayWrite(), at);
    EXPECT_EQ(tensor.takeStrayWrite(), std::nullopt);
  }
  // Seen from a view, the distance is from where the view begins.
  Tensor view = llvm::cantFail(tensor.view(5, {3}));
  view.data()[3] = 9;
  EXPECT_EQ(view.takeStrayWrite(), std::nullopt);
  tensor.data()[-1] = 0;
  EXPECT_EQ(view.takeStrayWrite(), -6);
  Tensor heap = make(ElementType::I8, {20});
  EXPECT_EQ(heap.takeStrayWrite(), std::nullopt);
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

TEST(Tensor, ViewsShareBytesBeyondTheLifeOfTheirSource) {
  std::optional<Tensor> view;
  {
    Tensor source = make(ElementType::I16, {4, 8});
    view = llvm::cantFail(source.view(10, {2, 3}));
    source.set(12, Scalar::fromBits(ElementType::I16, 77));
    EXPECT_EQ(view->get(2).bits(), 77u);
    view->set(3, Scalar::fromBits(ElementType::I16, 5));
    EXPECT_EQ(source.get(13).bits(), 5u);
  }
  EXPECT_EQ(view->get(2).bits(), 77u);
  EXPECT_EQ(view->shape(), (llvm::ArrayRef<int64_t>{2, 3}));
  Tensor copy = llvm::cantFail(view->clone());
  view->set(2, Scalar::fromBits(ElementType::I16, 1));
  EXPECT_EQ(copy.get(2).bits(), 77u);
}

TEST(Tensor, ViewsFitTheirSource) {
  Tensor source = make(ElementType::F32, {8});
  auto failureOfView = [&](uint64_t first, llvm::ArrayRef<int64_t> shape) {
    llvm::Expected<Tensor> view = source.view(first, shape);
    return view ? std::string("none") : llvm::toString(view.takeError());
  };
  EXPECT_EQ(failureOfView(0, {8}), "none");
  EXPECT_EQ(failureOfView(8, {0}), "none");
  EXPECT_EQ(failureOfView(1, {8}), "8 elements from element 1 on do not fit into 8");
  EXPECT_EQ(failureOfView(9, {0}), "0 elements from element 9 on do not fit into 8");
  EXPECT_EQ(failureOfView(UINT64_MAX, {2}),
            "2 elements from element 18446744073709551615 on do not fit into 8");
  EXPECT_EQ(failureOfView(0, {-1}), "an extent of -1 is negative");
}

} // namespace
