//===- OpDocs.cpp - What the definitions say of each operation ------------===//
#include "loom/LSP/OpDocs.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace loom {

ArrayRef<OpDoc> opDocs() {
  static const OpDoc table[] = {
#define LOOM_OP_DOC(name, summary, description) {name, summary, description},
#include "loom/LSP/OpDocs.inc"
#undef LOOM_OP_DOC
  };
  return table;
}

const OpDoc *findOpDoc(StringRef name) {
  ArrayRef<OpDoc> table = opDocs();
  const OpDoc *found = llvm::lower_bound(
      table, name, [](const OpDoc &row, StringRef key) { return row.name < key; });
  return found != table.end() && found->name == name ? found : nullptr;
}

} // namespace loom
