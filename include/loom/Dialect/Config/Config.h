//===- Config.h - The `config` dialect --------------------------------*- C++ -*-===//
#ifndef LOOM_DIALECT_CONFIG_CONFIG_H
#define LOOM_DIALECT_CONFIG_CONFIG_H

#include "loom/IR/AsmSupport.h"
#include "loom/IR/Loom.h"
#include <optional>
#include <string>

#include "loom/Dialect/Config/ConfigDialect.h.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Config/ConfigOps.h.inc"

namespace loom {

/// The predicate of `decl` that `literal`, of the declared type, does not satisfy, as the text
/// spells it; nothing when it satisfies all. Arithmetic is exact: nothing is a multiple of 0, a
/// negative divisor counts as its magnitude, powers of two are positive.
std::optional<std::string> findBrokenPredicate(ConfigDeclOp decl, mlir::TypedAttr literal);

} // namespace loom

#endif // LOOM_DIALECT_CONFIG_CONFIG_H
