//===- ParserAttributes.cpp - Literals, dictionaries, encodings -----------===//
#include "Parser.h"
#include "loom/IR/Encodings.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

/// Entries of a dictionary, and how deep they nest (spec of attribute literals).
static constexpr size_t kMaxEntries = 16;
static constexpr unsigned kMaxDictNesting = 8;

static bool startsWord(StringRef text) {
  return !text.empty() && (llvm::isAlpha(text[0]) || text[0] == '_');
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ParseResult Parser::parseIntegerAttribute(const APInt &integer, SMLoc loc, Type type,
                                          Attribute &result) {
  Type wanted = type && type.isIntOrIndex() ? type : Type(builder.getI64Type());
  unsigned width = wanted.isIndex() ? 64 : wanted.getIntOrFloatBitWidth();
  if (integer.getSignificantBits() > width)
    return emitCoded(loc, DiagCode::TypeAttribute, "the integer does not fit ") << width << " bits";
  result = builder.getIntegerAttr(wanted, integer.sextOrTrunc(width));
  return success();
}

ParseResult Parser::parseArrayAttribute(Attribute &result) {
  SmallVector<Attribute> elements;
  if (attributeDepth >= kMaxDictNesting)
    return emitCoded(getCurrentLocation(), DiagCode::ParseNesting,
                     "attributes are nested more than 8 deep");
  ++attributeDepth;
  ParseResult parsed = parseCommaSeparatedList(
      Delimiter::Square, [&] { return parseAttribute(elements.emplace_back(), Type()); });
  --attributeDepth;
  if (parsed)
    return failure();
  bool integers =
      llvm::all_of(elements, [](Attribute a) { return isa<IntegerAttr>(a) && !isa<BoolAttr>(a); });
  if (!integers) {
    result = builder.getArrayAttr(elements);
    return success();
  }
  SmallVector<int64_t> values =
      llvm::map_to_vector(elements, [](Attribute a) { return cast<IntegerAttr>(a).getInt(); });
  result = builder.getDenseI64ArrayAttr(values);
  return success();
}

/// `bytes("00ff")`, behind the word.
ParseResult Parser::parseBytes(Attribute &result) {
  SMLoc loc;
  std::string digits;
  if (punctuation("("))
    return failure();
  loc = getCurrentLocation();
  if (parseString(&digits) || punctuation(")"))
    return failure();
  std::string bytes;
  if (!llvm::tryGetFromHex(digits, bytes) || digits.size() % 2)
    return emitCoded(loc, DiagCode::TypeAttribute, "bytes are pairs of hexadecimal digits");
  SmallVector<int8_t> values(bytes.begin(), bytes.end());
  result = builder.getDenseI8ArrayAttr(values);
  return success();
}

ParseResult Parser::parseAttribute(Attribute &result, Type type) {
  SMLoc loc = getCurrentLocation();
  StringRef next = rest();
  // The generated formats ask for strings, which stand in parentheses, and for symbols this way.
  bool hasNoType = isa_and_present<NoneType>(type);
  if (next.starts_with("\"")) {
    std::string value;
    if (parseOptionalString(&value))
      return failure();
    result = builder.getStringAttr(value);
    return success();
  }
  if (hasNoType && cursor != text.begin() && cursor[-1] == '(')
    return emitExpectedString();
  if (hasNoType || next.starts_with("@")) {
    FlatSymbolRefAttr symbol;
    if (parseSymbolRef(symbol))
      return failure();
    result = symbol;
    return success();
  }
  if (next.starts_with("#"))
    return parseHashAttribute(result);
  if (next.starts_with("["))
    return parseArrayAttribute(result);
  if (next.starts_with("{")) {
    NamedAttrList entries;
    if (parseOptionalDict(entries))
      return failure();
    result = entries.getDictionary(context);
    return success();
  }
  APInt integer;
  OptionalParseResult isInteger = parseOptionalInteger(integer);
  if (isInteger.has_value())
    return failure(failed(*isInteger) || parseIntegerAttribute(integer, loc, type, result));
  if (type && type.isSignlessInteger() && !type.isInteger(1))
    return emitExpected("an integer");
  if (next.starts_with("-") || (!next.empty() && llvm::isDigit(next[0])))
    return parseLiteral(*this, result);
  if (!startsWord(next))
    return emitExpected("a value");
  const char *before = cursor;
  StringRef spelled = word();
  if (spelled == "bytes" && rest().starts_with("("))
    return parseBytes(result);
  cursor = before;
  if (spelled == "true" || spelled == "false" || spelled == "inf" || spelled == "nan")
    return parseLiteral(*this, result);
  Type parsed;
  if (parseTextType(parsed, nullptr))
    return failure();
  result = TypeAttr::get(parsed);
  return success();
}

//===----------------------------------------------------------------------===//
// #family<...>
//===----------------------------------------------------------------------===//

ParseResult Parser::parseHashAttribute(Attribute &result) {
  SMLoc loc = getCurrentLocation();
  const char *before = cursor++;
  StringRef family = cursor != end && startsWord(StringRef(cursor, 1)) ? word(".") : StringRef();
  if (family == "target.subgroup.size") {
    int64_t size;
    if (punctuation("<") || parseInteger(size) || punctuation(">"))
      return failure();
    result = SubgroupSizeAttr::get(context, size < 0 ? 0 : static_cast<uint64_t>(size));
    return success();
  }
  if (family.starts_with("target."))
    return emitCoded(loc, DiagCode::TargetRequirement, "unknown target condition '#")
           << family << "'; the one there is is #target.subgroup.size<N>";
  if (family.starts_with("func."))
    return parseParameters(family, result);
  cursor = before;
  EncodingAttr encoding;
  if (parseEncoding(encoding))
    return failure();
  result = encoding;
  return success();
}

/// `<"p.cc", range = [...]>` behind a family that an operation knows. Its first parameter may stand
/// without a name; it is kept as `primary`.
ParseResult Parser::parseParameters(StringRef family, Attribute &result) {
  NamedAttrList params;
  bool first = true;
  if (rest().starts_with("<") &&
      parseCommaSeparatedList(Delimiter::LessGreater, [&]() -> ParseResult {
        SMLoc keyLoc = getCurrentLocation();
        StringRef key = "primary";
        Attribute value;
        if (!first || startsWord(rest())) {
          key = word();
          if (key.empty())
            return emitExpected("the name of a parameter");
          if (punctuation("="))
            return failure();
        }
        first = false;
        if (parseDictValue(key, value))
          return failure();
        if (params.get(key))
          return emitCoded(keyLoc, DiagCode::ParseRepeatedParameter, "parameter '")
                 << key << "' is given twice";
        params.append(key, value);
        return success();
      }))
    return failure();
  result = EncodingAttr::get(context, builder.getStringAttr(family), params.getDictionary(context));
  return success();
}

ParseResult Parser::parseEncoding(EncodingAttr &encoding) {
  SMLoc loc = getCurrentLocation();
  if (punctuation("#"))
    return failure();
  if (cursor == end || !startsWord(StringRef(cursor, 1)))
    return emitCoded(loc, DiagCode::ParseExpectedToken, "expected an encoding family after '#'");
  StringRef family = word(".");
  if (auto alias = aliases.find(family); alias != aliases.end()) {
    encoding = alias->second;
    return success();
  }
  if (!family.contains('.'))
    return emitCoded(loc, DiagCode::ParseUnknownEncoding, "no alias '#")
           << family << "' is defined above";
  NamedAttrList params;
  SmallVector<std::pair<StringRef, SMLoc>> keys;
  if (rest().starts_with("<")) {
    auto parseEntry = [&]() -> ParseResult {
      SMLoc keyLoc = getCurrentLocation();
      StringRef key = word();
      Attribute value;
      if (key.empty())
        return emitExpected("the name of a parameter");
      if (punctuation("="))
        return failure();
      StringRef list = rest().starts_with("[") ? rest().take_until([](char c) { return c == ']'; })
                                               : rest().take_front();
      if (size_t place = list.find('%'); place != StringRef::npos)
        return emitCoded(SMLoc::getFromPointer(cursor + place), DiagCode::ParseStaticEncoding,
                         "a static encoding has no parameters that are values; encoding.define "
                         "takes them in braces");
      if (parseDictValue(key, value))
        return failure();
      if (params.get(key))
        return emitCoded(keyLoc, DiagCode::ParseRepeatedParameter, "parameter '")
               << key << "' is given twice";
      params.append(key, value);
      keys.push_back({key, keyLoc});
      return success();
    };
    if (attributeDepth >= kMaxDictNesting)
      return emitCoded(loc, DiagCode::ParseNesting, "attributes are nested more than 8 deep");
    ++attributeDepth;
    ParseResult parsed = parseCommaSeparatedList(Delimiter::LessGreater, parseEntry);
    --attributeDepth;
    if (parsed)
      return failure();
  }
  encoding =
      EncodingAttr::get(context, builder.getStringAttr(family), params.getDictionary(context));
  std::optional<EncodingProblem> problem = checkEncoding(encoding);
  if (!problem)
    return success();
  auto key = llvm::find_if(keys, [&](auto &entry) { return entry.first == problem->param; });
  return emitCoded(key == keys.end() ? loc : key->second, problem->code, problem->message);
}

//===----------------------------------------------------------------------===//
// Dictionaries
//===----------------------------------------------------------------------===//

/// A value of a dictionary. A word is a type or a string; in the dictionary of an operation's own
/// attributes it is one of an enum where the key is known for that.
ParseResult Parser::parseDictValue(StringRef key, Attribute &value, bool ofOperation) {
  if (!startsWord(rest()))
    return parseAttribute(value, Type());
  auto entry = ofOperation ? parseEnumEntry(*this, key) : std::nullopt;
  if (entry) {
    if (failed(*entry))
      return failure();
    value = **entry;
    return success();
  }
  const char *before = cursor;
  StringRef spelled = word("."), behind = rest();
  bool literal = spelled == "true" || spelled == "false" || spelled == "inf" || spelled == "nan" ||
                 (spelled == "bytes" && behind.starts_with("("));
  if (!literal && !behind.starts_with("<") && !spelled.contains('.') && !key.ends_with("type")) {
    // `nearest_even|finite_only`: a set of words is one string.
    std::string words = spelled.str();
    while (succeeded(optionalPunctuation("|"))) {
      StringRef next = word();
      if (next.empty())
        return emitExpected("a word");
      words += "|" + next.str();
    }
    value = builder.getStringAttr(words);
    return success();
  }
  cursor = before;
  return parseAttribute(value, Type());
}

ParseResult Parser::parseOptionalDict(NamedAttrList &entries) {
  SmallVector<DictKey> keys;
  return parseDict(entries, keys, /*ofOperation=*/false);
}

ParseResult Parser::parseDict(NamedAttrList &entries, SmallVectorImpl<DictKey> &keys,
                              bool ofOperation) {
  if (!rest().starts_with("{"))
    return success();
  SMLoc loc = getCurrentLocation();
  if (attributeDepth >= kMaxDictNesting)
    return emitCoded(loc, DiagCode::ParseNesting, "attributes are nested more than 8 deep");
  ++attributeDepth;
  ParseResult parsed = parseCommaSeparatedList(Delimiter::Braces, [&]() -> ParseResult {
    SMLoc keyLoc = getCurrentLocation();
    StringRef key = word();
    Attribute value;
    if (key.empty())
      return emitExpected("the name of an attribute");
    if (punctuation("="))
      return failure();
    keys.push_back({key, keyLoc, getCurrentLocation()});
    if (parseDictValue(key, value, ofOperation))
      return failure();
    if (entries.get(key))
      return emitCoded(keyLoc, DiagCode::ParseRedefinition, "'") << key << "' is given twice";
    entries.append(key, value);
    if (entries.getAttrs().size() > kMaxEntries)
      return emitCoded(keyLoc, DiagCode::StructureValue, "a dictionary has at most 16 entries");
    return success();
  });
  --attributeDepth;
  return parsed;
}

/// What is wrong with the kind of an attribute, from the generated checks of the operation; empty
/// when nothing is. `name` becomes that of the attribute, where the check says it.
static std::string checkAttributeKinds(OperationName op, NamedAttrList &attributes,
                                       std::string &name) {
  std::string text;
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &diag) {
    text = diag.str();
    return success();
  });
  (void)op.verifyInherentAttrs(attributes,
                               [&] { return mlir::emitError(UnknownLoc::get(op.getContext())); });
  auto [subject, constraint] = StringRef(text).split("' failed to satisfy constraint: ");
  subject.consume_front("attribute '");
  name = subject.str();
  return constraint.empty()
             ? text
             : ("'" + subject + "' of '" + getTextName(op) + "' has to be " + constraint).str();
}

/// The attributes of an operation that its format does not place elsewhere.
ParseResult Parser::parseOptionalAttrDict(NamedAttrList &result) {
  if (!rest().starts_with("{"))
    return success();
  // In front of a region the brace is the region's.
  SMLoc loc = getCurrentLocation();
  NamedAttrList entries;
  SmallVector<DictKey> keys;
  if (parseDict(entries, keys, /*ofOperation=*/true))
    return failure();
  auto lookup = [&](StringRef key) {
    auto *it = llvm::find_if(keys, [&](const DictKey &entry) { return entry.key == key; });
    return it == keys.end() ? DictKey{key, loc, loc} : *it;
  };
  OperationName op = enclosing.back();
  std::vector<std::string> known;
  for (StringAttr name : op.getRegisteredInfo()->getAttributeNames())
    if (name != "operandSegmentSizes" && name != "resultSegmentSizes")
      known.push_back(name.getValue().str());
  for (NamedAttribute entry : entries) {
    StringRef key = entry.getName().getValue();
    if (!llvm::is_contained(known, key))
      return emitCoded(lookup(key).loc, DiagCode::ParseExpectedToken, "'")
             << getTextName(op) << "' has no attribute '" << key << "'" << didYouMean(key, known);
    if (result.get(key))
      return emitCoded(lookup(key).loc, DiagCode::ParseRedefinition, "'")
             << key << "' is given twice";
    result.append(entry);
  }
  std::string name, problem = checkAttributeKinds(op, result, name);
  if (!problem.empty())
    return emitCoded(lookup(name).value, DiagCode::TypeAttribute, problem);
  return success();
}

ParseResult Parser::parseOptionalAttrDictWithKeyword(NamedAttrList &) { return success(); }

//===----------------------------------------------------------------------===//
// Attributes of OpAsmParser
//===----------------------------------------------------------------------===//

ParseResult
Parser::parseCustomAttributeWithFallback(Attribute &result, Type type,
                                         llvm::function_ref<ParseResult(Attribute &, Type)> parse) {
  return parse(result, type);
}

ParseResult Parser::parseCustomTypeWithFallback(Type &result,
                                                llvm::function_ref<ParseResult(Type &)>) {
  return parseType(result);
}

OptionalParseResult Parser::parseOptionalAttribute(Attribute &result, Type type) {
  if (rest().empty() || !StringRef("\"@#-0123456789").contains(rest()[0]))
    return std::nullopt;
  return OptionalParseResult(parseAttribute(result, type));
}

OptionalParseResult Parser::parseOptionalAttribute(ArrayAttr &, Type) { return std::nullopt; }

OptionalParseResult Parser::parseOptionalAttribute(StringAttr &result, Type) {
  std::string value;
  if (!rest().starts_with("\""))
    return std::nullopt;
  if (parseOptionalString(&value))
    return OptionalParseResult(failure());
  result = builder.getStringAttr(value);
  return OptionalParseResult(success());
}

OptionalParseResult Parser::parseOptionalAttribute(SymbolRefAttr &result, Type) {
  if (!rest().starts_with("@"))
    return std::nullopt;
  FlatSymbolRefAttr symbol;
  if (parseSymbolRef(symbol))
    return OptionalParseResult(failure());
  result = symbol;
  return OptionalParseResult(success());
}

} // namespace loom
