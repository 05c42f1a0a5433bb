//===- DocumentsTest.cpp - Results as documents ---------------------------===//
#include "BenchFixture.h"
#include "loom/Bench/Run.h"
#include "loom/Bench/Summary.h"
#include "gmock/gmock.h"

using namespace loom;
using namespace loom::bench;
using check::FakeDevice;
using check::Program;
using runtime::Launch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

class Document {
public:
  explicit Document(const std::string &records, SelectionOptions selection = {})
      : program(std::string(kCopyProgram) + records) {
    device.kernels["k"] = [this](const Launch &launch) {
      if (!isBroken)
        copyTensor(launch);
      clock.time += duration;
      duration += step;
    };
    selection.measure = run.policy.measure = Measure::DispatchComplete;
    run.policy.batchSize = 3;
    run.policy.minTimeNs = 0;
    run.policy.stablePpm = 0;
    run.ring = {10000, 0, UINT64_MAX};
    description.runId = "r0";
    description.source = "t.loom";
    description.resultsPath = "-";
    description.device = {"x86", "x86", "x86", "x86", "x86:0", {{"target_key", "avx2"}}};
    plan.emplace(llvm::cantFail(planBenchmarks(*program, selection)));
  }

  void measure() {
    description.policy = run.policy;
    description.ring = run.ring;
    Progress silent;
    results = runBenchmarks(*plan, device, clock, silent, run);
  }
  void dryRun() {
    description.policy = run.policy;
    description.dryRun = true;
    description.device.id.clear();
    results = BenchmarkResults::planned(*plan);
  }

  Json snapshot() {
    std::string text = toSnapshot(description, *plan, results);
    EXPECT_EQ(text.back(), '\n');
    return llvm::cantFail(parseJson(text, "snapshot"));
  }
  std::vector<Json> rows() {
    std::vector<Json> list;
    std::string text = toRows(description, *plan, results);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines)
      list.push_back(llvm::cantFail(parseJson(line, "row")));
    return list;
  }

  Program program;
  FakeDevice device;
  FakeClock clock;
  uint64_t duration = 1000, step = 0;
  bool isBroken = false;
  RunOptions run;
  RunDescription description;
  std::optional<BenchmarkPlan> plan;
  BenchmarkResults results;
};

std::vector<std::string> keys(const Json &object) {
  std::vector<std::string> names;
  for (const auto &[key, value] : object.items())
    names.push_back(key);
  return names;
}

const char *const kOne = "check.benchmark<@copy_case> @one {rows = 8, seed = 12}\n";

TEST(BenchDocuments, ASnapshotHasItsKeysInOrder) {
  Document document(kOne);
  document.measure();
  Json root = document.snapshot();
  EXPECT_THAT(keys(root), ElementsAre("tool", "run_id", "source", "results_path", "file_output_dir",
                                      "output_format", "dry_run", "sanitizer", "device", "summary",
                                      "work_items", "benchmarks"));
  EXPECT_EQ(root["tool"], "iree-benchmark-loom");
  EXPECT_EQ(root["device"].dump(),
            R"({"device_uri":"x86","driver":"x86","provider":"x86","target_family":"x86",)"
            R"("state":"created","device_id":"x86:0","device_spec":{"target_key":"avx2"}})");
  EXPECT_EQ(root["summary"].dump(),
            R"({"planned":{"case_count":1,"benchmark_count":1,"selected_benchmark_count":1,)"
            R"("logical_sample_count":1,"work_item_count":1},"failures":{"row_count":0,)"
            R"("failed_benchmark_count":0},"correctness":{"sample_count":1,)"
            R"("failed_sample_count":0}})");
  EXPECT_EQ(root["benchmarks"].dump(),
            R"([{"candidate_id":"c0","candidate_index":0,"work_item_index":0,"benchmark":"one",)"
            R"("case":"copy_case","state":"ok","sample_index":2}])");
}

TEST(BenchDocuments, AWorkItemHasItsEvidence) {
  Document document(kOne);
  document.measure();
  Json root = document.snapshot();
  Json &item = root["work_items"][0];
  EXPECT_THAT(keys(item), ElementsAre("work_item_index", "benchmark", "case", "state", "sample_id",
                                      "sample_index", "sample", "policy", "correctness", "launches",
                                      "measurement", "data_cache"));
  EXPECT_EQ(item["sample"].dump(),
            R"({"sample_ordinal":2,"parameter_count":2,"parameters":{"rows":8,"seed":12},)"
            R"("parameter_ordinals":{"rows":0,"seed":1}})");
  EXPECT_EQ(item["policy"].dump(),
            R"({"measure":"dispatch_complete","warmup_iterations":1,"iterations":10})");
  EXPECT_EQ(item["launches"].dump(),
            R"([{"case_sample_index":2,"sequence_step_index":0,"entry":"k","workload":[],)"
            R"("launch_config":{"workgroup_count":{"x":1,"y":1,"z":1},)"
            R"("workgroup_size":{"x":1,"y":1,"z":1}}}])");
  EXPECT_EQ(item["data_cache"].dump(),
            R"({"validity":"check_ops","cache_policy":"binding_ring",)"
            R"("correctness_materialization":"host_visible",)"
            R"("measurement_materialization":"host_visible","binding_count":2,)"
            R"("binding_ring_count":10,"dispatches_per_batch":3,)"
            R"("requested_min_ring_bytes":10000,"binding_set_bytes":1024,)"
            R"("binding_ring_bytes":10240,"ring_byte_target_met":true})");
}

TEST(BenchDocuments, TimesAreThoseOfTheClock) {
  Document document(kOne);
  document.run.policy.iterations = 5;
  document.step = 10;
  document.measure();
  // Launches take 1000 (the check), 1010, 1020, ...; a batch has three, and one batch warms up.
  Json measurement = document.snapshot()["work_items"][0]["measurement"];
  EXPECT_EQ(measurement["batch_timing_ns"].dump(),
            R"({"count":5,"total":16650,"min":3150,"max":3510,"mean":3330.0,"p50":3330,)"
            R"("p90":3510,"p90_to_p50_delta_ppm":54054})");
  EXPECT_EQ(measurement["operation_timing_ns"].dump(),
            R"({"count":5,"total":5550,"min":1050,"max":1170,"mean":1110.0,"p50":1110,)"
            R"("p90":1170,"p90_to_p50_delta_ppm":54054})");
  measurement.erase("batch_timing_ns");
  measurement.erase("operation_timing_ns");
  EXPECT_EQ(measurement.dump(),
            R"({"samples_per_iteration":1,"failed_sample_count":0,)"
            R"("logical_operations_per_batch":3,"physical_dispatches_per_batch":3,)"
            R"("physical_dispatches_per_logical_operation":1,"warmup_batch_count":1,)"
            R"("warmup_duration_ns":3060,"measured_batch_count":5,)"
            R"("measured_logical_operation_count":15,"measured_physical_dispatch_count":15,)"
            R"("measured_duration_ns":16650,"mean_physical_dispatch_duration_ns":1110.0,)"
            R"("stop_reason":"minimum_reached","timing_interpretation":{)"
            R"("score":"operation_timing_ns","score_time_domain":"host_wall",)"
            R"("score_meaning":"host_queue_completion_throughput_normalized_batch_time",)"
            R"("score_unit":"logical_operation","warnings":["short_measured_duration",)"
            R"("low_physical_dispatch_sample_count"]}})");
}

TEST(BenchDocuments, ADryRunHasThePlanAlone) {
  Document document(kOne);
  document.dryRun();
  Json root = document.snapshot();
  EXPECT_EQ(root["device"]["state"], "planned");
  EXPECT_FALSE(root["device"].contains("device_id"));
  EXPECT_EQ(root["work_items"].dump(),
            R"([{"work_item_index":0,"state":"planned","kind":"dispatch_sample",)"
            R"("representative_candidate_index":0,"representative_candidate_id":"c0",)"
            R"("benchmark":"one","case":"copy_case","measure":"dispatch_complete",)"
            R"("benchmark_sample_index":0,"case_sample_index":2,"sample_id":"s2",)"
            R"("sample_index":2,"sample":{"sample_ordinal":2,"parameter_count":2,)"
            R"("parameters":{"rows":8,"seed":12},"parameter_ordinals":{"rows":0,"seed":1}}}])");
  EXPECT_EQ(root["benchmarks"][0]["state"], "planned");
}

TEST(BenchDocuments, AWrongSampleIsListed) {
  Document document(kOne);
  document.isBroken = true;
  document.measure();
  Json root = document.snapshot();
  EXPECT_EQ(root["work_items"][0]["state"], "failed");
  EXPECT_FALSE(root["work_items"][0].contains("measurement"));
  ASSERT_EQ(root["failed_samples"].size(), 1u);
  Json &row = root["failed_samples"][0];
  EXPECT_THAT(keys(row),
              ElementsAre("candidate_id", "candidate_index", "work_item_index", "benchmark", "case",
                          "benchmark_sample_index", "case_sample_index", "sample_id",
                          "sample_index", "sample", "sample_result"));
  EXPECT_EQ(row["sample_result"]["passed"], false);
  EXPECT_EQ(row["sample_result"]["sample_ordinal"], 2);
  EXPECT_EQ(root["summary"]["failures"]["failed_benchmark_count"], 1);

  std::string text;
  llvm::raw_string_ostream os(text);
  printFailures(os, *document.plan, document.results, "loom-test t.loom");
  EXPECT_THAT(text, HasSubstr("FAILED: case @copy_case, sample 2 (rows = 8, seed = 12)"));
  EXPECT_THAT(text, HasSubstr("loom-test t.loom --case=@copy_case --sample=2"));
}

TEST(BenchDocuments, ABenchmarkThatCannotBePlannedIsAFailure) {
  Document document("check.benchmark<@copy_case> @bad {rows = 9}\n");
  document.measure();
  Json root = document.snapshot();
  EXPECT_FALSE(root.contains("work_items"));
  EXPECT_EQ(root["benchmarks"].dump(),
            R"([{"candidate_id":"c0","candidate_index":0,"benchmark":"bad","case":"copy_case",)"
            R"("state":"failed"}])");
  ASSERT_EQ(root["failures"].size(), 1u);
  EXPECT_EQ(root["failures"][0]["stage"], "plan");
  EXPECT_EQ(root["failures"][0]["planning_issue_count"], 1);
  EXPECT_EQ(root["failures"][0]["planning_issues"][0]["kind"], "invalid_benchmark_assignment");
  EXPECT_EQ(root["summary"]["failures"]["row_count"], 1);
  EXPECT_FALSE(succeeded(*document.plan, document.results));

  std::string text;
  llvm::raw_string_ostream os(text);
  printFailures(os, *document.plan, document.results, "");
  EXPECT_THAT(text, HasSubstr("error: benchmark @bad cannot be measured: the value of 'rows' is "
                              "none of the values of the parameter "
                              "[invalid_benchmark_assignment]"));
}

TEST(BenchDocuments, RowsComeInOrder) {
  Document document("check.benchmark<@copy_case> @small {rows = 8}\n");
  document.description.overrides = {{"batch_size", true}, {"min_time_ms", false}};
  document.measure();
  std::vector<Json> rows = document.rows();
  std::vector<std::string> kinds;
  for (const Json &row : rows) {
    kinds.push_back(row["row"]);
    EXPECT_EQ(row["run_id"], "r0");
  }
  EXPECT_THAT(kinds, ElementsAre("run", "plan", "device", "compile", "sample", "sample", "sample",
                                 "benchmark", "benchmark", "benchmark", "summary"));
}

TEST(BenchDocuments, APlanRowSaysHowItIsMeasured) {
  Document document(kOne);
  document.description.overrides = {{"batch_size", true}, {"min_time_ms", false}};
  document.dryRun();
  std::vector<Json> rows = document.rows();
  EXPECT_EQ(rows[1].dump(),
            R"({"row":"plan","run_id":"r0","candidate_id":"c0","candidate_index":0,)"
            R"("benchmark":"one","case":"copy_case","measure":"dispatch_complete",)"
            R"("warmup_iterations":1,"iterations":10,"benchmark_sample_count":1,)"
            R"("benchmark_cartesian_sample_count":1,"benchmark_sample_count_truncated":false,)"
            R"("kernel_launch_count":1,"kernel_entry":"k","kernel_argument_count":3,)"
            R"("case_sample_count":6,"case_cartesian_sample_count":6,)"
            R"("case_sample_count_truncated":false,"case_parameters":[{"name":"rows",)"
            R"("kind":"choice","sample_count":2},{"name":"seed","kind":"seed",)"
            R"("sample_count":3}],"cli_overrides":{"batch_size":true,"min_time_ms":false},)"
            R"("batch_size":3,"min_time_ns":0,"warmup_time_ns":0,"max_batches":1000,)"
            R"("stable_p90_to_p50_ppm":0,"profile_final_batch":false,"data_cache_policy":{)"
            R"("validity":"check_ops","cache_policy":"binding_ring",)"
            R"("input_ring_min_bytes":33554432,"input_ring_count":0}})");
  EXPECT_EQ(rows.back().dump().substr(0, 54),
            R"({"row":"summary","run_id":"r0","dry_run":true,"summary)");
  EXPECT_THAT(rows[3].dump(), Not(HasSubstr("policy")));
}

SelectionOptions comparing() {
  SelectionOptions selection;
  selection.compare = {"@one", "@two"};
  return selection;
}
const char *const kTwo = "check.benchmark<@copy_case> @one {rows = 8, seed = 12}\n"
                         "check.benchmark<@copy_case> @two {rows = 8, seed = 13}\n";

TEST(BenchDocuments, AComparisonHasTurnsAndRatios) {
  Document document(kTwo, comparing());
  document.duration = 3000;
  document.measure();
  Json root = document.snapshot();
  ASSERT_EQ(root["repetitions"].size(), 5u);
  Json turn = root["repetitions"][3];
  EXPECT_EQ(turn["candidate_id"], "c1");
  EXPECT_EQ(turn["baseline_candidate_id"], "c0");
  EXPECT_EQ(turn["method"], "ABABA");
  EXPECT_EQ(turn["order_index"], 3);
  EXPECT_EQ(turn["repetition_index"], 1);
  EXPECT_EQ(turn["schedule_token"], "B");
  EXPECT_EQ(root["comparisons"].dump(),
            R"([{"comparison_group":"g0","method":"ABABA","baseline_candidate_id":"c0",)"
            R"("candidate_id":"c1","baseline_repetition_count":3,)"
            R"("candidate_repetition_count":2,"p50_ns":{"baseline":3000,"candidate":3000,)"
            R"("ratio":1.0,"speedup":1.0}}])");
  EXPECT_EQ(root["summary"]["correctness"]["sample_count"], 7);
}

/// Results of turns whose operations took the listed times.
std::string comparisonRow(Document &document, std::vector<uint64_t> p50) {
  document.dryRun();
  document.description.policy.batchSize = 1;
  for (auto [evidence, time] : llvm::zip_equal(document.results.repetitions, p50)) {
    evidence.state = RowState::Ok;
    evidence.batches.emplace();
    evidence.batches->batches.p50 = time;
    evidence.batches->batches.p90 = time * 2;
  }
  std::vector<Json> rows = document.rows();
  return rows[rows.size() - 2].dump();
}

TEST(BenchDocuments, MediansOfTurnsAreCompared) {
  Document document(kTwo, comparing());
  EXPECT_EQ(comparisonRow(document, {300, 100, 200, 110, 100}),
            R"({"row":"comparison","run_id":"r0","comparison_group":"g0","method":"ABABA",)"
            R"("baseline_candidate_id":"c0","candidate_id":"c1","baseline_repetition_count":3,)"
            R"("candidate_repetition_count":2,"baseline_p50_ns":200,"candidate_p50_ns":100,)"
            R"("baseline_p90_ns":400,"candidate_p90_ns":200,"baseline_p50_spread_ppm":1000000,)"
            R"("candidate_p50_spread_ppm":100000,"baseline_p90_spread_ppm":1000000,)"
            R"("candidate_p90_spread_ppm":100000,"ratio_p50":0.5,"speedup_p50":2.0,)"
            R"("ratio_p90":0.5,"speedup_p90":2.0})");
  EXPECT_THAT(comparisonRow(document, {0, 3, 0, 3, 0}),
              HasSubstr(R"("ratio_p50":0.0,"speedup_p50":0.0)"));
  EXPECT_THAT(comparisonRow(document, {3, 1, 3, 1, 3}),
              HasSubstr(R"("ratio_p50":0.333333,"speedup_p50":3.0)"));
}

TEST(BenchDocuments, TimesArePrintedForPeople) {
  Document document(kOne);
  document.measure();
  std::string text;
  llvm::raw_string_ostream os(text);
  printTimes(os, document.description, *document.plan, document.results);
  EXPECT_EQ(text, "@one, sample 2: p50 1.00 us, p90 1.00 us (batches: 10 of 3, "
                  "minimum_reached)\n  short_measured_duration\n"
                  "  low_physical_dispatch_sample_count\n");
}

} // namespace
