//===- LowerTarget.h - What a target adds to the lowering -------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERTARGET_H
#define LOOM_LIB_TARGET_COMMON_LOWERTARGET_H

#include "LowerBuffers.h"
#include "LowerRange.h"
#include "loom/Analysis/Uniformity.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/Target/Common/Lowering.h"

namespace llvm {
class Function;
} // namespace llvm

namespace loom {
class Facts;
}

namespace loom::lowering {

class FragmentPlan;
class KernelLowering;

/// What a kernel can ask about its place in a launch.
enum class Position { WorkitemId, WorkgroupId, WorkgroupSize, WorkgroupCount };

/// One kernel with what is known of it before it is lowered.
struct KernelPlan {
  KernelDefOp kernel;
  LoweredKernel info;
  llvm::SmallVector<BufferUse> buffers; ///< one per parameter
  /// Work-items that run together in one thread, each value with one lane for each of them, and how
  /// values spread over them. One on targets where each work-item is lowered by itself.
  int64_t lanes = 1;
  int64_t subgroupSize = 1;
  std::unique_ptr<Uniformity> uniformity;
  /// On targets that have lanes, for kernels with operations on fragments; else null.
  std::shared_ptr<const FragmentPlan> fragments;
  /// What the target allows, and the record that the kernel names.
  LaunchLimits limits;

  mlir::Block &body() const { return KernelDefOp(kernel).getBody().front(); }
  KernelLaunchConfigOp config() const {
    mlir::Block &block = KernelDefOp(kernel).getConfig().front();
    return llvm::cast<KernelLaunchConfigOp>(block.getTerminator());
  }
  std::optional<int64_t> exactSize(unsigned dimension) const {
    return info.workgroupSize[dimension];
  }
  std::optional<int64_t> exactCount(unsigned dimension) const {
    return info.workgroupCount[dimension];
  }
  /// The number of work-items of a workgroup.
  std::optional<int64_t> exactItems() const {
    for (const std::optional<int64_t> &size : info.workgroupSize)
      if (!size)
        return std::nullopt;
    return *exactSize(0) * *exactSize(1) * *exactSize(2);
  }
  /// How many workgroups a cluster has in that dimension.
  int64_t clusterSize(unsigned dimension) const {
    return info.clusterSize ? (*info.clusterSize)[dimension] : 1;
  }
  int64_t largestItems() const { return exactItems().value_or(limits.flatWorkgroupSize); }
};

class LoweringTarget {
public:
  virtual ~LoweringTarget() = default;

  /// The name in diagnostics: "x86".
  virtual llvm::StringRef name() const = 0;
  /// LLVM's address space of buffers.
  virtual unsigned bufferSpace() const = 0;
  /// Whether arithmetic on f16 is right, rounded once, as LLVM selects it; otherwise it is
  /// expanded.
  virtual bool hasHalfArithmetic() const = 0;
  /// Whether LLVM converts between f32 and bf16 without calling a library.
  virtual bool hasBFloatConversions() const = 0;
  /// Whether LLVM selects short approximations for mathematical intrinsics that carry `afn`.
  virtual bool hasApproximateMath() const { return false; }
  /// Whether there is `llvm.x86.avx2.pmadd.wd`: sums of two products of 16 bits each, in 32 bits.
  virtual bool hasPairProducts() const { return false; }
  /// Whether the work-items of a subgroup are lanes of vectors, one thread for all of them.
  virtual bool hasLanes() const { return false; }
  /// Whether `position` can be answered at run time when the launch configuration does not make it
  /// exact.
  virtual bool answers(Position position) const = 0;

  /// Begins the function of `plan`, calls KernelLowering::emitBody and ends the function.
  virtual void emitKernel(const KernelPlan &plan, Emitter &emitter, KernelLowering &lowering) = 0;
  /// The answer to a question that is not exact, in the function begun by emitKernel.
  virtual RangedValue emitPosition(Position position, unsigned dimension) = 0;
  /// The length in bytes (i64) of the buffer that is parameter `parameter`, on targets that have
  /// lanes, in the function begun by emitKernel.
  virtual mlir::Value emitLength(unsigned /*parameter*/) { return {}; }
  /// Adds to the translated module what belongs to `plan`'s kernel.
  virtual void finish(const KernelPlan &plan, llvm::Module &module) = 0;
};

/// Lowers every kernel of `module` for `target`.
mlir::FailureOr<LoweredModule> lowerModule(mlir::ModuleOp module, const TargetProfile &profile,
                                           LoweringTarget &target, llvm::LLVMContext &context,
                                           const LoweringOptions &options);

/// Reports every operation of the kernel that `target` cannot carry out, and launch extents beyond
/// the limits of `profile`.
mlir::LogicalResult checkKernel(const KernelPlan &plan, const Facts &facts,
                                const LoweringTarget &target, const TargetProfile &profile);

/// How many work-items of `plan` run together on a target that has lanes. Where the kernel sees its
/// subgroups that is one of them.
int64_t chooseLanes(const KernelPlan &plan, int64_t subgroupSize);
/// Whether the work-items of a subgroup can see each other, or the subgroup.
bool seesSubgroups(const KernelPlan &plan);
/// Gives the kernel of `plan`, whose lanes and uniformity are known, more lanes where it does not
/// see its subgroups and gains by it (LowerWidth.cpp).
void widenLanes(KernelPlan &plan, const Facts &facts);
/// The same for kernels in which all lanes do the same, also with vectors and barriers
/// (LowerStreams.cpp).
void widenStreams(KernelPlan &plan, const Facts &facts);

/// Puts what is known of buffers on the parameters of `function`.
void applyBufferAttributes(llvm::Function &function, llvm::ArrayRef<BufferUse> buffers);

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERTARGET_H
