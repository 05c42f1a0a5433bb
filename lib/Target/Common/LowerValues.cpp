//===- LowerValues.cpp - Values and their forms ---------------------------===//
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LaneShape KernelLowering::shapeOf(Value value) const {
  if (laneCount() == 1)
    return {};
  LaneShape shape = plan.uniformity->shape(value);
  if (shape.distribution == Distribution::Affine && !isAddressType(value.getType()))
    return {Distribution::Varying, 0};
  return shape;
}

Type KernelLowering::scalarType(Type type) {
  if (isAddressType(type))
    return emitter.integer(64);
  if (isa<BufferType, ViewType>(type))
    return emitter.pointer(target.bufferSpace());
  if (isa<FloatType>(type) && floats.isCarriedAsBits(type))
    return emitter.integer(type.getIntOrFloatBitWidth());
  // Nothing at run time.
  if (isa<AsyncTokenType, AsyncGroupType>(type))
    return emitter.integer(8);
  if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t elements = ShapedType::getNumElements(vector.getShape());
    return elements ? emitter.vector(elements, scalarType(vector.getElementType()))
                    : emitter.integer(8);
  }
  return type;
}

Type KernelLowering::spread(Type type) {
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    return emitter.vector(vector.getNumElements() * laneCount(), vector.getElementType());
  return emitter.vector(laneCount(), type);
}

Type KernelLowering::laneType(Type type) {
  // Of an address the distance or the whole, as an integer.
  return spread(isa<BufferType, ViewType>(type) ? emitter.integer(64) : scalarType(type));
}

Type KernelLowering::carrier(Value value) {
  bool isScalar = hasScalarForm(value);
  FormScope form(*this, !isScalar);
  if (isa<IndexType>(value.getType()) && known(value).fits32())
    return isScalar ? emitter.integer(32) : spread(emitter.integer(32));
  return lowered(value.getType());
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Value KernelLowering::scalarOf(Value value) {
  Lowered lowered = values.lookup(value);
  if (lowered.scalar)
    return lowered.scalar;
  assert(lowered.lanes && "the value has been lowered");
  // All active lanes agree.
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    count = ShapedType::getNumElements(vector.getShape());
  SmallVector<Value> parts;
  Value lane = firstActive(mask);
  {
    FormScope form(*this, true);
    for (Value part : elements(lowered.lanes, count))
      parts.push_back(emitter.extract(part, lane));
  }
  FormScope form(*this, false);
  return fromElements(parts, value.getType());
}

Value KernelLowering::spread(Value scalar, Type type) {
  int64_t lanes = laneCount();
  if (!isa<VectorType>(type))
    return emitter.splat(scalar, emitter.vector(lanes, scalar.getType()));
  SmallVector<int32_t> pattern;
  for (int64_t element = 0, e = cast<mlir::VectorType>(scalar.getType()).getNumElements();
       element < e; ++element)
    pattern.append(lanes, element);
  return emitter.shuffle(scalar, scalar, pattern);
}

Value KernelLowering::lanesOf(Value value) {
  Lowered lowered = values.lookup(value);
  if (lowered.lanes)
    return lowered.lanes;
  assert(lowered.scalar && "the value has been lowered");
  Value all = spread(lowered.scalar, value.getType());
  if (!lowered.stride)
    return all;
  Type element = lowered.scalar.getType();
  Value distance = emitter.binary(IntegerOp::Mul, emitter.iota(laneCount(), element),
                                  emitter.constant(element, lowered.stride));
  return emitter.binary(IntegerOp::Add, all, distance);
}

void KernelLowering::define(Value value, Value lowered) {
  if (!inLanes) {
    values[value] = {lowered, Value(), shapeOf(value).stride};
    return;
  }
  int64_t elements = 1;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    elements = ShapedType::getNumElements(vector.getShape());
  auto vector = dyn_cast<mlir::VectorType>(lowered.getType());
  bool isSpread = vector && vector.getNumElements() == elements * laneCount();
  values[value] = {Value(), isSpread ? lowered : spread(lowered, value.getType()), 0};
}

void KernelLowering::define(Value value, RangedValue lowered) {
  define(value, ranges.narrow(lowered, known(value)).value);
}

Interval KernelLowering::known(Value value) const {
  Interval interval;
  if (std::optional<int64_t> exact = facts.exact(value))
    interval = {*exact, *exact};
  else if (std::optional<ConstantIntRanges> range = facts.range(value))
    interval = {range->smin().getSExtValue(), range->smax().getSExtValue()};
  if (interval.low > interval.high)
    return Interval();
  // Lane 0 need not be active; it is this far from any lane that is.
  return inLanes ? interval : widened(interval, shapeOf(value).stride);
}

/// The values of lane 0 when those of the active lanes are in `interval`.
Interval KernelLowering::widened(Interval interval, int64_t stride) const {
  if (!stride)
    return interval;
  int64_t reach, low, high;
  if (llvm::MulOverflow(stride, laneCount() - 1, reach) ||
      llvm::SubOverflow(interval.low, std::max<int64_t>(reach, 0), low) ||
      llvm::SubOverflow(interval.high, std::min<int64_t>(reach, 0), high))
    return Interval();
  return {low, high};
}

RangedValue KernelLowering::ranged(Value value) {
  Value mapped = get(value);
  unsigned bits = getElementTypeOrSelf(mapped.getType()).getIntOrFloatBitWidth();
  return {mapped, Interval::ofBits(bits).intersect(known(value))};
}

Value KernelLowering::as(Value value, Type type) {
  Value mapped = get(value);
  if (mapped.getType() == type)
    return mapped;
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value converted = ranges.convert(ranged(value), bits);
  // A value that is known exactly became a scalar.
  return converted.getType() == type ? converted : emitter.splat(converted, type);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::elements(Value lowered, int64_t count) {
  SmallVector<Value> parts;
  for (int64_t element = 0; element < count; ++element) {
    if (!inLanes) {
      parts.push_back(emitter.extract(lowered, emitter.constant(emitter.integer(32), element)));
      continue;
    }
    SmallVector<int32_t> lanes;
    for (int64_t lane = 0; lane < laneCount(); ++lane)
      lanes.push_back(element * laneCount() + lane);
    parts.push_back(count == 1 ? lowered : emitter.shuffle(lowered, lowered, lanes));
  }
  return parts;
}

SmallVector<Value> KernelLowering::elements(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return {get(value)};
  return elements(get(value), ShapedType::getNumElements(vector.getShape()));
}

/// One vector after the other.
Value KernelLowering::concatenate(ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  Value first = concatenate(parts.take_front((parts.size() + 1) / 2));
  Value second = concatenate(parts.drop_front((parts.size() + 1) / 2));
  int64_t longer = cast<mlir::VectorType>(first.getType()).getNumElements();
  int64_t shorter = cast<mlir::VectorType>(second.getType()).getNumElements();
  if (shorter < longer) {
    SmallVector<int32_t> padded(longer, -1);
    std::iota(padded.begin(), padded.begin() + shorter, 0);
    second = emitter.shuffle(second, second, padded);
  }
  SmallVector<int32_t> all(longer + shorter);
  std::iota(all.begin(), all.end(), 0);
  return emitter.shuffle(first, second, all);
}

Value KernelLowering::fromElements(ArrayRef<Value> elements, Type type) {
  if (!isa<VectorType>(type))
    return elements.front();
  if (inLanes) {
    SmallVector<Value> parts;
    for (Value element : elements)
      parts.push_back(isa<mlir::VectorType>(element.getType())
                          ? element
                          : emitter.splat(element, spread(element.getType())));
    return concatenate(parts);
  }
  Value vector = emitter.undefined(emitter.vector(elements.size(), elements.front().getType()));
  for (auto [position, element] : llvm::enumerate(elements))
    vector = emitter.insert(vector, element, emitter.constant(emitter.integer(32), position));
  return vector;
}

//===----------------------------------------------------------------------===//
// Through control flow
//===----------------------------------------------------------------------===//

Type KernelLowering::passedType(Value target) {
  if (isa<BufferType, ViewType>(target.getType()))
    return hasScalarForm(target) ? scalarType(target.getType()) : laneType(target.getType());
  return carrier(target);
}

Value KernelLowering::passed(Value source, Value target, bool forLanes) {
  bool lanes = forLanes || !hasScalarForm(target);
  FormScope form(*this, lanes);
  if (isEmpty(target))
    return emitter.constant(lowered(target.getType()), 0);
  if (isa<BufferType, ViewType>(target.getType()))
    return lanes ? wholeAddresses(addressOf(source)) : scalarOf(source);
  Type type = passedType(target);
  return as(source, lanes && hasScalarForm(target) ? spread(type) : type);
}

void KernelLowering::receive(Value target, Value lowered) {
  if (isEmpty(target))
    return;
  if (hasScalarForm(target))
    values[target] = {lowered, Value(), shapeOf(target).stride};
  else
    values[target] = {Value(), lowered, 0};
}

} // namespace loom::lowering
