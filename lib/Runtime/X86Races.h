//===- X86Races.h - Races of a launch ---------------------------*- C++ -*-===//
//
// Each thread that runs workgroups of the launch has a RaceShadow for the one at hand. What is
// found does not depend on how workgroups are shared between threads.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_X86RACES_H
#define LOOM_LIB_RUNTIME_X86RACES_H

#include "RaceGroups.h"
#include "RaceShadow.h"
#include "X86Monitor.h"

namespace loom::runtime {

/// Two sites whose accesses race in a launch: inside of a workgroup, the first one in which they
/// do, or only between two.
struct LaunchRace {
  Race race;
  int64_t workgroup = 0, priorWorkgroup = 0;
  unsigned order = 0;      ///< in which the workgroup's races were found
  uint64_t workgroups = 1; ///< in how many they race
};

class LaunchRaces {
public:
  /// `sites` outlive this. A workgroup has `items` work-items. Workgroups are only compared with
  /// each other when `betweenGroups` says so, which keeps something for each access of the launch.
  LaunchRaces(llvm::ArrayRef<SanitizerSite> sites, int64_t items, int64_t subgroupSize,
              bool betweenGroups);
  ~LaunchRaces();

  // What a Monitor hears, on the thread that runs the workgroup.
  void begin(int64_t workgroup);
  /// True when the workgroup has two more sites that race.
  bool access(uint32_t site, int64_t firstItem, uint64_t lanes, const uint64_t *addresses,
              const int64_t *bytes);
  void sync(uint32_t site, int64_t firstItem, uint64_t lanes);

  /// When the launch is over: one for each two sites, by workgroup and then in the order in which
  /// they were found.
  std::vector<LaunchRace> finish();

private:
  struct Thread;
  static thread_local Thread *current;

  llvm::ArrayRef<SanitizerSite> sites;
  std::vector<RaceSite> kinds; ///< one per site
  /// For each site the first one that is the same access of the source: passes make copies.
  std::vector<uint32_t> original;
  uint32_t items, subgroupSize;
  bool betweenGroups;
  std::mutex mutex;
  std::vector<std::unique_ptr<Thread>> threads;
};

/// A monitor that listens to accesses as well.
class RaceMonitor final : public KernelMonitor {
public:
  RaceMonitor(llvm::ArrayRef<SanitizerSite> sites, const Launch &launch, bool traps,
              int64_t subgroupSize);

  /// As KernelMonitor::takeEvents, with one event for each two sites that race.
  EventLog takeEvents() override;

private:
  static RaceMonitor &of(const Monitor *monitor);
  OrderedEvent makeEvent(const LaunchRace &race) const;

  llvm::ArrayRef<SanitizerSite> sites;
  const Launch &launch;
  int64_t mostBytes; ///< of a range that may be there
  LaunchRaces races;
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86RACES_H
