//===- TargetBounds.cpp - What records override ---------------------------===//
#include "loom/Dialect/Target/TargetRecord.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

/// Work-items in a dimension of a grid: what an AQL dispatch packet can say, and what the x86
/// device takes for the same programs to run.
static constexpr int64_t kMaxGridSize = 4294967295;

/// The bound that an override lowers, or null.
static int64_t *findBound(LaunchBounds &bounds, StringRef key) {
  int64_t *found = llvm::StringSwitch<int64_t *>(key)
                       .Case("max_flat_workgroup_size", &bounds.flatWorkgroupSize)
                       .Case("max_workgroup_storage_bytes", &bounds.storageBytes)
                       .Case("max_flat_grid_size", &bounds.flatGridSize)
                       .Default(nullptr);
  if (found || key.size() < 2 || !key.drop_back().ends_with("_"))
    return found;
  size_t axis = StringRef("xyz").find(key.back());
  if (axis == StringRef::npos)
    return nullptr;
  return llvm::StringSwitch<int64_t *>(key.drop_back(2))
      .Case("max_workgroup_size", &bounds.workgroupSize[axis])
      .Case("max_grid_size", &bounds.gridSize[axis])
      .Case("max_workgroup_count", &bounds.workgroupCount[axis])
      .Default(nullptr);
}

static LaunchBounds boundsOfProfile(const TargetProfile &profile) {
  LaunchBounds bounds;
  bounds.flatWorkgroupSize = profile.maxFlatWorkgroupSize;
  llvm::copy(profile.maxWorkgroupSize, bounds.workgroupSize.begin());
  bounds.storageBytes = profile.maxWorkgroupStorageBytes;
  bounds.gridSize.fill(kMaxGridSize);
  bounds.workgroupCount.fill(INT64_MAX);
  return bounds;
}

LaunchBounds launchBounds(Operation *record, const TargetProfile &profile) {
  return launchBounds(record, boundsOfProfile(profile));
}

LaunchBounds launchBounds(Operation *record, LaunchBounds bounds) {
  DictionaryAttr overrides = record ? overridesOfRecord(record) : DictionaryAttr();
  for (NamedAttribute entry : overrides ? overrides.getValue() : ArrayRef<NamedAttribute>()) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    int64_t *bound = findBound(bounds, entry.getName().getValue());
    if (bound && number)
      *bound = std::min(*bound, number.getInt());
  }
  return bounds;
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
  LaunchBounds bounds = boundsOfProfile(profile);
  int64_t *bound = findBound(bounds, key);
  if (!bound)
    return "is not supported on " + target;
  if (number.getInt() > *bound)
    return "is " + std::to_string(number.getInt()) + ", above the " + std::to_string(*bound) +
           " that " + target + " has";
  // Whoever launches a code object counts its workgroups.
  bool isOfGrid = key.contains("grid") || key.contains("count");
  if (isOfGrid && profile.family == TargetFamily::AMDGPU)
    return "is not supported on " + target +
           ": how many workgroups are launched is not seen by this compiler";
  return std::nullopt;
}

} // namespace loom
