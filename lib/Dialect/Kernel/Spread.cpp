//===- Spread.cpp - How values spread over work-items ---------------------===//
//
// Operations are told apart by the names and operand positions that they have in the text: the
// verifier of kernels runs this on IR whose parts may be malformed, and the `kernel` dialect does
// not depend on the others. docs/internals/uniformity.md has the rules and why they hold.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Kernel/Spread.h"
#include "KernelSupport.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Spreads
//===----------------------------------------------------------------------===//

/// How bad a spread is for what is computed from it. What surely differs explains more than what
/// is merely unknown.
static unsigned rankOf(const Spread &spread) {
  if (spread.isUniform())
    return static_cast<unsigned>(spread.distribution);
  return spread.isKnown ? 3 : 2;
}

Spread Spread::with(const Spread &other) const {
  Spread worse = rankOf(other) > rankOf(*this) ? other : *this;
  return worse.isAffine() ? lane(worse.cause) : worse;
}

Spread Spread::orElse(const Spread &other) const { return isLike(other) ? *this : with(other); }

Spread Spreads::choose(const Spread &selector, const Spread &alternatives) {
  bool keeps = selector.isUniform() && alternatives.isAffine();
  return keeps ? alternatives : alternatives.with(selector);
}

Spread Spreads::withAll(Operation *op) const {
  Spread spread;
  for (Value operand : op->getOperands())
    spread = spread.with(of(operand));
  return spread;
}

Spread Spreads::of(Value value) const {
  auto found = spreads.find(value);
  return found == spreads.end() ? Spread::unknown(value.getDefiningOp()) : found->second;
}

bool Spreads::isReached(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) { return spreads.contains(value); });
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void Spreads::run() {
  if (kernel.getBody().empty())
    return;
  exits = llvm::to_vector<2>(kernel.getBody().getOps<KernelExitOp>());
  // Everybody gets the same arguments.
  raiseAll(kernel.getBody().getArguments(), Spread());
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val();
    queued.erase(op);
    visit(op);
  }
}

void Spreads::enqueue(Operation *op) {
  if (queued.insert(op).second)
    queue.push_back(op);
}

void Spreads::raise(Value value, Spread spread) {
  auto [entry, isNew] = spreads.try_emplace(value, spread);
  if (!isNew) {
    Spread risen = entry->second.orElse(spread);
    if (risen.isLike(entry->second))
      return;
    entry->second = risen;
  }
  for (Operation *user : value.getUsers())
    enqueue(user);
}

void Spreads::raiseAll(ValueRange values, const Spread &spread) {
  for (Value value : values)
    raise(value, spread);
}

void Spreads::raiseTo(Value value, Operation *op, unsigned operand) {
  if (op && operand < op->getNumOperands() && isReached(op->getOperand(operand)))
    raise(value, of(op->getOperand(operand)));
}

static Operation *terminatorOf(Operation *op, unsigned region) {
  if (region >= op->getNumRegions() || op->getRegion(region).empty() ||
      op->getRegion(region).front().empty())
    return nullptr;
  return &op->getRegion(region).front().back();
}

static Block::BlockArgListType argumentsOf(Operation *op, unsigned region) {
  if (region >= op->getNumRegions() || op->getRegion(region).empty())
    return {};
  return op->getRegion(region).front().getArguments();
}

static Value operandOf(Operation *op, unsigned i) {
  return op && i < op->getNumOperands() ? op->getOperand(i) : Value();
}

/// Whether a value of `op` may be seen behind a loop of blocks, which work-items leave after
/// different iterations.
static bool outlivesLoopOfBlocks(Operation *op) {
  Block *block = op->getBlock();
  return !block->getParent()->hasOneBlock() && op->isUsedOutsideOfBlock(block) &&
         llvm::any_of(block->getSuccessors(),
                      [&](Block *next) { return next == block || next->isReachable(block); });
}

void Spreads::visit(Operation *op) {
  // What a region yields changes what its operation says.
  if (op->hasTrait<OpTrait::IsTerminator>() && op->getParentOp() != kernel)
    enqueue(op->getParentOp());
  // Blocks are rare in kernels, and the language has no branches of its own for them.
  for (Block *successor : op->getSuccessors())
    raiseAll(successor->getArguments(), Spread::unknown(op));
  StringRef name = getTextName(op);
  if (name == "scf.for")
    return visitFor(op);
  if (name == "scf.while")
    return visitWhile(op);
  if (name == "scf.if" || name == "scf.switch")
    return visitChoice(op);
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        raiseAll(block.getArguments(), Spread::unknown(op));
    return raiseAll(op->getResults(), Spread::unknown(op));
  }
  if (op->getNumResults() == 0 || !isReached(op->getOperands()))
    return;
  if (outlivesLoopOfBlocks(op))
    return raiseAll(op->getResults(), Spread::unknown(op));
  for (OpResult result : op->getResults())
    raise(result, transfer(result));
}

/// Operand order of `scf.for`: lower, upper, step, then the first values of what is carried.
void Spreads::visitFor(Operation *op) {
  if (op->getNumOperands() < 3 || !isReached(op->getOperands().take_front(3)))
    return;
  Spread lower = of(op->getOperand(0)), upper = of(op->getOperand(1)), step = of(op->getOperand(2));
  auto arguments = argumentsOf(op, 0);
  // Those that still run have made the same number of steps.
  if (!arguments.empty())
    raise(arguments[0], choose(step, lower));
  Spread bounds = lower.with(upper).with(step);
  Operation *yield = terminatorOf(op, 0);
  for (OpResult result : op->getResults()) {
    unsigned i = result.getResultNumber();
    if (i + 1 >= arguments.size())
      continue;
    raiseTo(arguments[i + 1], op, 3 + i);
    raiseTo(arguments[i + 1], yield, i);
    // Work-items may leave the loop after different iterations.
    if (isReached(arguments[i + 1]))
      raise(result, choose(bounds, of(arguments[i + 1])));
  }
}

void Spreads::visitWhile(Operation *op) {
  Operation *condition = terminatorOf(op, 0), *yield = terminatorOf(op, 1);
  for (BlockArgument argument : argumentsOf(op, 0)) {
    raiseTo(argument, op, argument.getArgNumber());
    raiseTo(argument, yield, argument.getArgNumber());
  }
  for (BlockArgument argument : argumentsOf(op, 1))
    raiseTo(argument, condition, argument.getArgNumber() + 1);
  Value goesOn = operandOf(condition, 0);
  for (OpResult result : op->getResults()) {
    Value forwarded = operandOf(condition, result.getResultNumber() + 1);
    if (goesOn && forwarded && isReached({goesOn, forwarded}))
      raise(result, choose(of(goesOn), of(forwarded)));
  }
}

/// `scf.if` and `scf.switch`: the first operand chooses a region.
void Spreads::visitChoice(Operation *op) {
  Value selector = operandOf(op, 0);
  if (!selector || !isReached(selector))
    return;
  for (OpResult result : op->getResults()) {
    std::optional<Spread> yielded;
    for (unsigned region = 0; region < op->getNumRegions(); ++region) {
      Value value = operandOf(terminatorOf(op, region), result.getResultNumber());
      if (value && isReached(value))
        yielded = yielded ? yielded->orElse(of(value)) : of(value);
    }
    if (yielded)
      raise(result, choose(of(selector), *yielded));
  }
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The id of a work-item along an axis. Groups are consecutive flat numbers, x running fastest, so
/// that an axis stands still in a group when the axes below it fill whole groups, and counts the
/// lanes when nothing is below it and no group goes on in the next row.
Spread Spreads::ofWorkitemId(Operation *op, unsigned axis) const {
  const auto &size = options.workgroupSize;
  if (size[axis] == 1)
    return Spread();
  if (!options.lanes)
    return Spread::lane(op);
  auto fillsGroups = [&](std::optional<int64_t> extent) {
    return extent && *extent % *options.lanes == 0;
  };
  int64_t below = 1; // the known part, of which the extents are a multiple
  bool isFirst = true;
  for (unsigned i = 0; i < axis; ++i) {
    isFirst &= size[i] == 1;
    if (size[i] && llvm::MulOverflow(below, *size[i], below))
      return Spread::lane(op);
  }
  if (fillsGroups(below))
    return Spread::subgroup(op);
  bool isLast = true;
  for (unsigned i = axis + 1; i < 3; ++i)
    isLast &= size[i] == 1;
  return isFirst && (isLast || fillsGroups(size[axis])) ? Spread::affine(1, op) : Spread::lane(op);
}

/// What the queries of the `kernel` dialect answer.
std::optional<Spread> Spreads::ofPosition(Operation *op) const {
  return llvm::TypeSwitch<Operation *, std::optional<Spread>>(op)
      .Case<KernelWorkgroupIdOp, KernelWorkgroupSizeOp, KernelWorkgroupCountOp, KernelClusterIdOp,
            KernelClusterCountOp, KernelClusterWorkgroupIdOp, KernelClusterSizeOp,
            KernelClusterFlatIdOp, KernelSubgroupCountOp, KernelSubgroupSizeOp>(
          [](auto) { return Spread(); })
      // An id in the whole dispatch begins at the same number for all of a workgroup.
      .Case<KernelWorkitemIdOp, KernelDispatchIdOp>(
          [&](auto id) { return ofWorkitemId(op, static_cast<unsigned>(id.getDimension())); })
      .Case<KernelSubgroupLaneIdOp>([&](auto) {
        if (options.subgroupSize == 1)
          return Spread();
        return options.lanes && isGroupSubgroup() ? Spread::affine(1, op) : Spread::lane(op);
      })
      .Case<KernelSubgroupIdOp>(
          [&](auto) { return isGroupSubgroup() ? Spread::subgroup(op) : Spread::lane(op); })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Whether the lanes of a subgroup fall into clusters with results of their own.
static bool hasClusters(KernelSubgroupReduceOp reduce, std::optional<int64_t> subgroupSize) {
  std::optional<uint64_t> size = reduce.getClusterSize();
  return size && (!subgroupSize || static_cast<int64_t>(*size) != *subgroupSize);
}

/// What operations in which several work-items take part give back.
std::optional<Spread> Spreads::ofCollective(Operation *op) const {
  // The same for every lane of a subgroup.
  Spread subgroup = isGroupSubgroup() ? Spread::subgroup(op) : Spread::lane(op);
  // What is the same for all lanes of a group stays so when a lane of each subgroup is chosen.
  auto chosen = [&](Value value) { return of(value).isUniform() ? of(value) : subgroup; };
  return llvm::TypeSwitch<Operation *, std::optional<Spread>>(op)
      .Case<KernelSubgroupShuffleOp, KernelSubgroupScanOp, KernelSubgroupMatchAnyOp,
            KernelWorkgroupScanOp>([&](auto) { return Spread::lane(op); })
      .Case<KernelSubgroupBallotOp, KernelSubgroupActiveMaskOp, KernelSubgroupMatchAllOp>(
          [&](auto) { return subgroup; })
      .Case([&](KernelSubgroupReduceOp reduce) {
        return hasClusters(reduce, options.subgroupSize) ? Spread::lane(op) : subgroup;
      })
      .Case<KernelSubgroupVoteAnyOp, KernelSubgroupVoteAllOp, KernelSubgroupBroadcastFirstOp>(
          [&](auto o) { return chosen(o.getValue()); })
      .Case([&](KernelSubgroupBroadcastOp broadcast) {
        Spread value = of(broadcast.getValue()), from = of(broadcast.getLane());
        if (value.isUniform())
          return value;
        return from.isUniform() ? subgroup : from.with(Spread());
      })
      .Case<KernelWorkgroupReduceOp, KernelWorkgroupVoteAnyOp, KernelWorkgroupVoteAllOp,
            KernelWorkgroupVoteCountOp>([](auto) { return Spread(); })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

/// The result of a call follows from its arguments when the callee is here to be looked at, and
/// neither reads memory nor asks where it runs.
Spread Spreads::ofCall(Operation *op) const {
  SmallVector<Operation *> open = {op};
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (!open.empty()) {
    Operation *call = open.pop_back_val();
    auto name = call->getAttrOfType<FlatSymbolRefAttr>("callee");
    Operation *callee = name && call->hasAttr("pure") ? lookupSymbol(call, name) : nullptr;
    if (!callee || callee->getNumRegions() == 0)
      return Spread::unknown(op);
    if (!seen.insert(callee).second)
      continue;
    WalkResult walked = callee->walk([&](Operation *inner) {
      StringRef text = getTextName(inner);
      if (inner == callee || inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return WalkResult::advance();
      if (text == "func.call" || text == "template.call") {
        open.push_back(inner);
        return WalkResult::advance();
      }
      bool ofItself = isMemoryEffectFree(inner) && !isa<KernelDialect>(inner->getDialect());
      return ofItself ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return Spread::unknown(op);
  }
  return withAll(op);
}

/// Whether the results of `op`, which has no effects, follow from its operands in each work-item by
/// itself. Of operations that Loom does not own that is not known.
static bool isLaneLocal(Operation *op) {
  StringRef dialect = getTextName(op).split('.').first;
  if (dialect == "kernel")
    return isa<KernelWorkgroupStorageOp, KernelTensorLdsDescriptorOp>(op);
  return llvm::is_contained({"config", "index", "scalar", "vector", "buffer", "view", "encoding",
                             "scf", "target", "func"},
                            dialect);
}

/// Operations that hand their operands on, each as the result of the same number.
static bool isPassThrough(Operation *op, StringRef name) {
  bool isPromise = name.ends_with(".assume") || name.starts_with("buffer.assume.") ||
                   name.starts_with("encoding.assume.");
  return isPromise && op->getNumOperands() >= op->getNumResults();
}

Spread Spreads::transfer(OpResult result) const {
  Operation *op = result.getOwner();
  unsigned i = result.getResultNumber();
  StringRef name = getTextName(op);
  if (std::optional<Spread> spread = ofPosition(op))
    return *spread;
  if (std::optional<Spread> spread = ofCollective(op))
    return *spread;
  if (name == "func.call" || name == "template.call")
    return ofCall(op);
  // The elements of matrices are dealt out to the lanes as the target likes.
  if (name == "vector.mma" || name.starts_with("vector.fragment."))
    return Spread::lane(op);
  if (!isMemoryEffectFree(op) || !isLaneLocal(op))
    return Spread::unknown(op);
  if (isPassThrough(op, name))
    return of(op->getOperand(i));
  if ((name == "scf.select" || name == "scf.lookup") && op->getNumOperands() > 1) {
    // The selector, then rows of one value for each result.
    Spread rows = of(op->getOperand(1 + i));
    for (unsigned cell = 1 + i; cell < op->getNumOperands(); cell += op->getNumResults())
      rows = rows.orElse(of(op->getOperand(cell)));
    return choose(of(op->getOperand(0)), rows);
  }
  return withAll(op);
}

} // namespace loom
