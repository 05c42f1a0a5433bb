//===- Carried.cpp - Values that regions pass on --------------------------===//
#include "Carried.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/Ties.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Slots of the types in front of `position`.
static unsigned countSlotsBefore(ValueRange list, unsigned position) {
  unsigned count = 0;
  for (Value earlier : list.take_front(position))
    count += countSlots(earlier.getType());
  return count;
}

/// The sibling that an entry of `extents` names among `count` values; nothing for a value from
/// outside.
static std::optional<unsigned> siblingOf(DenseI64ArrayAttr extents, unsigned entry,
                                         unsigned count) {
  if (!extents || entry >= extents.size() || extents[entry] >= 0)
    return std::nullopt;
  uint64_t sibling = -1 - extents[entry];
  return sibling < count ? std::optional<unsigned>(sibling) : std::nullopt;
}

SmallVector<Value> getCarriedDims(ValueRange list, unsigned position, DenseI64ArrayAttr extents,
                                  llvm::function_ref<SmallVector<Value>()> outside) {
  SmallVector<Value> dims, outer;
  unsigned first = countSlotsBefore(list, position), count = countSlots(list[position].getType());
  for (unsigned slot = 0; slot < count; ++slot) {
    if (auto sibling = siblingOf(extents, first + slot, list.size())) {
      dims.push_back(list[*sibling]);
      continue;
    }
    if (outer.empty())
      outer = outside();
    if (slot >= outer.size())
      return {};
    dims.push_back(outer[slot]);
  }
  return dims;
}

LogicalResult verifyResultExtents(Operation *op, DenseI64ArrayAttr extents) {
  unsigned entry = 0;
  for (Type type : op->getResultTypes()) {
    bool hasLayout = isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type));
    for (unsigned slot = 0, count = countSlots(type); extents && slot < count; ++slot) {
      auto sibling = siblingOf(extents, entry, op->getNumResults());
      bool isOutside = entry < extents.size() && extents[entry] == 0;
      Type filler = sibling ? op->getResult(*sibling).getType() : Type();
      bool isLayout = hasLayout && slot + 1 == count;
      bool fits = filler && (isLayout ? isa<EncodingType>(filler) : isa<IndexType>(filler));
      if (!isOutside && !fits)
        return emitCoded(op, DiagCode::TypeOperand, "in the result list of '")
               << getTextName(op) << "' an extent has to be an index and a layout an encoding";
      ++entry;
    }
  }
  return success();
}

/// A note at the operation, unless the error stands there already.
static void noteOwner(InFlightDiagnostic &diag, Operation *owner, Operation *place) {
  if (place != owner && !isLeftOut(place))
    diag.attachNote(owner->getLoc()) << "the operation begins here";
}

/// The place of `list[i]`: operands of the operation that is named, or arguments of its regions.
static Location locate(ListName name, ValueRange list, size_t i) {
  if (auto argument = dyn_cast<BlockArgument>(list[i]);
      argument && argument.getOwner()->getParentOp() == name.place)
    return argument.getLoc();
  OperandRange operands = name.place->getOperands();
  for (size_t first = 0; first + list.size() <= operands.size(); ++first)
    if (llvm::equal(operands.slice(first, list.size()), list))
      return atOperand(name.place, first + i);
  return name.place->getLoc();
}

LogicalResult verifyPassedTypes(Operation *owner, ValueRange list, ListName name,
                                DiagCode countCode) {
  if (list.size() != owner->getNumResults() && name.place != owner && isLeftOut(name.place)) {
    InFlightDiagnostic diag =
        emitCoded(atEndOf(*name.place->getBlock()), countCode, "this region of '");
    diag << getTextName(owner) << "' has to end in '" << getTextName(name.place) << "' with "
         << counted(owner->getNumResults(), "value") << ", which is missing here";
    diag.attachNote(owner->getLoc()) << "the operation begins here";
    return diag;
  }
  if (list.size() != owner->getNumResults()) {
    InFlightDiagnostic diag = emitCoded(name.place, countCode, "'");
    diag << getTextName(name.place) << "' has " << counted(list.size(), name.word) << ", but ";
    if (name.place != owner)
      diag << "'" << getTextName(owner) << "' has ";
    diag << counted(owner->getNumResults(), "result");
    noteOwner(diag, owner, name.place);
    return diag;
  }
  for (auto [i, types] : llvm::enumerate(llvm::zip(list.getTypes(), owner->getResultTypes()))) {
    auto [got, wanted] = types;
    if (got == wanted)
      continue;
    InFlightDiagnostic diag = emitCoded(locate(name, list, i), DiagCode::TypeMismatch,
                                        spellPassed(list[i], name.word, i));
    diag << " has type " << spellType(list[i]) << ", but result " << i << " of '"
         << getTextName(owner) << "' has type " << spellType(owner->getResult(i));
    noteOwner(diag, owner, name.place);
    return diag;
  }
  return success();
}

LogicalResult verifyPassedExtents(Operation *owner, ValueRange list, ListName name,
                                  DenseI64ArrayAttr extents,
                                  llvm::function_ref<Value(unsigned, unsigned)> outside) {
  unsigned entry = 0;
  for (auto [position, value] : llvm::enumerate(list)) {
    unsigned count = countSlots(value.getType());
    SmallVector<Value> dims = getDynamicDims(value);
    for (unsigned slot = 0; slot < count; ++slot, ++entry) {
      auto sibling = siblingOf(extents, entry, list.size());
      Value wanted = sibling ? list[*sibling] : outside(position, slot);
      if (slot >= dims.size() || !wanted || isSameExtent(dims[slot], wanted))
        continue;
      InFlightDiagnostic diag = emitCoded(locate(name, list, position), DiagCode::TypeMismatch, "");
      if (sibling)
        diag << spellPassed(value, name.word, position) << " has the extent or layout "
             << spellValue(dims[slot]) << ", but " << name.word << ' ' << *sibling
             << ", which the result list of '" << getTextName(owner) << "' names in its type, is "
             << spellValue(wanted);
      else
        diag << "the extent or layout " << spellValue(dims[slot]) << " of "
             << spellPassed(value, name.word, position)
             << " has to be the same on every way through '" << getTextName(owner)
             << "'; one that changes is passed beside it and named in the result list";
      noteOwner(diag, owner, name.place);
      return diag;
    }
  }
  return success();
}

/// Why `key` cannot follow `before`; empty when it can.
static std::string checkNextKey(StringRef op, int64_t before, int64_t key) {
  if (before == key)
    return ("the key " + Twine(key) + " stands twice in '" + op + "'").str();
  if (before > key)
    return ("the keys of '" + op + "' have to increase strictly, but " + Twine(key) + " follows " +
            Twine(before))
        .str();
  return {};
}

LogicalResult verifyKeys(Operation *op, ArrayRef<int64_t> keys) {
  for (size_t i = 1; i < keys.size(); ++i)
    if (std::string problem = checkNextKey(getTextName(op), keys[i - 1], keys[i]); !problem.empty())
      return emitCoded(op, DiagCode::StructureValue, problem);
  return success();
}

ParseResult parseKey(OpAsmParser &parser, StringRef op, SmallVectorImpl<int64_t> &keys) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(keys.emplace_back()))
    return failure();
  std::string problem =
      keys.size() > 1 ? checkNextKey(op, keys[keys.size() - 2], keys.back()) : std::string();
  if (problem.empty())
    return success();
  return text(parser).emitCoded(loc, DiagCode::StructureValue, problem);
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static ParseResult parseSpelledType(OpAsmParser &parser, SpelledType &spelled) {
  SmallVector<UnresolvedOperand> dims;
  if (text(parser).parseTextType(spelled.type, &dims))
    return failure();
  spelled.dims.assign(dims.begin(), dims.end());
  return success();
}

ParseResult parseBindings(OpAsmParser &parser, Bindings &bindings) {
  if (failed(parser.parseOptionalLParen()))
    return success();
  bindings.onLines = text(parser).onNewLine();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  do {
    OpAsmParser::Argument argument;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(bindings.inits.emplace_back()))
      return failure();
    bindings.arguments.push_back(argument);
    if (failed(parser.parseOptionalColon()))
      continue;
    // Every binding that is still without a type gets one from this list.
    while (bindings.types.size() < bindings.arguments.size()) {
      if (parseSpelledType(parser, bindings.types.emplace_back()))
        return failure();
      bindings.arguments[bindings.types.size() - 1].type = bindings.types.back().type;
      if (bindings.types.size() < bindings.arguments.size() && parser.parseComma())
        return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  if (bindings.types.size() != bindings.arguments.size())
    return text(parser).emitCoded(parser.getCurrentLocation(), DiagCode::ParseExpectedToken,
                                  "expected ':' and the type of '")
           << bindings.arguments[bindings.types.size()].ssaName.name << "'";
  return parser.parseRParen();
}

/// Checks that `dim` names `defined`, which fills a slot of what is called `name`.
static ParseResult checkDim(OpAsmParser &parser, const UnresolvedOperand &dim, Value defined,
                            StringRef name) {
  Value value = text(parser).lookup(dim);
  if (!value)
    return text(parser).emitUndefined(dim);
  if (!defined || isSameExtent(value, defined))
    return success();
  return text(parser).emitCoded(dim.location, DiagCode::TypeMismatch, "'")
         << dim.name << "' is not the extent or layout that '" << name << "' was defined with"
         << whichIs(defined);
}

ParseResult resolveInits(OpAsmParser &parser, SMLoc loc, Bindings &bindings,
                         SmallVectorImpl<Value> &operands) {
  for (auto [argument, init, spelled] :
       llvm::zip(bindings.arguments, bindings.inits, bindings.types)) {
    if (parser.resolveOperand(init, argument.type, bindings.values))
      return failure();
    SmallVector<Value> defined = getDynamicDims(bindings.values.back());
    for (auto [slot, dim] : llvm::enumerate(spelled.dims))
      if (checkDim(parser, dim, slot < defined.size() ? defined[slot] : Value(), init.name))
        return failure();
  }
  llvm::append_range(operands, bindings.values);
  return success();
}

void printBindings(OpAsmPrinter &printer, Block::BlockArgListType arguments, OperandRange inits,
                   bool onLines) {
  if (inits.empty())
    return;
  // Bindings on lines of their own stand two levels in, the closing parenthesis one.
  printer << '(';
  if (onLines) {
    printer.increaseIndent();
    printer.increaseIndent();
  }
  for (auto [i, argument, init] : llvm::enumerate(arguments, inits)) {
    if (i)
      printer << ',';
    if (onLines)
      printer.printNewline();
    else if (i)
      printer << ' ';
    printer.printOperand(argument);
    printer << " = ";
    printer.printOperand(init);
    printer << " : ";
    printTextType(printer, argument.getType(), getDynamicDims(init));
  }
  if (onLines) {
    printer.decreaseIndent();
    printer.printNewline();
    printer.decreaseIndent();
  }
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Result lists
//===----------------------------------------------------------------------===//

SmallVector<Type> ResultList::onlyTypes() const {
  return llvm::map_to_vector(types, [](const SpelledType &spelled) { return spelled.type; });
}

std::optional<unsigned> ResultList::sibling(unsigned position, unsigned slot) const {
  unsigned entry = slot;
  for (const SpelledType &earlier : ArrayRef(types).take_front(position))
    entry += earlier.dims.size();
  return extents[entry] < 0 ? std::optional<unsigned>(-1 - extents[entry]) : std::nullopt;
}

ParseResult parseResultList(OpAsmParser &parser, ResultList &results) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        if (parseOptionalTie(parser, results.ties.emplace_back()))
          return failure();
        return parseSpelledType(parser, results.types.emplace_back());
      }))
    return failure();
  for (const SpelledType &spelled : results.types)
    for (const UnresolvedOperand &dim : spelled.dims) {
      int64_t extent = 0;
      for (size_t i = 0; i < parser.getNumResults(); ++i)
        if (parser.getResultName(i).first == dim.name.drop_front())
          extent = -1 - static_cast<int64_t>(i);
      results.extents.push_back(extent);
    }
  return success();
}

void addExtents(OpAsmParser &parser, OperationState &state, const ResultList &results) {
  if (llvm::any_of(results.extents, [](int64_t extent) { return extent < 0; }))
    state.addAttribute("extents", parser.getBuilder().getDenseI64ArrayAttr(results.extents));
}

ParseResult checkOutsideDims(OpAsmParser &parser, const ResultList &results,
                             ArrayRef<SpelledType> spelledTypes, ValueRange values) {
  for (auto [i, spelled] : llvm::enumerate(spelledTypes)) {
    // Another type is reported when the operation is verified.
    if (spelled.dims.empty() || i >= results.types.size() || spelled.type != results.types[i].type)
      continue;
    SmallVector<Value> defined =
        i < values.size() ? getDynamicDims(values[i]) : SmallVector<Value>();
    for (auto [slot, dim] : llvm::enumerate(spelled.dims)) {
      if (results.sibling(i, slot))
        continue;
      Value value = text(parser).lookup(dim);
      if (!value)
        return text(parser).emitUndefined(dim);
      if (slot >= defined.size() || isSameExtent(value, defined[slot]))
        continue;
      return text(parser).emitCoded(dim.location, DiagCode::TypeMismatch, "'")
             << dim.name << "' is neither a result of this operation nor the extent or layout with "
             << "which value " << i << " was defined" << whichIs(defined[slot]);
    }
  }
  return success();
}

ParseResult declareArgumentDims(OpAsmParser &parser, const ResultList &results,
                                ArrayRef<OpAsmParser::Argument> arguments,
                                ArrayRef<SpelledType> spelled, bool spellsSiblings) {
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (i >= results.types.size() || argument.type != results.types[i].type ||
        spelled[i].dims.empty())
      continue;
    SmallVector<UnresolvedOperand> dims;
    for (auto [slot, dim] : llvm::enumerate(spelled[i].dims)) {
      auto sibling = results.sibling(i, slot);
      if (!sibling || *sibling >= arguments.size()) {
        dims.push_back(dim);
        continue;
      }
      dims.push_back(arguments[*sibling].ssaName);
      if (spellsSiblings && dim.name != dims.back().name)
        return text(parser).emitCoded(dim.location, DiagCode::TypeMismatch, "expected '")
               << dims.back().name << "' here: the result list fills this place with value "
               << *sibling << " of the list";
      if (spellsSiblings)
        dims.back() = dim;
    }
    text(parser).declareDims(argument.ssaName, dims);
  }
  return success();
}

void printBody(OpAsmPrinter &printer, Region &region, bool hasResults) {
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/hasResults);
}

} // namespace loom
