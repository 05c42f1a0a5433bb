//===- Slots.h - The values of a body while it runs -------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_SLOTS_H
#define LOOM_LIB_CHECK_SLOTS_H

#include "loom/Check/Plan.h"
#include "loom/Runtime/Tensor.h"
#include <variant>

namespace loom::check {

/// A `check.entropy`: the key of a source of random numbers. Everything that follows from a source
/// is a function of its key, so that nothing depends on the order in which values are made.
struct Entropy {
  uint64_t key = 0;

  /// The source that a configuration, a trial or a fork has for its own.
  Entropy fork(llvm::StringRef label) const;
  Entropy fork(llvm::StringRef label, uint64_t ordinal) const;
  /// The number at a position.
  uint64_t read(uint64_t ordinal) const;
};

using Slot = std::variant<std::monostate, runtime::Scalar, runtime::Tensor, Entropy>;

/// One slot for each value, by its number.
class Slots {
public:
  explicit Slots(const ValueNames &names) : names(names), slots(names.valueIds.size()) {}

  Slot &operator[](mlir::Value value) { return slots[names.idOf(value)]; }
  const runtime::Scalar &scalar(mlir::Value value) {
    return std::get<runtime::Scalar>((*this)[value]);
  }
  /// Null when the value is no tensor.
  runtime::Tensor *tensor(mlir::Value value) {
    return std::get_if<runtime::Tensor>(&(*this)[value]);
  }
  std::string name(mlir::Value value) const { return names.valueName(value); }
  unsigned id(mlir::Value value) const { return names.idOf(value); }

private:
  const ValueNames &names;
  std::vector<Slot> slots;
};

/// Extents of the type of `value`, which is a tensor, with the values that fill its dynamic ones.
llvm::SmallVector<int64_t> extentsOf(mlir::Value value, Slots &slots);
/// The extents that `value` is given as static numbers; kDynamic for the others.
llvm::ArrayRef<int64_t> staticExtents(mlir::Value value);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_SLOTS_H
