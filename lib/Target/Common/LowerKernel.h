//===- LowerKernel.h - The walk over one kernel -----------------*- C++ -*-===//
//
// Operations are lowered one after another, regions in place. Each Loom value has one lowered
// value: index and offset an integer (index of 32 bits where facts prove that it fits), buffers and
// views an address, vectors of any rank a vector of rank one in row-major order, scalars
// themselves.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H
#define LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H

#include "LowerSmallFloat.h"
#include "LowerTarget.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Dialects.h"

namespace loom::lowering {

class KernelLowering {
public:
  KernelLowering(const KernelPlan &plan, const Facts &facts, LoweringTarget &target,
                 Emitter &emitter, std::vector<std::string> &operations)
      : plan(plan), facts(facts), target(target), emitter(emitter), ranges(emitter),
        floats(emitter, target), operations(operations) {}

  /// The lowered types of the kernel's parameters: 64 bits for index and offset.
  llvm::SmallVector<mlir::Type> parameterTypes();
  /// Lowers the body at the current place; `parameters` have the types of parameterTypes().
  void emitBody(mlir::ValueRange parameters);

private:
  // LowerKernel.cpp: values, control flow, positions.
  mlir::Type lowered(mlir::Type type);
  /// The type that carries `value`: narrower than lowered() where facts allow it.
  mlir::Type carrier(mlir::Value value);
  mlir::Value get(mlir::Value value) const { return values.lookup(value); }
  Interval known(mlir::Value value) const;
  RangedValue ranged(mlir::Value value);
  void define(mlir::Value value, mlir::Value lowered) { values[value] = lowered; }
  void define(mlir::Value value, RangedValue lowered);
  /// The lowered `value` as a value of `type`, which carries the same number.
  mlir::Value as(mlir::Value value, mlir::Type type);

  void lowerBlock(mlir::Block &block);
  void lowerOp(mlir::Operation *op);
  void lowerFor(ScfForOp op);
  void lowerIf(ScfIfOp op);
  void lowerSelect(ScfSelectOp op);
  void lowerLookup(ScfLookupOp op);
  void lowerSwitch(ScfSwitchOp op);
  mlir::Value matchesKey(mlir::Value selector, int64_t key);
  bool lowerPosition(mlir::Operation *op);
  RangedValue position(Position position, Dimension dimension);

  // LowerIndex.cpp
  bool lowerIndex(mlir::Operation *op);
  void lowerIndexCast(IndexCastOp op);
  void lowerOffset(mlir::Operation *op);

  // LowerScalar.cpp
  bool lowerScalar(mlir::Operation *op);
  bool lowerScalarCast(mlir::Operation *op);
  bool lowerVector(mlir::Operation *op);
  mlir::Value combine(CombiningKind kind, mlir::Value a, mlir::Value b, FastMathFlags flags);
  void lowerReduce(VectorReduceOp op);
  void lowerExtract(VectorExtractOp op);

  // LowerMemory.cpp
  bool lowerMemory(mlir::Operation *op);
  void lowerView(BufferViewOp op);
  void lowerSubview(ViewSubviewOp op);
  struct Access;
  RangedValue extentOf(const Access &access, size_t axis);
  mlir::Value elementAddress(const Access &access, RangedValue linear);
  RangedValue linearIndex(const Access &access, bool mayBeAtEnd = false);
  mlir::Value loadElements(const Access &access, RangedValue linear, int64_t lanes);
  void storeElements(const Access &access, RangedValue linear, mlir::Value value);
  mlir::Value loadVector(const Access &access, llvm::ArrayRef<int64_t> shape);
  void storeVector(const Access &access, llvm::ArrayRef<int64_t> shape, mlir::Value value);
  void forEachRun(const Access &access, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(RangedValue linear, int64_t first, int64_t lanes)> run);

  const KernelPlan &plan;
  const Facts &facts;
  LoweringTarget &target;
  Emitter &emitter;
  RangeArithmetic ranges;
  SmallFloats floats;
  std::vector<std::string> &operations;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H
