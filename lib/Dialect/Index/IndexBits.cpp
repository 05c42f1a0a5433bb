//===- IndexBits.cpp - Bits of coordinates --------------------------------===//
//
// The carrier of `index` has 32 or 64 bits and holds the sign in its highest one. What the width
// would change is neither folded nor given a range: leading zeros, rotations, the bits that a
// negative number has in front. Shift amounts of 32 and more are left to a known target.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Index/Index.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

static std::optional<int64_t> constantOf(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

static OpFoldResult constant(Operation *op, int64_t value) {
  return IntegerAttr::get(IndexType::get(op->getContext()), value);
}

/// An amount that every carrier can shift by.
static std::optional<int64_t> amountOf(Attribute attr) {
  std::optional<int64_t> amount = constantOf(attr);
  return amount && *amount >= 0 && *amount < 32 ? amount : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult IndexAndIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return constant(*this, *a & *b);
  if (a == 0 || b == 0)
    return constant(*this, 0);
  return b == -1 || getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult IndexOrIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return constant(*this, *a | *b);
  return b == 0 || getLhs() == getRhs() ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult IndexXOrIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), b = constantOf(adaptor.getRhs());
  if (a && b)
    return constant(*this, *a ^ *b);
  if (getLhs() == getRhs())
    return constant(*this, 0);
  return b == 0 ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult IndexShLIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), amount = amountOf(adaptor.getRhs());
  if (amount == 0)
    return getLhs();
  if (a && amount)
    if (auto result = llvm::checkedMul(*a, int64_t(1) << *amount))
      return constant(*this, *result);
  return {};
}

OpFoldResult IndexShRSIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), amount = amountOf(adaptor.getRhs());
  if (amount == 0)
    return getLhs();
  return a && amount ? constant(*this, *a >> *amount) : OpFoldResult();
}

OpFoldResult IndexShRUIOp::fold(FoldAdaptor adaptor) {
  auto a = constantOf(adaptor.getLhs()), amount = amountOf(adaptor.getRhs());
  if (amount == 0)
    return getLhs();
  return a && *a >= 0 && amount ? constant(*this, *a >> *amount) : OpFoldResult();
}

/// Rotating by nothing, or bits that are all equal, changes nothing.
static OpFoldResult foldRotation(Value value, Attribute valueAttr, Attribute amountAttr) {
  auto bits = constantOf(valueAttr), amount = amountOf(amountAttr);
  bool isUniform = bits && amount && (*bits == 0 || *bits == -1);
  return amount == 0 || isUniform ? OpFoldResult(value) : OpFoldResult();
}

OpFoldResult IndexRotLIOp::fold(FoldAdaptor adaptor) {
  return foldRotation(getLhs(), adaptor.getLhs(), adaptor.getRhs());
}

OpFoldResult IndexRotRIOp::fold(FoldAdaptor adaptor) {
  return foldRotation(getLhs(), adaptor.getLhs(), adaptor.getRhs());
}

OpFoldResult IndexCtLZIOp::fold(FoldAdaptor adaptor) {
  auto value = constantOf(adaptor.getInput());
  return value && *value < 0 ? constant(*this, 0) : OpFoldResult();
}

OpFoldResult IndexCtTZIOp::fold(FoldAdaptor adaptor) {
  auto value = constantOf(adaptor.getInput());
  return value && *value != 0 ? constant(*this, llvm::countr_zero(uint64_t(*value)))
                              : OpFoldResult();
}

OpFoldResult IndexCtPopIOp::fold(FoldAdaptor adaptor) {
  auto value = constantOf(adaptor.getInput());
  return value && *value >= 0 ? constant(*this, llvm::popcount(uint64_t(*value))) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

using Ranges = ArrayRef<ConstantIntRanges>;

void IndexAndIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  set(getResult(), intrange::inferAnd(ranges));
}
void IndexOrIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  set(getResult(), intrange::inferOr(ranges));
}
void IndexXOrIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  set(getResult(), intrange::inferXor(ranges));
}

static ConstantIntRanges anyIndex() { return ConstantIntRanges::maxRange(64); }

static ConstantIntRanges between(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(64, low, true), APInt(64, high, true));
}

/// Whether all amounts are ones that every carrier can shift by.
static bool areAmounts(const ConstantIntRanges &range) {
  return range.smin().isNonNegative() && range.smax().slt(32);
}

void IndexShLIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  if (!areAmounts(ranges[1]))
    return set(getResult(), anyIndex());
  auto factor = [](const APInt &amount) { return APInt(64, 1).shl(amount); };
  ConstantIntRanges factors =
      ConstantIntRanges::fromSigned(factor(ranges[1].smin()), factor(ranges[1].smax()));
  set(getResult(), intrange::inferMul({ranges[0], factors}, intrange::OverflowFlags::Nsw));
}

void IndexShRSIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  set(getResult(), areAmounts(ranges[1]) ? intrange::inferShrS(ranges) : anyIndex());
}

void IndexShRUIOp::inferResultRanges(Ranges ranges, SetIntRangeFn set) {
  bool isKnown = areAmounts(ranges[1]) && ranges[0].smin().isNonNegative();
  set(getResult(), isKnown ? intrange::inferShrS(ranges) : anyIndex());
}

void IndexRotLIOp::inferResultRanges(Ranges, SetIntRangeFn set) { set(getResult(), anyIndex()); }
void IndexRotRIOp::inferResultRanges(Ranges, SetIntRangeFn set) { set(getResult(), anyIndex()); }

void IndexCtLZIOp::inferResultRanges(Ranges, SetIntRangeFn set) {
  set(getResult(), between(0, 64));
}
void IndexCtTZIOp::inferResultRanges(Ranges, SetIntRangeFn set) {
  set(getResult(), between(0, 64));
}
void IndexCtPopIOp::inferResultRanges(Ranges, SetIntRangeFn set) {
  set(getResult(), between(0, 64));
}

} // namespace loom
