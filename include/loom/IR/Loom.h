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

namespace loom {
/// Of an operation without a symbol that stands at the top level of a program.
template <typename ConcreteType>
class TopLevelTrait : public mlir::OpTrait::TraitBase<ConcreteType, TopLevelTrait> {};
} // namespace loom

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
/// f8E4M3, f8E5M2, f16, bf16, f32 or f64.
bool isFloatScalar(mlir::Type type);
/// i8 to i64 or a float: what is moved bit by bit.
bool isBytePatternScalar(mlir::Type type);
/// index, i8, i16, i32 or i64.
bool isIndexOrNonI1Integer(mlir::Type type);
/// An integer or float scalar: what arithmetic and memory work on.
bool isPayloadScalar(mlir::Type type);
/// `index` or `offset`.
bool isAddressType(mlir::Type type);
/// Bytes of one element in memory; `type` is a payload scalar.
unsigned getElementBytes(mlir::Type type);
/// True for the kinds that combine floats; the others combine integers.
bool isFloatKind(CombiningKind kind);
bool isFloatKind(AtomicKind kind);

/// The number of slots that values fill in `type`: extents, and a layout that is a value.
unsigned countSlots(mlir::Type type);

/// The values that fill the slots of `value`'s type: extents in order, then a layout. Empty when
/// the type has none. Found structurally: an operation owns them (DimsOpInterface), or relates them
/// to other values (DependentOpInterface), or passes on those of an operand of the same type or
/// shape.
mlir::SmallVector<mlir::Value> getDynamicDims(mlir::Value value);
/// Says what fills the types of arguments of regions whose operation does not exist yet: while a
/// body is parsed, the operation that would know is still to be made. The scope holds for this
/// thread.
class PendingDimsScope {
public:
  PendingDimsScope();
  ~PendingDimsScope();
  PendingDimsScope(const PendingDimsScope &) = delete;
  void set(mlir::Value argument, llvm::ArrayRef<mlir::Value> dims);
  void clear() { dims.clear(); }
  /// What was set for `argument`; empty without a scope.
  static llvm::SmallVector<mlir::Value> get(mlir::Value argument);

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> dims;
  PendingDimsScope *outer;
};

/// Whether two values are the same or equal constants: what makes two extents agree.
bool isSameExtent(mlir::Value a, mlir::Value b);
/// The layout part of a shaped type: an EncodingAttr, a DynamicLayoutAttr or null.
mlir::Attribute getTypeLayout(mlir::Type type);

/// The spelling of an op in the text: its name without the internal `loom_` prefix.
llvm::StringRef getTextName(mlir::OperationName name);
inline llvm::StringRef getTextName(mlir::Operation *op) { return getTextName(op->getName()); }

/// Registers every dialect of the language. The registration itself is in the library LoomDialects.
void registerLoomDialects(mlir::DialectRegistry &registry);

} // namespace loom

#endif // LOOM_IR_LOOM_H
