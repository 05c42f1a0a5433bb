//===- Parameters.cpp - Values of the parameters of a case ----------------===//
#include "Values.h"
#include "loom/Check/Plan.h"
#include "loom/IR/SourceInfo.h"
#include <cmath>

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Number;
using runtime::Scalar;

/// The verifier admits the bounds of a sequence in the unsigned range of an integer type as well;
/// its values are numbers.
static bool fits(ElementType type, int64_t value) {
  return Scalar::fromInteger(type, value).has_value();
}

//===----------------------------------------------------------------------===//
// check.param.range
//===----------------------------------------------------------------------===//

/// Number of values of a linear range of floats, nothing when it has no meaning.
static std::optional<uint64_t> countFloats(double low, double high, double step) {
  double steps = std::floor((high - low) / step);
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(steps) || steps < 0)
    return std::nullopt;
  return steps < 0x1p63 ? static_cast<uint64_t>(steps) + 1 : UINT64_MAX;
}

/// `low` is positive.
static uint64_t firstPowerOfTwo(int64_t low) { return llvm::PowerOf2Ceil(low); }

std::optional<std::string> Parameter::initialize(CheckParamRangeOp range) {
  ElementType type = *elementTypeOf(range.getType());
  Number low = numberOf(range.getLow()), high = numberOf(range.getHigh());
  if (runtime::isFloat(type)) {
    auto count = countFloats(low.real, high.real, numberOf(*range.getStep()).real);
    if (!count)
      return "the range has no values: its bounds are finite and ascend, and its step is a number";
    valueCount = *count;
    return std::nullopt;
  }
  if (!fits(type, low.integer) || !fits(type, high.integer))
    return "the bounds do not fit " + stringifyElementType(type).str();
  if (low.integer > high.integer)
    return "the range ends before it begins";
  if (range.getSequence() == SequenceKind::po2) {
    uint64_t first = firstPowerOfTwo(low.integer), last = high.integer;
    if (first > last)
      return "no power of two lies in the range";
    valueCount = llvm::Log2_64(last) - llvm::Log2_64(first) + 1;
    return std::nullopt;
  }
  uint64_t step = range.getStep() ? numberOf(*range.getStep()).integer : 1;
  uint64_t steps = (uint64_t(high.integer) - uint64_t(low.integer)) / step;
  valueCount = steps == UINT64_MAX ? steps : steps + 1;
  return std::nullopt;
}

static Scalar rangeAt(CheckParamRangeOp range, uint64_t position) {
  ElementType type = *elementTypeOf(range.getType());
  Number low = numberOf(range.getLow());
  Number step = range.getStep() ? numberOf(*range.getStep()) : Number{1, 0};
  if (runtime::isFloat(type))
    return Scalar::fromDouble(
        type, runtime::linearPoint(low.real, step.real, static_cast<double>(position)));
  if (range.getSequence() == SequenceKind::po2)
    return Scalar::fromBits(type, firstPowerOfTwo(low.integer) << position);
  return Scalar::fromBits(type, uint64_t(low.integer) + position * uint64_t(step.integer));
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

std::optional<Parameter> Parameter::create(Operation *op, std::string &reason) {
  Parameter parameter(op);
  if (!elementTypeOf(op->getResult(0).getType())) {
    reason = "a parameter of type " + stringifyType(op->getResult(0).getType()) + " has no values";
    return std::nullopt;
  }
  if (auto range = dyn_cast<CheckParamRangeOp>(op)) {
    if (std::optional<std::string> problem = parameter.initialize(range)) {
      reason = *problem;
      return std::nullopt;
    }
  } else if (auto choice = dyn_cast<CheckParamChoiceOp>(op)) {
    parameter.valueCount = choice.getValues().size();
  } else {
    auto seed = cast<CheckParamSeedOp>(op);
    ElementType type = *elementTypeOf(seed.getType());
    int64_t base = seed.getBase(), last = base + static_cast<int64_t>(seed.getCount() - 1);
    if (!fits(type, base) || !fits(type, last)) {
      reason = "the seeds " + std::to_string(base) + " to " + std::to_string(last) +
               " do not fit " + stringifyElementType(type).str();
      return std::nullopt;
    }
    parameter.valueCount = seed.getCount();
  }
  return parameter;
}

StringRef Parameter::kind() const {
  if (isa<CheckParamRangeOp>(operation))
    return "range";
  return isa<CheckParamChoiceOp>(operation) ? "choice" : "seed";
}

StringRef Parameter::name() const {
  auto name = operation->getAttrOfType<StringAttr>("parameter");
  return name ? name.getValue() : StringRef();
}

std::string Parameter::displayName() const {
  if (!name().empty())
    return name().str();
  StringRef author = getValueName(value());
  return author.empty() ? std::string("parameter") : author.str();
}

Scalar Parameter::at(uint64_t position) const {
  assert(position < valueCount && "no such value");
  if (auto range = dyn_cast<CheckParamRangeOp>(operation))
    return rangeAt(range, position);
  ElementType type = *elementTypeOf(value().getType());
  if (auto choice = dyn_cast<CheckParamChoiceOp>(operation))
    return Scalar::fromBits(type, choice.getValues()[position]);
  return Scalar::fromBits(type, cast<CheckParamSeedOp>(operation).getBase() + position);
}

} // namespace loom::check
