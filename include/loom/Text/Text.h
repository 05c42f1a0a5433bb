//===- Text.h - Reading and writing .loom text ------------------*- C++ -*-===//
//
// The text of a program and its module are two forms of one thing: what is read keeps the author's
// names, comments and blank lines, and what is written is the canonical layout of it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TEXT_TEXT_H
#define LOOM_TEXT_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace loom {

/// Reads a program. `file` is the name that locations carry. After an error parsing goes on with
/// the next statement, so that one run reports as many as there are (at most `errorLimit`); the
/// result is null when there was any. The module is not verified (see loom::verifyModule).
mlir::OwningOpRef<mlir::ModuleOp> parseSourceText(llvm::StringRef text, llvm::StringRef file,
                                                  mlir::MLIRContext *context,
                                                  unsigned errorLimit = 100);

/// The canonical text of a module: one operation a line, two spaces an indentation level, authors'
/// names made unique in their scope, comments where they were.
std::string printSourceText(mlir::ModuleOp module);

/// The canonical text of one operation, for messages and tests.
std::string printSourceText(mlir::Operation *op);

} // namespace loom

#endif // LOOM_TEXT_TEXT_H
