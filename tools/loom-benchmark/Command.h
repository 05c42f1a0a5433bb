//===- Command.h - One run of loom-benchmark --------------------*- C++ -*-===//
#ifndef LOOM_TOOLS_LOOM_BENCHMARK_COMMAND_H
#define LOOM_TOOLS_LOOM_BENCHMARK_COMMAND_H

#include "loom/Bench/Results.h"
#include "loom/Runtime/X86Device.h"
#include <string>
#include <vector>

namespace loom::bench {

/// The command line. Numbers have their flags' ranges.
struct Options {
  std::string tool; ///< the name it was called by
  std::vector<std::string> commandLine;
  std::vector<std::string> inputs, libraries, config, configFiles;
  std::string benchmark, caseName, compare, measure = "case_end_to_end", interleave = "ABABA";
  std::string device = "x86", target = "x86:native";
  std::string sanitizer = "none", sanitizerReporting = "default";
  std::string output = "-", outputFormat = "snapshot", compileReport = "summary";
  std::string artifactManifest = "none", bundleDir, bundlePolicy = "minimal", fileOutputDir;
  bool dryRun = false;
  int64_t sample = -1, maxSamples = check::PlanOptions::kDefaultMaxSamples;
  int64_t iterations = 10, warmupIterations = 1, batchSize = 1, minTimeMs = 100;
  int64_t warmupTimeMs = 0, maxBatches = 1000, stablePpm = 100000, repetitions = 2;
  int64_t ringMinBytes = 32 << 20, ringCount = 0;
  int64_t timeoutMs = runtime::X86DeviceOptions::kUsualLimitMs;
  /// Flags of the measurement and whether they were given.
  std::vector<std::pair<std::string, bool>> given;

  std::string input() const { return inputs.empty() ? "-" : inputs.front(); }
};

/// Does all that `options` ask for; the exit status.
int runCommand(const Options &options);

} // namespace loom::bench

#endif // LOOM_TOOLS_LOOM_BENCHMARK_COMMAND_H
