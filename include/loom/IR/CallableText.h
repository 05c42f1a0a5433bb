//===- CallableText.h - What functions and templates spell alike *- C++ -*-===//
#ifndef LOOM_IR_CALLABLETEXT_H
#define LOOM_IR_CALLABLETEXT_H

#include "loom/IR/Signatures.h"

namespace loom {

/// Results and `where` of the header of a function or template. `printArgument` writes the
/// parameter of a position.
void printHeaderTail(OpAsmPrinter &printer, SignatureOpInterface header,
                     llvm::function_ref<void(unsigned)> printArgument);

/// Parameters, results and `where` of a header without a body, from its attributes.
void printDeclaredSignature(OpAsmPrinter &printer, SignatureOpInterface header);

/// A call of one exact symbol: `[modifiers] @callee(%a, ...) : (T, ...) -> (R, ...)`. Adds the
/// attribute `callee`, and `extents` where a result has slots (see Signature).
ParseResult parseExactCall(OpAsmParser &parser, mlir::OperationState &state,
                           llvm::ArrayRef<Modifier> modifiers);
/// The same of `call`, whose operands are the arguments.
void printExactCall(OpAsmPrinter &printer, mlir::Operation *call, llvm::StringRef callee,
                    llvm::ArrayRef<Modifier> modifiers);

} // namespace loom

#endif // LOOM_IR_CALLABLETEXT_H
