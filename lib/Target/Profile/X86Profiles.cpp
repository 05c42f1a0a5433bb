//===- X86Profiles.cpp - The x86 profile table ----------------------------===//
//
// The x86 device is Loom's own, so its limits are ours: a subgroup of 16 work-items (design
// decision 8) or of the size that a key asks for, the workgroup limits of the AMDGPU profiles, so
// that a kernel that is checked on x86 has room for what it uses there, and 64 KiB of workgroup
// storage. The processor names are the micro-architecture levels of the x86-64 psABI, section
// "Micro-Architecture Levels".
//
//===----------------------------------------------------------------------===//
#include "Profiles.h"

using namespace llvm;

namespace loom {
namespace {

constexpr TargetProfile row(const char *key, const char *cpu, unsigned subgroupSize = 16) {
  return {TargetFamily::X86,  key,       cpu, false, subgroupSize, WaitCounterModel::None, 1024,
          {1024, 1024, 1024}, 64 * 1024, 64,  {}};
}

constexpr TargetProfile profiles[] = {
    row("native", "native"),
    row("avx2", "x86-64-v3"),
    row("avx512", "x86-64-v4"),
    row("native+subgroup8", "native", 8),
    row("native+subgroup32", "native", 32),
    row("native+subgroup64", "native", 64),
    row("avx2+subgroup8", "x86-64-v3", 8),
    row("avx2+subgroup32", "x86-64-v3", 32),
    row("avx2+subgroup64", "x86-64-v3", 64),
    row("avx512+subgroup8", "x86-64-v4", 8),
    row("avx512+subgroup32", "x86-64-v4", 32),
    row("avx512+subgroup64", "x86-64-v4", 64),
};

constexpr ProfileAlias aliases[] = {{"v3", "avx2"}, {"v4", "avx512"}};

} // namespace

ArrayRef<TargetProfile> x86Profiles() { return profiles; }
ArrayRef<ProfileAlias> x86ProfileAliases() { return aliases; }

} // namespace loom
