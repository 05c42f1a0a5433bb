//===- OperationNames.h - Names of lowered operations -----------*- C++ -*-===//
#ifndef LOOM_TEST_TARGET_OPERATIONNAMES_H
#define LOOM_TEST_TARGET_OPERATIONNAMES_H

#include "loom/Target/Common/Lowering.h"

namespace loom::test {

/// The names in the text of the source operations, by ordinal, as the AMDGPU back end takes them.
inline std::vector<std::string> operationNames(const LoweredModule &lowered) {
  std::vector<std::string> names;
  for (const LoweredOperation &operation : lowered.operations)
    names.push_back(operation.name);
  return names;
}

} // namespace loom::test

#endif // LOOM_TEST_TARGET_OPERATIONNAMES_H
