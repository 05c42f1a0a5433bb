//===- Config.cpp - The `config` dialect ----------------------------------===//
#include "loom/Dialect/Config/Config.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/Signatures.h"

using namespace mlir;
#include "loom/Dialect/Config/ConfigDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Config/ConfigOps.cpp.inc"

namespace loom {

void ConfigDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Config/ConfigOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult ConfigDefOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  Attribute literal;
  Type type;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  APInt integer;
  OptionalParseResult parsed = parser.parseOptionalInteger(integer);
  bool isInteger = parsed.has_value() && succeeded(*parsed);
  if (isInteger)
    literal = parser.getBuilder().getI64IntegerAttr(integer.sextOrTrunc(64).getSExtValue());
  else if (!parsed.has_value())
    parsed = parser.parseOptionalAttribute(literal, Type());
  // Words such as `true` are literals too.
  if (parsed.has_value() ? failed(*parsed) : failed(parseLiteral(parser, literal)))
    return failure();
  if (parser.parseColon() || text(parser).parseTextType(type, nullptr))
    return failure();
  auto emit = [&](const Twine &message) {
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute, message);
  };
  // Bits of an i64 may be written without a sign.
  bool isWide = isInteger && integer.getSignificantBits() > 64;
  bool isBits = type.isInteger(64) && !integer.isNegative() && integer.getActiveBits() <= 64;
  if (isWide && !isBits && (isIntegerScalar(type) || isAddressType(type)))
    return emit("the literal does not fit ") << stringifyType(type);
  Attribute value = literal;
  auto real = dyn_cast<FloatAttr>(literal);
  if (isa<EncodingType>(type)) {
    if (!isa<EncodingAttr>(literal))
      return emit("an encoding such as #encoding.layout.dense is expected for ")
             << stringifyType(type);
  } else if (real && isFloatScalar(type)) {
    // Digits are rounded once, to the type that they are meant for.
    auto exact = text(parser).readFloat(loc, cast<FloatType>(type).getFloatSemantics());
    if (exact && !exact->isInfinity())
      value = FloatAttr::get(type, *exact);
  }
  if (value == literal && !isa<EncodingType>(type)) {
    FailureOr<TypedAttr> converted = convertLiteral(literal, type, emit);
    if (failed(converted))
      return failure();
    value = *converted;
  }
  state.addAttribute("value", value);
  state.addAttribute("value_type", TypeAttr::get(type));
  return success();
}

void ConfigDefOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " = ";
  printer.printAttribute(getValue());
  printer << " : ";
  printTextType(printer, getValueType());
}

ParseResult ConfigDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  UnresolvedOperand value;
  Type type;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parser.parseColon())
    return failure();
  OptionalParseResult named = parser.parseOptionalOperand(value);
  if (named.has_value() && (failed(*named) || parser.parseColon()))
    return failure();
  if (text(parser).parseTextType(type, nullptr))
    return failure();
  state.addAttribute("value_type", TypeAttr::get(type));
  if (!named.has_value())
    return success();
  ArrayAttr where;
  auto position = [&](const UnresolvedOperand &operand) -> FailureOr<unsigned> {
    if (operand.name == value.name)
      return 0u;
    text(parser).emitCoded(operand.location, DiagCode::StructureOrigin, "'")
        << operand.name << "' is not the value that is declared, which is '" << value.name << "'";
    return failure();
  };
  if (parser.parseKeyword("where") || parsePredicates(parser, where, position))
    return failure();
  state.addAttribute("arg_names", parser.getBuilder().getStrArrayAttr({value.name.drop_front()}));
  state.addAttribute("where", where);
  return success();
}

void ConfigDeclOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " : ";
  std::string name = "value";
  if (getArgNames() && !getArgNames()->empty())
    name = cast<StringAttr>((*getArgNames())[0]).getValue().str();
  if (getWhere())
    printer << '%' << name << ": ";
  printTextType(printer, getValueType());
  if (!getWhere())
    return;
  printer << " where ";
  printPredicates(printer, getWhereAttr(), [&](unsigned) { printer << '%' << name; });
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyValueType(Operation *op, Type type) {
  if (isPayloadScalar(type) || isAddressType(type) || isa<EncodingType>(type))
    return success();
  return emitCoded(op, DiagCode::TypeResult,
                   "a configuration value is an integer, a float, an "
                   "index, an offset or an encoding, not ")
         << type;
}

LogicalResult ConfigDefOp::verify() {
  if (failed(verifyValueType(*this, getValueType())))
    return failure();
  auto role = dyn_cast<EncodingType>(getValueType());
  if (!role)
    return failure(failed(convertLiteral(getValue(), getValueType(), [&](const Twine &message) {
      return emitCoded(*this, DiagCode::TypeAttribute, message);
    })));
  auto encoding = dyn_cast<EncodingAttr>(getValue());
  if (!encoding)
    return emitCoded(*this, DiagCode::TypeAttribute, "the value has to be an encoding");
  if (std::optional<EncodingProblem> problem = checkCompleteEncoding(encoding))
    return emitCoded(*this, problem->code, problem->message);
  EncodingRole actual = getEncodingRole(encoding);
  if (role.getRole() == EncodingRole::any || role.getRole() == actual)
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "'#")
         << encoding.getFamily().getValue() << "' has the role " << stringifyEncodingRole(actual)
         << ", but the value is an " << role;
}

LogicalResult ConfigDeclOp::verify() {
  if (failed(verifyValueType(*this, getValueType())))
    return failure();
  if (!getWhere())
    return success();
  if (!isIntegerScalar(getValueType()) && !isAddressType(getValueType()))
    return emitCoded(*this, DiagCode::TypeOperand,
                     "predicates of configuration values are about integers, index and offset, "
                     "not ")
           << getValueType();
  if (failed(verifyPredicates(*this, getWhereAttr(), getValueType(), /*subjects=*/1)))
    return failure();
  for (auto predicate : getWhereAttr().getAsRange<PredicateAttr>())
    if (predicate.getValueMask() != 1)
      return emitCoded(*this, DiagCode::StructureOrigin,
                       "a predicate of a configuration value compares it with literals only");
  return success();
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

static bool holds(PredicateKind kind, ArrayRef<int64_t> args, int64_t value, unsigned width) {
  auto raw = [&](int64_t number) {
    uint64_t bits = static_cast<uint64_t>(number);
    return width < 64 ? bits & ((uint64_t(1) << width) - 1) : bits;
  };
  int64_t other = args.size() > 1 ? args[1] : 0;
  switch (kind) {
  case PredicateKind::eq:
    return value == other;
  case PredicateKind::ne:
    return value != other;
  case PredicateKind::lt:
    return value < other;
  case PredicateKind::le:
    return value <= other;
  case PredicateKind::gt:
    return value > other;
  case PredicateKind::ge:
    return value >= other;
  case PredicateKind::ult:
    return raw(value) < raw(other);
  case PredicateKind::ule:
    return raw(value) <= raw(other);
  case PredicateKind::ugt:
    return raw(value) > raw(other);
  case PredicateKind::uge:
    return raw(value) >= raw(other);
  case PredicateKind::mul: {
    uint64_t divisor = other < 0 ? -static_cast<uint64_t>(other) : other;
    uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : value;
    return divisor != 0 && magnitude % divisor == 0;
  }
  case PredicateKind::pow2:
    return value > 0 && llvm::isPowerOf2_64(value);
  case PredicateKind::range:
    return value >= other && value <= args[2];
  case PredicateKind::not_nan:
  case PredicateKind::not_inf:
  case PredicateKind::finite:
    return true; // of floats, which have no predicates here
  }
  llvm_unreachable("covered switch");
}

std::optional<std::string> findBrokenPredicate(ConfigDeclOp decl, TypedAttr literal) {
  auto number = dyn_cast<IntegerAttr>(literal);
  if (!decl.getWhere() || !number)
    return std::nullopt;
  APInt bits = number.getValue();
  int64_t value = bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue();
  for (auto predicate : decl.getWhereAttr().getAsRange<PredicateAttr>()) {
    if (holds(predicate.getKind(), predicate.getArgs(), value, bits.getBitWidth()))
      continue;
    std::string spelled = stringifyPredicateKind(predicate.getKind()).str() + "(";
    spelled += decl.getSymName().str();
    for (int64_t arg : predicate.getArgs().drop_front())
      spelled += ", " + std::to_string(arg);
    return spelled + ")";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// config.get
//===----------------------------------------------------------------------===//

LogicalResult ConfigGetOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getConfigAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "configuration value", getConfigAttr());
  Type declared;
  if (auto def = dyn_cast<ConfigDefOp>(symbol))
    declared = def.getValueType();
  else if (auto decl = dyn_cast<ConfigDeclOp>(symbol))
    declared = decl.getValueType();
  else {
    InFlightDiagnostic diag = emitCoded(atSymbol(*this, getConfig()), DiagCode::SymbolKind, "@");
    diag << getConfig() << " is not a configuration value";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  if (declared == getType())
    return success();
  InFlightDiagnostic diag = emitCoded(atSymbol(*this, getConfig()), DiagCode::TypeMismatch, "@");
  diag << getConfig() << " is read as " << getType() << ", but it is " << declared;
  diag.attachNote(symbol->getLoc()) << "declared here";
  return diag;
}

} // namespace loom
