//===- Run.h - Carrying out a plan ------------------------------*- C++ -*-===//
//
// For each work item, and for each turn of a comparison: compile, check, measure. What does not
// compile or does not pass its expectations is not measured; everything else goes on.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_RUN_H
#define LOOM_BENCH_RUN_H

#include "loom/Bench/Progress.h"
#include "loom/Bench/Results.h"
#include "loom/Check/Sample.h"
#include <functional>

namespace loom::bench {

struct RunOptions {
  MeasurePolicy policy;
  RingPolicy ring;
  /// How samples are checked, and which conditions skip them; `sample` is ignored.
  check::ExecuteOptions execution;
  /// What the compilation of kernels did and cost, as far as they were compiled. The status and the
  /// diagnostics of those that were not are added. Without it there are no compile reports.
  std::function<report::CompileReport(llvm::ArrayRef<std::string> kernels)> report;
  /// Hands over what the compiler said since the last call.
  std::function<std::vector<report::DiagnosticRow>()> takeDiagnostics;
};

/// A failure that one sample or one candidate has is in the results and nowhere else.
BenchmarkResults runBenchmarks(const BenchmarkPlan &plan, runtime::Device &device, Clock &clock,
                               Progress &progress, const RunOptions &options);

} // namespace loom::bench

#endif // LOOM_BENCH_RUN_H
