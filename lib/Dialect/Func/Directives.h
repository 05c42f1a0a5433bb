//===- Directives.h - Directives of the formats of `func` -------*- C++ -*-===//
#ifndef LOOM_LIB_DIALECT_FUNC_DIRECTIVES_H
#define LOOM_LIB_DIALECT_FUNC_DIRECTIVES_H

#include "loom/IR/Signatures.h"

namespace loom {

/// A status word of `func.fail`.
ParseResult parseStatus(OpAsmParser &parser, mlir::StringAttr &status);
void printStatus(OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr status);
/// `@name` with dots.
ParseResult parseCallee(OpAsmParser &parser, mlir::FlatSymbolRefAttr &callee);
void printCallee(OpAsmPrinter &printer, mlir::Operation *, mlir::FlatSymbolRefAttr callee);
/// `[#func.location.file<"p.cc">, ...]`.
ParseResult parseLocations(OpAsmParser &parser, mlir::ArrayAttr &locations);
void printLocations(OpAsmPrinter &printer, mlir::Operation *, mlir::ArrayAttr locations);

} // namespace loom

#endif // LOOM_LIB_DIALECT_FUNC_DIRECTIVES_H
