//===- VectorMemory.cpp - Vectors in memory -------------------------------===//
#include "VectorRules.h"
#include "loom/Dialect/View/Access.h"
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

template <typename OpT> static LogicalResult verifyHints(OpT op, CacheUse use) {
  return verifyCache(op, op.getCacheScope(), op.getCacheTemporal(), use);
}

static LogicalResult verifyElementOf(Operation *op, Value vector, ViewType view) {
  if (elementType(vector) == view.getElementType())
    return success();
  return emitCoded(op, DiagCode::TypeMismatch, "'")
         << getTextName(op) << "' transfers elements of " << elementType(vector) << ", but "
         << spellType(op, view) << " holds " << view.getElementType();
}

/// What is accessed in which place.
namespace {
struct Place {
  Value view;
  OperandRange indices;
  ArrayRef<int64_t> staticIndices;
  bool linear;

  template <typename OpT> static Place of(OpT op, bool linear = false) {
    return {op.getView(), op.getIndices(), op.getStaticIndices(), linear};
  }
  ViewType type() const { return cast<ViewType>(view.getType()); }
};
} // namespace

//===----------------------------------------------------------------------===//
// Consecutive elements
//===----------------------------------------------------------------------===//

/// Checks an access whose axes are the last ones of the view. Without a mask all of it has to lie
/// inside; with one, the origin.
static LogicalResult verifyTransfer(Operation *op, Value vector, const Place &place,
                                    bool isMasked) {
  ViewType view = place.type();
  VectorType type = vectorType(vector);
  if (failed(verifyElementOf(op, vector, view)))
    return failure();
  if (type.getShape().size() > view.getShape().size())
    return emitCoded(op, DiagCode::SubrangeRank, "")
           << spellType(op, type) << " has more dimensions than " << spellType(op, view);
  SmallVector<int64_t> footprint;
  if (!isMasked) {
    // Where an extent is a value, it may be zero; without lanes nothing is accessed.
    bool isEmpty = isEmptyVector(vector);
    for (int64_t extent : type.getShape())
      footprint.push_back(isEmpty || ShapedType::isDynamic(extent) ? 0 : extent);
  }
  return verifyIndices(op, view, view.getShape(), place.indices, place.staticIndices, place.linear,
                       footprint);
}

LogicalResult VectorLoadOp::verify() {
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyTransfer(*this, getResult(), Place::of(*this, getLinear()), false)))
    return failure();
  return verifyHints(*this, CacheUse::Load);
}

LogicalResult VectorStoreOp::verify() {
  if (failed(verifyTransfer(*this, getValue(), Place::of(*this, getLinear()), false)))
    return failure();
  return verifyHints(*this, CacheUse::Store);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static LogicalResult verifyMask(Operation *op, Value mask, Value vector) {
  return verifyShapes(op, {mask, "the mask"}, {vector, "the vector"});
}

template <typename OpT> static LogicalResult verifyMaskedLoad(OpT op) {
  if (failed(verifyMask(op, op.getMask(), op.getPassthrough())) ||
      failed(verifyTransfer(op, op.getPassthrough(), Place::of(op, op.getLinear()), true)))
    return failure();
  return verifyHints(op, CacheUse::Load);
}

template <typename OpT> static LogicalResult verifyMaskedStore(OpT op) {
  if (failed(verifyMask(op, op.getMask(), op.getValue())) ||
      failed(verifyTransfer(op, op.getValue(), Place::of(op, op.getLinear()), true)))
    return failure();
  return verifyHints(op, CacheUse::Store);
}

/// Active lanes that stand one behind the other have one axis.
static LogicalResult verifyOneAxis(Operation *op, Value vector) {
  if (vectorType(vector).getShape().size() == 1)
    return success();
  return emitCoded(op, DiagCode::ShapeMismatch, "'")
         << getTextName(op) << "' takes a vector of one dimension, not " << spellType(vector);
}

LogicalResult VectorLoadMaskOp::verify() { return verifyMaskedLoad(*this); }
LogicalResult VectorStoreMaskOp::verify() { return verifyMaskedStore(*this); }

LogicalResult VectorLoadExpandOp::verify() {
  return failure(failed(verifyOneAxis(*this, getPassthrough())) || failed(verifyMaskedLoad(*this)));
}

LogicalResult VectorStoreCompressOp::verify() {
  return failure(failed(verifyOneAxis(*this, getValue())) || failed(verifyMaskedStore(*this)));
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Checks an access with an offset along the last axis for every lane. Where a lane ends up is
/// known at run time only; the origin has to lie inside.
static LogicalResult verifyOffsets(Operation *op, Value vector, Value offsets, const Place &place) {
  ViewType view = place.type();
  if (failed(verifyElementOf(op, vector, view)) ||
      failed(verifyShapes(op, {offsets, "the offsets"}, {vector, "the vector"})))
    return failure();
  if (view.getShape().empty())
    return emitCoded(op, DiagCode::SubrangeRank, "'")
           << getTextName(op) << "' moves along the last dimension, but " << spellType(op, view)
           << " has none";
  return verifyIndices(op, view, view.getShape(), place.indices, place.staticIndices, place.linear);
}

LogicalResult VectorGatherOp::verify() {
  if (failed(verifyOffsets(*this, getResult(), getOffsets(), Place::of(*this, getLinear()))))
    return failure();
  return verifyHints(*this, CacheUse::Load);
}

LogicalResult VectorGatherMaskOp::verify() {
  if (failed(verifyOffsets(*this, getPassthrough(), getOffsets(), Place::of(*this, getLinear()))) ||
      failed(verifyMask(*this, getMask(), getPassthrough())))
    return failure();
  return verifyHints(*this, CacheUse::Load);
}

LogicalResult VectorScatterOp::verify() {
  if (failed(verifyOffsets(*this, getValue(), getOffsets(), Place::of(*this, getLinear()))))
    return failure();
  return verifyHints(*this, CacheUse::Store);
}

LogicalResult VectorScatterMaskOp::verify() {
  if (failed(verifyOffsets(*this, getValue(), getOffsets(), Place::of(*this, getLinear()))) ||
      failed(verifyMask(*this, getMask(), getValue())))
    return failure();
  return verifyHints(*this, CacheUse::Store);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyUpdate(OpT op, bool isReduction) {
  if (failed(verifyOffsets(op, op.getValue(), op.getOffsets(), Place::of(op))) ||
      failed(verifyAtomicKind(op, op.getKind(), elementType(op.getValue()), op.getNoftz(),
                              isReduction)) ||
      failed(verifyAtomicOrdering(op, op.getOrdering(), AtomicUse::ReadModifyWrite)))
    return failure();
  return verifyHints(op, CacheUse::Atomic);
}

LogicalResult VectorAtomicReduceOp::verify() { return verifyUpdate(*this, /*isReduction=*/true); }

LogicalResult VectorAtomicReduceMaskOp::verify() {
  return failure(failed(verifyUpdate(*this, /*isReduction=*/true)) ||
                 failed(verifyMask(*this, getMask(), getValue())));
}

LogicalResult VectorAtomicRmwOp::verify() { return verifyUpdate(*this, /*isReduction=*/false); }

LogicalResult VectorAtomicRmwMaskOp::verify() {
  return failure(
      failed(verifyUpdate(*this, /*isReduction=*/false)) ||
      failed(verifyMask(*this, getMask(), getValue())) ||
      failed(verifyTypes(*this, {getValue(), "the vector"}, {getPassthrough(), "the last one"})));
}

LogicalResult VectorAtomicCmpxchgOp::verify() {
  if (failed(verifyTypes(*this, {getExpected(), "what is expected"},
                         {getReplacement(), "what replaces it"})) ||
      failed(
          verifyTypes(*this, {getExpected(), "what is expected"}, {getResult(), "the result"})) ||
      failed(verifyOffsets(*this, getExpected(), getOffsets(), Place::of(*this))) ||
      failed(verifyCmpxchgOrdering(*this, getSuccessOrdering(), getFailureOrdering())))
    return failure();
  return verifyHints(*this, CacheUse::Atomic);
}

} // namespace loom
