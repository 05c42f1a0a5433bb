//===- Link.h - Several inputs become one module ----------------*- C++ -*-===//
//
// Each input stands alone: what it calls it defines or declares. Linking satisfies declarations by
// definitions of other inputs that are visible to them. Two definitions that could satisfy one
// declaration are an error, whatever the order of the inputs. What each symbol is to a link is said
// by loom/Dialect/Module/SymbolKinds.h.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LINK_LINK_H
#define LOOM_LINK_LINK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace loom {

struct TargetProfile;

/// What an input is for.
enum class LinkRole {
  Input,             ///< its symbols are what is linked
  Library,           ///< satisfies needs; a direct dependency of the inputs
  RootLibrary,       ///< the same, and its exports are roots
  TransitiveLibrary, ///< satisfies needs; the inputs may not depend on it directly
};

/// One input; the module is borrowed and not changed.
struct LinkInput {
  std::string name; ///< for messages, and the key that `module.import` names
  mlir::ModuleOp module;
  LinkRole role = LinkRole::Input;
};

enum class LinkMode {
  Merge, ///< every symbol of every input; libraries only say what exists elsewhere
  Link,  ///< what the roots need, also from libraries
};

struct LinkOptions {
  LinkMode mode = LinkMode::Merge;
  /// Symbols to keep, with or without `@`, of the inputs or exported by a library; for Link only.
  std::vector<std::string> roots;
  /// More roots, for Link only: what the inputs export, that is kernels and what is `public`, or
  /// their tests, or all that they have.
  bool inputExports = false, inputTests = false, keepInputs = false;
  /// Leave out tests and benchmarks, and private symbols of inputs that only tests use.
  bool stripCheck = false;
  /// Keep declarations that nothing satisfies, for a later link.
  bool allowUnresolved = false;
  /// What the inputs declare has to be defined by an input or exported by a direct library; for
  /// Merge only.
  bool strictDependencies = false;
  /// Leave out implementations of template families that this profile rules out.
  const TargetProfile *target = nullptr;
  /// Implementations to leave out besides, see planForTarget.
  const llvm::DenseSet<mlir::Operation *> *unneeded = nullptr;
  /// False when the caller verified every input by itself.
  bool verifyInputs = true;
};

/// Links `inputs` into a new module of `context`, which all of them belong to: plans
/// (loom/Link/Plan.h), materializes the plan and verifies the result. Fails after reporting.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> linkModules(mlir::MLIRContext *context,
                                                               llvm::ArrayRef<LinkInput> inputs,
                                                               const LinkOptions &options = {});

/// Reads the program at `path` and, when there are `libraries`, links what it needs from them;
/// every symbol of the program stays. `load` reads and verifies one file and returns null after
/// reporting; so does this function. Libraries cannot be standard input.
mlir::OwningOpRef<mlir::ModuleOp>
loadProgram(mlir::MLIRContext *context, const std::string &path,
            llvm::ArrayRef<std::string> libraries,
            llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(llvm::StringRef)> load,
            llvm::function_ref<void(const llvm::Twine &)> error);

} // namespace loom

#endif // LOOM_LINK_LINK_H
