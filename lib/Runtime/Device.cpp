//===- Device.cpp - Something that runs kernels ---------------------------===//
#include "loom/Runtime/Device.h"
#include "llvm/ADT/Twine.h"

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
  int64_t flat = 1;
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
    if (count > limits.gridSize / size)
      return "the grid in " + axis + " has " + std::to_string(count) + " workgroups of " +
             std::to_string(size) + " work-items; the limit is " + std::to_string(limits.gridSize) +
             " work-items";
  }
  if (flat > limits.flatWorkgroupSize)
    return exceeds("the number of work-items in a workgroup", flat, limits.flatWorkgroupSize);
  if (geometry.storageBytes > limits.storageBytes)
    return exceeds("the dynamic workgroup memory in bytes", geometry.storageBytes,
                   limits.storageBytes);
  return std::nullopt;
}

} // namespace loom::runtime
