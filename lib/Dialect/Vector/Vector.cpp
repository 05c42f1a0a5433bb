//===- Vector.cpp - The `vector` dialect ----------------------------------===//
#include "loom/Dialect/Vector/Vector.h"
#include "VectorSyntax.h"
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
  auto vector = dyn_cast<VectorType>(type);
  auto typed = dyn_cast<TypedAttr>(value);
  // With extents that are values it would need these.
  if (!vector || countSlots(vector) || !typed || typed.getType() != vector.getElementType())
    return nullptr;
  return VectorConstantOp::create(builder, loc, type, typed);
}

} // namespace loom
