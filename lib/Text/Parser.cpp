//===- Parser.cpp - Statements, scopes, comments and recovery -------------===//
#include "Parser.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/Messages.h"
#include "loom/IR/VerifyTypes.h"
#include "loom/Support/NearMatches.h"
#include "loom/Support/Tokens.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

/// A byte-order mark in front of a program says nothing: Loom's text is UTF-8.
static StringRef withoutMark(StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text;
}

Parser::Parser(MLIRContext *context, StringRef given, StringRef file, unsigned errorLimit,
               SourceListener *listener)
    : context(context), text(withoutMark(given)), file(StringAttr::get(context, file)),
      cursor(text.begin()), end(text.end()), builder(context), errorLimit(errorLimit),
      listener(listener), told(context, [this](Diagnostic &diag) { return tellTypeCount(diag); }),
      lastEnd(text.begin()) {
  lineStarts.push_back(text.begin());
  for (const char *c = text.begin(); c != end; ++c)
    if (*c == '\n')
      lineStarts.push_back(c + 1);
  scopes.emplace_back();
  registerTypeWords();
}

//===----------------------------------------------------------------------===//
// Places and errors
//===----------------------------------------------------------------------===//

SMLoc Parser::getCurrentLocation() {
  skip();
  return SMLoc::getFromPointer(cursor);
}

Location Parser::getEncodedSourceLoc(SMLoc loc) { return locate(loc, {}); }

Location Parser::locate(SMLoc loc, StringRef name) {
  const char *place = loc.isValid() ? loc.getPointer() : text.begin();
  // Places are mostly asked for in the order of the text.
  if (place < lineStarts[lastLine] ||
      (lastLine + 1 < lineStarts.size() && place >= lineStarts[lastLine + 1]))
    lastLine = std::prev(llvm::upper_bound(lineStarts, place)) - lineStarts.begin();
  return makeSourceLoc(file, lastLine + 1, place - lineStarts[lastLine] + 1, name);
}

InFlightDiagnostic Parser::emitCoded(SMLoc loc, DiagCode code, const Twine &message) {
  InFlightDiagnostic diag = loom::emitCoded(getEncodedSourceLoc(loc), code, message);
  if (silent || errors >= errorLimit || (usesDoubtful && isAboutTypes(code)))
    suppress(diag);
  else
    ++errors;
  // One mistake of a statement is reported; what follows from it is not.
  silent = true;
  return diag;
}

InFlightDiagnostic Parser::emitError(SMLoc loc, const Twine &message) {
  // What the templates of MLIR's AsmParser report, in the words of the language.
  std::string text = message.str();
  if (text == "invalid kind of type specified")
    return emitCoded(loc, DiagCode::TypeOperand, "this type cannot stand here");
  if (text == "integer value too large")
    return emitCoded(loc, DiagCode::TypeAttribute, "the integer does not fit 64 bits");
  if (text == "expected integer value")
    return emitExpected("an integer");
  if (text == "expected string")
    return emitExpectedString();
  if (text == "expected valid keyword")
    return emitExpected("a word");
  // The text follows; what is missing at the end of a line is missing there.
  if (text.empty() && loc.getPointer() == cursor && lineEnded())
    loc = SMLoc::getFromPointer(tokenEnd);
  return emitCoded(loc, DiagCode::ParseExpectedToken, text);
}

LogicalResult Parser::tellTypeCount(Diagnostic &diag) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  SmallVector<uint64_t, 2> counts;
  bool isAboutTypes = false;
  for (DiagnosticArgument &argument : diag.getArguments())
    if (argument.getKind() == Kind::Unsigned)
      counts.push_back(argument.getAsUnsigned());
    else if (argument.getKind() == Kind::String)
      isAboutTypes |=
          argument.getAsString().starts_with("number of operands and types do not match");
  // One that is suppressed has no code.
  auto expected = static_cast<uint64_t>(DiagCode::ParseExpectedToken);
  bool isShown = llvm::any_of(diag.getMetadata(), [&](DiagnosticArgument &argument) {
    return argument.getKind() == Kind::Unsigned && argument.getAsUnsigned() == expected;
  });
  if (!isAboutTypes || counts.size() != 2 || enclosing.empty() || !isShown)
    return failure();
  loom::emitCoded(diag.getLocation(), DiagCode::StructureOperandCount, "'")
      << getTextName(enclosing.back()) << "' has " << counted(counts[0], "operand") << " here but "
      << counted(counts[1], "type") << "; behind ':' stands one type for each operand";
  return success();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

Parser::Definition *Parser::find(StringRef name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto it = scope->definitions.find(name);
    if (it != scope->definitions.end())
      return &it->second;
    if (scope->isolated)
      return nullptr;
  }
  return nullptr;
}

ParseResult Parser::define(const UnresolvedOperand &name, Value value) {
  // A name without a value was used before, or its statement failed: that is reported already.
  if (Definition *earlier = find(name.name); earlier && earlier->value) {
    earlier->isDoubtful = true;
    InFlightDiagnostic diag =
        emitCoded(name.location, DiagCode::ParseRedefinition, "redefinition of value '");
    diag << name.name << "'";
    diag.attachNote(getEncodedSourceLoc(earlier->loc)) << "first defined here";
    return diag;
  }
  scopes.back().definitions[name.name] = {value, name.location};
  if (listener)
    listener->defineValue(rangeOf(name.name), value);
  return success();
}

void Parser::poison(ArrayRef<UnresolvedOperand> names) {
  for (const UnresolvedOperand &name : names)
    if (Definition *earlier = find(name.name))
      earlier->isDoubtful = true;
    else
      scopes.back().definitions[name.name] = {Value(), name.location};
}

Value Parser::lookup(const UnresolvedOperand &operand) {
  const Definition *definition = find(operand.name);
  if (definition && !definition->value)
    silent = true; // its own statement was reported
  usesDoubtful |= definition && definition->isDoubtful;
  return definition ? definition->value : Value();
}

/// Whether a line of text defines the result `name`: `%a, %name = ...`.
static bool definesResult(StringRef line, StringRef name) {
  auto [names, rest] = line.split('=');
  SmallVector<StringRef> parts;
  names.split(parts, ',');
  return names.size() != line.size() &&
         llvm::any_of(parts, [&](StringRef part) { return part.trim() == name; });
}

/// Tells of a value that is not defined yet: a result of a statement behind `use`, or a parameter
/// of the launch region behind the one that `use` is in. Lines that begin with a closing brace end
/// a body, which is what the formatter writes.
void Parser::noteLaterDefinition(InFlightDiagnostic &diag, StringRef name, SMLoc use) {
  StringRef rest(use.getPointer(), end - use.getPointer());
  StringRef line;
  std::tie(line, rest) = rest.split('\n');
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split('\n');
    if (line.starts_with("}"))
      break;
    if (!definesResult(line, name))
      continue;
    diag.attachNote(getEncodedSourceLoc(SMLoc::getFromPointer(line.ltrim().data())))
        << "'" << name << "' is defined here, behind its use";
    return;
  }
  size_t open = line.starts_with("} launch(") ? line.find(("%" + name.drop_front() + ":").str())
                                              : StringRef::npos;
  if (open != StringRef::npos)
    diag.attachNote(getEncodedSourceLoc(SMLoc::getFromPointer(line.data() + open)))
        << "'" << name
        << "' is a parameter of the launch; the configuration in front of it sees the "
        << "workload only";
}

InFlightDiagnostic Parser::emitUndefined(const UnresolvedOperand &operand) {
  bool isShown = !silent && errors < errorLimit;
  std::vector<std::string> visible; // one letter is near to every other: no suggestions then
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    for (auto &entry : scope->definitions)
      visible.push_back(entry.first.str());
    if (scope->isolated)
      break;
  }
  llvm::sort(visible);
  InFlightDiagnostic diag =
      emitCoded(operand.location, DiagCode::ParseUndefinedValue, "use of undefined value '");
  diag << operand.name << "'"
       << (operand.name.size() > 3 ? didYouMean(operand.name, visible) : std::string());
  if (auto other = closed.find(operand.name); other != closed.end())
    diag.attachNote(getEncodedSourceLoc(other->second))
        << "this '" << operand.name << "' is visible in its own region only";
  else if (isShown)
    noteLaterDefinition(diag, operand.name, operand.location);
  poison(operand);
  return diag;
}

bool Parser::tellWrongType(Definition &definition) {
  Operation *op = definition.value.getDefiningOp();
  if (silent || errors >= errorLimit || !op || succeeded(verifyTypes(op)))
    return false;
  ++errors;
  return definition.isDoubtful = true;
}

ParseResult Parser::resolveOperand(const UnresolvedOperand &operand, Type type,
                                   SmallVectorImpl<Value> &result) {
  Definition *definition = find(operand.name);
  if (!definition)
    return emitUndefined(operand);
  if (!definition->value) {
    silent = true;
    return failure();
  }
  if (definition->value.getType() == type) {
    result.push_back(definition->value);
    noteUse(operand, definition->value);
    usesDoubtful |= definition->isDoubtful;
    return success();
  }
  if (definition->isDoubtful || tellWrongType(*definition)) {
    silent = true;
    return failure();
  }
  InFlightDiagnostic diag = emitCoded(operand.location, DiagCode::TypeMismatch, "'");
  diag << operand.name << "' has type " << spellType(definition->value) << ", but "
       << spellWritten(type) << " is expected here";
  if (isa<RegisterType>(definition->value.getType()) && !isa<RegisterType>(type) &&
      !enclosing.empty() && !getTextName(enclosing.back()).starts_with("low."))
    diag << "; '" << getTextName(enclosing.back())
         << "' computes with values of source programs, and a Low function has instructions";
  diag.attachNote(getEncodedSourceLoc(definition->loc))
      << "'" << operand.name << "' is defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Operands and arguments
//===----------------------------------------------------------------------===//

OptionalParseResult Parser::parseOptionalOperand(UnresolvedOperand &result, bool) {
  // What is missing at the end of a line is not the name that the next statement defines.
  if (atNextStatement())
    return std::nullopt;
  return parseOptionalName(result);
}

OptionalParseResult Parser::parseOptionalName(UnresolvedOperand &result) {
  StringRef next = rest();
  if (!next.starts_with("%"))
    return std::nullopt;
  size_t length = 1;
  while (length < next.size() && (llvm::isAlnum(next[length]) || next[length] == '_'))
    ++length;
  if (length == 1)
    return OptionalParseResult(ParseResult(emitCoded(
        SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken, "expected a name after '%'")));
  result.location = SMLoc::getFromPointer(cursor);
  result.name = next.take_front(length);
  result.number = 0;
  cursor += length;
  return OptionalParseResult(success());
}

ParseResult Parser::parseOperand(UnresolvedOperand &result, bool allowResultNumber) {
  OptionalParseResult parsed = parseOptionalOperand(result, allowResultNumber);
  if (parsed.has_value())
    return *parsed;
  InFlightDiagnostic diag = emitExpected("a value");
  if (llvm::isDigit(rest().empty() ? '\0' : rest()[0]))
    diag << "; index.constant and scalar.constant give a number a name";
  return diag;
}

ParseResult Parser::parseOperandList(SmallVectorImpl<UnresolvedOperand> &result,
                                     Delimiter delimiter, bool allowResultNumber, int required) {
  SMLoc loc = getCurrentLocation();
  if (delimiter == Delimiter::None && (!rest().starts_with("%") || atNextStatement()))
    return success();
  size_t before = result.size();
  if (parseCommaSeparatedList(
          delimiter, [&] { return parseOperand(result.emplace_back(), allowResultNumber); }))
    return failure();
  if (required >= 0 && result.size() - before != static_cast<size_t>(required))
    return emitCoded(loc, DiagCode::StructureOperandCount, "expected ")
           << required << " values, got " << result.size() - before;
  return success();
}

ParseResult Parser::parseArgument(Argument &result, bool allowType, bool) {
  if (parseOperand(result.ssaName))
    return failure();
  if (!allowType)
    return success();
  return parseColonType(result.type);
}

OptionalParseResult Parser::parseOptionalArgument(Argument &result, bool allowType, bool) {
  if (!rest().starts_with("%"))
    return std::nullopt;
  return OptionalParseResult(parseArgument(result, allowType, false));
}

ParseResult Parser::parseArgumentList(SmallVectorImpl<Argument> &result, Delimiter delimiter,
                                      bool allowType, bool) {
  return parseCommaSeparatedList(
      delimiter, [&] { return parseArgument(result.emplace_back(), allowType, false); });
}

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// Adds to what the location of `op` says of the source.
template <typename Fn> static void updateInfo(Operation *op, Fn change) {
  SourceInfo info = getSourceInfo(op->getLoc());
  change(info);
  op->setLoc(setSourceInfo(op->getLoc(), info));
}

void Parser::collectTrivia(Block *block) {
  pending.assign(labelComments.begin(), labelComments.end());
  labelComments.clear();
  const char *c = lastEnd;
  unsigned newlines = 0;
  bool first = block->empty() && scopes.size() > 1;
  while (c != end) {
    if (*c == '\n') {
      // A second line break in a row is a blank line; blank lines collapse into one.
      if (++newlines == 2 && !(pending.empty() && first) &&
          (pending.empty() || !pending.back().empty()))
        pending.push_back("");
      ++c;
    } else if (*c == ' ' || *c == '\t' || *c == '\r') {
      ++c;
    } else if (*c == '/' && end - c > 1 && c[1] == '/') {
      const char *begin = c;
      while (c != end && *c != '\n')
        ++c;
      StringRef comment = StringRef(begin, c - begin).rtrim();
      if (newlines == 0 && !block->empty() && lastEnd != text.begin())
        updateInfo(&block->back(), [&](SourceInfo &info) { info.trailing = comment; });
      else if (newlines == 0 && first && pending.empty() && lastEnd == regionOpen)
        openRegions.back()->comment = comment;
      else
        pending.push_back(comment);
      newlines = 0;
    } else {
      break;
    }
  }
  cursor = c;
}

SmallVector<StringRef> Parser::takePendingAtEnd() {
  while (!pending.empty() && pending.back().empty())
    pending.pop_back();
  SmallVector<StringRef> taken = std::move(pending);
  pending.clear();
  return taken;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Parser::parseModule(ModuleOp module) {
  parseStatements(module.getBody(), /*topLevel=*/true);
  declareOlderFamilies(module);
  SmallVector<StringRef> rest = takePendingAtEnd();
  if (!rest.empty())
    updateInfo(module, [&](SourceInfo &info) { llvm::append_range(info.after, rest); });
}

void Parser::parseStatements(Block *block, bool topLevel) {
  while (errors < errorLimit) {
    inStatement = false;
    collectTrivia(block);
    if (cursor == end || (!topLevel && endsWithoutBrace()))
      return;
    if (*cursor == '^' && !topLevel) {
      silent = false;
      if (parseBlockLabel(block))
        recover(cursor);
      continue;
    }
    if (*cursor == '}' && !topLevel)
      return;
    if (*cursor == '}' || *cursor == '{') {
      bool closes = *cursor == '}';
      strayBraces += !closes;
      silent = false;
      emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken,
                closes ? "this '}' closes nothing" : "this '{' opens nothing");
      lastEnd = ++cursor;
      continue;
    }
    usesDoubtful = false;
    const char *begin = cursor;
    size_t depth = scopes.size(), open = enclosing.size(), regions = openRegions.size(),
           named = namings.size();
    silent = false;
    inside.clear();
    declaredDims.clear();
    if (topLevel) {
      closed.clear();
      pendingDims.clear();
    }
    if (succeeded(parseStatement(block)))
      continue;
    scopes.resize(depth);
    enclosing.truncate(open);
    openRegions.resize(regions);
    namings.resize(named);
    typeDepth = attributeDepth = 0;
    // Values of regions of the statement are gone, and their places in memory may be used again.
    pendingDims.clear();
    for (const auto &region : openRegions)
      for (const auto &[argument, dims] : region->argumentDims)
        pendingDims.set(argument, dims);
    recover(begin);
  }
  cursor = end; // too many errors: nothing more is read
}

/// Whether `text` begins with names in front of `=`.
static bool beginsWithResults(StringRef text) {
  auto skipName = [&] {
    bool isName = text.consume_front("%");
    text = text.drop_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).ltrim(" \t");
    return isName;
  };
  while (skipName() && text.consume_front(","))
    text = text.ltrim(" \t");
  return text.starts_with("=");
}

ParseResult Parser::parseResultNames(SmallVectorImpl<UnresolvedOperand> &names, Operation *before) {
  StringRef text = rest();
  if (!text.starts_with("%"))
    return success();
  if (before && !beginsWithResults(text))
    return emitBehind(before, getCurrentLocation(), text.take_front(tokenEndAt(text, 0)));
  if (parseCommaSeparatedList(Delimiter::None, [&]() -> ParseResult {
        OptionalParseResult name = parseOptionalName(names.emplace_back());
        return name.has_value() ? *name : ParseResult(emitExpected("a name"));
      }))
    return failure();
  for (auto [i, name] : llvm::enumerate(names))
    for (const UnresolvedOperand &other : ArrayRef(names).take_front(i))
      if (other.name == name.name)
        return emitCoded(name.location, DiagCode::ParseRedefinition, "'")
               << name.name << "' names two results";
  if (succeeded(punctuation("=")))
    return success();
  // Names behind a forgotten comma are those of results all the same.
  StringRef line = rest().take_until([](char c) { return c == '\n'; });
  for (StringRef more = line.split('=').first; line.contains('=') && more.contains('%');) {
    more = more.drop_front(more.find('%'));
    StringRef name = more.take_front(tokenEndAt(more, 0));
    names.push_back({SMLoc::getFromPointer(name.begin()), name, 0});
    more = more.drop_front(name.size());
  }
  return failure();
}

ParseResult Parser::parseStatement(Block *block) {
  SmallVector<StringRef> leading(pending.begin(), pending.end());
  pending.clear();
  const char *statementBegin = cursor;
  // What stands on the line of an operation may have been meant as a part of it.
  bool isBehind =
      !block->empty() && lastEnd <= cursor && !StringRef(lastEnd, cursor - lastEnd).contains('\n');
  Operation *before = isBehind ? &block->back() : nullptr;
  inStatement = true;
  regionEnd.clear();
  regionBegin.clear();
  blockNames.clear();
  segments.clear();
  spelledTypes.clear();
  writtenTypes.clear();
  regionCount = 0;
  if (*cursor == '#' && isa_and_present<ModuleOp>(block->getParentOp())) {
    if (parseAlias(block))
      return failure();
    updateInfo(&block->back(), [&](SourceInfo &info) {
      llvm::append_range(info.leading, leading);
      info.inside = anchorComments(statementBegin);
    });
    return success();
  }
  SmallVector<UnresolvedOperand> names;
  resultNames.clear();
  auto fail = [&] {
    poison(names);
    return failure();
  };
  if (parseResultNames(names, before))
    return fail();
  SourceInfo info;
  for (const UnresolvedOperand &name : names) {
    resultNames.push_back(name.name.drop_front());
    info.names.push_back(name.name.drop_front());
  }
  std::string opName = parseOperationName(before);
  if (opName.empty())
    return fail();
  OperationState state(locate(nameLoc, info.names.size() == 1 ? info.names.front() : StringRef()),
                       opName);
  enclosing.push_back(state.name);
  if (listener)
    listener->operation(rangeOf(statementWord), state.name);
  if (parseOperation(state))
    return fail();
  enclosing.pop_back();
  // Looking for an optional clause may have moved past comments that follow the statement.
  if (cursor == skipEnd)
    cursor = tokenEnd;
  lastEnd = cursor;
  while (!inside.empty() && inside.back().data() >= lastEnd)
    inside.pop_back();
  llvm::append_range(info.leading, leading);
  if (!inside.empty())
    info.inside = anchorComments(statementBegin);
  llvm::append_range(info.regionEnd, regionEnd);
  llvm::append_range(info.regionBegin, regionBegin);
  llvm::append_range(info.blockNames, blockNames);
  if (info.names.size() > 1 || !info.hasNamesOnly())
    state.location = setSourceInfo(state.location, info);
  return finishStatement(state, block, names);
}

ParseResult Parser::finishStatement(OperationState &state, Block *block,
                                    ArrayRef<UnresolvedOperand> names) {
  if (state.types.size() != names.size()) {
    poison(names);
    return emitCoded(nameLoc, DiagCode::ParseResultCount, "'")
           << getTextName(state.name) << "' has " << state.types.size() << " result"
           << (state.types.size() == 1 ? "" : "s") << ", but " << names.size()
           << (names.size() == 1 ? " is" : " are") << " named";
  }
  Operation *op = Operation::create(state);
  block->push_back(op);
  for (auto [name, result] : llvm::zip(names, op->getResults()))
    if (define(name, result))
      return failure();
  return checkSpelledTypes(op);
}

/// The comments were collected in the order of the text; each belongs behind the tokens of its part
/// of the statement that stand before it.
SmallVector<InnerComment, 0> Parser::anchorComments(const char *statementBegin) {
  SmallVector<InnerComment, 0> anchored;
  for (StringRef comment : inside) {
    unsigned segment = 0;
    const char *begin = statementBegin;
    while (segment < segments.size() && segments[segment] < comment.begin())
      begin = segments[segment++];
    StringRef before(begin, comment.begin() - begin);
    size_t lineEnd = before.find_last_not_of(" \t");
    bool ownLine = lineEnd != StringRef::npos && before[lineEnd] == '\n';
    anchored.push_back({segment, countTokens(before), ownLine, comment});
  }
  return anchored;
}

ParseResult Parser::parseAlias(Block *block) {
  SMLoc loc = getCurrentLocation();
  ++cursor;
  StringRef name = word(".");
  if (name.empty() || rest().empty() || rest()[0] != '=')
    return emitCoded(loc, DiagCode::ParseExpectedToken,
                     "'#' begins an alias, such as #weights = #encoding.i8; a comment begins with "
                     "'//'");
  auto family =
      EncodingAttr::get(context, builder.getStringAttr(name), builder.getDictionaryAttr({}));
  if (getEncodingRole(family) != EncodingRole::any)
    return emitCoded(loc, DiagCode::ParseRedefinition, "'#")
           << name << "' is a family of encodings; an alias has a name of its own";
  EncodingAttr encoding;
  if (punctuation("=") || parseEncoding(encoding))
    return failure();
  if (!aliases.try_emplace(name, encoding).second)
    return emitCoded(loc, DiagCode::ParseRedefinition, "redefinition of alias '#") << name << "'";
  OperationState state(getEncodedSourceLoc(loc), "loom_encoding.alias");
  state.addAttribute("name", builder.getStringAttr(name));
  state.addAttribute("encoding", encoding);
  // Looking for parameters may have moved past what follows the alias.
  if (cursor == skipEnd)
    cursor = tokenEnd;
  lastEnd = cursor;
  block->push_back(Operation::create(state));
  return success();
}

/// Length of the string at the beginning of `text`; 1 when it does not end on its line.
static size_t stringLength(StringRef text) {
  for (size_t i = 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '"')
      return i + 1;
    if (text[i] == '\\')
      ++i;
  }
  return 1;
}

/// Whether the line ends behind an opening brace, in front of `text`.
static bool opensRegion(StringRef text) {
  StringRef line = text.take_until([](char c) { return c == '\n'; }).ltrim();
  return line.empty() || line.starts_with("//");
}

void Parser::recover(const char *statementBegin) {
  inStatement = false;
  // What was missing at the end of a line may have been looked for on the next one.
  if (cursor == skipEnd && tokenEnd > statementBegin)
    cursor = tokenEnd;
  // A statement ends at the end of a line outside all brackets; one that closes too few of them
  // ends where the next one begins. A brace at the end of its line opens a region.
  unsigned braces = 0, others = 0, entries = 0;
  bool comment = false;
  for (const char *c = statementBegin; c != end; ++c) {
    bool parsed = c < cursor;
    if (*c == '\n') {
      comment = false;
      bool isNext = looksLikeStatement(StringRef(c + 1, end - c - 1));
      bool ends = braces == 0 && (others + entries == 0 || isNext);
      if (isNext)
        entries = 0;
      if (ends && !parsed) {
        cursor = lastEnd = c;
        return;
      }
    } else if (comment) {
    } else if (*c == '"') {
      c += stringLength(StringRef(c, end - c)) - 1;
    } else if (*c == '/' && end - c > 1 && c[1] == '/') {
      comment = true;
    } else if (*c == '{') {
      ++(opensRegion(StringRef(c + 1, end - c - 1)) ? braces : entries);
    } else if (*c == '}' && entries) {
      --entries;
    } else if (*c == '}') {
      if (braces == 0 && !parsed) { // the end of the region around the statement
        cursor = lastEnd = c;
        return;
      }
      braces -= braces > 0;
    } else if (*c == '(' || *c == '[') {
      ++others;
    } else if (*c == ')' || *c == ']') {
      others -= others > 0;
    }
  }
  cursor = lastEnd = end;
}

OwningOpRef<ModuleOp> parseSourceText(StringRef text, StringRef file, MLIRContext *context,
                                      unsigned errorLimit) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(makeSourceLoc(StringAttr::get(context, file), 1, 1));
  Parser parser(context, text, file, errorLimit, nullptr);
  parser.parseModule(*module);
  if (parser.errorCount())
    return {};
  return module;
}

OwningOpRef<ModuleOp> parseSourceTextPartially(StringRef text, StringRef file, MLIRContext *context,
                                               SourceListener *listener, unsigned errorLimit) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(makeSourceLoc(StringAttr::get(context, file), 1, 1));
  Parser(context, text, file, errorLimit, listener).parseModule(*module);
  return module;
}

} // namespace loom
