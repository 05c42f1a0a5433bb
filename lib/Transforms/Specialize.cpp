//===- Specialize.cpp - The specialization pass ---------------------------===//
#include "SpecializeUnit.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Transforms/Passes.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_SPECIALIZE
#include "loom/Transforms/Passes.h.inc"

namespace {

struct Specialize : impl::SpecializeBase<Specialize> {
  using SpecializeBase::SpecializeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetProfile *profile = nullptr;
    if (!target.empty() && !(profile = resolveTarget(module)))
      return signalPassFailure();
    auto kept = resolveRoots(module, roots);
    if (failed(kept))
      return signalPassFailure();
    ModuleSymbols symbols(module);
    bool ok = true;
    llvm::SetVector<Operation *> reached = reachableSymbols(module, *kept, [&](Operation *symbol) {
      if (!isa<KernelDefOp, FuncDefOp>(symbol))
        return true;
      bool done = succeeded(UnitSpecializer(symbol, symbols, profile, checkFacts).run());
      ok &= done;
      return done;
    });
    if (!ok)
      return signalPassFailure();
    // What was a question about the target is a number now; who asks again needs to know of which.
    if (profile)
      module->setAttr(
          kSpecializedTarget,
          StringAttr::get(&getContext(),
                          (stringifyFamily(profile->family) + ":" + profile->key).str()));
    eraseOthers(module, reached);
  }

private:
  const TargetProfile *resolveTarget(ModuleOp module) {
    std::vector<std::string> suggestions;
    const TargetProfile *profile = lookupTargetProfile(target, std::nullopt, &suggestions);
    if (profile)
      return profile;
    InFlightDiagnostic diag = emitCoded(module, DiagCode::TargetUnknown, "unknown target '");
    diag << target.getValue() << "'";
    for (auto [i, suggestion] : llvm::enumerate(suggestions))
      diag << (i ? ", " : "; did you mean ") << "'" << suggestion << "'";
    if (!suggestions.empty())
      diag << "?";
    return nullptr;
  }
};

} // namespace
} // namespace loom
