//===- PadVectors.h - Vectors that the back end splits right ----*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_X86_PADVECTORS_H
#define LOOM_LIB_TARGET_X86_PADVECTORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace loom::x86 {

/// Pads vectors from which a shuffle takes a part to a power of two of elements. Where two parts of
/// one register each begin at the middle of a vector that is not so long, LLVM 22 takes both from
/// the register around it: `concat(v[12..15], v[16..19])` of 24 elements of i32 became v[8..15].
void padShuffledVectors(llvm::Module &module);

} // namespace loom::x86

#endif // LOOM_LIB_TARGET_X86_PADVECTORS_H
