//===- LowerTransfers.cpp - Transfers that run beside the kernel ----------===//
#include "LowerTransfers.h"
#include "LowerItems.h"
#include "loom/Dialect/Encoding/Encoding.h"

using namespace mlir;

namespace loom::lowering {

namespace {

/// Where the elements of a view lie: strides in elements.
struct Placement {
  SmallVector<int64_t> shape, strides;
  unsigned elementBytes = 0;

  int64_t count() const { return ShapedType::getNumElements(shape); }
  int64_t bytes() const { return count() * elementBytes; }
  bool isDense() const {
    int64_t expected = 1;
    for (auto [extent, stride] : llvm::zip(llvm::reverse(shape), llvm::reverse(strides))) {
      if (extent != 1 && stride != expected)
        return false;
      expected *= extent;
    }
    return true;
  }
  /// What one index of the first axis leaves.
  Placement row() const {
    return {SmallVector<int64_t>(ArrayRef(shape).drop_front()),
            SmallVector<int64_t>(ArrayRef(strides).drop_front()), elementBytes};
  }
};

} // namespace

/// Nothing when strides are not numbers.
static std::optional<Placement> placementOf(Value view) {
  auto type = cast<ViewType>(view.getType());
  Placement placement;
  placement.shape = llvm::to_vector(type.getShape());
  placement.elementBytes = getElementBytes(type.getElementType());
  LayoutInfo layout = getViewLayout(view);
  if (layout.kind == LayoutInfo::Dense) {
    placement.strides.resize(placement.shape.size());
    int64_t stride = 1;
    for (size_t axis = placement.shape.size(); axis-- > 0; stride *= placement.shape[axis])
      placement.strides[axis] = stride;
    return placement;
  }
  if (layout.kind != LayoutInfo::Strided || layout.strides.size() != placement.shape.size())
    return std::nullopt;
  for (OpFoldResult stride : layout.strides) {
    auto number = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(stride));
    if (!number)
      return std::nullopt;
    placement.strides.push_back(number.getInt());
  }
  return placement;
}

static bool isGather(Operation *op) {
  return isa<KernelAsyncGatherOp, KernelAsyncGatherMaskOp>(op);
}

bool isTransferSupported(Operation *op, const LoweringTarget &target, std::string &condition) {
  if (!target.hasLanes())
    return false;
  if (isa<KernelAsyncGroupOp, KernelAsyncWaitOp>(op))
    return true;
  if (!isa<KernelAsyncCopyOp, KernelAsyncCopyMaskOp, KernelAsyncGatherOp, KernelAsyncGatherMaskOp,
           KernelAsyncClusterGatherOp, KernelAsyncClusterGatherMaskOp>(op))
    return false;
  std::optional<Placement> from = placementOf(op->getOperand(0)),
                           to = placementOf(op->getOperand(1));
  if (!from || !to) {
    condition = " for a view whose strides are not numbers";
    return false;
  }
  if (isGather(op))
    to = to->row();
  if (from->elementBytes != to->elementBytes && !(from->isDense() && to->isDense())) {
    condition = " between elements of different sizes that do not lie side by side";
    return false;
  }
  return true;
}

class KernelLowering::Transfers {
public:
  explicit Transfers(KernelLowering &kernel)
      : kernel(kernel), emitter(kernel.emitter), wide(emitter.integer(64)) {}

  /// `mask` and `ranks` may be null.
  void lower(Operation *op, Value mask, Value ranks);

private:
  Value number(int64_t value) { return emitter.constant(wide, value); }
  Value laneInSubgroup();
  Value distance(const Placement &placement, Value element);
  void copy(Value target, const Placement &to, Value source, const Placement &from);

  KernelLowering &kernel;
  Emitter &emitter;
  Type wide;
};

/// One element per lane, or a scalar where there is one lane.
Value KernelLowering::Transfers::laneInSubgroup() {
  FormScope form(kernel, kernel.laneCount() > 1);
  RangeArithmetic &ranges = kernel.ranges;
  RangedValue lane = ranges.rem(kernel.flatItem(), ranges.constant(kernel.plan.subgroupSize));
  return ranges.convert(lane, 64);
}

/// How many bytes the element of that row-major number lies behind the first.
Value KernelLowering::Transfers::distance(const Placement &placement, Value element) {
  Value sum = number(0);
  for (size_t axis = placement.shape.size(); axis-- > 0;) {
    Value extent = number(placement.shape[axis]);
    Value coordinate = emitter.binary(IntegerOp::URem, element, extent);
    element = emitter.binary(IntegerOp::UDiv, element, extent);
    Value bytes = number(placement.strides[axis] * placement.elementBytes);
    sum = emitter.binary(IntegerOp::Add, sum, emitter.binary(IntegerOp::Mul, coordinate, bytes));
  }
  return sum;
}

/// All elements of the source, in row-major order.
void KernelLowering::Transfers::copy(Value target, const Placement &to, Value source,
                                     const Placement &from) {
  if (from.isDense() && to.isDense())
    return emitter.copyBytes(target, source, number(from.bytes()));
  Type type = emitter.integer(8 * from.elementBytes);
  emitter.repeat(number(from.count()), [&](Value element) {
    Value value = emitter.load(type, emitter.addBytes(source, distance(from, element)), 1);
    emitter.store(value, emitter.addBytes(target, distance(to, element)), 1);
  });
}

void KernelLowering::Transfers::lower(Operation *op, Value mask, Value ranks) {
  Placement from = *placementOf(op->getOperand(0)), to = *placementOf(op->getOperand(1));
  bool hasRows = isGather(op);
  int64_t rowBytes = hasRows ? to.strides[0] * to.elementBytes : 0;
  if (hasRows)
    to = to.row();
  Items items(kernel);
  items.add(kernel.addressOf(op->getOperand(0)));
  items.add(kernel.addressOf(op->getOperand(1)));
  if (hasRows)
    items.addLanes(laneInSubgroup());
  // A workgroup is a cluster of its own, of rank 0.
  for (Value condition : {mask, ranks})
    if (condition)
      items.add(condition);
  items.run(items.isUniform(), Type(), [&](Value, ArrayRef<Value> inputs) {
    Value source = inputs[0], target = inputs[1], takesPart;
    ArrayRef<Value> rest = inputs.drop_front(2);
    if (hasRows) {
      Value distance = emitter.binary(IntegerOp::Mul, rest.front(), number(rowBytes));
      target = emitter.addBytes(target, distance);
      rest = rest.drop_front();
    }
    for (Value condition : rest) {
      Value holds = condition.getType() == kernel.flagType()
                        ? condition
                        : emitter.truncate(condition, kernel.flagType());
      takesPart = takesPart ? emitter.binary(IntegerOp::And, takesPart, holds) : holds;
    }
    auto copyAll = [&] { copy(target, to, source, from); };
    takesPart ? emitter.when(takesPart, copyAll) : copyAll();
    return Value();
  });
}

bool KernelLowering::lowerTransfer(Operation *op) {
  Transfers transfers(*this);
  auto run = [&](Value mask, Value ranks) {
    transfers.lower(op, mask, ranks);
    return true;
  };
  bool isLowered =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<KernelAsyncCopyOp, KernelAsyncGatherOp>([&](auto) { return run({}, {}); })
          .Case<KernelAsyncCopyMaskOp, KernelAsyncGatherMaskOp>(
              [&](auto o) { return run(o.getMask(), {}); })
          .Case<KernelAsyncClusterGatherOp>([&](auto o) { return run({}, o.getRanks()); })
          .Case<KernelAsyncClusterGatherMaskOp>(
              [&](auto o) { return run(o.getMask(), o.getRanks()); })
          .Case<KernelAsyncGroupOp, KernelAsyncWaitOp>([](auto) { return true; })
          .Default([](Operation *) { return false; });
  // Tokens and groups are nothing at run time; control flow passes on a number in their place.
  if (isLowered && op->getNumResults()) {
    FormScope form(*this, false);
    values[op->getResult(0)] = {emitter.constant(emitter.integer(8), 0), Value(), 0};
  }
  return isLowered;
}

} // namespace loom::lowering
