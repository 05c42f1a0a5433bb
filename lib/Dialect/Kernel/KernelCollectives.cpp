//===- KernelCollectives.cpp - What work-items do together ----------------===//
#include "KernelSupport.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

bool isCollectiveValue(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getShape().size() == 1 && isPayloadScalar(vector.getElementType());
  return isPayloadScalar(type) || isa<IndexType>(type);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

ParseResult parseBarrierScope(OpAsmParser &parser, SyncScopeAttr &scope) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)) || (word != "subgroup" && word != "workgroup"))
    return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum,
                                  "expected one of subgroup, workgroup")
           << (word.empty() ? "" : ", got '") << word << (word.empty() ? "" : "'");
  scope = SyncScopeAttr::get(parser.getContext(), *symbolizeSyncScope(word));
  return success();
}

void printBarrierScope(OpAsmPrinter &printer, Operation *, SyncScopeAttr scope) {
  printer << stringifySyncScope(scope.getValue());
}

template <typename Op> static LogicalResult verifyMemory(Op op) {
  Ordering ordering = op.getOrdering();
  switch (op.getSpace()) {
  case MemorySpace::workgroup:
    if (ordering != Ordering::acq_rel)
      return emitCoded(op, DiagCode::StructureValue,
                       "a barrier on workgroup memory has ordering(acq_rel)");
    break;
  case MemorySpace::global:
    if (ordering == Ordering::relaxed || ordering == Ordering::seq_cst)
      return emitCoded(op, DiagCode::StructureValue,
                       "a barrier on global memory has ordering acquire, release or acq_rel");
    break;
  default:
    return emitCoded(op, DiagCode::StructureValue,
                     "a barrier orders workgroup or global memory, not ")
           << stringifyMemorySpace(op.getSpace());
  }
  if (op.getScope() != SyncScope::subgroup && op.getScope() != SyncScope::workgroup)
    return emitCoded(op, DiagCode::StructureValue,
                     "the scope of a barrier is subgroup or workgroup, not ")
           << stringifySyncScope(op.getScope());
  return success();
}

LogicalResult KernelBarrierOp::verify() { return verifyMemory(*this); }

/// Why `op` cannot stand between an arrival and its wait; empty when it can.
static StringRef whyNotBetween(Operation *op) {
  StringRef name = getTextName(op);
  if (op->hasTrait<ConvergentTrait>() || isa<KernelExitOp>(op))
    return "in which other work-items take part";
  if (name.starts_with("kernel.async."))
    return "which is a transfer of its own";
  bool isCall = name.ends_with(".call") || name.ends_with(".call.indirect") ||
                name.ends_with(".apply") || name.ends_with(".invoke");
  return isCall && !op->hasAttr("pure") ? "which is not pure" : StringRef();
}

static LogicalResult verifyBetween(Operation *arrive, Operation *wait) {
  for (Operation *op = arrive->getNextNode(); op != wait; op = op->getNextNode()) {
    WalkResult walked = op->walk([&](Operation *nested) {
      StringRef reason = whyNotBetween(nested);
      if (reason.empty())
        return WalkResult::advance();
      InFlightDiagnostic diag = emitCoded(nested, DiagCode::StructureBarrierPhase, "'");
      diag << getTextName(nested) << "', " << reason << ", stands between an arrival at a barrier "
           << "and its wait; there is room for work of the single work-item and pure calls";
      diag.attachNote(arrive->getLoc()) << "arrived here";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult KernelBarrierArriveOp::verify() {
  if (failed(verifyMemory(*this)))
    return failure();
  if (!getPhase().hasOneUse())
    return emitCoded(*this, DiagCode::StructureBarrierPhase,
                     "an arrival at a barrier has exactly one 'kernel.barrier.wait'; this one has ")
           << counted(std::distance(getPhase().use_begin(), getPhase().use_end()), "use");
  Operation *wait = *getPhase().user_begin();
  if (isa<KernelBarrierWaitOp>(wait) && wait->getBlock() == (*this)->getBlock())
    return verifyBetween(*this, wait);
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructureBarrierPhase, "");
  if (isa<KernelBarrierWaitOp>(wait))
    diag << "the wait for this arrival has to stand in the same block, so that every work-item "
         << "runs the same pairs";
  else
    diag << "an arrival at a barrier cannot be passed on; it is waited for where it is made";
  diag.attachNote(wait->getLoc()) << (isa<KernelBarrierWaitOp>(wait) ? "waited for here"
                                                                     : "used here");
  return diag;
}

LogicalResult KernelBarrierWaitOp::verify() {
  if (getPhase().getDefiningOp<KernelBarrierArriveOp>())
    return success();
  return emitCoded(
      *this, DiagCode::StructureBarrierPhase,
      "'kernel.barrier.wait' needs the phase of a 'kernel.barrier.arrive' in its block");
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

static LogicalResult verifyKind(Operation *op, CombiningKind kind, Type type) {
  Type element = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
  if (isFloatKind(kind) == isFloatScalar(element))
    return success();
  return emitCoded(atWord(op, stringifyCombiningKind(kind)), DiagCode::TypeOperand, "'")
         << stringifyCombiningKind(kind) << "' cannot combine values of type " << type;
}

template <typename Op> static LogicalResult verifyClusters(Op op) {
  std::optional<uint64_t> size = op.getClusterSize(), stride = op.getClusterStride();
  for (auto [value, key] : {std::pair(size, "cluster_size"), std::pair(stride, "cluster_stride")})
    if (value && static_cast<int64_t>(*value) <= 0)
      return emitCoded(op, DiagCode::StructureValue, key) << " has to be positive";
  if (stride && !size)
    return emitCoded(op, DiagCode::StructureValue, "cluster_stride needs cluster_size");
  return success();
}

LogicalResult KernelSubgroupReduceOp::verify() {
  return failure(failed(verifyKind(*this, getKind(), getValue().getType())) ||
                 failed(verifyClusters(*this)));
}
LogicalResult KernelSubgroupScanOp::verify() {
  return failure(failed(verifyKind(*this, getKind(), getValue().getType())) ||
                 failed(verifyClusters(*this)));
}
LogicalResult KernelWorkgroupReduceOp::verify() {
  return verifyKind(*this, getKind(), getValue().getType());
}
LogicalResult KernelWorkgroupScanOp::verify() {
  return verifyKind(*this, getKind(), getValue().getType());
}

} // namespace loom
