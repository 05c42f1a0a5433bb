//===- SanitizeValues.cpp - Assumptions that are checked ------------------===//
//
// An assumption stays, so that the program is compiled as without the check; in front of it stands
// the check of its operands. This has to happen before anything is folded: what is concluded from
// an assumption may make the assumption itself disappear.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_SANITIZEVALUES
#include "loom/Transforms/Passes.h.inc"

namespace {

/// The symbols that operations below `region` name.
void collectSymbols(Region &region, SmallVectorImpl<StringRef> &names) {
  region.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
        names.push_back(symbol.getValue());
  });
}

/// What launch configurations may call. They are evaluated on the host, by an evaluation that
/// checks assumptions itself, and hold pure operations only.
llvm::StringSet<> findHostSymbols(ModuleOp module) {
  llvm::StringSet<> found;
  SmallVector<StringRef> open;
  for (auto kernel : module.getOps<KernelDefOp>())
    collectSymbols(kernel.getConfig(), open);
  while (!open.empty()) {
    StringRef name = open.pop_back_val();
    if (!found.insert(name).second)
      continue;
    if (Operation *symbol = SymbolTable::lookupSymbolIn(module, name))
      for (Region &region : symbol->getRegions())
        collectSymbols(region, open);
  }
  return found;
}

void checkAssumption(Operation *assume, ValueRange values, ArrayAttr predicates) {
  OpBuilder builder(assume);
  auto check =
      SanitizerAssertOpOp::create(builder, stripSourceInfo(assume->getLoc()), values, predicates);
  check->setAttr("assumed", builder.getStringAttr(getTextName(assume)));
}

struct SanitizeValuesPass : impl::SanitizeValuesBase<SanitizeValuesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<SanitizerDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> host = findHostSymbols(module);
    auto visit = [](Operation *op) {
      if (auto assume = dyn_cast<IndexAssumeOp>(op))
        checkAssumption(op, op->getOperands(), assume.getPredicates());
      else if (auto assume = dyn_cast<ScalarAssumeOp>(op))
        checkAssumption(op, op->getOperands(), assume.getPredicates());
      else if (auto fragment = dyn_cast<VectorFragmentOp>(op); fragment && fragment.getPredicates())
        checkAssumption(op, fragment.getFacts(), *fragment.getPredicates());
    };
    for (Operation &op : module.getOps()) {
      if (auto kernel = dyn_cast<KernelDefOp>(op)) {
        kernel.getBody().walk(visit);
        continue;
      }
      auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (isa<FuncDefOp, TemplateDefOp>(op) && !(name && host.contains(name.getValue())))
        op.walk(visit);
    }
  }
};

} // namespace
} // namespace loom
