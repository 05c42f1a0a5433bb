//===- Calls.cpp - Calls, exits and functions as values -------------------===//
#include "Directives.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/IR/CallableText.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Ties.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Exact calls
//===----------------------------------------------------------------------===//

static constexpr Modifier kCallModifiers[] = {Modifier::Pure, Modifier::Temperature,
                                              Modifier::Inline};

ParseResult FuncCallOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseExactCall(parser, state, kCallModifiers);
}

void FuncCallOp::print(OpAsmPrinter &printer) {
  printExactCall(printer, *this, getCallee(), kCallModifiers);
}

SmallVector<Value> FuncCallOp::getDimsOf(Value value) {
  return getCallResultDims(cast<OpResult>(value), getArguments(), getExtentsAttr());
}

/// The function of that name, or null after reporting.
static Operation *lookupFunction(Operation *op, FlatSymbolRefAttr name,
                                 SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(op, name, &tables);
  if (!symbol) {
    emitUndefined(op, "function", name);
    return nullptr;
  }
  if (isa<FuncDefOp, FuncDeclOp>(symbol))
    return symbol;
  InFlightDiagnostic diag = emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolKind, "@");
  diag << name.getValue() << " is a '" << getTextName(symbol)
       << "', not a function that can be called";
  diag.attachNote(symbol->getLoc()) << "defined here";
  return nullptr;
}

LogicalResult FuncCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupFunction(*this, getCalleeAttr(), tables);
  if (!symbol)
    return failure();
  if (getPure() && !symbol->hasAttr("pure")) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructurePure, "a pure call of @");
    diag << getCallee() << ", which is not pure";
    diag.attachNote(symbol->getLoc()) << "declared here";
    return diag;
  }
  return verifyCall(*this, cast<SignatureOpInterface>(symbol), getArguments());
}

//===----------------------------------------------------------------------===//
// Exits
//===----------------------------------------------------------------------===//

LogicalResult FuncReturnOp::verify() {
  return verifyReturn(*this, cast<FuncDefOp>((*this)->getParentOp()).getSignatureResults());
}

static constexpr StringLiteral kStatuses[] = {"cancelled",
                                              "unknown",
                                              "invalid_argument",
                                              "deadline_exceeded",
                                              "not_found",
                                              "already_exists",
                                              "permission_denied",
                                              "resource_exhausted",
                                              "failed_precondition",
                                              "aborted",
                                              "out_of_range",
                                              "unimplemented",
                                              "internal",
                                              "unavailable",
                                              "data_loss",
                                              "unauthenticated",
                                              "incompatible"};

ParseResult parseStatus(OpAsmParser &parser, StringAttr &status) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  status = parser.getBuilder().getStringAttr(word);
  if (llvm::is_contained(kStatuses, word))
    return success();
  return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum, "expected a status: one of ")
         << llvm::join(ArrayRef(kStatuses), ", ");
}

void printStatus(OpAsmPrinter &printer, Operation *, StringAttr status) {
  printer << status.getValue();
}

LogicalResult FuncFailOp::verify() {
  if (llvm::is_contained(kStatuses, getStatus()))
    return success();
  return emitCoded(*this, DiagCode::StructureValue, "'func.fail' with an unknown status");
}

//===----------------------------------------------------------------------===//
// Functions as values
//===----------------------------------------------------------------------===//

ParseResult parseCallee(OpAsmParser &parser, FlatSymbolRefAttr &callee) {
  return text(parser).parseSymbolRef(callee);
}

void printCallee(OpAsmPrinter &printer, Operation *, FlatSymbolRefAttr callee) {
  printer.printSymbolName(callee.getValue());
}

LogicalResult FuncAddressOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupFunction(*this, getCalleeAttr(), tables);
  if (!symbol)
    return failure();
  auto function = cast<SignatureOpInterface>(symbol);
  FunctionType actual = FunctionType::get(getContext(), function.getSignatureInputs(),
                                          function.getSignatureResults());
  auto type = cast<FuncRefType>(getResult().getType());
  if (type.getSignature() == actual)
    return success();
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::TypeMismatch, "the reference has type ");
  diag << type << ", but @" << getCallee() << " has the signature " << actual;
  diag.attachNote(symbol->getLoc()) << "declared here";
  return diag;
}

LogicalResult FuncRefCastOp::verify() {
  auto from = cast<FuncRefType>(getInput().getType()),
       to = cast<FuncRefType>(getResult().getType());
  if (from.getSignature() != to.getSignature())
    return emitCoded(*this, DiagCode::TypeMismatch,
                     "'func.ref.cast' keeps the signature, but there are ")
           << from << " and " << to;
  if (!from.getYieldable() && to.getYieldable())
    return success();
  return emitCoded(*this, DiagCode::TypeResult,
                   "'func.ref.cast' makes a reference yieldable that was not");
}

LogicalResult FuncImportResolvedOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupFunction(*this, getCalleeAttr(), tables);
  if (!symbol)
    return failure();
  auto declaration = dyn_cast<FuncDeclOp>(symbol);
  if (!declaration || declaration.getOptional())
    return success();
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructureValue, "@");
  diag << getCallee() << " is always there: it is not declared 'optional'";
  diag.attachNote(symbol->getLoc()) << "declared here";
  return diag;
}

ParseResult FuncCallIndirectOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand callee;
  SmallVector<UnresolvedOperand> operands;
  Type calleeType;
  if (parseSeedOperand(parser, callee, calleeType) ||
      parser.resolveOperand(callee, calleeType, state.operands) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseColon())
    return failure();
  return parseCallTypes(parser, operands, state);
}

void FuncCallIndirectOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCallee() << '(' << getArguments() << ") : ";
  printCallTypes(printer, getArguments(), getResults(), getTiesAttr());
}

LogicalResult FuncCallIndirectOp::verify() {
  FunctionType signature = cast<FuncRefType>(getCallee().getType()).getSignature();
  auto check = [&](StringRef what, TypeRange actual, ArrayRef<Type> expected,
                   DiagCode countCode) -> LogicalResult {
    if (actual.size() != expected.size())
      return emitCoded(*this, countCode, "this call has ")
             << counted(actual.size(), what) << ", but a function of type " << signature << " has "
             << expected.size();
    for (auto [i, got, wanted] : llvm::enumerate(actual, expected))
      if (got != wanted)
        return emitCoded(what == "argument" ? atOperand(*this, i + 1) : getLoc(),
                         DiagCode::TypeMismatch, what)
               << ' ' << i << " has type " << got << ", but a function of type " << signature
               << " has " << wanted;
    return success();
  };
  return failure(failed(verifyTies(*this, kCallTies, getArguments())) ||
                 failed(check("argument", getArguments().getTypes(), signature.getInputs(),
                              DiagCode::StructureOperandCount)) ||
                 failed(check("result", getResultTypes(), signature.getResults(),
                              DiagCode::StructureResultCount)));
}

} // namespace loom
