//===- ValueTypes.cpp - Spellings that the generator shares ---------------===//
#include "loom/Low/Descriptors.h"

using namespace llvm;

namespace loom {

StringRef stringifyFamily(DescriptorFamily family) {
  static constexpr StringLiteral names[] = {"amdgpu", "spirv", "x86"};
  return names[unsigned(family)];
}

StringRef stringifyLowValueType(LowValueType type) {
  static constexpr StringLiteral names[] = {"",    "i1",  "i8",   "i16", "i32",
                                            "i64", "f16", "bf16", "f32", "f64"};
  return names[unsigned(type)];
}

} // namespace loom
