//===- Bundle.h - A folder with everything about a run ----------*- C++ -*-===//
//
//   results.json or results.jsonl   the result document
//   manifest.json                   which program, which command line, which files
//   compile_reports/                one report for each candidate, for loom-compile-report
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_BUNDLE_H
#define LOOM_BENCH_BUNDLE_H

#include "loom/Bench/Results.h"

namespace loom::bench {

/// Makes the folder and writes the files of `run.bundle`, each under a temporary name first; the
/// manifest is last, so that a folder that has one is complete. `source` is the path of the
/// program, `document` the result document in the form that `resultsName` ends in.
llvm::Error writeBundle(const RunDescription &run, const BenchmarkPlan &plan,
                        const BenchmarkResults &results, llvm::StringRef resultsName,
                        llvm::StringRef document, llvm::StringRef source,
                        llvm::ArrayRef<std::string> commandLine);

/// Makes the folder that `path`, a file, lies in, and those around it.
llvm::Error createFolderOf(llvm::StringRef path);

} // namespace loom::bench

#endif // LOOM_BENCH_BUNDLE_H
