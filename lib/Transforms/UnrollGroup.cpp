//===- UnrollGroup.cpp - Copies of a loop body and their order ------------===//
#include "UnrollGroup.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <queue>

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

UnrollGroup::UnrollGroup(ScfForOp loop)
    : loop(loop), body(loop), schedule(loop.getSchedule().value_or(UnrollSchedule::linear)),
      queueRecords(loop.getQueueRecords().value_or(0)) {
  Value induction = loop.getInductionVar();
  for (auto [position, op] : llvm::enumerate(body.ops())) {
    bool uses = false;
    if (!addedConstant(op, induction))
      visitCaptures(op, [&](Value value) { uses |= value == induction; });
    if (uses)
      inductionUsers.push_back(position);
  }
  leadingReads = queueRecords ? countLeadingReads() : 0;
  yieldsInduction = llvm::is_contained(loop.getYield()->getOperands(), induction);
}

/// Registers of 32 bits that reads ahead of the first use of a group may take beyond the queue.
/// A read that leads needs a place of its own; from then on every use frees one for the next read.
/// As many as the queue has records lead, as long as they are narrow: the loop-tuning seed's row
/// sum waits with vmcnt(3) at depth 3, its four-register form with vmcnt(4) at depth 4, which is
/// the oldest of three queued and two leading requests (docs/internals/loop-policies.md).
static constexpr int64_t kLeadingRegisters = 8;

/// Registers of 32 bits that a value of `type` takes.
static int64_t registersOf(Type type) {
  int64_t bits = 32;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  return llvm::divideCeil(bits, 32);
}

int64_t UnrollGroup::countLeadingReads() const {
  int64_t registers = 0;
  for (Operation *op : body.ops())
    if (body.inReadClosure(op) && !body.isCarried(op) && !isMemoryEffectFree(op))
      for (Type type : op->getResultTypes())
        registers += registersOf(type);
  int64_t fitting = kLeadingRegisters / std::max<int64_t>(registers, 1);
  return std::clamp<int64_t>(fitting, 1, queueRecords);
}

UnrollGroup::Key UnrollGroup::keyOf(int64_t copy, int64_t position) const {
  if (schedule == UnrollSchedule::interleaved)
    return {position, copy, 0};
  Operation *op = body.ops()[position];
  bool reads = body.inReadClosure(op) && !body.isCarried(op);
  if (queueRecords == 0) {
    // Reads of the whole group, then what else is independent, then the recurrence.
    int64_t tier = reads ? 0 : body.isCarried(op) ? 2 : 1;
    return {tier, copy, position};
  }
  // Some reads first; from then on each use frees the place of the next read.
  int64_t lead = leadingReads;
  int64_t use = lead + 2 * copy;
  int64_t read = copy < lead ? copy : use - 2 * lead + 1;
  return {reads ? read : use, position, 0};
}

/// The induction value of a copy comes before the first of its users.
UnrollGroup::Key UnrollGroup::keyOfInduction(int64_t copy) const {
  Key least{INT64_MAX, 0, 0};
  for (int64_t position : inductionUsers)
    least = std::min(least, keyOf(copy, position));
  return least;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Remembers which operations were written for what.
class UnrollGroup::Emission {
public:
  explicit Emission(OpBuilder &builder)
      : block(builder.getInsertionBlock()), insertionPoint(builder.getInsertionPoint()),
        begin(insertionPoint == block->begin() ? nullptr : &*std::prev(insertionPoint)),
        last(begin) {}

  /// Everything written since the last call belongs to `key`.
  void claim(Key key) {
    while (Operation *op = next(last)) {
      items.push_back({op, key});
      last = op;
    }
  }
  /// Moves the constants to the front and takes them off the list.
  void hoistConstants() {
    Operation *front = next(begin);
    llvm::erase_if(items, [&](const Item &item) {
      if (!item.op->hasTrait<OpTrait::ConstantLike>())
        return false;
      if (item.op == front)
        front = next(front);
      else
        item.op->moveBefore(block, front->getIterator());
      return true;
    });
  }

  Block *block;
  Block::iterator insertionPoint;
  SmallVector<Item> items;

private:
  /// The operation after `op`, or the first one; null at the insertion point.
  Operation *next(Operation *op) const {
    Block::iterator it = op ? std::next(op->getIterator()) : block->begin();
    return it == insertionPoint ? nullptr : &*it;
  }
  Operation *begin, *last;
};

SmallVector<Value> UnrollGroup::emit(OpBuilder &builder, Value first, int64_t step, int64_t count,
                                     ValueRange carried) {
  Emission emission(builder);
  Location loc = stripSourceInfo(loop.getLoc());
  SmallVector<Value> current = llvm::to_vector<8>(carried);
  // One addition serves all copies that need the same distance from the first value.
  llvm::SmallDenseMap<int64_t, Value> known;
  auto at = [&](int64_t distance, Location where) {
    Value &value = known[distance];
    if (!value)
      value = advance(builder, where, first, distance);
    return value;
  };
  for (int64_t copy = 0; copy < count; ++copy) {
    IRMapping mapping;
    mapping.map(loop.getRegionIterArgs(), current);
    if (!inductionUsers.empty() || yieldsInduction) {
      mapping.map(loop.getInductionVar(), at(copy * step, loc));
      emission.claim(keyOfInduction(copy));
    }
    for (auto [position, op] : llvm::enumerate(body.ops())) {
      // `induction + constant` becomes one addition to the first value.
      std::optional<int64_t> distance;
      if (auto constant = addedConstant(op, loop.getInductionVar()))
        distance = llvm::checkedAdd(*constant, copy * step);
      if (distance)
        mapping.map(op->getResult(0), at(*distance, copyLoc(op->getLoc())));
      else
        cloneFolded(builder, op, mapping);
      emission.claim(keyOf(copy, position));
    }
    current = llvm::map_to_vector<8>(loop.getYield()->getOperands(),
                                     [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  emission.hoistConstants();
  if (schedule != UnrollSchedule::linear)
    order(emission.items, emission.block, emission.insertionPoint);
  return SmallVector<Value>(current);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// Which operations have to wait for which, over operations in program order.
class Dependences {
public:
  explicit Dependences(size_t count) : users(count), waits(count, 0) {}

  void add(unsigned before, unsigned after) {
    users[before].push_back(after);
    ++waits[after];
  }
  /// Enters the operation at `index`; all before it have been entered.
  void enter(Operation *op, unsigned index);

  std::vector<SmallVector<unsigned, 4>> users;
  std::vector<unsigned> waits;

private:
  void after(std::optional<unsigned> before, unsigned index) {
    if (before)
      add(*before, index);
  }

  DenseMap<Operation *, unsigned> positions;
  std::optional<unsigned> lastWrite, lastCollective, lastFence;
  SmallVector<unsigned> readsSinceWrite, sinceFence;
};
} // namespace

void Dependences::enter(Operation *op, unsigned index) {
  positions[op] = index;
  visitCaptures(op, [&](Value value) {
    auto found = positions.find(value.getDefiningOp());
    if (value.getDefiningOp() && found != positions.end())
      add(found->second, index);
  });
  Effects effects = getEffects(op);
  if (effects.writes || effects.unknown) {
    after(lastWrite, index);
    for (unsigned read : readsSinceWrite)
      add(read, index);
    readsSinceWrite.clear();
    lastWrite = index;
  } else if (effects.reads) {
    after(lastWrite, index);
    readsSinceWrite.push_back(index);
  }
  // All lanes have to meet at their collectives in one order.
  if (effects.collective || effects.unknown) {
    after(lastCollective, index);
    lastCollective = index;
  }
  after(lastFence, index);
  if (!effects.fence) {
    sinceFence.push_back(index);
    return;
  }
  for (unsigned former : sinceFence)
    add(former, index);
  sinceFence.clear();
  lastFence = index;
}

/// Takes, again and again, the operation with the smallest key among those that wait for nothing.
void UnrollGroup::order(ArrayRef<Item> items, Block *block, Block::iterator insertionPoint) {
  Dependences dependences(items.size());
  for (auto [index, item] : llvm::enumerate(items))
    dependences.enter(item.op, index);
  using Entry = std::pair<Key, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (auto [index, item] : llvm::enumerate(items))
    if (dependences.waits[index] == 0)
      ready.emplace(item.key, index);
  while (!ready.empty()) {
    unsigned index = ready.top().second;
    ready.pop();
    items[index].op->moveBefore(block, insertionPoint);
    for (unsigned user : dependences.users[index])
      if (--dependences.waits[user] == 0)
        ready.emplace(items[user].key, user);
  }
}

} // namespace loom
