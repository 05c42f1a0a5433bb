//===- LowValues.cpp - Registers, resources and storage of Low ------------===//
#include "LowText.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

/// Reports an operation of Low outside of a Low function.
static LogicalResult verifyInFunction(Operation *op) {
  if (getLowFunction(op))
    return success();
  return emitCoded(op, DiagCode::StructurePlacement, "'")
         << getTextName(op) << "' belongs into a Low function or kernel";
}

/// `%v`, resolved as the type that follows later in the text.
static ParseResult parseConversion(OpAsmParser &parser, OperationState &state,
                                   const UnresolvedOperand &source) {
  Type from, to;
  if (parser.parseColonType(from) || parser.parseArrow() || parser.parseType(to))
    return failure();
  state.addTypes(to);
  return parser.resolveOperand(source, from, state.operands);
}

static void printConversion(OpAsmPrinter &printer, Type from, Type to) {
  printer << " : ";
  printer.printType(from);
  printer << " -> ";
  printer.printType(to);
}

static RegisterType registerOf(Value value) { return cast<RegisterType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Copy and move
//===----------------------------------------------------------------------===//

static ParseResult parseTransfer(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand source;
  NamedAttrList entries;
  if (parser.parseOperand(source))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries))
    return failure();
  if (Attribute detached = entries.erase("detached")) {
    if (!isa<BoolAttr>(detached))
      return text(parser).emitCoded(loc, DiagCode::TypeAttribute,
                                    "'detached' has to be true or false");
    if (cast<BoolAttr>(detached).getValue())
      state.addAttribute("detached", detached);
  }
  if (refuseRest(parser, loc, entries, {"detached"}))
    return failure();
  return parseConversion(parser, state, source);
}

static void printTransfer(OpAsmPrinter &printer, Value source, bool detached, Type result) {
  printer << ' ' << source;
  if (detached)
    printer << " {detached = true}";
  printConversion(printer, source.getType(), result);
}

ParseResult LowCopyOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseTransfer(parser, state);
}
void LowCopyOp::print(OpAsmPrinter &printer) {
  printTransfer(printer, getSource(), getDetached().value_or(false), getType());
}
std::string LowCopyOp::getStatementWord() { return isInAsm(*this) ? "copy" : ""; }

LogicalResult LowCopyOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  RegisterType from = registerOf(getSource()), to = registerOf(getResult());
  if (from.getUnits() == to.getUnits() && from.getValueType() == to.getValueType())
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch,
                   "a copy keeps the number of units and the value type, but goes from ")
         << from << " to " << to;
}

ParseResult LowMoveOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseTransfer(parser, state);
}
void LowMoveOp::print(OpAsmPrinter &printer) {
  printTransfer(printer, getSource(), getDetached().value_or(false), getType());
}
std::string LowMoveOp::getStatementWord() { return isInAsm(*this) ? "move" : ""; }

LogicalResult LowMoveOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  if (getSource().getType() == getType())
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "a move keeps the type, but goes from ")
         << getSource().getType() << " to " << getType();
}

//===----------------------------------------------------------------------===//
// Slice and concat
//===----------------------------------------------------------------------===//

ParseResult LowSliceOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand source;
  int64_t first;
  if (parser.parseOperand(source) || parser.parseLSquare() || parser.parseInteger(first) ||
      parser.parseRSquare())
    return failure();
  state.addAttribute("first_unit", parser.getBuilder().getI64IntegerAttr(first));
  return parseConversion(parser, state, source);
}

void LowSliceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << '[' << getFirstUnit() << ']';
  printConversion(printer, getSource().getType(), getType());
}
std::string LowSliceOp::getStatementWord() { return isInAsm(*this) ? "slice" : ""; }

LogicalResult LowSliceOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  RegisterType from = registerOf(getSource()), to = registerOf(getResult());
  if (from.getRegisterClass() != to.getRegisterClass())
    return emitCoded(*this, DiagCode::TypeMismatch, "a slice of ")
           << from << " has the same register class, not " << to.getClassKey();
  if ((from.getValueType() || to.getValueType()) && from != to)
    return emitCoded(*this, DiagCode::TypeMismatch, "registers with a value type have no parts: ")
           << from << " can only be sliced to itself";
  int64_t first = getFirstUnit();
  if (first >= 0 && first <= int64_t(from.getUnits()) - int64_t(to.getUnits()))
    return success();
  return emitCoded(*this, DiagCode::SubrangeBounds, "")
         << counted(to.getUnits(), "unit") << " from " << first << " on are not inside of " << from;
}

ParseResult LowConcatOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> parts;
  SmallVector<Type> types;
  Type result;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(parts, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parser.parseType(types.emplace_back()); }) ||
      parser.parseArrow() || parser.parseType(result))
    return failure();
  if (parts.size() != types.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(parts.size(), "operand") << " but " << counted(types.size(), "type");
  state.addTypes(result);
  return parser.resolveOperands(parts, types, loc, state.operands);
}

void LowConcatOp::print(OpAsmPrinter &printer) {
  printer << '(' << getParts() << ") : (";
  llvm::interleaveComma(getParts().getTypes(), printer, [&](Type t) { printer.printType(t); });
  printer << ") -> ";
  printer.printType(getType());
}
std::string LowConcatOp::getStatementWord() { return isInAsm(*this) ? "concat" : ""; }

LogicalResult LowConcatOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  RegisterType to = registerOf(getResult());
  uint64_t units = 0;
  for (Value part : getParts()) {
    RegisterType from = registerOf(part);
    if (from.getRegisterClass() != to.getRegisterClass())
      return emitCoded(*this, DiagCode::TypeMismatch, "'%")
             << getValueName(part) << "' has type " << from << ", but all parts of " << to
             << " have the same register class";
    if ((from.getValueType() || to.getValueType()) && getParts().size() > 1)
      return emitCoded(*this, DiagCode::TypeMismatch,
                       "registers with a value type cannot be joined");
    units += from.getUnits();
  }
  if (units == to.getUnits())
    return success();
  return emitCoded(*this, DiagCode::TypeMismatch, "the parts have ")
         << units << " units together, but " << to << " has " << to.getUnits();
}

//===----------------------------------------------------------------------===//
// What a function receives
//===----------------------------------------------------------------------===//

/// Stands in the entry block, behind others of its kind only.
static LogicalResult verifyAtEntry(Operation *op) {
  if (failed(verifyInFunction(op)))
    return failure();
  Operation *function = getLowFunction(op);
  if (op->getParentOp() != function || !op->getBlock()->isEntryBlock())
    return emitCoded(op, DiagCode::StructureEntry, "'")
           << getTextName(op) << "' belongs into the first block of '" << getTextName(function)
           << "'";
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
    if (!isa<LowLiveInOp, LowResourceOp>(before)) {
      InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureBlock, "'");
      diag << getTextName(op) << "' has to stand before the instructions of the function";
      diag.attachNote(before->getLoc()) << "an instruction stands here";
      return diag;
    }
  return success();
}

ParseResult LowLiveInOp::parse(OpAsmParser &parser, OperationState &state) {
  StringRef key;
  NamedAttrList entries;
  Type type;
  if (parseAngled(parser, key))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries) || refuseRest(parser, loc, entries, {}) ||
      parser.parseColonType(type))
    return failure();
  state.addAttribute("key", parser.getBuilder().getStringAttr(key));
  state.addTypes(type);
  return success();
}

void LowLiveInOp::print(OpAsmPrinter &printer) {
  printer << '<' << getKey() << "> : ";
  printer.printType(getType());
}
std::string LowLiveInOp::getStatementWord() { return isInAsm(*this) ? "live_in" : ""; }

LogicalResult LowLiveInOp::verify() {
  if (failed(verifyAtEntry(*this)))
    return failure();
  const DescriptorSet *set = getDescriptorSet(getLowFunction(*this));
  if (!set)
    return success();
  const LiveIn *liveIn = lookupLiveIn(getKey());
  if (!liveIn || liveIn->family != set->getFamily())
    return emitCoded(*this, DiagCode::ParseDescriptor, "")
           << stringifyFamily(set->getFamily()) << " provides no '" << getKey() << "' on entry"
           << suggestLiveIn(getKey(), set->getFamily());
  RegisterType type = registerOf(getResult());
  if (type.getClassKey() == liveIn->registerClass && type.getUnits() == liveIn->units)
    return success();
  return emitCoded(*this, DiagCode::TypeResult, "'")
         << getKey() << "' is reg<" << liveIn->registerClass
         << (liveIn->units > 1 ? " x" + std::to_string(liveIn->units) : "") << ">, not " << type;
}

static constexpr StringRef kResourceKinds[] = {"native_pointer", "hal_binding", "command_input"};

ParseResult LowResourceOp::parse(OpAsmParser &parser, OperationState &state) {
  StringRef kind;
  SMLoc kindLoc = parser.getCurrentLocation();
  if (parseAngled(parser, kind))
    return failure();
  if (!llvm::is_contained(kResourceKinds, kind))
    return text(parser).emitCoded(kindLoc, DiagCode::ParseUnknownEnum,
                                  "expected one of native_pointer, hal_binding, command_input");
  state.addAttribute("kind", parser.getBuilder().getStringAttr(kind));
  if (succeeded(parser.parseOptionalKeyword("extent"))) {
    UnresolvedOperand extent;
    if (parser.parseLParen() || parser.parseOperand(extent) || parser.parseRParen())
      return failure();
    Value value = text(parser).lookup(extent);
    if (!value)
      return text(parser).emitUndefined(extent);
    if (parser.resolveOperand(extent, value.getType(), state.operands))
      return failure();
  }
  NamedAttrList entries;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries) ||
      takeInteger(parser, loc, entries, "index", state, /*required=*/true) ||
      takeInteger(parser, loc, entries, "extent", state, /*required=*/false) ||
      takeInteger(parser, loc, entries, "cache_swizzle_stride", state, /*required=*/false))
    return failure();
  auto source = dyn_cast_or_null<TypeAttr>(entries.erase("source_type"));
  if (!source)
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute,
                                  "'low.resource' needs {source_type = T}");
  state.addAttribute("source_type", source);
  if (refuseRest(parser, loc, entries,
                 {"index", "extent", "cache_swizzle_stride", "source_type"}) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

void LowResourceOp::print(OpAsmPrinter &printer) {
  printer << '<' << getKind() << '>';
  if (getExtentValue())
    printer << " extent(" << getExtentValue() << ')';
  printer << " {";
  if (getCacheSwizzleStride())
    printer << "cache_swizzle_stride = " << *getCacheSwizzleStride() << ", ";
  if (getExtent())
    printer << "extent = " << *getExtent() << ", ";
  printer << "index = " << getIndex() << ", source_type = ";
  printer.printType(getSourceType());
  printer << "} : ";
  printer.printType(getType());
}
std::string LowResourceOp::getStatementWord() { return isInAsm(*this) ? "resource" : ""; }

/// The kinds of resources that a calling convention has.
static SmallVector<StringRef> resourceKinds(Operation *function) {
  if (isa<LowKernelDefOp>(function))
    return {"hal_binding", "native_pointer"};
  auto abi = function->getAttrOfType<StringAttr>("abi");
  StringRef kind = abi ? abi.getValue() : "";
  return llvm::StringSwitch<SmallVector<StringRef>>(kind)
      .Case("hal_kernel", {"hal_binding", "native_pointer"})
      .Case("object_function", {"native_pointer"})
      .Case("shader_entry_point", {"hal_binding"})
      .Case("command_program", {"command_input"})
      .Default({});
}

LogicalResult LowResourceOp::verify() {
  if (failed(verifyAtEntry(*this)))
    return failure();
  Operation *function = getLowFunction(*this);
  SmallVector<StringRef> kinds = resourceKinds(function);
  if (!llvm::is_contained(kinds, getKind())) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::TargetResource, "'");
    diag << getTextName(function) << "' ";
    if (auto abi = function->getAttrOfType<StringAttr>("abi"))
      diag << "with abi(" << abi.getValue() << ")";
    else
      diag << "without abi(...)";
    if (kinds.empty())
      return diag << " has no resources";
    return diag << " has no resource '" << getKind() << "', but " << llvm::join(kinds, " and ");
  }
  if (getExtent() && getExtentValue())
    return emitCoded(*this, DiagCode::StructureValue,
                     "extent = N and extent(%e) exclude each other");
  if (int64_t(getIndex()) < 0)
    return emitCoded(*this, DiagCode::StructureValue, "the index of a resource is not negative");
  if (getExtent() && int64_t(*getExtent()) < 0)
    return emitCoded(*this, DiagCode::StructureValue, "the extent of a resource is not negative");
  if (getCacheSwizzleStride() && *getCacheSwizzleStride() > 16383)
    return emitCoded(*this, DiagCode::StructureValue,
                     "cache_swizzle_stride is between 0 and 16383, not ")
           << int64_t(*getCacheSwizzleStride());
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

ParseResult LowStorageReserveOp::parse(OpAsmParser &parser, OperationState &state) {
  NamedAttrList entries;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries) ||
      takeInteger(parser, loc, entries, "byte_alignment", state, /*required=*/true) ||
      takeInteger(parser, loc, entries, "byte_length", state, /*required=*/true) ||
      refuseRest(parser, loc, entries, {"byte_alignment", "byte_length"}) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

void LowStorageReserveOp::print(OpAsmPrinter &printer) {
  printer << " {byte_alignment = " << int64_t(getByteAlignment())
          << ", byte_length = " << int64_t(getByteLength()) << "} : ";
  printer.printType(getType());
}
std::string LowStorageReserveOp::getStatementWord() { return isInAsm(*this) ? "storage" : ""; }

LogicalResult LowStorageReserveOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  int64_t alignment = getByteAlignment(), length = getByteLength();
  if (alignment <= 0 || !llvm::isPowerOf2_64(alignment))
    return emitCoded(*this, DiagCode::StructureValue, "byte_alignment is a power of two, not ")
           << alignment;
  if (length <= 0)
    return emitCoded(*this, DiagCode::StructureValue, "byte_length is positive, not ") << length;
  const DescriptorSet *set = getDescriptorSet(getLowFunction(*this));
  StorageSpace space = cast<StorageType>(getType()).getSpace();
  if (!set)
    return success();
  bool refused = (set->getFamily() == DescriptorFamily::AMDGPU && space == StorageSpace::stack) ||
                 (set->getFamily() == DescriptorFamily::X86 && space == StorageSpace::workgroup);
  if (refused)
    return emitCoded(*this, DiagCode::TargetUnsupported, "")
           << stringifyFamily(set->getFamily()) << " has no " << stringifyStorageSpace(space)
           << " storage";
  return success();
}

/// The length in bytes of reserved storage or a view of it; nothing for other values.
static std::optional<int64_t> lengthOf(Value storage) {
  if (auto reserve = storage.getDefiningOp<LowStorageReserveOp>())
    return reserve.getByteLength();
  if (auto view = storage.getDefiningOp<LowStorageViewOp>())
    return view.getByteLength();
  return std::nullopt;
}

/// Checks that `length` bytes from `offset` on are inside of `storage`.
static LogicalResult verifyInside(Operation *op, Value storage, int64_t offset, int64_t length) {
  std::optional<int64_t> whole = lengthOf(storage);
  if (!whole)
    return emitCoded(op, DiagCode::DominanceOrigin, "'%")
           << getValueName(storage)
           << "' has to come from a 'low.storage.reserve' or 'low.storage.view' of this function";
  if (offset >= 0 && length <= *whole && offset <= *whole - length)
    return success();
  return emitCoded(op, DiagCode::SubrangeBounds, "")
         << counted(length, "byte") << " from " << offset << " on are not inside of '%"
         << getValueName(storage) << "', which has " << *whole;
}

ParseResult LowStorageViewOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand storage;
  NamedAttrList entries;
  if (parser.parseOperand(storage))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries) ||
      takeInteger(parser, loc, entries, "byte_length", state, /*required=*/true) ||
      takeInteger(parser, loc, entries, "offset", state, /*required=*/false) ||
      refuseRest(parser, loc, entries, {"byte_length", "offset"}))
    return failure();
  return parseConversion(parser, state, storage);
}

void LowStorageViewOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStorage() << " {byte_length = " << int64_t(getByteLength());
  if (getOffset())
    printer << ", offset = " << int64_t(getOffset());
  printer << '}';
  printConversion(printer, getStorage().getType(), getType());
}
std::string LowStorageViewOp::getStatementWord() { return isInAsm(*this) ? "storage_view" : ""; }

LogicalResult LowStorageViewOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  if (getStorage().getType() != getType())
    return emitCoded(*this, DiagCode::TypeMismatch, "a view of ")
           << getStorage().getType() << " has the same type, not " << getType();
  if (int64_t(getByteLength()) <= 0)
    return emitCoded(*this, DiagCode::StructureValue, "byte_length is positive, not ")
           << int64_t(getByteLength());
  return verifyInside(*this, getStorage(), getOffset(), getByteLength());
}

ParseResult LowStorageAddressOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand storage;
  NamedAttrList entries;
  if (parser.parseOperand(storage))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (text(parser).parseOptionalDict(entries) ||
      takeInteger(parser, loc, entries, "offset", state, /*required=*/false) ||
      refuseRest(parser, loc, entries, {"offset"}))
    return failure();
  return parseConversion(parser, state, storage);
}

void LowStorageAddressOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStorage();
  if (getOffset())
    printer << " {offset = " << int64_t(getOffset()) << '}';
  printConversion(printer, getStorage().getType(), getType());
}
std::string LowStorageAddressOp::getStatementWord() {
  return isInAsm(*this) ? "storage_address" : "";
}

LogicalResult LowStorageAddressOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  return verifyInside(*this, getStorage(), getOffset(), 0);
}

/// Bytes of a value in memory; 0 for registers of a virtual machine.
static int64_t byteSize(Operation *op, RegisterType type) {
  const DescriptorSet *set = getDescriptorSet(getLowFunction(op));
  const RegisterClassInfo *info = set ? set->findClass(type.getClassKey()) : nullptr;
  return info ? int64_t(type.getUnits()) * info->unitBits / 8 : 0;
}

LogicalResult LowSpillOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  return verifyInside(*this, getStorage(), getOffset(), byteSize(*this, registerOf(getValue())));
}

LogicalResult LowReloadOp::verify() {
  if (failed(verifyInFunction(*this)))
    return failure();
  return verifyInside(*this, getStorage(), getOffset(), byteSize(*this, registerOf(getResult())));
}

} // namespace loom
