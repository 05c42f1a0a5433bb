//===- LowerFission.cpp - Barriers of a workgroup -------------------------===//
#include "LowerFission.h"
#include "LowerLoops.h"
#include "LowerSanitizer.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace loom::lowering {

bool isCut(Operation *op) {
  if (auto barrier = dyn_cast<KernelBarrierOp>(op))
    return barrier.getScope() == SyncScope::workgroup;
  if (auto wait = dyn_cast<KernelBarrierWaitOp>(op)) {
    auto arrive = wait.getPhase().getDefiningOp<KernelBarrierArriveOp>();
    return !arrive || arrive.getScope() == SyncScope::workgroup;
  }
  return isa<KernelWorkgroupReduceOp, KernelWorkgroupScanOp, KernelWorkgroupVoteAnyOp,
             KernelWorkgroupVoteAllOp, KernelWorkgroupVoteCountOp>(op);
}

KernelLowering::Fission::Fission(KernelLowering &lowering)
    : lowering(lowering), emitter(lowering.emitter) {
  Block &body = lowering.plan.body();
  body.walk([&](Operation *op) {
    for (Value extent : extentsNeededBy(op))
      askers[extent].push_back(op);
    if (!isCut(op))
      return;
    for (; op && op != body.getParentOp(); op = op->getParentOp())
      cutting.insert(op);
  });
  for (Value parameter : body.getArguments())
    once.insert(parameter);
}

void KernelLowering::Fission::emit() { emitBlock(lowering.plan.body()); }

//===----------------------------------------------------------------------===//
// Where values are available
//===----------------------------------------------------------------------===//

bool KernelLowering::Fission::isForWorkgroup(Value value) const {
  return lowering.laneCount() == 1
             ? lowering.plan.uniformity->shape(value).distribution == Distribution::Workgroup
             : lowering.shapeOf(value).distribution == Distribution::Workgroup;
}

/// Whether `op` is computed outside of the segments.
bool KernelLowering::Fission::isOnce(Operation *op) const {
  if (auto storage = dyn_cast<BufferAllocaOp>(op))
    return storage.getSpace() == MemorySpace::workgroup;
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getResults(), [&](Value result) { return isForWorkgroup(result); }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return once.contains(operand); });
}

/// Whether `value` is computed in each segment that uses it, since that is cheaper than memory.
bool KernelLowering::Fission::isComputedAgain(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  // An encoding is nothing at run time: who needs the strides of a layout asks for them.
  if (isa<BufferAllocaOp>(op) || isa<EncodingType>(value.getType()))
    return true;
  bool isCheap = isa<IndexDialect, BufferDialect, ViewDialect, EncodingDialect>(op->getDialect()) ||
                 isa<ScalarConstantOp, VectorConstantOp>(op) ||
                 getTextName(op).starts_with("kernel.work") || getTextName(op).ends_with(".id") ||
                 getTextName(op).ends_with(".size");
  // What is the same for the workgroup is wanted outside of segments too. A value that is known
  // exactly may have operands that are not.
  return isCheap && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return once.contains(operand) ||
                  (isComputedAgain(operand) && (isForWorkgroup(operand) || !isForWorkgroup(value)));
         });
}

void KernelLowering::Fission::bring(Value value) {
  if (isa<EncodingType>(value.getType()) || once.contains(value) || !brought.insert(value).second)
    return;
  if (isComputedAgain(value)) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      bring(operand);
    return lowering.lowerOp(op);
  }
  const Slot &slot = slotOf(value);
  lowering.receive(value, emitter.load(slot.type, placeOf(slot), slot.alignment));
}

Value KernelLowering::Fission::scalarForWorkgroup(Value value) {
  brought.clear();
  bring(value);
  brought.clear();
  return lowering.scalarOf(value);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

KernelLowering::Fission::Slot &KernelLowering::Fission::slotOf(Value value) {
  Slot &slot = slots[value];
  if (slot.storage)
    return slot;
  slot.type = lowering.passedType(value);
  slot.perBlock = !isForWorkgroup(value);
  Type element = getElementTypeOrSelf(slot.type);
  int64_t count = 1;
  if (auto vector = dyn_cast<mlir::VectorType>(slot.type))
    count = vector.getNumElements();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  slot.bytes = llvm::PowerOf2Ceil(llvm::divideCeil(bits * count, 8));
  slot.alignment = std::min<int64_t>(slot.bytes, 64);
  slot.storage = emitter.frameStorage(slot.bytes * (slot.perBlock ? lowering.group.blocks : 1),
                                      slot.alignment);
  return slot;
}

Value KernelLowering::Fission::placeOf(const Slot &slot) {
  if (!slot.perBlock)
    return slot.storage;
  Value distance = emitter.binary(IntegerOp::Mul, lowering.group.block,
                                  emitter.constant(emitter.integer(64), slot.bytes));
  return emitter.addBytes(slot.storage, distance);
}

void KernelLowering::Fission::keep(const Slot &slot, Value lowered) {
  emitter.store(lowered, placeOf(slot), slot.alignment);
}

void KernelLowering::Fission::copy(ValueRange sources, ValueRange targets) {
  // Those of the workgroup are read before any is written.
  SmallVector<std::pair<Value, Value>> single;
  SmallVector<Value> inputs;
  SmallVector<std::pair<Value, Value>> perBlock;
  for (auto [source, target] : llvm::zip(sources, targets)) {
    if (slotOf(target).perBlock) {
      perBlock.push_back({source, target});
      inputs.push_back(source);
      continue;
    }
    brought.clear();
    bring(source);
    single.push_back({target, lowering.passed(source, target)});
  }
  if (!perBlock.empty())
    emitBlocks(inputs, [&] {
      SmallVector<Value> lowered;
      for (auto [source, target] : perBlock)
        lowered.push_back(lowering.passed(source, target));
      for (auto [pair, value] : llvm::zip(perBlock, lowered))
        keep(slotOf(pair.second), value);
    });
  for (auto [target, value] : single)
    keep(slotOf(target), value);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void KernelLowering::Fission::emitBlocks(ValueRange inputs, llvm::function_ref<void()> body) {
  lowering.emitBlocks([&] {
    brought.clear();
    for (Value input : inputs)
      bring(input);
    body();
  });
  brought.clear();
}

void KernelLowering::Fission::emitSegment(ArrayRef<Operation *> segment) {
  if (segment.empty())
    return;
  llvm::SetVector<Value> inputs, outputs;
  llvm::DenseSet<Operation *> members(segment.begin(), segment.end());
  auto isInside = [&](Operation *op) {
    for (; op; op = op->getParentOp())
      if (members.contains(op))
        return true;
    return false;
  };
  for (Operation *op : segment) {
    op->walk([&](Operation *inner) {
      auto use = [&](Value operand) {
        Operation *definer = operand.getDefiningOp();
        if (!definer)
          definer = cast<BlockArgument>(operand).getOwner()->getParentOp();
        if (!isInside(definer))
          inputs.insert(operand);
      };
      llvm::for_each(inner->getOperands(), use);
      llvm::for_each(extentsNeededBy(inner), use);
    });
    // The phase of a barrier is nothing at run time.
    for (Value result : op->getResults())
      if (!isComputedAgain(result) && !isa<BarrierPhaseType>(result.getType()) &&
          (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); }) ||
           llvm::any_of(askers.lookup(result), [&](Operation *op) { return !isInside(op); })))
        outputs.insert(result);
  }
  std::optional<Guard> guard = outputs.empty() ? guardOf(segment) : std::nullopt;
  if (guard && emitGuarded(*guard, inputs.getArrayRef(), [&] { emitOps(segment, guard->op); }))
    return;
  emitBlocks(inputs.getArrayRef(), [&] {
    emitOps(segment, /*guard=*/nullptr);
    for (Value output : outputs)
      keep(slotOf(output), lowering.passed(output, output));
  });
}

void KernelLowering::Fission::emitOps(ArrayRef<Operation *> segment, Operation *guard) {
  for (Operation *op : segment) {
    // It may have been computed for another input already.
    brought.insert(op->result_begin(), op->result_end());
    // The rest of the kernel is of this segment too.
    if (auto exit = dyn_cast<KernelExitOp>(op)) {
      Block::iterator next = std::next(op->getIterator()), end = op->getBlock()->end();
      return op == guard ? lowering.lowerFrom(next, end) : lowering.lowerExit(exit, next, end);
    }
    if (op == guard) {
      llvm::SaveAndRestore deeper(lowering.versionDepth, lowering.versionDepth + 1);
      return lowering.lowerBlock(cast<ScfIfOp>(op).getThenRegion().front());
    }
    lowering.lowerOp(op);
  }
}

void KernelLowering::Fission::emitBlock(Block &block) {
  emitFrom(block.begin(), std::prev(block.end()));
}

void KernelLowering::Fission::emitFrom(Block::iterator first, Block::iterator end) {
  SmallVector<Operation *> segment;
  for (Operation &op : llvm::make_range(first, end)) {
    if (auto exit = dyn_cast<KernelExitOp>(op))
      return emitExit(exit, std::move(segment));
    if (cutting.contains(&op)) {
      emitSegment(segment);
      segment.clear();
      emitCut(&op);
    } else if (isOnce(&op)) {
      lowering.lowerOp(&op);
      once.insert(op.result_begin(), op.result_end());
    } else {
      segment.push_back(&op);
    }
  }
  emitSegment(segment);
}

/// Who waits behind an exit has to come together, so that the workgroup leaves as a whole or stays
/// as a whole. Behind the last cut each work-item leaves for itself: what follows is one segment.
/// `segment` is what stands in front.
void KernelLowering::Fission::emitExit(KernelExitOp op, SmallVector<Operation *> segment) {
  Block::iterator next = std::next(op->getIterator()), end = std::prev(op->getBlock()->end());
  auto isCutting = [&](Operation &other) { return cutting.contains(&other); };
  if (!isCutting(*op) && llvm::none_of(llvm::make_range(next, end), isCutting)) {
    for (Operation &rest : llvm::make_range(op->getIterator(), end))
      segment.push_back(&rest);
    return emitSegment(segment);
  }
  emitSegment(segment);
  Value condition = scalarForWorkgroup(op.getCondition());
  Block *leave = emitter.makeBlock(), *stay = emitter.makeBlock(), *join = emitter.makeBlock();
  emitter.branchIf(condition, leave, {}, stay, {});
  emitter.enter(leave);
  if (!op.getBody().empty())
    emitBlock(op.getBody().front());
  emitter.branch(join);
  emitter.enter(stay);
  emitFrom(next, end);
  emitter.branch(join);
  emitter.enter(join);
}

//===----------------------------------------------------------------------===//
// What holds a cut
//===----------------------------------------------------------------------===//

void KernelLowering::Fission::emitCut(Operation *op) {
  if (auto loop = dyn_cast<ScfForOp>(op))
    return emitFor(loop);
  if (auto loop = dyn_cast<ScfWhileOp>(op))
    return emitWhile(loop);
  if (auto branch = dyn_cast<ScfIfOp>(op))
    return emitIf(branch);
  if (auto choice = dyn_cast<ScfSwitchOp>(op))
    return emitSwitch(choice);
  // A barrier is where the segments meet: nothing is left to do.
  if (isa<KernelBarrierOp, KernelBarrierWaitOp>(op))
    return lowering.sanitizer->passBarrier(op);
  emitCollective(op);
}

/// Loops around cuts of at most so many iterations and operations are written out: then the numbers
/// of work-items that steps of a tree leave are constants.
constexpr size_t kMostWrittenOut = 8, kMostOpsWrittenOut = 32;

/// The counters of a loop that is written out; none when it is not.
static SmallVector<int64_t> countersWrittenOut(ScfForOp op, const Facts &facts) {
  std::optional<int64_t> first = facts.exact(op.getLower()), end = facts.exact(op.getUpper());
  std::optional<int64_t> step = facts.exact(op.getStep());
  SmallVector<int64_t> counters;
  size_t ops = 0;
  op.getBodyRegion().walk([&](Operation *) { ++ops; });
  if (!isa<IndexType>(op.getInductionVar().getType()) || !first || !end || !step || *step <= 0 ||
      ops > kMostOpsWrittenOut)
    return counters;
  for (int64_t counter = *first; counter < *end;) {
    if (counters.size() == kMostWrittenOut)
      return {};
    counters.push_back(counter);
    if (llvm::AddOverflow(counter, *step, counter))
      break;
  }
  return counters;
}

void KernelLowering::Fission::emitFor(ScfForOp op) {
  SmallVector<int64_t> counters = countersWrittenOut(op, lowering.facts);
  if (!counters.empty()) {
    copy(op.getInits(), op.getRegionIterArgs());
    once.insert(op.getInductionVar());
    for (int64_t counter : counters) {
      FormScope form(lowering, false);
      lowering.define(op.getInductionVar(), lowering.ranges.constant(counter));
      emitBlock(*op.getBlock());
      copy(op.getYield()->getOperands(), op.getRegionIterArgs());
    }
    return copy(op.getRegionIterArgs(), op.getResults());
  }
  for (Value bound : {op.getLower(), op.getUpper(), op.getStep()})
    scalarForWorkgroup(bound);
  Counter counter = lowering.counterOf(op);
  copy(op.getInits(), op.getRegionIterArgs());
  Block *loop = emitter.makeBlock(counter.lower.getType()), *exit = emitter.makeBlock();
  if (counter.runs)
    emitter.branch(loop, counter.lower);
  else
    emitter.branchIf(emitter.compare(counter.less, counter.lower, counter.upper), loop,
                     counter.lower, exit, {});
  emitter.enter(loop);
  Value current = loop->getArgument(0);
  lowering.defineCounter(op.getInductionVar(), current, counter);
  once.insert(op.getInductionVar());
  emitBlock(*op.getBlock());
  copy(op.getYield()->getOperands(), op.getRegionIterArgs());
  Value next;
  Value goesOn = lowering.advance(counter, current, next);
  emitter.branchIf(goesOn, loop, next, exit, {});
  emitter.enter(exit);
  copy(op.getRegionIterArgs(), op.getResults());
}

void KernelLowering::Fission::emitWhile(ScfWhileOp op) {
  auto condition = cast<ScfConditionOp>(op.getBefore().front().getTerminator());
  copy(op.getInits(), op.getBefore().getArguments());
  Block *loop = emitter.makeBlock(), *body = emitter.makeBlock(), *exit = emitter.makeBlock();
  emitter.branch(loop);
  emitter.enter(loop);
  emitBlock(op.getBefore().front());
  Value goesOn = scalarForWorkgroup(condition.getCondition());
  copy(condition.getValues(), op.getAfter().getArguments());
  emitter.branchIf(goesOn, body, {}, exit, {});
  emitter.enter(body);
  emitBlock(op.getAfter().front());
  copy(op.getAfter().front().getTerminator()->getOperands(), op.getBefore().getArguments());
  emitter.branch(loop);
  emitter.enter(exit);
  copy(op.getAfter().getArguments(), op.getResults());
}

void KernelLowering::Fission::emitIf(ScfIfOp op) {
  Value condition = scalarForWorkgroup(op.getCondition());
  Block *thenBlock = emitter.makeBlock(), *elseBlock = emitter.makeBlock();
  Block *join = emitter.makeBlock();
  // Slots of the results belong to both arms.
  for (Value result : op.getResults())
    slotOf(result);
  emitter.branchIf(condition, thenBlock, {}, elseBlock, {});
  auto emitArm = [&](Block *block, Region &region) {
    emitter.enter(block);
    if (!region.empty()) {
      emitBlock(region.front());
      copy(region.front().getTerminator()->getOperands(), op.getResults());
    }
    emitter.branch(join);
  };
  emitArm(thenBlock, op.getThenRegion());
  emitArm(elseBlock, op.getElseRegion());
  emitter.enter(join);
}

void KernelLowering::Fission::emitSwitch(ScfSwitchOp op) {
  scalarForWorkgroup(op.getSelector());
  // Segments of the arms make it available for themselves.
  Lowered selector = lowering.values.lookup(op.getSelector());
  Block *join = emitter.makeBlock();
  for (Value result : op.getResults())
    slotOf(result);
  auto emitArm = [&](Region &region) {
    emitBlock(region.front());
    copy(region.front().getTerminator()->getOperands(), op.getResults());
    emitter.branch(join);
  };
  for (auto [key, region] : llvm::zip(op.getKeys(), op.getCaseRegions())) {
    lowering.values[op.getSelector()] = selector;
    Value matches = lowering.matchesKey(op.getSelector(), key);
    if (!matches)
      continue;
    Block *arm = emitter.makeBlock(), *next = emitter.makeBlock();
    emitter.branchIf(matches, arm, {}, next, {});
    emitter.enter(arm);
    emitArm(region);
    emitter.enter(next);
  }
  emitArm(op.getDefaultRegion());
  emitter.enter(join);
}

} // namespace loom::lowering
