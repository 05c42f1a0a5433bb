//===- SpecializeFold.cpp - Folding that keeps the program in order -------===//
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Fold.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace loom {
using namespace mlir;

Value materializeConstant(OpBuilder &builder, Location loc, Attribute value, Type type) {
  if (isAddressType(type)) {
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer || (isa<OffsetType>(type) && integer.getValue().isNegative()))
      return {};
    return IndexConstantOp::create(builder, loc, type, integer.getValue().getSExtValue());
  }
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return {};
  if (isPayloadScalar(type) && typed.getType() == type)
    return ScalarConstantOp::create(builder, loc, type, typed);
  if (auto vector = dyn_cast<VectorType>(type);
      vector && countSlots(vector) == 0 && typed.getType() == vector.getElementType())
    return VectorConstantOp::create(builder, loc, type, typed);
  return {};
}

Location replacementLoc(OpResult result) {
  Operation *op = result.getOwner();
  if (op->getNumResults() == 1)
    return op->getLoc();
  Location bare = stripSourceInfo(op->getLoc());
  StringRef name = getValueName(result);
  return name.empty() ? bare : nameLoc(bare, {name});
}

/// Whether folding `op` may swap its operands and thereby choose another NaN: the folder of
/// commutative operations brings constants to the right.
static bool isOrderSensitive(Operation *op) {
  return op->hasTrait<OpTrait::IsCommutative>() && op->getNumResults() == 1 &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
}

/// Folds one operation; its results are no longer used afterwards if it became other values.
static bool foldOne(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isOrderSensitive(op))
    return false;
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(folded)))
    return false;
  if (folded.empty()) // changed in place
    return true;
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (auto [result, fold] : llvm::zip(op->getResults(), folded)) {
    Value value = dyn_cast<Value>(fold);
    if (!value)
      value = materializeConstant(builder, replacementLoc(result), cast<Attribute>(fold),
                                  result.getType());
    values.push_back(value);
  }
  // What cannot be written as a constant stays; unused constants are removed later.
  if (llvm::is_contained(values, Value()) || op->use_empty())
    return false;
  op->replaceAllUsesWith(values);
  return true;
}

static bool foldAll(Operation *root) {
  bool changed = false;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      changed |= foldOne(op);
  });
  return changed;
}

/// Bottom up, so that what only fed a dead operation goes with it.
static bool eraseDead(Region &region) {
  bool changed = false;
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
        continue;
      }
      for (Region &nested : op.getRegions())
        changed |= eraseDead(nested);
    }
  return changed;
}

/// The canonicalization patterns of every dialect of the language.
static FrozenRewritePatternSet collectPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace().starts_with("loom_"))
      name.getCanonicalizationPatterns(patterns, context);
  return FrozenRewritePatternSet(std::move(patterns));
}

bool foldToFixpoint(Operation *root) {
  FrozenRewritePatternSet patterns = collectPatterns(root->getContext());
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setUseTopDownTraversal(true);
  // Every round makes the program smaller or more constant; the limit is for patterns that undo
  // each other.
  constexpr unsigned kMaxRounds = 64;
  bool everChanged = false;
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    bool changed = foldAll(root), rewritten = false;
    (void)applyPatternsGreedily(root, patterns, config, &rewritten);
    for (Region &region : root->getRegions())
      changed |= eraseDead(region);
    if (!changed && !rewritten)
      break;
    everChanged = true;
  }
  return everChanged;
}

} // namespace loom
