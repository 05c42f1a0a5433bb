//===- Vector.cpp - The `vector` dialect ----------------------------------===//
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/Access.h"

using namespace mlir;
#include "loom/Dialect/Vector/VectorDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Vector/VectorOps.cpp.inc"

namespace loom {

void VectorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Vector/VectorOps.cpp.inc"
      >();
}

Operation *VectorDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  auto vector = dyn_cast<VectorType>(type);
  auto typed = dyn_cast<TypedAttr>(value);
  if (!vector || !typed || typed.getType() != vector.getElementType())
    return nullptr;
  return VectorConstantOp::create(builder, loc, type, typed);
}

OpFoldResult VectorConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult VectorSplatOp::verify() {
  auto vector = cast<VectorType>(getType());
  if (getInput().getType() == vector.getElementType())
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "a splat of ")
         << getInput().getType() << " cannot make " << Type(vector);
}

LogicalResult VectorExtractOp::verify() {
  auto vector = cast<VectorType>(getVector().getType());
  if (getType() != vector.getElementType())
    return emitCoded(*this, DiagCode::TypeResult, "an element of ")
           << Type(vector) << " is " << vector.getElementType() << ", not " << getType();
  // An element of a vector is addressed like one of a view of that shape.
  return verifyIndices(*this, vector, vector.getShape(), getIndices(), getStaticIndices(),
                       /*linear=*/false);
}

LogicalResult VectorReduceOp::verify() {
  auto vector = cast<VectorType>(getVector().getType());
  if (getInitial().getType() != vector.getElementType() || getType() != getInitial().getType())
    return emitCoded(*this, DiagCode::TypeMismatch, "the initial value is ")
           << getInitial().getType() << ", but the elements are " << vector.getElementType();
  if (isFloatKind(getKind()) != isFloatScalar(vector.getElementType()))
    return emitCoded(*this, DiagCode::TypeOperand, "'")
           << stringifyCombiningKind(getKind()) << "' cannot combine elements of type "
           << vector.getElementType();
  if (getFastmath() != FastMathFlags::none && !isFloatKind(getKind()))
    return emitCoded(*this, DiagCode::StructureValue, "fast-math flags need a float reduction");
  return success();
}

static LogicalResult verifyTransfer(Operation *op, VectorType vector, ViewType view,
                                    OperandRange indices, ArrayRef<int64_t> staticIndices,
                                    bool linear) {
  if (vector.getElementType() != view.getElementType())
    return emitCoded(op, DiagCode::TypeMismatch, "'")
           << getTextName(op) << "' transfers elements of " << vector.getElementType() << ", but "
           << Type(view) << " holds " << view.getElementType();
  if (vector.getShape().size() > view.getShape().size())
    return emitCoded(op, DiagCode::SubrangeRank, "")
           << Type(vector) << " has more dimensions than " << Type(view);
  return verifyIndices(op, view, view.getShape(), indices, staticIndices, linear,
                       vector.getShape());
}

LogicalResult VectorLoadOp::verify() {
  return verifyTransfer(*this, cast<VectorType>(getType()), cast<ViewType>(getView().getType()),
                        getIndices(), getStaticIndices(), getLinear());
}

LogicalResult VectorStoreOp::verify() {
  return verifyTransfer(*this, cast<VectorType>(getValue().getType()),
                        cast<ViewType>(getView().getType()), getIndices(), getStaticIndices(),
                        getLinear());
}

} // namespace loom
