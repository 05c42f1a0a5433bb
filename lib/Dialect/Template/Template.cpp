//===- Template.cpp - The `template` dialect ------------------------------===//
#include "loom/Dialect/Template/Template.h"

using namespace mlir;
#include "loom/Dialect/Template/TemplateDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Template/TemplateOps.cpp.inc"

namespace loom {

void TemplateDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Template/TemplateOps.cpp.inc"
      >();
}

static constexpr Modifier kDeclModifiers[] = {
    Modifier::Public,      Modifier::Retain, Modifier::Convention, Modifier::Pure,
    Modifier::Temperature, Modifier::Target, Modifier::Requires};
static constexpr Modifier kDefModifiers[] = {
    Modifier::Public,      Modifier::Retain, Modifier::Convention, Modifier::Pure,
    Modifier::Temperature, Modifier::Target, Modifier::Requires,   Modifier::Priority};
static constexpr Modifier kUseModifiers[] = {Modifier::Pure, Modifier::Temperature};

static ParseResult parseHeader(OpAsmParser &parser, OperationState &state,
                               ArrayRef<Modifier> modifiers, Signature &signature) {
  StringAttr name;
  if (parseModifiers(parser, state.attributes, modifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parseSignature(parser, signature))
    return failure();
  state.addAttribute("result_types", parser.getBuilder().getTypeArrayAttr(signature.results));
  addSignatureAttributes(parser, state, signature);
  return success();
}

static ParseResult parseFamily(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr family;
  if (parser.parseLess() || text(parser).parseSymbolRef(family) || parser.parseGreater())
    return failure();
  state.addAttribute("family", family);
  return success();
}

//===----------------------------------------------------------------------===//
// Declarations and definitions
//===----------------------------------------------------------------------===//

ParseResult TemplateDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kDeclModifiers, signature))
    return failure();
  state.addAttribute("arg_types", parser.getBuilder().getTypeArrayAttr(signature.argumentTypes()));
  state.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr(signature.argumentNames()));
  return success();
}

void TemplateDeclOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kDeclModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  auto printArgument = [&](unsigned i) {
    printer << '%' << cast<StringAttr>(getArgNames()[i]).getValue();
  };
  printParameters(printer, getArgTypes(), getArgNames(), getExtentsAttr());
  printSignatureResults(printer, *this, getSignatureInputs(), getSignatureResults(),
                        printArgument);
  printWhere(printer, getWhereAttr(), printArgument);
}

SmallVector<Type> TemplateDeclOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> TemplateDeclOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool TemplateDeclOp::isSignatureDeclaration() { return true; }

ParseResult TemplateDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseFamily(parser, state) || parseHeader(parser, state, kDefModifiers, signature))
    return failure();
  return parser.parseRegion(*state.addRegion(), signature.arguments);
}

void TemplateDefOp::print(OpAsmPrinter &printer) {
  printer << '<';
  printer.printSymbolName(getFamily());
  printer << '>';
  printModifiers(printer, *this, kDefModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getBody().getArguments());
  auto printArgument = [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); };
  printSignatureResults(printer, *this, getSignatureInputs(), getSignatureResults(),
                        printArgument);
  printWhere(printer, getWhereAttr(), printArgument);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> TemplateDefOp::getSignatureInputs() {
  return llvm::to_vector(getBody().getArgumentTypes());
}
SmallVector<Type> TemplateDefOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool TemplateDefOp::isSignatureDeclaration() { return false; }

SmallVector<Value> TemplateDefOp::getDimsOf(Value value) {
  return getParameterDims(cast<BlockArgument>(value), getExtentsAttr());
}

LogicalResult TemplateDeclOp::verify() {
  return verifyExtents(*this, getSignatureInputs(), getSignatureResults(), getExtentsAttr());
}

LogicalResult TemplateDefOp::verify() {
  if (failed(verifyExtents(*this, getSignatureInputs(), getSignatureResults(), getExtentsAttr())))
    return failure();
  return verifyTerminator(*this, getBody(), "template.return");
}

/// The declaration of a family, or null after reporting.
static TemplateDeclOp lookupFamily(Operation *op, FlatSymbolRefAttr name,
                                   SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(op, name, &tables);
  if (!symbol) {
    emitUndefined(op, "template family", name);
    return {};
  }
  auto family = dyn_cast<TemplateDeclOp>(symbol);
  if (!family) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << getTextName(symbol)
         << "', not a family declared by 'template.decl'";
    diag.attachNote(symbol->getLoc()) << "defined here";
  }
  return family;
}

LogicalResult TemplateDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  TemplateDeclOp family = lookupFamily(*this, getFamilyAttr(), tables);
  if (!family)
    return failure();
  if (getSignatureInputs() == family.getSignatureInputs() &&
      getSignatureResults() == family.getSignatureResults() &&
      getExtentsAttr() == family.getExtentsAttr())
    return success();
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::TypeMismatch, "@");
  diag << getSymName() << " does not have the parameters and results of its family @"
       << getFamily();
  diag.attachNote(family.getLoc()) << "the family is declared here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static LogicalResult verifyUse(Operation *op, Operation *callee, bool pure, OperandRange arguments) {
  if (pure && !callee->hasAttr("pure")) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::StructurePure, "a pure use of @");
    diag << SymbolTable::getSymbolName(callee).getValue() << ", which is not pure";
    diag.attachNote(callee->getLoc()) << "declared here";
    return diag;
  }
  return verifyCall(op, cast<SignatureOpInterface>(callee), arguments);
}

ParseResult TemplateApplyOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> operands;
  if (parseFamily(parser, state) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parseModifiers(parser, state.attributes, kUseModifiers) || parser.parseColon() ||
      parseCallTypes(parser, operands, state))
    return failure();
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  return success();
}

void TemplateApplyOp::print(OpAsmPrinter &printer) {
  printer << '<';
  printer.printSymbolName(getFamily());
  printer << ">(" << getArguments() << ')';
  printModifiers(printer, *this, kUseModifiers);
  printer << " : ";
  printCallTypes(printer, getArguments(), getResults());
}

SmallVector<Value> TemplateApplyOp::getDimsOf(Value value) {
  return getCallResultDims(cast<OpResult>(value), getArguments(), getExtentsAttr());
}

LogicalResult TemplateApplyOp::verifySymbolUses(SymbolTableCollection &tables) {
  TemplateDeclOp family = lookupFamily(*this, getFamilyAttr(), tables);
  if (!family)
    return failure();
  return verifyUse(*this, family, getPure(), getArguments());
}

ParseResult TemplateCallOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr callee;
  SmallVector<UnresolvedOperand> operands;
  if (parseModifiers(parser, state.attributes, kUseModifiers) ||
      text(parser).parseSymbolRef(callee) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parseCallTypes(parser, operands, state))
    return failure();
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  state.addAttribute("callee", callee);
  return success();
}

void TemplateCallOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kUseModifiers);
  printer << ' ';
  printer.printSymbolName(getCallee());
  printer << '(' << getArguments() << ") : ";
  printCallTypes(printer, getArguments(), getResults());
}

SmallVector<Value> TemplateCallOp::getDimsOf(Value value) {
  return getCallResultDims(cast<OpResult>(value), getArguments(), getExtentsAttr());
}

LogicalResult TemplateCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getCalleeAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "template implementation", getCalleeAttr());
  if (!isa<TemplateDefOp>(symbol)) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::SymbolKind, "@");
    diag << getCallee() << " is a '" << getTextName(symbol)
         << "', not an implementation defined by 'template.def'";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  return verifyUse(*this, symbol, getPure(), getArguments());
}

LogicalResult TemplateReturnOp::verify() {
  return verifyReturn(*this, cast<TemplateDefOp>((*this)->getParentOp()).getSignatureResults());
}

} // namespace loom
