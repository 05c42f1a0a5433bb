//===- LaunchConfig.h - Evaluating the geometry of a launch -----*- C++ -*-===//
//
// The first region of a kernel computes on the host, from the workload, how many workgroups of
// which size are launched. It is evaluated here as reference functions are, but for functions of
// numbers whose results do not follow from IEEE 754 alone.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_LAUNCHCONFIG_H
#define LOOM_CHECK_LAUNCHCONFIG_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Runtime/Device.h"

namespace loom::check {

/// The geometry, or why there is none. Kinds of issues, all of stage "launch_config":
///  - `unsupported_op`: an operation that is not computed on the host
///  - `not_computable`: an operation that has no result for these values (overflow, division by
///    zero)
///  - `violated_assumption`: the workload contradicts an `index.assume`
///  - `no_end`: a loop that does not come to its end
///  - `invalid_geometry`: an extent that is not positive, exceeds the limits, or is not a multiple
///    of the clusters
struct LaunchEvaluation {
  runtime::LaunchGeometry geometry;
  std::optional<runtime::Issue> issue;
};

/// `workload` has one value for each workload parameter. `config.get` reads the value that the
/// module of `kernel` defines. `limits` are those of the device; the target record that the kernel
/// names may lower them.
LaunchEvaluation evaluateLaunchConfig(KernelDefOp kernel, llvm::ArrayRef<runtime::Scalar> workload,
                                      const LaunchLimits &limits);

/// Checks launch arguments against the literal bounds in the `where` clause of a kernel: an issue
/// of kind `violated_where`, or nothing. Tensors count as unknown.
std::optional<runtime::Issue> checkWhereClause(KernelDefOp kernel,
                                               llvm::ArrayRef<runtime::Argument> arguments);

} // namespace loom::check

#endif // LOOM_CHECK_LAUNCHCONFIG_H
