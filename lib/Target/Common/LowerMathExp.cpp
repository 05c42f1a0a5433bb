//===- LowerMathExp.cpp - Exponentials, logarithms and powers -------------===//
#include "LowerMathFunctions.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;

namespace loom::lowering {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Exponentials: 2^k (1 + s), with an integer k and s from -0.3 to 0.42
//===----------------------------------------------------------------------===//

namespace {

struct Exponential {
  Integer exponent;
  Float rest;
};

} // namespace

/// 2^exponent, where that is a normal number.
static Float powerOfTwo(Integer exponent, Float like) {
  return floatOf((exponent + exponentBias(like)) << mantissaBits(like), like);
}

/// x 2^exponent, in two steps: the first is exact, so that a subnormal result is rounded once. The
/// exponent is at most twice as large as those of the type.
static Float scaled(Float x, Integer exponent) {
  Integer half = shiftBySign(exponent, 1);
  return x * powerOfTwo(half, x) * powerOfTwo(exponent - half, x);
}

/// e^r - 1 of |r| <= ln(2)/2; r.low is below the last place of r.high.
static Float smallExponential(Pair r) {
  Float square = r.high * r.high;
  return r.high + fma(square, polynomial(r.high, constantsOf(r.high).exp), r.low);
}

/// The parts of e^(x + low).
static Exponential reduceExponential(Float x, std::optional<Float> low = std::nullopt) {
  const MathConstants &c = constantsOf(x);
  Rounded k = roundToInteger(x, c.log2OfE[0]);
  Float first = fma(k.number, -c.ln2[0], x), second = k.number * c.ln2[1];
  Float high = first - second;
  Float rest = (first - high) - second;
  return {k.integer, smallExponential(low ? exactSum(high, rest + *low) : Pair{high, rest})};
}

/// Where e^x, times 2 or half, is neither zero nor infinite, and a little more.
static Float inExponentialRange(Float x) {
  return x.isDouble() ? atMost(atLeast(x, -747.0), 712.0) : atMost(atLeast(x, -105.0), 90.0);
}

Float exponential(Float x) {
  Exponential e = reduceExponential(inExponentialRange(x));
  return scaled(1.0 + e.rest, e.exponent);
}

Float timesLogistic(Float factor, Float x) {
  // With e = e^-|x|: factor / (1 + e), and below zero factor e / (1 + e). Below the bound that is
  // zero, whatever the factor.
  double bound = x.isDouble() ? 760.0 : 120.0;
  Exponential e = reduceExponential(-atMost(magnitude(x), bound));
  Float inverse = 1.0 / (scaled(1.0 + e.rest, e.exponent) + 1.0);
  Float small = scaled((1.0 + e.rest) * inverse * atLeast(factor, -bound), e.exponent);
  return select(x < 0.0, small, factor * inverse);
}

Float scaledExponential(Pair square, Float factor) {
  Exponential e = reduceExponential(-square.high, -square.low);
  return scaled((1.0 + e.rest) * factor, e.exponent);
}

/// The parts of 2^(x + low).
static Exponential reduceExponential2(Float x, std::optional<Float> low = std::nullopt) {
  Rounded k = roundToInteger(x, 1.0);
  Float rest = x - k.number;
  Pair fraction = low ? exactSum(rest, *low) : Pair{rest, rest.like(0.0)};
  return {k.integer, smallExponential(product(fraction, constantsOf(x).ln2Full))};
}

Float exponential2(Float x) {
  x = x.isDouble() ? atMost(atLeast(x, -1077.0), 1026.0) : atMost(atLeast(x, -152.0), 130.0);
  Exponential e = reduceExponential2(x);
  return scaled(1.0 + e.rest, e.exponent);
}

/// Below this a function that begins with x is x.
static double negligible(Float x) { return std::ldexp(1.0, x.isDouble() ? -60 : -30); }

Float exponentialMinusOne(Float x) {
  // Below the lower bound the result is -1, above the upper one infinite.
  Exponential e = reduceExponential(x.isDouble() ? atMost(atLeast(x, -45.0), 710.0)
                                                 : atMost(atLeast(x, -25.0), 89.0));
  // By half as much, since 2^k may be infinite where the result is not.
  Float half = powerOfTwo(e.exponent - 1, x);
  Float result = fma(half, e.rest, half - 0.5) * 2.0;
  return select(magnitude(x) < x.like(negligible(x)), x, result);
}

//===----------------------------------------------------------------------===//
// Logarithms: k ln(2) + 2 atanh(s), with an integer k and |s| < 0.1716
//===----------------------------------------------------------------------===//

namespace {

struct Logarithm {
  Float exponent;
  Pair s;
};

} // namespace

/// The parts of the logarithm of x + low, a positive number. With `low` x is normal and at least
/// 2^-60.
static Logarithm reduceLogarithm(Float x, std::optional<Float> low = std::nullopt) {
  int mantissa = mantissaBits(x);
  Truth isSubnormal = x < x.like(std::ldexp(1.0, 1 - exponentBias(x)));
  if (!low)
    x = select(isSubnormal, x * std::ldexp(1.0, mantissa + 1), x);
  // The exponent changes at sqrt(1/2), not at 1.
  Integer bits = bitsOf(x), rootHalf = bitsOf(x.like(constantsOf(x).rootHalf[0]));
  Integer k = shiftBySign(bits - rootHalf, mantissa);
  Float m = floatOf(bits - (k << mantissa), x);
  Float middle = x.like(std::ldexp(1.5, mantissa));
  Float exponent = floatOf(k + bitsOf(middle), x) - middle;
  if (!low)
    exponent = select(isSubnormal, exponent - double(mantissa + 1), exponent);
  // s = f / (2 + f) in two parts.
  Float f = m - 1.0;
  Pair denominator = sumOfOrdered(x.like(2.0), f);
  std::optional<Float> rest;
  if (low) {
    // Beside a very large x the rest does not matter.
    int64_t largest = exponentBias(x) - 1;
    Integer down = select(compare(IntPredicate::sgt, k, largest), k.like(largest), k);
    rest = *low * powerOfTwo(k.like(0) - down, x);
    denominator.low = denominator.low + *rest;
  }
  Float inverse = 1.0 / denominator.high;
  Float s = f * inverse;
  Float remainder = fma(-s, denominator.low, fma(-s, denominator.high, f));
  if (rest)
    remainder = remainder + *rest;
  return {exponent, {s, remainder * inverse}};
}

static Float finishLogarithm(Logarithm l, LogBase base) {
  const MathConstants &c = constantsOf(l.exponent);
  Float z = l.s.high * l.s.high;
  Float twice = l.s.high * 2.0;
  Float tail = fma(l.s.high * z, polynomial(z, c.log), l.s.low * 2.0);
  if (base == LogBase::E) {
    Pair sum = sumOfOrdered(l.exponent * c.ln2[0], twice);
    return sum.high + (sum.low + fma(l.exponent, c.ln2[1], tail));
  }
  Pair part = product(sumOfOrdered(twice, tail), base == LogBase::Two ? c.log2OfE : c.log10OfE);
  if (base == LogBase::Two) {
    Pair sum = sumOfOrdered(l.exponent, part.high);
    return sum.high + (sum.low + part.low);
  }
  Pair sum = sumOfOrdered(l.exponent * c.log10Of2[0], part.high);
  return sum.high + (sum.low + fma(l.exponent, c.log10Of2[1], part.low));
}

/// Corrects `result`, the logarithm of `x`, where x is not a positive number.
static Float logarithmOrLimit(Float x, Float result) {
  result = select(x < x.like(kInfinity), result, x); // a NaN stays
  result = select(x == 0.0, -kInfinity, result);
  return select(x < 0.0, kNaN, result);
}

Float logarithm(Float x, LogBase base) {
  return logarithmOrLimit(x, finishLogarithm(reduceLogarithm(x), base));
}

/// log(1 + x + low) of a number that is not negligible.
static Float logarithmOfOnePlus(Float x, std::optional<Float> low) {
  Pair sum = exactSum(x.like(1.0), x);
  return finishLogarithm(reduceLogarithm(sum.high, low ? sum.low + *low : sum.low), LogBase::E);
}

Float logarithmOfOnePlus(Float x) {
  Float result = logarithmOrLimit(x + 1.0, logarithmOfOnePlus(x, std::nullopt));
  return select(magnitude(x) < x.like(negligible(x)), x, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The logarithm to base 2 of a positive number in two parts.
static Pair logarithm2(Float x) {
  const MathConstants &c = constantsOf(x);
  Logarithm l = reduceLogarithm(x);
  Float s = l.s.high, sLow = l.s.low;
  // 2 s + s z (2/3 + z tail), z = s^2.
  Pair z = exactProduct(s, s);
  z.low = fma(s * 2.0, sLow, z.low);
  Pair factor = sumOfOrdered(s.like(c.twoThirds[0]), z.high * polynomial(z.high, c.logTail));
  factor.low = factor.low + c.twoThirds[1];
  Pair u = exactProduct(z.high, factor.high);
  u.low = fma(z.high, factor.low, fma(z.low, factor.high, u.low));
  Pair w = exactProduct(s, u.high);
  w.low = fma(s, u.low, fma(sLow, u.high, w.low));
  Pair natural = sumOfOrdered(s * 2.0, w.high);
  natural.low = natural.low + fma(sLow, 2.0, w.low);
  Pair part = product(natural, c.log2OfE);
  Pair sum = sumOfOrdered(l.exponent, part.high);
  return sumOfOrdered(sum.high, sum.low + part.low);
}

/// x^(y.high + y.low) of x >= 0; 0 and infinity have infinite logarithms.
static Float positivePower(Float x, Pair y) {
  Pair log = logarithm2(x);
  Truth isZero = x == 0.0, isInfinite = x == kInfinity;
  log.high = select(isZero, -kInfinity, select(isInfinite, kInfinity, log.high));
  Float high = y.high * log.high;
  Float low = fma(y.high, log.high, -high) + fma(y.high, log.low, y.low * log.high);
  // Beyond these the result is zero or infinite.
  double limit = x.isDouble() ? 1100.0 : 160.0;
  low = select(magnitude(high) < high.like(limit), low, 0.0);
  high = atMost(atLeast(high, -limit), limit);
  Exponential e = reduceExponential2(high, low);
  Float result = scaled(1.0 + e.rest, e.exponent);
  return select(isNaN(x), x, result);
}

Float powerOf(Float x, Float y) {
  Float size = magnitude(x);
  Float result = positivePower(size, {y, y.like(0.0)});
  result = select(size == 1.0, 1.0, result);
  // Large numbers are even.
  Float half = y * 0.5;
  Truth isInteger = truncated(y) == y;
  Truth isOdd = isInteger & (truncated(half) != half);
  result = flipSign(result, hasSign(x) & isOdd);
  Truth isNegative = (x < 0.0) & (x > x.like(-kInfinity));
  result = select(isNegative & !isInteger, kNaN, result);
  result = select(isNaN(y), y, result);
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}

Float cubeRoot(Float x) {
  const MathConstants &c = constantsOf(x);
  Float root = positivePower(magnitude(x), {x.like(c.third[0]), x.like(c.third[1])});
  return withSign(root, x);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Float hyperbolicSine(Float x) {
  Float size = magnitude(x);
  // With e = e^x - 1: (e + e / (e + 1)) / 2, and for large x half of e^x, which may be finite where
  // e^x is not.
  Float e = exponentialMinusOne(size);
  Float small = (e + e / (e + 1.0)) * 0.5;
  Exponential parts = reduceExponential(inExponentialRange(size));
  Float large = scaled(1.0 + parts.rest, parts.exponent - 1);
  return withSign(select(size > (x.isDouble() ? 22.0 : 10.0), large, small), x);
}

Float hyperbolicCosine(Float x) {
  Exponential e = reduceExponential(inExponentialRange(magnitude(x)));
  Float half = scaled(1.0 + e.rest, e.exponent - 1);
  return half + x.like(0.25) / half;
}

Float hyperbolicTangent(Float x) {
  // Beyond the bound the result is 1.
  Float size = atMost(magnitude(x), x.isDouble() ? 20.0 : 10.0);
  Float e = exponentialMinusOne(size * 2.0);
  return withSign(e / (e + 2.0), x);
}

/// The logarithm of 1 + small.high + small.low, or where `isLarge` of 2 large.
static Float logarithmOfEither(Pair small, Float large, Truth isLarge) {
  Pair sum = exactSum(small.high.like(1.0), small.high);
  Float low = select(isLarge, 0.0, sum.low + small.low);
  Logarithm l = reduceLogarithm(select(isLarge, large, sum.high), low);
  l.exponent = select(isLarge, l.exponent + 1.0, l.exponent);
  return finishLogarithm(l, LogBase::E);
}

/// Where x^2 + 1 is x^2 for this purpose.
static double squareDominates(Float x) { return std::ldexp(1.0, x.isDouble() ? 30 : 14); }

Float inverseHyperbolicSine(Float x) {
  Float size = magnitude(x);
  Truth isLarge = size > x.like(squareDominates(x));
  // log(x + sqrt(x^2 + 1)) = log(1 + x + x^2 / (1 + sqrt(x^2 + 1)))
  Float bounded = select(isLarge, 1.0, size);
  Float square = bounded * bounded;
  Float part = square / (squareRoot(square + 1.0) + 1.0);
  Float result = logarithmOfEither(exactSum(bounded, part), size, isLarge);
  result = select(size < x.like(kInfinity), result, size);
  return withSign(select(size < x.like(negligible(x)), size, result), x);
}

Float inverseHyperbolicCosine(Float x) {
  Truth isLarge = x > x.like(squareDominates(x));
  // log(x + sqrt(x^2 - 1)) = log(1 + t + sqrt(2 t + t^2)), t = x - 1
  Float t = select(isLarge, 1.0, x) - 1.0;
  Float root = squareRoot(fma(t, t, t * 2.0));
  Float result = logarithmOfEither(exactSum(root, t), x, isLarge);
  result = select(x < x.like(kInfinity), result, x);
  return select(x < 1.0, kNaN, result);
}

Float inverseHyperbolicTangent(Float x) {
  Float size = magnitude(x);
  // log((1 + x) / (1 - x)) / 2 = log(1 + 2 x / (1 - x)) / 2
  Float bounded = select(size < 1.0, size, 0.5);
  Float denominator = 1.0 - bounded;
  Float denominatorLow = (1.0 - denominator) - bounded;
  Float quotient = bounded * 2.0 / denominator;
  Float remainder = fma(-quotient, denominatorLow, fma(-quotient, denominator, bounded * 2.0));
  Float result = logarithmOfOnePlus(quotient, remainder / denominator) * 0.5;
  result = select(size < 1.0, result, select(size == 1.0, kInfinity, size.like(kNaN)));
  return withSign(select(size < x.like(negligible(x)), size, result), x);
}

} // namespace loom::lowering
