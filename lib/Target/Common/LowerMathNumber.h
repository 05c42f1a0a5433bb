//===- LowerMathNumber.h - Expressions of lowered numbers -------*- C++ -*-===//
//
// Floats and integers with the operators of C++, each of which emits one operation, on scalars and
// vectors alike. Nothing is fused or reordered. A double in an expression is a constant in the type
// of the other operand, rounded to it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMATHNUMBER_H
#define LOOM_LIB_TARGET_COMMON_LOWERMATHNUMBER_H

#include "LowerEmitter.h"
#include "mlir/IR/TypeUtilities.h"

namespace loom::lowering {

/// An i1 for each element.
struct Truth {
  Emitter *emitter;
  mlir::Value value;
};

struct Integer {
  Emitter *emitter;
  mlir::Value value;

  Integer like(int64_t number) const {
    return {emitter, emitter->constant(value.getType(), number)};
  }
};

struct Float {
  Emitter *emitter;
  mlir::Value value;

  mlir::Type type() const { return value.getType(); }
  bool isDouble() const { return mlir::getElementTypeOrSelf(type()).isF64(); }
  Float like(double number) const {
    auto vector = llvm::dyn_cast<mlir::VectorType>(type());
    auto attr = mlir::FloatAttr::get(mlir::getElementTypeOrSelf(type()), number);
    return {emitter, emitter->constant(attr, vector ? vector.getNumElements() : 0)};
  }
};

/// A sum of two floats, the second below the last place of the first.
struct Pair {
  Float high, low;
};

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

inline Float binary(FloatOp op, Float a, Float b) {
  return {a.emitter, a.emitter->binary(op, a.value, b.value, FastMathFlags::none)};
}
inline Float operator+(Float a, Float b) { return binary(FloatOp::Add, a, b); }
inline Float operator-(Float a, Float b) { return binary(FloatOp::Sub, a, b); }
inline Float operator*(Float a, Float b) { return binary(FloatOp::Mul, a, b); }
inline Float operator/(Float a, Float b) { return binary(FloatOp::Div, a, b); }
inline Float operator+(Float a, double b) { return a + a.like(b); }
inline Float operator-(Float a, double b) { return a - a.like(b); }
inline Float operator*(Float a, double b) { return a * a.like(b); }
inline Float operator+(double a, Float b) { return b.like(a) + b; }
inline Float operator-(double a, Float b) { return b.like(a) - b; }
inline Float operator/(double a, Float b) { return b.like(a) / b; }
inline Float operator-(Float a) {
  return {a.emitter, a.emitter->negate(a.value, FastMathFlags::none)};
}

inline Float intrinsic(llvm::StringRef name, Float first, llvm::ArrayRef<Float> rest = {}) {
  llvm::SmallVector<mlir::Value> operands = {first.value};
  for (Float operand : rest)
    operands.push_back(operand.value);
  return {first.emitter, first.emitter->intrinsic(name, first.type(), operands)};
}
inline Float fma(Float a, Float b, Float c) { return intrinsic("llvm.fma", a, {b, c}); }
inline Float fma(Float a, double b, Float c) { return fma(a, a.like(b), c); }
inline Float fma(Float a, double b, double c) { return fma(a, a.like(b), a.like(c)); }
inline Float fma(Float a, Float b, double c) { return fma(a, b, a.like(c)); }
inline Float squareRoot(Float a) { return intrinsic("llvm.sqrt", a); }
inline Float magnitude(Float a) { return intrinsic("llvm.fabs", a); }
inline Float withSign(Float a, Float sign) { return intrinsic("llvm.copysign", a, {sign}); }
inline Float truncated(Float a) { return intrinsic("llvm.trunc", a); }

inline Truth compare(FloatPredicate predicate, Float a, Float b) {
  return {a.emitter, a.emitter->compare(predicate, a.value, b.value)};
}
// False of a NaN, but for isNaN and !=.
inline Truth operator<(Float a, Float b) { return compare(FloatPredicate::olt, a, b); }
inline Truth operator>(Float a, Float b) { return compare(FloatPredicate::ogt, a, b); }
inline Truth operator==(Float a, Float b) { return compare(FloatPredicate::oeq, a, b); }
inline Truth operator!=(Float a, Float b) { return compare(FloatPredicate::une, a, b); }
inline Truth operator<(Float a, double b) { return a < a.like(b); }
inline Truth operator>(Float a, double b) { return a > a.like(b); }
inline Truth operator==(Float a, double b) { return a == a.like(b); }
inline Truth isNaN(Float a) { return a != a; }

inline Float select(Truth condition, Float a, Float b) {
  return {a.emitter, a.emitter->select(condition.value, a.value, b.value)};
}
inline Float select(Truth condition, double a, Float b) { return select(condition, b.like(a), b); }
inline Float select(Truth condition, Float a, double b) { return select(condition, a, a.like(b)); }
/// The bounds of a value; a NaN stays.
inline Float atLeast(Float a, double low) { return select(a < low, low, a); }
inline Float atMost(Float a, double high) { return select(a > high, high, a); }

//===----------------------------------------------------------------------===//
// Truth and integers
//===----------------------------------------------------------------------===//

inline Truth operator&(Truth a, Truth b) {
  return {a.emitter, a.emitter->binary(IntegerOp::And, a.value, b.value)};
}
inline Truth operator|(Truth a, Truth b) {
  return {a.emitter, a.emitter->binary(IntegerOp::Or, a.value, b.value)};
}
inline Truth operator^(Truth a, Truth b) {
  return {a.emitter, a.emitter->binary(IntegerOp::Xor, a.value, b.value)};
}
inline Truth operator!(Truth a) {
  return {a.emitter,
          a.emitter->binary(IntegerOp::Xor, a.value, a.emitter->constant(a.value.getType(), -1))};
}

inline Integer binary(IntegerOp op, Integer a, Integer b) {
  return {a.emitter, a.emitter->binary(op, a.value, b.value)};
}
inline Integer operator+(Integer a, Integer b) { return binary(IntegerOp::Add, a, b); }
inline Integer operator-(Integer a, Integer b) { return binary(IntegerOp::Sub, a, b); }
inline Integer operator*(Integer a, Integer b) { return binary(IntegerOp::Mul, a, b); }
inline Integer operator&(Integer a, Integer b) { return binary(IntegerOp::And, a, b); }
inline Integer operator|(Integer a, Integer b) { return binary(IntegerOp::Or, a, b); }
inline Integer operator^(Integer a, Integer b) { return binary(IntegerOp::Xor, a, b); }
inline Integer operator+(Integer a, int64_t b) { return a + a.like(b); }
inline Integer operator-(Integer a, int64_t b) { return a - a.like(b); }
inline Integer operator&(Integer a, int64_t b) { return a & a.like(b); }
inline Integer operator^(Integer a, int64_t b) { return a ^ a.like(b); }
inline Integer operator<<(Integer a, int64_t b) { return binary(IntegerOp::Shl, a, a.like(b)); }
/// By zeros.
inline Integer operator>>(Integer a, int64_t b) { return binary(IntegerOp::LShr, a, a.like(b)); }
inline Integer shiftBySign(Integer a, int64_t b) { return binary(IntegerOp::AShr, a, a.like(b)); }
inline Truth compare(IntPredicate predicate, Integer a, int64_t b) {
  return {a.emitter, a.emitter->compare(predicate, a.value, a.like(b).value)};
}
inline Truth isNegative(Integer a) { return compare(IntPredicate::slt, a, 0); }
inline Truth hasBits(Integer a, int64_t bits) { return compare(IntPredicate::ne, a & bits, 0); }
inline Integer select(Truth condition, Integer a, Integer b) {
  return {a.emitter, a.emitter->select(condition.value, a.value, b.value)};
}
inline Integer resized(Integer a, unsigned bits) {
  unsigned have = mlir::getElementTypeOrSelf(a.value.getType()).getIntOrFloatBitWidth();
  if (have == bits)
    return a;
  mlir::Type type = a.emitter->integer(bits);
  return {a.emitter,
          have < bits ? a.emitter->zeroExtend(a.value, type) : a.emitter->truncate(a.value, type)};
}

//===----------------------------------------------------------------------===//
// Bits of floats
//===----------------------------------------------------------------------===//

/// Explicit bits of the significand, and what is added to exponents.
inline int mantissaBits(Float a) { return a.isDouble() ? 52 : 23; }
inline int exponentBias(Float a) { return a.isDouble() ? 1023 : 127; }

inline Integer bitsOf(Float a) {
  return {a.emitter,
          a.emitter->cast(CastOp::Bitcast, a.value, a.emitter->integer(a.isDouble() ? 64 : 32))};
}
inline Float floatOf(Integer bits, Float like) {
  return {bits.emitter, bits.emitter->reinterpret(bits.value, like.type())};
}
inline Truth hasSign(Float a) { return isNegative(bitsOf(a)); }
inline Float flipSign(Float a, Truth condition) { return select(condition, -a, a); }

//===----------------------------------------------------------------------===//
// Exact sums and products (Dekker 1971, Knuth TAOCP 4.2.2)
//===----------------------------------------------------------------------===//

/// |a| >= |b|, or a is zero.
inline Pair sumOfOrdered(Float a, Float b) {
  Float sum = a + b;
  return {sum, (a - sum) + b};
}
inline Pair exactSum(Float a, Float b) {
  Float sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
inline Pair exactProduct(Float a, Float b) {
  Float product = a * b;
  return {product, fma(a, b, -product)};
}
/// Times a constant in two parts.
inline Pair product(Pair a, llvm::ArrayRef<double> constant) {
  Float high = a.high * constant[0];
  Float low = fma(a.high, a.high.like(constant[0]), -high);
  return {high, fma(a.high, constant[1], fma(a.low, constant[0], low))};
}

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERMATHNUMBER_H
