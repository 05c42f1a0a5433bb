//===- Modifiers.cpp - Modifiers of functions, templates, kernels ---------===//
#include "loom/IR/Signatures.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

namespace {
struct Word {
  StringRef text;
  Modifier modifier;
};
constexpr StringRef kVisibility = "sym_visibility", kRetain = "retain", kOptional = "optional",
                    kImportModule = "import_module", kImportName = "import_name",
                    kImportMetadata = "import_metadata", kConvention = "convention", kPure = "pure",
                    kTemperature = "temperature", kInline = "inline_policy", kTarget = "target",
                    kAbi = "abi", kAbiOptions = "abi_options", kRequires = "requirements",
                    kPriority = "priority", kExport = "export_name",
                    kExportOptions = "export_options", kExportMetadata = "export_metadata",
                    kLinkage = "linkage";
const Word kWords[] = {
    {"public", Modifier::Public},
    {"retain", Modifier::Retain},
    {"optional", Modifier::Optional},
    {"import", Modifier::Import},
    {"import_metadata", Modifier::ImportMetadata},
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
    {"abi", Modifier::Abi},
    {"requires", Modifier::Requires},
    {"priority", Modifier::Priority},
    {"export", Modifier::Export},
    {"export_metadata", Modifier::ExportMetadata},
    {"linkage", Modifier::Linkage},
};
/// The kinds of `abi(...)` that have a name; others are written as a number, `abi(<17>)`.
constexpr StringRef kAbiKinds[] = {
    "unknown",       "object_function", "hal_kernel",  "shader_entry_point",
    "wasm_function", "command_program", "vm_function", "array_program"};
} // namespace

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// `[#target.subgroup.size<32>]`.
static ParseResult parseRequirements(OpAsmParser &parser, NamedAttrList &attributes) {
  SmallVector<Attribute> conditions;
  SMLoc begin = parser.getCurrentLocation();
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
  if (conditions.empty())
    return text(parser).emitCoded(begin, DiagCode::ParseExpectedToken,
                                  "expected a target condition such as "
                                  "[#target.subgroup.size<32>], got an empty list");
  attributes.set(kRequires, parser.getBuilder().getArrayAttr(conditions));
  return success();
}

namespace {
/// What stands behind the word of a modifier.
class PayloadParser {
public:
  PayloadParser(OpAsmParser &parser, NamedAttrList &attributes, ArrayRef<Modifier> allowed)
      : parser(parser), b(parser.getBuilder()), attributes(attributes), allowed(allowed) {}

  ParseResult parse(Modifier modifier, StringRef word);

private:
  ParseResult inParentheses(llvm::function_ref<ParseResult()> inner) {
    return failure(parser.parseLParen() || inner() || parser.parseRParen());
  }
  ParseResult parseText(StringRef attribute);
  ParseResult parseDict(StringRef attribute);
  ParseResult parseOptionalOptions(StringRef attribute);
  ParseResult parseTarget();
  ParseResult parseImport();
  ParseResult parseAbi();
  ParseResult parseExport();
  ParseResult parsePriority();
  ParseResult parseLinkage();

  OpAsmParser &parser;
  Builder &b;
  NamedAttrList &attributes;
  ArrayRef<Modifier> allowed;
};
} // namespace

ParseResult PayloadParser::parseText(StringRef attribute) {
  std::string value;
  if (parser.parseString(&value))
    return failure();
  attributes.set(attribute, b.getStringAttr(value));
  return success();
}

/// `{key = value, ...}`. An empty one says nothing and is not kept.
ParseResult PayloadParser::parseDict(StringRef attribute) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  auto dict = dyn_cast<DictionaryAttr>(value);
  if (!dict)
    return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                  "expected a dictionary such as {key = value}");
  if (!dict.empty())
    attributes.set(attribute, dict);
  return success();
}

ParseResult PayloadParser::parseOptionalOptions(StringRef attribute) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return parseDict(attribute);
}

ParseResult PayloadParser::parseTarget() {
  FlatSymbolRefAttr symbol;
  if (text(parser).parseSymbolRef(symbol))
    return failure();
  attributes.set(kTarget, symbol);
  return success();
}

/// `"module"` or `"module", "name"`.
ParseResult PayloadParser::parseImport() {
  if (parseText(kImportModule))
    return failure();
  return succeeded(parser.parseOptionalComma()) ? parseText(kImportName) : success();
}

/// A kind that has a name, or `<N>` for one that this version does not name.
ParseResult PayloadParser::parseAbi() {
  SMLoc loc = parser.getCurrentLocation();
  StringRef kind;
  std::string spelled;
  if (succeeded(parser.parseOptionalLess())) {
    int64_t number;
    loc = parser.getCurrentLocation();
    if (parser.parseInteger(number) || parser.parseGreater())
      return failure();
    if (number < 0 || number > 255)
      return text(parser).emitCoded(loc, DiagCode::StructureValue,
                                    "the number of an ABI is between 0 and 255");
    bool named = number < int64_t(std::size(kAbiKinds));
    spelled = named ? kAbiKinds[number].str() : "<" + std::to_string(number) + ">";
  } else {
    if (parser.parseKeyword(&kind))
      return failure();
    if (kind == "vm_module_function") // older spelling
      kind = "vm_function";
    if (!llvm::is_contained(kAbiKinds, kind)) {
      InFlightDiagnostic diag =
          text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum, "expected one of ");
      diag << llvm::join(ArrayRef(kAbiKinds), ", ");
      return diag << ", or a number such as <17>";
    }
    spelled = kind.str();
  }
  attributes.set(kAbi, b.getStringAttr(spelled));
  return parseOptionalOptions(kAbiOptions);
}

/// Options stand behind the name where the operation also has export metadata.
ParseResult PayloadParser::parseExport() {
  if (parseText(kExport))
    return failure();
  return llvm::is_contained(allowed, Modifier::ExportMetadata)
             ? parseOptionalOptions(kExportOptions)
             : ParseResult(success());
}

ParseResult PayloadParser::parsePriority() {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  attributes.set(kPriority, b.getI64IntegerAttr(value));
  return success();
}

ParseResult PayloadParser::parseLinkage() {
  StringRef kind;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return failure();
  if (kind != "default" && kind != "dso_local")
    return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum,
                                  "expected one of default, dso_local");
  attributes.set(kLinkage, b.getStringAttr(kind));
  return success();
}

ParseResult PayloadParser::parse(Modifier modifier, StringRef word) {
  switch (modifier) {
  case Modifier::Public:
    attributes.set(kVisibility, b.getStringAttr("public"));
    return success();
  case Modifier::Retain:
    attributes.set(kRetain, b.getUnitAttr());
    return success();
  case Modifier::Optional:
    attributes.set(kOptional, b.getUnitAttr());
    return success();
  case Modifier::Pure:
    attributes.set(kPure, b.getUnitAttr());
    return success();
  case Modifier::Convention:
    if (word != "host") // the default is not kept
      attributes.set(kConvention, b.getStringAttr(word));
    return success();
  case Modifier::Temperature:
    attributes.set(kTemperature, b.getStringAttr(word));
    return success();
  case Modifier::Inline:
    attributes.set(kInline, InlinePolicyAttr::get(b.getContext(), *symbolizeInlinePolicy(word)));
    return success();
  case Modifier::Requires:
    return parseRequirements(parser, attributes);
  case Modifier::Import:
    return inParentheses([&] { return parseImport(); });
  case Modifier::ImportMetadata:
    return inParentheses([&] { return parseDict(kImportMetadata); });
  case Modifier::Target:
    return inParentheses([&] { return parseTarget(); });
  case Modifier::Abi:
    return inParentheses([&] { return parseAbi(); });
  case Modifier::Priority:
    return inParentheses([&] { return parsePriority(); });
  case Modifier::Export:
    return inParentheses([&] { return parseExport(); });
  case Modifier::ExportMetadata:
    return inParentheses([&] { return parseDict(kExportMetadata); });
  case Modifier::Linkage:
    return inParentheses([&] { return parseLinkage(); });
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
    if (PayloadParser(parser, attributes, allowed).parse(word.modifier, spelled))
      return failure();
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// The modifiers of one operation.
struct ModifierPrinter {
  OpAsmPrinter &printer;
  Operation *op;

  void flag(StringRef attribute, StringRef word) {
    if (op->hasAttr(attribute))
      printer << ' ' << word;
  }
  void word(StringRef attribute) {
    if (auto value = op->getAttrOfType<StringAttr>(attribute))
      printer << ' ' << value.getValue();
  }
  void dict(StringRef attribute, StringRef word) {
    if (auto value = op->getAttrOfType<DictionaryAttr>(attribute)) {
      printer << ' ' << word << '(';
      printer.printAttribute(value);
      printer << ')';
    }
  }
  /// `, {...}` or `, "text"` behind the main part of a clause.
  void rest(StringRef attribute) {
    if (Attribute value = op->getAttr(attribute)) {
      printer << ", ";
      printer.printAttribute(value);
    }
  }
  void clause(StringRef attribute, StringRef word, StringRef more) {
    if (auto value = op->getAttrOfType<StringAttr>(attribute)) {
      printer << ' ' << word << '(';
      printer.printString(value.getValue());
      rest(more);
      printer << ')';
    }
  }
  void requirements() {
    auto value = op->getAttrOfType<ArrayAttr>(kRequires);
    if (!value)
      return;
    printer << " requires [";
    llvm::interleaveComma(value, printer, [&](Attribute a) {
      printer << "#target.subgroup.size<" << cast<SubgroupSizeAttr>(a).getSize() << '>';
    });
    printer << ']';
  }
  void print(Modifier modifier);
};
} // namespace

void ModifierPrinter::print(Modifier modifier) {
  switch (modifier) {
  case Modifier::Public:
    if (auto value = op->getAttrOfType<StringAttr>(kVisibility); value && value == "public")
      printer << " public";
    return;
  case Modifier::Retain:
    return flag(kRetain, "retain");
  case Modifier::Optional:
    return flag(kOptional, "optional");
  case Modifier::Import:
    return clause(kImportModule, "import", kImportName);
  case Modifier::ImportMetadata:
    return dict(kImportMetadata, "import_metadata");
  case Modifier::Pure:
    return flag(kPure, "pure");
  case Modifier::Convention:
    return word(kConvention);
  case Modifier::Temperature:
    return word(kTemperature);
  case Modifier::Inline:
    if (auto value = op->getAttrOfType<InlinePolicyAttr>(kInline))
      printer << ' ' << stringifyInlinePolicy(value.getValue());
    return;
  case Modifier::Target:
    if (auto value = op->getAttrOfType<FlatSymbolRefAttr>(kTarget))
      printer << " target(@" << value.getValue() << ')';
    return;
  case Modifier::Abi:
    if (auto value = op->getAttrOfType<StringAttr>(kAbi)) {
      printer << " abi(" << value.getValue();
      rest(kAbiOptions);
      printer << ')';
    }
    return;
  case Modifier::Requires:
    return requirements();
  case Modifier::Priority:
    if (auto value = op->getAttrOfType<IntegerAttr>(kPriority))
      printer << " priority(" << value.getInt() << ')';
    return;
  case Modifier::Export:
    return clause(kExport, "export", kExportOptions);
  case Modifier::ExportMetadata:
    return dict(kExportMetadata, "export_metadata");
  case Modifier::Linkage:
    if (auto value = op->getAttrOfType<StringAttr>(kLinkage))
      printer << " linkage(" << value.getValue() << ')';
    return;
  }
}

void printModifiers(OpAsmPrinter &printer, Operation *op, ArrayRef<Modifier> allowed) {
  for (Modifier modifier : allowed)
    ModifierPrinter{printer, op}.print(modifier);
}

} // namespace loom
