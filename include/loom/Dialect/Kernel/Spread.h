//===- Spread.h - How values spread over work-items -------------*- C++ -*-===//
//
// A forward analysis over the body of a kernel that says of every value how it may differ between
// work-items, and the rules about who has to reach which operation together. The verifier of
// `kernel.def` uses it as it is, for IR that is not specialized and may be malformed; the analysis
// of loom/Analysis/Uniformity.h adds what it knows of numbers and memory.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_DIALECT_KERNEL_SPREAD_H
#define LOOM_DIALECT_KERNEL_SPREAD_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <array>

namespace loom {

/// How a value may differ between the work-items of a workgroup. Later ones include earlier ones.
enum class Distribution {
  Workgroup, ///< the same for all of them
  Subgroup,  ///< the same for all lanes of a group
  Affine,    ///< value of lane l = value of lane 0 + stride * l in each group of lanes
  Varying,   ///< anything
};

/// A distribution and where it comes from.
struct Spread {
  Distribution distribution = Distribution::Workgroup;
  int64_t stride = 0;               ///< of Affine, never zero there
  bool isKnown = true;              ///< false: Varying because nothing is known
  mlir::Operation *cause = nullptr; ///< the origin of what is not Workgroup; may be null

  static Spread subgroup(mlir::Operation *cause) {
    return {Distribution::Subgroup, 0, true, cause};
  }
  /// An arithmetic sequence over the lanes; without a stride it is the same for all of them.
  static Spread affine(int64_t stride, mlir::Operation *cause) {
    return stride ? Spread{Distribution::Affine, stride, true, cause} : subgroup(cause);
  }
  static Spread lane(mlir::Operation *cause) { return {Distribution::Varying, 0, true, cause}; }
  static Spread unknown(mlir::Operation *cause) { return {Distribution::Varying, 0, false, cause}; }

  bool isWorkgroup() const { return distribution == Distribution::Workgroup; }
  bool isUniform() const { return distribution <= Distribution::Subgroup; }
  bool isAffine() const { return distribution == Distribution::Affine; }
  /// The same but for the cause.
  bool isLike(const Spread &other) const {
    return distribution == other.distribution && stride == other.stride && isKnown == other.isKnown;
  }

  /// Of what is computed from two values: the worse of the two, never Affine.
  Spread with(const Spread &other) const;
  /// Of a value that is one of the two.
  Spread orElse(const Spread &other) const;
};

/// What is known of the launch and the target.
struct SpreadOptions {
  /// Lanes of a group: consecutive flat work-item numbers from 0 on, a multiple of the subgroup
  /// size. Without a number a group is a subgroup.
  std::optional<int64_t> lanes;
  std::optional<int64_t> subgroupSize;
  /// Extents of the workgroup where they are exact.
  std::array<std::optional<int64_t>, 3> workgroupSize;
};

/// A value that decides whether something runs, or how often. The kind is a word of the report.
struct Control {
  llvm::StringRef kind;
  mlir::Operation *op;
  mlir::Value value; ///< null when nothing is known about the decision
};

/// The spread of every value of a kernel body. A value begins without one and only rises, in few
/// steps, so that carried values need no guess and the work ends.
class Spreads {
public:
  Spreads(KernelDefOp kernel, const SpreadOptions &options) : kernel(kernel), options(options) {}
  virtual ~Spreads() = default;
  Spreads(const Spreads &) = delete;

  /// Has to be called once, before anything is asked.
  void run();

  /// Of values that were never reached nothing is known.
  Spread of(mlir::Value value) const;
  /// The widest distribution that is still the same for the whole workgroup, as far as the numbers
  /// of the options say: Subgroup in a workgroup of one group, Varying in one of one work-item.
  Distribution uniformInWorkgroup() const;
  /// The same for a group of lanes: Varying in one of one lane.
  Distribution uniformInSubgroup() const;
  /// Everything that decides whether `op` runs, from the inside out: what is around it, branches of
  /// the body, and early exits in front of it.
  llvm::SmallVector<Control> controlsOf(mlir::Operation *op) const;

  KernelDefOp getKernel() const { return kernel; }
  const SpreadOptions &getOptions() const { return options; }

protected:
  /// The spread of a result of an operation without regions, all of whose operands have one.
  virtual Spread transfer(mlir::OpResult result) const;

  /// Of a value that `selector` chooses.
  static Spread choose(const Spread &selector, const Spread &alternatives);
  /// Of something computed from all operands of `op`.
  Spread withAll(mlir::Operation *op) const;
  /// True when a group is one subgroup.
  bool isGroupSubgroup() const { return !options.lanes || options.lanes == options.subgroupSize; }

private:
  void visit(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitChoice(mlir::Operation *op);
  void enqueue(mlir::Operation *op);
  std::optional<Spread> ofPosition(mlir::Operation *op) const;
  std::optional<Spread> ofCollective(mlir::Operation *op) const;
  Spread ofWorkitemId(mlir::Operation *op, unsigned axis) const;
  Spread ofCall(mlir::Operation *op) const;
  bool isReached(mlir::ValueRange values) const;
  void raise(mlir::Value value, Spread spread);
  void raiseAll(mlir::ValueRange values, const Spread &spread);
  /// Raises to the spread of another value, when that has one.
  void raiseTo(mlir::Value value, mlir::Operation *op, unsigned operand);

  KernelDefOp kernel;
  SpreadOptions options;
  llvm::DenseMap<mlir::Value, Spread> spreads;
  llvm::SmallVector<mlir::Operation *> queue;
  llvm::SmallPtrSet<mlir::Operation *, 16> queued;
  llvm::SmallVector<KernelExitOp, 2> exits;
};

/// Who has to reach `op` together; nothing when that does not matter. A wait stands in the block of
/// its arrival, and collectives of a subgroup speak of the active lanes.
std::optional<SyncScope> convergenceScope(mlir::Operation *op);

/// Refuses `op` under control that may differ between those of `scope`, who reach it together
/// [STRUCTURE/038]. What is not worse than `inWorkgroup` is the same for the whole workgroup.
mlir::LogicalResult checkControls(mlir::Operation *op, SyncScope scope, const Spreads &spreads,
                                  Distribution inWorkgroup);

/// Refuses what has to be reached together under control that may differ [STRUCTURE/038], and
/// dynamic workgroup memory whose length may differ [STRUCTURE/056]. What is not worse than
/// `inWorkgroup` counts as the same for the whole workgroup.
mlir::LogicalResult checkConvergence(const Spreads &spreads, Distribution inWorkgroup);

} // namespace loom

#endif // LOOM_DIALECT_KERNEL_SPREAD_H
