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
  Optional,       ///< `optional`: an import that may be missing
  Import,         ///< `import("module")`, `import("module", "name")`
  ImportMetadata, ///< `import_metadata({...})`
  Convention,     ///< `device`, `initializer`, `deinitializer`; `host` is the default
  Pure,
  Temperature,
  Inline,
  Target,
  Abi, ///< `abi(kind)`, `abi(kind, {...})`
  Requires,
  Priority,
  Export,         ///< `export("name")`, with ExportMetadata also `export("name", {...})`
  ExportMetadata, ///< `export_metadata({...})`
  Linkage
};

/// Parses the modifiers of `allowed` (in text order) into `attributes`; a known modifier out of
/// order, twice, or not allowed here is an error that says so. Without `public` the symbol is
/// private.
ParseResult parseModifiers(OpAsmParser &parser, mlir::NamedAttrList &attributes,
                           llvm::ArrayRef<Modifier> allowed);
void printModifiers(OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<Modifier> allowed);

/// A parsed header after the symbol.
///
/// Parameters and results may have dependent types: `view<[%n]xf32>` for a parameter `%n`. Which
/// value fills a slot is kept in an attribute `extents` of the operation, one number a slot, slots
/// of the parameters first, then those of the results: `p` for parameter p, `-1 - r` for result r.
///
/// A name in the brackets of a parameter that is no parameter is an index of the header's own, the
/// extent that a call happens to pass there. Such names are kept in an attribute `extent_names`;
/// with n parameters, `n + k` in `extents` is the k-th of them, in order of appearance. A body has
/// them as arguments behind the parameters.
///
/// A call keeps `extents` about its results: p is an argument of the call, and with n arguments
/// `n + k` is what fills the k-th slot of the arguments.
struct Signature {
  /// Whether the header may have extents of its own.
  bool namesExtents = false;
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::Argument> extentNames;
  llvm::SmallVector<mlir::Type> results;
  llvm::SmallVector<llvm::StringRef> resultNames; ///< without `%`; empty when they have none
  llvm::SmallVector<int64_t> extents;
  mlir::ArrayAttr where;

  llvm::SmallVector<mlir::Type> argumentTypes() const;
  llvm::SmallVector<llvm::StringRef> argumentNames() const;
  /// What a body has as arguments: the parameters and the extents of the header's own.
  llvm::SmallVector<OpAsmParser::Argument> bodyArguments() const;
};

/// The extents of its own that the header of `op` names.
unsigned countExtentNames(mlir::Operation *op);
/// The arguments of `body` that are parameters of the header of `op`.
mlir::Block::BlockArgListType getHeaderParameters(mlir::Operation *op, mlir::Region &body);
/// What `arguments` pass for the extents that a header with the attribute `extents` names itself:
/// for each the filler of the first slot that it fills. Null where that is not visible.
llvm::SmallVector<mlir::Value> bindExtentNames(mlir::OperandRange arguments,
                                               mlir::DenseI64ArrayAttr extents, unsigned count);

/// `(%a: T, %b: U)`.
ParseResult parseParameters(OpAsmParser &parser, Signature &signature);
/// `-> (T, %r: U)`, optional. A slot of a result is filled by a parameter or a named result.
ParseResult parseResults(OpAsmParser &parser, Signature &signature);
/// `where [...]`, optional; values are parameters or named results (numbered behind them).
ParseResult parseWhere(OpAsmParser &parser, Signature &signature);
/// Parameters, results and where.
ParseResult parseSignature(OpAsmParser &parser, Signature &signature);
/// Adds `where`, `extents`, `extent_names` and `result_names` to `state` where the signature has
/// them.
void addSignatureAttributes(OpAsmParser &parser, mlir::OperationState &state,
                            const Signature &signature);

void printParameters(OpAsmPrinter &printer, mlir::Block::BlockArgListType arguments);
void printParameters(OpAsmPrinter &printer, mlir::ArrayAttr types, mlir::ArrayAttr names,
                     mlir::DenseI64ArrayAttr extents = {}, mlir::ArrayAttr extentNames = {});
/// The results of a header, with their names. `inputs` are the types of the parameters, and
/// `printArgument` writes the parameter, or extent of the header's own, of a position.
void printSignatureResults(OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange inputs,
                           mlir::TypeRange results,
                           llvm::function_ref<void(unsigned)> printArgument);
/// `-> (T, U)` of an operation with such results; nothing without results.
void printResults(OpAsmPrinter &printer, mlir::ValueRange results);
/// The slots of a parameter of the body of `op`, from the attribute `extents`; for an
/// implementation of DependentOpInterface.
llvm::SmallVector<mlir::Value> getParameterDims(mlir::BlockArgument parameter,
                                                mlir::DenseI64ArrayAttr extents);
/// The slots of a result of a call with `arguments`; for an implementation of DependentOpInterface.
llvm::SmallVector<mlir::Value> getCallResultDims(mlir::OpResult result,
                                                 mlir::OperandRange arguments,
                                                 mlir::DenseI64ArrayAttr extents);
/// `printArgument` writes the parameter, or named result, of a position.
void printWhere(OpAsmPrinter &printer, mlir::ArrayAttr where,
                llvm::function_ref<void(unsigned)> printArgument);

/// `(operand types) -> (result types)`, types of operands with their dynamic extents. Adds the
/// attribute `extents` when a result has slots; they name arguments or results of the call. Results
/// may be tied to arguments (see Ties.h).
ParseResult parseCallTypes(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> operands,
                           mlir::OperationState &state);
void printCallTypes(OpAsmPrinter &printer, mlir::OperandRange operands, mlir::ValueRange results,
                    mlir::DenseI64ArrayAttr ties = {});

/// Checks the name that `op` has in artifacts: letters, digits, `_`, `.` and `$`, which every
/// object format and JSON can hold, and no name that LLVM or the AMDGPU loader takes for its own.
mlir::LogicalResult verifyExportName(mlir::Operation *op, llvm::StringRef name);
/// Checks that what `op` passes ("argument", "result") has the types that `callee` expects; reports
/// at `op` with a note at the callee. A tensor or view fits a buffer in `kernel.launch`.
mlir::LogicalResult verifyPassed(mlir::Operation *op, SignatureOpInterface callee,
                                 llvm::StringRef what, mlir::TypeRange actual,
                                 llvm::ArrayRef<mlir::Type> expected, DiagCode countCode);
/// Checks that `arguments` and the results of `op` fit the signature of `callee`, extents included.
mlir::LogicalResult verifyCall(mlir::Operation *op, SignatureOpInterface callee,
                               mlir::OperandRange arguments);
/// Checks that the attribute `extents` of a header has one entry a slot and names parameters,
/// results and `count` extents of the header's own that exist and can fill it.
mlir::LogicalResult verifyExtents(mlir::Operation *op, mlir::TypeRange inputs,
                                  mlir::TypeRange results, mlir::DenseI64ArrayAttr extents,
                                  unsigned count = 0);
/// Checks what a header without or with a body says beside its modifiers: extents, the number of
/// names, the `where` clause, export name and export metadata. `inputs` and `results` are the types
/// of the header.
mlir::LogicalResult verifyHeader(mlir::Operation *op, mlir::TypeRange inputs,
                                 mlir::TypeRange results);
/// Checks that the attribute `target` of `op`, if there is one, names a target record. Returns the
/// record, null without one.
mlir::FailureOr<mlir::Operation *> verifyTarget(mlir::Operation *op,
                                                mlir::SymbolTableCollection &tables);
/// Checks that every block of the body of `owner` ends in a terminator, the ones that leave the
/// body in one of `terminators`, named as in the text; the first is the one that messages ask for.
mlir::LogicalResult verifyBody(mlir::Operation *owner, mlir::Region &body,
                               llvm::ArrayRef<llvm::StringRef> terminators);
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
