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

  /// What decides who runs the rest of a segment (LowerGuard.cpp): those work-items for which
  /// `lhs`, which grows by `stride` from one to the next, and `rhs` are in relation.
  struct Guard {
    mlir::Operation *op = nullptr;
    IntPredicate predicate = IntPredicate::slt;
    mlir::Value lhs, rhs;
    int64_t stride = 0;
  };
  std::optional<int64_t> itemStride(mlir::Value value) const;
  std::optional<Guard> guardOf(llvm::ArrayRef<mlir::Operation *> segment) const;
  bool emitGuarded(const Guard &guard, mlir::ValueRange inputs, llvm::function_ref<void()> body);

  void emitBlock(mlir::Block &block);
  void emitFrom(mlir::Block::iterator first, mlir::Block::iterator end);
  void emitExit(KernelExitOp op, llvm::SmallVector<mlir::Operation *> segment);
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
  /// Of `guard`, when it is not null, the region of those who pass it; that comes last.
  void emitOps(llvm::ArrayRef<mlir::Operation *> segment, mlir::Operation *guard);
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
  /// Who asks for a value that is no operand of its own.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *, 2>> askers;
  /// Values that are available outside of segments.
  llvm::DenseSet<mlir::Value> once;
  llvm::DenseMap<mlir::Value, Slot> slots;
  /// Where the values of the segment at hand were last made available.
  llvm::DenseSet<mlir::Value> brought;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERFISSION_H
