//===- Template.cpp - The `template` dialect ------------------------------===//
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/CallableText.h"
#include "loom/IR/Messages.h"

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
    Modifier::Public, Modifier::Retain,      Modifier::Convention,
    Modifier::Pure,   Modifier::Temperature, Modifier::Inline,
    Modifier::Target, Modifier::Requires,    Modifier::Priority};
static constexpr Modifier kUseModifiers[] = {Modifier::Pure, Modifier::Temperature};

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

/// Modifiers, symbol and signature of an operation without a body.
static ParseResult parseDeclaration(OpAsmParser &parser, OperationState &state,
                                    ArrayRef<Modifier> modifiers) {
  Signature signature;
  if (parseHeader(parser, state, modifiers, signature))
    return failure();
  state.addAttribute("arg_types", parser.getBuilder().getTypeArrayAttr(signature.argumentTypes()));
  state.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr(signature.argumentNames()));
  return success();
}

template <typename OpTy>
static void printDeclaration(OpAsmPrinter &printer, OpTy op, ArrayRef<Modifier> modifiers) {
  printModifiers(printer, op, modifiers);
  printer << ' ';
  printer.printSymbolName(op.getSymName());
  printDeclaredSignature(printer, op);
}

static void printFamily(OpAsmPrinter &printer, StringRef family) {
  printer << '<';
  printer.printSymbolName(family);
  printer << '>';
}

ParseResult TemplateDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseDeclaration(parser, state, kDeclModifiers);
}

void TemplateDeclOp::print(OpAsmPrinter &printer) {
  printDeclaration(printer, *this, kDeclModifiers);
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
  return parser.parseRegion(*state.addRegion(), signature.bodyArguments());
}

void TemplateDefOp::print(OpAsmPrinter &printer) {
  printFamily(printer, getFamily());
  printModifiers(printer, *this, kDefModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getHeaderParameters(*this, getBody()));
  printHeaderTail(printer, *this,
                  [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); });
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> TemplateDefOp::getSignatureInputs() {
  if (getBody().empty()) // the verifier reports it
    return {};
  return llvm::map_to_vector(getHeaderParameters(*this, getBody()),
                             [](BlockArgument parameter) { return parameter.getType(); });
}
SmallVector<Type> TemplateDefOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool TemplateDefOp::isSignatureDeclaration() { return false; }

SmallVector<Value> TemplateDefOp::getDimsOf(Value value) {
  return getParameterDims(cast<BlockArgument>(value), getExtentsAttr());
}

ParseResult TemplateUkernelOp::parse(OpAsmParser &parser, OperationState &state) {
  return failure(parseFamily(parser, state) || parseDeclaration(parser, state, kDefModifiers));
}

void TemplateUkernelOp::print(OpAsmPrinter &printer) {
  printFamily(printer, getFamily());
  printDeclaration(printer, *this, kDefModifiers);
}

SmallVector<Type> TemplateUkernelOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> TemplateUkernelOp::getSignatureResults() {
  return llvm::to_vector(getResultTypes().getAsValueRange<TypeAttr>());
}
bool TemplateUkernelOp::isSignatureDeclaration() { return true; }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult TemplateDeclOp::verify() {
  return verifyHeader(*this, getSignatureInputs(), getSignatureResults());
}

LogicalResult TemplateDeclOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

LogicalResult TemplateUkernelOp::verify() {
  return verifyHeader(*this, getSignatureInputs(), getSignatureResults());
}

LogicalResult TemplateDefOp::verify() {
  if (getBody().empty())
    return emitCoded(*this, DiagCode::StructureBlocks, "'template.def' has a body");
  if (failed(verifyHeader(*this, getSignatureInputs(), getSignatureResults())))
    return failure();
  return verifyBody(*this, getBody(), {"template.return"});
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
    InFlightDiagnostic diag = emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << getTextName(symbol)
         << "', not a family declared by 'template.decl'";
    diag.attachNote(symbol->getLoc()) << "defined here";
  }
  return family;
}

/// A record that an implementation names says what class of machines it is for. What a record can
/// say about one kernel has no place there.
static LogicalResult verifyWithoutOverrides(Operation *op, Operation *record) {
  for (NamedAttribute attribute : record->getAttrs()) {
    StringRef name = attribute.getName().getValue();
    if (llvm::is_contained({"sym_name", "sym_visibility", "row"}, name))
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::TargetOverride,
                                        "the target of an "
                                        "implementation may not "
                                        "override '");
    if (auto overrides = dyn_cast<DictionaryAttr>(attribute.getValue());
        overrides && !overrides.empty())
      name = overrides.begin()->getName().getValue();
    diag << name << "'";
    diag.attachNote(record->getLoc()) << "the target is defined here";
    return diag;
  }
  return success();
}

/// Checks an implementation against its family and the target that it names.
template <typename OpTy>
static LogicalResult verifyImplementation(OpTy op, SymbolTableCollection &tables) {
  TemplateDeclOp family = lookupFamily(op, op.getFamilyAttr(), tables);
  if (!family)
    return failure();
  FailureOr<Operation *> record = verifyTarget(op, tables);
  if (failed(record) || (*record && failed(verifyWithoutOverrides(op, *record))))
    return failure();
  if (op.getSignatureInputs() == family.getSignatureInputs() &&
      op.getSignatureResults() == family.getSignatureResults() &&
      op.getExtentsAttr() == family.getExtentsAttr())
    return success();
  DiagCode code = op.getSignatureInputs().size() != family.getSignatureInputs().size()
                      ? DiagCode::StructureOperandCount
                  : op.getSignatureResults().size() != family.getSignatureResults().size()
                      ? DiagCode::StructureResultCount
                      : DiagCode::TypeMismatch;
  InFlightDiagnostic diag = emitCoded(op, code, "@");
  diag << op.getSymName() << " does not have the parameters and results of its family @"
       << op.getFamily();
  diag.attachNote(family.getLoc()) << "the family is declared here";
  return diag;
}

LogicalResult TemplateDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyImplementation(*this, tables);
}

LogicalResult TemplateUkernelOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyImplementation(*this, tables);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static LogicalResult verifyUse(Operation *op, Operation *callee, bool pure,
                               OperandRange arguments) {
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
  printFamily(printer, getFamily());
  printer << '(' << getArguments() << ')';
  printModifiers(printer, *this, kUseModifiers);
  printer << " : ";
  printCallTypes(printer, getArguments(), getResults(), getTiesAttr());
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
  return parseExactCall(parser, state, kUseModifiers);
}

void TemplateCallOp::print(OpAsmPrinter &printer) {
  printExactCall(printer, *this, getCallee(), kUseModifiers);
}

SmallVector<Value> TemplateCallOp::getDimsOf(Value value) {
  return getCallResultDims(cast<OpResult>(value), getArguments(), getExtentsAttr());
}

LogicalResult TemplateCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getCalleeAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "template implementation", getCalleeAttr());
  if (!isa<TemplateDefOp, TemplateUkernelOp>(symbol)) {
    InFlightDiagnostic diag = emitCoded(atSymbol(*this, getCallee()), DiagCode::SymbolKind, "@");
    diag << getCallee() << " is a '" << getTextName(symbol)
         << "', not an implementation such as a 'template.def'";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  return verifyUse(*this, symbol, getPure(), getArguments());
}

LogicalResult TemplateReturnOp::verify() {
  return verifyReturn(*this, cast<TemplateDefOp>((*this)->getParentOp()).getSignatureResults());
}

} // namespace loom
