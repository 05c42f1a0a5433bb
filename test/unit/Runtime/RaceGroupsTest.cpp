//===- RaceGroupsTest.cpp - Races between workgroups ----------------------===//
#include "RaceGroups.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace loom::runtime;

namespace {

RaceSite access(bool writes) {
  RaceSite site;
  site.memory = RaceSite::Memory::Global;
  site.writes = writes;
  site.reads = !writes;
  return site;
}

RaceSite atomic(RaceSite::Scope scope) {
  RaceSite site = access(true);
  site.reads = site.isAtomic = true;
  site.scope = scope;
  return site;
}

enum Site { Read, Write, Add, LocalAdd };
const std::vector<RaceSite> sites = {access(false), access(true), atomic(RaceSite::Scope::Device),
                                     atomic(RaceSite::Scope::Workgroup)};

TEST(RaceGroupsTest, TheLowestWorkgroups) {
  RaceGroups groups(sites);
  groups.access(Read, 7, 1, 0x1000, 4);
  groups.access(Write, 7, 2, 0x1000, 4);
  EXPECT_TRUE(groups.races().empty()) << "inside of a workgroup others look";
  groups.access(Read, 3, 4, 0x1002, 2);
  groups.access(Read, 5, 6, 0x1002, 2);
  groups.access(Read, 2, 8, 0x1004, 4);
  ASSERT_EQ(groups.races().size(), 1u);
  GroupRace race = groups.races()[0];
  EXPECT_EQ(race.currentSite, uint32_t(Write));
  EXPECT_EQ(race.currentGroup, 7);
  EXPECT_EQ(race.currentItem, 2u);
  EXPECT_EQ(race.priorSite, uint32_t(Read));
  EXPECT_EQ(race.priorGroup, 3);
  EXPECT_EQ(race.priorItem, 4u);
}

TEST(RaceGroupsTest, AtomicForTheDevice) {
  RaceGroups groups(sites);
  for (int64_t group = 0; group < 3; ++group) {
    groups.access(Add, group, 0, 0x1000, 4);
    groups.access(LocalAdd, group, 0, 0x2000, 4);
  }
  ASSERT_EQ(groups.races().size(), 1u);
  EXPECT_EQ(groups.races()[0].currentSite, uint32_t(LocalAdd));
}

struct One {
  uint32_t site;
  int64_t group;
  uint64_t address, bytes;
};

/// Current site, prior site, current group, prior group of each pair.
using Summary = std::set<std::tuple<uint32_t, uint32_t, int64_t, int64_t>>;

Summary summaryOf(const RaceGroups &groups) {
  Summary summary;
  for (const GroupRace &race : groups.races())
    summary.insert({std::min(race.currentSite, race.priorSite),
                    std::max(race.currentSite, race.priorSite), race.currentGroup,
                    race.priorGroup});
  return summary;
}

Summary modelOf(const std::vector<One> &list) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<int64_t, int64_t>> lowest;
  for (const One &a : list)
    for (const One &b : list) {
      bool conflicts = a.group > b.group && (sites[a.site].writes || sites[b.site].writes) &&
                       !(a.site == Add && b.site == Add) && a.address < b.address + b.bytes &&
                       b.address < a.address + a.bytes;
      if (!conflicts)
        continue;
      auto [entry, isNew] =
          lowest.try_emplace(std::minmax(a.site, b.site), std::pair(a.group, b.group));
      entry->second = std::min(entry->second, std::pair(a.group, b.group));
    }
  Summary summary;
  for (const auto &[pair, groups] : lowest)
    summary.insert({pair.first, pair.second, groups.first, groups.second});
  return summary;
}

TEST(RaceGroupsTest, AgreesWithTheModelHoweverShared) {
  unsigned racing = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::vector<One> list;
    unsigned count = 2 + random() % 20, span = 1 + random() % 100;
    for (unsigned i = 0; i < count; ++i)
      list.push_back({uint32_t(random() % sites.size()), int64_t(random() % 6),
                      0xfe0 + random() % span, 1 + random() % 9});
    Summary wanted = modelOf(list);
    racing += !wanted.empty();
    for (unsigned threads = 1; threads <= 3; ++threads) {
      std::deque<RaceGroups> shadows;
      for (unsigned i = 0; i < threads; ++i)
        shadows.emplace_back(sites);
      for (const One &one : list)
        shadows[one.group % threads].access(one.site, one.group, 0, one.address, one.bytes);
      for (unsigned i = 1; i < threads; ++i)
        shadows[0].merge(shadows[i]);
      ASSERT_EQ(summaryOf(shadows[0]), wanted) << "seed " << seed << ", " << threads << " threads";
    }
  }
  EXPECT_GT(racing, 100u);
  EXPECT_LT(racing, 500u);
}

} // namespace
