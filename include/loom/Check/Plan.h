//===- Plan.h - From check.case to samples ----------------------*- C++ -*-===//
//
// A plan says what a case runs and how often, before anything runs. Parameters multiply a case into
// samples; for each sample value sources are made, launches run in source order, then all
// expectations are evaluated. Whatever keeps a case from being run is a planning issue with its
// place; a case with an issue has no samples and does not pass.
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
  DuplicateParameterName,
  InvalidValueSource,
  InvalidInvocation,
};
llvm::StringRef stringifyPlanningIssueKind(PlanningIssueKind kind);

struct PlanningIssue {
  PlanningIssueKind kind;
  std::string message;
  std::string caseName; ///< without `@`
  uint64_t caseIndex = 0;
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

private:
  explicit Parameter(mlir::Operation *op) : operation(op) {}
  std::optional<std::string> initialize(CheckParamRangeOp range);

  mlir::Operation *operation;
  uint64_t valueCount = 0;
};

struct CasePlan {
  CheckCaseOp op;
  std::string name;   ///< without `@`
  uint64_t index = 0; ///< among the cases of the module
  std::vector<Parameter> parameters;
  std::vector<mlir::Operation *> sources; ///< literals and generators
  std::vector<KernelLaunchOp> launches;
  std::vector<mlir::Operation *> expectations;
  /// Position of each value of the case among all of its results.
  llvm::DenseMap<mlir::Value, unsigned> valueIds;
  /// Product of the parameters' counts; UINT64_MAX when it is larger than that.
  uint64_t totalSamples = 0;
  /// What is planned of them: the first ones up to the limit; none after a planning issue.
  uint64_t sampleCount = 0;
  bool isTruncated() const { return sampleCount != 0 && sampleCount < totalSamples; }

  /// The value of each parameter in a sample. The first parameter varies fastest.
  std::vector<runtime::Scalar> parameterValues(uint64_t sample) const;
  /// "%output", or "%3" for the value without a name whose id is 3.
  std::string valueName(mlir::Value value) const;
};

struct PlanOptions {
  static constexpr int64_t kDefaultMaxSamples = 4096;
  uint64_t maxSamplesPerCase = kDefaultMaxSamples;
  /// The case to plan, with or without `@`; empty for all.
  std::string caseName;
};

struct TestPlan {
  std::vector<CasePlan> cases; ///< in source order
  std::vector<PlanningIssue> issues;
};

/// Plans the cases of a verified module. The error says that no case has the wanted name, with near
/// matches.
llvm::Expected<TestPlan> planCases(mlir::ModuleOp module, const PlanOptions &options);

} // namespace loom::check

#endif // LOOM_CHECK_PLAN_H
