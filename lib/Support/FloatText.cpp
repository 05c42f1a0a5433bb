//===- FloatText.cpp - How the language writes its numbers ----------------===//
#include "loom/Support/FloatText.h"
#include "llvm/ADT/StringRef.h"
#include <charconv>
#include <cmath>

namespace loom {

void writeFloat(llvm::raw_ostream &os, double number) {
  double magnitude = std::fabs(number);
  auto format = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e16)
                    ? std::chars_format::scientific
                    : std::chars_format::fixed;
  char buffer[64];
  std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), number, format);
  llvm::StringRef digits(buffer, end.ptr - buffer);
  os << digits;
  if (!digits.contains('.') && !digits.contains('e'))
    os << ".0";
}

} // namespace loom
