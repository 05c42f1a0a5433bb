//===- VectorLanewise.cpp - Operations that work lane by lane -------------===//
//
// Most of them are functions of numbers (loom/IR/Lanewise.h), which both folds and verifies them.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Vector/Vector.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// vector.select
//===----------------------------------------------------------------------===//

OpFoldResult VectorSelectOp::fold(FoldAdaptor adaptor) {
  if (getTrueValue() == getFalseValue())
    return getTrueValue();
  if (auto mask = dyn_cast_or_null<IntegerAttr>(adaptor.getMask()))
    return mask.getValue().isZero() ? getFalseValue() : getTrueValue();
  return {};
}

LogicalResult VectorSelectOp::verify() { return verifySameShape(*this); }

//===----------------------------------------------------------------------===//
// vector.bitcast
//===----------------------------------------------------------------------===//

OperandRange VectorBitcastOp::getDynamicDims() { return getDims(); }

/// Bits of a vector: those of static extents and elements. Nothing when they do not fit 64 bits.
static std::optional<int64_t> countStaticBits(VectorType type) {
  int64_t bits = type.getElementTypeBitWidth();
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(bits, extent, bits))
      return std::nullopt;
  return bits;
}

LogicalResult VectorBitcastOp::verify() {
  auto from = cast<VectorType>(getInput().getType()), to = cast<VectorType>(getType());
  if (getDims().size() != countSlots(to))
    return emitCoded(*this, DiagCode::StructureOperandCount, "'vector.bitcast' has ")
           << counted(getDims().size(), "extent") << " for "
           << counted(countSlots(to), "dynamic dimension");
  std::optional<int64_t> have = countStaticBits(from), want = countStaticBits(to);
  // The factors that are values have to be the same ones, in any order.
  SmallVector<Value> left = loom::getDynamicDims(getInput());
  bool sameExtents = left.size() == getDims().size();
  for (Value dim : getDims()) {
    auto it = llvm::find_if(left, [&](Value other) { return isSameExtent(dim, other); });
    if (it == left.end())
      sameExtents = false;
    else
      left.erase(it);
  }
  if (sameExtents && have && have == want)
    return success();
  return emitCoded(*this, DiagCode::TypeResult, "'vector.bitcast' keeps the number of bits, but ")
         << spellType((*this)->getOperand(0)) << " and " << spellType(getResult())
         << " are not known to have the same";
}

OpFoldResult VectorBitcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && getDims().empty())
    return getInput();
  auto from = cast<VectorType>(getInput().getType()), to = cast<VectorType>(getType());
  if (from.getElementTypeBitWidth() != to.getElementTypeBitWidth() || !adaptor.getInput())
    return {};
  return convertNumber(LanewiseFunction::bitcast, adaptor.getInput(), to.getElementType());
}

} // namespace loom
