//===- KernelPositions.cpp - Where a work-item is -------------------------===//
#include "KernelSupport.h"
#include "mlir/IR/Matchers.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

LogicalResult verifyInKernel(Operation *op) {
  Operation *top = op->getParentOp();
  while (top && !isa<KernelDefOp>(top) && !isa_and_nonnull<ModuleOp>(top->getParentOp()))
    top = top->getParentOp();
  if (auto kernel = dyn_cast_or_null<KernelDefOp>(top)) {
    if (kernel.getBody().isAncestor(op->getParentRegion()))
      return success();
    return emitCoded(op, DiagCode::StructurePlacement, "'")
           << getTextName(op) << "' asks about the running device; a launch configuration is "
           << "computed before the launch";
  }
  if (!top)
    return success();
  StringRef name = getTextName(top);
  auto policy = top->getAttrOfType<InlinePolicyAttr>("inline_policy");
  if (name == "template.def" || (policy && policy.getValue() == InlinePolicy::Inline))
    return success();
  return emitCoded(op, DiagCode::StructurePlacement, "'")
         << getTextName(op) << "' needs a kernel around it; in a function it needs the modifier "
         << "'inline'";
}

LogicalResult verifyOutsideKernel(Operation *op) {
  if (!op->getParentOfType<KernelDefOp>())
    return success();
  // What stands in a schedule only follows from where the schedule stands.
  if (isa<KernelLaunchSerialOp, KernelLaunchConcurrentOp>(op->getParentOp()))
    return success();
  return emitCoded(op, DiagCode::StructurePlacement, "'")
         << getTextName(op) << "' runs on the host; a kernel cannot launch another kernel";
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The constant that `value` is, when it is positive.
static std::optional<int64_t> exactPositive(Value value) {
  IntegerAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  int64_t extent = constant.getValue().getSExtValue();
  return extent > 0 ? std::optional<int64_t>(extent) : std::nullopt;
}

static KernelLaunchConfigOp configAround(Operation *op) {
  auto kernel = dyn_cast<KernelDefOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<KernelDefOp>();
  return kernel ? getLaunchConfig(kernel) : KernelLaunchConfigOp();
}

std::optional<int64_t> exactExtent(Operation *op, unsigned operand) {
  KernelLaunchConfigOp config = configAround(op);
  return config ? exactPositive(config->getOperand(operand)) : std::nullopt;
}

std::optional<int64_t> exactClusterSize(Operation *op, unsigned axis) {
  KernelLaunchConfigOp config = configAround(op);
  if (!config)
    return std::nullopt;
  if (config.getClusterSize().size() != 3)
    return 1;
  return exactPositive(config.getClusterSize()[axis]);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Limits that hold on every target where the launch configuration says nothing: a workgroup has
/// at most 1024 work-items on every profile of the target tables, a grid at most 2^32 - 1
/// work-items in a dimension (the AQL dispatch packet has 32 bits for each).
static constexpr int64_t kMaxWorkgroupSize = 1024, kMaxGridSize = 4294967295;

static void setRange(SetIntRangeFn set, Value value, int64_t low, int64_t high) {
  set(value, ConstantIntRanges::fromSigned(APInt(64, low, true), APInt(64, high, true)));
}

/// Of an id below `extent`, or below `limit` where the extent is not exact.
static void setId(SetIntRangeFn set, Value value, std::optional<int64_t> extent, int64_t limit) {
  setRange(set, value, 0, extent.value_or(limit) - 1);
}
static void setExtent(SetIntRangeFn set, Value value, std::optional<int64_t> extent,
                      int64_t limit) {
  setRange(set, value, extent.value_or(1), extent.value_or(limit));
}

template <typename Op> static std::optional<int64_t> exactCount(Op op) {
  return exactExtent(op, static_cast<unsigned>(op.getDimension()));
}
template <typename Op> static std::optional<int64_t> exactSize(Op op) {
  return exactExtent(op, 3 + static_cast<unsigned>(op.getDimension()));
}
/// The number of clusters along an axis.
template <typename Op> static std::optional<int64_t> exactClusters(Op op) {
  std::optional<int64_t> count = exactCount(op);
  std::optional<int64_t> size = exactClusterSize(op, static_cast<unsigned>(op.getDimension()));
  if (!count || !size || *count % *size != 0)
    return std::nullopt;
  return *count / *size;
}

#define LOOM_RANGE(Op) void Op::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set)

LOOM_RANGE(KernelWorkitemIdOp) { setId(set, getResult(), exactSize(*this), kMaxWorkgroupSize); }
LOOM_RANGE(KernelWorkgroupIdOp) { setId(set, getResult(), exactCount(*this), kMaxGridSize); }
LOOM_RANGE(KernelWorkgroupSizeOp) {
  setExtent(set, getResult(), exactSize(*this), kMaxWorkgroupSize);
}
LOOM_RANGE(KernelWorkgroupCountOp) { setExtent(set, getResult(), exactCount(*this), kMaxGridSize); }
LOOM_RANGE(KernelClusterIdOp) { setId(set, getResult(), exactClusters(*this), kMaxGridSize); }
LOOM_RANGE(KernelClusterCountOp) {
  setExtent(set, getResult(), exactClusters(*this), kMaxGridSize);
}
LOOM_RANGE(KernelClusterWorkgroupIdOp) {
  setId(set, getResult(), exactClusterSize(*this, static_cast<unsigned>(getDimension())),
        kMaxGridSize);
}
LOOM_RANGE(KernelClusterSizeOp) {
  setExtent(set, getResult(), exactClusterSize(*this, static_cast<unsigned>(getDimension())),
            kMaxGridSize);
}

LOOM_RANGE(KernelDispatchIdOp) {
  std::optional<int64_t> count = exactCount(*this), size = exactSize(*this);
  int64_t total;
  if (!count || !size || llvm::MulOverflow(*count, *size, total) || total > kMaxGridSize)
    total = kMaxGridSize;
  setRange(set, getResult(), 0, total - 1);
}

LOOM_RANGE(KernelClusterFlatIdOp) {
  int64_t total = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::optional<int64_t> size = exactClusterSize(*this, axis);
    if (!size || llvm::MulOverflow(total, *size, total) || total > kMaxGridSize) {
      total = kMaxGridSize;
      break;
    }
  }
  setRange(set, getResult(), 0, total - 1);
}

// A workgroup has no more subgroups than work-items. How wide a subgroup is only the target knows:
// `target.subgroup.size` has the same range.
LOOM_RANGE(KernelSubgroupIdOp) { setRange(set, getResult(), 0, kMaxWorkgroupSize - 1); }
LOOM_RANGE(KernelSubgroupCountOp) { setRange(set, getResult(), 1, kMaxWorkgroupSize); }
LOOM_RANGE(KernelSubgroupSizeOp) { setRange(set, getResult(), 1, kMaxGridSize); }
LOOM_RANGE(KernelSubgroupLaneIdOp) { setRange(set, getResult(), 0, kMaxGridSize - 1); }

#undef LOOM_RANGE

} // namespace loom
