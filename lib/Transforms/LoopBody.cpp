//===- LoopBody.cpp - What the loop policies know of a loop ---------------===//
#include "LoopBody.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/SourceInfo.h"
#include "mlir/IR/Iterators.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static std::pair<int64_t, int64_t> rangeOf(Value value, const Facts &facts, int64_t least) {
  if (std::optional<int64_t> exact = facts.exact(value))
    return {*exact, *exact};
  if (std::optional<ConstantIntRanges> range = facts.range(value))
    if (range->smin().getBitWidth() == 64 && range->smin().sle(range->smax()))
      return {std::max(least, range->smin().getSExtValue()), range->smax().getSExtValue()};
  return {least, INT64_MAX};
}

LoopBounds::LoopBounds(ScfForOp loop, const Facts &facts)
    : type(loop.getLower().getType()), lower(facts.exact(loop.getLower())),
      upper(facts.exact(loop.getUpper())), step(facts.exact(loop.getStep())) {
  std::tie(lowerMin, lowerMax) = rangeOf(loop.getLower(), facts, least());
  std::tie(upperMin, upperMax) = rangeOf(loop.getUpper(), facts, least());
  if (hasPositiveStep())
    trips = facts.tripCount(loop.getLower(), loop.getUpper(), loop.getStep());
}

Value addressConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return IndexConstantOp::create(builder, loc, type, value);
}

static std::optional<int64_t> constantOf(Value value) {
  if (auto constant = value.getDefiningOp<IndexConstantOp>())
    return constant.getInt();
  return std::nullopt;
}

Value withConstant(OpBuilder &builder, Location loc, Value value, std::optional<int64_t> exact) {
  if (!exact || constantOf(value))
    return value;
  return addressConstant(builder, loc, value.getType(), *exact);
}

Value advance(OpBuilder &builder, Location loc, Value base, int64_t distance) {
  if (distance == 0)
    return base;
  if (auto known = constantOf(base))
    if (auto sum = llvm::checkedAdd(*known, distance))
      return addressConstant(builder, loc, base.getType(), *sum);
  Value constant = addressConstant(builder, stripSourceInfo(loc), base.getType(), distance);
  return IndexAddOp::create(builder, loc, base, constant);
}

std::optional<int64_t> addedConstant(Operation *op, Value base) {
  auto add = dyn_cast_or_null<IndexAddOp>(op);
  if (!add)
    return std::nullopt;
  for (auto [one, other] :
       {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())})
    if (one == base)
      if (std::optional<int64_t> constant = constantOf(other))
        return constant;
  return std::nullopt;
}

Value retreat(OpBuilder &builder, Location loc, Value base, int64_t distance) {
  if (distance == 0)
    return base;
  if (auto known = constantOf(base))
    if (auto difference = llvm::checkedSub(*known, distance);
        difference && (*difference >= 0 || base.getType().isIndex()))
      return addressConstant(builder, loc, base.getType(), *difference);
  Value constant = addressConstant(builder, stripSourceInfo(loc), base.getType(), distance);
  return IndexSubOp::create(builder, loc, base, constant);
}

Value clampAbove(OpBuilder &builder, Location loc, Value value, int64_t most) {
  Value bound = addressConstant(builder, loc, value.getType(), most);
  if (value.getType().isIndex())
    return IndexMinOp::create(builder, loc, value, bound);
  Value below = IndexCmpOp::create(builder, loc, IntPredicate::ult, value, bound);
  return ScfSelectOp::create(builder, loc, below, value, bound);
}

Value clampBelow(OpBuilder &builder, Location loc, Value value, int64_t least) {
  Value bound = addressConstant(builder, loc, value.getType(), least);
  if (value.getType().isIndex())
    return IndexMaxOp::create(builder, loc, value, bound);
  Value below = IndexCmpOp::create(builder, loc, IntPredicate::ult, value, bound);
  return ScfSelectOp::create(builder, loc, below, bound, value);
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// Effects of one operation without those inside it.
static Effects getOwnEffects(Operation *op) {
  Effects result;
  if (isa<ScfScheduleFenceOp>(op)) {
    result.fence = true;
  } else if (isa<KernelSubgroupReduceOp>(op)) {
    result.collective = true;
  } else if (isa<SanitizerDialect>(op->getDialect())) {
    // Checks of the same values at another time say the same, and a race detector is told of an
    // access where it happens.
  } else if (op->hasAttr("pure")) {
    // A call that the author declared to be pure; the verifier has compared it with the callee.
  } else if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      (isa<MemoryEffects::Read>(effect.getEffect()) ? result.reads : result.writes) = true;
  } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    result.unknown = true;
  }
  return result;
}

Effects getEffects(Operation *op) {
  Effects result = getOwnEffects(op);
  if (op->getNumRegions() == 0)
    return result;
  op->walk([&](Operation *inner) {
    if (inner == op || inner->hasTrait<OpTrait::IsTerminator>())
      return;
    Effects own = getOwnEffects(inner);
    result.reads |= own.reads;
    result.writes |= own.writes;
    result.collective |= own.collective;
    result.unknown |= own.unknown;
    // A fence inside a region orders that region only.
  });
  return result;
}

void visitCaptures(Operation *op, llvm::function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  if (op->getNumRegions() == 0)
    return;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value operand : inner->getOperands()) {
      Operation *owner = operand.getParentRegion()->getParentOp();
      if (!op->isAncestor(owner))
        visit(operand);
    }
  });
}

unsigned countReads(Operation *op) {
  unsigned count = 0;
  op->walk([&](Operation *inner) { count += getOwnEffects(inner).reads; });
  return count;
}

int64_t countOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

LoopBody::LoopBody(ScfForOp loop) : block(loop.getBlock()) {
  for (Operation &op : block->without_terminator()) {
    operations.push_back(&op);
    Traits result;
    result.reads = countReads(&op);
    visitCaptures(&op, [&](Value value) { result.carried |= isCarried(value); });
    traits[&op] = result;
  }
  for (Operation *op : llvm::reverse(operations)) {
    Traits &own = traits[op];
    own.closure |= own.reads != 0;
    if (!own.closure)
      continue;
    visitCaptures(op, [&](Value value) {
      Operation *definition = value.getDefiningOp();
      if (auto found = traits.find(definition); definition && found != traits.end())
        found->second.closure = true;
    });
  }
}

bool LoopBody::isCarried(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == block && argument.getArgNumber() > 0;
  return traits.lookup(value.getDefiningOp()).carried;
}

unsigned LoopBody::totalReads() const {
  unsigned total = 0;
  for (Operation *op : operations)
    total += reads(op);
  return total;
}

int64_t LoopBody::size() const {
  int64_t total = 0;
  for (Operation *op : operations)
    total += countOps(op);
  return total;
}

BlockArgument LoopBody::carriedSource(Operation *op) const {
  BlockArgument source;
  // Each step goes to an earlier operation, so this ends.
  while (op && !source) {
    Operation *next = nullptr;
    visitCaptures(op, [&](Value value) {
      if (!isCarried(value) || source)
        return;
      if (auto argument = dyn_cast<BlockArgument>(value))
        source = argument;
      else
        next = value.getDefiningOp();
    });
    op = next;
  }
  return source;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Location copyLoc(Location loc) {
  SourceInfo info = getSourceInfo(loc);
  if (info.leading.empty() && info.trailing.empty() && info.regionEnd.empty() && info.after.empty())
    return loc;
  return nameLoc(loc, info.names);
}

void cloneFolded(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  Operation *copy = builder.clone(*op, mapping);
  // Floats are left as they are written: folding may swap operands, which shows in the bits of
  // NaNs.
  auto isExact = [](Type type) { return isAddressType(type) || isIntegerScalar(type); };
  if (copy->getNumRegions() == 0 && isMemoryEffectFree(copy) &&
      llvm::all_of(copy->getOperandTypes(), isExact) &&
      llvm::all_of(copy->getResultTypes(), isExact)) {
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded)) && !folded.empty() &&
        llvm::none_of(folded, [&](Value v) { return v.getDefiningOp() == copy; })) {
      mapping.map(op->getResults(), ValueRange(folded));
      copy->erase();
      return;
    }
  }
  copy->walk([](Operation *inner) { inner->setLoc(copyLoc(inner->getLoc())); });
}

ScfForOp createLoopLike(OpBuilder &builder, ScfForOp loop, Value lower, Value upper, Value step,
                        ValueRange inits) {
  auto copy = ScfForOp::create(builder, copyLoc(loop.getLoc()), lower, upper, step, inits);
  if (inits.empty())
    copy.getYield()->erase();
  if (DenseI64ArrayAttr extents = loop.getExtentsAttr()) {
    // What is carried besides comes from outside as it is.
    SmallVector<int64_t> all(extents.asArrayRef());
    for (Value init : inits.drop_front(loop.getInits().size()))
      all.append(countSlots(init.getType()), 0);
    copy.setExtents(all);
  }
  for (auto [from, to] :
       llvm::zip(loop.getBlock()->getArguments(), copy.getBlock()->getArguments()))
    to.setLoc(from.getLoc());
  return copy;
}

void clearPolicies(ScfForOp loop) {
  loop.getDepthMutable().clear();
  loop.getFactorMutable().clear();
  loop.setFullUnroll(false);
  loop.removeScheduleAttr();
  loop.removeQueueRecordsAttr();
}

static void shareConstants(Block &block) {
  llvm::SmallDenseMap<std::tuple<Attribute, Type, StringRef>, Operation *> known;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!op.hasTrait<OpTrait::ConstantLike>() || op.getNumResults() != 1)
      continue;
    // Constants to which the author gave different names stay apart, so that the result reads well.
    std::tuple<Attribute, Type, StringRef> key{op.getAttrDictionary(), op.getResult(0).getType(),
                                               getValueName(op.getResult(0))};
    auto [entry, inserted] = known.try_emplace(key, &op);
    if (inserted)
      continue;
    op.replaceAllUsesWith(entry->second);
    op.erase();
  }
}

void cleanUpCopies(Operation *root) {
  root->walk([](Block *block) { shareConstants(*block); });
  // Users come after what they use, so one pass from the end removes whole chains.
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (op->use_empty() && op->getNumResults() && op->getNumRegions() == 0 &&
        isMemoryEffectFree(op) && isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace loom
