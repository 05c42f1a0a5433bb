//===- Derived.cpp - What follows from the facts of a report --------------===//
#include "Derived.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;

namespace loom::report {

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

std::optional<uint64_t> product(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  if (!a || !b)
    return std::nullopt;
  bool overflowed = false;
  uint64_t result = SaturatingMultiply(*a, *b, &overflowed);
  return overflowed ? std::nullopt : std::optional<uint64_t>(result);
}

std::optional<uint64_t> flatSize(const std::optional<uint64_t> (&extent)[3]) {
  return product(product(extent[0], extent[1]), extent[2]);
}

LaunchFacts launchFacts(const Entry &entry) {
  LaunchFacts facts;
  facts.workitemsPerWorkgroup = flatSize(entry.workgroupSize);
  facts.workgroups = flatSize(entry.workgroupCount);
  if (facts.workitemsPerWorkgroup && entry.subgroupSize && *entry.subgroupSize != 0)
    facts.subgroupsPerWorkgroup = divideCeil(*facts.workitemsPerWorkgroup, *entry.subgroupSize);
  facts.subgroups = product(facts.workgroups, facts.subgroupsPerWorkgroup);
  facts.workitems = product(facts.workgroups, facts.workitemsPerWorkgroup);
  return facts;
}

bool hasWorkload(const Entry &entry) {
  auto known = [](const std::optional<uint64_t> &value) { return value.has_value(); };
  return std::any_of(std::begin(entry.workgroupSize), std::end(entry.workgroupSize), known) ||
         std::any_of(std::begin(entry.workgroupCount), std::end(entry.workgroupCount), known);
}

bool sameWorkload(const Entry &a, const Entry &b) {
  return std::equal(std::begin(a.workgroupSize), std::end(a.workgroupSize), b.workgroupSize) &&
         std::equal(std::begin(a.workgroupCount), std::end(a.workgroupCount), b.workgroupCount);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

std::optional<uint64_t> spillCount(const Entry &entry) {
  if (entry.scalarSpills && entry.vectorSpills)
    return *entry.scalarSpills + *entry.vectorSpills;
  return entry.spills;
}

std::optional<uint64_t> occupancyPercent(const Entry &entry) {
  if (!entry.residentSubgroupsPerSimd || entry.maxSubgroupsPerSimd.value_or(0) == 0)
    return std::nullopt;
  return uint64_t(100) * *entry.residentSubgroupsPerSimd / *entry.maxSubgroupsPerSimd;
}

std::string displayName(const Entry &entry) {
  if (!entry.sourceFunction.empty())
    return entry.sourceFunction;
  return entry.targetExport.empty() ? entry.function : entry.targetExport;
}

/// Folds a fact of one entry into the fact of all; unknown absorbs.
template <typename T, typename Combine>
static void fold(std::optional<T> &total, const std::optional<T> &value, Combine combine) {
  total = total && value ? std::optional<T>(combine(*total, *value)) : std::nullopt;
}

template <typename T>
static void foldEqual(std::optional<T> &total, const std::optional<T> &value) {
  if (total != value)
    total.reset();
}

static RegisterUse largerUse(const RegisterUse &a, const RegisterUse &b) {
  return {a.registerClass == b.registerClass ? a.registerClass : "",
          std::max(a.registerCount, b.registerCount)};
}

static void foldEntry(Entry &total, const Entry &entry) {
  auto sum = [](uint64_t a, uint64_t b) { return a + b; };
  auto largest = [](uint64_t a, uint64_t b) { return std::max(a, b); };
  fold(total.instructionCount, entry.instructionCount, sum);
  fold(total.codeBytes, entry.codeBytes, sum);
  fold(total.codeStorageBytes, entry.codeStorageBytes, sum);
  fold(total.spills, spillCount(entry), sum);
  fold(total.scalar, entry.scalar, largerUse);
  fold(total.vector, entry.vector, largerUse);
  fold(total.privateBytes, entry.privateBytes, largest);
  fold(total.localBytes, entry.localBytes, largest);
  foldEqual(total.subgroupSize, entry.subgroupSize);
  foldEqual(total.maxSubgroupsPerSimd, entry.maxSubgroupsPerSimd);
  if (total.residentSubgroupsPerSimd && entry.residentSubgroupsPerSimd &&
      *entry.residentSubgroupsPerSimd < *total.residentSubgroupsPerSimd)
    total.occupancyLimit = entry.occupancyLimit;
  fold(total.residentSubgroupsPerSimd, entry.residentSubgroupsPerSimd,
       [](unsigned a, unsigned b) { return std::min(a, b); });
  for (unsigned i = 0; i != 3; ++i) {
    foldEqual(total.workgroupSize[i], entry.workgroupSize[i]);
    foldEqual(total.workgroupCount[i], entry.workgroupCount[i]);
  }
}

Entry aggregate(const std::vector<Entry> &entries) {
  if (entries.empty())
    return {};
  Entry total = entries.front();
  total.spills = spillCount(total);
  total.scalarSpills.reset();
  total.vectorSpills.reset();
  if (entries.size() > 1)
    total.function = total.sourceFunction = total.targetExport = "";
  for (size_t i = 1; i != entries.size(); ++i)
    foldEntry(total, entries[i]);
  return total;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

bool waitsKnown(const CompileReport &report) {
  return report.waitsRecorded || !report.waits.empty() || !report.waitReasons.empty();
}

static void addAction(WaitSummary &summary, const WaitAction &wait) {
  uint64_t before = wait.outstandingBefore;
  uint64_t drained = before - std::min<uint64_t>(before, wait.outstandingAfter);
  bool full = wait.targetCount == 0;
  ++summary.actionCount;
  ++(wait.action == "explicit" ? summary.explicitCount : summary.plannedCount);
  ++(full ? summary.fullDrainCount : summary.partialWaitCount);
  summary.drainedCount += drained;
  summary.maxDrainedCount = std::max(summary.maxDrainedCount, drained);
  summary.maxOutstandingBefore = std::max(summary.maxOutstandingBefore, before);
  if (full)
    summary.maxFullDrainOutstandingBefore = std::max(summary.maxFullDrainOutstandingBefore, before);
}

static void addSummary(WaitSummary &total, const WaitSummary &summary) {
  total.actionCount += summary.actionCount;
  total.explicitCount += summary.explicitCount;
  total.plannedCount += summary.plannedCount;
  total.fullDrainCount += summary.fullDrainCount;
  total.partialWaitCount += summary.partialWaitCount;
  total.drainedCount += summary.drainedCount;
  total.maxDrainedCount = std::max(total.maxDrainedCount, summary.maxDrainedCount);
  total.maxOutstandingBefore = std::max(total.maxOutstandingBefore, summary.maxOutstandingBefore);
  total.maxFullDrainOutstandingBefore =
      std::max(total.maxFullDrainOutstandingBefore, summary.maxFullDrainOutstandingBefore);
}

/// The group of `groups` with these properties, appended if there is none yet. Groups are few.
static WaitGroup &groupOf(std::vector<WaitGroup> &groups, const std::string &function,
                          const std::string &counter, unsigned counterId,
                          const std::string &reason) {
  for (WaitGroup &group : groups)
    if (group.function == function && group.counterId == counterId && group.reason == reason)
      return group;
  groups.push_back({function, counter, counterId, reason, {}});
  return groups.back();
}

static void sortGroups(const CompileReport &report, std::vector<WaitGroup> &groups) {
  auto rank = [&](const WaitGroup &group) {
    size_t position = 0;
    while (position != report.entries.size() && report.entries[position].function != group.function)
      ++position;
    return std::tuple(position, group.function, group.counterId,
                      waitReasonId(report, group.reason));
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const WaitGroup &a, const WaitGroup &b) { return rank(a) < rank(b); });
}

std::vector<WaitGroup> waitsByReason(const CompileReport &report) {
  std::vector<WaitGroup> groups = report.waitReasons;
  if (!report.waits.empty())
    groups.clear();
  for (const WaitAction &wait : report.waits)
    addAction(groupOf(groups, wait.function, wait.counter, wait.counterId, wait.reason).summary,
              wait);
  sortGroups(report, groups);
  return groups;
}

std::vector<WaitGroup> waitsByCounter(const CompileReport &report) {
  std::vector<WaitGroup> groups;
  for (const WaitGroup &group : waitsByReason(report))
    addSummary(groupOf(groups, group.function, group.counter, group.counterId, "").summary,
               group.summary);
  return groups;
}

WaitSummary waitTotal(const CompileReport &report) {
  WaitSummary total;
  for (const WaitGroup &group : waitsByReason(report))
    addSummary(total, group.summary);
  return total;
}

WaitSummary waitTotal(const CompileReport &report, StringRef function) {
  WaitSummary total;
  for (const WaitGroup &group : waitsByReason(report))
    if (group.function == function)
      addSummary(total, group.summary);
  return total;
}

unsigned waitActionId(StringRef action) { return action == "explicit" ? 1 : 2; }

/// The number of a reason of the format, or nothing. The gap before the reasons of loops is the
/// format's own.
static std::optional<unsigned> knownReasonId(StringRef reason) {
  return StringSwitch<std::optional<unsigned>>(reason)
      .Case("amdgpu.unknown", 0)
      .Case("amdgpu.explicit_packet", 1)
      .Case("amdgpu.ssa_use", 2)
      .Case("amdgpu.barrier", 3)
      .Case("amdgpu.read_result_reuse", 4)
      .Case("amdgpu.trans_result_use", 5)
      .Case("amdgpu.valu_sgpr_read", 6)
      .Case("amdgpu.memory_effect", 7)
      .Case("amdgpu.program_exit", 8)
      .Case("amdgpu.memory_source_reuse", 9)
      .Case("amdgpu.xcnt_exec_reuse", 10)
      .Case("amdgpu.loop_entry_derived_ssa_use", 12)
      .Case("amdgpu.loop_entry_conservative_ssa_use", 13)
      .Case("amdgpu.loop_carried_derived_ssa_use", 14)
      .Case("amdgpu.loop_carried_conservative_ssa_use", 15)
      .Case("amdgpu.tensor_issue_drain", 16)
      .Case("amdgpu.system_scope_store", 17)
      .Default(std::nullopt);
}

unsigned waitReasonId(const CompileReport &report, StringRef reason) {
  if (std::optional<unsigned> id = knownReasonId(reason))
    return *id;
  std::set<StringRef> others;
  for (const WaitAction &wait : report.waits)
    if (!knownReasonId(wait.reason))
      others.insert(wait.reason);
  for (const WaitGroup &group : report.waitReasons)
    if (!knownReasonId(group.reason))
      others.insert(group.reason);
  return 1000 + std::distance(others.begin(), others.lower_bound(reason));
}

uint64_t diagnosticTotal(const CompileReport &report) {
  return report.diagnosticCount.value_or(report.diagnostics.size());
}

} // namespace loom::report
