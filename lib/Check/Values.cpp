//===- Values.cpp - From attributes and types to runtime values -----------===//
#include "Values.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Number;
using runtime::Scalar;

std::optional<ElementType> elementTypeOf(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type)) {
    if (tensor.getEncoding())
      return std::nullopt;
    type = tensor.getElementType();
  }
  if (isa<IndexType>(type))
    return ElementType::Index;
  if (isa<OffsetType>(type))
    return ElementType::Offset;
  if (isIntegerScalar(type))
    switch (type.getIntOrFloatBitWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    default:
      return ElementType::I64;
    }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case<Float8E4M3FNType>([](auto) { return ElementType::F8E4M3; })
      .Case<Float8E5M2Type>([](auto) { return ElementType::F8E5M2; })
      .Case<Float16Type>([](auto) { return ElementType::F16; })
      .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
      .Case<Float32Type>([](auto) { return ElementType::F32; })
      .Case<Float64Type>([](auto) { return ElementType::F64; })
      .Default([](Type) { return std::nullopt; });
}

Number numberOf(Attribute literal) {
  Number number;
  if (auto boolean = dyn_cast<BoolAttr>(literal))
    number.integer = boolean.getValue();
  else if (auto integer = dyn_cast<IntegerAttr>(literal))
    number.integer = integer.getInt();
  else
    number.real = cast<FloatAttr>(literal).getValueAsDouble();
  return number;
}

Scalar scalarOf(Attribute literal, ElementType type) {
  Number number = numberOf(literal);
  return runtime::isFloat(type) ? Scalar::fromDouble(type, number.real)
                                : Scalar::fromBits(type, static_cast<uint64_t>(number.integer));
}

runtime::Iota iotaOf(CheckIotaOp op) {
  runtime::Iota iota{numberOf(op.getOffset()), numberOf(op.getStep()), std::nullopt};
  if (op.getPeriod())
    iota.period = *op.getPeriod();
  return iota;
}

runtime::Uniform uniformOf(CheckRandomUniformOp op) {
  return {numberOf(op.getLow()), numberOf(op.getHigh())};
}

TypedAttr attributeOf(const Scalar &scalar, Type type) {
  if (runtime::isFloat(scalar.type())) {
    auto floatType = cast<FloatType>(type);
    APInt bits(floatType.getWidth(), scalar.bits());
    return FloatAttr::get(floatType, llvm::APFloat(floatType.getFloatSemantics(), bits));
  }
  // Folders see an index attribute for `offset` as well (the `index` dialect).
  if (isa<OffsetType>(type))
    type = IndexType::get(type.getContext());
  if (isa<IndexType>(type))
    return IntegerAttr::get(type, scalar.toInteger());
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), scalar.bits()));
}

Scalar scalarOfConstant(Attribute constant, ElementType type) {
  if (auto real = dyn_cast<FloatAttr>(constant))
    return Scalar::fromBits(type, real.getValue().bitcastToAPInt().getZExtValue());
  APInt value = cast<IntegerAttr>(constant).getValue();
  return Scalar::fromBits(type,
                          static_cast<uint64_t>(value.getBitWidth() == 1 ? value.getZExtValue()
                                                                         : value.getSExtValue()));
}

} // namespace loom::check
