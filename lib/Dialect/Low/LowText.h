//===- LowText.h - Parts of the text of Low -----------------------*- C++ -*-===//
#ifndef LOOM_LIB_DIALECT_LOW_LOWTEXT_H
#define LOOM_LIB_DIALECT_LOW_LOWTEXT_H

#include "loom/Dialect/Low/Low.h"

namespace loom {

/// While the body of a function is parsed: the set that its mnemonics belong to. A function has no
/// operation yet that could be asked.
class AsmScope {
public:
  explicit AsmScope(const DescriptorSet *set);
  ~AsmScope();
  AsmScope(const AsmScope &) = delete;

  /// The set of the innermost `asm` body; null outside of one.
  static const DescriptorSet *current();
  /// Which operation a statement of an `asm` body is: for TextParser::parseNamedRegion.
  static TextParser::StatementNames statementNames(mlir::MLIRContext *context);

private:
  const DescriptorSet *outer;
};

/// Whether `op` stands in a body that is printed in mnemonics.
bool isInAsm(mlir::Operation *op);
/// Whether the statement being parsed is written with `word` and not as the operation's own name.
bool isAsmWord(OpAsmParser &parser);

/// `{a = 1, b = 2}` with numbers from 65536 on in hexadecimal, keys sorted; nothing when empty.
void printNumbers(OpAsmPrinter &printer, llvm::ArrayRef<mlir::NamedAttribute> entries);
void printNumber(OpAsmPrinter &printer, mlir::Attribute number);

/// Entries of a dictionary that have to be known: takes `key` out of `entries`. Null when it is not
/// there; reports a value of another kind at `loc`.
ParseResult takeInteger(OpAsmParser &parser, llvm::SMLoc loc, mlir::NamedAttrList &entries,
                        llvm::StringRef key, mlir::OperationState &state, bool required);
/// Reports what is left in `entries`.
ParseResult refuseRest(OpAsmParser &parser, llvm::SMLoc loc, mlir::NamedAttrList &entries,
                       llvm::ArrayRef<llvm::StringRef> known);

/// `<word>` of letters, digits, `_`, `.` and `-`.
ParseResult parseAngled(OpAsmParser &parser, llvm::StringRef &word);

/// Checks that `type` is made of what the set has; reports at `loc` about `what`.
mlir::LogicalResult verifyLowType(mlir::Location loc, mlir::Operation *function, mlir::Type type,
                                  const llvm::Twine &what, DiagCode code);
/// Checks what `invoke` passes to the helper that it names: as many values as that has parameters,
/// and as many results (LowInvoke.cpp).
mlir::LogicalResult verifyPassedToLow(LowInvokeOp invoke, mlir::Operation *helper);
/// Refuses uses of physical state after it was written again (LowState.cpp).
mlir::LogicalResult verifyStates(mlir::Region &body);
/// Rules of a function that concern several operations (LowVerify.cpp).
mlir::LogicalResult verifyLowBody(mlir::Operation *function, mlir::Region &body);

} // namespace loom

#endif // LOOM_LIB_DIALECT_LOW_LOWTEXT_H
