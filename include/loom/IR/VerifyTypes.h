//===- VerifyTypes.h - What is wrong with an operation by itself -*- C++ -*-===//
//
// For the parser: a value that does not have the type that a user expects may have been given a
// wrong one where it is defined. That is the mistake to tell, not the use.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_VERIFYTYPES_H
#define LOOM_IR_VERIFYTYPES_H

#include "loom/IR/Diagnostics.h"

namespace loom {

/// Whether a diagnostic with `code` is about types or extents.
bool isAboutTypes(DiagCode code);

/// Verifies `op`, which may stand in a region that has no owner yet, and tells what is wrong with
/// the types of its values; fails when it told something. Other rules, and operations whose rules
/// ask what is around them, are left for the verification of the module.
mlir::LogicalResult verifyTypes(mlir::Operation *op);

} // namespace loom

#endif // LOOM_IR_VERIFYTYPES_H
