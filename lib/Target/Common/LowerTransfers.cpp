//===- LowerTransfers.cpp - Transfers that run beside the kernel ----------===//
#include "LowerTransfers.h"
#include "LowerItems.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include <numeric>

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

bool TransferEnd::isDense() const { return firstDenseAxis() == 0; }

int64_t TransferEnd::count() const {
  int64_t pieces = 1;
  for (const TransferAxis &axis : axes)
    pieces *= axis.extent;
  return pieces;
}

/// The axes from which on pieces lie side by side.
size_t TransferEnd::firstDenseAxis() const {
  int64_t expected = pieceBytes;
  size_t inner = axes.size();
  for (; inner > 0; expected *= axes[--inner].extent)
    if (axes[inner - 1].extent != 1 &&
        (axes[inner - 1].stride || axes[inner - 1].bytes != expected))
      break;
  return inner;
}

int64_t TransferEnd::runBytes() const {
  int64_t bytes = pieceBytes;
  for (const TransferAxis &axis : llvm::drop_begin(axes, firstDenseAxis()))
    bytes *= axis.extent;
  return bytes;
}

/// Makes pieces smaller, or larger up to a run.
void TransferEnd::cutInto(int64_t bytes) {
  int64_t run = runBytes();
  axes.truncate(firstDenseAxis());
  axes.push_back({run / bytes, Value(), bytes});
  pieceBytes = bytes;
}

void TransferEnd::forEachStride(llvm::function_ref<void(Value)> body) const {
  if (rows && rows->stride)
    body(rows->stride);
  for (const TransferAxis &axis : axes)
    if (axis.stride)
      body(axis.stride);
}

/// Nothing when the layout of the view is not known.
static std::optional<TransferEnd> endOf(Value view) {
  auto type = cast<ViewType>(view.getType());
  TransferEnd end;
  end.view = view;
  end.pieceBytes = getElementBytes(type.getElementType());
  LayoutInfo layout = getViewLayout(view);
  ArrayRef<int64_t> shape = type.getShape();
  if (layout.kind == LayoutInfo::Dense) {
    int64_t bytes = end.pieceBytes;
    for (int64_t extent : llvm::reverse(shape)) {
      end.axes.insert(end.axes.begin(), {extent, Value(), bytes});
      bytes *= extent;
    }
    return end;
  }
  if (layout.kind != LayoutInfo::Strided || layout.strides.size() != shape.size())
    return std::nullopt;
  for (auto [extent, stride] : llvm::zip(shape, layout.strides)) {
    if (auto number = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(stride)))
      end.axes.push_back({extent, Value(), number.getInt() * end.pieceBytes});
    else
      end.axes.push_back({extent, cast<Value>(stride), end.pieceBytes});
  }
  return end;
}

static bool isGather(Operation *op) {
  return isa<KernelAsyncGatherOp, KernelAsyncGatherMaskOp>(op);
}

std::optional<Transfer> transferOf(Operation *op) {
  if (op->getNumResults() != 1 || !isa<AsyncTokenType>(op->getResult(0).getType()) ||
      isa<KernelAsyncTensorLoadOp, KernelAsyncTensorStoreOp>(op))
    return std::nullopt;
  std::optional<TransferEnd> source = endOf(op->getOperand(0)), target = endOf(op->getOperand(1));
  if (!source || !target)
    return std::nullopt;
  if (isGather(op)) {
    target->rows = target->axes.front();
    target->axes.erase(target->axes.begin());
  }
  // What moves are bytes in the order of the elements, of whatever size these are. A row of a
  // gather may be longer than what is put into it.
  int64_t all = source->count() * source->pieceBytes;
  int64_t bytes = std::gcd(source->runBytes(), target->isDense() ? all : target->runBytes());
  if (target->isDense()) {
    target->axes.clear();
    target->pieceBytes = all;
  }
  if (bytes) {
    source->cutInto(bytes);
    target->cutInto(bytes);
  }
  Value mask =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case<KernelAsyncCopyMaskOp, KernelAsyncGatherMaskOp, KernelAsyncClusterGatherMaskOp>(
              [](auto o) { return o.getMask(); })
          .Default([](Operation *) { return Value(); });
  return Transfer{*source, *target, mask};
}

bool isTransferSupported(Operation *op, const LoweringTarget &target, std::string &condition) {
  if (!target.hasLanes())
    return false;
  if (isa<KernelAsyncGroupOp, KernelAsyncWaitOp>(op))
    return true;
  if (!isa<KernelAsyncCopyOp, KernelAsyncCopyMaskOp, KernelAsyncGatherOp, KernelAsyncGatherMaskOp,
           KernelAsyncClusterGatherOp, KernelAsyncClusterGatherMaskOp>(op))
    return false;
  if (transferOf(op))
    return true;
  condition = " for a view whose layout is chosen while the kernel runs";
  return false;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value KernelLowering::laneInSubgroup() {
  RangedValue lane = ranges.rem(flatItem(), ranges.constant(plan.subgroupSize));
  return ranges.convert(lane, 64);
}

Value KernelLowering::pieceDistance(const TransferEnd &end, Value piece, ArrayRef<Value> strides) {
  Type wide = emitter.integer(64);
  Value sum = emitter.constant(wide, 0);
  for (size_t axis = end.axes.size(); axis-- > 0;) {
    Value extent = emitter.constant(wide, end.axes[axis].extent), coordinate = piece;
    if (axis > 0) {
      coordinate = emitter.binary(IntegerOp::URem, piece, extent);
      piece = emitter.binary(IntegerOp::UDiv, piece, extent);
    }
    sum = emitter.binary(IntegerOp::Add, sum,
                         emitter.binary(IntegerOp::Mul, coordinate, strides[axis]));
  }
  return sum;
}

class KernelLowering::Transfers {
public:
  explicit Transfers(KernelLowering &kernel)
      : kernel(kernel), emitter(kernel.emitter), wide(emitter.integer(64)) {}

  void lower(const Transfer &transfer);

private:
  /// One end in the code of one work-item.
  struct Side {
    Value pointer;
    SmallVector<Value> strides; ///< bytes
  };
  Value number(int64_t value) { return emitter.constant(wide, value); }
  void copy(const Transfer &transfer, const Side &source, const Side &target);

  KernelLowering &kernel;
  Emitter &emitter;
  Type wide;
};

/// All pieces of the source, in order.
void KernelLowering::Transfers::copy(const Transfer &transfer, const Side &source,
                                     const Side &target) {
  int64_t bytes = transfer.source.pieceBytes, count = transfer.source.count();
  if (!bytes || !count)
    return;
  if (count == 1)
    return emitter.copyBytes(target.pointer, source.pointer, number(bytes));
  bool isWord = llvm::isPowerOf2_64(bytes) && bytes <= 8;
  emitter.repeat(number(count), [&](Value piece) {
    auto place = [&](const TransferEnd &end, const Side &side) {
      return emitter.addBytes(side.pointer, kernel.pieceDistance(end, piece, side.strides));
    };
    Value from = place(transfer.source, source), to = place(transfer.target, target);
    if (isWord)
      emitter.store(emitter.load(emitter.integer(8 * bytes), from, 1), to, 1);
    else
      emitter.copyBytes(to, from, number(bytes));
  });
}

void KernelLowering::Transfers::lower(const Transfer &transfer) {
  const TransferEnd *ends[] = {&transfer.source, &transfer.target};
  const std::optional<TransferAxis> &rows = transfer.target.rows;
  Items items(kernel);
  for (const TransferEnd *end : ends) {
    items.add(kernel.addressOf(end->view));
    end->forEachStride([&](Value stride) { items.add(stride); });
  }
  if (rows) {
    FormScope form(kernel, kernel.laneCount() > 1);
    items.addLanes(kernel.laneInSubgroup());
  }
  if (transfer.mask)
    items.add(transfer.mask);
  items.run(items.isUniform(), Type(), [&](Value, ArrayRef<Value> inputs) {
    auto take = [&] {
      Value first = inputs.front();
      inputs = inputs.drop_front();
      return first;
    };
    auto strideOf = [&](const TransferAxis &axis) {
      if (!axis.stride)
        return number(axis.bytes);
      Value stride = take();
      if (!stride.getType().isInteger(64))
        stride = emitter.cast(CastOp::SExt, stride, wide);
      return emitter.binary(IntegerOp::Mul, stride, number(axis.bytes));
    };
    Side sides[2];
    Value rowBytes;
    for (auto [side, end] : llvm::zip(sides, ends)) {
      side.pointer = take();
      if (end->rows)
        rowBytes = strideOf(*end->rows);
      for (const TransferAxis &axis : end->axes)
        side.strides.push_back(strideOf(axis));
    }
    if (rows)
      sides[1].pointer =
          emitter.addBytes(sides[1].pointer, emitter.binary(IntegerOp::Mul, take(), rowBytes));
    auto copyAll = [&] { copy(transfer, sides[0], sides[1]); };
    transfer.mask ? emitter.when(take(), copyAll) : copyAll();
    return Value();
  });
}

bool KernelLowering::lowerTransfer(Operation *op) {
  if (std::optional<Transfer> transfer = transferOf(op))
    Transfers(*this).lower(*transfer);
  else if (!isa<KernelAsyncGroupOp, KernelAsyncWaitOp>(op))
    return false;
  defineTokens(op);
  return true;
}

/// Tokens and groups are nothing at run time; control flow passes on a number in their place.
void KernelLowering::defineTokens(Operation *op) {
  FormScope form(*this, false);
  for (Value result : op->getResults())
    values[result] = {emitter.constant(emitter.integer(8), 0), Value(), 0};
}

} // namespace loom::lowering
