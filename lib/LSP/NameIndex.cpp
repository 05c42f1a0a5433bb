//===- NameIndex.cpp - The names of one text and where they stand ---------===//
#include "loom/LSP/NameIndex.h"
#include "Statement.h"
#include "loom/IR/Loom.h"

namespace loom::lsp {
using namespace mlir;

bool SymbolEntry::isDefined() const {
  return llvm::any_of(definitions, [](const Definition &d) { return !d.isDeclaration; });
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

void NameIndex::add(Range name, Occurrence::Kind kind, bool isDefinition, unsigned entity) {
  places.push_back({{name.begin, name.end}, kind, isDefinition, entity});
}

void NameIndex::operation(Range name, OperationName kind) {
  add(name, Occurrence::Operation, false, ops.size());
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
    add(name, Occurrence::Value, true, valueId(value, name, true));
}

void NameIndex::useValue(Range name, Value value) {
  if (value)
    add(name, Occurrence::Value, false, valueId(value, name, false));
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
      {{name.begin, name.end}, op, lastOperation, getTextName(op).ends_with(".decl")});
  add(name, Occurrence::Symbol, true, id);
}

void NameIndex::useSymbol(Range name, StringRef symbol) {
  add(name, Occurrence::Symbol, false, symbolId(symbol));
}

void NameIndex::finish(ModuleOp module) {
  // The parser may look at a name twice, and it reads types before the names in them.
  llvm::stable_sort(places, [](const Occurrence &a, const Occurrence &b) {
    return std::tuple(a.span.begin, a.span.end, !a.isDefinition) <
           std::tuple(b.span.begin, b.span.end, !b.isDefinition);
  });
  places.erase(std::unique(places.begin(), places.end(),
                           [](const Occurrence &a, const Occurrence &b) {
                             return a.span == b.span && a.kind == b.kind;
                           }),
               places.end());
  for (const Occurrence &place : places) {
    if (place.kind == Occurrence::Operation) {
      statements.push_back(place.span.begin);
    } else if (place.kind == Occurrence::Value) {
      ValueEntry &entry = valueTable[place.entity];
      (place.isDefinition ? entry.definitions : entry.uses).push_back(place.span);
    } else if (place.kind == Occurrence::Symbol && !place.isDefinition) {
      symbolTable[place.entity].uses.push_back(place.span);
    }
  }
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
  findBodies();
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

} // namespace loom::lsp
