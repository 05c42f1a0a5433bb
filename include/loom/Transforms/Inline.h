//===- Inline.h - Replacing a call by the body it calls ---------*- C++ -*-===//
#ifndef LOOM_TRANSFORMS_INLINE_H
#define LOOM_TRANSFORMS_INLINE_H

#include "loom/IR/Loom.h"

namespace loom {

/// Replaces `call` by a copy of `body`, which has one block that ends in a return. Parameters
/// become the operands of the call, extents that its header names what the call passes for them,
/// its results the returned values. The copies stand where the
/// call stood, in their order; each is located at `CallSite(its own place, the call's place)`, so
/// that names, comments and messages still find the author's text. `visit`, if given, sees every
/// copied operation beside its original.
void inlineBody(
    mlir::Operation *call, mlir::Region &body,
    llvm::function_ref<void(mlir::Operation *original, mlir::Operation *copy)> visit = nullptr);

} // namespace loom

#endif // LOOM_TRANSFORMS_INLINE_H
