//===- Descriptors.cpp - Look-up in the descriptor tables -----------------===//
#include "loom/Low/Descriptors.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <climits>
#include <string>
#include <vector>

using namespace llvm;

namespace loom {

namespace {

// Sources of the limits: the scalar and vector registers that an instruction can address (CDNA3
// ISA 3.1, RDNA3 ISA 3.3, RDNA4 ISA 3.3; LLVM's AMDGPU Usage for the 1024 of gfx1250). State: SCC
// is one bit, VCC one bit for each lane.
constexpr RegisterClassInfo kCDNAClasses[] = {
    {"amdgpu.sgpr", 32, 102, false}, {"amdgpu.vgpr", 32, 256, false},
    {"amdgpu.agpr", 32, 256, false}, {"amdgpu.scc", 32, 1, true},
    {"amdgpu.vcc", 32, 2, true},     {"amdgpu.m0", 32, 1, true},
};
// The same numbers as above, so that a class has one number in all AMDGPU sets. A limit of 0: the
// family lacks the class.
constexpr RegisterClassInfo kRDNAClasses[] = {
    {"amdgpu.sgpr", 32, 106, false}, {"amdgpu.vgpr", 32, 256, false}, {"amdgpu.agpr", 32, 0, false},
    {"amdgpu.scc", 32, 1, true},     {"amdgpu.vcc", 32, 1, true},     {"amdgpu.m0", 32, 1, true},
};
constexpr RegisterClassInfo kGFX1250Classes[] = {
    {"amdgpu.sgpr", 32, 106, false}, {"amdgpu.vgpr", 32, 1024, false},
    {"amdgpu.agpr", 32, 0, false},   {"amdgpu.scc", 32, 1, true},
    {"amdgpu.vcc", 32, 1, true},     {"amdgpu.m0", 32, 1, true},
};
// Without the stack pointer; AVX-512 doubles the vector registers, but the VEX encodings that the
// sets offer reach the first 16. Mask register k0 means "no mask" to an instruction.
constexpr RegisterClassInfo kX86Classes[] = {
    {"x86.gpr32", 32, 15, false}, {"x86.gpr64", 64, 15, false}, {"x86.xmm", 128, 16, false},
    {"x86.ymm", 256, 16, false},  {"x86.zmm", 512, 32, false},  {"x86.k", 64, 7, false},
};
// Values of a virtual machine: any number of them.
constexpr RegisterClassInfo kSPIRVClasses[] = {
    {"spirv.id", 0, USHRT_MAX, false},
    {"spirv.offset64", 0, USHRT_MAX, false},
    {"spirv.ptr.function", 0, USHRT_MAX, false},
    {"spirv.ptr.storage_buffer", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.i8", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.i8", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.i16", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.i16", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.i32", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.i32", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.i64", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.i64", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.f16", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.f16", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.f32", 0, USHRT_MAX, false},
    {"spirv.ptr.workgroup.array.f32", 0, USHRT_MAX, false},
};

#include "loom/Low/DescriptorTables.inc"

// Kernel arguments and positions that an AMDGPU wave receives in registers (LLVM's AMDGPU Usage,
// "Initial Kernel Execution State"); the built-in variables of SPIR-V are instructions.
constexpr LiveIn kLiveIns[] = {
    {"amdgpu.workitem_id.x", DescriptorFamily::AMDGPU, "amdgpu.vgpr", 1, LowValueType::None},
    {"amdgpu.workitem_id.y", DescriptorFamily::AMDGPU, "amdgpu.vgpr", 1, LowValueType::None},
    {"amdgpu.workitem_id.z", DescriptorFamily::AMDGPU, "amdgpu.vgpr", 1, LowValueType::None},
    {"amdgpu.workgroup_id.x", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 1, LowValueType::None},
    {"amdgpu.workgroup_id.y", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 1, LowValueType::None},
    {"amdgpu.workgroup_id.z", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 1, LowValueType::None},
    {"amdgpu.kernarg_segment_ptr", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 2, LowValueType::None},
    {"amdgpu.dispatch_ptr", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 2, LowValueType::None},
    {"amdgpu.queue_ptr", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 2, LowValueType::None},
    {"amdgpu.dispatch_id", DescriptorFamily::AMDGPU, "amdgpu.sgpr", 2, LowValueType::None},
    {"x86.workitem_id", DescriptorFamily::X86, "x86.gpr64", 1, LowValueType::None},
    {"x86.workgroup_id.x", DescriptorFamily::X86, "x86.gpr64", 1, LowValueType::None},
    {"x86.workgroup_id.y", DescriptorFamily::X86, "x86.gpr64", 1, LowValueType::None},
    {"x86.workgroup_id.z", DescriptorFamily::X86, "x86.gpr64", 1, LowValueType::None},
    {"x86.argument_ptr", DescriptorFamily::X86, "x86.gpr64", 1, LowValueType::None},
};

/// Set of a target row, and the set of the row's family if it has one. The rows are those of the
/// specification's table "Descriptor sets".
struct RowOfSet {
  const char *row, *set;
};
constexpr RowOfSet kAMDGPURows[] = {
    {"gfx940", "amdgpu.cdna3.core"},
    {"gfx941", "amdgpu.cdna3.core"},
    {"gfx942", "amdgpu.cdna3.core"},
    {"gfx950", "amdgpu.cdna4.core"},
    {"gfx1100", "amdgpu.rdna3.core"},
    {"gfx1101", "amdgpu.rdna3.core"},
    {"gfx1102", "amdgpu.rdna3.core"},
    {"gfx1103", "amdgpu.rdna3.core"},
    {"gfx1150", "amdgpu.rdna3_5.core"},
    {"gfx1151", "amdgpu.rdna3_5.core"},
    {"gfx1152", "amdgpu.rdna3_5.core"},
    {"gfx1153", "amdgpu.rdna3_5.core"},
    {"gfx1170", "amdgpu.rdna3_5.core"},
    {"gfx1171", "amdgpu.rdna3_5.core"},
    {"gfx1172", "amdgpu.rdna3_5.core"},
    {"gfx1200", "amdgpu.rdna4.core"},
    {"gfx1201", "amdgpu.rdna4.core"},
    {"gfx1250", "amdgpu.gfx1250.core"},
    {"gfx1251", "amdgpu.gfx1250.core"},
    {"gfx9-4-generic", "amdgpu.gfx9_4.generic.core"},
    {"gfx11-generic", "amdgpu.gfx11.generic.core"},
    {"gfx12-generic", "amdgpu.gfx12.generic.core"},
    {"gfx12-5-generic", "amdgpu.gfx12_5.generic.core"},
};

/// Members of the family sets.
struct Membership {
  const char *generic, *member;
};
constexpr Membership kMemberships[] = {
    {"amdgpu.gfx9_4.generic.core", "amdgpu.cdna3.core"},
    {"amdgpu.gfx9_4.generic.core", "amdgpu.cdna4.core"},
    {"amdgpu.gfx11.generic.core", "amdgpu.rdna3.core"},
    {"amdgpu.gfx11.generic.core", "amdgpu.rdna3_5.core"},
    {"amdgpu.gfx12.generic.core", "amdgpu.rdna4.core"},
    {"amdgpu.gfx12_5.generic.core", "amdgpu.gfx1250.core"},
};

} // namespace

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

StringRef DescriptorImmediate::getName() const { return kNames + nameOffset; }
StringRef Descriptor::getName() const { return kNames + nameOffset; }
StringRef Descriptor::getOpcodeName() const { return kNames + opcodeOffset; }

ArrayRef<DescriptorOperand> Descriptor::results() const {
  return ArrayRef(kOperands + firstOperand, numResults);
}
ArrayRef<DescriptorOperand> Descriptor::operands() const {
  return ArrayRef(kOperands + firstOperand + numResults, numOperands);
}
ArrayRef<DescriptorImmediate> Descriptor::immediates() const {
  return ArrayRef(kImmediates + firstImmediate, numImmediates);
}

const DescriptorImmediate *Descriptor::findImmediate(StringRef name) const {
  for (const DescriptorImmediate &immediate : immediates())
    if (!immediate.fixed && immediate.getName() == name)
      return &immediate;
  return nullptr;
}

std::string Descriptor::literalName(unsigned operand) const {
  return numOperands == 1 ? "imm32" : "src" + std::to_string(operand);
}

int Descriptor::findLiteral(StringRef name) const {
  for (auto [i, operand] : enumerate(operands()))
    if (operand.literal != LiteralKind::None && literalName(i) == name)
      return i;
  return -1;
}

std::pair<int64_t, int64_t> Descriptor::literalRange(unsigned operand) const {
  if (operands()[operand].literal == LiteralKind::Inline)
    return {-16, 64};
  return {INT32_MIN, UINT32_MAX};
}

bool Descriptor::isPure() const {
  return !has(DescriptorEffect::Loads | DescriptorEffect::Stores | DescriptorEffect::SideEffects |
              DescriptorEffect::Branches | DescriptorEffect::Convergent |
              DescriptorEffect::WritesExec);
}

bool Descriptor::hasOptionalOperand() const {
  if (operands().empty() || operands().back().tied < 0)
    return false;
  return results()[operands().back().tied].part != RegisterPart::Whole;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

const RegisterClassInfo *DescriptorSet::findClass(StringRef name) const {
  for (const RegisterClassInfo &info : classes())
    if (name == info.name && info.limit)
      return &info;
  return nullptr;
}

const Descriptor *DescriptorSet::find(StringRef mnemonic) const {
  StringRef bare = mnemonic;
  if (bare.consume_front(stringifyFamily(family)))
    if (!bare.consume_front("."))
      bare = mnemonic;
  auto it =
      llvm::lower_bound(descriptors(), bare, [](const Descriptor &descriptor, StringRef name) {
        return descriptor.getName() < name;
      });
  return it != descriptors().end() && it->getName() == bare ? &*it : nullptr;
}

std::string DescriptorSet::suggest(StringRef mnemonic) const {
  std::vector<std::string> names;
  for (const Descriptor &descriptor : descriptors())
    names.push_back(descriptor.getName().str());
  return didYouMean(mnemonic, names);
}

ArrayRef<DescriptorSet> descriptorSets() { return kSets; }

const DescriptorSet *lookupDescriptorSet(StringRef key) {
  // Another spelling of the set of gfx1250 and gfx1251.
  if (key == "amdgpu.rdna4.gfx125x.core")
    key = "amdgpu.gfx1250.core";
  for (const DescriptorSet &set : kSets)
    if (key == set.key)
      return &set;
  return nullptr;
}

std::string suggestDescriptorSet(StringRef key) {
  std::vector<std::string> keys;
  for (const DescriptorSet &set : kSets)
    keys.push_back(set.key);
  return didYouMean(key, keys);
}

const DescriptorSet *descriptorSetOfRow(StringRef family, StringRef row) {
  if (family == "spirv")
    return lookupDescriptorSet("spirv.logical.core");
  if (family == "x86")
    return lookupDescriptorSet(("x86." + row.str() + ".core"));
  if (family == "amdgpu")
    for (const RowOfSet &entry : kAMDGPURows)
      if (row == entry.row)
        return lookupDescriptorSet(entry.set);
  return nullptr;
}

bool isFamilyOf(const DescriptorSet &generic, const DescriptorSet &concrete) {
  return llvm::any_of(kMemberships, [&](const Membership &entry) {
    return generic.getKey() == entry.generic && concrete.getKey() == entry.member;
  });
}

bool satisfiesDescriptorSet(const DescriptorSet &caller, const DescriptorSet &callee) {
  return &caller == &callee || isFamilyOf(callee, caller);
}

//===----------------------------------------------------------------------===//
// Live-in values
//===----------------------------------------------------------------------===//

const LiveIn *lookupLiveIn(StringRef key) {
  for (const LiveIn &liveIn : kLiveIns)
    if (key == liveIn.key)
      return &liveIn;
  return nullptr;
}

std::string suggestLiveIn(StringRef key, DescriptorFamily family) {
  std::vector<std::string> keys;
  for (const LiveIn &liveIn : kLiveIns)
    if (liveIn.family == family)
      keys.push_back(liveIn.key);
  return didYouMean(key, keys);
}

} // namespace loom
