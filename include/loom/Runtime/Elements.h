//===- Elements.h - Elements of tensors as the host reads them --*- C++ -*-===//
//
// One class for each way in which an element is stored. Whole-tensor loops are written once as a
// template over these classes and chosen by visitElement: nothing is decided inside of a loop.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_ELEMENTS_H
#define LOOM_RUNTIME_ELEMENTS_H

#include "loom/Runtime/Scalar.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

namespace loom::runtime {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Integers of the language have no sign; `T` is signed, and unsigned for `offset`.
template <typename T> struct IntegerElement {
  using Storage = T;
  static constexpr bool isFloat = false;
};

/// A float of at most 16 bits: sign, `ExponentBits`, `MantissaBits`, biased as in IEEE 754. A
/// finite format (f8E4M3) has no infinities; only the pattern of all ones is a NaN, and larger
/// numbers become the largest one.
template <typename T, unsigned ExponentBits, unsigned MantissaBits, bool IsFinite>
struct NarrowElement {
  using Storage = T;
  static constexpr bool isFloat = true;
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr unsigned kSignBit = ExponentBits + MantissaBits;
  static constexpr uint64_t kMagnitude = (uint64_t(1) << kSignBit) - 1;
  static constexpr uint64_t kInfinity = ((uint64_t(1) << ExponentBits) - 1) << MantissaBits;
  /// Larger magnitudes are NaN (or infinity where there is one).
  static constexpr uint64_t kLargest = IsFinite ? kMagnitude - 1 : kInfinity - 1;

  static bool isNaN(Storage bits) {
    return (bits & kMagnitude) > (IsFinite ? kLargest : kInfinity);
  }
  /// Exact.
  static double load(Storage bits);
  /// Rounded to nearest, ties to even.
  static Storage store(double value);
  /// Equality of numbers: zeros are equal, NaN equals nothing.
  static bool equal(Storage a, Storage b) {
    return (a == b && !isNaN(a)) || ((a | b) & kMagnitude) == 0;
  }
};

/// f32 and f64, as the host computes with them.
template <typename T, typename Bits> struct HostElement {
  using Storage = T;
  static constexpr bool isFloat = true;
  static constexpr unsigned kSignBit = sizeof(T) * 8 - 1;
  static bool isNaN(T value) { return value != value; }
  static double load(T value) { return static_cast<double>(value); }
  static T store(double value) { return static_cast<T>(value); }
  static bool equal(T a, T b) { return a == b; }
};

using F8E4M3Element = NarrowElement<uint8_t, 4, 3, true>;
using F8E5M2Element = NarrowElement<uint8_t, 5, 2, false>;
using F16Element = NarrowElement<uint16_t, 5, 10, false>;
using BF16Element = NarrowElement<uint16_t, 8, 7, false>;
using F32Element = HostElement<float, uint32_t>;
using F64Element = HostElement<double, uint64_t>;

/// Calls `visit` with an object of the class that stores `type`, and returns what it returns.
template <typename Visitor> auto visitElement(ElementType type, Visitor &&visit) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
    return visit(IntegerElement<int8_t>());
  case ElementType::I16:
    return visit(IntegerElement<int16_t>());
  case ElementType::I32:
    return visit(IntegerElement<int32_t>());
  case ElementType::I64:
  case ElementType::Index:
    return visit(IntegerElement<int64_t>());
  case ElementType::Offset:
    return visit(IntegerElement<uint64_t>());
  case ElementType::F8E4M3:
    return visit(F8E4M3Element());
  case ElementType::F8E5M2:
    return visit(F8E5M2Element());
  case ElementType::F16:
    return visit(F16Element());
  case ElementType::BF16:
    return visit(BF16Element());
  case ElementType::F32:
    return visit(F32Element());
  case ElementType::F64:
    return visit(F64Element());
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

// Fields of an IEEE 754 double.
inline constexpr unsigned kDoubleMantissaBits = 52;
inline constexpr int kDoubleBias = 1023;
inline constexpr uint64_t kDoubleInfinity = uint64_t(0x7ff) << kDoubleMantissaBits;

template <typename T, unsigned E, unsigned M, bool IsFinite>
double NarrowElement<T, E, M, IsFinite>::load(Storage bits) {
  uint64_t sign = uint64_t(bits >> kSignBit & 1) << 63, magnitude = bits & kMagnitude;
  if (isNaN(bits)) // quiet, with its payload
    return bitCast<double>(sign | kDoubleInfinity | uint64_t(1) << (kDoubleMantissaBits - 1) |
                           (magnitude & ((uint64_t(1) << M) - 1)) << (kDoubleMantissaBits - M));
  if (!IsFinite && magnitude == kInfinity)
    return bitCast<double>(sign | kDoubleInfinity);
  uint64_t exponent = magnitude >> M, mantissa = magnitude & ((uint64_t(1) << M) - 1);
  if (exponent == 0) {
    // Subnormal: a small integer times the least positive number, which is a normal double.
    double least =
        bitCast<double>(uint64_t(kDoubleBias + 1 - kBias - int(M)) << kDoubleMantissaBits);
    double value = static_cast<double>(mantissa) * least;
    return bitCast<double>(bitCast<uint64_t>(value) | sign);
  }
  return bitCast<double>(sign | (exponent + (kDoubleBias - kBias)) << kDoubleMantissaBits |
                         mantissa << (kDoubleMantissaBits - M));
}

template <typename T, unsigned E, unsigned M, bool IsFinite>
T NarrowElement<T, E, M, IsFinite>::store(double value) {
  uint64_t bits = bitCast<uint64_t>(value), magnitude = bits & ~(uint64_t(1) << 63);
  uint64_t sign = bits >> 63 << kSignBit;
  constexpr unsigned dropped = kDoubleMantissaBits - M;
  if (magnitude > kDoubleInfinity) // NaN: quiet, with the upper bits of its payload
    return static_cast<T>(sign | (IsFinite ? kMagnitude
                                           : kInfinity | uint64_t(1) << (M - 1) |
                                                 (magnitude >> dropped & ((1u << M) - 1))));
  int exponent = static_cast<int>(magnitude >> kDoubleMantissaBits) - kDoubleBias;
  auto roundOff = [](uint64_t kept, unsigned by) {
    uint64_t half = uint64_t(1) << (by - 1);
    return (kept + half - 1 + (kept >> by & 1)) >> by;
  };
  uint64_t result;
  if (exponent >= 1 - kBias) {
    if (exponent > kBias + 1)
      return static_cast<T>(sign | (IsFinite ? kLargest : kInfinity));
    // A carry out of the mantissa moves into the exponent, as it should.
    uint64_t rebased = magnitude - (uint64_t(kDoubleBias - kBias) << kDoubleMantissaBits);
    result = roundOff(rebased, dropped);
  } else {
    unsigned shift = dropped + static_cast<unsigned>(1 - kBias - exponent);
    uint64_t fraction = magnitude & ((uint64_t(1) << kDoubleMantissaBits) - 1);
    // Below half of the least number nothing is left; a subnormal double is far below it.
    result = shift > kDoubleMantissaBits + 1
                 ? 0
                 : roundOff(fraction | uint64_t(1) << kDoubleMantissaBits, shift);
  }
  if (result > kLargest)
    result = IsFinite ? kLargest : kInfinity;
  return static_cast<T>(sign | result);
}

} // namespace loom::runtime

#endif // LOOM_RUNTIME_ELEMENTS_H
