//===- Dims.cpp - What fills the slots of dependent types -----------------===//
#include "loom/IR/Loom.h"
#include "loom/IR/NearDims.h"
#include "mlir/IR/Matchers.h"

namespace loom {
using namespace mlir;

Attribute getTypeLayout(Type type) {
  if (auto view = dyn_cast<ViewType>(type))
    return view.getLayout();
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor.getEncoding();
  if (auto tile = dyn_cast<TileType>(type))
    return tile.getEncoding();
  return {};
}

unsigned countSlots(Type type) {
  if (auto pool = dyn_cast<PoolType>(type))
    return ShapedType::isDynamic(pool.getBlockSize());
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return 0;
  unsigned layout = isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type));
  return llvm::count_if(shaped.getShape(), ShapedType::isDynamic) + layout;
}

/// The operand that a result has its slots from: of the same type, else of the same shape.
static Value findSource(OpResult result) {
  Operation *op = result.getOwner();
  for (Value operand : op->getOperands())
    if (operand.getType() == result.getType())
      return operand;
  auto shaped = dyn_cast<ShapedType>(result.getType());
  if (!shaped || isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(result.getType())))
    return {};
  for (Value operand : op->getOperands())
    if (auto other = dyn_cast<ShapedType>(operand.getType()))
      if (other.getShape() == shaped.getShape())
        return operand;
  return {};
}

static thread_local PendingDimsScope *pendingScope = nullptr;

PendingDimsScope::PendingDimsScope() : outer(pendingScope) { pendingScope = this; }
PendingDimsScope::~PendingDimsScope() { pendingScope = outer; }

void PendingDimsScope::set(Value argument, ArrayRef<Value> values) {
  dims[argument].assign(values.begin(), values.end());
}

SmallVector<Value> PendingDimsScope::get(Value argument) {
  return pendingScope ? llvm::to_vector(ArrayRef(pendingScope->dims.lookup(argument)))
                      : SmallVector<Value>();
}

static thread_local NearDimsScope *nearScope = nullptr;

NearDimsScope::NearDimsScope(unsigned steps) : left(steps), outer(nearScope) { nearScope = this; }
NearDimsScope::~NearDimsScope() { nearScope = outer; }

bool NearDimsScope::step() {
  // What a PendingDimsScope knows makes every walk short, and has to be right.
  if (!nearScope || pendingScope)
    return true;
  return nearScope->left && nearScope->left--;
}

/// The same without what a scope knows; follows chains of operations that pass their slots on.
static SmallVector<Value> findDims(Value value) {
  while (value && NearDimsScope::step()) {
    if (SmallVector<Value> known = PendingDimsScope::get(value); !known.empty())
      return known;
    Operation *owner = value.getDefiningOp();
    if (!owner)
      owner = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (auto dependent = dyn_cast_or_null<DependentOpInterface>(owner))
      return dependent.getDimsOf(value);
    if (auto dims = value.getDefiningOp<DimsOpInterface>())
      return llvm::to_vector(dims.getDynamicDims());
    auto result = dyn_cast<OpResult>(value);
    value = result ? findSource(result) : Value();
  }
  return {};
}

SmallVector<Value> getDynamicDims(Value value) {
  unsigned count = countSlots(value.getType());
  if (count == 0)
    return {};
  SmallVector<Value> dims = findDims(value);
  if (dims.size() > count) // those of an operand of the same shape, which has a layout too
    dims.truncate(count);
  // A long chain of operations is walked once while a scope is open.
  if (pendingScope && !dims.empty())
    pendingScope->set(value, dims);
  return dims;
}

bool isSameExtent(Value a, Value b) {
  if (a == b)
    return true;
  Attribute left, right;
  return a && b && matchPattern(a, m_Constant(&left)) && matchPattern(b, m_Constant(&right)) &&
         left == right;
}

} // namespace loom
