//===- DeclaredNames.cpp - Names in headers of declarations ---------------===//
//
// Parameters of a declaration are no values: the parser keeps their names and types as attributes.
// So they are found in the text. A name with a colon behind it is a parameter or a result; another
// one in brackets is an extent of the header's own where it stands first, and a use behind that.
//
//===----------------------------------------------------------------------===//
#include "Statement.h"
#include "loom/IR/Loom.h"
#include "llvm/ADT/StringExtras.h"

namespace loom::lsp {
using namespace mlir;

namespace {
/// A `%name` in a header.
struct HeaderName {
  Span span;
  StringRef type;  ///< behind the colon; empty without one
  bool isExtent;   ///< directly in brackets of a type
  bool isInLaunch; ///< in the second signature of a kernel
};
} // namespace

static bool isDeclaration(OperationName op) {
  StringRef name = getTextName(op);
  return op.hasInterface<SignatureOpInterface>() &&
         (name.ends_with(".decl") || name == "template.ukernel");
}

/// The type that begins at `begin`: up to the comma or bracket that ends it.
static StringRef typeAt(StringRef text, size_t begin) {
  int depth = 0;
  size_t i = begin;
  for (; i < text.size() && text[i] != '\n'; ++i) {
    char c = text[i];
    if (depth == 0 && (c == ',' || c == ')'))
      break;
    depth += llvm::StringRef("<([").contains(c);
    depth -= llvm::StringRef(">)]").contains(c) && !(c == '>' && i && text[i - 1] == '-');
  }
  return text.slice(begin, i).trim();
}

static std::vector<HeaderName> namesOfHeader(StringRef text, size_t begin) {
  std::vector<HeaderName> names;
  bool isInLaunch = false;
  int depth = 0;
  for (size_t i = begin; i < text.size() && !(text[i] == '\n' && depth <= 0);) {
    if (skipOpaque(text, i))
      continue;
    char c = text[i];
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    Span span = tokenAt(text, i);
    if (c == '%' && span.end - span.begin > 1) {
      size_t behind = text.find_first_not_of(" \t", span.end);
      bool hasType = behind != StringRef::npos && text[behind] == ':';
      names.push_back({span, hasType ? typeAt(text, behind + 1) : StringRef(),
                       i > 0 && text[i - 1] == '[' && text.substr(span.end, 1) == "]", isInLaunch});
      i = span.end;
    } else if (llvm::isAlpha(c) && span.begin == i) {
      isInLaunch |= text.slice(span.begin, span.end) == "launch";
      i = span.end;
    } else {
      ++i;
    }
  }
  return names;
}

unsigned NameIndex::addDeclared(Span span, const ValueEntry::Declared &declared) {
  unsigned id = valueTable.size();
  add(span, Occurrence::Value, true, id);
  ValueEntry &entry = valueTable.emplace_back();
  entry.name = text.slice(span.begin, span.end);
  entry.isArgument = false;
  entry.definitions.push_back(span);
  entry.declared = declared;
  return id;
}

void NameIndex::addDeclaredNames() {
  std::vector<std::pair<unsigned, OperationName>> declarations;
  for (const Occurrence &place : places)
    if (place.kind == Occurrence::Operation && isDeclaration(ops[place.entity]))
      declarations.push_back({place.span.begin, ops[place.entity]});
  for (auto [begin, op] : declarations) {
    std::vector<HeaderName> names = namesOfHeader(text, begin);
    for (bool isInLaunch : {false, true}) {
      llvm::StringMap<unsigned> ids;
      for (const HeaderName &name : names)
        if (name.isInLaunch == isInLaunch && !name.type.empty())
          ids.try_emplace(text.slice(name.span.begin, name.span.end),
                          addDeclared(name.span, {name.type, op, begin}));
      for (const HeaderName &name : names) {
        if (name.isInLaunch != isInLaunch || !name.type.empty())
          continue;
        StringRef spelled = text.slice(name.span.begin, name.span.end);
        auto known = ids.find(spelled);
        if (known != ids.end())
          add(name.span, Occurrence::Value, false, known->second);
        else if (name.isExtent)
          ids[spelled] = addDeclared(name.span, {"index", op, begin});
      }
    }
  }
}

} // namespace loom::lsp
