//===- AddressSelection.cpp - Addresses in the form of the machine --------===//
#include "AddressSelection.h"
#include "LinearAddress.h"
#include "loom/Target/TargetProfile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;

namespace loom::amdgpu {
namespace {

/// base + zext(lanes) + immediate.
struct MachineAddress {
  Value *base = nullptr;
  Value *lanes = nullptr; ///< i32, or null
  int64_t immediate = 0;
};

class AddressSelection final : public FunctionPass {
public:
  static char ID;
  explicit AddressSelection(unsigned offsetBits) : FunctionPass(ID), offsetBits(offsetBits) {}

  StringRef getPassName() const override { return "Loom AMDGPU address selection"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<UniformityInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    uniformity = &getAnalysis<UniformityInfoWrapperPass>().getUniformityInfo();
    layout = &function.getDataLayout();
    shared.clear();
    SmallVector<Use *, 32> pointers;
    for (Instruction &instruction : instructions(function))
      if (Use *pointer = globalPointerUse(instruction))
        pointers.push_back(pointer);
    bool changed = false;
    for (Use *pointer : pointers)
      changed |= rebuild(*pointer);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
    return changed;
  }

private:
  bool match(Value *pointer, MachineAddress &address) const;
  bool rebuild(Use &pointer);

  unsigned offsetBits;
  UniformityInfo *uniformity = nullptr;
  const DataLayout *layout = nullptr;
  /// Sums of base and lanes already written, by block.
  std::map<std::pair<BasicBlock *, std::pair<Value *, Value *>>, Value *> shared;
  SmallVector<WeakTrackingVH, 32> replaced;
};

char AddressSelection::ID;

bool AddressSelection::match(Value *pointer, MachineAddress &address) const {
  address.base = pointer;
  while (auto *gep = dyn_cast<GEPOperator>(address.base)) {
    SmallMapVector<Value *, APInt, 4> variables;
    APInt constant(64, 0);
    if (layout->getIndexTypeSizeInBits(gep->getType()) != 64 ||
        !gep->collectOffset(*layout, 64, variables, constant))
      break;
    int64_t immediate = address.immediate + constant.getSExtValue();
    bool fits = isIntN(offsetBits, immediate);
    if (uniformity->isUniform(gep) && (!variables.empty() || !fits))
      break; // a scalar base that is computed on its own
    if (!fits || variables.size() > 1)
      return false;
    if (!variables.empty()) {
      auto &[variable, scale] = variables.front();
      auto *extension = dyn_cast<ZExtInst>(variable);
      if (address.lanes || !extension || !extension->getSrcTy()->isIntegerTy(32) || scale != 1)
        return false;
      address.lanes = extension->getOperand(0);
    }
    address.immediate = immediate;
    address.base = gep->getPointerOperand();
  }
  return uniformity->isUniform(address.base);
}

bool AddressSelection::rebuild(Use &pointer) {
  auto *access = cast<Instruction>(pointer.getUser());
  Value *former = pointer.get();
  MachineAddress address;
  if (!match(former, address) || address.base == former)
    return false;
  IRBuilder<> builder(access);
  Value *sum = address.base;
  if (address.lanes) {
    Value *&known = shared[{access->getParent(), {address.base, address.lanes}}];
    if (!known)
      known = builder.CreatePtrAdd(address.base,
                                   builder.CreateZExt(address.lanes, builder.getInt64Ty()));
    sum = known;
  }
  if (address.immediate)
    sum = builder.CreatePtrAdd(sum, builder.getInt64(address.immediate));
  pointer.set(sum);
  replaced.push_back(former);
  return true;
}

} // namespace

FunctionPass *createAddressSelectionPass(const TargetProfile &profile) {
  return new AddressSelection(profile.amdgpu.globalOffsetBits);
}

} // namespace loom::amdgpu
