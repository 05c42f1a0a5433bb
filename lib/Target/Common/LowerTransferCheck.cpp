//===- LowerTransferCheck.cpp - What transfers may not do -----------------===//
//
// The body of a kernel is followed from the beginning to the end with what is outstanding: the
// transfers that joined no group yet, and the groups that nobody has waited for. Where ways meet,
// all of them have to leave the same. A loop is followed until the transfers that its carried
// groups stand for stay the same.
//
// A conflict of memory is one that is sure: places that are chosen while the kernel runs are the
// author's contract, as they are for copies of bytes.
//
//===----------------------------------------------------------------------===//
#include "LowerTransfers.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Dialects.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// A transfer that is not complete. Values of the loop, if there is one, are those of an earlier
/// iteration.
struct Pending {
  Operation *transfer;
  Operation *loop = nullptr;
};

/// A group that nobody has waited for, with the transfers that it may stand for, and the outermost
/// loops of which they belong to an earlier iteration.
struct Group {
  Value group;
  llvm::MapVector<Operation *, Operation *> transfers;
};

/// What is outstanding at a place of the kernel, oldest first.
struct Outstanding {
  SmallVector<Operation *> issued; ///< transfers without a group
  SmallVector<Group> groups;

  bool isEmpty() const { return issued.empty() && groups.empty(); }
  bool isLike(const Outstanding &other) const {
    auto sameGroup = [](const Group &a, const Group &b) { return a.group == b.group; };
    return issued == other.issued && groups.size() == other.groups.size() &&
           std::equal(groups.begin(), groups.end(), other.groups.begin(), sameGroup);
  }
  /// Adds the transfers of the same groups on another way, with `loop` on the way back to its
  /// begin; whether there were new ones.
  bool join(const Outstanding &other, Operation *loop = nullptr) {
    bool isMore = false;
    for (auto [group, theirs] : llvm::zip(groups, other.groups))
      for (auto [transfer, itsLoop] : theirs.transfers)
        isMore |= group.transfers.insert({transfer, loop ? loop : itsLoop}).second;
    return isMore;
  }
  SmallVector<Pending> transfers() const {
    SmallVector<Pending> all;
    for (Operation *transfer : issued)
      all.push_back({transfer});
    for (const Group &group : groups)
      for (auto [transfer, loop] : group.transfers)
        all.push_back({transfer, loop});
    return all;
  }
};

bool isTransfer(Operation *op) {
  return op->getNumResults() == 1 && isa<AsyncTokenType>(op->getResult(0).getType());
}

Value sourceOf(Operation *transfer) { return transfer->getOperand(0); }
Value destinationOf(Operation *transfer) { return transfer->getOperand(1); }

/// The value that a view or buffer is a part of, or null at its root.
Value containerOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  unsigned result = cast<OpResult>(value).getResultNumber();
  if (isa<BufferViewOp, ViewSubviewOp, ViewRefineOp, SanitizerAssertLayoutOp,
          BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp>(op))
    return op->getOperand(0);
  if (isa<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(op))
    return op->getOperand(result);
  return {};
}

/// Whether a value is the same in all iterations of `loop`, which may be null.
bool isInvariant(Value value, Operation *loop) {
  return !loop || !loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether every place of `part` is one of `whole`, by how they are made, where one of them is of
/// an earlier iteration of `loop`.
bool isPartOf(Value part, Value whole, Operation *loop) {
  for (; part; part = containerOf(part))
    if (part == whole)
      return isInvariant(whole, loop);
  return false;
}

/// The bytes of a view in its root, where they are numbers.
struct Bytes {
  Value root;
  int64_t begin = 0, end = 0;
};

class TransferChecker {
public:
  TransferChecker(KernelDefOp kernel, const Facts &facts) : kernel(kernel), facts(facts) {}

  LogicalResult run();

private:
  /// Reports once for each operation: loops are followed several times.
  std::optional<InFlightDiagnostic> error(Operation *op, DiagCode code);

  void follow(Block &block, Outstanding &state);
  void visit(Operation *op, Outstanding &state);
  void visitTransfer(Operation *op, Outstanding &state);
  void visitGroup(KernelAsyncGroupOp op, Outstanding &state);
  void visitWait(KernelAsyncWaitOp op, Outstanding &state);
  void visitAccess(Operation *op, const Outstanding &state);
  void visitChoice(Operation *op, Outstanding &state);
  void visitFor(ScfForOp op, Outstanding &state);
  void visitWhile(ScfWhileOp op, Outstanding &state);
  void visitExit(KernelExitOp op, Outstanding state);

  void passOn(Operation *op, ValueRange from, ValueRange to, Outstanding &state);
  void requireEmpty(Operation *op, const Outstanding &state);
  bool requireLike(Operation *op, const Outstanding &state, const Outstanding &other);

  void checkSpaces(Operation *op);
  std::optional<MemorySpace> spaceOf(Value value) const;
  std::optional<Bytes> bytesOf(Value view) const;
  bool overlaps(Value a, Value b, Operation *loop) const;
  bool isInside(Value accessed, Value whole, Operation *loop) const;

  KernelDefOp kernel;
  const Facts &facts;
  llvm::DenseSet<Operation *> reported;
};

std::optional<InFlightDiagnostic> TransferChecker::error(Operation *op, DiagCode code) {
  if (!reported.insert(op).second)
    return std::nullopt;
  return emitCoded(op, code);
}

LogicalResult TransferChecker::run() {
  WalkResult walked = kernel.getBody().walk([](Operation *op) {
    return getTextName(op).starts_with("kernel.async.") ? WalkResult::interrupt()
                                                        : WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    return success();
  Outstanding state;
  follow(kernel.getBody().front(), state);
  requireEmpty(kernel.getBody().front().getTerminator(), state);
  return success(reported.empty());
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void TransferChecker::follow(Block &block, Outstanding &state) {
  for (Operation &op : block.without_terminator())
    visit(&op, state);
}

void TransferChecker::visit(Operation *op, Outstanding &state) {
  if (isTransfer(op))
    return visitTransfer(op, state);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](KernelAsyncGroupOp o) { visitGroup(o, state); })
      .Case([&](KernelAsyncWaitOp o) { visitWait(o, state); })
      .Case<ScfIfOp, ScfSwitchOp>([&](auto) { visitChoice(op, state); })
      .Case([&](ScfForOp o) { visitFor(o, state); })
      .Case([&](ScfWhileOp o) { visitWhile(o, state); })
      .Case([&](KernelExitOp o) { visitExit(o, state); })
      .Default([&](Operation *) { visitAccess(op, state); });
}

void TransferChecker::visitGroup(KernelAsyncGroupOp op, Outstanding &state) {
  Group group = {op.getGroup(), {}};
  for (Value token : op.getTokens()) {
    Operation *transfer = token.getDefiningOp();
    auto found = llvm::find(state.issued, transfer);
    if (found != state.issued.begin() || found == state.issued.end())
      if (auto diag = error(op, DiagCode::AsyncOrder)) {
        *diag << "transfers join groups in the order in which they are issued";
        diag->attachNote(transfer->getLoc()) << "this one joins out of turn";
      }
    if (found != state.issued.end())
      state.issued.erase(found);
    group.transfers.insert({transfer, nullptr});
  }
  state.groups.push_back(std::move(group));
}

void TransferChecker::visitWait(KernelAsyncWaitOp op, Outstanding &state) {
  if (!state.issued.empty())
    if (auto diag = error(op, DiagCode::AsyncUngrouped)) {
      *diag << "a wait stands between a transfer and its group";
      diag->attachNote(state.issued.front()->getLoc()) << "the transfer is issued here";
    }
  auto found =
      llvm::find_if(state.groups, [&](const Group &group) { return group.group == op.getGroup(); });
  if (found == state.groups.end()) {
    if (auto diag = error(op, DiagCode::AsyncWaitCount))
      *diag << "this group of transfers is not outstanding here: each group is waited for exactly "
               "once on every path";
    return;
  }
  int64_t newer = state.groups.end() - found - 1, said = op.getNewerGroups();
  if (newer != said)
    if (auto diag = error(op, DiagCode::AsyncNewerGroups))
      *diag << "newer_groups is " << said << ", but " << newer
            << (newer == 1 ? " group" : " groups") << " made after this one "
            << (newer == 1 ? "is" : "are") << " outstanding";
  state.groups.erase(found);
}

void TransferChecker::requireEmpty(Operation *op, const Outstanding &state) {
  for (Operation *transfer : state.issued)
    if (auto diag = error(transfer, DiagCode::AsyncWaitCount)) {
      *diag << "this transfer joins no group on a path to the end of the kernel";
      diag->attachNote(op->getLoc()) << "the path ends here";
    }
  for (const Group &group : state.groups) {
    Operation *maker = group.group.getDefiningOp();
    if (auto diag = error(maker ? maker : op, DiagCode::AsyncWaitCount)) {
      *diag << "nothing waits for this group of transfers on a path to the end of the kernel";
      diag->attachNote(op->getLoc()) << "the path ends here";
    }
  }
}

bool TransferChecker::requireLike(Operation *op, const Outstanding &state,
                                  const Outstanding &other) {
  if (state.isLike(other))
    return true;
  if (auto diag = error(op, DiagCode::AsyncWaitCount))
    *diag << "the ways through this '" << getTextName(op)
          << "' leave different groups of transfers to wait for";
  return false;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Groups of `from` go by the names of `to` from here on.
void TransferChecker::passOn(Operation *op, ValueRange from, ValueRange to, Outstanding &state) {
  SmallVector<std::pair<Group *, Value>> renamed;
  for (auto [source, target] : llvm::zip(from, to)) {
    if (!isa<AsyncGroupType>(source.getType()))
      continue;
    Value group = source;
    auto found =
        llvm::find_if(state.groups, [&](const Group &other) { return other.group == group; });
    bool isTaken = found != state.groups.end() &&
                   llvm::any_of(renamed, [&](auto &pair) { return pair.first == &*found; });
    if (found != state.groups.end() && !isTaken)
      renamed.push_back({&*found, target});
    else if (auto diag = error(op, DiagCode::AsyncWaitCount))
      *diag << "'" << getTextName(op)
            << "' is given a group of transfers that is not outstanding, or is given it twice";
  }
  for (auto [group, target] : renamed)
    group->group = target;
}

void TransferChecker::visitChoice(Operation *op, Outstanding &state) {
  std::optional<Outstanding> joined;
  for (Region &region : op->getRegions()) {
    Outstanding way = state;
    if (!region.empty()) {
      follow(region.front(), way);
      passOn(op, region.front().getTerminator()->getOperands(), op->getResults(), way);
    }
    if (!joined)
      joined = std::move(way);
    else if (requireLike(op, *joined, way))
      joined->join(way);
  }
  if (joined)
    state = std::move(*joined);
}

void TransferChecker::visitFor(ScfForOp op, Outstanding &state) {
  passOn(op, op.getInits(), op.getRegionIterArgs(), state);
  for (bool isMore = true; isMore;) {
    Outstanding next = state;
    follow(*op.getBlock(), next);
    passOn(op, op.getYield()->getOperands(), op.getRegionIterArgs(), next);
    isMore = requireLike(op, state, next) && state.join(next, op);
  }
  passOn(op, op.getRegionIterArgs(), op.getResults(), state);
}

void TransferChecker::visitWhile(ScfWhileOp op, Outstanding &state) {
  auto condition = cast<ScfConditionOp>(op.getBefore().front().getTerminator());
  ValueRange first = op.getBefore().getArguments(), second = op.getAfter().getArguments();
  passOn(op, op.getInits(), first, state);
  Outstanding left;
  for (bool isMore = true; isMore;) {
    Outstanding next = state;
    follow(op.getBefore().front(), next);
    left = next;
    passOn(op, condition.getValues(), second, next);
    follow(op.getAfter().front(), next);
    passOn(op, op.getAfter().front().getTerminator()->getOperands(), first, next);
    isMore = requireLike(op, state, next) && state.join(next, op);
  }
  passOn(op, condition.getValues(), op.getResults(), left);
  state = std::move(left);
}

void TransferChecker::visitExit(KernelExitOp op, Outstanding state) {
  if (!op.getBody().empty())
    follow(op.getBody().front(), state);
  requireEmpty(op, state);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<MemorySpace> TransferChecker::spaceOf(Value value) const {
  for (; value; value = containerOf(value)) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      bool isParameter = isa<KernelDefOp>(value.getParentBlock()->getParentOp());
      return isParameter ? std::optional(MemorySpace::global) : std::nullopt;
    }
    if (auto assume = dyn_cast<BufferAssumeMemorySpaceOp>(op))
      return assume.getSpace();
    if (auto storage = dyn_cast<BufferAllocaOp>(op))
      return storage.getSpace();
    if (isa<KernelWorkgroupStorageOp>(op))
      return MemorySpace::workgroup;
  }
  return std::nullopt;
}

void TransferChecker::checkSpaces(Operation *op) {
  AsyncDirection direction = AsyncDirection::global_to_workgroup;
  if (auto copy = dyn_cast<KernelAsyncCopyOp>(op))
    direction = copy.getDirection();
  if (auto copy = dyn_cast<KernelAsyncCopyMaskOp>(op))
    direction = copy.getDirection();
  auto isGlobal = [](MemorySpace space) {
    return space == MemorySpace::global || space == MemorySpace::constant ||
           space == MemorySpace::descriptor;
  };
  bool isIntoWorkgroup = direction == AsyncDirection::global_to_workgroup;
  for (bool isSource : {true, false}) {
    std::optional<MemorySpace> space = spaceOf(isSource ? sourceOf(op) : destinationOf(op));
    if (!space || *space == MemorySpace::generic || *space == MemorySpace::unknown)
      continue;
    bool wantsGlobal = isSource == isIntoWorkgroup;
    bool fits = wantsGlobal ? isGlobal(*space) && (isSource || *space != MemorySpace::constant)
                            : *space == MemorySpace::workgroup;
    if (fits)
      continue;
    if (auto diag = error(op, DiagCode::TypeOperand))
      *diag << "the " << (isSource ? "source" : "destination") << " of this transfer is in "
            << stringifyMemorySpace(*space) << " memory; it goes from "
            << (isIntoWorkgroup ? "global to workgroup" : "workgroup to global") << " memory";
  }
}

std::optional<Bytes> TransferChecker::bytesOf(Value view) const {
  auto type = dyn_cast<ViewType>(view.getType());
  std::optional<int64_t> elements = type ? getElementSpan(type) : std::nullopt;
  if (!elements || !isPayloadScalar(type.getElementType()))
    return std::nullopt;
  Bytes bytes;
  bytes.end = *elements * getElementBytes(type.getElementType());
  for (bytes.root = view; Value container = containerOf(bytes.root); bytes.root = container) {
    if (isa<ViewSubviewOp>(bytes.root.getDefiningOp()))
      return std::nullopt;
    auto window = dyn_cast<BufferViewOp>(bytes.root.getDefiningOp());
    if (!window)
      continue;
    std::optional<int64_t> offset = facts.exact(window.getOffset());
    if (!offset)
      return std::nullopt;
    bytes.begin += *offset;
    bytes.end += *offset;
  }
  return bytes;
}

/// Whether two views share a place for sure.
bool TransferChecker::overlaps(Value a, Value b, Operation *loop) const {
  if (isPartOf(a, b, loop) || isPartOf(b, a, loop))
    return true;
  std::optional<Bytes> first = bytesOf(a), second = bytesOf(b);
  return first && second && first->root == second->root && isInvariant(first->root, loop) &&
         first->begin < second->end && second->begin < first->end;
}

/// Whether every place of `accessed` is one of `whole` for sure.
bool TransferChecker::isInside(Value accessed, Value whole, Operation *loop) const {
  if (isPartOf(accessed, whole, loop))
    return true;
  std::optional<Bytes> part = bytesOf(accessed), all = bytesOf(whole);
  return part && all && part->root == all->root && isInvariant(part->root, loop) &&
         part->begin >= all->begin && part->end <= all->end;
}

void TransferChecker::visitTransfer(Operation *op, Outstanding &state) {
  checkSpaces(op);
  if (auto problem = findClusterProblem(op, kernel, facts))
    if (auto diag = error(op, DiagCode::AsyncCluster))
      *diag << *problem;
  for (auto [pending, loop] : state.transfers()) {
    const char *what = nullptr;
    DiagCode code = DiagCode::AsyncOverlap;
    if (overlaps(destinationOf(op), destinationOf(pending), loop)) {
      what = "the destination of this transfer overlaps that of one that is not complete";
    } else if (overlaps(sourceOf(op), destinationOf(pending), loop)) {
      what = "the source of this transfer overlaps the destination of one that is not complete";
      code = DiagCode::AsyncDestination;
    } else if (overlaps(destinationOf(op), sourceOf(pending), loop)) {
      what = "the destination of this transfer overlaps the source of one that is not complete";
      code = DiagCode::AsyncSource;
    }
    if (!what)
      continue;
    if (auto diag = error(op, code)) {
      *diag << what;
      diag->attachNote(pending->getLoc()) << "that one is issued here";
    }
  }
  state.issued.push_back(op);
}

void TransferChecker::visitAccess(Operation *op, const Outstanding &state) {
  auto effectful = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectful || state.isEmpty() || op->getNumRegions())
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectful.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value accessed = effect.getValue();
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (!accessed || !(isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
      continue;
    for (auto [pending, loop] : state.transfers()) {
      bool atDestination = isInside(accessed, destinationOf(pending), loop);
      if (!atDestination && !(isWrite && isInside(accessed, sourceOf(pending), loop)))
        continue;
      if (auto diag =
              error(op, atDestination ? DiagCode::AsyncDestination : DiagCode::AsyncSource)) {
        *diag << "'" << getTextName(op) << (isWrite ? "' writes" : "' reads") << " the "
              << (atDestination ? "destination" : "source")
              << " of a transfer that is not complete";
        diag->attachNote(pending->getLoc()) << "the transfer is issued here";
      }
    }
  }
}

} // namespace

LogicalResult checkTransfers(KernelDefOp kernel, const Facts &facts) {
  return TransferChecker(kernel, facts).run();
}

} // namespace loom::lowering
