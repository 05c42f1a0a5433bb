//===- loom-benchmark.cpp - Measure the checked cases of a program --------===//
//
// The result document goes to --output; whatever is for people goes to standard error. Exit status:
// 1 when something that was selected was not planned, not compiled, not correct or not measured
// (the document says which), or when the tool could not do its work (then there is no document).
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "loom/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace loom;

static void declareSelection(CommandLine &commandLine, bench::Options &options) {
  commandLine.positionals(options.inputs, 0, 1, "[FILE]",
                          "program, text or bytecode; standard input when there is none");
  commandLine.list("library", options.libraries,
                   "program that satisfies declarations and implements families", "PATH");
  commandLine.option("benchmark", options.benchmark,
                     "the benchmark to measure; all when there is none", {}, "@SYMBOL");
  commandLine.option("case", options.caseName, "a case to measure without a benchmark", {},
                     "@SYMBOL");
  commandLine.integer("sample", options.sample, -1, INT32_MAX,
                      "the one sample to measure, by its number in the case; -1 for all");
  commandLine.integer("max-samples-per-case", options.maxSamples, 1, INT32_MAX,
                      "how many samples of a benchmark are measured at most");
  commandLine.option("compare", options.compare,
                     "benchmarks to measure in turns, the baseline first", {}, "@SYMBOL,@SYMBOL");
  commandLine.option("interleave", options.interleave,
                     "order of the turns; ABABA has the baseline around each turn of the other",
                     {"ABABA", "ababa", "round_robin", "round-robin"});
  commandLine.integer("repetitions", options.repetitions, 1, INT32_MAX,
                      "turns of each compared benchmark; the baseline of ABABA has one more");
}

static void declareMeasurement(CommandLine &commandLine, bench::Options &options) {
  commandLine.option("measure", options.measure, "what one time covers",
                     {"case_end_to_end", "end_to_end", "dispatch_complete"});
  commandLine.integer("iterations", options.iterations, 1, INT32_MAX,
                      "iterations to time, or batches to time at least");
  commandLine.integer("warmup-iterations", options.warmupIterations, 0, INT32_MAX,
                      "iterations, or batches at least, that run before");
  commandLine.integer("batch-size", options.batchSize, 1, INT32_MAX,
                      "logical operations in a batch");
  commandLine.integer("min-time-ms", options.minTimeMs, 0, INT32_MAX,
                      "time that the batches have to add up to");
  commandLine.integer("warmup-time-ms", options.warmupTimeMs, 0, INT32_MAX,
                      "time that the batches before have to add up to");
  commandLine.integer("max-batches", options.maxBatches, 1, INT32_MAX,
                      "batches that are enough in any case");
  commandLine.integer("stable-p90-to-p50-ppm", options.stablePpm, 0, INT32_MAX,
                      "spread at which it is enough after the minimums; 0 stops there at once");
  commandLine.integer("input-ring-min-bytes", options.ringMinBytes, 0, INT32_MAX,
                      "bytes that the sets of inputs have together; 0 reuses one set");
  commandLine.integer("input-ring-count", options.ringCount, 0, INT32_MAX,
                      "exact number of sets of inputs; 0 chooses by their bytes");
  commandLine.integer("timeout-ms", options.timeoutMs, 0, INT32_MAX,
                      "how long a launch of a kernel may take; 0 for as long as it takes");
  commandLine.flag("dry-run", options.dryRun, "plan only: nothing is compiled and nothing runs");
}

static void declareDevice(CommandLine &commandLine, bench::Options &options) {
  commandLine.option("device", options.device, "where kernels run: x86", {}, "DEVICE");
  commandLine.option("target", options.target, "what kernels are compiled for: x86:avx2", {},
                     "FAMILY:SELECTOR");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option("sanitizer", options.sanitizer, "checks that kernels are instrumented with",
                     {}, "CHECKS");
  commandLine.option("sanitizer-reporting", options.sanitizerReporting,
                     "what follows when such a check fails", {"default", "trap", "report-only"});
  commandLine.refused("pipeline", "the default pipeline is the only one; loom-opt runs single "
                                  "passes");
}

static void declareOutput(CommandLine &commandLine, bench::Options &options) {
  commandLine.option("output", options.output, "where the results go", {}, "PATH");
  commandLine.option("output-format", options.outputFormat,
                     "one object, or one for each row of results", {"snapshot", "json", "jsonl"});
  commandLine.option("compile-report", options.compileReport,
                     "what the results contain of compile reports", {"none", "summary", "details"});
  commandLine.option("file-output-dir", options.fileOutputDir,
                     "where cases write files; in the folder for temporary files when empty", {},
                     "DIR");
  commandLine.option("artifact-bundle-dir", options.bundleDir,
                     "folder for the results, a manifest and compile reports", {}, "DIR");
  commandLine.option("artifact-bundle-policy", options.bundlePolicy, "what is put there",
                     {"minimal", "none"});
  commandLine.option("artifact-manifest", options.artifactManifest, "only none on x86", {"none"});
  for (llvm::StringRef policy : {"debug", "full"})
    commandLine.refusedValue("artifact-bundle-policy", policy,
                             "kernels for x86 are compiled into the process; there are no target "
                             "artifacts, listings or manifests to keep");
  for (llvm::StringRef manifest : {"summary", "details", "analysis"})
    commandLine.refusedValue("artifact-manifest", manifest,
                             "kernels for x86 are compiled into the process; there is no artifact "
                             "to describe");
  for (llvm::StringRef flag :
       {"profile-final-batch", "profile-data", "profile-counter", "profile-artifacts-dir"})
    commandLine.refused(flag, "the x86 device has no time stamps and no counters of its own to "
                              "replay a batch with");
}

int main(int argc, char **argv) {
  bench::Options options;
  options.tool = llvm::sys::path::filename(argv[0]).str();
  options.commandLine.assign(argv, argv + argc);
  CommandLine commandLine(options.tool, "Measures the checked cases of a program.");
  declareSelection(commandLine, options);
  declareMeasurement(commandLine, options);
  declareDevice(commandLine, options);
  declareOutput(commandLine, options);
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  for (const char *flag : {"measure", "iterations", "warmup-iterations", "batch-size",
                           "min-time-ms", "warmup-time-ms", "max-batches", "stable-p90-to-p50-ppm",
                           "input-ring-min-bytes", "input-ring-count", "interleave", "repetitions"})
    options.given.push_back({flag, commandLine.isGiven(flag)});
  return bench::runCommand(options);
}
