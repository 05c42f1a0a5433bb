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
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace loom {

/// What the parser tells an editor while it reads: places of names in the text, as byte offsets
/// [begin, end). Calls come in the order in which names are read; values and operations live as
/// long as the module.
class SourceListener {
public:
  struct Range {
    unsigned begin, end;
  };
  virtual ~SourceListener() = default;
  /// A statement begins: the place of its operation's name, as the text spells it.
  virtual void operation(Range name, mlir::OperationName kind) {}
  /// `%name` where `value` is defined: as result, argument or loop binding.
  virtual void defineValue(Range name, mlir::Value value) {}
  /// `%name` where it is used. Names inside of types (`view<[%n]xf32>`) are reported too.
  virtual void useValue(Range name, mlir::Value value) {}
  /// `@name` where `op` defines it. `op` is complete only after parsing.
  virtual void defineSymbol(Range name, llvm::StringRef symbol) {}
  virtual void useSymbol(Range name, llvm::StringRef symbol) {}
};

/// Reads as much of a program as can be read, reporting errors as parseSourceText does. The module
/// is never null and may lack the statements that were in error; `listener` may be null.
mlir::OwningOpRef<mlir::ModuleOp>
parseSourceTextPartially(llvm::StringRef text, llvm::StringRef file, mlir::MLIRContext *context,
                         SourceListener *listener, unsigned errorLimit = 100);

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
