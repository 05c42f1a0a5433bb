//===- VectorConstruct.cpp - Vectors made of scalars and literals ---------===//
#include "VectorRules.h"
#include "loom/IR/Messages.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// vector.constant
//===----------------------------------------------------------------------===//

/// Reads both operations of this statement: what the type says decides which one it is.
static ParseResult parseConstant(OpAsmParser &parser, OperationState &result) {
  TypedAttr value;
  Type type;
  SmallVector<UnresolvedOperand> dims;
  if (parseSplatLiteral(parser, value, type, dims) ||
      parser.resolveOperands(dims, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  StringRef name = dims.empty() ? VectorConstantOp::getOperationName()
                                : VectorDynamicConstantOp::getOperationName();
  result.name = OperationName(name, parser.getContext());
  result.addAttribute("value", value);
  result.addTypes(type);
  return success();
}

static LogicalResult verifyLiteral(Operation *op, TypedAttr value) {
  Type lane = elementType(op->getResult(0));
  if (value.getType() == lane)
    return success();
  return emitCoded(op, DiagCode::TypeAttribute, "lanes of ")
         << lane << " cannot hold a literal of type " << value.getType();
}

ParseResult VectorConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseConstant(parser, result);
}

void VectorConstantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printSplatLiteral(printer, *this, getValue(), getType(), (*this)->getOperands());
}

OpFoldResult VectorConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult VectorConstantOp::verify() {
  if (countSlots(getType()))
    return emitCoded(*this, DiagCode::StructureVariadic,
                     "a constant owns no extents that are values");
  return verifyLiteral(*this, getValue());
}

std::string VectorDynamicConstantOp::getStatementWord() { return "vector.constant"; }

ParseResult VectorDynamicConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseConstant(parser, result);
}

void VectorDynamicConstantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printSplatLiteral(printer, *this, getValue(), getType(), getDims());
}

LogicalResult VectorDynamicConstantOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  return verifyLiteral(*this, getValue());
}

/// Once its extents are numbers it is a constant like any other.
LogicalResult VectorDynamicConstantOp::canonicalize(VectorDynamicConstantOp op,
                                                    PatternRewriter &rewriter) {
  if (countSlots(op.getType()))
    return failure();
  rewriter.replaceOpWithNewOp<VectorConstantOp>(op, op.getType(), op.getValue());
  return success();
}

//===----------------------------------------------------------------------===//
// vector.poison, vector.empty
//===----------------------------------------------------------------------===//

LogicalResult VectorPoisonOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (isEmptyVector(getResult()))
    return emitCoded(*this, DiagCode::TypeResult, "")
           << spellType(getResult())
           << " has no lanes that could be poison; vector.empty makes one";
  return verifyPoison(*this);
}

LogicalResult VectorEmptyOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (isEmptyVector(getResult()))
    return success();
  return emitCoded(*this, DiagCode::TypeResult, "")
         << spellType(getResult()) << " is not known to have no lanes; one extent has to be zero";
}

namespace {

/// What has no lanes is `vector.empty` when it is computed or read, and nothing when it is written.
struct DropLaneless : RewritePattern {
  explicit DropLaneless(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<VectorDialect>(op->getDialect()) || isa<VectorEmptyOp>(op))
      return failure();
    if (op->getNumResults() == 0) {
      bool isEmpty = llvm::any_of(op->getOperands(), [](Value operand) {
        return isa<VectorType>(operand.getType()) && isEmptyVector(operand);
      });
      if (!isEmpty)
        return failure();
      rewriter.eraseOp(op);
      return success();
    }
    for (Value result : op->getResults())
      if (!isa<VectorType>(result.getType()) || !isEmptyVector(result))
        return failure();
    SmallVector<Value> empty;
    for (Value result : op->getResults())
      empty.push_back(
          VectorEmptyOp::create(rewriter, op->getLoc(), result.getType(), getDynamicDims(result)));
    rewriter.replaceOp(op, empty);
    return success();
  }
};

} // namespace

void VectorEmptyOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropLaneless>(context);
}

//===----------------------------------------------------------------------===//
// vector.splat, vector.from_elements
//===----------------------------------------------------------------------===//

LogicalResult VectorSplatOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (getInput().getType() == elementType(getResult()))
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "a splat of ")
         << spellType(getInput()) << " cannot make " << spellType(getResult());
}

OpFoldResult VectorSplatOp::fold(FoldAdaptor adaptor) {
  // Of an offset there is no literal of the lane's type.
  auto literal = dyn_cast_or_null<TypedAttr>(adaptor.getInput());
  if (!literal || literal.getType() != elementType(getResult()))
    return {};
  return Attribute(literal);
}

LogicalResult VectorFromElementsOp::verify() {
  VectorType vector = vectorType(getResult());
  std::optional<int64_t> lanes = countLanes(vector);
  if (!lanes || *lanes != int64_t(getElements().size()))
    return emitCoded(*this, DiagCode::StructureOperandCount, "'vector.from_elements' has ")
           << counted(getElements().size(), "element") << ", but " << Type(vector) << " has "
           << counted(lanes.value_or(INT64_MAX), "lane");
  if (*lanes == 0)
    return emitCoded(*this, DiagCode::TypeResult, "")
           << Type(vector) << " has no elements; vector.empty makes one";
  for (Value element : getElements())
    if (element.getType() != vector.getElementType())
      return emitCoded(*this, DiagCode::TypeElement, "an element of type ")
             << spellType(element) << " cannot be a lane of " << spellType(getResult());
  return success();
}

OpFoldResult VectorFromElementsOp::fold(FoldAdaptor adaptor) {
  ArrayRef<Attribute> elements = adaptor.getElements();
  if (elements.empty() || !llvm::all_equal(elements))
    return {};
  auto literal = dyn_cast_or_null<TypedAttr>(elements.front());
  if (!literal || literal.getType() != elementType(getResult()))
    return {};
  return Attribute(literal);
}

//===----------------------------------------------------------------------===//
// vector.iota, vector.mask.range, vector.broadcast
//===----------------------------------------------------------------------===//

LogicalResult VectorIotaOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (getBase().getType() == elementType(getResult()))
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "lanes of ")
         << elementType(getResult()) << " cannot count from a base of type " << getBase().getType();
}

LogicalResult VectorMaskRangeOp::verify() { return verifyDims(*this, getDims()); }

/// All lanes are alike when the first and the last are: the lanes advance in one direction.
OpFoldResult VectorMaskRangeOp::fold(FoldAdaptor adaptor) {
  auto lower = dyn_cast_or_null<IntegerAttr>(adaptor.getLower());
  auto upper = dyn_cast_or_null<IntegerAttr>(adaptor.getUpper());
  auto step = dyn_cast_or_null<IntegerAttr>(adaptor.getStep());
  std::optional<int64_t> lanes = countLanes(vectorType(getResult()));
  if (!lower || !upper || !step || !lanes || *lanes == 0)
    return {};
  // The carrier of `index` is the target's; where a lane might wrap, nothing is known.
  unsigned width =
      isa<IndexType>(getLower().getType()) ? 32 : lower.getType().getIntOrFloatBitWidth();
  __int128 first = lower.getInt(), last = first + __int128(*lanes - 1) * step.getInt();
  __int128 limit = __int128(1) << (width - 1);
  if (last < -limit || last >= limit || first < -limit || first >= limit ||
      upper.getInt() < -limit || upper.getInt() >= limit)
    return {};
  bool inside = first < upper.getInt();
  if (inside != (last < upper.getInt()))
    return {};
  return BoolAttr::get(getContext(), inside);
}

LogicalResult VectorBroadcastOp::verify() {
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyElements(*this, {getVector(), "the operand"}, {getResult(), "the result"})))
    return failure();
  SmallVector<Extent> from = getExtents(getVector()), to = getExtents(getResult());
  bool fits = from.size() <= to.size();
  if (fits)
    for (auto [a, b] : llvm::zip(from, ArrayRef(to).take_back(from.size())))
      fits &= a.known() == 1 || a == b;
  if (fits)
    return success();
  return emitCoded(*this, DiagCode::ShapeBroadcast, "")
         << spellType(getVector()) << " does not broadcast to " << spellType(getResult())
         << ": from the last axis on, an extent has to be one or stay";
}

OpFoldResult VectorBroadcastOp::fold(FoldAdaptor adaptor) {
  if (getVector().getType() == getType() && getExtents(getVector()) == getExtents(getResult()))
    return getVector();
  return adaptor.getVector();
}

} // namespace loom
