//===- LanewiseValues.cpp - Exact values of functions of numbers ----------===//
#include "loom/IR/Lanewise.h"

namespace loom {
using namespace mlir;
using llvm::APFloat;
using llvm::APIntOps::RoundingSDiv;
using llvm::APIntOps::RoundingUDiv;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division; nothing where the quotient has no value.
static std::optional<APInt> divide(LanewiseFunction function, const APInt &a, const APInt &b) {
  bool isUnsigned = function == LanewiseFunction::divui || function == LanewiseFunction::remui ||
                    function == LanewiseFunction::ceildivui;
  if (b.isZero() || (!isUnsigned && a.isMinSignedValue() && b.isAllOnes()))
    return std::nullopt;
  switch (function) {
  case LanewiseFunction::divsi:
    return a.sdiv(b);
  case LanewiseFunction::divui:
    return a.udiv(b);
  case LanewiseFunction::remsi:
    return a.srem(b);
  case LanewiseFunction::remui:
    return a.urem(b);
  case LanewiseFunction::ceildivsi:
    return RoundingSDiv(a, b, APInt::Rounding::UP);
  case LanewiseFunction::ceildivui:
    return RoundingUDiv(a, b, APInt::Rounding::UP);
  default:
    return RoundingSDiv(a, b, APInt::Rounding::DOWN);
  }
}

/// Shifts and rotations; nothing for amounts outside the width.
static std::optional<APInt> shift(LanewiseFunction function, const APInt &a, const APInt &amount,
                                  bool &signedWrap, bool &unsignedWrap) {
  if (amount.uge(a.getBitWidth()))
    return std::nullopt;
  switch (function) {
  case LanewiseFunction::shli:
    (void)a.sshl_ov(amount, signedWrap);
    (void)a.ushl_ov(amount, unsignedWrap);
    return a.shl(amount);
  case LanewiseFunction::shrsi:
    return a.ashr(amount);
  case LanewiseFunction::shrui:
    return a.lshr(amount);
  case LanewiseFunction::rotli:
    return a.rotl(amount);
  default:
    return a.rotr(amount);
  }
}

/// `a * b + c`; whether the exact result leaves the width.
static APInt multiplyAdd(const APInt &a, const APInt &b, const APInt &c, bool &signedWrap,
                         bool &unsignedWrap) {
  unsigned width = a.getBitWidth(), wide = 2 * width + 1;
  APInt signedResult = a.sext(wide) * b.sext(wide) + c.sext(wide);
  APInt unsignedResult = a.zext(wide) * b.zext(wide) + c.zext(wide);
  signedWrap = !signedResult.isSignedIntN(width);
  unsignedWrap = !unsignedResult.isIntN(width);
  return signedResult.trunc(width);
}

static std::optional<APInt> evaluateUnary(LanewiseFunction function, const APInt &a) {
  unsigned width = a.getBitWidth();
  switch (function) {
  case LanewiseFunction::negi:
    return -a;
  case LanewiseFunction::absi:
    return a.abs();
  case LanewiseFunction::signi:
    return a.isNegative() ? APInt::getAllOnes(width) : APInt(width, a.isZero() ? 0 : 1);
  case LanewiseFunction::ctlzi:
    return APInt(width, a.countl_zero());
  case LanewiseFunction::cttzi:
    return APInt(width, a.countr_zero());
  case LanewiseFunction::ctpopi:
    return APInt(width, a.popcount());
  default:
    return std::nullopt;
  }
}

static std::optional<APInt> evaluateBinary(LanewiseFunction function, const APInt &a,
                                           const APInt &b, bool &signedWrap, bool &unsignedWrap) {
  switch (function) {
  case LanewiseFunction::addi:
    (void)a.sadd_ov(b, signedWrap);
    return a.uadd_ov(b, unsignedWrap);
  case LanewiseFunction::subi:
    (void)a.ssub_ov(b, signedWrap);
    return a.usub_ov(b, unsignedWrap);
  case LanewiseFunction::muli:
    (void)a.smul_ov(b, signedWrap);
    return a.umul_ov(b, unsignedWrap);
  case LanewiseFunction::divsi:
  case LanewiseFunction::divui:
  case LanewiseFunction::remsi:
  case LanewiseFunction::remui:
  case LanewiseFunction::ceildivsi:
  case LanewiseFunction::ceildivui:
  case LanewiseFunction::floordivsi:
    return divide(function, a, b);
  case LanewiseFunction::minsi:
    return llvm::APIntOps::smin(a, b);
  case LanewiseFunction::maxsi:
    return llvm::APIntOps::smax(a, b);
  case LanewiseFunction::minui:
    return llvm::APIntOps::umin(a, b);
  case LanewiseFunction::maxui:
    return llvm::APIntOps::umax(a, b);
  case LanewiseFunction::andi:
    return a & b;
  case LanewiseFunction::ori:
    return a | b;
  case LanewiseFunction::xori:
    return a ^ b;
  case LanewiseFunction::shli:
  case LanewiseFunction::shrsi:
  case LanewiseFunction::shrui:
  case LanewiseFunction::rotli:
  case LanewiseFunction::rotri:
    return shift(function, a, b, signedWrap, unsignedWrap);
  default:
    return std::nullopt;
  }
}

std::optional<APInt> evaluateInteger(LanewiseFunction function, ArrayRef<APInt> operands,
                                     OverflowFlags flags) {
  bool signedWrap = false, unsignedWrap = false;
  std::optional<APInt> result;
  if (operands.size() == 1)
    result = evaluateUnary(function, operands[0]);
  else if (operands.size() == 2)
    result = evaluateBinary(function, operands[0], operands[1], signedWrap, unsignedWrap);
  else if (operands.size() == 3 && function == LanewiseFunction::fmai)
    result = multiplyAdd(operands[0], operands[1], operands[2], signedWrap, unsignedWrap);
  bool broken = (signedWrap && bitEnumContainsAny(flags, OverflowFlags::nsw)) ||
                (unsignedWrap && bitEnumContainsAny(flags, OverflowFlags::nuw));
  return broken ? std::nullopt : result;
}

bool compareIntegers(IntPredicate predicate, const APInt &a, const APInt &b) {
  switch (predicate) {
  case IntPredicate::eq:
    return a == b;
  case IntPredicate::ne:
    return a != b;
  case IntPredicate::slt:
    return a.slt(b);
  case IntPredicate::sle:
    return a.sle(b);
  case IntPredicate::sgt:
    return a.sgt(b);
  case IntPredicate::sge:
    return a.sge(b);
  case IntPredicate::ult:
    return a.ult(b);
  case IntPredicate::ule:
    return a.ule(b);
  case IntPredicate::ugt:
    return a.ugt(b);
  case IntPredicate::uge:
    return a.uge(b);
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

APFloat roundFloat(const APFloat &value, const llvm::fltSemantics &format) {
  APFloat rounded = value;
  bool lossy;
  rounded.convert(format, APFloat::rmNearestTiesToEven, &lossy);
  // A format without infinities overflows to NaN in APFloat.
  if (rounded.isNaN() && !value.isNaN())
    return APFloat::getLargest(format, value.isNegative());
  return rounded;
}

/// Arithmetic in the format of the operands, which is f32 or f64.
static APFloat compute(LanewiseFunction function, ArrayRef<APFloat> operands) {
  APFloat result = operands[0];
  switch (function) {
  case LanewiseFunction::addf:
    result.add(operands[1], APFloat::rmNearestTiesToEven);
    break;
  case LanewiseFunction::subf:
    result.subtract(operands[1], APFloat::rmNearestTiesToEven);
    break;
  case LanewiseFunction::mulf:
    result.multiply(operands[1], APFloat::rmNearestTiesToEven);
    break;
  case LanewiseFunction::divf:
    result.divide(operands[1], APFloat::rmNearestTiesToEven);
    break;
  case LanewiseFunction::remf:
    result.mod(operands[1]);
    break;
  default:
    result.fusedMultiplyAdd(operands[1], operands[2], APFloat::rmNearestTiesToEven);
    break;
  }
  return result;
}

static std::optional<APFloat> evaluateArithmetic(LanewiseFunction function,
                                                 ArrayRef<APFloat> operands) {
  const llvm::fltSemantics &format = operands[0].getSemantics();
  bool narrow = APFloat::getSizeInBits(format) < 32;
  SmallVector<APFloat, 3> wide;
  for (const APFloat &operand : operands)
    wide.push_back(narrow ? roundFloat(operand, APFloat::IEEEsingle()) : operand);
  APFloat result = compute(function, wide);
  if (result.isNaN())
    return std::nullopt;
  if (!narrow)
    return result;
  result = roundFloat(result, format);
  // Rounding to f32 on the way changes some fused results; a target that rounds once gives others.
  if (function == LanewiseFunction::fmaf && !compute(function, operands).bitwiseIsEqual(result))
    return std::nullopt;
  return result;
}

static APFloat roundToInteger(const APFloat &value, APFloat::roundingMode mode) {
  APFloat result = value;
  result.roundToIntegral(mode);
  return result;
}

/// The smaller (or larger) of two numbers. Of zeros with different signs, nothing, unless they are
/// ordered.
static std::optional<APFloat> chooseNumber(const APFloat &a, const APFloat &b, bool larger,
                                           bool ordersZeros) {
  if (a.isZero() && b.isZero() && a.isNegative() != b.isNegative()) {
    if (!ordersZeros)
      return std::nullopt;
    return a.isNegative() == larger ? b : a;
  }
  bool less = a.compare(b) == APFloat::cmpLessThan;
  return less == larger ? b : a;
}

static std::optional<APFloat> chooseFloat(LanewiseFunction function, const APFloat &a,
                                          const APFloat &b) {
  bool larger = function == LanewiseFunction::maximumf || function == LanewiseFunction::maxnumf;
  if (function == LanewiseFunction::minimumf || function == LanewiseFunction::maximumf) {
    if (a.isNaN() || b.isNaN())
      return std::nullopt;
    return chooseNumber(a, b, larger, /*ordersZeros=*/true);
  }
  if (a.isNaN() && b.isNaN())
    return std::nullopt;
  if (a.isNaN() || b.isNaN())
    return a.isNaN() ? b : a;
  return chooseNumber(a, b, larger, /*ordersZeros=*/false);
}

static std::optional<APFloat> clamp(ClampMode mode, const APFloat &value, const APFloat &lower,
                                    const APFloat &upper) {
  if (mode == ClampMode::ordered) {
    if (value.isNaN())
      return std::nullopt;
    const APFloat &raised = value.compare(lower) == APFloat::cmpLessThan ? lower : value;
    return raised.compare(upper) == APFloat::cmpGreaterThan ? upper : raised;
  }
  bool ieee = mode == ClampMode::ieee;
  std::optional<APFloat> raised =
      chooseFloat(ieee ? LanewiseFunction::maximumf : LanewiseFunction::maxnumf, value, lower);
  if (!raised)
    return std::nullopt;
  return chooseFloat(ieee ? LanewiseFunction::minimumf : LanewiseFunction::minnumf, *raised, upper);
}

std::optional<APFloat> evaluateFloat(LanewiseFunction function, ArrayRef<APFloat> operands,
                                     ClampMode mode) {
  const APFloat &a = operands[0];
  switch (function) {
  case LanewiseFunction::negf:
    return neg(a);
  case LanewiseFunction::absf:
    return abs(a);
  case LanewiseFunction::copysignf:
    return APFloat::copySign(a, operands[1]);
  case LanewiseFunction::minimumf:
  case LanewiseFunction::maximumf:
  case LanewiseFunction::minnumf:
  case LanewiseFunction::maxnumf:
    return chooseFloat(function, a, operands[1]);
  case LanewiseFunction::clampf:
    return clamp(mode, a, operands[1], operands[2]);
  case LanewiseFunction::addf:
  case LanewiseFunction::subf:
  case LanewiseFunction::mulf:
  case LanewiseFunction::divf:
  case LanewiseFunction::remf:
  case LanewiseFunction::fmaf:
    return evaluateArithmetic(function, operands);
  default:
    break;
  }
  const llvm::fltSemantics &format = a.getSemantics();
  if (function == LanewiseFunction::signf) {
    if (a.isNaN() || a.isPosZero())
      return APFloat::getZero(format);
    return a.isZero() ? std::nullopt : std::optional(APFloat::getOne(format, a.isNegative()));
  }
  if (a.isNaN())
    return std::nullopt;
  switch (function) {
  case LanewiseFunction::ceilf:
    return roundToInteger(a, APFloat::rmTowardPositive);
  case LanewiseFunction::floorf:
    return roundToInteger(a, APFloat::rmTowardNegative);
  case LanewiseFunction::truncf:
    return roundToInteger(a, APFloat::rmTowardZero);
  case LanewiseFunction::roundf:
    return roundToInteger(a, APFloat::rmNearestTiesToAway);
  case LanewiseFunction::roundevenf:
    return roundToInteger(a, APFloat::rmNearestTiesToEven);
  default:
    return std::nullopt;
  }
}

bool compareFloats(FloatPredicate predicate, const APFloat &a, const APFloat &b) {
  APFloat::cmpResult order = a.compare(b);
  bool less = order == APFloat::cmpLessThan, greater = order == APFloat::cmpGreaterThan;
  bool equal = order == APFloat::cmpEqual, unordered = order == APFloat::cmpUnordered;
  switch (predicate) {
  case FloatPredicate::oeq:
    return equal;
  case FloatPredicate::ogt:
    return greater;
  case FloatPredicate::oge:
    return greater || equal;
  case FloatPredicate::olt:
    return less;
  case FloatPredicate::ole:
    return less || equal;
  case FloatPredicate::one:
    return less || greater;
  case FloatPredicate::ord:
    return !unordered;
  case FloatPredicate::ueq:
    return unordered || equal;
  case FloatPredicate::ugt:
    return unordered || greater;
  case FloatPredicate::uge:
    return unordered || greater || equal;
  case FloatPredicate::ult:
    return unordered || less;
  case FloatPredicate::ule:
    return unordered || less || equal;
  case FloatPredicate::une:
    return unordered || less || greater;
  case FloatPredicate::uno:
    return unordered;
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static TypedAttr convertInteger(LanewiseFunction function, const APInt &value, Type to) {
  if (auto type = dyn_cast<FloatType>(to)) {
    if (function == LanewiseFunction::bitcast)
      return FloatAttr::get(to, APFloat(type.getFloatSemantics(), value));
    APFloat result(type.getFloatSemantics());
    result.convertFromAPInt(value, function == LanewiseFunction::sitofp,
                            APFloat::rmNearestTiesToEven);
    return result.isFinite() ? FloatAttr::get(to, result) : TypedAttr();
  }
  unsigned width = to.getIntOrFloatBitWidth();
  switch (function) {
  case LanewiseFunction::extsi:
    return IntegerAttr::get(to, value.sext(width));
  case LanewiseFunction::extui:
    return IntegerAttr::get(to, value.zext(width));
  case LanewiseFunction::trunci:
    return IntegerAttr::get(to, value.trunc(width));
  default: // bitcast
    return IntegerAttr::get(to, value);
  }
}

static TypedAttr convertFloat(LanewiseFunction function, const APFloat &value, Type to) {
  auto type = dyn_cast<FloatType>(to);
  if (function == LanewiseFunction::bitcast) {
    APInt bits = value.bitcastToAPInt();
    return type ? TypedAttr(FloatAttr::get(to, APFloat(type.getFloatSemantics(), bits)))
                : TypedAttr(IntegerAttr::get(to, bits));
  }
  if (value.isNaN())
    return {};
  if (type)
    return FloatAttr::get(to, roundFloat(value, type.getFloatSemantics()));
  llvm::APSInt result(to.getIntOrFloatBitWidth(),
                      /*isUnsigned=*/function == LanewiseFunction::fptoui);
  bool exact;
  if (value.convertToInteger(result, APFloat::rmTowardZero, &exact) & APFloat::opInvalidOp)
    return {};
  return IntegerAttr::get(to, result);
}

TypedAttr convertNumber(LanewiseFunction function, Attribute value, Type to) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return convertInteger(function, integer.getValue(), to);
  if (auto number = dyn_cast<FloatAttr>(value))
    return convertFloat(function, number.getValue(), to);
  return {};
}

} // namespace loom
