//===- LoopPrograms.h - Kernels that the loop policy tests run --*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TRANSFORMS_LOOPPROGRAMS_H
#define LOOM_TEST_UNIT_TRANSFORMS_LOOPPROGRAMS_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace loom::test {

/// What the loop does with each row of 32 elements, or of 32 vectors of four.
enum class Body {
  Scalar,    ///< adds one element
  Vector,    ///< adds four elements in order
  Weighted,  ///< halves and a bit, then adds one element: every change of order shows
  TwoReads,  ///< adds the product of two elements
  Indexed,   ///< scales by the row number
  Guarded,   ///< reads under a condition, adds zero otherwise
  Chained,   ///< carries the read value itself to the next iteration
  Nested,    ///< sums a row range in an inner loop with a pipeline of its own
  Collective ///< reduces each element over the subgroup
};

enum class Bounds {
  Count,  ///< [0, %count), %count in 0..64
  Free,   ///< [%first, %last), nothing known
  Exact,  ///< [first, last) as literals
  Offset, ///< [0, %count) of type offset, nothing known
};

struct LoopProgram {
  Body body = Body::Scalar;
  Bounds bounds = Bounds::Count;
  int64_t depth = 1, step = 1;
  /// Nothing means `unroll` without a factor.
  std::optional<int64_t> factor = 0;
  std::string schedule = "linear";
  int64_t first = 0, last = 0; ///< for Bounds::Exact
  int64_t lane = 5;

  std::string text() const;
  std::string describe() const;
};

/// Reads `text` and runs `passes` on it. Null after an error, which is on standard error.
mlir::OwningOpRef<mlir::ModuleOp> build(mlir::MLIRContext &context, const std::string &text,
                                        const std::string &passes = "");
inline constexpr const char *kLoopPasses = "linearize-addresses,read-ahead,unroll";

KernelDefOp onlyKernel(mlir::ModuleOp module);

/// Floats of both signs over five binary orders of magnitude; the order of a sum shows in its bits.
std::vector<float> randomFloats(size_t count, unsigned seed);

/// What one run does that can be seen from outside.
struct Outcome {
  std::string error;
  float result = 0;
  std::vector<std::pair<int64_t, int64_t>> reads;
};
/// Runs the kernel on the range [first, last) of rows that begins at row 0 of the input. The input
/// ends with the last row that the loop may read.
Outcome runLoop(KernelDefOp kernel, const LoopProgram &program, int64_t first, int64_t last);

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TRANSFORMS_LOOPPROGRAMS_H
