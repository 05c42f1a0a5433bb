//===- Device.cpp - Something that runs kernels ---------------------------===//
#include "loom/Runtime/Device.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace loom::runtime {

Device::~Device() = default;

std::optional<Issue> Device::setSanitizers(const SanitizerOptions &options) {
  if (!options.any())
    return std::nullopt;
  Issue issue;
  issue.provider = name().str();
  issue.stage = "compile";
  issue.kind = "unsupported_sanitizer";
  issue.message = "the device " + name().str() +
                  " has no instrumentation for --sanitizer=" + stringifySanitizers(options);
  return issue;
}

static std::string exceeds(const Twine &what, int64_t value, int64_t limit) {
  return (what + " is " + Twine(value) + "; the limit is " + Twine(limit)).str();
}

std::optional<std::string> violatedLimit(const LaunchGeometry &geometry,
                                         const LaunchLimits &limits) {
  static constexpr char axes[] = "xyz";
  int64_t flat = 1, items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    std::string axis(1, axes[i]);
    int64_t count = geometry.workgroups[i], size = geometry.workgroupSize[i];
    if (count < 0)
      return "the number of workgroups in " + axis + " is " + std::to_string(count) +
             "; it cannot be negative";
    if (size <= 0)
      return "the workgroup size in " + axis + " is " + std::to_string(size) +
             "; it has to be positive";
    if (size > limits.workgroupSize[i])
      return exceeds("the workgroup size in " + axis, size, limits.workgroupSize[i]);
    // Below the limits that were just checked neither product leaves 64 bits.
    flat *= size;
    if (count > limits.gridSize[i] / size)
      return "the grid in " + axis + " has " + std::to_string(count) + " workgroups of " +
             std::to_string(size) + " work-items; the limit is " +
             std::to_string(limits.gridSize[i]) + " work-items";
    if (count > limits.workgroups[i])
      return exceeds("the number of workgroups in " + axis, count, limits.workgroups[i]);
    if (llvm::MulOverflow(items, count * size, items) || items > limits.flatGridSize)
      return "the grid has more than " + std::to_string(limits.flatGridSize) +
             " work-items, which is the limit";
    int64_t cluster = geometry.clusterSize ? (*geometry.clusterSize)[i] : 1;
    if (cluster <= 0)
      return "the extent of a cluster in " + axis + " is " + std::to_string(cluster) +
             "; it has to be positive";
    if (count % cluster)
      return "the number of workgroups in " + axis + " is " + std::to_string(count) +
             ", which is not a multiple of the " + std::to_string(cluster) + " of a cluster";
  }
  if (flat > limits.flatWorkgroupSize)
    return exceeds("the number of work-items in a workgroup", flat, limits.flatWorkgroupSize);
  if (geometry.storageBytes > limits.storageBytes)
    return exceeds("the dynamic workgroup memory in bytes", geometry.storageBytes,
                   limits.storageBytes);
  return std::nullopt;
}

} // namespace loom::runtime
