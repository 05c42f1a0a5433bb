//===- Json.cpp - Reading and writing JSON documents ----------------------===//
#include "loom/Support/Json.h"
#include <iterator>
#include <optional>
#include <vector>

using namespace llvm;

namespace loom {

namespace {

/// Reads bytes and tells how many have been read, which the events of the parser do not.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, const char **furthest) : at(at), furthest(furthest) {}
  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    *furthest = ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator &other) const { return at == other.at; }
  bool operator!=(const CountingIterator &other) const { return at != other.at; }

private:
  const char *at;
  const char **furthest;
};

/// Builds the document from the parser's events and keeps the first problem as text.
class DocumentBuilder : public nlohmann::json_sax<Json> {
public:
  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override { return add(value); }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return reject("binary values are not part of JSON"); }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    if (nesting.back()->contains(name))
      return reject("the key '" + name + "' occurs twice");
    pendingKey = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // The library's text is "[json.exception...] parse error at line 1, column 2: reason"; only the
    // reason is kept, the place is computed by the caller.
    errorPosition = position;
    StringRef text = StringRef(error.what()).split("] ").second;
    size_t place = text.find("column ");
    size_t reason = place == StringRef::npos ? place : text.find(": ", place);
    return reject(reason == StringRef::npos ? text.str() : text.drop_front(reason + 2).str());
  }

  Json document;
  std::string problem;
  /// Bytes up to and including the wrong one, for errors that the parser found.
  std::optional<size_t> errorPosition;

private:
  static constexpr size_t maxDepth = 200;

  Json *insert(Json value) {
    if (nesting.empty()) {
      document = std::move(value);
      return &document;
    }
    Json &parent = *nesting.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[pendingKey] = std::move(value));
  }

  bool add(Json value) {
    insert(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (nesting.size() == maxDepth)
      return reject("the document is nested too deeply");
    nesting.push_back(insert(std::move(container)));
    return true;
  }

  bool close() {
    nesting.pop_back();
    return true;
  }

  bool reject(std::string reason) {
    if (problem.empty())
      problem = std::move(reason);
    return false;
  }

  /// The containers around the current place. A container moves only when a sibling is added to its
  /// parent, and then it is no longer open.
  std::vector<Json *> nesting;
  std::string pendingKey;
};

} // namespace

Expected<Json> parseJson(StringRef text, StringRef name, JsonComments comments) {
  const char *furthest = text.begin();
  DocumentBuilder builder;
  bool parsed = Json::sax_parse(CountingIterator(text.begin(), &furthest),
                                CountingIterator(text.end(), &furthest), &builder,
                                Json::input_format_t::json, /*strict=*/true,
                                /*ignore_comments=*/comments == JsonComments::Ignored);
  if (parsed && builder.problem.empty())
    return std::move(builder.document);
  // The byte read last is the one that was wrong, so that is where the message points.
  StringRef before = text.take_front(builder.errorPosition.value_or(furthest - text.begin()));
  if (!before.empty())
    before = before.drop_back();
  size_t line = before.count('\n') + 1;
  size_t column =
      before.size() - (before.rfind('\n') == StringRef::npos ? 0 : before.rfind('\n') + 1);
  return createStringError(inconvertibleErrorCode(), name + ":" + Twine(line) + ":" +
                                                         Twine(column + 1) + ": " +
                                                         builder.problem);
}

std::string jsonLine(const Json &document) {
  return document.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace loom
