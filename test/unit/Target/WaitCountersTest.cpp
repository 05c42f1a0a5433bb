//===- WaitCountersTest.cpp - Immediates of wait instructions -------------===//
#include "AMDGPU/WaitCounters.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace loom;
using namespace loom::amdgpu;
using testing::ElementsAre;
using testing::IsEmpty;

/// "counter:count" of each target, for short expectations.
static std::vector<std::string> decode(WaitCounterModel model, StringRef name, uint64_t immediate) {
  static constexpr const char *names[] = {"load", "store", "lds", "scalar", "translation"};
  std::vector<std::string> result;
  for (const WaitTarget &target : decodeWait(model, name, immediate))
    result.push_back(names[unsigned(target.counter)] + (":" + std::to_string(target.count)));
  return result;
}

TEST(WaitCounters, Gfx9SplitsTheLoadCounter) {
  auto model = WaitCounterModel::VmLgkm;
  // As llvm-mc encodes: vmcnt(3), lgkmcnt(0), vmcnt(17) lgkmcnt(2), and none of them.
  EXPECT_THAT(decode(model, "S_WAITCNT", 0x0f73), ElementsAre("load:3"));
  EXPECT_THAT(decode(model, "S_WAITCNT", 0xc07f), ElementsAre("lds:0"));
  EXPECT_THAT(decode(model, "S_WAITCNT", 0x4271), ElementsAre("load:17", "lds:2"));
  EXPECT_THAT(decode(model, "S_WAITCNT", 0xcf7f), IsEmpty());
  EXPECT_EQ(counterOf(model, RequestKind::VectorStore), Counter::Load);
}

TEST(WaitCounters, Gfx11HasAStoreCounter) {
  auto model = WaitCounterModel::VmVsLgkm;
  EXPECT_THAT(decode(model, "S_WAITCNT", 0x0ff7), ElementsAre("load:3"));
  EXPECT_THAT(decode(model, "S_WAITCNT", 0xfc07), ElementsAre("lds:0"));
  EXPECT_THAT(decode(model, "S_WAITCNT", 0x0407), ElementsAre("load:1", "lds:0"));
  EXPECT_THAT(decode(model, "S_WAITCNT_VSCNT", 0), ElementsAre("store:0"));
  EXPECT_EQ(counterOf(model, RequestKind::Scalar), counterOf(model, RequestKind::Lds));
}

TEST(WaitCounters, Gfx12HasOneInstructionACounter) {
  auto model = WaitCounterModel::Separate;
  EXPECT_THAT(decode(model, "S_WAIT_LOADCNT", 3), ElementsAre("load:3"));
  EXPECT_THAT(decode(model, "S_WAIT_STORECNT", 0), ElementsAre("store:0"));
  EXPECT_THAT(decode(model, "S_WAIT_KMCNT", 0), ElementsAre("scalar:0"));
  EXPECT_THAT(decode(model, "S_WAIT_XCNT", 1), ElementsAre("translation:1"));
  EXPECT_THAT(decode(model, "S_WAIT_LOADCNT_DSCNT", 0x0302), ElementsAre("load:3", "lds:2"));
  EXPECT_THAT(decode(model, "S_WAIT_EVENT", 0), IsEmpty());
  EXPECT_NE(counterOf(model, RequestKind::Scalar), counterOf(model, RequestKind::Lds));
  // An instruction of another generation means nothing here.
  EXPECT_THAT(decode(model, "S_WAITCNT", 0), IsEmpty());
}

TEST(WaitCounters, KindsOfRequests) {
  auto load = RequestKind::VectorLoad, store = RequestKind::VectorStore;
  auto lds = RequestKind::Lds, scalar = RequestKind::Scalar, x = RequestKind::Translation;
  EXPECT_THAT(requestKinds("GLOBAL_LOAD_DWORD_SADDR", true, false), ElementsAre(load, x));
  EXPECT_THAT(requestKinds("GLOBAL_STORE_DWORD_SADDR", false, true), ElementsAre(store, x));
  EXPECT_THAT(requestKinds("GLOBAL_ATOMIC_ADD_RTN", true, true), ElementsAre(load, x));
  EXPECT_THAT(requestKinds("GLOBAL_ATOMIC_ADD", true, true), ElementsAre(store, x));
  EXPECT_THAT(requestKinds("FLAT_LOAD_DWORD", true, false), ElementsAre(load, lds, x));
  EXPECT_THAT(requestKinds("DS_READ_B32_gfx9", true, false), ElementsAre(lds));
  EXPECT_THAT(requestKinds("S_LOAD_DWORDX2_IMM", true, false), ElementsAre(scalar, x));
  EXPECT_THAT(requestKinds("S_BARRIER", true, true), IsEmpty());
  EXPECT_THAT(requestKinds("V_ADD_F32_e32", false, false), IsEmpty());
}
