//===- X86Watchdog.h - An end for launches that have none -------*- C++ -*-===//
#ifndef LOOM_LIB_RUNTIME_X86WATCHDOG_H
#define LOOM_LIB_RUNTIME_X86WATCHDOG_H

#include "X86Faults.h"
#include <chrono>
#include <condition_variable>

namespace loom::runtime {

/// Has a thread that ends each launch that takes longer than a limit. The limit counts the time in
/// which that thread could look, so that a process that was stopped, or a machine that was asleep,
/// does not fail. A launch costs two uncontended locks.
class LaunchWatchdog {
public:
  explicit LaunchWatchdog(std::chrono::milliseconds limit);
  LaunchWatchdog(const LaunchWatchdog &) = delete;
  LaunchWatchdog &operator=(const LaunchWatchdog &) = delete;
  ~LaunchWatchdog();

  /// A launch runs as long as this exists; one at a time.
  class Watch {
  public:
    Watch(LaunchWatchdog &owner, StopRequest &request);
    Watch(const Watch &) = delete;
    ~Watch();

  private:
    LaunchWatchdog &owner;
  };

private:
  void watch();

  const std::chrono::milliseconds limit;
  StopHandler handler;
  std::mutex mutex;
  std::condition_variable wake;
  bool isStopping = false;
  StopRequest *running = nullptr;
  uint64_t launch = 0; ///< its number
  pthread_t thread;
  bool hasThread; ///< without one nothing is ended
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86WATCHDOG_H
