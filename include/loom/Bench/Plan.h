//===- Plan.h - What is measured, and in which order ------------*- C++ -*-===//
//
// A plan is made from the text alone; nothing is compiled and nothing runs. Its terms:
//
//  - A candidate is a selected `check.benchmark`, or the case that `--case` names.
//  - The samples of a candidate are those of its case whose parameters have the assigned values, in
//    the order of the case.
//  - A work item is what is checked and measured by itself: all samples of a candidate end to end,
//    or the launches of one sample. Candidates that ask for the same work share the item, except in
//    a comparison, where each has its own.
//  - A comparison measures its candidates in turns, the repetitions.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_PLAN_H
#define LOOM_BENCH_PLAN_H

#include "loom/Bench/Measure.h"
#include "loom/Check/Plan.h"

namespace loom::bench {

/// The order of turns in a comparison of candidates A (the baseline), B, C, ...
enum class Interleave {
  Ababa,      ///< A B A B A: the baseline around each turn of the only other candidate
  RoundRobin, ///< A B C A B C
};
/// "ABABA", "round_robin".
llvm::StringRef stringifyInterleave(Interleave interleave);

struct SelectionOptions {
  /// Symbols with or without `@`; both empty select every benchmark of the program.
  std::string benchmark, caseName;
  /// The benchmarks to compare, the baseline first; then the two above are empty.
  std::vector<std::string> compare;
  /// The one sample of each candidate to measure, by its number in the case.
  std::optional<uint64_t> sample;
  uint64_t maxSamples = check::PlanOptions::kDefaultMaxSamples; ///< of a candidate
  Measure measure = Measure::CaseEndToEnd;
  Interleave interleave = Interleave::Ababa;
  uint64_t repetitions = 2;
};

struct Candidate {
  uint64_t index = 0;
  std::string benchmark; ///< name without `@`
  const check::CasePlan *subject = nullptr;
  std::vector<uint64_t> samples;            ///< numbers in the case; none after an issue
  uint64_t totalSamples = 0;                ///< before the limit and before one was selected
  std::vector<check::PlanningIssue> issues; ///< about the case or about the benchmark

  /// "c0", "c1", ...
  std::string id() const { return "c" + std::to_string(index); }
  bool isTruncated(uint64_t limit) const { return totalSamples > limit; }
};

struct WorkItem {
  uint64_t candidate = 0;      ///< the first one that asked for it
  uint64_t begin = 0, end = 0; ///< positions among its samples
};

/// What a candidate asked for.
struct BenchmarkRow {
  uint64_t candidate = 0;
  std::optional<uint64_t> workItem; ///< none when the candidate has an issue
  std::optional<uint64_t> sample;   ///< position among its samples, of a row about one
};

/// One turn of a comparison.
struct Repetition {
  uint64_t candidate = 0;
  uint64_t repetition = 0; ///< turns of the same candidate before
  char token = 'A';
};

/// Candidates refer to `cases`: a plan is moved, never copied.
struct BenchmarkPlan {
  BenchmarkPlan() = default;
  BenchmarkPlan(BenchmarkPlan &&) = default;
  BenchmarkPlan &operator=(BenchmarkPlan &&) = default;

  check::TestPlan cases;
  uint64_t benchmarkCount = 0; ///< in the program
  std::vector<Candidate> candidates;
  std::vector<WorkItem> workItems;
  std::vector<BenchmarkRow> rows;
  std::vector<Repetition> repetitions; ///< in the order in which they run; empty when not comparing

  bool isComparison() const { return !repetitions.empty(); }
  uint64_t sampleCount() const; ///< of all candidates
};

/// The turns of a comparison of `candidates`, which are at least two and at most 26; exactly two
/// for Ababa. Each candidate gets `repetitions`, the baseline of Ababa one more.
std::vector<Repetition> scheduleRepetitions(uint64_t candidates, Interleave interleave,
                                            uint64_t repetitions);

/// The position of the value `literal` among those of a parameter, the first one when it occurs
/// twice. A value of a float range may be off by 1e-9 of a step. Else `reason` says what is wrong.
std::optional<uint64_t> positionOf(const check::Parameter &parameter, mlir::Attribute literal,
                                   std::string &reason);

/// Plans a verified module. Errors are about `options`: a name that nothing has, a sample that a
/// candidate does not have, a comparison that cannot be made.
llvm::Expected<BenchmarkPlan> planBenchmarks(mlir::ModuleOp module,
                                             const SelectionOptions &options);

} // namespace loom::bench

#endif // LOOM_BENCH_PLAN_H
