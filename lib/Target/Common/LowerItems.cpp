//===- LowerItems.cpp - What each work-item does for itself ---------------===//
#include "LowerItems.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void KernelLowering::Items::add(const Address &address) {
  if (address.isUniform() && address.base)
    inputs.push_back({address.base, Value()});
  else
    inputs.push_back({Value(), kernel.pointersOf(address)});
}

void KernelLowering::Items::add(Value value) {
  bool isSame = kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  if (isSame || kernel.laneCount() == 1)
    inputs.push_back({kernel.scalarOf(value), Value()});
  else
    inputs.push_back({Value(), kernel.lanesOf(value)});
}

void KernelLowering::Items::addLanes(Value lanes) {
  if (isa<mlir::VectorType>(lanes.getType()))
    inputs.push_back({Value(), lanes});
  else
    inputs.push_back({lanes, Value()});
}

bool KernelLowering::Items::isUniform() const {
  return llvm::all_of(inputs, [](const Input &input) { return !input.lanes; });
}

Value KernelLowering::Items::run(
    bool once, Type type, llvm::function_ref<Value(Value lane, ArrayRef<Value> inputs)> body) {
  FormScope form(kernel, false);
  auto scalars = [&](Value lane) {
    return llvm::map_to_vector(inputs, [&](const Input &input) {
      return input.lanes ? kernel.emitter.extract(input.lanes, lane) : input.uniform;
    });
  };
  if (once || kernel.laneCount() == 1)
    return body(Value(), scalars(Value()));
  SmallVector<Type> types;
  if (type)
    types.push_back(kernel.spread(type));
  SmallVector<Value> results = kernel.forEachLane(types, [&](Value lane) {
    Value result = body(lane, scalars(lane));
    return type ? SmallVector<Value>{result} : SmallVector<Value>();
  });
  return type ? results[0] : Value();
}

//===----------------------------------------------------------------------===//
// Vectors in the frame
//===----------------------------------------------------------------------===//

KernelLowering::Elements::Elements(KernelLowering &kernel, Operation *op, const Access &access,
                                   ArrayRef<int64_t> shape)
    : kernel(kernel), emitter(kernel.emitter), op(op), access(access), shape(shape) {}

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
  // The code of an operation may be written several times; one storage is enough.
  Value &storage = kernel.storages[{op, reserved++}];
  if (!storage)
    storage =
        emitter.frameStorage(ShapedType::getNumElements(shape) * kernel.laneCount() * bytes, 64);
  kept.place = storage;
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

/// How many bytes element `element` lies behind the place of the access; `taken` elements of the
/// run have taken part so far.
Value KernelLowering::Elements::distance(Value element, int64_t first, Value taken) {
  Type wide = emitter.integer(64);
  Value number = isPacked ? taken : element;
  if (offsets) {
    number = at(*offsets, element);
    if (number.getType() != wide)
      number = emitter.cast(CastOp::SExt, number, wide);
  } else if (!isPacked && first) {
    number = emitter.binary(IntegerOp::Sub, number, emitter.constant(wide, first));
  }
  if (gap)
    number = emitter.binary(IntegerOp::Mul, number, gap);
  return emitter.binary(IntegerOp::Mul, number, emitter.constant(wide, access.elementBytes()));
}

/// The elements `first` to `first + count - 1` in the turn of one work-item.
void KernelLowering::Elements::runTurn(Value origin, int64_t first, int64_t count, Body body) {
  Type wide = emitter.integer(64);
  Value zero = emitter.constant(wide, 0), one = emitter.constant(wide, 1);
  Block *loop = emitter.makeBlock({wide, wide}), *exit = emitter.makeBlock();
  emitter.branch(loop, {emitter.constant(wide, first), zero});
  emitter.enter(loop);
  Value element = loop->getArgument(0), taken = loop->getArgument(1);
  auto visit = [&] {
    body(emitter.addBytes(origin, distance(element, first, taken), /*inObject=*/false), element);
  };
  Value next = emitter.binary(IntegerOp::Add, element, one);
  if (mask) {
    Value flag = emitter.compare(IntPredicate::ne, at(*mask, element),
                                 emitter.constant(emitter.integer(8), 0));
    emitter.when(flag, visit);
    taken = emitter.binary(IntegerOp::Add, taken, emitter.zeroExtend(flag, wide));
  } else {
    visit();
  }
  Value more = emitter.compare(IntPredicate::ne, next, emitter.constant(wide, first + count));
  emitter.branchIf(more, loop, {next, taken}, exit, {});
  emitter.enter(exit);
}

void KernelLowering::Elements::runFrom(const Address &origin, int64_t first, int64_t count,
                                       Body body) {
  Items items(kernel);
  items.add(origin);
  Type wide = emitter.integer(64);
  // Only offsets and packed elements count elements of the last axis; a run has no gaps.
  OpFoldResult stride = offsets || isPacked ? access.gap() : OpFoldResult();
  std::optional<int64_t> number = stride ? kernel.numberOf(stride) : std::nullopt;
  if (stride && !number)
    items.add(cast<Value>(stride));
  items.run(/*once=*/false, Type(), [&](Value turn, ArrayRef<Value> inputs) {
    lane = turn;
    if (number)
      gap = emitter.constant(wide, *number);
    else if (stride)
      gap = inputs[1].getType() == wide ? inputs[1] : emitter.cast(CastOp::SExt, inputs[1], wide);
    runTurn(inputs[0], first, count, body);
    lane = gap = Value();
    return Value();
  });
}

void KernelLowering::Elements::run(Body body) {
  if (shape.empty() || offsets || isPacked)
    return runFrom(kernel.elementAddress(access, kernel.linearIndex(access)), 0,
                   ShapedType::getNumElements(shape), body);
  kernel.forEachRun(access, shape, [&](Linear linear, int64_t first, int64_t length) {
    runFrom(kernel.elementAddress(access, linear), first, length, body);
  });
}

} // namespace loom::lowering
