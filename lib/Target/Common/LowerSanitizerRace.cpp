//===- LowerSanitizerRace.cpp - What a race detector is told --------------===//
//
// In front of each access to memory that work-items share, the detector is told who accesses which
// bytes; each element of a vector for itself, unless they lie side by side. Memory of a work-item
// alone is left out, and so is memory chosen while the kernel runs that may be such: the blocks of
// a workgroup use the same frame for it one after another.
//
// A transfer is told where it is issued, as if it were done at once: what the others do until it is
// waited for is not compared with it.
//
//===----------------------------------------------------------------------===//
#include "LowerFragments.h"
#include "LowerSanitizer.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Target/Common/Monitor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace loom::lowering {

/// Sites of races come behind those of checks of the same operation.
constexpr unsigned kRacePart = 1000;

//===----------------------------------------------------------------------===//
// Which memory
//===----------------------------------------------------------------------===//

namespace {

/// What a buffer or view may be part of.
class Origins {
public:
  explicit Origins(Value value) { visit(value); }

  /// Nothing for memory that is not shared, or may not be.
  std::optional<MemorySpace> space() const {
    if (isOwn)
      return std::nullopt;
    return isGlobal && isWorkgroup ? MemorySpace::generic
           : isWorkgroup           ? MemorySpace::workgroup
                                   : MemorySpace::global;
  }

private:
  void visit(Value value);
  void visitArgument(BlockArgument argument);
  void visitResult(OpResult result);
  /// Operand `number` of the terminator of a region.
  void visitYield(Region &region, unsigned number) {
    if (!region.empty())
      visit(region.front().getTerminator()->getOperand(number));
  }

  llvm::DenseSet<Value> seen;
  bool isGlobal = false, isWorkgroup = false;
  bool isOwn = false; ///< of a work-item, or unknown
};

void Origins::visit(Value value) {
  if (!seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    visitArgument(argument);
  else
    visitResult(cast<OpResult>(value));
}

void Origins::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (isa<KernelDefOp>(parent)) {
    isGlobal = true;
  } else if (auto loop = dyn_cast<ScfForOp>(parent); loop && number > 0) {
    visit(loop.getInits()[number - 1]);
    visit(loop.getYield()->getOperand(number - 1));
  } else if (auto loop = dyn_cast<ScfWhileOp>(parent)) {
    if (argument.getOwner() == &loop.getBefore().front()) {
      visit(loop.getInits()[number]);
      visitYield(loop.getAfter(), number);
    } else {
      visit(cast<ScfConditionOp>(loop.getBefore().front().getTerminator()).getValues()[number]);
    }
  } else {
    isOwn = true;
  }
}

void Origins::visitResult(OpResult result) {
  unsigned number = result.getResultNumber();
  llvm::TypeSwitch<Operation *>(result.getOwner())
      .Case<BufferViewOp, ViewSubviewOp, ViewRefineOp, SanitizerAssertLayoutOp,
            BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp>(
          [&](auto op) { visit(op->getOperand(0)); })
      .Case<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(
          [&](auto op) { visit(op->getOperand(number)); })
      .Case([&](BufferAllocaOp op) {
        (op.getSpace() == MemorySpace::workgroup ? isWorkgroup : isOwn) = true;
      })
      .Case([&](KernelWorkgroupStorageOp) { isWorkgroup = true; })
      .Case<ScfSelectOp, ScfLookupOp>([&](auto op) {
        for (Value operand : op->getOperands())
          if (isa<BufferType, ViewType>(operand.getType()))
            visit(operand);
      })
      .Case<ScfIfOp, ScfSwitchOp>([&](auto op) {
        for (Region &region : op->getRegions())
          visitYield(region, number);
      })
      .Case([&](ScfForOp op) {
        visit(op.getInits()[number]);
        visit(op.getYield()->getOperand(number));
      })
      .Case([&](ScfWhileOp op) {
        visit(cast<ScfConditionOp>(op.getBefore().front().getTerminator()).getValues()[number]);
      })
      .Default([&](Operation *) { isOwn = true; });
}

} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Tells of the bytes from `address` on, as many as the site has or as `bytes` says, for lanes
/// where `flag` holds.
void KernelLowering::Sanitizer::tellAddress(unsigned site, const Address &address, Value flag,
                                            Value bytes) {
  int64_t count = kernel.laneCount();
  Type word = emitter.integer(64), each = emitter.vector(count, word);
  auto keep = [&](Value &storage, Value value) {
    if (!storage)
      storage = emitter.frameStorage(8 * count, 64);
    bool isVector = isa<mlir::VectorType>(value.getType());
    emitter.store(isVector ? value : emitter.splat(value, each), storage, 8);
    return storage;
  };
  Value lanes = kernel.bitsOf(flag ? kernel.both(kernel.mask, flag) : kernel.mask);
  if (count < 64)
    lanes = emitter.zeroExtend(lanes, word);
  Value places = keep(addresses, kernel.wholeAddresses(address));
  Value sizes = bytes ? keep(lengths, wide(bytes))
                      : emitter.cast(CastOp::IntToPtr, number(0), emitter.pointer(0));
  emitter.callPointer(field(offsetof(Monitor, raceAccess), emitter.pointer(0)),
                      {monitor, emitter.constant(emitter.integer(32), site), workgroup,
                       kernel.group.first, lanes, places, sizes});
}

void KernelLowering::Sanitizer::tellTouch(Operation *op, const Touch &touch,
                                          llvm::function_ref<void(SanitizerSite &site)> describe) {
  std::optional<MemorySpace> space = Origins(touch.access.view).space();
  if (!space)
    return;
  unsigned elementBytes = touch.access.elementBytes();
  auto siteFor = [&](int64_t elements) {
    return siteOf(op, kRacePart, [&](SanitizerSite &site) {
      site.check = SiteCheck::RaceAccess;
      site.access = touch.kind;
      site.isAtomic = touch.isAtomic;
      site.space = *space;
      site.bytes = elements * elementBytes;
      site.message = getValueName(touch.access.view).str();
      describe(site);
    });
  };
  if (Fragments::isFragmentOp(op)) {
    // Each lane its share.
    FormScope form(kernel, true);
    return FragmentLowering(kernel).forEachAccess(
        op, [&](const Address &address, Value flag) { tellAddress(siteFor(1), address, flag); });
  }
  if (touch.isWhole()) {
    if (touch.shape.empty())
      return tellAddress(siteFor(1),
                         kernel.elementAddress(touch.access, kernel.linearIndex(touch.access)), {});
    return tellRuns(touch, siteFor);
  }
  FormScope form(kernel, true);
  unsigned site = siteFor(1);
  Address origin = kernel.elementAddress(touch.access, kernel.linearIndex(touch.access));
  SmallVector<Value> taken;
  if (touch.isPacked)
    taken.push_back(emitter.constant(kernel.spread(emitter.integer(64)), 0));
  overElements(
      touch, /*isDescending=*/false, taken, [&](const Element &element, ArrayRef<Value> carried) {
        Value number = element.offset ? element.offset : Value();
        if (touch.isPacked)
          number = carried[0];
        Linear linear;
        linear.inLanes = true;
        linear.value = number
                           ? kernel.acrossGaps(touch.access, {number, Interval()})
                           : RangedValue{distanceTo(touch.access, element.coordinates), Interval()};
        tellAddress(site, kernel.moved(origin, linear, elementBytes), element.flag);
        if (!touch.isPacked)
          return SmallVector<Value>();
        Value one = emitter.zeroExtend(element.flag, emitter.integer(64));
        return SmallVector<Value>{emitter.binary(IntegerOp::Add, carried[0], one)};
      });
}

/// An access of all elements, as many at once as lie side by side.
void KernelLowering::Sanitizer::tellRuns(const Touch &touch,
                                         llvm::function_ref<unsigned(int64_t elements)> siteFor) {
  size_t inner = kernel.firstRunAxis(touch.access, touch.shape);
  ArrayRef<int64_t> shape = touch.shape;
  int64_t count = ShapedType::getNumElements(shape.drop_front(inner));
  int64_t runs = ShapedType::getNumElements(shape.take_front(inner));
  unsigned site = siteFor(count);
  FormScope form(kernel, true);
  if (!takesTurns(runs))
    return kernel.forEachRun(touch.access, shape, [&](Linear linear, int64_t, int64_t) {
      tellAddress(site, kernel.elementAddress(touch.access, linear), {});
    });
  Address origin = kernel.elementAddress(touch.access, kernel.linearIndex(touch.access));
  inLoop(runs, {}, [&](Value turn, ArrayRef<Value>) {
    Value element = emitter.binary(IntegerOp::Mul, turn, number(count));
    Linear linear;
    linear.inLanes = true;
    linear.value = {distanceTo(touch.access, coordinatesOf(touch, element)), Interval()};
    tellAddress(site, kernel.moved(origin, linear, touch.access.elementBytes()), {});
    return SmallVector<Value>();
  });
}

/// Operations on ranges of bytes of buffers.
void KernelLowering::Sanitizer::tellBytes(Operation *op) {
  unsigned part = kRacePart;
  auto tell = [&](AccessKind kind, Value buffer, Value offset, Value length) {
    std::optional<MemorySpace> space = Origins(buffer).space();
    unsigned own = part++;
    if (!space)
      return;
    unsigned site = siteOf(op, own, [&](SanitizerSite &site) {
      site.check = SiteCheck::RaceAccess;
      site.access = kind;
      site.space = *space;
      site.bytes = length ? 0 : 1;
      site.message = getValueName(buffer).str();
    });
    Address address = kernel.byteAddress(buffer, offset);
    FormScope form(kernel, true);
    tellAddress(site, address, {}, length ? kernel.lanesOf(length) : Value());
  };
  constexpr AccessKind kRead = AccessKind::read, kWrite = AccessKind::write;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](BufferLoadI8UOp o) { tell(kRead, o.getSource(), o.getOffset(), {}); })
      .Case([&](BufferStoreI8Op o) { tell(kWrite, o.getTarget(), o.getOffset(), {}); })
      .Case([&](BufferCopyOp o) {
        tell(kRead, o.getSource(), o.getSourceOffset(), o.getLength());
        tell(kWrite, o.getTarget(), o.getTargetOffset(), o.getLength());
      })
      .Case([&](BufferFillOp o) { tell(kWrite, o.getTarget(), o.getOffset(), o.getLength()); })
      .Case([&](BufferCompareOp o) {
        tell(kRead, o.getLeft(), o.getLeftOffset(), o.getLength());
        tell(kRead, o.getRight(), o.getRightOffset(), o.getLength());
      });
}

/// The pieces of both ends, as many at once as lie side by side.
void KernelLowering::Sanitizer::tellTransfer(Operation *op, const Transfer &transfer) {
  FormScope form(kernel, true);
  Value flag = transfer.mask ? kernel.lanesOf(transfer.mask) : Value();
  for (const TransferEnd *end : {&transfer.source, &transfer.target}) {
    bool isTarget = end == &transfer.target;
    std::optional<MemorySpace> space = Origins(end->view).space();
    if (!space || !transfer.source.count())
      continue;
    unsigned site = siteOf(op, kRacePart + isTarget, [&](SanitizerSite &site) {
      site.check = SiteCheck::RaceAccess;
      site.access = isTarget ? AccessKind::write : AccessKind::read;
      site.space = *space;
      site.bytes = end->pieceBytes;
      site.message = getValueName(end->view).str();
    });
    Address origin = originOf(*end);
    SmallVector<Value> strides;
    for (const TransferAxis &axis : end->axes)
      strides.push_back(strideBytes(axis));
    emitter.repeat(number(transfer.source.count()), [&](Value piece) {
      Linear distance;
      distance.inLanes = true;
      distance.value = {kernel.pieceDistance(*end, piece, strides), Interval()};
      tellAddress(site, kernel.moved(origin, distance, 1), flag);
    });
  }
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

void KernelLowering::Sanitizer::tellSync(Operation *op, MemorySpace space, SyncScope scope,
                                         Ordering ordering) {
  unsigned site = siteOf(op, kRacePart, [&](SanitizerSite &site) {
    site.check = SiteCheck::RaceSync;
    site.space = space;
    site.scope = scope;
    site.ordering = ordering;
  });
  Value first = number(-1), lanes = number(0);
  if (kernel.group.isInBlock) {
    first = kernel.group.first;
    lanes = kernel.bitsOf(kernel.mask);
    if (kernel.laneCount() < 64)
      lanes = emitter.zeroExtend(lanes, emitter.integer(64));
  }
  emitter.callPointer(
      field(offsetof(Monitor, raceSync), emitter.pointer(0)),
      {monitor, emitter.constant(emitter.integer(32), site), workgroup, first, lanes});
}

void KernelLowering::Sanitizer::passBarrier(Operation *op) { tellRace(op); }

/// Of an atomic operation; a compare-exchange that fails counts as one that does not.
static std::optional<std::pair<Ordering, SyncScope>> orderOf(Operation *op) {
  using Result = std::optional<std::pair<Ordering, SyncScope>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<ViewAtomicReduceOp, ViewAtomicRmwOp, ViewAtomicLoadOp, ViewAtomicStoreOp,
            VectorAtomicReduceOp, VectorAtomicReduceMaskOp, VectorAtomicRmwOp,
            VectorAtomicRmwMaskOp>([](auto o) { return Result({o.getOrdering(), o.getScope()}); })
      .Case<ViewAtomicCmpxchgOp, VectorAtomicCmpxchgOp>(
          [](auto o) { return Result({o.getSuccessOrdering(), o.getScope()}); })
      .Default([](Operation *) { return Result(); });
}

void KernelLowering::Sanitizer::tellRace(Operation *op) {
  if (!tellsRaces())
    return;
  if (std::optional<Touch> touch = touchOf(op)) {
    if (touch->count() == 0)
      return;
    return tellTouch(op, *touch, [&](SanitizerSite &site) {
      if (auto order = orderOf(op))
        std::tie(site.ordering, site.scope) = *order;
    });
  }
  if (std::optional<Transfer> transfer = transferOf(op))
    return tellTransfer(op, *transfer);
  llvm::TypeSwitch<Operation *>(op)
      .Case<KernelBarrierOp, KernelBarrierArriveOp, SanitizerRaceSyncOp>(
          [&](auto o) { tellSync(op, o.getSpace(), o.getScope(), o.getOrdering()); })
      .Case([&](KernelBarrierWaitOp o) {
        auto arrive = o.getPhase().template getDefiningOp<KernelBarrierArriveOp>();
        tellSync(op, arrive.getSpace(), arrive.getScope(), arrive.getOrdering());
      })
      .Case([&](BufferFenceOp o) {
        tellSync(op, MemorySpace::generic, o.getScope(), o.getOrdering());
      })
      .Case([&](SanitizerRaceAccessOp o) {
        Touch touch = {Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false,
                              /*mayLieOutside=*/true},
                       o.getKind()};
        touch.isAtomic = o.getAtomic();
        tellTouch(op, touch, [&](SanitizerSite &site) {
          site.ordering = o.getOrdering().value_or(Ordering::relaxed);
          site.scope = o.getScope().value_or(SyncScope::thread);
        });
      })
      .Default([&](Operation *) { tellBytes(op); });
}

} // namespace loom::lowering
