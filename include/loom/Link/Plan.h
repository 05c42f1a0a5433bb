//===- Plan.h - What a link will do and why ---------------------*- C++ -*-===//
//
// A link is planned before anything is built: the plan says for each symbol of the result where it
// comes from and for what reason. Building the module, printing the plan and reporting dependencies
// all read it, so they cannot disagree.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LINK_PLAN_H
#define LOOM_LINK_PLAN_H

#include "loom/Link/Link.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace loom {

struct ConfigBinding;

enum class LinkReason {
  Merge,      ///< an input has it, and everything of the inputs stays
  Root,       ///< asked for
  Dependency, ///< another symbol of the plan names it
  Provider,   ///< implements a template family of the plan
};

/// One symbol of the result.
struct PlannedSymbol {
  mlir::Operation *op;  ///< in the module of its input
  unsigned input;       ///< position in LinkPlan::inputs
  llvm::StringRef name; ///< in its input; empty for a benchmark without a name
  LinkReason reason;
  std::optional<unsigned> cause; ///< position of the symbol that needs it
  std::string outputName;        ///< another one when a private name of a library is taken
  bool isPublic = false;         ///< in the result
};

/// A `module.import` of the result, with the declarations that stayed unsatisfied.
struct PlannedImport {
  mlir::Operation *op;
  llvm::SmallVector<mlir::Attribute> symbols;
};

/// How a declaration that a link has to satisfy is satisfied.
enum class DependencyState {
  Local,      ///< an input defines it
  Direct,     ///< a direct library exports it
  Transitive, ///< only a transitive library exports it
  Hidden,     ///< it is defined, but not visible to other modules
  Ambiguous,  ///< by more than one definition
  Unresolved, ///< nothing defines it
};

struct LinkDependency {
  mlir::Operation *declaration;
  unsigned input;
  DependencyState state;
  mlir::Operation *definition = nullptr; ///< null for Unresolved
  unsigned provider = 0;                 ///< input of the definition, if there is one
};

struct LinkPlan {
  mlir::MLIRContext *context = nullptr;
  LinkMode mode = LinkMode::Merge;
  /// In their order, libraries behind the others.
  std::vector<LinkInput> inputs;
  /// In order of discovery: what a symbol is needed for comes before it.
  std::vector<PlannedSymbol> symbols;
  std::vector<PlannedImport> imports;
  /// One for each declaration that was looked at, in the order of the inputs.
  std::vector<LinkDependency> dependencies;
  /// For each input, the names whose symbols are called otherwise in the result.
  std::vector<llvm::DenseMap<mlir::StringAttr, mlir::StringAttr>> renames;
};

/// Plans a link. All inputs belong to `context`. Fails after reporting everything that is wrong;
/// `plan.dependencies` is complete then too.
///
/// Reports, each with a note at the other place: two definitions of a symbol or two kernels
/// of one name in an artifact [SYMBOL/005], an
/// undefined root [SYMBOL/002], a declaration that nothing satisfies [LINK/001], one that does not
/// agree with the definition or with another declaration [LINK/002], a dependency that strict
/// analysis refuses [LINK/003], a root that cannot be kept [LINK/004], an import that contradicts
/// the rest [LINK/005], a family of which the profile leaves nothing [LINK/006].
mlir::LogicalResult planLink(mlir::MLIRContext *context, llvm::ArrayRef<LinkInput> inputs,
                             const LinkOptions &options, LinkPlan &plan);

/// The same for the profile of the options, which selects after specializing: what is linked is
/// specialized for it with the configuration values that it has under `bindings`, and planned anew
/// without the implementations that nothing chose or may choose yet. What cannot be specialized
/// keeps them all.
mlir::LogicalResult planForTarget(mlir::MLIRContext *context, llvm::ArrayRef<LinkInput> inputs,
                                  const LinkOptions &options,
                                  llvm::ArrayRef<ConfigBinding> bindings, LinkPlan &plan);

/// Builds the module of a plan. It is called `linked`, its symbols stand in the order of the inputs
/// and of their places in them. It is not verified.
mlir::OwningOpRef<mlir::ModuleOp> materialize(const LinkPlan &plan);

/// `plan mode=link symbols=2`, then a line for each symbol:
/// `1 dependency @f provider=lib.loom module=lib cause=0 flags=internalized`.
void printPlan(llvm::raw_ostream &os, const LinkPlan &plan);

/// A line for each symbol of each input:
/// `library @f provider=lib.loom module=lib identity=global flags=public`.
void listSymbols(llvm::raw_ostream &os, llvm::ArrayRef<LinkInput> inputs);

/// What the inputs of a merge depend on, as one line of JSON (`loom.dependency_report`).
std::string dependencyReport(const LinkPlan &plan, llvm::StringRef component);

} // namespace loom

#endif // LOOM_LINK_PLAN_H
