//===- SanitizeAccesses.cpp - Accesses whose coordinates get lost ---------===//
//
// The lowering checks accesses where they are carried out. The coordinates of an access to a view
// with a strided layout are one number by then, from which nobody can tell whether each was inside
// of its extent; so they are checked where they are still known. What the number names is bounded
// by the buffer afterwards, as for all accesses.
//
//===----------------------------------------------------------------------===//
#include "Addresses.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_SANITIZEACCESSES
#include "loom/Transforms/Passes.h.inc"

namespace {

/// Checks `op`, an access of a value of `type`, in front of it.
template <typename Access> void check(Access op, AccessKind kind, Type type) {
  auto view = cast<ViewType>(op.getView().getType());
  if (!view.getLayout() || op.getLinear())
    return;
  OpBuilder builder(op);
  DenseI64ArrayAttr extents;
  if (auto vector = dyn_cast<VectorType>(type)) {
    // An extent that is a value is checked with the access itself only.
    if (!vector.hasStaticShape())
      return;
    // One whose elements lie apart keeps its coordinates, which the lowering checks.
    LayoutInfo layout = getViewLayout(op.getView());
    if (layout.kind == LayoutInfo::Strided && !isConsecutive(vector.getShape(), layout.strides))
      return;
    SmallVector<int64_t> all(view.getShape().size() - vector.getShape().size(), 1);
    llvm::append_range(all, vector.getShape());
    extents = builder.getDenseI64ArrayAttr(all);
  }
  auto assertion = SanitizerAssertAccessOp::create(
      builder, stripSourceInfo(op.getLoc()), AccessKindAttr::get(op.getContext(), kind),
      op.getView(), op.getIndices(), op.getStaticIndicesAttr(), extents);
  assertion->setAttr("access", builder.getStringAttr(getTextName(op)));
}

struct SanitizeAccessesPass : impl::SanitizeAccessesBase<SanitizeAccessesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<SanitizerDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<ViewLoadOp, VectorLoadOp>(
              [](auto load) { check(load, AccessKind::read, load.getResult().getType()); })
          .Case<ViewStoreOp, VectorStoreOp>(
              [](auto store) { check(store, AccessKind::write, store.getValue().getType()); });
    });
  }
};

} // namespace
} // namespace loom
