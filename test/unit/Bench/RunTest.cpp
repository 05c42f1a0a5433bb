//===- RunTest.cpp - Carrying out a plan ----------------------------------===//
#include "loom/Bench/Run.h"
#include "BenchFixture.h"
#include "gmock/gmock.h"

using namespace loom;
using namespace loom::bench;
using check::FakeDevice;
using check::Program;
using runtime::ElementType;
using runtime::Launch;
using runtime::Scalar;
using testing::ElementsAre;

namespace {

/// A device on which a launch of @k takes as many nanoseconds as `%in` has elements.
class Bench {
public:
  explicit Bench(const std::string &records) : program(std::string(kCopyProgram) + records) {
    device.kernels["k"] = [this](const Launch &launch) {
      copyTensor(launch);
      clock.time += check::tensorArgument(launch, 1).elementCount();
    };
    run.policy.iterations = 3;
    run.policy.minTimeNs = 0;
    run.policy.stablePpm = 0;
    run.ring.count = 2;
  }

  BenchmarkResults &go(Measure measure) {
    selection.measure = run.policy.measure = measure;
    plan.emplace(llvm::cantFail(planBenchmarks(*program, selection)));
    Progress silent;
    results = runBenchmarks(*plan, device, clock, silent, run);
    return results;
  }

  Program program;
  FakeDevice device;
  FakeClock clock;
  SelectionOptions selection;
  RunOptions run;
  std::optional<BenchmarkPlan> plan;
  BenchmarkResults results;
};

TEST(BenchRun, TimesBatchesOfDispatches) {
  Bench bench("check.benchmark<@copy_case> @one {rows = 64, seed = 12}\n");
  bench.run.policy.batchSize = 4;
  BenchmarkResults &results = bench.go(Measure::DispatchComplete);
  ASSERT_EQ(results.workItems.size(), 1u);
  const Evidence &evidence = results.workItems[0];
  EXPECT_EQ(evidence.state, RowState::Ok);
  EXPECT_EQ(evidence.checkedSamples, 1u);
  ASSERT_TRUE(evidence.batches);
  EXPECT_EQ(evidence.batches->warmupBatches, 1u);
  EXPECT_EQ(evidence.batches->batches.count, 3u);
  EXPECT_EQ(evidence.batches->batches.p50, 4096u); // 4 times 64 x 16 elements
  EXPECT_EQ(evidence.dispatchesPerOperation, 1u);
  EXPECT_EQ(evidence.dataCache->ringCount, 2u);
  EXPECT_EQ(evidence.dataCache->setBytes, 8192u);
  EXPECT_EQ(evidence.dataCache->bindingCount, 2u);
  // One launch to check, then four batches.
  EXPECT_EQ(bench.device.launches.size(), 17u);
  ASSERT_EQ(evidence.launches.size(), 1u);
  EXPECT_EQ(evidence.launches[0].entry, "k");
  EXPECT_EQ(evidence.launches[0].caseSample, 3u);
  EXPECT_TRUE(succeeded(*bench.plan, results));
}

TEST(BenchRun, TimesACaseFromEndToEnd) {
  Bench bench("check.benchmark<@copy_case> @small {rows = 8}\n");
  const Evidence &evidence = bench.go(Measure::CaseEndToEnd).workItems[0];
  EXPECT_EQ(evidence.state, RowState::Ok);
  EXPECT_EQ(evidence.checkedSamples, 3u);
  EXPECT_EQ(evidence.samplesPerIteration, 3u);
  ASSERT_TRUE(evidence.iterations);
  EXPECT_EQ(evidence.iterations->iterations.count, 3u);
  EXPECT_EQ(evidence.iterations->iterations.p50, 3u * 128);
  EXPECT_EQ(bench.device.launches.size(), 3u + 4 * 3);
}

TEST(BenchRun, AWrongSampleIsNotTimed) {
  Bench bench("check.benchmark<@copy_case> @all\n");
  bench.device.kernels["k"] = [&](const Launch &launch) {
    copyTensor(launch);
    if (check::tensorArgument(launch, 1).elementCount() == 1024)
      check::tensorArgument(launch, 2).set(5, Scalar::fromDouble(ElementType::F32, 9));
  };
  BenchmarkResults &results = bench.go(Measure::DispatchComplete);
  ASSERT_EQ(results.workItems.size(), 6u);
  for (unsigned sample = 0; sample < 6; ++sample) {
    const Evidence &evidence = results.workItems[sample];
    bool isWrong = sample % 2 == 1; // those with 64 rows
    EXPECT_EQ(evidence.state, isWrong ? RowState::Failed : RowState::Ok);
    EXPECT_EQ(evidence.failedSamples, isWrong ? 1u : 0u);
    EXPECT_EQ(evidence.batches.has_value(), !isWrong);
  }
  EXPECT_EQ(results.failedSampleCount(), 3u);
  EXPECT_FALSE(succeeded(*bench.plan, results));
  // Three samples are only checked, three are checked and run 1 + 3 times.
  EXPECT_EQ(bench.device.launches.size(), 3u + 3 * 5);
}

TEST(BenchRun, ACaseWithOneWrongSampleIsNotTimed) {
  Bench bench("check.benchmark<@copy_case> @all\n");
  bench.device.kernels["k"] = [&](const Launch &launch) {
    if (check::tensorArgument(launch, 1).elementCount() != 1024)
      copyTensor(launch);
  };
  const Evidence &evidence = bench.go(Measure::CaseEndToEnd).workItems[0];
  EXPECT_EQ(evidence.state, RowState::Failed);
  EXPECT_EQ(evidence.checkedSamples, 6u);
  EXPECT_EQ(evidence.failedSamples, 3u);
  EXPECT_FALSE(evidence.iterations);
  EXPECT_EQ(bench.device.launches.size(), 6u);
}

TEST(BenchRun, ACaseThatGoesWrongWhileItIsTimedFails) {
  Bench bench("check.benchmark<@copy_case> @one {rows = 8, seed = 11}\n");
  unsigned launches = 0;
  bench.device.kernels["k"] = [&](const Launch &launch) {
    if (++launches != 4)
      copyTensor(launch);
  };
  const Evidence &evidence = bench.go(Measure::CaseEndToEnd).workItems[0];
  EXPECT_EQ(evidence.state, RowState::Failed);
  EXPECT_EQ(evidence.failedSamples, 0u);
  EXPECT_EQ(evidence.failedTimedSamples, 1u);
  EXPECT_EQ(bench.results.failedSampleCount(), 1u);
}

TEST(BenchRun, SharedWorkIsMeasuredOnce) {
  Bench bench("check.benchmark<@copy_case> @a {rows = 8, seed = 11}\n"
              "check.benchmark<@copy_case> @b {rows = 8, seed = 11}\n");
  bench.go(Measure::DispatchComplete);
  EXPECT_EQ(bench.results.workItems.size(), 1u);
  EXPECT_EQ(bench.device.launches.size(), 5u);
  EXPECT_EQ(bench.results.compiles.size(), 2u);
}

/// Refuses one kernel.
class RefusingDevice : public FakeDevice {
public:
  std::optional<runtime::Issue> prepare(llvm::StringRef kernel) override {
    if (kernel != "refused")
      return std::nullopt;
    runtime::Issue issue;
    issue.category = runtime::Issue::Category::CompileRejected;
    issue.stage = "compile";
    issue.message = "no such instruction";
    return issue;
  }
};

TEST(BenchRun, ARefusedKernelDoesNotKeepOthersFromBeingMeasured) {
  std::string text = kCopyProgram;
  std::string refused = text;
  for (auto [from, to] :
       {std::pair<std::string, std::string>{"@k(", "@refused("}, {"@copy_case", "@other_case"}})
    for (size_t at = 0; (at = refused.find(from, at)) != std::string::npos; at += to.size())
      refused.replace(at, from.size(), to);
  Program program(text + refused +
                  "check.benchmark<@other_case> @bad {rows = 8, seed = 11}\n"
                  "check.benchmark<@copy_case> @good {rows = 8, seed = 11}\n");
  RefusingDevice device;
  device.kernels["k"] = copyTensor;
  FakeClock clock;
  SelectionOptions selection;
  RunOptions run;
  selection.measure = run.policy.measure = Measure::DispatchComplete;
  run.policy.minTimeNs = 0;
  unsigned taken = 0;
  run.takeDiagnostics = [&] {
    ++taken;
    return std::vector<report::DiagnosticRow>{{"error", "t.loom:3:5", "no such instruction"}};
  };
  run.report = [](llvm::ArrayRef<std::string>) { return report::CompileReport(); };
  BenchmarkPlan plan = llvm::cantFail(planBenchmarks(*program, selection));
  Progress silent;
  BenchmarkResults results = runBenchmarks(plan, device, clock, silent, run);
  EXPECT_EQ(results.workItems[0].state, RowState::Failed);
  ASSERT_TRUE(results.workItems[0].failure);
  EXPECT_EQ(results.workItems[0].failure->entry, "refused");
  EXPECT_EQ(results.workItems[0].failure->kind, "compile_rejected");
  EXPECT_EQ(results.workItems[0].failure->diagnostics->size(), 1u);
  EXPECT_EQ(results.workItems[0].checkedSamples, 0u);
  EXPECT_EQ(results.workItems[1].state, RowState::Ok);
  ASSERT_EQ(results.compiles.size(), 2u);
  EXPECT_TRUE(results.compiles[0].failure);
  EXPECT_EQ(results.compiles[0].report->status.name, "FAILED_PRECONDITION");
  EXPECT_EQ(results.compiles[0].report->diagnostics.size(), 1u);
  EXPECT_FALSE(results.compiles[1].failure);
  EXPECT_EQ(results.compiles[1].report->status.code, 0);
}

TEST(BenchRun, ConditionsSkip) {
  std::string text = kCopyProgram;
  text.replace(text.find("  %rows"), 0, "  check.requires<target.feature> {feature = \"wave7\"}\n");
  Program program(text + "check.benchmark<@copy_case> @all\n");
  FakeDevice device;
  FakeClock clock;
  RunOptions run;
  check::Conditions nobody;
  run.execution.conditions = &nobody;
  BenchmarkPlan plan = llvm::cantFail(planBenchmarks(*program, SelectionOptions()));
  Progress silent;
  BenchmarkResults results = runBenchmarks(plan, device, clock, silent, run);
  EXPECT_EQ(results.workItems[0].state, RowState::Skipped);
  EXPECT_EQ(results.workItems[0].failure->kind, "provider_not_registered");
  EXPECT_TRUE(device.launches.empty());
  EXPECT_TRUE(succeeded(plan, results));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

const char *const kPair = "check.benchmark<@copy_case> @small {rows = 8, seed = 11}\n"
                          "check.benchmark<@copy_case> @large {rows = 64, seed = 11}\n";

TEST(BenchRun, ComparesInTurns) {
  Bench bench(kPair);
  bench.selection.compare = {"@large", "@small"};
  BenchmarkResults &results = bench.go(Measure::DispatchComplete);
  ASSERT_EQ(results.repetitions.size(), 5u);
  std::vector<uint64_t> times;
  for (const Evidence &turn : results.repetitions) {
    EXPECT_EQ(turn.state, RowState::Ok);
    EXPECT_EQ(turn.checkedSamples, 1u); // before each timing
    times.push_back(turn.batches->batches.p50);
  }
  EXPECT_THAT(times, ElementsAre(1024, 128, 1024, 128, 1024));
  std::vector<Comparison> comparisons = compareRepetitions(*bench.plan, results, 1);
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_THAT(comparisons[0].baseline.p50, ElementsAre(1024, 1024, 1024));
  EXPECT_THAT(comparisons[0].compared.p50, ElementsAre(128, 128));
  EXPECT_TRUE(succeeded(*bench.plan, results));
}

TEST(BenchRun, TurnsBeginWithTheRecordedValues) {
  Bench bench(kPair);
  bench.selection.compare = {"@small", "@small"};
  bench.run.ring.count = 1;
  // Counts up in `%in`, which the check compares with `%out` afterwards.
  std::vector<double> firsts;
  bench.device.kernels["k"] = [&](const Launch &launch) {
    runtime::Tensor &in = check::tensorArgument(launch, 1);
    firsts.push_back(in.get(0).toDouble());
    in.set(0, Scalar::fromDouble(ElementType::F32, in.get(0).toDouble() + 1));
    copyTensor(launch);
  };
  bench.go(Measure::DispatchComplete);
  // The first check; then each turn checks and runs four batches from the same values on.
  double start = firsts[0];
  for (size_t turn = 0, at = 0; turn < 5; ++turn) {
    at += turn < 2; // the first check of each of the two
    EXPECT_EQ(firsts[at++], start);
    for (int batch = 0; batch < 4; ++batch)
      EXPECT_EQ(static_cast<float>(firsts[at++]), static_cast<float>(start + batch));
  }
}

TEST(BenchRun, ACandidateThatIsWrongIsNotCompared) {
  Bench bench(kPair);
  bench.selection.compare = {"@small", "@large"};
  bench.device.kernels["k"] = [&](const Launch &launch) {
    if (check::tensorArgument(launch, 1).elementCount() == 128)
      copyTensor(launch);
  };
  BenchmarkResults &results = bench.go(Measure::DispatchComplete);
  EXPECT_EQ(results.repetitions[0].state, RowState::Ok);
  EXPECT_EQ(results.repetitions[1].state, RowState::Failed);
  EXPECT_EQ(results.repetitions[3].state, RowState::Failed);
  EXPECT_TRUE(compareRepetitions(*bench.plan, results, 1).empty());
  EXPECT_EQ(results.failedSampleCount(), 1u);
  EXPECT_FALSE(succeeded(*bench.plan, results));
}

} // namespace
