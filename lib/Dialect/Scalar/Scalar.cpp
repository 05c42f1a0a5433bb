//===- Scalar.cpp - The `scalar` dialect ----------------------------------===//
#include "loom/Dialect/Scalar/Scalar.h"

using namespace mlir;
#include "loom/Dialect/Scalar/ScalarDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Scalar/ScalarOps.cpp.inc"

namespace loom {

void ScalarDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Scalar/ScalarOps.cpp.inc"
      >();
}

Operation *ScalarDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type || !isPayloadScalar(type))
    return nullptr;
  return ScalarConstantOp::create(builder, loc, type, typed);
}

OpFoldResult ScalarConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Folds two constants of one type. A flag that the exact result would break leaves it alone.
static OpFoldResult
foldIntegers(Attribute lhs, Attribute rhs, OverflowFlags flags,
             llvm::function_ref<APInt(const APInt &, const APInt &, bool &, bool &)> combine) {
  auto a = dyn_cast_or_null<IntegerAttr>(lhs), b = dyn_cast_or_null<IntegerAttr>(rhs);
  if (!a || !b)
    return {};
  bool signedWrap = false, unsignedWrap = false;
  APInt result = combine(a.getValue(), b.getValue(), signedWrap, unsignedWrap);
  if ((signedWrap && bitEnumContainsAny(flags, OverflowFlags::nsw)) ||
      (unsignedWrap && bitEnumContainsAny(flags, OverflowFlags::nuw)))
    return {};
  return IntegerAttr::get(a.getType(), result);
}

OpFoldResult ScalarAddIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), getOverflow(),
                      [](const APInt &a, const APInt &b, bool &s, bool &u) {
                        (void)a.sadd_ov(b, s);
                        return a.uadd_ov(b, u);
                      });
}

OpFoldResult ScalarSubIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), getOverflow(),
                      [](const APInt &a, const APInt &b, bool &s, bool &u) {
                        (void)a.ssub_ov(b, s);
                        return a.usub_ov(b, u);
                      });
}

OpFoldResult ScalarMulIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), getOverflow(),
                      [](const APInt &a, const APInt &b, bool &s, bool &u) {
                        (void)a.smul_ov(b, s);
                        return a.umul_ov(b, u);
                      });
}

OpFoldResult ScalarAndIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), OverflowFlags::none,
                      [](const APInt &a, const APInt &b, bool &, bool &) { return a & b; });
}

OpFoldResult ScalarOrIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), OverflowFlags::none,
                      [](const APInt &a, const APInt &b, bool &, bool &) { return a | b; });
}

OpFoldResult ScalarXOrIOp::fold(FoldAdaptor adaptor) {
  return foldIntegers(adaptor.getLhs(), adaptor.getRhs(), OverflowFlags::none,
                      [](const APInt &a, const APInt &b, bool &, bool &) { return a ^ b; });
}

OpFoldResult ScalarCmpIOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return BoolAttr::get(getContext(),
                         llvm::is_contained({IntPredicate::eq, IntPredicate::sle, IntPredicate::sge,
                                             IntPredicate::ule, IntPredicate::uge},
                                            getPredicate()));
  auto lhs = dyn_cast_or_null<IntegerAttr>(adaptor.getLhs());
  auto rhs = dyn_cast_or_null<IntegerAttr>(adaptor.getRhs());
  if (!lhs || !rhs)
    return {};
  const APInt a = lhs.getValue(), b = rhs.getValue();
  bool result = false;
  switch (getPredicate()) {
  case IntPredicate::eq:
    result = a == b;
    break;
  case IntPredicate::ne:
    result = a != b;
    break;
  case IntPredicate::slt:
    result = a.slt(b);
    break;
  case IntPredicate::sle:
    result = a.sle(b);
    break;
  case IntPredicate::sgt:
    result = a.sgt(b);
    break;
  case IntPredicate::sge:
    result = a.sge(b);
    break;
  case IntPredicate::ult:
    result = a.ult(b);
    break;
  case IntPredicate::ule:
    result = a.ule(b);
    break;
  case IntPredicate::ugt:
    result = a.ugt(b);
    break;
  case IntPredicate::uge:
    result = a.uge(b);
    break;
  }
  return BoolAttr::get(getContext(), result);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

enum class Width { Wider, Narrower, Equal };

static LogicalResult verifyCast(Operation *op, Width width) {
  unsigned from = op->getOperand(0).getType().getIntOrFloatBitWidth();
  unsigned to = op->getResult(0).getType().getIntOrFloatBitWidth();
  StringRef rule;
  if (width == Width::Wider && to <= from)
    rule = "wider than";
  else if (width == Width::Narrower && to >= from)
    rule = "narrower than";
  else if (width == Width::Equal && to != from)
    rule = "as wide as";
  else
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeResult, "the result of '");
  return diag << getTextName(op) << "' has to be " << rule << " its operand, but it converts "
              << op->getOperand(0).getType() << " to " << op->getResult(0).getType();
}

LogicalResult ScalarExtFOp::verify() { return verifyCast(*this, Width::Wider); }
LogicalResult ScalarFPTruncOp::verify() { return verifyCast(*this, Width::Narrower); }
LogicalResult ScalarExtSIOp::verify() { return verifyCast(*this, Width::Wider); }
LogicalResult ScalarExtUIOp::verify() { return verifyCast(*this, Width::Wider); }
LogicalResult ScalarTruncIOp::verify() { return verifyCast(*this, Width::Narrower); }
LogicalResult ScalarBitcastOp::verify() { return verifyCast(*this, Width::Equal); }

} // namespace loom
