//===- TargetRecord.h - From a target record to its profile -----*- C++ -*-===//
#ifndef LOOM_DIALECT_TARGET_TARGETRECORD_H
#define LOOM_DIALECT_TARGET_TARGETRECORD_H

#include "loom/Target/TargetProfile.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace loom {

/// The profile that a target record stands for; null when LLVM has none for its row, and for an
/// operation that is no target record.
const TargetProfile *profileOfRecord(mlir::Operation *record);
/// `amdgpu:gfx1151`, as `--target` spells it; the text name of an operation that is no record.
std::string spellRecord(mlir::Operation *record);

} // namespace loom

#endif // LOOM_DIALECT_TARGET_TARGETRECORD_H
