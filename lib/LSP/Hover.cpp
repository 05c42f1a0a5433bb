//===- Hover.cpp - What the name under the cursor is ----------------------===//
#include "Statement.h"
#include "loom/IR/Loom.h"
#include "loom/LSP/Features.h"
#include "loom/LSP/OpDocs.h"
#include "llvm/Support/Path.h"

namespace loom::lsp {
using namespace mlir;

static std::string codeBlock(const Twine &text) { return ("```loom\n" + text + "\n```\n").str(); }

/// "`scalar.addf`: sum", or the name alone.
static std::string nameAndSummary(OperationName op) {
  StringRef name = getTextName(op);
  const OpDoc *doc = findOpDoc(name);
  std::string text = ("`" + name + "`").str();
  return doc ? text + ": " + doc->summary.str() : text;
}

static std::string describe(OperationName op) {
  std::string text = "**" + nameAndSummary(op) + "**\n";
  if (const OpDoc *doc = findOpDoc(getTextName(op)))
    text += ("\n" + doc->description + "\n").str();
  return text;
}

static std::string describe(const Document &document, const ValueEntry &entry) {
  const Analysis &analysis = document.analysis();
  if (entry.declared) {
    const auto &[type, op, statement] = *entry.declared;
    return codeBlock(entry.name + ": " + type) + "In the header of " + nameAndSummary(op) + "\n\n" +
           codeBlock(statementHeader(document.text(), statement));
  }
  if (!entry.value)
    return codeBlock(entry.name) + "The statement that defines it has errors.\n";
  std::string text = codeBlock(entry.name + ": " + spellType(analysis, entry.value));
  Value value = entry.value;
  Operation *owner = value.getDefiningOp();
  if (owner) {
    text += "Result of " + nameAndSummary(owner->getName()) + "\n";
  } else {
    owner = value.getParentBlock()->getParentOp();
    text += "Argument of " + nameAndSummary(owner->getName()) + "\n";
  }
  Span line = analysis.lines.lineOf(placeOf(analysis, owner));
  unsigned indent = document.text().slice(line.begin, line.end).find_first_not_of(" \t");
  return text + "\n" + codeBlock(statementHeader(document.text(), line.begin + indent));
}

/// The definition of a symbol that a hover shows: that of the document, else that of another one,
/// else a declaration.
static std::pair<const Document *, const SymbolEntry::Definition *>
findDefinition(const Workspace &workspace, const Document &document, StringRef name) {
  SmallVector<const Document *> order{&document};
  for (const auto &[uri, other] : workspace.documents())
    if (&other != &document)
      order.push_back(&other);
  for (bool declarations : {false, true})
    for (const Document *other : order)
      if (const SymbolEntry *entry = other->analysis().names.findSymbol(name))
        for (const SymbolEntry::Definition &definition : entry->definitions)
          if (definition.isDeclaration == declarations)
            return {other, &definition};
  return {nullptr, nullptr};
}

static std::string describe(const Workspace &workspace, const Document &document,
                            const SymbolEntry &symbol) {
  auto [home, definition] = findDefinition(workspace, document, symbol.name);
  if (!home)
    return codeBlock("@" + symbol.name) + "No open document defines it.\n";
  StringRef text = home->text();
  std::string result = codeBlock(statementHeader(text, definition->statement));
  result += nameAndSummary(definition->op) + "\n";
  if (std::string comment = commentAbove(text, definition->statement); !comment.empty())
    result += "\n" + comment + "\n";
  if (home != &document)
    result += ("\nIn `" + llvm::sys::path::filename(home->uri()) + "`\n").str();
  return result;
}

std::optional<llvm::lsp::Hover> hover(const Workspace &workspace, const Document &document,
                                      Position position) {
  const Analysis &analysis = document.analysis();
  const NameIndex &names = analysis.names;
  const Occurrence *name = names.find(analysis.lines.offset(position));
  if (!name)
    return std::nullopt;
  llvm::lsp::Hover result(analysis.lines.range(name->span));
  switch (name->kind) {
  case Occurrence::Operation:
    result.contents.value = describe(names.operations()[name->entity]);
    break;
  case Occurrence::Value:
    result.contents.value = describe(document, names.values()[name->entity]);
    break;
  case Occurrence::Symbol:
    result.contents.value = describe(workspace, document, names.symbols()[name->entity]);
    break;
  }
  result.contents.value = llvm::json::fixUTF8(result.contents.value);
  return result;
}

} // namespace loom::lsp
