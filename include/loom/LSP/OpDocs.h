//===- OpDocs.h - What the definitions say of each operation ----*- C++ -*-===//
//
// The summaries and descriptions of the ODS files, as docs/reference has them, for use at run time.
// Every include/loom/Dialect/X/XOps.td that exists when Loom is built is in the table.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LSP_OPDOCS_H
#define LOOM_LSP_OPDOCS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace loom {

struct OpDoc {
  llvm::StringRef name;        ///< as the text spells it: "scalar.addf"
  llvm::StringRef summary;     ///< a phrase without period
  llvm::StringRef description; ///< Markdown, with an example
};

/// All operations, sorted by name.
llvm::ArrayRef<OpDoc> opDocs();
/// The row of one operation; null when there is none.
const OpDoc *findOpDoc(llvm::StringRef name);

} // namespace loom

#endif // LOOM_LSP_OPDOCS_H
