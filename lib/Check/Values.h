//===- Values.h - From attributes and types to runtime values ---*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_VALUES_H
#define LOOM_LIB_CHECK_VALUES_H

#include "loom/Dialect/Check/Check.h"
#include "loom/Runtime/Generate.h"

namespace loom::check {

/// The element type of a scalar type or of the elements of a tensor type; nothing for others, such
/// as a tensor with a layout, whose elements have no place of their own.
std::optional<runtime::ElementType> elementTypeOf(mlir::Type type);

/// An authored literal (I64, F64 or bool, as the parser makes them).
runtime::Number numberOf(mlir::Attribute literal);
/// A literal as a value of `type`; the verifier has checked that it suits. An integer literal that
/// only fits the unsigned range keeps its bits.
runtime::Scalar scalarOf(mlir::Attribute literal, runtime::ElementType type);

/// What a generator puts into its tensor.
runtime::Iota iotaOf(CheckIotaOp op);
runtime::Uniform uniformOf(CheckRandomUniformOp op);

/// A value as the constant that folders of `type` work with, and back.
mlir::TypedAttr attributeOf(const runtime::Scalar &scalar, mlir::Type type);
runtime::Scalar scalarOfConstant(mlir::Attribute constant, runtime::ElementType type);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_VALUES_H
