//===- Fold.h - Folding that keeps the program in order ---------*- C++ -*-===//
//
// The order of operations is the schedule that the author wrote, so folding may neither move nor
// share operations: a constant appears where the operation stood that it replaces. That is why the
// folders of the dialects are driven from here and not by MLIR's canonicalizer.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TRANSFORMS_FOLD_H
#define LOOM_TRANSFORMS_FOLD_H

#include "loom/IR/Loom.h"

namespace loom {

/// A constant of `type` (index, offset, scalar or vector) at the place of `builder`, or null when
/// `value` does not suit the type.
mlir::Value materializeConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Attribute value,
                                mlir::Type type);

/// The location of an operation that replaces result `result` of `op`: it keeps the author's name.
mlir::Location replacementLoc(mlir::OpResult result);

/// Folds everything below `root`, an operation that is isolated from above, until nothing changes:
/// folders, canonicalization patterns, and removal of operations without uses and effects. Returns
/// whether anything changed.
bool foldToFixpoint(mlir::Operation *root);

} // namespace loom

#endif // LOOM_TRANSFORMS_FOLD_H
