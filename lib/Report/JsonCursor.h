//===- JsonCursor.h - Reading JSON values with their paths ------*- C++ -*-===//
#ifndef LOOM_LIB_REPORT_JSONCURSOR_H
#define LOOM_LIB_REPORT_JSONCURSOR_H

#include "loom/Support/Json.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace loom::report {

/// One value of a document together with the path that leads to it (`entries.rows[1].function`) and
/// the place where the first problem of the whole document is kept. Reading a value of the wrong
/// type, or below one that is missing, records a problem and yields an empty value, so that a
/// reader can go on and check once at its end.
class JsonCursor {
public:
  JsonCursor(const Json &value, std::string &problem) : value(&value), problem(&problem) {}

  const std::string &where() const { return path; }
  bool failed() const { return !problem->empty(); }

  /// Records "<path>: <text>" unless there is a problem already.
  void fail(const llvm::Twine &text) const;

  /// Whether this is an object with a member `key` that is not null.
  bool has(const char *key) const;

  /// A member that has to be there.
  JsonCursor at(const char *key) const;
  /// A member that may be missing or null.
  std::optional<JsonCursor> find(const char *key) const;
  /// The elements of an array.
  std::vector<JsonCursor> elements() const;
  /// The rows of a `{count, rows}` collection, checked against its count and their indexes. Rows
  /// may be missing only when `rowsRequired` is false; then there are none.
  std::vector<JsonCursor> rows(bool rowsRequired) const;

  std::string text() const;
  /// A string, or an integer as text.
  std::string word() const;
  uint64_t number(uint64_t max = std::numeric_limits<uint64_t>::max()) const;
  /// The same of a member.
  std::string text(const char *key) const { return at(key).text(); }
  uint64_t number(const char *key) const { return at(key).number(); }
  /// A member of 32 bits.
  unsigned number32(const char *key) const;
  /// A member that may be null or missing: then it is empty.
  std::string textOrEmpty(const char *key) const;
  std::optional<uint64_t> optionalNumber(const char *key) const;
  std::optional<unsigned> optionalNumber32(const char *key) const;

private:
  JsonCursor(const Json *value, std::string path, std::string *problem)
      : value(value), path(std::move(path)), problem(problem) {}

  const Json *value; ///< null below a value that is missing
  std::string path;
  std::string *problem;
};

/// Records a problem at the first value of `derived` that `document`, the value at `path`, does not
/// hold in the same place. Members that only `document` has are skipped.
void checkContains(const Json &document, const Json &derived, const std::string &path,
                   std::string &problem);

} // namespace loom::report

#endif // LOOM_LIB_REPORT_JSONCURSOR_H
