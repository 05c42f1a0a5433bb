//===- Uniformity.h - How values differ between work-items ------*- C++ -*-===//
//
// A forward analysis over the body of one specialized kernel: for every value, whether all
// work-items of the workgroup have the same one, all lanes of a group, an affine sequence over the
// lanes of a group, or anything.
//
// "The same" speaks of the work-items that compute the value, that is of those that are active
// where it stands: a sum of uniform values is uniform under divergent control too. What leaves a
// construct whose control diverges (results of scf.if, of loops) is varying, because then
// work-items that took different ways meet.
//
// docs/internals/uniformity.md has the rules and why they hold.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_ANALYSIS_UNIFORMITY_H
#define LOOM_ANALYSIS_UNIFORMITY_H

#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Kernel/Spread.h"
#include <array>

namespace loom {

/// How a value spreads over the lanes of a group; loom/Dialect/Kernel/Spread.h defines
/// Distribution.
struct LaneShape {
  Distribution distribution = Distribution::Workgroup;
  int64_t stride = 0; ///< of Affine, never zero there; zero of the others

  bool operator==(const LaneShape &other) const {
    return distribution == other.distribution && stride == other.stride;
  }
  bool operator!=(const LaneShape &other) const { return !(*this == other); }
};

struct UniformityOptions {
  /// Lanes that run together: consecutive flat work-item numbers (x runs fastest), a multiple of
  /// the subgroup size; the first group begins at work-item 0. `Subgroup` and `Affine` speak of
  /// such a group of lanes, lane 0 being the first. The last group may be short of work-items.
  int64_t lanes = 1;
  int64_t subgroupSize = 1;
  /// Extents of the workgroup where they are exact.
  std::array<std::optional<int64_t>, 3> workgroupSize;
};

class Uniformity {
public:
  /// Analyzes the body of `kernel`; later changes of the IR are not seen. `facts` has to be of the
  /// kernel or of something around it, and is not kept.
  Uniformity(KernelDefOp kernel, const Facts &facts, const UniformityOptions &options);
  ~Uniformity();
  Uniformity(Uniformity &&) noexcept;

  /// The shape of a value of the kernel body. Affine only of index and offset values. Values that
  /// the analysis never saw are Varying.
  LaneShape shape(mlir::Value value) const;
  /// Whether all active lanes of a group have the same value: Workgroup or Subgroup.
  bool isUniform(mlir::Value value) const;

  /// How the controls around `op`, up to the kernel body, may differ: who executes it and how
  /// often. Workgroup: everybody as often. Subgroup: the lanes of a group together, but groups may
  /// differ. Varying: lanes of one group may differ. Never Affine. An early `kernel.exit` in front
  /// of `op` counts as a control.
  Distribution control(mlir::Operation *op) const;

  /// The operation that a value's being other than Workgroup comes from, for diagnostics, or null.
  mlir::Operation *cause(mlir::Value value) const;

  const UniformityOptions &getOptions() const;

private:
  friend mlir::LogicalResult checkConvergentOps(KernelDefOp, const Uniformity &);
  struct State;
  std::unique_ptr<State> state;
};

/// Refuses barriers, collectives and operations on matrix fragments under control that may differ
/// between those who reach them together (`STRUCTURE/038`), and dynamic workgroup memory whose
/// length may differ (`STRUCTURE/056`). Others of a subgroup are legal anywhere: inactive
/// lanes contribute the identity. Ask an analysis whose groups are subgroups: with wider ones, what
/// differs between the subgroups of a group counts as differing from lane to lane.
mlir::LogicalResult checkConvergentOps(KernelDefOp kernel, const Uniformity &uniformity);

} // namespace loom

#endif // LOOM_ANALYSIS_UNIFORMITY_H
