//===- X86Pool.h - Threads that share the workgroups of a launch -*- C++ -*-===//
#ifndef LOOM_LIB_RUNTIME_X86POOL_H
#define LOOM_LIB_RUNTIME_X86POOL_H

#include "X86Faults.h"
#include "loom/Target/X86/X86Device.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace loom::runtime {

/// A launch: the workgroups from 0 to groups - 1.
struct Workgroups {
  x86::KernelFunction run;
  const void *arguments;
  int64_t groups;
  const int64_t *grid, *size;
  StopRequest *stop = nullptr; ///< may end it
};

/// Runs launches, one at a time, on the calling thread and on threads of its own. These are started
/// when they are needed for the first time.
class WorkgroupPool {
public:
  /// `threads`, at least one, with the calling one.
  explicit WorkgroupPool(unsigned threads) : threads(threads) {}
  WorkgroupPool(const WorkgroupPool &) = delete;
  WorkgroupPool &operator=(const WorkgroupPool &) = delete;
  ~WorkgroupPool();

  /// Runs all workgroups to their end. After a fault workgroups are left out; it returns the fault
  /// of the first workgroup that has one, whatever the number of threads.
  std::optional<KernelFault> run(const Workgroups &work);

  /// Threads that were started.
  size_t startedThreads() const { return workers.size(); }

private:
  /// Workgroups that are handed out in chunks, in ascending order.
  struct Job {
    const Workgroups &work;
    uint64_t chunk;
    std::atomic<uint64_t> next;
    // Under the mutex of the pool:
    std::optional<KernelFault> fault = {};
    uint64_t faultAt = 0; ///< first workgroup of the chunk with the fault
  };

  void startWorkers();
  void serve();
  void takeChunks(Job &job);
  std::optional<KernelFault> share(const Workgroups &work, int64_t first);

  unsigned threads;
  std::vector<pthread_t> workers;
  bool isStarted = false;

  std::mutex mutex;
  std::condition_variable wake, idle;
  bool isStopping = false;
  Job *job = nullptr;
  uint64_t generation = 0; ///< of `job`
  unsigned active = 0;     ///< workers in `job`
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86POOL_H
