//===- AddressInduction.h - Pointers that advance with a loop ---*- C++ -*-===//
//
// Gives every global memory access of a kernel an address of the form that the hardware adds up by
// itself: a scalar base, a 32-bit offset per lane, and an immediate.
//
// The lowering writes an address as one sum over loop counters, launch ids, arguments and
// constants. Here that sum is split:
//  - what differs between the lanes becomes one 32-bit value, computed where its operands are and
//    shared by all accesses;
//  - the multiples of loop counters become pointers that each loop advances by a constant, one for
//    all accesses of the loop that differ by constants only; a loop that continues where another
//    one stopped takes over its pointer;
//  - the remaining constants become immediates as far as the target's range goes, and then shared
//    bases at a constant distance.
//
// Sums are split only where that is exact (LinearAddress.h). An address that does not have this
// form keeps it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_ADDRESSINDUCTION_H
#define LOOM_LIB_TARGET_AMDGPU_ADDRESSINDUCTION_H

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace loom {
struct TargetProfile;
}

namespace loom::amdgpu {

/// Rewrites the addresses of `function`, on the IR as it was lowered. `machine` tells which values
/// are the same in all lanes.
void inductAddresses(llvm::Function &function, llvm::TargetMachine &machine,
                     const TargetProfile &profile);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_ADDRESSINDUCTION_H
