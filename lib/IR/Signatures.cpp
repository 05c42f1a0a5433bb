//===- Signatures.cpp - Headers of functions, templates, kernels ----------===//
#include "loom/IR/Signatures.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

namespace {
struct Word {
  StringRef text;
  Modifier modifier;
};
constexpr StringRef kVisibility = "sym_visibility", kRetain = "retain", kConvention = "convention",
                    kPure = "pure", kTemperature = "temperature", kInline = "inline_policy",
                    kTarget = "target", kRequires = "requirements", kPriority = "priority",
                    kExport = "export_name", kLinkage = "linkage";
const Word kWords[] = {
    {"public", Modifier::Public},
    {"retain", Modifier::Retain},
    {"host", Modifier::Convention},
    {"device", Modifier::Convention},
    {"initializer", Modifier::Convention},
    {"deinitializer", Modifier::Convention},
    {"pure", Modifier::Pure},
    {"hot", Modifier::Temperature},
    {"cold", Modifier::Temperature},
    {"inline", Modifier::Inline},
    {"noinline", Modifier::Inline},
    {"target", Modifier::Target},
    {"requires", Modifier::Requires},
    {"priority", Modifier::Priority},
    {"export", Modifier::Export},
    {"linkage", Modifier::Linkage},
};
} // namespace

ArrayRef<StringRef> modifierAttributeNames() {
  static const StringRef names[] = {kVisibility,  kRetain, kConvention, kPure,
                                    kTemperature, kInline, kTarget,     kRequires,
                                    kPriority,    kExport, kLinkage};
  return names;
}

/// `[#target.subgroup.size<32>]`.
static ParseResult parseRequirements(OpAsmParser &parser, NamedAttrList &attributes) {
  SmallVector<Attribute> conditions;
  auto parseCondition = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    Attribute condition;
    if (parser.parseAttribute(condition))
      return failure();
    auto size = dyn_cast<SubgroupSizeAttr>(condition);
    if (!size)
      return text(parser).emitCoded(loc, DiagCode::TargetRequirement,
                                    "expected a target condition such as "
                                    "#target.subgroup.size<32>");
    if (size.getSize() == 0 || size.getSize() > UINT32_MAX)
      return text(parser).emitCoded(loc, DiagCode::TargetRequirement,
                                    "the subgroup size has to be a positive 32-bit number");
    conditions.push_back(condition);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseCondition))
    return failure();
  attributes.set(kRequires, parser.getBuilder().getArrayAttr(conditions));
  return success();
}

static ParseResult parsePayload(OpAsmParser &parser, Modifier modifier, StringRef word,
                                NamedAttrList &attributes) {
  Builder &b = parser.getBuilder();
  auto parseParenthesized = [&](llvm::function_ref<ParseResult()> inner) {
    return failure(parser.parseLParen() || inner() || parser.parseRParen());
  };
  auto parseText = [&](StringRef name) {
    return parseParenthesized([&]() -> ParseResult {
      std::string value;
      if (parser.parseString(&value))
        return failure();
      attributes.set(name, b.getStringAttr(value));
      return success();
    });
  };
  switch (modifier) {
  case Modifier::Public:
    attributes.set(kVisibility, b.getStringAttr("public"));
    return success();
  case Modifier::Retain:
    attributes.set(kRetain, b.getUnitAttr());
    return success();
  case Modifier::Pure:
    attributes.set(kPure, b.getUnitAttr());
    return success();
  case Modifier::Convention:
    attributes.set(kConvention, b.getStringAttr(word));
    return success();
  case Modifier::Temperature:
    attributes.set(kTemperature, b.getStringAttr(word));
    return success();
  case Modifier::Inline:
    attributes.set(kInline, InlinePolicyAttr::get(b.getContext(), *symbolizeInlinePolicy(word)));
    return success();
  case Modifier::Target:
    return parseParenthesized([&]() -> ParseResult {
      FlatSymbolRefAttr symbol;
      if (text(parser).parseSymbolRef(symbol))
        return failure();
      attributes.set(kTarget, symbol);
      return success();
    });
  case Modifier::Requires:
    return parseRequirements(parser, attributes);
  case Modifier::Priority:
    return parseParenthesized([&]() -> ParseResult {
      int64_t value;
      if (parser.parseInteger(value))
        return failure();
      attributes.set(kPriority, b.getI64IntegerAttr(value));
      return success();
    });
  case Modifier::Export:
    return parseText(kExport);
  case Modifier::Linkage:
    return parseParenthesized([&]() -> ParseResult {
      StringRef kind;
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&kind))
        return failure();
      if (kind != "default" && kind != "dso_local")
        return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum,
                                      "expected one of default, dso_local");
      attributes.set(kLinkage, b.getStringAttr(kind));
      return success();
    });
  }
  llvm_unreachable("covered switch");
}

ParseResult parseModifiers(OpAsmParser &parser, NamedAttrList &attributes,
                           ArrayRef<Modifier> allowed) {
  SmallVector<StringRef> words;
  for (const Word &word : kWords)
    words.push_back(word.text);
  attributes.set(kVisibility, parser.getBuilder().getStringAttr("private"));
  int last = -1;
  StringRef lastWord;
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef spelled;
    if (failed(parser.parseOptionalKeyword(&spelled, words)))
      return success();
    const Word &word = *llvm::find_if(kWords, [&](const Word &w) { return w.text == spelled; });
    auto place = llvm::find(allowed, word.modifier);
    if (place == allowed.end())
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "'")
             << spelled << "' is not a modifier of this operation";
    int position = place - allowed.begin();
    if (position == last)
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "'")
             << spelled << "' excludes or repeats '" << lastWord << "'";
    if (position < last)
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "'")
             << spelled << "' has to stand before '" << lastWord << "'";
    last = position;
    lastWord = spelled;
    if (parsePayload(parser, word.modifier, spelled, attributes))
      return failure();
  }
}

void printModifiers(OpAsmPrinter &printer, Operation *op, ArrayRef<Modifier> allowed) {
  auto word = [&](StringRef attribute) {
    if (auto value = op->getAttrOfType<StringAttr>(attribute))
      printer << ' ' << value.getValue();
  };
  for (Modifier modifier : allowed) {
    switch (modifier) {
    case Modifier::Public:
      if (auto value = op->getAttrOfType<StringAttr>(kVisibility))
        if (value.getValue() == "public")
          printer << " public";
      break;
    case Modifier::Retain:
      if (op->hasAttr(kRetain))
        printer << " retain";
      break;
    case Modifier::Pure:
      if (op->hasAttr(kPure))
        printer << " pure";
      break;
    case Modifier::Convention:
      word(kConvention);
      break;
    case Modifier::Temperature:
      word(kTemperature);
      break;
    case Modifier::Inline:
      if (auto value = op->getAttrOfType<InlinePolicyAttr>(kInline))
        printer << ' ' << stringifyInlinePolicy(value.getValue());
      break;
    case Modifier::Target:
      if (auto value = op->getAttrOfType<FlatSymbolRefAttr>(kTarget))
        printer << " target(@" << value.getValue() << ')';
      break;
    case Modifier::Requires:
      if (auto value = op->getAttrOfType<ArrayAttr>(kRequires)) {
        printer << " requires [";
        llvm::interleaveComma(value, printer, [&](Attribute a) {
          printer << "#target.subgroup.size<" << cast<SubgroupSizeAttr>(a).getSize() << '>';
        });
        printer << ']';
      }
      break;
    case Modifier::Priority:
      if (auto value = op->getAttrOfType<IntegerAttr>(kPriority))
        printer << " priority(" << value.getInt() << ')';
      break;
    case Modifier::Export:
      if (auto value = op->getAttrOfType<StringAttr>(kExport)) {
        printer << " export(";
        printer.printString(value.getValue());
        printer << ')';
      }
      break;
    case Modifier::Linkage:
      if (auto value = op->getAttrOfType<StringAttr>(kLinkage))
        printer << " linkage(" << value.getValue() << ')';
      break;
    }
  }
}

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

/// A type of a header. Extents that depend on other parameters are not supported there yet.
static ParseResult parseHeaderType(OpAsmParser &parser, Type &type) {
  SmallVector<UnresolvedOperand> dims;
  if (text(parser).parseTextType(type, &dims))
    return failure();
  if (!dims.empty())
    return text(parser).emitCoded(dims.front().location, DiagCode::ParseUnsupported,
                                  "an extent that is a value is not supported in parameters and "
                                  "results yet; pass a buffer and make the view inside");
  return success();
}

ParseResult parseParameters(OpAsmParser &parser,
                            SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    if (parser.parseArgument(argument) || parser.parseColon() ||
        parseHeaderType(parser, argument.type))
      return failure();
    for (const OpAsmParser::Argument &earlier : arguments)
      if (earlier.ssaName.name == argument.ssaName.name)
        return text(parser).emitCoded(argument.ssaName.location, DiagCode::ParseRedefinition,
                                      "redefinition of parameter '")
               << argument.ssaName.name << "'";
    arguments.push_back(argument);
    return success();
  });
}

ParseResult parseResults(OpAsmParser &parser, SmallVectorImpl<Type> &results) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    return parseHeaderType(parser, results.emplace_back());
  });
}

ParseResult parseWhere(OpAsmParser &parser, Signature &signature) {
  if (failed(parser.parseOptionalKeyword("where")))
    return success();
  auto position = [&](const UnresolvedOperand &operand) -> FailureOr<unsigned> {
    for (auto [i, argument] : llvm::enumerate(signature.arguments))
      if (argument.ssaName.name == operand.name)
        return i;
    text(parser).emitCoded(operand.location, DiagCode::StructureOrigin, "'")
        << operand.name << "' is not a parameter; a where clause is about parameters";
    return failure();
  };
  return parsePredicates(parser, signature.where, position);
}

ParseResult parseSignature(OpAsmParser &parser, Signature &signature) {
  return failure(parseParameters(parser, signature.arguments) ||
                 parseResults(parser, signature.results) || parseWhere(parser, signature));
}

void printParameters(OpAsmPrinter &printer, Block::BlockArgListType arguments) {
  printer << '(';
  llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    printer << ": ";
    printTextType(printer, argument.getType());
  });
  printer << ')';
}

void printParameters(OpAsmPrinter &printer, ArrayAttr types, ArrayAttr names) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(types, names), printer, [&](auto pair) {
    printer << '%' << cast<StringAttr>(std::get<1>(pair)).getValue() << ": ";
    printTextType(printer, cast<TypeAttr>(std::get<0>(pair)).getValue());
  });
  printer << ')';
}

void printResults(OpAsmPrinter &printer, TypeRange results) {
  if (results.empty())
    return;
  printer << " -> (";
  llvm::interleaveComma(results, printer, [&](Type type) { printTextType(printer, type); });
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

ParseResult parseCallTypes(OpAsmParser &parser, ArrayRef<UnresolvedOperand> operands,
                           OperationState &state) {
  SmallVector<Type> types, results;
  SMLoc loc = parser.getCurrentLocation();
  unsigned i = 0;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        Type &type = types.emplace_back();
        if (i < operands.size())
          return parseUseType(parser, type, operands[i++]);
        return text(parser).parseTextType(type, nullptr);
      }))
    return failure();
  if (parseResults(parser, results))
    return failure();
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), "argument") << " but " << counted(types.size(), "type");
  state.addTypes(results);
  return parser.resolveOperands(operands, types, loc, state.operands);
}

void printCallTypes(OpAsmPrinter &printer, OperandRange operands, TypeRange results) {
  printer << '(';
  llvm::interleaveComma(operands, printer, [&](Value operand) {
    printTextType(printer, operand.getType(), getDynamicDims(operand));
  });
  printer << ')';
  printResults(printer, results);
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

LogicalResult verifyCall(Operation *op, SignatureOpInterface callee, TypeRange operands,
                         TypeRange results) {
  if (failed(verifyPassed(op, callee, "argument", operands, callee.getSignatureInputs(),
                          DiagCode::StructureOperandCount)))
    return failure();
  return verifyPassed(op, callee, "result", results, callee.getSignatureResults(),
                      DiagCode::StructureResultCount);
}

LogicalResult verifyTerminator(Operation *owner, Region &region, StringRef terminator) {
  Operation *last = region.empty() || region.front().empty() ? nullptr : &region.front().back();
  if (last && getTextName(last) == terminator)
    return success();
  InFlightDiagnostic diag = emitCoded(last ? last->getLoc() : owner->getLoc(),
                                      DiagCode::StructureWrongTerminator, "this region of '");
  return diag << getTextName(owner) << "' has to end in '" << terminator << "'";
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
  return success();
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
