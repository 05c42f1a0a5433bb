//===- X86Stack.h - Stacks for kernels --------------------------*- C++ -*-===//
//
// A kernel has its private and workgroup memory in its frame. What it writes behind that would
// reach the frames of whoever called it; on a stack of its own nothing is there but memory that
// cannot be touched, so that such a write is a fault like others.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_RUNTIME_X86STACK_H
#define LOOM_LIB_RUNTIME_X86STACK_H

#include <cstddef>
#include <cstdint>

namespace loom::runtime {

class KernelStack {
public:
  /// The workgroup memory of a kernel (at most 64 KiB) and the values that its barriers keep for
  /// 1024 work-items lie there, and the frames of a monitor that it calls.
  static constexpr size_t kBytes = size_t(16) << 20;
  /// In front of them and behind them; addresses only.
  static constexpr size_t kGuardBytes = size_t(64) << 20;

  KernelStack();
  KernelStack(const KernelStack &) = delete;
  KernelStack &operator=(const KernelStack &) = delete;
  ~KernelStack();

  /// Whether there was memory for it.
  bool isThere() const { return memory != nullptr; }
  /// Continues in `entry` on this stack, from its top; the way back is a jump. What was called here
  /// before is gone.
  [[noreturn]] void enter(void (*entry)()) const;
  /// Whether `address` lies in what cannot be touched at either end.
  bool isBeside(uint64_t address) const;

private:
  char *memory = nullptr; ///< the guard in front
};

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_X86STACK_H
