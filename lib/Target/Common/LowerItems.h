//===- LowerItems.h - What each work-item does for itself -------*- C++ -*-===//
//
// Operations that no vector instruction carries out, since each work-item has to do its own: atomic
// and volatile accesses, copies of bytes. Active work-items take their turns in ascending order,
// and the elements of a vector in ascending order inside of the turn of its work-item.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERITEMS_H
#define LOOM_LIB_TARGET_COMMON_LOWERITEMS_H

#include "LowerMemory.h"

namespace loom::lowering {

/// Code that is written for one work-item and runs for all that are active. What it needs is named
/// first; each of them is a scalar in the code.
class KernelLowering::Items {
public:
  explicit Items(KernelLowering &kernel) : kernel(kernel) {}

  void add(const Address &address);
  /// A scalar of Loom, as it is lowered.
  void add(mlir::Value value);
  /// One element per lane; a scalar when there is only one lane.
  void addLanes(mlir::Value lanes);

  /// Nothing that was added differs between lanes, so that one turn stands for all.
  bool isUniform() const;
  /// Emits the turns. `lane` is an i32, null when the code runs once: always where there is one
  /// lane, and with `once`. What `body` returns is a scalar of `type`, and the whole then one
  /// element per lane, or the scalar when it ran once; no type means no result.
  mlir::Value
  run(bool once, mlir::Type type,
      llvm::function_ref<mlir::Value(mlir::Value lane, llvm::ArrayRef<mlir::Value> inputs)> body);

private:
  struct Input {
    mlir::Value uniform, lanes;
  };

  KernelLowering &kernel;
  llvm::SmallVector<Input> inputs;
};

/// The elements of vectors one after the other, of one work-item after the other. They are kept in
/// the frame meanwhile, so that the code does not grow with their number.
class KernelLowering::Elements {
public:
  /// The elements of a vector of `shape` that `access` moves or updates for `op`; a scalar has the
  /// shape of rank 0.
  Elements(KernelLowering &kernel, mlir::Operation *op, const Access &access,
           llvm::ArrayRef<int64_t> shape);

  /// A lowered vector in the frame.
  struct Kept {
    mlir::Value place;
    mlir::Type element; ///< of the vector; a flag takes a byte
    bool isFlag = false;
  };
  Kept keep(mlir::Value vector);
  /// Room for the elements of `result`.
  Kept room(mlir::Value result);
  /// In the code of `run`: element `number` of a kept vector.
  mlir::Value at(const Kept &kept, mlir::Value number);
  void set(const Kept &kept, mlir::Value number, mlir::Value element);
  /// Behind `run`: makes what is kept the value of `result`.
  void define(mlir::Value result, const Kept &kept);

  /// Only elements whose flag is set take part.
  void where(mlir::Value mask);
  /// Elements lie this far behind the place of the access.
  void displaceBy(mlir::Value offsets);
  /// Elements that take part lie one behind the other.
  void pack() { isPacked = true; }

  /// Emits `body` for each element that takes part, with its address and its number (i64).
  void run(llvm::function_ref<void(mlir::Value pointer, mlir::Value number)> body);

private:
  using Body = llvm::function_ref<void(mlir::Value pointer, mlir::Value number)>;

  Kept reserve(mlir::Type lowered);
  mlir::Type formOf(mlir::Value vector);
  mlir::Value numberOf(mlir::Value element);
  mlir::Value place(const Kept &kept, mlir::Value number);
  void runFrom(const Address &origin, int64_t first, int64_t count, Body body);
  void runTurn(mlir::Value origin, int64_t first, int64_t count, Body body);
  mlir::Value distance(mlir::Value element, int64_t first, mlir::Value taken);

  KernelLowering &kernel;
  Emitter &emitter;
  mlir::Operation *op;
  Access access;
  llvm::ArrayRef<int64_t> shape;
  std::optional<Kept> mask, offsets;
  bool isPacked = false;
  unsigned reserved = 0; ///< how many pieces of storage
  mlir::Value lane;      ///< whose turn it is; null where there is one lane
  mlir::Value gap;       ///< from element to element in this turn, i64; null for one
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERITEMS_H
