//===- Func.cpp - The `func` dialect --------------------------------------===//
#include "loom/Dialect/Func/Func.h"

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

static constexpr Modifier kModifiers[] = {
    Modifier::Public,      Modifier::Retain, Modifier::Convention, Modifier::Pure,
    Modifier::Temperature, Modifier::Inline, Modifier::Target,     Modifier::Export};

/// Modifiers, symbol and signature of a definition or declaration.
static ParseResult parseHeader(OpAsmParser &parser, OperationState &state, Signature &signature) {
  StringAttr name;
  if (parseModifiers(parser, state.attributes, kModifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parseSignature(parser, signature))
    return failure();
  state.addAttribute("result_types", parser.getBuilder().getTypeArrayAttr(signature.results));
  addSignatureAttributes(parser, state, signature);
  return success();
}

/// Results and `where` of a definition or declaration.
template <typename OpTy>
static void printTail(OpAsmPrinter &printer, OpTy op,
                      llvm::function_ref<void(unsigned)> printArgument) {
  SmallVector<Type> inputs = op.getSignatureInputs();
  printSignatureResults(printer, op, inputs, op.getSignatureResults(), printArgument);
  printWhere(printer, op.getWhereAttr(), [&](unsigned i) {
    if (i < inputs.size())
      printArgument(i);
    else
      printer << '%' << cast<StringAttr>((*op.getResultNames())[i - inputs.size()]).getValue();
  });
}

ParseResult FuncDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, signature))
    return failure();
  return parser.parseRegion(*state.addRegion(), signature.arguments);
}

void FuncDefOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getBody().getArguments());
  printTail(printer, *this, [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); });
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> FuncDefOp::getSignatureInputs() {
  return llvm::to_vector(getBody().getArgumentTypes());
}
SmallVector<Type> FuncDefOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool FuncDefOp::isSignatureDeclaration() { return false; }

SmallVector<Value> FuncDefOp::getDimsOf(Value value) {
  return getParameterDims(cast<BlockArgument>(value), getExtentsAttr());
}

LogicalResult FuncDefOp::verify() {
  if (failed(verifyExtents(*this, getSignatureInputs(), getSignatureResults(), getExtentsAttr())))
    return failure();
  if (getExportName() && failed(verifyExportName(*this, *getExportName())))
    return failure();
  return verifyTerminator(*this, getBody(), "func.return");
}

ParseResult FuncDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, signature))
    return failure();
  state.addAttribute("arg_types", parser.getBuilder().getTypeArrayAttr(signature.argumentTypes()));
  state.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr(signature.argumentNames()));
  return success();
}

void FuncDeclOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getArgTypes(), getArgNames(), getExtentsAttr());
  printTail(printer, *this,
            [&](unsigned i) { printer << '%' << cast<StringAttr>(getArgNames()[i]).getValue(); });
}

SmallVector<Type> FuncDeclOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> FuncDeclOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool FuncDeclOp::isSignatureDeclaration() { return true; }

LogicalResult FuncDeclOp::verify() {
  return verifyExtents(*this, getSignatureInputs(), getSignatureResults(), getExtentsAttr());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static constexpr Modifier kCallModifiers[] = {Modifier::Pure, Modifier::Temperature,
                                              Modifier::Inline};

ParseResult FuncCallOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr callee;
  SmallVector<UnresolvedOperand> operands;
  if (parseModifiers(parser, state.attributes, kCallModifiers) ||
      text(parser).parseSymbolRef(callee) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parseCallTypes(parser, operands, state))
    return failure();
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  state.addAttribute("callee", callee);
  return success();
}

void FuncCallOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kCallModifiers);
  printer << ' ';
  printer.printSymbolName(getCallee());
  printer << '(' << getArguments() << ") : ";
  printCallTypes(printer, getArguments(), getResults());
}

SmallVector<Value> FuncCallOp::getDimsOf(Value value) {
  return getCallResultDims(cast<OpResult>(value), getArguments(), getExtentsAttr());
}

LogicalResult FuncCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getCalleeAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "function", getCalleeAttr());
  if (!isa<FuncDefOp, FuncDeclOp>(symbol)) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::SymbolKind, "@");
    diag << getCallee() << " is a '" << getTextName(symbol)
         << "', not a function that can be called";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  if (getPure() && !symbol->hasAttr("pure")) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructurePure, "a pure call of @");
    diag << getCallee() << ", which is not pure";
    diag.attachNote(symbol->getLoc()) << "declared here";
    return diag;
  }
  return verifyCall(*this, cast<SignatureOpInterface>(symbol), getArguments());
}

LogicalResult FuncReturnOp::verify() {
  return verifyReturn(*this, cast<FuncDefOp>((*this)->getParentOp()).getSignatureResults());
}

} // namespace loom
