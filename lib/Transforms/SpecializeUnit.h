//===- SpecializeUnit.h - Specialization of one definition ------*- C++ -*-===//
//
// A unit is a definition that stays: a kernel, or a function that is a root. It is flattened: every
// call in it is replaced by a body until none is left.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_SPECIALIZEUNIT_H
#define LOOM_LIB_TRANSFORMS_SPECIALIZEUNIT_H

#include "SpecializeSelect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace loom {

/// The symbols of a module by name, and the implementations of its families in program order.
struct ModuleSymbols {
  explicit ModuleSymbols(mlir::ModuleOp module);

  llvm::StringMap<mlir::Operation *> symbols;
  llvm::StringMap<llvm::SmallVector<mlir::Operation *>> implementations;
};

class UnitSpecializer {
public:
  /// `target` is the profile to compile for, or null; then the unit's own record decides.
  /// With `checkFacts` the kernel checks what is taken on trust.
  UnitSpecializer(mlir::Operation *unit, const ModuleSymbols &symbols, const TargetProfile *target,
                  bool checkFacts);

  mlir::LogicalResult run();
  /// The same without what is decided for want of knowledge: applications that need more facts
  /// stay. `chosen` receives the implementations that were inlined, `undecided` those that may be
  /// chosen yet.
  mlir::LogicalResult runEarly(llvm::SetVector<mlir::Operation *> &chosen,
                               llvm::SetVector<mlir::Operation *> &undecided);

private:
  /// A body that was inlined: whose, where it was called, and in which body that call stood (an
  /// index, or -1 for the unit itself).
  struct Frame {
    mlir::Operation *callee;
    mlir::Location place;
    int parent;
  };
  /// A call whose callee is known.
  struct Decision {
    mlir::Operation *call;
    mlir::Operation *callee;
    bool assumeWhere = false; ///< the facts that the callee states are taken on trust
  };
  enum class Progress { None, Changed, Failed };

  mlir::LogicalResult flatten(bool early);
  void collectUndecided(llvm::SetVector<mlir::Operation *> &undecided);
  mlir::LogicalResult checkUnitTarget();
  void foldTargetQueries();
  Progress foldExactValues();
  Progress resolveCalls(bool final);
  mlir::LogicalResult decide(mlir::Operation *call, const Facts &facts, bool final,
                             llvm::SmallVectorImpl<Decision> &decisions);
  mlir::LogicalResult decideExact(mlir::Operation *call, mlir::Operation *callee,
                                  const Facts &facts, bool final,
                                  llvm::SmallVectorImpl<Decision> &decisions);
  mlir::LogicalResult checkCallee(mlir::Operation *call, mlir::Operation *callee);
  mlir::LogicalResult inlineCall(const Decision &decision);
  void assumeWhere(mlir::Operation *call, mlir::ArrayAttr where);
  void checkTrusted(mlir::Operation *call, mlir::Operation *assume);
  mlir::LogicalResult reportCycle(const Decision &decision);

  mlir::Operation *unit;
  const ModuleSymbols &symbols;
  const TargetProfile *target;
  bool checkFacts;
  llvm::SmallVector<Frame> frames;
  /// The frame of a call that was copied, plus one.
  llvm::DenseMap<mlir::Operation *, int> frameOf;
  unsigned copiedOps = 0;
  llvm::SetVector<mlir::Operation *> inlined; ///< whose bodies were copied
};

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_SPECIALIZEUNIT_H
