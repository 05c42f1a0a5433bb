//===- LowerLanes.cpp - Masks ---------------------------------------------===//
#include "LowerKernel.h"

using namespace mlir;

namespace loom::lowering {

Value KernelLowering::both(Value mask, Value condition) {
  Type type = spread(flagType());
  if (condition && condition.getType() != type)
    condition = emitter.splat(condition, type);
  if (!mask || !condition)
    return mask ? mask : condition;
  if (const Span *outer = spanOf(mask))
    if (const Span *inner = spanOf(condition))
      return maskOf(intersection(Span(*outer), Span(*inner)));
  // Not `and`: the condition is poison where it was never computed.
  return emitter.select(mask, condition, emitter.constant(type, 0));
}

Value KernelLowering::negated(Value mask) {
  if (const Span *span = spanOf(mask); span && !(span->first.value && span->end.value))
    return maskOf(Span{span->end, span->first});
  return emitter.binary(IntegerOp::Xor, mask, emitter.constant(mask.getType(), -1));
}

Value KernelLowering::bitsOf(Value mask) {
  Type type = emitter.integer(laneCount());
  return mask ? emitter.reinterpret(mask, type) : emitter.constant(type, -1);
}

Value KernelLowering::any(Value mask) {
  if (!mask)
    return emitter.constant(flagType(), 1);
  if (const Span *span = spanOf(mask))
    return isAny(Span(*span));
  Value bits = bitsOf(mask);
  return emitter.compare(IntPredicate::ne, bits, emitter.constant(bits.getType(), 0));
}

Value KernelLowering::all(Value mask) {
  if (!mask)
    return emitter.constant(flagType(), 1);
  if (const Span *span = spanOf(mask))
    return isAll(Span(*span));
  Value bits = bitsOf(mask);
  return emitter.compare(IntPredicate::eq, bits, emitter.constant(bits.getType(), -1));
}

Value KernelLowering::lastActive(Value mask) {
  Type wide = emitter.integer(64), narrow = emitter.integer(32);
  if (!mask)
    return emitter.constant(narrow, laneCount() - 1);
  Value bits = bitsOf(mask);
  if (laneCount() < 64)
    bits = emitter.zeroExtend(bits, wide);
  Value leading = emitter.intrinsic("llvm.ctlz", wide, {bits, emitter.constant(flagType(), 1)});
  return emitter.binary(IntegerOp::Sub, emitter.constant(narrow, 63),
                        emitter.truncate(leading, narrow));
}

Value KernelLowering::firstOf(Value bits) {
  Value trailing =
      emitter.intrinsic("llvm.cttz", bits.getType(), {bits, emitter.constant(flagType(), 1)});
  Type narrow = emitter.integer(32);
  if (laneCount() == 32)
    return trailing;
  return laneCount() > 32 ? emitter.truncate(trailing, narrow)
                          : emitter.zeroExtend(trailing, narrow);
}

Value KernelLowering::firstActive(Value mask) {
  return mask ? firstOf(bitsOf(mask)) : emitter.constant(emitter.integer(32), 0);
}

SmallVector<Value>
KernelLowering::forEachLane(ArrayRef<Type> results,
                            llvm::function_ref<SmallVector<Value>(Value lane)> body) {
  Value bits = bitsOf(mask);
  SmallVector<Type> types = {bits.getType()};
  SmallVector<Value> first = {bits};
  for (Type type : results) {
    types.push_back(type);
    first.push_back(emitter.undefined(type));
  }
  Block *loop = emitter.makeBlock(types), *exit = emitter.makeBlock();
  emitter.branch(loop, first);
  emitter.enter(loop);
  bits = loop->getArgument(0);
  Value lane = firstOf(bits);
  SmallVector<Value> parts = body(lane);
  Value rest =
      emitter.binary(IntegerOp::And, bits,
                     emitter.binary(IntegerOp::Sub, bits, emitter.constant(bits.getType(), 1)));
  SmallVector<Value> again = {rest};
  for (auto [position, part] : llvm::enumerate(parts))
    again.push_back(emitter.insert(loop->getArgument(position + 1), part, lane));
  Value more = emitter.compare(IntPredicate::ne, rest, emitter.constant(bits.getType(), 0));
  emitter.branchIf(more, loop, again, exit, {});
  emitter.enter(exit);
  return SmallVector<Value>(ArrayRef(again).drop_front());
}

} // namespace loom::lowering
