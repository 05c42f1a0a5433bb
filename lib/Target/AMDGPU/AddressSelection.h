//===- AddressSelection.h - Addresses in the form of the machine -*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_AMDGPU_ADDRESSSELECTION_H
#define LOOM_LIB_TARGET_AMDGPU_ADDRESSSELECTION_H

namespace llvm {
class FunctionPass;
}

namespace loom {
struct TargetProfile;
}

namespace loom::amdgpu {

/// The IR pass that runs directly before instruction selection. Selection looks at one block at a
/// time, so an address of the form `scalar base + zext(lane offset) + immediate` is recognized only
/// when all of it stands in the block of the access, in this order. The passes before it share and
/// hoist the parts; this one puts them back together next to each access. It stops at a uniform
/// pointer, however that one was computed. LLVM takes ownership of the pass.
llvm::FunctionPass *createAddressSelectionPass(const TargetProfile &profile);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_ADDRESSSELECTION_H
