//===- LinkCodeObject.h - lld in this process -------------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_AMDGPU_LINKCODEOBJECT_H
#define LOOM_LIB_TARGET_AMDGPU_LINKCODEOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace loom::amdgpu {

/// Links one relocatable AMDGPU object to a code object that the HSA loader accepts. Nothing
/// touches the file system. The caller holds backendMutex().
llvm::Expected<std::vector<char>> linkCodeObject(llvm::ArrayRef<char> object);

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_LINKCODEOBJECT_H
