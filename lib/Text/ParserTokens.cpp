//===- ParserTokens.cpp - Characters, words, types and attributes ---------===//
#include "Parser.h"
#include "loom/Support/Tokens.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
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

/// Words that headers have in front of the name of what they define.
static bool isModifier(StringRef word) {
  static constexpr StringLiteral words[] = {
      "public",          "retain",        "optional", "import",   "host",     "device",
      "initializer",     "deinitializer", "pure",     "hot",      "cold",     "inline",
      "noinline",        "target",        "abi",      "requires", "priority", "export",
      "export_metadata", "linkage"};
  return llvm::is_contained(words, word);
}

ParseResult Parser::punctuation(StringRef spelling) {
  if (succeeded(optionalPunctuation(spelling)))
    return success();
  StringRef next = rest();
  // Between the operands of an operation and its types.
  if (spelling == "," && next.starts_with(":"))
    return emitExpected("',' and another operand");
  StringRef before = text.take_front(next.begin() - text.begin()).rtrim();
  InFlightDiagnostic diag = emitExpected("'" + spelling + "'");
  if (spelling == "(" && before.ends_with("->") && !next.empty())
    diag << "; results stand in parentheses, such as -> (f32)";
  StringRef word = next.take_while(isWordPart);
  StringRef owner = enclosing.empty() ? StringRef() : getTextName(enclosing.back());
  if ((spelling == "(" || spelling == "{") && owner.contains(".de") && isModifier(word))
    diag << "; modifiers stand in front of the name: " << owner << " " << word << " ...";
  if (spelling == ":" && next.starts_with(",") && !lineEnded() && !enclosing.empty())
    diag << "; '" << getTextName(enclosing.back()) << "' takes no more operands";
  return diag;
}

ParseResult Parser::parseOptionalArrow() {
  if (failed(optionalPunctuation("->")))
    return failure();
  StringRef list = rest();
  if (list.consume_front("(") && list.ltrim().starts_with(")"))
    emitCoded(getCurrentLocation(), DiagCode::ParseExpectedToken,
              "expected results behind '->', got an empty list; without results there is no arrow");
  return success();
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
    return std::move(diag) << ", got '" << next.take_front(length) << "'";
  StringRef letter = next.take_front(
      1 +
      next.drop_front().take_while([](unsigned char c) { return c >= 0x80 && c < 0xc0; }).size());
  if (static_cast<unsigned char>(next[0]) >= 0x80)
    diag << ", got '" << letter << "'; names are made of the letters a to z, digits and '_'";
  return diag;
}

InFlightDiagnostic Parser::emitExpectedString() {
  StringRef next = rest();
  StringRef wanted = next.take_until([](char c) { return StringRef(",)}] \t\r\n\"").contains(c); });
  bool isThere = !wanted.empty() && isWordPart(wanted[0]) && !lineEnded();
  InFlightDiagnostic diag = emitExpected("a string in quotes");
  if (isThere)
    diag << "; write \"" << wanted << "\"";
  return diag;
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

/// The number that four hexadecimal digits at `i` write.
static std::optional<unsigned> readUnit(StringRef text, size_t i) {
  StringRef digits = text.substr(i, 4);
  unsigned unit;
  if (digits.size() < 4 || !llvm::all_of(digits, llvm::isHexDigit) || digits.getAsInteger(16, unit))
    return std::nullopt;
  return unit;
}

/// Appends what the escape means whose letter is `text[i]`; `i` becomes the place of its last
/// character. Escapes are those of JSON; a pair of surrogates is one character.
static bool appendEscape(StringRef text, size_t &i, std::string &value) {
  static const std::pair<char, char> escapes[] = {{'n', '\n'},  {'t', '\t'}, {'"', '"'},
                                                  {'\\', '\\'}, {'r', '\r'}, {'/', '/'},
                                                  {'b', '\b'},  {'f', '\f'}};
  char letter = i < text.size() ? text[i] : '\0';
  for (auto [name, meant] : escapes)
    if (letter == name) {
      value += meant;
      return true;
    }
  std::optional<unsigned> unit = letter == 'u' ? readUnit(text, i + 1) : std::nullopt;
  if (!unit)
    return false;
  i += 4;
  if (*unit >= 0xd800 && *unit < 0xdc00 && text.substr(i + 1).starts_with("\\u"))
    if (std::optional<unsigned> low = readUnit(text, i + 3); low && *low >> 10 == 0xdc00 >> 10) {
      unit = 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
      i += 6;
    }
  char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *utf8End = utf8;
  if (!llvm::ConvertCodePointToUTF8(*unit, utf8End))
    return false; // half a pair
  value.append(utf8, utf8End);
  return true;
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
    size_t letter = ++i;
    if (!appendEscape(next, i, value))
      return emitCoded(SMLoc::getFromPointer(cursor + letter), DiagCode::ParseExpectedToken,
                       "unknown escape in a string");
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
  const char *begin = rest().begin();
  if (older && isWordStart(rest().empty() ? '\0' : rest()[0]))
    olderFamilies.push_back(name = builder.getStringAttr(word(".")));
  else if (!rest().starts_with("@") || cursor + 1 == end || !isWordStart(cursor[1]))
    return emitExpected("a symbol such as @name");
  else
    ++cursor, name = builder.getStringAttr(word("."));
  symbol = FlatSymbolRefAttr::get(name);
  if (listener)
    listener->useSymbol(rangeOf(StringRef(begin, cursor - begin)), name.getValue());
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
  if (listener)
    listener->defineSymbol(rangeOf(StringRef(before, cursor - before)), result.getValue());
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

} // namespace loom
