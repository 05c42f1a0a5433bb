//===- CheckScenario.cpp - Randomized trials ------------------------------===//
#include "CheckSupport.h"
#include "loom/IR/CallRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Scenarios and trials
//===----------------------------------------------------------------------===//

static constexpr Modifier kScenarioModifiers[] = {Modifier::Public};

/// `[N](%ordinal: index, %entropy: check.entropy)`.
static ParseResult parseRepetition(OpAsmParser &parser, StringRef attribute, OperationState &state,
                                   SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  int64_t count;
  SMLoc loc;
  if (parser.parseLSquare() || parser.parseInteger(count) || parser.parseRSquare())
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  if (arguments.size() != 2)
    return text(parser).emitCoded(loc, DiagCode::StructureArgumentCount,
                                  "expected (%ordinal: index, %entropy: check.entropy)");
  state.addAttribute(attribute, parser.getBuilder().getI64IntegerAttr(count));
  return success();
}

static void printRepetition(OpAsmPrinter &printer, uint64_t count, Region &region) {
  printer << '[' << count << "](";
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ')';
}

static LogicalResult verifyRepetition(Operation *op, int64_t count, Region &region) {
  if (count <= 0)
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' runs a positive number of times, not " << count;
  if (isa<IndexType>(region.getArgument(0).getType()) &&
      isa<EntropyType>(region.getArgument(1).getType()))
    return success();
  return emitCoded(op, DiagCode::TypeArgument,
                   "the arguments of a repetition are an index and a check.entropy");
}

ParseResult CheckScenarioOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseModifiers(parser, state.attributes, kScenarioModifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("configure")) &&
      parseRepetition(parser, "configurations", state, arguments))
    return failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void CheckScenarioOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kScenarioModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getConfigurations()) {
    printer << " configure";
    printRepetition(printer, *getConfigurations(), getBody());
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult CheckScenarioOp::verify() {
  if (getConfigurations() &&
      failed(verifyRepetition(*this, static_cast<int64_t>(*getConfigurations()), getBody())))
    return failure();
  if (failed(verifyTerminator(*this, getBody(), "check.return")))
    return failure();
  if (llvm::any_of(getBody().front(), [](Operation &op) { return isa<CheckTrialOp>(op); }))
    return success();
  return emitCoded(*this, DiagCode::StructureValue, "a scenario has at least one 'check.trial'");
}

ParseResult CheckTrialOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseRepetition(parser, "trials", state, arguments))
    return failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void CheckTrialOp::print(OpAsmPrinter &printer) {
  printRepetition(printer, getTrials(), getBody());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult CheckTrialOp::verify() {
  if (failed(verifyRepetition(*this, static_cast<int64_t>(getTrials()), getBody())))
    return failure();
  Block &block = getBody().front();
  if (!block.empty() && isa<CheckCompareOp, CheckInvokeOp>(block.back()))
    return success();
  return emitCoded(atEndOf(block), DiagCode::StructureWrongTerminator,
                   "a trial ends in 'check.compare' or 'check.invoke'");
}

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

/// `[%n](%x) : [index](f32)`; the brackets vanish together.
static ParseResult parseInputs(OpAsmParser &parser, OperationState &state,
                               SmallVectorImpl<int32_t> &segments) {
  SmallVector<UnresolvedOperand> workload, arguments;
  SmallVector<Type> types;
  if (parser.parseOperandList(workload, OpAsmParser::Delimiter::OptionalSquare) ||
      parser.parseOperandList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLSquare()) && failed(parser.parseOptionalRSquare()))
    if (parseUseTypes(parser, types, workload) || parser.parseRSquare())
      return failure();
  if (types.size() != workload.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(workload.size(), "workload argument") << " but "
           << counted(types.size(), "type");
  segments.push_back(static_cast<int32_t>(workload.size()));
  segments.push_back(static_cast<int32_t>(arguments.size()));
  return failure(parser.resolveOperands(workload, types, loc, state.operands) ||
                 parseInputTypes(parser, arguments, state));
}

static void printInputs(OpAsmPrinter &printer, Operation *op, OperandRange workload,
                        OperandRange arguments) {
  if (!workload.empty())
    printer << '[' << workload << ']';
  printer << '(' << arguments << ") : ";
  if (!workload.empty()) {
    printer << '[';
    printUseTypes(printer, op, workload.getTypes(), workload);
    printer << ']';
  }
  printCallTypes(printer, arguments, {});
}

/// Checks that `name` is a function or a kernel that takes the inputs and has the results.
static LogicalResult verifySubject(Operation *op, FlatSymbolRefAttr name, OperandRange workload,
                                   OperandRange arguments, ArrayRef<Type> results,
                                   SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(op, name, &tables);
  if (!symbol)
    return emitUndefined(op, "function or kernel", name);
  StringRef kind = getTextName(symbol);
  bool isKernel = kind == "kernel.def" || kind == "kernel.decl";
  if (!isKernel && kind != "func.def" && kind != "func.decl") {
    InFlightDiagnostic diag = emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << kind << "', not a function or a kernel";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  auto callee = cast<SignatureOpInterface>(symbol);
  SmallVector<Type> inputs = callee.getSignatureInputs();
  for (auto [wanted, type] : llvm::zip(inputs, arguments.getTypes()))
    if (isKernel && isa<BufferType>(wanted) && isa<TensorType>(type))
      wanted = type; // its storage is passed
  return failure(failed(verifyArguments(op, callee, "workload argument", workload,
                                        callee.getSignatureWorkload())) ||
                 failed(verifyArguments(op, callee, "argument", arguments, inputs)) ||
                 failed(verifyPassed(op, callee, "result", results, callee.getSignatureResults(),
                                     DiagCode::StructureResultCount)));
}

static void setSegments(MutableArrayRef<int32_t> destination, ArrayRef<int32_t> segments) {
  llvm::copy(segments, destination.begin());
}

ParseResult CheckInvokeOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr subject;
  SmallVector<UnresolvedOperand> dims;
  SmallVector<int32_t> segments;
  if (parser.parseLess() || text(parser).parseSymbolRef(subject) || parser.parseGreater() ||
      parseInputs(parser, state, segments) || parseOwnedResults(parser, dims, state) ||
      resolveDims(parser, dims, state))
    return failure();
  state.addAttribute("subject", subject);
  segments.push_back(static_cast<int32_t>(dims.size()));
  setSegments(state.getOrAddProperties<Properties>().operandSegmentSizes, segments);
  return success();
}

void CheckInvokeOp::print(OpAsmPrinter &printer) {
  printer << '<';
  printer.printSymbolName(getSubject());
  printer << '>';
  printInputs(printer, *this, getWorkload(), getArguments());
  if (getResults().empty())
    printer << " -> ()";
  else
    printResults(printer, getResults());
}

SmallVector<Value> CheckInvokeOp::getDimsOf(Value value) {
  return sliceDims(getResultTypes(), cast<OpResult>(value).getResultNumber(), getDims());
}

LogicalResult CheckInvokeOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifySubject(*this, getSubjectAttr(), getWorkload(), getArguments(),
                       llvm::to_vector(getResultTypes()), tables);
}

//===----------------------------------------------------------------------===//
// check.compare
//===----------------------------------------------------------------------===//

/// `word(%name: T)`.
static ParseResult parseCompared(OpAsmParser &parser, StringRef word,
                                 SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                 SmallVectorImpl<UnresolvedOperand> &dims) {
  OpAsmParser::Argument argument;
  size_t first = dims.size();
  if (parser.parseKeyword(word) || parser.parseLParen() || parser.parseArgument(argument) ||
      parser.parseColon() || text(parser).parseTextType(argument.type, &dims) ||
      parser.parseRParen())
    return failure();
  if (dims.size() > first)
    text(parser).declareDims(argument.ssaName, ArrayRef(dims).drop_front(first));
  arguments.push_back(argument);
  return success();
}

/// `()` or `[actual(%a: T), expected(%e: T)], ...`.
static ParseResult parsePairs(OpAsmParser &parser,
                              SmallVectorImpl<OpAsmParser::Argument> &arguments,
                              SmallVectorImpl<UnresolvedOperand> &dims) {
  if (succeeded(parser.parseOptionalLParen()))
    return parser.parseRParen();
  return parser.parseCommaSeparatedList([&] {
    return failure(parser.parseLSquare() || parseCompared(parser, "actual", arguments, dims) ||
                   parser.parseComma() || parseCompared(parser, "expected", arguments, dims) ||
                   parser.parseRSquare());
  });
}

ParseResult CheckCompareOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr subject, oracle;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<UnresolvedOperand> dims;
  SmallVector<int32_t> segments;
  if (parser.parseLess() || text(parser).parseSymbolRef(subject) ||
      (succeeded(parser.parseOptionalComma()) && text(parser).parseSymbolRef(oracle)) ||
      parser.parseGreater() || parseInputs(parser, state, segments) || parser.parseArrow() ||
      parsePairs(parser, arguments, dims) || resolveDims(parser, dims, state))
    return failure();
  state.addAttribute("subject", subject);
  if (oracle)
    state.addAttribute("oracle", oracle);
  segments.push_back(static_cast<int32_t>(dims.size()));
  setSegments(state.getOrAddProperties<Properties>().operandSegmentSizes, segments);
  Region *body = state.addRegion();
  return arguments.empty() ? success() : parser.parseRegion(*body, arguments);
}

void CheckCompareOp::print(OpAsmPrinter &printer) {
  printer << '<';
  printer.printSymbolName(getSubject());
  if (getOracle()) {
    printer << ", ";
    printer.printSymbolName(*getOracle());
  }
  printer << '>';
  printInputs(printer, *this, getWorkload(), getArguments());
  printer << " -> ";
  if (getBody().empty()) {
    printer << "()";
    return;
  }
  for (BlockArgument argument : getBody().getArguments()) {
    bool isActual = argument.getArgNumber() % 2 == 0;
    printer << (isActual ? argument.getArgNumber() ? ", [actual(" : "[actual(" : ", expected(")
            << argument << ": ";
    printTextType(printer, argument.getType(), getDimsOf(argument));
    printer << (isActual ? ")" : ")]");
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Value> CheckCompareOp::getDimsOf(Value value) {
  auto argument = cast<BlockArgument>(value);
  return sliceDims(getBody().getArgumentTypes(), argument.getArgNumber(), getDims());
}

/// Whether an expectation compares `actual` with `expected`, in this order.
static bool isCompared(Block &block, Value actual, Value expected) {
  return llvm::any_of(block, [&](Operation &op) {
    return isa<CheckExpectEqualOp, CheckExpectBitwiseOp, CheckExpectCloseOp>(op) &&
           op.getOperand(0) == actual && op.getOperand(1) == expected;
  });
}

LogicalResult CheckCompareOp::verify() {
  if (getBody().empty())
    return success();
  Block &block = getBody().front();
  // Other operations of this dialect say themselves where they belong.
  for (Operation &op : block)
    if (op.getDialect() != getOperation()->getDialect())
      return emitCoded(&op, DiagCode::StructurePlacement, "'")
             << getTextName(&op) << "' cannot stand in a comparison, which holds expectations";
  for (unsigned i = 0; i + 1 < block.getNumArguments(); i += 2) {
    Value actual = block.getArgument(i), expected = block.getArgument(i + 1);
    if (actual.getType() != expected.getType())
      return emitCoded(actual.getLoc(), DiagCode::TypeMismatch, "the actual value has type ")
             << spellType(actual) << ", the expected one " << spellType(expected);
    if (isCompared(block, actual, expected))
      continue;
    if (isCompared(block, expected, actual))
      return emitCoded(
          actual.getLoc(), DiagCode::DominanceOrigin,
          "the actual value is compared as the expected one; it stands in actual(...)");
    return emitCoded(actual.getLoc(), DiagCode::DominanceUseCount,
                     "no expectation compares this result with the expected one");
  }
  return success();
}

LogicalResult CheckCompareOp::verifySymbolUses(SymbolTableCollection &tables) {
  SmallVector<Type> results;
  if (!getBody().empty())
    for (BlockArgument argument : getBody().getArguments())
      if (argument.getArgNumber() % 2 == 0)
        results.push_back(argument.getType());
  for (FlatSymbolRefAttr name : {getSubjectAttr(), getOracleAttr()})
    if (name && failed(verifySubject(*this, name, getWorkload(), getArguments(), results, tables)))
      return failure();
  return success();
}

} // namespace loom
