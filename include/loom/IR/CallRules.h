//===- CallRules.h - What is passed to a callee -----------------*- C++ -*-===//
#ifndef LOOM_IR_CALLRULES_H
#define LOOM_IR_CALLRULES_H

#include "loom/IR/Signatures.h"

namespace loom {

/// Checks that `arguments`, operands of `op` that messages call `what` ("argument", "workload
/// argument"), are as many as the types that parameters of `callee` take and have them. Reports at
/// the operand, with a note at the parameter. A tensor or view fits a buffer in `kernel.launch`.
mlir::LogicalResult verifyArguments(mlir::Operation *op, SignatureOpInterface callee,
                                    llvm::StringRef what, mlir::OperandRange arguments,
                                    llvm::ArrayRef<mlir::Type> expected);

} // namespace loom

#endif // LOOM_IR_CALLRULES_H
