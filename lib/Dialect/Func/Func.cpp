//===- Func.cpp - The `func` dialect: definitions and declarations --------===//
#include "loom/Dialect/Func/Func.h"
#include "Directives.h"
#include "loom/IR/CallableText.h"

using namespace mlir;
#include "loom/Dialect/Func/FuncDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Func/FuncOps.cpp.inc"

namespace loom {

void FuncDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Func/FuncOps.cpp.inc"
      >();
}

static constexpr Modifier kDefModifiers[] = {
    Modifier::Public,      Modifier::Retain,        Modifier::Convention, Modifier::Pure,
    Modifier::Temperature, Modifier::Inline,        Modifier::Target,     Modifier::Abi,
    Modifier::Export,      Modifier::ExportMetadata};
static constexpr Modifier kDeclModifiers[] = {
    Modifier::Public,         Modifier::Retain,     Modifier::Optional, Modifier::Import,
    Modifier::ImportMetadata, Modifier::Convention, Modifier::Pure,     Modifier::Temperature,
    Modifier::Inline,         Modifier::Target,     Modifier::Abi,      Modifier::Export,
    Modifier::ExportMetadata};

/// Modifiers, symbol and signature of a definition or declaration.
static ParseResult parseHeader(OpAsmParser &parser, OperationState &state,
                               ArrayRef<Modifier> modifiers, Signature &signature) {
  StringAttr name;
  signature.namesExtents = true;
  if (parseModifiers(parser, state.attributes, modifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parseSignature(parser, signature))
    return failure();
  state.addAttribute("result_types", parser.getBuilder().getTypeArrayAttr(signature.results));
  addSignatureAttributes(parser, state, signature);
  return success();
}

ParseResult FuncDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kDefModifiers, signature))
    return failure();
  return parser.parseRegion(*state.addRegion(), signature.bodyArguments());
}

void FuncDefOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kDefModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getHeaderParameters(*this, getBody()));
  printHeaderTail(printer, *this,
                  [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); });
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> FuncDefOp::getSignatureInputs() {
  if (getBody().empty()) // the verifier reports it
    return {};
  return llvm::map_to_vector(getHeaderParameters(*this, getBody()),
                             [](BlockArgument parameter) { return parameter.getType(); });
}
SmallVector<Type> FuncDefOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool FuncDefOp::isSignatureDeclaration() { return false; }

SmallVector<Value> FuncDefOp::getDimsOf(Value value) {
  return getParameterDims(cast<BlockArgument>(value), getExtentsAttr());
}

LogicalResult FuncDefOp::verify() {
  if (getBody().empty())
    return emitCoded(*this, DiagCode::StructureBlocks, "'func.def' has a body");
  if (failed(verifyHeader(*this, getSignatureInputs(), getSignatureResults())))
    return failure();
  return verifyBody(*this, getBody(), {"func.return", "func.fail"});
}

LogicalResult FuncDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

ParseResult FuncDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kDeclModifiers, signature))
    return failure();
  state.addAttribute("arg_types", parser.getBuilder().getTypeArrayAttr(signature.argumentTypes()));
  state.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr(signature.argumentNames()));
  return success();
}

void FuncDeclOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kDeclModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printDeclaredSignature(printer, *this);
}

SmallVector<Type> FuncDeclOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> FuncDeclOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool FuncDeclOp::isSignatureDeclaration() { return true; }

LogicalResult FuncDeclOp::verify() {
  return verifyHeader(*this, getSignatureInputs(), getSignatureResults());
}

LogicalResult FuncDeclOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

} // namespace loom
