//===- Sanitizer.cpp - The `sanitizer` dialect ----------------------------===//
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/View/Access.h"
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {

static mlir::ParseResult
parseCheckedPredicates(mlir::OpAsmParser &parser,
                       llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> inputs,
                       mlir::ArrayAttr &predicates);
static void printCheckedPredicates(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                   mlir::OperandRange inputs, mlir::ArrayAttr predicates);

} // namespace loom

using namespace mlir;
#include "loom/Dialect/Sanitizer/SanitizerDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Sanitizer/SanitizerOps.cpp.inc"

namespace loom {

void SanitizerDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Sanitizer/SanitizerOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// One entry per dimension of the view, each at least `least`.
static LogicalResult verifyList(Operation *op, StringRef name, ArrayRef<int64_t> list,
                                ViewType view, int64_t least, DiagCode code) {
  if (list.size() != view.getShape().size())
    return emitCoded(op, DiagCode::SubrangeExtents, "'")
           << name << "' has " << list.size() << (list.size() == 1 ? " entry" : " entries")
           << ", but " << spellType(op, view) << " has "
           << counted(view.getShape().size(), "dimension");
  for (int64_t entry : list)
    if (entry < least)
      return emitCoded(op, code, "'")
             << name << "' has the entry " << entry << "; "
             << (least ? "extents are positive" : "strides are not negative");
  return success();
}

template <typename Access>
static LogicalResult verifyFootprint(Access op, ArrayRef<int64_t> footprint) {
  auto view = cast<ViewType>(op.getView().getType());
  return verifyIndices(op, view, view.getShape(), op.getIndices(), op.getStaticIndices(),
                       /*linear=*/false, footprint);
}

LogicalResult SanitizerAssertAccessOp::verify() {
  auto view = cast<ViewType>(getView().getType());
  std::optional<ArrayRef<int64_t>> extents = getStaticExtents();
  if (!extents)
    return verifyFootprint(*this, {});
  if (failed(verifyList(*this, "static_extents", *extents, view, 1, DiagCode::SubrangeExtents)))
    return failure();
  return verifyFootprint(*this, *extents);
}

LogicalResult SanitizerAssertAccessesOp::verify() {
  auto view = cast<ViewType>(getView().getType());
  int64_t count = getStaticCount();
  ArrayRef<int64_t> extents = getStaticExtents(), strides = getStaticStrides();
  if (count <= 0)
    return emitCoded(*this, DiagCode::StructureValue, "'static_count' is ")
           << count << ", but it has to be positive";
  if (failed(verifyList(*this, "static_extents", extents, view, 1, DiagCode::SubrangeExtents)) ||
      failed(verifyList(*this, "static_strides", strides, view, 0, DiagCode::StructureValue)))
    return failure();
  if (count > 1 && llvm::all_of(strides, [](int64_t stride) { return stride == 0; }))
    return emitCoded(*this, DiagCode::StructureValue,
                     "'static_strides' are all zero, so that every access is the same one");
  SmallVector<int64_t> footprint;
  for (auto [extent, stride] : llvm::zip(extents, strides)) {
    auto reach = llvm::checkedMulAdd<int64_t>(count - 1, stride, extent);
    footprint.push_back(reach.value_or(std::numeric_limits<int64_t>::max()));
  }
  return verifyFootprint(*this, footprint);
}

LogicalResult SanitizerRaceAccessOp::verify() {
  bool complete = getOrdering() && getScope(), any = getOrdering() || getScope();
  if (getAtomic() && !complete)
    return emitCoded(*this, DiagCode::StructureValue,
                     "an atomic access needs an ordering and a scope");
  if (!getAtomic() && any)
    return emitCoded(*this, DiagCode::StructureValue,
                     "an ordering and a scope belong to an access with atomic = true");
  return verifyFootprint(*this, {});
}

LogicalResult SanitizerRaceSyncOp::verify() {
  return verifyAtomicOrdering(*this, getOrdering(), AtomicUse::Fence);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static ParseResult parseCheckedPredicates(OpAsmParser &parser, ArrayRef<UnresolvedOperand> inputs,
                                          ArrayAttr &predicates) {
  return parsePredicates(parser, predicates,
                         [&](const UnresolvedOperand &operand) -> FailureOr<unsigned> {
                           auto input = llvm::find_if(inputs, [&](const UnresolvedOperand &i) {
                             return i.name == operand.name;
                           });
                           if (input != inputs.end())
                             return static_cast<unsigned>(input - inputs.begin());
                           text(parser).emitCoded(operand.location, DiagCode::StructureOrigin, "'")
                               << operand.name << "' is not an operand of this check";
                           return failure();
                         });
}

static void printCheckedPredicates(OpAsmPrinter &printer, Operation *, OperandRange inputs,
                                   ArrayAttr predicates) {
  printPredicates(printer, predicates, [&](unsigned i) { printer.printOperand(inputs[i]); });
}

LogicalResult SanitizerAssertValueOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                       Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

static LogicalResult verifyChecks(Operation *op, ArrayAttr predicates) {
  if (predicates.empty())
    return emitCoded(op, DiagCode::StructurePredicate, "'")
           << getTextName(op) << "' needs at least one predicate";
  return verifyPredicates(op, predicates, llvm::to_vector(op->getOperandTypes()),
                          op->getNumOperands());
}

LogicalResult SanitizerAssertValueOp::verify() { return verifyChecks(*this, getPredicates()); }
LogicalResult SanitizerAssertOpOp::verify() { return verifyChecks(*this, getPredicates()); }

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

OperandRange SanitizerAssertLayoutOp::getDynamicDims() { return getDims(); }

LogicalResult SanitizerAssertLayoutOp::verify() {
  auto from = cast<ViewType>(getView().getType()), to = cast<ViewType>(getType());
  if (countSlots(to) != getDims().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getDims().size(), "extent") << " for "
           << counted(countSlots(to), "dynamic dimension");
  if (failed(verifyTypeLayout(*this, to, getDims())) ||
      failed(verifySameElements(*this, from, to, /*sameExtents=*/true)))
    return failure();
  if (to.getLayout())
    return success();
  return emitCoded(*this, DiagCode::EncodingAxis,
                   "the result of 'sanitizer.assert.layout' has to name the layout that is "
                   "checked, such as #encoding.layout.dense");
}

} // namespace loom
