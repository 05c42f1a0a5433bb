//===- Compare.cpp - Expectations on values -------------------------------===//
//
// Tensors are compared in blocks: a block is first asked as a whole, in a loop without branches,
// and looked at element by element only when something in it differs.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Compare.h"
#include "loom/Runtime/Elements.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace loom::runtime {

//===----------------------------------------------------------------------===//
// Two elements
//===----------------------------------------------------------------------===//

namespace {

template <typename Element> struct NumericallyEqual {
  using Storage = typename Element::Storage;
  bool operator()(Storage a, Storage e) const {
    if constexpr (Element::isFloat)
      return Element::equal(a, e);
    else
      return a == e;
  }
};

template <typename Element> struct BitwiseEqual {
  using Storage = typename Element::Storage;
  bool operator()(Storage a, Storage e) const {
    if constexpr (std::is_same_v<Storage, float>)
      return bitCast<uint32_t>(a) == bitCast<uint32_t>(e);
    else if constexpr (std::is_same_v<Storage, double>)
      return bitCast<uint64_t>(a) == bitCast<uint64_t>(e);
    else
      return a == e;
  }
};

template <typename Element> struct CloseTo {
  using Storage = typename Element::Storage;
  double absolute, relative;
  bool nansAgree;
  bool operator()(Storage a, Storage e) const {
    double actual = Element::load(a), expected = Element::load(e);
    // Not true for a NaN on either side, nor for the difference of equal infinities.
    bool isClose = std::fabs(actual - expected) <= absolute + relative * std::fabs(expected);
    return isClose | (nansAgree & (actual != actual) & (expected != expected));
  }
};

/// The position of a number among all numbers of its format; both zeros are at 0.
template <typename Element> int64_t positionOf(typename Element::Storage value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  uint64_t sign = uint64_t(1) << Element::kSignBit;
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

template <typename Element> struct WithinUlp {
  using Storage = typename Element::Storage;
  uint64_t maxUlp;
  bool nansAgree;
  bool operator()(Storage a, Storage e) const {
    bool isNaN = Element::isNaN(a), wantsNaN = Element::isNaN(e);
    if (isNaN || wantsNaN)
      return nansAgree && isNaN && wantsNaN;
    int64_t from = positionOf<Element>(a), to = positionOf<Element>(e);
    return (from < to ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to)) <= maxUlp;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Whole tensors
//===----------------------------------------------------------------------===//

template <typename T, typename Agree>
static void scan(ArrayRef<T> actual, ArrayRef<T> expected, const Agree &agree, Mismatch &mismatch) {
  constexpr size_t kBlock = 1024;
  for (size_t begin = 0; begin < actual.size(); begin += kBlock) {
    size_t end = std::min(begin + kBlock, actual.size());
    unsigned differing = 0;
    for (size_t i = begin; i < end; ++i)
      differing += !agree(actual[i], expected[i]);
    if (differing == 0)
      continue;
    for (size_t i = begin; mismatch.count == 0 && i < end; ++i)
      if (!agree(actual[i], expected[i])) {
        mismatch.flat = i;
        break;
      }
    mismatch.count += differing;
  }
}

template <typename Element>
static void scanAs(ArrayRef<typename Element::Storage> a, ArrayRef<typename Element::Storage> e,
                   const Agreement &agreement, Mismatch &mismatch) {
  switch (agreement.kind) {
  case Agreement::Kind::Numeric:
    return scan(a, e, NumericallyEqual<Element>(), mismatch);
  case Agreement::Kind::Bitwise:
    return scan(a, e, BitwiseEqual<Element>(), mismatch);
  case Agreement::Kind::Close:
    if constexpr (Element::isFloat)
      return scan(a, e,
                  CloseTo<Element>{agreement.absolute, agreement.relative, agreement.nansAgree},
                  mismatch);
    break;
  case Agreement::Kind::Ulp:
    if constexpr (Element::isFloat)
      return scan(a, e, WithinUlp<Element>{agreement.maxUlp, agreement.nansAgree}, mismatch);
    break;
  }
  llvm_unreachable("an integer is not close to another one");
}

std::optional<Mismatch> compare(const Tensor &actual, const Tensor &expected,
                                const Agreement &agreement) {
  assert(actual.type() == expected.type() && actual.shape() == expected.shape() && "one type");
  // Equal bytes settle everything but floats, which may hold NaN.
  bool bytesDecide = agreement.kind == Agreement::Kind::Bitwise || !isFloat(actual.type());
  if (bytesDecide && std::memcmp(actual.data(), expected.data(), actual.byteSize()) == 0)
    return std::nullopt;
  Mismatch mismatch;
  mismatch.total = actual.elementCount();
  visitElement(actual.type(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    scanAs<Element>(actual.elements<Storage>(), expected.elements<Storage>(), agreement, mismatch);
  });
  if (mismatch.count == 0)
    return std::nullopt;
  mismatch.actual = actual.get(mismatch.flat);
  mismatch.expected = expected.get(mismatch.flat);
  return mismatch;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

template <typename T> static T storedBits(const Scalar &scalar) {
  uint64_t bits = scalar.bits();
  T stored;
  std::memcpy(&stored, &bits, sizeof(stored));
  return stored;
}

std::optional<Mismatch> compare(const Scalar &actual, const Scalar &expected,
                                const Agreement &agreement) {
  assert(actual.type() == expected.type() && "one type");
  Mismatch mismatch;
  visitElement(actual.type(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    Storage a = storedBits<Storage>(actual), e = storedBits<Storage>(expected);
    scanAs<Element>(a, e, agreement, mismatch);
  });
  if (mismatch.count == 0)
    return std::nullopt;
  mismatch.actual = actual;
  mismatch.expected = expected;
  return mismatch;
}

std::optional<uint64_t> ulpDistance(const Scalar &a, const Scalar &b) {
  assert(a.type() == b.type() && isFloat(a.type()) && "floats of one type");
  std::optional<uint64_t> distance;
  visitElement(a.type(), [&](auto element) {
    using Element = decltype(element);
    if constexpr (Element::isFloat) {
      using Storage = typename Element::Storage;
      Storage first = storedBits<Storage>(a), second = storedBits<Storage>(b);
      if (Element::isNaN(first) || Element::isNaN(second))
        return;
      int64_t from = positionOf<Element>(first), to = positionOf<Element>(second);
      distance = from < to ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to);
    }
  });
  return distance;
}

} // namespace loom::runtime
