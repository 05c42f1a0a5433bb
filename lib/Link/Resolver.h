//===- Resolver.h - Which symbol a name stands for --------------*- C++ -*-===//
//
// A name in a module stands for the symbol that the module has under it. A declaration stands for
// the one visible definition in another input that its imports admit; where there is none and that
// is no error, the first such declaration of the name stands for itself and for the others. Copies
// of a family or of a record are their first one.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_LINK_RESOLVER_H
#define LOOM_LIB_LINK_RESOLVER_H

#include "SymbolIndex.h"
#include "loom/Link/Plan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace loom {

class Resolver {
public:
  Resolver(const SymbolIndex &index, const LinkOptions &options,
           std::vector<LinkDependency> &dependencies)
      : index(index), options(options), dependencies(dependencies) {}

  /// Reports names that inputs define more than once. Libraries may: what they do not export, the
  /// others do not see.
  void checkInputs();

  SymbolId resolve(SymbolId id);
  std::optional<SymbolId> resolve(unsigned input, llvm::StringRef name);
  /// What was resolved so far, in that order.
  const llvm::MapVector<SymbolId, SymbolId> &resolved() const { return results; }

  /// False after an error.
  bool ok = true;

private:
  /// The definitions that have the name of a declaration.
  struct Candidates {
    llvm::SmallVector<SymbolId, 2> eligible;   ///< visible, and from a source the imports admit
    llvm::SmallVector<SymbolId, 2> hidden;     ///< not visible
    llvm::SmallVector<SymbolId, 2> unimported; ///< from another source
  };

  SymbolId resolveDeclaration(SymbolId id);
  SymbolId resolveFamily(SymbolId id);
  SymbolId resolveRecord(SymbolId id);
  SymbolId findFullest(SymbolId id) const;
  Candidates findDefinitions(SymbolId id);
  LinkDependency describe(SymbolId id, const Candidates &candidates) const;
  bool mayStay(SymbolId id, DependencyState state) const;
  void reportAmbiguous(SymbolId id, const Candidates &candidates);
  void reportUnsatisfied(SymbolId id, const LinkDependency &dependency,
                         const Candidates &candidates);

  const SymbolIndex &index;
  const LinkOptions &options;
  std::vector<LinkDependency> &dependencies;
  llvm::MapVector<SymbolId, SymbolId> results;
  llvm::StringMap<SymbolId> unsatisfied; ///< the declarations that stand for themselves
  llvm::StringSet<> reportedAmbiguous;
};

} // namespace loom

#endif // LOOM_LIB_LINK_RESOLVER_H
