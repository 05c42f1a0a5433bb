//===- Launch.h - From launch operations to launches ------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_LAUNCH_H
#define LOOM_LIB_CHECK_LAUNCH_H

#include "Slots.h"
#include "loom/Check/Sample.h"

namespace loom::check {

/// Compiles kernels on a device and resolves their launches. Remembers the diagnostic with which a
/// kernel was refused: it is reported on the context once, when the kernel is first asked for.
class Launcher {
public:
  Launcher(mlir::ModuleOp module, runtime::Device &device, const ExecuteOptions &options)
      : module(module), device(device), options(options) {}

  /// Has the device compile `symbol`. Returns why it is refused.
  std::optional<runtime::Issue> compile(llvm::StringRef symbol);
  /// Compiles the kernel of `launch` and evaluates the geometry for its workload and arguments.
  std::optional<runtime::Issue> resolve(PreparedLaunch &launch);
  /// Launches and adds what the device reports to `log`. A kernel that wrote beside a guarded
  /// tensor is an issue like one that faults.
  std::optional<runtime::Issue> run(const PreparedLaunch &launch, runtime::EventLog &log);

private:
  KernelDefOp kernelOf(llvm::StringRef symbol);
  std::optional<runtime::Issue> findStrayWrite(const PreparedLaunch &launch);
  std::optional<runtime::Issue> prepare(llvm::StringRef symbol);
  std::optional<runtime::Issue> launchTimed(const runtime::Launch &launch);

  mlir::ModuleOp module;
  runtime::Device &device;
  const ExecuteOptions &options;
  std::map<std::string, std::string> diagnostics; ///< by kernel
};

/// The value of a launch argument: the storage of a tensor, or a scalar.
runtime::Argument argumentOf(mlir::Value value, Slots &slots);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_LAUNCH_H
