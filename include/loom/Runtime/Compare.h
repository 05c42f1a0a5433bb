//===- Compare.h - Expectations on values -----------------------*- C++ -*-===//
#ifndef LOOM_RUNTIME_COMPARE_H
#define LOOM_RUNTIME_COMPARE_H

#include "loom/Runtime/Tensor.h"

namespace loom::runtime {

/// What makes an actual element agree with the expected one.
struct Agreement {
  enum class Kind {
    Numeric, ///< equal numbers: -0 equals +0, NaN equals nothing
    Bitwise, ///< equal bits
    Close,   ///< |actual - expected| <= absolute + relative * |expected|, in f64
    Ulp,     ///< at most maxUlp representable numbers apart; -0 and +0 are one number
  };
  Kind kind = Kind::Numeric;
  double absolute = 0, relative = 0; ///< of Close
  uint64_t maxUlp = 0;               ///< of Ulp
  /// Of Close and Ulp: whether two NaN agree. A NaN agrees with nothing else.
  bool nansAgree = false;
};

/// Where two values differ.
struct Mismatch {
  uint64_t count = 0; ///< elements that differ
  uint64_t total = 1; ///< elements that were compared
  uint64_t flat = 0;  ///< the first one that differs
  Scalar actual, expected;
};

/// Nothing when the values agree. Types and shapes of both are the same; Close and Ulp are of float
/// types.
std::optional<Mismatch> compare(const Tensor &actual, const Tensor &expected,
                                const Agreement &agreement);
std::optional<Mismatch> compare(const Scalar &actual, const Scalar &expected,
                                const Agreement &agreement);

/// How many representable numbers of their float type lie from `a` to `b`; nothing when one of them
/// is NaN.
std::optional<uint64_t> ulpDistance(const Scalar &a, const Scalar &b);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_COMPARE_H
