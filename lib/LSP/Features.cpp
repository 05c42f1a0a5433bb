//===- Features.cpp - Diagnostics, navigation, formatting -----------------===//
#include "loom/LSP/Features.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace loom::lsp {
using namespace mlir;

llvm::json::Value toJSON(const Location &location) {
  return llvm::json::Object{{"uri", location.uri}, {"range", location.range}};
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

llvm::json::Value toJSON(const Diagnostic &diagnostic) {
  // Note, Warning, Error, Remark in the protocol's numbers.
  static constexpr int severities[] = {3, 2, 1, 3};
  llvm::json::Object result{{"range", diagnostic.range},
                            {"severity", severities[static_cast<unsigned>(diagnostic.severity)]},
                            {"source", "loom"},
                            {"message", diagnostic.message}};
  if (!diagnostic.code.empty())
    result["code"] = diagnostic.code;
  if (!diagnostic.related.empty()) {
    llvm::json::Array notes;
    for (const auto &[location, message] : diagnostic.related)
      notes.push_back(llvm::json::Object{{"location", location}, {"message", message}});
    result["relatedInformation"] = std::move(notes);
  }
  return result;
}

/// Takes `[DOMAIN/123]` off the end of a message.
static std::string takeCode(StringRef &message) {
  size_t open = message.rfind(" [");
  if (!message.ends_with("]") || open == StringRef::npos)
    return {};
  StringRef code = message.slice(open + 2, message.size() - 1);
  auto [domain, number] = code.split('/');
  bool isCode = !domain.empty() && llvm::all_of(domain, llvm::isUpper) && !number.empty() &&
                llvm::all_of(number, llvm::isDigit);
  if (!isCode)
    return {};
  message = message.take_front(open);
  return code.str();
}

std::vector<Diagnostic> diagnostics(const Document &document) {
  const Analysis &analysis = document.analysis();
  auto rangeOf = [&](const ShownDiagnostic &shown) {
    unsigned offset = shown.line ? analysis.lines.sourceOffset(shown.line, shown.column) : 0;
    return analysis.lines.range(tokenAt(document.text(), offset));
  };
  std::vector<Diagnostic> result;
  for (const ShownDiagnostic &shown : analysis.diagnostics) {
    StringRef message = shown.message;
    std::string code = takeCode(message);
    Diagnostic &diagnostic = result.emplace_back(Diagnostic{
        rangeOf(shown), shown.severity, std::move(code), llvm::json::fixUTF8(message), {}});
    for (const ShownDiagnostic &note : shown.notes)
      diagnostic.related.push_back(
          {Location{document.uri().str(), rangeOf(note)}, llvm::json::fixUTF8(note.message)});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Definitions and references
//===----------------------------------------------------------------------===//

static const Occurrence *nameAt(const Document &document, Position position) {
  const Analysis &analysis = document.analysis();
  return analysis.names.find(analysis.lines.offset(position));
}

static void append(std::vector<Location> &locations, const Document &document,
                   ArrayRef<Span> spans) {
  for (Span span : spans)
    locations.push_back({document.uri().str(), document.analysis().lines.range(span)});
}

/// Places of definitions, or of declarations, of a symbol in one document.
static SmallVector<Span> definitionsOf(const Document &document, StringRef name,
                                       bool declarations) {
  SmallVector<Span> spans;
  if (const SymbolEntry *symbol = document.analysis().names.findSymbol(name))
    for (const SymbolEntry::Definition &definition : symbol->definitions)
      if (definition.isDeclaration == declarations)
        spans.push_back(definition.span);
  return spans;
}

static bool defines(const Document &document, StringRef name) {
  const SymbolEntry *symbol = document.analysis().names.findSymbol(name);
  return symbol && symbol->isDefined();
}

static std::vector<Location> symbolDefinitions(const Workspace &workspace, const Document &document,
                                               StringRef name) {
  std::vector<Location> result;
  for (bool declarations : {false, true}) {
    append(result, document, definitionsOf(document, name, declarations));
    if (!result.empty())
      break;
    for (const auto &[uri, other] : workspace.documents())
      append(result, other, definitionsOf(other, name, declarations));
    if (!result.empty())
      break;
  }
  return result;
}

std::vector<Location> findDefinitions(const Workspace &workspace, const Document &document,
                                      Position position) {
  const Occurrence *name = nameAt(document, position);
  if (!name || name->kind == Occurrence::Operation)
    return {};
  const NameIndex &names = document.analysis().names;
  if (name->kind == Occurrence::Symbol)
    return symbolDefinitions(workspace, document, names.symbols()[name->entity].name);
  std::vector<Location> result;
  append(result, document, names.values()[name->entity].definitions);
  return result;
}

static void appendSymbol(std::vector<Location> &result, const Document &other,
                         const SymbolEntry &symbol, bool withDefinitions) {
  SmallVector<Span> spans(symbol.uses.begin(), symbol.uses.end());
  if (withDefinitions)
    for (const SymbolEntry::Definition &definition : symbol.definitions)
      spans.push_back(definition.span);
  llvm::sort(spans);
  append(result, other, spans);
}

std::vector<Location> findReferences(const Workspace &workspace, const Document &document,
                                     Position position, bool withDefinitions) {
  const Occurrence *name = nameAt(document, position);
  if (!name || name->kind == Occurrence::Operation)
    return {};
  std::vector<Location> result;
  const NameIndex &names = document.analysis().names;
  if (name->kind == Occurrence::Value) {
    const ValueEntry &value = names.values()[name->entity];
    SmallVector<Span> spans(value.uses.begin(), value.uses.end());
    if (withDefinitions)
      llvm::append_range(spans, value.definitions);
    llvm::sort(spans);
    append(result, document, spans);
    return result;
  }
  // A symbol is the same in two documents unless both define it.
  StringRef symbol = names.symbols()[name->entity].name;
  bool isHome = defines(document, symbol);
  for (const auto &[uri, other] : workspace.documents()) {
    const SymbolEntry *entry = other.analysis().names.findSymbol(symbol);
    if (entry && (&other == &document || !isHome || !entry->isDefined()))
      appendSymbol(result, other, *entry, withDefinitions);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

/// Length of the longest common prefix that ends behind a line break.
static size_t commonLines(StringRef a, StringRef b) {
  size_t end = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
    if (a[i] == '\n')
      end = i + 1;
  return end;
}

/// Length of the longest common suffix that begins behind a line break.
static size_t commonEnd(StringRef a, StringRef b) {
  size_t length = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[a.size() - i - 1] == b[b.size() - i - 1];
       ++i)
    if (a[a.size() - i - 1] == '\n')
      length = i;
  return length;
}

std::vector<llvm::lsp::TextEdit> format(const Document &document) {
  const Analysis &analysis = document.analysis();
  if (analysis.hasErrors)
    return {};
  std::string canonical = printSourceText(analysis.module());
  StringRef from = document.text(), to = canonical;
  if (from == to)
    return {};
  // Lines that stay are left alone, so that cursors and marks in them stay too.
  size_t prefix = commonLines(from, to);
  size_t suffix = commonEnd(from.drop_front(prefix), to.drop_front(prefix));
  Span changed{static_cast<unsigned>(prefix), static_cast<unsigned>(from.size() - suffix)};
  return {{analysis.lines.range(changed), to.slice(prefix, to.size() - suffix).str()}};
}

} // namespace loom::lsp
