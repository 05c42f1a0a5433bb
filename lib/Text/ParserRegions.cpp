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
  bool savedSilent = silent;
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
  openRegions.pop_back();
  regionCount = savedRegionCount + 1;
  resultNames = savedNames;
  nameLoc = savedNameLoc;
  statementWord = savedWord;
  segments = std::move(savedSegments);
  inside = std::move(savedInside);
  spelledTypes = std::move(savedTypes);
  silent = savedSilent;
  inStatement = true;
  for (auto &[name, definition] : scopes.back().definitions)
    if (definition.value)
      closed[name] = definition.loc;
  scopes.pop_back();
  if (cursor == end) {
    InFlightDiagnostic diag =
        emitCoded(SMLoc::getFromPointer(cursor), DiagCode::ParseExpectedToken, "expected '}'");
    diag << ", but the text ends here";
    diag.attachNote(getEncodedSourceLoc(loc)) << "to close this region";
    return diag;
  }
  ++cursor; // the closing brace
  lastEnd = cursor;
  segments.push_back(cursor);
  return success(isOpened && argumentsOk && labelsOk);
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
