//===- TargetProfileTest.cpp - Names and relations of profiles ------------===//
#include "loom/Target/TargetProfile.h"
#include "llvm/ADT/Twine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace loom;
using testing::Contains;
using testing::IsEmpty;

static const TargetProfile &profile(StringRef spelling) {
  const TargetProfile *found = lookupTargetProfile(spelling);
  EXPECT_NE(found, nullptr) << spelling.str();
  return *found;
}

TEST(TargetProfile, EveryProfileIsFoundByItsFullSpelling) {
  for (TargetFamily family : {TargetFamily::AMDGPU, TargetFamily::X86}) {
    EXPECT_FALSE(targetProfiles(family).empty());
    for (const TargetProfile &row : targetProfiles(family)) {
      std::string spelling = (Twine(stringifyFamily(family)) + ":" + row.key).str();
      EXPECT_EQ(lookupTargetProfile(spelling), &row) << spelling;
      EXPECT_EQ(row.family, family);
    }
  }
}

TEST(TargetProfile, BareSelectorNeedsADefaultFamily) {
  EXPECT_EQ(lookupTargetProfile("gfx1151"), nullptr);
  EXPECT_EQ(lookupTargetProfile("gfx1151", TargetFamily::AMDGPU), &profile("amdgpu:gfx1151"));
  EXPECT_EQ(lookupTargetProfile("gfx1151", TargetFamily::X86), nullptr);
  // A family in the spelling wins over the default.
  EXPECT_EQ(lookupTargetProfile("x86:avx2", TargetFamily::AMDGPU), &profile("x86:avx2"));
}

TEST(TargetProfile, LevelsOfX86HaveTwoSpellings) {
  EXPECT_EQ(&profile("x86:v3"), &profile("x86:avx2"));
  EXPECT_EQ(&profile("x86:v4"), &profile("x86:avx512"));
  EXPECT_STREQ(profile("x86:v3").cpu, "x86-64-v3");
  EXPECT_EQ(profile("x86:native").subgroupSize, 16u);
}

TEST(TargetProfile, UnknownNamesGetNearMatches) {
  std::vector<std::string> suggestions;
  EXPECT_EQ(lookupTargetProfile("amdgpu:gfx1511", std::nullopt, &suggestions), nullptr);
  EXPECT_THAT(suggestions, Contains("amdgpu:gfx1151"));
  EXPECT_EQ(lookupTargetProfile("gfx9-4-genric", TargetFamily::AMDGPU, &suggestions), nullptr);
  ASSERT_FALSE(suggestions.empty());
  EXPECT_EQ(suggestions.front(), "gfx9-4-generic");
  EXPECT_EQ(lookupTargetProfile("x86:avx", std::nullopt, &suggestions), nullptr);
  EXPECT_THAT(suggestions, Contains("x86:avx2"));
  EXPECT_EQ(lookupTargetProfile("x86:scalar", std::nullopt, &suggestions), nullptr);
  EXPECT_THAT(suggestions, Contains("x86:avx512"));
  EXPECT_THAT(suggestions, Contains("x86:native"));
  EXPECT_EQ(lookupTargetProfile("cuda:sm_90", std::nullopt, &suggestions), nullptr);
  EXPECT_THAT(suggestions, IsEmpty());
  EXPECT_EQ(lookupTargetProfile("", std::nullopt, &suggestions), nullptr);
  EXPECT_EQ(lookupTargetProfile("amdgpu:", std::nullopt, &suggestions), nullptr);
}

TEST(TargetProfile, GenericCodeRunsOnItsFamilyOnly) {
  EXPECT_TRUE(satisfiesTarget(profile("amdgpu:gfx1151"), profile("amdgpu:gfx1151")));
  EXPECT_TRUE(satisfiesTarget(profile("amdgpu:gfx1151"), profile("amdgpu:gfx11-generic")));
  EXPECT_TRUE(satisfiesTarget(profile("amdgpu:gfx1100"), profile("amdgpu:gfx11-generic")));
  EXPECT_TRUE(satisfiesTarget(profile("amdgpu:gfx942"), profile("amdgpu:gfx9-4-generic")));
  EXPECT_TRUE(satisfiesTarget(profile("amdgpu:gfx1201"), profile("amdgpu:gfx12-generic")));
  EXPECT_FALSE(satisfiesTarget(profile("amdgpu:gfx11-generic"), profile("amdgpu:gfx1151")));
  EXPECT_FALSE(satisfiesTarget(profile("amdgpu:gfx1151"), profile("amdgpu:gfx1150")));
  EXPECT_FALSE(satisfiesTarget(profile("amdgpu:gfx1151"), profile("amdgpu:gfx12-generic")));
  // gfx1250 is no member of the gfx12 generic processor.
  EXPECT_FALSE(satisfiesTarget(profile("amdgpu:gfx1250"), profile("amdgpu:gfx12-generic")));
  EXPECT_FALSE(satisfiesTarget(profile("x86:avx2"), profile("amdgpu:gfx1151")));
}

TEST(TargetProfile, FactsOfTheFamilies) {
  EXPECT_EQ(profile("amdgpu:gfx942").subgroupSize, 64u);
  EXPECT_EQ(profile("amdgpu:gfx942").waitCounters, WaitCounterModel::VmLgkm);
  EXPECT_EQ(profile("amdgpu:gfx1151").subgroupSize, 32u);
  EXPECT_EQ(profile("amdgpu:gfx1151").waitCounters, WaitCounterModel::VmVsLgkm);
  EXPECT_EQ(profile("amdgpu:gfx1250").waitCounters, WaitCounterModel::Separate);
  EXPECT_EQ(profile("amdgpu:gfx950").maxWorkgroupStorageBytes, 160u * 1024);
  EXPECT_EQ(profile("x86:avx2").waitCounters, WaitCounterModel::None);
  EXPECT_EQ(profile("x86:avx2").kernargIndexBits, 64u);
}
