//===- RaceGroups.h - Accesses of workgroups to global memory ---*- C++ -*-===//
//
// Workgroups of a launch run in any order, and no barrier orders them: two accesses to a byte by
// different workgroups race when one of them writes and they are not both atomic for the whole
// device. What one workgroup publishes to another through an atomic access is not followed; who
// has acquired something for the device is left out from there on (the caller's part).
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_RACEGROUPS_H
#define LOOM_LIB_RUNTIME_RACEGROUPS_H

#include "RaceShadow.h"

namespace loom::runtime {

/// Of two sites whose accesses race between workgroups, the accesses of the lowest ones.
struct GroupRace {
  uint32_t currentSite = 0, priorSite = 0;
  uint32_t currentItem = 0, priorItem = 0;
  int64_t currentGroup = 0, priorGroup = 0; ///< the current one is the higher
};

/// One object is used by one thread; those of several threads are merged at the end.
class RaceGroups {
public:
  /// `sites` outlive this.
  explicit RaceGroups(llvm::ArrayRef<RaceSite> sites) : sites(sites) {}

  /// Work-item `item` of `group` accesses `bytes` bytes from `address` on. A workgroup's accesses
  /// come one after another; the first of a site to some bytes is the one that is told of.
  void access(uint32_t site, int64_t group, uint32_t item, uint64_t address, uint64_t bytes);
  /// Adds the accesses of other workgroups.
  void merge(const RaceGroups &other);

  /// One for each two sites, or site with itself, by the current group and then the prior one. Does
  /// not depend on how the workgroups were shared between the objects that were merged.
  std::vector<GroupRace> races() const;

private:
  static constexpr unsigned kGranule = 8;
  static constexpr unsigned kPageGranules = 512;
  static constexpr uint32_t kNone = ~uint32_t(0);

  struct Access {
    int64_t group;
    uint32_t item;
  };
  /// Accesses of one site to the same bytes of a granule by the two lowest workgroups that do.
  struct Record {
    uint32_t next, site;
    std::array<Access, 2> lowest;
    uint8_t bytes, count;

    void add(Access access);
  };
  using Page = std::array<uint32_t, kPageGranules>;

  Page &page(uint64_t number);
  Record &recordOf(uint32_t &first, uint32_t site, uint8_t bytes);
  bool conflict(const Record &a, const Record &b) const;

  llvm::ArrayRef<RaceSite> sites;
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = 0;
  Page *last = nullptr;
  std::vector<Record> records;
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_RACEGROUPS_H
