//===- Generate.h - Contents of tensors -------------------------*- C++ -*-===//
//
// What the generators of `check` put into a tensor. Integer elements are exact: one outside the
// range of its type is an error, never wrapped. Float elements are computed in f64, operation by
// operation, and then rounded to the element type.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_GENERATE_H
#define LOOM_RUNTIME_GENERATE_H

#include "loom/Runtime/Tensor.h"

namespace loom::runtime {

/// A literal of a check: an integer for integer elements, a double for floats.
struct Number {
  int64_t integer = 0;
  double real = 0;
};

/// origin + i * step with two roundings. Whoever includes this is compiled with -ffp-contract=off
/// where the processor has a fused multiply-add.
inline double linearPoint(double origin, double step, double i) {
  double distance = i * step;
  return origin + distance;
}

/// Element i is offset + (i mod period) * step. No period means no wrap.
struct Iota {
  Number offset, step;
  std::optional<int64_t> period; ///< positive
};
/// Whether every element of the first `count` fits `type`; the error names the first that does not.
llvm::Error checkIota(ElementType type, const Iota &iota, uint64_t count);
llvm::Error generateIota(Tensor &tensor, const Iota &iota);

/// Every element is `value`, which has the element type.
void generateFill(Tensor &tensor, const Scalar &value);

/// One draw of Xoroshiro128(seed) for each element in flat order. Integers: low + draw modulo
/// (high - low + 1). Floats: low + u * (high - low) with u in [0, 1).
struct Uniform {
  Number low, high;
};
llvm::Error checkUniform(ElementType type, const Uniform &range);
llvm::Error generateUniform(Tensor &tensor, const Uniform &range, uint64_t seed);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_GENERATE_H
