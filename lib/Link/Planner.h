//===- Planner.h - How a plan comes to be -----------------------*- C++ -*-===//
#ifndef LOOM_LIB_LINK_PLANNER_H
#define LOOM_LIB_LINK_PLANNER_H

#include "Resolver.h"

namespace loom {

class Planner {
public:
  Planner(const SymbolIndex &index, const LinkOptions &options, LinkPlan &plan)
      : index(index), options(options), plan(plan), resolver(index, options, plan.dependencies) {}

  mlir::LogicalResult run();

private:
  // Where a plan begins (Planner.cpp).
  void seedInputs();
  void seedRoots();
  void addRoot(llvm::StringRef spelled);
  std::optional<SymbolId> findRoot(llvm::StringRef name);
  void reportUndefinedRoot(llvm::StringRef name);
  llvm::DenseSet<SymbolId> findTestOnly() const;
  void addLocalReach(SymbolId id, llvm::DenseSet<SymbolId> &reached) const;

  // What it grows to.
  void add(SymbolId id, LinkReason reason, std::optional<unsigned> cause = std::nullopt);
  void expand(unsigned ordinal);
  void addProviders(SymbolId family, unsigned ordinal);
  mlir::Operation *findTarget(SymbolId id) const;

  // What the symbols are called (PlanNames.cpp).
  void assignNames();
  bool isPublic(unsigned ordinal) const;
  bool keepsName(unsigned ordinal) const;
  void reportTaken(SymbolId id, SymbolId holder);
  void checkArtifactNames();
  void collectRenames();
  void collectImports();

  const SymbolIndex &index;
  const LinkOptions &options;
  LinkPlan &plan;
  Resolver resolver;
  std::vector<SymbolId> ids; ///< of the symbols of the plan
  llvm::DenseMap<SymbolId, unsigned> ordinals;
};

} // namespace loom

#endif // LOOM_LIB_LINK_PLANNER_H
