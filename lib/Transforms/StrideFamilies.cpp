//===- StrideFamilies.cpp - Layouts that control flow chooses between -----===//
#include "StrideFamilies.h"
#include "StaticExtents.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Encoding/Encoding.h"

namespace loom {
using namespace mlir;

bool isLayout(Value value) {
  auto type = dyn_cast<EncodingType>(value.getType());
  return type &&
         (type.getRole() == EncodingRole::layout || type.getRole() == EncodingRole::storage);
}

bool hasDynamicLayout(Type type) {
  return isa<ViewType>(type) && isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type));
}

Value behindPromise(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!isa_and_nonnull<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp, BufferAssumeMemorySpaceOp,
                       BufferAssumeSameRootOp>(op))
    return {};
  return op->getOperand(cast<OpResult>(buffer).getResultNumber());
}

StrideFamilies::StrideFamilies(KernelDefOp kernel) {
  kernel.getBody().walk([&](Operation *op) { collect(op); });
}

/// Facts of a layout that an operation of its own makes.
void StrideFamilies::collectLayout(Value layout) {
  LayoutInfo info = getLayoutInfo(layout);
  StrideFamily facts;
  facts.rank = info.rank.value_or(0);
  facts.mayBeDense = info.kind == LayoutInfo::Dense;
  facts.schema = info.schema;
  facts.hasUnknownSchema = info.isEncoded && !info.schema;
  add(layout, facts);
}

void StrideFamilies::collect(Operation *op) {
  SmallVector<ValueRange> lists = getPassedLists(op);
  for (ValueRange list : lists)
    for (auto [value, first] : llvm::zip(list, lists.front()))
      if (isLayout(value) || isa<BufferType>(value.getType()))
        join(first, value);
  if (!lists.empty())
    return;
  for (Value result : op->getResults()) {
    if (isLayout(result))
      collectLayout(result);
    else if (Value input = isa<BufferType>(result.getType()) ? behindPromise(result) : Value())
      join(result, input);
  }
  if (auto promise = dyn_cast<EncodingLayoutAssumeStridedOp>(op))
    join(promise.getResult(), promise.getInput());
  if (auto define = dyn_cast<EncodingDefineOp>(op))
    for (Value part : define.getParams())
      if (isLayout(part))
        join(define.getResult(), part);
  StrideFamily facts;
  if (auto length = dyn_cast<BufferLengthOp>(op)) {
    facts.asksForLength = true;
    add(length.getSource(), facts);
  }
  auto makesView = dyn_cast<DimsOpInterface>(op);
  if (makesView && hasDynamicLayout(op->getResult(0).getType())) {
    facts.rank = cast<ViewType>(op->getResult(0).getType()).getShape().size();
    add(makesView.getDynamicDims().back(), facts);
  }
}

} // namespace loom
