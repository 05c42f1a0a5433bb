//===- Config.cpp - The `config` dialect ----------------------------------===//
#include "loom/Dialect/Config/Config.h"
#include "loom/IR/Signatures.h"

using namespace mlir;
#include "loom/Dialect/Config/ConfigDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Config/ConfigOps.cpp.inc"

namespace loom {

void ConfigDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Config/ConfigOps.cpp.inc"
      >();
}

static LogicalResult verifyValueType(Operation *op, Type type) {
  if (isPayloadScalar(type) || isAddressType(type))
    return success();
  return emitCoded(op, DiagCode::TypeResult,
                   "a configuration value is an integer, a float, an "
                   "index or an offset, not ")
         << type;
}

LogicalResult ConfigDefOp::verify() {
  if (failed(verifyValueType(*this, getValueType())))
    return failure();
  return failure(failed(convertLiteral(getValue(), getValueType(), [&](const Twine &message) {
    return emitCoded(*this, DiagCode::TypeAttribute, message);
  })));
}

LogicalResult ConfigDeclOp::verify() { return verifyValueType(*this, getValueType()); }

LogicalResult ConfigGetOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getConfigAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "configuration value", getConfigAttr());
  Type declared;
  if (auto def = dyn_cast<ConfigDefOp>(symbol))
    declared = def.getValueType();
  else if (auto decl = dyn_cast<ConfigDeclOp>(symbol))
    declared = decl.getValueType();
  else {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::SymbolKind, "@");
    diag << getConfig() << " is not a configuration value";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  if (declared == getType())
    return success();
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::TypeMismatch, "@");
  diag << getConfig() << " is read as " << getType() << ", but it is " << declared;
  diag.attachNote(symbol->getLoc()) << "declared here";
  return diag;
}

} // namespace loom
