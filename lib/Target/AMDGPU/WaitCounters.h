//===- WaitCounters.h - What counts as outstanding --------------*- C++ -*-===//
//
// The hardware counts memory requests that were issued and have not completed; a wait instruction
// stops a wave until a counter has fallen to a given number. Which requests share a counter, and
// how a wait spells its counters, is a fact of the generation (WaitCounterModel).
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_WAITCOUNTERS_H
#define LOOM_LIB_TARGET_AMDGPU_WAITCOUNTERS_H

#include "loom/Target/TargetProfile.h"
#include "llvm/ADT/SmallVector.h"

namespace loom::amdgpu {

/// Kinds of request as reports name them, with the report's ids. A translation is the part of a
/// vector or scalar request during which its operands have to stay as they are.
enum class RequestKind { VectorLoad = 1, VectorStore = 2, Lds = 3, Scalar = 4, Translation = 8 };

/// Name of the kind in reports: `vmem_load`, `vmem_store`, `lds`, `smem`, `x`.
llvm::StringRef stringifyRequestKind(RequestKind kind);

/// Counters of the hardware, over all generations. Those that a generation does not have are
/// merged: `counterOf` says into which.
enum class Counter {
  Load,        ///< vmcnt, loadcnt
  Store,       ///< vscnt, storecnt
  Lds,         ///< lgkmcnt, dscnt
  Scalar,      ///< kmcnt
  Translation, ///< xcnt
};

/// The counter that counts requests of `kind`.
Counter counterOf(WaitCounterModel model, RequestKind kind);

/// Kinds that `counter` counts, in report order.
llvm::SmallVector<RequestKind, 2> kindsOf(WaitCounterModel model, Counter counter);

/// One counter that a wait instruction waits for.
struct WaitTarget {
  Counter counter;
  unsigned count;
};

/// Whether `name` (LLVM's name of a machine instruction) is a wait for memory requests.
bool isWait(llvm::StringRef name);

/// The counters that the instruction `name` with `immediate` waits for. A counter that is at the
/// largest number its field can hold is not waited for.
llvm::SmallVector<WaitTarget, 2> decodeWait(WaitCounterModel model, llvm::StringRef name,
                                            uint64_t immediate);

/// The kinds of request that the instruction `name` issues; empty for an instruction that is no
/// memory request. A flat request counts twice: it may turn out to address LDS.
llvm::SmallVector<RequestKind, 3> requestKinds(llvm::StringRef name, bool mayLoad, bool mayStore);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_WAITCOUNTERS_H
