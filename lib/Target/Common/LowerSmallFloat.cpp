//===- LowerSmallFloat.cpp - Arithmetic of floats of 8 and 16 bits --------===//
#include "LowerSmallFloat.h"
#include "LowerTarget.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using llvm::APFloat;

namespace loom::lowering {

static unsigned widthOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

static bool isF8(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type>(element); }

/// The element type in question: the given one, or that of the operands.
static Type elementOf(Type element, Value a) {
  return element ? element : getElementTypeOrSelf(a.getType());
}

bool SmallFloats::isWidened(Type element) const {
  return isF8(element) || element.isBF16() || (element.isF16() && !target.hasHalfArithmetic());
}

bool SmallFloats::isCarriedAsBits(Type element) const {
  return isF8(element) || (element.isBF16() && !target.hasBFloatConversions());
}

TypedAttr SmallFloats::carried(TypedAttr literal) const {
  auto number = dyn_cast<FloatAttr>(literal);
  if (!number || !isCarriedAsBits(number.getType()))
    return literal;
  auto bits = IntegerType::get(literal.getContext(), widthOf(number.getType()));
  return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
}

Value SmallFloats::bitsOf(Value a) {
  if (isa<IntegerType>(getElementTypeOrSelf(a.getType())))
    return a;
  return emitter.cast(CastOp::Bitcast, a, emitter.integer(widthOf(a.getType())));
}

Value SmallFloats::fromBits(Value bits, Type element) {
  return isCarriedAsBits(element) ? bits : emitter.cast(CastOp::Bitcast, bits, element);
}

Value SmallFloats::constant(double number, Type element, Type like) {
  auto type = cast<FloatType>(element);
  APFloat value(number);
  bool isInexact;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  auto vector = dyn_cast<mlir::VectorType>(like);
  int64_t lanes = vector ? vector.getNumElements() : 0;
  return emitter.constant(carried(FloatAttr::get(type, value)), lanes);
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Moves an inexact `value` with an even last bit to the neighbour on the side of the exact result:
/// away from zero when `grows`, else towards it.
Value SmallFloats::makeOdd(Value value, Value isInexact, Value grows) {
  Value bits = bitsOf(value);
  Type type = bits.getType();
  Value one = emitter.constant(type, 1), zero = emitter.constant(type, 0);
  Value isEven = emitter.compare(IntPredicate::eq, emitter.binary(IntegerOp::And, bits, one), zero);
  Value moves = emitter.binary(IntegerOp::And, isInexact, isEven);
  Value step = emitter.select(grows, one, emitter.constant(type, -1));
  Value moved = emitter.binary(IntegerOp::Add, bits, emitter.select(moves, step, zero));
  return emitter.cast(CastOp::Bitcast, moved, value.getType());
}

/// f64 to f32, rounded to odd.
Value SmallFloats::roundToOddSingle(Value value) {
  Value nearest = emitter.cast(CastOp::FPTrunc, value, emitter.f32());
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
  Value zero = constant(0.0, emitter.f64(), sum.getType());
  Value isInexact = emitter.compare(FloatPredicate::one, error, zero);
  Value errorIsPositive = emitter.compare(FloatPredicate::ogt, error, zero);
  Value sumIsPositive = emitter.compare(FloatPredicate::ogt, sum, zero);
  Value shrinks = emitter.binary(IntegerOp::Xor, errorIsPositive, sumIsPositive);
  Value grows = emitter.binary(IntegerOp::Xor, shrinks, emitter.constant(shrinks.getType(), -1));
  return makeOdd(sum, isInexact, grows);
}

/// An integer as f64, rounded to odd; up to 53 bits that is exact.
Value SmallFloats::integerToOddDouble(Value value, bool isSigned) {
  Type type = value.getType();
  CastOp toFloat = isSigned ? CastOp::SIToFP : CastOp::UIToFP;
  if (widthOf(type) <= 32)
    return emitter.cast(toFloat, value, emitter.f64());
  // Both halves are exact.
  Value lowMask = emitter.constant(type, 0xffffffff);
  Value highMask = emitter.constant(type, static_cast<int64_t>(0xffffffff00000000));
  Value high =
      emitter.cast(toFloat, emitter.binary(IntegerOp::And, value, highMask), emitter.f64());
  Value low =
      emitter.cast(CastOp::UIToFP, emitter.binary(IntegerOp::And, value, lowMask), emitter.f64());
  return addToOdd(high, low);
}

/// f32 to bf16, to nearest even, with integer arithmetic: half of a last place is added to the
/// upper half of the bits. A NaN keeps its upper bits and becomes quiet.
Value SmallFloats::roundToBFloat(Value single) {
  Type type = BFloat16Type::get(single.getContext());
  if (target.hasBFloatConversions())
    return emitter.cast(CastOp::FPTrunc, single, type);
  Value bits = bitsOf(single);
  Type wide = bits.getType();
  Value sixteen = emitter.constant(wide, 16);
  Value upper = emitter.binary(IntegerOp::LShr, bits, sixteen);
  Value last = emitter.binary(IntegerOp::And, upper, emitter.constant(wide, 1));
  Value bias = emitter.binary(IntegerOp::Add, last, emitter.constant(wide, 0x7fff));
  Value rounded =
      emitter.binary(IntegerOp::LShr, emitter.binary(IntegerOp::Add, bits, bias), sixteen);
  Value quiet = emitter.binary(IntegerOp::Or, upper, emitter.constant(wide, 0x40));
  Value isNaN = emitter.compare(FloatPredicate::uno, single, single);
  return emitter.truncate(emitter.select(isNaN, quiet, rounded), emitter.integer(16));
}

namespace {

/// A float of 8 bits (OCP 8-bit Floating Point Specification, section 5).
struct TinyFormat {
  unsigned mantissa; ///< bits
  unsigned bias;
  unsigned overflow; ///< what numbers beyond the largest one become
};

constexpr unsigned kTinyNaN = 0x7f; ///< of both formats

} // namespace

static TinyFormat tinyFormat(Type element) {
  return isa<Float8E4M3FNType>(element) ? TinyFormat{3, 7, 0x7e} : TinyFormat{2, 15, 0x7c};
}

Value SmallFloats::roundToF8(Value single, Type element) {
  TinyFormat format = tinyFormat(element);
  Value bits = bitsOf(single);
  Type wide = bits.getType();
  auto number = [&](int64_t value) { return emitter.constant(wide, value); };
  Value magnitude = emitter.binary(IntegerOp::And, bits, number(0x7fffffff));
  // To nearest even where a result is normal: half of a last place is added.
  unsigned dropped = 23 - format.mantissa;
  Value last = emitter.binary(
      IntegerOp::And, emitter.binary(IntegerOp::LShr, magnitude, number(dropped)), number(1));
  Value biased =
      emitter.binary(IntegerOp::Add, emitter.binary(IntegerOp::Add, magnitude, last),
                     number((1 << (dropped - 1)) - 1 - (int64_t(127 - format.bias) << 23)));
  Value normal = emitter.binary(IntegerOp::LShr, biased, number(dropped));
  // Else the sum with a number whose last place is the smallest result.
  int64_t aligning = int64_t(127 + 1 + 23 - format.bias - format.mantissa) << 23;
  Value aligned = emitter.binary(FloatOp::Add, fromBits(magnitude, emitter.f32()),
                                 fromBits(number(aligning), emitter.f32()), FastMathFlags::none);
  Value subnormal = emitter.binary(IntegerOp::Sub, bitsOf(aligned), number(aligning));
  Value isNormal =
      emitter.compare(IntPredicate::uge, magnitude, number(int64_t(128 - format.bias) << 23));
  Value result = emitter.select(isNormal, normal, subnormal);
  Value overflow = number(format.overflow);
  result = emitter.select(emitter.compare(IntPredicate::ugt, result, overflow), overflow, result);
  Value isNaN = emitter.compare(IntPredicate::ugt, magnitude, number(0x7f800000));
  result = emitter.select(isNaN, number(kTinyNaN), result);
  Value sign = emitter.binary(IntegerOp::And, emitter.binary(IntegerOp::LShr, bits, number(24)),
                              number(0x80));
  return emitter.truncate(emitter.binary(IntegerOp::Or, result, sign), emitter.integer(8));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// bf16 to f32: the bits become the upper half. Where LLVM had an `fpext` to look through, it would
/// form operations on bf16, whose results it then rounds by a library call.
Value SmallFloats::extendBFloat(Value a) {
  if (target.hasBFloatConversions())
    return emitter.cast(CastOp::FPExt, a, emitter.f32());
  Value bits = emitter.zeroExtend(bitsOf(a), emitter.integer(32));
  Value upper = emitter.binary(IntegerOp::Shl, bits, emitter.constant(bits.getType(), 16));
  return emitter.cast(CastOp::Bitcast, upper, emitter.f32());
}

/// f8 to f32.
Value SmallFloats::extendF8(Value a, Type element) {
  if (isa<Float8E5M2Type>(element)) { // the upper half of an f16
    Value bits = emitter.zeroExtend(a, emitter.integer(16));
    bits = emitter.binary(IntegerOp::Shl, bits, emitter.constant(bits.getType(), 8));
    return extend(emitter.cast(CastOp::Bitcast, bits, Float16Type::get(a.getContext())),
                  emitter.f32());
  }
  Value bits = emitter.zeroExtend(a, emitter.integer(32));
  Type wide = bits.getType();
  auto number = [&](int64_t value) { return emitter.constant(wide, value); };
  TinyFormat format = tinyFormat(element);
  Value magnitude = emitter.binary(IntegerOp::And, bits, number(0x7f));
  Value shifted = emitter.binary(IntegerOp::Shl, magnitude, number(23 - format.mantissa));
  Value normal = emitter.binary(IntegerOp::Add, shifted, number(int64_t(127 - format.bias) << 23));
  // A subnormal counts in steps of the smallest number.
  double step = std::ldexp(1.0, 1 - static_cast<int>(format.bias + format.mantissa));
  Value subnormal =
      emitter.binary(FloatOp::Mul, emitter.cast(CastOp::SIToFP, magnitude, emitter.f32()),
                     constant(step, emitter.f32(), wide), FastMathFlags::none);
  Value isNormal = emitter.compare(IntPredicate::uge, magnitude, number(1 << format.mantissa));
  Value result = emitter.select(isNormal, normal, bitsOf(subnormal));
  Value isNaN = emitter.compare(IntPredicate::eq, magnitude, number(kTinyNaN));
  result = emitter.select(isNaN, number(0x7fc00000), result);
  Value sign = emitter.binary(IntegerOp::Shl, emitter.binary(IntegerOp::And, bits, number(0x80)),
                              number(24));
  return emitter.cast(CastOp::Bitcast, emitter.binary(IntegerOp::Or, result, sign), emitter.f32());
}

Value SmallFloats::extend(Value a, Type type) {
  // From 16 bits in two steps: each is one instruction.
  type = emitter.shaped(getElementTypeOrSelf(type), a.getType());
  if (widthOf(a.getType()) == 16)
    a = emitter.cast(CastOp::FPExt, a, emitter.f32());
  return a.getType() == type ? a : emitter.cast(CastOp::FPExt, a, type);
}

Value SmallFloats::truncate(Value a, Type type) { return narrow(a, getElementTypeOrSelf(type)); }

Value SmallFloats::widen(Value a, Type element) {
  if (isF8(element))
    return extendF8(a, element);
  if (element.isBF16())
    return extendBFloat(a);
  return widthOf(element) < 32 ? extend(a, emitter.f32()) : a;
}

Value SmallFloats::narrow(Value a, Type element) {
  if (getElementTypeOrSelf(a.getType()) == element)
    return a;
  if (widthOf(a.getType()) == 64 && isWidened(element))
    a = roundToOddSingle(a);
  if (isF8(element))
    return roundToF8(a, element);
  return element.isBF16() ? roundToBFloat(a) : emitter.cast(CastOp::FPTrunc, a, element);
}

Value SmallFloats::convert(Value a, Type from, Type to) {
  if (from == to)
    return a;
  if (widthOf(to) > widthOf(from) && widthOf(to) >= 32)
    return extend(widen(a, from), to);
  // Between narrow formats f32 holds everything.
  return narrow(widen(a, from), to);
}

Value SmallFloats::fromInteger(Value a, Type to, bool isSigned) {
  Type element = getElementTypeOrSelf(to);
  if (widthOf(a.getType()) < 32) {
    a = isSigned ? emitter.cast(CastOp::SExt, a, emitter.integer(32))
                 : emitter.zeroExtend(a, emitter.integer(32));
    isSigned = true;
  }
  CastOp op = isSigned ? CastOp::SIToFP : CastOp::UIToFP;
  if (element.isBF16())
    return narrow(integerToOddDouble(a, isSigned), element);
  if (!isWidened(element))
    return emitter.cast(op, a, element);
  // Integers that f32 would round are beyond the largest number of other narrow formats, before and
  // after that rounding.
  return narrow(emitter.cast(op, a, emitter.f32()), element);
}

Value SmallFloats::toInteger(Value a, Type from, Type type, bool isSigned) {
  a = widen(a, from);
  Type integer = getElementTypeOrSelf(type);
  // What fits fewer bits fits 32 bits with a sign.
  bool isNarrow = widthOf(integer) < 32;
  CastOp op = isSigned || isNarrow ? CastOp::FPToSI : CastOp::FPToUI;
  Value result = emitter.cast(op, a, isNarrow ? emitter.integer(32) : integer);
  return isNarrow ? emitter.truncate(result, integer) : result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value SmallFloats::computeWide(ArrayRef<Value> operands, Type element,
                               llvm::function_ref<Value(ArrayRef<Value>)> compute) {
  if (!isWidened(element))
    return compute(operands);
  SmallVector<Value> wide =
      llvm::map_to_vector(operands, [&](Value operand) { return widen(operand, element); });
  return narrow(compute(wide), element);
}

Value SmallFloats::binary(FloatOp op, Value a, Value b, FastMathFlags flags, Type element) {
  return computeWide({a, b}, elementOf(element, a), [&](ArrayRef<Value> operands) {
    return emitter.binary(op, operands[0], operands[1], flags);
  });
}

Value SmallFloats::choose(StringRef intrinsic, Value a, Value b, FastMathFlags flags,
                          Type element) {
  return computeWide({a, b}, elementOf(element, a), [&](ArrayRef<Value> operands) {
    return emitter.intrinsic(intrinsic, operands[0].getType(), operands, flags);
  });
}

Value SmallFloats::unary(StringRef intrinsic, Value a, FastMathFlags flags, Type element) {
  return computeWide({a}, elementOf(element, a), [&](ArrayRef<Value> operands) {
    return emitter.intrinsic(intrinsic, operands[0].getType(), operands, flags);
  });
}

Value SmallFloats::fma(Value a, Value b, Value c, FastMathFlags flags, Type element) {
  element = elementOf(element, a);
  if (!isWidened(element))
    return emitter.intrinsic("llvm.fma", a.getType(), {a, b, c}, flags);
  // The product of two narrow floats is exact in f64.
  auto wide = [&](Value value) { return extend(widen(value, element), emitter.f64()); };
  Value product = emitter.binary(FloatOp::Mul, wide(a), wide(b), FastMathFlags::none);
  return narrow(addToOdd(product, wide(c)), element);
}

Value SmallFloats::negate(Value a, FastMathFlags flags, Type element) {
  element = elementOf(element, a);
  if (!isWidened(element))
    return emitter.negate(a, flags);
  Value bits = bitsOf(a);
  Value sign = emitter.constant(bits.getType(), int64_t(1) << (widthOf(element) - 1));
  return fromBits(emitter.binary(IntegerOp::Xor, bits, sign), element);
}

Value SmallFloats::absolute(Value a, FastMathFlags flags, Type element) {
  element = elementOf(element, a);
  if (!isWidened(element))
    return emitter.intrinsic("llvm.fabs", a.getType(), {a}, flags);
  Value bits = bitsOf(a);
  Value rest = emitter.constant(bits.getType(), llvm::maxIntN(widthOf(element)));
  return fromBits(emitter.binary(IntegerOp::And, bits, rest), element);
}

Value SmallFloats::copySign(Value magnitude, Value sign, FastMathFlags flags, Type element) {
  element = elementOf(element, magnitude);
  if (!isWidened(element))
    return emitter.intrinsic("llvm.copysign", magnitude.getType(), {magnitude, sign}, flags);
  Value number = bitsOf(magnitude), signBits = bitsOf(sign);
  Value rest = emitter.constant(number.getType(), llvm::maxIntN(widthOf(element)));
  Value top = emitter.constant(number.getType(), llvm::minIntN(widthOf(element)));
  Value joined = emitter.binary(IntegerOp::Or, emitter.binary(IntegerOp::And, number, rest),
                                emitter.binary(IntegerOp::And, signBits, top));
  return fromBits(joined, element);
}

Value SmallFloats::compare(FloatPredicate predicate, Value a, Value b, FastMathFlags flags,
                           Type element) {
  element = elementOf(element, a);
  if (isWidened(element)) {
    a = widen(a, element);
    b = widen(b, element);
  }
  return emitter.compare(predicate, a, b, flags);
}

Value SmallFloats::test(Test test, Value a, Type element) {
  // A NaN has larger bits than the infinity has, or than the largest number where there is none.
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  bool hasInfinity = APFloat::semanticsHasInf(semantics);
  APFloat largest = hasInfinity ? APFloat::getInf(semantics) : APFloat::getLargest(semantics);
  Value bits = bitsOf(a);
  Type type = bits.getType();
  Value magnitude =
      emitter.binary(IntegerOp::And, bits, emitter.constant(type, llvm::maxIntN(widthOf(element))));
  Value limit = emitter.constant(type, largest.bitcastToAPInt().getSExtValue());
  switch (test) {
  case Test::NaN:
    return emitter.compare(IntPredicate::sgt, magnitude, limit);
  case Test::Infinite:
    if (!hasInfinity)
      return emitter.constant(emitter.shaped(emitter.integer(1), type), 0);
    return emitter.compare(IntPredicate::eq, magnitude, limit);
  case Test::Finite:
    return emitter.compare(hasInfinity ? IntPredicate::slt : IntPredicate::sle, magnitude, limit);
  }
  llvm_unreachable("covered switch");
}

} // namespace loom::lowering
