//===- TargetProfile.h - What a compilation target promises -----*- C++ -*-===//
//
// A profile is one row of the table of its family: `amdgpu:gfx1151`, `x86:avx2`. It holds facts
// that are fixed by the hardware or by the ABI, each with its source in the table
// (lib/Target/Profile/*.cpp). Passes ask the profile; they never compare architecture names.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_TARGETPROFILE_H
#define LOOM_TARGET_TARGETPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loom {

enum class TargetFamily { AMDGPU, X86 };

/// Name of a family as the `--target` flag and the reports spell it: "amdgpu", "x86".
llvm::StringRef stringifyFamily(TargetFamily family);

/// How the hardware counts outstanding vector-memory requests.
enum class WaitCounterModel {
  None,     ///< x86
  VmLgkm,   ///< GFX9: vmcnt (loads and stores), lgkmcnt, expcnt in one s_waitcnt
  VmVsLgkm, ///< GFX10/GFX11: vmcnt (loads), vscnt (stores) in its own instruction, lgkmcnt
  Separate, ///< GFX12: loadcnt, storecnt, dscnt, kmcnt, each with its own instruction
};

/// Facts that only AMDGPU hardware has. All zero for other families.
struct AMDGPUFacts {
  /// Width of the signed byte offset in a global memory instruction.
  unsigned globalOffsetBits;
  /// Subgroups that one SIMD can keep resident when nothing else limits them.
  unsigned maxSubgroupsPerSimd;
  /// Registers per lane that the resident subgroups of one SIMD share, and the unit in which a
  /// subgroup receives them, for the profile's default subgroup size.
  unsigned vectorRegistersPerSimd;
  unsigned vectorRegisterGranule;
};

/// One target profile. Instances live in static tables; references stay valid for the process.
struct TargetProfile {
  TargetFamily family;
  /// Selector after the colon and key in reports, for example "gfx1151" or "avx2".
  const char *key;
  /// Processor name for LLVM's target machine; "native" stands for the processor of this host.
  const char *cpu;
  /// True for a `gfxN-generic` profile, which runs on every member of the family.
  bool generic;
  /// Default number of work-items in a subgroup.
  unsigned subgroupSize;
  WaitCounterModel waitCounters;
  /// Work-items in one workgroup, and per dimension.
  unsigned maxFlatWorkgroupSize;
  unsigned maxWorkgroupSize[3];
  /// LDS bytes one workgroup may allocate.
  unsigned maxWorkgroupStorageBytes;
  /// Bits of `index` and `offset` in a kernel argument block (design decision 11).
  unsigned kernargIndexBits = 64;
  AMDGPUFacts amdgpu = {};
};

/// What a launch may have at most. The default is what every profile allows in a workgroup, and the
/// 2^32 - 1 work-items of a dimension that an AQL dispatch packet can say; the x86 device takes as
/// many, for the same programs to run.
struct LaunchLimits {
  int64_t flatWorkgroupSize = 1024;
  std::array<int64_t, 3> workgroupSize = {1024, 1024, 1024};
  /// Work-items in each dimension, and in all of them.
  std::array<int64_t, 3> gridSize = {4294967295, 4294967295, 4294967295};
  int64_t flatGridSize = INT64_MAX;
  std::array<int64_t, 3> workgroups = {INT64_MAX, INT64_MAX, INT64_MAX};
  int64_t storageBytes = 65536; ///< of workgroup memory
};

/// The limits of kernels that are compiled for `profile`.
LaunchLimits launchLimits(const TargetProfile &profile);

/// The profile named by `spelling` ("amdgpu:gfx1151"). A bare selector ("gfx1151") is accepted
/// when `defaultFamily` is given. Returns null for an unknown name; `suggestions` then receives
/// the spellings nearest to it.
const TargetProfile *lookupTargetProfile(llvm::StringRef spelling,
                                         std::optional<TargetFamily> defaultFamily = std::nullopt,
                                         std::vector<std::string> *suggestions = nullptr);

/// Every profile that can be compiled for, in table order.
llvm::ArrayRef<TargetProfile> targetProfiles(TargetFamily family);

/// True when code compiled for `required` may run as part of `actual`: the same profile, or
/// `required` is the generic profile of the family that `actual` belongs to.
bool satisfiesTarget(const TargetProfile &actual, const TargetProfile &required);

} // namespace loom

#endif // LOOM_TARGET_TARGETPROFILE_H
