//===- LowerCheck.cpp - What the lowering refuses -------------------------===//
#include "LowerBytes.h"
#include "LowerCollectives.h"
#include "LowerFission.h"
#include "LowerFragments.h"
#include "LowerLanewise.h"
#include "LowerSanitizer.h"
#include "LowerTransfers.h"
#include "LowerVector.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Dialects.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Signatures.h"

using namespace mlir;

namespace loom::lowering {
namespace {

/// A register-sized value of more elements is a mistake or belongs into memory.
constexpr int64_t kMaxVectorElements = 1024;

class Checker {
public:
  Checker(const KernelPlan &plan, const Facts &facts, const LoweringTarget &target,
          const TargetProfile &profile)
      : plan(plan), facts(facts), target(target), profile(profile) {}

  LogicalResult run() {
    checkLaunch();
    for (BlockArgument argument : plan.body().getArguments())
      checkType(plan.kernel, argument);
    plan.body().walk<WalkOrder::PreOrder>([&](Operation *op) {
      checkOp(op);
      for (Value result : op->getResults())
        checkType(op, result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            checkType(op, argument);
    });
    failed |= mlir::failed(checkTransfers(plan.kernel, facts));
    if (!failed && plan.fragments)
      failed = mlir::failed(checkFragments(plan, target));
    if (!failed && plan.uniformity)
      failed = mlir::failed(checkConvergentOps(plan.kernel, *plan.uniformity));
    return success(!failed);
  }

private:
  InFlightDiagnostic error(Operation *op, DiagCode code = DiagCode::TargetUnsupported) {
    failed = true;
    return emitCoded(op, code);
  }
  void refuse(Operation *op, const Twine &condition = "") {
    error(op) << "'" << getTextName(op) << "' is not supported on " << target.name() << " yet"
              << condition;
  }

  bool isComputed(Operation *op, std::string &condition) const;
  std::string targetName() const;
  void checkLaunch();
  void checkClusterSize(KernelLaunchConfigOp config);
  void checkAlloca(BufferAllocaOp op);
  void checkType(Operation *op, Value value);
  void checkOp(Operation *op);
  void checkFor(ScfForOp op);
  void checkExtents(Operation *op, Value view, bool needsAll);
  template <typename Access> void checkHints(Access op);
  void checkLayout(Operation *op, Value view);
  void checkPlaces(Operation *op);
  template <typename Access> void checkAccess(Access op, size_t rank);
  template <typename Collective> void checkClusters(Collective op);
  void checkPosition(Operation *op, Position position, Dimension dimension);
  void checkMask(Operation *op, Value mask);

  const KernelPlan &plan;
  const Facts &facts;
  const LoweringTarget &target;
  const TargetProfile &profile;
  int64_t workgroupBytes = 0;
  bool failed = false;
};

/// What has limits: the target of the module, or a record that lowers them.
std::string Checker::targetName() const {
  std::string name = (target.name() + ":" + Twine(profile.key)).str();
  KernelDefOp kernel = plan.kernel;
  Operation *record = lookupRecord(kernel, kernel.getTargetAttr());
  DictionaryAttr overrides = record ? overridesOfRecord(record) : DictionaryAttr();
  return overrides ? "@" + kernel.getTarget()->str() + " on " + name : name;
}

/// Workgroups of a cluster run one after another, as all others do, so that a cluster is a way of
/// counting them. Nothing that they do together waits for the others.
void Checker::checkClusterSize(KernelLaunchConfigOp config) {
  if (!plan.info.clusterSize)
    return;
  if (!target.hasLanes())
    return refuse(config, " with cluster_size: workgroups are launched without clusters");
  for (unsigned d = 0; d < 3; ++d) {
    int64_t size = plan.clusterSize(d);
    std::optional<int64_t> count = plan.exactCount(d);
    if (size < 1)
      error(config) << "the extents of cluster_size are not known when the kernel is compiled";
    else if (count && *count % size)
      error(config) << "the number of workgroups in " << "xyz"[d] << " is " << *count
                    << ", which is not a multiple of the " << size << " of a cluster";
    if (failed)
      return;
  }
}

void Checker::checkLaunch() {
  KernelLaunchConfigOp config = plan.config();
  static constexpr const char *axes[] = {"x", "y", "z"};
  int64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (std::optional<int64_t> count = plan.exactCount(d); count && *count < 0)
      error(config) << "a launch of " << *count << " workgroups in " << axes[d];
    std::optional<int64_t> size = plan.exactSize(d);
    if (!size)
      continue;
    if (*size < 1 || *size > plan.limits.workgroupSize[d])
      error(config) << "a workgroup size of " << *size << " in " << axes[d] << "; " << targetName()
                    << " has 1 to " << plan.limits.workgroupSize[d];
    else
      items *= *size;
  }
  if (!failed && items > plan.limits.flatWorkgroupSize)
    error(config) << "a workgroup of " << items << " work-items; " << targetName()
                  << " has at most " << plan.limits.flatWorkgroupSize;
  checkClusterSize(config);
  if (config.getDynamicWorkgroupStorage() && !target.hasLanes())
    refuse(config, " with dynamic_workgroup_storage");
}

/// The operations on values that are lowered wherever they stand.
bool Checker::isComputed(Operation *op, std::string &condition) const {
  return isa<IndexDialect>(op->getDialect()) || isLanewiseSupported(op, target) ||
         isVectorOpSupported(op, &condition);
}

void Checker::checkType(Operation *op, Value value) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t elements = 1;
    bool isStatic = true, overflows = false;
    for (int64_t extent : vector.getShape()) {
      isStatic &= !ShapedType::isDynamic(extent);
      overflows |= llvm::MulOverflow(elements, extent, elements);
    }
    if (!isStatic || overflows || elements > kMaxVectorElements ||
        !(isPayloadScalar(vector.getElementType()) || isAddressType(vector.getElementType())))
      error(op) << "'" << getTextName(op) << "' has a value of type " << stringifyType(type)
                << "; a vector on " << target.name() << " has up to " << kMaxVectorElements
                << " elements, known when it is compiled";
    return;
  }
  if (auto view = dyn_cast<ViewType>(type); view && isPayloadScalar(view.getElementType()))
    return;
  // A layout takes part in addresses, not in what runs; one that control flow chooses does.
  if (isa<EncodingType>(type) && isa<EncodingDialect>(op->getDialect()))
    return;
  if (isAddressType(type) || isPayloadScalar(type) || isa<BufferType, BarrierPhaseType>(type))
    return;
  // Without transfers the operations that make these are refused.
  if (isa<AsyncTokenType, AsyncGroupType>(type))
    return;
  error(op) << "'" << getTextName(op) << "' has a value of type " << stringifyType(type)
            << ", which is not supported on " << target.name() << " yet";
}

/// Storage of the frame has a size that is known.
void Checker::checkAlloca(BufferAllocaOp op) {
  MemorySpace space = op.getSpace();
  if (!target.hasLanes())
    return refuse(op, Twine(" in the space ") + stringifyMemorySpace(space));
  std::optional<ConstantIntRanges> range = facts.range(op.getLength());
  int64_t limit =
      space == MemorySpace::workgroup ? plan.limits.storageBytes : profile.maxWorkgroupStorageBytes;
  if (!range || range->smin().isNegative() || range->smax().sgt(limit)) {
    error(op) << "the length of this 'buffer.alloca' has no upper bound of at most " << limit
              << " bytes that is known; an 'index.assume' can state one";
    return;
  }
  if (space == MemorySpace::workgroup)
    workgroupBytes += llvm::alignTo(range->smax().getSExtValue(), op.getAlignment());
  if (workgroupBytes > limit)
    error(op) << "workgroup memory of " << workgroupBytes << " bytes; " << targetName() << " has "
              << limit;
}

void Checker::checkFor(ScfForOp op) {
  if (op.getDepth() || op.hasUnrollRequest() || op.getSchedule())
    error(op) << "a loop policy of this 'scf.for' was not carried out";
  if (op.getTies())
    error(op, DiagCode::StructureTies)
        << "a result of this 'scf.for' is tied to an initial value, which branches cannot express";
  std::optional<ConstantIntRanges> range = facts.range(op.getStep());
  if (facts.exact(op.getStep()).value_or(0) <= 0 && !(range && range->smin().isStrictlyPositive()))
    error(op, DiagCode::StructureStep)
        << "the step of this 'scf.for' is not known to be positive; an 'index.assume' can state it";
}

/// An access by coordinates, or by more than one run of elements, needs the extents of its view.
/// They are visible in every program that verifies.
void Checker::checkExtents(Operation *op, Value view, bool needsAll) {
  ArrayRef<int64_t> shape = cast<ViewType>(view.getType()).getShape();
  if (!needsAll || shape.empty())
    return;
  size_t dynamic = llvm::count(shape, ShapedType::kDynamic);
  bool isStaticBehindFirst = llvm::count(shape.drop_front(), ShapedType::kDynamic) == 0;
  if (!isStaticBehindFirst && getDynamicDims(view).size() < dynamic)
    error(op) << "the extents of the view that '" << getTextName(op)
              << "' accesses are not visible here";
}

/// A cache of the processor takes no hints, and may ignore them. Elsewhere they are not carried out
/// yet.
template <typename Access> void Checker::checkHints(Access op) {
  if (target.hasLanes())
    return;
  if (op.getIsVolatile())
    refuse(op, " with <volatile>");
  if (op.getCacheScope() || op.getCacheTemporal())
    refuse(op, " with cache hints");
}

/// What the lowering of an access does not honour.
template <typename Access> void Checker::checkAccess(Access op, size_t rank) {
  if (op.getLinear())
    checkExtents(op, op.getView(), rank > 1);
  checkHints(op);
  if (!op.getLinear())
    checkLayout(op, op.getView());
}

/// An access that keeps its coordinates needs the extents of its view, or their strides. They are
/// visible behind the pass that carries them (CarryStrides).
void Checker::checkLayout(Operation *op, Value view) {
  LayoutInfo layout = getViewLayout(view);
  if (!getTypeLayout(view.getType()) || layout.kind == LayoutInfo::Dense)
    return checkExtents(op, view, /*needsAll=*/true);
  size_t axes = cast<ViewType>(view.getType()).getShape().size();
  if (layout.kind != LayoutInfo::Strided || layout.strides.size() != axes)
    error(op) << "the strides of the view that '" << getTextName(op)
              << "' accesses are not visible here";
}

void Checker::checkPlaces(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<ViewAtomicReduceOp, ViewAtomicRmwOp, ViewAtomicCmpxchgOp, ViewAtomicLoadOp,
            ViewAtomicStoreOp, VectorLoadMaskOp, VectorStoreMaskOp, VectorAtomicReduceOp,
            VectorAtomicReduceMaskOp, VectorAtomicRmwOp, VectorAtomicRmwMaskOp,
            VectorAtomicCmpxchgOp, VectorGatherOp, VectorGatherMaskOp, VectorScatterOp,
            VectorScatterMaskOp, VectorLoadExpandOp, VectorStoreCompressOp, VectorFragmentLoadOp,
            VectorFragmentStoreOp>([&](auto o) { checkLayout(op, o.getView()); });
}

/// The tree over the lanes of a cluster halves it until one is left, and the lanes are those of one
/// subgroup.
template <typename Collective> void Checker::checkClusters(Collective op) {
  if (!target.hasLanes())
    return refuse(op);
  uint64_t size = op.getClusterSize().value_or(plan.subgroupSize);
  uint64_t stride = op.getClusterStride().value_or(1), limit = plan.subgroupSize;
  if (!llvm::isPowerOf2_64(size) || !llvm::isPowerOf2_64(stride) || size > limit ||
      stride > limit / size)
    error(op) << "clusters of " << size << " lanes, " << stride << " apart; " << target.name()
              << " has clusters of powers of two inside of a subgroup of " << limit << " lanes";
}

/// A mask has a bit for each lane of a subgroup.
void Checker::checkMask(Operation *op, Value mask) {
  int64_t lanes = std::min<int64_t>(plan.largestItems(), plan.subgroupSize);
  if (unsigned bits = mask.getType().getIntOrFloatBitWidth(); bits < lanes)
    error(op) << "'" << getTextName(op) << "' has a mask of " << bits
              << " bits, but a subgroup has " << lanes << " lanes here; i64 has room for them";
}

void Checker::checkPosition(Operation *op, Position position, Dimension dimension) {
  unsigned d = static_cast<unsigned>(dimension);
  bool isSize = position == Position::WorkgroupSize;
  if ((isSize ? plan.exactSize(d) : plan.exactCount(d)) || target.answers(position))
    return;
  refuse(op, isSize ? " unless the launch configuration makes the workgroup size exact"
                    : " unless the launch configuration makes the workgroup count exact");
}

void Checker::checkOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ScfForOp o) { checkFor(o); })
      .Case<ViewLoadOp, ViewStoreOp>([&](auto o) { checkAccess(o, 0); })
      .Case(
          [&](VectorLoadOp o) { checkAccess(o, cast<VectorType>(o.getType()).getShape().size()); })
      .Case([&](VectorStoreOp o) {
        checkAccess(o, cast<VectorType>(o.getValue().getType()).getShape().size());
      })
      .Case([&](ViewSubviewOp o) {
        if (!o.getLinear())
          checkLayout(op, o.getView());
      })
      .Case<VectorLoadMaskOp, VectorLoadExpandOp, VectorStoreMaskOp, VectorStoreCompressOp,
            VectorGatherOp, VectorGatherMaskOp, VectorScatterOp, VectorScatterMaskOp>([&](auto o) {
        checkHints(o);
        checkPlaces(op);
      })
      .Case([&](BufferAssumeMemorySpaceOp o) {
        // All memory of a process is one.
        if (!target.hasLanes() && o.getSpace() != MemorySpace::global &&
            o.getSpace() != MemorySpace::generic)
          refuse(op, Twine(" for the space ") + stringifyMemorySpace(o.getSpace()));
      })
      .Case<KernelSubgroupReduceOp, KernelSubgroupScanOp>([&](auto o) { checkClusters(o); })
      .Case<KernelWorkgroupSizeOp, KernelDispatchIdOp>(
          [&](auto o) { checkPosition(op, Position::WorkgroupSize, o.getDimension()); })
      .Case<KernelSubgroupBallotOp, KernelSubgroupActiveMaskOp, KernelSubgroupMatchAnyOp,
            KernelSubgroupMatchAllOp>([&](auto o) {
        if (!target.hasLanes())
          refuse(op);
        else
          checkMask(op, o.getMask());
      })
      .Case([&](KernelWorkgroupCountOp o) {
        checkPosition(op, Position::WorkgroupCount, o.getDimension());
      })
      .Case<KernelClusterIdOp, KernelClusterCountOp, KernelClusterWorkgroupIdOp,
            KernelClusterFlatIdOp, KernelClusterSizeOp, KernelSubgroupIdOp, KernelSubgroupSizeOp,
            KernelSubgroupCountOp, KernelSubgroupLaneIdOp, KernelAssertOp, KernelWorkgroupStorageOp,
            SanitizerAssertAccessOp, SanitizerAssertAccessesOp, SanitizerAssertValueOp,
            SanitizerAssertOpOp, SanitizerRaceAccessOp, SanitizerRaceSyncOp>([&](auto) {
        if (!target.hasLanes())
          refuse(op);
      })
      .Case<ScfIfOp, ScfWhileOp, ScfConditionOp, ScfSwitchOp, ScfYieldOp, ScfSelectOp, ScfLookupOp,
            ScfScheduleFenceOp, KernelExitOp, KernelReturnOp, KernelWorkitemIdOp,
            KernelWorkgroupIdOp, BufferAssumeAlignmentOp, BufferAssumeNoaliasOp,
            BufferAssumeSameRootOp, BufferViewOp, ViewRefineOp, EncodingLayoutDenseOp,
            EncodingLayoutStridedOp, EncodingLayoutAssumeDenseOp, EncodingLayoutAssumeStridedOp>(
          [](auto) {})
      .Case([&](BufferLengthOp o) {
        // Behind the pass that carries lengths (CarryStrides) every source is known.
        if (!target.hasLanes())
          refuse(op);
        else if (!lengthSourceOf(o.getSource()))
          error(op) << "the buffer of this 'buffer.length' is not visible here";
      })
      .Case([&](BufferAllocaOp o) { checkAlloca(o); })
      .Case([&](SanitizerAssertLayoutOp o) {
        if (!target.hasLanes())
          refuse(op);
        else if (!isLayoutKnown(o))
          refuse(op, " for a view whose layout is chosen while the kernel runs");
      })
      .Default([&](Operation *) {
        std::string condition;
        bool isLowered = isFragmentSupported(op, target) || isComputed(op, condition) ||
                         isCollectiveSupported(op, target) || isAtomicSupported(op, target) ||
                         isByteOpSupported(op, target, condition) ||
                         isTransferSupported(op, target, condition);
        if (!isLowered)
          return refuse(op, condition);
        checkPlaces(op);
      });
}

} // namespace

LogicalResult checkKernel(const KernelPlan &plan, const Facts &facts, const LoweringTarget &target,
                          const TargetProfile &profile) {
  return Checker(plan, facts, target, profile).run();
}

} // namespace loom::lowering
