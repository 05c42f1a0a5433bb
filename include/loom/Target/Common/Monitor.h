//===- Monitor.h - What an instrumented kernel calls ------------*- C++ -*-===//
//
// An x86 kernel that was lowered with LoweringOptions::monitor finds the address of a Monitor in
// the slot of its argument block behind those of its parameters. One monitor serves one launch: the
// threads that run its workgroups share it, so that its functions have to be reentrant. A workgroup
// stays on one thread, and its work-items run in blocks of consecutive ones.
//
// Sites number LoweredModule::sites. Work-items are named by the flat number of their workgroup,
// the flat number in the workgroup of lane 0 of a block, and a set of lanes as bits, lane 0 lowest;
// arrays have one entry per lane, and entries of other lanes are arbitrary.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_COMMON_MONITOR_H
#define LOOM_TARGET_COMMON_MONITOR_H

#include <cstddef>
#include <cstdint>

namespace loom {

struct Monitor {
  /// A check failed in `lanes`, which may be empty. `first` and `second` are the two numbers of the
  /// site's message. May leave the kernel by a jump: its frames hold nothing.
  void (*report)(const Monitor *monitor, uint32_t site, int64_t workgroup, int64_t firstItem,
                 uint64_t lanes, const int64_t *first, const int64_t *second);

  /// `lanes`, which may be empty, access SanitizerSite::bytes bytes from an address on each, or as
  /// many as `bytes` says; null unless the kernel was lowered with SanitizerChecks::race, as the
  /// functions below.
  void (*raceAccess)(const Monitor *monitor, uint32_t site, int64_t workgroup, int64_t firstItem,
                     uint64_t lanes, const uint64_t *addresses, const int64_t *bytes);
  /// `lanes` pass a synchronization; one call for each block of the workgroup that passes it, or,
  /// with `firstItem` < 0, one for the whole workgroup.
  void (*raceSync)(const Monitor *monitor, uint32_t site, int64_t workgroup, int64_t firstItem,
                   uint64_t lanes);
  /// A workgroup begins; the one before on this thread is at its end.
  void (*raceGroup)(const Monitor *monitor, int64_t workgroup);

  /// For each parameter that is a buffer its number of bytes; 0 for others.
  const int64_t *bufferBytes;
};

// The lowering knows where the fields lie.
static_assert(offsetof(Monitor, report) == 0 && offsetof(Monitor, raceAccess) == 8 &&
              offsetof(Monitor, raceSync) == 16 && offsetof(Monitor, raceGroup) == 24 &&
              offsetof(Monitor, bufferBytes) == 32);

} // namespace loom

#endif // LOOM_TARGET_COMMON_MONITOR_H
