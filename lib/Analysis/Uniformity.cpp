//===- Uniformity.cpp - How values differ between work-items --------------===//
#include "loom/Analysis/Uniformity.h"
#include "KernelMemory.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"

namespace loom {
using namespace mlir;

/// Adds to the spreads of the `kernel` dialect what facts know of numbers, and memory.
struct Uniformity::State : Spreads {
  State(KernelDefOp kernel, const Facts &facts, const UniformityOptions &options);

  /// A spread as it is seen from outside: with one lane in a group, or one group in a workgroup,
  /// there is less to tell apart.
  LaneShape simplify(const Spread &spread) const;

  UniformityOptions given;

protected:
  Spread transfer(OpResult result) const override;

private:
  std::optional<Spread> ofIndex(Operation *op) const;
  std::optional<Spread> ofMemory(Operation *op) const;
  Spread sum(const Spread &a, const Spread &b, bool isDifference = false) const;
  Spread product(Value a, Value b) const;
  Spread scaled(const Spread &spread, int64_t factor) const;

  const Facts *facts; ///< while the analysis runs
  KernelWrites writes;
};

static SpreadOptions spreadOptions(const UniformityOptions &options) {
  assert(options.lanes % options.subgroupSize == 0 && "a group is a number of subgroups");
  SpreadOptions result;
  result.lanes = std::max<int64_t>(options.lanes, 1);
  result.subgroupSize = std::max<int64_t>(options.subgroupSize, 1);
  result.workgroupSize = options.workgroupSize;
  return result;
}

Uniformity::State::State(KernelDefOp kernel, const Facts &facts, const UniformityOptions &options)
    : Spreads(kernel, spreadOptions(options)), given(options), facts(&facts), writes(kernel) {
  run();
  this->facts = nullptr;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Spread Uniformity::State::sum(const Spread &a, const Spread &b, bool isDifference) const {
  Spread worse = a.with(b);
  bool isSequence = a.isAffine() || b.isAffine();
  int64_t stride;
  if (!isSequence || a.distribution == Distribution::Varying ||
      b.distribution == Distribution::Varying ||
      (isDifference ? llvm::SubOverflow(a.stride, b.stride, stride)
                    : llvm::AddOverflow(a.stride, b.stride, stride)))
    return worse;
  return Spread::affine(stride, worse.cause);
}

Spread Uniformity::State::scaled(const Spread &spread, int64_t factor) const {
  int64_t stride;
  if (!spread.isAffine() || llvm::MulOverflow(spread.stride, factor, stride))
    return spread.with(Spread());
  return factor ? Spread::affine(stride, spread.cause) : Spread();
}

Spread Uniformity::State::product(Value a, Value b) const {
  Spread left = of(a), right = of(b);
  if (left.isAffine())
    if (std::optional<int64_t> factor = facts->exact(b))
      return scaled(left, *factor);
  if (right.isAffine())
    if (std::optional<int64_t> factor = facts->exact(a))
      return scaled(right, *factor);
  return left.with(right);
}

/// Exact arithmetic on sequences; nothing for what is like other pure operations. A result that
/// does not fit its carrier has no value, so nothing is lost at the ends.
std::optional<Spread> Uniformity::State::ofIndex(Operation *op) const {
  return llvm::TypeSwitch<Operation *, std::optional<Spread>>(op)
      .Case([&](IndexAddOp add) { return sum(of(add.getLhs()), of(add.getRhs())); })
      .Case([&](IndexSubOp sub) {
        return sum(of(sub.getLhs()), of(sub.getRhs()), /*isDifference=*/true);
      })
      .Case([&](IndexMulOp mul) { return product(mul.getLhs(), mul.getRhs()); })
      .Case([&](IndexMaddOp madd) {
        return sum(product(madd.getLhs(), madd.getRhs()), of(madd.getAddend()));
      })
      .Case([&](IndexScaleOp scale) { return product(scale.getCoordinate(), scale.getStride()); })
      .Case([&](IndexCastOp cast) -> std::optional<Spread> {
        // Between index and offset the number stays; other carriers wrap.
        if (isAddressType(cast.getType()) && isAddressType(cast.getInput().getType()))
          return of(cast.getInput());
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Reads whose result follows from the operands and from what stands in memory.
static bool isPlainRead(Operation *op) {
  if (!isa<ViewLoadOp, VectorLoadOp, VectorLoadMaskOp, VectorLoadExpandOp, VectorGatherOp,
           VectorGatherMaskOp, BufferLoadI8UOp, BufferCompareOp>(op))
    return false;
  // A volatile access takes place in every work-item and counts as a write.
  return hasEffect<MemoryEffects::Read>(op) && !hasEffect<MemoryEffects::Write>(op);
}

std::optional<Spread> Uniformity::State::ofMemory(Operation *op) const {
  if (auto alloca = dyn_cast<BufferAllocaOp>(op))
    return alloca.getSpace() == MemorySpace::workgroup ? withAll(op) : Spread::lane(op);
  if (!isPlainRead(op))
    return std::nullopt;
  Spread address = withAll(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  bool mayChange = llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
    return !effect.getValue() || writes.mayWrite(findMemoryRoot(effect.getValue()));
  });
  // Lanes of a group read at the same time. Groups may read before and after somebody's write.
  return mayChange ? address.with(Spread::subgroup(op)) : address;
}

Spread Uniformity::State::transfer(OpResult result) const {
  // Whoever computes it gets the same.
  if (isPure(result.getOwner()) && facts->exact(result))
    return Spread();
  if (std::optional<Spread> spread = ofIndex(result.getOwner()))
    return *spread;
  if (std::optional<Spread> spread = ofMemory(result.getOwner()))
    return *spread;
  return Spreads::transfer(result);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

LaneShape Uniformity::State::simplify(const Spread &spread) const {
  if (spread.distribution <= uniformInWorkgroup())
    return {};
  if (spread.distribution <= uniformInSubgroup())
    return {Distribution::Subgroup, 0};
  return {spread.distribution, spread.stride};
}

Uniformity::Uniformity(KernelDefOp kernel, const Facts &facts, const UniformityOptions &options)
    : state(std::make_unique<State>(kernel, facts, options)) {}
Uniformity::~Uniformity() = default;
Uniformity::Uniformity(Uniformity &&) noexcept = default;

LaneShape Uniformity::shape(Value value) const { return state->simplify(state->of(value)); }

bool Uniformity::isUniform(Value value) const {
  return shape(value).distribution <= Distribution::Subgroup;
}

Distribution Uniformity::control(Operation *op) const {
  Spread spread;
  for (const Control &control : state->controlsOf(op))
    spread = spread.with(control.value ? state->of(control.value) : Spread::unknown(control.op));
  return state->simplify(spread).distribution;
}

Operation *Uniformity::cause(Value value) const {
  bool isWorkgroup = shape(value).distribution == Distribution::Workgroup;
  return isWorkgroup ? nullptr : state->of(value).cause;
}

const UniformityOptions &Uniformity::getOptions() const { return state->given; }

LogicalResult checkConvergentOps(KernelDefOp kernel, const Uniformity &uniformity) {
  const Spreads &spreads = *uniformity.state;
  assert(spreads.getKernel() == kernel && "the analysis is of another kernel");
  Distribution inWorkgroup = spreads.uniformInWorkgroup();
  bool ok = succeeded(checkConvergence(spreads, inWorkgroup));
  // A matrix is dealt out to all lanes of a subgroup. To state that it is does nothing.
  kernel.getBody().walk([&](Operation *op) {
    if (isa<VectorFragmentLoadOp, VectorFragmentStoreOp, VectorFragmentRepackOp, VectorMmaOp>(op))
      ok &= succeeded(checkControls(op, SyncScope::subgroup, spreads, inWorkgroup));
  });
  return success(ok);
}

} // namespace loom
