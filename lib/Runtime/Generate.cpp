//===- Generate.cpp - Contents of tensors ---------------------------------===//
//
// Compiled with -ffp-contract=off: a fused multiply-add would round once where the definition
// rounds twice.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Generate.h"
#include "loom/Runtime/Random.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;

namespace loom::runtime {

double linearPoint(double origin, double step, double i) {
  double distance = i * step;
  return origin + distance;
}

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

static WideInteger iotaInteger(const Iota &iota, uint64_t i) {
  return WideInteger(iota.offset.integer) + WideInteger(i) * iota.step.integer;
}

Error checkIota(ElementType type, const Iota &iota, uint64_t count) {
  if (isFloat(type) || count == 0)
    return Error::success();
  // Elements advance evenly, so the first one outside the range can be computed.
  uint64_t distinct = iota.period ? std::min<uint64_t>(count, *iota.period) : count;
  auto fits = [&](uint64_t i) {
    return Scalar::fromInteger(type, iotaInteger(iota, i)).has_value();
  };
  uint64_t bad = 0;
  if (fits(0)) {
    if (fits(distinct - 1))
      return Error::success();
    uint64_t good = 0;
    bad = distinct - 1;
    while (bad - good > 1) {
      uint64_t middle = good + (bad - good) / 2;
      (fits(middle) ? good : bad) = middle;
    }
  }
  return createStringError("element " + std::to_string(bad) + " does not fit " +
                           stringifyElementType(type).str());
}

Error generateIota(Tensor &tensor, const Iota &iota) {
  ElementType type = tensor.type();
  if (Error error = checkIota(type, iota, tensor.elementCount()))
    return error;
  uint64_t period = iota.period ? static_cast<uint64_t>(*iota.period) : UINT64_MAX;
  for (uint64_t flat = 0, e = tensor.elementCount(); flat < e; ++flat) {
    uint64_t i = flat % period;
    tensor.set(flat, isFloat(type)
                         ? Scalar::fromDouble(type, linearPoint(iota.offset.real, iota.step.real,
                                                                static_cast<double>(i)))
                         : *Scalar::fromInteger(type, iotaInteger(iota, i)));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// fill and uniform
//===----------------------------------------------------------------------===//

void generateFill(Tensor &tensor, const Scalar &value) {
  for (uint64_t flat = 0, e = tensor.elementCount(); flat < e; ++flat)
    tensor.set(flat, value);
}

Error checkUniform(ElementType type, const Uniform &range) {
  if (isFloat(type)) {
    if (range.low.real <= range.high.real && std::isfinite(range.high.real - range.low.real))
      return Error::success();
    return createStringError("a range of floats has finite bounds in ascending order");
  }
  if (range.low.integer > range.high.integer)
    return createStringError("the range ends before it begins");
  if (Scalar::fromInteger(type, range.low.integer) && Scalar::fromInteger(type, range.high.integer))
    return Error::success();
  return createStringError("the range leaves " + stringifyElementType(type).str());
}

Error generateUniform(Tensor &tensor, const Uniform &range, uint64_t seed) {
  ElementType type = tensor.type();
  if (Error error = checkUniform(type, range))
    return error;
  Xoroshiro128 random(seed);
  // A span of 0 stands for all 2^64 integers.
  uint64_t span = uint64_t(range.high.integer) - uint64_t(range.low.integer) + 1;
  double width = range.high.real - range.low.real;
  for (uint64_t flat = 0, e = tensor.elementCount(); flat < e; ++flat) {
    if (isFloat(type)) {
      tensor.set(flat,
                 Scalar::fromDouble(type, linearPoint(range.low.real, width, random.nextUnit())));
      continue;
    }
    uint64_t draw = random.next();
    uint64_t distance = span ? draw % span : draw;
    tensor.set(flat, Scalar::fromBits(type, uint64_t(range.low.integer) + distance));
  }
  return Error::success();
}

} // namespace loom::runtime
