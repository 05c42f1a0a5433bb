//===- LowerWidth.cpp - How many lanes run together -----------------------===//
//
// A kernel that cannot see its subgroups may run with more lanes than one has. Loops that lanes
// leave one by one and that keep little are then given two chains of operations or more, which
// overlap.
//
//===----------------------------------------------------------------------===//
#include "LowerFission.h"

using namespace mlir;

namespace loom::lowering {

/// x86-64-v3 has 16 vector registers of 32 bytes.
constexpr int64_t kRegisterBytes = 32, kRegisters = 16;
/// Of loops that all lanes go through until the last one is done.
constexpr int64_t kMostDivergentLanes = 32;
/// Loops of more operations have enough to overlap.
constexpr unsigned kMostOps = 24;

namespace {

/// What the lanes of one loop need.
class LoopNeeds {
public:
  LoopNeeds(const KernelPlan &plan, const Facts &facts, Operation *loop)
      : plan(plan), facts(facts), loop(loop) {}

  /// Whether `lanes` lanes fit in registers. Simple operations only: what others need is not known.
  bool fits(int64_t lanes);

private:
  bool isInside(Value value) const {
    return loop->isProperAncestor(value.getParentRegion()->getParentOp()) ||
           value.getParentRegion()->getParentOp() == loop;
  }
  bool isPerLane(Value value) const {
    return plan.uniformity->shape(value).distribution == Distribution::Varying;
  }
  int64_t bytesOf(Value value) const;
  bool isSimple(Operation *op) const;
  int64_t temporaries() const;

  const KernelPlan &plan;
  const Facts &facts;
  Operation *loop;
};

} // namespace

int64_t LoopNeeds::bytesOf(Value value) const {
  if (isAddressType(value.getType())) {
    std::optional<ConstantIntRanges> range = facts.range(value);
    bool narrow = range && range->smin().isSignedIntN(32) && range->smax().isSignedIntN(32);
    return narrow ? 4 : 8;
  }
  // A buffer or view that each lane has chosen is a pointer.
  if (isa<BufferType, ViewType>(value.getType()))
    return 8;
  return std::max<int64_t>(value.getType().getIntOrFloatBitWidth() / 8, 4);
}

/// Of scalars, and lowered to few instructions.
bool LoopNeeds::isSimple(Operation *op) const {
  auto isScalar = [](Type type) {
    return isAddressType(type) || type.isIntOrFloat() || isa<BufferType, ViewType>(type);
  };
  if (!llvm::all_of(op->getResultTypes(), isScalar) ||
      !llvm::all_of(op->getOperandTypes(), isScalar))
    return false;
  if (isa<ViewLoadOp, ViewStoreOp, ScfYieldOp, ScfIfOp, ScfForOp, ScfSelectOp>(op) ||
      isa<IndexDialect>(op->getDialect()))
    return true;
  if (op->getNumOperands() && !op->getOperand(0).getType().isIntOrFloat())
    return false;
  StringRef name = getTextName(op);
  static constexpr StringLiteral simple[] = {
      "scalar.add", "scalar.sub", "scalar.mul", "scalar.cmp", "scalar.constant", "scalar.min",
      "scalar.max", "scalar.and", "scalar.or",  "scalar.xor", "scalar.neg"};
  return llvm::any_of(simple, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// How many values of the body that differ from lane to lane are needed later at one place.
int64_t LoopNeeds::temporaries() const {
  llvm::DenseMap<Value, unsigned> lastUse;
  unsigned place = 0;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      lastUse[operand] = place;
    ++place;
  });
  int64_t most = 0;
  SmallVector<unsigned> ends;
  place = 0;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::erase_if(ends, [&](unsigned end) { return end <= place; });
    if (op != loop)
      for (Value result : op->getResults())
        if (isPerLane(result) && lastUse.lookup(result) > place)
          ends.push_back(lastUse.lookup(result));
    most = std::max<int64_t>(most, ends.size());
    ++place;
  });
  return most;
}

bool LoopNeeds::fits(int64_t lanes) {
  unsigned count = 0;
  llvm::SetVector<Value> held;
  bool isKnown = true;
  loop->walk([&](Operation *op) {
    isKnown &= isSimple(op) && ++count <= kMostOps;
    for (Value operand : op->getOperands())
      if (op != loop && isPerLane(operand) && !isInside(operand))
        held.insert(operand);
    for (Region &region : op->getRegions())
      if (!region.empty() && isa<ScfForOp>(op))
        for (Value argument : region.front().getArguments())
          if (isPerLane(argument))
            held.insert(argument);
  });
  if (!isKnown)
    return false;
  int64_t bytes = 0;
  for (Value value : held)
    bytes += bytesOf(value);
  return llvm::divideCeil(bytes * lanes, kRegisterBytes) + temporaries() <= kRegisters;
}

/// Whether lanes may leave `loop` one before the other.
static bool mayDiverge(const KernelPlan &plan, Operation *loop) {
  auto counted = dyn_cast<ScfForOp>(loop);
  return !counted || !llvm::all_of(loop->getOperands().take_front(3),
                                   [&](Value bound) { return plan.uniformity->isUniform(bound); });
}

static int64_t widerLanes(const KernelPlan &plan, const Facts &facts) {
  int64_t lanes = plan.lanes;
  std::optional<int64_t> row = plan.exactSize(0);
  if (lanes == 1 || lanes != plan.subgroupSize || !row || !plan.exactItems() || seesSubgroups(plan))
    return lanes;
  SmallVector<Operation *> loops;
  bool waits = false;
  plan.body().walk([&](Operation *op) {
    waits |= isCut(op);
    if (isa<ScfForOp, ScfWhileOp>(op))
      loops.push_back(op);
  });
  // Between barriers there is little to overlap. Kernels whose lanes stay together are those of
  // LowerStreams.cpp.
  if (waits || llvm::none_of(loops, [&](Operation *loop) { return mayDiverge(plan, loop); }))
    return lanes;
  auto fits = [&](int64_t width) {
    return *row % width == 0 && llvm::all_of(loops, [&](Operation *loop) {
      return LoopNeeds(plan, facts, loop).fits(width);
    });
  };
  while (lanes * 2 <= kMostDivergentLanes && fits(lanes * 2))
    lanes *= 2;
  return lanes;
}

void widenLanes(KernelPlan &plan, const Facts &facts) {
  int64_t lanes = widerLanes(plan, facts);
  if (lanes == plan.lanes)
    return;
  plan.lanes = lanes;
  plan.uniformity = std::make_unique<Uniformity>(
      plan.kernel, facts, UniformityOptions{lanes, plan.subgroupSize, plan.info.workgroupSize});
}

} // namespace loom::lowering
