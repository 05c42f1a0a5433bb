//===- LowerBuffers.cpp - How a kernel uses its buffers -------------------===//
#include "LowerBuffers.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// Where a buffer or view comes from.
struct Origin {
  std::optional<unsigned> parameter; ///< nothing when it is chosen at run time
  bool isOwn = false;                ///< storage that the kernel reserved itself
  bool promised = false;             ///< passed a `buffer.assume.noalias`
};

Origin originOf(Value value, Block *entry) {
  Origin origin;
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == entry)
        origin.parameter = argument.getArgNumber();
      return origin;
    }
    Operation *op = value.getDefiningOp();
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (auto view = dyn_cast<BufferViewOp>(op)) {
      value = view.getSource();
    } else if (isa<ViewSubviewOp, ViewRefineOp, SanitizerAssertLayoutOp, BufferAssumeMemorySpaceOp>(
                   op)) {
      value = op->getOperand(0);
    } else if (auto alignment = dyn_cast<BufferAssumeAlignmentOp>(op)) {
      value = alignment.getInputs()[result];
    } else if (auto noalias = dyn_cast<BufferAssumeNoaliasOp>(op)) {
      origin.promised = true;
      value = noalias.getInputs()[result];
    } else if (auto same = dyn_cast<BufferAssumeSameRootOp>(op)) {
      value = same.getInput();
    } else {
      origin.isOwn = isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op);
      return origin;
    }
  }
}

/// One way in which an operation may reach memory.
struct Reach {
  Value root; ///< buffer or view
  bool reads, writes;
};

/// Nothing is known of the accesses of most operations: they may read and write whatever they are
/// given.
SmallVector<Reach, 2> reachesOf(Operation *op) {
  // What is volatile may do more than it says.
  if (isa<ViewLoadOp, VectorLoadOp>(op) && !op->hasAttr("is_volatile"))
    return {{op->getOperand(0), true, false}};
  if (auto store = dyn_cast<ViewStoreOp>(op))
    return {{store.getView(), false, true}};
  if (auto store = dyn_cast<VectorStoreOp>(op))
    return {{store.getView(), false, true}};
  SmallVector<Reach, 2> reaches;
  if (op->getNumRegions() || isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return reaches;
  for (Value operand : op->getOperands())
    if (isa<BufferType, ViewType>(operand.getType()))
      reaches.push_back({operand, true, true});
  return reaches;
}

} // namespace

SmallVector<BufferUse> analyzeBuffers(KernelDefOp kernel) {
  Block *entry = &kernel.getBody().front();
  SmallVector<BufferUse> uses(entry->getNumArguments());
  // Two buffers are disjoint only when both carry the promise, while LLVM's `noalias` speaks about
  // all others: it needs the promise on every access of the kernel.
  bool allPromised = true;
  kernel.getBody().walk([&](Operation *op) {
    for (auto [root, reads, writes] : reachesOf(op)) {
      Origin origin = originOf(root, entry);
      if (origin.isOwn)
        continue;
      allPromised &= origin.promised && origin.parameter;
      for (auto [i, use] : llvm::enumerate(uses)) {
        if (origin.parameter && *origin.parameter != i)
          continue;
        use.isRead |= reads;
        use.isWritten |= writes;
      }
    }
  });
  for (auto [argument, use] : llvm::zip(entry->getArguments(), uses))
    use.isDisjoint = allPromised && isa<BufferType>(argument.getType());
  // What is promised on every path from the entry holds for the parameter.
  for (auto assume : entry->getOps<BufferAssumeAlignmentOp>())
    for (Value input : assume.getInputs()) {
      Origin origin = originOf(input, entry);
      if (!origin.parameter)
        continue;
      uint64_t &alignment = uses[*origin.parameter].alignment;
      alignment = std::max<uint64_t>(alignment, assume.getMinimumAlignment());
    }
  return uses;
}

} // namespace loom::lowering
