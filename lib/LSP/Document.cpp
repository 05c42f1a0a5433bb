//===- Document.cpp - Open texts and what is known of them ----------------===//
#include "loom/LSP/Document.h"
#include "loom/IR/Loom.h"

namespace loom::lsp {
using namespace mlir;

/// More errors than anybody reads at once; the next text shows those that are left.
static constexpr unsigned kErrorLimit = 100;

Analysis::Analysis(const DialectRegistry &registry, StringRef text, StringRef file)
    : lines(text), names(text), context(registry, MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  DiagnosticEngineScope engine(&context, llvm::nulls());
  owned = parseSourceTextPartially(text, file, &context, &names, kErrorLimit);
  // What the verifier would say of a program with holes mostly follows from the holes.
  bool hasHoles = engine.errorCount() != 0;
  if (!hasHoles)
    hasErrors = failed(verifyModule(*owned, kErrorLimit));
  hasErrors |= engine.errorCount() != 0;
  diagnostics = engine.diagnostics();
  names.finish(*owned, hasHoles);
}

void Document::setText(std::string text, int64_t version) {
  current.reset(); // it refers to the old text
  contents = std::move(text);
  currentVersion = version;
}

void Document::change(ArrayRef<llvm::lsp::TextDocumentContentChangeEvent> changes,
                      int64_t version) {
  current.reset();
  for (const auto &change : changes) {
    if (!change.range) {
      contents = change.text;
      continue;
    }
    LineIndex lines(contents);
    unsigned begin = lines.offset(change.range->start), end = lines.offset(change.range->end);
    contents.replace(begin, std::max(begin, end) - begin, change.text);
  }
  currentVersion = version;
}

const Analysis &Document::analysis() const {
  if (!current)
    current = std::make_unique<Analysis>(registry, contents, uriText);
  return *current;
}

Workspace::Workspace() { registerLoomDialects(registry); }

Document &Workspace::open(StringRef uri, std::string text, int64_t version) {
  // A client that opens twice has lost track; the newer text counts.
  close(uri);
  return table.try_emplace(uri.str(), registry, uri.str(), std::move(text), version).first->second;
}

void Workspace::close(StringRef uri) {
  if (auto it = table.find(uri); it != table.end())
    table.erase(it);
}

Document *Workspace::find(StringRef uri) {
  auto it = table.find(uri);
  return it == table.end() ? nullptr : &it->second;
}

} // namespace loom::lsp
