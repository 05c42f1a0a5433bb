//===- Index.cpp - The `index` dialect ------------------------------------===//
//
// Folders work on mathematical integers of 64 bits and give up on overflow. Ranges are of 64 bits
// too; `offset` has none, since MLIR's range framework knows integers and `index` only.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/Predicates.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
#include "loom/Dialect/Index/IndexDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Index/IndexOps.cpp.inc"

namespace loom {

void IndexDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Index/IndexOps.cpp.inc"
      >();
}

Operation *IndexDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer)
    return nullptr;
  // Comparisons and casts to integers fold to scalars.
  if (integer.getType() == type && isIntegerScalar(type))
    return ScalarConstantOp::create(builder, loc, type, integer);
  if (!isAddressType(type))
    return nullptr;
  return IndexConstantOp::create(builder, loc, type, integer.getValue().getSExtValue());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void IndexConstantOp::build(OpBuilder &builder, OperationState &state, int64_t value) {
  build(builder, state, builder.getIndexType(), value);
}

void IndexConstantOp::build(OpBuilder &builder, OperationState &state, Type type, int64_t value) {
  build(builder, state, type, builder.getI64IntegerAttr(value));
}

LogicalResult IndexConstantOp::verify() {
  if (isa<OffsetType>(getType()) && getInt() < 0)
    return emitCoded(*this, DiagCode::StructureValue, "an offset cannot be negative");
  return success();
}

/// The attribute that stands for `value` of an address type: an index attribute for both, so that
/// folders see one kind.
static IntegerAttr makeAttr(MLIRContext *context, int64_t value) {
  return IntegerAttr::get(IndexType::get(context), value);
}

OpFoldResult IndexConstantOp::fold(FoldAdaptor) { return makeAttr(getContext(), getInt()); }

static std::optional<int64_t> constantOf(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

/// An exact result as attribute; nothing when it is unknown, or negative for an offset.
static OpFoldResult fold(Operation *op, std::optional<int64_t> value) {
  if (!value || (isa<OffsetType>(op->getResult(0).getType()) && *value < 0))
    return {};
  return makeAttr(op->getContext(), *value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult IndexAddOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return loom::fold(*this, llvm::checkedAdd(*a, *b));
  if (b == 0)
    return getLhs();
  if (a == 0)
    return getRhs();
  return {};
}

OpFoldResult IndexSubOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return loom::fold(*this, llvm::checkedSub(*a, *b));
  if (b == 0)
    return getLhs();
  if (getLhs() == getRhs())
    return loom::fold(*this, 0);
  return {};
}

OpFoldResult IndexMulOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return loom::fold(*this, llvm::checkedMul(*a, *b));
  if (a == 0 || b == 0)
    return loom::fold(*this, 0);
  if (b == 1)
    return getLhs();
  if (a == 1)
    return getRhs();
  return {};
}

/// Whether `value` is a positive constant or is stated to be positive.
static bool isPositive(Value value, std::optional<int64_t> constant) {
  if (constant)
    return *constant > 0;
  auto assume = value.getDefiningOp<IndexAssumeOp>();
  if (!assume)
    return false;
  auto stated =
      rangeFromPredicates(assume.getPredicates(), cast<OpResult>(value).getResultNumber(), 64);
  return stated && stated->smin().isStrictlyPositive();
}

OpFoldResult IndexDivOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b && *a >= 0 && *b > 0)
    return loom::fold(*this, *a / *b);
  if (b == 1)
    return getLhs();
  if ((a == 0 || getLhs() == getRhs()) && isPositive(getRhs(), b))
    return loom::fold(*this, a == 0 ? 0 : 1);
  return {};
}

OpFoldResult IndexRemOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b && *a >= 0 && *b > 0)
    return loom::fold(*this, *a % *b);
  if (b == 1 || ((a == 0 || getLhs() == getRhs()) && isPositive(getRhs(), b)))
    return loom::fold(*this, 0);
  return {};
}

OpFoldResult IndexMinOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return loom::fold(*this, std::min(*a, *b));
  return getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult IndexMaxOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return loom::fold(*this, std::max(*a, *b));
  return getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult IndexMaddOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  auto c = constantOf(adaptor.getAddend());
  if (a && b && c)
    return loom::fold(*this, llvm::checkedMulAdd(*a, *b, *c));
  if (a == 0 || b == 0)
    return getAddend();
  return {};
}

OpFoldResult IndexScaleOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getCoordinate()), b = constantOf(adaptor.getStride());
  if (a && b)
    return loom::fold(*this, llvm::checkedMul(*a, *b));
  return {};
}

//===----------------------------------------------------------------------===//
// Casts and comparisons
//===----------------------------------------------------------------------===//

LogicalResult IndexCastOp::verify() {
  if (isAddressType(getInput().getType()) || isAddressType(getType()))
    return success();
  return emitCoded(*this, DiagCode::TypeResult,
                   "'index.cast' needs index or offset on one side; "
                   "between integers use scalar.extsi, scalar.extui "
                   "or scalar.trunci");
}

OpFoldResult IndexCastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto integer = dyn_cast_or_null<IntegerAttr>(adaptor.getInput());
  if (!integer)
    return {};
  Type from = getInput().getType(), to = getType();
  // i1 and a target of type offset read the bits, everything else the signed value.
  bool unsignedSource = from.isInteger(1) || (!isAddressType(from) && isa<OffsetType>(to));
  int64_t value = unsignedSource ? static_cast<int64_t>(integer.getValue().getZExtValue())
                                 : integer.getValue().getSExtValue();
  if (isAddressType(to))
    return loom::fold(*this, value);
  return IntegerAttr::get(to, APInt(to.getIntOrFloatBitWidth(), value, true, true));
}

/// Whether a number is the same, and ordered the same, in every width that a carrier can have.
static bool fitsEveryCarrier(Type type, int64_t value) {
  return isa<OffsetType>(type) ? llvm::isUInt<32>(value) : llvm::isInt<32>(value);
}

OpFoldResult IndexCmpOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  bool isSame = getLhs() == getRhs() || (a && a == b);
  if (!isSame) {
    Type type = getLhs().getType();
    // Numbers that fit keep their unsigned order too: a negative one is above all others.
    if (!a || !b || !fitsEveryCarrier(type, *a) || !fitsEveryCarrier(type, *b))
      return {};
  }
  APInt lhs(64, isSame ? 0 : *a, true), rhs(64, isSame ? 0 : *b, true);
  return BoolAttr::get(getContext(), compareIntegers(getPredicate(), lhs, rhs));
}

//===----------------------------------------------------------------------===//
// Assume
//===----------------------------------------------------------------------===//

LogicalResult IndexAssumeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult IndexAssumeOp::verify() {
  return verifyPredicates(*this, getPredicates(), llvm::to_vector(getOperandTypes()),
                          getInputs().size());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

using Ranges = ArrayRef<ConstantIntRanges>;

/// True when MLIR's framework tracks ranges of values of that type.
static bool hasRanges(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type t) { return !isa<OffsetType>(t); }) &&
         llvm::none_of(op->getResultTypes(), [](Type t) { return isa<OffsetType>(t); });
}

static constexpr intrange::OverflowFlags kNoWrap = intrange::OverflowFlags::Nsw;

#define LOOM_INFER_BINARY(Op, expression)                                                          \
  void Op::inferResultRanges(Ranges ranges, SetIntRangeFn set) {                                   \
    if (hasRanges(*this))                                                                          \
      set(getResult(), expression);                                                                \
  }
LOOM_INFER_BINARY(IndexAddOp, intrange::inferAdd(ranges, kNoWrap))
LOOM_INFER_BINARY(IndexSubOp, intrange::inferSub(ranges, kNoWrap))
LOOM_INFER_BINARY(IndexMulOp, intrange::inferMul(ranges, kNoWrap))
LOOM_INFER_BINARY(IndexDivOp, intrange::inferDivS(ranges))
LOOM_INFER_BINARY(IndexRemOp, intrange::inferRemS(ranges))
LOOM_INFER_BINARY(IndexMinOp, intrange::inferMinS(ranges))
LOOM_INFER_BINARY(IndexMaxOp, intrange::inferMaxS(ranges))
#undef LOOM_INFER_BINARY

void IndexMaddOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  ConstantIntRanges product = intrange::inferMul(ranges.take_front(2), kNoWrap);
  set(getResult(), intrange::inferAdd({product, ranges[2]}, kNoWrap));
}

void IndexConstantOp::inferResultRanges(Ranges, SetIntRangeFn set) {
  if (!isa<OffsetType>(getType()))
    set(getResult(), ConstantIntRanges::constant(APInt(64, getInt(), true)));
}

void IndexCastOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  Type from = getInput().getType(), to = getType();
  if (isa<OffsetType>(from) || isa<OffsetType>(to) || ranges.empty())
    return;
  unsigned width = ConstantIntRanges::getStorageBitwidth(to);
  unsigned fromWidth = ConstantIntRanges::getStorageBitwidth(from);
  if (width < fromWidth)
    set(getResult(), intrange::truncRange(ranges[0], width));
  else if (width > fromWidth)
    set(getResult(), from.isInteger(1) ? intrange::extUIRange(ranges[0], width)
                                       : intrange::extSIRange(ranges[0], width));
  else
    set(getResult(), ranges[0]);
}

void IndexCmpOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  std::optional<bool> known;
  if (hasRanges(*this) && getPredicate() <= IntPredicate::sge)
    known = intrange::evaluatePred(static_cast<intrange::CmpPredicate>(getPredicate()), ranges[0],
                                   ranges[1]);
  APInt low = APInt(1, known.value_or(false)), high = APInt(1, known.value_or(true));
  set(getResult(), ConstantIntRanges::fromUnsigned(low, high));
}

void IndexAssumeOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  for (auto [i, result] : llvm::enumerate(getResults())) {
    if (isa<OffsetType>(result.getType()))
      continue;
    ConstantIntRanges range = ranges[i];
    if (auto stated = rangeFromPredicates(getPredicates(), i, 64))
      range = range.intersection(*stated);
    // Other values bound the subject by what is known of them.
    for (auto p : getPredicates().getAsRange<PredicateAttr>()) {
      if (p.getArgs().size() != 2 || p.getArgs()[0] != static_cast<int64_t>(i) || !p.isValue(1))
        continue;
      const ConstantIntRanges &bound = ranges[p.getArgs()[1]];
      APInt low = APInt::getSignedMinValue(64), high = APInt::getSignedMaxValue(64);
      if (p.getKind() == PredicateKind::lt && !bound.smax().isMinSignedValue())
        high = bound.smax() - 1;
      else if (p.getKind() == PredicateKind::le)
        high = bound.smax();
      else if (p.getKind() == PredicateKind::ge)
        low = bound.smin();
      else if (p.getKind() == PredicateKind::gt && !bound.smin().isMaxSignedValue())
        low = bound.smin() + 1;
      range = range.intersection(ConstantIntRanges::fromSigned(low, high));
    }
    set(result, range);
  }
}

} // namespace loom
