//===- StaticExtents.h - Extents that became numbers ------------*- C++ -*-===//
#ifndef LOOM_LIB_TRANSFORMS_STATICEXTENTS_H
#define LOOM_LIB_TRANSFORMS_STATICEXTENTS_H

#include "loom/IR/Loom.h"

namespace loom {

/// Calls `visit` with every result below `unit` and every argument of a region, in program order,
/// and with the operation that has it.
void forEachValue(mlir::Operation *unit,
                  llvm::function_ref<void(mlir::Operation *owner, mlir::Value value)> visit);

/// The lists of values that `op`, an operation of `scf`, passes on, the results first: what stands
/// at one position of them has one type. Empty for other operations.
llvm::SmallVector<mlir::ValueRange> getPassedLists(mlir::Operation *op);

/// Whether a value below `unit` has an extent that is a value.
bool hasDynamicExtents(mlir::Operation *unit);

/// Makes the extents below `unit`, a definition with a body, static that facts know at every place.
/// Types that have to be equal change together or not at all: where a loop or a conditional passes
/// a vector on whose extent is known on one way in only, the extent stays a value on all of them,
/// and in whatever is computed from it. What the operations owned of the extents goes away. Values
/// that a call or another reference to a symbol takes keep their types; so do parameters and
/// results of `unit` itself unless `changesHeader`. Returns whether any type changed.
bool makeExtentsStatic(mlir::Operation *unit, bool changesHeader);

/// Reports the vectors below `kernel` with extents that are still values: of all that depend on one
/// unknown value the first, with a note at that value which says why it is not known.
mlir::LogicalResult refuseDynamicVectors(mlir::Operation *kernel);

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_STATICEXTENTS_H
