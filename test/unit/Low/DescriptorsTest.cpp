//===- DescriptorsTest.cpp - Look-up in the descriptor tables -------------===//
#include "loom/Low/Descriptors.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using namespace loom;
using testing::HasSubstr;

namespace {

const DescriptorSet &set(const char *key) {
  const DescriptorSet *found = lookupDescriptorSet(key);
  EXPECT_NE(found, nullptr) << key;
  return *found;
}

const Descriptor &instruction(const char *key, const char *name) {
  const Descriptor *found = set(key).find(name);
  EXPECT_NE(found, nullptr) << key << " " << name;
  return *found;
}

const char kGFX11[] = "amdgpu.gfx11.generic.core";

TEST(Descriptors, EveryKeyOfTheSpecificationHasASet) {
  for (const char *key :
       {"amdgpu.cdna3.core", "amdgpu.cdna4.core", "amdgpu.rdna3.core", "amdgpu.rdna3_5.core",
        "amdgpu.rdna4.core", "amdgpu.gfx1250.core", "amdgpu.gfx9_4.generic.core",
        "amdgpu.gfx11.generic.core", "amdgpu.gfx12.generic.core", "amdgpu.gfx12_5.generic.core",
        "spirv.logical.core", "x86.scalar.core", "x86.simd128.core", "x86.avx2.core",
        "x86.avx512.core", "x86.packed_dot.core", "x86.avx512_packed_dot.core"})
    EXPECT_NE(lookupDescriptorSet(key), nullptr) << key;
  EXPECT_EQ(lookupDescriptorSet("amdgpu.rdna4.gfx125x.core"),
            lookupDescriptorSet("amdgpu.gfx1250.core"));
  EXPECT_EQ(lookupDescriptorSet("amdgpu.gfx11.core"), nullptr);
  EXPECT_THAT(suggestDescriptorSet("amdgpu.rdna3.cor"),
              HasSubstr("did you mean 'amdgpu.rdna3.core'"));
}

TEST(Descriptors, NamesAreSortedAndUnique) {
  for (const DescriptorSet &table : descriptorSets()) {
    std::string last;
    for (const Descriptor &descriptor : table.descriptors()) {
      EXPECT_LT(last, descriptor.getName().str()) << table.getKey().str();
      last = descriptor.getName().str();
      EXPECT_EQ(table.find(last), &descriptor);
    }
    EXPECT_GT(table.descriptors().size(), 90u) << table.getKey().str();
  }
}

TEST(Descriptors, AnEntrySaysWhatTheInstructionIs) {
  const Descriptor &load = instruction(kGFX11, "global_load_b32_saddr");
  EXPECT_EQ(load.getOpcodeName(), "GLOBAL_LOAD_DWORD_SADDR");
  ASSERT_EQ(load.results().size(), 1u);
  ASSERT_EQ(load.operands().size(), 2u);
  EXPECT_EQ(load.operands()[0].units, 1u); // the lane's offset is printed first
  EXPECT_EQ(load.operands()[0].slot, 2u);
  EXPECT_EQ(load.operands()[1].units, 2u); // then the scalar base
  EXPECT_EQ(load.operands()[1].slot, 1u);
  EXPECT_TRUE(load.has(DescriptorEffect::Loads));
  EXPECT_FALSE(load.has(DescriptorEffect::Stores));
  EXPECT_FALSE(load.isPure());
  EXPECT_TRUE(load.implicitUses & ImplicitRegister::Exec);
  // RDNA3 ISA: signed 13 bits; RDNA4 ISA: signed 24 bits.
  const DescriptorImmediate *offset = load.findImmediate("offset");
  ASSERT_NE(offset, nullptr);
  EXPECT_FALSE(offset->required);
  EXPECT_EQ(offset->defaultValue, 0);
  EXPECT_EQ(offset->min, -4096);
  EXPECT_EQ(offset->max, 4095);
  offset = instruction("amdgpu.rdna4.core", "global_load_b32_saddr").findImmediate("offset");
  ASSERT_NE(offset, nullptr);
  EXPECT_EQ(offset->min, -8388608);
  EXPECT_EQ(offset->max, 8388607);
  offset = instruction(kGFX11, "ds_load_b32").findImmediate("offset");
  ASSERT_NE(offset, nullptr);
  EXPECT_EQ(offset->min, 0);
  EXPECT_EQ(offset->max, 65535);
}

TEST(Descriptors, NumbersStandForRegistersWhereTheEncodingHasThem) {
  const Descriptor &move = instruction(kGFX11, "s_mov_b32");
  EXPECT_EQ(move.findLiteral("imm32"), 0);
  EXPECT_EQ(move.literalRange(0), std::pair(int64_t(INT32_MIN), int64_t(UINT32_MAX)));
  const Descriptor &shift = instruction(kGFX11, "v_lshlrev_b32");
  EXPECT_EQ(shift.findLiteral("src0"), 0);
  EXPECT_EQ(shift.findLiteral("src1"), 1);
  EXPECT_EQ(shift.findLiteral("src2"), -1);
  // The long vector encoding of GFX9 has no room for a literal (CDNA3 ISA, "VOP3").
  const Descriptor &fma = instruction("amdgpu.cdna3.core", "v_fma_f32");
  EXPECT_EQ(fma.literalRange(0), std::pair(int64_t(-16), int64_t(64)));
  EXPECT_EQ(instruction(kGFX11, "global_load_b32").findLiteral("imm32"), -1);
}

TEST(Descriptors, TiedOperandsShareTheResult) {
  const Descriptor &fmac = instruction(kGFX11, "v_fmac_f32");
  ASSERT_EQ(fmac.operands().size(), 3u);
  EXPECT_EQ(fmac.operands()[0].tied, -1);
  EXPECT_EQ(fmac.operands()[2].tied, 0);
  const Descriptor &wmma = instruction(kGFX11, "v_wmma_f32_16x16x16_f16");
  ASSERT_EQ(wmma.operands().size(), 3u);
  EXPECT_EQ(wmma.operands()[2].tied, 0);
  EXPECT_EQ(wmma.operands()[2].units, 8u);
}

TEST(Descriptors, PhysicalStateIsHandedOnAsValues) {
  const Descriptor &compare = instruction(kGFX11, "s_cmp_lt_u32");
  ASSERT_EQ(compare.results().size(), 1u);
  const RegisterClassInfo *scc = set(kGFX11).findClass("amdgpu.scc");
  ASSERT_NE(scc, nullptr);
  EXPECT_TRUE(scc->isState);
  unsigned sccBit = 1u << (scc - set(kGFX11).classes().data());
  EXPECT_EQ(compare.results()[0].classes, sccBit);
  EXPECT_EQ(compare.results()[0].slot, DescriptorOperand::kImplicitSlot);
  const Descriptor &select = instruction(kGFX11, "s_cselect_b32");
  ASSERT_EQ(select.operands().size(), 3u);
  EXPECT_EQ(select.operands()[2].classes, sccBit);
  // An addition keeps its carry to itself unless it is asked for.
  EXPECT_EQ(instruction(kGFX11, "s_add_u32").results().size(), 1u);
  EXPECT_EQ(instruction(kGFX11, "s_add_u32_scc").results().size(), 2u);
}

TEST(Descriptors, HandWrittenNames) {
  EXPECT_EQ(instruction(kGFX11, "v_mov_b32_copy").getOpcodeName(), "V_MOV_B32_e32");
  const Descriptor &base = instruction(kGFX11, "s_mov_b64_shared_base");
  EXPECT_EQ(base.getOpcodeName(), "S_MOV_B64");
  EXPECT_TRUE(base.operands().empty());
  ASSERT_EQ(base.immediates().size(), 1u);
  EXPECT_EQ(base.immediates()[0].getName(), "$SRC_SHARED_BASE");
  EXPECT_EQ(base.findImmediate("$SRC_SHARED_BASE"), nullptr); // not for the program to give
}

TEST(Descriptors, OneInstructionAnswersToItsNamesInOtherSets) {
  const Descriptor &dword = instruction(kGFX11, "flat_load_dword");
  EXPECT_TRUE(dword.isAlias);
  EXPECT_EQ(dword.getOpcodeName(), instruction(kGFX11, "flat_load_b32").getOpcodeName());
  EXPECT_EQ(instruction("amdgpu.cdna3.core", "global_load_b32_saddr").getOpcodeName(),
            "GLOBAL_LOAD_DWORD_SADDR");
  EXPECT_EQ(set(kGFX11).find("amdgpu.v_add_f32"), set(kGFX11).find("v_add_f32"));
  EXPECT_EQ(set(kGFX11).find("x86.v_add_f32"), nullptr);
}

TEST(Descriptors, WhatIsNotOfferedIsNotThere) {
  for (const DescriptorSet &table : descriptorSets())
    for (const char *name : {"v_fma_dx9_zero_f32", "v_fmac_dx9_zero_f32", "v_fma_legacy_f32",
                             "v_fmac_legacy_f32", "s_branch_pad_s_nop"})
      EXPECT_EQ(table.find(name), nullptr) << table.getKey().str() << " " << name;
  // Scalar floats came with RDNA 3.5.
  EXPECT_NE(set("amdgpu.rdna3_5.core").find("s_mul_f32"), nullptr);
  EXPECT_EQ(set("amdgpu.rdna3.core").find("s_mul_f32"), nullptr);
  EXPECT_EQ(set(kGFX11).find("s_mul_f32"), nullptr);
  EXPECT_THAT(set(kGFX11).suggest("v_add_f23"), HasSubstr("v_add_f"));
}

TEST(Descriptors, BranchesAreMarked) {
  EXPECT_TRUE(instruction(kGFX11, "s_cbranch_scc0").has(DescriptorEffect::Branches));
  EXPECT_TRUE(instruction(kGFX11, "s_endpgm").has(DescriptorEffect::Branches));
  EXPECT_FALSE(instruction(kGFX11, "s_barrier").has(DescriptorEffect::Branches));
  EXPECT_TRUE(instruction(kGFX11, "s_barrier").has(DescriptorEffect::SideEffects));
}

/// A family set has nothing that a member lacks, and never admits more than a member.
TEST(Descriptors, FamilySetsAreIntersections) {
  unsigned checked = 0;
  for (const DescriptorSet &family : descriptorSets())
    for (const DescriptorSet &member : descriptorSets()) {
      if (!isFamilyOf(family, member))
        continue;
      ++checked;
      EXPECT_TRUE(family.isGeneric());
      EXPECT_FALSE(member.isGeneric());
      for (const Descriptor &mine : family.descriptors()) {
        const Descriptor *theirs = member.find(mine.getName());
        ASSERT_NE(theirs, nullptr) << member.getKey().str() << " " << mine.getName().str();
        EXPECT_EQ(mine.getOpcodeName(), theirs->getOpcodeName()) << mine.getName().str();
        ASSERT_EQ(mine.operands().size(), theirs->operands().size()) << mine.getName().str();
        ASSERT_EQ(mine.results().size(), theirs->results().size()) << mine.getName().str();
        for (unsigned i = 0; i < mine.operands().size(); ++i) {
          const DescriptorOperand &a = mine.operands()[i], &b = theirs->operands()[i];
          EXPECT_EQ(a.classes & b.classes, a.classes);
          EXPECT_EQ(a.units, b.units);
          EXPECT_LE(a.literal, b.literal);
        }
        for (const DescriptorImmediate &immediate : mine.immediates()) {
          if (immediate.fixed)
            continue;
          const DescriptorImmediate *other = theirs->findImmediate(immediate.getName());
          ASSERT_NE(other, nullptr) << mine.getName().str();
          EXPECT_GE(immediate.min, other->min);
          EXPECT_LE(immediate.max, other->max);
        }
      }
    }
  EXPECT_EQ(checked, 6u);
}

TEST(Descriptors, RowsHaveSets) {
  EXPECT_EQ(descriptorSetOfRow("amdgpu", "gfx1151"), &set("amdgpu.rdna3_5.core"));
  EXPECT_EQ(descriptorSetOfRow("amdgpu", "gfx11-generic"), &set(kGFX11));
  EXPECT_EQ(descriptorSetOfRow("amdgpu", "gfx941"), &set("amdgpu.cdna3.core"));
  EXPECT_EQ(descriptorSetOfRow("x86", "avx512_packed_dot"), &set("x86.avx512_packed_dot.core"));
  EXPECT_EQ(descriptorSetOfRow("spirv", "vulkan1_3"), &set("spirv.logical.core"));
  EXPECT_EQ(descriptorSetOfRow("amdgpu", "gfx600"), nullptr);
  EXPECT_EQ(descriptorSetOfRow("", ""), nullptr);
}

TEST(Descriptors, HelpersOfAFamilyServeItsMembersOnly) {
  EXPECT_TRUE(satisfiesDescriptorSet(set("amdgpu.rdna3_5.core"), set(kGFX11)));
  EXPECT_TRUE(satisfiesDescriptorSet(set(kGFX11), set(kGFX11)));
  EXPECT_FALSE(satisfiesDescriptorSet(set(kGFX11), set("amdgpu.rdna3_5.core")));
  EXPECT_FALSE(satisfiesDescriptorSet(set("amdgpu.rdna4.core"), set(kGFX11)));
  EXPECT_FALSE(satisfiesDescriptorSet(set("x86.avx2.core"), set("x86.scalar.core")));
}

TEST(Descriptors, RegisterClassesHaveLimits) {
  EXPECT_EQ(set(kGFX11).findClass("amdgpu.vgpr")->limit, 256u);
  EXPECT_EQ(set(kGFX11).findClass("amdgpu.sgpr")->limit, 106u);
  EXPECT_EQ(set(kGFX11).findClass("amdgpu.agpr"), nullptr); // CDNA only
  EXPECT_EQ(set("amdgpu.cdna3.core").findClass("amdgpu.agpr")->limit, 256u);
  EXPECT_EQ(set("amdgpu.gfx1250.core").findClass("amdgpu.vgpr")->limit, 1024u);
  EXPECT_EQ(set("x86.avx2.core").findClass("x86.ymm")->unitBits, 256u);
  EXPECT_EQ(set("spirv.logical.core").findClass("spirv.id")->unitBits, 0u);
  EXPECT_EQ(set(kGFX11).findClass("x86.ymm"), nullptr);
}

TEST(Descriptors, SPIRVOperandsHaveValueTypes) {
  const Descriptor &select = instruction("spirv.logical.core", "OpSelect.f32");
  ASSERT_EQ(select.operands().size(), 3u);
  EXPECT_EQ(select.operands()[0].valueType, LowValueType::I1);
  EXPECT_EQ(select.results()[0].valueType, LowValueType::F32);
  EXPECT_EQ(instruction("spirv.logical.core", "OpIAdd").results()[0].valueType, LowValueType::I32);
  const DescriptorImmediate *value =
      instruction("spirv.logical.core", "OpConstant.f32").findImmediate("value");
  ASSERT_NE(value, nullptr);
  EXPECT_TRUE(value->isFloat);
  EXPECT_TRUE(value->required);
}

TEST(Descriptors, LiveInValues) {
  const LiveIn *lane = lookupLiveIn("amdgpu.workitem_id.x");
  ASSERT_NE(lane, nullptr);
  EXPECT_STREQ(lane->registerClass, "amdgpu.vgpr");
  EXPECT_EQ(lookupLiveIn("amdgpu.workitem_id.w"), nullptr);
  EXPECT_EQ(suggestLiveIn("amdgpu.workitem_id.w", DescriptorFamily::SPIRV), "");
  EXPECT_THAT(suggestLiveIn("amdgpu.dispatch_prt", DescriptorFamily::AMDGPU),
              HasSubstr("amdgpu.dispatch_ptr"));
}

} // namespace
