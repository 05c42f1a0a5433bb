//===- Summary.h - Results for people ---------------------------*- C++ -*-===//
#ifndef LOOM_BENCH_SUMMARY_H
#define LOOM_BENCH_SUMMARY_H

#include "loom/Bench/Results.h"

namespace loom::bench {

/// One line for each row that was measured, and for each comparison.
void printTimes(llvm::raw_ostream &os, const RunDescription &run, const BenchmarkPlan &plan,
                const BenchmarkResults &results);

/// Says what was not planned, not compiled, not correct or not measured. `rerun` is the command
/// line that checks a program, without `--case` and `--sample`. Writes nothing when all went well.
void printFailures(llvm::raw_ostream &os, const BenchmarkPlan &plan,
                   const BenchmarkResults &results, llvm::StringRef rerun);

} // namespace loom::bench

#endif // LOOM_BENCH_SUMMARY_H
