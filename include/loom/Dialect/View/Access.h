//===- Access.h - Rules shared by accesses to views -------------*- C++ -*-===//
#ifndef LOOM_DIALECT_VIEW_ACCESS_H
#define LOOM_DIALECT_VIEW_ACCESS_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// Checks the index list of an access to a value of type `accessed` and shape `shape`: as many
/// indices as dimensions (one for a linear access), and static indices inside static extents.
/// `footprint` gives the static extent of the access in the last dimensions (empty for one
/// element). A linear index counts elements of storage, whatever the layout.
mlir::LogicalResult verifyIndices(mlir::Operation *op, mlir::Type accessed,
                                  llvm::ArrayRef<int64_t> shape, mlir::OperandRange indices,
                                  llvm::ArrayRef<int64_t> staticIndices, bool linear,
                                  llvm::ArrayRef<int64_t> footprint = {});

/// Checks that two types of one view agree: element type [TYPE/002], number of dimensions and
/// static extents where both have them [SHAPE/001].
mlir::LogicalResult verifySameElements(mlir::Operation *op, ViewType from, ViewType to,
                                       bool sameExtents);

} // namespace loom

#endif // LOOM_DIALECT_VIEW_ACCESS_H
