//===- CheckSupport.h - Shared by the files of the `check` dialect --------===//
#ifndef LOOM_LIB_DIALECT_CHECK_CHECKSUPPORT_H
#define LOOM_LIB_DIALECT_CHECK_CHECKSUPPORT_H

#include "loom/Dialect/Check/Check.h"

namespace loom {

/// Checks that a case can make the values of `tensor`, and that `dims` values fill its slots.
mlir::LogicalResult verifyTensor(mlir::Operation *op, TensorType tensor, size_t dims);

/// `<name.with.dots>`.
ParseResult parseProvider(OpAsmParser &parser, mlir::OperationState &state);
void printProvider(OpAsmPrinter &printer, llvm::StringRef provider);
/// `{key = value}` for a provider, kept under `options`; left out when empty.
ParseResult parseOptions(OpAsmParser &parser, mlir::OperationState &state);
void printOptions(OpAsmPrinter &printer, mlir::DictionaryAttr options);

/// `(T, U)`: the types of `operands`, which are resolved into `state`.
ParseResult parseInputTypes(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> operands,
                            mlir::OperationState &state);
/// Values of slots become operands: an index, or an encoding.
ParseResult resolveDims(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> dims,
                        mlir::OperationState &state);
/// `-> (T, U)`, whose slots are operands of the operation.
ParseResult parseOwnedResults(OpAsmParser &parser, llvm::SmallVectorImpl<UnresolvedOperand> &dims,
                              mlir::OperationState &state);
/// What fills the slots of the value at `position` among `types`, where `dims` fills all of them.
llvm::SmallVector<mlir::Value> sliceDims(mlir::TypeRange types, unsigned position,
                                         mlir::OperandRange dims);

} // namespace loom

#endif // LOOM_LIB_DIALECT_CHECK_CHECKSUPPORT_H
