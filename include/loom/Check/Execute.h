//===- Execute.h - Running planned samples ----------------------*- C++ -*-===//
#ifndef LOOM_CHECK_EXECUTE_H
#define LOOM_CHECK_EXECUTE_H

#include "loom/Check/Plan.h"
#include "loom/Check/TestReport.h"
#include "loom/Runtime/Device.h"
#include <functional>

namespace loom::check {

/// Where the time of a run goes, by the monotonic clock of the host.
struct RunTimes {
  uint64_t launches = 0;  ///< that were run
  uint64_t launchNs = 0;  ///< from handing a launch to the device to its end
  uint64_t compileNs = 0; ///< of kernels, at their first launch
};

struct ExecuteOptions {
  /// The one sample to run of each planned case; nothing for all.
  std::optional<uint64_t> sample;
  /// The one trial to run of each planned scenario; nothing for all.
  std::optional<uint64_t> trial;
  /// Where tensors are put.
  runtime::Placement placement = runtime::Placement::Heap;
  /// The folders that relative paths of check.file.read.npy and check.file.write.npy begin in;
  /// empty for the working directory.
  std::string inputFolder, outputFolder;
  /// Who answers check.requires and check.skip_if. Nobody is registered when this is null.
  const Conditions *conditions = nullptr;
  /// Receives the times, added to what it holds; nothing is timed when this is null.
  RunTimes *times = nullptr;
  /// The kernel whose launch configuration is evaluated for a symbol that the device has prepared:
  /// the one that was compiled. The default is the kernel of the plan's module.
  std::function<KernelDefOp(llvm::StringRef symbol)> resolveKernel;
};

/// Runs one sample with values of its own, so that no sample sees what another one wrote. A tensor
/// argument passes its storage: expectations on the value see what kernels wrote. Whatever keeps
/// the sample from running to its end becomes its issue. To run many samples of a case, use one
/// object of Sample.h.
SampleResult runSample(const CasePlan &plan, uint64_t ordinal, runtime::Device &device,
                       const ExecuteOptions &options = {});

/// Runs one trial of a scenario, counted over all configurations.
TrialResult runTrial(const ScenarioPlan &plan, uint64_t ordinal, runtime::Device &device,
                     const ExecuteOptions &options = {});

/// Runs the samples of every case and the trials of every scenario, in order, but for those whose
/// conditions skip them. The error says that options.sample is not a sample of a case, or
/// options.trial not a trial of a scenario; then nothing was run.
llvm::Expected<TestReport> runPlan(const TestPlan &plan, runtime::Device &device,
                                   const ExecuteOptions &options = {});

} // namespace loom::check

#endif // LOOM_CHECK_EXECUTE_H
