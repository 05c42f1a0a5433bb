//===- LowerSanitizerValue.cpp - Facts and operands that are checked ------===//
//
// Predicates are evaluated on the operands, of which nothing is taken for granted. Operations are
// checked for operands of which they have no value; then their result is zero.
//
//===----------------------------------------------------------------------===//
#include "LowerSanitizer.h"
#include "loom/Analysis/Comparisons.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/Lanewise.h"
#include "loom/IR/SourceInfo.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// "%count", or "operand 1".
static std::string operandName(Operation *op, unsigned position) {
  return nameOf(op->getOperand(position), "operand " + std::to_string(position));
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// An integer operand by its value as i64, i1 by its bit as a sign; a float as f32 or f64.
Value KernelLowering::Sanitizer::numberOf(Value value) {
  Value lowered = kernel.get(value);
  if (isa<FloatType>(value.getType()))
    return kernel.floats.widen(lowered, value.getType());
  return wide(lowered);
}

/// The comparison that `kind` states about numbers that are signed or not.
static IntPredicate comparisonIn(PredicateKind kind, bool isUnsigned) {
  std::optional<IntPredicate> natural = comparisonOf(kind);
  bool isOrder = kind != PredicateKind::eq && kind != PredicateKind::ne;
  if (natural && !(isUnsigned && isOrder))
    return *natural;
  switch (kind) {
  case PredicateKind::lt:
  case PredicateKind::ult:
    return IntPredicate::ult;
  case PredicateKind::le:
  case PredicateKind::ule:
    return IntPredicate::ule;
  case PredicateKind::gt:
  case PredicateKind::ugt:
    return IntPredicate::ugt;
  default:
    return IntPredicate::uge;
  }
}

/// Where `predicate` about operands of `op` does not hold.
Value KernelLowering::Sanitizer::fails(Operation *op, PredicateAttr predicate) {
  PredicateKind kind = predicate.getKind();
  Value subject = op->getOperand(predicate.getArgs()[0]);
  Type type = subject.getType();
  bool isOffset = isa<OffsetType>(type);
  bool isByBits = kind == PredicateKind::ult || kind == PredicateKind::ule ||
                  kind == PredicateKind::ugt || kind == PredicateKind::uge;
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  // In unsigned order a number counts by the bits of its own width.
  auto masked = [&](Value value, unsigned width) {
    if (!isByBits || width == 64)
      return value;
    return emitter.binary(IntegerOp::And, value, number(llvm::maskTrailingOnes<uint64_t>(width)));
  };
  auto argument = [&](unsigned i) {
    int64_t arg = predicate.getArgs()[i];
    if (!predicate.isValue(i))
      return masked(number(bits == 1 && arg == 1 ? -1 : arg), bits);
    Value value = op->getOperand(arg);
    Type own = value.getType();
    return masked(numberOf(value), own.isIntOrFloat() ? own.getIntOrFloatBitWidth() : 64);
  };
  using Test = SmallFloats::Test;
  auto fails = [&](Test test, bool whenTrue) {
    Value holds = kernel.floats.test(test, kernel.get(subject), type);
    return whenTrue ? holds : kernel.negated(holds);
  };
  switch (kind) {
  case PredicateKind::not_nan:
    return fails(Test::NaN, true);
  case PredicateKind::not_inf:
    return fails(Test::Infinite, true);
  case PredicateKind::finite:
    return fails(Test::Finite, false);
  default:
    break;
  }
  if (isa<FloatType>(type)) {
    // Equality only: other predicates are about ordered numbers without NaN.
    auto wideOf = [&](unsigned i) {
      if (!predicate.isValue(i)) {
        auto literal = FloatAttr::get(Float64Type::get(op->getContext()),
                                      static_cast<double>(predicate.getArgs()[i]));
        return emitter.constant(literal);
      }
      Value value = numberOf(op->getOperand(predicate.getArgs()[i]));
      return getElementTypeOrSelf(value.getType()).isF64()
                 ? value
                 : emitter.cast(CastOp::FPExt, value, emitter.f64());
    };
    return emitter.compare(kind == PredicateKind::eq ? FloatPredicate::une : FloatPredicate::oeq,
                           wideOf(0), wideOf(1));
  }
  Value value = argument(0);
  auto compared = [&](IntPredicate holds, Value other) {
    return emitter.compare(negate(holds), value, other);
  };
  switch (kind) {
  case PredicateKind::range:
    return eitherOf(compared(comparisonIn(PredicateKind::ge, isOffset), argument(1)),
                    compared(comparisonIn(PredicateKind::le, isOffset), argument(2)));
  case PredicateKind::pow2: {
    Value lower = emitter.binary(IntegerOp::Sub, value, number(1));
    Value common = emitter.binary(IntegerOp::And, value, lower);
    return eitherOf(compared(isOffset ? IntPredicate::ne : IntPredicate::sgt, number(0)),
                    emitter.compare(IntPredicate::ne, common, number(0)));
  }
  case PredicateKind::mul: {
    // Lanes that do not count divide too: a divisor of zero, or of -1, which divides everything, is
    // replaced.
    Value divisor = emitter.freeze(argument(1)), dividend = emitter.freeze(value);
    Value isZero = emitter.compare(IntPredicate::eq, divisor, number(0));
    Value isUnit = emitter.compare(IntPredicate::eq, divisor, number(-1));
    divisor = emitter.select(eitherOf(isZero, isOffset ? isZero : isUnit), number(1), divisor);
    Value rest = emitter.binary(isOffset ? IntegerOp::URem : IntegerOp::SRem, dividend, divisor);
    return eitherOf(isZero, emitter.compare(IntPredicate::ne, rest, number(0)));
  }
  default:
    return compared(comparisonIn(kind, isOffset), argument(1));
  }
}

KernelLowering::Sanitizer::Check
KernelLowering::Sanitizer::checkPredicate(Operation *op, PredicateAttr predicate) {
  Check check;
  check.fails = fails(op, predicate);
  check.hasFloats = isa<FloatType>(op->getOperand(predicate.getArgs()[0]).getType());
  auto told = [&](unsigned position) {
    Value value = numberOf(op->getOperand(position));
    if (!check.hasFloats)
      return value;
    if (!getElementTypeOrSelf(value.getType()).isF64())
      value = emitter.cast(CastOp::FPExt, value, emitter.f64());
    return emitter.reinterpret(value, emitter.shaped(emitter.integer(64), value.getType()));
  };
  unsigned subject = predicate.getArgs()[0];
  check.first = told(subject);
  auto nameOf = [&](unsigned position) { return operandName(op, position); };
  check.message =
      spellPredicate(predicate, nameOf) + " does not hold: " + operandName(op, subject) + " is {0}";
  for (unsigned i = 1; i < predicate.getArgs().size() && !check.second; ++i)
    if (predicate.isValue(i)) {
      check.second = told(predicate.getArgs()[i]);
      check.message += ", " + operandName(op, predicate.getArgs()[i]) + " is {1}";
    }
  switch (predicate.getKind()) {
  case PredicateKind::not_nan:
  case PredicateKind::not_inf:
  case PredicateKind::finite:
    check.kind = "float_nan_contract";
    break;
  default:
    break;
  }
  return check;
}

void KernelLowering::Sanitizer::lowerAssertValues(Operation *op, ArrayAttr predicates) {
  bool isSame = llvm::all_of(op->getOperands(), [&](Value value) {
    return kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  });
  KernelLowering::FormScope form(kernel, !isSame);
  SmallVector<Check> checks;
  for (auto predicate : predicates.getAsRange<PredicateAttr>())
    checks.push_back(checkPredicate(op, predicate));
  emit(op, checks, [&](SanitizerSite &site) {
    site.check = SiteCheck::Value;
    // What the check was made of.
    if (auto assumed = op->getAttrOfType<StringAttr>("assumed"))
      site.operation = assumed.getValue().str();
  });
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

bool KernelLowering::Sanitizer::lowerAlignment(BufferAssumeAlignmentOp op) {
  kernel.lowerPlain(op);
  bool isSame = llvm::all_of(op.getInputs(),
                             [&](Value buffer) { return kernel.addressOf(buffer).isUniform(); });
  KernelLowering::FormScope form(kernel, !isSame);
  SmallVector<Check> checks;
  for (auto [i, buffer] : llvm::enumerate(op.getInputs())) {
    Address address = kernel.addressOf(buffer);
    Value place = kernel.inLanes
                      ? kernel.wholeAddresses(address)
                      : emitter.cast(CastOp::PtrToInt, address.base, emitter.integer(64));
    Check check;
    check.first =
        emitter.binary(IntegerOp::And, place, number(int64_t(op.getMinimumAlignment()) - 1));
    check.fails = emitter.compare(IntPredicate::ne, check.first, number(0));
    check.message = operandName(op, i) + " is not aligned to " +
                    std::to_string(op.getMinimumAlignment()) + " bytes: it lies {0} behind";
    check.kind = "alignment";
    checks.push_back(check);
  }
  emit(op, checks, [](SanitizerSite &site) { site.check = SiteCheck::Value; });
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {
enum class Undefined { No, Division, SignedDivision, Shift };
} // namespace

static Undefined undefinedOf(Operation *op) {
  if (isa<IndexDivOp, IndexRemOp>(op))
    return Undefined::Division;
  if (isa<IndexShLIOp, IndexShRSIOp, IndexShRUIOp>(op))
    return Undefined::Shift;
  auto lanewise = dyn_cast<LanewiseOpInterface>(op);
  if (!lanewise)
    return Undefined::No;
  switch (lanewise.getLanewiseFunction()) {
  case LanewiseFunction::divui:
  case LanewiseFunction::remui:
  case LanewiseFunction::ceildivui:
    return Undefined::Division;
  case LanewiseFunction::divsi:
  case LanewiseFunction::remsi:
  case LanewiseFunction::ceildivsi:
  case LanewiseFunction::floordivsi:
    return Undefined::SignedDivision;
  case LanewiseFunction::shli:
  case LanewiseFunction::shrsi:
  case LanewiseFunction::shrui:
    return Undefined::Shift;
  default:
    return Undefined::No;
  }
}

/// Whether the second operand is a literal with which the operation always has a value.
static bool isHarmless(Operation *op, Undefined undefined) {
  IntegerAttr literal;
  if (op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_Constant(&literal)))
    return false;
  int64_t number = literal.getValue().getSExtValue();
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  int64_t bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  if (undefined == Undefined::Shift)
    return number >= 0 && number < bits;
  return number != 0 && (undefined == Undefined::Division || number != -1);
}

bool hasUndefinedResults(Operation *op) {
  Undefined undefined = undefinedOf(op);
  return undefined != Undefined::No && !isHarmless(op, undefined);
}

bool KernelLowering::Sanitizer::lowerOperation(Operation *op) {
  if (!hasUndefinedResults(op) || op->getNumOperands() != 2)
    return false;
  Undefined undefined = undefinedOf(op);
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool isSame = llvm::all_of(op->getOperands(), [&](Value value) {
    return kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride;
  });
  KernelLowering::FormScope form(kernel, !isSame);
  Type element = getElementTypeOrSelf(left.getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  Check fault, overflow;
  auto add = [&](Check &check, Value fails, Value a, Value b) {
    check.first = check.first ? emitter.select(fails, a, check.first) : a;
    check.second = check.second ? emitter.select(fails, b, check.second) : b;
    check.fails = eitherOf(check.fails, fails);
  };
  SmallVector<Value> lefts = kernel.elements(left), rights = kernel.elements(right);
  for (auto [l, r] : llvm::reverse(llvm::zip_equal(lefts, rights))) {
    Value a = wide(l), b = wide(r);
    if (undefined == Undefined::Shift) {
      // As an unsigned number, what is negative is too large.
      add(fault, emitter.compare(IntPredicate::uge, b, number(bits)), a, b);
      continue;
    }
    add(fault, emitter.compare(IntPredicate::eq, b, number(0)), a, b);
    if (undefined == Undefined::SignedDivision)
      add(overflow,
          emitter.select(emitter.compare(IntPredicate::eq, b, number(-1)),
                         emitter.compare(IntPredicate::eq, a, number(llvm::minIntN(bits))),
                         never()),
          a, b);
  }
  bool isShift = undefined == Undefined::Shift;
  fault.kind = isShift ? "unknown" : "divide_by_zero";
  fault.message =
      isShift ? "shifts " + std::to_string(bits) + " bits by {1}" : "divides {0} by zero";
  SmallVector<Check> checks = {fault};
  if (overflow.fails) {
    overflow.kind = "integer_overflow";
    overflow.message = "divides {0} by -1, and the quotient does not fit";
    checks.push_back(overflow);
  }
  emit(
      op, checks, [](SanitizerSite &site) { site.check = SiteCheck::Operation; },
      [&] {
        KernelLowering::FormScope plain(kernel, false);
        kernel.lowerPlain(op);
      });
  return true;
}

} // namespace loom::lowering
