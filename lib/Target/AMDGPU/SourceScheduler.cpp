//===- SourceScheduler.cpp - A scheduler that keeps source order ----------===//
#include "SourceScheduler.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/RegisterPressure.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <map>

using namespace llvm;

namespace loom::amdgpu {
namespace {

class SourceOrder final : public MachineSchedStrategy {
public:
  bool shouldTrackPressure() const override { return true; }

  void initialize(ScheduleDAGMI *scheduler) override {
    dag = static_cast<ScheduleDAGMILive *>(scheduler);
    ready.clear();
    if (limits.empty())
      readLimits();
  }

  SUnit *pickNode(bool &isTopNode) override {
    isTopNode = true;
    if (ready.empty())
      return nullptr;
    auto chosen = ready.begin();
    if (excess(*chosen->second) > 0) {
      auto relief = llvm::find_if(ready, [&](auto &entry) { return excess(*entry.second) <= 0; });
      if (relief != ready.end())
        chosen = relief;
    }
    SUnit *node = chosen->second;
    ready.erase(chosen);
    return node;
  }

  void schedNode(SUnit *, bool) override {}
  void releaseTopNode(SUnit *node) override { ready.emplace(node->NodeNum, node); }
  void releaseBottomNode(SUnit *) override {}

private:
  /// The registers that this function may use at all, by pressure set. LLVM's own limits are those
  /// of the best occupancy; trading order for occupancy is the author's decision, not ours.
  void readLimits() {
    const TargetRegisterInfo &registers = *dag->MF.getSubtarget().getRegisterInfo();
    for (unsigned set = 0; set < registers.getNumRegPressureSets(); ++set) {
      unsigned limit = registers.getRegPressureSetLimit(dag->MF, set);
      for (const TargetRegisterClass *candidate : registers.regclasses())
        if (StringRef(registers.getRegClassName(candidate)) == registers.getRegPressureSetName(set))
          limit = registers.getAllocatableSet(dag->MF, candidate).count();
      limits.push_back(limit);
    }
  }

  /// By how many registers issuing `node` now overfills a register file further. Not positive when
  /// nothing overflows.
  int excess(SUnit &node) const {
    if (!dag->isTrackingPressure())
      return 0;
    // No instruction has more results than this.
    constexpr unsigned widest = 32;
    // The tracker simulates the instruction and returns to where it was.
    auto &tracker = const_cast<RegPressureTracker &>(dag->getTopRPTracker());
    std::vector<unsigned> now = tracker.getRegSetPressureAtPos();
    bool nearLimit = false;
    for (unsigned set = 0; set < limits.size(); ++set)
      nearLimit |= now[set] + widest > limits[set];
    if (!nearLimit)
      return 0;
    std::vector<unsigned> after = now, highest = now;
    tracker.getDownwardPressure(node.getInstr(), after, highest);
    int worst = 0;
    for (unsigned set = 0; set < limits.size(); ++set)
      if (after[set] > limits[set] && after[set] > now[set])
        worst = std::max(worst, int(after[set] - now[set]));
    return worst;
  }

  ScheduleDAGMILive *dag = nullptr;
  std::map<unsigned, SUnit *> ready; ///< by source position
  std::vector<unsigned> limits;
};

} // namespace

ScheduleDAGInstrs *createSourceScheduler(MachineSchedContext *context) {
  return new ScheduleDAGMILive(context, std::make_unique<SourceOrder>());
}

void registerSourceScheduler() {
  static MachineSchedRegistry entry(sourceSchedulerName, "Keep the order of the source program",
                                    createSourceScheduler);
}

} // namespace loom::amdgpu
