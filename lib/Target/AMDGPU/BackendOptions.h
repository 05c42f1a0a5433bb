//===- BackendOptions.h - LLVM's global options, set and restored -*- C++ -*-===//
//
// Some choices of LLVM's AMDGPU back end exist only as global command-line options. This class sets
// them for one compilation and puts the old values back, so that a compilation neither depends on
// what ran before it nor leaves anything behind (design decision 10). Whoever holds one of it also
// holds `backendMutex()` (Common/LinkedTargets.h).
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_BACKENDOPTIONS_H
#define LOOM_LIB_TARGET_AMDGPU_BACKENDOPTIONS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <vector>

namespace loom::amdgpu {

/// Sets the options that the AMDGPU pipeline needs; the destructor restores the former values.
class ScopedBackendOptions {
public:
  ScopedBackendOptions() = default;
  ScopedBackendOptions(const ScopedBackendOptions &) = delete;
  ScopedBackendOptions &operator=(const ScopedBackendOptions &) = delete;
  ~ScopedBackendOptions();

  /// Fails when the linked LLVM has no option of an expected name and type.
  llvm::Error apply();

private:
  template <typename OptionT, typename ValueT> llvm::Error set(llvm::StringRef name, ValueT value);

  std::vector<std::function<void()>> restorers;
};

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_BACKENDOPTIONS_H
