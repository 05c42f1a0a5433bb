//===- Signatures.h - Headers of functions, templates, kernels --*- C++ -*-===//
//
// Functions, templates and kernels share the shape of their headers: modifiers in a fixed order, a
// symbol, parameters, results and a `where` clause. Each op keeps what it has under the same
// attribute names.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_SIGNATURES_H
#define LOOM_IR_SIGNATURES_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// Modifiers in the order in which the text writes them.
enum class Modifier {
  Public,
  Retain,
  Convention,
  Pure,
  Temperature,
  Inline,
  Target,
  Requires,
  Priority,
  Export,
  Linkage
};

/// Parses the modifiers of `allowed` (in text order) into `attributes`; a known modifier out of
/// order, twice, or not allowed here is an error that says so. Without `public` the symbol is
/// private.
ParseResult parseModifiers(OpAsmParser &parser, mlir::NamedAttrList &attributes,
                           llvm::ArrayRef<Modifier> allowed);
void printModifiers(OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<Modifier> allowed);
/// Attribute names that modifiers use.
llvm::ArrayRef<llvm::StringRef> modifierAttributeNames();

/// A parsed header after the symbol.
struct Signature {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<mlir::Type> results;
  mlir::ArrayAttr where;

  llvm::SmallVector<mlir::Type> argumentTypes() const;
  llvm::SmallVector<llvm::StringRef> argumentNames() const;
};

/// `(%a: T, %b: U)`.
ParseResult parseParameters(OpAsmParser &parser,
                            llvm::SmallVectorImpl<OpAsmParser::Argument> &arguments);
/// `-> (T, U)`, optional.
ParseResult parseResults(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &results);
/// `where [...]`, optional; values are parameters.
ParseResult parseWhere(OpAsmParser &parser, Signature &signature);
/// Parameters, results and where.
ParseResult parseSignature(OpAsmParser &parser, Signature &signature);

void printParameters(OpAsmPrinter &printer, mlir::Block::BlockArgListType arguments);
void printParameters(OpAsmPrinter &printer, mlir::ArrayAttr types, mlir::ArrayAttr names);
void printResults(OpAsmPrinter &printer, mlir::TypeRange results);
/// `printArgument` writes the parameter of a position.
void printWhere(OpAsmPrinter &printer, mlir::ArrayAttr where,
                llvm::function_ref<void(unsigned)> printArgument);

/// `(operand types) -> (result types)`, types of operands with their dynamic extents.
ParseResult parseCallTypes(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> operands,
                           mlir::OperationState &state);
void printCallTypes(OpAsmPrinter &printer, mlir::OperandRange operands, mlir::TypeRange results);

/// Checks the name that `op` has in artifacts: letters, digits, `_`, `.` and `$`, which every
/// object format and JSON can hold, and no name that LLVM or the AMDGPU loader takes for its own.
mlir::LogicalResult verifyExportName(mlir::Operation *op, llvm::StringRef name);
/// Checks that what `op` passes ("argument", "result") has the types that `callee` expects; reports
/// at `op` with a note at the callee. A tensor or view fits a buffer in `kernel.launch`.
mlir::LogicalResult verifyPassed(mlir::Operation *op, SignatureOpInterface callee,
                                 llvm::StringRef what, mlir::TypeRange actual,
                                 llvm::ArrayRef<mlir::Type> expected, DiagCode countCode);
/// Checks that `operands` and `results` fit the signature of `callee`.
mlir::LogicalResult verifyCall(mlir::Operation *op, SignatureOpInterface callee,
                               mlir::TypeRange operands, mlir::TypeRange results);
/// Checks that `region` of `owner` ends in the operation `terminator`, named as in the text.
mlir::LogicalResult verifyTerminator(mlir::Operation *owner, mlir::Region &region,
                                     llvm::StringRef terminator);
/// Checks that the values of `returnOp` have the types that the header around it states.
mlir::LogicalResult verifyReturn(mlir::Operation *returnOp, mlir::TypeRange expected);
/// The symbol `name` in the module of `op`, or null.
mlir::Operation *lookupSymbol(mlir::Operation *op, mlir::FlatSymbolRefAttr name,
                              mlir::SymbolTableCollection *tables = nullptr);
/// Reports a reference to a symbol that is missing, with near matches.
mlir::InFlightDiagnostic emitUndefined(mlir::Operation *op, llvm::StringRef kind,
                                       mlir::FlatSymbolRefAttr name);

} // namespace loom

#endif // LOOM_IR_SIGNATURES_H
