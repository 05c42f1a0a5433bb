//===- NameIndex.cpp - The names of one text and where they stand ---------===//
#include "loom/LSP/NameIndex.h"
#include "Statement.h"
#include "loom/IR/Loom.h"
#include "llvm/ADT/StringExtras.h"

namespace loom::lsp {
using namespace mlir;

bool SymbolEntry::isDefined() const {
  return llvm::any_of(definitions, [](const Definition &d) { return !d.isDeclaration; });
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

void NameIndex::add(Span span, Occurrence::Kind kind, bool isDefinition, unsigned entity) {
  places.push_back({span, kind, isDefinition, entity});
}

static Span spanOf(SourceListener::Range range) { return {range.begin, range.end}; }

void NameIndex::operation(Range name, OperationName kind) {
  add(spanOf(name), Occurrence::Operation, false, ops.size());
  ops.push_back(kind);
  lastOperation = name.begin;
}

unsigned NameIndex::valueId(Value value, Range name, bool defines) {
  auto [it, isNew] = valueIds.try_emplace(value, valueTable.size());
  if (!isNew && defines && !valueTable[it->second].definitions.empty()) {
    it->second = valueTable.size();
    isNew = true;
  }
  if (isNew)
    valueTable.push_back(
        {value, text.slice(name.begin, name.end), isa<BlockArgument>(value), {}, {}});
  return it->second;
}

void NameIndex::defineValue(Range name, Value value) {
  if (value)
    add(spanOf(name), Occurrence::Value, true, valueId(value, name, true));
}

void NameIndex::useValue(Range name, Value value) {
  if (value)
    add(spanOf(name), Occurrence::Value, false, valueId(value, name, false));
}

unsigned NameIndex::symbolId(StringRef name) {
  auto [it, isNew] = symbolIds.try_emplace(name, symbolTable.size());
  if (isNew)
    symbolTable.push_back({name.str(), {}, {}});
  return it->second;
}

void NameIndex::defineSymbol(Range name, StringRef symbol) {
  if (ops.empty())
    return;
  unsigned id = symbolId(symbol);
  OperationName op = ops.back();
  symbolTable[id].definitions.push_back(
      {spanOf(name), op, lastOperation, getTextName(op).ends_with(".decl")});
  add(spanOf(name), Occurrence::Symbol, true, id);
}

void NameIndex::useSymbol(Range name, StringRef symbol) {
  add(spanOf(name), Occurrence::Symbol, false, symbolId(symbol));
}

void NameIndex::sortPlaces() {
  // The parser may look at a name twice, and it reads some types before the names in them.
  auto key = [](const Occurrence &o) { return uint64_t(o.span.begin) << 32 | o.span.end; };
  auto before = [&](const Occurrence &a, const Occurrence &b) {
    return key(a) != key(b) ? key(a) < key(b) : a.isDefinition && !b.isDefinition;
  };
  if (!llvm::is_sorted(places, before))
    llvm::stable_sort(places, before);
  places.erase(std::unique(places.begin(), places.end(),
                           [](const Occurrence &a, const Occurrence &b) {
                             return a.span == b.span && a.kind == b.kind;
                           }),
               places.end());
}

void NameIndex::forgetDestroyed(ModuleOp module) {
  llvm::DenseSet<Value> existing;
  module.walk([&](Operation *op) {
    existing.insert(op->result_begin(), op->result_end());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        existing.insert(block.args_begin(), block.args_end());
  });
  for (auto [i, entry] : llvm::enumerate(valueTable))
    if (valueIds.lookup(entry.value) != i || !existing.contains(entry.value))
      entry.value = Value();
  valueIds.clear();
}

void NameIndex::finish(ModuleOp module, bool hasHoles) {
  if (hasHoles)
    forgetDestroyed(module);
  sortPlaces();
  findBodies();
  for (const Occurrence &place : places) {
    if (place.kind == Occurrence::Operation)
      statements.push_back(place.span.begin);
    else if (place.kind == Occurrence::Value && place.isDefinition)
      valueTable[place.entity].definitions.push_back(place.span);
  }
  addDeclaredNames();
  sortPlaces();
  addSpelledNames();
  sortPlaces();
  for (const Occurrence &place : places) {
    if (place.kind == Occurrence::Value && !place.isDefinition)
      valueTable[place.entity].uses.push_back(place.span);
    else if (place.kind == Occurrence::Symbol && !place.isDefinition)
      symbolTable[place.entity].uses.push_back(place.span);
  }
}

//===----------------------------------------------------------------------===//
// Names that the parser did not tell
//===----------------------------------------------------------------------===//

/// Whether the name at `span` is a result of a statement: names and commas stand before it on its
/// line, and names, commas and `=` behind it.
static bool namesResult(StringRef text, Span span) {
  StringRef before = text.take_front(span.begin);
  before = before.drop_front(before.rfind('\n') + 1); // npos + 1 is 0
  StringRef behind = text.drop_front(span.end).take_until([](char c) { return c == '\n'; });
  auto isList = [](StringRef list) {
    return llvm::all_of(
        list, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("%_, \t").contains(c); });
  };
  auto [names, rest] = behind.split('=');
  return isList(before) && names.size() != behind.size() && isList(names) &&
         !rest.ltrim().starts_with("%");
}

unsigned NameIndex::statementAround(unsigned offset) const {
  for (int body = bodyAt(offset); body >= 0; body = bodies[body].parent)
    offset = bodies[body].span.begin;
  auto behind = llvm::upper_bound(statements, offset);
  return behind == statements.begin() ? 0 : *std::prev(behind);
}

void NameIndex::addSpelledValue(Span span, Candidates &candidates) {
  if (namesResult(text, span)) {
    candidates[span.begin] = valueTable.size();
    add(span, Occurrence::Value, true, valueTable.size());
    valueTable.push_back({Value(), text.slice(span.begin, span.end), false, {span}, {}});
    return;
  }
  // The definition that is nearest before the name and visible there. Nothing is visible outside
  // of the statement of the module that defines it.
  unsigned begin = statementAround(span.begin);
  for (auto it = candidates.lower_bound(span.begin); it != candidates.begin();) {
    auto [place, id] = *--it;
    if (place < begin)
      return;
    // A header may name a parameter: in a type or in a condition.
    const ValueEntry &value = valueTable[id];
    bool ownHeader = value.isArgument && span.begin < scopeOf(value).begin &&
                     bodyAt(span.begin) == bodyAt(place);
    if (ownHeader || isVisible(value, span.begin))
      return add(span, Occurrence::Value, false, id);
  }
}

std::vector<Span> NameIndex::untoldNames() const {
  std::vector<Span> result;
  auto next = places.begin();
  for (size_t i = 0; i < text.size();) {
    if (skipOpaque(text, i))
      continue;
    if (text[i] != '%' && text[i] != '@') {
      ++i;
      continue;
    }
    Span span = tokenAt(text, i);
    i = span.end;
    while (next != places.end() && next->span.end <= span.begin)
      ++next;
    bool told = next != places.end() && next->span.begin < span.end;
    if (!told && span.end - span.begin > 1)
      result.push_back(span);
  }
  return result;
}

void NameIndex::addSpelledNames() {
  std::vector<Span> untold = untoldNames();
  if (untold.empty())
    return;
  llvm::StringMap<Candidates> byName;
  for (Span span : untold)
    if (text[span.begin] == '%')
      byName.try_emplace(text.slice(span.begin, span.end));
  for (auto [id, entry] : llvm::enumerate(valueTable)) {
    auto it = entry.definitions.empty() ? byName.end() : byName.find(entry.name);
    if (it != byName.end())
      it->second[entry.definitions.front().begin] = id;
  }
  for (Span span : untold) {
    StringRef name = text.slice(span.begin, span.end);
    if (name.front() == '%')
      addSpelledValue(span, byName[name]);
    else
      add(span, Occurrence::Symbol, false, symbolId(name.drop_front()));
  }
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

const Occurrence *NameIndex::find(unsigned offset) const {
  auto it =
      llvm::partition_point(places, [&](const Occurrence &o) { return o.span.end <= offset; });
  if (it != places.end() && it->span.begin <= offset)
    return &*it;
  if (it != places.begin() && std::prev(it)->span.end == offset)
    return &*std::prev(it);
  return nullptr;
}

const SymbolEntry *NameIndex::findSymbol(StringRef name) const {
  auto it = symbolIds.find(name);
  return it == symbolIds.end() ? nullptr : &symbolTable[it->second];
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void NameIndex::findBodies() {
  int around = -1;
  for (size_t i = 0; i < text.size();) {
    if (skipOpaque(text, i))
      continue;
    if (text[i] == '{') {
      Span span{static_cast<unsigned>(i + 1), static_cast<unsigned>(text.size())};
      bodies.push_back({span, around});
      around = bodies.size() - 1;
    } else if (text[i] == '}' && around >= 0) {
      bodies[around].span.end = i;
      around = bodies[around].parent;
    }
    ++i;
  }
}

std::vector<Span> NameIndex::moduleStatements() const {
  std::vector<Span> spans;
  for (unsigned begin : statements)
    if (bodyAt(begin) < 0)
      spans.push_back({begin, static_cast<unsigned>(text.size() + 1)});
  for (size_t i = 0; i + 1 < spans.size(); ++i)
    spans[i].end = spans[i + 1].begin;
  // Bodies of the module are in order, too.
  size_t next = 0;
  for (Span &span : spans) {
    unsigned end = 0;
    for (; next < bodies.size() && bodies[next].span.begin < span.end; ++next)
      if (bodies[next].parent < 0 && bodies[next].span.begin >= span.begin)
        end = bodies[next].span.end + 1;
    span.end = end ? std::min(span.end, end) : span.end;
  }
  return spans;
}

int NameIndex::bodyAt(unsigned offset) const {
  int body = llvm::partition_point(bodies, [&](const Body &b) { return b.span.begin <= offset; }) -
             bodies.begin() - 1;
  while (body >= 0 && bodies[body].span.end < offset)
    body = bodies[body].parent;
  return body;
}

Span NameIndex::scopeOf(const ValueEntry &value) const {
  if (value.definitions.empty())
    return {};
  unsigned place = value.definitions.front().end;
  if (value.isArgument) {
    // A parameter stands before its body, which is the last brace before the next statement; that
    // of a block (`^next(%x: index):`) stands in it.
    auto next = llvm::lower_bound(statements, place);
    unsigned limit = next == statements.end() ? text.size() : *next;
    auto behind =
        llvm::partition_point(bodies, [&](const Body &b) { return b.span.begin <= limit; });
    if (behind != bodies.begin() && std::prev(behind)->span.begin > place)
      return std::prev(behind)->span;
  }
  int around = bodyAt(place);
  return around < 0 ? Span() : bodies[around].span;
}

bool NameIndex::isVisible(const ValueEntry &value, unsigned offset) const {
  if (value.definitions.empty())
    return false;
  unsigned place = value.definitions.front().begin;
  Span scope = scopeOf(value);
  if (scope.begin == 0 || offset <= place || offset < scope.begin || offset > scope.end)
    return false;
  if (value.isArgument)
    return true;
  // A statement does not see its own results: not on its line and not in its bodies.
  if (!text.slice(place, offset).contains('\n'))
    return false;
  auto own = llvm::lower_bound(statements, place);
  int around = bodyAt(place), inner = bodyAt(offset);
  if (own == statements.end() || inner == around)
    return true;
  while (true) {
    while (inner >= 0 && bodies[inner].parent != around)
      inner = bodies[inner].parent;
    if (inner < 0)
      return true;
    // The statement of that body; that of a second body stands before the first one.
    auto owner = llvm::lower_bound(statements, bodies[inner].span.begin);
    if (owner == statements.begin())
      return true;
    --owner;
    inner = bodyAt(*owner);
    if (inner == around)
      return owner != own;
  }
}

} // namespace loom::lsp
