//===- CheckExpect.cpp - What has to come out -----------------------------===//
#include "CheckSupport.h"
#include "loom/IR/Messages.h"
#include "loom/Support/NearMatches.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// f16, bf16, f32 and f64 in tensors; f32 and f64 alone.
static bool canBeClose(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type)) {
    Type element = tensor.getElementType();
    return isFloatScalar(element) && element.getIntOrFloatBitWidth() >= 16;
  }
  return type.isF32() || type.isF64();
}

LogicalResult CheckExpectCloseOp::verify() {
  if (!canBeClose(getActual().getType()))
    return emitCoded(atOperand(*this, 0), DiagCode::TypeOperand,
                     "closeness is of f32 and f64 and of tensors of f16, bf16, f32 or f64, not of ")
           << spellType(getActual());
  for (auto [value, name] : {std::pair(getAtol(), "atol"), std::pair(getRtol(), "rtol")}) {
    auto tolerance = dyn_cast<FloatAttr>(value);
    if (!tolerance)
      return emitCoded(*this, DiagCode::TypeAttribute, name) << " is a float such as 0.001";
    if (!tolerance.getValue().isFinite() || tolerance.getValueAsDouble() < 0)
      return emitCoded(*this, DiagCode::StructureValue, name)
             << " is finite and not negative, so that it says how far values may be apart";
  }
  return success();
}

LogicalResult CheckExpectShapeOp::verify() {
  auto tensor = cast<TensorType>(getValue().getType());
  if (getStaticExtents().size() == tensor.getShape().size())
    return success();
  return emitCoded(*this, DiagCode::ShapeMismatch, "")
         << counted(getStaticExtents().size(), "extent") << " for a tensor of "
         << counted(tensor.getShape().size(), "dimension");
}

//===----------------------------------------------------------------------===//
// Providers
//===----------------------------------------------------------------------===//

ParseResult CheckExpectOp::parse(OpAsmParser &parser, OperationState &state) {
  static constexpr StringRef kWords[] = {"actual", "expected"};
  UnresolvedOperand values[2];
  if (parseProvider(parser, state))
    return failure();
  for (auto [value, word] : llvm::zip(values, kWords))
    if (parser.parseKeyword(word) || parser.parseLParen() || parser.parseOperand(value) ||
        parser.parseRParen())
      return failure();
  Type type;
  return failure(parseOptions(parser, state) || parser.parseColon() ||
                 parseUseType(parser, type, values[0]) ||
                 parser.resolveOperands(values, type, state.operands));
}

void CheckExpectOp::print(OpAsmPrinter &printer) {
  printProvider(printer, getProvider());
  printer << " actual(" << getActual() << ") expected(" << getExpected() << ')';
  printOptions(printer, getOptionsAttr());
  printer << " : ";
  printUseType(printer, *this, getActual().getType(), getActual());
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {

/// What a key of an event pattern takes.
struct EventKey {
  enum Kind { Word, Number, Flag, NumberOrString, String, Pattern } kind;
  StringRef name;
  ArrayRef<StringRef> words; ///< of the kind Word
};

} // namespace

static constexpr StringRef kTypes[] = {
    "none", "driver_failure", "asan_report", "ubsan_report", "tsan_report", "printf", "host_call"};
static constexpr StringRef kSeverities[] = {"trace", "info", "warning", "error", "fatal"};
static constexpr StringRef kAccesses[] = {"read", "write", "atomic", "unknown"};
static constexpr StringRef kRacingAccesses[] = {"read", "write", "read_write", "atomic", "unknown"};
static constexpr StringRef kUndefined[] = {"integer_overflow",   "divide_by_zero", "alignment",
                                           "float_nan_contract", "unreachable",    "unknown"};
static constexpr StringRef kRaces[] = {"data_race", "unknown"};
static constexpr StringRef kMemories[] = {"global", "workgroup", "private", "unknown"};

/// The keys of the whole pattern, or of the pattern under `outer`.
static ArrayRef<EventKey> eventKeys(StringRef outer) {
  using Key = EventKey;
  static const Key event[] = {{Key::Number, "count", {}},
                              {Key::Word, "type", kTypes},
                              {Key::Word, "severity", kSeverities},
                              {Key::String, "driver", {}},
                              {Key::NumberOrString, "device", {}},
                              {Key::NumberOrString, "physical_device", {}},
                              {Key::NumberOrString, "queue", {}},
                              {Key::String, "export", {}},
                              {Key::Number, "site_id", {}},
                              {Key::String, "source_file", {}},
                              {Key::String, "function", {}},
                              {Key::String, "operation", {}},
                              {Key::Pattern, "asan", {}},
                              {Key::Pattern, "ubsan", {}},
                              {Key::Pattern, "tsan", {}}};
  static const Key asan[] = {{Key::Word, "access", kAccesses},
                             {Key::Number, "access_length", {}},
                             {Key::Number, "shadow_value", {}},
                             {Key::Number, "site_id", {}}};
  static const Key ubsan[] = {{Key::Word, "check", kUndefined},
                              {Key::Number, "operand0", {}},
                              {Key::Number, "operand1", {}},
                              {Key::Number, "site_id", {}}};
  static const Key tsan[] = {{Key::Word, "check", kRaces},
                             {Key::Word, "memory", kMemories},
                             {Key::Word, "current_access", kRacingAccesses},
                             {Key::Word, "prior_access", kRacingAccesses},
                             {Key::Number, "access_length", {}},
                             {Key::Number, "current_site_id", {}},
                             {Key::Number, "prior_site_id", {}},
                             {Key::Flag, "current_atomic", {}},
                             {Key::Flag, "prior_atomic", {}},
                             {Key::Number, "current_workitem_linear", {}},
                             {Key::Number, "prior_workitem_linear", {}}};
  if (outer == "asan")
    return asan;
  if (outer == "ubsan")
    return ubsan;
  return outer == "tsan" ? ArrayRef<Key>(tsan) : ArrayRef<Key>(event);
}

static const EventKey *lookupKey(StringRef outer, StringRef name) {
  for (const EventKey &key : eventKeys(outer))
    if (key.name == name)
      return &key;
  return nullptr;
}

/// `{key = value}`; a value is a number, a string, a word, or at the outer level a pattern.
static ParseResult parsePattern(OpAsmParser &parser, NamedAttrList &entries, bool isOuter) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key, word;
    Attribute value;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (isOuter && lookupKey("", key) && lookupKey("", key)->kind == EventKey::Pattern) {
      NamedAttrList inner;
      if (parsePattern(parser, inner, /*isOuter=*/false))
        return failure();
      value = inner.getDictionary(parser.getContext());
    } else if (failed(parser.parseOptionalKeyword(&word))) {
      if (parser.parseAttribute(value))
        return failure();
    } else if (word == "true" || word == "false") {
      value = parser.getBuilder().getBoolAttr(word == "true");
    } else {
      value = parser.getBuilder().getStringAttr(word);
    }
    if (entries.get(key))
      return text(parser).emitCoded(loc, DiagCode::ParseRedefinition, "'")
             << key << "' is given twice";
    entries.append(key, value);
    return success();
  });
}

static void printPattern(OpAsmPrinter &printer, StringRef outer, DictionaryAttr pattern) {
  printer << '{';
  llvm::interleaveComma(pattern, printer, [&](NamedAttribute entry) {
    const EventKey *key = lookupKey(outer, entry.getName().getValue());
    auto word = dyn_cast<StringAttr>(entry.getValue());
    printer << entry.getName().getValue() << " = ";
    if (auto inner = dyn_cast<DictionaryAttr>(entry.getValue()))
      printPattern(printer, entry.getName().getValue(), inner);
    else if (word && key && llvm::is_contained(key->words, word.getValue()))
      printer << word.getValue();
    else
      printer.printAttribute(entry.getValue());
  });
  printer << '}';
}

ParseResult CheckExpectEventOp::parse(OpAsmParser &parser, OperationState &state) {
  NamedAttrList entries;
  if (parseProvider(parser, state) || parsePattern(parser, entries, /*isOuter=*/true))
    return failure();
  state.addAttribute("pattern", entries.getDictionary(parser.getContext()));
  return success();
}

void CheckExpectEventOp::print(OpAsmPrinter &printer) {
  printProvider(printer, getProvider());
  printer << ' ';
  printPattern(printer, "", getPattern());
}

static LogicalResult verifyPattern(Operation *op, StringRef outer, DictionaryAttr pattern);

static LogicalResult verifyEntry(Operation *op, StringRef outer, StringRef name, Attribute value) {
  const EventKey *key = lookupKey(outer, name);
  if (!key) {
    std::vector<std::string> known;
    for (const EventKey &other : eventKeys(outer))
      known.push_back(other.name.str());
    InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureValue, "an event has no '");
    return diag << outer << (outer.empty() ? "" : ".") << name << "'" << didYouMean(name, known);
  }
  auto expected = [&](StringRef what) {
    return emitCoded(op, DiagCode::TypeAttribute, "'") << name << "' of an event is " << what;
  };
  bool isNumber = isa<IntegerAttr>(value) && !isa<BoolAttr>(value);
  switch (key->kind) {
  case EventKey::Word: {
    auto word = dyn_cast<StringAttr>(value);
    if (word && llvm::is_contained(key->words, word.getValue()))
      return success();
    return emitCoded(op, DiagCode::ParseUnknownEnum, "'")
           << name << "' of an event is one of " << llvm::join(key->words, ", ");
  }
  case EventKey::Number:
    if (!isNumber)
      return expected("a number");
    if (cast<IntegerAttr>(value).getInt() < 0)
      return emitCoded(op, DiagCode::StructureValue, "'")
             << name << "' of an event is not negative";
    return success();
  case EventKey::Flag:
    return isa<BoolAttr>(value) ? success() : LogicalResult(expected("true or false"));
  case EventKey::NumberOrString:
    return isNumber || isa<StringAttr>(value) ? success()
                                              : LogicalResult(expected("a number or a string"));
  case EventKey::String:
    return isa<StringAttr>(value) ? success() : LogicalResult(expected("a string"));
  case EventKey::Pattern:
    if (auto inner = dyn_cast<DictionaryAttr>(value))
      return verifyPattern(op, name, inner);
    return expected("a pattern in braces");
  }
  llvm_unreachable("covered switch");
}

static LogicalResult verifyPattern(Operation *op, StringRef outer, DictionaryAttr pattern) {
  for (NamedAttribute entry : pattern)
    if (failed(verifyEntry(op, outer, entry.getName().getValue(), entry.getValue())))
      return failure();
  return success();
}

LogicalResult CheckExpectEventOp::verify() { return verifyPattern(*this, "", getPattern()); }

} // namespace loom
