//===- LowerMemory.h - Accesses to views ------------------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMEMORY_H
#define LOOM_LIB_TARGET_COMMON_LOWERMEMORY_H

#include "LowerKernel.h"

namespace loom::lowering {

/// One access to a view.
struct KernelLowering::Access {
  mlir::Value view;
  mlir::OperandRange indices;
  llvm::ArrayRef<int64_t> staticIndices;
  bool linear;
  /// Elements may be masked off, and only those that are not have to lie in the view.
  bool mayLieOutside = false;

  ViewType type() const { return llvm::cast<ViewType>(view.getType()); }
  mlir::Type element() const { return type().getElementType(); }
  unsigned elementBytes() const { return getElementBytes(element()); }
  /// What the address of an element is a multiple of, in bytes.
  unsigned alignment() const {
    return type().getAlignment() ? type().getAlignment() : elementBytes();
  }
  /// The value of a dynamic extent.
  mlir::Value dynamicExtent(size_t axis) const {
    size_t position = llvm::count(type().getShape().take_front(axis), mlir::ShapedType::kDynamic);
    return getDynamicDims(view)[position];
  }
  /// Strides of an access by coordinates to a view that is not dense; else empty.
  llvm::SmallVector<mlir::OpFoldResult> strides() const;
  /// How far elements of the last axis lie apart; null when they lie side by side.
  mlir::OpFoldResult gap() const;
  /// Number of elements of storage that the view reaches, when it is static.
  std::optional<int64_t> total() const { return getElementSpan(type()); }
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERMEMORY_H
