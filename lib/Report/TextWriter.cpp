//===- TextWriter.cpp - The text form of a compile report -----------------===//
//
// Generated from the JSON form, so that both state the same facts.
//
//===----------------------------------------------------------------------===//
#include "loom/Report/ReportDocument.h"

using namespace llvm;

namespace loom::report {

/// A value as it stands behind `key=`; quoted when a blank would break the line into words.
static std::string valueText(const Json &value) {
  if (!value.is_string())
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto &text = value.get_ref<const std::string &>();
  bool plain = !text.empty() && StringRef(text).find_first_of(" \t\r\n\"=") == StringRef::npos;
  return plain ? text : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Appends the line of `object` when it has scalar members, then the lines of what it contains.
/// Rows are named `<table>[<index>]`; unknown (null) members are left out.
static void appendLines(std::string &out, const std::string &name, const Json &object) {
  std::string line;
  for (const auto &[key, value] : object.items())
    if (value.is_primitive() && !value.is_null() && key != "index")
      line += " " + key + "=" + valueText(value);
  if (!line.empty())
    out += name + line + "\n";
  for (const auto &[key, value] : object.items()) {
    std::string member = name == "compile_report" ? key : name + "." + key;
    if (key == "rows")
      member = name;
    if (value.is_object())
      appendLines(out, member, value);
    if (!value.is_array())
      continue;
    for (size_t i = 0; i != value.size(); ++i)
      appendLines(out, member + "[" + std::to_string(i) + "]", value[i]);
  }
}

std::string toText(const CompileReport &report) {
  std::string out;
  appendLines(out, "compile_report", toJson(report));
  return out;
}

} // namespace loom::report
