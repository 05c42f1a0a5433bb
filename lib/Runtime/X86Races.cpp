//===- X86Races.cpp - Races of a launch -----------------------------------===//
#include "X86Races.h"
#include "X86Faults.h"
#include "X86Stack.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/bit.h"

namespace loom::runtime {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

static RaceSite::Action actionOf(const SanitizerSite &site) {
  if (site.check == SiteCheck::RaceAccess)
    return RaceSite::Action::Access;
  if (site.operation == "kernel.barrier.arrive")
    return RaceSite::Action::Arrive;
  if (site.operation == "kernel.barrier.wait")
    return RaceSite::Action::Wait;
  if (site.operation == "buffer.fence")
    return RaceSite::Action::Fence;
  return RaceSite::Action::Barrier;
}

static RaceSite kindOf(const SanitizerSite &site) {
  RaceSite kind;
  kind.action = actionOf(site);
  kind.memory = site.space == MemorySpace::workgroup ? RaceSite::Memory::Workgroup
                : site.space == MemorySpace::global  ? RaceSite::Memory::Global
                                                     : RaceSite::Memory::Either;
  kind.scope = site.scope == SyncScope::thread      ? RaceSite::Scope::Thread
               : site.scope == SyncScope::subgroup  ? RaceSite::Scope::Subgroup
               : site.scope == SyncScope::workgroup ? RaceSite::Scope::Workgroup
                                                    : RaceSite::Scope::Device;
  bool isAccess = kind.action == RaceSite::Action::Access;
  kind.isAtomic = isAccess && site.isAtomic;
  kind.reads = isAccess && site.access != AccessKind::write;
  kind.writes = isAccess && site.access != AccessKind::read;
  bool both = site.ordering == Ordering::acq_rel || site.ordering == Ordering::seq_cst;
  bool orders = !isAccess || site.isAtomic;
  kind.acquires =
      orders && (both || site.ordering == Ordering::acquire) && (!isAccess || kind.reads);
  kind.releases =
      orders && (both || site.ordering == Ordering::release) && (!isAccess || kind.writes);
  return kind;
}

/// "reduce.loom:20:5", or the name of the operation where the place is not known.
static std::string placeOf(const SanitizerSite &site) {
  FileLineColLoc file = getFileLoc(site.location);
  if (!file)
    return "a '" + site.operation + "'";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()))
      .str();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

struct LaunchRaces::Thread {
  Thread(const LaunchRaces &launch)
      : id(std::this_thread::get_id()), shadow(launch.kinds, launch.items, launch.subgroupSize),
        groups(launch.kinds) {}

  /// Keeps what the workgroup at hand has, which is at its end.
  void close();

  std::thread::id id;
  RaceShadow shadow;
  RaceGroups groups;
  int64_t workgroup = -1;   ///< none yet
  bool hasAcquired = false; ///< from another workgroup, perhaps
  std::map<std::pair<uint32_t, uint32_t>, LaunchRace> races;
};

thread_local LaunchRaces::Thread *LaunchRaces::current = nullptr;

/// Takes over what is said of two sites elsewhere in the launch.
static void merge(LaunchRace &race, const LaunchRace &other) {
  uint64_t workgroups = race.workgroups + other.workgroups;
  if (other.workgroup < race.workgroup)
    race = other;
  race.workgroups = workgroups;
}

static std::pair<uint32_t, uint32_t> pairOf(const Race &race) {
  return std::minmax(race.currentSite, race.priorSite);
}

void LaunchRaces::Thread::close() {
  for (auto [order, race] : llvm::enumerate(shadow.races())) {
    LaunchRace found = {race, workgroup, workgroup, static_cast<unsigned>(order)};
    auto [entry, isNew] = races.try_emplace(pairOf(race), found);
    if (!isNew)
      merge(entry->second, found);
  }
}

LaunchRaces::LaunchRaces(ArrayRef<SanitizerSite> sites, int64_t items, int64_t subgroupSize,
                         bool betweenGroups)
    : sites(sites), items(items), subgroupSize(subgroupSize), betweenGroups(betweenGroups) {
  std::map<std::tuple<std::string, std::string, AccessKind, MemorySpace, uint32_t>, uint32_t> first;
  for (auto [number, site] : llvm::enumerate(sites)) {
    kinds.push_back(kindOf(site));
    original.push_back(number);
    if (site.check == SiteCheck::RaceAccess && getFileLoc(site.location))
      original.back() = first
                            .try_emplace(std::tuple(placeOf(site), site.operation, site.access,
                                                    site.space, site.bytes),
                                         number)
                            .first->second;
  }
}

LaunchRaces::~LaunchRaces() = default;

void LaunchRaces::begin(int64_t workgroup) {
  Thread *thread = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto own = llvm::find_if(
        threads, [](const auto &thread) { return thread->id == std::this_thread::get_id(); });
    if (own == threads.end())
      own = threads.insert(own, std::make_unique<Thread>(*this));
    thread = own->get();
  }
  current = thread;
  if (thread->workgroup >= 0) {
    thread->close();
    thread->shadow.reset();
  }
  thread->workgroup = workgroup;
  thread->hasAcquired = false;
}

bool LaunchRaces::access(uint32_t number, int64_t firstItem, uint64_t lanes,
                         const uint64_t *addresses, const int64_t *bytes) {
  uint32_t site = original[number];
  const RaceSite &kind = kinds[site];
  bool comparesGroups =
      betweenGroups && !current->hasAcquired && kind.memory == RaceSite::Memory::Global;
  current->hasAcquired |= kind.acquires && kind.scope == RaceSite::Scope::Device;
  if (!bytes && !comparesGroups)
    return current->shadow.access(site, firstItem, lanes, addresses, sites[site].bytes);
  bool isNew = false;
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    uint64_t length = bytes ? bytes[lane] : sites[site].bytes;
    isNew |= current->shadow.access(site, firstItem, lanes & -lanes, addresses, length);
    if (comparesGroups)
      current->groups.access(site, current->workgroup, firstItem + lane, addresses[lane], length);
  }
  return isNew;
}

void LaunchRaces::sync(uint32_t site, int64_t firstItem, uint64_t lanes) {
  const RaceSite &kind = kinds[site];
  current->hasAcquired |= kind.acquires && kind.scope == RaceSite::Scope::Device;
  if (firstItem < 0)
    current->shadow.syncAll(site);
  else
    current->shadow.sync(site, firstItem, lanes);
}

std::vector<LaunchRace> LaunchRaces::finish() {
  if (threads.empty()) // of no workgroups
    return {};
  std::map<std::pair<uint32_t, uint32_t>, LaunchRace> races;
  for (const std::unique_ptr<Thread> &thread : threads) {
    thread->close();
    for (const auto &[pair, race] : thread->races) {
      auto [entry, isNew] = races.try_emplace(pair, race);
      if (!isNew)
        merge(entry->second, race);
    }
  }
  for (const std::unique_ptr<Thread> &thread : llvm::drop_begin(threads))
    threads.front()->groups.merge(thread->groups);
  std::vector<LaunchRace> list;
  for (const auto &[pair, race] : races)
    list.push_back(race);
  // Behind what was found in the workgroup itself.
  unsigned order = ~0u / 2;
  for (const GroupRace &race : threads.front()->groups.races()) {
    Race both = {race.currentSite, race.priorSite, race.currentItem, race.priorItem};
    if (!races.count(pairOf(both)))
      list.push_back({both, race.currentGroup, race.priorGroup, order++});
  }
  threads.clear();
  llvm::sort(list, [](const LaunchRace &a, const LaunchRace &b) {
    return std::tie(a.workgroup, a.order) < std::tie(b.workgroup, b.order);
  });
  return list;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

RaceMonitor &RaceMonitor::of(const Monitor *monitor) {
  // The kernel only reads; what the detector keeps is of a thread or under its mutex.
  return *const_cast<RaceMonitor *>(static_cast<const RaceMonitor *>(monitor));
}

static int64_t itemsOf(const Launch &launch) {
  const Extents &size = launch.geometry.workgroupSize;
  return size[0] * size[1] * size[2];
}

/// A launch on more memory than this keeps nothing of its accesses beyond their workgroup.
constexpr int64_t kMostComparedBytes = int64_t(64) << 20;

static int64_t tensorBytes(const Launch &launch) {
  int64_t bytes = 0;
  for (const Argument &argument : launch.arguments)
    if (auto *tensor = std::get_if<Tensor *>(&argument))
      bytes += (*tensor)->byteSize();
  return bytes;
}

RaceMonitor::RaceMonitor(ArrayRef<SanitizerSite> sites, const Launch &launch, bool traps,
                         int64_t subgroupSize)
    : KernelMonitor(sites, launch, traps), sites(sites), launch(launch),
      mostBytes(tensorBytes(launch) + static_cast<int64_t>(KernelStack::kBytes)),
      races(sites, itemsOf(launch), subgroupSize, tensorBytes(launch) <= kMostComparedBytes) {
  raceGroup = [](const Monitor *monitor, int64_t workgroup) { of(monitor).races.begin(workgroup); };
  raceSync = [](const Monitor *monitor, uint32_t site, int64_t group, int64_t firstItem,
                uint64_t lanes) {
    RaceMonitor &self = of(monitor);
    self.require(site, group, std::max<int64_t>(firstItem, 0), lanes);
    self.races.sync(site, firstItem, lanes);
  };
  raceAccess = [](const Monitor *monitor, uint32_t site, int64_t group, int64_t firstItem,
                  uint64_t lanes, const uint64_t *addresses, const int64_t *bytes) {
    RaceMonitor &self = of(monitor);
    self.require(site, group, firstItem, lanes);
    // Read before anything else, in case that they are not there. A range that is longer than all
    // memory of the kernel ends it in a moment.
    uint64_t places[64];
    int64_t lengths[64];
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      places[lane] = addresses[lane];
      if (bytes)
        lengths[lane] = bytes[lane] < 0 || bytes[lane] > self.mostBytes ? 0 : bytes[lane];
    }
    if (self.races.access(site, firstItem, lanes, places, bytes ? lengths : nullptr) &&
        self.isTrapping())
      endGuarded(KernelFault::Kind::Check);
  };
}

EventLog RaceMonitor::takeEvents() {
  std::vector<OrderedEvent> events;
  for (const LaunchRace &race : races.finish())
    events.push_back(makeEvent(race));
  return takeEventsWith(std::move(events));
}

static std::string verbOf(const SanitizerSite &site) {
  std::string verb = site.access == AccessKind::read    ? "reads"
                     : site.access == AccessKind::write ? "writes"
                                                        : "updates";
  return site.isAtomic ? verb + " atomically" : verb;
}

static std::string wordOf(const SanitizerSite &site) {
  return site.isAtomic ? "atomic" : stringifyAccessKind(site.access).str();
}

OrderedEvent RaceMonitor::makeEvent(const LaunchRace &found) const {
  const Race &race = found.race;
  const SanitizerSite &site = sites[race.currentSite], &prior = sites[race.priorSite];
  StringRef memory = site.space == MemorySpace::workgroup ? "workgroup"
                     : site.space == MemorySpace::global  ? "global"
                                                          : "unknown";
  Event event = eventOfSite(site, race.currentSite, launch.kernel);
  event.message = verbOf(site) + " " + (site.message.empty() ? "a view" : "%" + site.message);
  if (memory != "unknown")
    event.message += (" in " + memory + " memory").str();
  event.message += " while " + placeOfItem(launch.geometry, found.priorWorkgroup, race.priorItem) +
                   " " + verbOf(prior) + " the same bytes at " + placeOf(prior) +
                   ", with nothing that orders the two; " +
                   placeOfItem(launch.geometry, found.workgroup, race.currentItem);
  if (isTrapping())
    event.severity = Event::Severity::Fatal;
  else if (found.workgroups > 1)
    event.message += ", the first of " + std::to_string(found.workgroups) + " workgroups";
  auto add = [&](StringRef key, Event::Field value) {
    event.fields.push_back({("tsan." + key).str(), std::move(value)});
  };
  add("check", std::string("data_race"));
  add("memory", memory.str());
  add("current_access", wordOf(site));
  add("prior_access", wordOf(prior));
  if (site.bytes)
    add("access_length", uint64_t(site.bytes));
  add("current_site_id", uint64_t(race.currentSite));
  add("prior_site_id", uint64_t(race.priorSite));
  add("current_atomic", site.isAtomic);
  add("prior_atomic", prior.isAtomic);
  add("current_workitem_linear", uint64_t(race.currentItem));
  add("prior_workitem_linear", uint64_t(race.priorItem));
  return {found.workgroup, found.order, std::move(event)};
}

} // namespace loom::runtime
