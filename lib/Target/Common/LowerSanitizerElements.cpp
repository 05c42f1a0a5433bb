//===- LowerSanitizerElements.cpp - The elements of a checked access ------===//
//
// Elements are checked one by one where a mask leaves some of them out or where they lie apart.
// The code for each is vectors of numbers of 64 bits, one per lane, so that many elements take
// turns in a loop; their flags and offsets are in the frame meanwhile.
//
//===----------------------------------------------------------------------===//
#include "LowerSanitizer.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// Scratch of flags and offsets. Between that of Elements and that of Items.
constexpr unsigned kFlagScratch = 6, kOffsetScratch = 7;

/// Whether `count` elements of all lanes are too much code to be written one by one.
bool KernelLowering::Sanitizer::takesTurns(int64_t count) const {
  constexpr int64_t kMost = 64;
  return kernel.inLanes && count > 2 && count * kernel.laneCount() > kMost;
}

/// The coordinates of element `number` behind the origin of an access; null for zero.
SmallVector<Value> KernelLowering::Sanitizer::coordinatesOf(const Touch &touch, int64_t element) {
  size_t rank = touch.access.staticIndices.size();
  SmallVector<Value> coordinates(rank);
  for (size_t axis = rank; axis-- > 0;) {
    int64_t reach = touch.reach(axis);
    if (element % reach)
      coordinates[axis] = number(element % reach);
    element /= reach;
  }
  return coordinates;
}

SmallVector<Value> KernelLowering::Sanitizer::coordinatesOf(const Touch &touch, Value element) {
  size_t rank = touch.access.staticIndices.size();
  SmallVector<Value> coordinates(rank);
  for (size_t axis = rank; axis-- > 0;) {
    int64_t reach = touch.reach(axis);
    if (reach == 1)
      continue;
    coordinates[axis] = emitter.binary(IntegerOp::URem, element, number(reach));
    element = emitter.binary(IntegerOp::UDiv, element, number(reach));
  }
  return coordinates;
}

/// How many elements of storage the element at `coordinates` lies behind the origin.
Value KernelLowering::Sanitizer::distanceTo(const Access &access, ArrayRef<Value> coordinates) {
  auto plus = [&](Value sum, Value value) {
    return !sum ? value : !value ? sum : emitter.binary(IntegerOp::Add, sum, value);
  };
  auto times = [&](Value a, Value b) { return a ? emitter.binary(IntegerOp::Mul, a, b) : Value(); };
  SmallVector<OpFoldResult> strides = access.strides();
  Value distance = strides.empty() && !coordinates.empty() ? coordinates[0] : Value();
  for (auto [coordinate, stride] : llvm::zip(coordinates, strides))
    if (coordinate)
      distance = plus(distance, times(coordinate, wide(kernel.strideOf(stride).value)));
  for (size_t axis = 1; strides.empty() && axis < coordinates.size(); ++axis) {
    int64_t extent = access.type().getShape()[axis];
    if (distance)
      distance = times(distance, ShapedType::isDynamic(extent)
                                     ? wide(kernel.get(access.dynamicExtent(axis)))
                                     : number(extent));
    distance = plus(distance, coordinates[axis]);
  }
  return distance ? distance : number(0);
}

/// Emits `body` for the elements of an access in descending or ascending order, in the present
/// form. `carried` goes from each to the next; what the last one leaves is returned.
SmallVector<Value> KernelLowering::Sanitizer::overElements(const Touch &touch, bool isDescending,
                                                           SmallVector<Value> carried,
                                                           ElementBody body) {
  int64_t count = touch.count();
  if (takesTurns(count))
    return inTurns(touch, isDescending, carried, body);
  SmallVector<Value> flags, offsets;
  if (touch.mask)
    flags = kernel.elements(touch.mask);
  if (touch.offsets)
    offsets = kernel.elements(touch.offsets);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = isDescending ? count - 1 - i : i;
    Element element;
    element.flag = touch.mask ? flags[position] : Value();
    element.offset = touch.offsets ? wide(offsets[position]) : Value();
    element.coordinates.assign(touch.access.staticIndices.size(), Value());
    if (!touch.offsets)
      element.coordinates = coordinatesOf(touch, position);
    carried = body(element, carried);
  }
  return carried;
}

SmallVector<Value> KernelLowering::Sanitizer::inTurns(const Touch &touch, bool isDescending,
                                                      SmallVector<Value> carried,
                                                      ElementBody body) {
  int64_t count = touch.count(), lanes = kernel.laneCount();
  Type byte = emitter.integer(8), offsetType;
  Value flags, offsets;
  auto keep = [&](unsigned scratch, Value vector) {
    Type element = getElementTypeOrSelf(vector.getType());
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    Value place = kernel.scratch(scratch, count * lanes * bytes);
    emitter.store(vector, place, bytes);
    return place;
  };
  if (touch.mask)
    flags = keep(kFlagScratch, emitter.zeroExtend(kernel.lanesOf(touch.mask), byte));
  if (touch.offsets) {
    Value vector = kernel.lanesOf(touch.offsets);
    offsetType = getElementTypeOrSelf(vector.getType());
    offsets = keep(kOffsetScratch, vector);
  }
  auto row = [&](Value place, Type type, Value position) {
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    Value distance = emitter.binary(IntegerOp::Mul, position, number(bytes * lanes));
    return emitter.load(emitter.vector(lanes, type), emitter.addBytes(place, distance), bytes);
  };
  return inLoop(count, carried, [&](Value turn, ArrayRef<Value> carried) {
    Value position = isDescending ? emitter.binary(IntegerOp::Sub, number(count - 1), turn) : turn;
    Element element;
    if (flags) {
      Value bytes = row(flags, byte, position);
      element.flag = emitter.compare(IntPredicate::ne, bytes, emitter.constant(bytes.getType(), 0));
    }
    element.coordinates.assign(touch.access.staticIndices.size(), Value());
    if (offsets)
      element.offset = wide(row(offsets, offsetType, position));
    else
      element.coordinates = coordinatesOf(touch, position);
    return body(element, carried);
  });
}

/// Emits `body` once, for the numbers from 0 to `count` - 1, of which there is one at least.
SmallVector<Value> KernelLowering::Sanitizer::inLoop(
    int64_t count, ArrayRef<Value> carried,
    llvm::function_ref<SmallVector<Value>(Value turn, ArrayRef<Value> carried)> body) {
  SmallVector<Value> first = {number(0)};
  llvm::append_range(first, carried);
  SmallVector<Type> types = llvm::map_to_vector(first, [](Value value) { return value.getType(); });
  Block *loop = emitter.makeBlock(types), *exit = emitter.makeBlock();
  emitter.branch(loop, first);
  emitter.enter(loop);
  SmallVector<Value> arguments = llvm::to_vector_of<Value>(loop->getArguments());
  SmallVector<Value> next = {emitter.binary(IntegerOp::Add, arguments[0], number(1))};
  llvm::append_range(next, body(arguments[0], ArrayRef(arguments).drop_front()));
  emitter.loopIf(emitter.compare(IntPredicate::ne, next[0], number(count)), loop, next, exit);
  emitter.enter(exit);
  return llvm::to_vector(ArrayRef(next).drop_front());
}

/// How many elements of an access under a mask take part, i64.
Value KernelLowering::Sanitizer::countTaken(const Touch &touch) {
  int64_t count = touch.count();
  // Narrow sums take fewer instructions.
  Type type = emitter.integer(count < 256 ? 8 : 64);
  Value sum = emitter.constant(kernel.inLanes ? kernel.spread(type) : type, 0);
  for (Value flag : kernel.elements(touch.mask))
    sum = emitter.binary(IntegerOp::Add, sum, emitter.zeroExtend(flag, type));
  return count < 256 ? emitter.zeroExtend(sum, emitter.integer(64)) : sum;
}

/// Which elements fail, and a number of the first that does: `check` returns that number and
/// whether the element fails. `first` is the number where none of these does, null for any.
std::pair<Value, Value> KernelLowering::Sanitizer::firstFailing(
    const Touch &touch, Value first,
    llvm::function_ref<std::pair<Value, Value>(const Element &element)> check) {
  Type each = kernel.inLanes ? kernel.spread(emitter.integer(64)) : emitter.integer(64);
  auto form = [&](Value value) {
    return isa<mlir::VectorType>(value.getType()) || !kernel.inLanes ? value
                                                                     : emitter.splat(value, each);
  };
  SmallVector<Value> carried = {first ? form(first) : emitter.constant(each, 0),
                                emitter.constant(emitter.shaped(kernel.flagType(), each), 0)};
  carried = overElements(
      touch, /*isDescending=*/true, carried, [&](const Element &element, ArrayRef<Value> carried) {
        auto [place, fails] = check(element);
        if (element.flag)
          fails = emitter.select(element.flag, fails, never());
        return SmallVector<Value>{emitter.select(fails, place, carried[0]),
                                  emitter.binary(IntegerOp::Or, carried[1], fails)};
      });
  return {carried[0], carried[1]};
}

} // namespace loom::lowering
