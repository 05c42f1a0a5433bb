//===- LowerMemory.cpp - Lowering of buffers and views --------------------===//
//
// An access lies inside its view: each coordinate inside its extent. That is the author's contract,
// and it bounds the arithmetic of addresses where facts alone do not.
//
//===----------------------------------------------------------------------===//
#include "LowerKernel.h"
#include "loom/IR/Encodings.h"

using namespace mlir;

namespace loom::lowering {

/// One access to a view.
struct KernelLowering::Access {
  Value view;
  OperandRange indices;
  ArrayRef<int64_t> staticIndices;
  bool linear;

  ViewType type() const { return cast<ViewType>(view.getType()); }
  Type element() const { return type().getElementType(); }
  unsigned elementBytes() const { return getElementBytes(element()); }
  /// What the address of an element is a multiple of, in bytes.
  unsigned alignment() const {
    return type().getAlignment() ? type().getAlignment() : elementBytes();
  }

  /// Number of elements of storage that the view reaches, when it is static.
  std::optional<int64_t> total() const { return getElementSpan(type()); }
};

/// The coordinates of a dimension: [0, extent - 1].
static Interval coordinatesOf(int64_t extent) {
  Interval interval = {0, Interval().high};
  if (!ShapedType::isDynamic(extent) && extent > 0)
    interval.high = extent - 1;
  return interval;
}

/// The extent of dimension `axis` of the view.
RangedValue KernelLowering::extentOf(const Access &access, size_t axis) {
  ArrayRef<int64_t> shape = access.type().getShape();
  if (!ShapedType::isDynamic(shape[axis]))
    return ranges.constant(shape[axis]);
  size_t position = llvm::count(shape.take_front(axis), ShapedType::kDynamic);
  Value extent = getDynamicDims(access.view)[position];
  return ranges.narrow(ranged(extent), coordinatesOf(ShapedType::kDynamic));
}

void KernelLowering::lowerView(BufferViewOp op) {
  Value buffer = get(op.getSource());
  bool atStart = facts.exact(op.getOffset()) == 0;
  define(op, atStart ? buffer : emitter.addBytes(buffer, get(op.getOffset())));
}

/// A part begins at the address of its first element. It may be empty and lie at the end.
void KernelLowering::lowerSubview(ViewSubviewOp op) {
  Access access = {op.getView(), op.getIndices(), op.getStaticIndices(), op.getLinear()};
  RangedValue bytes =
      ranges.mul(linearIndex(access, /*mayBeAtEnd=*/true), ranges.constant(access.elementBytes()));
  bool atStart = bytes.interval.exact() == 0;
  Value base = get(op.getView());
  define(op, atStart ? base : emitter.addBytes(base, ranges.convert(bytes, 64)));
}

/// The row-major number of the element that the indices name.
RangedValue KernelLowering::linearIndex(const Access &access, bool mayBeAtEnd) {
  unsigned next = 0;
  auto insideOf = [&](int64_t extent) {
    Interval inside = coordinatesOf(extent);
    if (mayBeAtEnd && !ShapedType::isDynamic(extent))
      inside.high = extent;
    return inside;
  };
  auto coordinate = [&](int64_t index, Interval inside) {
    if (!ShapedType::isDynamic(index))
      return ranges.constant(index);
    return ranges.narrow(ranged(access.indices[next++]), inside);
  };
  if (access.linear) {
    std::optional<int64_t> total = access.total();
    return coordinate(access.staticIndices[0], insideOf(total ? *total : ShapedType::kDynamic));
  }
  RangedValue linear = ranges.constant(0);
  for (auto [i, index] : llvm::enumerate(access.staticIndices)) {
    if (i)
      linear = ranges.mul(linear, extentOf(access, i));
    linear = ranges.add(linear, coordinate(index, insideOf(access.type().getShape()[i])));
  }
  return linear;
}

Value KernelLowering::elementAddress(const Access &access, RangedValue linear) {
  std::optional<int64_t> total = access.total();
  linear = ranges.narrow(linear, coordinatesOf(total ? *total : ShapedType::kDynamic));
  RangedValue bytes = ranges.mul(linear, ranges.constant(access.elementBytes()));
  if (bytes.interval.exact() == 0)
    return get(access.view);
  return emitter.addBytes(get(access.view), ranges.convert(bytes, 64));
}

//===----------------------------------------------------------------------===//
// Elements and runs of elements
//===----------------------------------------------------------------------===//

/// Reads `lanes` consecutive elements as a vector, or one element as a scalar for 0. Each element
/// has the alignment of its view; an i1 takes a byte that is 0 or 1.
Value KernelLowering::loadElements(const Access &access, RangedValue linear, int64_t lanes) {
  Type element = access.element();
  bool isBool = element.isInteger(1);
  Type stored = isBool ? emitter.integer(8) : element;
  Type type = lanes ? emitter.vector(lanes, stored) : stored;
  Value value = emitter.load(type, elementAddress(access, linear), access.alignment());
  return isBool ? emitter.compare(IntPredicate::ne, value, emitter.constant(type, 0)) : value;
}

void KernelLowering::storeElements(const Access &access, RangedValue linear, Value value) {
  if (access.element().isInteger(1)) {
    auto vector = dyn_cast<mlir::VectorType>(value.getType());
    Type byte = emitter.integer(8);
    value = emitter.zeroExtend(value, vector ? Type(vector.clone(byte)) : byte);
  }
  emitter.store(value, elementAddress(access, linear), access.alignment());
}

/// Splits a vector access into runs of consecutive elements: `run` gets the element that a run
/// begins with in the view, the lane it begins with, and its length.
void KernelLowering::forEachRun(
    const Access &access, ArrayRef<int64_t> shape,
    llvm::function_ref<void(RangedValue linear, int64_t first, int64_t lanes)> run) {
  ArrayRef<int64_t> viewShape = access.type().getShape();
  size_t skipped = viewShape.size() - shape.size();
  // Axes from `inner` on form one run: all but the first of them span the whole view.
  size_t inner = shape.size() - 1;
  // With a layout, linearization left accesses of one run only.
  if (access.type().getLayout())
    inner = 0;
  while (inner > 0 && shape[inner] == viewShape[skipped + inner])
    --inner;
  int64_t lanes = ShapedType::getNumElements(shape.drop_front(inner));
  ArrayRef<int64_t> outer = shape.take_front(inner);
  RangedValue begin = linearIndex(access);
  int64_t runs = ShapedType::getNumElements(outer);
  for (int64_t number = 0; number < runs; ++number) {
    RangedValue distance = ranges.constant(0);
    int64_t rest = number, weight = runs;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      if (axis)
        distance = ranges.mul(distance, extentOf(access, skipped + axis));
      if (axis >= inner)
        continue;
      weight /= extent;
      distance = ranges.add(distance, ranges.constant(rest / weight));
      rest %= weight;
    }
    run(ranges.add(begin, distance), number * lanes, lanes);
  }
}

Value KernelLowering::loadVector(const Access &access, ArrayRef<int64_t> shape) {
  int64_t total = ShapedType::getNumElements(shape);
  Value whole;
  forEachRun(access, shape, [&](RangedValue linear, int64_t first, int64_t lanes) {
    Value part = loadElements(access, linear, lanes);
    if (lanes == total) {
      whole = part;
      return;
    }
    if (!whole)
      whole = emitter.undefined(emitter.vector(total, access.element()));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value element = emitter.extract(part, emitter.constant(emitter.integer(32), lane));
      whole = emitter.insert(whole, element, emitter.constant(emitter.integer(32), first + lane));
    }
  });
  return whole;
}

void KernelLowering::storeVector(const Access &access, ArrayRef<int64_t> shape, Value value) {
  int64_t total = ShapedType::getNumElements(shape);
  forEachRun(access, shape, [&](RangedValue linear, int64_t first, int64_t lanes) {
    Value part = value;
    if (lanes != total) {
      part = emitter.undefined(emitter.vector(lanes, access.element()));
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value source = emitter.constant(emitter.integer(32), first + lane);
        part = emitter.insert(part, emitter.extract(value, source),
                              emitter.constant(emitter.integer(32), lane));
      }
    }
    storeElements(access, linear, part);
  });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool KernelLowering::lowerMemory(Operation *op) {
  auto access = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), o.getLinear()};
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](BufferAssumeAlignmentOp o) {
        for (auto [input, result] : llvm::zip(o.getInputs(), o.getResults()))
          define(result, get(input));
        return true;
      })
      .Case([&](BufferAssumeNoaliasOp o) {
        for (auto [input, result] : llvm::zip(o.getInputs(), o.getResults()))
          define(result, get(input));
        return true;
      })
      .Case([&](BufferViewOp o) {
        lowerView(o);
        return true;
      })
      .Case<BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp>([&](auto o) {
        define(o, get(o.getInput()));
        return true;
      })
      .Case([&](ViewSubviewOp o) {
        lowerSubview(o);
        return true;
      })
      .Case([&](ViewRefineOp o) {
        define(o, get(o.getView()));
        return true;
      })
      // Layouts became part of the addresses.
      .Case<EncodingLayoutDenseOp, EncodingLayoutStridedOp, EncodingLayoutAssumeDenseOp,
            EncodingLayoutAssumeStridedOp>([](auto) { return true; })
      .Case([&](ViewLoadOp o) {
        Access a = access(o);
        define(o.getResult(), loadElements(a, linearIndex(a), 0));
        return true;
      })
      .Case([&](ViewStoreOp o) {
        Access a = access(o);
        storeElements(a, linearIndex(a), get(o.getValue()));
        return true;
      })
      .Case([&](VectorLoadOp o) {
        define(o.getResult(), loadVector(access(o), cast<VectorType>(o.getType()).getShape()));
        return true;
      })
      .Case([&](VectorStoreOp o) {
        storeVector(access(o), cast<VectorType>(o.getValue().getType()).getShape(),
                    get(o.getValue()));
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
