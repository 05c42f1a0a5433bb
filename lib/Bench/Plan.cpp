//===- Plan.cpp - What is measured, and in which order --------------------===//
#include "loom/Bench/Plan.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Support/NearMatches.h"
#include <map>

namespace loom::bench {
using namespace mlir;

using check::CasePlan;
using check::Parameter;
using check::PlanningIssue;
using check::PlanningIssueKind;

StringRef stringifyInterleave(Interleave interleave) {
  return interleave == Interleave::Ababa ? "ABABA" : "round_robin";
}

uint64_t BenchmarkPlan::sampleCount() const {
  uint64_t count = 0;
  for (const Candidate &candidate : candidates)
    count += candidate.samples.size();
  return count;
}

std::vector<Repetition> scheduleRepetitions(uint64_t candidates, Interleave interleave,
                                            uint64_t repetitions) {
  std::vector<Repetition> turns;
  auto add = [&](uint64_t candidate, uint64_t repetition) {
    turns.push_back({candidate, repetition, static_cast<char>('A' + candidate)});
  };
  for (uint64_t repetition = 0; repetition < repetitions; ++repetition)
    for (uint64_t candidate = 0; candidate < candidates; ++candidate)
      add(candidate, repetition);
  if (interleave == Interleave::Ababa)
    add(0, repetitions);
  return turns;
}

static StringRef symbol(StringRef text) {
  text = text.trim();
  text.consume_front("@");
  return text;
}

/// The name of a benchmark: its own, or that of its case without a `_case` at the end.
static StringRef nameOf(CheckBenchmarkOp op) {
  if (std::optional<StringRef> name = op.getSymName())
    return *name;
  StringRef name = op.getSubject();
  name.consume_back("_case");
  return name;
}

namespace {
class Planner {
public:
  Planner(ModuleOp module, const SelectionOptions &options) : module(module), options(options) {}

  llvm::Expected<BenchmarkPlan> run();

private:
  llvm::Error select();
  llvm::Error selectCase();
  llvm::Error selectBenchmarks(StringRef name, bool isCompared);
  llvm::Error checkComparison();
  llvm::Error checkCompared(const Candidate &candidate);
  void addCandidate(StringRef benchmark, StringRef caseName, CheckBenchmarkOp op, uint64_t index);
  void enumerate(Candidate &candidate, CheckBenchmarkOp op, uint64_t index);
  bool assign(Candidate &candidate, CheckBenchmarkOp op, uint64_t index,
              std::vector<std::optional<uint64_t>> &positions);
  llvm::Error keepSelectedSample(Candidate &candidate);
  void addWork(const Candidate &candidate);
  uint64_t workItemFor(uint64_t candidate, uint64_t begin, uint64_t end);
  void addIssue(Candidate &candidate, uint64_t benchmarkIndex, PlanningIssueKind kind,
                Operation *op, const Twine &message);

  ModuleOp module;
  const SelectionOptions &options;
  std::vector<CheckBenchmarkOp> benchmarks;
  /// Work items by case and samples.
  std::map<std::pair<uint64_t, std::vector<uint64_t>>, uint64_t> work;
  BenchmarkPlan plan;
};
} // namespace

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

llvm::Error Planner::selectCase() {
  StringRef wanted = symbol(options.caseName);
  std::vector<std::string> known;
  for (const CasePlan &subject : plan.cases.cases) {
    if (subject.name == wanted) {
      addCandidate(wanted, wanted, nullptr, 0);
      return llvm::Error::success();
    }
    known.push_back(subject.name);
  }
  return llvm::createStringError(
      "there is no case @" + wanted +
      (known.empty() ? ": the input has no check.case" : didYouMean(wanted, known)));
}

/// Those with that name, in source order; all when it is empty.
llvm::Error Planner::selectBenchmarks(StringRef name, bool isCompared) {
  StringRef wanted = symbol(name);
  std::vector<std::string> known;
  size_t before = plan.candidates.size();
  for (auto [index, op] : llvm::enumerate(benchmarks)) {
    if (wanted.empty() || nameOf(op) == wanted)
      addCandidate(nameOf(op), op.getSubject(), op, index);
    known.push_back(nameOf(op).str());
  }
  if (isCompared && plan.candidates.size() > before + 1)
    return llvm::createStringError("two benchmarks have the name @" + wanted +
                                   "; --compare needs one");
  if (plan.candidates.size() > before)
    return llvm::Error::success();
  if (known.empty())
    return llvm::createStringError("the input has no check.benchmark; --case measures a case "
                                   "without one");
  return llvm::createStringError("there is no benchmark @" + wanted + didYouMean(wanted, known));
}

llvm::Error Planner::checkComparison() {
  size_t count = options.compare.size();
  if (count < 2)
    return llvm::createStringError("--compare needs at least two benchmarks, the baseline first");
  if (options.interleave == Interleave::Ababa && count != 2)
    return llvm::createStringError(
        "--interleave=ABABA compares two benchmarks; --interleave=round_robin takes more");
  if (count > 26)
    return llvm::createStringError("--compare takes at most 26 benchmarks");
  return llvm::Error::success();
}

llvm::Error Planner::select() {
  if (!options.caseName.empty())
    return selectCase();
  if (options.compare.empty())
    return selectBenchmarks(options.benchmark, /*isCompared=*/false);
  if (llvm::Error error = checkComparison())
    return error;
  for (const std::string &name : options.compare) {
    if (symbol(name).empty())
      return llvm::createStringError("--compare has an empty name");
    if (llvm::Error error = selectBenchmarks(name, /*isCompared=*/true))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

void Planner::addIssue(Candidate &candidate, uint64_t benchmarkIndex, PlanningIssueKind kind,
                       Operation *op, const Twine &message) {
  PlanningIssue &issue = candidate.issues.emplace_back();
  issue.kind = kind;
  issue.message = message.str();
  issue.caseName = candidate.subject->name;
  issue.caseIndex = candidate.subject->index;
  issue.benchmarkName = candidate.benchmark;
  issue.benchmarkIndex = benchmarkIndex;
  issue.op = getTextName(op).str();
  issue.location = check::sourceLocation(op->getLoc());
}

/// Sets the position of each parameter that `op` assigns. Fails after recording issues.
bool Planner::assign(Candidate &candidate, CheckBenchmarkOp op, uint64_t index,
                     std::vector<std::optional<uint64_t>> &positions) {
  std::vector<std::string> known;
  for (const Parameter &parameter : candidate.subject->parameters)
    if (!parameter.name().empty())
      known.push_back(parameter.name().str());
  DictionaryAttr assignments = *op.getAssignments();
  for (NamedAttribute entry : assignments) {
    StringRef name = entry.getName().getValue();
    auto isNamed = [&](const Parameter &parameter) { return parameter.name() == name; };
    auto found = llvm::find_if(candidate.subject->parameters, isNamed);
    std::string reason;
    if (found == candidate.subject->parameters.end()) {
      addIssue(candidate, index, PlanningIssueKind::InvalidBenchmarkAssignment, op,
               "@" + candidate.subject->name + " has no parameter with the name '" + name + "'" +
                   didYouMean(name, known));
      continue;
    }
    std::optional<uint64_t> &position = positions[found - candidate.subject->parameters.begin()];
    position = positionOf(*found, entry.getValue(), reason);
    if (!position)
      addIssue(candidate, index, PlanningIssueKind::InvalidBenchmarkAssignment, op,
               "the value of '" + name + "' " + reason);
  }
  return candidate.issues.empty();
}

/// The number in the case of sample `sample` of those that have the assigned positions. Parameters
/// without one expand as in the case: the first one varies fastest. Nothing when the number does
/// not fit.
static std::optional<uint64_t> ordinalOf(ArrayRef<Parameter> parameters,
                                         ArrayRef<std::optional<uint64_t>> assigned,
                                         uint64_t sample) {
  unsigned __int128 ordinal = 0, stride = 1;
  for (auto [parameter, position] : llvm::zip_equal(parameters, assigned)) {
    uint64_t digit = position ? *position : sample % parameter.count();
    if (!position)
      sample /= parameter.count();
    if (digit != 0 && (stride > UINT64_MAX || (ordinal += stride * digit) > UINT64_MAX))
      return std::nullopt;
    if (stride <= UINT64_MAX)
      stride *= parameter.count();
  }
  return static_cast<uint64_t>(ordinal);
}

void Planner::enumerate(Candidate &candidate, CheckBenchmarkOp op, uint64_t index) {
  const std::vector<Parameter> &parameters = candidate.subject->parameters;
  std::vector<std::optional<uint64_t>> assigned(parameters.size());
  if (op && op.getAssignments() && !assign(candidate, op, index, assigned))
    return;
  candidate.totalSamples = 1;
  for (auto [parameter, position] : llvm::zip_equal(parameters, assigned))
    if (!position)
      candidate.totalSamples = llvm::SaturatingMultiply(candidate.totalSamples, parameter.count());
  uint64_t count = std::min(candidate.totalSamples, options.maxSamples);
  for (uint64_t sample = 0; sample < count; ++sample) {
    std::optional<uint64_t> ordinal = ordinalOf(parameters, assigned, sample);
    if (!ordinal) {
      addIssue(candidate, index, PlanningIssueKind::InvalidBenchmarkCase, candidate.subject->op,
               "the case has more samples than can be numbered");
      candidate.samples.clear();
      return;
    }
    candidate.samples.push_back(*ordinal);
  }
}

void Planner::addCandidate(StringRef benchmark, StringRef caseName, CheckBenchmarkOp op,
                           uint64_t index) {
  Candidate &candidate = plan.candidates.emplace_back();
  candidate.index = plan.candidates.size() - 1;
  candidate.benchmark = benchmark.str();
  for (const CasePlan &subject : plan.cases.cases)
    if (subject.name == caseName)
      candidate.subject = &subject;
  for (const PlanningIssue &found : plan.cases.issues) {
    // A scenario may have the index of a case, but not its name.
    if (found.caseName != caseName)
      continue;
    PlanningIssue &issue = candidate.issues.emplace_back(found);
    issue.benchmarkName = candidate.benchmark;
    if (op)
      issue.benchmarkIndex = index;
  }
  if (candidate.issues.empty() && candidate.subject->launches.empty() &&
      options.measure == Measure::DispatchComplete)
    addIssue(candidate, index, PlanningIssueKind::InvalidBenchmarkCase, candidate.subject->op,
             "the case launches no kernel; --measure=dispatch_complete has nothing to time");
  if (candidate.issues.empty())
    enumerate(candidate, op, index);
}

llvm::Error Planner::keepSelectedSample(Candidate &candidate) {
  if (!options.sample || !candidate.issues.empty())
    return llvm::Error::success();
  if (!llvm::is_contained(candidate.samples, *options.sample))
    return llvm::createStringError("benchmark @" + candidate.benchmark +
                                   " does not measure sample " + Twine(*options.sample) +
                                   " of case @" + candidate.subject->name);
  candidate.samples = {*options.sample};
  return llvm::Error::success();
}

llvm::Error Planner::checkCompared(const Candidate &candidate) {
  if (options.compare.empty() || !candidate.issues.empty() || candidate.samples.size() == 1)
    return llvm::Error::success();
  return llvm::createStringError("benchmark @" + candidate.benchmark + " measures " +
                                 Twine(candidate.samples.size()) +
                                 " samples; --compare needs one: assign values to the " +
                                 "parameters or select it with --sample");
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

uint64_t Planner::workItemFor(uint64_t candidate, uint64_t begin, uint64_t end) {
  const Candidate &wanted = plan.candidates[candidate];
  std::vector<uint64_t> samples(wanted.samples.begin() + begin, wanted.samples.begin() + end);
  auto [known, isNew] =
      work.try_emplace({wanted.subject->index, std::move(samples)}, plan.workItems.size());
  if (!isNew && options.compare.empty())
    return known->second;
  plan.workItems.push_back({candidate, begin, end});
  return plan.workItems.size() - 1;
}

void Planner::addWork(const Candidate &candidate) {
  uint64_t count = candidate.samples.size();
  if (count == 0) {
    plan.rows.push_back({candidate.index, std::nullopt, std::nullopt});
  } else if (options.measure == Measure::CaseEndToEnd) {
    std::optional<uint64_t> only = count == 1 ? std::optional<uint64_t>(0) : std::nullopt;
    plan.rows.push_back({candidate.index, workItemFor(candidate.index, 0, count), only});
  } else {
    for (uint64_t sample = 0; sample < count; ++sample)
      plan.rows.push_back(
          {candidate.index, workItemFor(candidate.index, sample, sample + 1), sample});
  }
}

llvm::Expected<BenchmarkPlan> Planner::run() {
  check::PlanOptions planning;
  planning.maxSamplesPerCase = options.maxSamples;
  llvm::Expected<check::TestPlan> cases = check::planCases(module, planning);
  if (!cases)
    return cases.takeError();
  plan.cases = std::move(*cases);
  for (auto op : module.getOps<CheckBenchmarkOp>())
    benchmarks.push_back(op);
  plan.benchmarkCount = benchmarks.size();
  if (llvm::Error error = select())
    return error;
  for (Candidate &candidate : plan.candidates) {
    if (llvm::Error error = keepSelectedSample(candidate))
      return error;
    if (llvm::Error error = checkCompared(candidate))
      return error;
    addWork(candidate);
  }
  if (!options.compare.empty())
    plan.repetitions =
        scheduleRepetitions(plan.candidates.size(), options.interleave, options.repetitions);
  return std::move(plan);
}

llvm::Expected<BenchmarkPlan> planBenchmarks(ModuleOp module, const SelectionOptions &options) {
  return Planner(module, options).run();
}

} // namespace loom::bench
