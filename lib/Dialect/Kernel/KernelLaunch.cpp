//===- KernelLaunch.cpp - What the host launches --------------------------===//
#include "KernelSupport.h"
#include "loom/IR/CallRules.h"
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// kernel.launch
//===----------------------------------------------------------------------===//

/// `[T, U]`, as many types as `operands`; both vanish together unless `isRequired`.
static ParseResult parseBracketTypes(OpAsmParser &parser, ArrayRef<UnresolvedOperand> operands,
                                     StringRef noun, SmallVectorImpl<Value> &resolved,
                                     bool isRequired) {
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (isRequired ? parser.parseLSquare() : parser.parseOptionalLSquare()) {
    if (isRequired)
      return failure();
  } else if (failed(parser.parseOptionalRSquare())) {
    if (parseUseTypes(parser, types, operands) || parser.parseRSquare())
      return failure();
  }
  if (types.size() != operands.size())
    return text(parser).emitCoded(loc, DiagCode::StructureOperandCount, "")
           << counted(operands.size(), noun) << " but " << counted(types.size(), "type");
  return parser.resolveOperands(operands, types, loc, resolved);
}

static void printBracketTypes(OpAsmPrinter &printer, Operation *op, OperandRange operands) {
  if (operands.empty())
    return;
  printer << '[';
  printUseTypes(printer, op, operands.getTypes(), operands);
  printer << ']';
}

ParseResult KernelLaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr kernel;
  SmallVector<UnresolvedOperand> workload, arguments;
  if (text(parser).parseSymbolRef(kernel) ||
      parser.parseOperandList(workload, OpAsmParser::Delimiter::OptionalSquare) ||
      parser.parseOperandList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseColon() ||
      parseBracketTypes(parser, workload, "workload argument", state.operands,
                        /*isRequired=*/false) ||
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
  printBracketTypes(printer, *this, getWorkload());
  printCallTypes(printer, getArguments(), {});
}

LogicalResult KernelLaunchOp::verify() { return verifyNoPoison(*this, getOperands()); }

/// The symbol that `op` launches, one of the operations `Kinds`; null after reporting.
template <typename... Kinds>
static Operation *lookupLaunched(Operation *op, FlatSymbolRefAttr name, StringRef what,
                                 SymbolTableCollection &tables) {
  Operation *symbol = lookupSymbol(op, name, &tables);
  if (!symbol) {
    emitUndefined(op, "kernel", name);
    return nullptr;
  }
  if (isa<Kinds...>(symbol))
    return symbol;
  InFlightDiagnostic diag = emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolKind, "@");
  diag << name.getValue() << " is a '" << getTextName(symbol) << "', not " << what;
  diag.attachNote(symbol->getLoc()) << "defined here";
  return nullptr;
}

LogicalResult KernelLaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol =
      lookupLaunched<KernelDefOp, KernelDeclOp>(*this, getKernelAttr(), "a kernel", tables);
  if (!symbol)
    return failure();
  auto callee = cast<SignatureOpInterface>(symbol);
  if (failed(verifyArguments(*this, callee, "workload argument", getWorkload(),
                             callee.getSignatureWorkload())))
    return failure();
  return verifyCall(*this, callee, getArguments());
}

//===----------------------------------------------------------------------===//
// kernel.dispatch
//===----------------------------------------------------------------------===//

ParseResult KernelDispatchOp::parse(OpAsmParser &parser, OperationState &state) {
  FlatSymbolRefAttr entry;
  SmallVector<UnresolvedOperand> grid, arguments, size;
  if (text(parser).parseSymbolRef(entry) ||
      parser.parseOperandList(grid, OpAsmParser::Delimiter::Square) ||
      parser.parseOperandList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  SMLoc sizeLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("workgroup_size"))) {
    if (parser.parseOperandList(size, OpAsmParser::Delimiter::Paren))
      return failure();
    if (size.size() != 3)
      return text(parser).emitCoded(sizeLoc, DiagCode::StructureOperandCount, "workgroup_size has ")
             << counted(size.size(), "extent") << "; it takes three";
  }
  if (parser.parseColon() ||
      parseBracketTypes(parser, grid, "grid extent", state.operands, /*isRequired=*/true) ||
      parseCallTypes(parser, arguments, state) ||
      parser.resolveOperands(size, parser.getBuilder().getIndexType(), state.operands))
    return failure();
  state.addAttribute("entry", entry);
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(grid.size()),
                               static_cast<int32_t>(arguments.size()),
                               static_cast<int32_t>(size.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return success();
}

void KernelDispatchOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getEntry());
  printer << '[' << getGrid() << "](" << getArguments() << ')';
  if (!getWorkgroupSize().empty())
    printer << " workgroup_size(" << getWorkgroupSize() << ')';
  printer << " : ";
  printBracketTypes(printer, *this, getGrid());
  printCallTypes(printer, getArguments(), {});
}

/// A view of the three counts that is read when the dispatch begins.
static bool isGridView(Type type) {
  auto view = dyn_cast<ViewType>(type);
  return view && !view.getLayout() && view.getShape() == ArrayRef<int64_t>{3} &&
         view.getElementType().isInteger(32);
}

LogicalResult KernelDispatchOp::verify() {
  auto grid = getGrid().getTypes();
  if (failed(verifyNoPoison(*this, getOperands())))
    return failure();
  bool counts = grid.size() >= 1 && grid.size() <= 3 &&
                llvm::all_of(grid, [](Type type) { return isa<IndexType>(type); });
  if (counts || (grid.size() == 1 && isGridView(grid.front())))
    return success();
  return emitCoded(*this, DiagCode::TypeOperand,
                   "a grid is one to three counts of type index, or one view<3xi32>");
}

LogicalResult KernelDispatchOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookupLaunched<KernelDefOp, KernelDeclOp, KernelEntryDeclOp>(
      *this, getEntryAttr(), "an entry of a device", tables);
  if (!symbol)
    return failure();
  auto callee = cast<SignatureOpInterface>(symbol);
  SmallVector<Type> expected = callee.getSignatureInputs();
  for (auto [wanted, type] : llvm::zip(expected, getArguments().getTypes()))
    if (isa<BufferType>(wanted) && isa<ViewType, TensorType>(type))
      wanted = type; // its storage is passed
  return verifyArguments(*this, callee, "argument", getArguments(), expected);
}

//===----------------------------------------------------------------------===//
// Schedules of launches
//===----------------------------------------------------------------------===//

void KernelLaunchYieldOp::build(OpBuilder &, OperationState &) {}

template <typename Op>
static ParseResult parseSchedule(OpAsmParser &parser, OperationState &state) {
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, {}))
    return failure();
  Op::ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

static void printSchedule(OpAsmPrinter &printer, Region &body) {
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

static LogicalResult verifySchedule(Operation *op, Region &body) {
  if (failed(verifyTerminator(op, body, "kernel.launch.yield")))
    return failure();
  for (Operation &child : body.front().without_terminator())
    if (!isa<KernelLaunchOp, KernelDispatchOp, KernelLaunchSerialOp, KernelLaunchConcurrentOp>(
            child))
      return emitCoded(&child, DiagCode::StructurePlacement, "'")
             << getTextName(&child) << "' cannot stand in '" << getTextName(op)
             << "', which holds launches and schedules of launches";
  return success();
}

ParseResult KernelLaunchSerialOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseSchedule<KernelLaunchSerialOp>(parser, state);
}
void KernelLaunchSerialOp::print(OpAsmPrinter &printer) { printSchedule(printer, getBody()); }
LogicalResult KernelLaunchSerialOp::verify() { return verifySchedule(*this, getBody()); }

ParseResult KernelLaunchConcurrentOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseSchedule<KernelLaunchConcurrentOp>(parser, state);
}
void KernelLaunchConcurrentOp::print(OpAsmPrinter &printer) { printSchedule(printer, getBody()); }
LogicalResult KernelLaunchConcurrentOp::verify() { return verifySchedule(*this, getBody()); }

} // namespace loom
