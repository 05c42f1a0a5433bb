//===- VectorTables.cpp - Tables, transforms, packed bits -----------------===//
#include "VectorRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The extent of a table of one axis, or kDynamic.
static FailureOr<int64_t> verifyTable(Operation *op, Value table, StringRef what) {
  ArrayRef<int64_t> shape = vectorType(table).getShape();
  if (shape.size() == 1)
    return shape[0];
  return emitCoded(op, DiagCode::ShapeMismatch, "'")
         << getTextName(op) << "' takes " << what << " of one dimension, not " << spellType(table);
}

LogicalResult VectorTableLookupOp::verify() {
  FailureOr<int64_t> size = verifyTable(*this, getTable(), "a table");
  if (failed(size) ||
      failed(verifyElements(*this, {getTable(), "the table"}, {getResult(), "the result"})) ||
      failed(verifyShapes(*this, {getIndices(), "the indices"}, {getResult(), "the result"})))
    return failure();
  if (ShapedType::isDynamic(*size) || isEmptyVector(getIndices()))
    return success();
  for (Attribute literal : getKnownElements(getIndices())) {
    int64_t index = cast<IntegerAttr>(literal).getInt();
    if (index < 0 || index >= *size)
      return emitCoded(*this, DiagCode::SubrangeBounds, "'vector.table.lookup' takes element ")
             << index << ", but " << spellType(getTable()) << " ends at " << *size;
  }
  return success();
}

/// Reports literal thresholds that are NaN or decrease.
static LogicalResult verifyThresholds(Operation *op, Value thresholds) {
  std::optional<llvm::APFloat> last;
  for (Attribute literal : getKnownElements(thresholds)) {
    llvm::APFloat value = cast<FloatAttr>(literal).getValue();
    if (value.isNaN())
      return emitCoded(op, DiagCode::StructureThresholds, "a threshold cannot be NaN");
    if (last && value < *last) {
      SmallString<16> low, high;
      value.toString(low);
      last->toString(high);
      return emitCoded(op, DiagCode::StructureThresholds,
                       "thresholds must not decrease, but after ")
             << high << " comes " << low;
    }
    last = value;
  }
  return success();
}

LogicalResult VectorTableQuantizeOp::verify() {
  FailureOr<int64_t> count = verifyTable(*this, getThresholds(), "thresholds");
  if (failed(count) ||
      failed(
          verifyElements(*this, {getInput(), "the lanes"}, {getThresholds(), "the thresholds"})) ||
      failed(verifyShapes(*this, {getInput(), "the lanes"}, {getResult(), "the codes"})) ||
      failed(verifyThresholds(*this, getThresholds())))
    return failure();
  Type code = elementType(getResult());
  if (ShapedType::isDynamic(*count) || isa<IndexType>(code))
    return success();
  unsigned width = code.getIntOrFloatBitWidth();
  if (width >= 63 || *count < int64_t(1) << width)
    return success();
  return emitCoded(*this, DiagCode::TypeCode, "")
         << counted(*count, "threshold") << " need codes from 0 to " << *count << ", which " << code
         << " does not hold";
}

//===----------------------------------------------------------------------===//
// vector.transform
//===----------------------------------------------------------------------===//

LogicalResult VectorTransformOp::verify() {
  if (getVector().getType() != getType())
    return emitCoded(*this, DiagCode::TypeMismatch, "a transform of ")
           << spellType(getVector()) << " is of that type, not " << spellType(getResult());
  std::optional<int64_t> extent = getExtents(getVector()).back().known();
  if (!extent || *extent == 0 || llvm::isPowerOf2_64(*extent))
    return success();
  return emitCoded(*this, DiagCode::ShapeMismatch,
                   "'vector.transform' needs a power of two as the last extent, not ")
         << *extent;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyExtract(OpT op) {
  if (failed(verifyShapes(op, {op.getInput(), "the operand"}, {op.getResult(), "the result"})))
    return failure();
  return verifyBitField(op, elementType(op.getInput()), elementType(op.getResult()),
                        op.getOffsetAttr().getInt(), op.getWidthAttr().getInt());
}

/// The field of a literal that all lanes hold.
template <typename OpT> static OpFoldResult foldExtract(OpT op, Attribute literal, bool isSigned) {
  auto value = dyn_cast_or_null<IntegerAttr>(literal);
  int64_t offset = op.getOffsetAttr().getInt(), width = op.getWidthAttr().getInt();
  if (!value || offset < 0 || width < 1 || offset + width > value.getValue().getBitWidth())
    return {};
  Type lane = elementType(op.getResult());
  APInt field = value.getValue().extractBits(width, offset);
  unsigned bits = lane.getIntOrFloatBitWidth();
  if (bits < field.getBitWidth())
    return {};
  return IntegerAttr::get(lane, isSigned ? field.sext(bits) : field.zext(bits));
}

LogicalResult VectorBitfieldExtractUOp::verify() { return verifyExtract(*this); }
LogicalResult VectorBitfieldExtractSOp::verify() { return verifyExtract(*this); }

OpFoldResult VectorBitfieldExtractUOp::fold(FoldAdaptor adaptor) {
  return foldExtract(*this, adaptor.getInput(), /*isSigned=*/false);
}
OpFoldResult VectorBitfieldExtractSOp::fold(FoldAdaptor adaptor) {
  return foldExtract(*this, adaptor.getInput(), /*isSigned=*/true);
}

LogicalResult VectorBitfieldInsertOp::verify() {
  if (failed(verifyShapes(*this, {getField(), "the field"}, {getBase(), "the base"})))
    return failure();
  return verifyBitField(*this, elementType(getBase()), elementType(getField()),
                        getOffsetAttr().getInt(), getWidthAttr().getInt());
}

/// Checks that `fields`, of whose lanes `width` bits count, are as many bits as `stream`.
static LogicalResult verifyPacking(Operation *op, int64_t width, Value fields, Value stream) {
  VectorType lanes = vectorType(fields), packed = vectorType(stream);
  int64_t laneWidth = lanes.getElementTypeBitWidth();
  if (width < 1 || width > laneWidth)
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' with fields of " << counted(width, "bit")
           << " needs lanes of that size at least, not " << Type(lanes);
  std::optional<int64_t> count = countLanes(lanes), words = countLanes(packed);
  if (!count || !words)
    return success();
  int64_t have, want;
  if (llvm::MulOverflow(*count, width, have) ||
      llvm::MulOverflow<int64_t>(*words, packed.getElementTypeBitWidth(), want) || have != want)
    return emitCoded(op, DiagCode::ShapeMismatch, "")
           << counted(*count, "field") << " of " << counted(width, "bit") << " do not fill "
           << Type(packed) << " exactly";
  return success();
}

LogicalResult VectorBitPackOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  return verifyPacking(*this, getWidthAttr().getInt(), getInput(), getResult());
}

template <typename OpT> static LogicalResult verifyUnpack(OpT op) {
  if (failed(verifyDims(op, op.getDims())))
    return failure();
  return verifyPacking(op, op.getWidthAttr().getInt(), op.getResult(), op.getInput());
}
LogicalResult VectorBitUnpackUOp::verify() { return verifyUnpack(*this); }
LogicalResult VectorBitUnpackSOp::verify() { return verifyUnpack(*this); }

} // namespace loom
