//===- LowerBuffers.cpp - How a kernel uses its buffers -------------------===//
#include "LowerBuffers.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// Where a buffer or view comes from.
struct Origin {
  std::optional<unsigned> parameter; ///< nothing when it is chosen at run time
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
    } else if (isa<ViewSubviewOp, ViewRefineOp, BufferAssumeMemorySpaceOp>(op)) {
      value = op->getOperand(0);
    } else if (auto alignment = dyn_cast<BufferAssumeAlignmentOp>(op)) {
      value = alignment.getInputs()[result];
    } else if (auto noalias = dyn_cast<BufferAssumeNoaliasOp>(op)) {
      origin.promised = true;
      value = noalias.getInputs()[result];
    } else {
      return origin;
    }
  }
}

/// The view that `op` accesses, and whether it writes.
std::pair<Value, bool> accessOf(Operation *op) {
  if (auto load = dyn_cast<ViewLoadOp>(op))
    return {load.getView(), false};
  if (auto load = dyn_cast<VectorLoadOp>(op))
    return {load.getView(), false};
  if (auto store = dyn_cast<ViewStoreOp>(op))
    return {store.getView(), true};
  if (auto store = dyn_cast<VectorStoreOp>(op))
    return {store.getView(), true};
  return {};
}

} // namespace

SmallVector<BufferUse> analyzeBuffers(KernelDefOp kernel) {
  Block *entry = &kernel.getBody().front();
  SmallVector<BufferUse> uses(entry->getNumArguments());
  // Two buffers are disjoint only when both carry the promise, while LLVM's `noalias` speaks about
  // all others: it needs the promise on every access of the kernel.
  bool allPromised = true;
  kernel.getBody().walk([&](Operation *op) {
    auto [view, writes] = accessOf(op);
    if (!view)
      return;
    Origin origin = originOf(view, entry);
    allPromised &= origin.promised && origin.parameter;
    for (auto [i, use] : llvm::enumerate(uses)) {
      if (origin.parameter && *origin.parameter != i)
        continue;
      (writes ? use.isWritten : use.isRead) = true;
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
