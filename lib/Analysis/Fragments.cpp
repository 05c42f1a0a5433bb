//===- Fragments.cpp - Which vectors are shares of which matrix -----------===//
#include "loom/Analysis/Fragments.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/IR/Lanewise.h"

namespace loom {
using namespace mlir;

std::string stringifyFragment(const FragmentFact &fact) {
  static constexpr const char *names[] = {"lhs", "rhs", "init or result"};
  std::string text = names[static_cast<unsigned>(fact.part)];
  text += " [";
  if (fact.shape.blocks != 1)
    text += "blocks(" + std::to_string(fact.shape.blocks) + "), ";
  return text + std::to_string(fact.shape.rows) + ", " + std::to_string(fact.shape.columns) + "]";
}

//===----------------------------------------------------------------------===//
// What operations say
//===----------------------------------------------------------------------===//

bool Fragments::isFragmentOp(Operation *op) {
  return isa<VectorFragmentOp, VectorFragmentLoadOp, VectorFragmentRepackOp, VectorFragmentStoreOp,
             VectorMmaOp>(op);
}

Value Fragments::vectorOf(Operation *op) {
  if (auto store = dyn_cast<VectorFragmentStoreOp>(op))
    return store.getValue();
  return op->getResult(0);
}

static FragmentPart partOf(FragmentRole role) {
  return role == FragmentRole::lhs   ? FragmentPart::Lhs
         : role == FragmentRole::rhs ? FragmentPart::Rhs
                                     : FragmentPart::Sum;
}

static bool hasSchema(std::optional<ArrayAttr> keys) {
  return keys && llvm::any_of(*keys, [](Attribute key) {
           return cast<StringAttr>(key).getValue() == "schema";
         });
}

std::optional<FragmentFact> Fragments::statedBy(Operation *op) const {
  FragmentFact fact;
  auto read = [&](FragmentRole role, Value vector, OperandRange values,
                  ArrayRef<int64_t> literals) {
    SmallVector<int64_t, 3> extents;
    for (int64_t extent : literals) {
      if (ShapedType::isDynamic(extent)) {
        extent = facts.exact(values.front()).value_or(0);
        values = values.drop_front();
      }
      if (extent < 1)
        return false;
      extents.push_back(extent);
    }
    fact.part = partOf(role);
    fact.shape = {extents[extents.size() - 2], extents.back(),
                  extents.size() == 3 ? extents.front() : 1};
    Type element = cast<VectorType>(vector.getType()).getElementType();
    fact.bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    return true;
  };
  bool isKnown = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case<VectorFragmentOp, VectorFragmentLoadOp>([&](auto o) {
                       if (hasSchema(o.getAuxiliaryKeys()))
                         fact.encoded = op;
                       return read(o.getRole(), o.getResult(), o.getShape(), o.getStaticShape());
                     })
                     .Case([&](VectorFragmentRepackOp o) {
                       return read(o.getRole(), o.getResult(), o.getShape(), o.getStaticShape());
                     })
                     .Case([&](VectorFragmentStoreOp o) {
                       return read(o.getRole(), o.getValue(), o.getShape(), o.getStaticShape());
                     })
                     .Default([](Operation *) { return false; });
  return isKnown ? std::optional(fact) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Of a value that is one of two.
Fragments::State Fragments::join(const State &a, const State &b) {
  if (a.kind == Kind::Unknown || b.kind == Kind::Mixed)
    return b;
  if (b.kind == Kind::Unknown || a.kind == Kind::Mixed)
    return a;
  if (a.kind == b.kind && a.fact == b.fact)
    return a;
  // Equal elements are a share of the matrix of the other way, or a plain vector as that is.
  if (a.kind == Kind::Any || b.kind == Kind::Any)
    return a.kind == Kind::Any ? b : a;
  return {Kind::Mixed};
}

/// The result of an operation without regions. States of operands only rise, and so does this.
Fragments::State Fragments::transfer(Operation *op) const {
  if (isa<VectorConstantOp, VectorDynamicConstantOp, VectorSplatOp, VectorPoisonOp>(op))
    return {Kind::Any};
  if (auto product = dyn_cast<VectorMmaOp>(op)) {
    State lhs = of(product.getLhs()), rhs = of(product.getRhs()), sum = of(product.getInitial());
    // What does not fit together is refused where the product stands.
    if (sum.kind == Kind::Share || lhs.kind != Kind::Share || rhs.kind != Kind::Share)
      return sum;
    State result = {Kind::Share};
    result.fact.shape = {lhs.fact.shape.rows, rhs.fact.shape.columns, lhs.fact.shape.blocks};
    Type element = cast<VectorType>(product.getType()).getElementType();
    result.fact.bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    return result;
  }
  if (isFragmentOp(op)) {
    // Where an extent is not known the operation itself is refused.
    std::optional<FragmentFact> fact = statedBy(op);
    return fact ? State{Kind::Share, *fact} : State{Kind::Any};
  }
  if (auto select = dyn_cast<ScfSelectOp>(op))
    return join(of(select.getTrueValue()), of(select.getFalseValue()));
  if (auto decode = dyn_cast<VectorDecodeOp>(op)) {
    State payload = of(decode.getPayload());
    payload.fact.encoded = nullptr;
    bool isSame = cast<VectorType>(decode.getPayload().getType()).getShape() ==
                  cast<VectorType>(decode.getType()).getShape();
    return isSame || payload.kind != Kind::Share ? payload : State{Kind::Plain};
  }
  auto lanewise = dyn_cast<LanewiseOpInterface>(op);
  bool isElementwise = lanewise && lanewise.getLanewiseFunction() != LanewiseFunction::bitcast;
  if (!isElementwise && !isa<VectorSelectOp>(op))
    return {Kind::Plain};
  State state;
  bool isPlain = false, isUnknown = false;
  for (Value operand : op->getOperands()) {
    if (!isa<VectorType>(operand.getType()))
      continue;
    State own = of(operand);
    isPlain |= own.kind == Kind::Plain;
    isUnknown |= own.kind == Kind::Unknown;
    if (own.kind != Kind::Plain)
      state = join(state, own);
  }
  if (state.kind == Kind::Share || state.kind == Kind::Mixed)
    return state;
  // Equal elements may become a share in a later iteration of a loop, and then so does this.
  if (isUnknown || (isPlain && state.kind == Kind::Any && !isSettled))
    return {};
  return isPlain ? State{Kind::Plain} : state;
}

void Fragments::raise(Value value, const State &state) {
  if (!isa<VectorType>(value.getType()))
    return;
  State &known = states[value];
  State risen = join(known, state);
  if (risen.kind == known.kind && risen.fact == known.fact)
    return;
  known = risen;
  changed = true;
}

/// What control flow passes on.
void Fragments::visitRegions(Operation *op) {
  if (auto loop = dyn_cast<ScfForOp>(op)) {
    Block &body = *loop.getYield()->getBlock();
    for (OpResult result : loop->getResults()) {
      unsigned i = result.getResultNumber();
      Value carried = body.getArgument(1 + i);
      raise(carried, of(loop.getInits()[i]));
      raise(carried, of(loop.getYield()->getOperand(i)));
      raise(result, of(carried));
    }
    return;
  }
  if (auto loop = dyn_cast<ScfWhileOp>(op)) {
    Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
    auto condition = cast<ScfConditionOp>(before.getTerminator());
    for (auto [i, carried] : llvm::enumerate(before.getArguments())) {
      raise(carried, of(loop.getInits()[i]));
      raise(carried, of(after.getTerminator()->getOperand(i)));
    }
    for (auto [i, value] : llvm::enumerate(condition.getValues())) {
      raise(after.getArgument(i), of(value));
      raise(loop->getResult(i), of(value));
    }
    return;
  }
  for (OpResult result : op->getResults())
    for (Region &region : op->getRegions())
      if (!region.empty())
        raise(result, of(region.front().getTerminator()->getOperand(result.getResultNumber())));
}

void Fragments::visit(Operation *op) {
  if (op->getNumRegions())
    return visitRegions(op);
  if (auto lookup = dyn_cast<ScfLookupOp>(op)) {
    for (auto [i, cell] : llvm::enumerate(lookup.getCells()))
      raise(lookup->getResult(i % lookup->getNumResults()), of(cell));
    return;
  }
  if (op->getNumResults() == 0 || !llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>))
    return;
  State state = transfer(op);
  for (Value result : op->getResults())
    raise(result, state);
}

Fragments::Fragments(KernelDefOp kernel, const Facts &facts) : facts(facts) {
  kernel.getBody().walk([&](Operation *op) {
    if (isFragmentOp(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    raise(argument, {Kind::Plain});
  for (bool settled : {false, true}) {
    isSettled = settled;
    do {
      changed = false;
      kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    } while (changed);
  }
}

} // namespace loom
