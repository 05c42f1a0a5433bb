//===- AMDGPUProfiles.cpp - The AMDGPU profile table ----------------------===//
//
// Sources, by column:
//  - keys: the processors of LLVM 22 for which its AMDGPU Usage document defines an HSA code
//    object; gfx940 and gfx941 are no longer among them.
//  - subgroup size: wave64 is the only mode of CDNA3/CDNA4; RDNA3, RDNA4 and gfx1250 default to
//    wave32 (ISA manuals, section "Wave32 and Wave64").
//  - wait counters: CDNA3 ISA 4.4 "Manually Inserted Wait States" (vmcnt, lgkmcnt); RDNA3 ISA 4.4
//    (vmcnt, vscnt, lgkmcnt); RDNA4 ISA 4.4 (one counter and instruction per kind).
//  - workgroup sizes: HSA runtime limits of the ROCm agents, 1024 work-items in all.
//  - storage: LDS that one workgroup can address. 64 KiB on CDNA3, RDNA3 and RDNA4 (ISA manuals,
//    section "Data Share"), 160 KiB on CDNA4 (CDNA4 ISA, "Local Data Share"), 320 KiB on gfx1250
//    (LLVM's feature addressablelocalmemorysize327680).
//  - global offset: signed 13 bits in FLAT/GLOBAL encodings of CDNA3 and RDNA3 (ISA manuals,
//    table "FLAT, Scratch and Global"), signed 24 bits in RDNA4's VGLOBAL (RDNA4 ISA 12.6).
//  - residency: 8 waves and 512 registers in units of 8 on CDNA3/4; 16 waves on RDNA3 and RDNA4
//    with 1536 registers in units of 24 where the part has the larger register file (gfx1100,
//    gfx1101, gfx1151, gfx1200, gfx1201; LLVM's feature 1_5xvgprs) and 1024 in units of 16
//    otherwise. LLVM's kernel resource remarks agree with this column, which test/unit/Target
//    checks.
//
//===----------------------------------------------------------------------===//
#include "Profiles.h"

using namespace llvm;

namespace loom {
namespace {

constexpr unsigned KiB = 1024;

constexpr AMDGPUFacts cdnaFacts = {13, 8, 512, 8};
constexpr AMDGPUFacts rdna3Facts = {13, 16, 1024, 16};
constexpr AMDGPUFacts rdna3LargeFacts = {13, 16, 1536, 24};
constexpr AMDGPUFacts rdna4Facts = {24, 16, 1536, 24};
constexpr AMDGPUFacts gfx1250Facts = {24, 16, 1024, 16};

constexpr TargetProfile row(const char *key, bool generic, unsigned subgroupSize,
                            WaitCounterModel waits, unsigned storageBytes, AMDGPUFacts facts) {
  return {TargetFamily::AMDGPU, key,          key, generic, subgroupSize, waits, 1024,
          {1024, 1024, 1024},   storageBytes, 64,  facts};
}

constexpr auto vmLgkm = WaitCounterModel::VmLgkm;
constexpr auto vmVsLgkm = WaitCounterModel::VmVsLgkm;
constexpr auto separate = WaitCounterModel::Separate;

constexpr TargetProfile profiles[] = {
    row("gfx9-4-generic", true, 64, vmLgkm, 64 * KiB, cdnaFacts),
    row("gfx942", false, 64, vmLgkm, 64 * KiB, cdnaFacts),
    row("gfx950", false, 64, vmLgkm, 160 * KiB, cdnaFacts),
    row("gfx11-generic", true, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx1100", false, 32, vmVsLgkm, 64 * KiB, rdna3LargeFacts),
    row("gfx1101", false, 32, vmVsLgkm, 64 * KiB, rdna3LargeFacts),
    row("gfx1102", false, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx1103", false, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx1150", false, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx1151", false, 32, vmVsLgkm, 64 * KiB, rdna3LargeFacts),
    row("gfx1152", false, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx1153", false, 32, vmVsLgkm, 64 * KiB, rdna3Facts),
    row("gfx12-generic", true, 32, separate, 64 * KiB, rdna4Facts),
    row("gfx1200", false, 32, separate, 64 * KiB, rdna4Facts),
    row("gfx1201", false, 32, separate, 64 * KiB, rdna4Facts),
    row("gfx1250", false, 32, separate, 320 * KiB, gfx1250Facts),
};

} // namespace

ArrayRef<TargetProfile> amdgpuProfiles() { return profiles; }

// Members of the generic processors: AMDGPU Usage, table "Generic AMDGPU Processors".
StringRef amdgpuGenericOf(StringRef key) {
  if (key == "gfx942" || key == "gfx950")
    return "gfx9-4-generic";
  if (key == "gfx1200" || key == "gfx1201")
    return "gfx12-generic";
  if (key.starts_with("gfx110") || key.starts_with("gfx115"))
    return "gfx11-generic";
  return "";
}

} // namespace loom
