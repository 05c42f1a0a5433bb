//===- EnumEntries.h - Keys whose values are words of an enum ---*- C++ -*-===//
//
// `{cache_scope = cu}`: in the text the key tells which enum a word belongs to. An attribute of an
// enum is an integer inside MLIR, so the printer has to know the key as well.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_ENUMENTRIES_H
#define LOOM_IR_ENUMENTRIES_H

#include "loom/IR/AsmSupport.h"

// LOOM_ENTRY(key, part of the operation's name, enum); the first that applies counts.
#define LOOM_ENUM_ENTRIES(LOOM_ENTRY)                                                              \
  LOOM_ENTRY("ordering", "", Ordering)                                                             \
  LOOM_ENTRY("success_ordering", "", Ordering)                                                     \
  LOOM_ENTRY("failure_ordering", "", Ordering)                                                     \
  LOOM_ENTRY("scope", "", SyncScope)                                                               \
  LOOM_ENTRY("cache_scope", "", CacheScope)                                                        \
  LOOM_ENTRY("cache_temporal", "", CacheTemporal)                                                  \
  LOOM_ENTRY("intent", "", PrefetchIntent)                                                         \
  LOOM_ENTRY("locality", "", PrefetchLocality)                                                     \
  LOOM_ENTRY("nan", "", QuantizeNan)                                                               \
  LOOM_ENTRY("tie", "", QuantizeTie)                                                               \
  LOOM_ENTRY("memory_space", "", MemorySpace)                                                      \
  LOOM_ENTRY("mode", ".scan", ScanMode)                                                            \
  LOOM_ENTRY("direction", ".async.", AsyncDirection)                                               \
  LOOM_ENTRY("direction", "", ScanDirection)

namespace loom {

/// The word of the entry `key` in the braces of an operation, named as in the text; nothing when
/// the key is not one of an enum.
std::optional<llvm::StringRef> spellEnumEntry(llvm::StringRef op, llvm::StringRef key,
                                              mlir::Attribute value);

} // namespace loom

#endif // LOOM_IR_ENUMENTRIES_H
