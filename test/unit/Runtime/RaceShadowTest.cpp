//===- RaceShadowTest.cpp - Races against a model of what comes before what ===//
//
// Random programs of accesses, barriers, fences and atomic accesses run in random order. The model
// knows nothing of counts and records: it draws an edge for everything that orders two events and
// asks whether a path leads from one access to another.
//
//===----------------------------------------------------------------------===//
#include "RaceShadow.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>
#include <set>

using namespace loom::runtime;

namespace {

using Action = RaceSite::Action;
using Memory = RaceSite::Memory;
using Scope = RaceSite::Scope;

RaceSite access(bool writes, bool reads = false, Memory memory = Memory::Workgroup) {
  RaceSite site;
  site.memory = memory;
  site.writes = writes;
  site.reads = reads || !writes;
  return site;
}

RaceSite atomic(bool writes, bool reads, bool acquires, bool releases,
                Scope scope = Scope::Workgroup) {
  RaceSite site = access(writes, reads);
  site.isAtomic = true;
  site.acquires = acquires;
  site.releases = releases;
  site.scope = scope;
  return site;
}

RaceSite sync(Action action, Scope scope = Scope::Workgroup, Memory memory = Memory::Workgroup,
              bool acquires = true, bool releases = true) {
  RaceSite site;
  site.action = action;
  site.scope = scope;
  site.memory = memory;
  site.acquires = acquires;
  site.releases = releases;
  return site;
}

using Pair = std::pair<uint32_t, uint32_t>;
std::set<Pair> pairsOf(const RaceShadow &shadow) {
  std::set<Pair> pairs;
  for (const Race &race : shadow.races())
    pairs.insert(std::minmax(race.currentSite, race.priorSite));
  return pairs;
}

//===----------------------------------------------------------------------===//
// Single cases
//===----------------------------------------------------------------------===//

class RaceShadowTest : public ::testing::Test {
protected:
  bool touch(uint32_t site, uint32_t item, uint64_t address, uint32_t bytes = 4) {
    return shadow.access(site, item, 1, &address, bytes);
  }

  enum Site {
    Write,
    Read,
    Barrier,
    GlobalBarrier,
    Arrive,
    Wait,
    SubgroupBarrier,
    Add,
    SubgroupAdd
  };
  std::vector<RaceSite> sites = {access(true),
                                 access(false),
                                 sync(Action::Barrier),
                                 sync(Action::Barrier, Scope::Workgroup, Memory::Global),
                                 sync(Action::Arrive),
                                 sync(Action::Wait),
                                 sync(Action::Barrier, Scope::Subgroup),
                                 atomic(true, true, false, false),
                                 atomic(true, true, false, false, Scope::Subgroup)};
  RaceShadow shadow{sites, 8, 4};
};

TEST_F(RaceShadowTest, ConflictsInOneEpoch) {
  EXPECT_FALSE(touch(Read, 0, 0x1000));
  EXPECT_FALSE(touch(Read, 5, 0x1000));
  EXPECT_FALSE(touch(Write, 5, 0x1004));
  EXPECT_FALSE(touch(Read, 5, 0x1004)) << "of one work-item";
  EXPECT_TRUE(touch(Write, 5, 0x1003, 1));
  ASSERT_EQ(shadow.races().size(), 1u);
  const Race &race = shadow.races()[0];
  EXPECT_EQ(race.currentSite, uint32_t(Write));
  EXPECT_EQ(race.priorSite, uint32_t(Read));
  EXPECT_EQ(race.currentItem, 5u);
  EXPECT_EQ(race.priorItem, 0u);
  EXPECT_EQ(race.address, 0x1003u);
  EXPECT_FALSE(touch(Read, 6, 0x1003)) << "the pair is known";
  EXPECT_TRUE(touch(Write, 6, 0x1000)) << "a site with itself is another pair";
}

TEST_F(RaceShadowTest, SeveralReaders) {
  // The writer reads too; it is the other readers that race.
  touch(Read, 2, 0x1000);
  touch(Read, 3, 0x1000);
  EXPECT_TRUE(touch(Write, 3, 0x1000));
  shadow.reset();
  touch(Read, 3, 0x1000);
  touch(Read, 2, 0x1000);
  EXPECT_TRUE(touch(Write, 3, 0x1000));
  shadow.reset();
  touch(Read, 3, 0x1000);
  EXPECT_FALSE(touch(Write, 3, 0x1000)) << "nothing is left of the workgroup before";
}

TEST_F(RaceShadowTest, AcrossGranulesByteExact) {
  touch(Write, 0, 0x0ffe, 4);
  EXPECT_FALSE(touch(Read, 1, 0x1002, 2));
  EXPECT_FALSE(touch(Read, 1, 0x0ffc, 2));
  EXPECT_TRUE(touch(Read, 1, 0x1001, 1));
}

TEST_F(RaceShadowTest, BarriersOfTheMemory) {
  touch(Write, 0, 0x1000);
  shadow.syncAll(GlobalBarrier);
  EXPECT_TRUE(touch(Read, 1, 0x1000));
  shadow.reset();
  touch(Write, 0, 0x1000);
  shadow.syncAll(Barrier);
  EXPECT_FALSE(touch(Read, 1, 0x1000));
  EXPECT_TRUE(touch(Write, 2, 0x1000)) << "behind the same barrier";
}

TEST_F(RaceShadowTest, SplitBarriers) {
  touch(Write, 0, 0x1000);
  shadow.sync(Arrive, 0, 0xf);
  touch(Write, 0, 0x2000);
  // The second block arrives when the first one is done.
  EXPECT_FALSE(touch(Read, 4, 0x1004));
  shadow.sync(Arrive, 4, 0xf);
  EXPECT_TRUE(touch(Read, 4, 0x1000)) << "not waited yet";
  shadow.syncAll(Wait);
  EXPECT_FALSE(touch(Write, 5, 0x1000));
  touch(Read, 5, 0x2000);
  EXPECT_EQ(pairsOf(shadow), (std::set<Pair>{{Write, Read}}));
  shadow.reset();
  shadow.sync(Arrive, 0, 0xf);
  touch(Write, 0, 0x2000);
  shadow.sync(Arrive, 4, 0xf);
  shadow.syncAll(Wait);
  EXPECT_TRUE(touch(Read, 5, 0x2000)) << "written behind the arrival";
}

TEST_F(RaceShadowTest, SubgroupBarriers) {
  touch(Write, 0, 0x1000);
  shadow.sync(SubgroupBarrier, 0, 0xf);
  shadow.sync(SubgroupBarrier, 4, 0xf);
  EXPECT_FALSE(touch(Read, 3, 0x1000));
  EXPECT_TRUE(touch(Read, 4, 0x1000));
}

TEST_F(RaceShadowTest, Atomics) {
  EXPECT_FALSE(touch(Add, 0, 0x1000));
  EXPECT_FALSE(touch(Add, 7, 0x1000));
  EXPECT_TRUE(touch(Read, 1, 0x1000)) << "only one of them is atomic";
  EXPECT_FALSE(touch(SubgroupAdd, 0, 0x2000));
  EXPECT_FALSE(touch(SubgroupAdd, 3, 0x2000));
  EXPECT_TRUE(touch(SubgroupAdd, 4, 0x2000)) << "atomic inside of the subgroup only";
}

TEST_F(RaceShadowTest, LanesOfOneCall) {
  uint64_t addresses[64] = {};
  for (uint64_t lane = 0; lane < 4; ++lane)
    addresses[lane] = 0x1000 + 4 * (lane / 2);
  EXPECT_FALSE(shadow.access(Write, 0, 0b0101, addresses, 4));
  EXPECT_FALSE(shadow.access(Write, 0, 0b0101, addresses, 4));
  EXPECT_TRUE(shadow.access(Write, 0, 0b0010, addresses, 4));
}

TEST_F(RaceShadowTest, LoopsOverBarriersStaySmall) {
  for (int i = 0; i < 100000; ++i) {
    for (uint32_t item = 0; item < 8; ++item)
      touch(Read, item, 0x1000);
    shadow.syncAll(Barrier);
    touch(Write, i % 8, 0x1000);
    shadow.syncAll(Barrier);
  }
  EXPECT_TRUE(shadow.races().empty());
  EXPECT_LT(shadow.recordCount(), 16u);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

struct Event {
  uint32_t site, item;
  uint64_t address = 0;
  uint32_t bytes = 0;
  unsigned barrier = 0; ///< the step of the program that it is
};

class Model {
public:
  Model(const std::vector<RaceSite> &sites, uint32_t subgroupSize, std::vector<Event> events)
      : sites(sites), subgroupSize(subgroupSize), events(std::move(events)) {
    drawProgramOrder();
    drawBarriers();
    drawAtomics();
  }

  std::set<Pair> races() const {
    std::set<Pair> pairs;
    for (size_t b = 0; b < events.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (conflict(events[a], events[b]) && !isOrdered(a, b))
          pairs.insert(std::minmax(events[a].site, events[b].site));
    return pairs;
  }

private:
  struct Edge {
    size_t from, to;
    bool memory[2];
  };

  const RaceSite &siteOf(size_t event) const { return sites[events[event].site]; }
  uint32_t subgroupOf(size_t event) const { return events[event].item / subgroupSize; }
  static bool covers(const RaceSite &site, unsigned memory) {
    return site.memory == Memory::Either || unsigned(site.memory) == memory;
  }
  bool holdsBoth(Scope scope, uint32_t item, uint32_t other) const {
    return scope == Scope::Workgroup ||
           (scope == Scope::Subgroup && item / subgroupSize == other / subgroupSize);
  }

  void drawProgramOrder() {
    for (size_t b = 0; b < events.size(); ++b)
      for (size_t a = b; a-- > 0;)
        if (events[a].item == events[b].item) {
          edges.push_back({a, b, {true, true}});
          break;
        }
  }

  void drawBarriers() {
    for (size_t a = 0; a < events.size(); ++a)
      for (size_t b = 0; b < events.size(); ++b) {
        const RaceSite &from = siteOf(a), &to = siteOf(b);
        if (from.action != Action::Arrive || to.action != Action::Wait || from.scope != to.scope ||
            !from.releases || !to.acquires || events[a].barrier > events[b].barrier ||
            !holdsBoth(from.scope, events[a].item, events[b].item))
          continue;
        edges.push_back(
            {a, b, {covers(from, 0) && covers(to, 0), covers(from, 1) && covers(to, 1)}});
      }
  }

  /// Events of `item` that are fences, in the given part of the run.
  std::vector<size_t> fences(uint32_t item, size_t begin, size_t end) const {
    std::vector<size_t> list;
    for (size_t e = begin; e < end; ++e)
      if (events[e].item == item && siteOf(e).action == Action::Fence)
        list.push_back(e);
    return list;
  }

  void drawSynchronization(size_t writer, size_t reader) {
    std::vector<std::pair<size_t, Scope>> from, to;
    if (siteOf(writer).releases)
      from.push_back({writer, siteOf(writer).scope});
    for (size_t fence : fences(events[writer].item, 0, writer))
      if (siteOf(fence).releases)
        from.push_back({fence, std::min(siteOf(fence).scope, siteOf(writer).scope)});
    if (siteOf(reader).acquires)
      to.push_back({reader, siteOf(reader).scope});
    for (size_t fence : fences(events[reader].item, reader, events.size()))
      if (siteOf(fence).acquires)
        to.push_back({fence, std::min(siteOf(fence).scope, siteOf(reader).scope)});
    for (auto [a, aScope] : from)
      for (auto [b, bScope] : to)
        if (holdsBoth(std::min(aScope, bScope), events[a].item, events[b].item))
          edges.push_back({a, b, {true, true}});
  }

  void drawAtomics() {
    for (size_t reader = 0; reader < events.size(); ++reader) {
      if (!siteOf(reader).isAtomic || !siteOf(reader).reads)
        continue;
      for (size_t writer = reader; writer-- > 0;) {
        const RaceSite &site = siteOf(writer);
        if (site.action != Action::Access || !site.writes ||
            events[writer].address != events[reader].address)
          continue;
        if (site.isAtomic)
          drawSynchronization(writer, reader);
        if (!site.isAtomic || !site.reads)
          break;
      }
    }
  }

  bool conflict(const Event &a, const Event &b) const {
    const RaceSite &first = sites[a.site], &second = sites[b.site];
    if (first.action != Action::Access || second.action != Action::Access || a.item == b.item ||
        !(first.writes || second.writes) || a.address >= b.address + b.bytes ||
        b.address >= a.address + a.bytes)
      return false;
    return !(first.isAtomic && second.isAtomic &&
             holdsBoth(std::min(first.scope, second.scope), a.item, b.item));
  }

  bool reaches(size_t from, size_t to, unsigned memory) const {
    std::vector<bool> seen(events.size());
    std::vector<size_t> work = {from};
    while (!work.empty()) {
      size_t at = work.back();
      work.pop_back();
      if (at == to)
        return true;
      for (const Edge &edge : edges)
        if (edge.from == at && edge.memory[memory] && !seen[edge.to]) {
          seen[edge.to] = true;
          work.push_back(edge.to);
        }
    }
    return false;
  }

  bool isOrdered(size_t a, size_t b) const {
    for (unsigned m = 0; m < 2; ++m)
      if ((covers(siteOf(a), m) || covers(siteOf(b), m)) && (reaches(a, b, m) || reaches(b, a, m)))
        return true;
    return false;
  }

  const std::vector<RaceSite> &sites;
  uint32_t subgroupSize;
  std::vector<Event> events;
  std::vector<Edge> edges;
};

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

class Generator {
public:
  Generator(unsigned seed, bool hasAtomics) : random(seed), hasAtomics(hasAtomics) {
    subgroupSize = 1u << below(3);
    items = 2 + below(5);
    Memory memory = below(2) ? Memory::Workgroup : Memory::Global;
    for (unsigned i = 0; i < kPlain; ++i) {
      bool writes = below(2);
      sites.push_back(access(writes, writes && below(4) == 0, below(8) ? memory : Memory::Either));
    }
    for (unsigned i = 0; i < 6; ++i) {
      bool writes = below(3), reads = !writes || below(2), ordered = hasAtomics && below(3);
      sites.push_back(atomic(writes, reads, ordered && reads, ordered && writes,
                             Scope(below(8) ? 1 + below(2) : 0)));
      sites.back().memory = memory;
    }
    accesses = sites.size();
    for (unsigned i = 0; i < 4; ++i)
      addBarrier();
    for (unsigned i = 0; i < 3; ++i) {
      unsigned kind = below(3);
      sites.push_back(sync(Action::Fence, Scope(below(3)), Memory::Either, kind != 0, kind != 1));
    }
  }

  /// What each work-item does, as numbers of sites. Barriers are those of all participants.
  std::vector<std::vector<Event>> makeProgram() {
    std::vector<std::vector<Event>> program(items);
    unsigned steps = 2 + below(5);
    for (unsigned step = 0; step < steps; ++step) {
      addWork(program, hasAtomics);
      uint32_t arrive = accesses + 2 * below(4);
      bool isWide = sites[arrive].scope == Scope::Workgroup;
      bool isSplit = isWide && below(3) == 0;
      uint32_t only = below(3);
      auto takesPart = [&](uint32_t item) {
        return isWide || only == 0 || item / subgroupSize == only;
      };
      for (uint32_t item = 0; item < items; ++item)
        if (takesPart(item))
          program[item].push_back({arrive, item, 0, 0, step});
      if (isSplit)
        addWork(program, hasAtomics);
      for (uint32_t item = 0; item < items; ++item)
        if (takesPart(item))
          program[item].push_back({arrive + 1, item, 0, 0, step});
    }
    addWork(program, hasAtomics);
    return program;
  }

  /// One order in which it could run: nobody goes on who waits for somebody.
  /// With `ahead` only barriers of the subgroup are waited for.
  std::vector<Event> run(const std::vector<std::vector<Event>> &program, bool ahead = false) {
    std::vector<size_t> next(items);
    std::vector<Event> events;
    auto isBlocked = [&](const Event &event) {
      if (sites[event.site].action != Action::Wait ||
          (ahead && sites[event.site].scope == Scope::Workgroup))
        return false;
      for (uint32_t other = 0; other < items; ++other) {
        if (sites[event.site].scope == Scope::Subgroup &&
            other / subgroupSize != event.item / subgroupSize)
          continue;
        bool arrived = false;
        for (size_t i = 0; i < next[other]; ++i)
          arrived |= program[other][i].site + 1 == event.site &&
                     program[other][i].barrier == event.barrier;
        if (!arrived)
          return true;
      }
      return false;
    };
    while (true) {
      std::vector<uint32_t> ready;
      for (uint32_t item = 0; item < items; ++item)
        if (next[item] < program[item].size() && !isBlocked(program[item][next[item]]))
          ready.push_back(item);
      if (ready.empty()) {
        for (uint32_t item = 0; item < items; ++item)
          EXPECT_EQ(next[item], program[item].size()) << "the program hangs";
        return events;
      }
      uint32_t item = ready[below(ready.size())];
      events.push_back(program[item][next[item]++]);
    }
  }

  uint32_t below(uint32_t limit) { return random() % limit; }

  std::vector<RaceSite> sites;
  uint32_t items, subgroupSize;

private:
  void addBarrier() {
    Scope scope = below(2) ? Scope::Workgroup : Scope::Subgroup;
    Memory memory = below(2) ? Memory::Workgroup : Memory::Global;
    unsigned kind = below(4); // most do both
    for (Action action : {Action::Arrive, Action::Wait})
      sites.push_back(sync(action, scope, memory, kind != 0, kind != 1));
  }

  void addWork(std::vector<std::vector<Event>> &program, bool hasFences) {
    for (uint32_t item = 0; item < items; ++item)
      for (unsigned i = below(hasFences ? 5 : 3); i > 0; --i) {
        if (hasFences && below(3) == 0) {
          program[item].push_back({accesses + 8 + below(3), item});
          continue;
        }
        bool isAtomic = below(2);
        uint32_t site = isAtomic ? kPlain + below(accesses - kPlain) : below(kPlain);
        // With orderings, what is ordered is mostly elsewhere than what orders it.
        if (isAtomic)
          program[item].push_back({site, item, 0x1000 + 4 * below(hasFences ? 1 : 3), 4});
        else
          program[item].push_back(
              {site, item, (hasFences && below(8) ? 0x1003 : 0x1000) + below(14), 1 + below(6)});
      }
  }

  static constexpr uint32_t kPlain = 10;
  std::mt19937 random;
  bool hasAtomics;
  uint32_t accesses = 0;
};

std::set<Pair> shadowed(RaceShadow &shadow, const Generator &generator,
                        const std::vector<Event> &events) {
  shadow.reset();
  for (const Event &event : events) {
    if (generator.sites[event.site].action == Action::Access)
      shadow.access(event.site, event.item, 1, &event.address, event.bytes);
    else
      shadow.sync(event.site, event.item, 1);
  }
  return pairsOf(shadow);
}

TEST(RaceShadowPropertyTest, AgreesWithTheModel) {
  unsigned racing = 0, silent = 0;
  for (unsigned seed = 0; seed < 800; ++seed) {
    Generator generator(seed, /*hasAtomics=*/seed % 2);
    std::vector<std::vector<Event>> program = generator.makeProgram();
    RaceShadow shadow(generator.sites, generator.items, generator.subgroupSize);
    for (unsigned repeat = 0; repeat < 2; ++repeat) {
      std::vector<Event> events = generator.run(program);
      std::set<Pair> wanted = Model(generator.sites, generator.subgroupSize, events).races();
      ASSERT_EQ(shadowed(shadow, generator, events), wanted) << "seed " << seed;
      ++(wanted.empty() ? silent : racing);
    }
  }
  EXPECT_GT(racing, 500u);
  EXPECT_GT(silent, 25u);
}

TEST(RaceShadowPropertyTest, OrderOfTheRunDoesNotMatter) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Generator generator(seed, /*hasAtomics=*/false);
    std::vector<std::vector<Event>> program = generator.makeProgram();
    RaceShadow shadow(generator.sites, generator.items, generator.subgroupSize);
    std::set<Pair> first = shadowed(shadow, generator, generator.run(program));
    for (unsigned repeat = 0; repeat < 4; ++repeat)
      ASSERT_EQ(shadowed(shadow, generator, generator.run(program, /*ahead=*/repeat > 1)), first)
          << "seed " << seed;
  }
}

} // namespace
