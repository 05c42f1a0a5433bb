//===- TypedValues.h - Which value a written type belongs to ----*- C++ -*-===//
//
// Types of a statement stand in the order of its operands, then its results. A dependent type in
// the text belongs to the next value of that type; a type that several values share is written once
// and belongs to the first of them.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TEXT_TYPEDVALUES_H
#define LOOM_LIB_TEXT_TYPEDVALUES_H

#include "loom/IR/Loom.h"

namespace loom {

class TypedValues {
public:
  TypedValues() = default;
  explicit TypedValues(mlir::Operation *op) {
    for (mlir::Value operand : op->getOperands())
      add(operand);
    for (mlir::Value result : op->getResults())
      add(result);
  }

  /// The value that the next written `type` belongs to; null when there is none.
  mlir::Value next(mlir::Type type) {
    mlir::Value first;
    for (Entry &entry : entries) {
      if (entry.value.getType() != type)
        continue;
      if (!entry.written) {
        entry.written = true;
        return entry.value;
      }
      if (!first)
        first = entry.value;
    }
    return first;
  }

private:
  struct Entry {
    mlir::Value value;
    bool written;
  };
  void add(mlir::Value value) {
    if (countSlots(value.getType()))
      entries.push_back({value, false});
  }
  llvm::SmallVector<Entry, 2> entries;
};

} // namespace loom

#endif // LOOM_LIB_TEXT_TYPEDVALUES_H
