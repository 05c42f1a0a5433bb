//===- X86Device.h - The processor as a device ------------------*- C++ -*-===//
#ifndef LOOM_RUNTIME_X86DEVICE_H
#define LOOM_RUNTIME_X86DEVICE_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Runtime/Device.h"
#include "loom/Target/TargetProfile.h"

namespace loom::runtime {

/// Runs the kernels of one module in this process, the workgroups of a launch one after another.
/// Each kernel is specialized and compiled by itself when it is prepared, so that a kernel that x86
/// refuses does not keep the others from running.
class X86Device : public Device {
public:
  /// `module` is verified and its configuration bound; it has to outlive the device and stays as it
  /// is. `profile` is one of the x86 family.
  X86Device(mlir::ModuleOp module, const TargetProfile &profile);
  ~X86Device() override;

  llvm::StringRef name() const override { return "x86"; }
  LaunchLimits limits() const override;
  /// What the compiler reports goes to the diagnostics of the module's context as well.
  std::optional<Issue> prepare(llvm::StringRef kernel) override;
  std::optional<Issue> launch(const Launch &launch) override;

  /// The specialized form of a kernel that was prepared, or null.
  KernelDefOp specialized(llvm::StringRef kernel) const;

private:
  struct Kernel;
  std::unique_ptr<Kernel> compile(llvm::StringRef symbol);
  const Kernel *find(llvm::StringRef symbol) const;

  mlir::ModuleOp module;
  const TargetProfile &profile;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

} // namespace loom::runtime

#endif // LOOM_RUNTIME_X86DEVICE_H
