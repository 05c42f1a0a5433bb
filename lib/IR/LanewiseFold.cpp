//===- LanewiseFold.cpp - Folding of functions of numbers -----------------===//
#include "loom/IR/Lanewise.h"
#include "mlir/IR/TypeUtilities.h"

namespace loom {
using namespace mlir;

static bool isConversion(LanewiseFunction function) { return function >= LanewiseFunction::sitofp; }

/// Operands that do not change what the other one is, and operands that decide alone.
static OpFoldResult foldIdentity(Operation *op, LanewiseFunction function,
                                 Attribute rightConstant) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type type = getElementTypeOrSelf(lhs.getType());
  if (lhs == rhs)
    switch (function) {
    case LanewiseFunction::andi:
    case LanewiseFunction::ori:
    case LanewiseFunction::minsi:
    case LanewiseFunction::maxsi:
    case LanewiseFunction::minui:
    case LanewiseFunction::maxui:
      return lhs;
    case LanewiseFunction::subi:
    case LanewiseFunction::xori:
      return IntegerAttr::get(type, 0);
    default:
      break;
    }
  auto constant = dyn_cast_or_null<IntegerAttr>(rightConstant);
  if (!constant)
    return {};
  const APInt &value = constant.getValue();
  // In one bit, 1 is also -1.
  bool isZero = value.isZero(), isOne = value.isOne() && value.getBitWidth() > 1;
  switch (function) {
  case LanewiseFunction::addi:
  case LanewiseFunction::subi:
  case LanewiseFunction::xori:
  case LanewiseFunction::shli:
  case LanewiseFunction::shrsi:
  case LanewiseFunction::shrui:
  case LanewiseFunction::rotli:
  case LanewiseFunction::rotri:
    return isZero ? OpFoldResult(lhs) : OpFoldResult();
  case LanewiseFunction::ori:
    return isZero ? OpFoldResult(lhs) : value.isAllOnes() ? OpFoldResult(constant) : OpFoldResult();
  case LanewiseFunction::andi:
    return isZero ? OpFoldResult(constant) : value.isAllOnes() ? OpFoldResult(lhs) : OpFoldResult();
  case LanewiseFunction::muli:
    return isZero ? OpFoldResult(constant) : isOne ? OpFoldResult(lhs) : OpFoldResult();
  case LanewiseFunction::divsi:
  case LanewiseFunction::divui:
  case LanewiseFunction::ceildivsi:
  case LanewiseFunction::ceildivui:
  case LanewiseFunction::floordivsi:
    return isOne ? OpFoldResult(lhs) : OpFoldResult();
  case LanewiseFunction::remsi:
  case LanewiseFunction::remui:
    return isOne ? OpFoldResult(IntegerAttr::get(type, 0)) : OpFoldResult();
  default:
    return {};
  }
}

static OpFoldResult foldConversion(Operation *op, LanewiseFunction function, Attribute operand) {
  Value input = op->getOperand(0);
  Type result = op->getResult(0).getType();
  if (function == LanewiseFunction::bitcast) {
    // Bits that come back to their type are the same bits.
    if (input.getType() == result)
      return input;
    auto before = input.getDefiningOp<LanewiseOpInterface>();
    if (before && before.getLanewiseFunction() == function &&
        before->getOperand(0).getType() == result)
      return before->getOperand(0);
  }
  if (!operand)
    return {};
  return convertNumber(function, operand, getElementTypeOrSelf(result));
}

static OpFoldResult foldComparison(Operation *op, LanewiseFunction function, Attribute lhs,
                                   Attribute rhs) {
  Attribute predicate = op->getAttr("predicate");
  if (function == LanewiseFunction::cmpi) {
    IntPredicate order = cast<IntPredicateAttr>(predicate).getValue();
    if (op->getOperand(0) == op->getOperand(1))
      return BoolAttr::get(op->getContext(), compareIntegers(order, APInt(1, 0), APInt(1, 0)));
    auto a = dyn_cast_or_null<IntegerAttr>(lhs), b = dyn_cast_or_null<IntegerAttr>(rhs);
    if (!a || !b)
      return {};
    return BoolAttr::get(op->getContext(), compareIntegers(order, a.getValue(), b.getValue()));
  }
  auto a = dyn_cast_or_null<FloatAttr>(lhs), b = dyn_cast_or_null<FloatAttr>(rhs);
  if (!a || !b)
    return {};
  return BoolAttr::get(
      op->getContext(),
      compareFloats(cast<FloatPredicateAttr>(predicate).getValue(), a.getValue(), b.getValue()));
}

/// Questions about one float.
static OpFoldResult foldTest(LanewiseFunction function, Attribute operand) {
  auto number = dyn_cast_or_null<FloatAttr>(operand);
  if (!number)
    return {};
  llvm::APFloat value = number.getValue();
  bool answer = function == LanewiseFunction::isnanf   ? value.isNaN()
                : function == LanewiseFunction::isinff ? value.isInfinity()
                                                       : value.isFinite();
  return BoolAttr::get(operand.getContext(), answer);
}

static OpFoldResult foldIntegers(Operation *op, LanewiseFunction function,
                                 ArrayRef<Attribute> operands) {
  SmallVector<APInt, 3> values;
  for (Attribute operand : operands)
    if (auto integer = dyn_cast_or_null<IntegerAttr>(operand))
      values.push_back(integer.getValue());
  if (values.size() < operands.size())
    return operands.size() == 2 ? foldIdentity(op, function, operands[1]) : OpFoldResult();
  auto flags = op->getAttrOfType<OverflowFlagsAttr>("overflow");
  std::optional<APInt> result =
      evaluateInteger(function, values, flags ? flags.getValue() : OverflowFlags::none);
  if (!result)
    return {};
  return IntegerAttr::get(getElementTypeOrSelf(op->getResult(0).getType()), *result);
}

static OpFoldResult foldFloats(Operation *op, LanewiseFunction function,
                               ArrayRef<Attribute> operands) {
  SmallVector<llvm::APFloat, 3> values;
  for (Attribute operand : operands)
    if (auto number = dyn_cast_or_null<FloatAttr>(operand))
      values.push_back(number.getValue());
  if (values.size() < operands.size())
    return {};
  auto mode = op->getAttrOfType<ClampModeAttr>("mode");
  std::optional<llvm::APFloat> result =
      evaluateFloat(function, values, mode ? mode.getValue() : ClampMode::ordered);
  if (!result)
    return {};
  return FloatAttr::get(getElementTypeOrSelf(op->getResult(0).getType()), *result);
}

OpFoldResult foldLanewise(Operation *op, LanewiseFunction function, ArrayRef<Attribute> operands) {
  if (isConversion(function))
    return foldConversion(op, function, operands[0]);
  if (function == LanewiseFunction::cmpi || function == LanewiseFunction::cmpf)
    return foldComparison(op, function, operands[0], operands[1]);
  if (function >= LanewiseFunction::isnanf && function <= LanewiseFunction::isfinitef)
    return foldTest(function, operands[0]);
  if (function < LanewiseFunction::addf)
    return foldIntegers(op, function, operands);
  return foldFloats(op, function, operands);
}

} // namespace loom
