//===- ParserRegions.cpp - Regions, blocks and branches -------------------===//
#include "Parser.h"
#include "loom/Support/Tokens.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

/// Regions nested more deeply than this are refused, so that no input overflows the stack.
static constexpr unsigned kMaxNesting = 100;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// How far a line is indented, up to `place` in it; nothing when something stands in front of that.
static std::optional<size_t> indentOf(StringRef text, const char *place) {
  StringRef before = text.take_front(place - text.begin());
  StringRef line = before.drop_front(before.rfind('\n') + 1);
  return line.trim(" \t").empty() ? std::optional(line.size()) : std::nullopt;
}

/// The indentation of the line that `place` is in.
static size_t lineIndent(StringRef text, const char *place) {
  StringRef before = text.take_front(place - text.begin());
  StringRef line = text.drop_front(before.rfind('\n') + 1);
  return line.take_while([](char c) { return c == ' ' || c == '\t'; }).size();
}

ParseResult Parser::parseNamedRegion(Region &region, ArrayRef<Argument> arguments,
                                     StatementNames names) {
  namings.push_back(std::move(names));
  ParseResult parsed = parseRegion(region, arguments, false);
  namings.pop_back();
  return parsed;
}

ParseResult Parser::parseRegion(Region &region, ArrayRef<Argument> arguments, bool) {
  SMLoc loc = getCurrentLocation();
  bool isOpened = succeeded(punctuation("{"));
  // A forgotten brace: what follows belongs to the region all the same.
  if (!isOpened && (!lineEnded() || !closesTooMuch()))
    return failure();
  if (!isOpened)
    cursor = tokenEnd;
  if (enclosing.size() > kMaxNesting)
    return emitCoded(loc, DiagCode::ParseNesting, "regions are nested more than ")
           << kMaxNesting << " deep";
  lastEnd = regionOpen = cursor;
  Block *block = new Block;
  region.push_back(block);
  Scope &scope = scopes.emplace_back();
  scope.isolated = enclosing.back().hasTrait<OpTrait::IsIsolatedFromAbove>();
  openRegions.push_back(std::make_unique<OpenRegion>());
  openRegions.back()->region = &region;
  openRegions.back()->header = nameLoc;
  openRegions.back()->indent = lineIndent(text, nameLoc.getPointer());
  // Bodies of functions and the like may have several blocks; structured regions have one.
  openRegions.back()->hasLabels = scope.isolated;
  bool argumentsOk = true;
  for (const Argument &argument : arguments) {
    Location place = locate(argument.ssaName.location, argument.ssaName.name.drop_front());
    argumentsOk &= succeeded(define(argument.ssaName, block->addArgument(argument.type, place)));
  }
  resolveDeclaredDims();
  // The region is a world of its own: the statement that owns it goes on after the brace.
  auto savedNames = resultNames;
  auto savedNameLoc = nameLoc;
  auto savedWord = statementWord;
  auto savedRegionEnd = std::move(regionEnd), savedRegionBegin = std::move(regionBegin),
       savedBlockNames = std::move(blockNames);
  auto savedSegments = std::move(segments);
  unsigned savedRegionCount = regionCount;
  auto savedInside = std::move(inside);
  auto savedTypes = std::move(spelledTypes);
  bool savedSilent = silent, savedDoubt = usesDoubtful;
  silent = inStatement = false;
  inside.clear();
  parseStatements(block, /*topLevel=*/false);
  bool labelsOk = succeeded(closeLabels());
  regionEnd = std::move(savedRegionEnd);
  for (StringRef comment : takePendingAtEnd())
    regionEnd.push_back({savedRegionCount, comment});
  regionBegin = std::move(savedRegionBegin);
  if (StringRef comment = openRegions.back()->comment; !comment.empty())
    regionBegin.push_back({savedRegionCount, comment});
  blockNames = std::move(savedBlockNames);
  // Labels in the order of the blocks, not in the order in which branches mention them.
  llvm::DenseMap<Block *, StringRef> labelOf;
  for (auto &[name, label] : openRegions.back()->labels)
    labelOf[label.block] = name;
  for (Block &other : llvm::drop_begin(region))
    blockNames.push_back({savedRegionCount, labelOf.lookup(&other)});
  bool lacksBrace = openRegions.back()->lacksBrace;
  openRegions.pop_back();
  regionCount = savedRegionCount + 1;
  resultNames = savedNames;
  nameLoc = savedNameLoc;
  statementWord = savedWord;
  segments = std::move(savedSegments);
  inside = std::move(savedInside);
  spelledTypes = std::move(savedTypes);
  silent = savedSilent;
  usesDoubtful = savedDoubt;
  inStatement = true;
  for (auto &[name, definition] : scopes.back().definitions)
    if (definition.value)
      closed[name] = definition.loc;
  scopes.pop_back();
  if (cursor == end) {
    InFlightDiagnostic diag =
        emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken, "expected '}'");
    diag << ", but the text ends here";
    noteOpenRegion(diag, nameLoc);
    return diag;
  }
  if (lacksBrace)
    cursor = lastEnd; // what follows the region is read again
  else
    lastEnd = ++cursor; // the closing brace
  segments.push_back(cursor);
  return success(isOpened && argumentsOk && labelsOk);
}

void Parser::noteOpenRegion(InFlightDiagnostic &diag, SMLoc header) {
  diag.attachNote(getEncodedSourceLoc(header))
      << "to close this '" << getTextName(enclosing.back()) << "'";
}

/// Whether `text` goes on with `owner` behind a region of it.
static bool continues(StringRef owner, StringRef text) {
  StringRef word = text.take_while(llvm::isAlnum);
  return (word == "launch" && owner == "kernel.def") ||
         (word == "else" && owner.ends_with("scf.if")) ||
         (word == "do" && owner.ends_with("scf.while"));
}

bool Parser::endsWithoutBrace() {
  OpenRegion &open = *openRegions.back();
  std::optional<size_t> indent = indentOf(text, cursor);
  if (!indent || *cursor == '^')
    return false;
  bool closes = *cursor == '}';
  if (open.bodyIndent == 0 && !closes)
    open.bodyIndent = *indent;
  StringRef rest(cursor, end - cursor);
  bool goesOn = continues(getTextName(enclosing.back()), rest);
  // Only who indents says something by it.
  if (!goesOn && (*indent > open.indent || open.bodyIndent <= open.indent ||
                  (closes && *indent == open.indent)))
    return false;
  if (!unclosedBraces) {
    unclosedBraces = 0;
    forEachToken(text, [&](size_t begin, size_t) {
      *unclosedBraces += text[begin] == '{';
      *unclosedBraces -= text[begin] == '}';
      return true;
    });
  }
  if (*unclosedBraces <= strayBraces)
    return false;
  --*unclosedBraces;
  silent = false;
  InFlightDiagnostic diag =
      emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken, "expected '}'");
  if (closes)
    diag << " in front of this one";
  else
    diag << ", got '" << rest.take_front(tokenEndAt(rest, 0)) << "'";
  noteOpenRegion(diag, open.header);
  return open.lacksBrace = true;
}

bool Parser::closesTooMuch() const {
  size_t open = openRegions.size();
  bool closesAll = false;
  forEachToken(StringRef(cursor, end - cursor), [&](size_t begin, size_t) {
    if (cursor[begin] == '{')
      ++open;
    else if (cursor[begin] == '}' && open-- == 0)
      closesAll = true;
    return !closesAll;
  });
  return closesAll;
}

void Parser::resolveDeclaredDims() {
  for (auto &[name, names] : declaredDims) {
    const Definition *argument = find(name);
    SmallVector<Value> dims;
    for (const UnresolvedOperand &dim : names)
      if (const Definition *definition = find(dim.name); definition && definition->value) {
        dims.push_back(definition->value);
        if (definition->loc != dim.location) // a header's own extent is defined where it stands
          noteUse(dim, definition->value);
      }
    if (argument && argument->value && dims.size() == names.size()) {
      pendingDims.set(argument->value, dims);
      openRegions.back()->argumentDims.push_back({argument->value, dims});
    }
  }
  declaredDims.clear();
}

OptionalParseResult Parser::parseOptionalRegion(Region &region, ArrayRef<Argument> arguments,
                                                bool enableNameShadowing) {
  if (!rest().starts_with("{"))
    return std::nullopt;
  return OptionalParseResult(parseRegion(region, arguments, enableNameShadowing));
}

OptionalParseResult Parser::parseOptionalRegion(std::unique_ptr<Region> &region,
                                                ArrayRef<Argument> arguments,
                                                bool enableNameShadowing) {
  if (!rest().starts_with("{"))
    return std::nullopt;
  region = std::make_unique<Region>();
  return OptionalParseResult(parseRegion(*region, arguments, enableNameShadowing));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// `^name`; nothing when there is none.
StringRef Parser::parseLabelName() {
  if (!rest().starts_with("^"))
    return {};
  ++cursor;
  if (cursor == end || !(llvm::isAlpha(*cursor) || *cursor == '_'))
    return {};
  return word();
}

ParseResult Parser::parseBlockLabel(Block *&block) {
  inStatement = true; // comments of the line above stay where they are
  inside.clear();
  SMLoc loc = getCurrentLocation();
  SmallVector<StringRef> comments(pending.begin(), pending.end());
  StringRef name = parseLabelName();
  if (name.empty())
    return emitCoded(loc, DiagCode::ParseExpectedToken, "expected a block label such as ^next");
  OpenRegion &open = *openRegions.back();
  if (!open.hasLabels)
    return emitCoded(loc, DiagCode::StructureBlocks, "'")
           << getTextName(enclosing.back())
           << "' has regions of one block; several blocks belong to bodies of functions";
  auto [it, inserted] = open.labels.insert({name, Label{nullptr, loc, false}});
  Label &label = it->second;
  if (label.defined) {
    InFlightDiagnostic diag =
        emitCoded(loc, DiagCode::ParseRedefinition, "redefinition of block '^");
    diag << name << "'";
    diag.attachNote(getEncodedSourceLoc(label.loc)) << "first defined here";
    return diag;
  }
  if (!label.block)
    label.block = new Block;
  open.region->push_back(label.block);
  label.loc = loc;
  label.defined = true;
  if (!block->empty() && !comments.empty()) {
    SourceInfo info = getSourceInfo(block->back().getLoc());
    llvm::append_range(info.after, comments);
    block->back().setLoc(setSourceInfo(block->back().getLoc(), info));
  }
  pending.clear();
  block = label.block;
  SmallVector<Argument> arguments;
  if (rest().starts_with("(") &&
      parseArgumentList(arguments, Delimiter::Paren, /*allowType=*/true, /*allowAttrs=*/false))
    return failure();
  for (const Argument &argument : arguments) {
    Location place = locate(argument.ssaName.location, argument.ssaName.name.drop_front());
    if (define(argument.ssaName, block->addArgument(argument.type, place)))
      return failure();
  }
  if (punctuation(":"))
    return failure();
  lastEnd = cursor;
  inStatement = false;
  labelComments.assign(inside.begin(), inside.end());
  inside.clear();
  return success();
}

ParseResult Parser::closeLabels() {
  bool ok = true;
  OpenRegion &open = *openRegions.back();
  for (auto &[name, label] : open.labels) {
    if (label.defined)
      continue;
    silent = false;
    emitCoded(label.loc, DiagCode::ParseUndefinedValue, "no block '^")
        << name << "' is defined here";
    open.region->push_back(label.block); // it is owned, and goes with the region
    ok = false;
  }
  return success(ok);
}

ParseResult Parser::parseSuccessor(Block *&block) {
  SMLoc loc = getCurrentLocation();
  StringRef name = parseLabelName();
  if (name.empty())
    return emitExpected("a block such as ^next");
  OpenRegion *open = openRegions.empty() ? nullptr : openRegions.back().get();
  if (!open || !open->hasLabels)
    return emitCoded(loc, DiagCode::StructureBlocks, "there are no blocks to branch to here");
  Label &label = open->labels.insert({name, Label{nullptr, loc, false}}).first->second;
  if (!label.block)
    label.block = new Block;
  block = label.block;
  return success();
}

OptionalParseResult Parser::parseOptionalSuccessor(Block *&block) {
  if (!rest().starts_with("^"))
    return std::nullopt;
  return OptionalParseResult(parseSuccessor(block));
}

ParseResult Parser::parseSuccessorAndUseList(Block *&block, SmallVectorImpl<Value> &operands) {
  if (parseSuccessor(block))
    return failure();
  if (!rest().starts_with("("))
    return success();
  return parseCommaSeparatedList(Delimiter::Paren, [&]() -> ParseResult {
    UnresolvedOperand operand;
    Type type;
    return failure(parseOperand(operand) || parseColonType(type) ||
                   resolveOperand(operand, type, operands));
  });
}

} // namespace loom
