//===- LowerSanitizerTransfer.cpp - Whether transfers lie inside ----------===//
//
// A transfer moves whole views, so that no coordinate can leave its extent, but for the row of a
// gather's destination: that is the number of the lane. What remains is whether the memory behind a
// view has all that the view claims. Of strided pieces the outermost ones are compared.
//
// Layouts that the author asserts are compared stride by stride, as far as a stride matters: an
// axis with one element has none.
//
//===----------------------------------------------------------------------===//
#include "LowerSanitizer.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/SourceInfo.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// In the present form.
Value KernelLowering::Sanitizer::strideBytes(const TransferAxis &axis) {
  if (!axis.stride)
    return number(axis.bytes);
  return emitter.binary(IntegerOp::Mul, wide(kernel.get(axis.stride)), number(axis.bytes));
}

/// Where the first piece lies, in the row of each lane when there are rows.
KernelLowering::Address KernelLowering::Sanitizer::originOf(const TransferEnd &end) {
  Address address = kernel.addressOf(end.view);
  if (!end.rows)
    return address;
  Linear row;
  row.inLanes = kernel.inLanes;
  row.value = {emitter.binary(IntegerOp::Mul, kernel.laneInSubgroup(), strideBytes(*end.rows)),
               Interval()};
  return kernel.moved(address, row, 1);
}

/// Whether each lane has a row.
void KernelLowering::Sanitizer::checkRows(const Transfer &transfer,
                                          SmallVectorImpl<Check> &checks) {
  const std::optional<TransferAxis> &rows = transfer.target.rows;
  if (!rows)
    return;
  Value view = transfer.target.view, extent;
  bool isStatic = !ShapedType::isDynamic(rows->extent);
  if (isStatic && rows->extent >= kernel.plan.subgroupSize)
    return;
  SmallVector<Value> dims = getDynamicDims(view);
  if (isStatic)
    extent = number(rows->extent);
  else if (!dims.empty() && isAddressType(dims.front().getType()))
    extent = wide(kernel.get(dims.front()));
  else
    return; // chosen by control flow: its memory still bounds the transfer
  Check check;
  check.first = kernel.laneInSubgroup();
  check.second = extent;
  check.fails = emitter.compare(IntPredicate::sge, check.first, extent);
  if (transfer.mask)
    check.fails = emitter.select(kernel.get(transfer.mask), check.fails, never());
  check.message = "writes row {0} of " + nameOf(view, "the view") + ", which has {1} rows";
  check.access = AccessKind::write;
  checks.push_back(check);
}

/// Whether the memory behind a view has what moves.
void KernelLowering::Sanitizer::checkEnd(const Transfer &transfer, const TransferEnd &end,
                                         SmallVectorImpl<Check> &checks) {
  bool isTarget = &end == &transfer.target;
  Value first = number(0), last = number(end.pieceBytes);
  for (const TransferAxis &axis : end.axes) {
    if (axis.extent == 1)
      continue;
    Value reach = emitter.binary(IntegerOp::Mul, strideBytes(axis), number(axis.extent - 1));
    Value isBack = emitter.compare(IntPredicate::slt, reach, number(0));
    first = emitter.binary(IntegerOp::Add, first, emitter.select(isBack, reach, number(0)));
    last = emitter.binary(IntegerOp::Add, last, emitter.select(isBack, number(0), reach));
  }
  Value flag = transfer.mask ? kernel.get(transfer.mask) : Value();
  int64_t bytes = transfer.source.count() * transfer.source.pieceBytes;
  std::string what = (isTarget ? "writes " : "reads ") + std::to_string(bytes) +
                     (bytes == 1 ? " byte through " : " bytes through ") +
                     nameOf(end.view, "the view");
  size_t before = checks.size();
  checkMemories(end.view, originOf(end), {first, emitter.binary(IntegerOp::Sub, last, first), flag},
                what, checks);
  for (Check &check : llvm::drop_begin(checks, before))
    check.access = isTarget ? AccessKind::write : AccessKind::read;
}

bool KernelLowering::Sanitizer::lowerTransferAccess(Operation *op) {
  std::optional<Transfer> transfer = transferOf(op);
  if (!transfer || !transfer->source.count())
    return false;
  bool isUniform = !transfer->target.rows;
  auto add = [&](Value value) {
    isUniform &= kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  };
  for (const TransferEnd *end : {&transfer->source, &transfer->target}) {
    isUniform &= kernel.addressOf(end->view).isUniform();
    end->forEachStride(add);
  }
  if (transfer->mask)
    add(transfer->mask);
  {
    KernelLowering::FormScope form(kernel, kernel.laneCount() > 1 && !isUniform);
    SmallVector<Check> checks;
    checkRows(*transfer, checks);
    checkEnd(*transfer, transfer->source, checks);
    checkEnd(*transfer, transfer->target, checks);
    auto describe = [&](SanitizerSite &site) {
      site.check = SiteCheck::Access;
      site.bytes = transfer->source.count() * transfer->source.pieceBytes;
    };
    emit(op, checks, describe, [&] {
      KernelLowering::FormScope plain(kernel, false);
      tellRace(op);
      kernel.lowerPlain(op);
    });
  }
  kernel.defineTokens(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The extent of an axis: a number, or a value.
static OpFoldResult viewExtent(Value view, size_t axis) {
  auto type = cast<ViewType>(view.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (!ShapedType::isDynamic(shape[axis]))
    return IntegerAttr::get(IntegerType::get(view.getContext(), 64), shape[axis]);
  return getDynamicDims(view)[llvm::count(shape.take_front(axis), ShapedType::kDynamic)];
}

/// Nothing when it is not known from where a layout or extents come.
static std::optional<SmallVector<OpFoldResult>> layoutOf(Value view) {
  LayoutInfo layout = getViewLayout(view);
  auto type = cast<ViewType>(view.getType());
  if (getDynamicDims(view).size() != countSlots(type))
    return std::nullopt;
  if (layout.kind == LayoutInfo::Strided && layout.strides.size() == type.getShape().size())
    return layout.strides;
  if (layout.kind == LayoutInfo::Dense)
    return SmallVector<OpFoldResult>();
  return std::nullopt;
}

bool isLayoutKnown(SanitizerAssertLayoutOp op) {
  return layoutOf(op.getView()) && layoutOf(op.getResult());
}

/// A number or an `index` as i64 in the present form.
Value KernelLowering::Sanitizer::numberOf(OpFoldResult value) {
  if (auto literal = dyn_cast<Attribute>(value))
    return number(cast<IntegerAttr>(literal).getInt());
  return wide(kernel.get(cast<Value>(value)));
}

/// How far apart the elements of an axis lie.
Value KernelLowering::Sanitizer::strideOf(Value view, size_t axis) {
  SmallVector<OpFoldResult> strides = *layoutOf(view);
  if (!strides.empty())
    return numberOf(strides[axis]);
  Value stride = number(1);
  for (size_t inner = axis + 1; inner < cast<ViewType>(view.getType()).getShape().size(); ++inner)
    stride = emitter.binary(IntegerOp::Mul, stride, numberOf(viewExtent(view, inner)));
  return stride;
}

void KernelLowering::Sanitizer::lowerAssertLayout(SanitizerAssertLayoutOp op) {
  Value view = op.getView(), result = op.getResult();
  bool isUniform = true;
  for (Value side : {view, result}) {
    SmallVector<OpFoldResult> values = *layoutOf(side);
    for (size_t axis = 0; axis < cast<ViewType>(side.getType()).getShape().size(); ++axis)
      values.push_back(viewExtent(side, axis));
    for (OpFoldResult each : values)
      if (auto value = dyn_cast<Value>(each))
        isUniform &= kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  }
  KernelLowering::FormScope form(kernel, kernel.laneCount() > 1 && !isUniform);
  SmallVector<Check> checks;
  std::string name = nameOf(view, "the view");
  for (size_t axis = 0; axis < cast<ViewType>(view.getType()).getShape().size(); ++axis) {
    std::string where = " in dimension " + std::to_string(axis) + " of " + name;
    OpFoldResult has = viewExtent(view, axis), asserted = viewExtent(result, axis);
    Value extent = numberOf(has);
    if (has != asserted) {
      Check check = {Value(), extent, numberOf(asserted),
                     "there are {0} elements" + where + ", not {1} as asserted"};
      check.fails = emitter.compare(IntPredicate::ne, check.first, check.second);
      checks.push_back(check);
    }
    Check check = {Value(), strideOf(view, axis), strideOf(result, axis),
                   "elements" + where + " lie {0} apart, not {1} as asserted"};
    Value differs = emitter.compare(IntPredicate::ne, check.first, check.second);
    Value some = emitter.compare(IntPredicate::sgt, extent, number(1));
    check.fails = emitter.binary(IntegerOp::And, differs, some);
    checks.push_back(check);
  }
  // What is the same for all lanes has become a scalar.
  for (Check &check : checks)
    if (kernel.inLanes && !isa<mlir::VectorType>(check.fails.getType()))
      check.fails = emitter.splat(check.fails, kernel.laneType(kernel.flagType()));
  emit(op, checks, [](SanitizerSite &site) { site.check = SiteCheck::Value; });
  kernel.alias(result, view);
}

} // namespace loom::lowering
