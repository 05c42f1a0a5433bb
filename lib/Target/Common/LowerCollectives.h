//===- LowerCollectives.h - What work-items do together ---------*- C++ -*-===//
//
// The order in which a collective combines is the same on all targets. Over the lanes of a
// subgroup it is the adjacent pairwise tree: lanes that differ in bit 0, then in bit 1, and so on,
// the lower lane on the left; inactive lanes contribute the identity of the operation. A scan
// combines over distances 1, 2, 4, …, earlier lanes on the left. Over a workgroup the results of
// its subgroups are combined one after another in ascending order, beginning with the identity.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERCOLLECTIVES_H
#define LOOM_LIB_TARGET_COMMON_LOWERCOLLECTIVES_H

#include "LowerKernel.h"

namespace loom::lowering {

/// Whether a collective of subgroups or workgroups is lowered for `target`, or a barrier.
bool isCollectiveSupported(mlir::Operation *op, const LoweringTarget &target);
/// The same for atomic accesses, fences and accesses by bytes.
bool isAtomicSupported(mlir::Operation *op, const LoweringTarget &target);

/// What changes no value that it is combined with: for sums of floats -0.0, for minnumf and maxnumf
/// a NaN. A scalar attribute of `element`, for index of i64.
mlir::TypedAttr identityOf(CombiningKind kind, mlir::Type element);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERCOLLECTIVES_H
