//===- Features.h - What an editor can ask ----------------------*- C++ -*-===//
//
// Every feature is a function of the open documents and a position. Where nothing can be said the
// answer is empty; nothing fails.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LSP_FEATURES_H
#define LOOM_LSP_FEATURES_H

#include "loom/LSP/Document.h"
#include "llvm/Support/LSP/Protocol.h"

namespace loom::lsp {

using llvm::lsp::Position;
using llvm::lsp::Range;

/// A place in an open document. Unlike llvm::lsp::Location it takes every URI, also that of a text
/// that was never saved.
struct Location {
  std::string uri;
  Range range;
};
llvm::json::Value toJSON(const Location &location);

/// An error or warning with its code apart from the message.
struct Diagnostic {
  Range range; ///< the token at the place of the diagnostic
  mlir::DiagnosticSeverity severity;
  std::string code; ///< "PARSE/001"; empty when there is none
  std::string message;
  std::vector<std::pair<Location, std::string>> related; ///< notes
};
llvm::json::Value toJSON(const Diagnostic &diagnostic);

std::vector<Diagnostic> diagnostics(const Document &document);

/// Where the name at `position` is defined. A declaration is found when no open document has a
/// definition. The definition of a symbol in the document itself hides those in others.
std::vector<Location> findDefinitions(const Workspace &workspace, const Document &document,
                                      Position position);

/// Where the name at `position` is used, in order of documents and places; `withDefinitions` adds
/// where it is defined or declared. Two documents that define the same symbol do not mean each
/// other's.
std::vector<Location> findReferences(const Workspace &workspace, const Document &document,
                                     Position position, bool withDefinitions);

/// What the name at `position` is, as Markdown: a value with its type and origin, a symbol with its
/// header and the comment above it, an operation with its documentation.
std::optional<llvm::lsp::Hover> hover(const Workspace &workspace, const Document &document,
                                      Position position);

/// One edit that makes the text canonical; none when it is, or when it has errors.
std::vector<llvm::lsp::TextEdit> format(const Document &document);

/// What can stand at `position`: values in scope behind `%`, symbols of all open documents behind
/// `@`, operations where a statement's operation begins. Filtering by what is typed is left to the
/// editor, except that a typed dialect selects its operations. Documentation comes with those of
/// one dialect; the list of all operations is short of it and the editor asks for that of an item.
llvm::lsp::CompletionList complete(const Workspace &workspace, const Document &document,
                                   Position position);

} // namespace loom::lsp

#endif // LOOM_LSP_FEATURES_H
