//===- TargetBounds.cpp - What records override ---------------------------===//
#include "loom/Dialect/Target/TargetRecord.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

/// The limit that an override lowers, or null.
static int64_t *findLimit(LaunchLimits &limits, StringRef key) {
  int64_t *found = llvm::StringSwitch<int64_t *>(key)
                       .Case("max_flat_workgroup_size", &limits.flatWorkgroupSize)
                       .Case("max_workgroup_storage_bytes", &limits.storageBytes)
                       .Case("max_flat_grid_size", &limits.flatGridSize)
                       .Default(nullptr);
  if (found || key.size() < 2 || !key.drop_back().ends_with("_"))
    return found;
  size_t axis = StringRef("xyz").find(key.back());
  if (axis == StringRef::npos)
    return nullptr;
  return llvm::StringSwitch<int64_t *>(key.drop_back(2))
      .Case("max_workgroup_size", &limits.workgroupSize[axis])
      .Case("max_grid_size", &limits.gridSize[axis])
      .Case("max_workgroup_count", &limits.workgroups[axis])
      .Default(nullptr);
}

LaunchLimits launchLimits(Operation *record, const TargetProfile &profile) {
  LaunchLimits limits = launchLimits(profile);
  lowerByOverrides(limits, record);
  return limits;
}

void lowerByOverrides(LaunchLimits &limits, Operation *record) {
  DictionaryAttr overrides = record ? overridesOfRecord(record) : DictionaryAttr();
  for (NamedAttribute entry : overrides ? overrides.getValue() : ArrayRef<NamedAttribute>()) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    int64_t *limit = findLimit(limits, entry.getName().getValue());
    if (limit && number)
      *limit = std::min(*limit, number.getInt());
  }
}

std::optional<std::string> findOverrideProblem(Operation *record, NamedAttribute entry,
                                               const TargetProfile &profile) {
  StringRef key = entry.getName().getValue();
  std::string target = (stringifyFamily(profile.family) + ":" + Twine(profile.key)).str();
  auto number = dyn_cast<IntegerAttr>(entry.getValue());
  if (key == "subgroup_size") {
    // A record of other hardware is a problem of its own.
    const TargetProfile *required = profileOfRecord(record);
    if (!required || !satisfiesTarget(profile, *required) || profileForRecord(record, profile))
      return std::nullopt;
    return "is not supported for " + std::to_string(number.getInt()) + " work-items on " + target;
  }
  if (key == "default_pointer_bitwidth" || key == "index_bitwidth" || key == "offset_bitwidth") {
    int64_t bits = profile.kernargIndexBits;
    if (number.getInt() == bits)
      return std::nullopt;
    return "is " + std::to_string(number.getInt()) + ", but " + target + " has " +
           std::to_string(bits) + " bits";
  }
  LaunchLimits limits = launchLimits(profile);
  int64_t *limit = findLimit(limits, key);
  if (!limit)
    return "is not supported on " + target;
  if (number.getInt() > *limit)
    return "is " + std::to_string(number.getInt()) + ", above the " + std::to_string(*limit) +
           " that " + target + " has";
  // Whoever launches a code object counts its workgroups.
  bool isOfGrid = key.contains("grid") || key.contains("count");
  if (isOfGrid && profile.family == TargetFamily::AMDGPU)
    return "is not supported on " + target +
           ": how many workgroups are launched is not seen by this compiler";
  return std::nullopt;
}

} // namespace loom
