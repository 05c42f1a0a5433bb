//===- LowControl.cpp - Branches and structured control flow of Low -------===//
#include "LowText.h"
#include "loom/IR/SourceInfo.h"

namespace loom {
using namespace mlir;

/// `%a, %b : T, U`, or nothing.
static ParseResult parseTypedValues(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> values;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).onNewLine() || parser.parseOperandList(values))
    return success();
  if (values.empty())
    return success();
  return failure(parser.parseColonTypeList(types) ||
                 parser.resolveOperands(values, types, loc, state.operands));
}

/// Resolves a value as the type that it has.
static ParseResult resolveKnown(OpAsmParser &parser, const UnresolvedOperand &operand,
                                OperationState &state) {
  Value value = text(parser).lookup(operand);
  if (!value)
    return text(parser).emitUndefined(operand);
  return parser.resolveOperand(operand, value.getType(), state.operands);
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

ParseResult LowReturnOp::parse(OpAsmParser &parser, OperationState &state) {
  if (!isAsmWord(parser))
    return parseTypedValues(parser, state);
  SmallVector<UnresolvedOperand> values;
  if (!text(parser).onNewLine() && parser.parseOperandList(values))
    return failure();
  for (const UnresolvedOperand &value : values)
    if (resolveKnown(parser, value, state))
      return failure();
  return success();
}

void LowReturnOp::print(OpAsmPrinter &printer) {
  if (getValues().empty())
    return;
  printer << ' ' << getValues();
  if (!isInAsm(*this))
    printer << " : " << getValues().getTypes();
}

std::string LowReturnOp::getStatementWord() { return isInAsm(*this) ? "return" : ""; }

LogicalResult LowReturnOp::verify() {
  return verifyReturn(*this,
                      cast<SignatureOpInterface>((*this)->getParentOp()).getSignatureResults());
}

ParseResult LowBrOp::parse(OpAsmParser &parser, OperationState &state) {
  Block *dest;
  if (parser.parseSuccessorAndUseList(dest, state.operands))
    return failure();
  state.addSuccessors(dest);
  return success();
}

void LowBrOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSuccessorAndUseList(getDest(), getValues());
}

LogicalResult LowBrOp::verify() {
  unsigned expected = getDest()->getNumArguments();
  if (getValues().size() != expected)
    return emitCoded(*this, DiagCode::StructureBranchCount, "the branch passes ")
           << counted(getValues().size(), "value") << ", but the block has "
           << counted(expected, "argument");
  for (auto [i, value, argument] : llvm::enumerate(getValues(), getDest()->getArguments()))
    if (value.getType() != argument.getType())
      return emitCoded(*this, DiagCode::StructureBranchType, "value ")
             << i << " of the branch has type " << value.getType()
             << ", but the block's argument '%" << getValueName(argument) << "' has "
             << argument.getType();
  return success();
}

ParseResult LowCondBrOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand condition;
  Type type;
  Block *trueDest, *falseDest;
  SmallVector<Value> passed;
  if (parser.parseOperand(condition) || parser.parseComma())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseSuccessorAndUseList(trueDest, passed) || parser.parseComma() ||
      parser.parseSuccessorAndUseList(falseDest, passed) || parser.parseColonType(type))
    return failure();
  if (!passed.empty())
    return text(parser).emitCoded(loc, DiagCode::StructureBranchCount,
                                  "the blocks of 'low.cond_br' take no arguments; pass values with "
                                  "'low.br' from a block in between");
  state.addSuccessors({trueDest, falseDest});
  return parser.resolveOperand(condition, type, state.operands);
}

void LowCondBrOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << ", ";
  printer.printSuccessor(getTrueDest());
  printer << ", ";
  printer.printSuccessor(getFalseDest());
  printer << " : ";
  printer.printType(getCondition().getType());
}

LogicalResult LowCondBrOp::verify() {
  for (Block *dest : (*this)->getSuccessors())
    if (dest->getNumArguments())
      return emitCoded(*this, DiagCode::StructureBranchCount,
                       "the blocks of 'low.cond_br' take no arguments, but one has ")
             << dest->getNumArguments();
  return success();
}

void LowYieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// Shared parts of structured control flow
//===----------------------------------------------------------------------===//

static ParseResult parseCarriedTypes(OpAsmParser &parser, OperationState &state) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parser.parseType(types.emplace_back()); }))
    return failure();
  state.addTypes(types);
  return success();
}

static void ensureYield(Region &region, OpAsmParser &parser, Location loc) {
  LowIfOp::ensureTerminator(region, parser.getBuilder(), loc);
}

static void printStructured(OpAsmPrinter &printer, Region &region, bool yields) {
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/yields);
}

/// Checks that a region ends in a yield of values of `types`.
static LogicalResult verifyYield(Operation *op, Region &region, TypeRange types) {
  if (failed(verifyTerminator(op, region, "low.scf.yield")))
    return failure();
  Operation *yield = &region.front().back();
  if (yield->getNumOperands() != types.size())
    return emitCoded(yield, DiagCode::StructureYieldCount, "'low.scf.yield' passes ")
           << counted(yield->getNumOperands(), "value") << ", but '" << getTextName(op)
           << "' takes " << types.size();
  for (auto [i, value, type] : llvm::enumerate(yield->getOperands(), types))
    if (value.getType() != type)
      return emitCoded(yield, DiagCode::TypeMismatch, "yielded value ")
             << i << " has type " << value.getType() << ", but '" << getTextName(op) << "' takes "
             << type;
  return success();
}

static LogicalResult verifyCarried(Operation *op, StringRef what, TypeRange actual,
                                   TypeRange expected, StringRef expectedWhat) {
  if (actual.size() != expected.size())
    return emitCoded(op, DiagCode::StructureVariadic, "")
           << counted(actual.size(), what) << " but " << counted(expected.size(), expectedWhat);
  for (auto [i, a, e] : llvm::enumerate(actual, expected))
    if (a != e)
      return emitCoded(op, DiagCode::TypeMismatch, what)
             << ' ' << i << " has type " << a << ", but " << expectedWhat << ' ' << i << " has "
             << e;
  return success();
}

//===----------------------------------------------------------------------===//
// low.scf.if
//===----------------------------------------------------------------------===//

ParseResult LowIfOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand condition;
  if (parser.parseOperand(condition) || resolveKnown(parser, condition, state) ||
      parseCarriedTypes(parser, state))
    return failure();
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseRegion(*thenRegion))
    return failure();
  ensureYield(*thenRegion, parser, state.location);
  if (failed(parser.parseOptionalKeyword("else"))) {
    if (!state.types.empty())
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                    "a 'low.scf.if' with results needs an else region");
    return success();
  }
  if (parser.parseRegion(*elseRegion))
    return failure();
  ensureYield(*elseRegion, parser, state.location);
  return success();
}

void LowIfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  printResults(printer, getResults());
  printStructured(printer, getThenRegion(), getNumResults());
  if (getElseRegion().empty())
    return;
  printer << " else";
  printStructured(printer, getElseRegion(), getNumResults());
}

LogicalResult LowIfOp::verify() {
  if (failed(verifyYield(*this, getThenRegion(), getResultTypes())))
    return failure();
  if (!getElseRegion().empty())
    return verifyYield(*this, getElseRegion(), getResultTypes());
  if (getNumResults())
    return emitCoded(*this, DiagCode::StructureResultCount,
                     "a 'low.scf.if' with results needs an else region");
  return success();
}

//===----------------------------------------------------------------------===//
// low.scf.for
//===----------------------------------------------------------------------===//

ParseResult LowForOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand bounds[3];
  if (parser.parseLSquare() || parser.parseOperand(bounds[0]) || parser.parseKeyword("to") ||
      parser.parseOperand(bounds[1]) || parser.parseKeyword("step") ||
      parser.parseOperand(bounds[2]) || parser.parseRSquare())
    return failure();
  SmallVector<UnresolvedOperand> inits, factor;
  SmallVector<Type> initTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        return failure(parser.parseOperand(inits.emplace_back()) ||
                       parser.parseColonType(initTypes.emplace_back()));
      }))
    return failure();
  if (parseCarriedTypes(parser, state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("unroll"))) {
    if (succeeded(parser.parseOptionalLParen())) {
      if (parser.parseOperand(factor.emplace_back()) || parser.parseRParen())
        return failure();
    } else {
      state.addAttribute("full_unroll", parser.getBuilder().getUnitAttr());
    }
  }
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseKeyword("do") ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  for (const UnresolvedOperand &bound : bounds)
    if (resolveKnown(parser, bound, state))
      return failure();
  if (parser.resolveOperands(inits, initTypes, loc, state.operands))
    return failure();
  for (const UnresolvedOperand &value : factor)
    if (resolveKnown(parser, value, state))
      return failure();
  llvm::copy(ArrayRef<int32_t>{1, 1, 1, static_cast<int32_t>(inits.size()),
                               static_cast<int32_t>(factor.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureYield(*body, parser, state.location);
  return success();
}

void LowForOp::print(OpAsmPrinter &printer) {
  printer << " [" << getLower() << " to " << getUpper() << " step " << getStep() << ']';
  auto printTyped = [&](auto value) {
    printer.printOperand(value);
    printer << ": ";
    printer.printType(value.getType());
  };
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(getInits(), printer, printTyped);
    printer << ')';
  }
  printResults(printer, getResults());
  if (getFactor())
    printer << " unroll(" << getFactor() << ')';
  else if (getFullUnroll())
    printer << " unroll";
  printer << " do(";
  llvm::interleaveComma(getBody().getArguments(), printer, printTyped);
  printer << ')';
  printStructured(printer, getBody(), getNumResults());
}

LogicalResult LowForOp::verify() {
  if (getBody().getNumArguments() == 0)
    return emitCoded(*this, DiagCode::StructureArgumentCount,
                     "the body of 'low.scf.for' takes the induction value");
  Type type = getBody().getArgument(0).getType();
  for (Value bound : {getLower(), getUpper(), getStep()})
    if (bound.getType() != type)
      return emitCoded(*this, DiagCode::TypeMismatch,
                       "the bounds, the step and the induction value of 'low.scf.for' share one "
                       "type, but there are ")
             << type << " and " << bound.getType();
  if (getFactor() && getFullUnroll())
    return emitCoded(*this, DiagCode::StructureValue,
                     "unroll and unroll(%factor) exclude each other");
  if (failed(verifyCarried(*this, "carried value", getInits().getTypes(), getResultTypes(),
                           "result")) ||
      failed(verifyCarried(*this, "argument", TypeRange(getBody().getArgumentTypes()).drop_front(),
                           getResultTypes(), "result")))
    return failure();
  return verifyYield(*this, getBody(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// low.scf.while
//===----------------------------------------------------------------------===//

ParseResult LowWhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> before, after;
  SmallVector<UnresolvedOperand> inits;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
        OpAsmParser::Argument &argument = before.emplace_back();
        if (parser.parseArgument(argument) || parser.parseEqual() ||
            parser.parseOperand(inits.emplace_back()) || parser.parseColonType(argument.type))
          return failure();
        types.push_back(argument.type);
        return success();
      }))
    return failure();
  if (parseCarriedTypes(parser, state) || parser.resolveOperands(inits, types, loc, state.operands))
    return failure();
  Region *first = state.addRegion(), *second = state.addRegion();
  if (parser.parseRegion(*first, before) || parser.parseKeyword("do") ||
      parser.parseArgumentList(after, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*second, after))
    return failure();
  ensureYield(*second, parser, state.location);
  return success();
}

void LowWhileOp::print(OpAsmPrinter &printer) {
  if (!getInits().empty()) {
    printer << '(';
    llvm::interleaveComma(llvm::zip(getBefore().getArguments(), getInits()), printer,
                          [&](auto pair) {
                            printer.printOperand(std::get<0>(pair));
                            printer << " = " << std::get<1>(pair) << " : ";
                            printer.printType(std::get<1>(pair).getType());
                          });
    printer << ')';
  }
  printResults(printer, getResults());
  printStructured(printer, getBefore(), /*yields=*/true);
  printer << " do(";
  llvm::interleaveComma(getAfter().getArguments(), printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    printer << ": ";
    printer.printType(argument.getType());
  });
  printer << ')';
  printStructured(printer, getAfter(), !getInits().empty());
}

LogicalResult LowWhileOp::verify() {
  if (failed(verifyTerminator(*this, getBefore(), "low.scf.condition")))
    return failure();
  auto condition = cast<LowConditionOp>(getBefore().front().back());
  TypeRange forwarded = condition.getValues().getTypes();
  if (failed(verifyCarried(*this, "carried value", getInits().getTypes(),
                           getBefore().getArgumentTypes(), "argument")) ||
      failed(verifyCarried(*this, "forwarded value", forwarded, getResultTypes(), "result")) ||
      failed(verifyCarried(*this, "forwarded value", forwarded, getAfter().getArgumentTypes(),
                           "argument")))
    return failure();
  return verifyYield(*this, getAfter(), getBefore().getArgumentTypes());
}

} // namespace loom
