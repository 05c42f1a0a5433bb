//===- LowerAMDGPU.cpp - What AMDGPU adds to the lowering -----------------===//
#include "LowerKernel.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// LLVM's address space of global memory (LLVM's AMDGPU Usage, "Address Spaces").
constexpr unsigned kGlobalSpace = 1;

class AMDGPULowering final : public LoweringTarget {
public:
  StringRef name() const override { return "amdgpu"; }
  unsigned bufferSpace() const override { return kGlobalSpace; }
  // Every profile has 16-bit instructions, and LLVM expands what they do not cover.
  bool hasHalfArithmetic() const override { return true; }
  bool hasBFloatConversions() const override { return true; }
  bool hasApproximateMath() const override { return true; }
  // The argument block holds the declared arguments alone; ids come in registers.
  bool answers(Position position) const override {
    return position == Position::WorkitemId || position == Position::WorkgroupId;
  }

  void emitKernel(const KernelPlan &plan, Emitter &emitter, KernelLowering &lowering) override;
  RangedValue emitPosition(Position position, unsigned dimension) override;
  void finish(const KernelPlan &plan, llvm::Module &module) override;

private:
  int64_t largestSize(const KernelPlan &plan, unsigned dimension) const {
    return plan.exactSize(dimension).value_or(plan.limits.workgroupSize[dimension]);
  }

  const KernelPlan *plan = nullptr;
  Emitter *emitter = nullptr;
};

void AMDGPULowering::emitKernel(const KernelPlan &plan, Emitter &emitter,
                                KernelLowering &lowering) {
  this->plan = &plan;
  this->emitter = &emitter;
  // An i1 takes a byte of the argument block.
  SmallVector<Type> types = lowering.parameterTypes();
  Type flag = emitter.integer(1);
  for (Type &type : types)
    if (type == flag)
      type = emitter.integer(8);
  SmallVector<Value> parameters =
      emitter.beginFunction({plan.info.symbol, types, /*isInternal=*/false, /*hasLocations=*/true});
  for (auto [kind, parameter] : llvm::zip(plan.info.arguments, parameters))
    if (kind == ArgumentKind::I1)
      parameter = emitter.truncate(parameter, flag);
  lowering.beginFunction({});
  lowering.emitBody(parameters);
  emitter.emitReturn();
}

RangedValue AMDGPULowering::emitPosition(Position position, unsigned dimension) {
  static constexpr const char *itemIds[] = {
      "llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z"};
  static constexpr const char *groupIds[] = {
      "llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y", "llvm.amdgcn.workgroup.id.z"};
  Type type = emitter->integer(32);
  if (position == Position::WorkitemId)
    return {emitter->intrinsic(itemIds[dimension], type, {}),
            {0, largestSize(*plan, dimension) - 1}};
  Value id = emitter->intrinsic(groupIds[dimension], type, {});
  // The id has 32 bits without a sign.
  std::optional<int64_t> count = plan->exactCount(dimension);
  Interval interval = {0, llvm::maxUIntN(32)};
  if (count && *count > 0)
    interval = interval.intersect({0, *count - 1});
  if (interval.fits32())
    return {id, interval};
  return {emitter->zeroExtend(id, emitter->integer(64)), interval};
}

/// The dimension of an intrinsic, when `id` is one of the three.
std::optional<unsigned> dimensionOf(llvm::Intrinsic::ID id, llvm::Intrinsic::ID x,
                                    llvm::Intrinsic::ID y, llvm::Intrinsic::ID z) {
  if (id == x)
    return 0;
  if (id == y)
    return 1;
  if (id == z)
    return 2;
  return std::nullopt;
}

void AMDGPULowering::finish(const KernelPlan &plan, llvm::Module &module) {
  llvm::Function &function = *module.getFunction(plan.info.symbol);
  llvm::LLVMContext &context = module.getContext();
  function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  applyBufferAttributes(function, plan.buffers);
  int64_t items = 1;
  bool isExact = true;
  SmallVector<llvm::Metadata *, 3> extents;
  for (unsigned d = 0; d < 3; ++d) {
    isExact &= plan.exactSize(d).has_value();
    items *= plan.exactSize(d).value_or(1);
    extents.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), plan.exactSize(d).value_or(0))));
  }
  std::string most = std::to_string(isExact ? items : plan.limits.flatWorkgroupSize);
  function.addFnAttr("amdgpu-flat-work-group-size", (isExact ? most : "1") + "," + most);
  if (isExact)
    function.setMetadata("reqd_work_group_size", llvm::MDNode::get(context, extents));

  using namespace llvm::Intrinsic;
  auto limit = [](llvm::CallBase &call, int64_t count) {
    if (count > 0 && count <= static_cast<int64_t>(llvm::maxUIntN(32)))
      call.addRangeRetAttr(llvm::ConstantRange(APInt(32, 0), APInt(32, count)));
  };
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call)
      continue;
    if (auto d = dimensionOf(call->getIntrinsicID(), amdgcn_workitem_id_x, amdgcn_workitem_id_y,
                             amdgcn_workitem_id_z))
      limit(*call, largestSize(plan, *d));
    else if (auto d = dimensionOf(call->getIntrinsicID(), amdgcn_workgroup_id_x,
                                  amdgcn_workgroup_id_y, amdgcn_workgroup_id_z))
      limit(*call, plan.exactCount(*d).value_or(0));
  }
}

} // namespace
} // namespace loom::lowering

namespace loom {

FailureOr<LoweredModule> lowerForAMDGPU(ModuleOp module, const TargetProfile &profile,
                                        llvm::LLVMContext &context,
                                        const LoweringOptions &options) {
  lowering::AMDGPULowering target;
  return lowering::lowerModule(module, profile, target, context, options);
}

} // namespace loom
