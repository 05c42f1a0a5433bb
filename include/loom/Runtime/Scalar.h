//===- Scalar.h - One value of a checked program ----------------*- C++ -*-===//
//
// Numbers as a check creates them, a device receives them and an expectation compares them: a type
// and its exact bits. Nothing here depends on the precision of the host's arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_SCALAR_H
#define LOOM_RUNTIME_SCALAR_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace loom::runtime {

/// Types of scalars; tensors have all of them but I1. On the host `index` is a signed and `offset`
/// an unsigned integer of 64 bits, as in kernel argument blocks (design decision 11).
/// F8E4M3 is the finite variant of the language: 448 is its largest number, it has no infinity.
enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  Offset,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

/// The spelling in the language: "i8", "index", "bf16".
llvm::StringRef stringifyElementType(ElementType type);
/// Bits of the value (I1 has one) and bytes of an element in memory (I1 has one).
unsigned elementBits(ElementType type);
unsigned elementBytes(ElementType type);
bool isFloat(ElementType type);

/// Wide enough for every sum and product that a generator forms on the way to an element.
using WideInteger = __int128;

/// A number with its type. The bits above the width of the type are zero.
class Scalar {
public:
  /// The value +0 or 0 of type I64.
  Scalar() = default;

  /// Keeps the low bits that the type has.
  static Scalar fromBits(ElementType type, uint64_t bits);
  /// An integer of an integer type; nothing when it lies outside the range of the type: 0 and 1
  /// for I1, 0 to 2^64 - 1 for Offset, the signed range for the others.
  static std::optional<Scalar> fromInteger(ElementType type, WideInteger value);
  /// `value` rounded to nearest, ties to even, to a float type; too large numbers become infinite,
  /// and the largest number of F8E4M3.
  static Scalar fromDouble(ElementType type, double value);

  ElementType type() const { return elementType; }
  uint64_t bits() const { return pattern; }
  /// The number of an integer type. I1 is 0 or 1; an Offset above 2^63 - 1 wraps.
  int64_t toInteger() const;
  /// The number of a float type; exact.
  double toDouble() const;
  /// Shortest decimal text that gives the number back; "inf", "-inf", "nan", "-nan" for the others.
  /// Floats always have a point or an exponent.
  std::string toText() const;
  /// The bits as hexadecimal digits with `0x`, as many as the type has.
  std::string toHex() const;

private:
  ElementType elementType = ElementType::I64;
  uint64_t pattern = 0;
};

/// Equality of numbers of one type: exact for integers; -0 equals +0 and NaN equals nothing.
bool numericallyEqual(const Scalar &a, const Scalar &b);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_SCALAR_H
