//===- Check.cpp - The `check` dialect ------------------------------------===//
#include "CheckSupport.h"
#include "loom/IR/Messages.h"

using namespace mlir;
#include "loom/Dialect/Check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Check/CheckOps.cpp.inc"

namespace loom {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Check/CheckOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Cases and benchmarks
//===----------------------------------------------------------------------===//

static constexpr Modifier kCaseModifiers[] = {Modifier::Public};

ParseResult CheckCaseOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  if (parseModifiers(parser, state.attributes, kCaseModifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes))
    return failure();
  return parser.parseRegion(*state.addRegion(), {});
}

void CheckCaseOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kCaseModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << ' ';
  printer.printRegion(getBody());
}

LogicalResult CheckCaseOp::verifyRegions() {
  return verifyTerminator(*this, getBody(), "check.return");
}

ParseResult CheckBenchmarkOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr subject;
  if (parser.parseLess() || text(parser).parseSymbolRef(subject) || parser.parseGreater())
    return failure();
  state.addAttribute("subject", subject);
  StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name)))
    state.addAttribute("sym_name", name);
  if (failed(parser.parseOptionalLBrace()))
    return success();
  NamedAttrList assignments;
  if (failed(parser.parseOptionalRBrace())) {
    if (parser.parseCommaSeparatedList([&]() -> ParseResult {
          StringRef key;
          SMLoc loc = parser.getCurrentLocation();
          Attribute value;
          if (parser.parseKeyword(&key) || parser.parseEqual() || parseLiteral(parser, value))
            return failure();
          if (assignments.get(key))
            return text(parser).emitCoded(loc, DiagCode::ParseRedefinition, "parameter '")
                   << key << "' is assigned twice";
          assignments.set(key, value);
          return success();
        }) ||
        parser.parseRBrace())
      return failure();
  }
  if (!assignments.empty())
    state.addAttribute("assignments", assignments.getDictionary(parser.getContext()));
  return success();
}

void CheckBenchmarkOp::print(OpAsmPrinter &printer) {
  printer << '<';
  printer.printSymbolName(getSubject());
  printer << '>';
  if (getSymName()) {
    printer << ' ';
    printer.printSymbolName(*getSymName());
  }
  if (!getAssignments())
    return;
  printer << " {";
  llvm::interleaveComma(*getAssignments(), printer, [&](NamedAttribute entry) {
    printer << entry.getName().getValue() << " = ";
    printLiteral(printer.getStream(), entry.getValue());
  });
  printer << '}';
}

LogicalResult CheckBenchmarkOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (NamedAttribute entry : getAssignments().value_or(DictionaryAttr::get(getContext())))
    if (!isa<BoolAttr, IntegerAttr, FloatAttr>(entry.getValue()))
      return emitCoded(atKey(*this, entry.getName()), DiagCode::TypeAttribute, "parameter '")
             << entry.getName().getValue() << "' needs a number, true or false, not "
             << entry.getValue();
  Operation *symbol = lookupSymbol(*this, getSubjectAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "case", getSubjectAttr());
  if (isa<CheckCaseOp>(symbol))
    return success();
  InFlightDiagnostic diag = emitCoded(atSymbol(*this, getSubject()), DiagCode::SymbolKind, "@");
  diag << getSubject() << " is a '" << getTextName(symbol) << "', not a 'check.case'";
  diag.attachNote(symbol->getLoc()) << "defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Checks the literal behind `word`.
static LogicalResult verifyLiteral(Operation *op, StringRef word, Attribute literal, Type type) {
  return failure(failed(convertLiteral(literal, type, [&](const Twine &message) {
    return emitCoded(atLiteral(op, word), DiagCode::TypeAttribute, message);
  })));
}

/// The same for one number, whose bits are not meant. Sequences are checked as a whole when they
/// are planned.
static LogicalResult verifyNumber(Operation *op, StringRef word, Attribute literal, Type type) {
  auto integer = dyn_cast<IntegerAttr>(literal);
  unsigned width = isIntegerScalar(type) ? type.getIntOrFloatBitWidth() : 1;
  bool isChecked = integer && !isa<BoolAttr>(literal) && width > 1 && width < 64;
  if (!isChecked || llvm::isIntN(width, integer.getInt()))
    return verifyLiteral(op, word, literal, type);
  return emitCoded(atLiteral(op, word), DiagCode::TypeAttribute, "")
         << integer.getInt() << " does not fit " << type << ", whose numbers are "
         << llvm::minIntN(width) << " to " << llvm::maxIntN(width);
}

/// Scalars of a case are integers, positions, and the floats that a host computes with.
static LogicalResult verifyScalar(Operation *op, Type type) {
  if (isIntegerScalar(type) || isAddressType(type) || type.isF32() || type.isF64())
    return success();
  return emitCoded(op, DiagCode::TypeResult, "'")
         << getTextName(op) << "' makes an i1 to i64, an index, an offset, an f32 or an f64, not "
         << type;
}

LogicalResult CheckLiteralOp::verify() {
  if (failed(verifyScalar(*this, getType())))
    return failure();
  return verifyNumber(*this, "value", getValue(), getType());
}

LogicalResult verifyTensor(Operation *op, TensorType tensor, size_t dims) {
  Type element = tensor.getElementType();
  if ((!isPayloadScalar(element) && !isAddressType(element)) || element.isInteger(1))
    return emitCoded(op, DiagCode::TypeResult,
                     "elements of a tensor are i8 to i64, index, "
                     "offset or floats, not ")
           << element;
  size_t slots = countSlots(tensor);
  if (slots == dims)
    return success();
  return emitCoded(op, DiagCode::StructureVariadic, "")
         << counted(dims, "extent") << " for " << counted(slots, "dynamic dimension");
}

OperandRange CheckIotaOp::getDynamicDims() { return getDims(); }
OperandRange CheckFillOp::getDynamicDims() { return getDims(); }
OperandRange CheckRandomUniformOp::getDynamicDims() { return getDims(); }

LogicalResult CheckIotaOp::verify() {
  auto tensor = cast<TensorType>(getType());
  if (failed(verifyTensor(*this, tensor, getDims().size())) ||
      failed(verifyLiteral(*this, "offset", getOffset(), tensor.getElementType())) ||
      failed(verifyLiteral(*this, "step", getStep(), tensor.getElementType())))
    return failure();
  if (getPeriod() && *getPeriod() <= 0)
    return emitCoded(atLiteral(*this, "period"), DiagCode::StructureValue,
                     "the period has to be positive");
  return success();
}

LogicalResult CheckFillOp::verify() {
  auto tensor = cast<TensorType>(getType());
  if (failed(verifyTensor(*this, tensor, getDims().size())))
    return failure();
  return verifyNumber(*this, "value", getValue(), tensor.getElementType());
}

LogicalResult CheckRandomUniformOp::verify() {
  auto tensor = cast<TensorType>(getType());
  if (failed(verifyTensor(*this, tensor, getDims().size())) ||
      failed(verifyLiteral(*this, "range", getLow(), tensor.getElementType())) ||
      failed(verifyLiteral(*this, "to", getHigh(), tensor.getElementType())))
    return failure();
  bool reversed;
  if (auto low = dyn_cast<FloatAttr>(getLow()))
    reversed = cast<FloatAttr>(getHigh()).getValueAsDouble() < low.getValueAsDouble();
  else
    reversed = cast<IntegerAttr>(getHigh()).getInt() < cast<IntegerAttr>(getLow()).getInt();
  if (reversed)
    return emitCoded(atLiteral(*this, "range"), DiagCode::StructureValue,
                     "the range ends before it begins");
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

LogicalResult CheckParamRangeOp::verify() {
  if (failed(verifyScalar(*this, getType())) ||
      failed(verifyLiteral(*this, "bounds", getLow(), getType())) ||
      failed(verifyLiteral(*this, "to", getHigh(), getType())) ||
      (getStep() && failed(verifyLiteral(*this, "step", *getStep(), getType()))))
    return failure();
  auto positive = [](Attribute value) {
    auto integer = dyn_cast<IntegerAttr>(value);
    return integer ? integer.getInt() > 0 : cast<FloatAttr>(value).getValueAsDouble() > 0;
  };
  if (getStep() && !positive(*getStep()))
    return emitCoded(atLiteral(*this, "step"), DiagCode::StructureValue,
                     "the step has to be positive");
  if (!getStep() && isFloatScalar(getType()))
    return emitCoded(*this, DiagCode::StructureValue, "a range of floats needs a step");
  if (getSequence() == SequenceKind::po2 && (isFloatScalar(getType()) || !positive(getLow())))
    return emitCoded(*this, DiagCode::StructureValue,
                     "a po2 range is of integers and begins above zero");
  return success();
}

LogicalResult CheckParamChoiceOp::verify() {
  if (getValues().empty())
    return emitCoded(*this, DiagCode::StructureValue, "a choice needs at least one value");
  if (!isa<IndexType>(getType()) && (!isIntegerScalar(getType()) || getType().isInteger(1)))
    return emitCoded(*this, DiagCode::TypeResult, "a choice is an index or an i8 to i64, not ")
           << getType();
  Builder b(getContext());
  for (int64_t value : getValues())
    if (failed(verifyNumber(*this, "values", b.getI64IntegerAttr(value), getType())))
      return failure();
  return success();
}

LogicalResult CheckParamSeedOp::verify() {
  if (!isIntegerScalar(getType()) || getType().isInteger(1))
    return emitCoded(*this, DiagCode::TypeResult, "a seed is an i8 to i64, not ") << getType();
  if (getCount() <= 0)
    return emitCoded(*this, DiagCode::StructureValue, "the count of seeds has to be positive");
  int64_t last;
  if (llvm::AddOverflow<int64_t>(getBase(), getCount() - 1, last))
    return emitCoded(*this, DiagCode::StructureValue, "the last seed does not fit 64 bits");
  return verifyLiteral(*this, "base", Builder(getContext()).getI64IntegerAttr(last), getType());
}

} // namespace loom
