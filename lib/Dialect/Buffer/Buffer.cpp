//===- Buffer.cpp - The `buffer` dialect ----------------------------------===//
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/IR/MemoryRules.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {

static mlir::ParseResult
parsePackRanges(mlir::OpAsmParser &parser,
                llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &lengths,
                mlir::DenseI64ArrayAttr &alignments);
static void printPackRanges(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::OperandRange lengths, mlir::DenseI64ArrayAttr alignments);
static mlir::ParseResult parsePackTypes(mlir::OpAsmParser &parser, mlir::Type &total,
                                        llvm::SmallVectorImpl<mlir::Type> &offsets);
static void printPackTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type total,
                           mlir::TypeRange offsets);

} // namespace loom

using namespace mlir;
#include "loom/Dialect/Buffer/BufferDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Buffer/BufferOps.cpp.inc"

namespace loom {

void BufferDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Buffer/BufferOps.cpp.inc"
      >();
}

// What folds here are positions.
Operation *BufferDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || !isa<OffsetType>(type))
    return nullptr;
  return IndexConstantOp::create(builder, loc, type, integer.getValue().getSExtValue());
}

/// Alignments are positive powers of two up to 2^32, the largest that LLVM knows.
static bool isAlignment(int64_t bytes) {
  return bytes > 0 && llvm::isPowerOf2_64(bytes) && bytes <= (int64_t(1) << 32);
}

static LogicalResult verifyAlignment(Operation *op, StringRef what, int64_t bytes) {
  if (isAlignment(bytes))
    return success();
  return emitCoded(op, DiagCode::StructureValue, what)
         << " is " << bytes << ", but it has to be a power of two from 1 to 4294967296";
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

LogicalResult BufferAllocaOp::verify() {
  switch (getSpace()) {
  case MemorySpace::global:
  case MemorySpace::workgroup:
  case MemorySpace::private_:
  case MemorySpace::host:
  case MemorySpace::generic:
    return verifyAlignment(*this, "the alignment", getAlignment());
  default:
    return emitCoded(*this, DiagCode::StructureValue, "nothing is allocated in the space '")
           << stringifyMemorySpace(getSpace())
           << "'; the spaces are global, workgroup, private, host and generic";
  }
}

static ParseResult parsePackRanges(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &lengths,
                                   DenseI64ArrayAttr &alignments) {
  SmallVector<int64_t> values;
  ParseResult parsed =
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::None, [&]() -> ParseResult {
        return failure(parser.parseKeyword("align") || parser.parseLParen() ||
                       parser.parseInteger(values.emplace_back()) || parser.parseRParen() ||
                       parser.parseOperand(lengths.emplace_back()));
      });
  alignments = parser.getBuilder().getDenseI64ArrayAttr(values);
  return parsed;
}

static void printPackRanges(OpAsmPrinter &printer, Operation *, OperandRange lengths,
                            DenseI64ArrayAttr alignments) {
  llvm::interleaveComma(llvm::zip(alignments.asArrayRef(), lengths), printer, [&](auto range) {
    auto [alignment, length] = range;
    printer << "align(" << alignment << ") " << length;
  });
}

/// One type for as many results as the statement names.
static ParseResult parsePackTypes(OpAsmParser &parser, Type &total,
                                  SmallVectorImpl<Type> &offsets) {
  if (parser.parseType(total))
    return failure();
  size_t named = parser.getNumResults();
  offsets.assign(named ? named - 1 : 0, total);
  return success();
}

static void printPackTypes(OpAsmPrinter &printer, Operation *, Type total, TypeRange) {
  printer.printType(total);
}

LogicalResult BufferPackOp::verify() {
  if (getAlignments().size() != getLengths().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getAlignments().size(), "alignment") << " for "
           << counted(getLengths().size(), "range");
  if (getOffsets().size() != getLengths().size())
    return emitCoded(*this, DiagCode::StructureResultCount, "'buffer.pack' of ")
           << counted(getLengths().size(), "range") << " has " << getLengths().size() + 1
           << " results, the total first, but " << getNumResults()
           << (getNumResults() == 1 ? " is named" : " are named");
  for (int64_t bytes : getAlignments())
    if (failed(verifyAlignment(*this, "the alignment of a range", bytes)))
      return failure();
  return success();
}

/// The next multiple of `alignment` that is not below `position`.
static std::optional<int64_t> alignUp(int64_t position, int64_t alignment) {
  std::optional<int64_t> sum = llvm::checkedAdd(position, alignment - 1);
  return sum ? std::optional(*sum & -alignment) : std::nullopt;
}

LogicalResult BufferPackOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  Builder b(getContext());
  SmallVector<OpFoldResult> positions;
  std::optional<int64_t> end = 0;
  int64_t greatest = 1;
  for (auto [attribute, alignment] : llvm::zip(adaptor.getLengths(), getAlignments())) {
    auto length = dyn_cast_or_null<IntegerAttr>(attribute);
    if (!length || length.getValue().isNegative() || !isAlignment(alignment))
      return failure();
    std::optional<int64_t> begin = alignUp(*end, alignment);
    end = begin ? llvm::checkedAdd(*begin, length.getValue().getSExtValue()) : std::nullopt;
    if (!end)
      return failure();
    positions.push_back(b.getIndexAttr(*begin));
    greatest = std::max(greatest, alignment);
  }
  std::optional<int64_t> total = alignUp(*end, greatest);
  if (!total)
    return failure();
  results.push_back(b.getIndexAttr(*total));
  llvm::append_range(results, positions);
  return success();
}

OperandRange BufferViewOp::getDynamicDims() { return getDims(); }

LogicalResult BufferViewOp::verify() {
  auto view = cast<ViewType>(getType());
  unsigned slots = countSlots(view);
  if (slots != getDims().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getDims().size(), "extent") << " for " << counted(slots, "dynamic dimension");
  return verifyTypeLayout(*this, view, getDims());
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

LogicalResult BufferAssumeAlignmentOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                        Adaptor adaptor,
                                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult BufferAssumeNoaliasOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult BufferAssumeAlignmentOp::verify() {
  return verifyAlignment(*this, "minimum_alignment", getMinimumAlignment());
}

/// The nearest operation that says where `buffer` is, and the space it says. Follows at most 64
/// promises.
static std::pair<Operation *, MemorySpace> findSpace(Value buffer) {
  for (unsigned i = 0; i < 64; ++i) {
    Operation *op = buffer.getDefiningOp();
    unsigned result = op ? cast<OpResult>(buffer).getResultNumber() : 0;
    if (auto alloca = dyn_cast_or_null<BufferAllocaOp>(op))
      return {op, alloca.getSpace()};
    if (auto space = dyn_cast_or_null<BufferAssumeMemorySpaceOp>(op))
      return {op, space.getSpace()};
    if (auto root = dyn_cast_or_null<BufferAssumeSameRootOp>(op))
      buffer = root.getInput();
    else if (isa_and_nonnull<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(op))
      buffer = op->getOperand(result);
    else
      break;
  }
  return {nullptr, MemorySpace::unknown};
}

LogicalResult BufferAssumeMemorySpaceOp::verify() {
  if (getSpace() == MemorySpace::unknown)
    return emitCoded(*this, DiagCode::StructureValue,
                     "'buffer.assume.memory_space' has to name a space; unknown says nothing");
  auto [owner, space] = findSpace(getInput());
  if (!owner || space == getSpace() || space == MemorySpace::generic ||
      getSpace() == MemorySpace::generic)
    return success();
  InFlightDiagnostic diag = emitCoded(*this, DiagCode::StructureValue, "the space ");
  diag << stringifyMemorySpace(getSpace()) << " contradicts " << stringifyMemorySpace(space)
       << ", which is known of this buffer";
  diag.attachNote(owner->getLoc()) << "known from here";
  return diag;
}

OpFoldResult BufferAssumeMemorySpaceOp::fold(FoldAdaptor) {
  auto [owner, space] = findSpace(getInput());
  return owner && space == getSpace() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult BufferAssumeSameRootOp::fold(FoldAdaptor) {
  return getInput() == getRoot() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

LogicalResult BufferFenceOp::verify() {
  return verifyAtomicOrdering(*this, getOrdering(), AtomicUse::Fence);
}

} // namespace loom
