//===- LinearizeAddresses.cpp - One index per access ----------------------===//
//
// Row-major order makes the element `[i, j, k]` of a view the element `(i * J + j) * K + k` of its
// storage. The sum is built from the left, so that each dimension costs one `index.madd`. Literals
// do not take part in it: what they add up to comes last, where an address pass finds it as an
// immediate. Pending multiplications by static extents are merged the same way. With a strided
// layout the element is the sum of the coordinates times their strides instead. What elements are
// encoded with is nothing to an address: what lies in memory is accessed as it is.
//
//===----------------------------------------------------------------------===//
#include "Addresses.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_LINEARIZEADDRESSES
#include "loom/Transforms/Passes.h.inc"

namespace {

/// `value * scale + constant`, the linear index of the dimensions so far. `value` may be null.
class LinearIndex {
public:
  LinearIndex(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Goes on to a dimension of a static extent. Fails when the position of the literals does not
  /// fit an index.
  LogicalResult enter(int64_t extent) {
    auto position = llvm::checkedMul(constant, extent);
    if (!position)
      return failure();
    constant = *position;
    if (!value)
      return success();
    auto merged = llvm::checkedMul(scale, extent);
    if (!merged)
      value = IndexMulOp::create(builder, loc, value, literal(scale));
    scale = merged ? *merged : extent;
    return success();
  }
  /// Goes on to a dimension whose extent is a value.
  void enter(Value extent) {
    if (!value && constant == 0)
      return;
    value = IndexMulOp::create(builder, loc, get(), extent);
    scale = 1;
    constant = 0;
  }
  LogicalResult add(int64_t position) {
    auto sum = llvm::checkedAdd(constant, position);
    constant = sum.value_or(0);
    return success(sum.has_value());
  }
  void add(Value index) {
    if (!value)
      value = index;
    else if (scale == 1)
      value = IndexAddOp::create(builder, loc, value, index);
    else
      value = IndexMaddOp::create(builder, loc, value, literal(scale), index);
    scale = 1;
  }

  /// The literal position, when no value takes part.
  std::optional<int64_t> getLiteral() const {
    return value ? std::nullopt : std::optional(constant);
  }
  Value get() {
    if (!value)
      return literal(constant);
    if (scale == 1)
      return constant ? IndexAddOp::create(builder, loc, value, literal(constant)) : value;
    Value factor = literal(scale);
    if (constant == 0)
      return IndexMulOp::create(builder, loc, value, factor);
    return IndexMaddOp::create(builder, loc, value, factor, literal(constant));
  }

private:
  Value literal(int64_t number) { return IndexConstantOp::create(builder, loc, number); }

  OpBuilder &builder;
  Location loc;
  Value value;
  int64_t scale = 1, constant = 0;
};

/// The number that `value` is, as a literal or by a constant.
std::optional<int64_t> literalOf(OpFoldResult value) {
  IntegerAttr known;
  if (auto attribute = dyn_cast<Attribute>(value))
    known = cast<IntegerAttr>(attribute);
  else if (!matchPattern(cast<Value>(value), m_Constant(&known)))
    return std::nullopt;
  return known.getValue().getSExtValue();
}

/// The sum of coordinates times strides.
class StridedIndex {
public:
  StridedIndex(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Fails when the position of the literals does not fit an index.
  LogicalResult add(OpFoldResult index, OpFoldResult stride) {
    std::optional<int64_t> position = literalOf(index), step = literalOf(stride);
    if (position && step) {
      auto sum = llvm::checkedMulAdd(*position, *step, constant);
      constant = sum.value_or(0);
      return success(sum.has_value());
    }
    if (position == 0 || step == 0)
      return success();
    // One of the two is a value; a literal comes second.
    if (position)
      std::swap(index, stride), std::swap(position, step);
    Value factor = cast<Value>(index);
    if (step == 1) {
      sum = sum ? IndexAddOp::create(builder, loc, sum, factor).getResult() : factor;
      return success();
    }
    Value other = step ? literal(*step) : cast<Value>(stride);
    sum = sum ? IndexMaddOp::create(builder, loc, factor, other, sum).getResult()
              : IndexMulOp::create(builder, loc, factor, other).getResult();
    return success();
  }

  std::optional<int64_t> getLiteral() const { return sum ? std::nullopt : std::optional(constant); }
  Value get() {
    if (!sum)
      return literal(constant);
    return constant ? IndexAddOp::create(builder, loc, sum, literal(constant)).getResult() : sum;
  }

private:
  Value literal(int64_t number) { return IndexConstantOp::create(builder, loc, number); }

  OpBuilder &builder;
  Location loc;
  Value sum;
  int64_t constant = 0;
};

/// What the index list of an access names: literals and values.
template <typename Access> SmallVector<OpFoldResult> positionsOf(Access op) {
  Builder b(op.getContext());
  auto next = op.getIndices().begin();
  return llvm::map_to_vector(op.getStaticIndices(), [&](int64_t position) -> OpFoldResult {
    if (ShapedType::isDynamic(position))
      return *next++;
    return b.getIndexAttr(position);
  });
}

template <typename Access> void setLinear(Access op, std::optional<int64_t> literal, Value value) {
  if (literal) {
    op.getIndicesMutable().clear();
    op.setStaticIndices(*literal);
  } else {
    op.getIndicesMutable().assign(value);
    op.setStaticIndices(ShapedType::kDynamic);
  }
  op.setLinear(true);
}

template <typename Access> InFlightDiagnostic emitTooLarge(Access op) {
  return emitCoded(op, DiagCode::SubrangeBounds, "'")
         << getTextName(op) << "' addresses an element of " << op.getView().getType()
         << " whose linear position does not fit an index";
}

template <typename Access> LogicalResult linearizeStrided(Access op, const LayoutInfo &layout) {
  OpBuilder builder(op);
  StridedIndex index(builder, stripSourceInfo(op.getLoc()));
  for (auto [position, stride] : llvm::zip(positionsOf(op), layout.strides))
    if (failed(index.add(position, stride)))
      return emitTooLarge(op);
  std::optional<int64_t> literal = index.getLiteral();
  setLinear(op, literal, literal ? Value() : index.get());
  return success();
}

template <typename Access> LogicalResult linearizeDense(Access op) {
  auto view = cast<ViewType>(op.getView().getType());
  OpBuilder builder(op);
  LinearIndex index(builder, stripSourceInfo(op.getLoc()));
  SmallVector<Value> dims = getDynamicDims(op.getView());
  if (dims.size() != countSlots(view))
    return emitCoded(op, DiagCode::PolicyBody, "'")
           << getTextName(op) << "' accesses a view whose extents are not visible here";
  auto nextDim = dims.begin();
  LogicalResult fits = success();
  for (auto [extent, position] : llvm::zip(view.getShape(), positionsOf(op))) {
    if (ShapedType::isDynamic(extent))
      index.enter(*nextDim++);
    else
      fits = success(succeeded(fits) & succeeded(index.enter(extent)));
    if (std::optional<int64_t> known = literalOf(position))
      fits = success(succeeded(fits) & succeeded(index.add(*known)));
    else
      index.add(cast<Value>(position));
  }
  if (failed(fits))
    return emitTooLarge(op);
  std::optional<int64_t> literal = index.getLiteral();
  setLinear(op, literal, literal ? Value() : index.get());
  return success();
}

} // namespace

bool isConsecutive(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> strides) {
  int64_t expected = 1;
  for (auto [extent, stride] : llvm::zip(llvm::reverse(shape), llvm::reverse(strides))) {
    if (extent != 1 && literalOf(stride) != expected)
      return false;
    auto next = llvm::checkedMul(expected, extent);
    if (ShapedType::isDynamic(extent) || !next)
      return false;
    expected = *next;
  }
  return true;
}

namespace {

/// A part of a dense view is dense when all extents behind its first one that is not 1 stay whole.
bool isDensePart(ViewSubviewOp op) {
  auto from = cast<ViewType>(op.getView().getType()), to = cast<ViewType>(op.getType());
  SmallVector<Value> before = getDynamicDims(op.getView()), after = getDynamicDims(op.getResult());
  auto extentAt = [](ViewType view, ArrayRef<Value> dims, size_t axis) -> OpFoldResult {
    ArrayRef<int64_t> shape = view.getShape();
    if (!ShapedType::isDynamic(shape[axis]))
      return Builder(view.getContext()).getIndexAttr(shape[axis]);
    size_t slot = llvm::count(shape.take_front(axis), ShapedType::kDynamic);
    return slot < dims.size() ? OpFoldResult(dims[slot]) : OpFoldResult();
  };
  bool inside = false;
  for (size_t axis = 0; axis < to.getShape().size(); ++axis) {
    OpFoldResult whole = extentAt(from, before, axis), part = extentAt(to, after, axis);
    if (!whole || !part)
      return false;
    std::optional<int64_t> known = literalOf(part);
    if (inside && whole != part && (!known || known != literalOf(whole)))
      return false;
    inside |= known != 1;
  }
  return true;
}

/// The shape of the vector that an access moves; empty for one element.
ArrayRef<int64_t> vectorShapeOf(Operation *op) {
  Type type;
  if (auto load = dyn_cast<VectorLoadOp>(op))
    type = load.getType();
  else if (auto store = dyn_cast<VectorStoreOp>(op))
    type = store.getValue().getType();
  return type ? cast<VectorType>(type).getShape() : ArrayRef<int64_t>();
}

template <typename Access> LogicalResult linearize(Access op, bool keepDense) {
  if (op.getLinear())
    return success();
  Operation *operation = op;
  auto view = cast<ViewType>(op.getView().getType());
  auto refuse = [&](const Twine &why) {
    return emitCoded(op, DiagCode::TargetUnsupported, "'") << getTextName(op) << "' " << why;
  };
  LayoutInfo layout = getViewLayout(op.getView());
  if (layout.kind == LayoutInfo::Strided && layout.strides.size() == view.getShape().size()) {
    // Otherwise each run of elements has an index of its own.
    if (!isConsecutive(vectorShapeOf(op), layout.strides))
      return success();
    return linearizeStrided(op, layout);
  }
  if (layout.kind != LayoutInfo::Dense)
    return refuse("accesses a view whose strides are not visible here");
  if (auto part = dyn_cast<ViewSubviewOp>(operation); part && !isDensePart(part))
    return refuse("takes a part of ")
           << op.getView().getType() << " that is not dense; give the view a strided layout";
  // Where a part begins is nothing that is checked.
  if (view.getShape().size() == 1 || (keepDense && !isa<ViewSubviewOp>(operation)))
    return success();
  return linearizeDense(op);
}

struct LinearizeAddressesPass : impl::LinearizeAddressesBase<LinearizeAddressesPass> {
  using LinearizeAddressesBase::LinearizeAddressesBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<IndexDialect>();
  }

  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<ViewLoadOp, ViewStoreOp, ViewSubviewOp, VectorLoadOp, VectorStoreOp>(
                  [&](auto access) { return linearize(access, keepDense); })
              .Default(success());
      failedAny |= failed(result);
    });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace loom
