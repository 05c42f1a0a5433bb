//===- Results.h - What a run of benchmarks found ---------------*- C++ -*-===//
//
// The model of a result document and its two forms: a snapshot, one object, and rows, one object a
// line. A fact that was not established is left out; zero is always a measured zero. Everything but
// times is the same in every run of the same program with the same flags.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_RESULTS_H
#define LOOM_BENCH_RESULTS_H

#include "loom/Bench/Bindings.h"
#include "loom/Bench/Plan.h"
#include "loom/Check/TestReport.h"
#include "loom/Report/CompileReport.h"
#include "loom/Support/Json.h"

namespace loom::bench {

enum class RowState { Planned, Ok, Failed, Skipped };
/// "planned", "ok", "failed", "skipped".
llvm::StringRef stringifyRowState(RowState state);

/// Why something was not measured, or was skipped.
struct Failure {
  std::string entry; ///< kernel without `@`; empty when it is not about one
  std::string stage, kind, message;
  /// What the compiler said; nothing where nobody listened.
  std::optional<std::vector<report::DiagnosticRow>> diagnostics;
};

/// One launch of a sample, as it was checked.
struct LaunchRecord {
  uint64_t caseSample = 0;
  uint64_t step = 0; ///< among the launches of the sample
  std::string entry;
  /// Types as the language spells them, and values.
  std::vector<std::pair<std::string, runtime::Scalar>> workload;
  runtime::LaunchGeometry geometry;
};

/// What inputs a batch found in which state.
struct DataCache {
  uint64_t bindingCount = 0, ringCount = 0, setBytes = 0;
  uint64_t dispatchesPerBatch = 0, requestedBytes = 0;

  uint64_t ringBytes() const { return ringCount * setBytes; }
};

/// Everything that is known of a work item, or of one turn of a comparison.
struct Evidence {
  RowState state = RowState::Planned;
  uint64_t checkedSamples = 0, failedSamples = 0; ///< before the timing
  std::vector<LaunchRecord> launches;
  std::optional<IterationMeasurement> iterations;
  std::optional<BatchMeasurement> batches;
  uint64_t samplesPerIteration = 0;
  uint64_t failedTimedSamples = 0; ///< while timing end to end
  uint64_t dispatchesPerOperation = 0;
  std::optional<DataCache> dataCache;
  std::optional<report::CompileReport> report;
  std::optional<Failure> failure;
};

/// The compilation of a kernel for a candidate.
struct CompileRow {
  uint64_t candidate = 0;
  std::string entry;
  std::optional<Failure> failure;
  std::optional<report::CompileReport> report;
};

struct CheckedSample {
  uint64_t candidate = 0, workItem = 0;
  uint64_t benchmarkSample = 0; ///< position among the samples of the candidate
  check::SampleResult result;
};

struct BenchmarkResults {
  std::vector<Evidence> workItems;   ///< by position in the plan
  std::vector<Evidence> repetitions; ///< by position in the plan
  std::vector<CompileRow> compiles;
  /// By candidate, over all of its kernels.
  std::vector<std::optional<report::CompileReport>> reports;
  std::vector<CheckedSample> samples;

  /// Results of a plan that was not carried out.
  static BenchmarkResults planned(const BenchmarkPlan &plan);
  uint64_t failedSampleCount() const;
};

/// Medians over the turns of a candidate beside those of the baseline.
struct Comparison {
  struct Side {
    std::vector<uint64_t> p50, p90; ///< of an operation, by turn
  };
  uint64_t candidate = 0;
  Side baseline, compared;
};
/// One for each candidate after the baseline, as long as both have a turn that was measured.
std::vector<Comparison> compareRepetitions(const BenchmarkPlan &plan,
                                           const BenchmarkResults &results, uint64_t batchSize);

/// Whether all that was planned was measured and correct; what is skipped does not count unless it
/// was to be compared.
bool succeeded(const BenchmarkPlan &plan, const BenchmarkResults &results);

/// The device as the document describes it.
struct DeviceDescription {
  std::string uri, driver, provider, targetFamily;
  std::string id;             ///< empty while the device is only planned
  Json spec = Json::object(); ///< facts of the device that was created
};

/// Where artifacts of a run go.
struct ArtifactBundle {
  std::string dir, policy;
};

/// What the document says about the run as a whole.
struct RunDescription {
  std::string runId, source, resultsPath, fileOutputDir;
  std::optional<ArtifactBundle> bundle;
  bool dryRun = false;
  std::string sanitizer = "none", sanitizerReporting = "default";
  DeviceDescription device;
  MeasurePolicy policy;
  RingPolicy ring;
  uint64_t maxSamples = check::PlanOptions::kDefaultMaxSamples;
  std::optional<uint64_t> selectedSample;
  Interleave interleave = Interleave::Ababa;
  /// Flags of the policy, whether they were given.
  std::vector<std::pair<std::string, bool>> overrides;
};

/// The name of the compile report of a candidate in the folder of a bundle.
std::string compileReportPath(const RunDescription &run, const Candidate &candidate);
/// The row around a compile report that `loom-compile-report` reads; of the kernel `entry`, or of
/// all kernels of the candidate when that is empty.
Json compileReportEnvelope(const RunDescription &run, const Candidate &candidate,
                           llvm::StringRef entry, const report::CompileReport &report);

/// The document as one object on a line.
std::string toSnapshot(const RunDescription &run, const BenchmarkPlan &plan,
                       const BenchmarkResults &results);
/// The document as rows.
std::string toRows(const RunDescription &run, const BenchmarkPlan &plan,
                   const BenchmarkResults &results);

} // namespace loom::bench

#endif // LOOM_BENCH_RESULTS_H
