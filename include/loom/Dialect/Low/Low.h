//===- Low.h - The `low` dialect ------------------------------------*- C++ -*-===//
//
// Authored instructions of a target. What the instructions are is in the descriptor sets
// (loom/Low/Descriptors.h); the operations here hold programs made of them.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_DIALECT_LOW_LOW_H
#define LOOM_DIALECT_LOW_LOW_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include "loom/IR/Signatures.h"
#include "loom/Low/Descriptors.h"

namespace loom {
/// The type that `%n = low.assume %n [...] : T` gives twice.
ParseResult parseAssumedTypes(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &inputs,
                              llvm::SmallVectorImpl<mlir::Type> &results);
void printAssumedTypes(OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange inputs,
                       mlir::TypeRange results);
} // namespace loom

#include "loom/Dialect/Low/LowDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Low/LowOps.h.inc"

namespace loom {

/// The `low.func.def` or `low.kernel.def` around `op`, or null.
mlir::Operation *getLowFunction(mlir::Operation *op);
/// The descriptor set that a Low function, definition or declaration, is written for; null when its
/// key is unknown.
const DescriptorSet *getDescriptorSet(mlir::Operation *lowFunction);
/// The descriptor of an instruction inside of a Low function, or null.
const Descriptor *getDescriptor(LowOpOp op);
const Descriptor *getDescriptor(LowConstOp op);
/// `schedule(...)` of a Low function: "free" when it is not written.
llvm::StringRef getSchedule(mlir::Operation *lowFunction);
/// The type of a result of an instruction where the text does not say it: the class of the
/// descriptor, or the type of the operand that is overwritten.
mlir::Type inferResultType(mlir::MLIRContext *context, const DescriptorSet &set,
                           const DescriptorOperand &result);

} // namespace loom

#endif // LOOM_DIALECT_LOW_LOW_H
