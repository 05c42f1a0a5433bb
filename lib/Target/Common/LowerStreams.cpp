//===- LowerStreams.cpp - More lanes for kernels that stream --------------===//
//
// A kernel that cannot see its subgroups runs with any number of lanes. With more of them each
// operation is several independent vectors, and an access takes whole cache lines one after
// another: where the rows of a matrix are far apart that is what decides. It pays as long as all
// lanes do the same and what loops carry stays in registers.
//
//===----------------------------------------------------------------------===//
#include "LowerTarget.h"
#include "loom/Dialect/Dialects.h"
#include "loom/IR/Lanewise.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// What a loop may carry from one iteration to the next: half of the registers of AVX2.
constexpr int64_t kMostCarriedBits = 8 * 256;
/// What is computed in between needs registers too; coordinates do not count.
constexpr unsigned kMostOps = 24;
constexpr int64_t kWidest = 64;
/// Of a workgroup whose work-items wait for each other: it is taken apart at its barriers, and each
/// part is short.
constexpr int64_t kWidestInPhases = 32;

/// The bits that one lane of a value takes; coordinates and addresses are mostly scalars.
int64_t bitsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return ShapedType::getNumElements(vector.getShape()) * bitsOf(vector.getElementType());
  return type.isIntOrFloat() ? std::max<int64_t>(type.getIntOrFloatBitWidth(), 8) : 0;
}

/// Whether `op` becomes a few instructions for each vector, whatever the number of lanes.
bool isShort(Operation *op) {
  if (isa_and_nonnull<IndexDialect>(op->getDialect()) || op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (auto alloca = dyn_cast<BufferAllocaOp>(op))
    return alloca.getSpace() == MemorySpace::workgroup;
  if (auto barrier = dyn_cast<KernelBarrierOp>(op))
    return barrier.getScope() == SyncScope::workgroup;
  if (auto lanewise = dyn_cast<LanewiseOpInterface>(op)) {
    LanewiseFunction function = lanewise.getLanewiseFunction();
    return function < LanewiseFunction::expf || function > LanewiseFunction::geluf;
  }
  return isa<KernelWorkitemIdOp, KernelWorkgroupIdOp, KernelWorkgroupSizeOp, KernelWorkgroupCountOp,
             KernelDispatchIdOp, BufferAssumeAlignmentOp, BufferAssumeNoaliasOp,
             BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp, BufferViewOp, ViewSubviewOp,
             ViewRefineOp, ViewLoadOp, ViewStoreOp, VectorLoadOp, VectorStoreOp, VectorExtractOp,
             VectorFromElementsOp, VectorSplatOp, VectorDot4IOp, ScfSelectOp>(op);
}

class Streams {
public:
  explicit Streams(const KernelPlan &plan) : plan(plan), uniformity(*plan.uniformity) {}

  /// The most lanes that the kernel may be given; 1 when it should not be given more.
  int64_t limit() {
    unsigned count = 0;
    plan.body().walk([&](Operation *op) {
      consider(op);
      count += llvm::any_of(op->getResultTypes(), [](Type type) { return bitsOf(type) > 0; });
      return widest > 1 ? WalkResult::advance() : WalkResult::interrupt();
    });
    return count <= kMostOps ? widest : 1;
  }

  /// Whether `wide` knows as much of every value.
  bool isAsRegular(const Uniformity &wide) const {
    auto isLost = [&](Value value) {
      return wide.shape(value).distribution == Distribution::Varying &&
             uniformity.shape(value).distribution != Distribution::Varying;
    };
    return !plan.body()
                .walk([&](Operation *op) {
                  bool some = llvm::any_of(op->getResults(), isLost);
                  for (Region &region : op->getRegions())
                    for (Block &block : region)
                      some |= llvm::any_of(block.getArguments(), isLost);
                  return some ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

private:
  void consider(Operation *op) {
    if (auto loop = dyn_cast<ScfForOp>(op))
      return considerLoop(loop);
    bool fits = isShort(op);
    if (auto choice = dyn_cast<ScfIfOp>(op))
      fits = uniformity.isUniform(choice.getCondition()) || isGuard(choice.getCondition());
    if (!fits)
      widest = 1;
    if (isa<KernelBarrierOp>(op))
      widest = std::min(widest, kWidestInPhases);
  }

  void considerLoop(ScfForOp loop) {
    Value bounds[] = {loop.getLower(), loop.getUpper(), loop.getStep()};
    if (!llvm::all_of(bounds, [&](Value bound) { return uniformity.isUniform(bound); }))
      widest = 1;
    int64_t carried = 0;
    for (Type type : loop.getResultTypes())
      carried += bitsOf(type);
    while (widest > 1 && widest * carried > kMostCarriedBits)
      widest /= 2;
  }

  /// Whether the condition compares a place with a bound that stays: all but the last lanes pass. A
  /// bound that shrinks from step to step, as in a reduction, leaves most of many lanes idle.
  bool isGuard(Value condition) const {
    auto compare = condition.getDefiningOp<IndexCmpOp>();
    if (!compare)
      return false;
    Value sides[] = {compare.getLhs(), compare.getRhs()};
    for (unsigned i = 0; i < 2; ++i)
      if (uniformity.shape(sides[i]).distribution == Distribution::Affine &&
          uniformity.isUniform(sides[1 - i]) && sides[1 - i].getParentBlock() == &plan.body())
        return true;
    return false;
  }

  const KernelPlan &plan;
  const Uniformity &uniformity;
  int64_t widest = kWidest;
};

} // namespace

void widenStreams(KernelPlan &plan, const Facts &facts) {
  Streams streams(plan);
  for (int64_t lanes = streams.limit(); lanes > plan.lanes; lanes /= 2) {
    // Rows of work-items are not cut.
    if (!plan.exactSize(0) || *plan.exactSize(0) % lanes)
      continue;
    auto wide = std::make_unique<Uniformity>(
        plan.kernel, facts, UniformityOptions{lanes, plan.subgroupSize, plan.info.workgroupSize});
    if (!streams.isAsRegular(*wide))
      continue;
    plan.lanes = lanes;
    plan.uniformity = std::move(wide);
    return;
  }
}

} // namespace loom::lowering
