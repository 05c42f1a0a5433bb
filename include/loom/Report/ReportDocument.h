//===- ReportDocument.h - Compile reports as documents ----------*- C++ -*-===//
//
// The two written forms of a compile report, JSON (`kind` = `loom.compile_report`, schema 0) and
// text, and the strict reader of the first.
//
// A key is written when its fact is known and left out when it is not; zero is always a measured
// zero. Summary mode keeps counts and sums of the large tables (wait actions, pipeline stages,
// diagnostics), details mode keeps their rows.
//
// Root sections hold the facts of the only entry, or sums (instructions, bytes of code, spills) and
// maxima (registers, memory) over all entries; a fact that one entry lacks is unknown for all.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_REPORT_REPORTDOCUMENT_H
#define LOOM_REPORT_REPORTDOCUMENT_H

#include "loom/Report/CompileReport.h"
#include "loom/Support/Json.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace loom::report {

constexpr const char *reportKind = "loom.compile_report";
constexpr unsigned reportSchemaVersion = 0;

/// The JSON document in the mode of `report`, keys in the order of the format.
Json toJson(const CompileReport &report);

/// The same facts for people: one line per section or row, `name key=value ...`. Not for machines.
std::string toText(const CompileReport &report);

/// A report that was read from a file.
struct LoadedReport {
  CompileReport report;
  std::string source;      ///< where it came from, for messages and for `show`
  bool inEnvelope = false; ///< it was the payload of a row of benchmark results
  /// Fields of that row, in the order of the format: run_id, candidate_id, ...
  std::vector<std::pair<std::string, std::string>> context;
};

/// Reads a report document or a benchmark row around one. Rejected, with the path of the offending
/// value in the message: another kind or schema, missing or ill-typed values, counts and indexes
/// that do not match their rows, and every sum, product or percentage that contradicts the values
/// it follows from. Keys that are not known here are skipped. What a report does not keep (spills
/// by register file, kernel-argument bytes) stays empty; toJson(fromJson(x)) equals x.
llvm::Expected<LoadedReport> fromJson(const Json &document, llvm::StringRef source);

} // namespace loom::report

#endif // LOOM_REPORT_REPORTDOCUMENT_H
