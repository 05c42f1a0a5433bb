//===- Assign.cpp - Values that benchmarks give to parameters -------------===//
#include "loom/Bench/Plan.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace loom::bench {
using namespace mlir;

/// An authored number, exact when it is an integer.
static std::optional<int64_t> integerOf(Attribute literal) {
  if (auto boolean = dyn_cast<BoolAttr>(literal))
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(literal))
    return integer.getInt();
  return std::nullopt;
}

static std::optional<double> realOf(Attribute literal) {
  if (auto real = dyn_cast<FloatAttr>(literal))
    return real.getValueAsDouble();
  if (std::optional<int64_t> integer = integerOf(literal))
    return static_cast<double>(*integer);
  return std::nullopt;
}

/// The element `first + position * step` of `count` that is `value`.
static std::optional<uint64_t> positionInSequence(int64_t value, int64_t first, uint64_t step,
                                                  uint64_t count) {
  uint64_t distance = uint64_t(value) - uint64_t(first);
  if (value < first || distance % step != 0 || distance / step >= count)
    return std::nullopt;
  return distance / step;
}

static std::optional<uint64_t> positionInFloats(CheckParamRangeOp range, double value,
                                                uint64_t count) {
  double low = *realOf(range.getLow()), step = *realOf(*range.getStep());
  double position = (value - low) / step, nearest = std::round(position);
  if (!(std::abs(position - nearest) <= 1e-9) || nearest < 0 ||
      nearest >= static_cast<double>(count))
    return std::nullopt;
  return static_cast<uint64_t>(nearest);
}

static std::optional<uint64_t> positionOfInteger(const check::Parameter &parameter, int64_t value) {
  if (auto seed = dyn_cast<CheckParamSeedOp>(parameter.op()))
    return positionInSequence(value, seed.getBase(), 1, parameter.count());
  auto range = dyn_cast<CheckParamRangeOp>(parameter.op());
  if (range && range.getSequence() == SequenceKind::linear)
    return positionInSequence(value, *integerOf(range.getLow()),
                              range.getStep() ? *integerOf(*range.getStep()) : 1,
                              parameter.count());
  // Powers of two are few, and so are values that somebody has written down.
  for (uint64_t position = 0; position < parameter.count(); ++position)
    if (parameter.at(position).toInteger() == value)
      return position;
  return std::nullopt;
}

std::optional<uint64_t> positionOf(const check::Parameter &parameter, Attribute literal,
                                   std::string &reason) {
  bool wantsFloat = runtime::isFloat(parameter.at(0).type());
  std::optional<uint64_t> position;
  if (wantsFloat) {
    std::optional<double> value = realOf(literal);
    if (!value)
      return reason = "is no number", std::nullopt;
    position = positionInFloats(cast<CheckParamRangeOp>(parameter.op()), *value, parameter.count());
  } else {
    std::optional<int64_t> value = integerOf(literal);
    if (!value)
      return reason = "is no integer", std::nullopt;
    position = positionOfInteger(parameter, *value);
  }
  if (!position)
    reason = "is none of the values of the parameter";
  return position;
}

} // namespace loom::bench
