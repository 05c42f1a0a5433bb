//===- Inline.cpp - Replacing a call by the body it calls -----------------===//
#include "loom/Transforms/Inline.h"
#include "loom/IR/Signatures.h"
#include "mlir/IR/IRMapping.h"

namespace loom {
using namespace mlir;

void inlineBody(Operation *call, Region &body,
                llvm::function_ref<void(Operation *, Operation *)> visit) {
  Block &block = body.front();
  IRMapping mapping;
  Operation *callee = body.getParentOp();
  Block::BlockArgListType parameters = getHeaderParameters(callee, body);
  mapping.map(parameters, call->getOperands());
  SmallVector<Value> extents =
      bindExtentNames(call->getOperands(), callee->getAttrOfType<DenseI64ArrayAttr>("extents"),
                      countExtentNames(callee));
  mapping.map(block.getArguments().drop_front(parameters.size()), extents);
  OpBuilder builder(call);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  Location place = call->getLoc();
  for (Operation &op : block.without_terminator())
    op.walk([&](Operation *original) {
      Operation *copy = mapping.lookup(original);
      copy->setLoc(CallSiteLoc::get(original->getLoc(), place));
      if (visit)
        visit(original, copy);
    });
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  call->replaceAllUsesWith(results);
  call->erase();
}

} // namespace loom
