//===- MemoryRules.h - Rules of accesses and atomics ------------*- C++ -*-===//
//
// Cache hints, atomic kinds and atomic orderings mean the same on every dialect that touches
// memory. The rules, their messages and their spelling stand here once.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_MEMORYRULES_H
#define LOOM_IR_MEMORYRULES_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// What an access does, as far as cache hints care.
enum class CacheUse { Load, Store, Atomic };

/// Checks `cache_scope` and `cache_temporal`: both or neither; `last_use` not with scope `system`;
/// `bypass` only with it; loads refuse the two write-back hints, stores `last_use`; atomics take
/// `regular` and `non_temporal` only. [STRUCTURE/014]
mlir::LogicalResult verifyCache(mlir::Operation *op, std::optional<CacheScope> scope,
                                std::optional<CacheTemporal> temporal, CacheUse use);

/// What an ordering belongs to: each takes some of the five only.
enum class AtomicUse { ReadModifyWrite, Load, Store, Fence };

/// Loads take relaxed, acquire, seq_cst; stores relaxed, release, seq_cst; fences all but relaxed;
/// the others all five. [STRUCTURE/014]
mlir::LogicalResult verifyAtomicOrdering(mlir::Operation *op, Ordering ordering, AtomicUse use);

/// The ordering of a failed compare-exchange: relaxed, acquire or seq_cst, and no stronger than
/// what `success` permits. [STRUCTURE/014]
mlir::LogicalResult verifyCmpxchgOrdering(mlir::Operation *op, Ordering success, Ordering failure);

/// The kind has to combine elements of `element` [TYPE/003]; `noftz` belongs to `addf`; a
/// reduction, which gives back nothing, refuses exchanges [STRUCTURE/014].
mlir::LogicalResult verifyAtomicKind(mlir::Operation *op, AtomicKind kind, mlir::Type element,
                                     bool noftz, bool isReduction);

/// The operands `observed` of a launch, with which values leave the program, must not be poison
/// [TYPE/012]. Of what is stored or returned, verifyPoison says so where the poison is made.
mlir::LogicalResult verifyNoPoison(mlir::Operation *op, mlir::ValueRange observed);

/// Effects of an access through `view`. A volatile read counts as a write too, so that it is
/// neither removed nor moved across another volatile access.
using MemoryEffectList =
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;
void addReadEffects(MemoryEffectList &effects, mlir::OpOperand &view, bool isVolatile);
void addWriteEffects(MemoryEffectList &effects, mlir::OpOperand &view);

/// `<addf>` or `<addf, noftz>`.
ParseResult parseAtomicUpdate(OpAsmParser &parser, AtomicKindAttr &kind, mlir::UnitAttr &noftz);
void printAtomicUpdate(OpAsmPrinter &printer, mlir::Operation *, AtomicKindAttr kind,
                       mlir::UnitAttr noftz);

} // namespace loom

#endif // LOOM_IR_MEMORYRULES_H
