//===- X86Faults.cpp - Faults of kernels as results -----------------------===//
#include "X86Faults.h"
#include "X86Stack.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <iterator>
#include <mutex>
#include <ucontext.h>

namespace loom::runtime {

namespace {

/// A call of runGuarded.
struct Guard {
  sigjmp_buf place; ///< where a fault goes on
  KernelFault fault;
  StopRequest *stop = nullptr;
  // Of the kernel that is called now:
  sigjmp_buf back; ///< where it goes on when it returns
  llvm::function_ref<void()> *call = nullptr;
  const KernelStack *stack = nullptr;
};

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int kStopSignal = SIGURG;

/// The handlers that were there before.
struct Installed {
  std::mutex mutex;
  unsigned users = 0;
  struct sigaction former[std::size(kSignals)];
  unsigned stopUsers = 0;
  struct sigaction formerStop;
};

} // namespace

static Installed &installed() {
  static Installed state;
  return state;
}

/// The guard that the calling thread is in.
static thread_local Guard *current = nullptr;

/// Where the calling thread runs kernels.
static const KernelStack &kernelStack() {
  static thread_local KernelStack stack;
  return stack;
}

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

static KernelFault describe(int signal, const siginfo_t &info, const ucontext_t &context) {
  KernelFault fault;
  fault.kind = signal == SIGFPE   ? KernelFault::Kind::Arithmetic
               : signal == SIGILL ? KernelFault::Kind::Trap
                                  : KernelFault::Kind::Memory;
  // An address that cannot exist is reported without its value, as SI_KERNEL.
  if (fault.kind == KernelFault::Kind::Memory && info.si_code != SI_KERNEL)
    fault.address = reinterpret_cast<uintptr_t>(info.si_addr);
#if defined(__x86_64__)
  constexpr greg_t kPageFault = 14, kWrite = 2; // Intel SDM volume 3, "Page-Fault Exception (#PF)"
  fault.instruction = context.uc_mcontext.gregs[REG_RIP];
  if (context.uc_mcontext.gregs[REG_TRAPNO] == kPageFault)
    fault.isWrite = (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#endif
  return fault;
}

/// Does what would have happened without the handler.
static void passOn(int signal, siginfo_t *info, void *context) {
  const struct sigaction &former = installed().former[llvm::find(kSignals, signal) - kSignals];
  if (former.sa_flags & SA_SIGINFO)
    return former.sa_sigaction(signal, info, context);
  if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN)
    return former.sa_handler(signal);
  // The instruction is repeated, or the signal sent again, without a handler.
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0)
    ::raise(signal);
}

static void handle(int signal, siginfo_t *info, void *context) {
  Guard *guard = current;
  // Signals that another process sent are none of a kernel's faults.
  if (!guard || info->si_code <= 0)
    return passOn(signal, info, context);
  current = nullptr;
  guard->fault = describe(signal, *info, *static_cast<const ucontext_t *>(context));
  guard->fault.isBesideStack =
      guard->stack && guard->fault.address && guard->stack->isBeside(*guard->fault.address);
  ::siglongjmp(guard->place, 1);
}

static uint64_t instructionOf(const ucontext_t &context) {
#if defined(__x86_64__)
  return context.uc_mcontext.gregs[REG_RIP];
#else
  return 0;
#endif
}

/// Everything that the signal finds out of place stays as it is: it is sent again.
static void handleStop(int, siginfo_t *, void *context) {
  Guard *guard = current;
  uint64_t instruction = instructionOf(*static_cast<const ucontext_t *>(context));
  if (!guard || !guard->stop || !guard->stop->ends(instruction))
    return;
  current = nullptr;
  guard->fault.kind = KernelFault::Kind::Time;
  guard->fault.instruction = instruction;
  ::siglongjmp(guard->place, 1);
}

//===----------------------------------------------------------------------===//
// Ending kernels that take too long
//===----------------------------------------------------------------------===//

void StopRequest::ask() {
  isAsked = true;
  std::lock_guard<std::mutex> lock(mutex);
  for (pthread_t thread : threads)
    ::pthread_kill(thread, kStopSignal);
}

void StopRequest::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  threads.push_back(::pthread_self());
}

void StopRequest::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  threads.erase(llvm::find_if(
      threads, [](pthread_t thread) { return ::pthread_equal(thread, ::pthread_self()); }));
}

StopHandler::StopHandler() {
  Installed &state = installed();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.stopUsers++ != 0)
    return;
  struct sigaction action = {};
  action.sa_sigaction = handleStop;
  // As for faults; calls of the system that it meets go on.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  ::sigaction(kStopSignal, &action, &state.formerStop);
}

StopHandler::~StopHandler() {
  Installed &state = installed();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (--state.stopUsers == 0)
    ::sigaction(kStopSignal, &state.formerStop, nullptr);
}

//===----------------------------------------------------------------------===//
// Handlers, stacks and guards
//===----------------------------------------------------------------------===//

FaultHandlers::FaultHandlers() {
  Installed &state = installed();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.users++ != 0)
    return;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // The handler does not return, so that nothing would unblock its signal.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (auto [signal, former] : llvm::zip(kSignals, state.former))
    ::sigaction(signal, &action, &former);
}

FaultHandlers::~FaultHandlers() {
  Installed &state = installed();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (--state.users != 0)
    return;
  for (auto [signal, former] : llvm::zip(kSignals, state.former))
    ::sigaction(signal, &former, nullptr);
}

struct SignalStack::Former {
  stack_t stack;
};

SignalStack::SignalStack() : former(new Former), bytes(new char[1 << 16]) {
  // Holds the widest vector registers (11 KiB with AMX) several times.
  stack_t stack = {};
  stack.ss_sp = bytes.get();
  stack.ss_size = 1 << 16;
  ::sigaltstack(&stack, &former->stack);
}

SignalStack::~SignalStack() { ::sigaltstack(&former->stack, nullptr); }

std::optional<KernelFault> runGuarded(llvm::function_ref<void()> body, StopRequest *stop) {
  Guard guard;
  guard.stop = stop;
  if (stop)
    stop->enter();
  bool hasFaulted = sigsetjmp(guard.place, /*savemask=*/0) != 0;
  if (!hasFaulted) {
    current = &guard;
    body();
    current = nullptr;
  }
  if (guard.stop)
    guard.stop->leave();
  return hasFaulted ? std::optional(guard.fault) : std::nullopt;
}

/// Asks again where `current` is: no register holds what it did before the kernel ran.
[[gnu::noinline, noreturn]] static void leaveStack() { ::siglongjmp(current->back, 1); }

/// On the stack of the kernel. Its frames are all that a kernel may have written to.
static void runCall() {
  (*current->call)();
  leaveStack();
}

void callKernel(llvm::function_ref<void()> call) {
  assert(current && "kernels run in runGuarded");
  const KernelStack &stack = kernelStack();
  if (!stack.isThere())
    return call();
  current->call = &call;
  current->stack = &stack;
  if (sigsetjmp(current->back, /*savemask=*/0) == 0)
    stack.enter(runCall);
}

void endGuarded(KernelFault::Kind kind) {
  Guard *guard = current;
  assert(guard && "only kernels end");
  current = nullptr;
  guard->fault.kind = kind;
  ::siglongjmp(guard->place, 1);
}

} // namespace loom::runtime
