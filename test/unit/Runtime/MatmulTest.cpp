//===- MatmulTest.cpp - Products of matrices in a fixed order -------------===//
#include "loom/Runtime/Matmul.h"
#include "loom/Runtime/Generate.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace loom::runtime;

namespace {

Tensor random(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed) {
  Tensor tensor = llvm::cantFail(Tensor::create(type, shape));
  Uniform range{{isFloat(type) ? 0 : -100, -2.0}, {isFloat(type) ? 0 : 100, 2.0}};
  llvm::cantFail(generateUniform(tensor, range, seed));
  return tensor;
}

NumberFormat format(llvm::StringRef word) { return *parseNumberFormat(word); }

MatmulFormats formats(llvm::StringRef accumulator, llvm::StringRef result) {
  MatmulFormats all;
  all.accumulator = format(accumulator);
  all.result = format(result);
  return all;
}

/// One element at a time, rounded through the scalars that the rest of the runtime uses.
double elementInOrder(const Tensor &a, const Tensor &b, const Tensor &c, int64_t i, int64_t j,
                      ElementType accumulator) {
  auto round = [&](double value) { return Scalar::fromDouble(accumulator, value).toDouble(); };
  int64_t depth = a.shape()[1], columns = b.shape()[1];
  double sum = round(c.get(i * columns + j).toDouble());
  for (int64_t k = 0; k < depth; ++k) {
    double product =
        round(round(a.get(i * depth + k).toDouble()) * round(b.get(k * columns + j).toDouble()));
    sum = round(sum + product);
  }
  return sum;
}

TEST(Matmul, RoundsEachProductAndSumToTheAccumulator) {
  for (llvm::StringRef word : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2"}) {
    Tensor a = random(ElementType::F32, {5, 17}, 1), b = random(ElementType::F32, {17, 6}, 2);
    Tensor c = random(ElementType::F32, {5, 6}, 3), result = random(ElementType::F64, {5, 6}, 4);
    computeMatmul(a, b, c, result, formats(word, "f64"), /*isTiled=*/false);
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 6; ++j)
        EXPECT_EQ(result.get(i * 6 + j).toDouble(),
                  elementInOrder(a, b, c, i, j, format(word).type))
            << word.str();
  }
}

TEST(Matmul, DefaultsToExactSumsAndTheTypeOfTheResult) {
  Tensor a = random(ElementType::F16, {4, 9}, 1), b = random(ElementType::F16, {9, 3}, 2);
  Tensor c = random(ElementType::F32, {4, 3}, 3), result = random(ElementType::F32, {4, 3}, 4);
  computeMatmul(a, b, c, result, {}, /*isTiled=*/false);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j)
      EXPECT_EQ(
          result.get(i * 3 + j).bits(),
          Scalar::fromDouble(ElementType::F32, elementInOrder(a, b, c, i, j, ElementType::F64))
              .bits());
}

TEST(Matmul, IntegersWrapAndHaveSignsByFormat) {
  Tensor a = random(ElementType::I8, {3, 50}, 1), b = random(ElementType::I8, {50, 2}, 2);
  Tensor c = random(ElementType::I16, {3, 2}, 3), result = random(ElementType::I64, {3, 2}, 4);
  for (bool isUnsigned : {false, true}) {
    MatmulFormats all = formats(isUnsigned ? "u16" : "i16", "i64");
    all.lhs = format(isUnsigned ? "u8" : "i8");
    computeMatmul(a, b, c, result, all, /*isTiled=*/false);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        int64_t sum = c.get(i * 2 + j).toInteger();
        for (int64_t k = 0; k < 50; ++k) {
          Scalar left = a.get(i * 50 + k);
          sum +=
              (isUnsigned ? int64_t(left.bits()) : left.toInteger()) * b.get(k * 2 + j).toInteger();
        }
        int64_t wrapped = isUnsigned ? int64_t(uint16_t(sum)) : int64_t(int16_t(sum));
        EXPECT_EQ(result.get(i * 2 + j).toInteger(), wrapped);
      }
  }
}

// Tiles of a product: every element against a plain product of the unpacked matrices.
TEST(Matmul, TilesGiveTheSumsOfTheirRowsAndColumns) {
  constexpr int64_t mt = 2, nt = 3, kt = 4, m = 5, n = 2, k = 3;
  Tensor a = random(ElementType::F64, {mt, kt, m, k}, 1);
  Tensor b = random(ElementType::F64, {kt, nt, k, n}, 2);
  Tensor c = random(ElementType::F64, {mt, nt, m, n}, 3);
  Tensor result = random(ElementType::F64, {mt, nt, m, n}, 4);
  computeMatmul(a, b, c, result, formats("f64", "f64"), /*isTiled=*/true);
  for (int64_t row = 0; row < mt * m; ++row)
    for (int64_t column = 0; column < nt * n; ++column) {
      int64_t flat = ((row / m * nt + column / n) * m + row % m) * n + column % n;
      double sum = c.get(flat).toDouble();
      for (int64_t depth = 0; depth < kt * k; ++depth) {
        double x = a.get(((row / m * kt + depth / k) * m + row % m) * k + depth % k).toDouble();
        double y =
            b.get(((depth / k * nt + column / n) * k + depth % k) * n + column % n).toDouble();
        sum = sum + x * y;
      }
      EXPECT_EQ(result.get(flat).toDouble(), sum);
    }
}

std::string check(MatrixType a, MatrixType b, MatrixType c, MatrixType result,
                  MatmulFormats all = {}, bool isTiled = false) {
  llvm::Error error = checkMatmul(a, b, c, result, all, isTiled);
  return error ? llvm::toString(std::move(error)) : "fine";
}

TEST(Matmul, ChecksTypesAndShapes) {
  MatrixType f{ElementType::F32, {2, 2}}, i{ElementType::I8, {2, 2}},
      wide{ElementType::I32, {2, 2}};
  EXPECT_EQ(check(f, f, f, f), "fine");
  EXPECT_EQ(check(i, i, wide, wide), "integer inputs need accumulator = \"...\" and result = "
                                     "\"...\"");
  EXPECT_EQ(check(i, i, wide, wide, formats("i32", "i32")), "fine");
  EXPECT_EQ(check(i, i, f, f, formats("f32", "f32")), "fine");
  EXPECT_EQ(check(f, f, f, wide, formats("f32", "i32")), "a float accumulator has no integer "
                                                         "result");
  EXPECT_EQ(check(f, f, f, f, formats("i32", "f32")), "an integer accumulator takes no floats");
  EXPECT_EQ(check(f, f, f, f, formats("f32", "f16")), "a tensor of f32 does not hold result = "
                                                      "\"f16\"");
  EXPECT_EQ(check(f, f, f, f, {}, true), "a matrix of the shape [2, 2] where 4 extents are "
                                         "expected");
  MatrixType bytes{ElementType::I8, {2, 2}};
  MatmulFormats packed = formats("f32", "f32");
  packed.lhs = format("f8e5m2");
  EXPECT_EQ(check(bytes, f, f, f, packed), "fine");
  MatrixType other{ElementType::F32, {2, 3}};
  EXPECT_EQ(check(f, other, f, f), "the product has the shape [2, 3], the addend [2, 2] and the "
                                   "result [2, 2]");
  EXPECT_EQ(check(other, other, f, f), "the matrices [2, 3] and [2, 3] have no product");
}

TEST(Matmul, FormatsHaveNames) {
  for (llvm::StringRef word : {"f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64", "i8", "u8", "i16",
                               "u16", "i32", "u32", "i64", "u64"})
    EXPECT_EQ(stringifyNumberFormat(format(word)), word);
  EXPECT_FALSE(parseNumberFormat("i1"));
  EXPECT_FALSE(parseNumberFormat(""));
}

} // namespace
