//===- TargetProfile.cpp - Looking profiles up ----------------------------===//
#include "loom/Target/TargetProfile.h"
#include "Profiles.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace loom {

StringRef stringifyFamily(TargetFamily family) {
  return family == TargetFamily::AMDGPU ? "amdgpu" : "x86";
}

ArrayRef<TargetProfile> targetProfiles(TargetFamily family) {
  return family == TargetFamily::AMDGPU ? amdgpuProfiles() : x86Profiles();
}

static ArrayRef<ProfileAlias> profileAliases(TargetFamily family) {
  return family == TargetFamily::X86 ? x86ProfileAliases() : ArrayRef<ProfileAlias>();
}

static const TargetProfile *lookupKey(TargetFamily family, StringRef key) {
  for (const ProfileAlias &alias : profileAliases(family))
    if (key == alias.alias)
      key = alias.key;
  for (const TargetProfile &profile : targetProfiles(family))
    if (key == profile.key)
      return &profile;
  return nullptr;
}

/// The known spellings nearest to `spelling`: bare selectors when the user wrote no colon and a
/// family is implied, full spellings otherwise.
static std::vector<std::string> nearestSpellings(StringRef spelling,
                                                 std::optional<TargetFamily> defaultFamily) {
  bool bare = !spelling.contains(':');
  std::vector<std::string> known;
  auto add = [&](TargetFamily family, StringRef key) {
    if (bare && defaultFamily == family)
      known.push_back(key.str());
    else
      known.push_back((Twine(stringifyFamily(family)) + ":" + key).str());
  };
  for (TargetFamily family : {TargetFamily::AMDGPU, TargetFamily::X86}) {
    for (const TargetProfile &profile : targetProfiles(family))
      add(family, profile.key);
    for (const ProfileAlias &alias : profileAliases(family))
      add(family, alias.alias);
  }
  std::vector<std::string> near = nearMatches(spelling, known);
  // The profiles of x86 are few enough to name them all.
  if (near.empty() && spelling.starts_with("x86:"))
    llvm::copy_if(known, std::back_inserter(near),
                  [](StringRef name) { return name.starts_with("x86:"); });
  return near;
}

LaunchLimits launchLimits(const TargetProfile &profile) {
  LaunchLimits limits;
  limits.flatWorkgroupSize = profile.maxFlatWorkgroupSize;
  llvm::copy(profile.maxWorkgroupSize, limits.workgroupSize.begin());
  limits.storageBytes = profile.maxWorkgroupStorageBytes;
  return limits;
}

const TargetProfile *lookupTargetProfile(StringRef spelling,
                                         std::optional<TargetFamily> defaultFamily,
                                         std::vector<std::string> *suggestions) {
  auto [first, second] = spelling.split(':');
  std::optional<TargetFamily> family = defaultFamily;
  StringRef key = spelling;
  if (spelling.contains(':')) {
    family = StringSwitch<std::optional<TargetFamily>>(first)
                 .Case("amdgpu", TargetFamily::AMDGPU)
                 .Case("x86", TargetFamily::X86)
                 .Default(std::nullopt);
    key = second;
  }
  if (family)
    if (const TargetProfile *profile = lookupKey(*family, key))
      return profile;
  if (suggestions)
    *suggestions = nearestSpellings(spelling, defaultFamily);
  return nullptr;
}

bool satisfiesTarget(const TargetProfile &actual, const TargetProfile &required) {
  if (actual.family != required.family)
    return false;
  StringRef actualKey = actual.key, requiredKey = required.key;
  if (actualKey == requiredKey)
    return true;
  return actual.family == TargetFamily::AMDGPU && required.generic &&
         amdgpuGenericOf(actualKey) == requiredKey;
}

} // namespace loom
