//===- Scenario.h - Running trials ------------------------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_SCENARIO_H
#define LOOM_LIB_CHECK_SCENARIO_H

#include "Launch.h"
#include "Materialize.h"

namespace loom::check {

/// Runs trials of one scenario, in any order; the values of a configuration are made once as long
/// as trials of it follow each other.
class ScenarioRunner {
public:
  ScenarioRunner(const ScenarioPlan &plan, runtime::Device &device, const ExecuteOptions &options);

  TrialResult run(uint64_t ordinal);

private:
  /// Arguments of a run with storage of its own.
  struct Inputs {
    std::vector<runtime::Scalar> workload;
    std::vector<std::unique_ptr<runtime::Tensor>> tensors;
    std::vector<runtime::Argument> arguments;
  };
  /// Something that a trial runs on the target.
  using Issue = std::optional<runtime::Issue>;

  Issue configure(uint64_t configuration);
  Issue makeSources(llvm::ArrayRef<mlir::Operation *> sources);
  Issue runSubject(mlir::Operation *subject);
  Issue runInvoke(CheckInvokeOp op);
  Issue runCompare(CheckCompareOp op);
  llvm::Expected<Inputs> copyInputs(mlir::OperandRange workload, mlir::OperandRange arguments);
  Issue runKernel(llvm::StringRef kernel, const Inputs &inputs);
  Issue runOnTarget(FuncDefOp function, const Inputs &inputs,
                    llvm::SmallVectorImpl<uint64_t> &results);
  Issue compareKernels(CheckCompareOp op);
  Issue compareFunctions(CheckCompareOp op);
  runtime::Issue trouble(mlir::Operation *op, llvm::Error error);

  const ScenarioPlan &plan;
  ExecuteOptions options;
  mlir::ModuleOp module;
  Slots slots;
  HostFunctions functions;
  Materializer materializer;
  Launcher launcher;
  std::optional<uint64_t> configured; ///< whose values the slots hold
  Entropy configuration;
  runtime::EventLog events;
  TrialResult result;
};

} // namespace loom::check

#endif // LOOM_LIB_CHECK_SCENARIO_H
