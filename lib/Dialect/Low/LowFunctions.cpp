//===- LowFunctions.cpp - Functions and kernels of Low --------------------===//
#include "LowText.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

namespace {

enum Modifiers : unsigned {
  Public,
  Retain,
  Convention,
  Pure,
  Inline,
  Allocation,
  Schedule,
  Import,
  TargetSet,
  Abi,
  AbiLayout,
  Export,
  Linkage,
  WorkgroupSize,
  WorkgroupCount,
  ClusterSize
};

struct ModifierWord {
  StringRef word;
  unsigned modifier;
};

} // namespace

static constexpr unsigned bit(unsigned modifier) { return 1u << modifier; }

static constexpr unsigned kFunctionModifiers =
    bit(Public) | bit(Retain) | bit(Convention) | bit(Pure) | bit(Inline) | bit(Allocation) |
    bit(Schedule) | bit(TargetSet) | bit(Abi) | bit(AbiLayout) | bit(Export);
static constexpr unsigned kKernelModifiers =
    bit(Retain) | bit(Allocation) | bit(Schedule) | bit(TargetSet) | bit(AbiLayout) | bit(Export) |
    bit(Linkage) | bit(WorkgroupSize) | bit(WorkgroupCount) | bit(ClusterSize);

static const ModifierWord kModifierWords[] = {
    {"public", Public},
    {"retain", Retain},
    {"host", Convention},
    {"device", Convention},
    {"initializer", Convention},
    {"deinitializer", Convention},
    {"pure", Pure},
    {"inline", Inline},
    {"noinline", Inline},
    {"allocation", Allocation},
    {"schedule", Schedule},
    {"import", Import},
    {"target", TargetSet},
    {"abi", Abi},
    {"abi_layout", AbiLayout},
    {"export", Export},
    {"linkage", Linkage},
    {"workgroup_size", WorkgroupSize},
    {"workgroup_count", WorkgroupCount},
    {"cluster_size", ClusterSize},
};

/// `(word)`, one of `allowed`; none allowed means any.
static ParseResult parseWord(OpAsmParser &parser, OperationState &state, StringRef attribute,
                             ArrayRef<StringRef> allowed) {
  StringRef word;
  if (parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (!allowed.empty() && !llvm::is_contained(allowed, word)) {
    std::vector<std::string> known(allowed.begin(), allowed.end());
    return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum, "expected one of ")
           << llvm::join(allowed, ", ") << didYouMean(word, known);
  }
  state.addAttribute(attribute, parser.getBuilder().getStringAttr(word));
  return success();
}

/// `, {...}` as a dictionary attribute; optional.
static ParseResult parseOptions(OpAsmParser &parser, OperationState &state, StringRef attribute) {
  if (failed(parser.parseOptionalComma()))
    return success();
  NamedAttrList entries;
  if (text(parser).parseOptionalDict(entries))
    return failure();
  state.addAttribute(attribute, entries.getDictionary(parser.getContext()));
  return success();
}

static ParseResult parseQuoted(OpAsmParser &parser, OperationState &state, StringRef attribute) {
  std::string value;
  if (parser.parseString(&value))
    return failure();
  state.addAttribute(attribute, parser.getBuilder().getStringAttr(value));
  return success();
}

/// `<set>` and perhaps `(@record)`.
static ParseResult parseTargetSet(OpAsmParser &parser, OperationState &state) {
  if (parser.parseLess())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef key;
  if (text(parser).parseDashedWord(key))
    return failure();
  if (!lookupDescriptorSet(key))
    return text(parser).emitCoded(loc, DiagCode::ParseDescriptor, "unknown descriptor set '")
           << key << "'" << suggestDescriptorSet(key);
  state.addAttribute("descriptor_set", parser.getBuilder().getStringAttr(key));
  if (parser.parseGreater())
    return failure();
  if (failed(parser.parseOptionalLParen()))
    return success();
  FlatSymbolRefAttr record;
  if (text(parser).parseSymbolRef(record) || parser.parseRParen())
    return failure();
  state.addAttribute("target", record);
  return success();
}

static ParseResult parseTriple(OpAsmParser &parser, OperationState &state, StringRef attribute) {
  SmallVector<int64_t> sizes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parser.parseInteger(sizes.emplace_back()); }))
    return failure();
  if (sizes.size() != 3)
    return text(parser).emitCoded(loc, DiagCode::StructureValue, "'")
           << attribute << "' has three sizes: x, y and z";
  state.addAttribute(attribute, parser.getBuilder().getDenseI64ArrayAttr(sizes));
  return success();
}

static ParseResult parseModifier(OpAsmParser &parser, OperationState &state, unsigned modifier,
                                 StringRef word) {
  Builder &b = parser.getBuilder();
  switch (modifier) {
  case Public:
    state.attributes.set("sym_visibility", b.getStringAttr("public"));
    return success();
  case Retain:
  case Pure:
    state.addAttribute(word, b.getUnitAttr());
    return success();
  case Convention:
    state.addAttribute("convention", b.getStringAttr(word));
    return success();
  case Inline:
    state.addAttribute("inline_policy",
                       InlinePolicyAttr::get(b.getContext(), *symbolizeInlinePolicy(word)));
    return success();
  case Allocation:
    return failure(parseWord(parser, state, word, {"virtual", "assigned", "fixed"}) ||
                   parser.parseRParen());
  case Schedule:
    return failure(parseWord(parser, state, word, {"free", "constrained", "locked", "phased"}) ||
                   parser.parseRParen());
  case Import:
    return failure(parseWord(parser, state, "import_kind", {"native", "rocasm", "object"}) ||
                   parser.parseComma() || parseQuoted(parser, state, "import_symbol") ||
                   parser.parseRParen());
  case TargetSet:
    return parseTargetSet(parser, state);
  case Abi:
    return failure(parseWord(parser, state, "abi", {}) ||
                   parseOptions(parser, state, "abi_options") || parser.parseRParen());
  case AbiLayout: {
    NamedAttrList entries;
    if (parser.parseLParen() || text(parser).parseOptionalDict(entries) || parser.parseRParen())
      return failure();
    state.addAttribute("abi_layout", entries.getDictionary(parser.getContext()));
    return success();
  }
  case Export:
    return failure(parser.parseLParen() || parseQuoted(parser, state, "export_name") ||
                   parseOptions(parser, state, "export_options") || parser.parseRParen());
  case Linkage:
    return failure(parseWord(parser, state, word, {"default", "dso_local"}) ||
                   parser.parseRParen());
  default:
    return parseTriple(parser, state, word);
  }
}

/// Modifiers of `allowed` in their order, then the symbol.
static ParseResult parseHeader(OpAsmParser &parser, OperationState &state, unsigned allowed) {
  SmallVector<StringRef> words;
  for (const ModifierWord &entry : kModifierWords)
    words.push_back(entry.word);
  state.attributes.set("sym_visibility", parser.getBuilder().getStringAttr("private"));
  int last = -1;
  StringRef lastWord;
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (failed(parser.parseOptionalKeyword(&word, words)))
      break;
    int modifier = llvm::find_if(kModifierWords, [&](const ModifierWord &m) {
                     return m.word == word;
                   })->modifier;
    auto complain = [&](const Twine &message) {
      return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "'" + word + "' " + message);
    };
    if (!(allowed & bit(modifier)))
      return complain("is not a modifier of this operation");
    if (modifier == last)
      return complain("excludes or repeats '" + lastWord + "'");
    if (modifier < last)
      return complain("has to stand before '" + lastWord + "'");
    last = modifier;
    lastWord = word;
    if (parseModifier(parser, state, modifier, word))
      return failure();
  }
  if (!state.attributes.get("descriptor_set"))
    return text(parser).emitCoded(
        parser.getCurrentLocation(), DiagCode::ParseExpectedToken,
        "expected the descriptor set, such as target<amdgpu.gfx11.generic.core>");
  StringAttr name;
  return parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes);
}

static void printOptions(OpAsmPrinter &printer, DictionaryAttr options) {
  if (!options)
    return;
  printer << ", ";
  printer.printAttribute(options);
}

static void printHeader(OpAsmPrinter &printer, Operation *op) {
  auto text = [&](StringRef name) {
    auto value = op->getAttrOfType<StringAttr>(name);
    return value ? value.getValue() : StringRef();
  };
  auto parenthesized = [&](StringRef name) {
    if (StringRef value = text(name); !value.empty())
      printer << ' ' << name << '(' << value << ')';
  };
  if (text("sym_visibility") == "public")
    printer << " public";
  if (op->hasAttr("retain"))
    printer << " retain";
  if (StringRef convention = text("convention"); !convention.empty() && convention != "host")
    printer << ' ' << convention;
  if (op->hasAttr("pure"))
    printer << " pure";
  if (auto policy = op->getAttrOfType<InlinePolicyAttr>("inline_policy"))
    printer << ' ' << stringifyInlinePolicy(policy.getValue());
  parenthesized("allocation");
  if (text("schedule") != "free") // the default
    parenthesized("schedule");
  if (StringRef kind = text("import_kind"); !kind.empty()) {
    printer << " import(" << kind << ", ";
    printer.printString(text("import_symbol"));
    printer << ')';
  }
  printer << " target<" << text("descriptor_set") << '>';
  if (auto record = op->getAttrOfType<FlatSymbolRefAttr>("target"))
    printer << "(@" << record.getValue() << ')';
  if (StringRef kind = text("abi"); !kind.empty()) {
    printer << " abi(" << kind;
    printOptions(printer, op->getAttrOfType<DictionaryAttr>("abi_options"));
    printer << ')';
  }
  if (auto layout = op->getAttrOfType<DictionaryAttr>("abi_layout")) {
    printer << " abi_layout(";
    printer.printAttribute(layout);
    printer << ')';
  }
  if (auto name = op->getAttrOfType<StringAttr>("export_name")) {
    printer << " export(";
    printer.printString(name.getValue());
    printOptions(printer, op->getAttrOfType<DictionaryAttr>("export_options"));
    printer << ')';
  }
  parenthesized("linkage");
  for (StringRef name : {"workgroup_size", "workgroup_count", "cluster_size"})
    if (auto sizes = op->getAttrOfType<DenseI64ArrayAttr>(name)) {
      printer << ' ' << name << '(';
      llvm::interleaveComma(sizes.asArrayRef(), printer);
      printer << ')';
    }
  printer << ' ';
  printer.printSymbolName(SymbolTable::getSymbolName(op).getValue());
}

namespace {
/// Names of a body without `asm`. When its first statement is an instruction, the word was
/// forgotten: that is told once, and the rest of the body is read as if it stood there.
class PlainNames {
public:
  PlainNames(OpAsmParser &parser, const DescriptorSet *set)
      : parser(parser), set(set), brace(parser.getCurrentLocation()),
        asmName(AsmScope::statementNames(parser.getContext())) {}

  StringRef operator()(StringRef word);

private:
  OpAsmParser &parser;
  const DescriptorSet *set;
  SMLoc brace;
  TextParser::StatementNames asmName;
  bool isFirst = true;
  std::optional<AsmScope> forgotten;
};
} // namespace

StringRef PlainNames::operator()(StringRef word) {
  if (forgotten)
    return asmName(word);
  StringRef name = word.contains('.') ? StringRef() : asmName(word);
  bool isInstruction = name == LowOpOp::getOperationName();
  bool isKnown = !name.empty() && (!isInstruction || set->find(word));
  if (isKnown && isFirst) {
    InFlightDiagnostic diag = text(parser).emitCoded(brace, DiagCode::ParseExpectedToken,
                                                     "expected 'asm' in front of '{': '");
    diag << word << "' is an instruction of an asm body";
    diag.attachNote(parser.getEncodedSourceLoc(parser.getNameLoc())) << "the instruction is here";
    forgotten.emplace(set);
    return name;
  }
  isFirst = false;
  if (isKnown)
    text(parser).emitCoded(parser.getNameLoc(), DiagCode::ParseUnknownOp, "unknown operation '")
        << word << "'; outside of asm { ... } it is "
        << (isInstruction ? "low.op<" + word.str() + ">(...)" : name.split('_').second.str());
  return {};
}

/// `asm`, when it is there, and the body.
static ParseResult parseBody(OpAsmParser &parser, OperationState &state,
                             ArrayRef<OpAsmParser::Argument> arguments) {
  Region *body = state.addRegion();
  SMLoc loc = parser.getCurrentLocation();
  const DescriptorSet *set =
      lookupDescriptorSet(cast<StringAttr>(state.attributes.get("descriptor_set")));
  if (failed(parser.parseOptionalKeyword("asm"))) {
    PlainNames names(parser, set);
    return text(parser).parseNamedRegion(*body, arguments, std::ref(names));
  }
  state.addAttribute("is_asm", parser.getBuilder().getUnitAttr());
  if (succeeded(parser.parseOptionalLess()))
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                  "the function says target<...> already; its body is asm { ... }");
  AsmScope scope(set);
  return text(parser).parseNamedRegion(*body, arguments,
                                       AsmScope::statementNames(parser.getContext()));
}

static void printBody(OpAsmPrinter &printer, Operation *op, Region &body) {
  printer << (op->hasAttr("is_asm") ? " asm " : " ");
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Rules that functions share
//===----------------------------------------------------------------------===//

LogicalResult verifyLowType(Location loc, Operation *function, Type type, const Twine &what,
                            DiagCode code) {
  const DescriptorSet *set = getDescriptorSet(function);
  if (isa<StorageType>(type) || !set)
    return success();
  auto reg = dyn_cast<RegisterType>(type);
  if (!reg)
    return emitCoded(loc, code, what)
           << " has type " << type << ", but values of Low are registers or low.storage";
  const RegisterClassInfo *info = set->findClass(reg.getClassKey());
  if (!info) {
    std::vector<std::string> known;
    for (const RegisterClassInfo &other : set->classes())
      if (other.limit)
        known.push_back(other.name);
    return emitCoded(loc, code, what)
           << " has type " << type << ", but " << set->getKey() << " has no register class '"
           << reg.getClassKey() << "'" << didYouMean(reg.getClassKey(), known);
  }
  if (reg.getUnits() > info->limit)
    return emitCoded(loc, DiagCode::TargetUnits, what)
           << " has " << reg.getUnits() << " units, but at most " << info->limit << " of "
           << info->name << " can be allocated";
  if (reg.getValueType() && info->unitBits)
    return emitCoded(loc, code, what)
           << " has type " << type << ", but physical registers have no value type; write reg<"
           << info->name << (reg.getUnits() > 1 ? " x" + std::to_string(reg.getUnits()) : "")
           << ">";
  return success();
}

/// Parameters and results are registers of the set. A definition has a place for each parameter.
static LogicalResult verifySignature(Operation *op, ArrayRef<Type> inputs, ArrayRef<Type> results) {
  bool ok = true;
  auto check = [&](Location loc, StringRef what, unsigned i, Type type) {
    if (isa<StorageType>(type))
      emitCoded(loc, DiagCode::TypeOperand, what + " " + Twine(i))
          << " has type " << type << ", but functions pass registers";
    else if (succeeded(verifyLowType(loc, op, type, what + " " + Twine(i), DiagCode::TypeOperand)))
      return;
    ok = false;
  };
  Region *body = op->getNumRegions() ? &op->getRegion(0) : nullptr;
  for (auto [i, type] : llvm::enumerate(inputs))
    check(body ? body->getArgument(i).getLoc() : op->getLoc(), "parameter", i, type);
  for (auto [i, type] : llvm::enumerate(results))
    check(op->getLoc(), "result", i, type);
  return success(ok);
}

static LogicalResult verifyHeader(Operation *op) {
  const DescriptorSet *set = getDescriptorSet(op);
  auto key = op->getAttrOfType<StringAttr>("descriptor_set");
  if (!set)
    return emitCoded(op, DiagCode::ParseDescriptor, "unknown descriptor set '")
           << key.getValue() << "'" << suggestDescriptorSet(key.getValue());
  if (set->getFamily() == DescriptorFamily::SPIRV && getSchedule(op) == "phased")
    return emitCoded(op, DiagCode::TargetUnsupported,
                     "schedule(phased) orders native instructions; SPIR-V goes through another "
                     "compiler that does not keep it");
  if (auto name = op->getAttrOfType<StringAttr>("export_name"))
    return verifyExportName(op, name.getValue());
  return success();
}

/// The record behind `target<...>` stands for a row whose set it is.
static LogicalResult verifyRecord(Operation *op, SymbolTableCollection &tables) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("target");
  const DescriptorSet *set = getDescriptorSet(op);
  if (!name || !set)
    return success();
  Operation *record = lookupSymbol(op, name, &tables);
  if (!record)
    return emitUndefined(op, "target", name);
  std::string spelled = spellRecord(record);
  auto [family, row] = StringRef(spelled).split(':');
  if (row.empty() && getTextName(record).starts_with("target."))
    return success(); // declared elsewhere, or without a row
  if (row.empty()) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << getTextName(record) << "', not a target record";
    diag.attachNote(record->getLoc()) << "defined here";
    return diag;
  }
  const DescriptorSet *expected = descriptorSetOfRow(family, row);
  if (expected == set || failed(record->getName().verifyInvariants(record)))
    return success(); // a record that is wrong is reported itself
  InFlightDiagnostic diag = emitCoded(op, DiagCode::TargetContract, "@");
  diag << name.getValue() << " is " << spelled << ", whose descriptor set is "
       << (expected ? expected->getKey() : StringRef("none")) << ", not " << set->getKey();
  diag.attachNote(record->getLoc()) << "the record is here";
  return diag;
}

/// Every block ends in a terminator, and none goes back to the first.
static LogicalResult verifyBlocks(Operation *op, Region &body) {
  auto complain = [&](Location at) {
    return emitCoded(at, DiagCode::StructureWrongTerminator, "a block of '")
           << getTextName(op) << "' has to end in '" << (op->hasAttr("is_asm") ? "" : "low.")
           << "return', 'low.br' or 'low.cond_br'";
  };
  if (body.empty())
    return complain(op->getLoc());
  for (Block &block : body)
    if (block.empty() || !isa<LowReturnOp, LowBrOp, LowCondBrOp>(block.back()))
      return complain(!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>()
                          ? block.back().getLoc()
                          : atEndOf(block));
  if (!body.front().hasNoPredecessors())
    return emitCoded((*body.front().pred_begin())->getTerminator(), DiagCode::StructurePlacement,
                     "the first block of '")
           << getTextName(op) << "' cannot be branched to";
  return success();
}

//===----------------------------------------------------------------------===//
// low.func.def
//===----------------------------------------------------------------------===//

static SmallVector<Type> typesOf(ArrayAttr types) {
  return llvm::to_vector(types.getAsValueRange<TypeAttr>());
}

ParseResult LowFuncDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kFunctionModifiers) || parseSignature(parser, signature))
    return failure();
  state.addAttribute("result_types", parser.getBuilder().getTypeArrayAttr(signature.results));
  addSignatureAttributes(parser, state, signature);
  return parseBody(parser, state, signature.arguments);
}

void LowFuncDefOp::print(OpAsmPrinter &printer) {
  printHeader(printer, *this);
  auto printArgument = [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); };
  printParameters(printer, getBody().getArguments());
  printSignatureResults(printer, *this, getBody().getArgumentTypes(), getSignatureResults(),
                        printArgument);
  printWhere(printer, getWhereAttr(), printArgument);
  printBody(printer, *this, getBody());
}

SmallVector<Type> LowFuncDefOp::getSignatureInputs() {
  return llvm::to_vector(getBody().getArgumentTypes());
}
SmallVector<Type> LowFuncDefOp::getSignatureResults() { return typesOf(getResultTypes()); }
bool LowFuncDefOp::isSignatureDeclaration() { return false; }
LogicalResult LowFuncDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyRecord(*this, tables);
}

LogicalResult LowFuncDefOp::verify() {
  if (failed(verifyHeader(*this)) || failed(verifyBlocks(*this, getBody())))
    return failure();
  return verifySignature(*this, getSignatureInputs(), getSignatureResults());
}

LogicalResult LowFuncDefOp::verifyRegions() { return verifyLowBody(*this, getBody()); }

//===----------------------------------------------------------------------===//
// low.func.decl
//===----------------------------------------------------------------------===//

ParseResult LowFuncDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kFunctionModifiers | bit(Import)) ||
      parseSignature(parser, signature))
    return failure();
  Builder &b = parser.getBuilder();
  state.addAttribute("arg_types", b.getTypeArrayAttr(signature.argumentTypes()));
  state.addAttribute("arg_names", b.getStrArrayAttr(signature.argumentNames()));
  state.addAttribute("result_types", b.getTypeArrayAttr(signature.results));
  addSignatureAttributes(parser, state, signature);
  return success();
}

void LowFuncDeclOp::print(OpAsmPrinter &printer) {
  printHeader(printer, *this);
  auto printArgument = [&](unsigned i) {
    printer << '%' << cast<StringAttr>(getArgNames()[i]).getValue();
  };
  printParameters(printer, getArgTypes(), getArgNames());
  printSignatureResults(printer, *this, getSignatureInputs(), getSignatureResults(), printArgument);
  printWhere(printer, getWhereAttr(), printArgument);
}

SmallVector<Type> LowFuncDeclOp::getSignatureInputs() { return typesOf(getArgTypes()); }
SmallVector<Type> LowFuncDeclOp::getSignatureResults() { return typesOf(getResultTypes()); }
bool LowFuncDeclOp::isSignatureDeclaration() { return true; }
LogicalResult LowFuncDeclOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyRecord(*this, tables);
}

LogicalResult LowFuncDeclOp::verify() {
  if (failed(verifyHeader(*this)))
    return failure();
  if (getArgNames().size() != getArgTypes().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getArgNames().size(), "parameter name") << " but "
           << counted(getArgTypes().size(), "type");
  return verifySignature(*this, getSignatureInputs(), getSignatureResults());
}

//===----------------------------------------------------------------------===//
// low.kernel.def
//===----------------------------------------------------------------------===//

ParseResult LowKernelDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature signature;
  if (parseHeader(parser, state, kKernelModifiers) || parseParameters(parser, signature))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalArrow()))
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "a kernel has no results");
  if (parseWhere(parser, signature))
    return failure();
  addSignatureAttributes(parser, state, signature);
  return parseBody(parser, state, signature.arguments);
}

void LowKernelDefOp::print(OpAsmPrinter &printer) {
  printHeader(printer, *this);
  printParameters(printer, getBody().getArguments());
  printWhere(printer, getWhereAttr(),
             [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); });
  printBody(printer, *this, getBody());
}

SmallVector<Type> LowKernelDefOp::getSignatureInputs() {
  return llvm::to_vector(getBody().getArgumentTypes());
}
SmallVector<Type> LowKernelDefOp::getSignatureResults() { return {}; }
bool LowKernelDefOp::isSignatureDeclaration() { return false; }
LogicalResult LowKernelDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyRecord(*this, tables);
}

static LogicalResult verifyTriple(Operation *op, StringRef name,
                                  std::optional<ArrayRef<int64_t>> sizes) {
  if (!sizes)
    return success();
  unsigned __int128 product = 1;
  bool ok = sizes->size() == 3;
  for (int64_t size : *sizes) {
    ok &= size > 0 && size <= UINT32_MAX;
    product *= static_cast<uint64_t>(size);
  }
  if (ok && product <= UINT32_MAX)
    return success();
  return emitCoded(op, DiagCode::StructureValue, "the sizes of ")
         << name << " are three positive 32-bit numbers whose product is one too";
}

LogicalResult LowKernelDefOp::verify() {
  if (failed(verifyHeader(*this)) || failed(verifyBlocks(*this, getBody())) ||
      failed(verifySignature(*this, getSignatureInputs(), {})) ||
      failed(verifyTriple(*this, "workgroup_size", getWorkgroupSize())) ||
      failed(verifyTriple(*this, "workgroup_count", getWorkgroupCount())) ||
      failed(verifyTriple(*this, "cluster_size", getClusterSize())))
    return failure();
  if (getLinkage() && !getExportName())
    return emitCoded(*this, DiagCode::StructureValue,
                     "linkage(...) is about an exported name; it needs export(\"...\")");
  std::optional<ArrayRef<int64_t>> cluster = getClusterSize(), count = getWorkgroupCount();
  if (!cluster)
    return success();
  if (llvm::all_of(*cluster, [](int64_t size) { return size == 1; }))
    return emitCoded(*this, DiagCode::StructureValue,
                     "a cluster of one workgroup is what a kernel has without cluster_size; leave "
                     "it out");
  for (unsigned i = 0; count && i < 3; ++i)
    if ((*count)[i] % (*cluster)[i])
      return emitCoded(*this, DiagCode::StructureValue, "workgroup_count ")
             << (*count)[i] << " in dimension " << "xyz"[i] << " is not a multiple of cluster_size "
             << (*cluster)[i];
  return success();
}

LogicalResult LowKernelDefOp::verifyRegions() { return verifyLowBody(*this, getBody()); }

} // namespace loom
