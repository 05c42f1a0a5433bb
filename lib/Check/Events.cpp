//===- Events.cpp - Patterns of events ------------------------------------===//
#include "Expect.h"

namespace loom::check {
using namespace mlir;

using runtime::Event;

/// Whether a field is the number, flag or word of a pattern.
static bool matchesField(Attribute wanted, const Event::Field &field) {
  if (auto word = dyn_cast<StringAttr>(wanted)) {
    auto *text = std::get_if<std::string>(&field);
    return text && *text == word.getValue();
  }
  auto *number = std::get_if<uint64_t>(&field);
  auto *flag = std::get_if<bool>(&field);
  if (auto boolean = dyn_cast<BoolAttr>(wanted))
    return flag && *flag == boolean.getValue();
  return number && *number == static_cast<uint64_t>(cast<IntegerAttr>(wanted).getInt());
}

/// Whether a file of the pattern is the one of the event: the same path, or the names at its end.
static bool matchesFile(StringRef wanted, StringRef file) {
  return file == wanted || (!wanted.starts_with("/") && file.ends_with(("/" + wanted).str()));
}

static bool matchesFields(StringRef prefix, DictionaryAttr pattern, const Event &event) {
  return llvm::all_of(pattern, [&](NamedAttribute entry) {
    std::string key = (prefix + entry.getName().getValue()).str();
    if (auto inner = dyn_cast<DictionaryAttr>(entry.getValue()))
      return matchesFields(key + ".", inner, event);
    if (key == "count")
      return true;
    if (key == "type")
      return cast<StringAttr>(entry.getValue()).getValue() == stringifyEventKind(event.kind);
    if (key == "severity")
      return cast<StringAttr>(entry.getValue()).getValue() == stringifySeverity(event.severity);
    if (key == "source_file")
      return matchesFile(cast<StringAttr>(entry.getValue()).getValue(), event.file);
    return llvm::any_of(event.fields, [&](const auto &field) {
      return field.first == key && matchesField(entry.getValue(), field.second);
    });
  });
}

bool matchesPattern(DictionaryAttr pattern, const Event &event) {
  return matchesFields("", pattern, event);
}

} // namespace loom::check
