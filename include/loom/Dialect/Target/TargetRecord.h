//===- TargetRecord.h - From a target record to its profile -----*- C++ -*-===//
#ifndef LOOM_DIALECT_TARGET_TARGETRECORD_H
#define LOOM_DIALECT_TARGET_TARGETRECORD_H

#include "loom/Target/TargetProfile.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <array>
#include <optional>
#include <string>

namespace loom {

/// Of a module: the spelling (`amdgpu:gfx1151`) of the profile for which it was specialized. Not
/// part of the text.
inline constexpr llvm::StringLiteral kSpecializedTarget = "loom.specialized_target";

/// Whether `op` is a target record: `amdgpu.target`, `spirv.target`, `x86.target`, `target.generic`
/// or `target.decl`.
bool isTargetRecord(mlir::Operation *op);
/// The target record `name` in the module of `op`; null when `name` is, or nothing is called so.
mlir::Operation *lookupRecord(mlir::Operation *op, mlir::FlatSymbolRefAttr name);
/// The profile that a target record stands for; null when LLVM has none for its row, and for an
/// operation that is no target record. It is the profile of the row: what the record overrides is
/// not in it.
const TargetProfile *profileOfRecord(mlir::Operation *record);
/// `amdgpu:gfx1151`, as `--target` spells it; `generic:reference`; the text name of an operation
/// that has no row.
std::string spellRecord(mlir::Operation *record);
/// The entries `{key = value}` of a record; null without.
mlir::DictionaryAttr overridesOfRecord(mlir::Operation *record);
/// The work-items of a subgroup: what the record overrides, else that of its profile. Nothing when
/// neither is known.
std::optional<int64_t> subgroupSizeOfRecord(mlir::Operation *record);

/// The profile for which a kernel that names `record` is compiled in a module for `module`: that
/// one, or on x86 the one of the same processor that has the subgroup size which the record asks
/// for. Null when the module's target does not satisfy the record or has no such size.
const TargetProfile *profileForRecord(mlir::Operation *record, const TargetProfile &module);

/// Lowers `limits` by what `record`, which may be null, overrides.
void lowerByOverrides(LaunchLimits &limits, mlir::Operation *record);
/// The limits of `profile` for a kernel that names `record`, which may be null.
LaunchLimits launchLimits(mlir::Operation *record, const TargetProfile &profile);

/// Why an override of `record` is not honoured in code for `profile`: "is 4096, above the 1024 that
/// x86:avx2 has". Nothing when it is.
std::optional<std::string> findOverrideProblem(mlir::Operation *record, mlir::NamedAttribute entry,
                                               const TargetProfile &profile);

} // namespace loom

#endif // LOOM_DIALECT_TARGET_TARGETRECORD_H
