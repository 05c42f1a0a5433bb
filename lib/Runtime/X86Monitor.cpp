//===- X86Monitor.cpp - What the checks of a launch report ----------------===//
#include "X86Monitor.h"
#include "X86Faults.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/bit.h"

namespace loom::runtime {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static Event::Kind kindOf(SiteCheck check) {
  switch (check) {
  case SiteCheck::Access:
    return Event::Kind::AsanReport;
  case SiteCheck::Value:
  case SiteCheck::Operation:
    return Event::Kind::UbsanReport;
  case SiteCheck::RaceAccess:
  case SiteCheck::RaceSync:
    return Event::Kind::TsanReport;
  }
  llvm_unreachable("covered switch");
}

static std::string numberText(const SanitizerSite &site, int64_t bits) {
  if (!site.hasFloats)
    return std::to_string(bits);
  llvm::SmallString<32> text;
  llvm::APFloat(llvm::bit_cast<double>(bits)).toString(text);
  return text.str().str();
}

/// The message of a site with its numbers in it.
static std::string messageOf(const SanitizerSite &site, int64_t first, int64_t second) {
  std::string text;
  StringRef rest = site.message;
  for (size_t at = rest.find('{'); at != StringRef::npos; at = rest.find('{')) {
    StringRef mark = rest.substr(at, 3);
    text += rest.take_front(at);
    if (mark == "{0}" || mark == "{1}") {
      text += numberText(site, mark == "{0}" ? first : second);
      rest = rest.drop_front(at + 3);
    } else {
      text += '{';
      rest = rest.drop_front(at + 1);
    }
  }
  return text + rest.str();
}

Event eventOfSite(const SanitizerSite &site, uint32_t number, StringRef kernel, int64_t first,
                  int64_t second) {
  Event event;
  event.kind = kindOf(site.check);
  event.message = messageOf(site, first, second);
  if (FileLineColLoc place = getFileLoc(site.location)) {
    event.file = place.getFilename().str();
    event.line = place.getLine();
    event.column = place.getColumn();
  }
  auto set = [&](StringRef key, Event::Field value) {
    event.fields.push_back({key.str(), std::move(value)});
  };
  set("driver", std::string("x86"));
  set("device", std::string("x86"));
  set("export", site.kernel);
  set("site_id", uint64_t(number));
  set("function", kernel.str());
  set("operation", site.operation);
  if (event.kind == Event::Kind::AsanReport) {
    set("asan.access", site.isAtomic ? std::string("atomic")
                       : site.access == AccessKind::read_write
                           ? std::string("unknown")
                           : stringifyAccessKind(site.access).str());
    set("asan.access_length", uint64_t(site.bytes));
    set("asan.site_id", uint64_t(number));
  } else if (event.kind == Event::Kind::UbsanReport) {
    set("ubsan.check", site.kind);
    set("ubsan.operand0", static_cast<uint64_t>(first));
    set("ubsan.operand1", static_cast<uint64_t>(second));
    set("ubsan.site_id", uint64_t(number));
  }
  return event;
}

static std::string coordinates(const Extents &extents, int64_t number) {
  if (extents[1] == 1 && extents[2] == 1)
    return std::to_string(number);
  std::string text = "(" + std::to_string(number % extents[0]);
  number /= extents[0];
  return text + ", " + std::to_string(number % extents[1]) + ", " +
         std::to_string(number / extents[1]) + ")";
}

std::string placeOfItem(const LaunchGeometry &geometry, int64_t workgroup, int64_t item) {
  return "work-item " + coordinates(geometry.workgroupSize, item) + " of workgroup " +
         coordinates(geometry.workgroups, workgroup);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

KernelMonitor::KernelMonitor(ArrayRef<SanitizerSite> sites, const Launch &launch, bool traps)
    : Monitor(), sites(sites), launch(launch), traps(traps) {
  for (const Argument &argument : launch.arguments) {
    auto *tensor = std::get_if<Tensor *>(&argument);
    sizes.push_back(tensor ? (*tensor)->byteSize() : 0);
  }
  report = take;
  bufferBytes = sizes.data();
}

void KernelMonitor::take(const Monitor *monitor, uint32_t site, int64_t workgroup,
                         int64_t firstItem, uint64_t lanes, const int64_t *first,
                         const int64_t *second) {
  if (!lanes)
    return;
  // The kernel knows the part that it reads; the rest is shared under the mutex.
  auto *self = const_cast<KernelMonitor *>(static_cast<const KernelMonitor *>(monitor));
  self->require(site, workgroup, firstItem, lanes);
  // Outside of the mutex, in case that they are not there.
  unsigned lowest = llvm::countr_zero(lanes);
  int64_t numbers[] = {first[lowest], second[lowest]};
  self->add(site, workgroup, firstItem, lanes, numbers);
  if (self->traps)
    endGuarded(KernelFault::Kind::Check);
}

void KernelMonitor::require(uint32_t site, int64_t workgroup, int64_t firstItem,
                            uint64_t lanes) const {
  const LaunchGeometry &geometry = launch.geometry;
  auto product = [](const Extents &extents) { return extents[0] * extents[1] * extents[2]; };
  int64_t items = product(geometry.workgroupSize), groups = product(geometry.workgroups);
  bool isOfLaunch = site < sites.size() && workgroup >= 0 && workgroup < groups && firstItem >= 0 &&
                    firstItem < items &&
                    (!lanes || 63 - llvm::countl_zero(lanes) < items - firstItem);
  if (!isOfLaunch)
    endGuarded(KernelFault::Kind::Overwritten);
}

void KernelMonitor::add(uint32_t site, int64_t workgroup, int64_t firstItem, uint64_t lanes,
                        const int64_t (&numbers)[2]) {
  std::lock_guard<std::mutex> lock(mutex);
  Current &current = threads[std::this_thread::get_id()];
  if (current.workgroup != workgroup) {
    current.workgroup = workgroup;
    current.sequence = 0;
    current.items.clear();
  }
  uint64_t sequence = current.sequence++;
  unsigned lowest = llvm::countr_zero(lanes);
  auto [entry, isNew] = reports.try_emplace(
      site, Report{workgroup, firstItem + lowest, sequence, numbers[0], numbers[1]});
  Report &report = entry->second;
  if (!isNew && workgroup < report.workgroup) {
    report.workgroup = workgroup;
    report.item = firstItem + lowest;
    report.sequence = sequence;
    report.first = numbers[0];
    report.second = numbers[1];
  }
  llvm::BitVector &seen = current.items[site];
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned item = firstItem + llvm::countr_zero(rest);
    if (seen.size() <= item)
      seen.resize(item + 1);
    report.items += !seen[item];
    seen.set(item);
    ++report.failures;
  }
}

OrderedEvent KernelMonitor::makeEvent(uint32_t number, const Report &report) const {
  const SanitizerSite &site = sites[number];
  Event event = eventOfSite(site, number, launch.kernel, report.first, report.second);
  event.message += "; " + placeOfItem(launch.geometry, report.workgroup, report.item);
  if (traps)
    event.severity = Event::Severity::Fatal;
  else if (report.items > 1)
    event.message += ", the first of " + std::to_string(report.items) + " work-items";
  if (!traps && report.failures > report.items)
    event.message += " (" + std::to_string(report.failures) + " times)";
  return {report.workgroup, report.sequence, std::move(event)};
}

EventLog KernelMonitor::takeEventsWith(std::vector<OrderedEvent> others) {
  std::vector<OrderedEvent> ordered = std::move(others);
  for (const auto &[site, report] : reports)
    ordered.push_back(makeEvent(site, report));
  llvm::stable_sort(ordered, [](const OrderedEvent &a, const OrderedEvent &b) {
    return std::tie(a.workgroup, a.sequence) < std::tie(b.workgroup, b.sequence);
  });
  // Workgroups behind the one that ended the launch may or may not have come to a report.
  size_t kept = std::min(ordered.size(), traps ? size_t(1) : kMaxEvents);
  EventLog log;
  for (OrderedEvent &one : llvm::MutableArrayRef(ordered).take_front(kept))
    log.events.push_back(std::move(one.event));
  if (!traps)
    log.dropped = ordered.size() - kept;
  reports.clear();
  threads.clear();
  return log;
}

} // namespace loom::runtime
