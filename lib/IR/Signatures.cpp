//===- Signatures.cpp - Headers of functions, templates, kernels ----------===//
#include "loom/IR/Signatures.h"
#include "loom/IR/CallableText.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/Ties.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Parameters and results
//===----------------------------------------------------------------------===//

SmallVector<Type> Signature::argumentTypes() const {
  return llvm::map_to_vector(arguments, [](const OpAsmParser::Argument &a) { return a.type; });
}

SmallVector<StringRef> Signature::argumentNames() const {
  return llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.ssaName.name.drop_front(); });
}

SmallVector<OpAsmParser::Argument> Signature::bodyArguments() const {
  SmallVector<OpAsmParser::Argument> all = arguments;
  llvm::append_range(all, extentNames);
  return all;
}

/// The values that fill the slots of one type, as the text spells them.
namespace {
struct SpelledDims {
  ArrayRef<UnresolvedOperand> dims;
  Type type;

  bool isLayout(size_t slot) const {
    return slot + 1 == dims.size() && isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type));
  }
};
} // namespace

/// The number by which `extents` names the value `dim`: a parameter, a named result or an extent
/// of the header's own.
static std::optional<int64_t> findExtent(const Signature &signature, StringRef name) {
  auto isCalled = [&](const OpAsmParser::Argument &argument) {
    return argument.ssaName.name == name;
  };
  size_t inputs = signature.arguments.size();
  if (auto it = llvm::find_if(signature.arguments, isCalled); it != signature.arguments.end())
    return it - signature.arguments.begin();
  if (auto it = llvm::find(signature.resultNames, name.drop_front());
      it != signature.resultNames.end())
    return -1 - int64_t(it - signature.resultNames.begin());
  if (auto it = llvm::find_if(signature.extentNames, isCalled); it != signature.extentNames.end())
    return inputs + (it - signature.extentNames.begin());
  return std::nullopt;
}

static InFlightDiagnostic emitUnknownExtent(OpAsmParser &parser, const UnresolvedOperand &dim) {
  return text(parser).emitCoded(dim.location, DiagCode::ParseUndefinedValue, "'")
         << dim.name << "' is neither a parameter nor a named result; ";
}

/// Resolves the slots of parameters; names that are new become extents of the header's own.
static ParseResult resolveParameterDims(OpAsmParser &parser, Signature &signature,
                                        ArrayRef<SpelledDims> spelled) {
  Type index = parser.getBuilder().getIndexType();
  for (const SpelledDims &one : spelled)
    for (auto [slot, dim] : llvm::enumerate(one.dims)) {
      std::optional<int64_t> extent = findExtent(signature, dim.name);
      if (!extent && signature.namesExtents && !one.isLayout(slot)) {
        OpAsmParser::Argument &fresh = signature.extentNames.emplace_back();
        fresh.ssaName = dim;
        fresh.type = index;
        extent = signature.arguments.size() + signature.extentNames.size() - 1;
      }
      if (!extent && one.isLayout(slot))
        return emitUnknownExtent(parser, dim) << "a layout in a header is one of them, such as ("
                                              << dim.name << ": encoding<layout>, ...)";
      if (!extent)
        return emitUnknownExtent(parser, dim)
               << "an extent of a header is one of them, such as (" << dim.name << ": index, ...)";
      signature.extents.push_back(*extent);
    }
  return success();
}

ParseResult parseParameters(OpAsmParser &parser, Signature &signature) {
  auto &arguments = signature.arguments;
  SmallVector<SmallVector<UnresolvedOperand>> dims;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        if (parser.parseArgument(argument) || parser.parseColon() ||
            text(parser).parseTextType(argument.type, &dims.emplace_back()))
          return failure();
        if (!dims.back().empty())
          text(parser).declareDims(argument.ssaName, dims.back());
        for (const OpAsmParser::Argument &earlier : arguments)
          if (earlier.ssaName.name == argument.ssaName.name)
            return text(parser).emitCoded(argument.ssaName.location, DiagCode::ParseRedefinition,
                                          "redefinition of parameter '")
                   << argument.ssaName.name << "'";
        arguments.push_back(argument);
        return success();
      }))
    return failure();
  SmallVector<SpelledDims> spelled;
  for (auto [argument, names] : llvm::zip(arguments, dims))
    spelled.push_back({names, argument.type});
  return resolveParameterDims(parser, signature, spelled);
}

/// A result with the name of an extent of the header's own would be that value.
static ParseResult checkResultName(OpAsmParser &parser, const Signature &signature,
                                   const UnresolvedOperand &name) {
  for (const OpAsmParser::Argument &extent : signature.extentNames)
    if (extent.ssaName.name == name.name)
      return text(parser).emitCoded(name.location, DiagCode::ParseRedefinition, "'")
             << name.name << "' is an extent of a parameter already; a result needs another name";
  return success();
}

ParseResult parseResults(OpAsmParser &parser, Signature &signature) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  SmallVector<UnresolvedOperand> dims;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        UnresolvedOperand name;
        OptionalParseResult named = parser.parseOptionalOperand(name);
        if (named.has_value()) {
          if (failed(*named) || checkResultName(parser, signature, name) || parser.parseColon())
            return failure();
          signature.resultNames.resize(signature.results.size());
          signature.resultNames.push_back(name.name.drop_front());
        }
        return text(parser).parseTextType(signature.results.emplace_back(), &dims);
      }))
    return failure();
  if (!signature.resultNames.empty())
    signature.resultNames.resize(signature.results.size());
  for (const UnresolvedOperand &dim : dims) {
    std::optional<int64_t> extent = findExtent(signature, dim.name);
    if (!extent)
      return emitUnknownExtent(parser, dim)
             << "a caller learns an extent of a result from one of them or from an extent of a "
             << "parameter, such as -> (" << dim.name << ": index, ...)";
    signature.extents.push_back(*extent);
  }
  return success();
}

ParseResult parseWhere(OpAsmParser &parser, Signature &signature) {
  if (failed(parser.parseOptionalKeyword("where")))
    return success();
  auto position = [&](const UnresolvedOperand &operand) -> FailureOr<unsigned> {
    SmallVector<StringRef> names = signature.argumentNames();
    llvm::append_range(names, signature.resultNames);
    auto it = llvm::find(names, operand.name.drop_front());
    if (it != names.end())
      return it - names.begin();
    InFlightDiagnostic diag =
        text(parser).emitCoded(operand.location, DiagCode::StructureOrigin, "'");
    diag << operand.name << "' is neither a parameter nor a named result, which a where clause is "
         << "about";
    for (const OpAsmParser::Argument &extent : signature.extentNames)
      if (extent.ssaName.name == operand.name)
        diag << "; pass the extent too: (" << operand.name << ": index, ...)";
    return failure();
  };
  return parsePredicates(parser, signature.where, position);
}

ParseResult parseSignature(OpAsmParser &parser, Signature &signature) {
  return failure(parseParameters(parser, signature) || parseResults(parser, signature) ||
                 parseWhere(parser, signature));
}

void addSignatureAttributes(OpAsmParser &parser, OperationState &state,
                            const Signature &signature) {
  Builder &b = parser.getBuilder();
  if (signature.where)
    state.addAttribute("where", signature.where);
  if (!signature.extents.empty())
    state.addAttribute("extents", b.getDenseI64ArrayAttr(signature.extents));
  if (!signature.extentNames.empty())
    state.addAttribute("extent_names",
                       b.getStrArrayAttr(llvm::map_to_vector(
                           signature.extentNames, [](const OpAsmParser::Argument &extent) {
                             return extent.ssaName.name.drop_front();
                           })));
  if (!signature.resultNames.empty())
    state.addAttribute("result_names", b.getStrArrayAttr(signature.resultNames));
}

//===----------------------------------------------------------------------===//
// Printing of headers
//===----------------------------------------------------------------------===//

void printParameters(OpAsmPrinter &printer, Block::BlockArgListType arguments) {
  printer << '(';
  llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    printer << ": ";
    printTextType(printer, argument.getType(), getDynamicDims(argument));
  });
  printer << ')';
}

/// The name of the parameter, or extent of the header's own, of a position.
static StringRef getDeclaredName(ArrayAttr names, ArrayAttr extentNames, size_t i) {
  if (i < names.size())
    return cast<StringAttr>(names[i]).getValue();
  i -= names.size();
  bool exists = extentNames && i < extentNames.size();
  return exists ? cast<StringAttr>(extentNames[i]).getValue() : StringRef("?");
}

void printParameters(OpAsmPrinter &printer, ArrayAttr types, ArrayAttr names,
                     DenseI64ArrayAttr extents, ArrayAttr extentNames) {
  unsigned slot = 0;
  auto name = [&](int64_t i) { return getDeclaredName(names, extentNames, i); };
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(types), printer, [&](auto item) {
    Type type = cast<TypeAttr>(item.value()).getValue();
    printer << '%' << name(item.index()) << ": ";
    printTextType(printer, type, [&](unsigned i) { printer << '%' << name(extents[slot + i]); });
    slot += countSlots(type);
  });
  printer << ')';
}

void printSignatureResults(OpAsmPrinter &printer, Operation *op, TypeRange inputs,
                           TypeRange results, llvm::function_ref<void(unsigned)> printArgument) {
  if (results.empty())
    return;
  auto extents = op->getAttrOfType<DenseI64ArrayAttr>("extents");
  auto names = op->getAttrOfType<ArrayAttr>("result_names");
  auto printName = [&](int64_t i) {
    printer << '%' << (names ? cast<StringAttr>(names[i]).getValue() : StringRef("?"));
  };
  unsigned slot = 0;
  for (Type input : inputs)
    slot += countSlots(input);
  printer << " -> (";
  llvm::interleaveComma(llvm::enumerate(results), printer, [&](auto item) {
    Type type = item.value();
    if (names && !cast<StringAttr>(names[item.index()]).getValue().empty()) {
      printName(item.index());
      printer << ": ";
    }
    printTextType(printer, type, [&](unsigned i) {
      int64_t extent = extents[slot + i];
      if (extent >= 0)
        printArgument(extent);
      else
        printName(-1 - extent);
    });
    slot += countSlots(type);
  });
  printer << ')';
}

void printResults(OpAsmPrinter &printer, ValueRange results) {
  if (results.empty())
    return;
  printer << " -> (";
  llvm::interleaveComma(results, printer, [&](Value result) {
    printTextType(printer, result.getType(), getDynamicDims(result));
  });
  printer << ')';
}

void printWhere(OpAsmPrinter &printer, ArrayAttr where,
                llvm::function_ref<void(unsigned)> printArgument) {
  if (!where)
    return;
  printer << " where ";
  printPredicates(printer, where, printArgument);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The number by which `extents` of a call names what fills a slot of its arguments.
static std::optional<int64_t> findPassedExtent(OpAsmParser &parser, const Signature &called,
                                               const UnresolvedOperand &dim) {
  Value wanted = text(parser).lookup(dim);
  int64_t number = called.arguments.size();
  for (const OpAsmParser::Argument &argument : called.arguments) {
    Value value = text(parser).lookup(argument.ssaName);
    if (!value || !wanted)
      return std::nullopt;
    SmallVector<Value> dims = getDynamicDims(value);
    if (auto it = llvm::find(dims, wanted); it != dims.end())
      return number + (it - dims.begin());
    number += countSlots(value.getType());
  }
  return std::nullopt;
}

/// `-> (T, %x as U)` of a call: slots are filled by arguments, their extents, and results of the
/// call.
static ParseResult parseCallResults(OpAsmParser &parser, Signature &called,
                                    SmallVectorImpl<UnresolvedOperand> &ties) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    SmallVector<UnresolvedOperand> dims;
    if (parseOptionalTie(parser, ties.emplace_back()) ||
        text(parser).parseTextType(called.results.emplace_back(), &dims))
      return failure();
    for (const UnresolvedOperand &dim : dims) {
      std::optional<int64_t> extent = findExtent(called, dim.name);
      if (!extent)
        extent = findPassedExtent(parser, called, dim);
      if (!extent)
        for (const OpAsmParser::Argument &argument : called.arguments)
          if (!text(parser).lookup(argument.ssaName))
            return text(parser).emitUndefined(argument.ssaName);
      if (!extent)
        return text(parser).emitCoded(dim.location, DiagCode::ParseUndefinedValue, "'")
               << dim.name << "' is no argument and no result of this call, and no extent of an "
               << "argument; an extent of a result has to be one";
      called.extents.push_back(*extent);
    }
    return success();
  });
}

ParseResult parseCallTypes(OpAsmParser &parser, ArrayRef<UnresolvedOperand> operands,
                           OperationState &state) {
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  unsigned i = 0;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        Type &type = types.emplace_back();
        if (i < operands.size())
          return parseUseType(parser, type, operands[i++]);
        return text(parser).parseTextType(type, nullptr);
      }))
    return failure();
  Signature called; // its parameters are the arguments of the call
  for (const UnresolvedOperand &operand : operands)
    called.arguments.emplace_back().ssaName = operand;
  for (size_t result = 0; result < parser.getNumResults(); ++result)
    called.resultNames.push_back(parser.getResultName(result).first);
  SmallVector<UnresolvedOperand> ties;
  if (parseCallResults(parser, called, ties) || addTies(parser, state, kCallTies, ties, operands))
    return failure();
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), "argument") << " but " << counted(types.size(), "type");
  state.addTypes(called.results);
  if (!called.extents.empty())
    state.addAttribute("extents", parser.getBuilder().getDenseI64ArrayAttr(called.extents));
  return parser.resolveOperands(operands, types, loc, state.operands);
}

void printCallTypes(OpAsmPrinter &printer, OperandRange operands, ValueRange results,
                    DenseI64ArrayAttr ties) {
  printer << '(';
  llvm::interleaveComma(operands, printer, [&](Value operand) {
    printTextType(printer, operand.getType(), getDynamicDims(operand));
  });
  printer << ')';
  printTiedResults(printer, results, ties, operands);
}

void printHeaderTail(OpAsmPrinter &printer, SignatureOpInterface header,
                     llvm::function_ref<void(unsigned)> printArgument) {
  SmallVector<Type> inputs = header.getSignatureInputs();
  printSignatureResults(printer, header, inputs, header.getSignatureResults(), printArgument);
  auto names = header->getAttrOfType<ArrayAttr>("result_names");
  printWhere(printer, header->getAttrOfType<ArrayAttr>("where"), [&](unsigned i) {
    if (i < inputs.size())
      printArgument(i);
    else
      printer << '%' << cast<StringAttr>(names[i - inputs.size()]).getValue();
  });
}

void printDeclaredSignature(OpAsmPrinter &printer, SignatureOpInterface header) {
  auto names = header->getAttrOfType<ArrayAttr>("arg_names");
  auto extentNames = header->getAttrOfType<ArrayAttr>("extent_names");
  printParameters(printer, header->getAttrOfType<ArrayAttr>("arg_types"), names,
                  header->getAttrOfType<DenseI64ArrayAttr>("extents"), extentNames);
  printHeaderTail(printer, header,
                  [&](unsigned i) { printer << '%' << getDeclaredName(names, extentNames, i); });
}

ParseResult parseExactCall(OpAsmParser &parser, OperationState &state,
                           ArrayRef<Modifier> modifiers) {
  FlatSymbolRefAttr callee;
  SmallVector<UnresolvedOperand> operands;
  if (parseModifiers(parser, state.attributes, modifiers) || text(parser).parseSymbolRef(callee) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parseCallTypes(parser, operands, state))
    return failure();
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  state.addAttribute("callee", callee);
  return success();
}

void printExactCall(OpAsmPrinter &printer, Operation *call, StringRef callee,
                    ArrayRef<Modifier> modifiers) {
  printModifiers(printer, call, modifiers);
  printer << ' ';
  printer.printSymbolName(callee);
  printer << '(' << call->getOperands() << ") : ";
  printCallTypes(printer, call->getOperands(), call->getResults(),
                 call->getAttrOfType<DenseI64ArrayAttr>("ties"));
}

} // namespace loom
