//===- Compare.cpp - Expectations on values -------------------------------===//
#include "loom/Runtime/Compare.h"
#include <cstring>

namespace loom::runtime {

static bool equal(const Scalar &actual, const Scalar &expected, Equality equality) {
  return equality == Equality::Bitwise ? actual.bits() == expected.bits()
                                       : numericallyEqual(actual, expected);
}

std::optional<Mismatch> compare(const Tensor &actual, const Tensor &expected, Equality equality) {
  assert(actual.type() == expected.type() && actual.shape() == expected.shape() && "one type");
  // Equal bytes settle everything but floats, which may hold NaN.
  bool bytesDecide = equality == Equality::Bitwise || !isFloat(actual.type());
  if (bytesDecide && std::memcmp(actual.data(), expected.data(), actual.byteSize()) == 0)
    return std::nullopt;
  Mismatch mismatch;
  mismatch.total = actual.elementCount();
  for (uint64_t flat = 0; flat < mismatch.total; ++flat) {
    Scalar a = actual.get(flat), e = expected.get(flat);
    if (equal(a, e, equality))
      continue;
    if (mismatch.count++ == 0) {
      mismatch.flat = flat;
      mismatch.actual = a;
      mismatch.expected = e;
    }
  }
  if (mismatch.count == 0)
    return std::nullopt;
  return mismatch;
}

std::optional<Mismatch> compare(const Scalar &actual, const Scalar &expected, Equality equality) {
  if (equal(actual, expected, equality))
    return std::nullopt;
  Mismatch mismatch;
  mismatch.count = 1;
  mismatch.actual = actual;
  mismatch.expected = expected;
  return mismatch;
}

} // namespace loom::runtime
