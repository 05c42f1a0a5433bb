//===- AsmSupport.cpp - Directives of the assembly formats ----------------===//
#include "loom/IR/AsmSupport.h"
#include "loom/IR/EnumEntries.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/Support/FloatText.h"
#include <charconv>
#include <cmath>

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::string counted(size_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

ParseResult parseTextType(OpAsmParser &parser, Type &type) {
  return text(parser).parseTextType(type, nullptr);
}

void printTextType(OpAsmPrinter &printer, Operation *, Type type) { printer.printType(type); }

ParseResult parseDefinedType(OpAsmParser &parser, Type &type,
                             SmallVectorImpl<UnresolvedOperand> &dims) {
  return text(parser).parseTextType(type, &dims);
}

void printDefinedType(OpAsmPrinter &printer, Operation *, Type type, OperandRange dims) {
  printTextType(printer, type, dims);
}

ParseResult parseDefinedType(OpAsmParser &parser, Type &type,
                             SmallVectorImpl<UnresolvedOperand> &dims,
                             SmallVectorImpl<Type> &dimTypes) {
  if (text(parser).parseTextType(type, &dims))
    return failure();
  dimTypes.assign(dims.size(), parser.getBuilder().getIndexType());
  if (!isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type)))
    return success();
  // The layout comes last. What is no encoding is refused where the operand is resolved.
  Value layout = text(parser).lookup(dims.back());
  dimTypes.back() =
      layout && isa<EncodingType>(layout.getType())
          ? layout.getType()
          : EncodingType::get(parser.getContext(), static_cast<uint32_t>(EncodingRole::layout));
  return success();
}

void printDefinedType(OpAsmPrinter &printer, Operation *, Type type, OperandRange dims, TypeRange) {
  printTextType(printer, type, dims);
}

ParseResult parseUseType(OpAsmParser &parser, Type &type, const UnresolvedOperand &operand) {
  SmallVector<UnresolvedOperand> spelled;
  if (text(parser).parseTextType(type, &spelled))
    return failure();
  Value value = text(parser).lookup(operand);
  if (!value || spelled.empty() || value.getType() != type)
    return success(); // an undefined value or another type is reported where it is resolved
  SmallVector<Value> defined = getDynamicDims(value);
  for (auto [i, dim] : llvm::enumerate(spelled)) {
    Value spelledValue = text(parser).lookup(dim);
    if (!spelledValue)
      return text(parser).emitUndefined(dim);
    // Behind a statement in error nothing may be known of a value.
    if (i >= defined.size() || defined[i] == spelledValue)
      continue;
    InFlightDiagnostic diag = text(parser).emitCoded(dim.location, DiagCode::TypeMismatch,
                                                     "the extent is not the one that '");
    diag << operand.name << "' was defined with" << whichIs(defined[i]);
    diag.attachNote(value.getLoc()) << "'" << operand.name << "' is defined here";
    return diag;
  }
  return success();
}

void printUseType(OpAsmPrinter &printer, Operation *, Type type, Value operand) {
  printTextType(printer, type, getDynamicDims(operand));
}

ParseResult parseUseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                          ArrayRef<UnresolvedOperand> operands) {
  unsigned i = 0;
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    Type &type = types.emplace_back();
    if (i < operands.size())
      return parseUseType(parser, type, operands[i++]);
    return text(parser).parseTextType(type, nullptr);
  });
}

void printUseTypes(OpAsmPrinter &printer, Operation *op, TypeRange types, OperandRange operands) {
  unsigned i = 0;
  llvm::interleaveComma(types, printer,
                        [&](Type type) { printUseType(printer, op, type, operands[i++]); });
}

ParseResult parseSameAsResult(OpAsmParser &parser, Type &type, Type &resultType) {
  if (text(parser).parseTextType(type, nullptr))
    return failure();
  resultType = type;
  return success();
}

void printSameAsResult(OpAsmPrinter &printer, Operation *, Type type, Type) {
  printTextType(printer, type);
}

ParseResult parseSeedOperand(OpAsmParser &parser, UnresolvedOperand &operand, Type &type) {
  if (parser.parseOperand(operand))
    return failure();
  Value value = text(parser).lookup(operand);
  if (!value)
    return text(parser).emitUndefined(operand);
  type = value.getType();
  return success();
}

void printSeedOperand(OpAsmPrinter &printer, Operation *, Value operand, Type) {
  printer << operand;
}

//===----------------------------------------------------------------------===//
// Enums and flags
//===----------------------------------------------------------------------===//

/// Words of an enum, in order of their numbers.
template <typename Symbolize, typename Stringify>
static std::string listWords(unsigned max, Symbolize symbolize, Stringify stringify) {
  std::string words;
  for (unsigned i = 0; i <= max; ++i)
    if (auto value = symbolize(i)) {
      if (!words.empty())
        words += ", ";
      words += stringify(*value).str();
    }
  return words;
}

#define LOOM_ENUM_DIRECTIVE(Enum)                                                                  \
  ParseResult parse##Enum(OpAsmParser &parser, Enum##Attr &attr) {                                 \
    SMLoc loc = parser.getCurrentLocation();                                                       \
    StringRef word;                                                                                \
    std::optional<Enum> value;                                                                     \
    if (succeeded(parser.parseOptionalKeyword(&word)))                                             \
      value = symbolize##Enum(word);                                                               \
    if (!value)                                                                                    \
      return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum, "expected one of ")           \
             << listWords(                                                                         \
                    getMaxEnumValFor##Enum(), [](unsigned i) { return symbolize##Enum(i); },       \
                    [](Enum e) { return stringify##Enum(e); })                                     \
             << (word.empty() ? "" : ", got '") << word << (word.empty() ? "" : "'");              \
    attr = Enum##Attr::get(parser.getContext(), *value);                                           \
    return success();                                                                              \
  }                                                                                                \
  void print##Enum(OpAsmPrinter &printer, Operation *, Enum##Attr attr) {                          \
    printer << stringify##Enum(attr.getValue());                                                   \
  }
LOOM_TEXT_ENUMS(LOOM_ENUM_DIRECTIVE)
#undef LOOM_ENUM_DIRECTIVE

std::optional<FailureOr<Attribute>> parseEnumEntry(OpAsmParser &parser, StringRef key) {
  auto with = [&](auto attr, auto parse) {
    return parse(parser, attr) ? FailureOr<Attribute>(failure())
                               : FailureOr<Attribute>(Attribute(attr));
  };
  StringRef op = text(parser).getStatementWord();
#define LOOM_ENTRY(name, part, Enum)                                                               \
  if (key == name && op.contains(part))                                                            \
    return with(Enum##Attr(), parse##Enum);
  LOOM_ENUM_ENTRIES(LOOM_ENTRY)
#undef LOOM_ENTRY
  return std::nullopt;
}

std::optional<StringRef> spellEnumEntry(StringRef op, StringRef key, Attribute value) {
#define LOOM_ENTRY(name, part, Enum)                                                               \
  if (key == name && op.contains(part)) {                                                          \
    auto word = dyn_cast<Enum##Attr>(value);                                                       \
    return word ? std::optional<StringRef>(stringify##Enum(word.getValue())) : std::nullopt;       \
  }
  LOOM_ENUM_ENTRIES(LOOM_ENTRY)
#undef LOOM_ENTRY
  return std::nullopt;
}

/// `a|b` up to but not including a closing bracket.
template <typename Flags, typename Symbolize>
static ParseResult parseFlags(OpAsmParser &parser, Flags &flags, Symbolize symbolize,
                              StringRef words) {
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    std::optional<Flags> flag;
    if (succeeded(parser.parseOptionalKeyword(&word)) && word != "none")
      flag = symbolize(word);
    if (!flag)
      return text(parser).emitCoded(loc, DiagCode::ParseUnknownFlag, "unknown flag '")
             << word << "'; the flags are " << words;
    flags = flags | *flag;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  return success();
}

static constexpr llvm::StringLiteral kFastMathWords =
    "reassoc, nnan, ninf, nsz, arcp, contract, afn, fast";

ParseResult parseFastMath(OpAsmParser &parser, FastMathFlagsAttr &attr) {
  FastMathFlags flags = FastMathFlags::none;
  if (succeeded(parser.parseOptionalLess()))
    if (parseFlags(
            parser, flags, [](StringRef w) { return symbolizeFastMathFlags(w); }, kFastMathWords) ||
        parser.parseGreater())
      return failure();
  attr = FastMathFlagsAttr::get(parser.getContext(), flags);
  return success();
}

/// All flags together have a word of their own.
static std::string spellFastMath(FastMathFlags flags) {
  return flags == FastMathFlags::fast ? "fast" : stringifyFastMathFlags(flags);
}

void printFastMath(OpAsmPrinter &printer, Operation *, FastMathFlagsAttr attr) {
  if (attr && attr.getValue() != FastMathFlags::none)
    printer << '<' << spellFastMath(attr.getValue()) << '>';
}

ParseResult parseOverflow(OpAsmParser &parser, OverflowFlagsAttr &attr) {
  OverflowFlags flags = OverflowFlags::none;
  if (succeeded(parser.parseOptionalLess()))
    if (parseFlags(
            parser, flags, [](StringRef w) { return symbolizeOverflowFlags(w); }, "nsw, nuw") ||
        parser.parseGreater())
      return failure();
  attr = OverflowFlagsAttr::get(parser.getContext(), flags);
  return success();
}

void printOverflow(OpAsmPrinter &printer, Operation *, OverflowFlagsAttr attr) {
  if (attr && attr.getValue() != OverflowFlags::none)
    printer << '<' << stringifyOverflowFlags(attr.getValue()) << '>';
}

/// `<word>` or `<word, a|b>`.
template <typename Kind>
static ParseResult parseKindAndFlags(OpAsmParser &parser, Kind &kind, FastMathFlagsAttr &fastmath,
                                     ParseResult (*parseKind)(OpAsmParser &, Kind &)) {
  FastMathFlags flags = FastMathFlags::none;
  if (parser.parseLess() || parseKind(parser, kind))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      parseFlags(
          parser, flags, [](StringRef w) { return symbolizeFastMathFlags(w); }, kFastMathWords))
    return failure();
  fastmath = FastMathFlagsAttr::get(parser.getContext(), flags);
  return parser.parseGreater();
}

static void printKindAndFlags(OpAsmPrinter &printer, StringRef kind, FastMathFlagsAttr fastmath) {
  printer << '<' << kind;
  if (fastmath && fastmath.getValue() != FastMathFlags::none)
    printer << ", " << spellFastMath(fastmath.getValue());
  printer << '>';
}

ParseResult parseReduceKind(OpAsmParser &parser, CombiningKindAttr &kind,
                            FastMathFlagsAttr &fastmath) {
  return parseKindAndFlags(parser, kind, fastmath, parseCombiningKind);
}

void printReduceKind(OpAsmPrinter &printer, Operation *, CombiningKindAttr kind,
                     FastMathFlagsAttr fastmath) {
  printKindAndFlags(printer, stringifyCombiningKind(kind.getValue()), fastmath);
}

ParseResult parseClampKind(OpAsmParser &parser, ClampModeAttr &mode, FastMathFlagsAttr &fastmath) {
  return parseKindAndFlags(parser, mode, fastmath, parseClampMode);
}

void printClampKind(OpAsmPrinter &printer, Operation *, ClampModeAttr mode,
                    FastMathFlagsAttr fastmath) {
  printKindAndFlags(printer, stringifyClampMode(mode.getValue()), fastmath);
}

ParseResult parseGeluKind(OpAsmParser &parser, GeluVariantAttr &variant,
                          FastMathFlagsAttr &fastmath) {
  return parseKindAndFlags(parser, variant, fastmath, parseGeluVariant);
}

void printGeluKind(OpAsmPrinter &printer, Operation *, GeluVariantAttr variant,
                   FastMathFlagsAttr fastmath) {
  printKindAndFlags(printer, stringifyGeluVariant(variant.getValue()), fastmath);
}

ParseResult parseAccess(OpAsmParser &parser, UnitAttr &linear, UnitAttr &isVolatile) {
  if (failed(parser.parseOptionalLess()))
    return success();
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (word != "linear" && word != "volatile")
      return text(parser).emitCoded(loc, DiagCode::ParseUnknownFlag, "unknown access flag '")
             << word << "'; the flag is volatile";
    (word == "linear" ? linear : isVolatile) = parser.getBuilder().getUnitAttr();
  } while (succeeded(parser.parseOptionalVerticalBar()));
  return parser.parseGreater();
}

void printAccess(OpAsmPrinter &printer, Operation *, UnitAttr linear, UnitAttr isVolatile) {
  if (linear || isVolatile)
    printer << '<' << (linear ? "linear" : "") << (linear && isVolatile ? "|" : "")
            << (isVolatile ? "volatile" : "") << '>';
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// The double with the fewest digits that reads back as `value`, which is finite and narrower.
static double shortestDouble(const llvm::APFloat &value) {
  llvm::APFloat exact = value;
  bool lossy;
  exact.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  // Of integers all digits are written: 65504.0 of f16 is not 65500.0, though that reads the same.
  double number = exact.convertToDouble();
  if (std::fabs(number) < 9007199254740992.0 && std::trunc(number) == number)
    return number;
  char buffer[64];
  // Nor is 0.75 of f8E5M2 0.8: few digits that are the value itself are written.
  constexpr ptrdiff_t kFewDigits = 6;
  auto shortest =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific);
  StringRef mantissa = StringRef(buffer, shortest.ptr - buffer).split('e').first;
  if (llvm::count_if(mantissa, llvm::isDigit) <= kFewDigits)
    return number;
  for (int digits = 0; digits < 17; ++digits) {
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), exact.convertToDouble(),
                             std::chars_format::scientific, digits);
    llvm::APFloat candidate(llvm::APFloat::IEEEdouble(), StringRef(buffer, end.ptr - buffer));
    llvm::APFloat narrow = candidate;
    narrow.convert(value.getSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    if (narrow.bitwiseIsEqual(value))
      return candidate.convertToDouble();
  }
  return exact.convertToDouble();
}

void printFloatLiteral(llvm::raw_ostream &os, const llvm::APFloat &value) {
  if (value.isNaN() || value.isInfinity()) {
    os << (value.isNegative() ? "-" : "") << (value.isNaN() ? "nan" : "inf");
    return;
  }
  bool wide = &value.getSemantics() == &llvm::APFloat::IEEEdouble();
  writeFloat(os, wide ? value.convertToDouble() : shortestDouble(value));
}

/// A literal; an integer that only fits 64 bits without a sign has the type ui64.
static ParseResult parseWideLiteral(OpAsmParser &parser, Attribute &literal) {
  Builder &b = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"true", "false", "inf", "nan"}))) {
    if (word == "true" || word == "false")
      literal = b.getBoolAttr(word == "true");
    else
      literal = b.getF64FloatAttr(word == "inf" ? INFINITY : NAN);
    return success();
  }
  APInt integer;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    if (failed(*isInteger))
      return failure();
    bool isWide = integer.getSignificantBits() > 64;
    if (isWide && (integer.isNegative() || integer.getActiveBits() > 64))
      return text(parser).emitCoded(loc, DiagCode::TypeAttribute,
                                    "the integer does not fit 64 bits");
    literal =
        isWide ? b.getIntegerAttr(b.getIntegerType(64, /*isSigned=*/false), integer.zextOrTrunc(64))
               : b.getI64IntegerAttr(integer.getSExtValue());
    return success();
  }
  bool negative = succeeded(parser.parseOptionalMinus());
  double magnitude;
  if (negative && succeeded(parser.parseOptionalKeyword(&word, {"inf", "nan"})))
    magnitude = word == "inf" ? INFINITY : NAN;
  else if (parser.parseFloat(magnitude))
    return failure();
  literal = b.getF64FloatAttr(std::copysign(magnitude, negative ? -1.0 : 1.0));
  return success();
}

/// Whether `literal` is an integer that only fits 64 bits without a sign.
static bool isWide(Attribute literal) {
  auto integer = dyn_cast<IntegerAttr>(literal);
  return integer && integer.getType().isUnsignedInteger();
}

ParseResult parseLiteral(OpAsmParser &parser, Attribute &literal) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseWideLiteral(parser, literal))
    return failure();
  return isWide(literal) ? ParseResult(text(parser).emitCoded(loc, DiagCode::TypeAttribute,
                                                              "the integer does not fit 64 bits"))
                         : ParseResult(success());
}

void printLiteral(llvm::raw_ostream &os, Attribute literal) {
  if (auto boolean = dyn_cast<BoolAttr>(literal))
    os << (boolean.getValue() ? "true" : "false");
  else if (auto integer = dyn_cast<IntegerAttr>(literal))
    integer.getValue().print(os, /*isSigned=*/true);
  else if (auto number = dyn_cast<FloatAttr>(literal))
    printFloatLiteral(os, number.getValue());
  else
    os << literal; // of a program that is not valid
}

void printLiteral(OpAsmPrinter &printer, Operation *, Attribute value) {
  printLiteral(printer.getStream(), value);
}

FailureOr<TypedAttr> convertLiteral(Attribute literal, Type type,
                                    llvm::function_ref<InFlightDiagnostic(const Twine &)> emit) {
  Builder b(type.getContext());
  if (isFloatScalar(type)) {
    auto value = dyn_cast<FloatAttr>(literal);
    if (!value) {
      emit("a float literal such as 2.0 is expected for ") << stringifyType(type);
      return failure();
    }
    llvm::APFloat converted = value.getValue();
    bool lossy;
    converted.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                      &lossy);
    // Formats without infinities overflow to NaN.
    if ((converted.isInfinity() && !value.getValue().isInfinity()) ||
        (converted.isNaN() && !value.getValue().isNaN())) {
      emit("the literal does not fit ") << stringifyType(type);
      return failure();
    }
    return TypedAttr(FloatAttr::get(type, converted));
  }
  if (!isIntegerScalar(type) && !isAddressType(type)) {
    emit("no literal exists for ") << stringifyType(type);
    return failure();
  }
  bool boolean = isa<BoolAttr>(literal);
  auto integer = dyn_cast<IntegerAttr>(literal);
  if (!integer || (boolean && !type.isInteger(1))) {
    emit("an integer literal is expected for ") << stringifyType(type);
    return failure();
  }
  int64_t value = boolean ? cast<BoolAttr>(literal).getValue() : integer.getInt();
  if (isa<OffsetType>(type)) {
    if (value < 0) {
      emit("an offset cannot be negative");
      return failure();
    }
    return TypedAttr(IntegerAttr::get(b.getI64Type(), value));
  }
  if (isa<IndexType>(type))
    return TypedAttr(IntegerAttr::get(type, value));
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64 && !llvm::isIntN(width, value) && !llvm::isUIntN(width, value)) {
    emit("the literal does not fit ") << stringifyType(type);
    return failure();
  }
  return TypedAttr(IntegerAttr::get(type, APInt(width, value, true, true)));
}

/// Converts the literal that stands at `loc`; digits are rounded once, to `type`.
static FailureOr<TypedAttr> convertAt(OpAsmParser &parser, SMLoc loc, Attribute literal,
                                      Type type) {
  if (isWide(literal) && type.isInteger(64))
    return TypedAttr(IntegerAttr::get(type, cast<IntegerAttr>(literal).getValue()));
  if (isWide(literal) && !isFloatScalar(type)) {
    text(parser).emitCoded(loc, DiagCode::TypeAttribute, "the literal does not fit ")
        << stringifyType(type);
    return failure();
  }
  if (auto value = dyn_cast<FloatAttr>(literal); value && isFloatScalar(type)) {
    std::optional<llvm::APFloat> exact =
        text(parser).readFloat(loc, cast<FloatType>(type).getFloatSemantics());
    if (exact && exact->isFinite())
      return TypedAttr(FloatAttr::get(type, *exact));
  }
  return convertLiteral(literal, type, [&](const Twine &message) {
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute, message);
  });
}

ParseResult parseTypedLiteral(OpAsmParser &parser, Attribute &value, TypeAttr &type) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute literal;
  Type parsed;
  if (parseWideLiteral(parser, literal) || parser.parseColon() ||
      text(parser).parseTextType(parsed, nullptr))
    return failure();
  FailureOr<TypedAttr> converted = convertAt(parser, loc, literal, parsed);
  if (failed(converted))
    return failure();
  value = *converted;
  type = TypeAttr::get(parsed);
  return success();
}

void printTypedLiteral(OpAsmPrinter &printer, Operation *, Attribute value, TypeAttr type) {
  printLiteral(printer.getStream(), value);
  printer << " : ";
  printTextType(printer, type.getValue());
}

ParseResult parseIndexLiteral(OpAsmParser &parser, IntegerAttr &value) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute literal;
  if (parseLiteral(parser, literal))
    return failure();
  if (isa<BoolAttr>(literal) || !isa<IntegerAttr>(literal))
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute,
                                  "an integer literal is expected for index and offset");
  value = cast<IntegerAttr>(literal);
  return success();
}

void printIndexLiteral(OpAsmPrinter &printer, Operation *, IntegerAttr value) {
  printer << value.getValue().getSExtValue();
}

ParseResult parseScalarLiteral(OpAsmParser &parser, TypedAttr &value, Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute literal;
  if (parseWideLiteral(parser, literal) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (text(parser).parseTextType(type, nullptr))
    return failure();
  if (isAddressType(type))
    return text(parser).emitCoded(typeLoc, DiagCode::TypeResult,
                                  "scalar.constant has no index or offset; use index.constant");
  FailureOr<TypedAttr> converted = convertAt(parser, loc, literal, type);
  if (failed(converted))
    return failure();
  value = *converted;
  return success();
}

void printScalarLiteral(OpAsmPrinter &printer, Operation *, TypedAttr value, Type type) {
  printLiteral(printer.getStream(), value);
  printer << " : ";
  printTextType(printer, type);
}

ParseResult parseSplatLiteral(OpAsmParser &parser, TypedAttr &value, Type &type,
                              SmallVectorImpl<UnresolvedOperand> &dims) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute literal;
  if (parseWideLiteral(parser, literal) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (text(parser).parseTextType(type, &dims))
    return failure();
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return text(parser).emitCoded(typeLoc, DiagCode::TypeResult, "expected a vector type, got ")
           << stringifyType(type);
  FailureOr<TypedAttr> converted = convertAt(parser, loc, literal, vector.getElementType());
  if (failed(converted))
    return failure();
  value = *converted;
  return success();
}

void printSplatLiteral(OpAsmPrinter &printer, Operation *, TypedAttr value, Type type,
                       OperandRange dims) {
  printLiteral(printer.getStream(), value);
  printer << " : ";
  printTextType(printer, type, dims);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

ParseResult parseIndexList(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &indices,
                           DenseI64ArrayAttr &staticIndices) {
  SmallVector<int64_t> values;
  auto parseOptional = [&]() -> OptionalParseResult {
    UnresolvedOperand operand;
    OptionalParseResult isValue = parser.parseOptionalOperand(operand);
    if (isValue.has_value()) {
      indices.push_back(operand);
      values.push_back(ShapedType::kDynamic);
      return isValue;
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t literal;
    OptionalParseResult isLiteral = parser.parseOptionalInteger(literal);
    if (!isLiteral.has_value() || failed(*isLiteral))
      return isLiteral;
    if (literal < 0)
      return OptionalParseResult(ParseResult(
          text(parser).emitCoded(loc, DiagCode::SubrangeBounds, "an index cannot be negative")));
    values.push_back(literal);
    return OptionalParseResult(success());
  };
  OptionalParseResult first = parseOptional();
  if (first.has_value() && failed(*first))
    return failure();
  while (first.has_value() && succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult next = parseOptional();
    if (!next.has_value())
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                    "expected an index: a value or a number");
    if (failed(*next))
      return failure();
  }
  staticIndices = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void printIndexList(OpAsmPrinter &printer, Operation *, OperandRange indices,
                    DenseI64ArrayAttr staticIndices) {
  unsigned next = 0;
  llvm::interleaveComma(staticIndices.asArrayRef(), printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer.printOperand(indices[next++]);
    else
      printer << value;
  });
}

ParseResult parseAssumePredicates(OpAsmParser &parser, ArrayRef<UnresolvedOperand> inputs,
                                  SmallVectorImpl<UnresolvedOperand> &others,
                                  SmallVectorImpl<Type> &otherTypes, ArrayAttr &predicates) {
  auto find = [](ArrayRef<UnresolvedOperand> list, const UnresolvedOperand &operand) {
    return llvm::find_if(list, [&](const UnresolvedOperand &o) { return o.name == operand.name; }) -
           list.begin();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parsePredicates(parser, predicates, [&](const UnresolvedOperand &operand) {
        size_t i = find(inputs, operand);
        if (i < inputs.size())
          return FailureOr<unsigned>(i);
        size_t other = find(others, operand);
        if (other == others.size())
          others.push_back(operand);
        return FailureOr<unsigned>(inputs.size() + other);
      }))
    return failure();
  for (auto p : predicates.getAsRange<PredicateAttr>())
    if (static_cast<size_t>(p.getArgs()[0]) >= inputs.size())
      return text(parser).emitCoded(loc, DiagCode::StructureOrigin,
                                    "the first argument of a predicate has to be an operand of "
                                    "the operation");
  for (const UnresolvedOperand &operand : others) {
    Value value = text(parser).lookup(operand);
    if (!value)
      return text(parser).emitUndefined(operand);
    otherTypes.push_back(value.getType());
  }
  return success();
}

void printAssumePredicates(OpAsmPrinter &printer, Operation *, OperandRange inputs,
                           OperandRange others, TypeRange, ArrayAttr predicates) {
  printPredicates(printer, predicates, [&](unsigned i) {
    printer.printOperand(i < inputs.size() ? inputs[i] : others[i - inputs.size()]);
  });
}

ParseResult parseTargetRow(OpAsmParser &parser, StringAttr &row) {
  StringRef word;
  if (text(parser).parseDashedWord(word))
    return failure();
  row = parser.getBuilder().getStringAttr(word);
  return success();
}

void printTargetRow(OpAsmPrinter &printer, Operation *, StringAttr row) {
  printer << row.getValue();
}

} // namespace loom
