//===- LowerFission.h - Barriers of a workgroup -----------------*- C++ -*-===//
//
// Where the work-items of a workgroup wait for each other, the body of the kernel is cut: what
// stands between two cuts is a segment, which runs for one block of work-items after another.
// Control flow around a cut is the same for the whole workgroup and runs once for it.
//
// A value that crosses a cut is either the same for the workgroup and computed outside of the
// segments, or computed again, or kept in a slot of the frame: one for each block of work-items, or
// a single one when it is the same for the workgroup.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERFISSION_H
#define LOOM_LIB_TARGET_COMMON_LOWERFISSION_H

#include "LowerKernel.h"
#include "llvm/ADT/SetVector.h"

namespace loom::lowering {

/// True for what cuts a segment: a barrier or collective of the workgroup, or a wait for one.
bool isCut(mlir::Operation *op);

class KernelLowering::Fission {
public:
  explicit Fission(KernelLowering &lowering);

  bool isNeeded() const { return !cutting.empty(); }
  void emit();

private:
  struct Slot {
    mlir::Value storage;
    mlir::Type type;
    int64_t bytes = 0;
    unsigned alignment = 1;
    bool perBlock = false;
  };

  void emitBlock(mlir::Block &block);
  void emitCut(mlir::Operation *op);
  /// A reduction, scan or vote of the workgroup (LowerCollectives.cpp).
  void emitCollective(mlir::Operation *op);
  void emitReduce(KernelWorkgroupReduceOp op);
  void emitVote(mlir::Operation *op);
  void emitScan(KernelWorkgroupScanOp op);
  void emitFor(ScfForOp op);
  void emitWhile(ScfWhileOp op);
  void emitIf(ScfIfOp op);
  void emitSwitch(ScfSwitchOp op);
  void emitSegment(llvm::ArrayRef<mlir::Operation *> segment);
  /// Runs `body` for each block of work-items, with `inputs` available.
  void emitBlocks(mlir::ValueRange inputs, llvm::function_ref<void()> body);

  bool isOnce(mlir::Operation *op) const;
  bool isComputedAgain(mlir::Value value) const;
  bool isForWorkgroup(mlir::Value value) const;
  /// Makes a value available inside of a segment, or, when it is the same for the workgroup,
  /// outside.
  void bring(mlir::Value value);
  mlir::Value scalarForWorkgroup(mlir::Value value);

  Slot &slotOf(mlir::Value value);
  mlir::Value placeOf(const Slot &slot);
  void keep(const Slot &slot, mlir::Value lowered);
  /// Puts `sources` into the slots of `targets`, all at once.
  void copy(mlir::ValueRange sources, mlir::ValueRange targets);

  KernelLowering &lowering;
  Emitter &emitter;
  /// Operations that are cuts or hold one.
  llvm::DenseSet<mlir::Operation *> cutting;
  /// Values that are available outside of segments.
  llvm::DenseSet<mlir::Value> once;
  llvm::DenseMap<mlir::Value, Slot> slots;
  /// Where the values of the segment at hand were last made available.
  llvm::DenseSet<mlir::Value> brought;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERFISSION_H
