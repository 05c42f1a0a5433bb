//===- Kernel.cpp - The `kernel` dialect ----------------------------------===//
#include "loom/Dialect/Kernel/Kernel.h"
#include "mlir/IR/Matchers.h"

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

/// Modifiers and symbol.
static ParseResult parseHeader(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  if (parseModifiers(parser, state.attributes, kModifiers) ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes))
    return failure();
  // A kernel is an entry of its module: there is no private kernel.
  state.attributes.erase(SymbolTable::getVisibilityAttrName());
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.def
//===----------------------------------------------------------------------===//

ParseResult KernelDefOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature workload, launch;
  if (parseHeader(parser, state) || parseParameters(parser, workload))
    return failure();
  Region *config = state.addRegion(), *body = state.addRegion();
  if (parser.parseRegion(*config, workload.arguments) || parser.parseKeyword("launch") ||
      parseParameters(parser, launch) || parseWhere(parser, launch))
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
  if (failed(verifyTerminator(*this, getConfig(), "kernel.launch.config")) ||
      failed(verifyTerminator(*this, getBody(), "kernel.return")))
    return failure();
  for (auto [regions, what] :
       {std::pair(&getConfig(), "workload"), std::pair(&getBody(), "launch")})
    for (BlockArgument argument : regions->getArguments())
      if (!isAddressType(argument.getType()) && !isPayloadScalar(argument.getType()) &&
          !isa<BufferType>(argument.getType()))
        return emitCoded(argument.getLoc(), DiagCode::TypeOperand, "a ")
               << what << " parameter is a scalar, an index, an offset or a buffer, not "
               << argument.getType();
  return success();
}

LogicalResult KernelDefOp::verifyRegions() {
  for (Operation &op : getConfig().front()) {
    if (isa<KernelLaunchConfigOp>(op) || isMemoryEffectFree(&op))
      continue;
    if (op.hasAttr("pure"))
      continue;
    InFlightDiagnostic diag = emitCoded(&op, DiagCode::StructureConfigEffect, "'");
    diag << getTextName(&op) << "' may have an effect; a launch configuration holds pure "
         << "operations only";
    if (llvm::is_contained(op.getName().getAttributeNames(), "pure"))
      diag << "; a call of what is declared pure says 'pure' too";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.decl
//===----------------------------------------------------------------------===//

ParseResult KernelDeclOp::parse(OpAsmParser &parser, OperationState &state) {
  Signature workload, launch;
  if (parseHeader(parser, state) || parseParameters(parser, workload) ||
      parser.parseKeyword("launch") || parseParameters(parser, launch) ||
      parseWhere(parser, launch))
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

//===----------------------------------------------------------------------===//
// kernel.launch and kernel.launch.config
//===----------------------------------------------------------------------===//

LogicalResult KernelLaunchConfigOp::verify() {
  if (!getClusterSize().empty() && getClusterSize().size() != 3)
    return emitCoded(*this, DiagCode::StructureOperandCount, "cluster_size has ")
           << getClusterSize().size() << " extents; it takes three or none";
  return success();
}

ParseResult KernelLaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr kernel;
  SmallVector<UnresolvedOperand> workload, arguments;
  if (text(parser).parseSymbolRef(kernel) ||
      parser.parseOperandList(workload, OpAsmParser::Delimiter::OptionalSquare) ||
      parser.parseOperandList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseColon())
    return failure();
  SmallVector<Type> workloadTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLSquare())) {
    if (failed(parser.parseOptionalRSquare()))
      if (parseUseTypes(parser, workloadTypes, workload) || parser.parseRSquare())
        return failure();
  }
  if (workloadTypes.size() != workload.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(workload.size(), "workload argument") << " but "
           << counted(workloadTypes.size(), "type");
  if (parser.resolveOperands(workload, workloadTypes, loc, state.operands) ||
      parseCallTypes(parser, arguments, state))
    return failure();
  state.addAttribute("kernel", kernel);
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(workload.size()),
                               static_cast<int32_t>(arguments.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return success();
}

void KernelLaunchOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getKernel());
  if (!getWorkload().empty())
    printer << '[' << getWorkload() << ']';
  printer << '(' << getArguments() << ") : ";
  if (!getWorkload().empty()) {
    printer << '[';
    printUseTypes(printer, *this, getWorkload().getTypes(), getWorkload());
    printer << ']';
  }
  printCallTypes(printer, getArguments(), {});
}

LogicalResult KernelLaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(*this, getKernelAttr(), &tables);
  if (!symbol)
    return emitUndefined(*this, "kernel", getKernelAttr());
  if (!isa<KernelDefOp, KernelDeclOp>(symbol)) {
    InFlightDiagnostic diag = emitCoded(*this, DiagCode::SymbolKind, "@");
    diag << getKernel() << " is a '" << getTextName(symbol) << "', not a kernel";
    diag.attachNote(symbol->getLoc()) << "defined here";
    return diag;
  }
  if ((*this)->getParentOfType<KernelDefOp>())
    return emitCoded(*this, DiagCode::StructurePlacement, "a kernel cannot launch another kernel");
  auto callee = cast<SignatureOpInterface>(symbol);
  if (failed(verifyPassed(*this, callee, "workload argument", getWorkload().getTypes(),
                          callee.getSignatureWorkload(), DiagCode::StructureOperandCount)))
    return failure();
  return verifyCall(*this, callee, getArguments());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Position queries and collectives need a kernel around them. In templates and in functions that
/// are to be inlined the question is asked after inlining.
static LogicalResult verifyInKernel(Operation *op) {
  Operation *top = op->getParentOp();
  while (top && !isa<KernelDefOp>(top) && !isa_and_nonnull<ModuleOp>(top->getParentOp()))
    top = top->getParentOp();
  if (auto kernel = dyn_cast_or_null<KernelDefOp>(top)) {
    if (kernel.getBody().isAncestor(op->getParentRegion()))
      return success();
    return emitCoded(op, DiagCode::StructurePlacement, "'")
           << getTextName(op) << "' asks about the running device; a launch configuration is "
           << "computed before the launch";
  }
  if (!top)
    return success();
  StringRef name = getTextName(top);
  auto policy = top->getAttrOfType<InlinePolicyAttr>("inline_policy");
  if (name == "template.def" || (policy && policy.getValue() == InlinePolicy::Inline))
    return success();
  return emitCoded(op, DiagCode::StructurePlacement, "'")
         << getTextName(op) << "' needs a kernel around it; in a function it needs the modifier "
         << "'inline'";
}

LogicalResult KernelWorkitemIdOp::verify() { return verifyInKernel(*this); }
LogicalResult KernelWorkgroupIdOp::verify() { return verifyInKernel(*this); }
LogicalResult KernelWorkgroupSizeOp::verify() { return verifyInKernel(*this); }
LogicalResult KernelWorkgroupCountOp::verify() { return verifyInKernel(*this); }
LogicalResult KernelDispatchIdOp::verify() { return verifyInKernel(*this); }

/// The exact value of an extent of the launch configuration, or nullopt.
static std::optional<int64_t> exactExtent(Operation *op, unsigned operand) {
  auto kernel = op->getParentOfType<KernelDefOp>();
  if (!kernel)
    return std::nullopt;
  auto config = dyn_cast<KernelLaunchConfigOp>(kernel.getConfig().back().back());
  IntegerAttr value;
  if (!config || !matchPattern(config->getOperand(operand), m_Constant(&value)))
    return std::nullopt;
  int64_t extent = value.getValue().getSExtValue();
  return extent > 0 ? std::optional<int64_t>(extent) : std::nullopt;
}

/// Limits that hold on every target where the launch configuration says nothing: a workgroup has
/// at most 1024 work-items on every profile of the target tables, a grid at most 2^32 - 1
/// work-items in a dimension (the AQL dispatch packet has 32 bits for each).
static constexpr int64_t kMaxWorkgroupSize = 1024, kMaxGridSize = 4294967295;

static void setRange(SetIntRangeFn set, Value value, int64_t low, int64_t high) {
  set(value, ConstantIntRanges::fromSigned(APInt(64, low, true), APInt(64, high, true)));
}

void KernelWorkitemIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto size = exactExtent(*this, 3 + static_cast<unsigned>(getDimension()));
  setRange(set, getResult(), 0, size.value_or(kMaxWorkgroupSize) - 1);
}

void KernelWorkgroupIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto count = exactExtent(*this, static_cast<unsigned>(getDimension()));
  setRange(set, getResult(), 0, count.value_or(kMaxGridSize) - 1);
}

void KernelWorkgroupSizeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto size = exactExtent(*this, 3 + static_cast<unsigned>(getDimension()));
  setRange(set, getResult(), size.value_or(1), size.value_or(kMaxWorkgroupSize));
}

void KernelWorkgroupCountOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto count = exactExtent(*this, static_cast<unsigned>(getDimension()));
  setRange(set, getResult(), count.value_or(1), count.value_or(kMaxGridSize));
}

void KernelDispatchIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto count = exactExtent(*this, static_cast<unsigned>(getDimension()));
  auto size = exactExtent(*this, 3 + static_cast<unsigned>(getDimension()));
  int64_t total;
  if (!count || !size || llvm::MulOverflow(*count, *size, total) || total > kMaxGridSize)
    total = kMaxGridSize;
  setRange(set, getResult(), 0, total - 1);
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

LogicalResult KernelBarrierOp::verify() {
  if (getSpace() == MemorySpace::workgroup && getOrdering() != Ordering::acq_rel)
    return emitCoded(*this, DiagCode::StructureValue,
                     "a barrier on workgroup memory has ordering(acq_rel)");
  if (getSpace() == MemorySpace::global &&
      (getOrdering() == Ordering::relaxed || getOrdering() == Ordering::seq_cst))
    return emitCoded(*this, DiagCode::StructureValue,
                     "a barrier on global memory has ordering acquire, release or acq_rel");
  return success();
}

LogicalResult KernelSubgroupReduceOp::verify() {
  if (isFloatKind(getKind()) != isFloatScalar(getValue().getType()))
    return emitCoded(*this, DiagCode::TypeOperand, "'")
           << stringifyCombiningKind(getKind()) << "' cannot combine values of type "
           << getValue().getType();
  return verifyInKernel(*this);
}

} // namespace loom
