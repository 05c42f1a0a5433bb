//===- ShowTest.cpp - The views of a report -------------------------------===//
#include "loom/Report/Show.h"
#include "SampleReports.h"
#include "loom/Report/Status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::report;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Through the document, as the tool does it.
LoadedReport load(const CompileReport &report) {
  return llvm::cantFail(fromJson(toJson(report), "rows.report.json"));
}

std::string shown(const CompileReport &report) { return showText(load(report)); }

TEST(Show, TextOfTheRowSum) {
  EXPECT_EQ(shown(sampleReport(Mode::Details)), R"(Loom compile report
  source: rows.report.json
  schema: loom.compile_report v0 (details, direct)
  status: OK (0)
  artifact: hal-executable (amdgpu-hsaco)
  target: amdgpu/gfx1151 via amdgpu
  specialization: bundle=unavailable, snapshot=unavailable, config=unavailable
  config:
    read_ahead.depth = 3
    read_ahead.unroll = 4

Launch geometry (compiled artifact)
  workgroup size: (48, 1, 1)
  workitems per workgroup: 48
  workgroup count: (1, 1, 1)
  dispatch workgroups: 1
  workgroup cluster size: unavailable
  subgroup size (workitems): 32
  subgroups per workgroup: 2
  dispatch subgroups: 2
  dispatch workitems: 48

Entry sum_rows
  Artifact facts
    instructions: 70
    body instructions: unavailable
    entry-envelope instructions: unavailable
    native coissued instructions: unavailable
    coissued semantic components: unavailable
    code bytes: 1,376 B
    code storage bytes: 1,536 B
    local memory: 0 B
    private memory: 0 B
    scalar ALU instructions: unavailable
    unclassified instructions: unavailable
    vector ALU instructions: unavailable
    matrix instructions: unavailable
    MFMA instructions: unavailable
    SMFMAC instructions: unavailable
    WMMA instructions: unavailable
    SWMMAC instructions: unavailable
    dot instructions: unavailable
    global loads: unavailable
    global stores: unavailable
    buffer loads: unavailable
    buffer stores: unavailable
    local-memory instructions: unavailable
    conversion instructions: unavailable
    register moves: unavailable
    barriers: unavailable
    branches: unavailable
  Compiled execution economics (compiler analysis)
    coverage: unavailable (exact_fixed_trip_multiplicities_unavailable)
  Compiler analysis
    final scalar registers: 10
    final vector registers: 7
    planned spills: 0
    resident subgroups per SIMD: 16
    maximum subgroups per SIMD: 16
    modeled occupancy: 100%
    occupancy limit: none
    wait actions: 3
    explicit wait actions: 0
    target-planned wait actions: 3
    full drains: 1
    partial waits: 2
    packets drained: 4
    maximum packets drained: 2
    maximum outstanding before a wait: 4
    maximum outstanding before a full drain: 2
  Wait reasons (compiler analysis)
    vmem_load / amdgpu.ssa_use:
      actions=2 explicit=0 planned=2 full_drains=0 partial_waits=2 drained=2 max_drained=1 max_outstanding_before=4
    vmem_load / amdgpu.program_exit:
      actions=1 explicit=0 planned=1 full_drains=1 partial_waits=0 drained=2 max_drained=2 max_outstanding_before=2
  Waits (final machine code)
    block 4: vmem_load target_count=3 outstanding_before=4 producer=view.load[global_load_b32] consumer=scalar.addf[v_add_f32_e32] reason=amdgpu.ssa_use
    block 4: vmem_load target_count=2 outstanding_before=3 producer=view.load[global_load_b32] consumer=scalar.addf[v_add_f32_e32] reason=amdgpu.ssa_use
    block 4: vmem_load target_count=0 outstanding_before=2 producer=view.load[global_load_b32] reason=amdgpu.program_exit

Source loop pipelines
  sum_rows loop 0: pipelined depth=3 queue_records=2 values_per_record=1 reads=1
    0: index.constant producer iteration_lookahead=2
    1: index.madd producer iteration_lookahead=2
    2: view.load producer iteration_lookahead=2
    3: scalar.addf consumer iteration_lookahead=0
)");
}

TEST(Show, GuardedStagesAndSerialLoops) {
  CompileReport report = sampleReport(Mode::Details);
  report.loopPipelines = {{"sum_rows", 0, false, 1, 0, 0, 0, {}},
                          {"sum_rows",
                           1,
                           true,
                           3,
                           2,
                           3,
                           2,
                           {{0, "index.cmp", true, 2, false},
                            {1, "scf.if", true, 2, true},
                            {1, "scf.if", false, 0, true}}}};
  EXPECT_THAT(shown(report), HasSubstr(R"(
Source loop pipelines
  sum_rows loop 0: serial depth=1 queue_records=0 values_per_record=0 reads=0
  sum_rows loop 1: pipelined depth=3 queue_records=2 values_per_record=3 reads=2
    0: index.cmp producer iteration_lookahead=2
    1: scf.if partition=guarded producer iteration_lookahead=2
    1: scf.if partition=guarded consumer iteration_lookahead=0
)"));
}

TEST(Show, BlocksAreAbsentWithoutEvidence) {
  CompileReport report;
  report.entries.emplace_back();
  report.entries[0].function = "sum_rows";
  std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("  static launch geometry: unavailable\n"));
  EXPECT_THAT(text, HasSubstr("    code bytes: unavailable\n"));
  EXPECT_THAT(text, HasSubstr("  target: unavailable/unavailable via unavailable\n"));
  for (const char *block : {"Compiler analysis", "Wait reasons", "Waits (", "Source loop pipelines",
                            "Diagnostics", "config:"})
    EXPECT_THAT(text, Not(HasSubstr(std::string("\n  ") + block)));
  EXPECT_THAT(text, Not(HasSubstr("Source loop pipelines")));
}

TEST(Show, SummaryHasSumsButNoRows) {
  std::string text = shown(sampleReport(Mode::Summary));
  EXPECT_THAT(text, HasSubstr("(summary, direct)"));
  EXPECT_THAT(text, HasSubstr("    wait actions: 3\n"));
  EXPECT_THAT(text, HasSubstr("sum_rows loop 0: pipelined depth=3"));
  EXPECT_THAT(text, Not(HasSubstr("Waits (final machine code)")));
  EXPECT_THAT(text, Not(HasSubstr("iteration_lookahead")));
}

TEST(Show, EntriesWithTheirOwnLaunch) {
  CompileReport report = sampleReport(Mode::Summary);
  report.entries.push_back(sampleEntry("other"));
  report.entries[1].workgroupSize[0] = 64;
  std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("\n  workgroup size: (unavailable, 1, 1)\n"));
  EXPECT_THAT(text, HasSubstr("Entry other\n  Launch geometry (compiled artifact)\n    workgroup "
                              "size: (64, 1, 1)\n"));
}

TEST(Show, FailedCompilation) {
  CompileReport report;
  report.mode = Mode::Details;
  report.status = makeStatus(StatusCode::FailedPrecondition);
  report.diagnostics = {{"error", "f.loom:3:5", "depth is not exact"}};
  std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("  status: FAILED_PRECONDITION (9)\n"));
  EXPECT_THAT(text, HasSubstr("\nentries: none\n"));
  EXPECT_THAT(text, HasSubstr("\nDiagnostics: 1\n  f.loom:3:5: error: depth is not exact\n"));
}

TEST(Show, BenchmarkContext) {
  Json row = {{"type", "compile_report"},
              {"run_id", "r1"},
              {"sample_index", 0},
              {"compile_report", toJson(sampleReport(Mode::Summary))}};
  LoadedReport loaded = llvm::cantFail(fromJson(row, "r.json"));
  EXPECT_THAT(showText(loaded), HasSubstr("(summary, benchmark_envelope)"));
  EXPECT_THAT(showText(loaded), HasSubstr("\n  benchmark: run_id=r1, sample_index=0\n"));
  EXPECT_EQ(showJson(loaded)["envelope_context"]["run_id"], "r1");
}

TEST(Show, JsonHasSortedKeysAndKnownMetricsOnly) {
  nlohmann::json view = showJson(load(sampleReport(Mode::Details)));
  EXPECT_EQ(view["kind"], "loom.compile_report.show");
  EXPECT_EQ(view["missing_evidence"], "omitted_metrics_are_unavailable");
  EXPECT_EQ(view["container_kind"], "direct");
  EXPECT_EQ(view["status"].dump(), R"({"code":0,"name":"OK"})");
  EXPECT_EQ(view["entries"][0]["artifact_facts"].dump(),
            R"({"code_byte_count":1376,"code_storage_byte_count":1536,"instruction_count":70,)"
            R"("local_memory_bytes":0,"private_memory_bytes":0})");
  EXPECT_EQ(view["workload"]["subgroups_per_workgroup"], 2);
  EXPECT_EQ(view["loop_pipelines"][0]["stages"].size(), 4u);
  EXPECT_EQ(view["entries"][0]["wait_reasons"]["reasons"][0]["reason"], "amdgpu.program_exit");
  EXPECT_EQ(view["entries"][0]["wait_reasons"]["reasons"][0]["summary"]["full_drain_count"], 1);
  EXPECT_EQ(view["entries"][0]["wait_actions"].size(), 3u);
  EXPECT_EQ(view["entries"][0]["compiler_analysis"]["final_vector_register_count"], 7);
  nlohmann::json summary = showJson(load(sampleReport(Mode::Summary)));
  EXPECT_FALSE(summary["entries"][0].contains("wait_actions"));
  EXPECT_FALSE(summary["loop_pipelines"][0].contains("stages"));
  EXPECT_EQ(summary["loop_pipelines"][0]["depth"], 3);
  std::string text = view.dump();
  EXPECT_LT(text.find("\"container_kind\""), text.find("\"entries\""));
  EXPECT_LT(text.find("\"entries\""), text.find("\"identity\""));
}

} // namespace
