//===- MemoryRules.cpp - Rules of accesses and atomics --------------------===//
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

LogicalResult verifyCache(Operation *op, std::optional<CacheScope> scope,
                          std::optional<CacheTemporal> temporal, CacheUse use) {
  if (scope.has_value() != temporal.has_value())
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' has " << (scope ? "cache_scope" : "cache_temporal")
           << " but no " << (scope ? "cache_temporal" : "cache_scope")
           << "; a cache hint needs both";
  if (!temporal)
    return success();
  StringRef word = stringifyCacheTemporal(*temporal);
  if (*temporal == CacheTemporal::last_use && *scope == CacheScope::system)
    return emitCoded(op, DiagCode::StructureValue,
                     "cache_temporal = last_use does not go with cache_scope = system");
  if (*temporal == CacheTemporal::bypass && *scope != CacheScope::system)
    return emitCoded(op, DiagCode::StructureValue,
                     "cache_temporal = bypass needs cache_scope = system, not ")
           << stringifyCacheScope(*scope);
  bool refused = false;
  StringRef access = "an atomic access";
  switch (use) {
  case CacheUse::Load:
    access = "a load";
    refused =
        *temporal == CacheTemporal::writeback || *temporal == CacheTemporal::non_temporal_writeback;
    break;
  case CacheUse::Store:
    access = "a store";
    refused = *temporal == CacheTemporal::last_use;
    break;
  case CacheUse::Atomic:
    refused = *temporal != CacheTemporal::regular && *temporal != CacheTemporal::non_temporal;
    break;
  }
  if (!refused)
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureValue, "");
  diag << access << " does not take cache_temporal = " << word;
  if (use == CacheUse::Atomic)
    diag << "; it takes regular and non_temporal";
  return diag;
}

LogicalResult verifyAtomicOrdering(Operation *op, Ordering ordering, AtomicUse use) {
  bool refused = false;
  StringRef access, accepted;
  switch (use) {
  case AtomicUse::ReadModifyWrite:
    return success();
  case AtomicUse::Load:
    access = "an atomic load";
    accepted = "relaxed, acquire and seq_cst";
    refused = ordering == Ordering::release || ordering == Ordering::acq_rel;
    break;
  case AtomicUse::Store:
    access = "an atomic store";
    accepted = "relaxed, release and seq_cst";
    refused = ordering == Ordering::acquire || ordering == Ordering::acq_rel;
    break;
  case AtomicUse::Fence:
    access = "a fence";
    accepted = "acquire, release, acq_rel and seq_cst";
    refused = ordering == Ordering::relaxed;
    break;
  }
  if (!refused)
    return success();
  return emitCoded(op, DiagCode::StructureValue, "")
         << access << " cannot have the ordering " << stringifyOrdering(ordering) << "; it takes "
         << accepted;
}

/// What a failed compare-exchange may order when a successful one orders `success`.
static ArrayRef<Ordering> failureOrderings(Ordering success) {
  static constexpr Ordering orderings[] = {Ordering::relaxed, Ordering::acquire, Ordering::seq_cst};
  switch (success) {
  case Ordering::relaxed:
  case Ordering::release:
    return ArrayRef(orderings).take_front(1);
  case Ordering::acquire:
  case Ordering::acq_rel:
    return ArrayRef(orderings).take_front(2);
  case Ordering::seq_cst:
    return orderings;
  }
  return {};
}

LogicalResult verifyCmpxchgOrdering(Operation *op, Ordering success, Ordering failure) {
  ArrayRef<Ordering> accepted = failureOrderings(success);
  if (llvm::is_contained(accepted, failure))
    return mlir::success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureValue, "failure_ordering = ");
  diag << stringifyOrdering(failure)
       << " does not go with success_ordering = " << stringifyOrdering(success)
       << ", which permits ";
  for (auto [i, ordering] : llvm::enumerate(accepted)) {
    if (i)
      diag << (i + 1 == accepted.size() ? " and " : ", ");
    diag << stringifyOrdering(ordering);
  }
  return diag;
}

LogicalResult verifyAtomicKind(Operation *op, AtomicKind kind, Type element, bool noftz,
                               bool isReduction) {
  StringRef word = stringifyAtomicKind(kind);
  if (!isBytePatternScalar(element) || isFloatKind(kind) != isFloatScalar(element))
    return emitCoded(atWord(op, word), DiagCode::TypeOperand, "'")
           << word << "' cannot combine elements of type " << element;
  if (isReduction && (kind == AtomicKind::xchgi || kind == AtomicKind::xchgf))
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op)
           << "' gives back nothing and cannot be an exchange; store instead of '" << word << "'";
  if (noftz && kind != AtomicKind::addf)
    return emitCoded(op, DiagCode::StructureValue, "'noftz' belongs to 'addf', not to '")
           << word << "'";
  return success();
}

LogicalResult verifyNoPoison(Operation *op, ValueRange observed) {
  for (Value value : observed) {
    Operation *definition = value.getDefiningOp();
    if (!definition || !getTextName(definition).ends_with(".poison"))
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::TypePoison, "poison must not reach '");
    diag << getTextName(op) << "', which would observe it";
    diag.attachNote(definition->getLoc()) << "the poison is made here";
    return diag;
  }
  return success();
}

void addReadEffects(MemoryEffectList &effects, OpOperand &view, bool isVolatile) {
  effects.emplace_back(MemoryEffects::Read::get(), &view, SideEffects::DefaultResource::get());
  if (isVolatile)
    addWriteEffects(effects, view);
}

void addWriteEffects(MemoryEffectList &effects, OpOperand &view) {
  effects.emplace_back(MemoryEffects::Write::get(), &view, SideEffects::DefaultResource::get());
}

ParseResult parseAtomicUpdate(OpAsmParser &parser, AtomicKindAttr &kind, UnitAttr &noftz) {
  if (parser.parseLess() || parseAtomicKind(parser, kind))
    return failure();
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (failed(parser.parseOptionalKeyword(&word)) || word != "noftz")
      return text(parser).emitCoded(loc, DiagCode::ParseUnknownFlag, "unknown flag '")
             << word << "'; the flag is noftz";
    noftz = parser.getBuilder().getUnitAttr();
  }
  return parser.parseGreater();
}

void printAtomicUpdate(OpAsmPrinter &printer, Operation *, AtomicKindAttr kind, UnitAttr noftz) {
  printer << '<' << stringifyAtomicKind(kind.getValue()) << (noftz ? ", noftz>" : ">");
}

} // namespace loom
