//===- LowerFragments.h - Matrix fragments on targets with lanes -*- C++ -*-===//
//
// A fragment is a vector in the lane form. Between a fragment and memory elements move in runs:
// lanes that follow each other and hold elements that do so as well. A product first brings its
// operands into the frame, `lhs` column by column and the others row by row, multiplies there, and
// takes the sum apart again; so the operands may be laid out in any way.
//
// Operations on fragments are done by all lanes of a subgroup together, and where not all of them
// are active they are refused. docs/internals/fragments.md has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERFRAGMENTS_H
#define LOOM_LIB_TARGET_COMMON_LOWERFRAGMENTS_H

#include "LowerMemory.h"
#include "loom/Analysis/Fragments.h"

namespace loom::lowering {

/// The fragments of a kernel and how its target lays them out.
class FragmentPlan {
public:
  /// Of a subgroup of `lanes` lanes.
  FragmentPlan(KernelDefOp kernel, const Facts &facts, int64_t lanes);

  const Fragments &fragments() const { return analysis; }
  FragmentFamily family() const { return chosen; }
  /// The layout of a vector of the type `vector` of which `fact` holds; nothing when the matrix
  /// cannot be dealt out like that.
  std::optional<FragmentLayout> layoutOf(const FragmentFact &fact, mlir::Type vector) const;
  /// The fact about the sum of a product whose factors are shares.
  FragmentFact sumOf(VectorMmaOp op) const;

private:
  Fragments analysis;
  int64_t lanes;
  FragmentFamily chosen;
};

/// Whether the operation on fragments `op` is lowered for `target`.
bool isFragmentSupported(mlir::Operation *op, const LoweringTarget &target);
/// Refuses what the operations on fragments of a kernel cannot do. Other operations are of no
/// concern.
mlir::LogicalResult checkFragments(const KernelPlan &plan, const LoweringTarget &target);

/// What the elements of a product are computed in.
struct ProductType {
  mlir::Type type;  ///< of the sums
  bool isSaturated; ///< integers that are clamped at the end
};
/// Nothing when the product of elements of these types is not supported; `reason` says why.
std::optional<ProductType> productTypeOf(VectorMmaOp op, std::string &reason);
/// Whether elements of `from` become elements of `to` where they are loaded or stored.
bool isFragmentConversion(mlir::Type from, mlir::Type to);

class KernelLowering::FragmentLowering {
public:
  explicit FragmentLowering(KernelLowering &kernel) : kernel(kernel), emitter(kernel.emitter) {}

  bool lower(mlir::Operation *op);
  /// For each element of a lane the addresses that a load or store `op` accesses, with the lanes
  /// that do; null for all of them.
  void forEachAccess(mlir::Operation *op,
                     llvm::function_ref<void(const Address &address, mlir::Value flag)> body);

private:
  /// The distance between neighbours along an axis of a matrix, in elements.
  struct Stride {
    std::optional<int64_t> literal;
    RangedValue value;
  };
  using Pointers = llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value>;
  /// A matrix in memory.
  struct Place {
    Address origin; ///< the same for all lanes
    Stride block, row, column;
    mlir::Type element; ///< in Loom
    unsigned alignment;
    /// The addresses of rows, by block and row.
    Pointers rows = Pointers();
  };
  /// Lanes from `first` on whose elements follow each other in memory.
  struct Run {
    int64_t first, count;
  };

  Place placeOf(mlir::Operation *op);
  Place inFrame(mlir::Value pointer, const FragmentShape &shape, mlir::Type element,
                bool byColumn = false);
  mlir::Value pointerTo(Place &place, const FragmentElement &element);
  std::optional<int64_t> distance(const Place &place, const FragmentElement &from,
                                  const FragmentElement &to) const;
  llvm::SmallVector<Run> runsOf(const FragmentLayout &layout, const Place &place, int64_t element);
  bool isScattered(const FragmentLayout &layout, const Place &place);
  Place gathered(const FragmentLayout &layout, mlir::Type element);
  void copy(const FragmentLayout &layout, const Place &from, const Place &to);
  mlir::Value load(const FragmentLayout &layout, Place &place);
  void store(const FragmentLayout &layout, Place &place, mlir::Value lanes);

  FragmentLayout layoutOf(const FragmentFact &fact, mlir::Value vector) const;
  FragmentFact factOf(mlir::Value value) const;
  mlir::Value lanesOf(mlir::Value value);
  void define(mlir::Value result, mlir::Value lanes);
  mlir::Value converted(mlir::Value value, mlir::Type from, mlir::Type to);
  void lowerLoad(VectorFragmentLoadOp op);
  void lowerStore(VectorFragmentStoreOp op);
  void lowerRepack(VectorFragmentRepackOp op);
  void lowerMma(VectorMmaOp op);

  /// One product of matrices in the frame.
  struct Product {
    mlir::Value lhs, rhs, sum;
    int64_t m, n, k;
    mlir::Type type;
  };
  void emitProduct(const Product &product);
  void emitColumns(const Product &product, mlir::Value firstColumn, int64_t columns);
  void emitRows(const Product &product, mlir::Value firstRow, int64_t rows, mlir::Value firstColumn,
                int64_t columns);
  mlir::Value moved(mlir::Value pointer, mlir::Value count, int64_t elements, mlir::Type type);

  KernelLowering &kernel;
  Emitter &emitter;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERFRAGMENTS_H
