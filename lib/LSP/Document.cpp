//===- Document.cpp - Open texts and what is known of them ----------------===//
#include "loom/LSP/Document.h"
#include "Statement.h"
#include "loom/IR/Loom.h"

namespace loom::lsp {
using namespace mlir;

/// More errors than anybody reads at once; the next text shows those that are left.
static constexpr unsigned kErrorLimit = 100;

/// The operations of the module in whose statements `errors` are.
static llvm::DenseSet<Operation *> findSpoiled(const Analysis &analysis,
                                               ArrayRef<ShownDiagnostic> errors) {
  llvm::DenseSet<unsigned> begins;
  for (Span statement : analysis.names.moduleStatements())
    if (llvm::any_of(errors, [&](const ShownDiagnostic &error) {
          unsigned offset = analysis.lines.sourceOffset(error.line, error.column);
          return offset >= statement.begin && offset < statement.end;
        }))
      begins.insert(statement.begin);
  llvm::DenseSet<Operation *> spoiled;
  for (Operation &op : *analysis.module().getBody())
    if (begins.contains(placeOf(analysis, &op)))
      spoiled.insert(&op);
  return spoiled;
}

/// Verifies what stands beside the statements with mistakes of grammar. Those are taken out of the
/// module meanwhile; that a name is not defined may follow from that and is not reported.
static std::vector<ShownDiagnostic> verifyRest(const Analysis &analysis,
                                               DiagnosticEngineScope &engine, unsigned limit) {
  std::vector<ShownDiagnostic> errors = engine.diagnostics();
  llvm::DenseSet<Operation *> spoiled = findSpoiled(analysis, errors);
  Block *body = analysis.module().getBody();
  SmallVector<Operation *> all;
  for (Operation &op : *body)
    all.push_back(&op);
  for (Operation *op : all)
    if (spoiled.contains(op))
      op->remove();
  (void)verifyModule(analysis.module(), limit);
  for (Operation *op : all) {
    if (!spoiled.contains(op))
      op->remove();
    body->push_back(op);
  }
  std::string undefined = "[" + stringifyCode(DiagCode::SymbolUndefined) + "]";
  for (const ShownDiagnostic &found : ArrayRef(engine.diagnostics()).drop_front(errors.size()))
    if (!StringRef(found.message).ends_with(undefined))
      errors.push_back(found);
  return errors;
}

Analysis::Analysis(const DialectRegistry &registry, StringRef text, StringRef file)
    : lines(text), names(text), context(registry, MLIRContext::Threading::DISABLED) {
  context.disableMultithreading(); // only this takes the locks out of its tables
  context.loadAllAvailableDialects();
  DiagnosticEngineScope engine(&context, llvm::nulls());
  engine.addSource(file, text); // for places inside of statements
  owned = parseSourceTextPartially(text, file, &context, &names, kErrorLimit);
  unsigned mistakes = engine.errorCount();
  names.finish(*owned, /*hasHoles=*/mistakes != 0);
  if (mistakes == 0) {
    hasErrors = failed(verifyModule(*owned, kErrorLimit)) || engine.errorCount() != 0;
    diagnostics = engine.diagnostics();
    return;
  }
  hasErrors = true;
  diagnostics = mistakes < kErrorLimit ? verifyRest(*this, engine, kErrorLimit - mistakes)
                                       : engine.diagnostics();
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
