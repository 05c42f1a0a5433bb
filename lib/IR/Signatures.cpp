//===- Signatures.cpp - Headers of functions, templates, kernels ----------===//
#include "loom/IR/Signatures.h"
#include "loom/IR/CallableText.h"
#include "loom/IR/Predicates.h"
#include "llvm/ADT/StringExtras.h"

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

/// The number by which `extents` names the value `dim`: a parameter or a named result.
static FailureOr<int64_t> resolveExtent(OpAsmParser &parser, const UnresolvedOperand &dim,
                                        ArrayRef<StringRef> parameters,
                                        ArrayRef<StringRef> results) {
  StringRef name = dim.name.drop_front();
  if (auto it = llvm::find(parameters, name); it != parameters.end())
    return int64_t(it - parameters.begin());
  if (auto it = llvm::find(results, name); it != results.end())
    return -1 - int64_t(it - results.begin());
  text(parser).emitCoded(dim.location, DiagCode::ParseUndefinedValue, "'")
      << dim.name << "' is neither a parameter nor a named result; an extent of a header is one of "
      << "them, such as (" << dim.name << ": index, ...)";
  return failure();
}

ParseResult parseParameters(OpAsmParser &parser, Signature &signature) {
  auto &arguments = signature.arguments;
  SmallVector<UnresolvedOperand> dims;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        size_t first = dims.size();
        if (parser.parseArgument(argument) || parser.parseColon() ||
            text(parser).parseTextType(argument.type, &dims))
          return failure();
        if (dims.size() > first)
          text(parser).declareDims(argument.ssaName, ArrayRef(dims).drop_front(first));
        for (const OpAsmParser::Argument &earlier : arguments)
          if (earlier.ssaName.name == argument.ssaName.name)
            return text(parser).emitCoded(argument.ssaName.location, DiagCode::ParseRedefinition,
                                          "redefinition of parameter '")
                   << argument.ssaName.name << "'";
        arguments.push_back(argument);
        return success();
      }))
    return failure();
  for (const UnresolvedOperand &dim : dims) {
    FailureOr<int64_t> extent = resolveExtent(parser, dim, signature.argumentNames(), {});
    if (failed(extent))
      return failure();
    signature.extents.push_back(*extent);
  }
  return success();
}

ParseResult parseResults(OpAsmParser &parser, Signature &signature) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  SmallVector<UnresolvedOperand> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        UnresolvedOperand name;
        OptionalParseResult named = parser.parseOptionalOperand(name);
        if (named.has_value()) {
          if (failed(*named) || parser.parseColon())
            return failure();
          signature.resultNames.push_back(name.name.drop_front());
        }
        return text(parser).parseTextType(signature.results.emplace_back(), &dims);
      }))
    return failure();
  if (!signature.resultNames.empty() && signature.resultNames.size() != signature.results.size())
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                  "either every result has a name or none has");
  for (const UnresolvedOperand &dim : dims) {
    FailureOr<int64_t> extent =
        resolveExtent(parser, dim, signature.argumentNames(), signature.resultNames);
    if (failed(extent))
      return failure();
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
    text(parser).emitCoded(operand.location, DiagCode::StructureOrigin, "'")
        << operand.name << "' is not a parameter; a where clause is about parameters";
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

void printParameters(OpAsmPrinter &printer, ArrayAttr types, ArrayAttr names,
                     DenseI64ArrayAttr extents) {
  unsigned slot = 0;
  auto name = [&](int64_t i) { return cast<StringAttr>(names[i]).getValue(); };
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
    if (names) {
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
// Extents
//===----------------------------------------------------------------------===//

SmallVector<Value> getParameterDims(BlockArgument parameter, DenseI64ArrayAttr extents) {
  Block *block = parameter.getOwner();
  unsigned slot = 0, count = countSlots(parameter.getType());
  if (!block->isEntryBlock())
    return {};
  for (BlockArgument earlier : block->getArguments().take_front(parameter.getArgNumber()))
    slot += countSlots(earlier.getType());
  if (!extents || slot + count > extents.size())
    return {};
  SmallVector<Value> dims;
  for (int64_t extent : extents.asArrayRef().slice(slot, count)) {
    if (extent < 0 || extent >= block->getNumArguments())
      return {};
    dims.push_back(block->getArgument(extent));
  }
  return dims;
}

SmallVector<Value> getCallResultDims(OpResult result, OperandRange arguments,
                                     DenseI64ArrayAttr extents) {
  Operation *call = result.getOwner();
  unsigned slot = 0, count = countSlots(result.getType());
  for (OpResult earlier : call->getResults().take_front(result.getResultNumber()))
    slot += countSlots(earlier.getType());
  if (!extents || slot + count > extents.size())
    return {};
  SmallVector<Value> dims;
  for (int64_t extent : extents.asArrayRef().slice(slot, count)) {
    if (extent >= int64_t(arguments.size()) || -1 - extent >= int64_t(call->getNumResults()))
      return {};
    dims.push_back(extent >= 0 ? arguments[extent] : Value(call->getResult(-1 - extent)));
  }
  return dims;
}

/// Whether a value of type `filler` can fill the slot `slot` of `type`: a layout comes last.
static bool canFill(Type filler, Type type, unsigned slot) {
  bool isLayout =
      isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type)) && slot + 1 == countSlots(type);
  return isLayout ? isa<EncodingType>(filler) : isa<IndexType>(filler);
}

LogicalResult verifyExtents(Operation *op, TypeRange inputs, TypeRange results,
                            DenseI64ArrayAttr extents) {
  unsigned next = 0;
  ArrayRef<int64_t> given = extents ? extents.asArrayRef() : ArrayRef<int64_t>();
  for (Type type : llvm::concat<const Type>(llvm::to_vector(inputs), llvm::to_vector(results)))
    for (unsigned slot = 0, count = countSlots(type); slot < count; ++slot) {
      if (next == given.size())
        return emitCoded(op, DiagCode::StructureVariadic, "an extent of ")
               << type << " in the header has no value";
      int64_t extent = given[next++];
      bool exists =
          extent >= 0 ? extent < int64_t(inputs.size()) : -1 - extent < int64_t(results.size());
      Type filler = !exists ? Type() : extent >= 0 ? inputs[extent] : results[-1 - extent];
      if (!exists || !canFill(filler, type, slot))
        return emitCoded(op, DiagCode::TypeOperand,
                         "an extent in the header is an index, and a "
                         "layout an encoding");
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

LogicalResult verifyHeader(Operation *op, TypeRange inputs, TypeRange results) {
  if (failed(verifyExtents(op, inputs, results, op->getAttrOfType<DenseI64ArrayAttr>("extents"))))
    return failure();
  auto names = op->getAttrOfType<ArrayAttr>("result_names");
  auto parameters = op->getAttrOfType<ArrayAttr>("arg_names");
  if ((names && names.size() != results.size()) ||
      (parameters && parameters.size() != inputs.size()))
    return emitCoded(op, DiagCode::StructureVariadic,
                     "a header has one name for each parameter and result");
  SmallVector<Type> types = llvm::to_vector(inputs);
  if (names)
    llvm::append_range(types, results);
  auto where = op->getAttrOfType<ArrayAttr>("where");
  if (where && failed(verifyPredicates(op, where, types, types.size())))
    return failure();
  auto exported = op->getAttrOfType<StringAttr>("export_name");
  if (exported && failed(verifyExportName(op, exported.getValue())))
    return failure();
  auto visibility = op->getAttrOfType<StringAttr>("sym_visibility");
  if (op->hasAttr("export_metadata") && !exported && (!visibility || visibility != "public"))
    return emitCoded(op, DiagCode::StructureValue,
                     "export_metadata(...) describes an export; the symbol has to be public or to "
                     "have export(\"name\")");
  return success();
}

FailureOr<Operation *> verifyTarget(Operation *op, SymbolTableCollection &tables) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("target");
  if (!name)
    return nullptr;
  Operation *record = lookupSymbol(op, name, &tables);
  if (!record)
    return emitUndefined(op, "target", name);
  StringRef word = getTextName(record);
  if (word.ends_with(".target") || word.starts_with("target."))
    return record;
  InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolKind, "@");
  diag << name.getValue() << " is a '" << word << "', not a target";
  diag.attachNote(record->getLoc()) << "defined here";
  return diag;
}

LogicalResult verifyBody(Operation *owner, Region &body, ArrayRef<StringRef> terminators) {
  for (Block &block : body) {
    Operation *last = block.empty() ? nullptr : &block.back();
    if (last && last->getNumSuccessors())
      continue;
    if (last && llvm::is_contained(terminators, getTextName(last)))
      continue;
    InFlightDiagnostic diag =
        emitCoded(last ? last->getLoc() : owner->getLoc(), DiagCode::StructureWrongTerminator,
                  block.isEntryBlock() ? "this region of '" : "a block of '");
    return diag << getTextName(owner) << "' has to end in '" << terminators.front() << "'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// `-> (T, U)` of a call: slots are filled by arguments and results of the call.
static ParseResult parseCallResults(OpAsmParser &parser, Signature &called) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    SmallVector<UnresolvedOperand> dims;
    UnresolvedOperand tie;
    if (OptionalParseResult tied = parser.parseOptionalOperand(tie); tied.has_value())
      return text(parser).emitCoded(tie.location, DiagCode::StructureOrigin,
                                    "a result of a call is a value of its own; only results of "
                                    "'scf.for' can be tied to a value");
    if (text(parser).parseTextType(called.results.emplace_back(), &dims))
      return failure();
    for (const UnresolvedOperand &dim : dims) {
      StringRef name = dim.name.drop_front();
      SmallVector<StringRef> arguments = called.argumentNames();
      auto it = llvm::find(arguments, name);
      auto result = llvm::find(called.resultNames, name);
      if (it != arguments.end())
        called.extents.push_back(it - arguments.begin());
      else if (result != called.resultNames.end())
        called.extents.push_back(-1 - (result - called.resultNames.begin()));
      else
        return text(parser).emitCoded(dim.location, DiagCode::ParseUndefinedValue, "'")
               << dim.name << "' is no argument and no result of this call; an extent of a result "
               << "has to be one";
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
  if (parseCallResults(parser, called))
    return failure();
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), "argument") << " but " << counted(types.size(), "type");
  state.addTypes(called.results);
  if (!called.extents.empty())
    state.addAttribute("extents", parser.getBuilder().getDenseI64ArrayAttr(called.extents));
  return parser.resolveOperands(operands, types, loc, state.operands);
}

void printCallTypes(OpAsmPrinter &printer, OperandRange operands, ValueRange results) {
  printer << '(';
  llvm::interleaveComma(operands, printer, [&](Value operand) {
    printTextType(printer, operand.getType(), getDynamicDims(operand));
  });
  printer << ')';
  printResults(printer, results);
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
  printCallTypes(printer, call->getOperands(), call->getResults());
}

LogicalResult verifyExportName(Operation *op, StringRef name) {
  bool plain = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_.$").contains(c);
  });
  if (!plain)
    return emitCoded(op, DiagCode::StructureValue,
                     "an exported name has one or more letters, digits, '_', '.' or '$'");
  if (name.starts_with("llvm.") || name.ends_with(".kd"))
    return emitCoded(op, DiagCode::StructureValue, "the exported name ")
           << name << " is reserved: names that begin with 'llvm.' are intrinsics, names that end "
           << "in '.kd' kernel descriptors";
  return success();
}

LogicalResult verifyPassed(Operation *op, SignatureOpInterface callee, StringRef what,
                           TypeRange actual, ArrayRef<Type> expected, DiagCode countCode) {
  if (actual.size() != expected.size()) {
    InFlightDiagnostic diag = emitCoded(op, countCode, "'");
    diag << getTextName(op) << "' has " << counted(actual.size(), what) << ", but the callee has "
         << expected.size();
    diag.attachNote(callee->getLoc()) << "declared here";
    return diag;
  }
  for (auto [i, types] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [got, wanted] = types;
    if (got == wanted || (isa<BufferType>(wanted) && isa<TensorType, ViewType>(got) &&
                          getTextName(op) == "kernel.launch"))
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeMismatch, "");
    diag << what << " " << i << " has type " << got << ", but the callee has " << wanted;
    diag.attachNote(callee->getLoc()) << "declared here";
    return diag;
  }
  return success();
}

/// Checks the slots of the types that `values` have against the header of the callee: slot by slot
/// the value that the call passes for, or receives as, the parameter or result named there.
static LogicalResult verifyPassedExtents(Operation *op, SignatureOpInterface callee,
                                         OperandRange arguments) {
  auto extents = callee->getAttrOfType<DenseI64ArrayAttr>("extents");
  if (!extents)
    return success();
  unsigned next = 0;
  auto check = [&](Value value, StringRef what, unsigned position) -> LogicalResult {
    for (Value dim : getDynamicDims(value)) {
      if (next >= extents.size())
        return success(); // reported at the header
      int64_t extent = extents[next++];
      if (extent >= int64_t(arguments.size()) || -1 - extent >= int64_t(op->getNumResults()))
        return success();
      Value wanted = extent >= 0 ? arguments[extent] : Value(op->getResult(-1 - extent));
      if (isSameExtent(dim, wanted))
        continue;
      InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeMismatch, "an extent or layout of ");
      diag << what << ' ' << position << " is not what is passed for it";
      diag.attachNote(callee->getLoc()) << "declared here";
      return diag;
    }
    return success();
  };
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (countSlots(argument.getType()) && failed(check(argument, "argument", i)))
      return failure();
  for (OpResult result : op->getResults())
    if (failed(check(result, "result", result.getResultNumber())))
      return failure();
  return success();
}

LogicalResult verifyCall(Operation *op, SignatureOpInterface callee, OperandRange arguments) {
  if (failed(verifyPassed(op, callee, "argument", arguments.getTypes(), callee.getSignatureInputs(),
                          DiagCode::StructureOperandCount)) ||
      failed(verifyPassed(op, callee, "result", op->getResultTypes(), callee.getSignatureResults(),
                          DiagCode::StructureResultCount)))
    return failure();
  return verifyPassedExtents(op, callee, arguments);
}

LogicalResult verifyTerminator(Operation *owner, Region &region, StringRef terminator) {
  Operation *last = region.empty() || region.front().empty() ? nullptr : &region.front().back();
  if (last && getTextName(last) == terminator)
    return success();
  InFlightDiagnostic diag = emitCoded(last ? last->getLoc() : owner->getLoc(),
                                      DiagCode::StructureWrongTerminator, "this region of '");
  return diag << getTextName(owner) << "' has to end in '" << terminator << "'";
}

/// Checks that extents of returned values are the parameters, or returned values, that the header
/// names.
static LogicalResult verifyReturnedExtents(Operation *returnOp, Operation *owner) {
  auto extents = owner->getAttrOfType<DenseI64ArrayAttr>("extents");
  Block &entry = owner->getRegions().back().front();
  unsigned next = 0;
  for (BlockArgument parameter : entry.getArguments())
    next += countSlots(parameter.getType());
  for (auto [i, value] : llvm::enumerate(returnOp->getOperands()))
    for (Value dim : getDynamicDims(value)) {
      if (!extents || next >= extents.size())
        return success(); // reported at the header
      int64_t extent = extents[next++];
      Value wanted =
          extent >= 0 ? Value(entry.getArgument(extent)) : returnOp->getOperand(-1 - extent);
      if (isSameExtent(dim, wanted))
        continue;
      InFlightDiagnostic diag =
          emitCoded(returnOp, DiagCode::TypeMismatch, "an extent or layout of value ");
      diag << i << " is not the one that the header names";
      diag.attachNote(owner->getLoc()) << "header is here";
      return diag;
    }
  return success();
}

LogicalResult verifyReturn(Operation *returnOp, TypeRange expected) {
  TypeRange actual = returnOp->getOperandTypes();
  Operation *owner = returnOp->getParentOp();
  if (actual.size() != expected.size()) {
    InFlightDiagnostic diag = emitCoded(returnOp, DiagCode::StructureYieldCount, "'");
    diag << getTextName(returnOp) << "' has " << counted(actual.size(), "value")
         << ", but the header has " << counted(expected.size(), "result");
    diag.attachNote(owner->getLoc()) << "header is here";
    return diag;
  }
  for (auto [i, types] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [got, wanted] = types;
    if (got == wanted)
      continue;
    InFlightDiagnostic diag = emitCoded(returnOp, DiagCode::TypeMismatch, "value ");
    diag << i << " has type " << got << ", but the header has " << wanted;
    diag.attachNote(owner->getLoc()) << "header is here";
    return diag;
  }
  return verifyReturnedExtents(returnOp, owner);
}

Operation *lookupSymbol(Operation *op, FlatSymbolRefAttr name, SymbolTableCollection *tables) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  if (!table)
    return nullptr;
  return tables ? tables->lookupSymbolIn(table, name.getAttr())
                : SymbolTable::lookupSymbolIn(table, name.getAttr());
}

InFlightDiagnostic emitUndefined(Operation *op, StringRef kind, FlatSymbolRefAttr name) {
  InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolUndefined, "undefined ");
  diag << kind << " @" << name.getValue();
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  Operation *best = nullptr;
  unsigned bestDistance = 3;
  if (table)
    for (Operation &other : table->getRegion(0).front()) {
      auto symbol = other.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (!symbol)
        continue;
      unsigned distance = name.getValue().edit_distance(symbol.getValue(), true, bestDistance);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = &other;
      }
    }
  if (best)
    diag.attachNote(best->getLoc())
        << "did you mean @"
        << best->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()).getValue() << "?";
  return diag;
}

} // namespace loom
