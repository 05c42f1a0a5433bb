//===- Addresses.h - What passes know of addresses --------------*- C++ -*-===//
#ifndef LOOM_LIB_TRANSFORMS_ADDRESSES_H
#define LOOM_LIB_TRANSFORMS_ADDRESSES_H

#include "loom/IR/Loom.h"

namespace loom {

/// Whether the elements of a vector of `shape` are known to lie side by side in a view that has
/// these strides along its last axes, so that an access to them has one linear index.
bool isConsecutive(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_ADDRESSES_H
