//===- VectorAccess.cpp - Parts of vectors, and their order ---------------===//
#include "VectorRules.h"
#include "loom/Dialect/View/Access.h"
#include "loom/IR/Messages.h"
#include "llvm/ADT/SmallBitVector.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// vector.extract, vector.insert
//===----------------------------------------------------------------------===//

/// Checks that `part` is what lies in `vector` at `indices`; `code` says what it is to `op`.
static LogicalResult verifyPart(Operation *op, Value vector, Value part, DiagCode code,
                                OperandRange indices, ArrayRef<int64_t> staticIndices) {
  VectorType type = vectorType(vector);
  ArrayRef<int64_t> shape = type.getShape();
  if (staticIndices.empty())
    return emitCoded(op, DiagCode::SubrangeRank, "'")
           << getTextName(op) << "' needs an index for one axis at least";
  // An element of a vector is addressed like one of a view of that shape.
  size_t given = std::min(staticIndices.size(), shape.size());
  if (failed(verifyIndices(op, type, shape.take_front(given), indices, staticIndices,
                           /*linear=*/false)))
    return failure();
  Type expected = type.getElementType();
  if (given < shape.size())
    expected = VectorType::get(op->getContext(), shape.drop_front(given), type.getElementType());
  if (part.getType() != expected)
    return emitCoded(op, code, "an element of ")
           << spellType(op, type) << " is " << expected << ", not " << spellType(part);
  return success();
}

LogicalResult VectorExtractOp::verify() {
  return verifyPart(*this, getVector(), getResult(), DiagCode::TypeResult, getIndices(),
                    getStaticIndices());
}

SmallVector<Value> VectorExtractOp::getDimsOf(Value) {
  SmallVector<Value> dims;
  for (auto [axis, extent] : llvm::enumerate(getExtents(getVector())))
    if (axis >= getStaticIndices().size() && extent.value)
      dims.push_back(extent.value);
  return dims;
}

/// The number of the lane at `indices`, in row-major order; nothing unless all are literals inside.
static std::optional<int64_t> laneAt(VectorType type, ArrayRef<int64_t> indices) {
  if (indices.size() != type.getShape().size() || !countLanes(type))
    return std::nullopt;
  int64_t lane = 0;
  for (auto [extent, index] : llvm::zip(type.getShape(), indices)) {
    if (index < 0 || index >= extent)
      return std::nullopt;
    lane = lane * extent + index;
  }
  return lane;
}

OpFoldResult VectorExtractOp::fold(FoldAdaptor adaptor) {
  if (Attribute literal = adaptor.getVector())
    return literal;
  Operation *source = getVector().getDefiningOp();
  bool isScalar = !isa<VectorType>(getType());
  if (auto splat = dyn_cast_or_null<VectorSplatOp>(source); splat && isScalar)
    return splat.getInput();
  std::optional<int64_t> lane = laneAt(vectorType(getVector()), getStaticIndices());
  if (auto elements = dyn_cast_or_null<VectorFromElementsOp>(source); elements && lane)
    return elements.getElements()[*lane];
  // What was inserted at these very indices.
  auto insert = dyn_cast_or_null<VectorInsertOp>(source);
  if (insert && insert.getStaticIndices() == getStaticIndices() &&
      llvm::equal(insert.getIndices(), getIndices()))
    return insert.getValue();
  return {};
}

LogicalResult VectorInsertOp::verify() {
  if (failed(verifyPart(*this, getVector(), getValue(), DiagCode::TypeOperand, getIndices(),
                        getStaticIndices())))
    return failure();
  if (!isa<VectorType>(getValue().getType()))
    return success();
  SmallVector<Extent> place = getExtents(getVector());
  place.erase(place.begin(), place.begin() + getStaticIndices().size());
  if (place == getExtents(getValue()))
    return success();
  return emitCoded(*this, DiagCode::ShapeKind,
                   "the extents of what is inserted may differ from those of its place");
}

//===----------------------------------------------------------------------===//
// vector.slice, vector.concat
//===----------------------------------------------------------------------===//

LogicalResult VectorSliceOp::verify() {
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyElements(*this, {getVector(), "the operand"}, {getResult(), "the result"})))
    return failure();
  VectorType from = vectorType(getVector()), to = vectorType(getResult());
  if (from.getShape().size() != to.getShape().size())
    return emitCoded(*this, DiagCode::ShapeMismatch, "a slice of ")
           << spellType(*this, from) << " keeps its number of dimensions, unlike "
           << spellType(getResult());
  // An extent that is a value may be zero.
  SmallVector<int64_t> box = llvm::map_to_vector(
      to.getShape(), [](int64_t extent) { return ShapedType::isDynamic(extent) ? 0 : extent; });
  return verifyIndices(*this, from, from.getShape(), getIndices(), getStaticIndices(),
                       /*linear=*/false, box);
}

OpFoldResult VectorSliceOp::fold(FoldAdaptor adaptor) {
  bool atOrigin = llvm::all_of(getStaticIndices(), [](int64_t i) { return i == 0; });
  if (atOrigin && getVector().getType() == getType() &&
      getExtents(getVector()) == getExtents(getResult()))
    return getVector();
  return adaptor.getVector();
}

LogicalResult VectorConcatOp::verify() {
  VectorType to = vectorType(getResult());
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (getInputs().empty())
    return emitCoded(*this, DiagCode::StructureOperandCount,
                     "'vector.concat' needs one vector at least");
  int64_t axis = getAxisAttr().getInt(), sum = 0;
  if (failed(verifyAxis(*this, axis, to)))
    return failure();
  SmallVector<Extent> result = getExtents(getResult());
  bool isKnown = true;
  for (Value input : getInputs()) {
    if (failed(verifyElements(*this, {input, "its vectors"}, {getResult(), "the result"})))
      return failure();
    SmallVector<Extent> extents = getExtents(input);
    bool fits = extents.size() == result.size();
    for (size_t i = 0; fits && i < extents.size(); ++i)
      fits = int64_t(i) == axis || extents[i] == result[i];
    if (!fits)
      return emitCoded(*this, DiagCode::ShapeKind, "")
             << spellType(input) << " cannot be a part of " << spellType(getResult())
             << " along axis " << axis << ": the other extents have to be equal";
    std::optional<int64_t> known = extents[axis].known();
    isKnown &= known && !llvm::AddOverflow(sum, *known, sum);
  }
  std::optional<int64_t> total = result[axis].known();
  if (!isKnown || !total || *total == sum)
    return success();
  return emitCoded(*this, DiagCode::ShapeMismatch, "the extents along axis ")
         << axis << " add up to " << sum << ", but " << spellType(getResult()) << " has " << *total;
}

OpFoldResult VectorConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs()[0].getType() == getType() &&
      getExtents(getInputs()[0]) == getExtents(getResult()))
    return getInputs()[0];
  ArrayRef<Attribute> inputs = adaptor.getInputs();
  return llvm::all_equal(inputs) ? OpFoldResult(inputs.front()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// vector.transpose, vector.shuffle
//===----------------------------------------------------------------------===//

LogicalResult VectorTransposeOp::verify() {
  if (failed(verifyElements(*this, {getVector(), "the operand"}, {getResult(), "the result"})))
    return failure();
  VectorType from = vectorType(getVector()), to = vectorType(getResult());
  int64_t rank = from.getShape().size();
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : getPermutation())
    if (axis >= 0 && axis < rank)
      seen.set(axis);
  if (int64_t(getPermutation().size()) != rank || !seen.all())
    return emitCoded(*this, DiagCode::SubrangeAxis, "'vector.transpose' needs each axis of ")
           << spellType(*this, from) << " once";
  SmallVector<int64_t> shape =
      llvm::map_to_vector(getPermutation(), [&](int64_t axis) { return from.getShape()[axis]; });
  if (ArrayRef(shape) == to.getShape())
    return success();
  return emitCoded(*this, DiagCode::ShapeMismatch, "")
         << spellType(*this, from) << " with its axes permuted is "
         << Type(VectorType::get(getContext(), shape, from.getElementType())) << ", not "
         << spellType(getResult());
}

SmallVector<Value> VectorTransposeOp::getDimsOf(Value) {
  return selectDims(getVector(), getPermutation());
}

static bool isIdentity(ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
}

OpFoldResult VectorTransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPermutation()))
    return getVector();
  if (auto inner = getVector().getDefiningOp<VectorTransposeOp>()) {
    SmallVector<int64_t> both = llvm::map_to_vector(
        getPermutation(), [&](int64_t axis) { return inner.getPermutation()[axis]; });
    if (isIdentity(both))
      return inner.getVector();
  }
  return adaptor.getVector();
}

LogicalResult VectorShuffleOp::verify() {
  VectorType type = vectorType(getVector());
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() != 1 || ShapedType::isDynamic(shape[0]))
    return emitCoded(*this, DiagCode::TypeOperand,
                     "'vector.shuffle' takes a vector of one dimension whose extent is a number, "
                     "not ")
           << spellType(*this, type);
  if (int64_t(getLanes().size()) != shape[0])
    return emitCoded(*this, DiagCode::ShapeMismatch, "'vector.shuffle' lists ")
           << counted(getLanes().size(), "lane") << ", but " << spellType(*this, type) << " has "
           << shape[0];
  for (int64_t lane : getLanes())
    if (lane < 0 || lane >= shape[0])
      return emitCoded(*this, DiagCode::SubrangeBounds, "'vector.shuffle' takes lane ")
             << lane << ", but " << spellType(*this, type) << " ends at " << shape[0];
  return success();
}

OpFoldResult VectorShuffleOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getLanes()) || getVector().getDefiningOp<VectorSplatOp>())
    return getVector();
  return adaptor.getVector();
}

//===----------------------------------------------------------------------===//
// vector.interleave, vector.deinterleave
//===----------------------------------------------------------------------===//

/// Checks that `whole` is `half` with its extent along `axis` doubled.
static LogicalResult verifyDoubled(Operation *op, int64_t axis, Value half, Value whole) {
  if (failed(verifyElements(op, {half, "halves"}, {whole, "whole"})))
    return failure();
  SmallVector<Extent> small = getExtents(half), large = getExtents(whole);
  bool fits = small.size() == large.size();
  for (size_t i = 0; fits && i < small.size(); ++i) {
    std::optional<int64_t> a = small[i].known(), b = large[i].known();
    // Of an extent that is a value nothing follows about its double.
    fits = int64_t(i) != axis ? small[i] == large[i] : !a || !b || (*b % 2 == 0 && *a == *b / 2);
  }
  if (fits)
    return success();
  return emitCoded(op, DiagCode::ShapeMismatch, "")
         << spellType(whole) << " is not " << spellType(half)
         << " with twice the extent along axis " << axis;
}

LogicalResult VectorInterleaveOp::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyTypes(*this, {getEven(), "the first vector"}, {getOdd(), "the second"})) ||
      failed(verifyAxis(*this, axis, vectorType(getEven()))))
    return failure();
  return verifyDoubled(*this, axis, getEven(), getResult());
}

LogicalResult VectorDeinterleaveOp::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyTypes(*this, {getEven(), "the first result"}, {getOdd(), "the second"})) ||
      failed(verifyAxis(*this, axis, vectorType(getVector()))))
    return failure();
  return verifyDoubled(*this, axis, getEven(), getVector());
}

LogicalResult VectorDeinterleaveOp::fold(FoldAdaptor adaptor,
                                         SmallVectorImpl<OpFoldResult> &results) {
  auto pairs = getVector().getDefiningOp<VectorInterleaveOp>();
  if (pairs && pairs.getAxis() == getAxis() && pairs.getEven().getType() == getEven().getType()) {
    results.assign({pairs.getEven(), pairs.getOdd()});
    return success();
  }
  if (Attribute literal = adaptor.getVector()) {
    results.assign({literal, literal});
    return success();
  }
  return failure();
}

} // namespace loom
