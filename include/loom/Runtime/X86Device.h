//===- X86Device.h - The processor as a device ------------------*- C++ -*-===//
#ifndef LOOM_RUNTIME_X86DEVICE_H
#define LOOM_RUNTIME_X86DEVICE_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Runtime/Device.h"
#include "loom/Target/TargetProfile.h"

namespace loom::runtime {

struct KernelFault;
class LaunchWatchdog;
class WorkgroupPool;

struct X86DeviceOptions {
  /// Threads that share the workgroups of a launch, the calling one among them. 0 stands for what
  /// the environment variable LOOM_X86_THREADS says (1 to kMaxThreads), or for all processors that
  /// this process may use.
  unsigned threads = 0;
  /// How long a launch may take; 0 for as long as it takes.
  uint64_t launchLimitMs = 0;

  static constexpr unsigned kMaxThreads = 1024;
  /// The limit of tools that are not told another one.
  static constexpr int64_t kUsualLimitMs = 60000;
};

/// Runs the kernels of one module in this process. Each kernel is specialized and compiled by
/// itself when it is prepared, so that a kernel that x86 refuses does not keep the others from
/// running.
///
/// Workgroups run on several threads in no particular order, which are made when a launch takes
/// long enough to share it; a workgroup stays on one thread. A kernel that faults ends its launch
/// with an issue of stage "launch" and kind "memory_fault", "arithmetic_fault" or "trap": the fault
/// of the first workgroup that has one; one that takes longer than the limit ends with kind
/// "timeout". The arguments are then as the kernel left them, and the
/// device can be used further. While a launch runs, the handlers of SIGSEGV, SIGBUS, SIGFPE and
/// SIGILL are the device's. Devices may be used by several threads, each device by one at a time.
class X86Device : public Device {
public:
  /// `module` is verified and its configuration bound; it has to outlive the device and stays as it
  /// is. `profile` is one of the x86 family.
  X86Device(mlir::ModuleOp module, const TargetProfile &profile,
            const X86DeviceOptions &options = {});
  ~X86Device() override;

  llvm::StringRef name() const override { return "x86"; }
  LaunchLimits limits() const override;
  /// All of them. A check that fails is skipped and the launch goes on, unless `options.reporting`
  /// is Trap: then it ends without an issue, and the event is of severity Fatal. Checks that the
  /// author wrote are carried out and reported without any option.
  std::optional<Issue> setSanitizers(const SanitizerOptions &options) override;
  /// What the compiler reports goes to the diagnostics of the module's context as well.
  std::optional<Issue> prepare(llvm::StringRef kernel) override;
  std::optional<Issue> launch(const Launch &launch) override;
  EventLog takeEvents() override;

  /// The specialized form of a kernel that was prepared, or null.
  KernelDefOp specialized(llvm::StringRef kernel) const;

private:
  struct Kernel;
  Issue makeIssue(llvm::StringRef stage, llvm::StringRef kind, const llvm::Twine &message) const;
  Issue describe(const KernelFault &fault, const Kernel &kernel, const Launch &launch) const;
  Issue describeTimeout(const KernelFault &fault, const Kernel &kernel,
                        llvm::StringRef symbol) const;
  std::unique_ptr<Kernel> compile(llvm::StringRef symbol);
  const Kernel *find(llvm::StringRef symbol) const;

  mlir::ModuleOp module;
  const TargetProfile &profile;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::optional<Issue> badOptions; ///< why nothing can be launched
  std::unique_ptr<WorkgroupPool> pool;
  uint64_t launchLimitMs;
  std::unique_ptr<LaunchWatchdog> watchdog; ///< when there is a limit
  SanitizerOptions sanitizers;
  EventLog events;
};

} // namespace loom::runtime

#endif // LOOM_RUNTIME_X86DEVICE_H
