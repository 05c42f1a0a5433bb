//===- Device.h - Something that runs kernels -------------------*- C++ -*-===//
//
// The one way from checks and measurements to hardware. A device is bound to one compilation of
// one module; it compiles a kernel when it is first launched, or earlier.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_DEVICE_H
#define LOOM_RUNTIME_DEVICE_H

#include "loom/Runtime/Sanitizer.h"
#include "loom/Runtime/Tensor.h"
#include "loom/Target/TargetProfile.h"
#include <array>
#include <optional>
#include <variant>

namespace loom::runtime {

/// x, y, z.
using Extents = std::array<int64_t, 3>;

/// The physical shape of a launch. No workgroups at all are a launch that does nothing.
struct LaunchGeometry {
  Extents workgroups = {1, 1, 1};
  Extents workgroupSize = {1, 1, 1};
  int64_t storageBytes = 0; ///< the dynamic tail of workgroup memory
  /// Workgroups of a cluster; nothing without clusters.
  std::optional<Extents> clusterSize = {};
};

/// Nothing when a device with `limits` can launch `geometry`, else a sentence that names the extent
/// and the limit.
std::optional<std::string> violatedLimit(const LaunchGeometry &geometry,
                                         const LaunchLimits &limits);

/// A launch argument: a scalar by value, or a tensor whose storage the kernel reads and writes.
using Argument = std::variant<Scalar, Tensor *>;

struct Launch {
  llvm::StringRef kernel; ///< symbol without `@`
  LaunchGeometry geometry;
  llvm::ArrayRef<Argument> arguments; ///< one for each launch parameter of the kernel
};

/// Why something was not run. The fields are those of `issues` in a test report.
struct Issue {
  enum class Category {
    None,            ///< whatever has no category of its own
    CompileRejected, ///< the compiler refused the program for this device
  };
  Category category = Category::None;
  std::string provider; ///< the device; empty when it had no part in it
  std::string stage;    ///< "materialize", "launch_config", "compile", "launch"
  std::string kind;     ///< one word for programs to test
  std::string message;  ///< a sentence, with the place in front when there is one
  /// Code of the compiler's diagnostic behind it, "TARGET/002"; empty when there is none.
  std::string diagnostic;
};

class Device {
public:
  virtual ~Device();

  /// As in the `--device` flag: "x86".
  virtual llvm::StringRef name() const = 0;
  virtual LaunchLimits limits() const { return {}; }

  /// Instruments the kernels that are prepared from now on. Returns why this device cannot; the
  /// default has no instrumentation to offer.
  virtual std::optional<Issue> setSanitizers(const SanitizerOptions &options);

  /// Makes the kernel of that symbol ready to launch. Returns why it cannot be.
  virtual std::optional<Issue> prepare(llvm::StringRef kernel) { return std::nullopt; }

  /// Runs a launch of a prepared kernel to its end. `launch.geometry` is within the limits. Returns
  /// why it was not run, or nothing when it was; the arguments are unchanged in the first case.
  virtual std::optional<Issue> launch(const Launch &launch) = 0;

  /// Hands over what was reported since the last call, in the order of the source as far as it is
  /// defined. Asked after each launch.
  virtual EventLog takeEvents() { return {}; }
};

} // namespace loom::runtime

#endif // LOOM_RUNTIME_DEVICE_H
