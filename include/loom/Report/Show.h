//===- Show.h - A compile report for reading --------------------*- C++ -*-===//
//
// The two views of `loom-compile-report show`.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_REPORT_SHOW_H
#define LOOM_REPORT_SHOW_H

#include "loom/Report/ReportDocument.h"

namespace loom::report {

/// Blocks of `label: value` lines. The block of artifact facts has every label, with `unavailable`
/// for what is not known; other labels and blocks appear with their evidence only.
std::string showText(const LoadedReport &loaded);

/// The same view as one object (`kind` = `loom.compile_report.show`) with sorted keys; a metric
/// that is not known has no key.
nlohmann::json showJson(const LoadedReport &loaded);

} // namespace loom::report

#endif // LOOM_REPORT_SHOW_H
