//===- LowCalls.cpp - Calls and invocations of Low functions --------------===//
#include "LowText.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/SourceInfo.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// `[pure] [inline|noinline] @callee(%a, ...)`.
static ParseResult parseCall(OpAsmParser &parser, OperationState &state,
                             SmallVectorImpl<UnresolvedOperand> &operands) {
  static constexpr Modifier modifiers[] = {Modifier::Pure, Modifier::Inline};
  FlatSymbolRefAttr callee;
  if (parseModifiers(parser, state.attributes, modifiers) || text(parser).parseSymbolRef(callee) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  state.addAttribute("callee", callee);
  return success();
}

static void printCall(OpAsmPrinter &printer, Operation *op, StringRef callee,
                      OperandRange arguments) {
  static constexpr Modifier modifiers[] = {Modifier::Pure, Modifier::Inline};
  printModifiers(printer, op, modifiers);
  printer << ' ';
  printer.printSymbolName(callee);
  printer << '(' << arguments << ')';
}

/// The Low function that `op` names; null after reporting.
static Operation *resolveCallee(Operation *op, FlatSymbolRefAttr name,
                                SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(op, name, &tables);
  if (!symbol) {
    emitUndefined(op, "Low function", name);
    return nullptr;
  }
  if (!isa<LowFuncDefOp, LowFuncDeclOp>(symbol)) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << getTextName(symbol) << "', not a Low function";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return nullptr;
  }
  if (op->hasAttr("pure") && !symbol->hasAttr("pure")) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::StructurePure, "a pure call of @");
    diag << name.getValue() << ", which is not pure";
    diag.attachNote(symbol->getLoc()) << "declared here";
    return nullptr;
  }
  return symbol;
}

static LogicalResult reportCallee(Operation *op, Operation *callee, const Twine &reason) {
  InFlightDiagnostic diag = emitCoded(op, DiagCode::TargetCallee, "@");
  diag << SymbolTable::getSymbolName(callee).getValue() << reason.str();
  diag.attachNote(callee->getLoc()) << "declared here";
  return diag;
}

ParseResult LowFuncCallOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> operands;
  return failure(parseCall(parser, state, operands) || parser.parseColon() ||
                 parseCallTypes(parser, operands, state));
}

void LowFuncCallOp::print(OpAsmPrinter &printer) {
  printCall(printer, *this, getCallee(), getArguments());
  printer << " : ";
  printCallTypes(printer, getArguments(), getResults());
}

LogicalResult LowFuncCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *caller = getLowFunction(*this);
  if (!caller)
    return emitCoded(*this, DiagCode::StructurePlacement,
                     "'low.func.call' belongs into a Low body; source-level code uses "
                     "'low.invoke'");
  Operation *callee = resolveCallee(*this, getCalleeAttr(), tables);
  if (!callee)
    return failure();
  const DescriptorSet *from = getDescriptorSet(caller), *to = getDescriptorSet(callee);
  if (from && to && !satisfiesDescriptorSet(*from, *to))
    return reportCallee(*this, callee,
                        " is written for " + to->getKey() + ", which is neither " + from->getKey() +
                            " nor its family");
  auto mine = caller->getAttrOfType<FlatSymbolRefAttr>("target");
  auto theirs = callee->getAttrOfType<FlatSymbolRefAttr>("target");
  if (from == to && mine && theirs && mine != theirs)
    return reportCallee(*this, callee,
                        " has the target @" + theirs.getValue() + ", but its caller has @" +
                            mine.getValue());
  return verifyCall(*this, cast<SignatureOpInterface>(callee), getArguments());
}

//===----------------------------------------------------------------------===//
// low.invoke
//===----------------------------------------------------------------------===//

ParseResult LowInvokeOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> operands;
  NamedAttrList options;
  if (parseCall(parser, state, operands) || text(parser).parseOptionalDict(options) ||
      parser.parseColon() || parseCallTypes(parser, operands, state))
    return failure();
  if (!options.empty())
    state.addAttribute("options", options.getDictionary(parser.getContext()));
  return success();
}

void LowInvokeOp::print(OpAsmPrinter &printer) {
  printCall(printer, *this, getCallee(), getArguments());
  if (getOptionsAttr() && !getOptionsAttr().empty()) {
    printer << ' ';
    printer.printAttribute(getOptionsAttr());
  }
  printer << " : ";
  printCallTypes(printer, getArguments(), getResults());
}

LogicalResult LowInvokeOp::verify() {
  if (getLowFunction(*this))
    return emitCoded(*this, DiagCode::StructurePlacement,
                     "'low.invoke' belongs into source-level code; a Low body uses "
                     "'low.func.call'");
  return success();
}

/// What an invoked helper may not do.
static LogicalResult verifyHelper(Operation *invoke, Operation *helper) {
  auto complain = [&](Operation *at, const Twine &reason) {
    InFlightDiagnostic diag = emitCoded(invoke, DiagCode::StructurePlacement, "@");
    diag << SymbolTable::getSymbolName(helper).getValue() << " cannot be invoked: " << reason.str();
    diag.attachNote(at->getLoc()) << "it is here";
    return diag;
  };
  auto allocation = helper->getAttrOfType<StringAttr>("allocation");
  if (allocation && allocation.getValue() != "virtual")
    return complain(helper, "its registers are not for the compiler to allocate");
  Operation *entry = nullptr;
  helper->walk([&](Operation *op) {
    if (isa<LowResourceOp, LowLiveInOp>(op) && !entry)
      entry = op;
  });
  if (entry)
    return complain(entry, "a helper receives everything through its parameters, not through '" +
                               getTextName(entry) + "'");
  return success();
}

LogicalResult LowInvokeOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *callee = resolveCallee(*this, getCalleeAttr(), tables);
  if (!callee)
    return failure();
  const DescriptorSet *set = getDescriptorSet(callee);
  if (set && set->getFamily() != DescriptorFamily::SPIRV &&
      getInlinePolicy() == InlinePolicy::NoInline)
    return emitCoded(*this, DiagCode::TargetUnsupported, "noinline cannot be kept: helpers for ")
           << stringifyFamily(set->getFamily()) << " are always inlined";
  if (failed(verifyHelper(*this, callee)))
    return failure();
  auto signature = cast<SignatureOpInterface>(callee);
  if (getArguments().size() != signature.getSignatureInputs().size() ||
      getNumResults() != signature.getSignatureResults().size())
    return verifyCall(*this, signature, getArguments()); // tells which count differs
  if (failed(verifyPassedToLow(*this, callee)))
    return failure();
  // The target of the code around: a row may use what is written for its family, not the reverse.
  Operation *caller = *this;
  while (caller && !caller->getAttrOfType<FlatSymbolRefAttr>("target"))
    caller = caller->getParentOp();
  if (!caller || !set)
    return success();
  auto name = caller->getAttrOfType<FlatSymbolRefAttr>("target");
  Operation *record = lookupSymbol(caller, name, &tables);
  if (!record)
    return success(); // reported at the caller
  std::string spelled = spellRecord(record);
  auto [family, row] = StringRef(spelled).split(':');
  const DescriptorSet *from = descriptorSetOfRow(family, row);
  if (from && !satisfiesDescriptorSet(*from, *set))
    return reportCallee(*this, callee,
                        " is written for " + set->getKey() + ", which a caller for " + spelled +
                            " cannot use");
  return success();
}

} // namespace loom
