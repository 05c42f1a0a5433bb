//===- CheckFiles.cpp - Requirements, files, views and oracles ------------===//
#include "CheckSupport.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Providers
//===----------------------------------------------------------------------===//

ParseResult parseProvider(OpAsmParser &parser, OperationState &state) {
  StringRef name;
  if (parser.parseLess() || text(parser).parseDashedWord(name) || parser.parseGreater())
    return failure();
  state.addAttribute("provider", parser.getBuilder().getStringAttr(name));
  return success();
}

void printProvider(OpAsmPrinter &printer, StringRef provider) { printer << '<' << provider << '>'; }

ParseResult parseOptions(OpAsmParser &parser, OperationState &state) {
  NamedAttrList entries;
  if (text(parser).parseOptionalDict(entries))
    return failure();
  if (!entries.empty())
    state.addAttribute("options", entries.getDictionary(parser.getContext()));
  return success();
}

void printOptions(OpAsmPrinter &printer, DictionaryAttr options) {
  if (!options || options.empty())
    return;
  printer << ' ';
  printer.printAttribute(options);
}

/// `word("text")`.
static ParseResult parseText(OpAsmParser &parser, StringRef word, StringRef attribute,
                             OperationState &state) {
  std::string value;
  if (parser.parseKeyword(word) || parser.parseLParen() || parser.parseString(&value) ||
      parser.parseRParen())
    return failure();
  state.addAttribute(attribute, parser.getBuilder().getStringAttr(value));
  return success();
}

ParseResult CheckRequiresOp::parse(OpAsmParser &parser, OperationState &state) {
  return failure(parseProvider(parser, state) || parseOptions(parser, state));
}

void CheckRequiresOp::print(OpAsmPrinter &printer) {
  printProvider(printer, getProvider());
  printOptions(printer, getOptionsAttr());
}

ParseResult CheckSkipIfOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseProvider(parser, state) || parseOptions(parser, state))
    return failure();
  if (failed(parser.parseOptionalKeyword("reason")))
    return success();
  std::string reason;
  if (parser.parseLParen() || parser.parseString(&reason) || parser.parseRParen())
    return failure();
  state.addAttribute("reason", parser.getBuilder().getStringAttr(reason));
  return success();
}

void CheckSkipIfOp::print(OpAsmPrinter &printer) {
  printProvider(printer, getProvider());
  printOptions(printer, getOptionsAttr());
  if (!getReason())
    return;
  printer << " reason(";
  printer.printString(*getReason());
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static LogicalResult verifyPath(Operation *op, StringRef path) {
  if (!path.empty())
    return success();
  return emitCoded(op, DiagCode::StructureValue, "the path of a file is empty");
}

OperandRange CheckFileReadNpyOp::getDynamicDims() { return getDims(); }

LogicalResult CheckFileReadNpyOp::verify() {
  if (failed(verifyPath(*this, getPath())))
    return failure();
  return verifyTensor(*this, cast<TensorType>(getType()), getDims().size());
}

ParseResult CheckFileWriteNpyOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand value;
  Type type;
  if (parser.parseKeyword("value") || parser.parseLParen() || parser.parseOperand(value) ||
      parser.parseRParen() || parseText(parser, "path", "path", state))
    return failure();
  WriteModeAttr mode = WriteModeAttr::get(parser.getContext(), WriteMode::on_failure);
  if (succeeded(parser.parseOptionalKeyword("mode")))
    if (parser.parseLParen() || parseWriteMode(parser, mode) || parser.parseRParen())
      return failure();
  state.addAttribute("mode", mode);
  return failure(parser.parseColon() || parseUseType(parser, type, value) ||
                 parser.resolveOperand(value, type, state.operands));
}

void CheckFileWriteNpyOp::print(OpAsmPrinter &printer) {
  printer << " value(" << getValue() << ") path(";
  printer.printString(getPath());
  printer << ')';
  if (getMode() != WriteMode::on_failure)
    printer << " mode(" << stringifyWriteMode(getMode()) << ')';
  printer << " : ";
  printUseType(printer, *this, getValue().getType(), getValue());
}

LogicalResult CheckFileWriteNpyOp::verify() { return verifyPath(*this, getPath()); }

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

OperandRange CheckTensorViewOp::getDynamicDims() { return getDims(); }

/// The number of elements of a type; nothing when an extent is a value or the product too large.
static std::optional<int64_t> countElements(TensorType type) {
  int64_t count = 1;
  for (int64_t extent : type.getShape())
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

LogicalResult CheckTensorViewOp::verify() {
  auto source = cast<TensorType>(getSource().getType()), view = cast<TensorType>(getType());
  if (failed(verifyTensor(*this, view, getDims().size())))
    return failure();
  if (source.getElementType() != view.getElementType())
    return emitCoded(*this, DiagCode::TypeElement, "a view of a tensor has its elements, ")
           << source.getElementType() << ", not " << view.getElementType();
  int64_t offset = getOffset(), end;
  if (offset < 0)
    return emitCoded(*this, DiagCode::StructureValue, "the offset of a view of a tensor is ")
           << offset << "; it cannot be negative";
  std::optional<int64_t> elements = countElements(source), seen = countElements(view);
  if (!elements || !seen)
    return success(); // asked when the extents are known
  if (!llvm::AddOverflow(offset, *seen, end) && end <= *elements)
    return success();
  return emitCoded(*this, DiagCode::SubrangeBounds, "")
         << *seen << " elements from element " << offset << " on do not fit into " << *elements;
}

//===----------------------------------------------------------------------===//
// Values that an operation owns the extents of
//===----------------------------------------------------------------------===//

ParseResult parseInputTypes(OpAsmParser &parser, ArrayRef<UnresolvedOperand> operands,
                            OperationState &state) {
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        Type &type = types.emplace_back();
        if (types.size() <= operands.size())
          return parseUseType(parser, type, operands[types.size() - 1]);
        return text(parser).parseTextType(type, nullptr);
      }))
    return failure();
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), "argument") << " but " << counted(types.size(), "type");
  return parser.resolveOperands(operands, types, loc, state.operands);
}

ParseResult resolveDims(OpAsmParser &parser, ArrayRef<UnresolvedOperand> dims,
                        OperationState &state) {
  for (const UnresolvedOperand &dim : dims) {
    Value value = text(parser).lookup(dim);
    if (!value)
      return text(parser).emitUndefined(dim);
    if (parser.resolveOperand(dim, value.getType(), state.operands))
      return failure();
  }
  return success();
}

ParseResult parseOwnedResults(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &dims,
                              OperationState &state) {
  return failure(parser.parseArrow() ||
                 parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
                   return text(parser).parseTextType(state.types.emplace_back(), &dims);
                 }));
}

SmallVector<Value> sliceDims(TypeRange types, unsigned position, OperandRange dims) {
  unsigned first = 0, count = countSlots(types[position]);
  for (Type earlier : types.take_front(position))
    first += countSlots(earlier);
  if (first + count > dims.size())
    return {};
  return llvm::to_vector(dims.slice(first, count));
}

//===----------------------------------------------------------------------===//
// Oracles
//===----------------------------------------------------------------------===//

ParseResult CheckOracleCallOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr callee;
  SmallVector<UnresolvedOperand> inputs, dims;
  if (parseProvider(parser, state) || parseOptions(parser, state) ||
      parser.parseKeyword("callee") || parser.parseLParen() ||
      text(parser).parseSymbolRef(callee) || parser.parseRParen() ||
      parser.parseKeyword("inputs") ||
      parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parseInputTypes(parser, inputs, state) || parseOwnedResults(parser, dims, state) ||
      resolveDims(parser, dims, state))
    return failure();
  state.addAttribute("callee", callee);
  llvm::copy(
      ArrayRef<int32_t>{static_cast<int32_t>(inputs.size()), static_cast<int32_t>(dims.size())},
      state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return success();
}

void CheckOracleCallOp::print(OpAsmPrinter &printer) {
  printProvider(printer, getProvider());
  printOptions(printer, getOptionsAttr());
  printer << " callee(";
  printer.printSymbolName(getCallee());
  printer << ") inputs(" << getInputs() << ") : ";
  printCallTypes(printer, getInputs(), getResults());
  if (getResults().empty())
    printer << " -> ()";
}

SmallVector<Value> CheckOracleCallOp::getDimsOf(Value value) {
  return sliceDims(getResultTypes(), cast<OpResult>(value).getResultNumber(), getDims());
}

/// The other providers know what to compute; their callee tells the reader what it stands for. One
/// that does not exist is refused where the case is planned.
static bool callsCallee(CheckOracleCallOp op) { return op.getProvider() == "reference.scalar"; }

LogicalResult CheckOracleCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!callsCallee(*this))
    return success();
  Operation *symbol = lookupSymbol(*this, getCalleeAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "function", getCalleeAttr());
  StringRef name = getTextName(symbol);
  if (name == "func.def" || name == "func.decl")
    return success();
  InFlightDiagnostic diag = emitCoded(atSymbol(*this, getCallee()), DiagCode::SymbolKind, "@");
  diag << getCallee() << " is a '" << name << "'; an oracle stands for a function";
  diag.attachNote(symbol->getLoc()) << "defined here";
  return diag;
}

} // namespace loom
