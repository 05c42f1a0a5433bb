//===- Encoding.cpp - The `encoding` dialect ------------------------------===//
#include "loom/Dialect/Encoding/Encoding.h"

using namespace mlir;
#include "loom/Dialect/Encoding/EncodingDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Encoding/EncodingOps.cpp.inc"

namespace loom {

void EncodingDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Encoding/EncodingOps.cpp.inc"
      >();
}

// The parser reads an alias as a statement of the module (Parser::parseAlias).
ParseResult EncodingAliasOp::parse(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getNameLoc(), "an alias is written #name = #family<...>");
}

void EncodingAliasOp::print(OpAsmPrinter &printer) {
  printer << " = ";
  printTextAttribute(printer.getStream(), getEncoding());
}

std::string EncodingAliasOp::getStatementWord() { return "#" + getName().str(); }

} // namespace loom
