//===- Plan.cpp - From check.case to samples ------------------------------===//
#include "loom/Check/Plan.h"
#include "Values.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Scalar;

//===----------------------------------------------------------------------===//
// Places and spellings
//===----------------------------------------------------------------------===//

std::optional<SourceLocation> sourceLocation(Location location) {
  FileLineColLoc file = getFileLoc(location);
  if (!file)
    return std::nullopt;
  SourceLocation place;
  place.file = file.getFilename().str();
  place.startLine = place.endLine = file.getLine();
  place.startColumn = place.endColumn = file.getColumn();
  return place;
}

std::string stringifyPlace(const SourceLocation &place) {
  return place.file + ":" + std::to_string(place.startLine) + ":" +
         std::to_string(place.startColumn);
}

std::string withPlace(Location location, const Twine &message) {
  std::optional<SourceLocation> place = sourceLocation(location);
  return place ? (stringifyPlace(*place) + ": " + message).str() : message.str();
}

StringRef stringifyPlanningIssueKind(PlanningIssueKind kind) {
  switch (kind) {
  case PlanningIssueKind::UnsupportedCaseBodyOp:
    return "unsupported_case_body_op";
  case PlanningIssueKind::InvalidParameter:
    return "invalid_parameter";
  case PlanningIssueKind::DuplicateParameterName:
    return "duplicate_parameter_name";
  case PlanningIssueKind::InvalidValueSource:
    return "invalid_value_source";
  case PlanningIssueKind::InvalidInvocation:
    return "invalid_invocation";
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::vector<Scalar> CasePlan::parameterValues(uint64_t sample) const {
  std::vector<Scalar> values;
  for (const Parameter &parameter : parameters) {
    values.push_back(parameter.at(sample % parameter.count()));
    sample /= parameter.count();
  }
  return values;
}

std::string CasePlan::valueName(Value value) const {
  StringRef name = getValueName(value);
  return name.empty() ? "%" + std::to_string(valueIds.lookup(value)) : "%" + name.str();
}

namespace {
class Planner {
public:
  Planner(ModuleOp module, const PlanOptions &options, TestPlan &plan)
      : module(module), options(options), plan(plan) {}

  void planCase(CheckCaseOp op, uint64_t index);
  void planScenario(CheckScenarioOp op);

private:
  void planOp(Operation *op);
  void planParameter(Operation *op);
  void planGenerator(Operation *op);
  void planLaunch(KernelLaunchOp op);
  void planSchedule(mlir::Region &body);
  void reportType(Operation *op);
  void countSamples();
  void report(PlanningIssueKind kind, Operation *op, const Twine &message,
              const Twine &fixHint = {});

  ModuleOp module;
  const PlanOptions &options;
  TestPlan &plan;
  CasePlan current;
  llvm::StringMap<Operation *> parameterNames;
  bool isSound = true;
};
} // namespace

void Planner::report(PlanningIssueKind kind, Operation *op, const Twine &message,
                     const Twine &fixHint) {
  PlanningIssue issue;
  issue.kind = kind;
  issue.message = message.str();
  issue.caseName = current.name;
  issue.caseIndex = current.index;
  issue.op = getTextName(op).str();
  issue.location = sourceLocation(op->getLoc());
  issue.fixHint = fixHint.str();
  plan.issues.push_back(std::move(issue));
  isSound = false;
}

void Planner::planParameter(Operation *op) {
  std::string reason;
  std::optional<Parameter> parameter = Parameter::create(op, reason);
  if (!parameter)
    return report(PlanningIssueKind::InvalidParameter, op, reason);
  StringRef name = parameter->name();
  if (!name.empty()) {
    auto [known, isNew] = parameterNames.try_emplace(name, op);
    if (!isNew) {
      std::optional<SourceLocation> other = sourceLocation(known->second->getLoc());
      report(PlanningIssueKind::DuplicateParameterName, op,
             "two parameters of the case have the name \"" + name + "\"" +
                 (other ? "; the first one is at " + stringifyPlace(*other) : ""),
             "give each parameter a name of its own");
    }
  }
  current.parameters.push_back(std::move(*parameter));
}

/// What can be said about contents without knowing dynamic extents; the rest is said by the sample.
void Planner::planGenerator(Operation *op) {
  auto tensor = cast<TensorType>(op->getResult(0).getType());
  std::optional<ElementType> known = elementTypeOf(tensor);
  if (!known)
    return reportType(op);
  ElementType type = *known;
  auto check = [&](llvm::Error error) {
    if (error)
      report(PlanningIssueKind::InvalidValueSource, op, llvm::toString(std::move(error)));
  };
  if (auto uniform = dyn_cast<CheckRandomUniformOp>(op))
    check(runtime::checkUniform(type, uniformOf(uniform)));
  if (llvm::is_contained(tensor.getShape(), ShapedType::kDynamic))
    return;
  std::string reason;
  std::optional<uint64_t> count = runtime::countElements(type, tensor.getShape(), &reason);
  if (!count)
    return report(PlanningIssueKind::InvalidValueSource, op, reason);
  if (auto iota = dyn_cast<CheckIotaOp>(op))
    check(runtime::checkIota(type, iotaOf(iota), *count));
}

/// Reports values of types that the runtime has no storage for: 8-bit floats, encoded tensors.
void Planner::reportType(Operation *op) {
  report(PlanningIssueKind::InvalidValueSource, op,
         "values of type " + stringifyType(op->getResult(0).getType()) +
             " cannot be made by a case yet");
}

void Planner::planLaunch(KernelLaunchOp op) {
  if (!isa_and_nonnull<KernelDefOp>(SymbolTable::lookupSymbolIn(module, op.getKernelAttr())))
    return report(PlanningIssueKind::InvalidInvocation, op,
                  "kernel @" + op.getKernel() + " is declared and never defined",
                  "link the input that defines it with loom-link");
  for (Value value : op->getOperands())
    if (!elementTypeOf(value.getType()))
      report(PlanningIssueKind::InvalidInvocation, op,
             current.valueName(value) + " is neither a scalar nor a tensor");
  current.launches.push_back(op);
}

void Planner::planOp(Operation *op) {
  for (Value result : op->getResults())
    current.valueIds.try_emplace(result, current.valueIds.size());
  llvm::TypeSwitch<Operation *>(op)
      .Case<CheckParamRangeOp, CheckParamChoiceOp, CheckParamSeedOp>(
          [&](Operation *op) { planParameter(op); })
      .Case<CheckLiteralOp>([&](Operation *op) {
        if (!elementTypeOf(op->getResult(0).getType()))
          return reportType(op);
        current.sources.push_back(op);
      })
      .Case<CheckIotaOp, CheckFillOp, CheckRandomUniformOp>([&](Operation *op) {
        planGenerator(op);
        current.sources.push_back(op);
      })
      .Case<KernelLaunchOp>([&](KernelLaunchOp op) { planLaunch(op); })
      .Case<KernelLaunchSerialOp, KernelLaunchConcurrentOp>(
          [&](auto schedule) { planSchedule(schedule.getBody()); })
      .Case<CheckExpectEqualOp, CheckExpectBitwiseOp>(
          [&](Operation *op) { current.expectations.push_back(op); })
      .Case<CheckReturnOp>([](Operation *) {})
      .Default([&](Operation *op) {
        report(PlanningIssueKind::UnsupportedCaseBodyOp, op,
               "'" + getTextName(op) + "' cannot be run by a case; a case has parameters, " +
                   "literals, generators, kernel launches and expectations");
      });
}

/// Launches run one after another, which is an order that concurrent ones allow as well.
void Planner::planSchedule(Region &body) {
  for (Operation &op : body.front().without_terminator())
    planOp(&op);
}

/// A scenario cannot be run: it counts as a case that says so.
void Planner::planScenario(CheckScenarioOp op) {
  current = CasePlan();
  current.name = op.getSymName().str();
  report(PlanningIssueKind::UnsupportedCaseBodyOp, op,
         "'check.scenario' cannot be run yet; a 'check.case' can");
}

void Planner::countSamples() {
  uint64_t total = 1;
  for (const Parameter &parameter : current.parameters)
    total = llvm::SaturatingMultiply(total, parameter.count());
  current.totalSamples = total;
  current.sampleCount = std::min(total, options.maxSamplesPerCase);
}

void Planner::planCase(CheckCaseOp op, uint64_t index) {
  current = CasePlan();
  parameterNames.clear();
  isSound = true;
  current.op = op;
  current.name = op.getSymName().str();
  current.index = index;
  for (Operation &bodyOp : op.getBody().front())
    planOp(&bodyOp);
  if (isSound)
    countSamples();
  plan.cases.push_back(std::move(current));
}

llvm::Expected<TestPlan> planCases(ModuleOp module, const PlanOptions &options) {
  TestPlan plan;
  Planner planner(module, options, plan);
  StringRef wanted = StringRef(options.caseName).trim();
  wanted.consume_front("@");
  std::vector<std::string> names;
  for (auto op : module.getOps<CheckCaseOp>()) {
    if (wanted.empty() || op.getSymName() == wanted)
      planner.planCase(op, names.size());
    names.push_back(op.getSymName().str());
  }
  for (auto op : module.getOps<CheckScenarioOp>())
    if (wanted.empty() || op.getSymName() == wanted)
      planner.planScenario(op);
  if (wanted.empty() || !plan.cases.empty() || !plan.issues.empty())
    return plan;
  if (names.empty())
    return llvm::createStringError("there is no case @" + wanted + ": the input has no check.case");
  return llvm::createStringError("there is no case @" + wanted + didYouMean(wanted, names));
}

} // namespace loom::check
