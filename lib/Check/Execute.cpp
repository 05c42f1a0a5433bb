//===- Execute.cpp - Running planned samples ------------------------------===//
#include "loom/Check/Execute.h"
#include "Scenario.h"
#include "loom/Check/Sample.h"

namespace loom::check {
using namespace mlir;

SampleResult runSample(const CasePlan &plan, uint64_t ordinal, runtime::Device &device,
                       const ExecuteOptions &options) {
  return Sample(plan, device, options).run(ordinal);
}

TrialResult runTrial(const ScenarioPlan &plan, uint64_t ordinal, runtime::Device &device,
                     const ExecuteOptions &options) {
  return ScenarioRunner(plan, device, options).run(ordinal);
}

//===----------------------------------------------------------------------===//
// Whole plans
//===----------------------------------------------------------------------===//

/// That there is no `what` of the asked number, counted from 0.
static llvm::Error noSuch(StringRef record, StringRef name, StringRef what, uint64_t count,
                          uint64_t asked) {
  return llvm::createStringError(record + " @" + name + " has " + Twine(count) + " " + what +
                                 (count == 1 ? "" : "s") + " counted from 0; there is no " + what +
                                 " " + Twine(asked));
}

static llvm::Error checkSelection(const TestPlan &plan, const ExecuteOptions &options) {
  if (options.sample)
    for (const CasePlan &planned : plan.cases)
      if (planned.sampleCount != 0 && *options.sample >= planned.sampleCount)
        return noSuch("case", planned.name, "sample", planned.sampleCount, *options.sample);
  if (options.trial)
    for (const ScenarioPlan &planned : plan.scenarios)
      if (planned.trialCount != 0 && *options.trial >= planned.trialCount)
        return noSuch("scenario", planned.name, "trial", planned.trialCount, *options.trial);
  return llvm::Error::success();
}

/// Whether a record is to be run; adds to the report why not.
template <typename Plan>
static bool isToRun(const Plan &plan, const ExecuteOptions &options, TestReport &report) {
  static const Conditions nobody;
  std::optional<PlanningIssue> malformed;
  std::optional<SkippedCase> skipped = evaluateConditions(
      plan.conditions, plan.name, options.conditions ? *options.conditions : nobody, malformed);
  if (malformed) {
    malformed->caseName = plan.name;
    malformed->caseIndex = plan.index;
    malformed->isScenario = std::is_same_v<Plan, ScenarioPlan>;
    report.planningIssues.push_back(std::move(*malformed));
    return false;
  }
  if (!skipped)
    return true;
  report.skipped.push_back(std::move(*skipped));
  return false;
}

/// Calls `run` with each of `count` numbers, or with the one that was asked for. A record with a
/// planning issue has none, whichever was asked for.
template <typename Run>
static void forSelected(std::optional<uint64_t> asked, uint64_t count, Run run) {
  uint64_t end = asked ? *asked + 1 : count;
  for (uint64_t ordinal = asked.value_or(0); ordinal < std::min(end, count); ++ordinal)
    run(ordinal);
}

llvm::Expected<TestReport> runPlan(const TestPlan &plan, runtime::Device &device,
                                   const ExecuteOptions &options) {
  if (llvm::Error error = checkSelection(plan, options))
    return error;
  TestReport report;
  report.caseCount = plan.cases.size();
  report.scenarioCount = plan.scenarios.size();
  report.planningIssues = plan.issues;
  for (const CasePlan &planned : plan.cases) {
    if (planned.sampleCount == 0 || !isToRun(planned, options, report))
      continue;
    Sample sample(planned, device, options);
    forSelected(options.sample, planned.sampleCount,
                [&](uint64_t ordinal) { report.samples.push_back(sample.run(ordinal)); });
  }
  for (const ScenarioPlan &planned : plan.scenarios) {
    if (planned.trialCount == 0 || !isToRun(planned, options, report))
      continue;
    ScenarioRunner runner(planned, device, options);
    forSelected(options.trial, planned.trialCount,
                [&](uint64_t ordinal) { report.trials.push_back(runner.run(ordinal)); });
  }
  return report;
}

} // namespace loom::check
