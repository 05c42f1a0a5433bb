//===- Compare.h - Expectations on values -----------------------*- C++ -*-===//
#ifndef LOOM_RUNTIME_COMPARE_H
#define LOOM_RUNTIME_COMPARE_H

#include "loom/Runtime/Tensor.h"

namespace loom::runtime {

enum class Equality {
  /// Equal numbers: -0 equals +0, NaN equals nothing.
  Numeric,
  /// Equal bits.
  Bitwise,
};

/// Where two values differ.
struct Mismatch {
  uint64_t count = 0; ///< elements that differ
  uint64_t total = 1; ///< elements that were compared
  uint64_t flat = 0;  ///< the first one that differs
  Scalar actual, expected;
};

/// Nothing when the values agree. Types and shapes of both are the same.
std::optional<Mismatch> compare(const Tensor &actual, const Tensor &expected, Equality equality);
std::optional<Mismatch> compare(const Scalar &actual, const Scalar &expected, Equality equality);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_COMPARE_H
