//===- LowerVectorShape.cpp - Elements of vectors and their order ---------===//
//
// In the scalar form an order of elements is one shuffle. In the lane form elements are registers,
// which a shuffle of all of them would hide: there they are taken apart and put together again.
//
//===----------------------------------------------------------------------===//
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Lowered vectors
//===----------------------------------------------------------------------===//

int64_t VectorLowering::count(Value vector) const {
  int64_t all = cast<mlir::VectorType>(vector.getType()).getNumElements();
  return kernel.inLanes ? all / kernel.laneCount() : all;
}

Type VectorLowering::vectorOf(int64_t count, Type element) const {
  return emitter.vector(kernel.inLanes ? count * kernel.laneCount() : count, element);
}

Value VectorLowering::element(Value vector, int64_t number) {
  if (!kernel.inLanes)
    return emitter.extract(vector, emitter.constant(emitter.integer(32), number));
  int64_t lanes = kernel.laneCount();
  if (count(vector) == 1)
    return vector;
  SmallVector<int32_t> order(lanes);
  std::iota(order.begin(), order.end(), number * lanes);
  return emitter.shuffle(vector, vector, order);
}

Value VectorLowering::fill(Value element, int64_t count) {
  auto vector = dyn_cast<mlir::VectorType>(element.getType());
  if (!vector)
    return emitter.splat(element, vectorOf(count, element.getType()));
  return kernel.concatenate(SmallVector<Value>(count, element));
}

/// Whether the order is of elements one behind the other.
static bool isRun(ArrayRef<int64_t> order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] < 0 || order[i] != order[0] + static_cast<int64_t>(i))
      return false;
  return true;
}

Value VectorLowering::take(Value vector, ArrayRef<int64_t> order) {
  int64_t size = order.size();
  if (isRun(order) && order[0] == 0 && size == count(vector))
    return vector;
  if (!kernel.inLanes)
    return emitter.shuffle(vector, vector, SmallVector<int32_t>(order.begin(), order.end()));
  int64_t lanes = kernel.laneCount();
  if (isRun(order)) {
    SmallVector<int32_t> run(size * lanes);
    std::iota(run.begin(), run.end(), order[0] * lanes);
    return emitter.shuffle(vector, vector, run);
  }
  Type one = vectorOf(1, cast<mlir::VectorType>(vector.getType()).getElementType());
  llvm::SmallDenseMap<int64_t, Value> taken;
  SmallVector<Value> parts;
  for (int64_t number : order) {
    Value &part = taken[number];
    if (!part)
      part = number < 0 ? emitter.undefined(one) : element(vector, number);
    parts.push_back(part);
  }
  return kernel.concatenate(parts);
}

Value VectorLowering::take(Value first, Value second, ArrayRef<int64_t> order) {
  int64_t before = count(first), behind = count(second), longer = std::max(before, behind);
  if (kernel.inLanes) {
    SmallVector<Value> parts;
    for (int64_t number : order)
      parts.push_back(number < before ? element(first, number) : element(second, number - before));
    return kernel.concatenate(parts);
  }
  // Both have to be of one type.
  auto padded = [&](Value vector, int64_t size) {
    SmallVector<int64_t> all(longer, -1);
    std::iota(all.begin(), all.begin() + size, 0);
    return size == longer ? vector : take(vector, all);
  };
  SmallVector<int32_t> numbers;
  for (int64_t number : order)
    numbers.push_back(number < before ? number : number - before + longer);
  return emitter.shuffle(padded(first, before), padded(second, behind), numbers);
}

Value VectorLowering::choose(Value condition, Value a, Value b) {
  int64_t size = count(a);
  if (!kernel.inLanes || size == 1)
    return emitter.select(condition, a, b);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(emitter.select(condition, element(a, i), element(b, i)));
  return kernel.concatenate(parts);
}

Value VectorLowering::counters(int64_t count, Type element) {
  Value numbers = emitter.iota(count, element);
  if (!kernel.inLanes)
    return numbers;
  SmallVector<int32_t> order;
  for (int64_t number = 0; number < count; ++number)
    order.append(kernel.laneCount(), number);
  return emitter.shuffle(numbers, numbers, order);
}

Value VectorLowering::operand(Value value) {
  if (isAddressType(value.getType()))
    return kernel.as(value, kernel.lowered(value.getType()));
  return kernel.get(value);
}

void VectorLowering::define(Value result, Value lowered) {
  if (isa<IndexType>(result.getType()))
    return kernel.define(result, RangedValue{lowered, Interval()});
  kernel.define(result, lowered);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

/// The row-major number of the element at `coordinates`.
static int64_t numberOf(ArrayRef<int64_t> coordinates, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [coordinate, extent] : llvm::zip(coordinates, shape))
    number = number * extent + coordinate;
  return number;
}

/// For each element of a vector of `shape` what `source` says of its coordinates.
static SmallVector<int64_t> orderOf(ArrayRef<int64_t> shape,
                                    llvm::function_ref<int64_t(ArrayRef<int64_t>)> source) {
  SmallVector<int64_t> order, coordinates(shape.size(), 0);
  for (int64_t number = 0, e = ShapedType::getNumElements(shape); number < e; ++number) {
    order.push_back(source(coordinates));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++coordinates[axis] < shape[axis])
        break;
      coordinates[axis] = 0;
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The index list of an access to a vector of `shape`.
SmallVector<VectorLowering::Position> VectorLowering::positions(OperandRange indices,
                                                                ArrayRef<int64_t> staticIndices,
                                                                ArrayRef<int64_t> shape) {
  SmallVector<Position> list;
  unsigned next = 0;
  for (auto [extent, number] : llvm::zip(shape, staticIndices)) {
    if (!ShapedType::isDynamic(number)) {
      list.push_back({number, {}});
      continue;
    }
    RangedValue value = kernel.ranges.narrow(kernel.ranged(indices[next++]), {0, extent - 1});
    std::optional<int64_t> exact = value.interval.exact();
    list.push_back({exact.value_or(0), exact ? RangedValue() : value});
  }
  return list;
}

/// The row-major number of a position in a vector of `shape`.
RangedValue VectorLowering::linearPosition(ArrayRef<Position> positions, ArrayRef<int64_t> shape) {
  RangeArithmetic &ranges = kernel.ranges;
  RangedValue number = ranges.constant(0);
  for (auto [position, extent] : llvm::zip(positions, shape)) {
    RangedValue coordinate =
        position.value.value ? position.value : ranges.constant(position.number);
    number = ranges.add(ranges.mul(number, ranges.constant(extent)), coordinate);
  }
  return number;
}

/// `extent` elements along `axis` from `offset` on: for each bit of the offset, the highest first,
/// the vector moves or stays, and what no offset can reach any more is dropped.
Value VectorLowering::shiftAxis(Value vector, SmallVectorImpl<int64_t> &shape, size_t axis,
                                RangedValue offset, int64_t extent) {
  int64_t furthest = shape[axis] - extent;
  for (unsigned bit = llvm::Log2_64_Ceil(furthest + 1); bit-- > 0;) {
    int64_t step = int64_t(1) << bit;
    SmallVector<int64_t> before(shape.begin(), shape.end());
    shape[axis] = std::min(shape[axis], extent + step - 1);
    Value near =
        take(vector, orderOf(shape, [&](ArrayRef<int64_t> at) { return numberOf(at, before); }));
    Value far = take(vector, orderOf(shape, [&](ArrayRef<int64_t> at) -> int64_t {
                       SmallVector<int64_t> source(at);
                       source[axis] += step;
                       return source[axis] < before[axis] ? numberOf(source, before) : -1;
                     }));
    Type type = offset.value.getType();
    Value isSet =
        emitter.compare(IntPredicate::ne,
                        emitter.binary(IntegerOp::And, offset.value, emitter.constant(type, step)),
                        emitter.constant(type, 0));
    vector = choose(isSet, far, near);
  }
  return vector;
}

/// The part of shape `box` that begins at `offsets`.
Value VectorLowering::boxOf(Value vector, ArrayRef<int64_t> shape, ArrayRef<Position> offsets,
                            ArrayRef<int64_t> box) {
  SmallVector<int64_t> kept(shape);
  for (auto [axis, offset] : llvm::enumerate(offsets))
    if (!offset.value.value)
      kept[axis] = box[axis];
  vector = take(vector, orderOf(kept, [&](ArrayRef<int64_t> at) {
                  SmallVector<int64_t> source(at);
                  for (auto [axis, offset] : llvm::enumerate(offsets))
                    source[axis] += offset.number;
                  return numberOf(source, shape);
                }));
  for (auto [axis, offset] : llvm::enumerate(offsets))
    if (offset.value.value)
      vector = shiftAxis(vector, kept, axis, offset.value, box[axis]);
  return vector;
}

void VectorLowering::lowerExtract(VectorExtractOp op) {
  Value vector = op.getVector();
  ArrayRef<int64_t> shape = shapeOf(vector);
  SmallVector<Position> at = positions(op.getIndices(), op.getStaticIndices(), shape);
  bool varies = llvm::any_of(at, [](const Position &p) { return bool(p.value.value); });
  bool isScalar = !isa<VectorType>(op.getType());
  // Nothing lies inside of it.
  if (isEmpty(vector))
    return define(op, emitter.undefined(kernel.lowered(op.getType())));
  if (varies && isScalar && !kernel.inLanes)
    return define(op, emitter.extract(operand(vector), linearPosition(at, shape).value));
  if (varies && isScalar && kernel.hasScalarForm(vector))
    return define(op, lookUp(kernel.scalarOf(vector), linearPosition(at, shape).value));
  SmallVector<int64_t> box(shape);
  for (size_t axis = 0; axis < at.size(); ++axis)
    box[axis] = 1;
  Value part = boxOf(operand(vector), shape, at, box);
  define(op, isScalar ? element(part, 0) : part);
}

void VectorLowering::lowerInsert(VectorInsertOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getVector());
  SmallVector<Position> at = positions(op.getIndices(), op.getStaticIndices(), shape);
  bool varies = llvm::any_of(at, [](const Position &p) { return bool(p.value.value); });
  Value vector = operand(op.getVector()), value = operand(op.getValue());
  bool isScalar = !isa<VectorType>(op.getValue().getType());
  RangedValue place = linearPosition(at, shape.take_front(at.size()));
  if (isScalar && !kernel.inLanes)
    return define(op, emitter.insert(vector, value, place.value));
  Value part = isScalar ? fill(value, 1) : value;
  int64_t size = count(part), total = count(vector);
  if (!varies) {
    int64_t first = numberOf(llvm::map_to_vector(at, [](const Position &p) { return p.number; }),
                             shape.take_front(at.size())) *
                    size;
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < total; ++i)
      order.push_back(i >= first && i < first + size ? total + i - first : i);
    return define(op, take(vector, part, order));
  }
  SmallVector<int64_t> repeated, places;
  for (int64_t i = 0; i < total; ++i) {
    repeated.push_back(i % size);
    places.push_back(i / size);
  }
  Value everywhere = take(part, repeated);
  if (!kernel.inLanes) {
    Type type = place.value.getType();
    Value here = emitter.compare(IntPredicate::eq, take(emitter.iota(total / size, type), places),
                                 place.value);
    return define(op, emitter.select(here, everywhere, vector));
  }
  SmallVector<Value> parts;
  Value here;
  for (int64_t i = 0; i < total; ++i) {
    if (i % size == 0)
      here = kernel.ranges.compare(IntPredicate::eq, place, kernel.ranges.constant(i / size));
    parts.push_back(emitter.select(here, element(everywhere, i), element(vector, i)));
  }
  define(op, kernel.concatenate(parts));
}

void VectorLowering::lowerSlice(VectorSliceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getVector());
  define(op, boxOf(operand(op.getVector()), shape,
                   positions(op.getIndices(), op.getStaticIndices(), shape), shapeOf(op)));
}

//===----------------------------------------------------------------------===//
// Other orders
//===----------------------------------------------------------------------===//

void VectorLowering::lowerConcat(VectorConcatOp op) {
  size_t axis = op.getAxis();
  Value whole;
  SmallVector<int64_t> shape;
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> added = shapeOf(input);
    if (added[axis] == 0)
      continue;
    if (!whole) {
      whole = operand(input);
      shape.assign(added.begin(), added.end());
      continue;
    }
    SmallVector<int64_t> before(shape);
    int64_t total = count(whole);
    shape[axis] += added[axis];
    whole = take(whole, operand(input), orderOf(shape, [&](ArrayRef<int64_t> at) {
                   if (at[axis] < before[axis])
                     return numberOf(at, before);
                   SmallVector<int64_t> source(at);
                   source[axis] -= before[axis];
                   return total + numberOf(source, added);
                 }));
  }
  define(op, whole);
}

void VectorLowering::lowerTranspose(VectorTransposeOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getVector()), permutation = op.getPermutation();
  define(op, take(operand(op.getVector()), orderOf(shapeOf(op), [&](ArrayRef<int64_t> at) {
                    SmallVector<int64_t> source(shape.size());
                    for (auto [axis, from] : llvm::enumerate(permutation))
                      source[from] = at[axis];
                    return numberOf(source, shape);
                  })));
}

void VectorLowering::lowerInterleave(VectorInterleaveOp op) {
  size_t axis = op.getAxis();
  ArrayRef<int64_t> half = shapeOf(op.getEven());
  Value even = operand(op.getEven()), odd = operand(op.getOdd());
  int64_t size = count(even);
  define(op, take(even, odd, orderOf(shapeOf(op), [&](ArrayRef<int64_t> at) {
                    SmallVector<int64_t> source(at);
                    source[axis] /= 2;
                    return (at[axis] % 2 ? size : 0) + numberOf(source, half);
                  })));
}

void VectorLowering::lowerDeinterleave(VectorDeinterleaveOp op) {
  size_t axis = op.getAxis();
  ArrayRef<int64_t> whole = shapeOf(op.getVector());
  Value vector = operand(op.getVector());
  for (auto [parity, result] : llvm::enumerate(op.getResults()))
    define(result, take(vector, orderOf(shapeOf(result), [&](ArrayRef<int64_t> at) {
                          SmallVector<int64_t> source(at);
                          source[axis] = 2 * source[axis] + parity;
                          return numberOf(source, whole);
                        })));
}

/// The axes of the operand are the last ones of the result.
void VectorLowering::lowerBroadcast(VectorBroadcastOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getVector());
  define(op, take(operand(op.getVector()), orderOf(shapeOf(op), [&](ArrayRef<int64_t> at) {
                    SmallVector<int64_t> source(at.take_back(from.size()));
                    for (auto [coordinate, extent] : llvm::zip(source, from))
                      coordinate = extent == 1 ? 0 : coordinate;
                    return numberOf(source, from);
                  })));
}

bool VectorLowering::lowerShape(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorExtractOp o) { return lowerExtract(o), true; })
      .Case([&](VectorInsertOp o) { return lowerInsert(o), true; })
      .Case([&](VectorSliceOp o) { return lowerSlice(o), true; })
      .Case([&](VectorConcatOp o) { return lowerConcat(o), true; })
      .Case([&](VectorTransposeOp o) { return lowerTranspose(o), true; })
      .Case([&](VectorShuffleOp o) {
        return define(o, take(operand(o.getVector()), o.getLanes())), true;
      })
      .Case([&](VectorInterleaveOp o) { return lowerInterleave(o), true; })
      .Case([&](VectorDeinterleaveOp o) { return lowerDeinterleave(o), true; })
      .Case([&](VectorBroadcastOp o) { return lowerBroadcast(o), true; })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
