//===- Planner.h - From cases and scenarios to plans ------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_PLANNER_H
#define LOOM_LIB_CHECK_PLANNER_H

#include "HostCode.h"
#include "loom/Check/Plan.h"
#include "llvm/ADT/StringMap.h"

namespace loom::check {

class Planner {
public:
  Planner(mlir::ModuleOp module, const PlanOptions &options, TestPlan &plan)
      : module(module), options(options), plan(plan), functions(module) {}

  void planCase(CheckCaseOp op, uint64_t index);
  void planScenario(CheckScenarioOp op, uint64_t index);

private:
  using Kind = PlanningIssueKind;

  void report(Kind kind, mlir::Operation *op, const llvm::Twine &message,
              const llvm::Twine &fixHint = {});

  // PlanSources.cpp: what makes values, in cases and scenarios alike.

  /// Plans an operation that makes values; false when `op` is none.
  bool planSource(mlir::Operation *op, std::vector<mlir::Operation *> &sources);
  void checkTensor(mlir::Operation *op);
  void checkGenerator(mlir::Operation *op, uint64_t count);
  void checkCall(FuncCallOp op);

  // Plan.cpp: bodies of cases.

  void planOp(mlir::Operation *op);
  void planParameter(mlir::Operation *op);
  void planLaunch(KernelLaunchOp op);
  void planExpectation(mlir::Operation *op, std::vector<mlir::Operation *> &expectations);
  void planWrite(CheckFileWriteNpyOp op);
  void planSchedule(mlir::Region &body);
  void countSamples();

  // PlanScenarios.cpp

  void planTrial(CheckTrialOp op);
  void planCompare(CheckCompareOp op);
  void planSubject(mlir::Operation *op, mlir::FlatSymbolRefAttr subject);
  void checkKernelArguments(mlir::Operation *op, mlir::OperandRange arguments);

  mlir::ModuleOp module;
  const PlanOptions &options;
  TestPlan &plan;
  HostFunctions functions;

  // Of the record that is planned.
  std::string recordName;
  uint64_t recordIndex = 0;
  bool isSound = true, isScenario = false;
  CasePlan current;
  ScenarioPlan scenario;
  llvm::StringMap<mlir::Operation *> parameterNames;
};

/// The kernel that runs a function of scalars on the target: it takes the arguments of the function
/// and a buffer, into which it stores the results, 8 bytes each. Made in `module` when it is not
/// there yet.
std::string makeEntryKernel(mlir::ModuleOp module, FuncDefOp function);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_PLANNER_H
