//===- KernelMemory.cpp - What a kernel may write -------------------------===//
#include "KernelMemory.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/View/View.h"

namespace loom {
using namespace mlir;

MemoryRoot findMemoryRoot(Value value) {
  MemoryRoot root;
  while (true) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      Block *block = value.getParentBlock();
      if (block->isEntryBlock() && isa<KernelDefOp>(block->getParentOp()))
        root.base = value;
      return root;
    }
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (isa<BufferViewOp, ViewSubviewOp, ViewRefineOp, SanitizerAssertLayoutOp,
            BufferAssumeMemorySpaceOp>(op)) {
      value = op->getOperand(0);
    } else if (auto same = dyn_cast<BufferAssumeSameRootOp>(op)) {
      value = same.getRoot();
    } else if (isa<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(op)) {
      root.isPromised |= isa<BufferAssumeNoaliasOp>(op);
      value = op->getOperand(result);
    } else {
      root.isStorage = isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op);
      root.base = root.isStorage ? value : Value();
      return root;
    }
  }
}

bool MemoryRoot::mayOverlap(const MemoryRoot &other) const {
  if (!base || !other.base || base == other.base)
    return true;
  if (isStorage || other.isStorage)
    return false;
  return !isPromised || !other.isPromised;
}

KernelWrites::KernelWrites(KernelDefOp kernel) {
  kernel.getBody().walk([&](Operation *op) { visit(op); });
}

void KernelWrites::visit(Operation *op) {
  // What stands inside is visited by itself. Barriers, collectives, checks and hints write no
  // memory of the program.
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<ConvergentTrait>() ||
      isa<KernelExitOp, KernelAssertOp, ViewPrefetchOp, KernelAsyncGroupOp, KernelAsyncWaitOp>(
          op) ||
      getTextName(op).starts_with("sanitizer."))
    return;
  auto effectful = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectful) {
    isAnywhere = true;
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectful.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    if (effect.getValue())
      roots.push_back(findMemoryRoot(effect.getValue()));
    else
      isAnywhere = true;
  }
}

bool KernelWrites::mayWrite(const MemoryRoot &root) const {
  return isAnywhere ||
         llvm::any_of(roots, [&](const MemoryRoot &written) { return written.mayOverlap(root); });
}

} // namespace loom
