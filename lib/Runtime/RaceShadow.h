//===- RaceShadow.h - Who accessed the memory of a workgroup ----*- C++ -*-===//
//
// The accesses and synchronizations of one workgroup, as far as they can still matter, and the
// pairs of accesses that race: two work-items access a byte, one of them writes, they are not both
// atomic, and nothing orders one before the other.
//
// Accesses are ordered for each kind of memory by itself:
//  - a work-item's own are in the order of the calls;
//  - a barrier orders what its participants did in front of their arrival before what they do
//    behind their wait, when it covers the memory and releases and acquires; one that only releases
//    and a later one that only acquires do so together. Participants are the workgroup or the
//    subgroup;
//  - what a work-item did in front of a releasing atomic access, or of a releasing fence and an
//    atomic write behind it, comes before what follows an acquiring access, or an atomic read and
//    an acquiring fence behind it, that sees the value, where both scopes hold both work-items.
// Everything else is unordered, whatever really happened: a collective moves values and orders no
// memory, and lanes of a subgroup are not in step. Two atomic accesses whose scopes do not hold
// both work-items race like plain ones.
//
// Calls of different work-items may come in any order in which the program could run. A subgroup
// may also be ahead of others by barriers of the workgroup, as it is where these barriers are only
// told of. Which pairs of sites race does not depend on the order. One object is used by one
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_RACESHADOW_H
#define LOOM_LIB_RUNTIME_RACESHADOW_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace loom::runtime {

/// What a place of a program does, the same each time.
struct RaceSite {
  /// Of accesses: read, write or both; of the others what a work-item does there.
  enum class Action { Access, Arrive, Wait, Barrier, Fence };
  /// `Either` is memory that is chosen while the kernel runs.
  enum class Memory : uint8_t { Workgroup, Global, Either };
  /// Everything wider than a workgroup is the device.
  enum class Scope : uint8_t { Thread, Subgroup, Workgroup, Device };

  Action action = Action::Access;
  Memory memory = Memory::Workgroup;
  Scope scope = Scope::Workgroup;
  bool reads = false, writes = false, isAtomic = false;
  bool acquires = false, releases = false;
};

/// Two accesses that race. Of all that there are for two sites this is the one found first.
struct Race {
  uint32_t currentSite = 0, priorSite = 0;
  uint32_t currentItem = 0, priorItem = 0; ///< flat numbers in the workgroup
  uint64_t address = 0;                    ///< of the current access
};

class RaceShadow {
public:
  /// `sites` outlive the shadow. The workgroup has `items` work-items; a subgroup are
  /// `subgroupSize` (1 to 64) consecutive ones, and the last one may be short.
  RaceShadow(llvm::ArrayRef<RaceSite> sites, uint32_t items, uint32_t subgroupSize);
  ~RaceShadow();

  /// Another workgroup begins: nothing was accessed, nobody waited, no race was found.
  void reset();

  /// Each work-item `firstItem` + l with bit l of `lanes` accesses `bytes` bytes from addresses[l]
  /// on, one after another. True when a race of two sites was found for the first time.
  bool access(uint32_t site, uint32_t firstItem, uint64_t lanes, const uint64_t *addresses,
              uint64_t bytes);
  /// These work-items arrive, wait, do both, or pass a fence, as the action of the site says. They
  /// are lanes of one subgroup.
  void sync(uint32_t site, uint32_t firstItem, uint64_t lanes);
  /// All work-items of the workgroup do.
  void syncAll(uint32_t site);

  /// One for each two sites, or site with itself, in the order in which they were found.
  llvm::ArrayRef<Race> races() const { return found; }
  /// Room for accesses that may still race, in records.
  size_t recordCount() const { return records.size(); }

private:
  static constexpr unsigned kMemories = 2; ///< workgroup, global
  static constexpr unsigned kGranule = 8;  ///< bytes; what is accessed of one are bits of a byte
  static constexpr unsigned kPageGranules = 512;
  static constexpr uint32_t kNone = ~uint32_t(0);

  /// What a work-item knows through atomic accesses: everything that others did earlier than this.
  struct Knowledge {
    uint32_t passed = 0;                    ///< barriers of the workgroup
    std::vector<uint32_t> items, subgroups; ///< clocks, and barriers of each; empty is all zeros

    void join(const Knowledge &other);
  };
  using PerMemory = std::array<Knowledge, kMemories>;

  /// How many releasing barriers a work-item has arrived at, and how many of them it knows to have
  /// been arrived at by all.
  struct Count {
    uint32_t arrived = 0, passed = 0;
  };
  struct Item {
    uint32_t clock = 0; ///< counts releases by atomic accesses and fences
    std::array<Count, kMemories> workgroup, subgroup;
    std::unique_ptr<PerMemory> known;
    /// Of the last releasing fence of each width, for atomic writes behind it; narrow ones are of
    /// the subgroup.
    std::unique_ptr<PerMemory> releasedNarrow, releasedWide;
    /// Seen by atomic reads, for acquiring fences behind them.
    std::unique_ptr<PerMemory> seenNarrow, seenWide;
  };
  /// What those know who arrived, by the number of the arrival modulo two: nobody arrives twice
  /// more before everybody has waited.
  struct Gate {
    uint32_t level = 0;
    std::array<std::unique_ptr<Knowledge>, 2> arrived;
  };
  /// What is released at an address by the work-items of one subgroup.
  struct Released {
    uint32_t subgroup;
    bool isWide;
    PerMemory known;
  };

  /// Accesses of one site to the same bytes of a granule, at the same time as far as order goes, by
  /// work-items of one subgroup.
  struct Record {
    uint32_t next;
    uint32_t site;
    uint32_t subgroup;
    uint32_t clock;
    std::array<uint32_t, kMemories> workgroupArrived, workgroupPassed, subgroupArrived;
    uint64_t lanes; ///< of the subgroup
    uint8_t bytes;

    bool isSameTime(const Record &other) const {
      return clock == other.clock && workgroupArrived == other.workgroupArrived &&
             workgroupPassed == other.workgroupPassed && subgroupArrived == other.subgroupArrived;
    }
  };
  struct Page {
    uint64_t generation = 0;
    std::array<uint32_t, kPageGranules> first; ///< record of each granule
  };

  uint32_t subgroupOf(uint32_t item) const { return item / subgroupSize; }
  uint32_t &granule(uint64_t number);
  void touch(uint32_t site, uint32_t item, uint64_t address, uint32_t &first, uint8_t bytes);
  bool isOver(const Record &record) const;
  uint64_t unordered(const Record &record, uint32_t item, const RaceSite &site) const;
  bool isOrdered(const Record &record, const Item &item, uint32_t subgroup, unsigned memory) const;
  void report(uint32_t site, uint32_t item, uint64_t address, const Record &prior, uint64_t lanes);

  void arrive(const RaceSite &site, uint32_t item);
  void wait(const RaceSite &site, uint32_t item);
  void fence(const RaceSite &site, uint32_t item);
  void acquire(const RaceSite &site, uint32_t item, uint64_t address);
  void release(const RaceSite &site, uint32_t item, uint64_t address);
  void releaseTo(uint64_t address, uint32_t subgroup, bool isWide, const PerMemory &known);
  void pass(const RaceSite &site, uint32_t item);
  void updateFloor(unsigned memory);
  PerMemory knowledgeOf(uint32_t item) const;
  Gate &gateOf(const RaceSite &site, uint32_t item, unsigned memory);

  llvm::ArrayRef<RaceSite> sites;
  uint32_t items, subgroupSize;
  std::vector<Item> states;
  std::array<Gate, kMemories> workgroupGates;
  std::vector<std::array<Gate, kMemories>> subgroupGates;
  /// What every work-item has passed, and how many have passed more.
  std::array<uint32_t, kMemories> floor = {}, ahead = {};
  llvm::DenseMap<uint64_t, std::vector<Released>> released;

  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastPageNumber = 0;
  Page *lastPage = nullptr;
  uint64_t generation = 1; ///< of pages that belong to this workgroup
  std::vector<Record> records;
  uint32_t firstFree = kNone;

  std::vector<Race> found;
  llvm::DenseMap<uint64_t, unsigned> pairs; ///< two sites, the smaller one in the high half
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_RACESHADOW_H
