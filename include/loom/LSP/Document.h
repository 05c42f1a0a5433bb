//===- Document.h - Open texts and what is known of them --------*- C++ -*-===//
//
// A document is parsed and verified once for each of its texts, when something is asked of it. Each
// analysis has a context of its own: what MLIR keeps in a context is never freed before it, and an
// editing session has thousands of texts.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LSP_DOCUMENT_H
#define LOOM_LSP_DOCUMENT_H

#include "loom/IR/Diagnostics.h"
#include "loom/LSP/NameIndex.h"
#include "mlir/IR/MLIRContext.h"
#include <map>

namespace loom::lsp {

/// What one text says.
class Analysis {
public:
  /// `text` lives as long as the analysis. `file` is what locations carry.
  Analysis(const mlir::DialectRegistry &registry, llvm::StringRef text, llvm::StringRef file);

  const LineIndex lines;
  NameIndex names;
  /// Errors of the grammar, then of the verifier about the statements of the module that have none.
  std::vector<ShownDiagnostic> diagnostics;
  bool hasErrors = false;

  /// Holds what could be read.
  mlir::ModuleOp module() const { return *owned; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
};

class Document {
public:
  Document(const mlir::DialectRegistry &registry, std::string uri, std::string text,
           int64_t version)
      : registry(registry), uriText(std::move(uri)), contents(std::move(text)),
        currentVersion(version) {}

  llvm::StringRef uri() const { return uriText; }
  llvm::StringRef text() const { return contents; }
  int64_t version() const { return currentVersion; }
  /// Whether analysis() has to parse.
  bool isStale() const { return !current; }

  void setText(std::string text, int64_t version);
  /// Applies changes in order. Ranges are positions in the text that the changes before have made;
  /// a change without a range replaces the whole text.
  void change(llvm::ArrayRef<llvm::lsp::TextDocumentContentChangeEvent> changes, int64_t version);

  const Analysis &analysis() const;

private:
  const mlir::DialectRegistry &registry;
  std::string uriText, contents;
  int64_t currentVersion;
  mutable std::unique_ptr<Analysis> current;
};

/// The documents that are open, by their URI in the spelling of the client.
class Workspace {
public:
  Workspace();

  Document &open(llvm::StringRef uri, std::string text, int64_t version);
  void close(llvm::StringRef uri);
  /// Null when it is not open.
  Document *find(llvm::StringRef uri);

  const std::map<std::string, Document, std::less<>> &documents() const { return table; }

private:
  mlir::DialectRegistry registry;
  std::map<std::string, Document, std::less<>> table;
};

} // namespace loom::lsp

#endif // LOOM_LSP_DOCUMENT_H
