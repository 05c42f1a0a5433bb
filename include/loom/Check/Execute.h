//===- Execute.h - Running planned samples ----------------------*- C++ -*-===//
#ifndef LOOM_CHECK_EXECUTE_H
#define LOOM_CHECK_EXECUTE_H

#include "loom/Check/Plan.h"
#include "loom/Check/TestReport.h"
#include "loom/Runtime/Device.h"
#include <functional>

namespace loom::check {

struct ExecuteOptions {
  /// The one sample to run of each planned case; nothing for all.
  std::optional<uint64_t> sample;
  /// Where tensors are put.
  runtime::Placement placement = runtime::Placement::Heap;
  /// The kernel whose launch configuration is evaluated for a symbol that the device has prepared:
  /// the one that was compiled. The default is the kernel of the plan's module.
  std::function<KernelDefOp(llvm::StringRef symbol)> resolveKernel;
};

/// Runs one sample with values of its own, so that no sample sees what another one wrote. A tensor
/// argument passes its storage: expectations on the value see what kernels wrote. Whatever keeps
/// the sample from running to its end becomes its issue.
SampleResult runSample(const CasePlan &plan, uint64_t ordinal, runtime::Device &device,
                       const ExecuteOptions &options = {});

/// Runs the samples of every case, in order. The error says that options.sample is not a sample of
/// a case; then nothing was run.
llvm::Expected<TestReport> runPlan(const TestPlan &plan, runtime::Device &device,
                                   const ExecuteOptions &options = {});

} // namespace loom::check

#endif // LOOM_CHECK_EXECUTE_H
