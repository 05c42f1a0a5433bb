//===- Plan.h - From check.case to samples ----------------------*- C++ -*-===//
//
// A plan says what a case runs and how often, before anything runs. Parameters multiply a case into
// samples; for each sample value sources are made, launches run in source order, then all
// expectations are evaluated, then files are written. Whatever keeps a case from being run is a
// planning issue with its place; a case with an issue has no samples and does not pass.
//
// Scenarios are planned into trials. Benchmarks are planned by loom/Bench/Plan.h.
//
// A plan refers to operations of the module it was made from, which has to outlive it unchanged.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_PLAN_H
#define LOOM_CHECK_PLAN_H

#include "loom/Dialect/Check/Check.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Runtime/Scalar.h"

namespace loom::check {

/// A place in a source file, counted from one.
struct SourceLocation {
  std::string file;
  unsigned startLine = 0, startColumn = 0, endLine = 0, endColumn = 0;
};
/// Nothing for operations that no file holds.
std::optional<SourceLocation> sourceLocation(mlir::Location location);
/// "file:line:column", of the start.
std::string stringifyPlace(const SourceLocation &place);
/// "file:line:column: message", or the message alone when the place is unknown.
std::string withPlace(mlir::Location location, const llvm::Twine &message);

/// Spellings as in the `planning_issues` of a test report.
enum class PlanningIssueKind {
  UnsupportedCaseBodyOp,
  InvalidParameter,
  InvalidBenchmarkCase,
  DuplicateParameterName,
  InvalidBenchmarkAssignment,
  InvalidValueSource,
  InvalidFileWrite,
  InvalidInvocation,
  InvalidExpectation,
};
llvm::StringRef stringifyPlanningIssueKind(PlanningIssueKind kind);

struct PlanningIssue {
  PlanningIssueKind kind;
  std::string message;
  std::string caseName;   ///< of the case or scenario, without `@`
  uint64_t caseIndex = 0; ///< among the cases, or among the scenarios, of the module
  bool isScenario = false;
  /// Of the benchmark that the issue is about, if it is about one.
  std::string benchmarkName;
  std::optional<uint64_t> benchmarkIndex;
  std::string op; ///< as the text spells it: "func.call"
  std::optional<SourceLocation> location;
  std::string fixHint; ///< empty when there is none
};

/// One dimension of the samples of a case.
class Parameter {
public:
  /// `op` is a verified check.param operation. On failure `reason` says what is wrong with it.
  static std::optional<Parameter> create(mlir::Operation *op, std::string &reason);

  mlir::Operation *op() const { return operation; }
  mlir::Value value() const { return operation->getResult(0); }
  /// From `name("...")`; empty when it has none.
  llvm::StringRef name() const;
  /// How it is called in messages: its name, else that of its value.
  std::string displayName() const;
  /// Number of values, at least one.
  uint64_t count() const { return valueCount; }
  /// The value of a position below count().
  runtime::Scalar at(uint64_t position) const;
  /// "range", "choice", "seed".
  llvm::StringRef kind() const;

private:
  explicit Parameter(mlir::Operation *op) : operation(op) {}
  std::optional<std::string> initialize(CheckParamRangeOp range);

  mlir::Operation *operation;
  uint64_t valueCount = 0;
};

/// The values of a body: what they are called, and a number for each.
struct ValueNames {
  /// Position of each value among all values of the case or scenario.
  llvm::DenseMap<mlir::Value, unsigned> valueIds;

  unsigned idOf(mlir::Value value) const { return valueIds.lookup(value); }
  /// "%output", or "%3" for the value without a name whose number is 3.
  std::string valueName(mlir::Value value) const;
  void number(mlir::ValueRange values) {
    for (mlir::Value value : values)
      valueIds.try_emplace(value, valueIds.size());
  }
};

struct CasePlan : ValueNames {
  CheckCaseOp op;
  std::string name;                          ///< without `@`
  uint64_t index = 0;                        ///< among the cases of the module
  std::vector<mlir::Operation *> conditions; ///< check.requires and check.skip_if
  std::vector<Parameter> parameters;
  /// Literals, generators, files, views, oracles and calls of functions, in source order.
  std::vector<mlir::Operation *> sources;
  std::vector<KernelLaunchOp> launches;
  std::vector<mlir::Operation *> expectations;
  std::vector<CheckFileWriteNpyOp> writes;
  /// Product of the parameters' counts; UINT64_MAX when it is larger than that.
  uint64_t totalSamples = 0;
  /// What is planned of them: the first ones up to the limit; none after a planning issue.
  uint64_t sampleCount = 0;
  bool isTruncated() const { return sampleCount != 0 && sampleCount < totalSamples; }

  /// The value of each parameter in a sample. The first parameter varies fastest.
  std::vector<runtime::Scalar> parameterValues(uint64_t sample) const;
};

/// A `check.trial` of a scenario.
struct TrialPlan {
  CheckTrialOp op;
  std::vector<mlir::Operation *> sources; ///< as in a case, and entropy
  mlir::Operation *subject = nullptr;     ///< check.compare or check.invoke
};

struct ScenarioPlan : ValueNames {
  CheckScenarioOp op;
  std::string name;   ///< without `@`
  uint64_t index = 0; ///< among the scenarios of the module
  std::vector<mlir::Operation *> conditions;
  std::vector<mlir::Operation *> sources; ///< made for each configuration
  std::vector<TrialPlan> trials;
  uint64_t configurations = 1;
  uint64_t trialsPerConfiguration = 0;
  /// As of the samples of a case: all trials, and what is planned of them.
  uint64_t totalTrials = 0, trialCount = 0;
  bool isTruncated() const { return trialCount != 0 && trialCount < totalTrials; }
};

struct PlanOptions {
  static constexpr int64_t kDefaultMaxSamples = 4096;
  uint64_t maxSamplesPerCase = kDefaultMaxSamples;
  /// The case or scenario to plan, with or without `@`; empty for all.
  std::string caseName;
};

struct TestPlan {
  std::vector<CasePlan> cases; ///< in source order
  std::vector<ScenarioPlan> scenarios;
  std::vector<PlanningIssue> issues;
};

/// Plans the cases and scenarios of a verified module. The error says that neither a
/// case nor a scenario has the wanted name, with near matches. For each function that a scenario
/// runs on the target the module receives a kernel that calls it; devices are made afterwards.
llvm::Expected<TestPlan> planCases(mlir::ModuleOp module, const PlanOptions &options);

} // namespace loom::check

#endif // LOOM_CHECK_PLAN_H
