//===- LowerVolatile.cpp - Volatile accesses ------------------------------===//
//
// Each active work-item makes its own access, also where all of them name one place, and each
// element of a vector is one: as many accesses of memory as there are elements that take part, in
// ascending order. Nothing else moves across them that is volatile too.
//
//===----------------------------------------------------------------------===//
#include "LowerItems.h"

using namespace mlir;

namespace loom::lowering {

static ArrayRef<int64_t> shapeOfValue(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

bool KernelLowering::lowerVolatile(Operation *op) {
  // `prepare` names the elements that take part.
  auto load = [&](auto o, Value passthrough, llvm::function_ref<void(Elements &)> prepare) {
    if (!o.getIsVolatile())
      return false;
    Access access = {o.getView(), o.getIndices(), o.getStaticIndices(), o.getLinear()};
    Elements elements(*this, access, shapeOfValue(o.getResult()));
    prepare(elements);
    elements.load(o.getResult(), passthrough, /*isVolatile=*/true);
    return true;
  };
  auto store = [&](auto o, llvm::function_ref<void(Elements &)> prepare) {
    if (!o.getIsVolatile())
      return false;
    Access access = {o.getView(), o.getIndices(), o.getStaticIndices(), o.getLinear()};
    Elements elements(*this, access, shapeOfValue(o.getValue()));
    prepare(elements);
    elements.store(o.getValue(), /*isVolatile=*/true);
    return true;
  };
  auto all = [](Elements &) {};
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ViewLoadOp, VectorLoadOp>([&](auto o) { return load(o, {}, all); })
      .Case<ViewStoreOp, VectorStoreOp>([&](auto o) { return store(o, all); })
      .Case([&](VectorLoadMaskOp o) {
        return load(o, o.getPassthrough(), [&](Elements &e) { e.where(o.getMask()); });
      })
      .Case([&](VectorLoadExpandOp o) {
        return load(o, o.getPassthrough(), [&](Elements &e) {
          e.where(o.getMask());
          e.pack();
        });
      })
      .Case(
          [&](VectorStoreMaskOp o) { return store(o, [&](Elements &e) { e.where(o.getMask()); }); })
      .Case([&](VectorStoreCompressOp o) {
        return store(o, [&](Elements &e) {
          e.where(o.getMask());
          e.pack();
        });
      })
      .Case([&](VectorGatherOp o) {
        return load(o, {}, [&](Elements &e) { e.displaceBy(o.getOffsets()); });
      })
      .Case([&](VectorGatherMaskOp o) {
        return load(o, o.getPassthrough(), [&](Elements &e) {
          e.displaceBy(o.getOffsets());
          e.where(o.getMask());
        });
      })
      .Case([&](VectorScatterOp o) {
        return store(o, [&](Elements &e) { e.displaceBy(o.getOffsets()); });
      })
      .Case([&](VectorScatterMaskOp o) {
        return store(o, [&](Elements &e) {
          e.displaceBy(o.getOffsets());
          e.where(o.getMask());
        });
      })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
