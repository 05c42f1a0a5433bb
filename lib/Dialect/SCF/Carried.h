//===- Carried.h - Values that regions pass on ------------------*- C++ -*-===//
//
// What the operations of `scf` share: bindings and result lists in the text, and the slots of
// dependent types (`view<[%rows]x4xf32>`) of results, arguments of regions and yielded values.
//
// A result list relates its results to each other: a slot is filled by a sibling result, or by a
// value from outside that is the same wherever the value passes. The attribute `extents` keeps that
// relation (see SCFOps.td), and every list that meets the results (initial values, arguments,
// forwarded and yielded values) has it among its own values.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_DIALECT_SCF_CARRIED_H
#define LOOM_LIB_DIALECT_SCF_CARRIED_H

#include "loom/Dialect/SCF/SCF.h"

namespace loom {

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// What fills the slots of `list[position]`, where `list` is one of the lists above. `outside`
/// gives the slots of a value that the same place of the operation received from outside.
llvm::SmallVector<mlir::Value>
getCarriedDims(mlir::ValueRange list, unsigned position, mlir::DenseI64ArrayAttr extents,
               llvm::function_ref<llvm::SmallVector<mlir::Value>()> outside);

/// The values of a list as messages call them: "yielded value".
struct ListName {
  llvm::StringRef word;
  mlir::Operation *place; ///< where errors are reported
};

/// Checks that `extents` has an entry for each slot of the results of `op` and names results that
/// can fill it.
mlir::LogicalResult verifyResultExtents(mlir::Operation *op, mlir::DenseI64ArrayAttr extents);
/// Checks number and types of `list` against the results of `owner`.
mlir::LogicalResult verifyPassedTypes(mlir::Operation *owner, mlir::ValueRange list, ListName name,
                                      DiagCode countCode);
/// Checks the slots of `list`. `outside` gives the value for a slot that siblings do not fill, by
/// position and slot, or null when there is none to compare with.
mlir::LogicalResult
verifyPassedExtents(mlir::Operation *owner, mlir::ValueRange list, ListName name,
                    mlir::DenseI64ArrayAttr extents,
                    llvm::function_ref<mlir::Value(unsigned, unsigned)> outside);

/// Checks that the keys of a choice increase strictly.
mlir::LogicalResult verifyKeys(mlir::Operation *op, llvm::ArrayRef<int64_t> keys);
/// Parses the next key of the choice that is called `op`, and checks it against the one before.
ParseResult parseKey(OpAsmParser &parser, llvm::StringRef op, llvm::SmallVectorImpl<int64_t> &keys);

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A type in a binding or result list, with the names that fill its slots.
struct SpelledType {
  mlir::Type type;
  llvm::SmallVector<UnresolvedOperand, 1> dims;
};

/// `(%sum = %initial : f32, ...)`.
struct Bindings {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<UnresolvedOperand> inits;
  llvm::SmallVector<SpelledType> types;
  llvm::SmallVector<mlir::Value> values; ///< of the inits, once they are resolved
  bool onLines = false;                  ///< the author gave each binding a line
};
/// Also reads the grouped spelling `(%p = %a, %q = %b : T0, T1)`: a binding without a type takes
/// its type from the list at the end.
ParseResult parseBindings(OpAsmParser &parser, Bindings &bindings);
/// Resolves the initial values and appends them to `operands`. Their types have to name what they
/// were defined with.
ParseResult resolveInits(OpAsmParser &parser, llvm::SMLoc loc, Bindings &bindings,
                         llvm::SmallVectorImpl<mlir::Value> &operands);
/// On one line, or on one line each.
void printBindings(OpAsmPrinter &printer, mlir::Block::BlockArgListType arguments,
                   mlir::OperandRange inits, bool onLines);

/// `-> (T, %x as U, ...)`.
struct ResultList {
  llvm::SmallVector<SpelledType> types;
  llvm::SmallVector<UnresolvedOperand> ties; ///< without a name where a result has none
  llvm::SmallVector<int64_t> extents;        ///< as in the attribute

  llvm::SmallVector<mlir::Type> onlyTypes() const;
  /// The sibling that fills a slot, or nothing when a value from outside does.
  std::optional<unsigned> sibling(unsigned position, unsigned slot) const;
};
ParseResult parseResultList(OpAsmParser &parser, ResultList &results);
/// Adds the attribute `extents` to `state` when siblings fill slots.
void addExtents(OpAsmParser &parser, mlir::OperationState &state, const ResultList &results);
/// Checks that slots of `spelled` which siblings do not fill name what `values` were defined with.
ParseResult checkOutsideDims(OpAsmParser &parser, const ResultList &results,
                             llvm::ArrayRef<SpelledType> spelled, mlir::ValueRange values);
/// Says what fills the slots of arguments of the next region. `spelled` are the types that the text
/// gives them; where siblings fill a slot the argument of that position does.
ParseResult declareArgumentDims(OpAsmParser &parser, const ResultList &results,
                                llvm::ArrayRef<OpAsmParser::Argument> arguments,
                                llvm::ArrayRef<SpelledType> spelled, bool spellsSiblings);

/// Prints the region; an operand-less terminator is left out unless `hasResults`.
void printBody(OpAsmPrinter &printer, mlir::Region &region, bool hasResults);

} // namespace loom

#endif // LOOM_LIB_DIALECT_SCF_CARRIED_H
