//===- Derived.h - What follows from the facts of a report ------*- C++ -*-===//
//
// Every number of a document that is computed from other numbers is computed here, so that writer,
// reader and views agree on it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_REPORT_DERIVED_H
#define LOOM_LIB_REPORT_DERIVED_H

#include "loom/Report/CompileReport.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace loom::report {

/// The product, unknown when a factor is or when it does not fit.
std::optional<uint64_t> product(std::optional<uint64_t> a, std::optional<uint64_t> b);
std::optional<uint64_t> flatSize(const std::optional<uint64_t> (&extent)[3]);

/// Launch facts of one kernel that follow from the sizes its artifact fixes.
struct LaunchFacts {
  std::optional<uint64_t> workitemsPerWorkgroup;
  std::optional<uint64_t> workgroups;
  std::optional<uint64_t> subgroupsPerWorkgroup; ///< the last one may be partly filled
  std::optional<uint64_t> subgroups;
  std::optional<uint64_t> workitems;
};
LaunchFacts launchFacts(const Entry &entry);

/// Whether the artifact fixes any dimension of the launch.
bool hasWorkload(const Entry &entry);
bool sameWorkload(const Entry &a, const Entry &b);

/// Spilled values of both register files.
std::optional<uint64_t> spillCount(const Entry &entry);

/// floor(100 * resident / maximum).
std::optional<uint64_t> occupancyPercent(const Entry &entry);

/// The name a reader knows the entry by: of its source, its artifact, or the linked module.
std::string displayName(const Entry &entry);

/// The facts of the whole artifact in the form of one entry.
Entry aggregate(const std::vector<Entry> &entries);

bool waitsKnown(const CompileReport &report);

/// The waits by function, counter and reason: functions in the order of the entries, then by the
/// numbers of counter and reason.
std::vector<WaitGroup> waitsByReason(const CompileReport &report);

/// The same without the reason.
std::vector<WaitGroup> waitsByCounter(const CompileReport &report);

/// All waits, or those of one function.
WaitSummary waitTotal(const CompileReport &report);
WaitSummary waitTotal(const CompileReport &report, llvm::StringRef function);

/// The numbers of actions and reasons in the format. A reason that the format has no number for
/// gets one from 1000 on, in the order of the names of such reasons in `report`.
unsigned waitActionId(llvm::StringRef action);
unsigned waitReasonId(const CompileReport &report, llvm::StringRef reason);

/// How many diagnostics the compilation gave.
uint64_t diagnosticTotal(const CompileReport &report);

} // namespace loom::report

#endif // LOOM_LIB_REPORT_DERIVED_H
