//===- LowerLanewise.cpp - Lowering of functions of numbers ---------------===//
#include "LowerLanewise.h"
#include "LowerMath.h"
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

static unsigned widthOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

static NoWrap noWrapOf(OverflowFlags flags) {
  return {bitEnumContainsAny(flags, OverflowFlags::nsw),
          bitEnumContainsAny(flags, OverflowFlags::nuw)};
}

Value LanewiseLowering::constantLike(Value like, int64_t value) {
  return emitter.constant(like.getType(), value);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value LanewiseLowering::choose(StringRef intrinsic, IntPredicate predicate, Value a, Value b) {
  if (widthOf(a) == 1)
    return emitter.select(emitter.compare(predicate, a, b), a, b);
  return emitter.intrinsic(intrinsic, a.getType(), {a, b});
}

Value LanewiseLowering::integer(LanewiseFunction function, Operands operands, OverflowFlags flags,
                                bool divisorIsConstant) {
  using F = LanewiseFunction;
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value();
  NoWrap noWrap = noWrapOf(flags);
  switch (function) {
  case F::addi:
    return emitter.binary(IntegerOp::Add, a, b, noWrap);
  case F::subi:
    return emitter.binary(IntegerOp::Sub, a, b, noWrap);
  case F::muli:
    return emitter.binary(IntegerOp::Mul, a, b, noWrap);
  case F::fmai: // the promise is about the sum, whose operands may have wrapped
    return emitter.binary(IntegerOp::Add, emitter.binary(IntegerOp::Mul, a, b), operands[2]);
  case F::divsi:
  case F::divui:
  case F::remsi:
  case F::remui:
  case F::ceildivsi:
  case F::ceildivui:
  case F::floordivsi:
    return divide(function, a, b, divisorIsConstant);
  case F::negi:
    return emitter.binary(IntegerOp::Sub, constantLike(a, 0), a);
  case F::absi:
    return choose("llvm.smax", IntPredicate::sgt, a,
                  emitter.binary(IntegerOp::Sub, constantLike(a, 0), a));
  case F::minsi:
    return choose("llvm.smin", IntPredicate::slt, a, b);
  case F::maxsi:
    return choose("llvm.smax", IntPredicate::sgt, a, b);
  case F::minui:
    return choose("llvm.umin", IntPredicate::ult, a, b);
  case F::maxui:
    return choose("llvm.umax", IntPredicate::ugt, a, b);
  case F::andi:
    return emitter.binary(IntegerOp::And, a, b);
  case F::ori:
    return emitter.binary(IntegerOp::Or, a, b);
  case F::xori:
    return emitter.binary(IntegerOp::Xor, a, b);
  case F::shli:
    return widthOf(a) == 1 ? a : emitter.binary(IntegerOp::Shl, a, b, noWrap);
  default:
    return widthOf(a) == 1 ? truthValue(function, operands) : bits(function, operands);
  }
}

/// Functions of i1, as whose amount only zero has a meaning.
Value LanewiseLowering::truthValue(LanewiseFunction function, Operands operands) {
  bool isZeroCount = function == LanewiseFunction::ctlzi || function == LanewiseFunction::cttzi;
  return isZeroCount ? emitter.binary(IntegerOp::Xor, operands[0], constantLike(operands[0], 1))
                     : operands[0];
}

Value LanewiseLowering::bits(LanewiseFunction function, Operands operands) {
  using F = LanewiseFunction;
  Value a = operands[0];
  Value zeroIsDefined = emitter.constant(emitter.integer(1), 0);
  switch (function) {
  case F::shrsi:
    return emitter.binary(IntegerOp::AShr, a, operands[1]);
  case F::shrui:
    return emitter.binary(IntegerOp::LShr, a, operands[1]);
  case F::rotli:
    return emitter.intrinsic("llvm.fshl", a.getType(), {a, a, operands[1]});
  case F::rotri:
    return emitter.intrinsic("llvm.fshr", a.getType(), {a, a, operands[1]});
  case F::ctlzi:
    return emitter.intrinsic("llvm.ctlz", a.getType(), {a, zeroIsDefined});
  case F::cttzi:
    return emitter.intrinsic("llvm.cttz", a.getType(), {a, zeroIsDefined});
  case F::ctpopi:
    return emitter.intrinsic("llvm.ctpop", a.getType(), {a});
  case F::signi: {
    Value one = constantLike(a, 1), minusOne = constantLike(a, -1);
    Value raised = emitter.intrinsic("llvm.smax", a.getType(), {a, minusOne});
    return emitter.intrinsic("llvm.smin", a.getType(), {raised, one});
  }
  default:
    llvm_unreachable("not a function of integers");
  }
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// The quotient of integers of at most 32 bits. No processor divides vectors of integers, and none
/// traps here. A quotient of n-bit numbers that is not whole is at least 2^-n of its size away from
/// the next integer, so that rounding it to 24 bits, or 53, does not reach that.
Value LanewiseLowering::quotientInFloat(Value a, Value b, bool isSigned) {
  Type original = a.getType(), word = emitter.integer(32);
  bool isNarrow = widthOf(a) < 32;
  bool isWordSigned = isSigned || isNarrow;
  auto convert = [&](Value value) {
    if (isNarrow)
      value = isSigned ? emitter.cast(CastOp::SExt, value, word) : emitter.zeroExtend(value, word);
    return emitter.cast(isWordSigned ? CastOp::SIToFP : CastOp::UIToFP, value,
                        isNarrow ? emitter.f32() : emitter.f64());
  };
  Value quotient = emitter.binary(FloatOp::Div, convert(a), convert(b), FastMathFlags::none);
  Value whole = emitter.cast(isWordSigned ? CastOp::FPToSI : CastOp::FPToUI, quotient, word);
  return isNarrow ? emitter.truncate(whole, original) : whole;
}

/// `b`, or 1 where `a / b` has no value. Also what nobody uses is executed: in lanes that are not
/// active, and where control flow became selections.
Value LanewiseLowering::safeDivisor(Value a, Value b, bool isSigned) {
  b = emitter.freeze(b);
  Value isBad = emitter.compare(IntPredicate::eq, b, constantLike(b, 0));
  if (isSigned) {
    Value lowest = constantLike(a, llvm::minIntN(widthOf(a)));
    Value overflows =
        emitter.binary(IntegerOp::And, emitter.compare(IntPredicate::eq, emitter.freeze(a), lowest),
                       emitter.compare(IntPredicate::eq, b, constantLike(b, -1)));
    isBad = emitter.binary(IntegerOp::Or, isBad, overflows);
  }
  return emitter.select(isBad, constantLike(b, 1), b);
}

Value LanewiseLowering::divide(LanewiseFunction function, Value a, Value b,
                               bool divisorIsConstant) {
  using F = LanewiseFunction;
  bool isSigned = function != F::divui && function != F::remui && function != F::ceildivui;
  if (widthOf(a) == 1) {
    // -1 / -1 overflows one bit, and 1 is no divisor to put in its place.
    auto widen = [&](Value value) {
      return isSigned ? emitter.cast(CastOp::SExt, value, emitter.integer(8))
                      : emitter.zeroExtend(value, emitter.integer(8));
    };
    return emitter.truncate(divide(function, widen(a), widen(b), divisorIsConstant),
                            emitter.integer(1));
  }
  bool isRemainder = function == F::remsi || function == F::remui;
  Value quotient, remainder;
  if (isa<mlir::VectorType>(a.getType()) && widthOf(a) <= 32 && !divisorIsConstant &&
      target.hasLanes()) {
    quotient = quotientInFloat(a, b, isSigned);
  } else {
    // Frozen, since a poison dividend would make the choice of the divisor poison.
    a = emitter.freeze(a);
    b = safeDivisor(a, b, isSigned);
    if (isRemainder)
      return emitter.binary(isSigned ? IntegerOp::SRem : IntegerOp::URem, a, b);
    quotient = emitter.binary(isSigned ? IntegerOp::SDiv : IntegerOp::UDiv, a, b);
  }
  if (function == F::divsi || function == F::divui)
    return quotient;
  remainder = emitter.binary(IntegerOp::Sub, a, emitter.binary(IntegerOp::Mul, quotient, b));
  if (isRemainder)
    return remainder;
  // Away from zero by one where the division is not exact and rounds the other way.
  Value moves = emitter.compare(IntPredicate::ne, remainder, constantLike(remainder, 0));
  if (isSigned) {
    // The remainder has the sign of the dividend.
    Value signs = emitter.binary(IntegerOp::Xor, remainder, b);
    IntPredicate toward = function == F::floordivsi ? IntPredicate::slt : IntPredicate::sge;
    moves = emitter.binary(IntegerOp::And, moves,
                           emitter.compare(toward, signs, constantLike(signs, 0)));
  }
  Value step = emitter.zeroExtend(moves, getElementTypeOrSelf(quotient.getType()));
  return emitter.binary(function == F::floordivsi ? IntegerOp::Sub : IntegerOp::Add, quotient,
                        step);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value LanewiseLowering::clamp(ClampMode mode, Operands operands, FastMathFlags flags,
                              Type element) {
  Value value = operands[0], lower = operands[1], upper = operands[2];
  if (mode == ClampMode::ordered) {
    Value isLess = floats.compare(FloatPredicate::olt, value, lower, flags, element);
    value = emitter.select(isLess, lower, value);
    Value isGreater = floats.compare(FloatPredicate::ogt, value, upper, flags, element);
    return emitter.select(isGreater, upper, value);
  }
  bool ieee = mode == ClampMode::ieee;
  value = floats.choose(ieee ? "llvm.maximum" : "llvm.maximumnum", value, lower, flags, element);
  return floats.choose(ieee ? "llvm.minimum" : "llvm.minimumnum", value, upper, flags, element);
}

Value LanewiseLowering::sign(Value a, Type element) {
  auto constant = [&](double number) { return floats.constant(number, element, a.getType()); };
  Value zero = constant(0.0);
  Value isPositive = floats.compare(FloatPredicate::ogt, a, zero, FastMathFlags::none, element);
  Value isNegative = floats.compare(FloatPredicate::olt, a, zero, FastMathFlags::none, element);
  return emitter.select(isPositive, constant(1.0),
                        emitter.select(isNegative, constant(-1.0), zero));
}

Value LanewiseLowering::number(LanewiseFunction function, Operands operands, FastMathFlags flags,
                               Type element) {
  using F = LanewiseFunction;
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value();
  switch (function) {
  case F::addf:
    return floats.binary(FloatOp::Add, a, b, flags, element);
  case F::subf:
    return floats.binary(FloatOp::Sub, a, b, flags, element);
  case F::mulf:
    return floats.binary(FloatOp::Mul, a, b, flags, element);
  case F::divf:
    return floats.binary(FloatOp::Div, a, b, flags, element);
  case F::remf: // exact in the format of the operands
    return floats.narrow(emitRemainder(emitter, floats.widen(a, element), floats.widen(b, element)),
                         element);
  case F::negf:
    return floats.negate(a, flags, element);
  case F::absf:
    return floats.absolute(a, flags, element);
  case F::copysignf:
    return floats.copySign(a, b, flags, element);
  case F::minimumf:
    return floats.choose("llvm.minimum", a, b, flags, element);
  case F::maximumf:
    return floats.choose("llvm.maximum", a, b, flags, element);
  // IEEE 754-2019 minimumNumber: a number beats a NaN, and unlike llvm.minnum it orders -0 below
  // +0, so that every target gives the same bits.
  case F::minnumf:
    return floats.choose("llvm.minimumnum", a, b, flags, element);
  case F::maxnumf:
    return floats.choose("llvm.maximumnum", a, b, flags, element);
  case F::fmaf:
    return floats.fma(a, b, operands[2], flags, element);
  case F::ceilf:
    return floats.unary("llvm.ceil", a, flags, element);
  case F::floorf:
    return floats.unary("llvm.floor", a, flags, element);
  case F::truncf:
    return floats.unary("llvm.trunc", a, flags, element);
  case F::roundf:
    return floats.unary("llvm.round", a, flags, element);
  case F::roundevenf:
    return floats.unary("llvm.roundeven", a, flags, element);
  case F::signf:
    return sign(a, element);
  case F::isnanf:
    return floats.test(SmallFloats::Test::NaN, a, element);
  case F::isinff:
    return floats.test(SmallFloats::Test::Infinite, a, element);
  case F::isfinitef:
    return floats.test(SmallFloats::Test::Finite, a, element);
  default:
    llvm_unreachable("not a function of floats");
  }
}

/// The instruction-like intrinsic of a GPU that approximates `function`.
static StringRef approximation(LanewiseFunction function) {
  switch (function) {
  case LanewiseFunction::expf:
    return "llvm.exp";
  case LanewiseFunction::exp2f:
    return "llvm.exp2";
  case LanewiseFunction::logf:
    return "llvm.log";
  case LanewiseFunction::log2f:
    return "llvm.log2";
  case LanewiseFunction::log10f:
    return "llvm.log10";
  case LanewiseFunction::sqrtf:
    return "llvm.sqrt";
  default:
    return "";
  }
}

Value LanewiseLowering::math(Operation *op, LanewiseFunction function, Operands operands,
                             FastMathFlags flags, Type element) {
  SmallVector<Value> wide =
      llvm::map_to_vector(operands, [&](Value operand) { return floats.widen(operand, element); });
  Type type = wide[0].getType();
  StringRef fast = approximation(function);
  Value result;
  if (!fast.empty() && bitEnumContainsAny(flags, FastMathFlags::afn) &&
      getElementTypeOrSelf(type).isF32() && target.hasApproximateMath())
    result = emitter.intrinsic(fast, type, wide, flags);
  else if (function == LanewiseFunction::geluf)
    result = emitGelu(
        emitter, op->getAttrOfType<GeluVariantAttr>("variant").getValue(),
        op->hasAttr("scale") ? op->getAttrOfType<FloatAttr>("scale").getValueAsDouble() : 0.0,
        wide[0]);
  else
    result = emitMath(emitter, function, wide);
  return floats.narrow(result, element);
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

Value LanewiseLowering::compare(Operation *op, LanewiseFunction function, Operands operands,
                                FastMathFlags flags, Type element) {
  Attribute predicate = op->getAttr("predicate");
  if (function == LanewiseFunction::cmpi)
    return emitter.compare(cast<IntPredicateAttr>(predicate).getValue(), operands[0], operands[1]);
  return floats.compare(cast<FloatPredicateAttr>(predicate).getValue(), operands[0], operands[1],
                        flags, element);
}

Value LanewiseLowering::convert(LanewiseFunction function, Value a, Type from, Type to) {
  using F = LanewiseFunction;
  switch (function) {
  case F::sitofp:
  case F::uitofp:
    return floats.fromInteger(a, to, function == F::sitofp);
  case F::fptosi:
  case F::fptoui:
    return floats.toInteger(a, from, to, function == F::fptosi);
  case F::extf:
  case F::fptrunc:
    return floats.convert(a, from, to);
  case F::extsi:
    return emitter.cast(CastOp::SExt, a, to);
  case F::extui:
    return emitter.zeroExtend(a, to);
  case F::trunci:
    return emitter.truncate(a, to);
  case F::bitcast: {
    Type carried = floats.isCarriedAsBits(to) ? emitter.integer(to.getIntOrFloatBitWidth()) : to;
    return getElementTypeOrSelf(a.getType()) == carried ? a
                                                        : emitter.cast(CastOp::Bitcast, a, carried);
  }
  default:
    llvm_unreachable("not a conversion");
  }
}

Value LanewiseLowering::bitField(Value a, int64_t offset, int64_t width, Type element,
                                 bool isSigned) {
  int64_t from = widthOf(a), to = element.getIntOrFloatBitWidth();
  if (from > 1) {
    // To the top of the integer, then down again.
    a = emitter.binary(IntegerOp::Shl, a, constantLike(a, from - offset - width));
    a = emitter.binary(isSigned ? IntegerOp::AShr : IntegerOp::LShr, a,
                       constantLike(a, from - width));
  }
  if (from == to)
    return a;
  if (from > to)
    return emitter.truncate(a, element);
  return isSigned ? emitter.cast(CastOp::SExt, a, element) : emitter.zeroExtend(a, element);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  return isa_and_nonnull<ScalarConstantOp, VectorConstantOp>(value.getDefiningOp());
}

Value LanewiseLowering::lower(Operation *op, Operands operands) {
  using F = LanewiseFunction;
  F function = cast<LanewiseOpInterface>(op).getLanewiseFunction();
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (function >= F::sitofp)
    return convert(function, operands[0], element,
                   getElementTypeOrSelf(op->getResult(0).getType()));
  auto fastmath = op->getAttrOfType<FastMathFlagsAttr>("fastmath");
  FastMathFlags flags = fastmath ? fastmath.getValue() : FastMathFlags::none;
  if (function >= F::cmpi)
    return compare(op, function, operands, flags, element);
  if (function >= F::expf)
    return math(op, function, operands, flags, element);
  if (function == F::clampf)
    return clamp(op->getAttrOfType<ClampModeAttr>("mode").getValue(), operands, flags, element);
  if (function >= F::addf)
    return number(function, operands, flags, element);
  auto overflow = op->getAttrOfType<OverflowFlagsAttr>("overflow");
  return integer(function, operands, overflow ? overflow.getValue() : OverflowFlags::none,
                 op->getNumOperands() > 1 && isConstant(op->getOperand(1)));
}

Value LanewiseLowering::combine(CombiningKind kind, Value a, Value b, FastMathFlags flags,
                                Type element) {
  using F = LanewiseFunction;
  auto integers = [&](F function) {
    return integer(function, {a, b}, OverflowFlags::none, /*divisorIsConstant=*/false);
  };
  auto numbers = [&](F function) { return number(function, {a, b}, flags, element); };
  switch (kind) {
  case CombiningKind::addi:
    return integers(F::addi);
  case CombiningKind::muli:
    return integers(F::muli);
  case CombiningKind::andi:
    return integers(F::andi);
  case CombiningKind::ori:
    return integers(F::ori);
  case CombiningKind::xori:
    return integers(F::xori);
  case CombiningKind::minsi:
    return integers(F::minsi);
  case CombiningKind::maxsi:
    return integers(F::maxsi);
  case CombiningKind::minui:
    return integers(F::minui);
  case CombiningKind::maxui:
    return integers(F::maxui);
  case CombiningKind::addf:
    return numbers(F::addf);
  case CombiningKind::mulf:
    return numbers(F::mulf);
  case CombiningKind::minimumf:
    return numbers(F::minimumf);
  case CombiningKind::maximumf:
    return numbers(F::maximumf);
  case CombiningKind::minnumf:
    return numbers(F::minnumf);
  case CombiningKind::maxnumf:
    return numbers(F::maxnumf);
  }
  llvm_unreachable("covered switch");
}

Value KernelLowering::combine(CombiningKind kind, Value a, Value b, FastMathFlags flags,
                              Type element) {
  if (!element)
    element = getElementTypeOrSelf(a.getType());
  return LanewiseLowering(emitter, floats, target).combine(kind, a, b, flags, element);
}

/// A literal of an element type as what carries it.
static TypedAttr carriedLiteral(TypedAttr literal, const SmallFloats &floats) {
  MLIRContext *context = literal.getContext();
  if (auto index = dyn_cast<IntegerAttr>(literal); index && isAddressType(index.getType()))
    return IntegerAttr::get(IntegerType::get(context, 64), index.getValue().sextOrTrunc(64));
  return floats.carried(literal);
}

static int64_t elementCount(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

/// Some value, that LLVM draws no conclusions from.
void KernelLowering::lowerPoison(ScalarPoisonOp op) {
  Type type = lowered(op.getType());
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value zero = emitter.constant(emitter.shaped(emitter.integer(width), type), 0);
  define(op, zero.getType() == type ? zero : emitter.reinterpret(zero, type));
}

/// The bits of all elements are one stream, the first element lowest. In the lane form there is
/// such a stream for each lane, while a lowered vector has the lanes of element 0 first: elements
/// that lie in one wider element are brought together.
void KernelLowering::lowerVectorBitcast(VectorBitcastOp op) {
  Value input = get(op.getInput());
  auto from = cast<mlir::VectorType>(input.getType());
  auto to = cast<mlir::VectorType>(lowered(op.getType()));
  int64_t have = from.getElementTypeBitWidth(), want = to.getElementTypeBitWidth();
  int64_t ratio = std::max(have, want) / std::min(have, want);
  if (ratio == 1 || !inLanes)
    return define(op.getResult(), from == to ? input : emitter.reinterpret(input, to));
  int64_t lanes = laneCount(), narrow = std::max(from.getNumElements(), to.getNumElements());
  SmallVector<int32_t> together(narrow), apart(narrow);
  for (int64_t i = 0; i < narrow; ++i) {
    int64_t part = i % ratio, lane = i / ratio % lanes, wide = i / ratio / lanes;
    int64_t elementMajor = (wide * ratio + part) * lanes + lane;
    together[i] = elementMajor;
    apart[elementMajor] = i;
  }
  if (want > have)
    return define(op.getResult(), emitter.reinterpret(emitter.shuffle(input, input, together), to));
  Value parts = emitter.reinterpret(input, to);
  define(op.getResult(), emitter.shuffle(parts, parts, apart));
}

bool KernelLowering::lowerLanewise(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  LanewiseLowering lanewise(emitter, floats, target);
  if (isa<LanewiseOpInterface>(op)) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return get(operand); });
    define(op->getResult(0), lanewise.lower(op, operands));
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ScalarConstantOp o) {
        define(o, emitter.constant(carriedLiteral(o.getValue(), floats)));
        return true;
      })
      .Case([&](VectorConstantOp o) {
        int64_t count = elementCount(lowered(o.getType()));
        define(o, emitter.constant(carriedLiteral(o.getValue(), floats), count));
        return true;
      })
      .Case([&](ScalarPoisonOp o) {
        lowerPoison(o);
        return true;
      })
      .Case<ScalarBitfieldExtractUOp, ScalarBitfieldExtractSOp>([&](auto o) {
        define(o, lanewise.bitField(get(o.getInput()), o.getOffset(), o.getWidth(), o.getType(),
                                    isa<ScalarBitfieldExtractSOp>(op)));
        return true;
      })
      .Case([&](VectorSelectOp o) {
        define(o, emitter.select(get(o.getMask()), get(o.getTrueValue()), get(o.getFalseValue())));
        return true;
      })
      .Case([&](VectorBitcastOp o) {
        lowerVectorBitcast(o);
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool isLanewiseSupported(Operation *op, const LoweringTarget &) {
  return isa<LanewiseOpInterface, ScalarConstantOp, VectorConstantOp, ScalarPoisonOp,
             ScalarAssumeOp, ScalarBitfieldExtractUOp, ScalarBitfieldExtractSOp, VectorSelectOp,
             VectorBitcastOp>(op);
}

} // namespace loom::lowering
