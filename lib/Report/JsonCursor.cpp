//===- JsonCursor.cpp - Reading JSON values with their paths --------------===//
#include "JsonCursor.h"

using namespace llvm;

namespace loom::report {

void JsonCursor::fail(const Twine &text) const {
  if (problem->empty())
    *problem = (path.empty() ? text : path + ": " + text).str();
}

bool JsonCursor::has(const char *key) const {
  return value && value->is_object() && value->contains(key) && !(*value)[key].is_null();
}

JsonCursor JsonCursor::at(const char *key) const {
  JsonCursor member(nullptr, path.empty() ? key : path + "." + key, problem);
  if (!value)
    return member;
  if (!value->is_object())
    fail("expected an object");
  else if (!value->contains(key))
    member.fail("missing");
  else
    member.value = &(*value)[key];
  return member;
}

std::optional<JsonCursor> JsonCursor::find(const char *key) const {
  if (value && !value->is_object())
    fail("expected an object");
  return has(key) ? std::optional<JsonCursor>(at(key)) : std::nullopt;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> result;
  if (value && !value->is_array())
    fail("expected an array");
  if (!value || !value->is_array())
    return result;
  for (size_t i = 0; i != value->size(); ++i)
    result.push_back({&(*value)[i], path + "[" + std::to_string(i) + "]", problem});
  return result;
}

std::vector<JsonCursor> JsonCursor::rows(bool rowsRequired) const {
  uint64_t count = number("count");
  if (!rowsRequired && !has("rows"))
    return {};
  std::vector<JsonCursor> result = at("rows").elements();
  if (result.size() != count)
    at("count").fail(Twine(count) + " contradicts the number of rows, " + Twine(result.size()));
  for (size_t i = 0; i != result.size(); ++i) {
    uint64_t index = result[i].number("index");
    if (index != i)
      result[i].at("index").fail("expected " + Twine(i) + ", found " + Twine(index));
  }
  return result;
}

std::string JsonCursor::text() const {
  if (value && value->is_string())
    return value->get<std::string>();
  if (value)
    fail("expected a string");
  return "";
}

std::string JsonCursor::word() const {
  return value && value->is_number_integer() ? value->dump() : text();
}

uint64_t JsonCursor::number(uint64_t max) const {
  if (!value)
    return 0;
  bool isCount =
      value->is_number_unsigned() || (value->is_number_integer() && value->get<int64_t>() >= 0);
  if (!isCount) {
    fail("expected a non-negative integer");
    return 0;
  }
  uint64_t result = value->get<uint64_t>();
  if (result <= max)
    return result;
  fail(Twine(result) + " is larger than " + Twine(max));
  return 0;
}

unsigned JsonCursor::number32(const char *key) const {
  return at(key).number(std::numeric_limits<uint32_t>::max());
}

std::string JsonCursor::textOrEmpty(const char *key) const {
  return has(key) ? at(key).text() : "";
}

std::optional<uint64_t> JsonCursor::optionalNumber(const char *key) const {
  return has(key) ? std::optional<uint64_t>(number(key)) : std::nullopt;
}

std::optional<unsigned> JsonCursor::optionalNumber32(const char *key) const {
  return has(key) ? std::optional<unsigned>(number32(key)) : std::nullopt;
}

void checkContains(const Json &document, const Json &derived, const std::string &path,
                   std::string &problem) {
  if (!problem.empty())
    return;
  auto shown = [](const Json &value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (derived.is_object() && document.is_object()) {
    for (const auto &[key, value] : derived.items()) {
      std::string member = path.empty() ? key : path + "." + key;
      if (document.contains(key))
        checkContains(document[key], value, member, problem);
      else if (problem.empty())
        problem = member + ": missing; the rest of the report gives " + shown(value);
    }
    return;
  }
  if (derived.is_array() && document.is_array() && derived.size() == document.size()) {
    for (size_t i = 0; i != derived.size(); ++i)
      checkContains(document[i], derived[i], path + "[" + std::to_string(i) + "]", problem);
    return;
  }
  if (document != derived)
    problem = path + ": " + shown(document) + " contradicts the rest of the report, which gives " +
              shown(derived);
}

} // namespace loom::report
