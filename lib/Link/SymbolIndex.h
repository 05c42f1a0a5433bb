//===- SymbolIndex.h - All symbols of all inputs of a link ------*- C++ -*-===//
#ifndef LOOM_LIB_LINK_SYMBOLINDEX_H
#define LOOM_LIB_LINK_SYMBOLINDEX_H

#include "loom/Dialect/Module/Module.h"
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/Link/Link.h"
#include "llvm/ADT/StringMap.h"

namespace loom {

/// The position of a symbol in the index: inputs in their order, symbols in theirs.
using SymbolId = unsigned;

struct IndexedSymbol {
  mlir::Operation *op;
  llvm::StringRef name; ///< empty for a benchmark without a name
  unsigned input;
  const SymbolKind *kind;

  bool isDeclaration() const { return kind->role == SymbolRole::Declaration; }
  bool isForTests() const {
    return kind->role == SymbolRole::Test || kind->role == SymbolRole::Benchmark;
  }
};

class SymbolIndex {
public:
  explicit SymbolIndex(llvm::ArrayRef<LinkInput> inputs);

  llvm::ArrayRef<LinkInput> inputs() const { return linkInputs; }
  unsigned size() const { return symbols.size(); }
  const IndexedSymbol &operator[](SymbolId id) const { return symbols[id]; }
  bool isOfInput(SymbolId id) const { return role(id) == LinkRole::Input; }
  LinkRole role(SymbolId id) const { return linkInputs[symbols[id].input].role; }

  /// The symbol of that name in one input.
  std::optional<SymbolId> lookup(unsigned input, llvm::StringRef name) const;
  /// The symbols of that name in all inputs.
  llvm::ArrayRef<SymbolId> named(llvm::StringRef name) const;
  /// The implementations of a family in all inputs.
  llvm::ArrayRef<SymbolId> implementations(llvm::StringRef family) const;
  /// The benchmarks whose subject is `id`, which are in the same input.
  llvm::ArrayRef<SymbolId> benchmarks(SymbolId id) const;
  /// The imports that list a declaration.
  llvm::ArrayRef<ModuleImportOp> imports(SymbolId id) const;

private:
  void add(mlir::Operation *op, unsigned input);

  llvm::ArrayRef<LinkInput> linkInputs;
  std::vector<IndexedSymbol> symbols;
  std::vector<llvm::StringMap<SymbolId>> byInput;
  llvm::StringMap<llvm::SmallVector<SymbolId, 1>> byName, byFamily;
  llvm::DenseMap<SymbolId, llvm::SmallVector<SymbolId, 1>> bySubject;
  llvm::DenseMap<SymbolId, llvm::SmallVector<ModuleImportOp, 1>> importsOf;
};

/// Checks that a declaration fits `other`, a definition or another declaration of the same symbol,
/// or that two families or records are one: the same entity, the same parameters, workload and
/// results, and whatever else the declaration states. Reports at `declaration` with a note at the
/// other place.
mlir::LogicalResult checkAgreement(mlir::Operation *declaration, mlir::Operation *other);

/// True when two records say the same.
bool isSameRecord(mlir::Operation *first, mlir::Operation *second);

/// Why `profile` rules an implementation out for good; nothing when it does not. `record` is the
/// target that the implementation names, or null.
std::optional<std::string> ruledOut(mlir::Operation *implementation, mlir::Operation *record,
                                    const TargetProfile &profile);

} // namespace loom

#endif // LOOM_LIB_LINK_SYMBOLINDEX_H
