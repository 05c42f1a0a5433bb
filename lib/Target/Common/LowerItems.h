//===- LowerItems.h - What each work-item does for itself -------*- C++ -*-===//
//
// Operations that no vector instruction carries out, since each work-item has to do its own: atomic
// and volatile accesses, copies of bytes, and accesses of so many elements that the instructions
// for each would be too much code. Active work-items take their turns in ascending order, and the
// elements of a vector in ascending order inside of the turn of its work-item.
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

  /// Each returns the number of what is added.
  size_t add(const Address &address);
  /// A scalar of Loom, as it is lowered.
  size_t add(mlir::Value value);
  /// One element per lane; a scalar when there is only one lane.
  size_t addLanes(mlir::Value lanes);

  /// Nothing that was added differs between lanes, so that one turn stands for all.
  bool isUniform() const;
  /// Emits the turns. `lane` is an i32, null when the code runs once: always where there is one
  /// lane, and with `once`. What `body` returns is a scalar of `type`, and the whole then one
  /// element per lane, or the scalar when it ran once; no type means no result.
  mlir::Value
  run(bool once, mlir::Type type,
      llvm::function_ref<mlir::Value(mlir::Value lane, llvm::ArrayRef<mlir::Value> inputs)> body);

private:
  /// One of three: the same for all lanes, a vector, or a vector in the frame.
  struct Input {
    mlir::Value uniform, lanes;
    mlir::Value place = {};
  };
  size_t append(const Input &input);
  bool isLarge(mlir::Type vector) const;
  mlir::Value placeOf(mlir::Value vectorPlace, mlir::Type element, mlir::Value lane);

  KernelLowering &kernel;
  llvm::SmallVector<Input> inputs;
};

/// The elements of vectors one after the other, of one work-item after the other. They are kept in
/// the frame meanwhile, so that the code does not grow with their number.
class KernelLowering::Elements {
public:
  /// The elements of a vector of `shape` that `access` moves or updates; a scalar has the shape of
  /// rank 0.
  Elements(KernelLowering &kernel, const Access &access, llvm::ArrayRef<int64_t> shape);

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
  /// Loads the elements of `result`; those that take no part are the ones of `passthrough`, or
  /// arbitrary without it.
  void load(mlir::Value result, mlir::Value passthrough = {}, bool isVolatile = false);
  void store(mlir::Value value, bool isVolatile = false);

private:
  using Body = llvm::function_ref<void(mlir::Value pointer, mlir::Value number)>;

  /// An axis along which elements do not lie side by side.
  struct Axis {
    int64_t extent;
    /// The stride in elements is the product of a number and inputs of the turn.
    int64_t factor = 1;
    llvm::SmallVector<size_t, 2> inputs = {};
    mlir::Value stride = {}; ///< in the turn, i64
  };

  Kept reserve(mlir::Type lowered);
  mlir::Type formOf(mlir::Value vector);
  mlir::Value place(const Kept &kept, mlir::Value number);
  void addAxes(Items &items);
  void multiply(Axis &axis, mlir::OpFoldResult factor, Items &items);
  void runTurn(mlir::Value origin, Body body);
  mlir::Value distance(mlir::Value element, mlir::Value taken);
  mlir::Value acrossAxes(mlir::Value element);

  KernelLowering &kernel;
  Emitter &emitter;
  Access access;
  llvm::ArrayRef<int64_t> shape;
  std::optional<Kept> mask, offsets;
  bool isPacked = false;
  unsigned reserved = 0;           ///< how many pieces of storage
  int64_t inner = 1;               ///< how many elements of the last axes lie side by side
  llvm::SmallVector<Axis, 2> axes; ///< the others, outermost first
  mlir::Value lane;                ///< whose turn it is; null where there is one lane
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERITEMS_H
