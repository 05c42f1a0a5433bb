//===- VectorSyntax.cpp - Directives of the formats of `vector` -----------===//
#include "VectorSyntax.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/Predicates.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A vector type; `dims` as for parseTextType.
static FailureOr<VectorType> parseVectorType(OpAsmParser &parser,
                                             SmallVectorImpl<UnresolvedOperand> *dims) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (text(parser).parseTextType(type, dims))
    return failure();
  if (auto vector = dyn_cast<VectorType>(type))
    return vector;
  text(parser).emitCoded(loc, DiagCode::TypeResult, "expected a vector type, got ")
      << stringifyType(type);
  return failure();
}

ParseResult parseLanesOf(OpAsmParser &parser, Type &laneType, Type &resultType,
                         SmallVectorImpl<UnresolvedOperand> &dims) {
  FailureOr<VectorType> vector = parseVectorType(parser, &dims);
  if (failed(vector))
    return failure();
  resultType = *vector;
  laneType = vector->getElementType();
  return success();
}

void printLanesOf(OpAsmPrinter &printer, Operation *, Type, Type resultType, OperandRange dims) {
  printTextType(printer, resultType, dims);
}

ParseResult parseElementsOf(OpAsmParser &parser, ArrayRef<UnresolvedOperand> elements,
                            SmallVectorImpl<Type> &types, Type &resultType) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<UnresolvedOperand> dims;
  FailureOr<VectorType> vector = parseVectorType(parser, &dims);
  if (failed(vector))
    return failure();
  if (!dims.empty())
    return text(parser).emitCoded(loc, DiagCode::TypeResult,
                                  "a vector made of scalars has extents that are numbers");
  resultType = *vector;
  types.assign(elements.size(), vector->getElementType());
  return success();
}

void printElementsOf(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange, Type resultType) {
  printTextType(printer, resultType);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ParseResult parseTemplateInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseLess() || parser.parseInteger(number) || parser.parseGreater())
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

void printTemplateInteger(OpAsmPrinter &printer, Operation *, IntegerAttr value) {
  printer << '<' << value.getInt() << '>';
}

ParseResult parseIntegerList(OpAsmParser &parser, DenseI64ArrayAttr &values) {
  SmallVector<int64_t> numbers;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(numbers.emplace_back()); }))
    return failure();
  values = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

void printIntegerList(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr values) {
  printer << '[';
  llvm::interleaveComma(values.asArrayRef(), printer);
  printer << ']';
}

ParseResult parseTemplateIntegers(OpAsmParser &parser, DenseI64ArrayAttr &values) {
  return failure(parser.parseLess() || parseIntegerList(parser, values) || parser.parseGreater());
}

void printTemplateIntegers(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr values) {
  printer << '<';
  printIntegerList(printer, op, values);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

ParseResult parseFragmentShape(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &shape,
                               DenseI64ArrayAttr &staticShape) {
  SmallVector<int64_t, 3> extents;
  auto parseExtent = [&]() -> ParseResult {
    UnresolvedOperand operand;
    OptionalParseResult isValue = parser.parseOptionalOperand(operand);
    if (isValue.has_value()) {
      shape.push_back(operand);
      extents.push_back(ShapedType::kDynamic);
      return *isValue;
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (!isNumber.has_value())
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                    "expected an extent of the matrix: a value or a number");
    if (failed(*isNumber))
      return failure();
    extents.push_back(number);
    return success();
  };
  if (parser.parseLSquare())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("blocks")) &&
      (parser.parseLParen() || parseExtent() || parser.parseRParen() || parser.parseComma()))
    return failure();
  if (parseExtent())
    return failure();
  SMLoc next = parser.getCurrentLocation();
  if (failed(parser.parseOptionalComma()))
    return text(parser).emitCoded(next, DiagCode::ParseExpectedToken,
                                  "expected ','; the shape of a matrix has rows and columns");
  if (parseExtent() || parser.parseRSquare())
    return failure();
  staticShape = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

void printFragmentShape(OpAsmPrinter &printer, Operation *, OperandRange shape,
                        DenseI64ArrayAttr staticShape) {
  ArrayRef<int64_t> extents = staticShape.asArrayRef();
  unsigned next = 0;
  auto printExtent = [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      printer.printOperand(shape[next++]);
    else
      printer << extent;
  };
  printer << '[';
  if (extents.size() == 3) {
    printer << "blocks(";
    printExtent(extents.front());
    printer << "), ";
    extents = extents.drop_front();
  }
  llvm::interleaveComma(extents, printer, printExtent);
  printer << ']';
}

ParseResult parseFragmentUsing(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &auxiliaries,
                               SmallVectorImpl<Type> &types, ArrayAttr &keys) {
  if (failed(parser.parseOptionalKeyword("using")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parseOperandDict(parser, auxiliaries, types, keys))
    return failure();
  if (auxiliaries.empty())
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                  "'using' is followed by {schema = %value : encoding<schema>}");
  return success();
}

void printFragmentUsing(OpAsmPrinter &printer, Operation *op, OperandRange auxiliaries,
                        TypeRange types, ArrayAttr keys) {
  if (auxiliaries.empty())
    return;
  printer << " using";
  printOperandDict(printer, op, auxiliaries, types, keys);
}

ParseResult parseFragmentWhere(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &facts,
                               SmallVectorImpl<Type> &types, ArrayAttr &predicates) {
  if (failed(parser.parseOptionalKeyword("where")))
    return success();
  auto position = [&](const UnresolvedOperand &operand) -> FailureOr<unsigned> {
    for (auto [i, fact] : llvm::enumerate(facts))
      if (fact.name == operand.name)
        return static_cast<unsigned>(i);
    Value value = text(parser).lookup(operand);
    if (!value) {
      text(parser).emitUndefined(operand);
      return failure();
    }
    facts.push_back(operand);
    types.push_back(value.getType());
    return static_cast<unsigned>(facts.size() - 1);
  };
  return parsePredicates(parser, predicates, position);
}

void printFragmentWhere(OpAsmPrinter &printer, Operation *, OperandRange facts, TypeRange,
                        ArrayAttr predicates) {
  if (!predicates || predicates.empty())
    return;
  printer << " where ";
  printPredicates(printer, predicates, [&](unsigned i) { printer.printOperand(facts[i]); });
}

ParseResult parseSaturate(OpAsmParser &parser, UnitAttr &saturate) {
  if (failed(parser.parseOptionalLess()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)) || word != "saturate")
    return text(parser).emitCoded(loc, DiagCode::ParseUnknownFlag, "unknown flag '")
           << word << "'; the flag of a matrix product is saturate";
  saturate = parser.getBuilder().getUnitAttr();
  return parser.parseGreater();
}

void printSaturate(OpAsmPrinter &printer, Operation *, UnitAttr saturate) {
  if (saturate)
    printer << "<saturate>";
}

} // namespace loom
