//===- LowerLoops.h - Counters of loops -------------------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERLOOPS_H
#define LOOM_LIB_TARGET_COMMON_LOWERLOOPS_H

#include "LowerKernel.h"

namespace loom::lowering {

/// How the counter of a loop runs.
struct KernelLowering::Counter {
  mlir::Value lower, upper,
      step;                  ///< with elements of one type; in the lane form where lanes differ
  Interval interval;         ///< of the counter inside the loop
  IntPredicate less;         ///< of the counter's order
  bool reachesUpper = false; ///< counter + step never leaves the type
  NoWrap noWrap;             ///< of counter + step, then
  bool runs = false;         ///< the loop has at least one iteration
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERLOOPS_H
