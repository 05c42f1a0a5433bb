//===- SymbolKinds.h - What symbols are to a link ---------------*- C++ -*-===//
//
// One table, keyed on the names that operations have in the text, says what each operation that
// defines a symbol is when programs are linked. An operation that the table does not list is a
// definition that nothing declares, visible to other modules when it is `public`; a new operation
// needs a line only when it is something else.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_DIALECT_MODULE_SYMBOLKINDS_H
#define LOOM_DIALECT_MODULE_SYMBOLKINDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace loom {

enum class SymbolRole {
  Definition,     ///< has the contents of the symbol
  Declaration,    ///< says that another module has them
  Family,         ///< a contract that any number of modules may state, in the same words
  Implementation, ///< a definition that names its family in the attribute `family`
  Record,         ///< data; equal records of several modules are one
  Test,           ///< a definition for tests only
  Benchmark, ///< belongs to the symbol in its attribute `subject`; a name of its own is optional
};

enum class SymbolVisibility {
  Public, ///< other modules see the symbol when it is `public`
  Always, ///< other modules see it: what is launched or configured from outside
};

struct SymbolKind {
  llvm::StringLiteral op; ///< as in the text; a name that ends in `.*` is a whole dialect
  SymbolRole role = SymbolRole::Definition;
  /// What the symbol is, for messages. A definition satisfies declarations of the same entity.
  llvm::StringLiteral entity = "symbol";
  SymbolVisibility visibility = SymbolVisibility::Public;
  /// A declaration that a link has to satisfy; others may stay.
  bool isRequired = false;
  /// A declaration that states the launch parameters of a kernel and not its workload.
  bool ignoresWorkload = false;
};

/// The table, most specific names first.
llvm::ArrayRef<SymbolKind> symbolKinds();

/// What `op`, which stands at the top level of a module, is to a link; null when it has no symbol
/// and is no benchmark either.
const SymbolKind *getSymbolKind(mlir::Operation *op);

/// True when other modules may name the symbol of `op`.
bool isVisible(mlir::Operation *op);

/// True for a declaration that is satisfied when the program is loaded, or not at all: it is
/// `optional`, or has an `import(...)` clause, whose attributes begin with `import_`.
bool isExternal(mlir::Operation *declaration);

} // namespace loom

#endif // LOOM_DIALECT_MODULE_SYMBOLKINDS_H
