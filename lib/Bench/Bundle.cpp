//===- Bundle.cpp - A folder with everything about a run ------------------===//
#include "loom/Bench/Bundle.h"
#include "loom/Support/FileIO.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace loom::bench {

llvm::Error createFolderOf(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    return llvm::Error::success();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError(error,
                                   "cannot make the folder '" + folder + "': " + error.message());
  return llvm::Error::success();
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents) {
  if (llvm::Error error = createFolderOf(path))
    return error;
  return writeOutput(path, contents);
}

static Json sourceJson(llvm::StringRef source) {
  Json object = {{"path", source.str()}};
  if (isStandardStream(source)) {
    object["path"] = inputName(source);
    return object;
  }
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(source, status)) {
    object["status"] = {
        {"code", error.value()}, {"name", "NOT_FOUND"}, {"message", error.message()}};
    return object;
  }
  object["byte_size"] = status.getSize();
  object["modification_time_ns"] = status.getLastModificationTime().time_since_epoch().count();
  return object;
}

llvm::Error writeBundle(const RunDescription &run, const BenchmarkPlan &plan,
                        const BenchmarkResults &results, llvm::StringRef resultsName,
                        llvm::StringRef document, llvm::StringRef source,
                        llvm::ArrayRef<std::string> commandLine) {
  auto path = [&](llvm::StringRef name) {
    llvm::SmallString<256> full(run.bundle->dir);
    llvm::sys::path::append(full, name);
    return full.str().str();
  };
  if (llvm::Error error = writeFile(path(resultsName), document))
    return error;
  Json reports = Json::array();
  for (const Candidate &candidate : plan.candidates) {
    const std::optional<report::CompileReport> &report = results.reports[candidate.index];
    if (!report)
      continue;
    std::string name = compileReportPath(run, candidate);
    llvm::StringRef entry;
    if (candidate.subject->launches.size() == 1)
      entry = KernelLaunchOp(candidate.subject->launches.front()).getKernel();
    Json envelope = compileReportEnvelope(run, candidate, entry, *report);
    if (llvm::Error error = writeFile(path(name), jsonLine(envelope)))
      return error;
    reports.push_back(name);
  }
  Json words = Json::array();
  for (const std::string &word : commandLine)
    words.push_back(word);
  Json manifest = {{"tool", "iree-benchmark-loom"}, {"run_id", run.runId},
                   {"policy", run.bundle->policy},  {"argv", std::move(words)},
                   {"source", sourceJson(source)},  {"results", resultsName.str()},
                   {"compile_reports", reports}};
  return writeFile(path("manifest.json"), jsonLine(manifest));
}

} // namespace loom::bench
