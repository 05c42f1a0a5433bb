//===- Encoding.h - The `encoding` dialect ----------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_ENCODING_ENCODING_H
#define LOOM_DIALECT_ENCODING_ENCODING_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/Loom.h"

#include "loom/Dialect/Encoding/EncodingDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Encoding/EncodingOps.h.inc"

namespace loom {

/// The static encoding that `value`, of an encoding type, is known to be: from its definition or an
/// assumption; null when that is not known or depends on values. Of a storage encoding whose parts
/// are values with known encodings, all of it.
EncodingAttr getKnownEncoding(mlir::Value value);

/// What is known of the layout of a view or layout value.
struct LayoutInfo {
  enum Kind { Unknown, Dense, Strided } kind = Unknown;
  /// One per axis when strided: a literal (I64 IntegerAttr) or an `index` value. Empty when a
  /// promise gives the rank alone.
  llvm::SmallVector<mlir::OpFoldResult> strides;
  std::optional<size_t> rank; ///< of a strided layout
  /// What the elements are encoded with, when they are.
  EncodingAttr schema;
  bool isEncoded = false; ///< with `schema`, or with a schema that is not known
};
LayoutInfo getLayoutInfo(mlir::Attribute layout);
/// `layout` has an encoding type.
LayoutInfo getLayoutInfo(mlir::Value layout);
LayoutInfo getViewLayout(mlir::Value view);

/// The scalar that holds a number of an element format (`f8e4m3fn`, `u4`); null when none does.
mlir::Type getScalarOfFormat(llvm::StringRef format, mlir::MLIRContext *context);

/// Checks what a type says of its layout: a static one by its own rules, a value by its role
/// [ENCODING/001] and known rank [SHAPE/001]. `dims` are the values of the slots of `type`.
mlir::LogicalResult verifyTypeLayout(mlir::Operation *op, mlir::Type type, mlir::ValueRange dims);

} // namespace loom

#endif // LOOM_DIALECT_ENCODING_ENCODING_H
