//===- Complete.cpp - What can stand at the cursor ------------------------===//
#include "Statement.h"
#include "loom/IR/Loom.h"
#include "loom/LSP/Features.h"
#include "loom/LSP/OpDocs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace loom::lsp {
using namespace mlir;
using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;
using llvm::lsp::MarkupContent;
using llvm::lsp::MarkupKind;

namespace {
/// What is being typed.
struct Typed {
  enum Kind { Nothing, Operation, Value, Symbol };
  Kind kind = Nothing;
  Span span; ///< from the sigil, or the beginning of the word, to the cursor
};
} // namespace

/// Whether the cursor at the end of `line` is in a comment or a string.
static bool endsOpaque(StringRef line) {
  for (size_t i = 0; i < line.size();) {
    size_t from = i;
    if (!skipOpaque(line, i))
      ++i;
    else if (line[from] == '/' || line.slice(from, i).size() == 1)
      return true;
  }
  return false;
}

/// Whether an operation's name can follow `line`: nothing or result names stand there.
static bool beginsStatement(StringRef line) {
  line = line.trim();
  // `{` and `^block:` may stand on the same line.
  if (line.empty() || line.ends_with("{") || (line.starts_with("^") && line.ends_with(":")))
    return true;
  if (!line.consume_back("="))
    return false;
  SmallVector<StringRef> names;
  line.split(names, ',');
  return llvm::all_of(names, [](StringRef name) {
    name = name.trim();
    return name.consume_front("%") && !name.empty() &&
           llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  });
}

static Typed whatIsTyped(const LineIndex &lines, StringRef text, unsigned cursor) {
  StringRef line = text.slice(lines.lineOf(cursor).begin, cursor);
  if (endsOpaque(line))
    return {};
  StringRef before = line.rtrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  unsigned begin = cursor - (line.size() - before.size());
  if (before.ends_with("%"))
    return {Typed::Value, {begin - 1, cursor}};
  if (before.ends_with("@"))
    return {Typed::Symbol, {begin - 1, cursor}};
  if (beginsStatement(before))
    return {Typed::Operation, {begin, cursor}};
  return {};
}

static CompletionItem makeItem(const Twine &label, CompletionItemKind kind, Range range) {
  CompletionItem item(label, kind);
  // The word is replaced as a whole: editors differ in what they take for a word.
  item.textEdit = llvm::lsp::TextEdit{range, item.label};
  return item;
}

static void completeOperations(llvm::lsp::CompletionList &list, StringRef typed, Range range) {
  auto [dialect, rest] = typed.rsplit('.');
  bool hasDialect = typed.contains('.');
  for (const OpDoc &doc : opDocs()) {
    if (hasDialect && !(doc.name.starts_with(dialect) && doc.name.size() > dialect.size() &&
                        doc.name[dialect.size()] == '.'))
      continue;
    CompletionItem item = makeItem(doc.name, CompletionItemKind::Function, range);
    item.detail = doc.summary.str();
    if (hasDialect)
      item.documentation = MarkupContent{MarkupKind::Markdown, doc.description.str()};
    list.items.push_back(std::move(item));
  }
}

static void completeValues(llvm::lsp::CompletionList &list, const Analysis &analysis,
                           unsigned cursor, Range range) {
  SmallVector<std::pair<unsigned, const ValueEntry *>> visible;
  for (const ValueEntry &entry : analysis.names.values())
    if (analysis.names.isVisible(entry, cursor))
      visible.push_back({entry.definitions.front().begin, &entry});
  // The nearest first; of two of one name the inner one.
  llvm::sort(visible, [](const auto &a, const auto &b) { return a.first > b.first; });
  llvm::StringSet<> seen;
  for (auto [place, entry] : visible) {
    if (!seen.insert(entry->name).second)
      continue;
    CompletionItem item = makeItem(entry->name, CompletionItemKind::Variable, range);
    if (entry->value)
      item.detail = spellType(analysis, entry->value);
    item.sortText = llvm::formatv("{0:D6}", list.items.size());
    list.items.push_back(std::move(item));
  }
}

static void completeSymbols(llvm::lsp::CompletionList &list, const Workspace &workspace,
                            Range range) {
  // By name; of several definitions the one in the first document that has the body.
  std::map<StringRef, const SymbolEntry::Definition *> found;
  for (bool declarations : {false, true})
    for (const auto &[uri, document] : workspace.documents())
      for (const SymbolEntry &symbol : document.analysis().names.symbols())
        for (const SymbolEntry::Definition &definition : symbol.definitions)
          if (definition.isDeclaration == declarations)
            found.try_emplace(symbol.name, &definition);
  for (auto [name, definition] : found) {
    CompletionItem item = makeItem("@" + name, CompletionItemKind::Reference, range);
    item.detail = getTextName(definition->op).str();
    list.items.push_back(std::move(item));
  }
}

llvm::lsp::CompletionList complete(const Workspace &workspace, const Document &document,
                                   Position position) {
  const Analysis &analysis = document.analysis();
  unsigned cursor = analysis.lines.offset(position);
  Typed typed = whatIsTyped(analysis.lines, document.text(), cursor);
  Range range = analysis.lines.range(typed.span);
  llvm::lsp::CompletionList list;
  switch (typed.kind) {
  case Typed::Nothing:
    break;
  case Typed::Operation:
    completeOperations(list, document.text().slice(typed.span.begin, typed.span.end), range);
    break;
  case Typed::Value:
    completeValues(list, analysis, cursor, range);
    break;
  case Typed::Symbol:
    completeSymbols(list, workspace, range);
    break;
  }
  return list;
}

} // namespace loom::lsp
