//===- StatedFacts.cpp - Facts about values that are known ----------------===//
#include "StatedFacts.h"
#include "loom/Analysis/Comparisons.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Scalar;
using runtime::WideInteger;

namespace {
/// One predicate about values of one type.
class Fact {
public:
  Fact(PredicateAttr predicate, ArrayRef<std::optional<Scalar>> values)
      : predicate(predicate), values(values), type(valueOf(0)->type()) {}

  bool holds() const { return runtime::isFloat(type) ? holdsForFloats() : holdsForIntegers(); }
  const std::optional<Scalar> &valueOf(unsigned argument) const {
    return values[predicate.getArgs()[argument]];
  }

private:
  /// The argument `i`. A flag counts as a number of one bit, an offset without a sign, and what is
  /// compared in unsigned order by the bits that it has.
  WideInteger integer(unsigned i) const {
    int64_t literal = predicate.getArgs()[i];
    if (predicate.isValue(i))
      literal = valueOf(i)->toInteger();
    if (type == ElementType::I1)
      literal = -(literal & 1);
    if (type == ElementType::Offset)
      return static_cast<uint64_t>(literal);
    if (isByBits())
      return static_cast<uint64_t>(literal) &
             llvm::maskTrailingOnes<uint64_t>(runtime::elementBits(type));
    return literal;
  }
  double number(unsigned i) const {
    return predicate.isValue(i) ? valueOf(i)->toDouble()
                                : static_cast<double>(predicate.getArgs()[i]);
  }
  bool isByBits() const {
    PredicateKind kind = predicate.getKind();
    return kind == PredicateKind::ult || kind == PredicateKind::ule || kind == PredicateKind::ugt ||
           kind == PredicateKind::uge;
  }

  bool holdsForFloats() const;
  bool holdsForIntegers() const;

  PredicateAttr predicate;
  ArrayRef<std::optional<Scalar>> values;
  ElementType type;
};
} // namespace

bool Fact::holdsForFloats() const {
  switch (predicate.getKind()) {
  case PredicateKind::not_nan:
    return !std::isnan(number(0));
  case PredicateKind::not_inf:
    return !std::isinf(number(0));
  case PredicateKind::finite:
    return std::isfinite(number(0));
  case PredicateKind::eq:
    return number(0) == number(1);
  default:
    return number(0) < number(1) || number(0) > number(1);
  }
}

bool Fact::holdsForIntegers() const {
  WideInteger value = integer(0);
  switch (predicate.getKind()) {
  case PredicateKind::eq:
    return value == integer(1);
  case PredicateKind::ne:
    return value != integer(1);
  case PredicateKind::lt:
  case PredicateKind::ult:
    return value < integer(1);
  case PredicateKind::le:
  case PredicateKind::ule:
    return value <= integer(1);
  case PredicateKind::gt:
  case PredicateKind::ugt:
    return value > integer(1);
  case PredicateKind::ge:
  case PredicateKind::uge:
    return value >= integer(1);
  case PredicateKind::range:
    return value >= integer(1) && value <= integer(2);
  case PredicateKind::pow2:
    return value > 0 && (value & (value - 1)) == 0;
  default: // mul
    return integer(1) != 0 && value % integer(1) == 0;
  }
}

std::optional<std::string> violatedFact(ArrayAttr predicates,
                                        ArrayRef<std::optional<Scalar>> values,
                                        llvm::function_ref<std::string(unsigned)> nameOf) {
  for (auto predicate : predicates.getAsRange<PredicateAttr>()) {
    auto isKnown = [&](unsigned i) {
      return !predicate.isValue(i) || values[predicate.getArgs()[i]].has_value();
    };
    if (!llvm::all_of(llvm::seq<unsigned>(0, predicate.getArgs().size()), isKnown))
      continue;
    Fact fact(predicate, values);
    if (fact.holds())
      continue;
    std::string sentence = spellPredicate(predicate, nameOf) + " does not hold: ";
    const char *separator = "";
    for (unsigned i = 0; i < predicate.getArgs().size(); ++i)
      if (predicate.isValue(i)) {
        sentence += separator + nameOf(predicate.getArgs()[i]) + " is " + fact.valueOf(i)->toText();
        separator = ", ";
      }
    return sentence;
  }
  return std::nullopt;
}

} // namespace loom::check
