//===- Branches.cpp - `scf.if` and `scf.switch` ---------------------------===//
#include "Carried.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"
#include "loom/IR/Ties.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// What both share
//===----------------------------------------------------------------------===//

/// The yield at the end of a region; null while there is none.
static Operation *getYieldOf(Region &region) {
  if (region.empty() || region.front().empty())
    return nullptr;
  Operation *last = &region.front().back();
  return isa<ScfYieldOp>(last) ? last : nullptr;
}

/// Results have no value from outside of their own: a slot that siblings do not fill is that of
/// what the first region yields.
static SmallVector<Value> getBranchDims(Operation *op, Value value, Region &first,
                                        DenseI64ArrayAttr extents) {
  unsigned position = cast<OpResult>(value).getResultNumber();
  return getCarriedDims(op->getResults(), position, extents, [&]() -> SmallVector<Value> {
    Operation *yield = getYieldOf(first);
    if (!yield || position >= yield->getNumOperands())
      return {};
    return getDynamicDims(yield->getOperand(position));
  });
}

/// The region parsed first tells what slots of the results are filled with.
static ParseResult checkBranchResults(OpAsmParser &parser, const ResultList &results,
                                      Region &first) {
  Operation *yield = getYieldOf(first);
  return checkOutsideDims(parser, results, results.types,
                          yield ? ValueRange(yield->getOperands()) : ValueRange());
}

/// Checks the yields of `regions`, the first of which tells what comes from outside.
static LogicalResult verifyBranches(Operation *op, ArrayRef<Region *> regions,
                                    DenseI64ArrayAttr extents) {
  if (failed(verifyResultExtents(op, extents)))
    return failure();
  Operation *first = nullptr;
  for (Region *region : regions) {
    if (failed(verifyTerminator(op, *region, "scf.yield")))
      return failure();
    Operation *yield = region->front().getTerminator();
    ListName name{"yielded value", yield};
    if (failed(verifyPassedTypes(op, yield->getOperands(), name, DiagCode::StructureYieldCount)))
      return failure();
    first = first ? first : yield;
    auto outside = [&](unsigned position, unsigned slot) -> Value {
      SmallVector<Value> dims = getDynamicDims(first->getOperand(position));
      return slot < dims.size() ? dims[slot] : Value();
    };
    if (failed(verifyPassedExtents(op, yield->getOperands(), name, extents, outside)))
      return failure();
  }
  for (OpResult result : op->getResults())
    for (Value dim : getDynamicDims(result))
      if (dim.getDefiningOp() != op && op->isAncestor(dim.getParentRegion()->getParentOp()))
        return emitCoded(op, DiagCode::TypeMismatch, "an extent or layout of result ")
               << result.getResultNumber() << " of '" << getTextName(op)
               << "' is defined inside of a region; yield it beside the value and name that result "
               << "in the result list";
  return success();
}

/// Whether results can be passed on by operations that give all values of a result one type with
/// all that it names.
static bool isFreeOfSiblings(DenseI64ArrayAttr extents) {
  return !extents || llvm::all_of(extents.asArrayRef(), [](int64_t e) { return e >= 0; });
}

/// Replaces `op` by what `region` does.
static void inlineRegion(PatternRewriter &rewriter, Operation *op, Region &region) {
  Operation *yield = region.front().getTerminator();
  SmallVector<Value> values = llvm::to_vector(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&region.front(), op);
  rewriter.replaceOp(op, values);
}

/// A place for the operation that replaces one result, with the author's name of that result.
static Location resultLoc(OpResult result) {
  StringRef name = getValueName(result);
  Location bare = stripSourceInfo(result.getOwner()->getLoc());
  return name.empty() ? bare : nameLoc(bare, {name});
}

static bool onlyYields(Region &region) { return llvm::hasSingleElement(region.front()); }

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
  ResultList results;
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, parser.getBuilder().getI1Type(), state.operands) ||
      parseResultList(parser, results) || addTies(parser, state, kLoopTies, results.ties, {}))
    return failure();
  state.addTypes(results.onlyTypes());
  addExtents(parser, state, results);
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  if (parser.parseRegion(*thenRegion, {}))
    return failure();
  ensureTerminator(*thenRegion, parser.getBuilder(), state.location);
  if (succeeded(parser.parseOptionalKeyword("else"))) {
    if (parser.parseRegion(*elseRegion, {}))
      return failure();
    ensureTerminator(*elseRegion, parser.getBuilder(), state.location);
  }
  return checkBranchResults(parser, results, *thenRegion);
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
  SmallVector<Region *> regions{&getThenRegion()};
  if (!getElseRegion().empty())
    regions.push_back(&getElseRegion());
  return verifyBranches(*this, regions, getExtentsAttr());
}

SmallVector<Value> ScfIfOp::getDimsOf(Value value) {
  return getBranchDims(*this, value, getThenRegion(), getExtentsAttr());
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
    if (region.empty())
      rewriter.eraseOp(op);
    else
      inlineRegion(rewriter, op, region);
    return success();
  }
};

/// A conditional whose regions do nothing but yield becomes selections.
struct SelectYields : OpRewritePattern<ScfIfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScfIfOp op, PatternRewriter &rewriter) const override {
    if (!onlyYields(op.getThenRegion()) ||
        (!op.getElseRegion().empty() && !onlyYields(op.getElseRegion())) ||
        !isFreeOfSiblings(op.getExtentsAttr()))
      return rewriter.notifyMatchFailure(op, "a region does more than yield");
    SmallVector<Value> selected;
    for (unsigned i = 0; i < op.getNumResults(); ++i)
      selected.push_back(
          ScfSelectOp::create(rewriter, resultLoc(op->getResult(i)), op.getCondition(),
                              op.getThenRegion().front().getTerminator()->getOperand(i),
                              op.getElseRegion().front().getTerminator()->getOperand(i)));
    rewriter.replaceOp(op, selected);
    return success();
  }
};
} // namespace

void ScfIfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<InlineKnownBranch, SelectYields>(context);
}

//===----------------------------------------------------------------------===//
// scf.switch
//===----------------------------------------------------------------------===//

ParseResult ScfSwitchOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand selector;
  ResultList results;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(selector) ||
      parser.resolveOperand(selector, builder.getIndexType(), state.operands) ||
      parseResultList(parser, results) || addTies(parser, state, kLoopTies, results.ties, {}) ||
      parser.parseLBrace())
    return failure();
  state.addTypes(results.onlyTypes());
  addExtents(parser, state, results);
  auto parseArm = [&]() -> ParseResult {
    Region *arm = state.addRegion();
    if (parser.parseRegion(*arm, {}))
      return failure();
    ensureTerminator(*arm, builder, state.location);
    return success();
  };
  SmallVector<int64_t> keys;
  while (succeeded(parser.parseOptionalKeyword("case")))
    if (parseKey(parser, "scf.switch", keys) || parseArm())
      return failure();
  state.addAttribute("keys", builder.getDenseI64ArrayAttr(keys));
  if (parser.parseKeyword("default") || parseArm() || parser.parseRBrace())
    return failure();
  return checkBranchResults(parser, results, *state.regions.front());
}

void ScfSwitchOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSelector();
  printResults(printer, getResults());
  printer << " {";
  printer.increaseIndent();
  for (auto [key, region] : llvm::zip(getKeys(), getCaseRegions())) {
    printer.printNewline();
    printer << "case " << key;
    printBody(printer, region, !getResults().empty());
  }
  printer.printNewline();
  printer << "default";
  printBody(printer, getDefaultRegion(), !getResults().empty());
  printer.decreaseIndent();
  printer.printNewline();
  printer << '}';
}

LogicalResult ScfSwitchOp::verify() {
  if (getArms().size() != getKeys().size() + 1)
    return emitCoded(*this, DiagCode::StructureVariadic, "'scf.switch' has ")
           << counted(getKeys().size(), "key") << ", but " << counted(getArms().size(), "region");
  SmallVector<Region *> regions = llvm::map_to_vector(getArms(), [](Region &r) { return &r; });
  if (failed(verifyKeys(*this, getKeys())))
    return failure();
  return verifyBranches(*this, regions, getExtentsAttr());
}

SmallVector<Value> ScfSwitchOp::getDimsOf(Value value) {
  if (getArms().empty())
    return {};
  return getBranchDims(*this, value, getArms().front(), getExtentsAttr());
}

Region &ScfSwitchOp::getArmOf(int64_t key) {
  const auto *it = llvm::find(getKeys(), key);
  return getArms()[it - getKeys().begin()];
}

void ScfSwitchOp::getSuccessorRegions(RegionBranchPoint point,
                                      SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.push_back(RegionSuccessor(getOperation(), getResults()));
    return;
  }
  for (Region &arm : getArms())
    regions.push_back(RegionSuccessor(&arm));
}

namespace {
/// A choice whose selector is known becomes the region that runs.
struct InlineKnownArm : OpRewritePattern<ScfSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScfSwitchOp op, PatternRewriter &rewriter) const override {
    IntegerAttr selector;
    if (!matchPattern(op.getSelector(), m_Constant(&selector)))
      return rewriter.notifyMatchFailure(op, "selector is not constant");
    inlineRegion(rewriter, op, op.getArmOf(selector.getValue().getSExtValue()));
    return success();
  }
};

/// A choice whose regions do nothing but yield becomes a table.
struct TabulateYields : OpRewritePattern<ScfSwitchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScfSwitchOp op, PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op.getArms(), onlyYields) || !isFreeOfSiblings(op.getExtentsAttr()))
      return rewriter.notifyMatchFailure(op, "a region does more than yield");
    if (op.getNumResults() == 0) {
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> cells;
    for (Region &arm : op.getArms())
      llvm::append_range(cells, arm.front().getTerminator()->getOperands());
    rewriter.replaceOpWithNewOp<ScfLookupOp>(op, op.getResultTypes(), op.getSelector(), cells,
                                             op.getKeysAttr());
    return success();
  }
};
} // namespace

void ScfSwitchOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<InlineKnownArm, TabulateYields>(context);
}

} // namespace loom
