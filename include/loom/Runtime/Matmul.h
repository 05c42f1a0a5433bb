//===- Matmul.h - Products of matrices in a fixed order ---------*- C++ -*-===//
//
// What the oracles `reference.matmul` and `reference.tiled_matmul` compute.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_MATMUL_H
#define LOOM_RUNTIME_MATMUL_H

#include "loom/Runtime/Tensor.h"

namespace loom::runtime {

/// How the bytes of an element are read: as an element type, and integers with or without a sign.
struct NumberFormat {
  ElementType type = ElementType::F32;
  bool isUnsigned = false;
};
/// "f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64", "i8", "u8", ... "i64", "u64".
std::optional<NumberFormat> parseNumberFormat(llvm::StringRef word);
std::string stringifyNumberFormat(const NumberFormat &format);

/// What is not given follows from the tensors: `lhs` and `rhs` are read as their element types,
/// with sign; with float inputs the accumulator is f64 and the result the float type of its tensor.
/// Integer inputs need an accumulator and a result.
struct MatmulFormats {
  std::optional<NumberFormat> lhs, rhs, accumulator, result;
};

/// The types and shapes of the four matrices of a product.
struct MatrixType {
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
};

/// Whether `result` = `lhs` * `rhs` + `addend` has a meaning: [M, K] * [K, N] + [M, N], or of
/// packed tiles [Mt, Kt, M, K] * [Kt, Nt, K, N] + [Mt, Nt, M, N]. A format fits a tensor of its
/// type; a tensor of integers may hold any format of the same width.
llvm::Error checkMatmul(const MatrixType &lhs, const MatrixType &rhs, const MatrixType &addend,
                        const MatrixType &result, MatmulFormats formats, bool isTiled);

/// For each element: the accumulator begins with the addend, and the products of the row and the
/// column are added one after another in ascending order, tile by tile. Operands are converted to
/// the accumulator's format first; each product and each sum is rounded to it (integers wrap); the
/// last sum is converted to the result's format once.
void computeMatmul(const Tensor &lhs, const Tensor &rhs, const Tensor &addend, Tensor &result,
                   MatmulFormats formats, bool isTiled);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_MATMUL_H
