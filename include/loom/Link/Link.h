//===- Link.h - Several inputs become one module ----------------*- C++ -*-===//
//
// Each input stands alone: what it calls it defines or declares. Linking satisfies declarations by
// the definitions of other inputs. Two definitions of one symbol are an error, whatever the order
// of the inputs.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LINK_LINK_H
#define LOOM_LINK_LINK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace loom {

/// One input; the module is borrowed and not changed.
struct LinkInput {
  std::string name;
  mlir::ModuleOp module;
};

enum class LinkMode {
  Merge, ///< every symbol of every input
  Link,  ///< what the roots need
};

struct LinkOptions {
  LinkMode mode = LinkMode::Merge;
  /// Symbols to keep, with or without `@`; needed for Link and refused for Merge.
  std::vector<std::string> roots;
  /// Keep declarations of functions and kernels that no input defines, for a later link.
  bool allowUnresolved = false;
};

/// Links `inputs` into a new module of `context`, which all inputs belong to.
///
/// Symbols keep the order of the inputs and their order inside of them. A declaration
/// (`func.decl`, `kernel.decl`, `config.decl`) vanishes when some input defines the symbol, else
/// its first occurrence stays; families (`template.decl`) and target records that agree become one.
///
/// Reports, each with a note at the other place, and fails after all inputs were seen: two
/// definitions of a symbol [SYMBOL/005], a declaration that does not agree with the definition or
/// with another declaration [LINK/002], a declaration of a function or kernel that nothing defines
/// [LINK/001], and whatever does not verify in an input by itself or in the result.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> linkModules(mlir::MLIRContext *context,
                                                               llvm::ArrayRef<LinkInput> inputs,
                                                               const LinkOptions &options = {});

} // namespace loom

#endif // LOOM_LINK_LINK_H
