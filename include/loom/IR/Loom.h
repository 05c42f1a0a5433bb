//===- Loom.h - Types, attributes and enums of the language -----*- C++ -*-===//
//
// What every dialect of Loom shares. The definitions are in LoomBase.td.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_LOOM_H
#define LOOM_IR_LOOM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "loom/IR/LoomDialect.h.inc"
#include "loom/IR/LoomEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "loom/IR/LoomTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "loom/IR/LoomAttrs.h.inc"
#include "loom/IR/LoomInterfaces.h.inc"

namespace loom {

/// i1, i8, i16, i32 or i64.
bool isIntegerScalar(mlir::Type type);
/// f16, bf16, f32 or f64.
bool isFloatScalar(mlir::Type type);
/// An integer or float scalar: what arithmetic and memory work on.
bool isPayloadScalar(mlir::Type type);
/// `index` or `offset`.
bool isAddressType(mlir::Type type);
/// Bytes of one element in memory; `type` is a payload scalar.
unsigned getElementBytes(mlir::Type type);
/// True for the kinds that combine floats; the others combine integers.
bool isFloatKind(CombiningKind kind);

/// The values of the dynamic extents of `value`'s type, in order. Empty when the type has none.
mlir::SmallVector<mlir::Value> getDynamicDims(mlir::Value value);

/// The spelling of an op in the text: its name without the internal `loom_` prefix.
llvm::StringRef getTextName(mlir::OperationName name);
inline llvm::StringRef getTextName(mlir::Operation *op) { return getTextName(op->getName()); }

/// Registers every dialect of the language. The registration itself is in the library LoomDialects.
void registerLoomDialects(mlir::DialectRegistry &registry);

} // namespace loom

#endif // LOOM_IR_LOOM_H
