//===- LowerGroup.cpp - The work-items of a workgroup ---------------------===//
//
// A workgroup is run in blocks: as many consecutive work-items as there are lanes. The last block
// may be short; then a mask is set, and its code is written separately.
//
//===----------------------------------------------------------------------===//
#include "LowerFission.h"
#include "LowerFragments.h"
#include "LowerSanitizer.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// How many lanes
//===----------------------------------------------------------------------===//

/// Whether work-items of a subgroup can see each other, or the subgroup.
static bool knowsSubgroups(Operation *op) {
  if (auto barrier = dyn_cast<KernelBarrierOp>(op))
    return barrier.getScope() == SyncScope::subgroup;
  if (auto arrive = dyn_cast<KernelBarrierArriveOp>(op))
    return arrive.getScope() == SyncScope::subgroup;
  StringRef name = getTextName(op);
  return name.starts_with("kernel.subgroup.") || name.starts_with("kernel.workgroup.reduce") ||
         name.starts_with("kernel.workgroup.scan") || Fragments::isFragmentOp(op);
}

bool seesSubgroups(const KernelPlan &plan) {
  return plan.body()
      .walk([](Operation *op) {
        return knowsSubgroups(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t chooseLanes(const KernelPlan &plan, int64_t subgroupSize) {
  if (seesSubgroups(plan))
    return subgroupSize;
  int64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (!plan.exactSize(d))
      return subgroupSize;
    items *= *plan.exactSize(d);
  }
  // Nobody sees how many run together: no more than there are.
  return std::min<int64_t>(subgroupSize, llvm::PowerOf2Ceil(std::max<int64_t>(items, 1)));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The flat number of the work-item in its workgroup, in the present form.
RangedValue KernelLowering::flatItem() {
  Interval interval = {0, plan.largestItems() - 1};
  RangedValue first = ranges.narrow({group.first, interval});
  if (!inLanes)
    return first;
  Type type = first.value.getType();
  return {emitter.binary(IntegerOp::Add, first.value, emitter.iota(laneCount(), type)), interval};
}

RangedValue KernelLowering::groupSize(unsigned dimension) {
  if (std::optional<int64_t> size = plan.exactSize(dimension))
    return ranges.constant(*size);
  return ranges.narrow({group.sizes[dimension], {1, plan.largestItems()}});
}

RangedValue KernelLowering::itemId(unsigned dimension) {
  RangedValue id = flatItem();
  if (dimension > 0)
    id = ranges.div(id, groupSize(0));
  if (dimension > 1)
    id = ranges.div(id, groupSize(1));
  bool isLast = true;
  for (unsigned d = dimension + 1; d < 3; ++d)
    isLast &= plan.exactSize(d) == 1;
  if (!isLast)
    id = ranges.rem(id, groupSize(dimension));
  int64_t size = plan.exactSize(dimension).value_or(plan.largestItems());
  id.interval = id.interval.intersect({0, size - 1});
  return id;
}

RangedValue KernelLowering::position(Position position, Dimension dimension) {
  unsigned d = static_cast<unsigned>(dimension);
  std::optional<int64_t> size = plan.exactSize(d), count = plan.exactCount(d);
  switch (position) {
  case Position::WorkitemId:
    if (size == 1)
      return ranges.constant(0);
    if (group.first)
      return itemId(d);
    break;
  case Position::WorkgroupId:
    if (count == 1)
      return ranges.constant(0);
    break;
  case Position::WorkgroupSize:
    if (size)
      return ranges.constant(*size);
    break;
  case Position::WorkgroupCount:
    if (count)
      return ranges.constant(*count);
    break;
  }
  return target.emitPosition(position, d);
}

RangedValue KernelLowering::clusterSize(Dimension dimension) {
  return ranges.constant(plan.clusterSize(static_cast<unsigned>(dimension)));
}

/// The position of the workgroup in its cluster.
RangedValue KernelLowering::idInCluster(Dimension dimension) {
  return ranges.rem(position(Position::WorkgroupId, dimension), clusterSize(dimension));
}

bool KernelLowering::lowerPosition(Operation *op) {
  auto answer = [&](auto id, Position asked) {
    define(id, position(asked, id.getDimension()));
    return true;
  };
  auto number = [&](auto id, RangedValue value) {
    define(id, value);
    return true;
  };
  auto subgroup = [&] { return ranges.constant(plan.subgroupSize); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](KernelWorkitemIdOp id) { return answer(id, Position::WorkitemId); })
      .Case([&](KernelWorkgroupIdOp id) { return answer(id, Position::WorkgroupId); })
      .Case([&](KernelWorkgroupSizeOp id) { return answer(id, Position::WorkgroupSize); })
      .Case([&](KernelWorkgroupCountOp id) { return answer(id, Position::WorkgroupCount); })
      .Case([&](KernelDispatchIdOp id) {
        RangedValue first = position(Position::WorkgroupId, id.getDimension());
        RangedValue size = position(Position::WorkgroupSize, id.getDimension());
        RangedValue item = position(Position::WorkitemId, id.getDimension());
        return number(id, ranges.add(ranges.mul(first, size), item, known(id)));
      })
      .Case([&](KernelClusterIdOp id) {
        RangedValue group = position(Position::WorkgroupId, id.getDimension());
        return number(id, ranges.div(group, clusterSize(id.getDimension())));
      })
      .Case([&](KernelClusterCountOp id) {
        RangedValue groups = position(Position::WorkgroupCount, id.getDimension());
        return number(id, ranges.div(groups, clusterSize(id.getDimension())));
      })
      .Case(
          [&](KernelClusterWorkgroupIdOp id) { return number(id, idInCluster(id.getDimension())); })
      .Case([&](KernelClusterFlatIdOp id) {
        RangedValue rank = idInCluster(Dimension::z);
        for (Dimension dimension : {Dimension::y, Dimension::x})
          rank = ranges.add(ranges.mul(rank, clusterSize(dimension)), idInCluster(dimension));
        return number(id, rank);
      })
      .Case([&](KernelClusterSizeOp id) { return number(id, clusterSize(id.getDimension())); })
      .Case([&](KernelSubgroupSizeOp id) { return number(id, subgroup()); })
      .Case([&](KernelSubgroupIdOp id) {
        // The number of the only subgroup is computed outside of the blocks of work-items, where
        // there is no first work-item.
        bool isOnly = plan.largestItems() <= plan.subgroupSize;
        return number(id, isOnly ? ranges.constant(0) : ranges.div(flatItem(), subgroup()));
      })
      .Case(
          [&](KernelSubgroupLaneIdOp id) { return number(id, ranges.rem(flatItem(), subgroup())); })
      .Case([&](KernelSubgroupCountOp id) {
        RangedValue items = ranges.mul(ranges.mul(groupSize(0), groupSize(1)), groupSize(2));
        RangedValue padded = ranges.add(items, ranges.constant(plan.subgroupSize - 1));
        return number(id, ranges.div(padded, subgroup()));
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Blocks of work-items
//===----------------------------------------------------------------------===//

void KernelLowering::setBlock(Value block) {
  group.block = block;
  group.first =
      emitter.binary(IntegerOp::Mul, block, emitter.constant(emitter.integer(64), laneCount()),
                     {/*isSigned=*/true, /*isUnsigned=*/true});
}

void KernelLowering::emitFullBlocks(Value count, bool some, llvm::function_ref<void()> body) {
  Type wide = emitter.integer(64);
  Value zero = emitter.constant(wide, 0), one = emitter.constant(wide, 1);
  Block *loop = emitter.makeBlock(wide), *exit = emitter.makeBlock();
  if (some)
    emitter.branch(loop, zero);
  else
    emitter.branchIf(emitter.compare(IntPredicate::sgt, count, zero), loop, zero, exit, {});
  emitter.enter(loop);
  Value block = loop->getArgument(0);
  setBlock(block);
  body();
  Value next = emitter.binary(IntegerOp::Add, block, one, {/*isSigned=*/true, /*isUnsigned=*/true});
  emitter.branchIf(emitter.compare(IntPredicate::slt, next, count), loop, next, exit, {});
  emitter.enter(exit);
}

void KernelLowering::emitItems(Value items, llvm::function_ref<void()> body) {
  llvm::SaveAndRestore inBlock(group.isInBlock, true);
  Type wide = emitter.integer(64);
  Value width = emitter.constant(wide, laneCount());
  Value full = emitter.binary(IntegerOp::UDiv, items, width);
  Value rest = emitter.binary(IntegerOp::URem, items, width);
  emitFullBlocks(full, /*some=*/false, body);
  if (laneCount() == 1)
    return;
  emitter.when(emitter.compare(IntPredicate::ne, rest, emitter.constant(wide, 0)), [&] {
    setBlock(full);
    llvm::SaveAndRestore saved(mask, maskOf({{}, {rest, {1, laneCount() - 1}}}));
    body();
  });
}

Value KernelLowering::itemCount() {
  if (std::optional<int64_t> items = plan.exactItems())
    return emitter.constant(emitter.integer(64), *items);
  Value items = group.sizes[0];
  for (unsigned d = 1; d < 3; ++d)
    items = emitter.binary(IntegerOp::Mul, items, group.sizes[d]);
  return items;
}

void KernelLowering::emitBlocks(llvm::function_ref<void()> body) {
  std::optional<int64_t> items = plan.exactItems();
  if (!items)
    return emitItems(itemCount(), body);
  llvm::SaveAndRestore inBlock(group.isInBlock, true);
  Type wide = emitter.integer(64);
  int64_t full = *items / laneCount(), rest = *items % laneCount();
  if (full == 1) {
    setBlock(emitter.constant(wide, 0));
    body();
  } else if (full) {
    emitFullBlocks(emitter.constant(wide, full), /*some=*/true, body);
  }
  if (!rest)
    return;
  setBlock(emitter.constant(wide, full));
  llvm::SaveAndRestore saved(mask, maskOf({{}, ranges.constant(rest)}));
  body();
}

void KernelLowering::emitWorkgroup(ValueRange parameters, ArrayRef<Value> sizes, Value number) {
  group = {};
  llvm::copy(sizes, group.sizes.begin());
  defineParameters(parameters);
  sanitizer->beginWorkgroup(number);
  Fission fission(*this);
  if (fission.isNeeded())
    group.blocks = (plan.largestItems() + laneCount() - 1) / laneCount();
  fission.emit();
  emitter.setLine(0);
  group = {};
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

Value KernelLowering::ownStorage(int64_t bytes, unsigned alignment) {
  if (laneCount() == 1)
    return emitter.frameStorage(bytes, alignment);
  constexpr int64_t widestElement = 8;
  int64_t room = llvm::alignTo(laneCount() * widestElement, alignment);
  return emitter.frameStorage(bytes, alignment, room);
}

/// Storage of a work-item or of the workgroup, in the frame of the thread that runs it. It is made
/// once, since the code of an operation may be written several times. Only workgroup memory is one
/// for all; whatever else is reserved belongs to the work-item that does it.
void KernelLowering::lowerAlloca(BufferAllocaOp op) {
  lengths[op] = Lowered(values.lookup(op.getLength()));
  defineAddress(op, storageOf(op));
}

KernelLowering::Address KernelLowering::storageOf(BufferAllocaOp op) {
  int64_t bytes = facts.range(op.getLength())->smax().getSExtValue();
  bool isShared = op.getSpace() == MemorySpace::workgroup;
  unsigned alignment = op.getAlignment();
  int64_t size = llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
  Value &storage = storages[{op, 0}];
  if (!storage)
    storage = ownStorage(isShared ? size : size * laneCount() * group.blocks, alignment);
  if (isShared)
    return {storage, Value(), 0};
  Value own = storage;
  if (group.blocks > 1) {
    Type wide = emitter.integer(64);
    Value distance =
        emitter.binary(IntegerOp::Mul, group.block, emitter.constant(wide, size * laneCount()));
    own = emitter.addBytes(storage, distance);
  }
  return {own, Value(), laneCount() > 1 ? size : 0};
}

/// The dynamic tail of workgroup memory. As much is reserved as its length may be; a kernel that
/// asks for more than any workgroup has is stopped.
void KernelLowering::lowerWorkgroupStorage(KernelWorkgroupStorageOp op) {
  int64_t limit = plan.limits.storageBytes, bytes = limit;
  std::optional<ConstantIntRanges> range = facts.range(op.getLength());
  bool isBounded = range && !range->smin().isNegative() && range->smax().sle(limit);
  if (isBounded)
    bytes = range->smax().getSExtValue();
  Value &storage = storages[{op, 0}];
  if (!storage)
    storage = ownStorage(bytes, op.getAlignment());
  Lowered length = values.lookup(op.getLength());
  lengths[op] = length;
  defineAddress(op, {storage, Value(), 0});
  if (isBounded)
    return;
  Value wanted = scalarOf(op.getLength());
  Value isTooLong =
      emitter.compare(IntPredicate::ugt, wanted, emitter.constant(wanted.getType(), limit));
  emitter.when(isTooLong, [&] { emitter.trap(); });
}

} // namespace loom::lowering
