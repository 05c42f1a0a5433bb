//===- Passes.h - Passes over Loom IR ---------------------------*- C++ -*-===//
#ifndef LOOM_TRANSFORMS_PASSES_H
#define LOOM_TRANSFORMS_PASSES_H

#include "loom/IR/Loom.h"
#include "mlir/Pass/Pass.h"

namespace loom {

#define GEN_PASS_DECL
#include "loom/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "loom/Transforms/Passes.h.inc"

} // namespace loom

#endif // LOOM_TRANSFORMS_PASSES_H
