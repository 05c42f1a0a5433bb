//===- RangeAnalysis.h - Ranges by dataflow ---------------------*- C++ -*-===//
//
// A sparse forward analysis over MLIR's framework that gives every integer, index and offset value
// a signed range. It differs from MLIR's own in what the language adds: `where` clauses and the
// conditions of enclosing `scf.if`s narrow ranges, `offset` is tracked as a non-negative number of
// 64 bits, and a value that keeps growing is widened after a few steps, so that the analysis of
// any program ends.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_ANALYSIS_RANGEANALYSIS_H
#define LOOM_LIB_ANALYSIS_RANGEANALYSIS_H

#include "loom/Dialect/SCF/SCF.h"
#include "loom/IR/Loom.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "llvm/ADT/DenseMap.h"

namespace loom {

/// Bits in which ranges of a type are held; zero for a type without ranges.
unsigned rangeWidth(mlir::Type type);
/// What every value of the type satisfies. `rangeWidth` is not zero.
mlir::ConstantIntRanges fullRange(mlir::Type type);

class RangeLattice : public mlir::dataflow::Lattice<mlir::IntegerValueRange> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RangeLattice)
  using Lattice::Lattice;
};

class RangeAnalysis : public mlir::dataflow::SparseForwardDataFlowAnalysis<RangeLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  mlir::LogicalResult visitOperation(mlir::Operation *op,
                                     llvm::ArrayRef<const RangeLattice *> operands,
                                     llvm::ArrayRef<RangeLattice *> results) override;
  void visitNonControlFlowArguments(mlir::Operation *op, const mlir::RegionSuccessor &successor,
                                    llvm::ArrayRef<RangeLattice *> arguments,
                                    unsigned firstIndex) override;
  void setToEntryState(RangeLattice *lattice) override;

private:
  /// The range of `value` as an operand of `at`; nullopt while it is not known yet, and for good
  /// where `at` is never reached.
  std::optional<mlir::ConstantIntRanges> rangeAt(mlir::Value value, mlir::Operation *at,
                                                 mlir::ProgramPoint *dependent);
  void update(RangeLattice *lattice, const mlir::ConstantIntRanges &range);
  void setInductionRange(ScfForOp loop, RangeLattice *lattice);

  /// How often the range of a value has grown.
  llvm::DenseMap<mlir::Value, unsigned> growth;
};

} // namespace loom

#endif // LOOM_LIB_ANALYSIS_RANGEANALYSIS_H
