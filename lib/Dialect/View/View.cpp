//===- View.cpp - The `view` dialect --------------------------------------===//
#include "loom/Dialect/View/View.h"
#include "loom/Dialect/View/Access.h"

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
    linearShape.push_back(elementCount(shape).value_or(ShapedType::kDynamic));
    shape = linearShape;
    if (!footprint.empty()) {
      linearFootprint.push_back(elementCount(footprint).value_or(1));
      footprint = linearFootprint;
    }
  }
  if (staticIndices.size() != shape.size()) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SubrangeRank, "'");
    diag << getTextName(op) << "' has " << staticIndices.size()
         << (staticIndices.size() == 1 ? " index" : " indices") << ", but ";
    if (linear)
      return diag << "a linear access has one";
    return diag << accessed << " has " << counted(shape.size(), "dimension");
  }
  for (auto [i, extent] : llvm::enumerate(shape)) {
    size_t fromEnd = shape.size() - i;
    int64_t width = fromEnd <= footprint.size() ? footprint[footprint.size() - fromEnd] : 1;
    int64_t begin = ShapedType::isDynamic(staticIndices[i]) ? 0 : staticIndices[i];
    if (begin < 0)
      return emitCoded(op, DiagCode::SubrangeBounds, "an index cannot be negative");
    if (ShapedType::isDynamic(extent) || begin <= extent - width)
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SubrangeBounds, "'");
    diag << getTextName(op) << "' reaches element " << static_cast<uint64_t>(begin) + (width - 1);
    if (!linear)
      diag << " of dimension " << i;
    return diag << ", but " << accessed << " ends at " << extent;
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, Type value, ViewType view) {
  if (value == view.getElementType())
    return success();
  return emitCoded(op, DiagCode::TypeMismatch, "'")
         << getTextName(op) << "' accesses " << value << ", but the elements of " << Type(view)
         << " are " << view.getElementType();
}

LogicalResult ViewLoadOp::verify() {
  auto view = cast<ViewType>(getView().getType());
  if (failed(verifyElement(*this, getType(), view)))
    return failure();
  return verifyIndices(*this, view, view.getShape(), getIndices(), getStaticIndices(), getLinear());
}

LogicalResult ViewStoreOp::verify() {
  auto view = cast<ViewType>(getView().getType());
  if (failed(verifyElement(*this, getValue().getType(), view)))
    return failure();
  return verifyIndices(*this, view, view.getShape(), getIndices(), getStaticIndices(), getLinear());
}

} // namespace loom
