//===- LowInstructions.cpp - Instructions of Low --------------------------===//
//
// `low.op` and `low.const` have two spellings: their own, and the mnemonic of an `asm` body. Both
// read into the same operation; a body prints in the spelling of its function.
//
//===----------------------------------------------------------------------===//
#include "LowText.h"
#include "loom/IR/Messages.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/NearMatches.h"
#include "loom/Support/Tokens.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

/// Number of register operands that the instruction still takes when the literals among
/// `immediates` stand for the others.
static unsigned countRegisters(const Descriptor &descriptor, DictionaryAttr immediates) {
  unsigned count = descriptor.operands().size();
  if (immediates)
    for (NamedAttribute entry : immediates)
      count -= descriptor.findLiteral(entry.getName().getValue()) >= 0;
  return count;
}

/// Calls `fn(operand, register)` for each operand of the descriptor: `register` is the position
/// among the registers that are given, or -1 where a literal stands.
static void forEachOperand(const Descriptor &descriptor, DictionaryAttr immediates,
                           llvm::function_ref<void(unsigned, int)> fn) {
  int next = 0;
  for (unsigned i = 0; i < descriptor.operands().size(); ++i) {
    bool literal = descriptor.operands()[i].literal != LiteralKind::None && immediates &&
                   immediates.contains(descriptor.literalName(i));
    fn(i, literal ? -1 : next++);
  }
}

static Type typeOfRegister(const Descriptor &descriptor, DictionaryAttr immediates,
                           unsigned operand, TypeRange inputs) {
  Type type;
  forEachOperand(descriptor, immediates, [&](unsigned i, int given) {
    if (i == operand && given >= 0 && given < static_cast<int>(inputs.size()))
      type = inputs[given];
  });
  return type;
}

/// Types of the results where the text leaves them out.
static SmallVector<Type> inferTypes(MLIRContext *context, const DescriptorSet &set,
                                    const Descriptor &descriptor, DictionaryAttr immediates,
                                    TypeRange inputs) {
  SmallVector<Type> types;
  for (const DescriptorOperand &result : descriptor.results())
    types.push_back(inferResultType(context, set, result));
  for (auto [i, operand] : llvm::enumerate(descriptor.operands()))
    if (operand.tied >= 0 && operand.tied < static_cast<int>(types.size()))
      if (Type type = typeOfRegister(descriptor, immediates, i, inputs))
        types[operand.tied] = type;
  return types;
}

static InFlightDiagnostic unknownInstruction(InFlightDiagnostic diag, const DescriptorSet &set,
                                             StringRef name) {
  diag << set.getKey() << " has no instruction '" << name << "'";
  std::vector<StringRef> owners;
  for (const DescriptorSet &other : descriptorSets())
    if (other.getFamily() == set.getFamily() && other.find(name))
      owners.push_back(other.getKey());
  if (owners.empty())
    diag << set.suggest(name);
  else
    diag << "; it is one of " << llvm::join(ArrayRef(owners).take_front(3), ", ")
         << (owners.size() > 3 ? ", ..." : "");
  return diag;
}

static StringRef branchAdvice() {
  return "' transfers control; write low.br, low.cond_br or return";
}

namespace {
struct ImmediateProblem {
  DiagCode code;
  std::string message;
};
} // namespace

/// What is wrong with an entry of the immediates of an instruction.
static std::optional<ImmediateProblem> checkImmediate(const Descriptor &descriptor,
                                                      NamedAttribute entry) {
  StringRef name = entry.getName().getValue();
  auto problem = [&](DiagCode code, const Twine &message) {
    return ImmediateProblem{code, ("'" + descriptor.getName() + "' " + message).str()};
  };
  const DescriptorImmediate *immediate = descriptor.findImmediate(name);
  int literal = descriptor.findLiteral(name);
  if (!immediate && literal < 0) {
    std::vector<std::string> known;
    for (const DescriptorImmediate &other : descriptor.immediates())
      if (!other.fixed)
        known.push_back(other.getName().str());
    return problem(DiagCode::TargetImmediateUnknown,
                   "has no immediate '" + name + "'" + didYouMean(name, known));
  }
  if (immediate && immediate->isFloat) {
    if (isa<FloatAttr>(entry.getValue()))
      return std::nullopt;
    return problem(DiagCode::TargetImmediateKind, "takes a float as '" + name + "'");
  }
  auto number = dyn_cast<IntegerAttr>(entry.getValue());
  if (!number || isa<BoolAttr>(entry.getValue()))
    return problem(DiagCode::TargetImmediateKind, "takes an integer as '" + name + "'");
  auto [min, max] =
      immediate ? std::pair(immediate->min, immediate->max) : descriptor.literalRange(literal);
  if (number.getInt() >= min && number.getInt() <= max)
    return std::nullopt;
  return problem(DiagCode::StructureValue, "takes " + Twine(min) + " to " + Twine(max) + " as '" +
                                               name + "', not " + Twine(number.getInt()));
}

//===----------------------------------------------------------------------===//
// The `asm` spelling
//===----------------------------------------------------------------------===//

namespace {

/// One statement `%r = mnemonic %a, 4 {offset = 8} : T`.
class AsmStatement {
public:
  AsmStatement(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), set(*AsmScope::current()),
        word(text(parser).getStatementWord()) {}

  ParseResult parse();

private:
  /// A value, or a number where `literal` is set.
  struct Item {
    SMLoc loc;
    UnresolvedOperand value;
    Attribute literal;
  };

  InFlightDiagnostic error(SMLoc loc, DiagCode code) {
    return text(parser).emitCoded(loc, code, "'") << word << "' ";
  }
  /// Takes the number at `loc`, which stands where the immediate `name` is.
  ParseResult takeNumber(SMLoc loc, StringRef name, Attribute number) {
    immediates.append(name, number);
    std::optional<ImmediateProblem> problem =
        checkImmediate(*descriptor, *immediates.getNamed(name));
    return problem ? ParseResult(text(parser).emitCoded(loc, problem->code, problem->message))
                   : ParseResult(success());
  }
  ParseResult parseItems();
  ParseResult placeItems();
  ParseResult parseDictionary();
  ParseResult resolveTypes();

  OpAsmParser &parser;
  OperationState &state;
  const DescriptorSet &set;
  StringRef word;
  const Descriptor *descriptor = nullptr;
  SmallVector<Item> items;
  NamedAttrList immediates;
};

} // namespace

ParseResult AsmStatement::parseItems() {
  do {
    // What stands on the next line is the next statement.
    if (items.empty() && text(parser).onNewLine())
      return success();
    Item &item = items.emplace_back();
    item.loc = parser.getCurrentLocation();
    OptionalParseResult value = parser.parseOptionalOperand(item.value);
    if (value.has_value()) {
      if (failed(*value))
        return failure();
      continue;
    }
    APInt number;
    OptionalParseResult isInteger = parser.parseOptionalInteger(number);
    if (isInteger.has_value()) {
      if (failed(*isInteger))
        return failure();
      if (number.getSignificantBits() > 64)
        return error(item.loc, DiagCode::TypeAttribute) << "takes numbers of at most 64 bits";
      item.literal = parser.getBuilder().getI64IntegerAttr(number.sextOrTrunc(64).getSExtValue());
      continue;
    }
    if (std::optional<llvm::APFloat> real =
            text(parser).readFloat(item.loc, llvm::APFloat::IEEEdouble())) {
      if (loom::parseLiteral(parser, item.literal))
        return failure();
      continue;
    }
    if (items.size() > 1)
      return parser.emitError(item.loc) << "expected a value or a number after ','";
    items.clear();
    return success();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

ParseResult AsmStatement::placeItems() {
  ArrayRef<DescriptorOperand> operands = descriptor->operands();
  SmallVector<const DescriptorImmediate *> positional;
  for (const DescriptorImmediate &immediate : descriptor->immediates())
    if (immediate.required)
      positional.push_back(&immediate);
  unsigned operand = 0, immediate = 0;
  for (Item &item : items) {
    if (operand < operands.size()) {
      if (item.literal) {
        if (operands[operand].literal == LiteralKind::None)
          return error(item.loc, DiagCode::TargetImmediateKind)
                 << "takes a register as operand " << operand << ", not a number";
        if (takeNumber(item.loc, descriptor->literalName(operand), item.literal))
          return failure();
      } else {
        Value value = text(parser).lookup(item.value);
        if (!value)
          return text(parser).emitUndefined(item.value);
        if (parser.resolveOperand(item.value, value.getType(), state.operands))
          return failure();
      }
      ++operand;
      continue;
    }
    if (!item.literal)
      return error(item.loc, DiagCode::ParseOperandCount)
             << "takes " << counted(operands.size(), "operand") << ", but more are given";
    if (immediate == positional.size())
      return error(item.loc, DiagCode::ParseDescriptor)
             << "takes " << counted(positional.size(), "number")
             << " by position; others have names, in braces";
    if (takeNumber(item.loc, positional[immediate++]->getName(), item.literal))
      return failure();
  }
  bool complete = operand == operands.size() ||
                  (descriptor->hasOptionalOperand() && operand + 1 == operands.size());
  if (!complete)
    return error(parser.getNameLoc(), DiagCode::ParseOperandCount)
           << "takes " << counted(operands.size(), "operand") << ", but " << items.size()
           << (items.size() == 1 ? " is" : " are") << " given";
  return success();
}

/// Where the entry `key = ...` of a dictionary stands in its text.
static SMLoc findKey(StringRef dictionary, StringRef key) {
  const char *found = dictionary.begin();
  forEachToken(dictionary, [&](size_t begin, size_t end) {
    if (dictionary.slice(begin, end) != key || !dictionary.substr(end).ltrim().starts_with("="))
      return true;
    found = dictionary.begin() + begin;
    return false;
  });
  return SMLoc::getFromPointer(found);
}

ParseResult AsmStatement::parseDictionary() {
  SMLoc begin = parser.getCurrentLocation();
  NamedAttrList entries;
  if (!text(parser).onNewLine() && text(parser).parseOptionalDict(entries))
    return failure();
  StringRef dictionary(begin.getPointer(),
                       parser.getCurrentLocation().getPointer() - begin.getPointer());
  std::vector<std::string> known;
  for (const DescriptorImmediate &immediate : descriptor->immediates())
    if (!immediate.fixed)
      known.push_back(immediate.getName().str());
  for (NamedAttribute entry : entries) {
    StringRef name = entry.getName().getValue();
    SMLoc loc = findKey(dictionary, name);
    if (!descriptor->findImmediate(name))
      return error(loc, DiagCode::ParseDescriptor)
             << "has no immediate '" << name << "'" << didYouMean(name, known);
    if (immediates.get(name))
      return error(loc, DiagCode::ParseRedefinition) << "is given '" << name << "' twice";
    immediates.append(entry);
  }
  for (const DescriptorImmediate &immediate : descriptor->immediates())
    if (immediate.required && !immediates.get(immediate.getName()))
      return error(parser.getNameLoc(), DiagCode::ParseDescriptor)
             << "needs the immediate '" << immediate.getName() << "'";
  return success();
}

ParseResult AsmStatement::resolveTypes() {
  unsigned results = descriptor->results().size();
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (!text(parser).onNewLine() && parser.parseOptionalColonTypeList(types))
    return failure();
  if (parser.getNumResults() != results)
    return error(parser.getNameLoc(), DiagCode::ParseResultCount)
           << "has " << counted(results, "result") << ", but " << parser.getNumResults()
           << (parser.getNumResults() == 1 ? " is" : " are") << " named";
  if (!types.empty() && types.size() != results)
    return error(loc, DiagCode::ParseResultCount)
           << "has " << counted(results, "result") << ", but " << counted(types.size(), "type");
  DictionaryAttr given = immediates.getDictionary(parser.getContext());
  if (types.empty()) {
    SmallVector<Type> inputs =
        llvm::map_to_vector(state.operands, [](Value v) { return v.getType(); });
    types = inferTypes(parser.getContext(), set, *descriptor, given, inputs);
  }
  state.addTypes(types);
  return success();
}

ParseResult AsmStatement::parse() {
  descriptor = set.find(word);
  if (!descriptor)
    return unknownInstruction(
        text(parser).emitCoded(parser.getNameLoc(), DiagCode::ParseDescriptor, ""), set, word);
  if (descriptor->has(DescriptorEffect::Branches))
    return text(parser).emitCoded(parser.getNameLoc(), DiagCode::ParseDescriptor, "'")
           << word << branchAdvice();
  if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseKeyword("volatile") || parser.parseGreater())
      return failure();
    state.addAttribute("is_volatile", parser.getBuilder().getUnitAttr());
  }
  if (parseItems() || placeItems() || parseDictionary() || resolveTypes())
    return failure();
  Builder &b = parser.getBuilder();
  state.addAttribute("descriptor", b.getStringAttr(descriptor->getName()));
  // What only makes a constant is one.
  bool isConstant = state.operands.empty() && !immediates.empty() && state.types.size() == 1 &&
                    descriptor->isPure();
  if (isConstant)
    state.name = OperationName(LowConstOp::getOperationName(), parser.getContext());
  if (!immediates.empty())
    state.addAttribute("immediates", immediates.getDictionary(parser.getContext()));
  return success();
}

/// Entries of `immediates` that are not what the instruction has without them.
static SmallVector<NamedAttribute> shownImmediates(const Descriptor *descriptor,
                                                   DictionaryAttr immediates, bool withPositional) {
  SmallVector<NamedAttribute> shown;
  if (!immediates)
    return shown;
  for (NamedAttribute entry : immediates) {
    const DescriptorImmediate *immediate =
        descriptor ? descriptor->findImmediate(entry.getName().getValue()) : nullptr;
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    bool isDefault = immediate && !immediate->required && number && !immediate->isFloat &&
                     number.getInt() == immediate->defaultValue;
    bool byPosition = !withPositional && descriptor &&
                      (immediate ? immediate->required
                                 : descriptor->findLiteral(entry.getName().getValue()) >= 0);
    if (!isDefault && !byPosition)
      shown.push_back(entry);
  }
  return shown;
}

/// What follows the mnemonic.
static void printAsm(OpAsmPrinter &printer, Operation *op, const Descriptor &descriptor,
                     DictionaryAttr immediates, OperandRange inputs) {
  const char *separator = " ";
  auto separate = [&] {
    printer << separator;
    separator = ", ";
  };
  forEachOperand(descriptor, immediates, [&](unsigned i, int given) {
    if (given >= static_cast<int>(inputs.size()))
      return; // left out
    separate();
    if (given < 0)
      printNumber(printer, immediates.get(descriptor.literalName(i)));
    else
      printer.printOperand(inputs[given]);
  });
  for (const DescriptorImmediate &immediate : descriptor.immediates())
    if (Attribute value =
            immediate.required && immediates ? immediates.get(immediate.getName()) : Attribute()) {
      separate();
      printNumber(printer, value);
    }
  printNumbers(printer, shownImmediates(&descriptor, immediates, /*withPositional=*/false));
  const DescriptorSet *set = getDescriptorSet(getLowFunction(op));
  SmallVector<Type> inferred =
      inferTypes(op->getContext(), *set, descriptor, immediates, inputs.getTypes());
  if (inferred != SmallVector<Type>(op->getResultTypes())) {
    printer << " : ";
    llvm::interleaveComma(op->getResultTypes(), printer, [&](Type t) { printer.printType(t); });
  }
}

//===----------------------------------------------------------------------===//
// low.op
//===----------------------------------------------------------------------===//

/// `<descriptor>` without the family in front.
static ParseResult parseDescriptorName(OpAsmParser &parser, OperationState &state) {
  StringRef name;
  if (parseAngled(parser, name))
    return failure();
  for (DescriptorFamily family :
       {DescriptorFamily::AMDGPU, DescriptorFamily::SPIRV, DescriptorFamily::X86})
    if (StringRef bare = name; bare.consume_front(stringifyFamily(family)))
      if (bare.consume_front("."))
        name = bare;
  state.addAttribute("descriptor", parser.getBuilder().getStringAttr(name));
  return success();
}

ParseResult LowOpOp::parse(OpAsmParser &parser, OperationState &state) {
  if (isAsmWord(parser))
    return AsmStatement(parser, state).parse();
  if (parseDescriptorName(parser, state))
    return failure();
  if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseKeyword("volatile") || parser.parseGreater())
      return failure();
    state.addAttribute("is_volatile", parser.getBuilder().getUnitAttr());
  }
  SmallVector<UnresolvedOperand> operands;
  NamedAttrList immediates;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      text(parser).parseOptionalDict(immediates) || parser.parseColon() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parser.parseType(types.emplace_back()); }))
    return failure();
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), "operand") << " but " << counted(types.size(), "type");
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList([&]() -> ParseResult {
        // `%acc as T` says again which operand the result overwrites.
        UnresolvedOperand tied;
        OptionalParseResult isTied = parser.parseOptionalOperand(tied);
        if (isTied.has_value() && (failed(*isTied) || parser.parseKeyword("as")))
          return failure();
        if (isTied.has_value() && llvm::none_of(operands, [&](const UnresolvedOperand &operand) {
              return operand.name == tied.name;
            }))
          return text(parser).emitCoded(tied.location, DiagCode::StructureOrigin, "'")
                 << tied.name << "' is not an operand of this instruction";
        return parser.parseType(state.types.emplace_back());
      }))
    return failure();
  if (!immediates.empty())
    state.addAttribute("immediates", immediates.getDictionary(parser.getContext()));
  return parser.resolveOperands(operands, types, loc, state.operands);
}

void LowOpOp::print(OpAsmPrinter &printer) {
  const Descriptor *descriptor = loom::getDescriptor(*this);
  if (descriptor && isInAsm(*this)) {
    if (getIsVolatile())
      printer << "<volatile>";
    printAsm(printer, *this, *descriptor, getImmediatesAttr(), getInputs());
    return;
  }
  printer << '<' << getDescriptor() << '>';
  if (getIsVolatile())
    printer << "<volatile>";
  printer << '(' << getInputs() << ')';
  printNumbers(printer, shownImmediates(descriptor, getImmediatesAttr(), /*withPositional=*/true));
  printer << " : (";
  llvm::interleaveComma(getInputs().getTypes(), printer, [&](Type t) { printer.printType(t); });
  printer << ')';
  if (getNumResults() == 0)
    return;
  printer << " -> ";
  llvm::interleaveComma(getResults(), printer, [&](OpResult result) {
    if (descriptor)
      forEachOperand(*descriptor, getImmediatesAttr(), [&](unsigned i, int given) {
        bool tied = descriptor->operands()[i].tied == static_cast<int>(result.getResultNumber());
        if (tied && given >= 0 && given < static_cast<int>(getInputs().size())) {
          printer.printOperand(getInputs()[given]);
          printer << " as ";
        }
      });
    printer.printType(result.getType());
  });
}

std::string LowOpOp::getStatementWord() {
  return isInAsm(*this) && loom::getDescriptor(*this) ? getDescriptor().str() : "";
}

void LowOpOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  const Descriptor *descriptor = loom::getDescriptor(*this);
  if (descriptor && descriptor->isPure() && !getIsVolatile())
    return;
  bool loadsOnly =
      descriptor && !getIsVolatile() && !descriptor->has(~DescriptorEffect::Loads & 0xffff);
  effects.emplace_back(MemoryEffects::Read::get());
  if (!loadsOnly)
    effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// Rules of instructions
//===----------------------------------------------------------------------===//

static LogicalResult verifyImmediate(Operation *op, const Descriptor &descriptor,
                                     NamedAttribute entry) {
  std::optional<ImmediateProblem> problem = checkImmediate(descriptor, entry);
  if (!problem)
    return success();
  return emitCoded(atKey(op, entry.getName().getValue()), problem->code, problem->message);
}

/// `reg<amdgpu.sgpr x2>` or, where several classes suit, `reg<amdgpu.sgpr> or reg<amdgpu.vgpr>`.
static std::string describe(MLIRContext *context, const DescriptorSet &set,
                            const DescriptorOperand &operand) {
  std::string words;
  for (unsigned i = 0; i < set.classes().size(); ++i) {
    if (!(operand.classes >> i & 1) || !set.classes()[i].limit)
      continue;
    DescriptorOperand single = operand;
    single.classes = 1 << i;
    words += (words.empty() ? "" : " or ") + stringifyType(inferResultType(context, set, single));
  }
  return words;
}

static bool suits(MLIRContext *context, const DescriptorSet &set, const DescriptorOperand &operand,
                  Type type) {
  for (unsigned i = 0; i < set.classes().size(); ++i) {
    DescriptorOperand single = operand;
    single.classes = 1 << i;
    if ((operand.classes >> i & 1) && type == inferResultType(context, set, single))
      return true;
  }
  return false;
}

static LogicalResult verifyRegisters(Operation *op, const DescriptorSet &set,
                                     const Descriptor &descriptor, DictionaryAttr immediates,
                                     OperandRange inputs) {
  MLIRContext *context = op->getContext();
  unsigned expected = countRegisters(descriptor, immediates);
  bool complete = inputs.size() == expected ||
                  (descriptor.hasOptionalOperand() && inputs.size() + 1 == expected);
  if (!complete)
    return emitCoded(op, DiagCode::StructureOperandCount, "'")
           << descriptor.getName() << "' takes " << counted(expected, "register") << ", but "
           << inputs.size() << (inputs.size() == 1 ? " is" : " are") << " given";
  if (op->getNumResults() != descriptor.results().size())
    return emitCoded(op, DiagCode::StructureResultCount, "'")
           << descriptor.getName() << "' has " << counted(descriptor.results().size(), "result")
           << ", but " << op->getNumResults() << (op->getNumResults() == 1 ? " is" : " are")
           << " named";
  LogicalResult ok = success();
  forEachOperand(descriptor, immediates, [&](unsigned i, int given) {
    if (given < 0 || given >= static_cast<int>(inputs.size()) || failed(ok))
      return;
    const DescriptorOperand &operand = descriptor.operands()[i];
    Value value = inputs[given];
    auto reg = dyn_cast<RegisterType>(value.getType());
    if (reg && !set.findClass(reg.getClassKey()))
      return; // reported where the value comes from
    if (!suits(context, set, operand, value.getType())) {
      ok = emitCoded(atOperand(op, given), DiagCode::TypeOperand, "'%")
           << getValueName(value) << "' has type " << value.getType() << ", but operand " << i
           << " of '" << descriptor.getName() << "' is " << describe(context, set, operand);
      return;
    }
    if (operand.tied >= 0 && op->getResult(operand.tied).getType() != value.getType())
      ok = emitCoded(atOperand(op, given), DiagCode::TargetTied, "'")
           << descriptor.getName() << "' writes its result over '%" << getValueName(value)
           << "', which has type " << value.getType() << ", not "
           << op->getResult(operand.tied).getType();
  });
  if (failed(ok))
    return failure();
  for (auto [i, result] : llvm::enumerate(descriptor.results()))
    if (!suits(context, set, result, op->getResult(i).getType()))
      return emitCoded(op, DiagCode::TypeResult, "result ")
             << i << " has type " << op->getResult(i).getType() << ", but '" << descriptor.getName()
             << "' makes " << describe(context, set, result);
  return success();
}

/// The rules of `low.op` and `low.const`.
static LogicalResult verifyInstruction(Operation *op, StringRef name, DictionaryAttr immediates,
                                       OperandRange inputs) {
  Operation *function = getLowFunction(op);
  if (!function)
    return emitCoded(op, DiagCode::StructurePlacement, "'")
           << getTextName(op) << "' belongs into a Low function or kernel";
  const DescriptorSet *set = getDescriptorSet(function);
  if (!set)
    return success(); // reported at the function
  const Descriptor *descriptor = set->find(name);
  if (!descriptor)
    return unknownInstruction(emitCoded(op, DiagCode::ParseDescriptor, ""), *set, name);
  if (descriptor->has(DescriptorEffect::Branches))
    return emitCoded(op, DiagCode::ParseDescriptor, "'") << name << branchAdvice();
  if (immediates)
    for (NamedAttribute entry : immediates)
      if (failed(verifyImmediate(op, *descriptor, entry)))
        return failure();
  for (const DescriptorImmediate &immediate : descriptor->immediates())
    if (immediate.required && !(immediates && immediates.contains(immediate.getName())))
      return emitCoded(op, DiagCode::TargetImmediateMissing, "'")
             << name << "' needs the immediate '" << immediate.getName() << "'";
  // A constant has no registers: what may be a number is one.
  for (unsigned i = 0; isa<LowConstOp>(op) && i < descriptor->operands().size(); ++i)
    if (descriptor->operands()[i].literal != LiteralKind::None &&
        !(immediates && immediates.contains(descriptor->literalName(i))))
      return emitCoded(op, DiagCode::TargetImmediateMissing, "'")
             << name << "' needs the immediate '" << descriptor->literalName(i)
             << "' to make a constant, such as {" << descriptor->literalName(i) << " = 1}";
  return verifyRegisters(op, *set, *descriptor, immediates, inputs);
}

LogicalResult LowOpOp::verify() {
  if (failed(verifyInstruction(*this, getDescriptor(), getImmediatesAttr(), getInputs())))
    return failure();
  const Descriptor *descriptor = loom::getDescriptor(*this);
  if (getIsVolatile() && descriptor &&
      !descriptor->has(DescriptorEffect::Loads | DescriptorEffect::Stores))
    return emitCoded(*this, DiagCode::StructureValue, "'")
           << getDescriptor() << "' does not access memory; <volatile> has nothing to keep";
  return success();
}

//===----------------------------------------------------------------------===//
// low.const
//===----------------------------------------------------------------------===//

ParseResult LowConstOp::parse(OpAsmParser &parser, OperationState &state) {
  NamedAttrList immediates;
  Type type;
  if (parseDescriptorName(parser, state) || text(parser).parseOptionalDict(immediates) ||
      parser.parseColonType(type))
    return failure();
  state.addAttribute("immediates", immediates.getDictionary(parser.getContext()));
  state.addTypes(type);
  return success();
}

void LowConstOp::print(OpAsmPrinter &printer) {
  const Descriptor *descriptor = loom::getDescriptor(*this);
  if (descriptor && isInAsm(*this)) {
    printAsm(printer, *this, *descriptor, getImmediatesAttr(), (*this)->getOperands());
    return;
  }
  printer << '<' << getDescriptor() << '>';
  printNumbers(printer, shownImmediates(descriptor, getImmediatesAttr(), /*withPositional=*/true));
  printer << " : ";
  printer.printType(getResult().getType());
}

std::string LowConstOp::getStatementWord() {
  return isInAsm(*this) && loom::getDescriptor(*this) ? getDescriptor().str() : "";
}

LogicalResult LowConstOp::verify() {
  if (failed(
          verifyInstruction(*this, getDescriptor(), getImmediatesAttr(), (*this)->getOperands())))
    return failure();
  const Descriptor *descriptor = loom::getDescriptor(*this);
  if (descriptor && !descriptor->isPure())
    return emitCoded(*this, DiagCode::StructureValue, "'")
           << getDescriptor() << "' does more than make a constant; use 'low.op'";
  return success();
}

} // namespace loom
