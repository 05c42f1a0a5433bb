//===- Predicates.h - Facts that the author states --------------*- C++ -*-===//
//
// `range(%n, 0, 64)` in a `where` clause or an assume operation.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_PREDICATES_H
#define LOOM_IR_PREDICATES_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// Name, number of arguments and domain of a predicate.
struct PredicateInfo {
  PredicateKind kind;
  unsigned arity;
  bool onFloats;
};
PredicateInfo getPredicateInfo(PredicateKind kind);

/// Parses `[p(...), ...]`. `position` gives the position of a value among the operands or
/// arguments that the predicate belongs to, or fails after reporting.
ParseResult
parsePredicates(OpAsmParser &parser, mlir::ArrayAttr &predicates,
                llvm::function_ref<mlir::FailureOr<unsigned>(const UnresolvedOperand &)> position);
void printPredicates(OpAsmPrinter &printer, mlir::ArrayAttr predicates,
                     llvm::function_ref<void(unsigned)> printValue);

/// The signed range that the predicates of an assume or `where` clause establish for the value at
/// `position`, or nullopt. Only literal bounds count.
std::optional<mlir::ConstantIntRanges> rangeFromPredicates(mlir::ArrayAttr predicates,
                                                           unsigned position, unsigned width);

} // namespace loom

#endif // LOOM_IR_PREDICATES_H
