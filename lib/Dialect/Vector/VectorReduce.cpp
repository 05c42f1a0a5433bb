//===- VectorReduce.cpp - Dot products and reductions ---------------------===//
#include "VectorRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

LogicalResult VectorDotFOp::verify() {
  if (failed(verifyTypes(*this, {getLhs(), "the first vector"}, {getRhs(), "the second"})))
    return failure();
  if (getAcc().getType() == elementType(getLhs()))
    return success();
  return emitCoded(*this, DiagCode::TypeElement, "the initial value is ")
         << getAcc().getType() << ", but the elements are " << elementType(getLhs());
}

OpFoldResult VectorDotFOp::fold(FoldAdaptor) {
  return isEmptyVector(getLhs()) ? getAcc() : OpFoldResult();
}

/// Checks that `group` lanes along the last axis of the operands belong to one lane of the sums.
static LogicalResult verifyGroups(Operation *op, Value lhs, Value rhs, Value acc, int64_t group) {
  if (failed(verifyTypes(op, {lhs, "the first vector"}, {rhs, "the second"})))
    return failure();
  SmallVector<Extent> lanes = getExtents(lhs), sums = getExtents(acc);
  bool fits = lanes.size() == sums.size();
  for (size_t i = 0; fits && i + 1 < lanes.size(); ++i)
    fits = lanes[i] == sums[i];
  if (fits) {
    std::optional<int64_t> have = lanes.back().known(), want = sums.back().known();
    fits = !have || !want || (*have % group == 0 && *have / group == *want);
  }
  if (fits)
    return success();
  return emitCoded(op, DiagCode::ShapeMismatch, "'")
         << getTextName(op) << "' adds " << group << " lanes of " << spellType(lhs)
         << " to one of the sums, which are " << acc.getType();
}

LogicalResult VectorDot2FOp::verify() {
  return verifyGroups(*this, getLhs(), getRhs(), getAcc(), 2);
}

LogicalResult VectorDot4IOp::verify() {
  return verifyGroups(*this, getLhs(), getRhs(), getAcc(), 4);
}

LogicalResult VectorDot8I4Op::verify() { return verifySameShape(*this); }

LogicalResult VectorDot4F8Op::verify() {
  if (failed(verifyShapes(*this, {getLhs(), "the first vector"}, {getRhs(), "the second"})))
    return failure();
  return verifyShapes(*this, {getLhs(), "the vectors"}, {getAcc(), "the sums"});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static LogicalResult verifyCombining(Operation *op, CombiningKind kind, FastMathFlags fastmath,
                                     Type initial, Type element) {
  if (initial != element)
    return emitCoded(op, DiagCode::TypeMismatch, "the initial value is ")
           << initial << ", but the elements are " << element;
  if (isFloatKind(kind) ? !isFloatScalar(element) : !isIntegerScalar(element))
    return emitCoded(atWord(op, stringifyCombiningKind(kind)), DiagCode::TypeOperand, "'")
           << stringifyCombiningKind(kind) << "' cannot combine elements of type " << element;
  if (fastmath != FastMathFlags::none && !isFloatKind(kind))
    return emitCoded(op, DiagCode::StructureValue, "fast-math flags need a float reduction");
  return success();
}

LogicalResult VectorReduceOp::verify() {
  if (getType() != getInitial().getType())
    return emitCoded(*this, DiagCode::TypeMismatch, "a reduction that begins with ")
           << getInitial().getType() << " cannot give " << getType();
  return verifyCombining(*this, getKind(), getFastmath(), getInitial().getType(),
                         elementType(getVector()));
}

OpFoldResult VectorReduceOp::fold(FoldAdaptor) {
  return isEmptyVector(getVector()) ? getInitial() : OpFoldResult();
}

LogicalResult VectorReduceAxesOp::verify() {
  VectorType vector = vectorType(getVector());
  ArrayRef<int64_t> axes = getAxes();
  if (axes.empty())
    return emitCoded(*this, DiagCode::SubrangeAxis, "'vector.reduce.axes' needs one axis at least");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(verifyAxis(*this, axis, vector)))
      return failure();
    if (i && axis <= axes[i - 1])
      return emitCoded(*this, DiagCode::SubrangeAxis,
                       "the axes of 'vector.reduce.axes' have to ascend, but after ")
             << axes[i - 1] << " comes " << axis;
  }
  auto initial = dyn_cast<VectorType>(getInitial().getType());
  if (failed(verifyCombining(*this, getKind(), getFastmath(),
                             initial ? initial.getElementType() : getInitial().getType(),
                             vector.getElementType())))
    return failure();
  SmallVector<Extent> kept;
  for (auto [axis, extent] : llvm::enumerate(getExtents(getVector())))
    if (!llvm::is_contained(axes, int64_t(axis)))
      kept.push_back(extent);
  if (initial ? getExtents(getInitial()) == kept : kept.empty())
    return success();
  return emitCoded(*this, DiagCode::ShapeKind, "")
         << Type(vector) << " without " << (axes.size() == 1 ? "that axis" : "these axes")
         << " has " << counted(kept.size(), "dimension") << ", but the initial value is "
         << getInitial().getType()
         << (initial && initial.getShape().size() == kept.size() ? " with other extents" : "");
}

OpFoldResult VectorReduceAxesOp::fold(FoldAdaptor) {
  return isEmptyVector(getVector()) ? getInitial() : OpFoldResult();
}

} // namespace loom
