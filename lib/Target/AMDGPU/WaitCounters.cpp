//===- WaitCounters.cpp - What counts as outstanding ----------------------===//
#include "WaitCounters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace loom::amdgpu {

StringRef stringifyRequestKind(RequestKind kind) {
  switch (kind) {
  case RequestKind::VectorLoad:
    return "vmem_load";
  case RequestKind::VectorStore:
    return "vmem_store";
  case RequestKind::Lds:
    return "lds";
  case RequestKind::Scalar:
    return "smem";
  case RequestKind::Translation:
    return "x";
  }
  return "";
}

// CDNA3 ISA 4.4: vmcnt counts vector loads and stores, lgkmcnt LDS and scalar requests. RDNA3 ISA
// 4.4 splits the stores off into vscnt, RDNA4 ISA 4.4 gives every kind its own counter.
Counter counterOf(WaitCounterModel model, RequestKind kind) {
  switch (kind) {
  case RequestKind::VectorLoad:
    return Counter::Load;
  case RequestKind::VectorStore:
    return model == WaitCounterModel::VmLgkm ? Counter::Load : Counter::Store;
  case RequestKind::Lds:
    return Counter::Lds;
  case RequestKind::Scalar:
    return model == WaitCounterModel::Separate ? Counter::Scalar : Counter::Lds;
  case RequestKind::Translation:
    return Counter::Translation;
  }
  return Counter::Load;
}

SmallVector<RequestKind, 2> kindsOf(WaitCounterModel model, Counter counter) {
  SmallVector<RequestKind, 2> kinds;
  for (RequestKind kind : {RequestKind::VectorLoad, RequestKind::VectorStore, RequestKind::Lds,
                           RequestKind::Scalar, RequestKind::Translation})
    if (counterOf(model, kind) == counter)
      kinds.push_back(kind);
  return kinds;
}

bool isWait(StringRef name) { return name.starts_with("S_WAIT") && !name.contains("EVENT"); }

namespace {

/// A counter in the immediate of a wait: up to two runs of bits, the low one first.
struct Field {
  Counter counter;
  unsigned lowShift, lowWidth;
  unsigned highShift = 0, highWidth = 0;

  unsigned extract(uint64_t immediate) const {
    unsigned low = (immediate >> lowShift) & ((1u << lowWidth) - 1);
    unsigned high = (immediate >> highShift) & ((1u << highWidth) - 1);
    return low | high << lowWidth;
  }
  unsigned limit() const { return (1u << (lowWidth + highWidth)) - 1; }
};

/// A wait instruction of one generation.
struct WaitInstruction {
  WaitCounterModel model;
  const char *name;
  SmallVector<Field, 2> fields;
};

ArrayRef<WaitInstruction> waitInstructions() {
  using Model = WaitCounterModel;
  static const WaitInstruction table[] = {
      // CDNA3 ISA, S_WAITCNT: vmcnt in bits 15:14 and 3:0, lgkmcnt in 11:8.
      {Model::VmLgkm, "S_WAITCNT", {{Counter::Load, 0, 4, 14, 2}, {Counter::Lds, 8, 4}}},
      // RDNA3 ISA, S_WAITCNT: vmcnt in bits 15:10, lgkmcnt in 9:4; the instructions for one
      // counter have it alone.
      {Model::VmVsLgkm, "S_WAITCNT", {{Counter::Load, 10, 6}, {Counter::Lds, 4, 6}}},
      {Model::VmVsLgkm, "S_WAITCNT_VSCNT", {{Counter::Store, 0, 6}}},
      {Model::VmVsLgkm, "S_WAITCNT_VMCNT", {{Counter::Load, 0, 6}}},
      {Model::VmVsLgkm, "S_WAITCNT_LGKMCNT", {{Counter::Lds, 0, 6}}},
      // RDNA4 ISA, S_WAIT_*: one counter in the low six bits; in the combined forms the LDS
      // counter is there and the other one in bits 13:8. The scalar counter has five bits.
      {Model::Separate, "S_WAIT_LOADCNT", {{Counter::Load, 0, 6}}},
      {Model::Separate, "S_WAIT_STORECNT", {{Counter::Store, 0, 6}}},
      {Model::Separate, "S_WAIT_DSCNT", {{Counter::Lds, 0, 6}}},
      {Model::Separate, "S_WAIT_KMCNT", {{Counter::Scalar, 0, 5}}},
      // gfx1250 alone, with the same width as LOADCNT (LLVM's getXcntBitMask).
      {Model::Separate, "S_WAIT_XCNT", {{Counter::Translation, 0, 6}}},
      {Model::Separate, "S_WAIT_LOADCNT_DSCNT", {{Counter::Load, 8, 6}, {Counter::Lds, 0, 6}}},
      {Model::Separate, "S_WAIT_STORECNT_DSCNT", {{Counter::Store, 8, 6}, {Counter::Lds, 0, 6}}},
  };
  return table;
}

} // namespace

SmallVector<WaitTarget, 2> decodeWait(WaitCounterModel model, StringRef name, uint64_t immediate) {
  SmallVector<WaitTarget, 2> targets;
  name.consume_back("_soft");
  for (const WaitInstruction &wait : waitInstructions()) {
    if (wait.model != model || name != wait.name)
      continue;
    for (const Field &field : wait.fields)
      if (unsigned count = field.extract(immediate); count < field.limit())
        targets.push_back({field.counter, count});
  }
  return targets;
}

SmallVector<RequestKind, 3> requestKinds(StringRef name, bool mayLoad, bool mayStore) {
  if (!mayLoad && !mayStore)
    return {};
  // An atomic that returns its old value counts as a load (RDNA3 ISA 4.4).
  bool returns = !name.contains("ATOMIC") || name.contains("_RTN");
  RequestKind vector = mayLoad && returns ? RequestKind::VectorLoad : RequestKind::VectorStore;
  if (name.starts_with("GLOBAL_") || name.starts_with("BUFFER_") || name.starts_with("TBUFFER_") ||
      name.starts_with("SCRATCH_") || name.starts_with("IMAGE_"))
    return {vector, RequestKind::Translation};
  if (name.starts_with("FLAT_"))
    return {vector, RequestKind::Lds, RequestKind::Translation};
  if (name.starts_with("DS_"))
    return {RequestKind::Lds};
  if (name.starts_with("S_LOAD_") || name.starts_with("S_BUFFER_LOAD_") ||
      name.starts_with("S_SCRATCH_LOAD_"))
    return {RequestKind::Scalar, RequestKind::Translation};
  return {};
}

} // namespace loom::amdgpu
