//===- LinkShared.h - lld in this process -----------------------*- C++ -*-===//
#ifndef LOOM_TARGET_ELF_LINKSHARED_H
#define LOOM_TARGET_ELF_LINKSHARED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace loom::elf {

/// Links one relocatable ELF object to a shared object: a code object that the HSA loader accepts,
/// or a library for this machine. `flags` are further flags of `ld.lld`. Nothing touches the file
/// system, LLVM's options keep their values, and the same object gives the same bytes. The caller
/// holds backendMutex().
llvm::Expected<std::vector<char>> linkShared(llvm::ArrayRef<char> object,
                                             llvm::ArrayRef<const char *> flags);

} // namespace loom::elf

#endif // LOOM_TARGET_ELF_LINKSHARED_H
