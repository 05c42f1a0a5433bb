//===- LowerMemory.cpp - Lowering of buffers and views --------------------===//
//
// An access lies inside its view: each coordinate inside its extent. That is the author's contract,
// and it bounds the arithmetic of addresses where facts alone do not.
//
// In the lane form an access has one address per lane. Where they are affine, consecutive elements
// become one vector, and no address is computed for each lane.
//
//===----------------------------------------------------------------------===//
#include "LowerItems.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/IR/Encodings.h"

using namespace mlir;

namespace loom::lowering {

/// The coordinates of a dimension: [0, extent - 1].
static Interval coordinatesOf(int64_t extent) {
  Interval interval = {0, Interval().high};
  if (!ShapedType::isDynamic(extent) && extent > 0)
    interval.high = extent - 1;
  return interval;
}

SmallVector<OpFoldResult> KernelLowering::Access::strides() const {
  if (linear || !getTypeLayout(view.getType()))
    return {};
  LayoutInfo layout = getViewLayout(view);
  return layout.kind == LayoutInfo::Strided ? layout.strides : SmallVector<OpFoldResult>();
}

OpFoldResult KernelLowering::Access::gap() const {
  SmallVector<OpFoldResult> all = strides();
  if (all.empty())
    return {};
  auto number = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(all.back()));
  return number && number.getInt() == 1 ? OpFoldResult() : all.back();
}

std::optional<int64_t> KernelLowering::numberOf(OpFoldResult stride) const {
  if (auto number = dyn_cast<Attribute>(stride))
    return cast<IntegerAttr>(number).getInt();
  return facts.exact(cast<Value>(stride));
}

/// The axes of a vector from which on its elements lie side by side.
size_t KernelLowering::firstDenseAxis(ArrayRef<int64_t> shape,
                                      ArrayRef<OpFoldResult> strides) const {
  int64_t expected = 1;
  size_t inner = shape.size();
  for (; inner > 0; expected *= shape[--inner])
    if (shape[inner - 1] != 1 && numberOf(strides[inner - 1]) != expected)
      break;
  return inner;
}

//===----------------------------------------------------------------------===//
// Element numbers
//===----------------------------------------------------------------------===//

/// The extent of dimension `axis` of the view.
RangedValue KernelLowering::extentOf(const Access &access, size_t axis) {
  ArrayRef<int64_t> shape = access.type().getShape();
  if (!ShapedType::isDynamic(shape[axis]))
    return ranges.constant(shape[axis]);
  return ranges.narrow(ranged(access.dynamicExtent(axis)), coordinatesOf(ShapedType::kDynamic));
}

RangedValue KernelLowering::strideOf(OpFoldResult stride) {
  if (std::optional<int64_t> number = numberOf(stride))
    return ranges.constant(*number);
  return ranged(cast<Value>(stride));
}

RangedValue KernelLowering::acrossGaps(const Access &access, RangedValue elements) {
  OpFoldResult gap = access.gap();
  return gap ? ranges.mul(elements, strideOf(gap)) : elements;
}

bool KernelLowering::hasUniformGaps(const Access &access) const {
  OpFoldResult gap = access.gap();
  return !gap || numberOf(gap) || isUniform(cast<Value>(gap));
}

/// How far apart the elements of two lanes are, when that is a number and the rest of the element
/// number the same for all lanes.
std::optional<int64_t> KernelLowering::elementStride(const Access &access) const {
  int64_t stride = 0, weight = 1;
  bool weightIsKnown = true;
  unsigned next = access.indices.size();
  ArrayRef<int64_t> shape = access.type().getShape();
  SmallVector<OpFoldResult> strides = access.strides();
  for (size_t axis = access.staticIndices.size(); axis-- > 0;) {
    if (!strides.empty()) {
      std::optional<int64_t> number = numberOf(strides[axis]);
      weightIsKnown = number.has_value();
      weight = number.value_or(0);
      if (!number && !isUniform(cast<Value>(strides[axis])))
        return std::nullopt;
    }
    if (ShapedType::isDynamic(access.staticIndices[axis])) {
      Value index = access.indices[--next];
      if (!hasScalarForm(index))
        return std::nullopt;
      int64_t step, own = shapeOf(index).stride;
      if (own && (!weightIsKnown || llvm::MulOverflow(own, weight, step) ||
                  llvm::AddOverflow(stride, step, stride)))
        return std::nullopt;
    }
    if (access.linear || axis == 0 || !strides.empty())
      continue;
    if (!ShapedType::isDynamic(shape[axis]))
      weightIsKnown &= !llvm::MulOverflow(weight, shape[axis], weight);
    else if (hasScalarForm(access.dynamicExtent(axis)) &&
             !shapeOf(access.dynamicExtent(axis)).stride)
      weightIsKnown = false;
    else
      return std::nullopt;
  }
  return stride;
}

/// The row-major number of the element that the indices name, in the present form.
RangedValue KernelLowering::linearIndexInForm(const Access &access, bool mayBeAtEnd) {
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
    Value value = access.indices[next++];
    if (access.mayLieOutside)
      return ranged(value);
    if (!inLanes)
      inside = widened(inside, shapeOf(value).stride);
    return ranges.narrow(ranged(value), inside);
  };
  if (access.linear) {
    std::optional<int64_t> total = access.total();
    return coordinate(access.staticIndices[0], insideOf(total ? *total : ShapedType::kDynamic));
  }
  RangedValue linear = ranges.constant(0);
  SmallVector<OpFoldResult> strides = access.strides();
  for (auto [i, index] : llvm::enumerate(access.staticIndices)) {
    if (!strides.empty()) {
      RangedValue position = coordinate(index, insideOf(access.type().getShape()[i]));
      linear = ranges.add(linear, ranges.mul(position, strideOf(strides[i])));
      continue;
    }
    if (i)
      linear = ranges.mul(linear, extentOf(access, i));
    linear = ranges.add(linear, coordinate(index, insideOf(access.type().getShape()[i])));
  }
  return linear;
}

KernelLowering::Linear KernelLowering::linearIndex(const Access &access, bool mayBeAtEnd) {
  std::optional<int64_t> stride = elementStride(access);
  Linear linear;
  linear.inLanes = !stride;
  linear.stride = stride.value_or(0);
  FormScope form(*this, linear.inLanes);
  linear.value = linearIndexInForm(access, mayBeAtEnd);
  return linear;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

KernelLowering::Address KernelLowering::addressOf(Value view) const {
  Lowered lowered = values.lookup(view);
  return {lowered.scalar, lowered.lanes, lowered.stride, checksAccesses()};
}

void KernelLowering::defineAddress(Value view, const Address &address) {
  values[view] = {address.base, address.lanes, address.stride};
}

Value KernelLowering::distances(const Address &address) {
  Type wide = emitter.integer(64);
  if (address.lanes)
    return address.lanes;
  return emitter.binary(IntegerOp::Mul, emitter.iota(laneCount(), wide),
                        emitter.constant(wide, address.stride));
}

Value KernelLowering::wholeAddresses(const Address &address) {
  if (!address.base)
    return address.lanes;
  Value base = emitter.cast(CastOp::PtrToInt, address.base, emitter.integer(64));
  return emitter.binary(IntegerOp::Add, base, distances(address));
}

Value KernelLowering::pointersOf(const Address &address) {
  Type pointer = emitter.pointer(target.bufferSpace());
  if (!address.base)
    return emitter.cast(CastOp::IntToPtr, address.lanes, pointer);
  return emitter.addBytes(address.base, distances(address), /*inObject=*/false);
}

KernelLowering::Address KernelLowering::movedBy(Address address, int64_t bytes) {
  if (!bytes)
    return address;
  Value distance = emitter.constant(emitter.integer(64), bytes);
  if (address.base)
    address.base = emitter.addBytes(address.base, distance, address.isInObject());
  else
    address.lanes = emitter.binary(IntegerOp::Add, address.lanes, distance);
  return address;
}

KernelLowering::Address KernelLowering::moved(Address address, Linear linear,
                                              unsigned elementBytes) {
  RangedValue bytes = ranges.mul(linear.value, ranges.constant(elementBytes));
  if (linear.inLanes) {
    Value lanes = ranges.convert(bytes, 64);
    if (address.lanes || address.stride)
      lanes = emitter.binary(IntegerOp::Add, distances(address), lanes);
    else if (!isa<mlir::VectorType>(lanes.getType()))
      lanes = emitter.splat(lanes, spread(emitter.integer(64)));
    return {address.base, lanes, 0};
  }
  if (bytes.interval.exact() != 0) {
    bool isInObject = address.isInObject() && !linear.stride;
    Value distance = ranges.convert(bytes, 64);
    if (address.base)
      address.base = emitter.addBytes(address.base, distance, isInObject);
    else
      address.lanes = emitter.binary(IntegerOp::Add, address.lanes, distance);
  }
  int64_t stride = linear.stride * elementBytes;
  if (!stride)
    return address;
  if (address.lanes)
    address.lanes =
        emitter.binary(IntegerOp::Add, address.lanes, distances({Value(), Value(), stride}));
  else
    address.stride += stride;
  return address;
}

KernelLowering::Address KernelLowering::elementAddress(const Access &access, Linear linear) {
  std::optional<int64_t> total = access.total();
  FormScope form(*this, linear.inLanes);
  Interval inside = coordinatesOf(total ? *total : ShapedType::kDynamic);
  if (!inLanes)
    inside = widened(inside, linear.stride);
  if (!access.mayLieOutside)
    linear.value = ranges.narrow(linear.value, inside);
  Address address = addressOf(access.view);
  address.mayLieOutside |= access.mayLieOutside;
  return moved(address, linear, access.elementBytes());
}

Value KernelLowering::scratch(unsigned number, int64_t bytes) {
  unsigned size = llvm::Log2_64_Ceil(bytes);
  KernelDefOp kernelOp = plan.kernel;
  Value &storage = storages[{kernelOp, number * 64 + size}];
  if (!storage)
    storage = emitter.frameStorage(int64_t(1) << size, 64);
  return storage;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The order of the lanes from the last to the first.
static SmallVector<int32_t> backwards(int64_t lanes) {
  SmallVector<int32_t> order;
  for (int64_t lane = lanes; lane-- > 0;)
    order.push_back(lane);
  return order;
}

/// One element of type `stored` per lane, from an address that is not uniform.
Value KernelLowering::loadLanes(const Address &address, Type stored, unsigned alignment) {
  int64_t lanes = laneCount(), bytes = stored.getIntOrFloatBitWidth() / 8;
  Type type = spread(stored);
  if (!address.lanes && std::abs(address.stride) == bytes) {
    bool isBackwards = address.stride < 0;
    Address first = isBackwards ? movedBy(address, address.stride * (lanes - 1)) : address;
    SmallVector<int32_t> order = backwards(lanes);
    Value value;
    if (mask && !isOwnMemory(first.base)) {
      Value ordered = isBackwards ? emitter.shuffle(mask, mask, order) : mask;
      value = emitter.maskedLoad(first.base, ordered, emitter.undefined(type), alignment);
    } else {
      value = emitter.load(type, first.base, alignment);
    }
    return isBackwards ? emitter.shuffle(value, value, order) : value;
  }
  if (mask)
    return emitter.gather(pointersOf(address), mask, emitter.undefined(type), alignment);
  Value pointers = address.lanes ? pointersOf(address) : Value();
  Value value = emitter.undefined(type);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value number = emitter.constant(emitter.integer(32), lane);
    Value pointer =
        pointers ? emitter.extract(pointers, number) : movedBy(address, address.stride * lane).base;
    value = emitter.insert(value, emitter.load(stored, pointer, alignment), number);
  }
  return value;
}

/// One element per lane, to an address that is not uniform.
void KernelLowering::storeLanes(const Address &address, Value value, unsigned alignment) {
  int64_t lanes = laneCount();
  Type stored = cast<mlir::VectorType>(value.getType()).getElementType();
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  if (!address.lanes && std::abs(address.stride) == bytes) {
    bool isBackwards = address.stride < 0;
    Address first = isBackwards ? movedBy(address, address.stride * (lanes - 1)) : address;
    SmallVector<int32_t> order = backwards(lanes);
    if (isBackwards)
      value = emitter.shuffle(value, value, order);
    if (!mask)
      return emitter.store(value, first.base, alignment);
    Value ordered = isBackwards ? emitter.shuffle(mask, mask, order) : mask;
    if (isOwnMemory(first.base))
      return emitter.blendStore(value, first.base, ordered, alignment);
    return emitter.maskedStore(value, first.base, ordered, alignment);
  }
  Value pointers = address.lanes ? pointersOf(address) : Value();
  if (mask)
    return emitter.scatter(value, pointers ? pointers : pointersOf(address), mask, alignment);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value number = emitter.constant(emitter.integer(32), lane);
    Value pointer =
        pointers ? emitter.extract(pointers, number) : movedBy(address, address.stride * lane).base;
    emitter.store(emitter.extract(value, number), pointer, alignment);
  }
}

/// The numbers of elements that lie lane after lane, in the order of the lane form.
static SmallVector<int32_t> byElement(int64_t count, int64_t lanes) {
  SmallVector<int32_t> order;
  for (int64_t element = 0; element < count; ++element)
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back(lane * count + element);
  return order;
}

static SmallVector<int32_t> byLane(int64_t count, int64_t lanes) {
  SmallVector<int32_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t element = 0; element < count; ++element)
      order.push_back(element * lanes + lane);
  return order;
}

/// More elements than this are moved one by one: a shuffle of so many is slow to compile.
constexpr int64_t kMostShuffled = 256;

/// Whether the elements of one lane, so many in so many bytes, are moved as one integer: a masked
/// access to it is one instruction, or one for each lane.
static bool movesAsOne(int64_t number, int64_t bytes, int64_t lanes) {
  return number > 1 && bytes <= 8 && llvm::isPowerOf2_64(bytes) && number * lanes <= kMostShuffled;
}

Value KernelLowering::loadAt(const Address &address, Type element, int64_t count,
                             unsigned alignment) {
  bool isBool = element.isInteger(1);
  Type stored = isBool ? emitter.integer(8) : scalarType(element);
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8, lanes = laneCount();
  int64_t number = std::max<int64_t>(count, 1);
  Value value;
  if (address.isUniform()) {
    value = emitter.load(count ? emitter.vector(count, stored) : stored, address.base, alignment);
  } else if (number > 1 && !mask && number * lanes <= kMostShuffled) {
    Type part = emitter.vector(number, stored);
    if (!address.lanes && address.stride == bytes * number) {
      value = emitter.load(emitter.vector(number * lanes, stored), address.base, alignment);
    } else {
      Value pointers = address.lanes ? pointersOf(address) : Value();
      SmallVector<Value> parts;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value pointer = pointers
                            ? emitter.extract(pointers, emitter.constant(emitter.integer(32), lane))
                            : movedBy(address, address.stride * lane).base;
        parts.push_back(emitter.load(part, pointer, alignment));
      }
      value = concatenate(parts);
    }
    value = emitter.shuffle(value, value, byElement(number, lanes));
  } else if (movesAsOne(number, number * bytes, lanes)) {
    Value whole = loadLanes(address, emitter.integer(number * bytes * 8), alignment);
    value = emitter.reinterpret(whole, emitter.vector(number * lanes, stored));
    value = emitter.shuffle(value, value, byElement(number, lanes));
  } else {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < number; ++i)
      parts.push_back(loadLanes(movedBy(address, i * bytes), stored, alignment));
    value = concatenate(parts);
  }
  return isBool ? emitter.compare(IntPredicate::ne, value, emitter.constant(value.getType(), 0))
                : value;
}

/// Stores a lowered value of `count` elements (0 for a scalar) in the lane form, or in the scalar
/// form to a uniform address.
void KernelLowering::storeAt(const Address &address, Value value, int64_t count,
                             unsigned alignment) {
  auto vector = dyn_cast<mlir::VectorType>(value.getType());
  Type element = vector ? vector.getElementType() : value.getType();
  if (element.isInteger(1)) {
    element = emitter.integer(8);
    value = emitter.zeroExtend(value, element);
  }
  if (address.isUniform())
    return emitter.store(value, address.base, alignment);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8, lanes = laneCount();
  int64_t number = std::max<int64_t>(count, 1);
  if (number > 1 && !mask && number * lanes <= kMostShuffled && !address.lanes &&
      address.stride == bytes * number)
    return emitter.store(emitter.shuffle(value, value, byLane(number, lanes)), address.base,
                         alignment);
  if (movesAsOne(number, number * bytes, lanes)) {
    Type whole = emitter.vector(lanes, emitter.integer(number * bytes * 8));
    Value ordered = emitter.shuffle(value, value, byLane(number, lanes));
    return storeLanes(address, emitter.reinterpret(ordered, whole), alignment);
  }
  FormScope form(*this, true);
  for (auto [i, part] : llvm::enumerate(elements(value, number)))
    storeLanes(movedBy(address, i * bytes), part, alignment);
}

//===----------------------------------------------------------------------===//
// Runs of elements
//===----------------------------------------------------------------------===//

size_t KernelLowering::firstRunAxis(const Access &access, ArrayRef<int64_t> shape) const {
  ArrayRef<int64_t> viewShape = access.type().getShape();
  size_t skipped = viewShape.size() - shape.size();
  SmallVector<OpFoldResult> strides = access.strides();
  if (!strides.empty())
    return firstDenseAxis(shape, ArrayRef(strides).drop_front(skipped));
  // Of views with strides, only accesses of one run have a linear index.
  if (access.linear && getViewLayout(access.view).kind == LayoutInfo::Strided)
    return 0;
  // All but the first axis of a run span the whole view.
  size_t inner = shape.size() - 1;
  while (inner > 0 && shape[inner] == viewShape[skipped + inner])
    --inner;
  return inner;
}

/// Splits a vector access into runs of consecutive elements: `run` gets the element that a run
/// begins with in the view, the element of the vector, and its length.
void KernelLowering::forEachRun(
    const Access &access, ArrayRef<int64_t> shape,
    llvm::function_ref<void(Linear linear, int64_t first, int64_t count)> run) {
  ArrayRef<int64_t> viewShape = access.type().getShape();
  size_t skipped = viewShape.size() - shape.size(), inner = firstRunAxis(access, shape);
  SmallVector<OpFoldResult> strides = access.strides();
  int64_t count = ShapedType::getNumElements(shape.drop_front(inner));
  ArrayRef<int64_t> outer = shape.take_front(inner);
  Linear begin = linearIndex(access);
  FormScope form(*this, begin.inLanes);
  int64_t runs = ShapedType::getNumElements(outer);
  for (int64_t number = 0; number < runs; ++number) {
    RangedValue distance = ranges.constant(0);
    int64_t rest = number, weight = runs;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      if (axis && strides.empty())
        distance = ranges.mul(distance, extentOf(access, skipped + axis));
      if (axis >= inner)
        continue;
      weight /= extent;
      RangedValue step = ranges.constant(rest / weight);
      if (!strides.empty())
        step = ranges.mul(step, strideOf(strides[skipped + axis]));
      distance = ranges.add(distance, step);
      rest %= weight;
    }
    Linear linear = begin;
    linear.value = ranges.add(begin.value, distance);
    run(linear, number * count, count);
  }
}

void KernelLowering::defineLoaded(Value result, SmallVector<Value> parts, bool partsAreLanes) {
  bool wantsLanes = !hasScalarForm(result);
  FormScope form(*this, partsAreLanes);
  Value value = parts.size() == 1 ? parts.front() : concatenate(parts);
  if (partsAreLanes == wantsLanes || !partsAreLanes) {
    FormScope wanted(*this, wantsLanes);
    return define(result, value);
  }
  // All active lanes read the same.
  values[result] = {Value(), value, 0};
  values[result] = {scalarOf(result), Value(), 0};
}

std::optional<int64_t> KernelLowering::laneDistance(const Access &access) const {
  Address address = addressOf(access.view);
  std::optional<int64_t> stride = elementStride(access);
  int64_t distance;
  if (address.lanes || !stride ||
      llvm::MulOverflow<int64_t>(*stride, access.elementBytes(), distance) ||
      llvm::AddOverflow(distance, address.stride, distance))
    return std::nullopt;
  return distance;
}

int64_t KernelLowering::piecesPerElement(const Access &access, bool isMasked) const {
  std::optional<int64_t> distance = laneDistance(access);
  // AVX2 masks elements of 32 and 64 bits (Intel SDM 2, VPMASKMOV); blends are for any.
  int64_t bytes = access.elementBytes();
  bool isContiguous = distance && std::abs(*distance) == bytes;
  if (distance == 0 || (isContiguous && (!isMasked || bytes >= 4)))
    return 0;
  return isContiguous && isOwnMemory(addressOf(access.view).base) ? 0 : laneCount();
}

bool KernelLowering::takesTurns(int64_t pieces, bool isMasked) {
  // LLVM makes a block of each that is masked, and takes time that grows with the square of their
  // number. Chosen by measuring that.
  constexpr int64_t kMost = 127, kMostMasked = 64, kMostChecked = 16, kMostOfKernel = 1024;
  if (laneCount() == 1 || !pieces)
    return false;
  if (!isMasked)
    return pieces > kMost;
  if (pieces > (checksAccesses() ? kMostChecked : kMostMasked) ||
      maskedPieces + pieces > kMostOfKernel)
    return true;
  maskedPieces += pieces;
  return false;
}

bool KernelLowering::takesTurns(const Access &access, ArrayRef<int64_t> shape) {
  int64_t total = ShapedType::getNumElements(shape), bytes = access.elementBytes();
  std::optional<int64_t> distance = laneDistance(access);
  if (laneCount() == 1 || total == 0 || distance == 0)
    return false;
  int64_t count = shape.empty() ? 1 : total;
  if (!shape.empty())
    count = ShapedType::getNumElements(shape.drop_front(firstRunAxis(access, shape)));
  int64_t perRun = count * piecesPerElement(access, mask != nullptr);
  if (!mask && count > 1 && count * laneCount() <= kMostShuffled)
    perRun = distance == bytes * count ? 0 : laneCount();
  else if (movesAsOne(count, count * bytes, laneCount()))
    perRun = laneCount();
  return takesTurns(total / count * perRun, mask != nullptr);
}

void KernelLowering::lowerLoad(Value result, const Access &access, ArrayRef<int64_t> shape) {
  if (takesTurns(access, shape))
    return Elements(*this, access, shape).load(result);
  SmallVector<Value> parts;
  bool inLaneForm = false;
  auto loadRun = [&](Linear linear, int64_t, int64_t count) {
    Address address = elementAddress(access, linear);
    inLaneForm = !address.isUniform();
    parts.push_back(loadAt(address, access.element(), count, access.alignment()));
  };
  if (isa<VectorType>(result.getType()))
    forEachRun(access, shape, loadRun);
  else
    loadRun(linearIndex(access), 0, 0);
  defineLoaded(result, std::move(parts), inLaneForm);
}

/// What every lane stores to one address: the last active lane's stays.
Value KernelLowering::lastStored(Value value) {
  Lowered lowered = values.lookup(value);
  if (!lowered.lanes && !lowered.stride)
    return lowered.scalar;
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    count = ShapedType::getNumElements(vector.getShape());
  FormScope form(*this, true);
  SmallVector<Value> chosen;
  Value lane = lastActive(mask);
  for (Value part : elements(lanesOf(value), count))
    chosen.push_back(emitter.extract(part, lane));
  FormScope scalar(*this, false);
  return fromElements(chosen, value.getType());
}

void KernelLowering::lowerStore(Value value, const Access &access, ArrayRef<int64_t> shape) {
  if (takesTurns(access, shape))
    return Elements(*this, access, shape).store(value);
  int64_t total = ShapedType::getNumElements(shape);
  auto storeRun = [&](Linear linear, int64_t first, int64_t count) {
    Address address = elementAddress(access, linear);
    bool isUniform = address.isUniform();
    Value whole = isUniform ? lastStored(value) : lanesOf(value);
    if (count && count != total) {
      FormScope form(*this, !isUniform);
      SmallVector<Value> all = elements(whole, total);
      whole = fromElements(ArrayRef(all).slice(first, count), value.getType());
    }
    storeAt(address, whole, count, access.alignment());
  };
  if (isa<VectorType>(value.getType()))
    forEachRun(access, shape, storeRun);
  else
    storeRun(linearIndex(access), 0, 0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void KernelLowering::lowerView(BufferViewOp op) {
  Value offset = op.getOffset();
  Address address = addressOf(op.getSource());
  if (facts.exact(offset) == 0)
    return defineAddress(op, address);
  Linear linear;
  linear.inLanes = !hasScalarForm(offset);
  linear.stride = shapeOf(offset).stride;
  FormScope form(*this, linear.inLanes);
  linear.value = {get(offset), Interval()};
  defineAddress(op, moved(address, linear, 1));
}

/// A part begins at the address of its first element. It may be empty and lie at the end.
void KernelLowering::lowerSubview(ViewSubviewOp op) {
  Access access = {op.getView(), op.getIndices(), op.getStaticIndices(), op.getLinear()};
  Linear linear = linearIndex(access, /*mayBeAtEnd=*/true);
  FormScope form(*this, linear.inLanes);
  defineAddress(op, moved(addressOf(op.getView()), linear, access.elementBytes()));
}

bool KernelLowering::lowerMemory(Operation *op) {
  auto access = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), o.getLinear()};
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>([&](auto o) {
        for (auto [input, result] : llvm::zip(o.getInputs(), o.getResults()))
          alias(result, input);
        return true;
      })
      .Case<BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp>([&](auto o) {
        alias(o, o.getInput());
        return true;
      })
      .Case([&](BufferAllocaOp o) {
        lowerAlloca(o);
        return true;
      })
      .Case([&](KernelWorkgroupStorageOp o) {
        lowerWorkgroupStorage(o);
        return true;
      })
      .Case([&](BufferViewOp o) {
        lowerView(o);
        return true;
      })
      .Case([&](ViewSubviewOp o) {
        lowerSubview(o);
        return true;
      })
      .Case([&](ViewRefineOp o) {
        alias(o, o.getView());
        return true;
      })
      // Layouts became part of the addresses; a prefetch is a hint.
      .Case<EncodingLayoutDenseOp, EncodingLayoutStridedOp, EncodingLayoutAssumeDenseOp,
            EncodingLayoutAssumeStridedOp>([](auto) { return true; })
      .Case([&](ViewLoadOp o) {
        lowerLoad(o.getResult(), access(o), {});
        return true;
      })
      .Case([&](ViewStoreOp o) {
        lowerStore(o.getValue(), access(o), {});
        return true;
      })
      .Case([&](VectorLoadOp o) {
        lowerLoad(o.getResult(), access(o), cast<VectorType>(o.getType()).getShape());
        return true;
      })
      .Case([&](VectorStoreOp o) {
        lowerStore(o.getValue(), access(o), cast<VectorType>(o.getValue().getType()).getShape());
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
