//===- VectorRules.h - Rules that operations of `vector` share --*- C++ -*-===//
//
// Extents may be values. Two of them agree when they are provably equal: one number, one value, or
// values that are equal constants.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_DIALECT_VECTOR_VECTORRULES_H
#define LOOM_LIB_DIALECT_VECTOR_VECTORRULES_H

#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Vector/Vector.h"

namespace loom {

/// One extent of a vector: a number, or a value where `number` is ShapedType::kDynamic.
struct Extent {
  int64_t number;
  mlir::Value value;
  /// The number, also of a value that is a constant.
  std::optional<int64_t> known() const;
  bool operator==(const Extent &other) const;
  bool operator!=(const Extent &other) const { return !(*this == other); }
};
llvm::SmallVector<Extent> getExtents(mlir::Value vector);
/// The values among the extents of `vector` with the given axes, in that order.
llvm::SmallVector<mlir::Value> selectDims(mlir::Value vector, llvm::ArrayRef<int64_t> axes);
/// Whether a vector has no lanes whatever its other extents are.
bool isEmptyVector(mlir::Value vector);
/// The number of lanes; nothing when an extent is a value or the product overflows.
std::optional<int64_t> countLanes(VectorType type);

inline VectorType vectorType(mlir::Value value) { return mlir::cast<VectorType>(value.getType()); }
inline mlir::Type elementType(mlir::Value value) { return vectorType(value).getElementType(); }

/// A value of an operation and what its messages call it: "the mask".
struct Named {
  mlir::Value value;
  llvm::StringRef name;
};
/// Checks that shapes agree [SHAPE/002], element types agree [TYPE/002], types and extents agree
/// [TYPE/001, SHAPE/002].
mlir::LogicalResult verifyShapes(mlir::Operation *op, Named a, Named b);
mlir::LogicalResult verifyElements(mlir::Operation *op, Named a, Named b);
mlir::LogicalResult verifyTypes(mlir::Operation *op, Named a, Named b);
/// Checks that `op` owns an operand per extent of its result that is a value. [STRUCTURE/013]
mlir::LogicalResult verifyDims(mlir::Operation *op, mlir::OperandRange dims);
/// Checks an axis of `vector`. [SUBRANGE/002]
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, VectorType vector);

/// The elements of a vector that are literals: one attribute per lane, or a single one when all are
/// equal; empty when they are not known.
llvm::SmallVector<mlir::Attribute> getKnownElements(mlir::Value vector);

} // namespace loom

#endif // LOOM_LIB_DIALECT_VECTOR_VECTORRULES_H
