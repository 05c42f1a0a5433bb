//===- Differences.cpp - Bounds of differences of values ------------------===//
#include "Differences.h"
#include "RangeAnalysis.h"
#include "loom/Dialect/Index/Index.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

/// Values that one question may involve; beyond it, less is known.
static constexpr unsigned kMaxNodes = 64, kMaxEdges = 512;

static std::optional<int64_t> constantOf(Value value) {
  IntegerAttr literal;
  if (!matchPattern(value, m_Constant(&literal)))
    return std::nullopt;
  return literal.getValue().getSExtValue();
}

unsigned Differences::node(Value value) {
  return nodes.insert({value, static_cast<unsigned>(nodes.size())}).first->second;
}

Differences::Term Differences::term(Value value) {
  int64_t offset = 0;
  while (value) {
    value = stripAssumes(value);
    std::optional<int64_t> constant;
    Value base;
    bool subtract = false;
    if (auto literal = constantOf(value)) {
      constant = literal;
    } else if (auto sum = value.getDefiningOp<IndexAddOp>()) {
      if ((constant = constantOf(sum.getRhs())))
        base = sum.getLhs();
      else if ((constant = constantOf(sum.getLhs())))
        base = sum.getRhs();
    } else if (auto difference = value.getDefiningOp<IndexSubOp>()) {
      constant = constantOf(difference.getRhs());
      base = difference.getLhs();
      subtract = true;
    }
    if (!constant)
      return {node(value), offset};
    auto next =
        subtract ? llvm::checkedSub(offset, *constant) : llvm::checkedAdd(offset, *constant);
    if (!next)
      return {node(value), offset};
    offset = *next;
    value = base;
  }
  return {node(Value()), offset};
}

void Differences::add(Value lhs, Value rhs, int64_t limit) {
  if (edges.size() >= kMaxEdges || nodes.size() >= kMaxNodes)
    return;
  Term x = term(lhs), y = term(rhs);
  // (x + p) - (y + q) <= limit
  auto q = llvm::checkedAdd(limit, y.offset);
  auto adjusted = q ? llvm::checkedSub(*q, x.offset) : std::nullopt;
  if (adjusted && x.node != y.node)
    edges.push_back({x.node, y.node, *adjusted});
}

void Differences::add(const Relation &relation, RangeFn rangeOf) {
  auto nonNegative = [&](Value value) {
    auto range = rangeOf(value);
    return range && range->smin().isNonNegative();
  };
  Value lhs = relation.lhs, rhs = relation.rhs;
  switch (relation.predicate) {
  case IntPredicate::eq:
    add(lhs, rhs, 0);
    add(rhs, lhs, 0);
    return;
  case IntPredicate::ne:
    return;
  // In unsigned order the right side has to be known as non-negative; then the left side is too.
  case IntPredicate::ult:
  case IntPredicate::ule:
    if (!nonNegative(rhs))
      return;
    [[fallthrough]];
  case IntPredicate::slt:
  case IntPredicate::sle:
    return add(lhs, rhs,
               relation.predicate == IntPredicate::slt || relation.predicate == IntPredicate::ult
                   ? -1
                   : 0);
  default:
    return add({swapOperands(relation.predicate), rhs, lhs}, rangeOf);
  }
}

Differences::Differences(Value a, Value b, Operation *at, RangeFn rangeOf) {
  node(Value());
  auto relation = [&](const Relation &r) {
    // Wrapping arithmetic of fixed-width integers is no subject here.
    if (isAddressType(r.lhs.getType()))
      add(r, rangeOf);
  };
  for (Value value : {a, b})
    if (value)
      forEachStatedRelation(value, relation);
  if (at) {
    forEachPathRelation(at, relation);
    forEachLoopRelation(at, relation);
  }
  termA = term(a);
  termB = term(b);
  // The loops grow `nodes` and so cannot iterate over it.
  for (unsigned i = 1; i < nodes.size() && i < kMaxNodes; ++i) {
    Value value = nodes.begin()[i].first;
    forEachStatedRelation(value, relation);
    if (auto min = value.getDefiningOp<IndexMinOp>()) {
      add(value, min.getLhs(), 0);
      add(value, min.getRhs(), 0);
    } else if (auto max = value.getDefiningOp<IndexMaxOp>()) {
      add(max.getLhs(), value, 0);
      add(max.getRhs(), value, 0);
    }
  }
  for (auto &[value, id] : nodes) {
    auto range = value ? rangeOf(value) : std::nullopt;
    if (!range || range->smin().getBitWidth() > 64)
      continue;
    edges.push_back({id, 0, range->smax().getSExtValue()});
    if (!range->smin().isMinSignedValue())
      edges.push_back({0, id, -range->smin().getSExtValue()});
  }
  // The ranges of the two themselves know more than those of their roots.
  auto range = [&](Value value, const Term &t) {
    auto known = value ? rangeOf(value) : std::nullopt;
    if (!known || known->smin().getBitWidth() > 64)
      return;
    if (auto high = llvm::checkedSub(known->smax().getSExtValue(), t.offset))
      edges.push_back({t.node, 0, *high});
    if (auto low = llvm::checkedSub(t.offset, known->smin().getSExtValue()))
      edges.push_back({0, t.node, *low});
  };
  range(a, termA);
  range(b, termB);
}

std::optional<int64_t> Differences::bound() const {
  constexpr int64_t kUnknown = INT64_MAX;
  SmallVector<int64_t> distance(nodes.size(), kUnknown);
  distance[termA.node] = 0;
  // Contradictory promises make circles that shorten without end; the rounds are limited.
  for (unsigned round = 0; round < nodes.size(); ++round) {
    bool changed = false;
    for (const Edge &edge : edges) {
      if (distance[edge.from] == kUnknown || edge.limit == kUnknown)
        continue;
      auto through = llvm::checkedAdd(distance[edge.from], edge.limit);
      if (through && *through < distance[edge.to]) {
        distance[edge.to] = *through;
        changed = true;
      }
    }
    if (!changed)
      break;
  }
  if (distance[termB.node] == kUnknown)
    return std::nullopt;
  auto shifted = llvm::checkedAdd(distance[termB.node], termA.offset);
  return shifted ? llvm::checkedSub(*shifted, termB.offset) : std::nullopt;
}

} // namespace loom
