//===- Scalar.cpp - One value of a checked program ------------------------===//
#include "loom/Runtime/Scalar.h"
#include "loom/Runtime/Elements.h"
#include "loom/Support/FloatText.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

using namespace llvm;

namespace loom::runtime {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
struct TypeInfo {
  const char *spelling;
  unsigned bits;
};
constexpr TypeInfo typeTable[] = {{"i1", 1},     {"i8", 8},     {"i16", 16},    {"i32", 32},
                                  {"i64", 64},   {"index", 64}, {"offset", 64}, {"f8E4M3", 8},
                                  {"f8E5M2", 8}, {"f16", 16},   {"bf16", 16},   {"f32", 32},
                                  {"f64", 64}};

const TypeInfo &info(ElementType type) { return typeTable[static_cast<unsigned>(type)]; }
} // namespace

StringRef stringifyElementType(ElementType type) { return info(type).spelling; }
unsigned elementBits(ElementType type) { return info(type).bits; }
unsigned elementBytes(ElementType type) { return (info(type).bits + 7) / 8; }
bool isFloat(ElementType type) { return type >= ElementType::F8E4M3; }

//===----------------------------------------------------------------------===//
// Making scalars
//===----------------------------------------------------------------------===//

Scalar Scalar::fromBits(ElementType type, uint64_t bits) {
  Scalar scalar;
  scalar.elementType = type;
  unsigned width = elementBits(type);
  scalar.pattern = width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  return scalar;
}

std::optional<Scalar> Scalar::fromInteger(ElementType type, WideInteger value) {
  assert(!isFloat(type) && "a float type has no integers");
  unsigned width = elementBits(type);
  bool isUnsigned = type == ElementType::I1 || type == ElementType::Offset;
  WideInteger low = isUnsigned ? 0 : -(WideInteger(1) << (width - 1));
  WideInteger high = (WideInteger(1) << (isUnsigned ? width : width - 1)) - 1;
  if (value < low || value > high)
    return std::nullopt;
  return fromBits(type, static_cast<uint64_t>(value));
}

Scalar Scalar::fromDouble(ElementType type, double value) {
  return visitElement(type, [&](auto element) {
    using Element = decltype(element);
    uint64_t bits = 0;
    if constexpr (Element::isFloat) {
      auto stored = Element::store(value);
      std::memcpy(&bits, &stored, sizeof(stored));
    } else {
      assert(false && "an integer type has no floats");
    }
    return fromBits(type, bits);
  });
}

//===----------------------------------------------------------------------===//
// Reading scalars
//===----------------------------------------------------------------------===//

int64_t Scalar::toInteger() const {
  assert(!isFloat(elementType) && "not an integer");
  unsigned width = elementBits(elementType);
  if (elementType == ElementType::I1 || width == 64)
    return static_cast<int64_t>(pattern);
  return SignExtend64(pattern, width);
}

double Scalar::toDouble() const {
  return visitElement(elementType, [&](auto element) {
    using Element = decltype(element);
    double value = 0;
    if constexpr (Element::isFloat) {
      typename Element::Storage stored;
      std::memcpy(&stored, &pattern, sizeof(stored));
      value = Element::load(stored);
    } else {
      assert(false && "an integer type has no floats");
    }
    return value;
  });
}

static std::string floatText(const Scalar &scalar) {
  double value = scalar.toDouble();
  bool negative = std::signbit(value);
  if (std::isnan(value))
    return negative ? "-nan" : "nan";
  if (std::isinf(value))
    return negative ? "-inf" : "inf";
  // 17 significant digits tell any two doubles apart, so the search ends. Of integers all digits
  // are written, as the language does.
  char buffer[64];
  double shortest = value;
  bool isWhole = std::fabs(value) < 9007199254740992.0 && std::trunc(value) == value;
  for (int digits = 1; digits <= 17 && !isWhole; ++digits) {
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific,
                             digits - 1);
    shortest =
        APFloat(APFloat::IEEEdouble(), StringRef(buffer, end.ptr - buffer)).convertToDouble();
    if (Scalar::fromDouble(scalar.type(), shortest).bits() == scalar.bits())
      break;
  }
  std::string result;
  raw_string_ostream os(result);
  writeFloat(os, shortest);
  return result;
}

std::string Scalar::toText() const {
  if (isFloat(elementType))
    return floatText(*this);
  if (elementType == ElementType::I1)
    return pattern ? "true" : "false";
  return elementType == ElementType::Offset ? std::to_string(pattern) : std::to_string(toInteger());
}

std::string Scalar::toHex() const {
  std::string text;
  raw_string_ostream os(text);
  os << format_hex(pattern, 2 + elementBytes(elementType) * 2);
  return text;
}

bool numericallyEqual(const Scalar &a, const Scalar &b) {
  assert(a.type() == b.type() && "one type");
  return isFloat(a.type()) ? a.toDouble() == b.toDouble() : a.bits() == b.bits();
}

} // namespace loom::runtime
