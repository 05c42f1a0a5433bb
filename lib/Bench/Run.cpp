//===- Run.cpp - Carrying out a plan --------------------------------------===//
#include "loom/Bench/Run.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Report/Status.h"
#include <map>

namespace loom::bench {
using namespace mlir;

using check::CasePlan;
using check::SampleResult;
using runtime::Issue;
using runtime::Scalar;

namespace {
/// What a work item is measured with.
struct Subject {
  std::unique_ptr<check::Sample> sample; ///< of the case, reused for checks
  Recording recording;                   ///< of its sample, when dispatches are measured
  std::optional<BindingRing> ring;
};

class Runner {
public:
  Runner(const BenchmarkPlan &plan, runtime::Device &device, Clock &clock, Progress &progress,
         const RunOptions &options)
      : plan(plan), device(device), clock(clock), progress(progress), options(options),
        results(BenchmarkResults::planned(plan)), subjects(plan.workItems.size()) {}

  BenchmarkResults run();

private:
  bool timesDispatches() const { return options.policy.measure == Measure::DispatchComplete; }
  const Candidate &candidateOf(const WorkItem &item) const {
    return plan.candidates[item.candidate];
  }

  void begin(uint64_t step, const WorkItem &item);
  bool canRun(const Candidate &candidate);
  void stop(const Candidate &candidate, RowState state, const Failure &failure);
  void compile(const Candidate &candidate);
  const std::optional<Failure> &compileKernel(const std::string &kernel);
  std::optional<report::CompileReport> reportOf(ArrayRef<std::string> symbols,
                                                const std::optional<Failure> &failure);

  SampleResult checkSample(Subject &subject, const WorkItem &item, uint64_t sample, bool isFirst,
                           Evidence &evidence);
  bool check(uint64_t index, Evidence &evidence, bool isFirst);
  bool makeRing(Subject &subject, Evidence &evidence);
  void measure(uint64_t index, Subject &subject, Evidence &evidence);
  void measureDispatches(Subject &subject, Evidence &evidence);
  void measureCase(uint64_t index, Evidence &evidence);
  void runItem(uint64_t index);
  void runRepetition(uint64_t order);

  const BenchmarkPlan &plan;
  runtime::Device &device;
  Clock &clock;
  Progress &progress;
  const RunOptions &options;
  BenchmarkResults results;
  std::vector<Subject> subjects;                         ///< by work item
  std::map<std::string, std::optional<Failure>> kernels; ///< those that were compiled
};
} // namespace

static Failure failureOf(const Issue &issue, StringRef entry = "") {
  StringRef kind = issue.kind;
  if (kind.empty())
    kind = issue.category == Issue::Category::CompileRejected ? "compile_rejected" : "unknown";
  return {entry.str(), issue.stage, kind.str(), issue.message, std::nullopt};
}

static std::vector<std::string> kernelsOf(const CasePlan &subject) {
  std::vector<std::string> symbols;
  for (KernelLaunchOp launch : subject.launches)
    if (!llvm::is_contained(symbols, launch.getKernel()))
      symbols.push_back(launch.getKernel().str());
  return symbols;
}

void Runner::begin(uint64_t step, const WorkItem &item) {
  const Candidate &candidate = candidateOf(item);
  std::string what = "@" + candidate.benchmark;
  if (item.end - item.begin == 1 && !candidate.subject->parameters.empty())
    what += ", sample " + std::to_string(candidate.samples[item.begin]);
  progress.begin(step, plan.isComparison() ? plan.repetitions.size() : plan.workItems.size(), what);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether the case of a candidate can run here; its items say why not.
bool Runner::canRun(const Candidate &candidate) {
  if (!options.execution.conditions)
    return true;
  const CasePlan &subject = *candidate.subject;
  std::optional<check::PlanningIssue> malformed;
  std::optional<check::SkippedCase> skipped = evaluateConditions(
      subject.conditions, subject.name, *options.execution.conditions, malformed);
  if (malformed)
    stop(candidate, RowState::Failed,
         {"", "requires", stringifyPlanningIssueKind(malformed->kind).str(), malformed->message,
          std::nullopt});
  else if (skipped)
    stop(candidate, RowState::Skipped,
         {"", "requires", skipped->code, skipped->message, std::nullopt});
  return !malformed && !skipped;
}

void Runner::stop(const Candidate &candidate, RowState state, const Failure &failure) {
  for (auto [item, evidence] : llvm::zip_equal(plan.workItems, results.workItems))
    if (item.candidate == candidate.index) {
      evidence.state = state;
      evidence.failure = failure;
    }
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

const std::optional<Failure> &Runner::compileKernel(const std::string &kernel) {
  auto [known, isNew] = kernels.try_emplace(kernel);
  if (!isNew)
    return known->second;
  if (options.takeDiagnostics)
    options.takeDiagnostics();
  if (std::optional<Issue> issue = device.prepare(kernel)) {
    known->second = failureOf(*issue, kernel);
    if (options.takeDiagnostics)
      known->second->diagnostics = options.takeDiagnostics();
  }
  return known->second;
}

void Runner::compile(const Candidate &candidate) {
  std::vector<std::string> symbols = kernelsOf(*candidate.subject);
  std::optional<Failure> failure;
  for (const std::string &kernel : symbols) {
    CompileRow row;
    row.candidate = candidate.index;
    row.entry = kernel;
    row.failure = compileKernel(kernel);
    row.report = reportOf({kernel}, row.failure);
    if (!failure)
      failure = row.failure;
    results.compiles.push_back(std::move(row));
  }
  std::optional<report::CompileReport> report = reportOf(symbols, failure);
  for (auto [item, evidence] : llvm::zip_equal(plan.workItems, results.workItems)) {
    if (item.candidate != candidate.index)
      continue;
    evidence.report = report;
  }
  if (failure)
    stop(candidate, RowState::Failed, *failure);
  results.reports[candidate.index] = std::move(report);
}

std::optional<report::CompileReport> Runner::reportOf(ArrayRef<std::string> symbols,
                                                      const std::optional<Failure> &failure) {
  if (!options.report)
    return std::nullopt;
  report::CompileReport report = options.report(symbols);
  if (failure) {
    report.status = report::makeStatus(report::StatusCode::FailedPrecondition);
    if (failure->diagnostics)
      report.diagnostics = *failure->diagnostics;
  }
  return report;
}

//===----------------------------------------------------------------------===//
// Correctness
//===----------------------------------------------------------------------===//

static void recordLaunches(uint64_t sample, ArrayRef<check::PreparedLaunch> launches,
                           Evidence &evidence) {
  for (auto [step, launch] : llvm::enumerate(launches)) {
    LaunchRecord record;
    record.caseSample = sample;
    record.step = step;
    record.entry = launch.kernel;
    record.geometry = launch.geometry;
    for (auto [value, scalar] :
         llvm::zip_equal(KernelLaunchOp(launch.op).getWorkload(), launch.workload))
      record.workload.push_back({stringifyType(value.getType()), scalar});
    evidence.launches.push_back(std::move(record));
  }
}

/// check::Sample::run, and what is to be remembered of it.
SampleResult Runner::checkSample(Subject &subject, const WorkItem &item, uint64_t sample,
                                 bool isFirst, Evidence &evidence) {
  std::optional<Issue> issue = subject.sample->materialize(sample);
  if (!issue)
    issue = subject.sample->prepare();
  if (!issue) {
    recordLaunches(sample, subject.sample->launches(), evidence);
    if (isFirst && timesDispatches())
      subject.recording = Recording(subject.sample->launches());
    issue = subject.sample->launch();
  }
  if (!issue)
    return subject.sample->check();
  SampleResult result;
  result.caseName = candidateOf(item).subject->name;
  result.ordinal = sample;
  result.issues.push_back(std::move(*issue));
  return result;
}

/// Runs every sample of the item once. Returns whether all expectations hold. The first check of an
/// item is recorded for its measurements.
bool Runner::check(uint64_t index, Evidence &evidence, bool isFirst) {
  const WorkItem &item = plan.workItems[index];
  const Candidate &candidate = candidateOf(item);
  Subject &subject = subjects[index];
  if (!subject.sample)
    subject.sample = std::make_unique<check::Sample>(*candidate.subject, device, options.execution);
  progress.phase("checking");
  for (uint64_t position = item.begin; position < item.end; ++position) {
    SampleResult result =
        checkSample(subject, item, candidate.samples[position], isFirst, evidence);
    ++evidence.checkedSamples;
    if (!result.passed()) {
      ++evidence.failedSamples;
      if (!result.issues.empty() && !evidence.failure)
        evidence.failure = failureOf(result.issues.front());
    }
    // A turn that passes says nothing that the first check has not said.
    if (isFirst || !result.passed())
      results.samples.push_back({item.candidate, index, position, std::move(result)});
  }
  if (evidence.failedSamples != 0)
    evidence.state = RowState::Failed;
  return evidence.failedSamples == 0;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

bool Runner::makeRing(Subject &subject, Evidence &evidence) {
  llvm::Expected<BindingRing> ring =
      BindingRing::create(subject.recording, options.ring, options.policy.batchSize);
  if (ring) {
    subject.ring = std::move(*ring);
    return true;
  }
  evidence.state = RowState::Failed;
  evidence.failure =
      Failure{"", "materialize", "input_ring", llvm::toString(ring.takeError()), std::nullopt};
  return false;
}

void Runner::measureDispatches(Subject &subject, Evidence &evidence) {
  if (!subject.ring && !makeRing(subject, evidence))
    return;
  subject.ring->reset();
  uint64_t batchSize = options.policy.batchSize;
  auto runBatch = [&](uint64_t number) {
    return subject.ring->runBatch(device, number, batchSize);
  };
  auto observe = [&](uint64_t now, const Times &timed) {
    device.takeEvents(); // they were looked at when the sample was checked
    progress.timing(now, timed);
  };
  BatchMeasurement measurement;
  if (Stopped problem = measureBatches(options.policy, clock, runBatch, observe, measurement)) {
    evidence.state = RowState::Failed;
    evidence.failure = failureOf(*problem);
    return;
  }
  const Recording &recording = subject.recording;
  evidence.batches = measurement;
  evidence.dispatchesPerOperation = recording.launchCount();
  evidence.dataCache =
      DataCache{recording.bindingCount(), subject.ring->size(), recording.bindingBytes(),
                batchSize * recording.launchCount(), options.ring.minBytes};
  evidence.state = RowState::Ok;
}

void Runner::measureCase(uint64_t index, Evidence &evidence) {
  const WorkItem &item = plan.workItems[index];
  const Candidate &candidate = candidateOf(item);
  auto runSamples = [&](uint64_t) -> Stopped {
    for (uint64_t position = item.begin; position < item.end; ++position) {
      SampleResult result = check::runSample(*candidate.subject, candidate.samples[position],
                                             device, options.execution);
      if (!result.passed() && evidence.failedTimedSamples++ == 0)
        results.samples.push_back({item.candidate, index, position, std::move(result)});
    }
    return std::nullopt;
  };
  auto observe = [&](uint64_t now, const Times &timed) { progress.timing(now, timed); };
  IterationMeasurement measurement;
  measureIterations(options.policy, clock, runSamples, observe, measurement);
  evidence.iterations = measurement;
  evidence.samplesPerIteration = item.end - item.begin;
  evidence.state = evidence.failedTimedSamples == 0 ? RowState::Ok : RowState::Failed;
}

void Runner::measure(uint64_t index, Subject &subject, Evidence &evidence) {
  progress.phase("measuring");
  if (timesDispatches())
    measureDispatches(subject, evidence);
  else
    measureCase(index, evidence);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

void Runner::runItem(uint64_t index) {
  Evidence &evidence = results.workItems[index];
  if (evidence.state != RowState::Planned)
    return; // skipped or not compiled
  if (!check(index, evidence, /*isFirst=*/true))
    return;
  measure(index, subjects[index], evidence);
  // Its values are of no more use, and the next item's need memory.
  subjects[index] = Subject();
}

/// The check of the first turn is the one that was recorded for all of them.
void Runner::runRepetition(uint64_t order) {
  const Repetition &turn = plan.repetitions[order];
  Evidence &evidence = results.repetitions[order];
  for (auto [index, item] : llvm::enumerate(plan.workItems)) {
    if (item.candidate != turn.candidate)
      continue;
    begin(order + 1, item);
    Evidence &first = results.workItems[index];
    if (first.state == RowState::Planned)
      first.state = check(index, first, /*isFirst=*/true) ? RowState::Ok : RowState::Failed;
    if (first.state != RowState::Ok) {
      evidence.state = first.state;
      evidence.failure = first.failure;
      return;
    }
    if (!check(index, evidence, /*isFirst=*/false))
      return;
    measure(index, subjects[index], evidence);
    return;
  }
  evidence.state = RowState::Failed; // the candidate has a planning issue
}

BenchmarkResults Runner::run() {
  for (const Candidate &candidate : plan.candidates)
    if (!candidate.samples.empty() && canRun(candidate)) {
      progress.begin(candidate.index + 1, plan.candidates.size(), "@" + candidate.benchmark);
      progress.phase("compiling");
      compile(candidate);
    }
  if (plan.isComparison()) {
    for (uint64_t order = 0; order < plan.repetitions.size(); ++order)
      runRepetition(order);
  } else {
    for (auto [index, item] : llvm::enumerate(plan.workItems)) {
      begin(index + 1, item);
      runItem(index);
    }
  }
  progress.clear();
  return std::move(results);
}

BenchmarkResults runBenchmarks(const BenchmarkPlan &plan, runtime::Device &device, Clock &clock,
                               Progress &progress, const RunOptions &options) {
  return Runner(plan, device, clock, progress, options).run();
}

} // namespace loom::bench
