//===- SCF.cpp - The `scf` dialect ----------------------------------------===//
#include "loom/Dialect/SCF/SCF.h"
#include "loom/IR/Signatures.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
#include "loom/Dialect/SCF/SCFDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/SCF/SCFOps.cpp.inc"

namespace loom {

void SCFDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/SCF/SCFOps.cpp.inc"
      >();
}

void ScfYieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// Bindings and results
//===----------------------------------------------------------------------===//

namespace {
/// `(%sum = %initial : f32, ...)`.
struct Bindings {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<UnresolvedOperand> inits;
};
} // namespace

/// Extents that are values cannot be carried yet: the loop would have to own them.
static ParseResult parseCarriedType(OpAsmParser &parser, Type &type) {
  SmallVector<UnresolvedOperand> dims;
  if (text(parser).parseTextType(type, &dims))
    return failure();
  if (!dims.empty())
    return text(parser).emitCoded(dims.front().location, DiagCode::ParseUnsupported,
                                  "carrying a type whose extent is a value is not supported yet");
  return success();
}

/// Also reads the grouped spelling `(%p = %a, %q = %b : T0, T1)`: a binding without a type takes
/// its type from the list at the end.
static ParseResult parseBindings(OpAsmParser &parser, Bindings &bindings) {
  if (failed(parser.parseOptionalLParen()))
    return success();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  size_t typed = 0;
  while (true) {
    OpAsmParser::Argument argument;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(bindings.inits.emplace_back()))
      return failure();
    bindings.arguments.push_back(argument);
    if (succeeded(parser.parseOptionalColon())) {
      // Every binding that is still without a type gets one from this list.
      while (typed < bindings.arguments.size()) {
        if (parseCarriedType(parser, bindings.arguments[typed].type))
          return failure();
        if (++typed < bindings.arguments.size() && parser.parseComma())
          return failure();
      }
    }
    if (failed(parser.parseOptionalComma()))
      break;
  }
  if (typed != bindings.arguments.size())
    return text(parser).emitCoded(parser.getCurrentLocation(), DiagCode::ParseExpectedToken,
                                  "expected ':' and the type of '")
           << bindings.arguments[typed].ssaName.name << "'";
  return parser.parseRParen();
}

static ParseResult parseCarriedResults(OpAsmParser &parser, SmallVectorImpl<Type> &results) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    return parseCarriedType(parser, results.emplace_back());
  });
}

static ParseResult checkCarried(OpAsmParser &parser, SMLoc loc, const Bindings &bindings,
                                ArrayRef<Type> results) {
  if (bindings.inits.size() == results.size())
    return success();
  return text(parser).emitCoded(loc, DiagCode::StructureVariadic, "")
         << counted(bindings.inits.size(), "carried value") << " but "
         << counted(results.size(), "result");
}

static void printBindings(OpAsmPrinter &printer, Block::BlockArgListType arguments,
                          OperandRange inits) {
  if (inits.empty())
    return;
  printer << '(';
  llvm::interleaveComma(llvm::zip(arguments, inits), printer, [&](auto pair) {
    auto [argument, init] = pair;
    printer.printOperand(argument);
    printer << " = ";
    printer.printOperand(init);
    printer << " : ";
    printTextType(printer, argument.getType(), getDynamicDims(init));
  });
  printer << ')';
}

/// Prints the region; an operand-less terminator is left out.
static void printBody(OpAsmPrinter &printer, Region &region, bool hasResults) {
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/hasResults);
}

/// Compares what `yield` passes with `expected`.
static LogicalResult verifyYield(Operation *owner, Operation *yield, TypeRange expected) {
  if (yield->getNumOperands() != expected.size()) {
    InFlightDiagnostic diag = emitCoded(yield, DiagCode::StructureYieldCount, "'");
    diag << getTextName(yield) << "' passes " << counted(yield->getNumOperands(), "value")
         << ", but '" << getTextName(owner) << "' has " << counted(expected.size(), "result");
    if (yield->getLoc() != owner->getLoc()) // one that is left out has the place of its owner
      diag.attachNote(owner->getLoc()) << "the operation begins here";
    return diag;
  }
  for (auto [i, types] : llvm::enumerate(llvm::zip(yield->getOperandTypes(), expected))) {
    auto [got, wanted] = types;
    if (got == wanted)
      continue;
    InFlightDiagnostic diag = emitCoded(yield, DiagCode::TypeMismatch, "yielded value ");
    diag << i << " has type " << got << ", but result " << i << " of '" << getTextName(owner)
         << "' has type " << wanted;
    diag.attachNote(owner->getLoc()) << "the operation begins here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// scf.for
//===----------------------------------------------------------------------===//

void ScfForOp::build(OpBuilder &builder, OperationState &state, Value lower, Value upper,
                     Value step, ValueRange inits) {
  state.addOperands({lower, upper, step});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  llvm::copy(ArrayRef<int32_t>{1, 1, 1, static_cast<int32_t>(inits.size()), 0, 0},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  Region *region = state.addRegion();
  Block *block = new Block;
  region->push_back(block);
  block->addArgument(lower.getType(), state.location);
  for (Value init : inits)
    block->addArgument(init.getType(), state.location);
  // A loop without carried values may rely on the implicit terminator.
  if (inits.empty()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    ScfYieldOp::create(builder, state.location);
  }
}

/// `pipeline(%d) unroll(%f) schedule(s)`, all optional, in this order.
static ParseResult parsePolicies(OpAsmParser &parser, OperationState &state,
                                 SmallVectorImpl<UnresolvedOperand> &depth,
                                 SmallVectorImpl<UnresolvedOperand> &factor) {
  Builder &b = parser.getBuilder();
  auto parseValue = [&](SmallVectorImpl<UnresolvedOperand> &into) -> ParseResult {
    return failure(parser.parseOperand(into.emplace_back()) || parser.parseRParen());
  };
  if (succeeded(parser.parseOptionalKeyword("pipeline")))
    if (parser.parseLParen() || parseValue(depth))
      return failure();
  bool unroll = succeeded(parser.parseOptionalKeyword("unroll"));
  if (unroll) {
    if (succeeded(parser.parseOptionalLParen())) {
      if (parseValue(factor))
        return failure();
    } else {
      state.addAttribute("full_unroll", b.getUnitAttr());
    }
  }
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    UnrollScheduleAttr schedule;
    if (parser.parseLParen() || parseUnrollSchedule(parser, schedule) || parser.parseRParen())
      return failure();
    if (!unroll)
      return text(parser).emitCoded(loc, DiagCode::StructureValue,
                                    "schedule(...) orders unrolled copies; it needs unroll or "
                                    "unroll(%factor) before it");
    state.addAttribute("schedule", schedule);
  }
  if (succeeded(parser.parseOptionalKeyword("queue"))) {
    int64_t records;
    if (parser.parseLParen() || parser.parseInteger(records) || parser.parseRParen())
      return failure();
    state.addAttribute("queue_records", b.getI64IntegerAttr(records));
  }
  loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"pipeline", "unroll", "schedule"})))
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "'")
           << word
           << "' is repeated or out of order; the order is pipeline(...) unroll(...) "
              "schedule(...)";
  return success();
}

ParseResult ScfForOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument induction;
  UnresolvedOperand lower, upper, step;
  if (parser.parseArgument(induction) || parser.parseEqual() || parser.parseLSquare() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") || parser.parseOperand(upper) ||
      parser.parseKeyword("step") || parser.parseOperand(step) || parser.parseRSquare())
    return failure();
  Bindings bindings;
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> results;
  SmallVector<UnresolvedOperand> depth, factor;
  if (parseBindings(parser, bindings) || parseCarriedResults(parser, results) ||
      checkCarried(parser, loc, bindings, results) || parsePolicies(parser, state, depth, factor))
    return failure();
  // The text does not repeat the type of the bounds: the lower bound decides between index and
  // offset.
  Type indexType = parser.getBuilder().getIndexType(), boundType = indexType;
  if (Value known = text(parser).lookup(lower); known && isa<OffsetType>(known.getType()))
    boundType = known.getType();
  induction.type = boundType;
  SmallVector<Type> initTypes;
  for (OpAsmParser::Argument &argument : bindings.arguments)
    initTypes.push_back(argument.type);
  if (parser.resolveOperands({lower, upper, step}, boundType, state.operands) ||
      parser.resolveOperands(bindings.inits, initTypes, loc, state.operands) ||
      parser.resolveOperands(depth, indexType, state.operands) ||
      parser.resolveOperands(factor, indexType, state.operands))
    return failure();
  state.addTypes(results);
  llvm::copy(ArrayRef<int32_t>{1, 1, 1, static_cast<int32_t>(bindings.inits.size()),
                               static_cast<int32_t>(depth.size()),
                               static_cast<int32_t>(factor.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  SmallVector<OpAsmParser::Argument> arguments{induction};
  llvm::append_range(arguments, bindings.arguments);
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void ScfForOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printOperand(getInductionVar());
  printer << " = [" << getLower() << " to " << getUpper() << " step " << getStep() << ']';
  printBindings(printer, getBlock()->getArguments().drop_front(), getInits());
  printResults(printer, getResults());
  if (getDepth())
    printer << " pipeline(" << getDepth() << ')';
  if (getFactor())
    printer << " unroll(" << getFactor() << ')';
  else if (getFullUnroll())
    printer << " unroll";
  if (getSchedule())
    printer << " schedule(" << stringifyUnrollSchedule(*getSchedule()) << ')';
  if (getQueueRecords())
    printer << " queue(" << *getQueueRecords() << ')';
  printBody(printer, getBody(), !getResults().empty());
}

LogicalResult ScfForOp::verify() {
  Type type = getLower().getType();
  for (Value bound : {getUpper(), getStep(), Value(getInductionVar())})
    if (bound.getType() != type)
      return emitCoded(*this, DiagCode::TypeMismatch,
                       "the bounds, the step and the induction value of 'scf.for' share one type, "
                       "but there are ")
             << type << " and " << bound.getType();
  if (getInits().size() != getNumResults() || getBlock()->getNumArguments() != 1 + getNumResults())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getInits().size(), "carried value") << " but "
           << counted(getNumResults(), "result");
  for (auto [i, init, argument, result] :
       llvm::enumerate(getInits(), getRegionIterArgs(), getResults()))
    if (init.getType() != result.getType() || argument.getType() != result.getType())
      return emitCoded(*this, DiagCode::TypeMismatch, "carried value ")
             << i << " begins as " << init.getType() << ", but result " << i << " has type "
             << result.getType();
  if (getFullUnroll() && getFactor())
    return emitCoded(*this, DiagCode::StructureValue,
                     "unroll and unroll(%factor) exclude each other");
  if (failed(verifyTerminator(*this, getBody(), "scf.yield")))
    return failure();
  return verifyYield(*this, getYield(), getResultTypes());
}

SmallVector<Region *> ScfForOp::getLoopRegions() { return {&getBody()}; }
std::optional<SmallVector<Value>> ScfForOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVar()};
}
std::optional<SmallVector<OpFoldResult>> ScfForOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getLower()};
}
std::optional<SmallVector<OpFoldResult>> ScfForOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getUpper()};
}
std::optional<SmallVector<OpFoldResult>> ScfForOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getStep()};
}
Block::BlockArgListType ScfForOp::getRegionIterArgs() {
  return getBlock()->getArguments().drop_front();
}
std::optional<MutableArrayRef<OpOperand>> ScfForOp::getYieldedValuesMutable() {
  return getYield()->getOpOperands();
}
std::optional<ResultRange> ScfForOp::getLoopResults() { return getResults(); }

OperandRange ScfForOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void ScfForOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  // The body may run never, and after each iteration either way is possible.
  regions.push_back(RegionSuccessor(&getBody(), getRegionIterArgs()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

//===----------------------------------------------------------------------===//
// scf.if
//===----------------------------------------------------------------------===//

void ScfIfOp::build(OpBuilder &builder, OperationState &state, TypeRange results, Value condition,
                    bool withElse) {
  state.addOperands(condition);
  state.addTypes(results);
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned i = 0; i < 2; ++i) {
    Region *region = state.addRegion();
    if (i == 1 && !withElse)
      continue;
    Block *block = builder.createBlock(region);
    if (results.empty()) {
      builder.setInsertionPointToEnd(block);
      ScfYieldOp::create(builder, state.location);
    }
  }
}

ParseResult ScfIfOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand condition;
  SmallVector<Type> results;
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, parser.getBuilder().getI1Type(), state.operands) ||
      parseCarriedResults(parser, results))
    return failure();
  state.addTypes(results);
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  if (parser.parseRegion(*thenRegion, {}))
    return failure();
  ensureTerminator(*thenRegion, parser.getBuilder(), state.location);
  if (succeeded(parser.parseOptionalKeyword("else"))) {
    if (parser.parseRegion(*elseRegion, {}))
      return failure();
    ensureTerminator(*elseRegion, parser.getBuilder(), state.location);
  }
  return success();
}

void ScfIfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  printResults(printer, getResults());
  printBody(printer, getThenRegion(), !getResults().empty());
  if (getElseRegion().empty())
    return;
  printer << " else";
  printBody(printer, getElseRegion(), !getResults().empty());
}

LogicalResult ScfIfOp::verify() {
  if (getElseRegion().empty() && !getResults().empty())
    return emitCoded(*this, DiagCode::StructureVariadic,
                     "'scf.if' with results needs an else region");
  for (Region *region : {&getThenRegion(), &getElseRegion()})
    if (!region->empty() &&
        (failed(verifyTerminator(*this, *region, "scf.yield")) ||
         failed(verifyYield(*this, region->front().getTerminator(), getResultTypes()))))
      return failure();
  return success();
}

void ScfIfOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
    return;
  }
  regions.push_back(RegionSuccessor(&getThenRegion()));
  if (getElseRegion().empty())
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
  else
    regions.push_back(RegionSuccessor(&getElseRegion()));
}

namespace {
/// A conditional whose condition is known becomes the region that runs.
struct InlineKnownBranch : OpRewritePattern<ScfIfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScfIfOp op, PatternRewriter &rewriter) const override {
    BoolAttr condition;
    if (!matchPattern(op.getCondition(), m_Constant(&condition)))
      return rewriter.notifyMatchFailure(op, "condition is not constant");
    Region &region = condition.getValue() ? op.getThenRegion() : op.getElseRegion();
    if (region.empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    Operation *yield = region.front().getTerminator();
    SmallVector<Value> values = llvm::to_vector(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&region.front(), op);
    rewriter.replaceOp(op, values);
    return success();
  }
};
} // namespace

void ScfIfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<InlineKnownBranch>(context);
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

ParseResult ScfWhileOp::parse(OpAsmParser &parser, OperationState &state) {
  Bindings bindings;
  SmallVector<Type> results, initTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (parseBindings(parser, bindings) || parseCarriedResults(parser, results) ||
      checkCarried(parser, loc, bindings, results))
    return failure();
  for (OpAsmParser::Argument &argument : bindings.arguments)
    initTypes.push_back(argument.type);
  if (parser.resolveOperands(bindings.inits, initTypes, loc, state.operands))
    return failure();
  state.addTypes(results);
  Region *before = state.addRegion(), *after = state.addRegion();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseRegion(*before, bindings.arguments) || parser.parseKeyword("do"))
    return failure();
  if (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseOptionalRParen())) {
      if (parser.parseCommaSeparatedList([&]() -> ParseResult {
            OpAsmParser::Argument &argument = arguments.emplace_back();
            return failure(parser.parseArgument(argument) || parser.parseColon() ||
                           parseCarriedType(parser, argument.type));
          }) ||
          parser.parseRParen())
        return failure();
    }
  }
  return parser.parseRegion(*after, arguments);
}

void ScfWhileOp::print(OpAsmPrinter &printer) {
  printBindings(printer, getBefore().getArguments(), getInits());
  printResults(printer, getResults());
  printBody(printer, getBefore(), true);
  printer << " do";
  if (!getAfter().getArguments().empty())
    printParameters(printer, getAfter().getArguments());
  printBody(printer, getAfter(), true);
}

LogicalResult ScfWhileOp::verify() {
  if (failed(verifyTerminator(*this, getBefore(), "scf.condition")) ||
      failed(verifyTerminator(*this, getAfter(), "scf.yield")))
    return failure();
  auto condition = cast<ScfConditionOp>(getBefore().front().getTerminator());
  auto same = [&](TypeRange a, TypeRange b) { return a == b; };
  if (!same(getInits().getTypes(), getResultTypes()) ||
      !same(getBefore().getArgumentTypes(), getResultTypes()) ||
      !same(getAfter().getArgumentTypes(), getResultTypes()) ||
      !same(condition.getValues().getTypes(), getResultTypes()))
    return emitCoded(*this, DiagCode::TypeMismatch,
                     "initial values, forwarded values, region arguments and results of "
                     "'scf.while' have to agree in number and type");
  return verifyYield(*this, getAfter().front().getTerminator(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// scf.select
//===----------------------------------------------------------------------===//

OpFoldResult ScfSelectOp::fold(FoldAdaptor adaptor) {
  if (getTrueValue() == getFalseValue())
    return getTrueValue();
  if (auto condition = dyn_cast_or_null<BoolAttr>(adaptor.getCondition()))
    return condition.getValue() ? getTrueValue() : getFalseValue();
  return {};
}

} // namespace loom
