//===- LowerMathAngle.cpp - Circular functions and their inverses ---------===//
#include "LowerMathCoefficients.h"
#include "LowerMathFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace loom::lowering {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Reduction to the next multiple of a quarter turn
//===----------------------------------------------------------------------===//

namespace {

/// An angle: whole quarter turns, of which only the last two bits count, and a rest of at most an
/// eighth turn in radians.
struct Angle {
  Integer quarters;
  Pair rest;
};

/// The product of a number with 2/pi in fixed point (Payne and Hanek 1983). A number m 2^e with an
/// integer m needs those binary places of 2/pi whose weight, times 2^e, is neither a multiple of a
/// whole turn nor below the last place of the result.
class LargeReduction {
public:
  explicit LargeReduction(Float x)
      : x(x), emitter(*x.emitter), word(emitter.shaped(emitter.integer(32), x.type())),
        wide(emitter.shaped(emitter.integer(64), x.type())) {}

  Angle run() { return x.isDouble() ? reduceDouble() : reduceSingle(); }

private:
  Integer word32(uint32_t number) {
    return {&emitter, emitter.constant(word, static_cast<int32_t>(number))};
  }
  Integer word64(int64_t number) { return {&emitter, emitter.constant(wide, number)}; }
  SmallVector<Integer> places(unsigned count);
  Angle reduceSingle();
  Angle reduceDouble();

  Float x;
  Emitter &emitter;
  Type word, wide;
};

} // namespace

/// `count` words of 2/pi, the first binary place of which weighs 2 when it is multiplied with the
/// unit of x; 64-bit integers.
SmallVector<Integer> LargeReduction::places(unsigned count) {
  int mantissa = mantissaBits(x);
  Integer exponent = resized(bitsOf(x) >> mantissa, 32); // x is not negative
  // The table begins 32 places before the binary point, and the first place behind that weighs a
  // half: place 32 + e - 2 is the one in question.
  Integer offset = exponent + (30 - exponentBias(x) - mantissa);
  Integer shift = offset & 31, first = offset >> 5;
  // Moves the words down by powers of two until the first one is in front.
  SmallVector<Integer> words;
  for (uint32_t part : coefficients::twoOverPi)
    words.push_back(word32(part));
  if (!x.isDouble())
    words.resize(8, word32(0)); // no f32 has a larger exponent
  for (int step = x.isDouble() ? 16 : 4; step; step /= 2) {
    Truth moves = hasBits(first, step);
    SmallVector<Integer> next;
    for (size_t i = 0, e = std::min<size_t>(words.size(), count + step); i < e; ++i)
      next.push_back(
          select(moves, i + step < words.size() ? words[i + step] : word32(0), words[i]));
    words = next;
  }
  words.resize(count + 1, word32(0));
  SmallVector<Integer> result;
  for (unsigned i = 0; i < count; ++i) {
    Value joined =
        emitter.intrinsic("llvm.fshl", word, {words[i].value, words[i + 1].value, shift.value});
    result.push_back(resized(Integer{&emitter, joined}, 64));
  }
  return result;
}

Angle LargeReduction::reduceSingle() {
  SmallVector<Integer> w = places(3);
  Integer m = resized((bitsOf(x) & 0x7fffff) | bitsOf(x).like(0x800000), 64);
  // 64 places of the product modulo 4 quarter turns.
  Integer fraction = ((m * w[0]) << 32) + m * w[1] + ((m * w[2]) >> 32);
  Integer quarters = (fraction >> 62) + ((fraction >> 61) & 1);
  // What remains, between -1/2 and 1/2 in 64 places.
  Value rest = emitter.cast(CastOp::SIToFP, (fraction << 2).value, emitter.f64());
  Float radians = Float{&emitter, rest} * std::ldexp(M_PI_2, -64);
  Float high = {&emitter, emitter.cast(CastOp::FPTrunc, radians.value, emitter.f32())};
  Float back = {&emitter, emitter.cast(CastOp::FPExt, high.value, emitter.f64())};
  Float low = {&emitter, emitter.cast(CastOp::FPTrunc, (radians - back).value, emitter.f32())};
  return {resized(quarters, 32), {high, low}};
}

Angle LargeReduction::reduceDouble() {
  constexpr int kWords = 6;
  constexpr int64_t kLow = 0xffffffff;
  SmallVector<Integer> w = places(kWords);
  Integer m = (bitsOf(x) & ((int64_t(1) << 52) - 1)) | word64(int64_t(1) << 52);
  Integer low = m & kLow, high = m >> 32;
  // Digits of the product, from the lowest on; what lies above the first word is whole turns.
  SmallVector<Integer> digits(kWords, word64(0));
  Integer carry = word64(0);
  for (int i = kWords - 1; i >= 0; --i) {
    Integer first = low * w[i], second = i + 1 < kWords ? high * w[i + 1] : word64(0);
    Integer sum = (first & kLow) + (second & kLow) + carry;
    digits[i] = sum & kLow;
    carry = (sum >> 32) + (first >> 32) + (second >> 32);
  }
  Integer upper = (digits[0] << 32) | digits[1], lower = (digits[2] << 32) | digits[3];
  Integer quarters = (upper >> 62) + ((upper >> 61) & 1);
  // The magnitude of what remains, between 0 and 1/2 in 128 places.
  upper = (upper << 2) | (lower >> 62);
  lower = lower << 2;
  Truth negative = isNegative(upper);
  Integer borrow = {
      &emitter, emitter.zeroExtend(compare(IntPredicate::eq, lower, 0).value, emitter.integer(64))};
  upper = select(negative, (upper ^ -1) + borrow, upper);
  lower = select(negative, word64(0) - lower, lower);
  auto part = [&](Integer digit, int weight) { // exact, also without instructions for it
    Float middle = x.like(std::ldexp(1.0, 52));
    return (floatOf(digit | bitsOf(middle), x) - middle) * std::ldexp(1.0, weight);
  };
  Pair sum = sumOfOrdered(part(upper >> 32, -32), part(upper & kLow, -64));
  Float tail = part(lower >> 32, -96) + part(lower & kLow, -128);
  sum = sumOfOrdered(sum.high, sum.low + tail);
  Pair radians = product(sum, constantsOf(x).halfPi);
  return {quarters, {flipSign(radians.high, negative), flipSign(radians.low, negative)}};
}

/// The angle of x >= 0 radians, which is not poison.
static Angle reduce(Float x) {
  Emitter &emitter = *x.emitter;
  const MathConstants &c = constantsOf(x);
  // Up to this limit the product of the first part of pi/2 leaves an exact difference (Cody and
  // Waite 1980), and the three parts suffice.
  Float limit = x.like(std::ldexp(1.0, x.isDouble() ? 30 : 16));
  Rounded k = roundToInteger(x, x.isDouble() ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1);
  Float first = fma(k.number, -c.halfPi[0], x);
  Pair second = exactProduct(k.number, x.like(c.halfPi[1]));
  Pair rest = exactSum(first, -second.high);
  rest.low = fma(k.number, -c.halfPi[2], rest.low - second.low);
  rest = sumOfOrdered(rest.high, rest.low);

  Truth isLarge = !(x < limit);
  Type bitsType = k.integer.value.getType();
  Block *slow = emitter.makeBlock(), *join = emitter.makeBlock({bitsType, x.type(), x.type()});
  emitter.branchIf(any(isLarge), slow, {}, join,
                   {k.integer.value, rest.high.value, rest.low.value});
  emitter.enter(slow);
  Angle large = LargeReduction(x).run();
  emitter.branch(join, {select(isLarge, large.quarters, k.integer).value,
                        select(isLarge, large.rest.high, rest.high).value,
                        select(isLarge, large.rest.low, rest.low).value});
  emitter.enter(join);
  return {{&emitter, join->getArgument(0)},
          {{&emitter, join->getArgument(1)}, {&emitter, join->getArgument(2)}}};
}

//===----------------------------------------------------------------------===//
// Sine, cosine, tangent
//===----------------------------------------------------------------------===//

/// Of an angle of at most an eighth turn.
static Float smallSine(Pair r) {
  Float z = r.high * r.high;
  Float cube = z * r.high * polynomial(z, constantsOf(z).sin);
  // The derivative is the cosine.
  return r.high + fma(r.low, fma(z, -0.5, 1.0), cube);
}

static Float smallCosine(Pair r) {
  Float z = r.high * r.high, half = z * 0.5;
  Float head = 1.0 - half;
  Float tail = fma(z * z, polynomial(z, constantsOf(z).cos), -(r.high * r.low));
  return head + (((1.0 - head) - half) + tail);
}

/// The sine of an angle, without the sign of a zero.
static Float sineOf(Angle angle) {
  Float result = select(hasBits(angle.quarters, 1), smallCosine(angle.rest), smallSine(angle.rest));
  return flipSign(result, hasBits(angle.quarters, 2));
}

/// A NaN where x is not finite.
static Float orNaN(Float x, Float result) {
  return select(magnitude(x) < x.like(kInfinity), result, x - x);
}

static Float frozen(Float x) { return {x.emitter, x.emitter->freeze(x.value)}; }

Float sine(Float x) {
  x = frozen(x);
  Float result = sineOf(reduce(magnitude(x)));
  return orNaN(x, flipSign(result, hasSign(x)));
}

Float cosine(Float x) {
  x = frozen(x);
  Angle angle = reduce(magnitude(x));
  angle.quarters = angle.quarters + 1;
  return orNaN(x, sineOf(angle));
}

Float tangent(Float x) {
  x = frozen(x);
  Angle angle = reduce(magnitude(x));
  Float sin = smallSine(angle.rest), cos = smallCosine(angle.rest);
  Truth isOdd = hasBits(angle.quarters, 1);
  Float result = select(isOdd, -cos, sin) / select(isOdd, sin, cos);
  return orNaN(x, flipSign(result, hasSign(x)));
}

/// The angle of |x| turns, where x is finite.
static Angle reduceTurns(Float x) {
  Float size = magnitude(x);
  Float fraction = size - truncated(size);
  Rounded quarters = roundToInteger(fraction, 4.0);
  Float rest = fma(quarters.number, -0.25, fraction);
  return {quarters.integer, product({rest, rest.like(0.0)}, constantsOf(x).twoPi)};
}

Float sineOfTurns(Float x) {
  // Zeros have the sign of x.
  return orNaN(x, flipSign(sineOf(reduceTurns(x)) + 0.0, hasSign(x)));
}

Float cosineOfTurns(Float x) {
  Angle angle = reduceTurns(x);
  angle.quarters = angle.quarters + 1;
  return orNaN(x, sineOf(angle) + 0.0);
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// asin(s) - s of 0 <= s <= 1/2, s^2 = z.
static Float smallArcSine(Float s, Float z) { return s * z * polynomial(z, constantsOf(s).asin); }

namespace {

/// What the arc sine of |x| > 1/2 is made of: asin(x) = pi/2 - 2 asin(root), root = sqrt((1-x)/2).
struct ArcRoot {
  Truth isLarge;
  Float root; ///< or |x|, where that is not above 1/2
  Float low;  ///< what the root lacks, and the rest of the arc sine of it
};

} // namespace

static ArcRoot reduceArc(Float x) {
  Float size = magnitude(x);
  Truth isLarge = size > 0.5;
  Float z = select(isLarge, (1.0 - size) * 0.5, size * size);
  Float root = squareRoot(z); // NaN beyond 1
  Float missing = fma(-root, root, z) / select(root == 0.0, 1.0, root * 2.0);
  Float s = select(isLarge, root, size);
  return {isLarge, s, smallArcSine(s, z) + select(isLarge, missing, 0.0)};
}

Float arcSine(Float x) {
  ArcRoot arc = reduceArc(x);
  const MathConstants &c = constantsOf(x);
  Pair rest = sumOfOrdered(x.like(c.halfPi[0]), arc.root * -2.0);
  Float large = rest.high + fma(arc.low, -2.0, rest.low + c.halfPi[1]);
  return withSign(select(arc.isLarge, large, arc.root + arc.low), x);
}

Float arcCosine(Float x) {
  ArcRoot arc = reduceArc(x);
  const MathConstants &c = constantsOf(x);
  // pi/2 - asin(x) near zero, 2 asin(root) or pi minus that elsewhere.
  Truth negative = hasSign(x);
  Float s = select(arc.isLarge, arc.root * 2.0, arc.root);
  Float low = select(arc.isLarge, arc.low * 2.0, arc.low);
  Truth isWhole = arc.isLarge & !negative;
  Truth isAdded = arc.isLarge ^ negative;
  s = flipSign(s, !isAdded);
  low = flipSign(low, !isAdded);
  Float base = select(isWhole, 0.0, select(arc.isLarge, 2.0 * c.halfPi[0], x.like(c.halfPi[0])));
  Float baseLow = select(isWhole, 0.0, select(arc.isLarge, 2.0 * c.halfPi[1], x.like(c.halfPi[1])));
  Pair sum = sumOfOrdered(base, s);
  return sum.high + (sum.low + (baseLow + low));
}

Float arcTangent(Float y, Float x) {
  const MathConstants &c = constantsOf(x);
  Float width = magnitude(x), height = magnitude(y);
  Truth isSteep = height > width;
  Float larger = select(isSteep, height, width), smaller = select(isSteep, width, height);
  // Infinities count as ones beside zeros.
  Truth isInfinite = larger == kInfinity;
  smaller = select(isInfinite, select(smaller == kInfinity, 1.0, smaller * 0.0), smaller);
  larger = select(isInfinite, 1.0, larger);
  // So that the sum below stays finite.
  Float scale = select(larger > x.like(std::ldexp(1.0, exponentBias(x) - 2)), 0.25, x.like(1.0));
  smaller = smaller * scale;
  larger = larger * scale;
  // Above tan(pi/8) the angle is measured from the diagonal.
  Truth isDiagonal = smaller > larger * (x.isDouble() ? 0.4142135623730951 : 0x1.a8279ap-2);
  Float numerator = select(isDiagonal, smaller - larger, smaller);
  Float denominator = select(isDiagonal, smaller + larger, larger);
  denominator = select(larger == 0.0, 1.0, denominator);
  Float inverse = 1.0 / denominator;
  Float t = numerator / denominator;
  Float missing = fma(-t, denominator, numerator) * inverse;
  missing = select(magnitude(missing) < 1.0, missing, 0.0); // the inverse may be infinite
  Float z = t * t;
  Float low = fma(t * z, polynomial(z, c.atan), missing);
  // Eighth turns that the angle is measured from, and whether it falls from there.
  Float eighths = select(isDiagonal, x.like(1.0), 0.0);
  Truth isFalling = isSteep;
  eighths = select(isSteep, 2.0 - eighths, eighths);
  Truth isBehind = hasSign(x);
  eighths = select(isBehind, 4.0 - eighths, eighths);
  isFalling = isFalling ^ isBehind;
  Pair sum = sumOfOrdered(eighths * c.quarterPi[0], flipSign(t, isFalling));
  Float result = sum.high + (sum.low + fma(eighths, c.quarterPi[1], flipSign(low, isFalling)));
  return withSign(result, y);
}

} // namespace loom::lowering
