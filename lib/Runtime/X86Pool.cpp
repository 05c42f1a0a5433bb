//===- X86Pool.cpp - Threads that share the workgroups of a launch --------===//
#include "X86Pool.h"
#include <chrono>
#include <csignal>

namespace loom::runtime {

/// Waking the threads costs a few microseconds; what takes less than this runs where it was called.
static constexpr std::chrono::microseconds kWorthSharing(20);
/// Chunks of a launch for each thread: the last ones to finish wait for less than a tenth.
static constexpr uint64_t kChunksPerThread = 16;

static void runApart(const Workgroups &work, int64_t first, int64_t end) {
  callKernel([&] { work.run(work.arguments, first, end, work.grid, work.size); });
}

static std::optional<KernelFault> runRange(const Workgroups &work, int64_t first, int64_t end) {
  return runGuarded([&] { runApart(work, first, end); }, work.stop);
}

std::optional<KernelFault> WorkgroupPool::run(const Workgroups &work) {
  if (threads == 1 || work.groups < 2)
    return runRange(work, 0, work.groups);
  // The first workgroup says how much there is to do.
  auto begin = std::chrono::steady_clock::now();
  if (std::optional<KernelFault> fault = runRange(work, 0, 1))
    return fault;
  std::chrono::duration<double> one = std::chrono::steady_clock::now() - begin;
  if (one * static_cast<double>(work.groups - 1) < kWorthSharing)
    return runRange(work, 1, work.groups);
  return share(work, 1);
}

std::optional<KernelFault> WorkgroupPool::share(const Workgroups &work, int64_t first) {
  startWorkers();
  uint64_t parts = (workers.size() + 1) * kChunksPerThread;
  Job shared = {work, std::max<uint64_t>((work.groups - first) / parts, 1), {uint64_t(first)}};
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = &shared;
    ++generation;
  }
  wake.notify_all();
  takeChunks(shared);
  std::unique_lock<std::mutex> lock(mutex);
  // Who did not come so far stays away.
  job = nullptr;
  idle.wait(lock, [&] { return active == 0; });
  return shared.fault;
}

void WorkgroupPool::takeChunks(Job &job) {
  const Workgroups &work = job.work;
  uint64_t groups = work.groups, first = 0;
  auto runChunks = [&] {
    while ((first = job.next.fetch_add(job.chunk)) < groups)
      runApart(work, first, std::min(first + job.chunk, groups));
  };
  std::optional<KernelFault> fault = runGuarded(runChunks, work.stop);
  if (!fault)
    return;
  // Every earlier chunk was handed out before and runs to its end or to a fault of its own, so that
  // the earliest fault does not depend on who was faster.
  job.next = groups;
  std::lock_guard<std::mutex> lock(mutex);
  if (!job.fault || first < job.faultAt) {
    job.fault = fault;
    job.faultAt = first;
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void WorkgroupPool::serve() {
  SignalStack stack;
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return isStopping || (job && generation != seen); });
    if (isStopping)
      return;
    seen = generation;
    Job &mine = *job;
    ++active;
    lock.unlock();
    takeChunks(mine);
    lock.lock();
    if (--active == 0)
      idle.notify_one();
  }
}

void WorkgroupPool::startWorkers() {
  if (isStarted)
    return;
  isStarted = true;
  // Signals that are meant for the process go to its own threads.
  sigset_t all, former;
  ::sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG})
    ::sigdelset(&all, signal);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  auto enter = [](void *pool) -> void * {
    static_cast<WorkgroupPool *>(pool)->serve();
    return nullptr;
  };
  // Fewer threads do the same work.
  pthread_t worker;
  while (workers.size() + 1 < threads && ::pthread_create(&worker, nullptr, enter, this) == 0)
    workers.push_back(worker);
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

WorkgroupPool::~WorkgroupPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  wake.notify_all();
  for (pthread_t worker : workers)
    ::pthread_join(worker, nullptr);
}

} // namespace loom::runtime
