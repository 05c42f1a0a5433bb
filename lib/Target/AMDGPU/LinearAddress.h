//===- LinearAddress.h - Pointers as sums of scaled values ------*- C++ -*-===//
//
// Takes a pointer apart into
//
//   base + scale0 * extend(value0) + scale1 * extend(value1) + ... + constant
//
// exactly: modulo 2^64, the sum equals the pointer on every execution that uses it. A narrow
// addition, multiplication or shift is taken apart only where its no-wrap flags, or the known
// ranges of its operands, say that extending the operands gives the extended result.
//
// Three words are used throughout:
//  - extension: how a narrow value becomes 64 bits wide, zero or sign. Where the value is known not
//    to be negative, both are the same and either kind of flag is enough to go on.
//  - root: the narrow expression below one zero extension.
//  - bounded: a term is bounded when every partial sum of the terms of its root fits the root's
//    width without wrapping, so that some of them can be added up in 32 bits and extended later.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_LINEARADDRESS_H
#define LOOM_LIB_TARGET_AMDGPU_LINEARADDRESS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"
#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class PHINode;
class Use;
} // namespace llvm

namespace loom::amdgpu {

/// The address operand of `instruction` when it reads or writes global memory, else null.
llvm::Use *globalPointerUse(llvm::Instruction &instruction);

enum class Extension { Zero, Sign, Either };

struct LinearTerm {
  llvm::Value *value; ///< an integer of at most 64 bits, not a constant
  Extension extension;
  int64_t scale;
  /// Number of the root that the term comes from, from 1; 0 when the term is not bounded.
  unsigned boundedRoot = 0;
};

struct LinearSum {
  llvm::SmallVector<LinearTerm, 4> terms; ///< in order of first appearance, scales not zero
  int64_t constant = 0;

  /// Adds `term`, merging it with an equal value.
  void add(LinearTerm term);
};

struct LinearAddress {
  llvm::Value *base = nullptr;
  LinearSum offset;
};

/// Takes expressions apart. Stateless but for the numbering of roots.
class LinearAnalysis {
public:
  explicit LinearAnalysis(const llvm::DataLayout &layout) : layout(layout) {}

  /// Strips every getelementptr whose offset is understood.
  LinearAddress decompose(llvm::Value *pointer);

  /// Adds `scale * extend(value)` to `sum`. `boundedRoot` is the root the value belongs to.
  void decompose(llvm::Value *value, Extension extension, int64_t scale, unsigned boundedRoot,
                 LinearSum &sum);

  /// A value that changes by the same amount from one iteration of its loop to the next, without
  /// wrapping under `extension`.
  struct Induction {
    llvm::Value *start; ///< value in the first iteration
    llvm::Value *next;  ///< value in the next iteration
    int64_t step;
    Extension extension; ///< of the start: what the steps were shown to be exact under
  };
  /// Describes a phi of a loop header whose latch is `latch`. Returns false when it is no
  /// induction variable that can be taken apart.
  bool matchInduction(llvm::PHINode &phi, llvm::BasicBlock *latch, Extension extension,
                      Induction &induction) const;

  /// The largest value that the zero extension of `value` can take, from its known bits.
  uint64_t maxUnsigned(llvm::Value *value) const;

private:
  struct Split;
  bool split(llvm::Value *value, Extension extension, Split &result) const;
  void decomposeExtension(llvm::Value *value, Extension outer, int64_t scale, LinearSum &sum);

  const llvm::DataLayout &layout;
  unsigned roots = 0;
  unsigned depth = 0;
};

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_LINEARADDRESS_H
