//===- ParserTokens.cpp - Characters, words, types and attributes ---------===//
#include "Parser.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"

namespace loom {
using namespace mlir;

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

void Parser::skip() {
  if (cursor != skipEnd)
    tokenEnd = cursor;
  while (cursor != end) {
    char c = *cursor;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++cursor;
    } else if (c == '/' && end - cursor > 1 && cursor[1] == '/') {
      const char *begin = cursor;
      while (cursor != end && *cursor != '\n')
        ++cursor;
      // A word that is tried and given back is skipped to more than once.
      if (inStatement && (inside.empty() || inside.back().data() < begin))
        inside.push_back(StringRef(begin, cursor - begin).rtrim());
    } else {
      break;
    }
  }
  skipEnd = cursor;
}

ParseResult Parser::optionalPunctuation(StringRef spelling) {
  StringRef next = rest();
  if (!next.starts_with(spelling) || (spelling == "-" && next.starts_with("->")))
    return failure();
  cursor += spelling.size();
  return success();
}

ParseResult Parser::punctuation(StringRef spelling) {
  if (succeeded(optionalPunctuation(spelling)))
    return success();
  return emitExpected("'" + spelling + "'");
}

StringRef Parser::word(StringRef extra) {
  StringRef next = rest();
  if (next.empty() || !isWordStart(next[0]))
    return {};
  size_t length = 1;
  while (length < next.size() && (isWordPart(next[length]) || extra.contains(next[length])))
    ++length;
  cursor += length;
  return next.take_front(length);
}

bool Parser::lineEnded() {
  skip();
  return tokenEnd && StringRef(tokenEnd, cursor - tokenEnd).contains('\n');
}

InFlightDiagnostic Parser::emitExpected(const Twine &what) {
  StringRef next = rest();
  bool lineEnds = next.empty() || lineEnded();
  if (lineEnds)
    return emitCoded(SMLoc::getFromPointer(next.empty() ? cursor : tokenEnd),
                     DiagCode::ParseExpectedToken, "expected ")
           << what.str() << ", but the " << (next.empty() ? "text" : "line") << " ends here";
  InFlightDiagnostic diag =
      emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken, "expected ");
  diag << what.str();
  size_t length = 1;
  if (isWordPart(next[0]) || StringRef("%@#^").contains(next[0]))
    while (length < next.size() && (isWordPart(next[length]) || next[length] == '.'))
      ++length;
  if (llvm::isPrint(next[0]))
    diag << ", got '" << next.take_front(length) << "'";
  return diag;
}

bool Parser::looksLikeStatement(StringRef line) {
  line = line.take_until([](char c) { return c == '\n'; }).ltrim();
  if (line.starts_with("%"))
    line = line.substr(line.find('=')).drop_front(line.contains('=')).ltrim();
  StringRef word = line.take_while(llvm::isAlnum);
  return !word.empty() && line.substr(word.size()).starts_with(".");
}

bool Parser::atNextStatement() {
  StringRef next = rest();
  return lineEnded() && next.starts_with("%") && looksLikeStatement(next);
}

ParseResult Parser::foreign(StringRef what) {
  return emitCoded(getCurrentLocation(), DiagCode::ParseExpectedToken, "")
         << what << " cannot stand here";
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

ParseResult Parser::parseOptionalKeyword(StringRef keyword) {
  const char *before = cursor;
  if (word() == keyword)
    return success();
  cursor = before;
  return failure();
}

ParseResult Parser::parseOptionalKeyword(StringRef *keyword) {
  *keyword = word();
  return failure(keyword->empty());
}

ParseResult Parser::parseOptionalKeyword(StringRef *keyword, ArrayRef<StringRef> allowed) {
  const char *before = cursor;
  *keyword = word();
  if (!keyword->empty() && llvm::is_contained(allowed, *keyword))
    return success();
  cursor = before;
  *keyword = {};
  return failure();
}

ParseResult Parser::parseKeyword(StringRef keyword, const Twine &message) {
  if (succeeded(parseOptionalKeyword(keyword)))
    return success();
  return emitExpected("'" + keyword + "'" + message);
}

ParseResult Parser::parseOptionalKeywordOrString(std::string *result) {
  if (succeeded(parseOptionalString(result)))
    return success();
  *result = word().str();
  return failure(result->empty());
}

ParseResult Parser::parseOptionalString(std::string *string) {
  StringRef next = rest();
  if (!next.starts_with("\""))
    return failure();
  std::string value;
  size_t i = 1;
  for (; i < next.size() && next[i] != '"' && next[i] != '\n'; ++i) {
    if (next[i] != '\\') {
      value += next[i];
      continue;
    }
    static const std::pair<char, char> escapes[] = {{'n', '\n'},  {'t', '\t'}, {'"', '"'},
                                                    {'\\', '\\'}, {'r', '\r'}, {'/', '/'}};
    ++i;
    const auto *known = llvm::find_if(
        escapes, [&](auto escape) { return i < next.size() && escape.first == next[i]; });
    if (known == std::end(escapes))
      return emitCoded(SMLoc::getFromPointer(cursor + i), DiagCode::ParseExpectedToken,
                       "unknown escape in a string");
    value += known->second;
  }
  if (i >= next.size() || next[i] != '"')
    return emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken,
                     "the string does not end on its line");
  cursor += i + 1;
  if (string)
    *string = std::move(value);
  return success();
}

ParseResult Parser::parseDashedWord(StringRef &result) {
  result = word(".-");
  if (!result.empty())
    return success();
  return emitExpected("a name");
}

ParseResult Parser::parseSymbolRef(FlatSymbolRefAttr &symbol) {
  StringAttr name;
  // The older spellings of templates write a family without `@`.
  bool older = cursor != text.begin() && cursor[-1] == '<' && nameLoc.isValid() &&
               StringRef(nameLoc.getPointer(), end - nameLoc.getPointer()).starts_with("func.");
  if (older && isWordStart(rest().empty() ? '\0' : rest()[0]))
    name = builder.getStringAttr(word("."));
  else if (parseSymbolName(name))
    return failure();
  symbol = FlatSymbolRefAttr::get(name);
  return success();
}

ParseResult Parser::parseOptionalSymbolName(StringAttr &result) {
  if (!rest().starts_with("@"))
    return failure();
  const char *before = cursor++;
  if (cursor == end || !isWordStart(*cursor)) {
    cursor = before;
    return failure();
  }
  result = builder.getStringAttr(word("."));
  return success();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Length of a number at the beginning of `text`: an integer, hexadecimal with `0x`, or a float.
static size_t scanNumber(StringRef text, bool &isFloat) {
  size_t i = text.starts_with("-") ? 1 : 0;
  isFloat = false;
  if (i >= text.size() || !llvm::isDigit(text[i]))
    return 0;
  if (text.substr(i).starts_with("0x") && i + 2 < text.size() && llvm::isHexDigit(text[i + 2])) {
    i += 2;
    while (i < text.size() && llvm::isHexDigit(text[i]))
      ++i;
    return i;
  }
  auto digits = [&] {
    while (i < text.size() && llvm::isDigit(text[i]))
      ++i;
  };
  digits();
  if (i + 1 < text.size() && text[i] == '.' && llvm::isDigit(text[i + 1])) {
    isFloat = true;
    ++i;
    digits();
  }
  size_t exponent = i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-'))
      ++i;
    if (i < text.size() && llvm::isDigit(text[i])) {
      isFloat = true;
      digits();
    } else {
      i = exponent;
    }
  }
  return i;
}

OptionalParseResult Parser::parseOptionalInteger(APInt &result) {
  StringRef next = rest();
  bool isFloat;
  size_t length = scanNumber(next, isFloat);
  if (length == 0 || isFloat)
    return std::nullopt;
  StringRef digits = next.take_front(length);
  bool negative = digits.consume_front("-");
  bool hex = digits.consume_front("0x");
  APInt magnitude;
  if (digits.size() > 64 || digits.getAsInteger(hex ? 16 : 10, magnitude))
    return OptionalParseResult(ParseResult(emitCoded(
        SMLoc::getFromPointer(cursor), DiagCode::TypeAttribute, "the integer is too large")));
  // One bit more than needed, so that the value is not read as negative.
  magnitude = magnitude.zext(magnitude.getBitWidth() + 1);
  result = negative ? -magnitude : magnitude;
  cursor += length;
  return OptionalParseResult(success());
}

OptionalParseResult Parser::parseOptionalDecimalInteger(APInt &result) {
  return parseOptionalInteger(result);
}

std::optional<APFloat> Parser::readFloat(SMLoc loc, const llvm::fltSemantics &semantics) {
  StringRef digits(loc.getPointer(), end - loc.getPointer());
  bool isFloat;
  size_t length = scanNumber(digits, isFloat);
  if (length == 0 || !isFloat)
    return std::nullopt;
  APFloat value(semantics);
  auto status = value.convertFromString(digits.take_front(length), APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return value;
}

ParseResult Parser::parseFloat(const llvm::fltSemantics &semantics, APFloat &result) {
  StringRef next = rest();
  bool isFloat;
  size_t length = scanNumber(next, isFloat);
  std::optional<APFloat> value = readFloat(SMLoc::getFromPointer(cursor), semantics);
  if (!value)
    return emitExpected("a number");
  if (value->isInfinity())
    return emitCoded(getCurrentLocation(), DiagCode::TypeAttribute, "the number is too large");
  result = *value;
  cursor += length;
  return success();
}

ParseResult Parser::parseFloat(double &result) {
  APFloat value(0.0);
  if (parseFloat(APFloat::IEEEdouble(), value))
    return failure();
  result = value.convertToDouble();
  return success();
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

ParseResult Parser::parseCommaSeparatedList(Delimiter delimiter,
                                            llvm::function_ref<ParseResult()> element, StringRef) {
  StringRef open, close;
  bool optional = false;
  switch (delimiter) {
  case Delimiter::None:
    break;
  case Delimiter::OptionalParen:
    optional = true;
    [[fallthrough]];
  case Delimiter::Paren:
    open = "(", close = ")";
    break;
  case Delimiter::OptionalSquare:
    optional = true;
    [[fallthrough]];
  case Delimiter::Square:
    open = "[", close = "]";
    break;
  case Delimiter::OptionalLessGreater:
    optional = true;
    [[fallthrough]];
  case Delimiter::LessGreater:
    open = "<", close = ">";
    break;
  case Delimiter::OptionalBraces:
    optional = true;
    [[fallthrough]];
  case Delimiter::Braces:
    open = "{", close = "}";
    break;
  }
  if (!open.empty()) {
    if (failed(optionalPunctuation(open)))
      return optional ? ParseResult(success()) : punctuation(open);
    if (succeeded(optionalPunctuation(close)))
      return success();
  }
  do {
    if (element())
      return failure();
  } while (succeeded(optionalPunctuation(",")));
  return close.empty() ? ParseResult(success()) : punctuation(close);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Type lookupScalarType(StringRef name, Builder &b) {
  return llvm::StringSwitch<llvm::function_ref<Type()>>(name)
      .Case("index", [&] { return Type(b.getIndexType()); })
      .Case("offset", [&] { return Type(OffsetType::get(b.getContext())); })
      .Case("buffer", [&] { return Type(BufferType::get(b.getContext())); })
      .Case("i1", [&] { return Type(b.getI1Type()); })
      .Case("i8", [&] { return Type(b.getIntegerType(8)); })
      .Case("i16", [&] { return Type(b.getIntegerType(16)); })
      .Case("i32", [&] { return Type(b.getI32Type()); })
      .Case("i64", [&] { return Type(b.getI64Type()); })
      .Case("f16", [&] { return Type(b.getF16Type()); })
      .Case("bf16", [&] { return Type(b.getBF16Type()); })
      .Case("f32", [&] { return Type(b.getF32Type()); })
      .Case("f64", [&] { return Type(b.getF64Type()); })
      .Default([] { return Type(); })();
}

/// Types of the language that no operation of this version takes.
static bool isUnsupportedTypeName(StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"f8E4M3", "f8E5M2",   "tile", "pool",
                                                  "reg",    "encoding", "low",  "kernel"};
  return llvm::is_contained(names, name);
}

ParseResult Parser::parseTextType(Type &type, SmallVectorImpl<UnresolvedOperand> *dims) {
  SMLoc loc = getCurrentLocation();
  StringRef name = word();
  if (name.empty())
    return emitExpected("a type");
  if ((type = lookupScalarType(name, builder)))
    return success();
  bool shaped = name == "view" || name == "vector" || name == "tensor";
  if (!shaped) {
    if (isUnsupportedTypeName(name))
      return emitCoded(loc, DiagCode::ParseUnsupported, "type '")
             << name << "' is not supported yet";
    static const std::string known[] = {"index",  "offset", "buffer", "view", "vector",
                                        "tensor", "i1",     "i8",     "i16",  "i32",
                                        "i64",    "f16",    "bf16",   "f32",  "f64"};
    return emitCoded(loc, DiagCode::ParseUnknownType, "unknown type '")
           << name << "'" << didYouMean(name, known);
  }
  SmallVector<int64_t> shape;
  if (punctuation("<"))
    return failure();
  while (true) {
    SMLoc dimLoc = getCurrentLocation();
    if (succeeded(optionalPunctuation("["))) {
      UnresolvedOperand dim;
      if (parseOperand(dim) || punctuation("]") || punctuation("x"))
        return failure();
      if (!dims)
        return emitCoded(dimLoc, DiagCode::ParseUnsupported,
                         "an extent that is a value is not supported here");
      dims->push_back(dim);
      shape.push_back(ShapedType::kDynamic);
    } else if (cursor != end && llvm::isDigit(*cursor)) {
      StringRef digits = rest().take_while(llvm::isDigit);
      int64_t extent;
      if (digits.getAsInteger(10, extent) || extent < 0)
        return emitCoded(dimLoc, DiagCode::TypeAttribute, "the extent is too large");
      cursor += digits.size();
      if (punctuation("x"))
        return failure();
      shape.push_back(extent);
    } else {
      break;
    }
    if (shape.size() > 15)
      return emitCoded(dimLoc, DiagCode::TypeResult, "a type has at most 15 dimensions");
  }
  SMLoc elementLoc = getCurrentLocation();
  StringRef elementName = word();
  Type element = elementName.empty() ? Type() : lookupScalarType(elementName, builder);
  if (!element) {
    if (isUnsupportedTypeName(elementName))
      return emitCoded(elementLoc, DiagCode::ParseUnsupported, "elements of type '")
             << elementName << "' are not supported yet";
    if (elementName.empty())
      return emitExpected("an element type");
    return emitCoded(elementLoc, DiagCode::ParseUnknownType, "expected an element type, got '")
           << elementName << "'";
  }
  if (rest().starts_with(","))
    return emitCoded(getCurrentLocation(), DiagCode::ParseUnsupported,
                     "layouts, encodings and align(...) on types are not supported yet");
  if (punctuation(">"))
    return failure();
  if (name == "vector") {
    if (shape.empty())
      return emitCoded(loc, DiagCode::TypeResult, "a vector has at least one dimension");
    if (llvm::is_contained(shape, ShapedType::kDynamic))
      return emitCoded(loc, DiagCode::ParseUnsupported,
                       "a vector whose width is a value is not supported yet");
    if (llvm::is_contained(shape, 0))
      return emitCoded(loc, DiagCode::ParseUnsupported,
                       "a vector without lanes is not supported yet");
    type = VectorType::get(context, shape, element);
  } else if (name == "view") {
    type = ViewType::get(context, shape, element);
  } else {
    type = TensorType::get(context, shape, element);
  }
  return success();
}

OptionalParseResult Parser::parseOptionalType(Type &type) {
  if (rest().empty() || !isWordStart(rest()[0]))
    return std::nullopt;
  return OptionalParseResult(parseType(type));
}

ParseResult Parser::parseArrowTypeList(SmallVectorImpl<Type> &types) {
  return failure(parseArrow() || parseOptionalArrowTypeList(types));
}

ParseResult Parser::parseOptionalArrowTypeList(SmallVectorImpl<Type> &types) {
  if (failed(parseOptionalArrow()))
    return success();
  return parseCommaSeparatedList(Delimiter::Paren, [&] { return parseType(types.emplace_back()); });
}

ParseResult Parser::parseColonType(Type &type) { return failure(parseColon() || parseType(type)); }

ParseResult Parser::parseColonTypeList(SmallVectorImpl<Type> &types) {
  return failure(parseColon() || parseCommaSeparatedList(Delimiter::None, [&] {
                   return parseType(types.emplace_back());
                 }));
}

ParseResult Parser::parseOptionalColonTypeList(SmallVectorImpl<Type> &types) {
  if (!rest().starts_with(":"))
    return success();
  return parseColonTypeList(types);
}

ParseResult Parser::parseDimensionList(SmallVectorImpl<int64_t> &, bool, bool) {
  return foreign("a dimension list");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ParseResult Parser::parseAttribute(Attribute &result, Type type) {
  SMLoc loc = getCurrentLocation();
  StringRef next = rest();
  if (next.starts_with("\"")) {
    std::string value;
    if (parseOptionalString(&value))
      return failure();
    result = builder.getStringAttr(value);
    return success();
  }
  if (next.starts_with("@")) {
    FlatSymbolRefAttr symbol;
    if (parseSymbolRef(symbol))
      return failure();
    result = symbol;
    return success();
  }
  if (next.starts_with("#")) {
    ++cursor;
    StringRef family = word(".");
    int64_t size;
    if (family != "target.subgroup.size")
      return emitCoded(loc, DiagCode::ParseUnsupported, "unknown or unsupported attribute '#")
             << family << "'";
    if (punctuation("<") || parseInteger(size) || punctuation(">"))
      return failure();
    result = SubgroupSizeAttr::get(context, size < 0 ? 0 : static_cast<uint64_t>(size));
    return success();
  }
  APInt integer;
  OptionalParseResult isInteger = parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    if (failed(*isInteger))
      return failure();
    Type wanted = type && type.isIntOrIndex() ? type : Type(builder.getI64Type());
    unsigned width = wanted.isIndex() ? 64 : wanted.getIntOrFloatBitWidth();
    if (integer.getSignificantBits() > width)
      return emitCoded(loc, DiagCode::TypeAttribute, "the integer does not fit ")
             << width << " bits";
    result = builder.getIntegerAttr(wanted, integer.sextOrTrunc(width));
    return success();
  }
  Type parsed;
  if (!next.empty() && isWordStart(next[0])) {
    if (parseTextType(parsed, nullptr))
      return failure();
    result = TypeAttr::get(parsed);
    return success();
  }
  return emitExpected("a value");
}

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

ParseResult Parser::parseOptionalAttrDict(NamedAttrList &) {
  if (!rest().starts_with("{"))
    return success();
  return emitCoded(getCurrentLocation(), DiagCode::ParseUnsupported,
                   "attributes in braces are not supported on this operation");
}

ParseResult Parser::parseOptionalAttrDictWithKeyword(NamedAttrList &) { return success(); }

} // namespace loom
