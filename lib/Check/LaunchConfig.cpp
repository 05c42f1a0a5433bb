//===- LaunchConfig.cpp - Evaluating the geometry of a launch -------------===//
#include "loom/Check/LaunchConfig.h"
#include "HostCode.h"
#include "StatedFacts.h"
#include "loom/Check/Plan.h"
#include "loom/Dialect/Target/TargetRecord.h"

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
                                      const LaunchLimits &limits) {
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
  if (config.getClusterSize().size() == 3) {
    evaluation.geometry.clusterSize.emplace();
    llvm::copy(ArrayRef(extents).slice(6, 3), evaluation.geometry.clusterSize->begin());
  }
  if (config.getDynamicWorkgroupStorage())
    evaluation.geometry.storageBytes = static_cast<int64_t>(extents.back());
  LaunchLimits lowered = limits;
  lowerByOverrides(lowered, lookupRecord(kernel, kernel.getTargetAttr()));
  if (auto violation = runtime::violatedLimit(evaluation.geometry, lowered))
    evaluation.issue = makeIssue("invalid_geometry", config->getLoc(), *violation);
  return evaluation;
}

std::optional<Issue> checkWhereClause(KernelDefOp kernel, ArrayRef<runtime::Argument> arguments) {
  if (!kernel.getWhereAttr())
    return std::nullopt;
  SmallVector<std::optional<Scalar>, 8> values;
  for (const runtime::Argument &argument : arguments) {
    auto *scalar = std::get_if<Scalar>(&argument);
    values.push_back(scalar ? std::optional(*scalar) : std::nullopt);
  }
  Block &body = kernel.getBody().front();
  auto nameOf = [&](unsigned position) { return authorName(body.getArgument(position)); };
  if (auto violation = violatedFact(kernel.getWhereAttr(), values, nameOf))
    return makeIssue("violated_where", kernel.getLoc(), *violation);
  return std::nullopt;
}

} // namespace loom::check
