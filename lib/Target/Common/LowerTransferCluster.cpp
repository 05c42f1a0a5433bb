//===- LowerTransferCluster.cpp - Gathers that a whole cluster shares -----===//
//
// The workgroups of a cluster take part in one gather together: each of them has to come to it,
// with the same addresses, and the mask has to say so. How a value may differ between workgroups is
// asked of the analysis of work-items, to which what belongs to one workgroup is added.
//
//===----------------------------------------------------------------------===//
#include "LowerTransfers.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Dialects.h"
#include "loom/Dialect/Kernel/Spread.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// `using` has one bit for each workgroup.
constexpr int64_t kMaxParticipants = 32;

/// Workgroup-uniform of these spreads is the same for all workgroups of a cluster.
class ClusterSpreads final : public Spreads {
public:
  explicit ClusterSpreads(KernelDefOp kernel) : Spreads(kernel, SpreadOptions()) { run(); }

protected:
  Spread transfer(OpResult result) const override {
    Operation *op = result.getOwner();
    StringRef name = getTextName(op);
    // Every workgroup has its own memory at the same address.
    if (isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op))
      return Spread();
    bool isOfWorkgroup =
        name == "kernel.workgroup.id" || name == "kernel.cluster.workgroup.id" ||
        name == "kernel.cluster.workgroup.flat_id" || name.starts_with("kernel.workgroup.reduce") ||
        name.starts_with("kernel.workgroup.vote") || hasEffect<MemoryEffects::Read>(op);
    return isOfWorkgroup ? Spread::lane(op) : Spreads::transfer(result);
  }
};

} // namespace

/// The workgroups of a cluster, where the launch configuration makes them a number.
static std::optional<int64_t> countParticipants(KernelDefOp kernel, const Facts &facts) {
  int64_t count = 1;
  if (auto config = dyn_cast<KernelLaunchConfigOp>(kernel.getConfig().front().getTerminator()))
    for (Value extent : config.getClusterSize()) {
      std::optional<int64_t> number = facts.exact(extent);
      if (!number || *number <= 0 || llvm::MulOverflow(count, *number, count))
        return std::nullopt;
    }
  return count;
}

static std::string binary(int64_t mask) { return "0x" + llvm::utohexstr(uint32_t(mask), true); }

static std::optional<std::string> findMaskProblem(Value ranks, KernelDefOp kernel,
                                                  const Facts &facts) {
  std::optional<int64_t> count = countParticipants(kernel, facts);
  if (!count)
    return "a cluster gather needs cluster_size(...) to be numbers, so that it is known who takes "
           "part";
  if (*count > kMaxParticipants)
    return "a cluster has " + std::to_string(*count) + " workgroups, more than the " +
           std::to_string(kMaxParticipants) + " that a cluster gather can name";
  uint32_t all = *count == kMaxParticipants ? ~0u : (1u << *count) - 1;
  std::optional<int64_t> mask = facts.exact(ranks);
  if (!mask)
    return "the participants of a cluster gather are a number, and here it has to be " +
           binary(all) + ": all " + counted(*count, "workgroup") + " of the cluster";
  if (static_cast<uint32_t>(*mask) != all)
    return "the participants of this cluster gather are " + binary(*mask) +
           ", but the cluster has " + counted(*count, "workgroup") + ", and " + binary(all) +
           " names all of them";
  return std::nullopt;
}

std::optional<std::string> findClusterProblem(Operation *op, KernelDefOp kernel,
                                              const Facts &facts) {
  if (!isa<KernelAsyncClusterGatherOp, KernelAsyncClusterGatherMaskOp>(op))
    return std::nullopt;
  if (auto problem = findMaskProblem(op->getOperand(2), kernel, facts))
    return problem;
  if (auto masked = dyn_cast<KernelAsyncClusterGatherMaskOp>(op))
    if (!facts.exact(masked.getMask()))
      return "the condition of a cluster gather is a constant: the whole cluster takes part or "
             "nobody";
  ClusterSpreads spreads(kernel);
  for (const Control &control : spreads.controlsOf(op))
    if (!control.value || !spreads.of(control.value).isWorkgroup())
      return "the workgroups of a cluster come to this gather under control that may differ "
             "between "
             "them";
  for (auto [end, what] :
       {std::pair(op->getOperand(0), "source"), std::pair(op->getOperand(1), "destination")})
    if (!spreads.of(end).isWorkgroup())
      return std::string("the address of the ") + what +
             " of a cluster gather is the same for all workgroups of the cluster, but this one may "
             "differ";
  return std::nullopt;
}

} // namespace loom::lowering
