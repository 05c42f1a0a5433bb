//===- Kernel.cpp - The `kernel` dialect: entries and bodies --------------===//
#include "KernelSupport.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
#include "loom/Dialect/Kernel/KernelDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Kernel/KernelOps.cpp.inc"

namespace loom {

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Kernel/KernelOps.cpp.inc"
      >();
}

static constexpr Modifier kModifiers[] = {Modifier::Retain, Modifier::Target, Modifier::Export,
                                          Modifier::Linkage};
static constexpr Modifier kEntryModifiers[] = {Modifier::Retain, Modifier::Target};

/// Modifiers and symbol.
static ParseResult parseHeader(OpAsmParser &parser, OperationState &state,
                               ArrayRef<Modifier> modifiers) {
  StringAttr name;
  if (parseModifiers(parser, state.attributes, modifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes))
    return failure();
  // A kernel is an entry of its module: there is no private kernel.
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  return success();
}

/// What a launch can pass.
static bool isParameterType(Type type) {
  return isAddressType(type) || isPayloadScalar(type) || isa<BufferType>(type);
}

/// `(%a: T, %b: U)`. Extents that are values belong to types that a launch cannot pass.
static ParseResult parseLaunchParameters(OpAsmParser &parser, Signature &signature,
                                         StringRef what) {
  signature.namesExtents = true; // so that the type is what is reported
  if (parseParameters(parser, signature))
    return failure();
  for (const OpAsmParser::Argument &parameter : signature.arguments)
    if (countSlots(parameter.type))
      return text(parser).emitCoded(parameter.ssaName.location, DiagCode::TypeOperand, "a ")
             << what << " parameter is a scalar, an index, an offset or a buffer, not "
             << parameter.type;
  return success();
}

static LogicalResult verifyParameters(Operation *op, ArrayRef<Type> types, StringRef what) {
  for (Type type : types)
    if (!isParameterType(type))
      return emitCoded(op, DiagCode::TypeOperand, "a ")
             << what << " parameter is a scalar, an index, an offset or a buffer, not " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.def
//===----------------------------------------------------------------------===//

ParseResult KernelDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature workload, launch;
  if (parseHeader(parser, state, kModifiers) || parseLaunchParameters(parser, workload, "workload"))
    return failure();
  Region *config = state.addRegion(), *body = state.addRegion();
  if (parser.parseRegion(*config, workload.arguments) || parser.parseKeyword("launch") ||
      parseLaunchParameters(parser, launch, "launch") || parseWhere(parser, launch))
    return failure();
  if (launch.where)
    state.addAttribute("where", launch.where);
  return parser.parseRegion(*body, launch.arguments);
}

void KernelDefOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getConfig().getArguments());
  printer << ' ';
  printer.printRegion(getConfig(), /*printEntryBlockArgs=*/false);
  printer << " launch";
  printParameters(printer, getBody().getArguments());
  printWhere(printer, getWhereAttr(),
             [&](unsigned i) { printer.printOperand(getBody().getArgument(i)); });
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> KernelDefOp::getSignatureInputs() {
  return llvm::to_vector(getBody().getArgumentTypes());
}
SmallVector<Type> KernelDefOp::getSignatureResults() { return {}; }
SmallVector<Type> KernelDefOp::getSignatureWorkload() {
  return llvm::to_vector(getConfig().getArgumentTypes());
}
bool KernelDefOp::isSignatureDeclaration() { return false; }

LogicalResult KernelDefOp::verify() {
  if (failed(verifyExportName(*this, getArtifactName())))
    return failure();
  if (getConfig().empty() || getBody().empty())
    return emitCoded(*this, DiagCode::StructureBlocks, "a kernel has a configuration and a body");
  if (!getConfig().hasOneBlock())
    return emitCoded(*this, DiagCode::StructureBlocks,
                     "a launch configuration is one block; 'scf' operations choose inside of it");
  if (failed(verifyTerminator(*this, getConfig(), "kernel.launch.config")) ||
      failed(verifyBody(*this, getBody(), {"kernel.return"})))
    return failure();
  for (auto [regions, what] :
       {std::pair(&getConfig(), "workload"), std::pair(&getBody(), "launch")})
    for (BlockArgument argument : regions->getArguments())
      if (!isParameterType(argument.getType()))
        return emitCoded(argument.getLoc(), DiagCode::TypeOperand, "a ")
               << what << " parameter is a scalar, an index, an offset or a buffer, not "
               << argument.getType();
  return success();
}

/// Checks one operation of a launch configuration, not what is inside of it.
static LogicalResult verifyConfigOp(Operation *op) {
  if (isa<KernelLaunchConfigOp>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op) || op->hasAttr("pure"))
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureConfigEffect, "'");
  diag << getTextName(op) << "' may have an effect; a launch configuration holds pure "
       << "operations only";
  if (llvm::is_contained(op->getName().getAttributeNames(), "pure"))
    diag << "; a call of what is declared pure says 'pure' too";
  return diag;
}

LogicalResult KernelDefOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

LogicalResult KernelDefOp::verifyRegions() {
  WalkResult walked = getConfig().walk([](Operation *op) {
    return failed(verifyConfigOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return verifyBarrierControl(*this);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

ParseResult KernelDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature workload, launch;
  if (parseHeader(parser, state, kModifiers) ||
      parseLaunchParameters(parser, workload, "workload") || parser.parseKeyword("launch") ||
      parseLaunchParameters(parser, launch, "launch") || parseWhere(parser, launch))
    return failure();
  Builder &b = parser.getBuilder();
  state.addAttribute("workload_types", b.getTypeArrayAttr(workload.argumentTypes()));
  state.addAttribute("workload_names", b.getStrArrayAttr(workload.argumentNames()));
  state.addAttribute("arg_types", b.getTypeArrayAttr(launch.argumentTypes()));
  state.addAttribute("arg_names", b.getStrArrayAttr(launch.argumentNames()));
  if (launch.where)
    state.addAttribute("where", launch.where);
  return success();
}

void KernelDeclOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getWorkloadTypes(), getWorkloadNames());
  printer << " launch";
  printParameters(printer, getArgTypes(), getArgNames());
  printWhere(printer, getWhereAttr(),
             [&](unsigned i) { printer << '%' << cast<StringAttr>(getArgNames()[i]).getValue(); });
}

SmallVector<Type> KernelDeclOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> KernelDeclOp::getSignatureResults() { return {}; }
SmallVector<Type> KernelDeclOp::getSignatureWorkload() {
  return llvm::to_vector(getWorkloadTypes().getAsValueRange<TypeAttr>());
}
bool KernelDeclOp::isSignatureDeclaration() { return true; }

LogicalResult KernelDeclOp::verify() {
  StringRef name = getExportName() ? *getExportName() : getSymName();
  return failure(failed(verifyExportName(*this, name)) ||
                 failed(verifyParameters(*this, getSignatureWorkload(), "workload")) ||
                 failed(verifyParameters(*this, getSignatureInputs(), "launch")));
}

LogicalResult KernelDeclOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

ParseResult KernelEntryDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature launch;
  if (parseHeader(parser, state, kEntryModifiers) ||
      parseLaunchParameters(parser, launch, "launch"))
    return failure();
  Builder &b = parser.getBuilder();
  state.addAttribute("arg_types", b.getTypeArrayAttr(launch.argumentTypes()));
  state.addAttribute("arg_names", b.getStrArrayAttr(launch.argumentNames()));
  return success();
}

void KernelEntryDeclOp::print(OpAsmPrinter &printer) {
  printModifiers(printer, *this, kEntryModifiers);
  printer << ' ';
  printer.printSymbolName(getSymName());
  printParameters(printer, getArgTypes(), getArgNames());
}

SmallVector<Type> KernelEntryDeclOp::getSignatureInputs() {
  return llvm::to_vector(getArgTypes().getAsValueRange<TypeAttr>());
}
SmallVector<Type> KernelEntryDeclOp::getSignatureResults() { return {}; }
bool KernelEntryDeclOp::isSignatureDeclaration() { return true; }

LogicalResult KernelEntryDeclOp::verify() {
  return verifyParameters(*this, getSignatureInputs(), "launch");
}

LogicalResult KernelEntryDeclOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyTarget(*this, tables);
}

//===----------------------------------------------------------------------===//
// kernel.launch.config
//===----------------------------------------------------------------------===//

/// Whether `value` depends on a workload parameter. Values that are chosen for the compilation
/// (configuration, target) do not.
static bool dependsOnWorkload(Value value) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      return true;
    if (!seen.insert(op).second)
      continue;
    if (op->getNumRegions())
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

LogicalResult KernelLaunchConfigOp::verify() {
  if (getClusterSize().empty())
    return success();
  if (getClusterSize().size() != 3)
    return emitCoded(*this, DiagCode::StructureOperandCount, "cluster_size has ")
           << counted(getClusterSize().size(), "extent") << "; it takes three or none";
  for (Value extent : getClusterSize()) {
    IntegerAttr exact;
    if (matchPattern(extent, m_Constant(&exact)) && !exact.getValue().isStrictlyPositive())
      return emitCoded(*this, DiagCode::StructureValue, "an extent of a cluster is positive, not ")
             << exact.getValue().getSExtValue();
    if (dependsOnWorkload(extent))
      return emitCoded(*this, DiagCode::StructureValue,
                       "the extents of a cluster are constant; they cannot depend on the workload");
  }
  return success();
}

KernelLaunchConfigOp getLaunchConfig(KernelDefOp kernel) {
  Region &region = kernel.getConfig();
  if (region.empty() || region.back().empty())
    return {};
  return dyn_cast<KernelLaunchConfigOp>(region.back().back());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Checks that the block of `op` is the entry block, and that nothing in front of it forbids it.
LogicalResult KernelWorkgroupStorageOp::verify() {
  int64_t alignment = getAlignment();
  if (alignment <= 0 || !llvm::isPowerOf2_64(alignment))
    return emitCoded(*this, DiagCode::StructureValue,
                     "an alignment is a positive power of two, not ")
           << alignment;
  Block *block = (*this)->getBlock();
  if (!block->isEntryBlock())
    return emitCoded(*this, DiagCode::StructureBlock,
                     "'kernel.workgroup.storage' belongs into the entry block of its kernel");
  for (Operation &earlier : *block) {
    if (&earlier == *this)
      break;
    if (!isa<KernelExitOp, KernelWorkgroupStorageOp>(earlier))
      continue;
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructureWorkgroupStorage, "");
    if (isa<KernelExitOp>(earlier))
      diag << "'kernel.workgroup.storage' has to stand in front of every 'kernel.exit'";
    else
      diag << "a kernel has one 'kernel.workgroup.storage' at most";
    diag.attachNote(earlier.getLoc()) << (isa<KernelExitOp>(earlier) ? "left here" : "first here");
    return diag;
  }
  KernelLaunchConfigOp config = getLaunchConfig(cast<KernelDefOp>((*this)->getParentOp()));
  if (!config || config.getDynamicWorkgroupStorage())
    return success();
  InFlightDiagnostic diag =
      emitCoded(*this, DiagCode::StructureWorkgroupStorage,
                "'kernel.workgroup.storage' needs dynamic_workgroup_storage(...) in the launch "
                "configuration");
  diag.attachNote(config.getLoc()) << "the configuration is here";
  return diag;
}

ParseResult KernelExitOp::parse(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperand condition;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  Region *body = state.addRegion();
  if (parser.parseOperand(condition) || parser.parseColonType(type) ||
      parser.resolveOperand(condition, type, state.operands))
    return failure();
  if (!type.isInteger(1))
    return text(parser).emitCoded(loc, DiagCode::TypeOperand, "the condition of 'kernel.exit' is ")
           << "an i1, not " << type;
  OptionalParseResult parsed = parser.parseOptionalRegion(*body);
  if (!parsed.has_value())
    return success();
  if (failed(*parsed))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void KernelExitOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << " : i1";
  if (getBody().empty())
    return;
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult KernelExitOp::verify() {
  return getBody().empty() ? success() : verifyTerminator(*this, getBody(), "kernel.return");
}

} // namespace loom
