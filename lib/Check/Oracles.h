//===- Oracles.h - Expected values from the host ----------------*- C++ -*-===//
//
// Providers of `check.oracle.call`:
//  - `reference.matmul`, `reference.tiled_matmul`: see loom/Runtime/Matmul.h. Three inputs, one
//    result.
//  - `reference.scalar`: the callee, a function of scalars, for each element of the inputs; scalars
//    are the same for all elements.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_CHECK_ORACLES_H
#define LOOM_LIB_CHECK_ORACLES_H

#include "HostCode.h"
#include "Slots.h"

namespace loom::check {

/// Why an oracle cannot be called, as far as types and options say; nothing when it can.
std::optional<std::string> refuseOracle(CheckOracleCallOp op, HostFunctions &functions);

/// Fills the results, whose slots hold tensors of the right type and extents or nothing for
/// scalars.
llvm::Error callOracle(CheckOracleCallOp op, Slots &slots, HostFunctions &functions);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_ORACLES_H
