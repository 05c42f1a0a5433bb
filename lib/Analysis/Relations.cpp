//===- Relations.cpp - Comparisons that hold at a place -------------------===//
#include "Relations.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Template/Template.h"
#include "mlir/IR/Matchers.h"

namespace loom {
using namespace mlir;

IntPredicate swapOperands(IntPredicate predicate) {
  switch (predicate) {
  case IntPredicate::eq:
  case IntPredicate::ne:
    return predicate;
  case IntPredicate::slt:
    return IntPredicate::sgt;
  case IntPredicate::sle:
    return IntPredicate::sge;
  case IntPredicate::sgt:
    return IntPredicate::slt;
  case IntPredicate::sge:
    return IntPredicate::sle;
  case IntPredicate::ult:
    return IntPredicate::ugt;
  case IntPredicate::ule:
    return IntPredicate::uge;
  case IntPredicate::ugt:
    return IntPredicate::ult;
  case IntPredicate::uge:
    return IntPredicate::ule;
  }
  llvm_unreachable("covered switch");
}

IntPredicate negate(IntPredicate predicate) {
  switch (predicate) {
  case IntPredicate::eq:
    return IntPredicate::ne;
  case IntPredicate::ne:
    return IntPredicate::eq;
  case IntPredicate::slt:
    return IntPredicate::sge;
  case IntPredicate::sle:
    return IntPredicate::sgt;
  case IntPredicate::sgt:
    return IntPredicate::sle;
  case IntPredicate::sge:
    return IntPredicate::slt;
  case IntPredicate::ult:
    return IntPredicate::uge;
  case IntPredicate::ule:
    return IntPredicate::ugt;
  case IntPredicate::ugt:
    return IntPredicate::ule;
  case IntPredicate::uge:
    return IntPredicate::ult;
  }
  llvm_unreachable("covered switch");
}

Value stripAssumes(Value value) {
  while (auto assume = value.getDefiningOp<IndexAssumeOp>())
    value = assume.getInputs()[cast<OpResult>(value).getResultNumber()];
  return value;
}

/// The `where` clause whose parameters are the arguments of `block`, or null.
static ArrayAttr whereOf(Block *block) {
  Operation *op = block->isEntryBlock() ? block->getParentOp() : nullptr;
  if (auto kernel = dyn_cast_or_null<KernelDefOp>(op))
    return block->getParent() == &kernel.getBody() ? kernel.getWhereAttr() : ArrayAttr();
  if (auto func = dyn_cast_or_null<FuncDefOp>(op))
    return func.getWhereAttr();
  if (auto impl = dyn_cast_or_null<TemplateDefOp>(op))
    return impl.getWhereAttr();
  return {};
}

void forEachStatement(Value value, llvm::function_ref<void(const StatedFacts &, unsigned)> visit) {
  while (auto assume = value.getDefiningOp<IndexAssumeOp>()) {
    unsigned position = cast<OpResult>(value).getResultNumber();
    StatedFacts facts{assume.getPredicates(), llvm::to_vector(assume->getOperands())};
    visit(facts, position);
    value = assume.getInputs()[position];
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return;
  if (ArrayAttr where = whereOf(argument.getOwner())) {
    StatedFacts facts{where, {}};
    Region *body = argument.getOwner()->getParent();
    llvm::append_range(facts.values, getHeaderParameters(body->getParentOp(), *body));
    if (argument.getArgNumber() < facts.values.size())
      visit(facts, argument.getArgNumber());
  }
}

/// Takes a condition of known outcome apart.
static void visitCondition(Value condition, bool outcome, RelationFn visit, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 16;
  Operation *op = condition.getDefiningOp();
  if (!op || depth == kMaxDepth)
    return;
  auto compare = [&](IntPredicate predicate) {
    visit({outcome ? predicate : negate(predicate), op->getOperand(0), op->getOperand(1)});
  };
  if (auto cmp = dyn_cast<IndexCmpOp>(op))
    return compare(cmp.getPredicate());
  if (auto cmp = dyn_cast<ScalarCmpIOp>(op))
    return compare(cmp.getPredicate());
  if ((isa<ScalarAndIOp>(op) && outcome) || (isa<ScalarOrIOp>(op) && !outcome))
    for (Value part : op->getOperands())
      visitCondition(part, outcome, visit, depth + 1);
  if (!isa<ScalarXOrIOp>(op))
    return;
  for (unsigned i : {0, 1}) {
    IntegerAttr flip;
    if (matchPattern(op->getOperand(1 - i), m_Constant(&flip)))
      return visitCondition(op->getOperand(i), outcome != flip.getValue().isOne(), visit,
                            depth + 1);
  }
}

void forEachPathRelation(Operation *at, RelationFn visit) {
  for (Operation *op = at; op; op = op->getParentOp()) {
    if (op != at && op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return;
    auto conditional = dyn_cast_or_null<ScfIfOp>(op->getParentOp());
    if (!conditional)
      continue;
    bool outcome = op->getParentRegion() == &conditional.getThenRegion();
    visitCondition(conditional.getCondition(), outcome, visit);
  }
}

void forEachLoopRelation(Operation *at, RelationFn visit) {
  for (Operation *op = at->getParentOp(); op; op = op->getParentOp()) {
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return;
    auto loop = dyn_cast<ScfForOp>(op);
    if (!loop)
      continue;
    visit({IntPredicate::sge, loop.getInductionVar(), loop.getLower()});
    visit({IntPredicate::slt, loop.getInductionVar(), loop.getUpper()});
  }
}

std::optional<IntPredicate> comparisonOf(PredicateKind kind) {
  switch (kind) {
  case PredicateKind::eq:
    return IntPredicate::eq;
  case PredicateKind::ne:
    return IntPredicate::ne;
  case PredicateKind::lt:
    return IntPredicate::slt;
  case PredicateKind::le:
    return IntPredicate::sle;
  case PredicateKind::gt:
    return IntPredicate::sgt;
  case PredicateKind::ge:
    return IntPredicate::sge;
  default:
    return std::nullopt;
  }
}

std::string spellPredicate(PredicateAttr predicate,
                           llvm::function_ref<std::string(unsigned)> nameOf) {
  std::string text = stringifyPredicateKind(predicate.getKind()).str() + "(";
  for (auto [i, arg] : llvm::enumerate(predicate.getArgs())) {
    text += i ? ", " : "";
    text += predicate.isValue(i) ? nameOf(arg) : std::to_string(arg);
  }
  return text + ")";
}

void forEachStatedRelation(Value value, RelationFn visit) {
  forEachStatement(value, [&](const StatedFacts &facts, unsigned) {
    for (auto p : facts.predicates.getAsRange<PredicateAttr>()) {
      auto argument = [&](unsigned i) { return facts.values[p.getArgs()[i]]; };
      if (p.getKind() == PredicateKind::range) {
        if (p.isValue(1))
          visit({IntPredicate::sge, argument(0), argument(1)});
        if (p.isValue(2))
          visit({IntPredicate::sle, argument(0), argument(2)});
      } else if (auto predicate = comparisonOf(p.getKind()); predicate && p.isValue(1)) {
        visit({*predicate, argument(0), argument(1)});
      }
    }
  });
}

/// An unsigned comparison as the signed one that follows from it, or nullopt. Below a non-negative
/// number in unsigned order only non-negative numbers stand, whatever the width of the carrier;
/// above it the negative ones do too.
static std::optional<IntPredicate> asSigned(IntPredicate predicate, bool nonNegative,
                                            bool otherNonNegative) {
  switch (predicate) {
  case IntPredicate::ult:
    return otherNonNegative ? std::optional(IntPredicate::slt) : std::nullopt;
  case IntPredicate::ule:
    return otherNonNegative ? std::optional(IntPredicate::sle) : std::nullopt;
  case IntPredicate::ugt:
    return nonNegative && otherNonNegative ? std::optional(IntPredicate::sgt) : std::nullopt;
  case IntPredicate::uge:
    return nonNegative && otherNonNegative ? std::optional(IntPredicate::sge) : std::nullopt;
  default:
    return predicate;
  }
}

/// The part of `range` whose values can stand in `value predicate other`; nullopt when there is
/// none.
static std::optional<ConstantIntRanges>
narrow(const ConstantIntRanges &range, IntPredicate predicate, const ConstantIntRanges &other) {
  unsigned width = range.smin().getBitWidth();
  if (other.smin().getBitWidth() != width)
    return range;
  APInt low = range.smin(), high = range.smax();
  auto ordered = asSigned(predicate, low.isNonNegative(), other.smin().isNonNegative());
  if (!ordered)
    return range;
  if (predicate == IntPredicate::ult || predicate == IntPredicate::ule)
    low = llvm::APIntOps::smax(low, APInt::getZero(width));
  switch (*ordered) {
  case IntPredicate::eq:
    low = llvm::APIntOps::smax(low, other.smin());
    high = llvm::APIntOps::smin(high, other.smax());
    break;
  case IntPredicate::ne:
    if (other.smin() != other.smax())
      break;
    if (low == high && low == other.smin())
      return std::nullopt;
    if (low == other.smin())
      ++low;
    else if (high == other.smin())
      --high;
    break;
  case IntPredicate::slt:
    if (other.smax().isMinSignedValue())
      return std::nullopt;
    high = llvm::APIntOps::smin(high, other.smax() - 1);
    break;
  case IntPredicate::sle:
    high = llvm::APIntOps::smin(high, other.smax());
    break;
  case IntPredicate::sgt:
    if (other.smin().isMaxSignedValue())
      return std::nullopt;
    low = llvm::APIntOps::smax(low, other.smin() + 1);
    break;
  default:
    low = llvm::APIntOps::smax(low, other.smin());
    break;
  }
  if (low.sgt(high))
    return std::nullopt;
  return range.intersection(ConstantIntRanges::fromSigned(low, high));
}

std::optional<ConstantIntRanges>
refineAt(Value value, ConstantIntRanges range, Operation *at,
         llvm::function_ref<std::optional<ConstantIntRanges>(Value)> rangeOf) {
  Value root = stripAssumes(value);
  std::optional<ConstantIntRanges> result = range;
  forEachPathRelation(at, [&](const Relation &relation) {
    bool left = stripAssumes(relation.lhs) == root, right = stripAssumes(relation.rhs) == root;
    if (!result || left == right)
      return;
    if (auto other = rangeOf(left ? relation.rhs : relation.lhs))
      result =
          narrow(*result, left ? relation.predicate : swapOperands(relation.predicate), *other);
  });
  return result;
}

} // namespace loom
