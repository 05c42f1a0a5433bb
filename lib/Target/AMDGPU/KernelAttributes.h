//===- KernelAttributes.h - Attributes that keep kernels small --*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_AMDGPU_KERNELATTRIBUTES_H
#define LOOM_LIB_TARGET_AMDGPU_KERNELATTRIBUTES_H

namespace llvm {
class Module;
}

namespace loom::amdgpu {

/// Tells the back end which implicit inputs each kernel of `module` does without, so that it
/// neither loads nor reserves them: with none used, the kernel arguments are the declared ones
/// alone (LLVM's AMDGPU Usage, "AMDGPU Attributes"). A kernel that calls a function whose body is
/// unknown keeps every input. Also states `nounwind` and `uniform-work-group-size`: Loom's launches
/// always cover whole workgroups.
void addKernelAttributes(llvm::Module &module);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_KERNELATTRIBUTES_H
