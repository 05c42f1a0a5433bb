//===- Loops.cpp - `scf.for` and `scf.while` ------------------------------===//
#include "Carried.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"
#include "loom/IR/Ties.h"
#include "loom/Support/NearMatches.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// scf.for: text
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
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "a loop has no '")
           << word << "'" << didYouMean(word, {"pipeline", "unroll", "schedule"});
  return success();
}

/// `-> (T, ...)` with as many results as there are bindings.
static ParseResult parseCarriedResults(OpAsmParser &parser, SMLoc loc, const Bindings &bindings,
                                       ResultList &results) {
  if (parseResultList(parser, results))
    return failure();
  if (bindings.inits.size() == results.types.size())
    return success();
  return text(parser).emitCoded(loc, DiagCode::StructureVariadic, "")
         << counted(bindings.inits.size(), "carried value") << " but "
         << counted(results.types.size(), "result");
}

ParseResult ScfForOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument induction;
  UnresolvedOperand lower, upper, step;
  if (parser.parseArgument(induction) || parser.parseEqual() || parser.parseLSquare() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") || parser.parseOperand(upper) ||
      parser.parseKeyword("step") || parser.parseOperand(step) || parser.parseRSquare())
    return failure();
  Bindings bindings;
  ResultList results;
  SmallVector<UnresolvedOperand> depth, factor;
  SMLoc loc = parser.getCurrentLocation();
  if (parseBindings(parser, bindings) || parseCarriedResults(parser, loc, bindings, results) ||
      parsePolicies(parser, state, depth, factor))
    return failure();
  // The text does not repeat the type of the bounds: the lower bound decides between index and
  // offset.
  Type indexType = parser.getBuilder().getIndexType(), boundType = indexType;
  if (Value known = text(parser).lookup(lower); known && isa<OffsetType>(known.getType()))
    boundType = known.getType();
  induction.type = boundType;
  if (parser.resolveOperands({lower, upper, step}, boundType, state.operands) ||
      resolveInits(parser, loc, bindings, state.operands) ||
      parser.resolveOperands(depth, indexType, state.operands) ||
      parser.resolveOperands(factor, indexType, state.operands) ||
      checkOutsideDims(parser, results, results.types, bindings.values) ||
      addTies(parser, state, kLoopTies, results.ties, bindings.inits))
    return failure();
  state.addTypes(results.onlyTypes());
  addExtents(parser, state, results);
  if (bindings.onLines)
    state.addAttribute("bindings_on_lines", parser.getBuilder().getUnitAttr());
  llvm::copy(ArrayRef<int32_t>{1, 1, 1, static_cast<int32_t>(bindings.inits.size()),
                               static_cast<int32_t>(depth.size()),
                               static_cast<int32_t>(factor.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  SmallVector<OpAsmParser::Argument> arguments{induction};
  llvm::append_range(arguments, bindings.arguments);
  Region *body = state.addRegion();
  if (declareArgumentDims(parser, results, bindings.arguments, bindings.types,
                          /*spellsSiblings=*/false) ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void ScfForOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printOperand(getInductionVar());
  printer << " = [" << getLower() << " to " << getUpper() << " step " << getStep() << ']';
  printBindings(printer, getRegionIterArgs(), getInits(), getBindingsOnLines());
  printTiedResults(printer, getResults(), getTiesAttr(), getInits());
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

//===----------------------------------------------------------------------===//
// Checks that loops share
//===----------------------------------------------------------------------===//

/// Slots of a carried value that come from outside are those of its initial value.
static Value initDim(OperandRange inits, unsigned position, unsigned slot) {
  if (position >= inits.size())
    return {};
  SmallVector<Value> dims = getDynamicDims(inits[position]);
  return slot < dims.size() ? dims[slot] : Value();
}

/// Checks the initial values and the arguments of `region` against the results.
static LogicalResult verifyCarried(Operation *op, OperandRange inits,
                                   Block::BlockArgListType arguments, StringRef argumentWord,
                                   DenseI64ArrayAttr extents) {
  ListName initial{"initial value", op}, inside{argumentWord, op};
  if (failed(verifyPassedTypes(op, inits, initial, DiagCode::StructureVariadic)) ||
      failed(verifyPassedTypes(op, arguments, inside, DiagCode::StructureVariadic)) ||
      failed(verifyResultExtents(op, extents)))
    return failure();
  return verifyPassedExtents(op, inits, initial, extents,
                             [](unsigned, unsigned) { return Value(); });
}

/// Checks what a terminator passes on in a loop with `inits`.
static LogicalResult verifyPassedOn(Operation *op, OperandRange inits, ValueRange values,
                                    ListName name, DenseI64ArrayAttr extents, DiagCode countCode) {
  if (failed(verifyPassedTypes(op, values, name, countCode)))
    return failure();
  return verifyPassedExtents(op, values, name, extents, [&](unsigned position, unsigned slot) {
    return initDim(inits, position, slot);
  });
}

//===----------------------------------------------------------------------===//
// scf.for: the rest
//===----------------------------------------------------------------------===//

LogicalResult ScfForOp::verify() {
  Type type = getLower().getType();
  if (getBlock()->getNumArguments() == 0)
    return emitCoded(*this, DiagCode::StructureArgumentCount,
                     "the body of 'scf.for' has no induction value");
  for (Value bound : {getUpper(), getStep(), Value(getInductionVar())})
    if (bound.getType() != type)
      return emitCoded(atOperand(*this, bound), DiagCode::TypeMismatch,
                       "the bounds, the step and the induction value of 'scf.for' share one type, "
                       "but there are ")
             << type << " and " << bound.getType();
  IntegerAttr step;
  if (matchPattern(getStep(), m_Constant(&step)) && step.getValue().isZero())
    return emitCoded(atOperand(*this, 2), DiagCode::StructureStep,
                     "the step of 'scf.for' is 0; a loop advances by a positive number");
  if (failed(
          verifyCarried(*this, getInits(), getRegionIterArgs(), "carried value", getExtentsAttr())))
    return failure();
  if (getFullUnroll() && getFactor())
    return emitCoded(*this, DiagCode::StructureValue,
                     "unroll and unroll(%factor) exclude each other");
  if (failed(verifyTies(*this, kLoopTies, getInits())) ||
      failed(verifyTerminator(*this, getBody(), "scf.yield")))
    return failure();
  return verifyPassedOn(*this, getInits(), getYield()->getOperands(), {"yielded value", getYield()},
                        getExtentsAttr(), DiagCode::StructureYieldCount);
}

SmallVector<Value> ScfForOp::getDimsOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned position =
      argument ? argument.getArgNumber() - 1 : cast<OpResult>(value).getResultNumber();
  if (position >= getInits().size() || (argument && argument.getArgNumber() == 0))
    return {};
  ValueRange list = argument ? ValueRange(getRegionIterArgs()) : ValueRange(getResults());
  return getCarriedDims(list, position, getExtentsAttr(),
                        [&] { return getDynamicDims(getInits()[position]); });
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

namespace {
/// A loop that provably never runs is its initial values. A step that is not known to be positive
/// leaves the loop alone, and so does a policy, which the loop transforms have to judge.
struct RemoveEmptyLoop : OpRewritePattern<ScfForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScfForOp op, PatternRewriter &rewriter) const override {
    IntegerAttr lower, upper, step;
    if (!matchPattern(op.getLower(), m_Constant(&lower)) ||
        !matchPattern(op.getUpper(), m_Constant(&upper)) ||
        !matchPattern(op.getStep(), m_Constant(&step)))
      return rewriter.notifyMatchFailure(op, "bounds are not constant");
    bool isSigned = op.getLower().getType().isIndex();
    bool runs =
        isSigned ? lower.getValue().slt(upper.getValue()) : lower.getValue().ult(upper.getValue());
    if (runs || !step.getValue().isStrictlyPositive() || op.getDepth() || op.hasUnrollRequest())
      return rewriter.notifyMatchFailure(op, "the loop runs or has a policy");
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};
} // namespace

void ScfForOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<RemoveEmptyLoop>(context);
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

/// `(%y: T, ...)`, optional.
static ParseResult parseAfterArguments(OpAsmParser &parser,
                                       SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                       SmallVectorImpl<SpelledType> &spelled) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        SmallVector<UnresolvedOperand> dims;
        if (parser.parseArgument(argument) || parser.parseColon() ||
            text(parser).parseTextType(argument.type, &dims))
          return failure();
        arguments.push_back(argument);
        SpelledType &type = spelled.emplace_back();
        type.type = argument.type;
        type.dims.assign(dims.begin(), dims.end());
        return success();
      });
}

ParseResult ScfWhileOp::parse(OpAsmParser &parser, OperationState &state) {
  Bindings bindings;
  ResultList results;
  SMLoc loc = parser.getCurrentLocation();
  if (parseBindings(parser, bindings) || parseCarriedResults(parser, loc, bindings, results) ||
      resolveInits(parser, loc, bindings, state.operands) ||
      checkOutsideDims(parser, results, results.types, bindings.values) ||
      addTies(parser, state, kLoopTies, results.ties, bindings.inits))
    return failure();
  state.addTypes(results.onlyTypes());
  addExtents(parser, state, results);
  if (bindings.onLines)
    state.addAttribute("bindings_on_lines", parser.getBuilder().getUnitAttr());
  Region *before = state.addRegion(), *after = state.addRegion();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<SpelledType> spelled;
  if (declareArgumentDims(parser, results, bindings.arguments, bindings.types,
                          /*spellsSiblings=*/false) ||
      parser.parseRegion(*before, bindings.arguments) || parser.parseKeyword("do") ||
      parseAfterArguments(parser, arguments, spelled) ||
      checkOutsideDims(parser, results, spelled, bindings.values) ||
      declareArgumentDims(parser, results, arguments, spelled, /*spellsSiblings=*/true))
    return failure();
  return parser.parseRegion(*after, arguments);
}

void ScfWhileOp::print(OpAsmPrinter &printer) {
  printBindings(printer, getBefore().getArguments(), getInits(), getBindingsOnLines());
  printTiedResults(printer, getResults(), getTiesAttr(), getInits());
  printBody(printer, getBefore(), true);
  printer << " do";
  if (!getAfter().getArguments().empty())
    printParameters(printer, getAfter().getArguments());
  printBody(printer, getAfter(), true);
}

LogicalResult ScfWhileOp::verify() {
  if (failed(verifyTies(*this, kLoopTies, getInits())) ||
      failed(verifyCarried(*this, getInits(), getBefore().getArguments(), "carried value",
                           getExtentsAttr())) ||
      failed(verifyPassedTypes(*this, getAfter().getArguments(), {"region argument", *this},
                               DiagCode::StructureVariadic)) ||
      failed(verifyTerminator(*this, getBefore(), "scf.condition")) ||
      failed(verifyTerminator(*this, getAfter(), "scf.yield")))
    return failure();
  auto condition = cast<ScfConditionOp>(getBefore().front().getTerminator());
  Operation *yield = getAfter().front().getTerminator();
  if (failed(verifyPassedOn(*this, getInits(), condition.getValues(),
                            {"forwarded value", condition}, getExtentsAttr(),
                            DiagCode::StructureVariadic)))
    return failure();
  return verifyPassedOn(*this, getInits(), yield->getOperands(), {"yielded value", yield},
                        getExtentsAttr(), DiagCode::StructureYieldCount);
}

SmallVector<Value> ScfWhileOp::getDimsOf(Value value) {
  ValueRange list(getResults());
  unsigned position;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    list = argument.getOwner()->getArguments();
    position = argument.getArgNumber();
  } else {
    position = cast<OpResult>(value).getResultNumber();
  }
  if (position >= getInits().size())
    return {};
  return getCarriedDims(list, position, getExtentsAttr(),
                        [&] { return getDynamicDims(getInits()[position]); });
}

} // namespace loom
