//===- KernelAsync.cpp - Transfers that run beside the kernel -------------===//
#include "KernelSupport.h"
#include "loom/IR/MemoryRules.h"

namespace loom {
using namespace mlir;

/// Bytes of `shape` elements of `element`; nothing when an extent is a value or the sum is too
/// large.
static std::optional<int64_t> countBytes(ArrayRef<int64_t> shape, Type element) {
  if (!isPayloadScalar(element))
    return std::nullopt;
  int64_t bytes = getElementBytes(element);
  for (int64_t extent : shape)
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

static std::optional<int64_t> countBytes(Value view) {
  auto type = cast<ViewType>(view.getType());
  return countBytes(type.getShape(), type.getElementType());
}

/// Reports a view whose number of bytes is not known at compile time.
static LogicalResult refuseSize(Operation *op, Value view) {
  return emitCoded(op, DiagCode::TypeOperand, "'")
         << getTextName(op) << "' moves a number of bytes that is known at compile time, but "
         << view.getType() << " has none";
}

//===----------------------------------------------------------------------===//
// Rules of all transfers
//===----------------------------------------------------------------------===//

/// A token goes straight into one group.
static LogicalResult verifyToken(Operation *op) {
  Value token = op->getResult(0);
  if (!token.hasOneUse())
    return emitCoded(op, DiagCode::DominanceUseCount,
                     "the token of a transfer belongs into exactly one 'kernel.async.group'; this "
                     "one has ")
           << counted(std::distance(token.use_begin(), token.use_end()), "use");
  Operation *user = *token.user_begin();
  if (isa<KernelAsyncGroupOp>(user))
    return success();
  InFlightDiagnostic diag =
      emitCoded(op, DiagCode::DominanceOrigin,
                "the token of a transfer goes into a 'kernel.async.group' only");
  diag.attachNote(user->getLoc()) << "used here";
  return diag;
}

template <typename Op> static LogicalResult verifyTransfer(Op op, CacheUse use) {
  return failure(failed(verifyCache(op, op.getCacheScope(), op.getCacheTemporal(), use)) ||
                 failed(verifyToken(op)));
}

static CacheUse useOf(AsyncDirection direction) {
  return direction == AsyncDirection::workgroup_to_global ? CacheUse::Store : CacheUse::Load;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Both views have the same number of bytes.
static LogicalResult verifyEqualBytes(Operation *op, Value source, Value destination) {
  std::optional<int64_t> from = countBytes(source), to = countBytes(destination);
  if (!from || !to)
    return refuseSize(op, from ? destination : source);
  if (from == to)
    return success();
  return emitCoded(op, DiagCode::TypeOperand, "the source has ")
         << *from << " bytes, the destination " << *to << "; they have to be as many";
}

/// A row of the destination holds the source.
static LogicalResult verifyRows(Operation *op, Value source, Value destination) {
  auto type = cast<ViewType>(destination.getType());
  if (type.getShape().empty())
    return emitCoded(op, DiagCode::TypeOperand,
                     "the destination of a gather has an axis of lanes in front, but ")
           << type << " has no axis";
  std::optional<int64_t> from = countBytes(source);
  std::optional<int64_t> row = countBytes(type.getShape().drop_front(), type.getElementType());
  if (!from || !row)
    return refuseSize(op, from ? destination : source);
  if (*row >= *from)
    return success();
  return emitCoded(op, DiagCode::TypeOperand, "a row of the destination has ")
         << *row << " bytes, too few for the " << *from << " of the source";
}

static LogicalResult verifyShared(Operation *op, Value source, Value destination) {
  if (failed(verifyEqualBytes(op, source, destination)))
    return failure();
  int64_t bytes = *countBytes(source);
  if (bytes == 1 || bytes == 4 || bytes == 8 || bytes == 16)
    return success();
  return emitCoded(op, DiagCode::TypeOperand, "a cluster gather moves 1, 4, 8 or 16 bytes, not ")
         << bytes;
}

LogicalResult KernelAsyncCopyOp::verify() {
  if (failed(verifyEqualBytes(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, useOf(getDirection()));
}
LogicalResult KernelAsyncCopyMaskOp::verify() {
  if (failed(verifyEqualBytes(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, useOf(getDirection()));
}
LogicalResult KernelAsyncGatherOp::verify() {
  if (failed(verifyRows(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Load);
}
LogicalResult KernelAsyncGatherMaskOp::verify() {
  if (failed(verifyRows(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Load);
}
LogicalResult KernelAsyncClusterGatherOp::verify() {
  if (failed(verifyShared(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Load);
}
LogicalResult KernelAsyncClusterGatherMaskOp::verify() {
  if (failed(verifyShared(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Load);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static bool isTransfer(Operation *op) {
  return op && getTextName(op).starts_with("kernel.async.") && op->getNumResults() == 1 &&
         isa<AsyncTokenType>(op->getResult(0).getType());
}

LogicalResult KernelAsyncGroupOp::verify() {
  for (Value token : getTokens())
    if (!isTransfer(token.getDefiningOp()))
      return emitCoded(*this, DiagCode::DominanceOrigin,
                       "a group takes its tokens straight from transfers, not from parameters or "
                       "other operations");
  if (getGroup().use_empty())
    return emitCoded(*this, DiagCode::DominanceUseCount,
                     "nothing waits for this group of transfers");
  return success();
}

LogicalResult KernelAsyncWaitOp::verify() {
  int64_t newer = getNewerGroups();
  if (newer >= 0 && newer <= 65535)
    return success();
  return emitCoded(*this, DiagCode::StructureValue,
                   "newer_groups is a number from 0 to 65535, not ")
         << newer;
}

//===----------------------------------------------------------------------===//
// Tensor transfers of AMDGPU
//===----------------------------------------------------------------------===//

LogicalResult KernelTensorLdsDescriptorOp::verify() {
  static constexpr int64_t kLanes[] = {4, 8, 4, 4};
  if (getGroups().size() != 2 && getGroups().size() != 4)
    return emitCoded(*this, DiagCode::StructureOperandCount,
                     "a tensor descriptor has two or four register groups, not ")
           << getGroups().size();
  for (auto [group, lanes] : llvm::zip(getGroups(), kLanes)) {
    auto type = cast<VectorType>(group.getType());
    if (type.getElementType().isInteger(32) && type.getShape() == ArrayRef<int64_t>{lanes})
      continue;
    return emitCoded(*this, DiagCode::TypeOperand,
                     "the register groups of a tensor descriptor are vector<4xi32>, "
                     "vector<8xi32>, vector<4xi32>, vector<4xi32>, not ")
           << type;
  }
  return success();
}

static LogicalResult verifyTensors(Operation *op, Value source, Value destination) {
  auto from = cast<ViewType>(source.getType()), to = cast<ViewType>(destination.getType());
  size_t rank = from.getShape().size();
  if (rank != to.getShape().size() || rank < 1 || rank > 5)
    return emitCoded(op, DiagCode::TypeOperand,
                     "a tensor transfer has views of the same rank, 1 to 5, not ")
           << from << " and " << to;
  auto bytes = [](ViewType view) {
    return isPayloadScalar(view.getElementType()) ? getElementBytes(view.getElementType()) : 0;
  };
  if (bytes(from) == bytes(to) && bytes(from) > 0)
    return success();
  return emitCoded(op, DiagCode::TypeOperand,
                   "a tensor transfer has elements of the same 1, 2, 4 or 8 bytes, not ")
         << from.getElementType() << " and " << to.getElementType();
}

LogicalResult KernelAsyncTensorLoadOp::verify() {
  if (failed(verifyTensors(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Load);
}
LogicalResult KernelAsyncTensorStoreOp::verify() {
  if (failed(verifyTensors(*this, getSource(), getDestination())))
    return failure();
  return verifyTransfer(*this, CacheUse::Store);
}

} // namespace loom
