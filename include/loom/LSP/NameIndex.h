//===- NameIndex.h - The names of one text and where they stand -*- C++ -*-===//
//
// Filled by the parser while it reads. Values are told apart by what they are and not by their
// spelling: `%sum` in two functions are two values. Symbols are told apart by their names. Names
// that the parser did not come to, in a statement that it gave up or in a clause that it reads as
// words, are found in the text and told by the rules of scopes, so that a mistake costs no
// navigation.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LSP_NAMEINDEX_H
#define LOOM_LSP_NAMEINDEX_H

#include "loom/LSP/LineIndex.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>

namespace loom::lsp {

/// One place where a name stands.
struct Occurrence {
  enum Kind { Operation, Value, Symbol };
  Span span;
  Kind kind;
  bool isDefinition; ///< always false for operations
  unsigned entity;   ///< position in operations(), values() or symbols()
};

struct ValueEntry {
  /// Null when the statement of the value failed, so that the value does not exist.
  mlir::Value value;
  llvm::StringRef name; ///< with `%`
  bool isArgument;      ///< of a region or block, and not a result
  std::vector<Span> definitions, uses;
  /// Of a name in the header of a declaration, which is no value: its type as the text spells it,
  /// the operation and where that begins.
  struct Declared {
    llvm::StringRef type;
    mlir::OperationName op;
    unsigned statement;
  };
  std::optional<Declared> declared = {};
};

struct SymbolEntry {
  struct Definition {
    Span span;
    mlir::OperationName op; ///< of the operation that defines the symbol
    unsigned statement;     ///< where that operation begins
    /// The operation only declares: something else may define the symbol.
    bool isDeclaration;
  };
  std::string name; ///< without `@`
  std::vector<Definition> definitions;
  std::vector<Span> uses;

  bool isDefined() const;
};

class NameIndex final : public SourceListener {
public:
  explicit NameIndex(llvm::StringRef text) : text(text) {}

  void operation(Range name, mlir::OperationName kind) override;
  void defineValue(Range name, mlir::Value value) override;
  void useValue(Range name, mlir::Value value) override;
  void defineSymbol(Range name, llvm::StringRef symbol) override;
  void useSymbol(Range name, llvm::StringRef symbol) override;

  /// Completes and sorts what was read. `module` is what the parser returned; when it has holes,
  /// values that are not in it are forgotten and their places kept.
  void finish(mlir::ModuleOp module, bool hasHoles);

  /// The name at `offset`, or the one that ends there; null when there is none.
  const Occurrence *find(unsigned offset) const;

  llvm::ArrayRef<Occurrence> occurrences() const { return places; }
  llvm::ArrayRef<mlir::OperationName> operations() const { return ops; }
  llvm::ArrayRef<ValueEntry> values() const { return valueTable; }
  llvm::ArrayRef<SymbolEntry> symbols() const { return symbolTable; }
  const SymbolEntry *findSymbol(llvm::StringRef name) const;

  /// The statements of the module that the parser came to, in order, from their operation's name to
  /// the end of their last body; one without a body reaches to the next statement.
  std::vector<Span> moduleStatements() const;

  /// Whether `value` can be used at `offset`.
  bool isVisible(const ValueEntry &value, unsigned offset) const;

private:
  unsigned valueId(mlir::Value value, Range name, bool defines);
  unsigned symbolId(llvm::StringRef name);
  void add(Span span, Occurrence::Kind kind, bool isDefinition, unsigned entity);
  void sortPlaces();
  void forgetDestroyed(mlir::ModuleOp module);

  /// Adds the names in headers of declarations.
  void addDeclaredNames();
  unsigned addDeclared(Span span, const ValueEntry::Declared &declared);

  /// Adds the names of the text that the parser did not tell.
  void addSpelledNames();
  std::vector<Span> untoldNames() const;
  /// Values of one name, by where they are defined.
  using Candidates = std::map<unsigned, unsigned>;
  void addSpelledValue(Span span, Candidates &candidates);

  void findBodies();
  /// Position in `bodies` of the innermost one around `offset`, or -1.
  int bodyAt(unsigned offset) const;
  /// The body in which a value can be used: bytes between braces. Empty for a name of a
  /// declaration.
  Span scopeOf(const ValueEntry &value) const;
  /// Where the statement of the module around `offset` begins, or a later statement in it that no
  /// visible definition stands before.
  unsigned statementAround(unsigned offset) const;

  llvm::StringRef text;
  std::vector<Occurrence> places;
  unsigned lastOperation = 0; ///< where the operation begins that was read last
  std::vector<mlir::OperationName> ops;
  std::vector<ValueEntry> valueTable;
  std::vector<SymbolEntry> symbolTable;
  /// The entry that a value belongs to; the newest one when memory of a failed statement is used
  /// again.
  llvm::DenseMap<mlir::Value, unsigned> valueIds;
  llvm::StringMap<unsigned> symbolIds;
  /// What stands between braces, sorted by its begin, with the position of the body around it.
  struct Body {
    Span span;
    int parent;
  };
  std::vector<Body> bodies;
  std::vector<unsigned> statements; ///< where operations' names begin, sorted
};

} // namespace loom::lsp

#endif // LOOM_LSP_NAMEINDEX_H
