//===- Statement.h - Parts of the text around a name ------------*- C++ -*-===//
#ifndef LOOM_LIB_LSP_STATEMENT_H
#define LOOM_LIB_LSP_STATEMENT_H

#include "loom/LSP/Document.h"

namespace loom::lsp {

/// Moves `i` behind the comment or string that begins there, if one does.
bool skipOpaque(llvm::StringRef text, size_t &i);

/// The statement that begins at `begin`, its bodies of several lines written as `{ ... }`.
std::string statementHeader(llvm::StringRef text, unsigned begin);

/// The comment lines directly above the line that begins at `lineBegin`, without `//`.
std::string commentAbove(llvm::StringRef text, unsigned lineBegin);

/// Where `op` stands in the text of `analysis`: the beginning of its name.
unsigned placeOf(const Analysis &analysis, mlir::Operation *op);

/// The type of `value` as the text spells it.
std::string spellType(const Analysis &analysis, mlir::Value value);

} // namespace loom::lsp

#endif // LOOM_LIB_LSP_STATEMENT_H
