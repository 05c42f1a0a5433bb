//===- Predicates.h - Facts that the author states --------------*- C++ -*-===//
//
// `range(%n, 0, 64)` in a `where` clause or an assume operation.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_PREDICATES_H
#define LOOM_IR_PREDICATES_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// Which values a predicate is about.
enum class PredicateDomain {
  Number,       ///< integers, index, offset, floats
  Ordered,      ///< integers, index, offset: by signed order, offset by its own
  FixedWidth,   ///< integers only: the width of index and offset is the target's
  FloatingPoint ///< floats only
};

/// Number of arguments and domain of a predicate.
struct PredicateInfo {
  PredicateKind kind;
  unsigned arity;
  PredicateDomain domain;
};
PredicateInfo getPredicateInfo(PredicateKind kind);

/// Predicates that one list may have.
constexpr size_t kMaxPredicates = 16;

/// Parses `[p(...), ...]`. `position` gives the position of a value among the operands or
/// arguments that the predicate belongs to, or fails after reporting. The older spellings
/// `multiple_of`, `power_of_two`, `min` and `max` are read as `mul`, `pow2`, `ge` and `le`.
ParseResult
parsePredicates(OpAsmParser &parser, mlir::ArrayAttr &predicates,
                llvm::function_ref<mlir::FailureOr<unsigned>(const UnresolvedOperand &)> position);
void printPredicates(OpAsmPrinter &printer, mlir::ArrayAttr predicates,
                     llvm::function_ref<void(unsigned)> printValue);

/// Checks the predicates of an assume operation or `where` clause: how many there are, their
/// arguments, and that each is about values of its domain. `types` are the types of the values that
/// positions stand for; subjects are the first `subjects` of them.
mlir::LogicalResult verifyPredicates(mlir::Operation *op, mlir::ArrayAttr predicates,
                                     llvm::ArrayRef<mlir::Type> types, unsigned subjects);
/// The same for the `where` clause of a function, template or kernel; succeeds without one.
mlir::LogicalResult verifyWhere(SignatureOpInterface op);

/// The signed range that the predicates of an assume or `where` clause establish for the value at
/// `position`, of integers of `width` bits, or nullopt. Only literal bounds count.
std::optional<mlir::ConstantIntRanges> rangeFromPredicates(mlir::ArrayAttr predicates,
                                                           unsigned position, unsigned width);

} // namespace loom

#endif // LOOM_IR_PREDICATES_H
