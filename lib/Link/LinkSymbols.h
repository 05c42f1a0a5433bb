//===- LinkSymbols.h - Whether two symbols can be one -----------*- C++ -*-===//
#ifndef LOOM_LIB_LINK_LINKSYMBOLS_H
#define LOOM_LIB_LINK_LINKSYMBOLS_H

#include "loom/IR/Loom.h"

namespace loom {

/// Whether `op` only says that a symbol exists elsewhere: `func.decl`, `kernel.decl`,
/// `config.decl`.
bool isDeclaration(mlir::Operation *op);

/// Whether equal copies of `op` in several inputs are one symbol: families and target records.
bool isShareable(mlir::Operation *op);

/// Whether `op` defines what `declaration` declares: the kinds belong together.
bool isOfDeclaredKind(mlir::Operation *declaration, mlir::Operation *op);

/// Checks that `declaration` fits `other`, a definition or another declaration of the same symbol:
/// the same parameters, workload and results, and whatever else the declaration states. Reports at
/// the declaration with a note at the other place.
mlir::LogicalResult checkAgreement(mlir::Operation *declaration, mlir::Operation *other);

} // namespace loom

#endif // LOOM_LIB_LINK_LINKSYMBOLS_H
