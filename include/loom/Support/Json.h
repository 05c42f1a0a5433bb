//===- Json.h - Reading and writing JSON documents --------------*- C++ -*-===//
//
// Every JSON document of the toolchain goes through these two functions, over nlohmann's ordered
// value type: keys stay in the order in which they were written.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_SUPPORT_JSON_H
#define LOOM_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <nlohmann/json.hpp>
#include <string>

namespace loom {

using Json = nlohmann::ordered_json;

enum class JsonComments {
  Rejected, ///< plain JSON (RFC 8259)
  Ignored,  ///< JSONC: `//` and `/* */` comments count as blanks
};

/// Parses one document. Errors read `name:line:column: what is wrong` (both counted from one, the
/// column in bytes). Rejected besides malformed text: a key that occurs twice in one object,
/// nesting deeper than 200, numbers outside of their type's range, bytes that are not UTF-8.
llvm::Expected<Json> parseJson(llvm::StringRef text, llvm::StringRef name,
                               JsonComments comments = JsonComments::Rejected);

/// The document as one compact line with its newline. Bytes that are not UTF-8 become U+FFFD.
std::string jsonLine(const Json &document);

} // namespace loom

#endif // LOOM_SUPPORT_JSON_H
