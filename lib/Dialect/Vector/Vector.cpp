//===- Vector.cpp - The `vector` dialect ----------------------------------===//
#include "loom/Dialect/Vector/Vector.h"
#include "VectorSyntax.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/MemoryRules.h"

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
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return nullptr;
  auto vector = dyn_cast<VectorType>(type);
  // Lanes that are taken out.
  if (!vector && typed.getType() == type && isPayloadScalar(type))
    return ScalarConstantOp::create(builder, loc, type, typed);
  if (!vector && isa<IndexType>(type))
    return IndexConstantOp::create(builder, loc, type, cast<IntegerAttr>(typed).getInt());
  // With extents that are values it would need these.
  if (!vector || countSlots(vector) || typed.getType() != vector.getElementType())
    return nullptr;
  return VectorConstantOp::create(builder, loc, type, typed);
}

} // namespace loom
