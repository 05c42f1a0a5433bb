//===- LoomDialect.cpp - Types and attributes of the language -------------===//
#include "BytecodeInterface.h"
#include "loom/IR/Loom.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "loom/IR/LoomDialect.cpp.inc"
#include "loom/IR/LoomEnums.cpp.inc"
#include "loom/IR/LoomInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "loom/IR/LoomTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "loom/IR/LoomAttrs.cpp.inc"

namespace loom {

void LoomDialect::initialize() {
  addBytecodeInterface(*this);
  addTypes<
#define GET_TYPEDEF_LIST
#include "loom/IR/LoomTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "loom/IR/LoomAttrs.cpp.inc"
      >();
}

bool isIntegerScalar(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool isFloatScalar(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

bool isBytePatternScalar(Type type) {
  return isFloatScalar(type) || (isIntegerScalar(type) && !type.isInteger(1));
}

bool isIndexOrNonI1Integer(Type type) {
  return isa<IndexType>(type) || (isIntegerScalar(type) && !type.isInteger(1));
}

bool isPayloadScalar(Type type) { return isIntegerScalar(type) || isFloatScalar(type); }

bool isAddressType(Type type) { return isa<IndexType, OffsetType>(type); }

unsigned getElementBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

bool isFloatKind(CombiningKind kind) {
  switch (kind) {
  case CombiningKind::addf:
  case CombiningKind::mulf:
  case CombiningKind::minimumf:
  case CombiningKind::maximumf:
  case CombiningKind::minnumf:
  case CombiningKind::maxnumf:
    return true;
  default:
    return false;
  }
}

bool isFloatKind(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::xchgf:
  case AtomicKind::addf:
  case AtomicKind::minimumf:
  case AtomicKind::maximumf:
  case AtomicKind::minnumf:
  case AtomicKind::maxnumf:
    return true;
  default:
    return false;
  }
}

EncodingRole EncodingType::getRole() const { return static_cast<EncodingRole>(getRoleCode()); }
StorageSpace StorageType::getSpace() const { return static_cast<StorageSpace>(getSpaceCode()); }

StringRef getTextName(OperationName name) {
  StringRef text = name.getStringRef();
  text.consume_front("loom_");
  return text;
}

} // namespace loom
