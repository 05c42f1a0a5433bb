//===- Plan.cpp - From check.case to samples ------------------------------===//
#include "loom/Check/Plan.h"
#include "Expect.h"
#include "Planner.h"
#include "Values.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

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
  case PlanningIssueKind::InvalidBenchmarkCase:
    return "invalid_benchmark_case";
  case PlanningIssueKind::DuplicateParameterName:
    return "duplicate_parameter_name";
  case PlanningIssueKind::InvalidBenchmarkAssignment:
    return "invalid_benchmark_assignment";
  case PlanningIssueKind::InvalidValueSource:
    return "invalid_value_source";
  case PlanningIssueKind::InvalidFileWrite:
    return "invalid_file_write";
  case PlanningIssueKind::InvalidInvocation:
    return "invalid_invocation";
  case PlanningIssueKind::InvalidExpectation:
    return "invalid_expectation";
  }
  llvm_unreachable("covered switch");
}

std::string ValueNames::valueName(Value value) const {
  StringRef name = getValueName(value);
  return name.empty() ? "%" + std::to_string(idOf(value)) : "%" + name.str();
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

void Planner::report(Kind kind, Operation *op, const Twine &message, const Twine &fixHint) {
  PlanningIssue issue;
  issue.kind = kind;
  issue.message = message.str();
  issue.caseName = recordName;
  issue.caseIndex = recordIndex;
  issue.isScenario = isScenario;
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
    return report(Kind::InvalidParameter, op, reason);
  StringRef name = parameter->name();
  if (!name.empty()) {
    auto [known, isNew] = parameterNames.try_emplace(name, op);
    if (!isNew) {
      std::optional<SourceLocation> other = sourceLocation(known->second->getLoc());
      report(Kind::DuplicateParameterName, op,
             "two parameters of the case have the name \"" + name + "\"" +
                 (other ? "; the first one is at " + stringifyPlace(*other) : ""),
             "give each parameter a name of its own");
    }
  }
  current.parameters.push_back(*parameter);
}

void Planner::planLaunch(KernelLaunchOp op) {
  if (!isa_and_nonnull<KernelDefOp>(SymbolTable::lookupSymbolIn(module, op.getKernelAttr())))
    return report(Kind::InvalidInvocation, op,
                  "kernel @" + op.getKernel() + " is declared and never defined",
                  "link the input that defines it with loom-link");
  for (Value value : op->getOperands())
    if (!elementTypeOf(value.getType()))
      report(Kind::InvalidInvocation, op,
             current.valueName(value) + " is neither a scalar nor a dense tensor");
  current.launches.push_back(op);
}

void Planner::planExpectation(Operation *op, std::vector<Operation *> &expectations) {
  if (std::optional<std::string> reason = refuseExpectation(op))
    report(Kind::InvalidExpectation, op, *reason);
  expectations.push_back(op);
}

void Planner::planWrite(CheckFileWriteNpyOp op) {
  for (CheckFileWriteNpyOp earlier : current.writes)
    if (earlier.getPath() == op.getPath())
      report(Kind::InvalidFileWrite, op, "the case writes \"" + op.getPath() + "\" twice",
             "give each file a path of its own");
  current.writes.push_back(op);
}

void Planner::planOp(Operation *op) {
  current.number(op->getResults());
  if (planSource(op, current.sources))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case<CheckRequiresOp, CheckSkipIfOp>(
          [&](Operation *op) { current.conditions.push_back(op); })
      .Case<CheckParamRangeOp, CheckParamChoiceOp, CheckParamSeedOp>(
          [&](Operation *op) { planParameter(op); })
      .Case<KernelLaunchOp>([&](KernelLaunchOp op) { planLaunch(op); })
      .Case<KernelLaunchSerialOp, KernelLaunchConcurrentOp>(
          [&](auto schedule) { planSchedule(schedule.getBody()); })
      .Case<CheckExpectEqualOp, CheckExpectBitwiseOp, CheckExpectCloseOp, CheckExpectShapeOp,
            CheckExpectOp, CheckExpectEventOp>(
          [&](Operation *op) { planExpectation(op, current.expectations); })
      .Case<CheckFileWriteNpyOp>([&](CheckFileWriteNpyOp op) { planWrite(op); })
      .Case<CheckReturnOp>([](Operation *) {})
      .Default([&](Operation *op) {
        report(Kind::UnsupportedCaseBodyOp, op,
               "'" + getTextName(op) +
                   "' cannot be run by a case; a case has operations of 'check', " +
                   "calls of functions and kernel launches");
      });
}

/// Launches run one after another, which is an order that concurrent ones allow as well.
void Planner::planSchedule(Region &body) {
  for (Operation &op : body.front().without_terminator())
    planOp(&op);
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
  isScenario = false;
  current.op = op;
  current.name = recordName = op.getSymName().str();
  current.index = recordIndex = index;
  for (Operation &bodyOp : op.getBody().front())
    planOp(&bodyOp);
  if (isSound)
    countSamples();
  plan.cases.push_back(std::move(current));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

llvm::Expected<TestPlan> planCases(ModuleOp module, const PlanOptions &options) {
  TestPlan plan;
  Planner planner(module, options, plan);
  StringRef wanted = StringRef(options.caseName).trim();
  wanted.consume_front("@");
  std::vector<std::string> names;
  uint64_t caseIndex = 0, scenarioIndex = 0;
  auto isWanted = [&](StringRef name) {
    names.push_back(name.str());
    return wanted.empty() || name == wanted;
  };
  for (auto op : module.getOps<CheckCaseOp>()) {
    if (isWanted(op.getSymName()))
      planner.planCase(op, caseIndex);
    ++caseIndex;
  }
  // Planning adds kernels to the module.
  for (CheckScenarioOp op : llvm::to_vector(module.getOps<CheckScenarioOp>())) {
    if (isWanted(op.getSymName()))
      planner.planScenario(op, scenarioIndex);
    ++scenarioIndex;
  }
  if (wanted.empty() || !plan.cases.empty() || !plan.scenarios.empty())
    return plan;
  if (names.empty())
    return llvm::createStringError("there is no case @" + wanted + ": the input has no check.case");
  return llvm::createStringError("there is no case @" + wanted + didYouMean(wanted, names));
}

} // namespace loom::check
