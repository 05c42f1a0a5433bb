//===- LoopBody.h - What the loop policies know of a loop -------*- C++ -*-===//
//
// The pieces that read-ahead and unrolling share: what is known of the bounds of a loop, what each
// operation of its body does to memory and depends on, and how copies of the body are written.
//
// Three words are used throughout:
//  - carried: an operation is carried when it depends on a value that the loop carries, however
//    indirectly. Carried operations of one iteration need the iteration before them.
//  - read closure: the operations that read memory and everything that they need.
//  - operation: always one of the body's own block. An operation with regions is one unit with
//    everything inside it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_LOOPBODY_H
#define LOOM_LIB_TRANSFORMS_LOOPBODY_H

#include "loom/Analysis/Facts.h"
#include "loom/Dialect/SCF/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace loom {

/// The most operations that one request may materialize. Back ends take time with the square of
/// what stands in one block: seconds here, minutes at eight times as many.
inline constexpr int64_t kMaterializationLimit = int64_t(1) << 13;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// What facts say about the bounds of a loop. Ranges are signed and of 64 bits; an `offset` is at
/// least 0 and at most 2^63-1.
struct LoopBounds {
  mlir::Type type;
  std::optional<int64_t> lower, upper, step;
  int64_t lowerMin, lowerMax, upperMin, upperMax;
  /// Exact number of iterations.
  std::optional<int64_t> trips;

  LoopBounds(ScfForOp loop, const Facts &facts);

  bool isOffset() const { return !type.isIndex(); }
  /// The least value of the type.
  int64_t least() const { return isOffset() ? 0 : INT64_MIN; }
  bool hasPositiveStep() const { return step && *step > 0; }
};

/// A constant of an address type at the insertion point.
mlir::Value addressConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                            int64_t value);
/// `value`, as a constant where it is known to be one.
mlir::Value withConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                         std::optional<int64_t> exact);
/// `base + distance`; `base` itself when that is nothing, a constant when `base` is one.
mlir::Value advance(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                    int64_t distance);
/// The constant that `op` adds to `base`, when that is all it does.
std::optional<int64_t> addedConstant(mlir::Operation *op, mlir::Value base);
/// `base - distance`, `distance` not negative.
mlir::Value retreat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                    int64_t distance);
/// The smaller or the larger of `value` and a constant. `offset` has no minimum operation of its
/// own, so that a comparison and a selection stand in for it.
mlir::Value clampAbove(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       int64_t most);
mlir::Value clampBelow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       int64_t least);

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// What an operation, with everything inside it, does that has an order.
struct Effects {
  bool reads = false, writes = false;
  bool collective = false; ///< takes part in an operation of a whole subgroup or workgroup
  bool fence = false;      ///< is a `scf.schedule.fence`
  bool unknown = false;    ///< may do anything, or waits for other work-items
};
Effects getEffects(mlir::Operation *op);

/// Calls `visit` with every value that `op` and the operations inside it take from outside.
void visitCaptures(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit);

/// Number of operations in `op`, itself included, that read memory.
unsigned countReads(mlir::Operation *op);
/// Number of operations in `op`, itself included.
int64_t countOps(mlir::Operation *op);

class LoopBody {
public:
  explicit LoopBody(ScfForOp loop);

  /// Operations of the body in order, without the terminator.
  llvm::ArrayRef<mlir::Operation *> ops() const { return operations; }
  bool isCarried(mlir::Operation *op) const { return traits.lookup(op).carried; }
  bool inReadClosure(mlir::Operation *op) const { return traits.lookup(op).closure; }
  /// Number of operations that read, nested ones included.
  unsigned reads(mlir::Operation *op) const { return traits.lookup(op).reads; }
  unsigned totalReads() const;
  /// Operations including nested ones.
  int64_t size() const;
  /// A carried value that `op` depends on; null when there is none.
  mlir::BlockArgument carriedSource(mlir::Operation *op) const;
  /// Whether a value that is defined in the body depends on a carried value, or is one.
  bool isCarried(mlir::Value value) const;

private:
  struct Traits {
    bool carried = false, closure = false;
    unsigned reads = 0;
  };
  mlir::Block *block;
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, Traits> traits;
};

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The location of a copy: the author's names without the comments.
mlir::Location copyLoc(mlir::Location loc);

/// Clones `op` with the values of `mapping` in place of its own, and enters its results there.
/// Clones keep the author's names and lose the comments. A clone that folds is not made.
void cloneFolded(mlir::OpBuilder &builder, mlir::Operation *op, mlir::IRMapping &mapping);

/// A loop like `loop`, with its names, over other bounds and without policies. `inits` begin with
/// the carried values of `loop`; more may follow. The body is empty, even of a terminator.
ScfForOp createLoopLike(mlir::OpBuilder &builder, ScfForOp loop, mlir::Value lower,
                        mlir::Value upper, mlir::Value step, mlir::ValueRange inits);

/// Takes every policy off the loop.
void clearPolicies(ScfForOp loop);

/// Below `root`: gives equal constants of one block one operation and removes what computes without
/// being used. Reads stay.
void cleanUpCopies(mlir::Operation *root);

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_LOOPBODY_H
