//===- X86Faults.h - Faults of kernels as results ---------------*- C++ -*-===//
//
// A kernel that runs in this process and touches memory that is not there, or divides by zero, is
// stopped by a signal. Here the signal ends the kernel alone: its frames are left behind and the
// caller is told what happened. This is sound because a kernel holds nothing that would have to be
// released; what it wrote before stays written.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_X86FAULTS_H
#define LOOM_LIB_RUNTIME_X86FAULTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace loom::runtime {

struct KernelFault {
  enum class Kind {
    Memory,     ///< SIGSEGV, SIGBUS
    Arithmetic, ///< SIGFPE
    Trap,       ///< SIGILL
  };
  Kind kind = Kind::Memory;
  uint64_t instruction = 0;        ///< its address; 0 is unknown
  std::optional<uint64_t> address; ///< of the access
  std::optional<bool> isWrite;     ///< of the access
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

/// Runs `body`, which may only call kernels and keep track of them; returns the fault that ended
/// it. Needs FaultHandlers. Calls are not nested.
std::optional<KernelFault> runGuarded(llvm::function_ref<void()> body);

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86FAULTS_H
