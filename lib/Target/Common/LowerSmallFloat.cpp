//===- LowerSmallFloat.cpp - Arithmetic of 16-bit floats ------------------===//
#include "LowerSmallFloat.h"
#include "LowerTarget.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// `element`, or a vector of it with the lanes of `like`.
static Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<mlir::VectorType>(like))
    return vector.clone(element);
  return element;
}

static unsigned widthOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

/// The integer type of the same width and lanes.
static Type bitsOf(Type type) {
  return withElement(type, IntegerType::get(type.getContext(), widthOf(type)));
}

bool SmallFloats::isWidened(Type type) const {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || (element.isF16() && !target.hasHalfArithmetic());
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Moves an inexact `value` with an even last bit to the neighbour on the side of the exact result:
/// away from zero when `grows`, else towards it.
Value SmallFloats::makeOdd(Value value, Value isInexact, Value grows) {
  Type bitsType = bitsOf(value.getType());
  Value bits = emitter.cast(CastOp::Bitcast, value, bitsType);
  Value one = emitter.constant(bitsType, 1), zero = emitter.constant(bitsType, 0);
  Value isEven = emitter.compare(IntPredicate::eq, emitter.binary(IntegerOp::And, bits, one), zero);
  Value moves = emitter.binary(IntegerOp::And, isInexact, isEven);
  Value step = emitter.select(grows, one, emitter.constant(bitsType, -1));
  Value moved = emitter.binary(IntegerOp::Add, bits, emitter.select(moves, step, zero));
  return emitter.cast(CastOp::Bitcast, moved, value.getType());
}

/// f64 to f32, rounded to odd.
Value SmallFloats::roundToOddSingle(Value value) {
  Type type = withElement(value.getType(), emitter.f32());
  Value nearest = emitter.cast(CastOp::FPTrunc, value, type);
  Value back = emitter.cast(CastOp::FPExt, nearest, value.getType());
  Value isInexact = emitter.compare(FloatPredicate::one, back, value);
  Value grows =
      emitter.compare(FloatPredicate::olt, emitter.intrinsic("llvm.fabs", value.getType(), {back}),
                      emitter.intrinsic("llvm.fabs", value.getType(), {value}));
  return makeOdd(nearest, isInexact, grows);
}

/// The sum of two f64, rounded to odd. The error of the nearest sum is itself an f64 (Knuth's
/// TwoSum); it is NaN, and thus not different from zero, when an operand is not finite.
Value SmallFloats::addToOdd(Value a, Value b) {
  auto add = [&](Value x, Value y) {
    return emitter.binary(FloatOp::Add, x, y, FastMathFlags::none);
  };
  auto sub = [&](Value x, Value y) {
    return emitter.binary(FloatOp::Sub, x, y, FastMathFlags::none);
  };
  Value sum = add(a, b);
  Value bPart = sub(sum, a), aPart = sub(sum, bPart);
  Value error = add(sub(a, aPart), sub(b, bPart));
  Value zero =
      emitter.cast(CastOp::SIToFP, emitter.constant(bitsOf(sum.getType()), 0), sum.getType());
  Value isInexact = emitter.compare(FloatPredicate::one, error, zero);
  Value errorIsPositive = emitter.compare(FloatPredicate::ogt, error, zero);
  Value sumIsPositive = emitter.compare(FloatPredicate::ogt, sum, zero);
  Value shrinks = emitter.binary(IntegerOp::Xor, errorIsPositive, sumIsPositive);
  Value grows = emitter.binary(IntegerOp::Xor, shrinks, emitter.constant(shrinks.getType(), -1));
  return makeOdd(sum, isInexact, grows);
}

/// An integer as f64, rounded to odd; up to 53 bits that is exact.
Value SmallFloats::integerToOddDouble(Value value, bool isSigned) {
  Type type = value.getType(), result = withElement(type, emitter.f64());
  CastOp toFloat = isSigned ? CastOp::SIToFP : CastOp::UIToFP;
  if (widthOf(type) <= 32)
    return emitter.cast(toFloat, value, result);
  // Both halves are exact.
  Value lowMask = emitter.constant(type, 0xffffffff);
  Value highMask = emitter.constant(type, static_cast<int64_t>(0xffffffff00000000));
  Value high = emitter.cast(toFloat, emitter.binary(IntegerOp::And, value, highMask), result);
  Value low = emitter.cast(CastOp::UIToFP, emitter.binary(IntegerOp::And, value, lowMask), result);
  return addToOdd(high, low);
}

/// f32 to bf16, to nearest even, with integer arithmetic: half of a last place is added to the
/// upper half of the bits. A NaN keeps its upper bits and becomes quiet.
Value SmallFloats::roundToBFloat(Value single, Type type) {
  if (target.hasBFloatConversions())
    return emitter.cast(CastOp::FPTrunc, single, type);
  Type wide = bitsOf(single.getType());
  Value bits = emitter.cast(CastOp::Bitcast, single, wide);
  Value sixteen = emitter.constant(wide, 16);
  Value upper = emitter.binary(IntegerOp::LShr, bits, sixteen);
  Value last = emitter.binary(IntegerOp::And, upper, emitter.constant(wide, 1));
  Value bias = emitter.binary(IntegerOp::Add, last, emitter.constant(wide, 0x7fff));
  Value rounded =
      emitter.binary(IntegerOp::LShr, emitter.binary(IntegerOp::Add, bits, bias), sixteen);
  Value quiet = emitter.binary(IntegerOp::Or, upper, emitter.constant(wide, 0x40));
  Value isNaN = emitter.compare(FloatPredicate::uno, single, single);
  Value chosen = emitter.truncate(emitter.select(isNaN, quiet, rounded), bitsOf(type));
  return emitter.cast(CastOp::Bitcast, chosen, type);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// bf16 to f32: the bits become the upper half. Where LLVM had an `fpext` to look through, it would
/// form operations on bf16, whose results it then rounds by a library call.
Value SmallFloats::extendBFloat(Value a, Type type) {
  if (target.hasBFloatConversions())
    return emitter.cast(CastOp::FPExt, a, type);
  Type wide = bitsOf(type);
  Value bits = emitter.zeroExtend(emitter.cast(CastOp::Bitcast, a, bitsOf(a.getType())), wide);
  return emitter.cast(CastOp::Bitcast,
                      emitter.binary(IntegerOp::Shl, bits, emitter.constant(wide, 16)), type);
}

Value SmallFloats::extend(Value a, Type type) {
  // From 16 bits in two steps: each is one instruction.
  Type single = withElement(type, emitter.f32());
  if (getElementTypeOrSelf(a.getType()).isBF16())
    a = extendBFloat(a, single);
  else if (widthOf(a.getType()) == 16)
    a = emitter.cast(CastOp::FPExt, a, single);
  return a.getType() == type ? a : emitter.cast(CastOp::FPExt, a, type);
}

Value SmallFloats::truncate(Value a, Type type) {
  if (a.getType() == type)
    return a;
  if (widthOf(a.getType()) == 64 && isWidened(type))
    a = roundToOddSingle(a);
  return getElementTypeOrSelf(type).isBF16() ? roundToBFloat(a, type)
                                             : emitter.cast(CastOp::FPTrunc, a, type);
}

Value SmallFloats::fromInteger(Value a, Type type, bool isSigned) {
  Type element = getElementTypeOrSelf(type);
  CastOp op = isSigned ? CastOp::SIToFP : CastOp::UIToFP;
  if (element.isBF16())
    return truncate(integerToOddDouble(a, isSigned), type);
  if (!isWidened(type))
    return emitter.cast(op, a, type);
  // Integers that f32 would round are beyond the largest f16, before and after that rounding.
  return truncate(emitter.cast(op, a, withElement(type, emitter.f32())), type);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value SmallFloats::binary(FloatOp op, Value a, Value b, FastMathFlags flags) {
  Type type = a.getType();
  if (!isWidened(type))
    return emitter.binary(op, a, b, flags);
  Type wide = withElement(type, emitter.f32());
  return truncate(emitter.binary(op, extend(a, wide), extend(b, wide), flags), type);
}

Value SmallFloats::choose(StringRef intrinsic, Value a, Value b, FastMathFlags flags) {
  Type type = a.getType();
  if (!isWidened(type))
    return emitter.intrinsic(intrinsic, type, {a, b}, flags);
  Type wide = withElement(type, emitter.f32());
  return truncate(emitter.intrinsic(intrinsic, wide, {extend(a, wide), extend(b, wide)}, flags),
                  type);
}

Value SmallFloats::fma(Value a, Value b, Value c, FastMathFlags flags) {
  Type type = a.getType();
  if (!isWidened(type))
    return emitter.intrinsic("llvm.fma", type, {a, b, c}, flags);
  // The product of two 16-bit floats is exact in f64.
  Type wide = withElement(type, emitter.f64());
  Value product =
      emitter.binary(FloatOp::Mul, extend(a, wide), extend(b, wide), FastMathFlags::none);
  return truncate(addToOdd(product, extend(c, wide)), type);
}

Value SmallFloats::negate(Value a, FastMathFlags flags) {
  if (!isWidened(a.getType()))
    return emitter.negate(a, flags);
  Type bits = bitsOf(a.getType());
  Value flipped = emitter.binary(IntegerOp::Xor, emitter.cast(CastOp::Bitcast, a, bits),
                                 emitter.constant(bits, 0x8000));
  return emitter.cast(CastOp::Bitcast, flipped, a.getType());
}

Value SmallFloats::absolute(Value a, FastMathFlags flags) {
  if (!isWidened(a.getType()))
    return emitter.intrinsic("llvm.fabs", a.getType(), {a}, flags);
  Type bits = bitsOf(a.getType());
  Value cleared = emitter.binary(IntegerOp::And, emitter.cast(CastOp::Bitcast, a, bits),
                                 emitter.constant(bits, 0x7fff));
  return emitter.cast(CastOp::Bitcast, cleared, a.getType());
}

Value SmallFloats::compare(FloatPredicate predicate, Value a, Value b, FastMathFlags flags) {
  if (isWidened(a.getType())) {
    Type wide = withElement(a.getType(), emitter.f32());
    a = extend(a, wide);
    b = extend(b, wide);
  }
  return emitter.compare(predicate, a, b, flags);
}

} // namespace loom::lowering
