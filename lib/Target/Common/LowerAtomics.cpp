//===- LowerAtomics.cpp - Atomic accesses and bytes -----------------------===//
//
// One atomic operation for each active lane, in ascending order. Floats are combined in a loop
// around a comparison and exchange of their bits, so that they are rounded as everywhere else.
// Whatever ordering is asked for, operations are sequentially consistent.
//
//===----------------------------------------------------------------------===//
#include "LowerCollectives.h"
#include "LowerMemory.h"

using namespace mlir;

namespace loom::lowering {

bool isAtomicSupported(Operation *op, const LoweringTarget &target) {
  return target.hasLanes() &&
         isa<ViewAtomicReduceOp, ViewAtomicRmwOp, ViewAtomicCmpxchgOp, ViewAtomicLoadOp,
             ViewAtomicStoreOp, VectorAtomicReduceOp, VectorAtomicReduceMaskOp, VectorAtomicRmwOp,
             VectorAtomicRmwMaskOp, VectorAtomicCmpxchgOp, BufferFenceOp, BufferLoadI8UOp,
             BufferStoreI8Op, ViewPrefetchOp>(op);
}

static std::optional<AtomicOp> integerAtomic(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::xchgi:
  case AtomicKind::xchgf:
    return AtomicOp::Exchange;
  case AtomicKind::addi:
    return AtomicOp::Add;
  case AtomicKind::subi:
    return AtomicOp::Sub;
  case AtomicKind::andi:
    return AtomicOp::And;
  case AtomicKind::ori:
    return AtomicOp::Or;
  case AtomicKind::xori:
    return AtomicOp::Xor;
  case AtomicKind::minsi:
    return AtomicOp::MinS;
  case AtomicKind::maxsi:
    return AtomicOp::MaxS;
  case AtomicKind::minui:
    return AtomicOp::MinU;
  case AtomicKind::maxui:
    return AtomicOp::MaxU;
  default:
    return std::nullopt;
  }
}

static CombiningKind floatCombination(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::minimumf:
    return CombiningKind::minimumf;
  case AtomicKind::maximumf:
    return CombiningKind::maximumf;
  case AtomicKind::minnumf:
    return CombiningKind::minnumf;
  case AtomicKind::maxnumf:
    return CombiningKind::maxnumf;
  default:
    return CombiningKind::addf;
  }
}

/// Combines the bits in memory with `value`, a scalar of the Loom type `element`; the value before.
Value KernelLowering::emitAtomic(AtomicKind kind, Value pointer, Value value, Type element,
                                 unsigned alignment) {
  Type carried = value.getType();
  Type bits = emitter.integer(carried.getIntOrFloatBitWidth());
  auto asBits = [&](Value v) { return v.getType() == bits ? v : emitter.reinterpret(v, bits); };
  auto asValue = [&](Value v) { return carried == bits ? v : emitter.reinterpret(v, carried); };
  if (std::optional<AtomicOp> op = integerAtomic(kind))
    return asValue(emitter.atomic(*op, pointer, asBits(value), alignment));
  Block *loop = emitter.makeBlock(bits), *exit = emitter.makeBlock();
  emitter.branch(loop, emitter.atomicLoad(bits, pointer, alignment));
  emitter.enter(loop);
  Value before = loop->getArgument(0);
  FormScope form(*this, false);
  Value after =
      combine(floatCombination(kind), asValue(before), value, FastMathFlags::none, element);
  auto [seen, replaced] = emitter.compareExchange(pointer, before, asBits(after), alignment);
  emitter.branchIf(replaced, exit, {}, loop, seen);
  emitter.enter(exit);
  return asValue(before);
}

/// Replaces the scalar in memory where it has the bits of `expected`; the value before.
Value KernelLowering::emitCompareExchange(Value pointer, Value expected, Value replacement) {
  Type type = expected.getType();
  Type bits = emitter.integer(type.getIntOrFloatBitWidth());
  Value seen =
      emitter
          .compareExchange(pointer, emitter.reinterpret(expected, bits),
                           emitter.reinterpret(replacement, bits), type.getIntOrFloatBitWidth() / 8)
          .first;
  return emitter.reinterpret(seen, type);
}

/// Emits `body` for each active lane with the address of its element and the scalars that
/// `operands` have there; a result is what `body` returns.
void KernelLowering::lowerPerLane(
    Value result, const Access &access, ValueRange operands,
    llvm::function_ref<Value(Value pointer, ArrayRef<Value> operands)> body) {
  Address address = elementAddress(access, linearIndex(access));
  if (laneCount() == 1) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(scalarOf(operand));
    Value answer = body(address.base, scalars);
    if (result)
      defineScalar(result, answer);
    return;
  }
  Value pointers = pointersOf(address);
  SmallVector<Value> lanes;
  for (Value operand : operands)
    lanes.push_back(lanesOf(operand));
  SmallVector<Type> types;
  if (result)
    types.push_back(laneType(result.getType()));
  SmallVector<Value> answers = forEachLane(types, [&](Value lane) {
    SmallVector<Value> scalars;
    for (Value operand : lanes)
      scalars.push_back(emitter.extract(operand, lane));
    Value answer = body(emitter.extract(pointers, lane), scalars);
    return result ? SmallVector<Value>{answer} : SmallVector<Value>();
  });
  if (result)
    defineInForm(result, answers[0]);
}

bool KernelLowering::lowerAtomic(Operation *op) {
  auto access = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false};
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ViewAtomicReduceOp o) {
        Access a = access(o);
        lowerPerLane({}, a, o.getValue(), [&](Value pointer, ArrayRef<Value> operands) {
          return emitAtomic(o.getKind(), pointer, operands[0], a.element(), a.elementBytes());
        });
        return true;
      })
      .Case([&](ViewAtomicRmwOp o) {
        Access a = access(o);
        lowerPerLane(o.getResult(), a, o.getValue(), [&](Value pointer, ArrayRef<Value> operands) {
          return emitAtomic(o.getKind(), pointer, operands[0], a.element(), a.elementBytes());
        });
        return true;
      })
      .Case([&](ViewAtomicCmpxchgOp o) {
        Access a = access(o);
        lowerPerLane(o.getResult(), a, {o.getExpected(), o.getDesired()},
                     [&](Value pointer, ArrayRef<Value> operands) {
                       return emitCompareExchange(pointer, operands[0], operands[1]);
                     });
        return true;
      })
      .Case([&](ViewAtomicLoadOp o) {
        Access a = access(o);
        Type type = scalarType(a.element());
        lowerPerLane(o.getResult(), a, {}, [&](Value pointer, ArrayRef<Value>) {
          return emitter.atomicLoad(type, pointer, a.elementBytes());
        });
        return true;
      })
      .Case([&](ViewAtomicStoreOp o) {
        Access a = access(o);
        lowerPerLane({}, a, o.getValue(), [&](Value pointer, ArrayRef<Value> operands) {
          emitter.atomicStore(operands[0], pointer, a.elementBytes());
          return Value();
        });
        return true;
      })
      .Case([&](BufferFenceOp) {
        emitter.fence();
        return true;
      })
      .Case([](ViewPrefetchOp) { return true; })
      .Case([&](BufferLoadI8UOp o) {
        lowerByteLoad(o);
        return true;
      })
      .Case([&](BufferStoreI8Op o) {
        lowerByteStore(o);
        return true;
      })
      .Default([](Operation *) { return false; });
}

KernelLowering::Address KernelLowering::byteAddress(Value buffer, Value offset) {
  Linear linear;
  linear.inLanes = !hasScalarForm(offset);
  linear.stride = shapeOf(offset).stride;
  FormScope form(*this, linear.inLanes);
  linear.value = {get(offset), Interval()};
  return moved(addressOf(buffer), linear, 1);
}

void KernelLowering::lowerByteLoad(BufferLoadI8UOp op) {
  Address address = byteAddress(op.getSource(), op.getOffset());
  Value byte = loadAt(address, emitter.integer(8), 0, 1);
  Value number = emitter.zeroExtend(byte, emitter.integer(32));
  defineLoaded(op.getResult(), {number}, !address.isUniform());
}

void KernelLowering::lowerByteStore(BufferStoreI8Op op) {
  Address address = byteAddress(op.getTarget(), op.getOffset());
  Value value = address.isUniform() ? lastStored(op.getValue()) : lanesOf(op.getValue());
  storeAt(address, emitter.truncate(value, emitter.integer(8)), 0, 1);
}

} // namespace loom::lowering
