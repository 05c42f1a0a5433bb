//===- LowerMath.cpp - Mathematical functions in arithmetic ---------------===//
#include "LowerMath.h"
#include "LowerMathCoefficients.h"
#include "LowerMathFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace loom::lowering {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const MathConstants &constantsOf(Float x) {
  namespace s = coefficients::f32;
  namespace d = coefficients::f64;
  static const MathConstants single = {
      s::ln2,    s::log10Of2,  s::ln2Full, s::log2OfE,  s::log10OfE, s::twoThirds, s::third,
      s::halfPi, s::quarterPi, s::twoPi,   s::rootHalf, s::exp,      s::log,       s::logTail,
      s::sin,    s::cos,       s::atan,    s::asin,     s::erf,      s::erfc};
  static const MathConstants twice = {
      d::ln2,    d::log10Of2,  d::ln2Full, d::log2OfE,  d::log10OfE, d::twoThirds, d::third,
      d::halfPi, d::quarterPi, d::twoPi,   d::rootHalf, d::exp,      d::log,       d::logTail,
      d::sin,    d::cos,       d::atan,    d::asin,     d::erf,      d::erfc};
  return x.isDouble() ? twice : single;
}

Float polynomial(Float x, ArrayRef<double> coefficients) {
  Float sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

Rounded roundToInteger(Float x, double factor) {
  // Beside this number there is no room for a fraction: the sum is rounded, and its last bits count
  // from those of the number.
  Float middle = x.like(std::ldexp(1.5, mantissaBits(x)));
  Float shifted = fma(x, factor, middle);
  return {shifted - middle, bitsOf(shifted) - bitsOf(middle)};
}

Value any(Truth condition) {
  if (!isa<mlir::VectorType>(condition.value.getType()))
    return condition.value;
  Emitter &emitter = *condition.emitter;
  int64_t count = cast<mlir::VectorType>(condition.value.getType()).getNumElements();
  Value bits = emitter.reinterpret(condition.value, emitter.integer(count));
  return emitter.compare(IntPredicate::ne, bits, emitter.constant(bits.getType(), 0));
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erf(x), |x| <= 1.
static Float smallError(Float x) { return fma(x, polynomial(x * x, constantsOf(x).erf), x); }

/// Beyond this erfc is zero.
static double errorReach(Float x) { return x.isDouble() ? 28.0 : 10.2; }

/// factor * erfc(x) of x from 1/2 to errorReach; `square` is x^2.
static Float largeErrorComplement(Float x, Pair square, Float factor) {
  Float t = (x - 3.0) / (x + 3.0);
  Float rest = polynomial(t, constantsOf(x).erfc) / fma(x, 2.0, 1.0);
  return scaledExponential(square, rest * factor);
}

static Float largeErrorComplement(Float x) {
  x = atMost(atLeast(x, 0.5), errorReach(x));
  return largeErrorComplement(x, exactProduct(x, x), x.like(1.0));
}

static Float errorFunction(Float x) {
  Float size = magnitude(x);
  Float result = select(size > 1.0, 1.0 - largeErrorComplement(size), smallError(size));
  return withSign(result, x);
}

static Float errorComplement(Float x) {
  Float size = magnitude(x), large = largeErrorComplement(size);
  large = select(x < 0.0, 2.0 - large, large);
  return select(size > 0.5, large, 1.0 - smallError(x));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Float softplus(Float x) {
  return select(x > 0.0, x, 0.0) + logarithmOfOnePlus(exponential(-magnitude(x)));
}

/// x/2 (1 + erf(x / sqrt 2)) = x/2 erfc(-x / sqrt 2), the better form below zero.
static Float geluOfError(Float x) {
  double rootHalf = constantsOf(x).rootHalf[0];
  // Beyond the bound the complement is zero.
  double bound = errorReach(x) * M_SQRT2;
  Float size = atMost(magnitude(x), bound), scaledSize = size * rootHalf;
  Float half = atMost(atLeast(x, -bound), bound) * 0.5;
  Pair square = exactProduct(size, size); // of which half is the square of the scaled size
  Float tail = largeErrorComplement(scaledSize, {square.high * 0.5, square.low * 0.5}, half);
  Float large = select(x < 0.0, tail, x - tail);
  return select(scaledSize > 0.5, large, half * (1.0 + smallError(x * rootHalf)));
}

/// x/2 (1 + tanh(u)) = x logistic(2 u), u = sqrt(2/pi) (x + 0.044715 x^3).
static Float geluOfTangent(Float x) {
  double slope = 2.0 * std::sqrt(M_2_PI);
  return timesLogistic(x, x * fma(x * x, slope * 0.044715, slope));
}

//===----------------------------------------------------------------------===//
// The remainder
//===----------------------------------------------------------------------===//

namespace {

/// A positive f64 as significand 2^exponent; the significand is at least 1 and below 2.
struct Significand {
  Float value;
  Integer exponent;
};

} // namespace

static Significand significandOf(Float x, bool mayBeSubnormal) {
  constexpr int kShift = 54;
  Integer lift = bitsOf(x).like(0);
  if (mayBeSubnormal) {
    Truth isSubnormal = x < std::ldexp(1.0, -1022);
    x = select(isSubnormal, x * std::ldexp(1.0, kShift), x);
    lift = select(isSubnormal, lift.like(kShift), lift);
  }
  Integer bits = bitsOf(x), one = bitsOf(x.like(1.0));
  return {floatOf((bits & ((int64_t(1) << 52) - 1)) | one, x),
          (bits >> 52) - exponentBias(x) - lift};
}

static Float powerOfTwo(Integer exponent, Float like) {
  return floatOf((exponent + exponentBias(like)) << mantissaBits(like), like);
}

static Integer bounded(Integer x, int64_t low, int64_t high) {
  Emitter &emitter = *x.emitter;
  Type type = x.value.getType();
  Value raised = emitter.intrinsic("llvm.smax", type, {x.value, x.like(low).value});
  return {&emitter, emitter.intrinsic("llvm.smin", type, {raised, x.like(high).value})};
}

/// A step of a long division: r 2^bits modulo `divisor`, with r below 2 and at most 51 bits. The
/// quotient rounded to f64 is at most one too large, and the difference is exact.
static Float divisionStep(Float r, Integer bits, Float divisor) {
  Float dividend = r * powerOfTwo(bits, r);
  Float quotient = truncated(dividend / divisor);
  Float rest = fma(-quotient, divisor, dividend);
  return select(rest < 0.0, rest + divisor, rest);
}

/// Of f64 that are no poison.
static Float remainderOf(Float dividend, Float divisor, bool mayBeSubnormal) {
  Emitter &emitter = *dividend.emitter;
  Float a = magnitude(dividend), b = magnitude(divisor);
  Significand first = significandOf(a, mayBeSubnormal), second = significandOf(b, mayBeSubnormal);
  Integer bits = first.exponent - second.exponent;
  Block *loop = emitter.makeBlock({a.type(), bits.value.getType()});
  Block *exit = emitter.makeBlock();
  emitter.branch(loop, {first.value.value, bits.value});
  emitter.enter(loop);
  Float r = {&emitter, loop->getArgument(0)};
  bits = {&emitter, loop->getArgument(1)};
  // Where all bits are through, a step with none changes nothing.
  Integer step = bounded(bits, 0, 51);
  r = divisionStep(r, step, second.value);
  bits = bits - step;
  emitter.branchIf(any(compare(IntPredicate::sgt, bits, 0)), loop, {r.value, bits.value}, exit, {});
  emitter.enter(exit);
  Integer half = shiftBySign(second.exponent, 1);
  Float result = r * powerOfTwo(half, r) * powerOfTwo(second.exponent - half, r);
  result = select(a < b, a, result);
  Truth isDefined = (a < kInfinity) & (b > 0.0);
  return withSign(select(isDefined, result, kNaN), dividend);
}

Value emitRemainder(Emitter &emitter, Value dividend, Value divisor) {
  bool isDouble = getElementTypeOrSelf(dividend.getType()).isF64();
  auto operand = [&](Value value) {
    value = emitter.freeze(value);
    return Float{&emitter, isDouble ? value : emitter.cast(CastOp::FPExt, value, emitter.f64())};
  };
  // Every f32 is a normal f64.
  return remainderOf(operand(dividend), operand(divisor), /*mayBeSubnormal=*/isDouble).value;
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

Value emitMath(Emitter &emitter, LanewiseFunction function, ArrayRef<Value> operands) {
  using F = LanewiseFunction;
  Float x = {&emitter, operands[0]};
  auto second = [&] { return Float{&emitter, operands[1]}; };
  switch (function) {
  case F::expf:
    return exponential(x).value;
  case F::exp2f:
    return exponential2(x).value;
  case F::expm1f:
    return exponentialMinusOne(x).value;
  case F::logf:
    return logarithm(x, LogBase::E).value;
  case F::log2f:
    return logarithm(x, LogBase::Two).value;
  case F::log10f:
    return logarithm(x, LogBase::Ten).value;
  case F::log1pf:
    return logarithmOfOnePlus(x).value;
  case F::sqrtf:
    return squareRoot(x).value;
  case F::rsqrtf:
    return (1.0 / squareRoot(x)).value;
  case F::cbrtf:
    return cubeRoot(x).value;
  case F::powf:
    return powerOf(x, second()).value;
  case F::sinf:
    return sine(x).value;
  case F::cosf:
    return cosine(x).value;
  case F::tanf:
    return tangent(x).value;
  case F::asinf:
    return arcSine(x).value;
  case F::acosf:
    return arcCosine(x).value;
  case F::atanf:
    return arcTangent(x, x.like(1.0)).value;
  case F::atan2f:
    return arcTangent(x, second()).value;
  case F::sinturnsf:
    return sineOfTurns(x).value;
  case F::costurnsf:
    return cosineOfTurns(x).value;
  case F::sinhf:
    return hyperbolicSine(x).value;
  case F::coshf:
    return hyperbolicCosine(x).value;
  case F::tanhf:
    return hyperbolicTangent(x).value;
  case F::asinhf:
    return inverseHyperbolicSine(x).value;
  case F::acoshf:
    return inverseHyperbolicCosine(x).value;
  case F::atanhf:
    return inverseHyperbolicTangent(x).value;
  case F::erff:
    return errorFunction(x).value;
  case F::erfcf:
    return errorComplement(x).value;
  case F::logisticf:
    return timesLogistic(x.like(1.0), x).value;
  case F::siluf:
    return timesLogistic(x, x).value;
  case F::softplusf:
    return softplus(x).value;
  default:
    llvm_unreachable("not a mathematical function of floats alone");
  }
}

Value emitGelu(Emitter &emitter, GeluVariant variant, double scale, Value operand) {
  Float x = {&emitter, operand};
  switch (variant) {
  case GeluVariant::erf:
    return geluOfError(x).value;
  case GeluVariant::tanh:
    return geluOfTangent(x).value;
  case GeluVariant::logistic:
    return timesLogistic(x, x * scale).value;
  }
  llvm_unreachable("covered switch");
}

} // namespace loom::lowering
