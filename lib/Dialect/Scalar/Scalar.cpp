//===- Scalar.cpp - The `scalar` dialect ----------------------------------===//
//
// The functions of numbers are lanewise operations (loom/IR/Lanewise.h); here is what is left.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/Predicates.h"

using namespace mlir;
#include "loom/Dialect/Scalar/ScalarDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Scalar/ScalarOps.cpp.inc"

namespace loom {

void ScalarDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Scalar/ScalarOps.cpp.inc"
      >();
}

Operation *ScalarDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type || !isPayloadScalar(type))
    return nullptr;
  return ScalarConstantOp::create(builder, loc, type, typed);
}

//===----------------------------------------------------------------------===//
// Constants, poison and facts
//===----------------------------------------------------------------------===//

OpFoldResult ScalarConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ScalarConstantOp::verify() {
  if (getValue().getType() == getType() && isa<IntegerAttr, FloatAttr>(getValue()))
    return success();
  return emitCoded(*this, DiagCode::TypeAttribute, "a constant of type ")
         << getType() << " holds a literal of another type";
}

LogicalResult ScalarPoisonOp::verify() { return verifyPoison(*this); }

LogicalResult ScalarAssumeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult ScalarAssumeOp::verify() {
  return verifyPredicates(*this, getPredicates(), llvm::to_vector(getOperandTypes()),
                          getInputs().size());
}

//===----------------------------------------------------------------------===//
// Fields of bits
//===----------------------------------------------------------------------===//

static OpFoldResult foldBitField(Attribute operand, Type result, uint64_t offset, uint64_t width,
                                 bool isSigned) {
  auto integer = dyn_cast_or_null<IntegerAttr>(operand);
  if (!integer)
    return {};
  APInt field = integer.getValue().extractBits(width, offset);
  unsigned bits = result.getIntOrFloatBitWidth();
  return IntegerAttr::get(result, isSigned ? field.sext(bits) : field.zext(bits));
}

OpFoldResult ScalarBitfieldExtractUOp::fold(FoldAdaptor adaptor) {
  return foldBitField(adaptor.getInput(), getType(), getOffset(), getWidth(), /*isSigned=*/false);
}

OpFoldResult ScalarBitfieldExtractSOp::fold(FoldAdaptor adaptor) {
  return foldBitField(adaptor.getInput(), getType(), getOffset(), getWidth(), /*isSigned=*/true);
}

LogicalResult ScalarBitfieldExtractUOp::verify() {
  return verifyBitField(*this, getInput().getType(), getType(), getOffset(), getWidth());
}

LogicalResult ScalarBitfieldExtractSOp::verify() {
  return verifyBitField(*this, getInput().getType(), getType(), getOffset(), getWidth());
}

} // namespace loom
