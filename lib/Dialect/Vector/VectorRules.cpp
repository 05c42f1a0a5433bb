//===- VectorRules.cpp - Rules that operations of `vector` share ----------===//
#include "VectorRules.h"
#include "loom/IR/Messages.h"
#include "loom/IR/NearDims.h"
#include "mlir/IR/Matchers.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::optional<int64_t> Extent::known() const {
  if (!ShapedType::isDynamic(number))
    return number;
  IntegerAttr constant;
  if (value && matchPattern(value, m_Constant(&constant)))
    return constant.getInt();
  return std::nullopt;
}

bool Extent::operator==(const Extent &other) const {
  std::optional<int64_t> a = known(), b = other.known();
  if (a || b)
    return a == b;
  return isSameExtent(value, other.value);
}

SmallVector<Extent> getExtents(Value vector) {
  SmallVector<Extent> extents;
  // What is not verified yet need not be a vector.
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return extents;
  SmallVector<Value> dims = getDynamicDims(vector);
  size_t next = 0;
  for (int64_t number : type.getShape()) {
    Value value;
    if (ShapedType::isDynamic(number) && next < dims.size())
      value = dims[next++];
    extents.push_back({number, value});
  }
  return extents;
}

SmallVector<Value> selectDims(Value vector, ArrayRef<int64_t> axes) {
  SmallVector<Value> dims;
  SmallVector<Extent> extents = getExtents(vector);
  for (int64_t axis : axes)
    if (axis >= 0 && axis < int64_t(extents.size()) && extents[axis].value)
      dims.push_back(extents[axis].value);
  return dims;
}

bool isEmptyVector(Value vector) {
  // Asked of every operation of a chain while patterns are applied.
  constexpr unsigned kNear = 64;
  NearDimsScope near(kNear);
  return llvm::any_of(getExtents(vector), [](const Extent &e) { return e.known() == 0; });
}

std::optional<int64_t> countLanes(VectorType type) {
  int64_t lanes = 1;
  for (int64_t extent : type.getShape())
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(lanes, extent, lanes))
      return std::nullopt;
  return lanes;
}

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

LogicalResult verifyShapes(Operation *op, Named a, Named b) {
  SmallVector<Extent> left = getExtents(a.value), right = getExtents(b.value);
  if (left == right)
    return success();
  InFlightDiagnostic diag = emitCoded(atOperand(op, b.value), DiagCode::ShapeKind, "'");
  diag << getTextName(op) << "' needs " << a.name << " and " << b.name << " of one shape, not "
       << spellType(a.value) << " and " << spellType(b.value);
  if (vectorType(a.value).getShape() == vectorType(b.value).getShape())
    diag << " with extents that may differ";
  return diag;
}

LogicalResult verifyElements(Operation *op, Named a, Named b) {
  if (elementType(a.value) == elementType(b.value))
    return success();
  return emitCoded(atOperand(op, b.value), DiagCode::TypeElement, "'")
         << getTextName(op) << "' needs " << a.name << " and " << b.name
         << " with the same elements, not " << elementType(a.value) << " and "
         << elementType(b.value);
}

LogicalResult verifyTypes(Operation *op, Named a, Named b) {
  if (a.value.getType() != b.value.getType())
    return emitCoded(atOperand(op, b.value), DiagCode::TypeMismatch, "'")
           << getTextName(op) << "' needs " << a.name << " and " << b.name << " of one type, not "
           << spellType(a.value) << " and " << spellType(b.value);
  return isa<VectorType>(a.value.getType()) ? verifyShapes(op, a, b) : success();
}

LogicalResult verifyDims(Operation *op, OperandRange dims) {
  size_t slots = countSlots(op->getResult(0).getType());
  if (dims.size() == slots)
    return success();
  return emitCoded(op, DiagCode::StructureVariadic, "'")
         << getTextName(op) << "' owns " << counted(dims.size(), "extent") << " for "
         << counted(slots, "place") << " in its type";
}

LogicalResult verifyAxis(Operation *op, int64_t axis, VectorType vector) {
  int64_t rank = vector.getShape().size();
  if (axis >= 0 && axis < rank)
    return success();
  return emitCoded(op, DiagCode::SubrangeAxis, "'")
         << getTextName(op) << "' names axis " << axis << ", but " << Type(vector) << " has "
         << counted(rank, "dimension");
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

SmallVector<Attribute> getKnownElements(Value vector) {
  Attribute splat;
  if (matchPattern(vector, m_Constant(&splat)))
    return {splat};
  auto elements = vector.getDefiningOp<VectorFromElementsOp>();
  if (!elements)
    return {};
  SmallVector<Attribute> known;
  for (Value element : elements.getElements()) {
    Attribute literal;
    if (!matchPattern(element, m_Constant(&literal)))
      return {};
    known.push_back(literal);
  }
  return known;
}

} // namespace loom
