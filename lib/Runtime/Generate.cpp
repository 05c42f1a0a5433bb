//===- Generate.cpp - Contents of tensors ---------------------------------===//
//
// Compiled with -ffp-contract=off: a fused multiply-add would round once where the definition
// rounds twice.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Generate.h"
#include "loom/Runtime/Elements.h"
#include "loom/Runtime/Random.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace loom::runtime {

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

/// Repeats the first `period` elements until the end.
template <typename T> static void repeat(MutableArrayRef<T> elements, uint64_t period) {
  // What is already there is a whole number of periods, so that it can be copied as one piece.
  for (uint64_t done = period; done < elements.size();) {
    uint64_t piece = std::min<uint64_t>(done, elements.size() - done);
    std::memcpy(elements.data() + done, elements.data(), piece * sizeof(T));
    done += piece;
  }
}

Error generateIota(Tensor &tensor, const Iota &iota) {
  if (Error error = checkIota(tensor.type(), iota, tensor.elementCount()))
    return error;
  visitElement(tensor.type(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    MutableArrayRef<Storage> elements = tensor.elements<Storage>();
    uint64_t distinct =
        iota.period ? std::min<uint64_t>(elements.size(), *iota.period) : elements.size();
    if constexpr (Element::isFloat) {
      double offset = iota.offset.real, step = iota.step.real;
      for (uint64_t i = 0; i < distinct; ++i)
        elements[i] = Element::store(linearPoint(offset, step, static_cast<double>(i)));
    } else {
      // Each element fits, so that arithmetic modulo 2^64 is exact.
      uint64_t next = iota.offset.integer, step = iota.step.integer;
      for (uint64_t i = 0; i < distinct; ++i, next += step)
        elements[i] = static_cast<Storage>(next);
    }
    repeat(elements, distinct);
  });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// fill and uniform
//===----------------------------------------------------------------------===//

void generateFill(Tensor &tensor, const Scalar &value) {
  assert(value.type() == tensor.type() && "value of another type");
  visitElement(tensor.type(), [&](auto element) {
    using Storage = typename decltype(element)::Storage;
    Storage stored;
    uint64_t bits = value.bits();
    std::memcpy(&stored, &bits, sizeof(stored));
    MutableArrayRef<Storage> elements = tensor.elements<Storage>();
    std::fill(elements.begin(), elements.end(), stored);
  });
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

/// low + draw mod span; a span of 0 stands for all 2^64 integers.
template <typename T>
static void drawIntegers(MutableArrayRef<T> elements, uint64_t low, uint64_t span,
                         Xoroshiro128 random) {
  if ((span & (span - 1)) == 0) { // a power of two, or 0
    uint64_t mask = span - 1;
    for (T &element : elements)
      element = static_cast<T>(low + (random.next() & mask));
    return;
  }
  for (T &element : elements)
    element = static_cast<T>(low + random.next() % span);
}

Error generateUniform(Tensor &tensor, const Uniform &range, uint64_t seed) {
  if (Error error = checkUniform(tensor.type(), range))
    return error;
  visitElement(tensor.type(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    MutableArrayRef<Storage> elements = tensor.elements<Storage>();
    Xoroshiro128 random(seed);
    if constexpr (Element::isFloat) {
      double low = range.low.real, width = range.high.real - range.low.real;
      for (Storage &stored : elements)
        stored = Element::store(linearPoint(low, width, random.nextUnit()));
    } else {
      uint64_t low = range.low.integer, high = range.high.integer;
      drawIntegers(elements, low, high - low + 1, random);
    }
  });
  return Error::success();
}

} // namespace loom::runtime
