//===- SCF.cpp - The `scf` dialect and its choices between values ---------===//
#include "loom/Dialect/SCF/SCF.h"
#include "Carried.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
#include "loom/Dialect/SCF/SCFDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/SCF/SCFOps.cpp.inc"

namespace loom {

void SCFDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/SCF/SCFOps.cpp.inc"
      >();
}

void ScfYieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// scf.select
//===----------------------------------------------------------------------===//

/// Whether two values of one type also agree in what fills its slots.
static bool haveSameDims(Value a, Value b) {
  if (countSlots(a.getType()) == 0)
    return true;
  SmallVector<Value> left = getDynamicDims(a), right = getDynamicDims(b);
  return left.size() == right.size() && llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return isSameExtent(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult ScfSelectOp::verify() {
  if (haveSameDims(getTrueValue(), getFalseValue()))
    return success();
  return emitCoded(
      *this, DiagCode::TypeMismatch,
      "the two values of 'scf.select' differ in an extent or layout; 'scf.if' can yield "
      "it beside the value");
}

OpFoldResult ScfSelectOp::fold(FoldAdaptor adaptor) {
  if (getTrueValue() == getFalseValue())
    return getTrueValue();
  if (auto condition = dyn_cast_or_null<BoolAttr>(adaptor.getCondition()))
    return condition.getValue() ? getTrueValue() : getFalseValue();
  auto isTrue = dyn_cast_or_null<BoolAttr>(adaptor.getTrueValue());
  auto isFalse = dyn_cast_or_null<BoolAttr>(adaptor.getFalseValue());
  if (isTrue && isFalse && isTrue.getValue() && !isFalse.getValue())
    return getCondition();
  return {};
}

//===----------------------------------------------------------------------===//
// scf.lookup
//===----------------------------------------------------------------------===//

ParseResult ScfLookupOp::parse(OpAsmParser &parser, OperationState &state) {
  struct Row {
    SMLoc loc;
    SmallVector<UnresolvedOperand> cells;
  };
  UnresolvedOperand selector;
  SmallVector<Row> rows;
  SmallVector<int64_t> keys;
  SmallVector<Type> types;
  auto parseRow = [&]() {
    Row &row = rows.emplace_back();
    row.loc = parser.getCurrentLocation();
    return parser.parseOperandList(row.cells, OpAsmParser::Delimiter::Paren);
  };
  if (parser.parseOperand(selector) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces,
                                     [&]() -> ParseResult {
                                       return failure(parseKey(parser, "scf.lookup", keys) ||
                                                      parser.parseEqual() || parseRow());
                                     }) ||
      parser.parseKeyword("default") || parseRow() || parser.parseColon() ||
      parser.parseCommaSeparatedList(
          [&] { return text(parser).parseTextType(types.emplace_back(), nullptr); }) ||
      parser.resolveOperand(selector, parser.getBuilder().getIndexType(), state.operands))
    return failure();
  for (const Row &row : rows) {
    if (row.cells.size() != types.size())
      return text(parser).emitCoded(row.loc, DiagCode::ParseRaggedRow, "this row has ")
             << counted(row.cells.size(), "value") << ", but there "
             << (types.size() == 1 ? "is " : "are ") << counted(types.size(), "result");
    if (parser.resolveOperands(row.cells, types, row.loc, state.operands))
      return failure();
  }
  state.addTypes(types);
  state.addAttribute("keys", parser.getBuilder().getDenseI64ArrayAttr(keys));
  return success();
}

void ScfLookupOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSelector() << (getKeys().empty() ? " {" : " { ");
  llvm::interleaveComma(llvm::enumerate(getKeys()), printer, [&](auto key) {
    printer << key.value() << " = (" << getRow(key.index()) << ')';
  });
  printer << (getKeys().empty() ? "}" : " }") << " default(" << getRow(getKeys().size()) << ") : ";
  llvm::interleaveComma(getResults(), printer, [&](Value result) {
    printTextType(printer, result.getType(), getDynamicDims(result));
  });
}

LogicalResult ScfLookupOp::verify() {
  if (getNumResults() == 0 || getCells().size() != (getKeys().size() + 1) * getNumResults())
    return emitCoded(*this, DiagCode::StructureVariadic,
                     "the table of 'scf.lookup' is not of one width");
  if (failed(verifyKeys(*this, getKeys())))
    return failure();
  for (size_t row = 0; row <= getKeys().size(); ++row)
    for (auto [column, cell, result] : llvm::enumerate(getRow(row), getResults())) {
      if (cell.getType() != result.getType())
        return emitCoded(atOperand(*this, cell), DiagCode::TypeMismatch, "column ")
               << column << " of 'scf.lookup' has type " << result.getType() << ", but row " << row
               << " has " << cell.getType();
      if (!haveSameDims(cell, getRow(0)[column]))
        return emitCoded(atOperand(*this, cell), DiagCode::TypeMismatch, "the values of column ")
               << column
               << " of 'scf.lookup' differ in an extent or layout; 'scf.switch' can yield "
               << "it beside the value";
    }
  return success();
}

SmallVector<Value> ScfLookupOp::getDimsOf(Value value) {
  unsigned column = cast<OpResult>(value).getResultNumber();
  return column < getCells().size() ? getDynamicDims(getCells()[column]) : SmallVector<Value>();
}

size_t ScfLookupOp::findRow(int64_t key) { return llvm::find(getKeys(), key) - getKeys().begin(); }

LogicalResult ScfLookupOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto selector = dyn_cast_or_null<IntegerAttr>(adaptor.getSelector());
  size_t row = selector ? findRow(selector.getValue().getSExtValue()) : 0;
  // Without a known selector all rows have to be one.
  for (size_t other = 1; !selector && other <= getKeys().size(); ++other)
    if (getRow(other) != getRow(0))
      return failure();
  for (Value cell : getRow(row))
    results.push_back(cell);
  return success();
}

} // namespace loom
