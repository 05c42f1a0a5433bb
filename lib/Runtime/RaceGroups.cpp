//===- RaceGroups.cpp - Accesses of workgroups to global memory -----------===//
#include "RaceGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;

namespace loom::runtime {

void RaceGroups::Record::add(Access access) {
  for (unsigned i = 0; i < count; ++i)
    if (lowest[i].group == access.group)
      return;
  if (count < 2)
    lowest[count++] = access;
  else if (access.group < lowest[1].group)
    lowest[1] = access;
  if (count == 2 && lowest[1].group < lowest[0].group)
    std::swap(lowest[0], lowest[1]);
}

RaceGroups::Page &RaceGroups::page(uint64_t number) {
  if (last && number == lastNumber)
    return *last;
  std::unique_ptr<Page> &page = pages[number];
  if (!page) {
    page = std::make_unique<Page>();
    page->fill(kNone);
  }
  last = page.get();
  lastNumber = number;
  return *last;
}

RaceGroups::Record &RaceGroups::recordOf(uint32_t &first, uint32_t site, uint8_t bytes) {
  for (uint32_t number = first; number != kNone; number = records[number].next)
    if (records[number].site == site && records[number].bytes == bytes)
      return records[number];
  records.push_back({first, site, {}, bytes, 0});
  first = records.size() - 1;
  return records.back();
}

void RaceGroups::access(uint32_t site, int64_t group, uint32_t item, uint64_t address,
                        uint64_t bytes) {
  uint64_t end = address + bytes;
  for (uint64_t at = address; at < end;) {
    uint64_t next = std::min(alignDown(at, kGranule) + kGranule, end);
    uint8_t mask = ((1u << (next - at)) - 1) << (at % kGranule);
    uint64_t granule = at / kGranule;
    recordOf(page(granule / kPageGranules)[granule % kPageGranules], site, mask).add({group, item});
    at = next;
  }
}

void RaceGroups::merge(const RaceGroups &other) {
  for (const auto &[number, theirs] : other.pages) {
    Page &mine = page(number);
    for (auto [first, list] : llvm::zip(mine, *theirs))
      for (uint32_t at = list; at != kNone; at = other.records[at].next) {
        const Record &record = other.records[at];
        Record &own = recordOf(first, record.site, record.bytes);
        for (unsigned i = 0; i < record.count; ++i)
          own.add(record.lowest[i]);
      }
  }
}

bool RaceGroups::conflict(const Record &a, const Record &b) const {
  const RaceSite &first = sites[a.site], &second = sites[b.site];
  bool areAtomic = first.isAtomic && second.isAtomic && first.scope == RaceSite::Scope::Device &&
                   second.scope == RaceSite::Scope::Device;
  return (a.bytes & b.bytes) && (first.writes || second.writes) && !areAtomic;
}

std::vector<GroupRace> RaceGroups::races() const {
  auto keyOf = [](const GroupRace &race) {
    return std::tuple(race.currentGroup, race.priorGroup, race.currentItem, race.priorItem,
                      race.currentSite, race.priorSite);
  };
  std::map<std::pair<uint32_t, uint32_t>, GroupRace> found;
  auto add = [&](const Record &a, const Access &x, const Record &b, const Access &y) {
    if (x.group == y.group)
      return;
    bool isLater = x.group > y.group;
    const Record &current = isLater ? a : b, &prior = isLater ? b : a;
    const Access &later = isLater ? x : y, &earlier = isLater ? y : x;
    GroupRace race = {current.site, prior.site,  later.item,
                      earlier.item, later.group, earlier.group};
    auto [entry, isNew] = found.try_emplace(std::minmax(a.site, b.site), race);
    if (!isNew && keyOf(race) < keyOf(entry->second))
      entry->second = race;
  };
  for (const auto &[number, page] : pages)
    for (uint32_t first : *page)
      for (uint32_t i = first; i != kNone; i = records[i].next)
        for (uint32_t j = i; j != kNone; j = records[j].next) {
          const Record &a = records[i], &b = records[j];
          if (!conflict(a, b))
            continue;
          for (unsigned x = 0; x < a.count; ++x)
            for (unsigned y = 0; y < b.count; ++y)
              add(a, a.lowest[x], b, b.lowest[y]);
        }
  std::vector<GroupRace> list;
  for (const auto &[pair, race] : found)
    list.push_back(race);
  llvm::stable_sort(list, [&](const GroupRace &a, const GroupRace &b) {
    return std::pair(a.currentGroup, a.priorGroup) < std::pair(b.currentGroup, b.priorGroup);
  });
  return list;
}

} // namespace loom::runtime
