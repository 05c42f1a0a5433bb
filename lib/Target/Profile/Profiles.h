//===- Profiles.h - The profile tables, one per family ----------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_PROFILE_PROFILES_H
#define LOOM_LIB_TARGET_PROFILE_PROFILES_H

#include "loom/Target/TargetProfile.h"

namespace loom {

llvm::ArrayRef<TargetProfile> amdgpuProfiles();
llvm::ArrayRef<TargetProfile> x86Profiles();

/// A second spelling of a profile's key.
struct ProfileAlias {
  const char *alias;
  const char *key;
};
llvm::ArrayRef<ProfileAlias> x86ProfileAliases();

/// Key of the generic profile whose code also runs on the AMDGPU profile `key`; empty when LLVM
/// defines none for it.
llvm::StringRef amdgpuGenericOf(llvm::StringRef key);

} // namespace loom

#endif // LOOM_LIB_TARGET_PROFILE_PROFILES_H
