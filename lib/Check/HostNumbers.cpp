//===- HostNumbers.cpp - Functions of numbers, on the host ----------------===//
//
// Floats are computed in f64. A sum, product, quotient or square root of f32 operands that is
// rounded to f64 and then to f32 is the one that f32 arithmetic gives (53 >= 2 * 24 + 2 bits);
// narrower formats are computed in f32 and then rounded, as the language says. Compiled with
// -ffp-contract=off.
//
//===----------------------------------------------------------------------===//
#include "HostNumbers.h"
#include "Values.h"
#include "loom/Runtime/Elements.h"
#include <cmath>

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Scalar;
using Function = LanewiseFunction;

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

std::optional<HostNumber> HostNumber::create(LanewiseOpInterface op) {
  HostNumber number;
  number.function = op.getLanewiseFunction();
  auto scalarType = [](Type type) {
    return isPayloadScalar(type) ? elementTypeOf(type) : std::nullopt;
  };
  for (Type type : op->getOperandTypes()) {
    std::optional<ElementType> element = scalarType(type);
    if (!element)
      return std::nullopt;
    number.operands.push_back(*element);
  }
  std::optional<ElementType> result = scalarType(op->getResult(0).getType());
  if (!result)
    return std::nullopt;
  number.result = *result;
  if (auto flags = op->getAttrOfType<OverflowFlagsAttr>("overflow"))
    number.overflow = flags.getValue();
  if (auto predicate = op->getAttrOfType<IntPredicateAttr>("predicate"))
    number.order = predicate.getValue();
  if (auto predicate = op->getAttrOfType<FloatPredicateAttr>("predicate"))
    number.relation = predicate.getValue();
  if (auto mode = op->getAttrOfType<ClampModeAttr>("mode"))
    number.clampMode = mode.getValue();
  if (auto variant = op->getAttrOfType<GeluVariantAttr>("variant"))
    number.gelu = variant.getValue();
  if (auto scale = op->getAttrOfType<FloatAttr>("scale"))
    number.geluScale = scale.getValueAsDouble();
  return number;
}

static bool isMathematics(Function function) {
  return function >= Function::expf && function <= Function::geluf;
}

bool HostNumber::isExact() const { return !isMathematics(function) || function == Function::sqrtf; }

//===----------------------------------------------------------------------===//
// Integers, comparisons, conversions
//===----------------------------------------------------------------------===//

static double toDouble(ElementType type, uint64_t bits) {
  return Scalar::fromBits(type, bits).toDouble();
}
static uint64_t fromDouble(ElementType type, double value) {
  return Scalar::fromDouble(type, value).bits();
}

static llvm::APInt toAPInt(ElementType type, uint64_t bits) {
  return llvm::APInt(runtime::elementBits(type), bits);
}

std::optional<uint64_t> HostNumber::evaluateInteger(ArrayRef<uint64_t> bits) const {
  SmallVector<llvm::APInt, 3> values;
  for (uint64_t value : bits)
    values.push_back(toAPInt(operands[0], value));
  std::optional<llvm::APInt> value = loom::evaluateInteger(function, values, overflow);
  return value ? std::optional(value->getZExtValue()) : std::nullopt;
}

uint64_t HostNumber::compare(ArrayRef<uint64_t> bits) const {
  if (function == Function::cmpi)
    return compareIntegers(order, toAPInt(operands[0], bits[0]), toAPInt(operands[1], bits[1]));
  return compareFloats(relation, llvm::APFloat(toDouble(operands[0], bits[0])),
                       llvm::APFloat(toDouble(operands[1], bits[1])));
}

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::F8E5M2:
    return llvm::APFloat::Float8E5M2();
  case ElementType::F16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return llvm::APFloat::BFloat();
  case ElementType::F32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

/// Rounded once, which a way over f64 would not always do.
static uint64_t integerToFloat(ElementType from, uint64_t bits, ElementType to, bool isSigned) {
  llvm::APFloat value(semanticsOf(to));
  value.convertFromAPInt(toAPInt(from, bits), isSigned, llvm::APFloat::rmNearestTiesToEven);
  if (value.isNaN()) // a format without infinities overflows to NaN in APFloat
    value =
        llvm::APFloat::getLargest(semanticsOf(to), isSigned && toAPInt(from, bits).isNegative());
  return value.bitcastToAPInt().getZExtValue();
}

static std::optional<uint64_t> floatToInteger(double value, ElementType to, bool isUnsigned) {
  unsigned width = runtime::elementBits(to);
  // An i1 is signed as well here: -1 and 0.
  double low = isUnsigned ? 0.0 : -std::ldexp(1.0, int(width) - 1);
  double end = std::ldexp(1.0, int(width) - !isUnsigned);
  double whole = std::trunc(value);
  if (!(whole >= low && whole < end))
    return std::nullopt;
  uint64_t bits = isUnsigned ? static_cast<uint64_t>(whole)
                             : static_cast<uint64_t>(static_cast<int64_t>(whole));
  return Scalar::fromBits(to, bits).bits();
}

std::optional<uint64_t> HostNumber::convert(uint64_t bits) const {
  ElementType from = operands[0];
  switch (function) {
  case Function::sitofp:
  case Function::uitofp:
    return integerToFloat(from, bits, result, function == Function::sitofp);
  case Function::fptosi:
  case Function::fptoui:
    return floatToInteger(toDouble(from, bits), result, function == Function::fptoui);
  case Function::extf:
  case Function::fptrunc:
    return fromDouble(result, toDouble(from, bits));
  case Function::extsi:
    return Scalar::fromBits(result, toAPInt(from, bits).getSExtValue()).bits();
  default: // extui, trunci, bitcast
    return Scalar::fromBits(result, bits).bits();
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static bool isNumberFirst(Function function) {
  return function == Function::minnumf || function == Function::maxnumf;
}

/// The smaller or larger one; -0 is below +0. Of a NaN and a number `function` takes one or the
/// other.
static double choose(Function function, double a, double b) {
  if (a != a || b != b)
    return (a != a) == isNumberFirst(function) ? b : a;
  bool larger = function == Function::maximumf || function == Function::maxnumf;
  bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less == larger ? b : a;
}

double HostNumber::clamp(double value, double lower, double upper) const {
  if (clampMode == ClampMode::ordered) {
    double raised = value < lower ? lower : value;
    return raised > upper ? upper : raised;
  }
  bool ieee = clampMode == ClampMode::ieee;
  double raised = choose(ieee ? Function::maximumf : Function::maxnumf, value, lower);
  return choose(ieee ? Function::minimumf : Function::minnumf, raised, upper);
}

static double fused(ElementType type, double a, double b, double c) {
  if (type == ElementType::F64)
    return std::fma(a, b, c);
  return std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

/// The sine of `turns` whole turns, or the cosine. The angle is taken from the nearest quarter
/// turn, so that nothing is lost where the result is small; quarter turns are exact.
static double ofTurns(double turns, bool isCosine) {
  if (!std::isfinite(turns))
    return std::nan("");
  double rest = turns - std::nearbyint(turns); // exact; at most half a turn
  double quarter = std::nearbyint(4 * rest);
  rest -= quarter / 4; // exact; at most an eighth of a turn
  unsigned position = static_cast<unsigned>(static_cast<int>(quarter) + 4 + isCosine) % 4;
  // 2 pi in two parts; the second one counts by the derivative.
  constexpr double kTurn = 0x1.921fb54442d18p+2, kTurnRest = 0x1.1a62633145c07p-52;
  double angle = kTurn * rest;
  double lost = std::fma(kTurn, rest, -angle) + kTurnRest * rest;
  double sine = std::sin(angle) + lost * std::cos(angle);
  double cosine = std::cos(angle) - lost * std::sin(angle);
  double value = position % 2 ? cosine : sine;
  if (value == 0)
    return isCosine ? 0.0 : std::copysign(0.0, turns);
  return position >= 2 ? -value : value;
}

static double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Activations have an exponential of what was rounded before, whose error counts as often as the
// exponent is large: more bits than those of f64 keep it out of the result.
using Wide = long double;

/// x times the logistic function of y; its limit where that is zero.
static double timesLogistic(Wide x, Wide y) {
  Wide divisor = 1 + std::exp(-y);
  return static_cast<double>(std::isinf(divisor) && !std::isnan(x) ? std::copysign(Wide(0), x)
                                                                   : x / divisor);
}

/// x/2 (1 + erf(x / sqrt 2)) = x/2 erfc(-x / sqrt 2), which does not cancel below zero.
static double geluOfError(Wide x) {
  Wide complement = std::erfc(-x / std::sqrt(Wide(2)));
  return static_cast<double>(complement == 0 ? std::copysign(Wide(0), x) : x / 2 * complement);
}

/// x/2 (1 + tanh(u)) = x logistic(2 u), u = sqrt(2/pi) (x + 0.044715 x^3), likewise.
static double geluOfTangent(Wide x) {
  Wide slope = 2 * std::sqrt(2 / std::acos(Wide(-1)));
  return timesLogistic(x, slope * (x + Wide(0.044715L) * x * x * x));
}

double HostNumber::mathematics(double x, double y) const {
  switch (function) {
  case Function::expf:
    return std::exp(x);
  case Function::exp2f:
    return std::exp2(x);
  case Function::expm1f:
    return std::expm1(x);
  case Function::logf:
    return std::log(x);
  case Function::log2f:
    return std::log2(x);
  case Function::log10f:
    return std::log10(x);
  case Function::log1pf:
    return std::log1p(x);
  case Function::sqrtf:
    return std::sqrt(x);
  case Function::rsqrtf:
    return 1 / std::sqrt(x);
  case Function::cbrtf:
    return std::cbrt(x);
  case Function::powf:
    return std::pow(x, y);
  case Function::sinf:
    return std::sin(x);
  case Function::cosf:
    return std::cos(x);
  case Function::tanf:
    return std::tan(x);
  case Function::asinf:
    return std::asin(x);
  case Function::acosf:
    return std::acos(x);
  case Function::atanf:
    return std::atan(x);
  case Function::atan2f:
    return std::atan2(x, y);
  case Function::sinturnsf:
    return ofTurns(x, /*isCosine=*/false);
  case Function::costurnsf:
    return ofTurns(x, /*isCosine=*/true);
  case Function::sinhf:
    return std::sinh(x);
  case Function::coshf:
    return std::cosh(x);
  case Function::tanhf:
    return std::tanh(x);
  case Function::asinhf:
    return std::asinh(x);
  case Function::acoshf:
    return std::acosh(x);
  case Function::atanhf:
    return std::atanh(x);
  case Function::erff:
    return std::erf(x);
  case Function::erfcf:
    return std::erfc(x);
  case Function::logisticf:
    return logistic(x);
  case Function::siluf:
    return timesLogistic(x, x);
  case Function::softplusf:
    return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
  default: // geluf
    if (gelu == GeluVariant::erf)
      return geluOfError(x);
    if (gelu == GeluVariant::tanh)
      return geluOfTangent(x);
    return timesLogistic(x, Wide(geluScale) * x);
  }
}

/// What `function` makes of the exact values of its operands, before it is rounded to the format.
static std::optional<double> arithmetic(Function function, ElementType type, double a, double b,
                                        double c) {
  switch (function) {
  case Function::addf:
    return a + b;
  case Function::subf:
    return a - b;
  case Function::mulf:
    return a * b;
  case Function::divf:
    return a / b;
  case Function::remf:
    return std::fmod(a, b);
  case Function::fmaf:
    return fused(type, a, b, c);
  case Function::minimumf:
  case Function::maximumf:
  case Function::minnumf:
  case Function::maxnumf:
    return choose(function, a, b);
  case Function::ceilf:
    return std::ceil(a);
  case Function::floorf:
    return std::floor(a);
  case Function::truncf:
    return std::trunc(a);
  case Function::roundf:
    return std::round(a);
  case Function::roundevenf:
    return std::nearbyint(a);
  case Function::signf:
    return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
  default:
    return std::nullopt;
  }
}

uint64_t HostNumber::evaluateFloat(ArrayRef<uint64_t> bits) const {
  ElementType type = operands[0];
  uint64_t sign = uint64_t(1) << (runtime::elementBits(type) - 1);
  switch (function) {
  case Function::negf:
    return bits[0] ^ sign;
  case Function::absf:
    return bits[0] & ~sign;
  case Function::copysignf:
    return (bits[0] & ~sign) | (bits[1] & sign);
  default:
    break;
  }
  double a = toDouble(type, bits[0]);
  double b = bits.size() > 1 ? toDouble(type, bits[1]) : 0;
  double c = bits.size() > 2 ? toDouble(type, bits[2]) : 0;
  if (function == Function::isnanf)
    return std::isnan(a);
  if (function == Function::isinff)
    return std::isinf(a);
  if (function == Function::isfinitef)
    return std::isfinite(a);
  std::optional<double> value = arithmetic(function, type, a, b, c);
  if (!value)
    value = function == Function::clampf ? clamp(a, b, c) : mathematics(a, b);
  // Narrow formats are computed in f32.
  if (type != ElementType::F64)
    value = static_cast<double>(static_cast<float>(*value));
  return fromDouble(type, *value);
}

std::optional<uint64_t> HostNumber::evaluate(ArrayRef<uint64_t> bits) const {
  if (function >= Function::sitofp)
    return convert(bits[0]);
  if (function == Function::cmpi || function == Function::cmpf)
    return compare(bits);
  if (function < Function::addf)
    return evaluateInteger(bits);
  return evaluateFloat(bits);
}

} // namespace loom::check
