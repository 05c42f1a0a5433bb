//===- View.cpp - The `view` dialect --------------------------------------===//
#include "loom/Dialect/View/View.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/View/Access.h"
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"

namespace loom {

static mlir::ParseResult parseLinear(mlir::OpAsmParser &parser, mlir::UnitAttr &linear);
static void printLinear(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::UnitAttr linear);

} // namespace loom

using namespace mlir;
#include "loom/Dialect/View/ViewDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/View/ViewOps.cpp.inc"

namespace loom {

void ViewDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/View/ViewOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The number of elements of a static shape, or nullopt.
static std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  }
  return count;
}

LogicalResult verifyIndices(Operation *op, Type accessed, ArrayRef<int64_t> shape,
                            OperandRange indices, ArrayRef<int64_t> staticIndices, bool linear,
                            ArrayRef<int64_t> footprint) {
  size_t dynamic = llvm::count(staticIndices, ShapedType::kDynamic);
  if (dynamic != indices.size())
    return emitCoded(op, DiagCode::StructureVariadic, "")
           << counted(indices.size(), "index value") << " for " << counted(dynamic, "place")
           << " in the index list";
  SmallVector<int64_t> linearShape, linearFootprint;
  if (linear) {
    linearShape.push_back(
        getElementSpan(cast<ShapedType>(accessed)).value_or(ShapedType::kDynamic));
    shape = linearShape;
    if (!footprint.empty()) {
      linearFootprint.push_back(elementCount(footprint).value_or(1));
      footprint = linearFootprint;
    }
  }
  // What is accessed is an operand, and the indices stand behind it.
  unsigned container = std::distance(
      op->operand_begin(),
      llvm::find_if(op->getOperands(), [&](Value v) { return v.getType() == accessed; }));
  if (staticIndices.size() != shape.size()) {
    InFlightDiagnostic diag = emitCoded(atIndices(op, container), DiagCode::SubrangeRank, "'");
    diag << getTextName(op) << "' has " << staticIndices.size()
         << (staticIndices.size() == 1 ? " index" : " indices") << ", but ";
    if (linear)
      return diag << "a linear access has one";
    return diag << spellType(op, accessed) << " has " << counted(shape.size(), "dimension");
  }
  for (auto [i, extent] : llvm::enumerate(shape)) {
    size_t fromEnd = shape.size() - i;
    int64_t width = fromEnd <= footprint.size() ? footprint[footprint.size() - fromEnd] : 1;
    int64_t begin = ShapedType::isDynamic(staticIndices[i]) ? 0 : staticIndices[i];
    if (begin < 0)
      return emitCoded(atIndices(op, container), DiagCode::SubrangeBounds,
                       "an index cannot be negative");
    if (ShapedType::isDynamic(extent) || begin <= extent - width)
      continue;
    InFlightDiagnostic diag = emitCoded(atIndices(op, container), DiagCode::SubrangeBounds, "'");
    diag << getTextName(op) << "' reaches element " << static_cast<uint64_t>(begin) + (width - 1);
    if (!linear)
      diag << " of dimension " << i;
    return diag << ", but " << spellType(op, accessed) << " ends at " << extent;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static ParseResult parseLinear(OpAsmParser &parser, UnitAttr &linear) {
  if (failed(parser.parseOptionalLess()))
    return success();
  linear = parser.getBuilder().getUnitAttr();
  return failure(parser.parseKeyword("linear") || parser.parseGreater());
}

static void printLinear(OpAsmPrinter &printer, Operation *, UnitAttr linear) {
  if (linear)
    printer << "<linear>";
}

LogicalResult verifySameElements(Operation *op, ViewType from, ViewType to, bool sameExtents) {
  if (from.getElementType() != to.getElementType())
    return emitCoded(op, DiagCode::TypeElement, "'")
           << getTextName(op) << "' cannot make elements of " << to.getElementType() << " from "
           << from.getElementType();
  if (from.getShape().size() != to.getShape().size())
    return emitCoded(op, DiagCode::ShapeMismatch, "'")
           << getTextName(op) << "' cannot make " << counted(to.getShape().size(), "dimension")
           << " from " << counted(from.getShape().size(), "dimension");
  if (!sameExtents)
    return success();
  for (auto [i, extents] : llvm::enumerate(llvm::zip(from.getShape(), to.getShape()))) {
    auto [before, after] = extents;
    if (!ShapedType::isDynamic(before) && !ShapedType::isDynamic(after) && before != after)
      return emitCoded(op, DiagCode::ShapeMismatch, "dimension ")
             << i << " has the extent " << before << ", which '" << getTextName(op)
             << "' cannot change to " << after;
  }
  return success();
}

static LogicalResult verifySlots(Operation *op, ViewType view, OperandRange dims) {
  if (countSlots(view) != dims.size())
    return emitCoded(op, DiagCode::StructureVariadic, "")
           << counted(dims.size(), "extent") << " for "
           << counted(countSlots(view), "dynamic dimension");
  return verifyTypeLayout(op, view, dims);
}

OperandRange ViewSubviewOp::getDynamicDims() { return getDims(); }

/// Layout and alignment are those of the whole view.
static LogicalResult verifySameLayout(ViewSubviewOp op, ViewType from, ViewType to) {
  if (from.getAlignment() != to.getAlignment())
    return emitCoded(op, DiagCode::TypeMismatch, "a part of ")
           << spellType(op.getView()) << " has the same align(...), but the result is "
           << spellType(op.getResult());
  bool same = from.getLayout() == to.getLayout();
  if (same && isa_and_nonnull<DynamicLayoutAttr>(to.getLayout())) {
    SmallVector<Value> dims = getDynamicDims(op.getView());
    same = dims.empty() || dims.back() == op.getDims().back();
  }
  if (same)
    return success();
  return emitCoded(op, DiagCode::TypeMismatch, "a part of ")
         << spellType(op.getView()) << " has the same layout, but the result is "
         << spellType(op.getResult());
}

LogicalResult ViewSubviewOp::verify() {
  auto from = cast<ViewType>(getView().getType()), to = cast<ViewType>(getType());
  if (failed(verifySlots(*this, to, getDims())) ||
      failed(verifySameElements(*this, from, to, /*sameExtents=*/false)) ||
      failed(verifySameLayout(*this, from, to)))
    return failure();
  // Extents that are values may be zero.
  SmallVector<int64_t> footprint = llvm::map_to_vector(
      to.getShape(), [](int64_t extent) { return ShapedType::isDynamic(extent) ? 0 : extent; });
  if (getLinear())
    footprint = {0};
  return verifyIndices(*this, from, from.getShape(), getIndices(), getStaticIndices(), getLinear(),
                       footprint);
}

/// Whether `view` has the type of `result`, slots included.
static bool isSameView(Value view, Value result) {
  if (view.getType() != result.getType())
    return false;
  SmallVector<Value> before = getDynamicDims(view), after = getDynamicDims(result);
  return before.size() == countSlots(view.getType()) && before.size() == after.size() &&
         llvm::all_of(llvm::zip(before, after),
                      [](auto pair) { return isSameExtent(std::get<0>(pair), std::get<1>(pair)); });
}

/// A part that begins at the first element and has all extents is the whole.
OpFoldResult ViewSubviewOp::fold(FoldAdaptor adaptor) {
  bool atStart = llvm::all_of(getStaticIndices(),
                              [](int64_t i) { return i == 0 || ShapedType::isDynamic(i); });
  atStart &= llvm::all_of(adaptor.getIndices(), [](Attribute index) {
    auto known = dyn_cast_or_null<IntegerAttr>(index);
    return known && known.getValue().isZero();
  });
  return atStart && isSameView(getView(), getResult()) ? OpFoldResult(getView()) : OpFoldResult();
}

OperandRange ViewRefineOp::getDynamicDims() { return getDims(); }

LogicalResult ViewRefineOp::verify() {
  auto from = cast<ViewType>(getView().getType()), to = cast<ViewType>(getType());
  if (failed(verifySlots(*this, to, getDims())))
    return failure();
  return verifySameElements(*this, from, to, /*sameExtents=*/true);
}

OpFoldResult ViewRefineOp::fold(FoldAdaptor) {
  return isSameView(getView(), getResult()) ? OpFoldResult(getView()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static LogicalResult verifyElement(Operation *op, Type value, ViewType view) {
  if (value == view.getElementType())
    return success();
  return emitCoded(op, DiagCode::TypeMismatch, "'")
         << getTextName(op) << "' accesses " << value << ", but the elements of "
         << spellType(op, view) << " are " << view.getElementType();
}

/// Rules of every access of one element of type `value`.
template <typename Access>
static LogicalResult verifyAccess(Access op, Type value, CacheUse use, bool linear = false) {
  auto view = cast<ViewType>(op.getView().getType());
  if (failed(verifyElement(op, value, view)) ||
      failed(
          verifyIndices(op, view, view.getShape(), op.getIndices(), op.getStaticIndices(), linear)))
    return failure();
  return verifyCache(op, op.getCacheScope(), op.getCacheTemporal(), use);
}

LogicalResult ViewLoadOp::verify() {
  return verifyAccess(*this, getType(), CacheUse::Load, getLinear());
}

LogicalResult ViewStoreOp::verify() {
  return verifyAccess(*this, getValue().getType(), CacheUse::Store, getLinear());
}

LogicalResult ViewPrefetchOp::verify() {
  auto view = cast<ViewType>(getView().getType());
  return verifyIndices(*this, view, view.getShape(), getIndices(), getStaticIndices(),
                       /*linear=*/false);
}

void ViewLoadOp::getEffects(MemoryEffectList &effects) {
  addReadEffects(effects, getViewMutable(), getIsVolatile());
}

void ViewStoreOp::getEffects(MemoryEffectList &effects) {
  // Volatile writes stay ordered against volatile reads.
  if (getIsVolatile())
    addReadEffects(effects, getViewMutable(), /*isVolatile=*/false);
  addWriteEffects(effects, getViewMutable());
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// An atomic access reads and writes, so that nothing is moved across it or removed.
static void addAtomicEffects(MemoryEffectList &effects, OpOperand &view) {
  addReadEffects(effects, view, /*isVolatile=*/true);
}

template <typename Update> static LogicalResult verifyUpdate(Update op, bool isReduction) {
  Type element = op.getValue().getType();
  if (failed(verifyAccess(op, element, CacheUse::Atomic)) ||
      failed(verifyAtomicKind(op, op.getKind(), element, op.getNoftz(), isReduction)))
    return failure();
  return verifyAtomicOrdering(op, op.getOrdering(), AtomicUse::ReadModifyWrite);
}

/// The old element that an atomic gives back.
static LogicalResult verifyOld(Operation *op, Type result, Type value) {
  if (result == value)
    return success();
  return emitCoded(op, DiagCode::TypeResult, "'")
         << getTextName(op) << "' of " << value << " gives back " << value << ", not " << result;
}

LogicalResult ViewAtomicReduceOp::verify() { return verifyUpdate(*this, /*isReduction=*/true); }

LogicalResult ViewAtomicRmwOp::verify() {
  if (failed(verifyUpdate(*this, /*isReduction=*/false)))
    return failure();
  return verifyOld(*this, getType(), getValue().getType());
}

LogicalResult ViewAtomicCmpxchgOp::verify() {
  Type element = getExpected().getType();
  if (failed(verifyAccess(*this, element, CacheUse::Atomic)) ||
      failed(verifyOld(*this, getType(), element)))
    return failure();
  return verifyCmpxchgOrdering(*this, getSuccessOrdering(), getFailureOrdering());
}

LogicalResult ViewAtomicLoadOp::verify() {
  if (failed(verifyAccess(*this, getType(), CacheUse::Atomic)))
    return failure();
  return verifyAtomicOrdering(*this, getOrdering(), AtomicUse::Load);
}

LogicalResult ViewAtomicStoreOp::verify() {
  if (failed(verifyAccess(*this, getValue().getType(), CacheUse::Atomic)))
    return failure();
  return verifyAtomicOrdering(*this, getOrdering(), AtomicUse::Store);
}

void ViewAtomicReduceOp::getEffects(MemoryEffectList &effects) {
  addAtomicEffects(effects, getViewMutable());
}
void ViewAtomicRmwOp::getEffects(MemoryEffectList &effects) {
  addAtomicEffects(effects, getViewMutable());
}
void ViewAtomicCmpxchgOp::getEffects(MemoryEffectList &effects) {
  addAtomicEffects(effects, getViewMutable());
}
void ViewAtomicLoadOp::getEffects(MemoryEffectList &effects) {
  addAtomicEffects(effects, getViewMutable());
}
void ViewAtomicStoreOp::getEffects(MemoryEffectList &effects) {
  addAtomicEffects(effects, getViewMutable());
}

} // namespace loom
