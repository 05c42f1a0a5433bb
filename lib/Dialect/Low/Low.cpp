//===- Low.cpp - The `low` dialect ----------------------------------------===//
#include "loom/Dialect/Low/Low.h"
#include "LowText.h"
#include "loom/IR/Predicates.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
#include "loom/Dialect/Low/LowDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Low/LowOps.cpp.inc"

namespace loom {

void LowDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Low/LowOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Functions and sets
//===----------------------------------------------------------------------===//

Operation *getLowFunction(Operation *op) {
  while (op && !isa<LowFuncDefOp, LowKernelDefOp>(op))
    op = op->getParentOp();
  return op;
}

const DescriptorSet *getDescriptorSet(Operation *lowFunction) {
  auto key = lowFunction ? lowFunction->getAttrOfType<StringAttr>("descriptor_set") : StringAttr();
  return key ? lookupDescriptorSet(key) : nullptr;
}

static const Descriptor *findDescriptor(Operation *op, StringRef name) {
  const DescriptorSet *set = getDescriptorSet(getLowFunction(op));
  return set ? set->find(name) : nullptr;
}

const Descriptor *getDescriptor(LowOpOp op) { return findDescriptor(op, op.getDescriptor()); }
const Descriptor *getDescriptor(LowConstOp op) { return findDescriptor(op, op.getDescriptor()); }

StringRef getSchedule(Operation *lowFunction) {
  auto schedule = lowFunction->getAttrOfType<StringAttr>("schedule");
  return schedule ? schedule.getValue() : StringRef("free");
}

static Type valueTypeOf(MLIRContext *context, LowValueType type) {
  Builder b(context);
  switch (type) {
  case LowValueType::None:
    return {};
  case LowValueType::I1:
    return b.getI1Type();
  case LowValueType::I8:
    return b.getI8Type();
  case LowValueType::I16:
    return b.getI16Type();
  case LowValueType::I32:
    return b.getI32Type();
  case LowValueType::I64:
    return b.getI64Type();
  case LowValueType::F16:
    return b.getF16Type();
  case LowValueType::BF16:
    return b.getBF16Type();
  case LowValueType::F32:
    return b.getF32Type();
  case LowValueType::F64:
    return b.getF64Type();
  }
  llvm_unreachable("covered switch");
}

Type inferResultType(MLIRContext *context, const DescriptorSet &set,
                     const DescriptorOperand &result) {
  unsigned first = llvm::countr_zero(result.classes);
  return RegisterType::get(context, StringAttr::get(context, set.classes()[first].name),
                           result.units, valueTypeOf(context, result.valueType));
}

//===----------------------------------------------------------------------===//
// The `asm` form
//===----------------------------------------------------------------------===//

static thread_local const DescriptorSet *currentSet = nullptr;

AsmScope::AsmScope(const DescriptorSet *set) : outer(currentSet) { currentSet = set; }
AsmScope::~AsmScope() { currentSet = outer; }
const DescriptorSet *AsmScope::current() { return currentSet; }

TextParser::StatementNames AsmScope::statementNames(MLIRContext *context) {
  return [context](StringRef word) -> StringRef {
    StringRef named = llvm::StringSwitch<StringRef>(word)
                          .Case("return", LowReturnOp::getOperationName())
                          .Case("slice", LowSliceOp::getOperationName())
                          .Case("concat", LowConcatOp::getOperationName())
                          .Case("copy", LowCopyOp::getOperationName())
                          .Case("move", LowMoveOp::getOperationName())
                          .Case("resource", LowResourceOp::getOperationName())
                          .Case("live_in", LowLiveInOp::getOperationName())
                          .Case("storage", LowStorageReserveOp::getOperationName())
                          .Case("storage_view", LowStorageViewOp::getOperationName())
                          .Case("storage_address", LowStorageAddressOp::getOperationName())
                          .Default("");
    if (!named.empty())
      return named;
    // What the language has as an operation keeps its meaning; everything else is a mnemonic.
    if (word.starts_with("low.") || OperationName(("loom_" + word).str(), context).isRegistered())
      return {};
    return LowOpOp::getOperationName();
  };
}

bool isInAsm(Operation *op) {
  Operation *function = getLowFunction(op);
  return function && function->hasAttr("is_asm");
}

bool isAsmWord(OpAsmParser &parser) {
  return AsmScope::current() && !text(parser).getStatementWord().starts_with("low.");
}

//===----------------------------------------------------------------------===//
// Numbers and dictionaries
//===----------------------------------------------------------------------===//

void printNumber(OpAsmPrinter &printer, Attribute number) {
  // Bit patterns read better in hexadecimal.
  auto integer = dyn_cast<IntegerAttr>(number);
  if (integer && integer.getValue().getSignificantBits() <= 64 && integer.getInt() >= 0x10000) {
    std::string digits = llvm::utohexstr(integer.getInt(), /*LowerCase=*/true);
    printer << "0x" << std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') << digits;
    return;
  }
  printLiteral(printer.getStream(), number);
}

void printNumbers(OpAsmPrinter &printer, ArrayRef<NamedAttribute> entries) {
  if (entries.empty())
    return;
  SmallVector<NamedAttribute> sorted(entries);
  llvm::sort(sorted, [](NamedAttribute a, NamedAttribute b) {
    return a.getName().getValue() < b.getName().getValue();
  });
  printer << " {";
  llvm::interleaveComma(sorted, printer, [&](NamedAttribute entry) {
    printer << entry.getName().getValue() << " = ";
    printNumber(printer, entry.getValue());
  });
  printer << '}';
}

ParseResult takeInteger(OpAsmParser &parser, SMLoc loc, NamedAttrList &entries, StringRef key,
                        OperationState &state, bool required) {
  Attribute value = entries.erase(key);
  StringRef op = getTextName(state.name);
  if (!value && !required)
    return success();
  if (!value)
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute, "'")
           << op << "' needs {" << key << " = N}";
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || isa<BoolAttr>(value))
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute, "'")
           << key << "' of '" << op << "' has to be an integer";
  state.addAttribute(key, parser.getBuilder().getI64IntegerAttr(integer.getInt()));
  return success();
}

ParseResult refuseRest(OpAsmParser &parser, SMLoc loc, NamedAttrList &entries,
                       ArrayRef<StringRef> known) {
  if (entries.empty())
    return success();
  StringRef key = entries.begin()->getName().getValue();
  std::vector<std::string> names(known.begin(), known.end());
  return text(parser).emitCoded(loc, DiagCode::ParseExpectedToken, "there is no attribute '")
         << key << "' here" << didYouMean(key, names);
}

ParseResult parseAngled(OpAsmParser &parser, StringRef &word) {
  return failure(parser.parseLess() || text(parser).parseDashedWord(word) || parser.parseGreater());
}

//===----------------------------------------------------------------------===//
// Assume
//===----------------------------------------------------------------------===//

ParseResult parseAssumedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &inputs,
                              SmallVectorImpl<Type> &results) {
  if (parser.parseCommaSeparatedList([&] { return parser.parseType(inputs.emplace_back()); }))
    return failure();
  results.assign(inputs.begin(), inputs.end());
  return success();
}

void printAssumedTypes(OpAsmPrinter &printer, Operation *, TypeRange inputs, TypeRange) {
  llvm::interleaveComma(inputs, printer, [&](Type type) { printer.printType(type); });
}

LogicalResult LowAssumeOp::verify() {
  if (getInputs().size() != getNumResults())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getInputs().size(), "operand") << " but "
           << counted(getNumResults(), "result");
  // The text gives one list of types for both.
  for (auto [input, result] : llvm::zip(getInputs(), getResults()))
    if (input.getType() != result.getType())
      return emitCoded(*this, DiagCode::TypeMismatch,
                       "the results of 'low.assume' are its operands");
  return verifyPredicates(*this, getPredicates(), llvm::to_vector(getOperandTypes()),
                          getInputs().size());
}

} // namespace loom
