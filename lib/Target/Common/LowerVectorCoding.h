//===- LowerVectorCoding.h - What a schema asks for -------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERVECTORCODING_H
#define LOOM_LIB_TARGET_COMMON_LOWERVECTORCODING_H

#include "loom/IR/Loom.h"

namespace loom::lowering {

/// The steps of a vector.decode or vector.encode; operands that are not asked for are null.
struct CodingPlan {
  mlir::Value codebook, zeroPoint, scale;
  mlir::Value addend; ///< a minimum or a bias
  /// For each element the element of `zeroPoint`, `scale` and `addend` that it uses.
  llvm::SmallVector<int64_t> scaleIndex;
  int64_t offset = 0;      ///< subtracted from the payload
  bool isUnsigned = false; ///< payload and zero point, when they are integers
  bool isPacked = false;   ///< two elements per lane of the payload, in blocks of 32
};

/// Whether a vector.decode or vector.encode is lowered; if not, `condition` says why.
bool isCodingSupported(mlir::Operation *op, std::string &condition);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERVECTORCODING_H
