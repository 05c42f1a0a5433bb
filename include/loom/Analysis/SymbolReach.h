//===- SymbolReach.h - Which symbols a root needs ---------------*- C++ -*-===//
//
// A symbol needs every symbol that its attributes or its body name. A template family also needs
// its implementations: which of them is used is decided when the program is specialized.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_ANALYSIS_SYMBOLREACH_H
#define LOOM_ANALYSIS_SYMBOLREACH_H

#include "loom/IR/Loom.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace loom {

/// The symbol that an operation defines; empty for others.
llvm::StringRef getSymbol(mlir::Operation *op);

/// The symbols of `names`, each spelled with or without `@`; every kernel defined in the module
/// when there are no names. Symbols marked `retain` follow. Reports each name that the module does
/// not define, with near matches, and then fails.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
resolveRoots(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);

/// The roots and all symbols that they need, in order of discovery. Names that the module does not
/// define are passed over. `enter`, if given, may change the body of a symbol before it is asked
/// what it needs; when it returns false, the symbol is not asked.
llvm::SetVector<mlir::Operation *>
reachableSymbols(mlir::ModuleOp module, llvm::ArrayRef<mlir::Operation *> roots,
                 llvm::function_ref<bool(mlir::Operation *)> enter = nullptr);

/// Calls `visit` for every symbol that `op` or an operation below it names, in program order.
void forEachReference(mlir::Operation *op, llvm::function_ref<void(mlir::FlatSymbolRefAttr)> visit);

/// Erases the symbols of the module that `keep` does not contain, and benchmarks of erased cases.
void eraseOthers(mlir::ModuleOp module, const llvm::SetVector<mlir::Operation *> &keep);

} // namespace loom

#endif // LOOM_ANALYSIS_SYMBOLREACH_H
