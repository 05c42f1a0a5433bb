//===- Encodings.cpp - Families of static encodings -----------------------===//
#include "loom/IR/Encodings.h"

namespace loom {
using namespace mlir;

std::string checkEncodingFamily(EncodingAttr encoding) {
  StringRef family = encoding.getFamily().getValue();
  if (family.starts_with("encoding.") || family.starts_with("ggml.") ||
      family.starts_with("transform."))
    return {};
  return ("unknown encoding family '#" + family + "'").str();
}

} // namespace loom
