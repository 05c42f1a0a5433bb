//===- StatedFacts.h - Facts about values that are known --------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_STATEDFACTS_H
#define LOOM_LIB_CHECK_STATEDFACTS_H

#include "loom/IR/Predicates.h"
#include "loom/Runtime/Scalar.h"

namespace loom::check {

/// A sentence about the first of `predicates` that does not hold: "mul(%count, 4) does not hold:
/// %count is 66". `values` are those of the positions, null for what is no scalar; `nameOf` gives
/// their names. The rules are those of the value sanitizer in kernels (docs/reference/words.md).
std::optional<std::string> violatedFact(mlir::ArrayAttr predicates,
                                        llvm::ArrayRef<std::optional<runtime::Scalar>> values,
                                        llvm::function_ref<std::string(unsigned)> nameOf);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_STATEDFACTS_H
