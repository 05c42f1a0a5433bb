//===- X86Monitor.h - What the checks of a launch report --------*- C++ -*-===//
//
// Kernels report the same thing a million times. A site becomes one event: the first report, in the
// order of workgroups and then of what a workgroup did, and a count of the others. Which threads
// ran the workgroups changes nothing about the events or their order.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_X86MONITOR_H
#define LOOM_LIB_RUNTIME_X86MONITOR_H

#include "loom/Runtime/Device.h"
#include "loom/Target/Common/Lowering.h"
#include "loom/Target/Common/Monitor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <mutex>
#include <thread>

namespace loom::runtime {

/// An event with its place in the order of a launch.
struct OrderedEvent {
  int64_t workgroup;
  uint64_t sequence; ///< in the workgroup
  Event event;
};

/// Event::kind, place and fields that follow from a site and the launch; the message is the site's
/// with its numbers.
Event eventOfSite(const SanitizerSite &site, uint32_t number, llvm::StringRef kernel,
                  int64_t first = 0, int64_t second = 0);
/// "work-item 63 of workgroup 2", with coordinates where there is more than one dimension.
std::string placeOfItem(const LaunchGeometry &geometry, int64_t workgroup, int64_t item);

/// What one launch of a kernel tells.
class KernelMonitor : public Monitor {
public:
  /// At most so many events of a launch are kept; the others are counted as dropped.
  static constexpr size_t kMaxEvents = 256;

  /// Everything has to outlive the monitor. `traps`: the launch ends with the first report.
  KernelMonitor(llvm::ArrayRef<SanitizerSite> sites, const Launch &launch, bool traps);
  virtual ~KernelMonitor() = default;

  /// Whether the launch ends with the first report.
  bool isTrapping() const { return traps; }
  /// What was reported; asked when the launch is over.
  virtual EventLog takeEvents() { return takeEventsWith({}); }

protected:
  /// takeEvents with what a derived class found, in one order.
  EventLog takeEventsWith(std::vector<OrderedEvent> others);
  /// Ends the kernel when what it tells cannot be: it has written to memory of its own that holds
  /// what it works with.
  void require(uint32_t site, int64_t workgroup, int64_t firstItem, uint64_t lanes) const;

private:
  struct Report {
    int64_t workgroup, item;
    uint64_t sequence;
    int64_t first, second;
    uint64_t failures = 0, items = 0;
  };
  /// The workgroup that a thread is running.
  struct Current {
    int64_t workgroup = -1;
    uint64_t sequence = 0;
    llvm::DenseMap<uint32_t, llvm::BitVector> items; ///< that reported, by site
  };

  static void take(const Monitor *monitor, uint32_t site, int64_t workgroup, int64_t firstItem,
                   uint64_t lanes, const int64_t *first, const int64_t *second);
  void add(uint32_t site, int64_t workgroup, int64_t firstItem, uint64_t lanes,
           const int64_t (&numbers)[2]);
  OrderedEvent makeEvent(uint32_t site, const Report &report) const;

  llvm::ArrayRef<SanitizerSite> sites;
  const Launch &launch;
  bool traps;
  std::vector<int64_t> sizes; ///< Monitor::bufferBytes

  std::mutex mutex;
  std::map<uint32_t, Report> reports;
  std::map<std::thread::id, Current> threads;
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86MONITOR_H
