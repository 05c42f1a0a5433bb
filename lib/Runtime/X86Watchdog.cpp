//===- X86Watchdog.cpp - An end for launches that have none ---------------===//
#include "X86Watchdog.h"
#include <algorithm>
#include <csignal>

namespace loom::runtime {

using std::chrono::milliseconds;

LaunchWatchdog::LaunchWatchdog(milliseconds limit) : limit(limit) {
  // Signals that are meant for the process go to its own threads.
  sigset_t all, former;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  auto enter = [](void *watchdog) -> void * {
    static_cast<LaunchWatchdog *>(watchdog)->watch();
    return nullptr;
  };
  hasThread = ::pthread_create(&thread, nullptr, enter, this) == 0;
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

LaunchWatchdog::~LaunchWatchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  wake.notify_one();
  if (hasThread)
    ::pthread_join(thread, nullptr);
}

LaunchWatchdog::Watch::Watch(LaunchWatchdog &owner, StopRequest &request) : owner(owner) {
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.running = &request;
  ++owner.launch;
}

LaunchWatchdog::Watch::~Watch() {
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.running = nullptr;
}

void LaunchWatchdog::watch() {
  // Ten looks a second disturb no measurement.
  const milliseconds usual = std::clamp(limit / 16, milliseconds(1), milliseconds(100));
  milliseconds waited(0), pause = usual;
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (!wake.wait_for(lock, pause, [this] { return isStopping; })) {
    bool isSame = running && launch == seen;
    seen = launch;
    waited = isSame ? waited + pause : milliseconds(0);
    bool isOver = waited >= limit;
    if (isOver)
      running->ask();
    pause = isOver ? milliseconds(1) : usual;
  }
}

} // namespace loom::runtime
