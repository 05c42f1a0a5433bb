//===- Ties.h - Results that reuse an operand -------------------*- C++ -*-===//
//
// `%x as T` in a result list ties a result to the operand `%x`: the result reuses it, and `%x` is
// consumed, so that nothing may use it in the operation or behind it. Loops tie results to their
// initial values, calls to their arguments; both keep the relation in the attribute `ties`, which
// has one entry a result: the position among those values, or -1. Source: spec/ops-program.md,
// "Results, ties, clauses".
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_TIES_H
#define LOOM_IR_TIES_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// What messages call the operation, and the values that its results can be tied to.
struct TieWords {
  llvm::StringRef op;    ///< "loop", "call"
  llvm::StringRef value; ///< "initial value", "argument"
};
inline constexpr TieWords kLoopTies{"loop", "initial value"};
inline constexpr TieWords kCallTies{"call", "argument"};

/// An optional `%x as` in front of the type of a result. `tie` keeps no name where there is none.
ParseResult parseOptionalTie(OpAsmParser &parser, UnresolvedOperand &tie);

/// Adds the attribute `ties` to `state` when there are any; `values` are what results can be tied
/// to. Other names are errors, and so are ties of an operation without that attribute.
ParseResult addTies(OpAsmParser &parser, mlir::OperationState &state, TieWords words,
                    llvm::ArrayRef<UnresolvedOperand> ties,
                    llvm::ArrayRef<UnresolvedOperand> values);

/// `-> (%x as T, U)`; nothing without results. `ties` may be null.
void printTiedResults(OpAsmPrinter &printer, mlir::ValueRange results, mlir::DenseI64ArrayAttr ties,
                      mlir::OperandRange values);

/// Checks that results have the types of the values that they are tied to, and that nothing uses
/// such a value in `op` or behind it. Succeeds for operations without ties.
mlir::LogicalResult verifyTies(mlir::Operation *op, TieWords words, mlir::OperandRange values);

} // namespace loom

#endif // LOOM_IR_TIES_H
