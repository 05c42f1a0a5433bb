//===- Prove.cpp - Whether predicates hold --------------------------------===//
#include "Relations.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/Predicates.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Divisors and powers of two
//===----------------------------------------------------------------------===//

static uint64_t magnitude(int64_t value) {
  return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// How far a value is followed through arithmetic.
static constexpr unsigned kMaxDepth = 12;

static uint64_t divisorOf(const Facts &facts, Value value, unsigned depth);

/// A divisor of a product. Zero, the divisor of zero only, stays zero.
static uint64_t productDivisor(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0)
    return 0;
  return llvm::checkedMulUnsigned(a, b).value_or(std::max(a, b));
}

static uint64_t divisorOfResult(const Facts &facts, Operation *op, unsigned depth) {
  auto operand = [&](unsigned i) { return divisorOf(facts, op->getOperand(i), depth + 1); };
  if (isa<IndexAddOp, IndexSubOp>(op))
    return std::gcd(operand(0), operand(1));
  if (isa<IndexMulOp, IndexScaleOp>(op))
    return productDivisor(operand(0), operand(1));
  if (isa<IndexMaddOp>(op))
    return std::gcd(productDivisor(operand(0), operand(1)), operand(2));
  if (isa<IndexMinOp, IndexMaxOp>(op))
    return std::gcd(operand(0), operand(1));
  if (isa<ScfSelectOp>(op))
    return std::gcd(operand(1), operand(2));
  // Between index and offset the number stays; other casts may drop bits.
  if (isa<IndexCastOp>(op) && isAddressType(op->getOperand(0).getType()) &&
      isAddressType(op->getResult(0).getType()))
    return operand(0);
  return 1;
}

static uint64_t divisorOf(const Facts &facts, Value value, unsigned depth) {
  if (auto exact = facts.exact(value))
    return magnitude(*exact);
  if (depth == kMaxDepth)
    return 1;
  uint64_t divisor = 1;
  forEachStatement(value, [&](const StatedFacts &stated, unsigned position) {
    for (auto p : stated.predicates.getAsRange<PredicateAttr>())
      if (p.getKind() == PredicateKind::mul && p.getArgs()[0] == position && !p.isValue(1) &&
          p.getArgs()[1] != 0) {
        // Both promises hold, so the least common multiple divides; too large a one is left out.
        uint64_t other = magnitude(p.getArgs()[1]);
        divisor =
            llvm::checkedMulUnsigned(divisor / std::gcd(divisor, other), other).value_or(divisor);
      }
  });
  value = stripAssumes(value);
  uint64_t computed = 1;
  if (Operation *op = value.getDefiningOp()) {
    computed = divisorOfResult(facts, op, depth);
  } else if (auto loop = dyn_cast<ScfForOp>(value.getParentBlock()->getParentOp());
             loop && loop.getInductionVar() == value) {
    computed = std::gcd(divisorOf(facts, loop.getLower(), depth + 1),
                        divisorOf(facts, loop.getStep(), depth + 1));
  }
  return computed == 0 ? 0 : std::max(divisor, computed);
}

uint64_t Facts::divisor(Value value) const { return divisorOf(*this, value, 0); }

static bool isPowerOfTwo(const Facts &facts, Value value, Operation *at, unsigned depth = 0) {
  if (auto exact = facts.exact(value, at))
    return *exact > 0 && llvm::isPowerOf2_64(*exact);
  bool stated = false;
  forEachStatement(value, [&](const StatedFacts &known, unsigned position) {
    for (auto p : known.predicates.getAsRange<PredicateAttr>())
      stated |= p.getKind() == PredicateKind::pow2 && p.getArgs()[0] == position;
  });
  if (stated || depth == kMaxDepth)
    return stated;
  Operation *op = stripAssumes(value).getDefiningOp();
  auto operand = [&](unsigned i) { return isPowerOfTwo(facts, op->getOperand(i), at, depth + 1); };
  if (isa_and_nonnull<IndexMulOp, IndexMinOp, IndexMaxOp>(op))
    return operand(0) && operand(1);
  if (isa_and_nonnull<ScfSelectOp>(op))
    return operand(1) && operand(2);
  return false;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

namespace {
/// One predicate over actual values.
class Question {
public:
  Question(const Facts &facts, PredicateAttr predicate, ValueRange arguments, Operation *at)
      : facts(facts), predicate(predicate), arguments(arguments), at(at) {}

  Proof answer() const;

private:
  Value subject() const { return arguments[predicate.getArgs()[0]]; }
  Proof compare(IntPredicate comparison, unsigned position) const {
    int64_t argument = predicate.getArgs()[position];
    return predicate.isValue(position)
               ? facts.compare(comparison, subject(), arguments[argument], at)
               : facts.compare(comparison, subject(), argument, at);
  }
  Proof multiple() const;
  Proof powerOfTwo() const;
  Proof floatClass() const;

  const Facts &facts;
  PredicateAttr predicate;
  ValueRange arguments;
  Operation *at;
};
} // namespace

static Proof both(Proof a, Proof b) {
  if (a == Proof::Disproven || b == Proof::Disproven)
    return Proof::Disproven;
  return a == Proof::Proven && b == Proof::Proven ? Proof::Proven : Proof::Unknown;
}

Proof Question::multiple() const {
  int64_t argument = predicate.getArgs()[1];
  std::optional<int64_t> factor =
      predicate.isValue(1) ? facts.exact(arguments[argument], at) : std::optional(argument);
  if (!factor)
    return Proof::Unknown;
  // Nothing is a multiple of zero; the sign does not matter.
  if (*factor == 0)
    return Proof::Disproven;
  if (facts.divisor(subject()) % magnitude(*factor) == 0)
    return Proof::Proven;
  if (auto exact = facts.exact(subject(), at))
    return magnitude(*exact) % magnitude(*factor) == 0 ? Proof::Proven : Proof::Disproven;
  return Proof::Unknown;
}

Proof Question::powerOfTwo() const {
  if (isPowerOfTwo(facts, subject(), at))
    return Proof::Proven;
  auto range = facts.range(subject(), at);
  if (facts.exact(subject(), at) || (range && !range->smax().isStrictlyPositive()))
    return Proof::Disproven;
  return Proof::Unknown;
}

Proof Question::floatClass() const {
  FloatAttr literal;
  if (matchPattern(subject(), m_Constant(&literal))) {
    const APFloat value = literal.getValue();
    bool holds = predicate.getKind() == PredicateKind::not_nan   ? !value.isNaN()
                 : predicate.getKind() == PredicateKind::not_inf ? !value.isInfinity()
                                                                 : value.isFinite();
    return holds ? Proof::Proven : Proof::Disproven;
  }
  bool stated = false;
  forEachStatement(subject(), [&](const StatedFacts &known, unsigned position) {
    for (auto p : known.predicates.getAsRange<PredicateAttr>())
      stated |= p.getArgs()[0] == position &&
                (p.getKind() == predicate.getKind() || p.getKind() == PredicateKind::finite);
  });
  return stated ? Proof::Proven : Proof::Unknown;
}

Proof Question::answer() const {
  switch (predicate.getKind()) {
  case PredicateKind::eq:
    return compare(IntPredicate::eq, 1);
  case PredicateKind::ne:
    return compare(IntPredicate::ne, 1);
  case PredicateKind::lt:
    return compare(IntPredicate::slt, 1);
  case PredicateKind::le:
    return compare(IntPredicate::sle, 1);
  case PredicateKind::gt:
    return compare(IntPredicate::sgt, 1);
  case PredicateKind::ge:
    return compare(IntPredicate::sge, 1);
  case PredicateKind::ult:
    return compare(IntPredicate::ult, 1);
  case PredicateKind::ule:
    return compare(IntPredicate::ule, 1);
  case PredicateKind::ugt:
    return compare(IntPredicate::ugt, 1);
  case PredicateKind::uge:
    return compare(IntPredicate::uge, 1);
  case PredicateKind::range:
    return both(compare(IntPredicate::sge, 1), compare(IntPredicate::sle, 2));
  case PredicateKind::mul:
    return multiple();
  case PredicateKind::pow2:
    return powerOfTwo();
  case PredicateKind::not_nan:
  case PredicateKind::not_inf:
  case PredicateKind::finite:
    return floatClass();
  }
  llvm_unreachable("covered switch");
}

Proof Facts::prove(ArrayAttr predicates, ValueRange arguments, unsigned *failing,
                   Operation *at) const {
  Proof result = Proof::Proven;
  if (!predicates)
    return result;
  for (auto [i, predicate] : llvm::enumerate(predicates.getAsRange<PredicateAttr>())) {
    Proof proof = Question(*this, predicate, arguments, at).answer();
    if (proof == Proof::Proven || (proof == Proof::Unknown && result != Proof::Proven))
      continue;
    result = proof;
    if (failing)
      *failing = i;
    if (proof == Proof::Disproven)
      break;
  }
  return result;
}

} // namespace loom
