//===- X86Faults.h - Faults of kernels as results ---------------*- C++ -*-===//
//
// A kernel that runs in this process and touches memory that is not there, or divides by zero, is
// stopped by a signal. Here the signal ends the kernel alone: its frames are left behind and the
// caller is told what happened. This is sound because a kernel holds nothing that would have to be
// released; what it wrote before stays written. A kernel that takes too long is ended in the same
// way by a signal that is sent to its threads, which counts only while they are in its own code.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_X86FAULTS_H
#define LOOM_LIB_RUNTIME_X86FAULTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <utility>
#include <vector>

namespace loom::runtime {

struct KernelFault {
  enum class Kind {
    Memory,      ///< SIGSEGV, SIGBUS
    Arithmetic,  ///< SIGFPE
    Trap,        ///< SIGILL
    Check,       ///< endGuarded: what a check found
    Overwritten, ///< endGuarded: the kernel does not know what it does
    Time,        ///< StopRequest
  };
  Kind kind = Kind::Memory;
  uint64_t instruction = 0;        ///< its address; 0 is unknown
  std::optional<uint64_t> address; ///< of the access
  std::optional<bool> isWrite;     ///< of the access
  bool isBesideStack = false;      ///< the address is next to what the kernel has on its stack
};

/// While one of these exists, runGuarded catches faults. The handlers before are called for all
/// other faults, and are back when the last one is gone. May be used by several threads.
class FaultHandlers {
public:
  FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;
  ~FaultHandlers();
};

/// A stack for the signals of the calling thread, so that a full stack is a fault like others. To
/// be destroyed by the same thread.
class SignalStack {
public:
  SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack();

private:
  struct Former;
  std::unique_ptr<Former> former;
  std::unique_ptr<char[]> bytes;
};

/// Ends the kernels of one launch, on all threads that run them.
class StopRequest {
public:
  /// `code` is where the instructions of the kernels are: first address and one behind the last.
  explicit StopRequest(std::pair<uint64_t, uint64_t> code) : code(code) {}
  StopRequest(const StopRequest &) = delete;
  StopRequest &operator=(const StopRequest &) = delete;

  /// Called by another thread, again and again until the launch has ended: a thread that is in a
  /// function that a kernel called goes on. Needs a StopHandler.
  void ask();

  /// Whether a thread at `instruction` has to end its kernel.
  bool ends(uint64_t instruction) const {
    return isAsked && instruction >= code.first && instruction < code.second;
  }

  // For runGuarded: the calling thread may be ended.
  void enter();
  void leave();

private:
  const std::pair<uint64_t, uint64_t> code;
  std::atomic<bool> isAsked{false};
  std::mutex mutex;
  std::vector<pthread_t> threads; ///< in runGuarded
};

/// While one of these exists, StopRequest::ask can be used. The signal is SIGURG, which is ignored
/// where nobody handles it.
class StopHandler {
public:
  StopHandler();
  StopHandler(const StopHandler &) = delete;
  StopHandler &operator=(const StopHandler &) = delete;
  ~StopHandler();
};

/// Runs `body`, which may only call kernels and keep track of them; returns the fault that ended
/// it. Needs FaultHandlers. Calls are not nested. `stop`, if given, can end it.
std::optional<KernelFault> runGuarded(llvm::function_ref<void()> body, StopRequest *stop = nullptr);

/// In the body of runGuarded: runs `call`, which does nothing but call a kernel, on the stack that
/// the calling thread has for kernels. Whatever a kernel does to the frames on that stack, its
/// callers go on as they were.
void callKernel(llvm::function_ref<void()> call);

/// Ends the kernel that the calling thread runs, as a fault does. Whoever calls it is called by the
/// kernel and holds nothing either.
[[noreturn]] void endGuarded(KernelFault::Kind kind);

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86FAULTS_H
