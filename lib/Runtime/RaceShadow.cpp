//===- RaceShadow.cpp - Who accessed the memory of a workgroup ------------===//
//
// Every access that may race with one to come is kept, except that a later access of a work-item
// stands for an earlier one of the same site and bytes, unless it passed a barrier of the workgroup
// in between: what is ordered behind the later one is behind the earlier one too. Records of what
// everybody is known to come after are dropped.
//
// Barriers are counted. An access carries the numbers of arrivals in front of it, and one that
// comes later compares them with what has been passed; that takes no vector of clocks. Knowledge
// through atomic accesses does, and exists only where a program has them.
//
//===----------------------------------------------------------------------===//
#include "RaceShadow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace loom::runtime {

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

static void joinCounts(std::vector<uint32_t> &mine, ArrayRef<uint32_t> others) {
  if (mine.size() < others.size())
    mine.resize(others.size());
  for (auto [own, other] : llvm::zip(mine, others))
    own = std::max(own, other);
}

void RaceShadow::Knowledge::join(const Knowledge &other) {
  passed = std::max(passed, other.passed);
  joinCounts(items, other.items);
  joinCounts(subgroups, other.subgroups);
}

/// Whether `counts`, where what is absent is zero, say that more than `count` is known of `who`.
static bool exceeds(ArrayRef<uint32_t> counts, uint32_t who, uint32_t count) {
  return who < counts.size() && counts[who] > count;
}

static void raise(std::vector<uint32_t> &counts, uint32_t who, uint32_t count) {
  if (counts.size() <= who)
    counts.resize(who + 1);
  counts[who] = std::max(counts[who], count);
}

template <typename PerMemory>
static void joinInto(std::unique_ptr<PerMemory> &target, const PerMemory &source) {
  if (!target)
    target = std::make_unique<PerMemory>();
  for (auto [own, other] : llvm::zip(*target, source))
    own.join(other);
}

/// What others may take over from `item`: its own accesses so far and whatever comes before those.
RaceShadow::PerMemory RaceShadow::knowledgeOf(uint32_t item) const {
  const Item &state = states[item];
  PerMemory known = state.known ? *state.known : PerMemory();
  for (unsigned m = 0; m < kMemories; ++m) {
    raise(known[m].items, item, state.clock + 1);
    raise(known[m].subgroups, subgroupOf(item), state.subgroup[m].passed);
    known[m].passed = std::max(known[m].passed, state.workgroup[m].passed);
  }
  return known;
}

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

RaceShadow::RaceShadow(ArrayRef<RaceSite> sites, uint32_t items, uint32_t subgroupSize)
    : sites(sites), items(items), subgroupSize(subgroupSize) {
  assert(subgroupSize >= 1 && subgroupSize <= 64 && "lanes are bits of a word");
  states.resize(items);
  subgroupGates.resize(divideCeil(items, subgroupSize));
}

RaceShadow::~RaceShadow() = default;

void RaceShadow::reset() {
  for (Item &state : states)
    state = Item();
  workgroupGates = {};
  for (auto &gates : subgroupGates)
    gates = {};
  floor = ahead = {};
  released.clear();
  ++generation;
  records.clear();
  firstFree = kNone;
  found.clear();
  pairs.clear();
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

RaceShadow::Gate &RaceShadow::gateOf(const RaceSite &site, uint32_t item, unsigned memory) {
  return site.scope >= RaceSite::Scope::Workgroup ? workgroupGates[memory]
                                                  : subgroupGates[subgroupOf(item)][memory];
}

/// Whether a synchronization covers a memory; one of either covers both.
static bool covers(const RaceSite &site, unsigned memory) {
  return site.memory == RaceSite::Memory::Either || static_cast<unsigned>(site.memory) == memory;
}

void RaceShadow::arrive(const RaceSite &site, uint32_t item) {
  if (!site.releases || site.scope == RaceSite::Scope::Thread)
    return;
  Item &state = states[item];
  for (unsigned m = 0; m < kMemories; ++m) {
    if (!covers(site, m))
      continue;
    bool isWide = site.scope >= RaceSite::Scope::Workgroup;
    uint32_t level = ++(isWide ? state.workgroup : state.subgroup)[m].arrived;
    Gate &gate = gateOf(site, item, m);
    std::unique_ptr<Knowledge> &arrived = gate.arrived[level % 2];
    if (gate.level < level) {
      // What was known at the barrier before is known here.
      const std::unique_ptr<Knowledge> &before = gate.arrived[(level + 1) % 2];
      arrived = before ? std::make_unique<Knowledge>(*before) : nullptr;
      gate.level = level;
    }
    if (!state.known)
      continue;
    if (!arrived)
      arrived = std::make_unique<Knowledge>();
    arrived->join((*state.known)[m]);
  }
}

void RaceShadow::wait(const RaceSite &site, uint32_t item) {
  if (!site.acquires || site.scope == RaceSite::Scope::Thread)
    return;
  Item &state = states[item];
  bool isWide = site.scope >= RaceSite::Scope::Workgroup;
  for (unsigned m = 0; m < kMemories; ++m) {
    if (!covers(site, m))
      continue;
    Count &count = (isWide ? state.workgroup : state.subgroup)[m];
    bool wasOnFloor = count.passed == floor[m];
    count.passed = count.arrived;
    if (isWide && wasOnFloor && count.passed > floor[m] && ++ahead[m] == items)
      updateFloor(m);
    if (const auto &arrived = gateOf(site, item, m).arrived[count.arrived % 2]) {
      if (!state.known)
        state.known = std::make_unique<PerMemory>();
      (*state.known)[m].join(*arrived);
    }
  }
}

void RaceShadow::updateFloor(unsigned memory) {
  uint32_t least = ~uint32_t(0);
  for (const Item &state : states)
    least = std::min(least, state.workgroup[memory].passed);
  floor[memory] = least;
  ahead[memory] = llvm::count_if(
      states, [&](const Item &state) { return state.workgroup[memory].passed > least; });
}

void RaceShadow::fence(const RaceSite &site, uint32_t item) {
  if (site.scope == RaceSite::Scope::Thread)
    return;
  Item &state = states[item];
  bool isWide = site.scope >= RaceSite::Scope::Workgroup;
  if (site.acquires) {
    if (state.seenNarrow)
      joinInto(state.known, *state.seenNarrow);
    if (state.seenWide && isWide)
      joinInto(state.known, *state.seenWide);
  }
  if (site.releases) {
    (isWide ? state.releasedWide : state.releasedNarrow) =
        std::make_unique<PerMemory>(knowledgeOf(item));
    ++state.clock;
  }
}

void RaceShadow::pass(const RaceSite &site, uint32_t item) {
  switch (site.action) {
  case RaceSite::Action::Access:
    break;
  case RaceSite::Action::Arrive:
  case RaceSite::Action::Barrier:
    return arrive(site, item);
  case RaceSite::Action::Wait:
    return wait(site, item);
  case RaceSite::Action::Fence:
    return fence(site, item);
  }
}

void RaceShadow::sync(uint32_t number, uint32_t firstItem, uint64_t lanes) {
  const RaceSite &site = sites[number];
  auto forEachItem = [&](auto body) {
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
      body(firstItem + countr_zero(rest));
  };
  forEachItem([&](uint32_t item) { pass(site, item); });
  // Who waits has seen all arrive.
  if (site.action == RaceSite::Action::Barrier)
    forEachItem([&](uint32_t item) { wait(site, item); });
}

void RaceShadow::syncAll(uint32_t number) {
  const RaceSite &site = sites[number];
  for (uint32_t item = 0; item < items; ++item)
    pass(site, item);
  if (site.action == RaceSite::Action::Barrier)
    for (uint32_t item = 0; item < items; ++item)
      wait(site, item);
}

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

/// Takes over what was released at `address`.
void RaceShadow::acquire(const RaceSite &site, uint32_t item, uint64_t address) {
  auto entry = released.find(address);
  if (!site.reads || site.scope == RaceSite::Scope::Thread || entry == released.end())
    return;
  Item &state = states[item];
  for (const Released &list : entry->second) {
    bool isOwn = list.subgroup == subgroupOf(item);
    if (!isOwn && !(site.scope >= RaceSite::Scope::Workgroup && list.isWide))
      continue;
    joinInto(isOwn ? state.seenNarrow : state.seenWide, list.known);
    if (site.acquires)
      joinInto(state.known, list.known);
  }
}

void RaceShadow::releaseTo(uint64_t address, uint32_t subgroup, bool isWide,
                           const PerMemory &known) {
  std::vector<Released> &lists = released[address];
  auto list = llvm::find_if(lists, [&](const Released &list) {
    return list.subgroup == subgroup && list.isWide == isWide;
  });
  if (list == lists.end())
    list = lists.insert(list, Released{subgroup, isWide, {}});
  for (auto [own, other] : llvm::zip(list->known, known))
    own.join(other);
}

/// Releases what is known at `address`. A write that does not read ends what was released there
/// before; one that does goes on with it.
void RaceShadow::release(const RaceSite &site, uint32_t item, uint64_t address) {
  if (!site.writes)
    return;
  if (!site.reads || !site.isAtomic)
    released.erase(address);
  if (!site.isAtomic || site.scope == RaceSite::Scope::Thread)
    return;
  Item &state = states[item];
  uint32_t subgroup = subgroupOf(item);
  bool isWide = site.scope >= RaceSite::Scope::Workgroup;
  if (state.releasedNarrow)
    releaseTo(address, subgroup, false, *state.releasedNarrow);
  if (state.releasedWide)
    releaseTo(address, subgroup, isWide, *state.releasedWide);
  if (!site.releases)
    return;
  releaseTo(address, subgroup, isWide, knowledgeOf(item));
  ++state.clock;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

uint32_t &RaceShadow::granule(uint64_t number) {
  uint64_t pageNumber = number / kPageGranules;
  if (!lastPage || pageNumber != lastPageNumber) {
    std::unique_ptr<Page> &page = pages[pageNumber];
    if (!page)
      page = std::make_unique<Page>();
    lastPage = page.get();
    lastPageNumber = pageNumber;
  }
  if (lastPage->generation != generation) {
    lastPage->first.fill(kNone);
    lastPage->generation = generation;
  }
  return lastPage->first[number % kPageGranules];
}

bool RaceShadow::isOrdered(const Record &record, const Item &item, uint32_t subgroup,
                           unsigned m) const {
  return record.workgroupArrived[m] < item.workgroup[m].passed ||
         item.workgroup[m].arrived < record.workgroupPassed[m] ||
         (record.subgroup == subgroup && record.subgroupArrived[m] < item.subgroup[m].passed) ||
         (item.known &&
          (record.workgroupArrived[m] < (*item.known)[m].passed ||
           exceeds((*item.known)[m].subgroups, record.subgroup, record.subgroupArrived[m])));
}

/// Whether every access to come is behind this one.
bool RaceShadow::isOver(const Record &record) const {
  for (unsigned m = 0; m < kMemories; ++m)
    if (covers(sites[record.site], m) && record.workgroupArrived[m] < floor[m])
      return true;
  return false;
}

/// The lanes of `record` that an access of `item` races with, given that they access the same
/// bytes.
uint64_t RaceShadow::unordered(const Record &record, uint32_t number, const RaceSite &site) const {
  const RaceSite &prior = sites[record.site];
  if (!site.writes && !prior.writes)
    return 0;
  uint64_t lanes = record.lanes;
  uint32_t subgroup = subgroupOf(number);
  bool isSameSubgroup = record.subgroup == subgroup;
  if (isSameSubgroup)
    lanes &= ~(uint64_t(1) << (number % subgroupSize));
  if (!lanes)
    return 0;
  RaceSite::Scope narrower = std::min(site.scope, prior.scope);
  if (site.isAtomic && prior.isAtomic &&
      (narrower >= RaceSite::Scope::Workgroup ||
       (narrower == RaceSite::Scope::Subgroup && isSameSubgroup)))
    return 0;
  const Item &item = states[number];
  for (unsigned m = 0; m < kMemories; ++m) {
    if (!covers(site, m) && !covers(prior, m))
      continue;
    if (isOrdered(record, item, subgroup, m))
      return 0;
    if (!item.known)
      continue;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      unsigned lane = countr_zero(rest);
      if (exceeds((*item.known)[m].items, record.subgroup * subgroupSize + lane, record.clock))
        lanes &= ~(uint64_t(1) << lane);
    }
  }
  return lanes;
}

void RaceShadow::report(uint32_t site, uint32_t item, uint64_t address, const Record &prior,
                        uint64_t lanes) {
  uint64_t key = uint64_t(std::min(site, prior.site)) << 32 | std::max(site, prior.site);
  if (!pairs.try_emplace(key, found.size()).second)
    return;
  uint32_t other = prior.subgroup * subgroupSize + countr_zero(lanes);
  found.push_back({site, prior.site, item, other, address});
}

void RaceShadow::touch(uint32_t number, uint32_t item, uint64_t address, uint32_t &first,
                       uint8_t bytes) {
  const RaceSite &site = sites[number];
  const Item &state = states[item];
  uint64_t lane = uint64_t(1) << (item % subgroupSize);
  Record record = {kNone, number, subgroupOf(item), state.clock, {}, {}, {}, lane, bytes};
  for (unsigned m = 0; m < kMemories; ++m) {
    record.workgroupArrived[m] = state.workgroup[m].arrived;
    record.workgroupPassed[m] = state.workgroup[m].passed;
    record.subgroupArrived[m] = state.subgroup[m].arrived;
  }
  bool isKept = false;
  for (uint32_t *link = &first; *link != kNone;) {
    Record &prior = records[*link];
    if (prior.bytes & bytes)
      if (uint64_t lanes = unordered(prior, item, site))
        report(number, item, address, prior, lanes);
    if (prior.site == number && prior.bytes == bytes && prior.subgroup == record.subgroup) {
      bool isSame = !isKept && prior.isSameTime(record);
      if (isSame)
        prior.lanes |= lane;
      else if (prior.workgroupPassed == record.workgroupPassed)
        prior.lanes &= ~lane;
      isKept |= isSame;
    }
    if (prior.lanes && !isOver(prior)) {
      link = &prior.next;
      continue;
    }
    uint32_t dropped = *link;
    *link = prior.next;
    prior.next = firstFree;
    firstFree = dropped;
  }
  if (isKept)
    return;
  record.next = first;
  if (firstFree == kNone) {
    first = records.size();
    records.push_back(record);
    return;
  }
  first = firstFree;
  firstFree = records[first].next;
  records[first] = record;
}

bool RaceShadow::access(uint32_t number, uint32_t firstItem, uint64_t lanes,
                        const uint64_t *addresses, uint64_t bytes) {
  const RaceSite &site = sites[number];
  size_t before = found.size();
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = countr_zero(lanes);
    uint64_t begin = addresses[lane], end = begin + bytes;
    if (site.isAtomic)
      acquire(site, firstItem + lane, begin);
    for (uint64_t at = begin; at < end;) {
      uint64_t next = std::min(alignDown(at, kGranule) + kGranule, end);
      unsigned offset = at % kGranule, count = next - at;
      uint8_t mask = ((1u << count) - 1) << offset;
      touch(number, firstItem + lane, begin, granule(at / kGranule), mask);
      at = next;
    }
    release(site, firstItem + lane, begin);
  }
  return found.size() != before;
}

} // namespace loom::runtime
