//===- BindConfig.cpp - Configuration values become constants -------------===//
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/Signatures.h"
#include "loom/Transforms/Fold.h"
#include "loom/Transforms/Passes.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_BINDCONFIG
#include "loom/Transforms/Passes.h.inc"

namespace {

struct BindConfig : impl::BindConfigBase<BindConfig> {
  using BindConfigBase::BindConfigBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kept = resolveRoots(module, roots);
    if (failed(kept))
      return signalPassFailure();
    llvm::SetVector<Operation *> reached = reachableSymbols(module, *kept);
    bool ok = true;
    SymbolTableCollection tables;
    module.walk([&](ConfigGetOp get) {
      Operation *symbol = lookupSymbol(get, get.getConfigAttr(), &tables);
      if (auto def = dyn_cast_or_null<ConfigDefOp>(symbol))
        ok &= succeeded(bind(get, def));
      else if (isReached(get, reached))
        ok = reportMissing(get, symbol);
    });
    if (!ok)
      signalPassFailure();
  }

private:
  static bool isReached(Operation *op, const llvm::SetVector<Operation *> &reached) {
    while (op->getParentOp() && !isa<ModuleOp>(op->getParentOp()))
      op = op->getParentOp();
    return reached.contains(op);
  }

  static LogicalResult bind(ConfigGetOp get, ConfigDefOp def) {
    if (auto encoding = dyn_cast<EncodingAttr>(def.getValue());
        encoding && get.getType() == def.getValueType()) {
      OpBuilder builder(get);
      Value value = EncodingDefineOp::create(builder, get.getLoc(), get.getType(), encoding,
                                             ValueRange(), builder.getArrayAttr({}));
      get.replaceAllUsesWith(value);
      get.erase();
      return success();
    }
    auto literal = convertLiteral(def.getValue(), def.getValueType(), [&](const Twine &message) {
      return emitCoded(def, DiagCode::TypeAttribute, message);
    });
    if (failed(literal))
      return failure();
    OpBuilder builder(get);
    Value constant = materializeConstant(builder, get.getLoc(), *literal, get.getType());
    if (!constant)
      return emitCoded(get, DiagCode::TypeMismatch, "@")
             << get.getConfig() << " cannot be read as " << get.getType();
    get.replaceAllUsesWith(constant);
    get.erase();
    return success();
  }

  static bool reportMissing(ConfigGetOp get, Operation *declaration) {
    InFlightDiagnostic diag = emitCoded(get, DiagCode::ConfigMissing, "nothing supplies @");
    diag << get.getConfig() << ", which is read here";
    if (declaration)
      diag.attachNote(declaration->getLoc())
          << "declared here; define it with --config=" << get.getConfig()
          << "=VALUE or with 'config.def' in another input";
    return false;
  }
};

} // namespace
} // namespace loom
