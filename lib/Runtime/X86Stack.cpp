//===- X86Stack.cpp - Stacks for kernels ----------------------------------===//
#include "X86Stack.h"
#include <cstdlib>
#include <sys/mman.h>

namespace loom::runtime {

KernelStack::KernelStack() {
  constexpr size_t bytes = kBytes + 2 * kGuardBytes;
  void *mapping = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                         /*fd=*/-1, /*offset=*/0);
  if (mapping == MAP_FAILED)
    return;
  memory = static_cast<char *>(mapping);
  if (::mprotect(memory + kGuardBytes, kBytes, PROT_READ | PROT_WRITE) == 0)
    return;
  ::munmap(memory, bytes);
  memory = nullptr;
}

KernelStack::~KernelStack() {
  if (memory)
    ::munmap(memory, kBytes + 2 * kGuardBytes);
}

bool KernelStack::isBeside(uint64_t address) const {
  uint64_t begin = reinterpret_cast<uintptr_t>(memory);
  bool isBelow = address - begin < kGuardBytes;
  bool isAbove = address - (begin + kGuardBytes + kBytes) < kGuardBytes;
  return memory && (isBelow || isAbove);
}

void KernelStack::enter(void (*entry)()) const {
  // A frame begins at a multiple of 16 (System V ABI for x86-64, 3.2.2); the return address in
  // front of it is that of nobody.
  char *top = memory + kGuardBytes + kBytes - 64;
#if defined(__x86_64__)
  asm volatile("movq %0, %%rsp\n\t"
               "xorl %%ebp, %%ebp\n\t"
               "callq *%1\n\t"
               "ud2"
               :
               : "a"(top), "d"(entry)
               : "memory");
#else
  (void)top;
  entry();
#endif
  std::abort();
}

} // namespace loom::runtime
