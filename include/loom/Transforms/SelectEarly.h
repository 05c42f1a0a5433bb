//===- SelectEarly.h - Which implementations a program needs ----*- C++ -*-===//
#ifndef LOOM_TRANSFORMS_SELECTEARLY_H
#define LOOM_TRANSFORMS_SELECTEARLY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace loom {

struct TargetProfile;

/// The implementations of template families that kernels, visible functions and tests of `module`
/// choose on `target`, and those that they may choose yet when more facts are known. What
/// configuration values say counts. Specializes `module` on the way: it is of no use afterwards.
/// Fails, without a message, when something stands in the way, such as a call of what nothing
/// defines yet.
mlir::FailureOr<llvm::StringSet<>> findNeededImplementations(mlir::ModuleOp module,
                                                             const TargetProfile &target);

} // namespace loom

#endif // LOOM_TRANSFORMS_SELECTEARLY_H
