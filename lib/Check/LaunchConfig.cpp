//===- LaunchConfig.cpp - Evaluating the geometry of a launch -------------===//
#include "loom/Check/LaunchConfig.h"
#include "HostCode.h"
#include "loom/Check/Plan.h"

namespace loom::check {
using namespace mlir;

using runtime::Issue;
using runtime::Scalar;

static Issue makeIssue(StringRef kind, Location location, const Twine &message) {
  Issue issue;
  issue.stage = "launch_config";
  issue.kind = kind.str();
  issue.message = withPlace(location, message);
  return issue;
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

LaunchEvaluation evaluateLaunchConfig(KernelDefOp kernel, ArrayRef<Scalar> workload,
                                      const runtime::LaunchLimits &limits) {
  LaunchEvaluation evaluation;
  HostCode::Options options;
  options.refusal = "is not computed in a launch configuration";
  options.exactOnly = true;
  HostCode code(options);
  Block &block = kernel.getConfig().front();
  SmallVector<uint64_t> arguments, extents;
  for (const Scalar &value : workload)
    arguments.push_back(value.bits());
  if (std::optional<HostProblem> problem = code.run(block, arguments, extents)) {
    evaluation.issue = makeIssue(problem->kind, problem->location, problem->message);
    return evaluation;
  }

  auto config = cast<KernelLaunchConfigOp>(block.getTerminator());
  for (unsigned i = 0; i < 3; ++i) {
    evaluation.geometry.workgroups[i] = static_cast<int64_t>(extents[i]);
    evaluation.geometry.workgroupSize[i] = static_cast<int64_t>(extents[3 + i]);
  }
  for (uint64_t extent : ArrayRef(extents).slice(6, config.getClusterSize().size()))
    if (extent != 1)
      evaluation.issue = makeIssue("unsupported_cluster", config->getLoc(),
                                   "clusters of workgroups cannot be launched on this device");
  if (config.getDynamicWorkgroupStorage())
    evaluation.geometry.storageBytes = static_cast<int64_t>(extents.back());
  if (auto violation = runtime::violatedLimit(evaluation.geometry, limits))
    evaluation.issue = makeIssue("invalid_geometry", config->getLoc(), *violation);
  return evaluation;
}

std::optional<Issue> checkWhereClause(KernelDefOp kernel, ArrayRef<runtime::Argument> arguments) {
  if (!kernel.getWhereAttr())
    return std::nullopt;
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    auto *scalar = std::get_if<Scalar>(&argument);
    if (!scalar || runtime::isFloat(scalar->type()))
      continue;
    std::string name = authorName(kernel.getBody().getArgument(position));
    if (auto violation = violatedBounds(kernel.getWhereAttr(), position, scalar->toInteger(), name))
      return makeIssue("violated_where", kernel.getLoc(), *violation);
  }
  return std::nullopt;
}

} // namespace loom::check
