//===- ReportDocumentTest.cpp - What a report writes ----------------------===//
#include "loom/Report/ReportDocument.h"
#include "SampleReports.h"
#include "loom/Report/Status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::report;
using testing::ElementsAre;

namespace {

std::vector<std::string> keys(const Json &object) {
  std::vector<std::string> result;
  for (const auto &item : object.items())
    result.push_back(item.key());
  return result;
}

TEST(ReportDocument, RootKeysInOrder) {
  EXPECT_THAT(keys(toJson(sampleReport(Mode::Details))),
              ElementsAre("kind", "schema_version", "mode", "artifact_kind", "status",
                          "detail_flags", "config_bindings", "module", "function", "backend",
                          "target_family", "target_key", "target_bundle", "target_snapshot",
                          "target_export", "target_export_symbol", "target_config", "lowered",
                          "artifact_format", "artifact_size", "entries", "workload", "allocation",
                          "wait_plan", "wait_counter_rows", "wait_reason_summary_rows",
                          "wait_action_rows", "emission", "memory", "target_resources",
                          "source_low"));
}

TEST(ReportDocument, EntryHoldsWhatIsKnown) {
  Json row = toJson(sampleReport(Mode::Summary))["entries"]["rows"][0];
  EXPECT_THAT(keys(row),
              ElementsAre("index", "function", "source_function", "target_bundle",
                          "target_snapshot", "target_export", "target_export_symbol",
                          "target_config", "detail_flags", "allocation_spill_count",
                          "instruction_count", "code_byte_count", "code_storage_byte_count",
                          "private_memory_bytes", "local_memory_bytes", "wait_counter_row_count",
                          "wait_reason_summary_row_count", "wait_action_row_count", "wait_plan",
                          "workload", "target_resources"));
  EXPECT_EQ(row["code_byte_count"], 1376);
  EXPECT_EQ(row["allocation_spill_count"], 0);
  EXPECT_EQ(row["wait_reason_summary_row_count"], 2);
  EXPECT_EQ(row["wait_action_row_count"], 3);
  EXPECT_EQ(jsonLine(row["workload"]),
            "{\"workgroup_size\":{\"x\":48,\"y\":1,\"z\":1,\"flat\":48},\"workgroup_count\":{"
            "\"x\":1,\"y\":1,\"z\":1,\"flat\":1},\"dispatch_workitem_count\":48}\n");
  EXPECT_EQ(jsonLine(row["target_resources"]),
            "{\"scalar\":{\"register_class\":\"SGPR\",\"final\":{\"register_count\":10}},"
            "\"vector\":{\"register_class\":\"VGPR\",\"final\":{\"register_count\":7}},"
            "\"subgroup_size\":32,\"max_subgroups_per_simd\":16,\"resident_subgroups_per_simd\":16,"
            "\"occupancy_percent\":100,\"limiting_resource\":null}\n");
}

TEST(ReportDocument, UnknownIsAbsentNotZero) {
  CompileReport report = sampleReport(Mode::Details);
  Entry bare;
  bare.function = "sum_rows";
  bare.scalarSpills = 0; // one register file alone does not give a sum
  report.entries = {bare};
  report.waits.clear();
  report.waitsRecorded = false;
  report.loopPipelines.clear();
  report.configBindings.clear();
  report.artifactSize.reset();
  Json document = toJson(report);
  EXPECT_THAT(keys(document["entries"]["rows"][0]),
              ElementsAre("index", "function", "source_function", "target_bundle",
                          "target_snapshot", "target_export", "target_export_symbol",
                          "target_config", "detail_flags"));
  EXPECT_EQ(document["entries"]["rows"][0]["detail_flags"], 0);
  for (const char *key : {"artifact_size", "config_bindings", "workload", "allocation", "wait_plan",
                          "wait_action_rows", "emission", "memory", "target_resources",
                          "source_low", "diagnostic_count"})
    EXPECT_FALSE(document.contains(key)) << key;
}

TEST(ReportDocument, RecordedButEmptyWaitsAreZero) {
  CompileReport report = sampleReport(Mode::Details);
  report.waits.clear();
  Json document = toJson(report);
  EXPECT_EQ(document["wait_plan"]["action_count"], 0);
  EXPECT_EQ(jsonLine(document["wait_reason_summary_rows"]), "{\"count\":0}\n");
  EXPECT_EQ(jsonLine(document["wait_action_rows"]), "{\"count\":0,\"rows\":[]}\n");
}

TEST(ReportDocument, WaitSums) {
  Json document = toJson(sampleReport(Mode::Details));
  EXPECT_EQ(jsonLine(document["wait_plan"]),
            "{\"action_count\":3,\"explicit_action_count\":0,\"planned_action_count\":3,"
            "\"full_drain_count\":1,\"partial_wait_count\":2,\"drained_count\":4,"
            "\"max_drained_count\":2,\"max_outstanding_before\":4,"
            "\"max_full_drain_outstanding_before\":2}\n");
  Json reasons = document["wait_reason_summary_rows"]["rows"];
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0]["reason"], "amdgpu.ssa_use");
  EXPECT_EQ(reasons[0]["reason_id"], 2);
  EXPECT_EQ(reasons[0]["summary"]["action_count"], 2);
  EXPECT_EQ(reasons[1]["reason"], "amdgpu.program_exit");
  EXPECT_EQ(reasons[1]["reason_id"], 8);
  EXPECT_EQ(document["wait_counter_rows"]["rows"][0]["summary"]["action_count"], 3);
}

TEST(ReportDocument, WaitActionRow) {
  Json row = toJson(sampleReport(Mode::Details))["wait_action_rows"]["rows"][0];
  EXPECT_EQ(jsonLine(row),
            "{\"index\":0,\"function\":\"sum_rows\",\"counter\":\"vmem_load\",\"counter_id\":1,"
            "\"action\":\"planned\",\"action_id\":2,\"reason\":\"amdgpu.ssa_use\",\"reason_id\":2,"
            "\"block_index\":4,\"node_index\":34,\"scheduled_ordinal\":4,\"producer_node\":20,"
            "\"producer_scheduled_ordinal\":null,\"producer_operation\":\"view.load\","
            "\"producer_descriptor_key\":\"global_load_b32\",\"producer_semantic_tag\":null,"
            "\"consumer_node\":null,\"consumer_scheduled_ordinal\":null,"
            "\"consumer_operation\":\"scalar.addf\",\"consumer_descriptor_key\":\"v_add_f32_e32\","
            "\"consumer_semantic_tag\":null,\"target_count\":3,\"outstanding_before\":4,"
            "\"outstanding_after\":3,\"drained_count\":1}\n");
}

TEST(ReportDocument, SummaryKeepsCountsOfDetailRows) {
  Json document = toJson(sampleReport(Mode::Summary));
  EXPECT_EQ(jsonLine(document["wait_action_rows"]), "{\"count\":3}\n");
  EXPECT_EQ(jsonLine(document["wait_counter_rows"]), "{\"count\":1}\n");
  EXPECT_EQ(document["wait_reason_summary_rows"]["rows"].size(), 2u);
  Json pipelines = document["source_low"]["loop_pipelines"];
  EXPECT_EQ(pipelines["rows"].size(), 1u);
  EXPECT_FALSE(pipelines.contains("stages"));
}

TEST(ReportDocument, LoopPipelines) {
  Json pipelines = toJson(sampleReport(Mode::Details))["source_low"]["loop_pipelines"];
  EXPECT_EQ(jsonLine(pipelines["rows"][0]),
            "{\"index\":0,\"function\":\"sum_rows\",\"loop\":0,\"schedule\":\"read_ahead\","
            "\"outcome\":\"pipelined\",\"depth\":3,\"queue_records\":2,\"values_per_record\":1,"
            "\"read_count\":1}\n");
  EXPECT_EQ(jsonLine(pipelines["stages"][3]),
            "{\"function\":\"sum_rows\",\"loop\":0,\"position\":3,\"op\":\"scalar.addf\","
            "\"stage\":\"consumer\",\"iteration_lookahead\":0}\n");
}

TEST(ReportDocument, RootAggregatesSeveralEntries) {
  CompileReport report = sampleReport(Mode::Summary);
  Entry other = sampleEntry("other");
  other.codeBytes = 100;
  other.vector->registerCount = 96;
  other.residentSubgroupsPerSimd = 10;
  other.occupancyLimit = "VGPR";
  other.workgroupSize[0] = 64;
  other.localBytes.reset();
  report.entries.push_back(other);
  Json document = toJson(report);
  EXPECT_EQ(document["emission"]["code_byte_count"], 1476);
  EXPECT_EQ(document["target_resources"]["vector"]["final"]["register_count"], 96);
  EXPECT_EQ(document["target_resources"]["occupancy_percent"], 62);
  EXPECT_EQ(document["target_resources"]["limiting_resource"], "VGPR");
  EXPECT_EQ(jsonLine(document["workload"]["workgroup_size"]), "{\"y\":1,\"z\":1}\n");
  EXPECT_EQ(jsonLine(document["memory"]), "{\"private_bytes\":0}\n");
  EXPECT_TRUE(document["function"].is_null());
  EXPECT_EQ(document["entries"]["rows"][1]["wait_action_row_count"], 0);
}

TEST(ReportDocument, FailedCompilation) {
  CompileReport report;
  report.status = makeStatus(StatusCode::FailedPrecondition);
  report.diagnostics = {{"error", "f.loom:3:5", "depth is not exact"}, {"note", "", "here"}};
  Json document = toJson(report);
  EXPECT_EQ(jsonLine(document["status"]), "{\"code\":9,\"name\":\"FAILED_PRECONDITION\"}\n");
  EXPECT_EQ(jsonLine(document["entries"]), "{\"count\":0,\"rows\":[]}\n");
  EXPECT_EQ(document["diagnostic_count"], 2);
  EXPECT_FALSE(document.contains("diagnostics"));
  report.mode = Mode::Details;
  EXPECT_EQ(jsonLine(toJson(report)["diagnostics"]),
            "[{\"severity\":\"error\",\"location\":\"f.loom:3:5\",\"message\":\"depth is not "
            "exact\"},{\"severity\":\"note\",\"location\":null,\"message\":\"here\"}]\n");
}

TEST(ReportDocument, TextStatesTheSameFacts) {
  std::string text = toText(sampleReport(Mode::Details));
  for (const char *line :
       {"compile_report kind=loom.compile_report schema_version=0 mode=details ",
        "\nstatus code=0 name=OK\n", "\nconfig_bindings[0] key=read_ahead.depth value=3\n",
        "\nemission instruction_count=70 code_byte_count=1376 code_storage_byte_count=1536\n",
        "\nentries[0].target_resources.vector.final register_count=7\n",
        "\nsource_low.loop_pipelines.stages[2] function=sum_rows loop=0 position=2 op=view.load "
        "stage=producer iteration_lookahead=2\n"})
    EXPECT_THAT(text, testing::HasSubstr(line));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("null")));
}

TEST(ReportDocument, StatusNames) {
  EXPECT_EQ(statusName(0), "OK");
  EXPECT_EQ(statusName(18), "INCOMPATIBLE");
  EXPECT_EQ(statusName(19), "");
  EXPECT_EQ(statusName(-1), "");
  EXPECT_EQ(makeStatus(StatusCode::Unimplemented).name, "UNIMPLEMENTED");
}

} // namespace
