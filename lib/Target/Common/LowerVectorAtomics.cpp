//===- LowerVectorAtomics.cpp - Atomic accesses of vectors ----------------===//
//
// One atomic operation for each element that takes part, in ascending order: all of a work-item's
// in front of those of the next one.
//
//===----------------------------------------------------------------------===//
#include "LowerItems.h"

using namespace mlir;

namespace loom::lowering {

template <typename Op> static ArrayRef<int64_t> shapeOfVector(Op op) {
  return cast<VectorType>(op.getOffsets().getType()).getShape();
}

bool KernelLowering::lowerVectorAtomic(Operation *op) {
  auto access = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false};
  };
  // `mask` and `passthrough` may be null.
  auto update = [&](auto o, Value mask, Value passthrough) {
    Access place = access(o);
    Elements elements(*this, place, shapeOfVector(o));
    elements.displaceBy(o.getOffsets());
    if (mask)
      elements.where(mask);
    Elements::Kept operands = elements.keep(o.getValue());
    std::optional<Elements::Kept> before;
    if (op->getNumResults())
      before = passthrough ? elements.keep(passthrough) : elements.room(op->getResult(0));
    elements.run([&](Value pointer, Value number) {
      Value old = emitAtomic(o.getKind(), pointer, elements.at(operands, number), place.element(),
                             place.elementBytes());
      if (before)
        elements.set(*before, number, old);
    });
    if (before)
      elements.define(op->getResult(0), *before);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<VectorAtomicReduceOp, VectorAtomicRmwOp>([&](auto o) { return update(o, {}, {}); })
      .Case([&](VectorAtomicReduceMaskOp o) { return update(o, o.getMask(), {}); })
      .Case([&](VectorAtomicRmwMaskOp o) { return update(o, o.getMask(), o.getPassthrough()); })
      .Case([&](VectorAtomicCmpxchgOp o) {
        Access place = access(o);
        Elements elements(*this, place, shapeOfVector(o));
        elements.displaceBy(o.getOffsets());
        Elements::Kept expected = elements.keep(o.getExpected());
        Elements::Kept replacement = elements.keep(o.getReplacement());
        Elements::Kept before = elements.room(o.getResult());
        elements.run([&](Value pointer, Value number) {
          Value wanted = elements.at(expected, number);
          elements.set(before, number,
                       emitCompareExchange(pointer, wanted, elements.at(replacement, number)));
        });
        elements.define(o.getResult(), before);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
