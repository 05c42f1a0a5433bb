//===- LowerItems.cpp - What each work-item does for itself ---------------===//
#include "LowerItems.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// Scratch of Items comes behind that of Elements.
constexpr unsigned kFirstScratch = 8;

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

size_t KernelLowering::Items::append(const Input &input) {
  inputs.push_back(input);
  return inputs.size() - 1;
}

size_t KernelLowering::Items::add(const Address &address) {
  if (address.isUniform() && address.base)
    return append({address.base, Value()});
  return append({Value(), kernel.pointersOf(address)});
}

size_t KernelLowering::Items::add(Value value) {
  bool isSame = kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  if (isSame || kernel.laneCount() == 1)
    return append({kernel.scalarOf(value), Value()});
  return append({Value(), kernel.lanesOf(value)});
}

size_t KernelLowering::Items::addLanes(Value lanes) {
  if (isa<mlir::VectorType>(lanes.getType()))
    return append({Value(), lanes});
  return append({lanes, Value()});
}

bool KernelLowering::Items::isUniform() const {
  return llvm::all_of(inputs, [](const Input &input) { return !input.lanes; });
}

static int64_t bytesOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 8;
}

/// Whether LLVM would put a whole vector into memory again to take one element out of it.
bool KernelLowering::Items::isLarge(Type vector) const {
  constexpr int64_t kMostBytes = 128;
  return bytesOf(getElementTypeOrSelf(vector)) * kernel.laneCount() > kMostBytes;
}

/// Where the element of `lane` is in a vector in the frame.
Value KernelLowering::Items::placeOf(Value vectorPlace, Type element, Value lane) {
  Type wide = kernel.emitter.integer(64);
  Value bytes = kernel.emitter.constant(wide, bytesOf(element));
  Value distance =
      kernel.emitter.binary(IntegerOp::Mul, kernel.emitter.zeroExtend(lane, wide), bytes);
  return kernel.emitter.addBytes(vectorPlace, distance);
}

Value KernelLowering::Items::run(
    bool once, Type type, llvm::function_ref<Value(Value lane, ArrayRef<Value> inputs)> body) {
  FormScope form(kernel, false);
  Emitter &emitter = kernel.emitter;
  auto scalars = [&](Value lane) {
    return llvm::map_to_vector(inputs, [&](const Input &input) {
      if (!input.lanes)
        return input.uniform;
      Type element = getElementTypeOrSelf(input.lanes.getType());
      return input.place
                 ? emitter.load(element, placeOf(input.place, element, lane), bytesOf(element))
                 : emitter.extract(input.lanes, lane);
    });
  };
  if (once || kernel.laneCount() == 1)
    return body(Value(), scalars(Value()));
  unsigned used = kFirstScratch;
  auto reserve = [&](Type element) {
    return kernel.scratch(used++, bytesOf(element) * kernel.laneCount());
  };
  for (Input &input : inputs) {
    if (!input.lanes || !isLarge(input.lanes.getType()))
      continue;
    Type element = getElementTypeOrSelf(input.lanes.getType());
    input.place = reserve(element);
    emitter.store(input.lanes, input.place, bytesOf(element));
  }
  Value results = type && isLarge(type) ? reserve(type) : Value();
  SmallVector<Type> types;
  if (type && !results)
    types.push_back(kernel.spread(type));
  SmallVector<Value> carried = kernel.forEachLane(types, [&](Value lane) {
    Value result = body(lane, scalars(lane));
    if (results)
      emitter.store(result, placeOf(results, type, lane), bytesOf(type));
    return types.empty() ? SmallVector<Value>() : SmallVector<Value>{result};
  });
  if (results)
    return emitter.load(kernel.spread(type), results, bytesOf(type));
  return type ? carried[0] : Value();
}

//===----------------------------------------------------------------------===//
// Vectors in the frame
//===----------------------------------------------------------------------===//

KernelLowering::Elements::Elements(KernelLowering &kernel, const Access &access,
                                   ArrayRef<int64_t> shape)
    : kernel(kernel), emitter(kernel.emitter), access(access), shape(shape) {}

/// The form in which a vector is kept: a lane form with the lanes of element 0 first, or the vector
/// itself where there is one lane.
Type KernelLowering::Elements::formOf(Value vector) {
  return kernel.laneCount() == 1 ? kernel.scalarType(vector.getType())
                                 : kernel.laneType(vector.getType());
}

KernelLowering::Elements::Kept KernelLowering::Elements::reserve(Type lowered) {
  Kept kept;
  kept.element = getElementTypeOrSelf(lowered);
  kept.isFlag = kept.element.isInteger(1);
  if (kept.isFlag)
    kept.element = emitter.integer(8);
  int64_t bytes = kept.element.getIntOrFloatBitWidth() / 8;
  kept.place =
      kernel.scratch(reserved++, ShapedType::getNumElements(shape) * kernel.laneCount() * bytes);
  return kept;
}

KernelLowering::Elements::Kept KernelLowering::Elements::keep(Value vector) {
  Value lowered = kernel.laneCount() == 1 ? kernel.scalarOf(vector) : kernel.lanesOf(vector);
  Kept kept = reserve(lowered.getType());
  if (kept.isFlag)
    lowered = emitter.zeroExtend(lowered, kept.element);
  emitter.store(lowered, kept.place, kept.element.getIntOrFloatBitWidth() / 8);
  return kept;
}

KernelLowering::Elements::Kept KernelLowering::Elements::room(Value result) {
  return reserve(formOf(result));
}

Value KernelLowering::Elements::place(const Kept &kept, Value number) {
  Type wide = emitter.integer(64);
  if (lane) {
    Value row = emitter.binary(IntegerOp::Mul, number, emitter.constant(wide, kernel.laneCount()));
    number = emitter.binary(IntegerOp::Add, row, emitter.zeroExtend(lane, wide));
  }
  Value bytes = emitter.constant(wide, kept.element.getIntOrFloatBitWidth() / 8);
  return emitter.addBytes(kept.place, emitter.binary(IntegerOp::Mul, number, bytes));
}

Value KernelLowering::Elements::at(const Kept &kept, Value number) {
  return emitter.load(kept.element, place(kept, number), kept.element.getIntOrFloatBitWidth() / 8);
}

void KernelLowering::Elements::set(const Kept &kept, Value number, Value element) {
  emitter.store(element, place(kept, number), kept.element.getIntOrFloatBitWidth() / 8);
}

void KernelLowering::Elements::define(Value result, const Kept &kept) {
  Type type = formOf(result);
  auto vector = dyn_cast<mlir::VectorType>(type);
  Type stored = vector ? emitter.vector(vector.getNumElements(), kept.element) : kept.element;
  Value loaded = emitter.load(stored, kept.place, kept.element.getIntOrFloatBitWidth() / 8);
  if (kept.isFlag)
    loaded = emitter.compare(IntPredicate::ne, loaded, emitter.constant(stored, 0));
  if (kernel.laneCount() == 1)
    return kernel.defineScalar(result, loaded);
  kernel.defineInForm(result, loaded);
}

//===----------------------------------------------------------------------===//
// Elements that take part
//===----------------------------------------------------------------------===//

void KernelLowering::Elements::where(Value flags) {
  mask = keep(flags);
  access.mayLieOutside = true;
}

void KernelLowering::Elements::displaceBy(Value vector) {
  offsets = keep(vector);
  access.mayLieOutside = true;
}

void KernelLowering::Elements::multiply(Axis &axis, OpFoldResult factor, Items &items) {
  if (std::optional<int64_t> number = kernel.numberOf(factor))
    axis.factor *= *number;
  else
    axis.inputs.push_back(items.add(cast<Value>(factor)));
}

/// Names what the distances between elements are computed from.
void KernelLowering::Elements::addAxes(Items &items) {
  axes.clear();
  inner = 1;
  if (shape.empty())
    return;
  int64_t total = ShapedType::getNumElements(shape);
  if (offsets || isPacked) {
    // These count elements of the last axis.
    axes.push_back({total});
    if (OpFoldResult gap = access.gap())
      multiply(axes.back(), gap, items);
    return;
  }
  size_t first = kernel.firstRunAxis(access, shape);
  inner = ShapedType::getNumElements(shape.drop_front(first));
  ArrayRef<int64_t> viewShape = access.type().getShape();
  size_t skipped = viewShape.size() - shape.size();
  SmallVector<OpFoldResult> strides = access.strides();
  for (auto [number, extent] : llvm::enumerate(shape.take_front(first))) {
    axes.push_back({extent});
    if (!strides.empty()) {
      multiply(axes.back(), strides[skipped + number], items);
      continue;
    }
    for (size_t axis = skipped + number + 1; axis < viewShape.size(); ++axis) {
      if (ShapedType::isDynamic(viewShape[axis]))
        multiply(axes.back(), access.dynamicExtent(axis), items);
      else
        axes.back().factor *= viewShape[axis];
    }
  }
}

/// The distance of an element from the first one, in elements.
Value KernelLowering::Elements::acrossAxes(Value element) {
  Type wide = emitter.integer(64);
  auto divided = [&](IntegerOp op, Value value, int64_t by) {
    return emitter.binary(op, value, emitter.constant(wide, by));
  };
  if (axes.empty())
    return element;
  Value sum = inner > 1 ? divided(IntegerOp::URem, element, inner) : Value();
  Value rest = inner > 1 ? divided(IntegerOp::UDiv, element, inner) : element;
  for (const Axis &axis : llvm::reverse(axes)) {
    bool isOutermost = &axis == &axes.front();
    Value coordinate = isOutermost ? rest : divided(IntegerOp::URem, rest, axis.extent);
    Value step = emitter.binary(IntegerOp::Mul, coordinate, axis.stride);
    sum = sum ? emitter.binary(IntegerOp::Add, sum, step) : step;
    if (!isOutermost)
      rest = divided(IntegerOp::UDiv, rest, axis.extent);
  }
  return sum;
}

/// How many bytes element `element` lies behind the place of the access; `taken` elements have
/// taken part so far.
Value KernelLowering::Elements::distance(Value element, Value taken) {
  Type wide = emitter.integer(64);
  Value number = isPacked ? taken : element;
  if (offsets) {
    number = at(*offsets, element);
    if (number.getType() != wide)
      number = emitter.cast(CastOp::SExt, number, wide);
  }
  if (offsets || isPacked)
    number = emitter.binary(IntegerOp::Mul, number, axes.front().stride);
  else
    number = acrossAxes(number);
  return emitter.binary(IntegerOp::Mul, number, emitter.constant(wide, access.elementBytes()));
}

/// All elements in the turn of one work-item.
void KernelLowering::Elements::runTurn(Value origin, Body body) {
  Type wide = emitter.integer(64);
  Value zero = emitter.constant(wide, 0), one = emitter.constant(wide, 1);
  Block *loop = emitter.makeBlock({wide, wide}), *exit = emitter.makeBlock();
  emitter.branch(loop, {zero, zero});
  emitter.enter(loop);
  Value element = loop->getArgument(0), taken = loop->getArgument(1);
  auto visit = [&] {
    body(emitter.addBytes(origin, distance(element, taken), /*inObject=*/false), element);
  };
  if (mask) {
    Value flag = emitter.compare(IntPredicate::ne, at(*mask, element),
                                 emitter.constant(emitter.integer(8), 0));
    emitter.when(flag, visit);
    taken = emitter.binary(IntegerOp::Add, taken, emitter.zeroExtend(flag, wide));
  } else {
    visit();
  }
  Value next = emitter.binary(IntegerOp::Add, element, one);
  Value count = emitter.constant(wide, ShapedType::getNumElements(shape));
  Value more = emitter.compare(IntPredicate::ne, next, count);
  emitter.loopIf(more, loop, {next, taken}, exit);
  emitter.enter(exit);
}

void KernelLowering::Elements::run(Body body) {
  Items items(kernel);
  items.add(kernel.elementAddress(access, kernel.linearIndex(access)));
  addAxes(items);
  Type wide = emitter.integer(64);
  items.run(/*once=*/false, Type(), [&](Value turn, ArrayRef<Value> inputs) {
    lane = turn;
    for (Axis &axis : axes) {
      axis.stride = emitter.constant(wide, axis.factor);
      for (size_t number : axis.inputs) {
        Value factor = inputs[number];
        if (factor.getType() != wide)
          factor = emitter.cast(CastOp::SExt, factor, wide);
        axis.stride = emitter.binary(IntegerOp::Mul, axis.stride, factor);
      }
    }
    runTurn(inputs[0], body);
    lane = Value();
    return Value();
  });
}

void KernelLowering::Elements::load(Value result, Value passthrough, bool isVolatile) {
  Kept kept = passthrough ? keep(passthrough) : room(result);
  run([&](Value pointer, Value number) {
    set(kept, number, emitter.load(kept.element, pointer, access.alignment(), isVolatile));
  });
  define(result, kept);
}

void KernelLowering::Elements::store(Value value, bool isVolatile) {
  Kept kept = keep(value);
  run([&](Value pointer, Value number) {
    emitter.store(at(kept, number), pointer, access.alignment(), isVolatile);
  });
}

} // namespace loom::lowering
