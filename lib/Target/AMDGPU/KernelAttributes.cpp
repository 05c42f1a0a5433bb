//===- KernelAttributes.cpp - Attributes that keep kernels small ----------===//
#include "KernelAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace loom::amdgpu {
namespace {

/// An implicit input that no intrinsic of `users` reads.
struct ImplicitInput {
  const char *attribute;
  ArrayRef<Intrinsic::ID> users;
};

template <Intrinsic::ID... ids> ArrayRef<Intrinsic::ID> usersOf() {
  static constexpr Intrinsic::ID list[] = {ids...};
  return list;
}

/// What the back end may add to a kernel, and what makes it needed. The inputs of the implicit
/// argument block depend on the pointer to it; traps reach the queue through that block too.
SmallVector<ImplicitInput, 24> implicitInputs() {
  using namespace Intrinsic;
  auto block = usersOf<amdgcn_implicitarg_ptr, trap, debugtrap, ubsantrap>();
  auto cluster = usersOf<amdgcn_cluster_id_x, amdgcn_cluster_id_y, amdgcn_cluster_id_z,
                         amdgcn_cluster_workgroup_id_x, amdgcn_cluster_workgroup_id_y,
                         amdgcn_cluster_workgroup_id_z, amdgcn_cluster_workgroup_flat_id,
                         amdgcn_cluster_workgroup_max_id_x, amdgcn_cluster_workgroup_max_id_y,
                         amdgcn_cluster_workgroup_max_id_z, amdgcn_cluster_workgroup_max_flat_id>();
  return {
      {"amdgpu-no-workitem-id-x", usersOf<amdgcn_workitem_id_x>()},
      {"amdgpu-no-workitem-id-y", usersOf<amdgcn_workitem_id_y>()},
      {"amdgpu-no-workitem-id-z", usersOf<amdgcn_workitem_id_z>()},
      {"amdgpu-no-workgroup-id-x", usersOf<amdgcn_workgroup_id_x>()},
      {"amdgpu-no-workgroup-id-y", usersOf<amdgcn_workgroup_id_y>()},
      {"amdgpu-no-workgroup-id-z", usersOf<amdgcn_workgroup_id_z>()},
      {"amdgpu-no-cluster-id-x", cluster},
      {"amdgpu-no-cluster-id-y", cluster},
      {"amdgpu-no-cluster-id-z", cluster},
      {"amdgpu-no-dispatch-ptr", usersOf<amdgcn_dispatch_ptr>()},
      {"amdgpu-no-dispatch-id", usersOf<amdgcn_dispatch_id>()},
      {"amdgpu-no-queue-ptr", usersOf<amdgcn_queue_ptr, trap, debugtrap, ubsantrap>()},
      {"amdgpu-no-lds-kernel-id", usersOf<amdgcn_lds_kernel_id>()},
      {"amdgpu-no-implicitarg-ptr", block},
      {"amdgpu-no-multigrid-sync-arg", block},
      {"amdgpu-no-hostcall-ptr", block},
      {"amdgpu-no-heap-ptr", block},
      {"amdgpu-no-default-queue", block},
      {"amdgpu-no-completion-action", block},
  };
}

/// What one kernel reaches through calls.
struct Reach {
  SmallSetVector<const Function *, 8> functions;
  SmallSetVector<Intrinsic::ID, 8> intrinsics;
  bool complete = true;    ///< every callee's body was seen
  bool usesStack = false;  ///< allocas: scratch memory has to be set up
  bool usesMatrix = false; ///< MFMA or inline assembly may want accumulation registers
};

Reach reachOf(const Function &kernel) {
  Reach reach;
  reach.functions.insert(&kernel);
  for (unsigned next = 0; next < reach.functions.size(); ++next) {
    for (const Instruction &instruction : instructions(*reach.functions[next])) {
      reach.usesStack |= isa<AllocaInst>(instruction);
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      const Function *callee = call->getCalledFunction();
      reach.usesMatrix |= call->isInlineAsm();
      if (callee && callee->isIntrinsic()) {
        reach.intrinsics.insert(callee->getIntrinsicID());
        reach.usesMatrix |= callee->getName().contains("mfma");
      } else if (callee && !callee->isDeclaration()) {
        reach.functions.insert(callee);
        reach.usesStack = true;
      } else if (!call->isInlineAsm()) {
        reach.complete = false;
      }
    }
  }
  return reach;
}

} // namespace

void addKernelAttributes(Module &module) {
  for (Function &kernel : module) {
    if (kernel.getCallingConv() != CallingConv::AMDGPU_KERNEL || kernel.isDeclaration())
      continue;
    kernel.setDoesNotThrow();
    if (!kernel.hasFnAttribute("uniform-work-group-size"))
      kernel.addFnAttr("uniform-work-group-size", "true");
    Reach reach = reachOf(kernel);
    if (!reach.complete)
      continue;
    for (const ImplicitInput &input : implicitInputs())
      if (llvm::none_of(input.users,
                        [&](Intrinsic::ID id) { return reach.intrinsics.contains(id); }))
        kernel.addFnAttr(input.attribute);
    if (!reach.usesStack)
      kernel.addFnAttr("amdgpu-no-flat-scratch-init");
    if (!reach.usesMatrix)
      kernel.addFnAttr("amdgpu-agpr-alloc", "0");
  }
}

} // namespace loom::amdgpu
