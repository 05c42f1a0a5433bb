//===- LinearizeAddresses.cpp - One index per access ----------------------===//
//
// Row-major order makes the element `[i, j, k]` of a view the element `(i * J + j) * K + k` of its
// storage. The sum is built from the left, so that each dimension costs one `index.madd`. Literals
// do not take part in it: what they add up to comes last, where an address pass finds it as an
// immediate. Pending multiplications by static extents are merged the same way.
//
//===----------------------------------------------------------------------===//
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

template <typename Access> LogicalResult linearize(Access op) {
  auto view = cast<ViewType>(op.getView().getType());
  if (op.getLinear() || view.getShape().size() == 1)
    return success();
  OpBuilder builder(op);
  LinearIndex index(builder, stripSourceInfo(op.getLoc()));
  SmallVector<Value> dims = getDynamicDims(op.getView());
  if (dims.size() != static_cast<size_t>(view.getNumDynamicDims()))
    return emitCoded(op, DiagCode::PolicyBody, "'")
           << getTextName(op) << "' accesses a view whose extents are not visible here";
  auto nextDim = dims.begin();
  auto nextIndex = op.getIndices().begin();
  LogicalResult fits = success();
  for (auto [extent, position] : llvm::zip(view.getShape(), op.getStaticIndices())) {
    if (ShapedType::isDynamic(extent))
      index.enter(*nextDim++);
    else
      fits = success(succeeded(fits) & succeeded(index.enter(extent)));
    IntegerAttr known;
    if (!ShapedType::isDynamic(position))
      fits = success(succeeded(fits) & succeeded(index.add(position)));
    else if (Value given = *nextIndex++; matchPattern(given, m_Constant(&known)))
      fits = success(succeeded(fits) & succeeded(index.add(known.getValue().getSExtValue())));
    else
      index.add(given);
  }
  if (failed(fits))
    return emitCoded(op, DiagCode::SubrangeBounds, "'")
           << getTextName(op) << "' addresses an element of " << Type(view)
           << " whose linear position does not fit an index";
  if (std::optional<int64_t> literal = index.getLiteral()) {
    op.getIndicesMutable().clear();
    op.setStaticIndices(*literal);
  } else {
    op.getIndicesMutable().assign(index.get());
    op.setStaticIndices(ShapedType::kDynamic);
  }
  op.setLinear(true);
  return success();
}

struct LinearizeAddressesPass : impl::LinearizeAddressesBase<LinearizeAddressesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<IndexDialect>();
  }

  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                                 .Case<ViewLoadOp, ViewStoreOp, VectorLoadOp, VectorStoreOp>(
                                     [](auto access) { return linearize(access); })
                                 .Default(success());
      failedAny |= failed(result);
    });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace loom
