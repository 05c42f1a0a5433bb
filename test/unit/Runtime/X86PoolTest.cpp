//===- X86PoolTest.cpp - Workgroups on threads, and their faults ----------===//
#include "X86Pool.h"
#include "X86Watchdog.h"
#include "gtest/gtest.h"
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <set>
#include <sys/mman.h>
#include <thread>

using namespace loom::runtime;

namespace {

/// What the kernels of these tests are given.
struct Arguments {
  std::vector<std::atomic<int>> *runs = nullptr;
  std::set<std::thread::id> *threads = nullptr;
  std::mutex mutex = {};
  int64_t faulting = -1; ///< the first workgroup that faults; all behind it do
  volatile int *place = nullptr;
};

/// Counts each workgroup and takes its time, so that the launch is worth sharing.
void count(const void *arguments, int64_t first, int64_t end, const int64_t *, const int64_t *) {
  auto &given = *static_cast<Arguments *>(const_cast<void *>(arguments));
  for (int64_t group = first; group < end; ++group) {
    ++(*given.runs)[group];
    if (given.threads) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      std::lock_guard<std::mutex> lock(given.mutex);
      given.threads->insert(std::this_thread::get_id());
    }
  }
}

std::optional<KernelFault> launch(WorkgroupPool &pool, loom::x86::KernelFunction run,
                                  Arguments &arguments, int64_t groups) {
  FaultHandlers handlers;
  SignalStack stack;
  int64_t grid[3] = {groups, 1, 1}, size[3] = {1, 1, 1};
  return pool.run({run, &arguments, groups, grid, size});
}

TEST(X86Pool, RunsEveryWorkgroupOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    WorkgroupPool pool(threads);
    for (int64_t groups : {0, 1, 2, 3, 63, 64, 1000, 4099}) {
      std::vector<std::atomic<int>> runs(groups);
      Arguments arguments = {&runs};
      EXPECT_FALSE(launch(pool, count, arguments, groups));
      for (auto &each : runs)
        ASSERT_EQ(each, 1) << threads << " threads, " << groups << " workgroups";
    }
  }
}

TEST(X86Pool, SharesWhatTakesLong) {
  WorkgroupPool pool(4);
  EXPECT_EQ(pool.startedThreads(), 0u);
  std::vector<std::atomic<int>> runs(400);
  std::set<std::thread::id> threads;
  Arguments arguments = {&runs, &threads};
  EXPECT_FALSE(launch(pool, count, arguments, 400));
  EXPECT_EQ(pool.startedThreads(), 3u);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 4u);
  for (auto &each : runs)
    EXPECT_EQ(each, 1);
}

TEST(X86Pool, OneThreadStaysAlone) {
  WorkgroupPool pool(1);
  std::vector<std::atomic<int>> runs(20);
  std::set<std::thread::id> threads;
  Arguments arguments = {&runs, &threads};
  EXPECT_FALSE(launch(pool, count, arguments, 20));
  EXPECT_EQ(pool.startedThreads(), 0u);
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// A page that cannot be touched.
volatile int *forbiddenPage() {
  static void *page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<volatile int *>(page);
}

void readFrom(const void *arguments, int64_t first, int64_t end, const int64_t *, const int64_t *) {
  auto &given = *static_cast<Arguments *>(const_cast<void *>(arguments));
  for (int64_t group = first; group < end; ++group) {
    std::this_thread::sleep_for(std::chrono::microseconds(30));
    // Each workgroup faults at an address of its own.
    if (group >= given.faulting)
      (void)given.place[group];
  }
}

TEST(X86Pool, ReportsTheFirstFaultForAnyNumberOfThreads) {
  for (unsigned threads : {1u, 2u, 5u, 8u}) {
    WorkgroupPool pool(threads);
    for (int64_t faulting : {0, 1, 17, 150, 399}) {
      Arguments arguments;
      arguments.faulting = faulting;
      arguments.place = forbiddenPage();
      std::optional<KernelFault> fault = launch(pool, readFrom, arguments, 400);
      ASSERT_TRUE(fault) << threads << " threads, workgroup " << faulting;
      EXPECT_EQ(fault->kind, KernelFault::Kind::Memory);
      EXPECT_EQ(fault->address, reinterpret_cast<uintptr_t>(forbiddenPage() + faulting))
          << threads << " threads, workgroup " << faulting;
      EXPECT_EQ(fault->isWrite, false);
      EXPECT_NE(fault->instruction, 0u);
    }
    // Nothing is left of it.
    std::vector<std::atomic<int>> runs(100);
    Arguments arguments = {&runs};
    EXPECT_FALSE(launch(pool, count, arguments, 100));
    for (auto &each : runs)
      EXPECT_EQ(each, 1);
  }
}

void writeTo(const void *arguments, int64_t, int64_t, const int64_t *, const int64_t *) {
  *static_cast<const Arguments *>(arguments)->place = 1;
}
void divideByZero(const void *, int64_t, int64_t, const int64_t *, const int64_t *) {
  volatile int zero = 0, one = 1;
  one = one / zero;
}
void trap(const void *, int64_t, int64_t, const int64_t *, const int64_t *) { __builtin_trap(); }
void nowhere(const void *, int64_t, int64_t, const int64_t *, const int64_t *) {
  // Not a canonical address.
  *reinterpret_cast<volatile int *>(uintptr_t(1) << 63) = 1;
}
[[gnu::noinline]] int fillStack(volatile int *before) {
  volatile int frame[4096];
  frame[0] = *before + 1;
  // The stack ends long before the numbers do.
  return frame[0] < 0 ? 0 : fillStack(frame) + frame[0];
}
void recurse(const void *, int64_t, int64_t, const int64_t *, const int64_t *) {
  volatile int zero = 0;
  (void)fillStack(&zero);
}

TEST(X86Pool, KindsOfFaults) {
  WorkgroupPool pool(1);
  Arguments arguments;
  arguments.place = forbiddenPage();
  std::optional<KernelFault> fault = launch(pool, writeTo, arguments, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->isWrite, true);
  fault = launch(pool, divideByZero, arguments, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, KernelFault::Kind::Arithmetic);
  fault = launch(pool, trap, arguments, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, KernelFault::Kind::Trap);
  fault = launch(pool, nowhere, arguments, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, KernelFault::Kind::Memory);
  EXPECT_FALSE(fault->address);
  fault = launch(pool, recurse, arguments, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, KernelFault::Kind::Memory);
}

/// Writes behind its own memory until there is no more.
void overwrite(const void *arguments, int64_t first, int64_t end, const int64_t *,
               const int64_t *) {
  auto &given = *static_cast<Arguments *>(const_cast<void *>(arguments));
  int64_t faulting = given.faulting;
  std::this_thread::sleep_for(std::chrono::microseconds(30));
  if (end <= faulting)
    return;
  volatile int own[4];
  volatile int *place = own;
  asm volatile("" : "+r"(place)); // nobody knows how much there is
  for (;; ++place)
    *place = 0x7f7f7f7f;
}

TEST(X86Pool, NothingLiesBehindTheMemoryOfAKernel) {
  for (unsigned threads : {1u, 2u, 5u}) {
    WorkgroupPool pool(threads);
    for (int64_t faulting : {0, 150}) {
      Arguments arguments;
      arguments.faulting = faulting;
      std::optional<KernelFault> fault = launch(pool, overwrite, arguments, 400);
      ASSERT_TRUE(fault);
      EXPECT_EQ(fault->kind, KernelFault::Kind::Memory);
      EXPECT_TRUE(fault->isBesideStack);
      EXPECT_EQ(fault->isWrite, true);
    }
    std::vector<std::atomic<int>> runs(100);
    Arguments arguments = {&runs};
    EXPECT_FALSE(launch(pool, count, arguments, 100));
    for (auto &each : runs)
      EXPECT_EQ(each, 1);
  }
}

#if defined(__x86_64__)
/// A kernel that has lost what it had to keep for its caller.
[[gnu::naked]] void forget(const void *, int64_t, int64_t, const int64_t *, const int64_t *) {
  asm("xorl %ebx, %ebx\n\t"
      "xorl %ebp, %ebp\n\t"
      "xorl %r12d, %r12d\n\t"
      "xorl %r13d, %r13d\n\t"
      "xorl %r14d, %r14d\n\t"
      "xorl %r15d, %r15d\n\t"
      "ret");
}

TEST(X86Pool, CallersKeepTheirRegisters) {
  WorkgroupPool pool(3);
  Arguments arguments;
  EXPECT_FALSE(launch(pool, forget, arguments, 1));
  EXPECT_FALSE(launch(pool, forget, arguments, 400));
}
#endif

//===----------------------------------------------------------------------===//
// Launches that do not end
//===----------------------------------------------------------------------===//

[[gnu::noinline]] void spin(const void *arguments, int64_t, int64_t, const int64_t *,
                            const int64_t *) {
  for (volatile int *place = static_cast<const Arguments *>(arguments)->place;;)
    *place = 1;
}

void spinLate(const void *arguments, int64_t first, int64_t end, const int64_t *, const int64_t *) {
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (end > 20)
    spin(arguments, first, end, nullptr, nullptr);
}

/// A launch under a watchdog that knows the code of kernels to be between these addresses.
std::optional<KernelFault> watchedLaunch(WorkgroupPool &pool, LaunchWatchdog &watchdog,
                                         loom::x86::KernelFunction run, Arguments &arguments,
                                         int64_t groups, std::pair<uint64_t, uint64_t> code) {
  FaultHandlers handlers;
  SignalStack stack;
  int64_t grid[3] = {groups, 1, 1}, size[3] = {1, 1, 1};
  StopRequest stop(code);
  LaunchWatchdog::Watch watch(watchdog, stop);
  return pool.run({run, &arguments, groups, grid, size, &stop});
}

std::pair<uint64_t, uint64_t> codeOfSpin() {
  uint64_t begin = reinterpret_cast<uintptr_t>(&spin);
  return {begin, begin + 64};
}

TEST(X86Watchdog, EndsALaunchOnAllThreads) {
  LaunchWatchdog watchdog(std::chrono::milliseconds(20));
  volatile int place = 0;
  for (unsigned threads : {1u, 2u, 5u})
    for (loom::x86::KernelFunction run : {spin, spinLate}) {
      WorkgroupPool pool(threads);
      Arguments arguments;
      arguments.place = &place;
      for (int round = 0; round < 2; ++round) {
        std::optional<KernelFault> fault =
            watchedLaunch(pool, watchdog, run, arguments, 400, codeOfSpin());
        ASSERT_TRUE(fault);
        EXPECT_EQ(fault->kind, KernelFault::Kind::Time);
        EXPECT_GE(fault->instruction, codeOfSpin().first);
        EXPECT_LT(fault->instruction, codeOfSpin().second);
      }
      // What follows runs as ever.
      std::vector<std::atomic<int>> runs(100);
      arguments.runs = &runs;
      EXPECT_FALSE(watchedLaunch(pool, watchdog, count, arguments, 100, codeOfSpin()));
      for (auto &each : runs)
        EXPECT_EQ(each, 1);
    }
}

void sleepLong(const void *arguments, int64_t, int64_t, const int64_t *, const int64_t *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  ++(*static_cast<const Arguments *>(arguments)->runs)[0];
}

TEST(X86Watchdog, WhatIsNoCodeOfAKernelIsNotLeft) {
  LaunchWatchdog watchdog(std::chrono::milliseconds(5));
  WorkgroupPool pool(1);
  std::vector<std::atomic<int>> runs(1);
  Arguments arguments = {&runs};
  EXPECT_FALSE(watchedLaunch(pool, watchdog, sleepLong, arguments, 1, codeOfSpin()));
  EXPECT_EQ(runs[0], 1);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

sigjmp_buf outside;
void handleOutside(int) { ::siglongjmp(outside, 1); }

TEST(X86Pool, FormerHandlersSeeOtherFaultsAndComeBack) {
  struct sigaction own = {}, former, after;
  own.sa_handler = handleOutside;
  own.sa_flags = SA_NODEFER;
  ::sigaction(SIGSEGV, &own, &former);
  volatile bool isSeen = false;
  {
    FaultHandlers handlers, again;
    // No kernel runs here.
    if (sigsetjmp(outside, 1) == 0)
      *forbiddenPage() = 1;
    else
      isSeen = true;
    WorkgroupPool pool(1);
    Arguments arguments;
    arguments.place = forbiddenPage();
    EXPECT_TRUE(launch(pool, writeTo, arguments, 1));
  }
  EXPECT_TRUE(isSeen);
  ::sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_handler, handleOutside);
  ::sigaction(SIGSEGV, &former, nullptr);
}

TEST(X86PoolDeathTest, AFaultOutsideOfKernelsEndsTheProcess) {
  FaultHandlers handlers;
  EXPECT_EXIT(*forbiddenPage() = 1, testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(::raise(SIGFPE), testing::KilledBySignal(SIGFPE), "");
}

} // namespace
