//===- ReportReaderTest.cpp - Reading reports strictly --------------------===//
#include "SampleReports.h"
#include "loom/Report/ReportDocument.h"
#include "loom/Report/Status.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::report;

namespace {

std::string errorOf(const Json &document) {
  llvm::Expected<LoadedReport> loaded = fromJson(document, "r.json");
  return loaded ? "" : llvm::toString(loaded.takeError());
}

Json details() { return toJson(sampleReport(Mode::Details)); }
Json summary() { return toJson(sampleReport(Mode::Summary)); }

/// The document with `value` at the place that the JSON pointer names.
Json with(Json document, const char *pointer, const Json &value) {
  document[Json::json_pointer(pointer)] = value;
  return document;
}

Json without(Json document, const char *pointer, const char *key) {
  document[Json::json_pointer(pointer)].erase(key);
  return document;
}

class RoundTrip : public testing::TestWithParam<Mode> {
protected:
  void check(const CompileReport &report) {
    Json document = toJson(report);
    llvm::Expected<Json> reread = parseJson(jsonLine(document), "r.json");
    ASSERT_TRUE(bool(reread)) << llvm::toString(reread.takeError());
    llvm::Expected<LoadedReport> loaded = fromJson(*reread, "r.json");
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    EXPECT_EQ(jsonLine(toJson(loaded->report)), jsonLine(document));
    EXPECT_EQ(loaded->source, "r.json");
    EXPECT_FALSE(loaded->inEnvelope);
  }
};

TEST_P(RoundTrip, FullReport) { check(sampleReport(GetParam())); }

TEST_P(RoundTrip, SeveralEntriesWithGuardedAndSerialLoops) {
  CompileReport report = sampleReport(GetParam());
  report.entries.push_back(sampleEntry("other"));
  report.entries.back().workgroupSize[0] = 64;
  report.entries.back().occupancyLimit = "VGPR";
  report.loopPipelines.push_back({"other", 0, false, 1, 0, 0, 0, {}});
  report.loopPipelines.push_back({"other",
                                  1,
                                  true,
                                  2,
                                  1,
                                  3,
                                  2,
                                  {{0, "scf.if", true, 1, true}, {0, "scf.if", false, 0, true}}});
  WaitAction wait = report.waits[0];
  wait.function = "other";
  wait.reason = "amdgpu.of_a_newer_kind";
  report.waits.push_back(wait);
  check(report);
}

TEST_P(RoundTrip, UnknownFacts) {
  CompileReport report;
  report.mode = GetParam();
  report.entries.emplace_back();
  report.entries[0].targetExport = "sum_rows";
  report.entries[0].workgroupSize[1] = 7;
  check(report);
}

TEST_P(RoundTrip, ExplicitWait) {
  CompileReport report = sampleReport(GetParam());
  WaitAction &wait = report.waits[1];
  wait.action = "explicit";
  wait.reason = "amdgpu.explicit_packet";
  wait.producerNode.reset();
  wait.producerOperation = wait.producerInstruction = "";
  wait.consumerOperation = wait.consumerInstruction = "";
  check(report);
}

TEST_P(RoundTrip, Failure) {
  CompileReport report;
  report.mode = GetParam();
  report.status = makeStatus(StatusCode::FailedPrecondition);
  report.diagnostics = {{"error", "f.loom:3:5", "depth is not exact"}, {"note", "", "here"}};
  check(report);
}

INSTANTIATE_TEST_SUITE_P(Modes, RoundTrip, testing::Values(Mode::Summary, Mode::Details));

TEST(ReportReader, KeepsUnknownKeysOut) {
  EXPECT_EQ(errorOf(with(details(), "/economics", {{"a", 1}})), "");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/move_causes", {{"kind_count", 0}})), "");
}

TEST(ReportReader, RejectsOtherDocuments) {
  EXPECT_EQ(errorOf(Json::array()), "r.json: expected an object");
  EXPECT_EQ(errorOf(Json::object()), "r.json: kind: missing");
  EXPECT_EQ(errorOf(with(details(), "/kind", "loom.test.v0")),
            "r.json: kind: 'loom.test.v0' is not a compile report ('loom.compile_report')");
  EXPECT_EQ(errorOf(with(details(), "/schema_version", 1)),
            "r.json: schema_version: version 1 is not version 0, which this build reads; compile "
            "again with the tools of this build");
  EXPECT_EQ(errorOf(with(details(), "/mode", "full")),
            "r.json: mode: 'full' is neither 'summary' nor 'details'");
}

TEST(ReportReader, RejectsWrongTypes) {
  EXPECT_EQ(errorOf(with(details(), "/status/code", 40)),
            "r.json: status.code: 40 is larger than 18");
  EXPECT_EQ(errorOf(with(details(), "/status/name", "ABORTED")),
            "r.json: status.name: 'ABORTED' is not the name of status 0, 'OK'");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/code_byte_count", -1)),
            "r.json: entries.rows[0].code_byte_count: expected a non-negative integer");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/code_byte_count", "376")),
            "r.json: entries.rows[0].code_byte_count: expected a non-negative integer");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/code_byte_count", 376.0)),
            "r.json: entries.rows[0].code_byte_count: expected a non-negative integer");
  EXPECT_EQ(errorOf(with(details(), "/module", 3)), "r.json: module: expected a string");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/workload", Json::array())),
            "r.json: entries.rows[0].workload: expected an object");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows", 3)),
            "r.json: entries.rows: expected an array");
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/target_count", 4294967296)),
            "r.json: wait_action_rows.rows[0].target_count: 4294967296 is larger than 4294967295");
}

TEST(ReportReader, RejectsCountAndIndexMismatches) {
  EXPECT_EQ(errorOf(with(details(), "/entries/count", 2)),
            "r.json: entries.count: 2 contradicts the number of rows, 1");
  EXPECT_EQ(errorOf(with(details(), "/config_bindings/rows/1/index", 2)),
            "r.json: config_bindings.rows[1].index: expected 1, found 2");
  EXPECT_EQ(errorOf(without(details(), "/wait_action_rows", "rows")),
            "r.json: wait_action_rows.rows: missing");
  EXPECT_EQ(errorOf(with(summary(), "/wait_action_rows/count", 4)),
            "r.json: wait_action_rows.count: 4 contradicts the rest of the report, which gives 3");
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/wait_action_row_count", 2)),
            "r.json: entries.rows[0].wait_action_row_count: 2 contradicts the rest of the report, "
            "which gives 3");
}

TEST(ReportReader, RejectsWrongProductsAndSums) {
  EXPECT_EQ(errorOf(with(details(), "/entries/rows/0/workload/workgroup_size/flat", 33)),
            "r.json: entries.rows[0].workload.workgroup_size.flat: 33 is not the product of x, y "
            "and z");
  EXPECT_EQ(errorOf(with(details(), "/workload/dispatch_workitem_count", 49)),
            "r.json: workload.dispatch_workitem_count: 49 contradicts the rest of the report, "
            "which gives 48");
  EXPECT_EQ(errorOf(with(details(), "/target_resources/occupancy_percent", 99)),
            "r.json: target_resources.occupancy_percent: 99 contradicts the rest of the report, "
            "which gives 100");
  EXPECT_EQ(errorOf(without(details(), "/emission", "code_byte_count")),
            "r.json: emission.code_byte_count: missing; the rest of the report gives 1376");
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/drained_count", 2)),
            "r.json: wait_action_rows.rows[0].drained_count: 2 contradicts the rest of the "
            "report, which gives 1");
}

TEST(ReportReader, RejectsBadEntries) {
  CompileReport report = sampleReport(Mode::Details);
  report.entries.push_back(report.entries[0]);
  EXPECT_EQ(errorOf(toJson(report)),
            "r.json: entries.rows[1]: the entry has the names of an earlier one");
  report = sampleReport(Mode::Details);
  report.entries.emplace_back();
  EXPECT_EQ(errorOf(toJson(report)), "r.json: entries.rows[1]: the entry has no name");
}

TEST(ReportReader, RejectsBadWaits) {
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/function", "gone")),
            "r.json: wait_action_rows.rows[0].function: 'gone' is not the function of an entry");
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/action", "explicit")),
            "r.json: wait_action_rows.rows[0]: an explicit wait has neither producer nor consumer");
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/action", "maybe")),
            "r.json: wait_action_rows.rows[0].action: 'maybe' is neither 'explicit' nor 'planned'");
  EXPECT_EQ(errorOf(with(details(), "/wait_action_rows/rows/0/outstanding_after", 5)),
            "r.json: wait_action_rows.rows[0].outstanding_after: larger than outstanding_before");
  EXPECT_EQ(errorOf(with(summary(), "/wait_reason_summary_rows/rows/0/summary/action_count", 3)),
            "r.json: wait_reason_summary_rows.rows[0].summary: explicit and planned actions do "
            "not add up to action_count");
  EXPECT_EQ(
      errorOf(with(summary(), "/wait_reason_summary_rows/rows/0/summary/full_drain_count", 1)),
      "r.json: wait_reason_summary_rows.rows[0].summary: full drains and partial waits do not "
      "add up to action_count");
  EXPECT_EQ(errorOf(with(summary(), "/wait_plan/max_drained_count", 9)),
            "r.json: wait_plan: max_drained_count is larger than drained_count");
  EXPECT_EQ(errorOf(with(
                summary(),
                "/wait_reason_summary_rows/rows/0/summary/max_full_drain_outstanding_before", 1)),
            "r.json: wait_reason_summary_rows.rows[0].summary: max_full_drain_outstanding_before "
            "without a full drain");
  Json repeated = summary();
  Json &rows = repeated["wait_reason_summary_rows"]["rows"];
  rows[1]["reason"] = rows[0]["reason"];
  EXPECT_EQ(errorOf(repeated), "r.json: wait_reason_summary_rows.rows[1]: the row repeats "
                               "function, counter and reason of an earlier one");
}

TEST(ReportReader, RejectsBadLoops) {
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/rows/0/queue_records", 3)),
            "r.json: source_low.loop_pipelines.rows[0]: queue_records is not depth - 1");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/rows/0/outcome", "serial")),
            "r.json: source_low.loop_pipelines.rows[0]: outcome 'serial' contradicts depth 3");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/rows/0/schedule", "other")),
            "r.json: source_low.loop_pipelines.rows[0].schedule: unknown schedule 'other'");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/stages/0/position", 1)),
            "r.json: source_low.loop_pipelines.stages[0].position: the first stage has position 0");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/stages/2/position", 1)),
            "r.json: source_low.loop_pipelines.stages[2].position: expected 2, found 1");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/stages/3/iteration_lookahead", 2)),
            "r.json: source_low.loop_pipelines.stages[3].iteration_lookahead: contradicts the "
            "queue of the loop");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/stages/3/loop", 1)),
            "r.json: source_low.loop_pipelines.stages[3]: there is no pipelined loop 1 of "
            "'sum_rows'");
  EXPECT_EQ(errorOf(with(details(), "/source_low/loop_pipelines/stages", Json::array())),
            "r.json: source_low.loop_pipelines.stages: no stages of loop 0 of 'sum_rows'");
}

TEST(ReportReader, RowOfBenchmarkResults) {
  Json row = {{"type", "compile_report"},
              {"run_id", "r1"},
              {"candidate_index", 2},
              {"benchmark", "sum"},
              {"compile_report", details()}};
  llvm::Expected<LoadedReport> loaded = fromJson(row, "r.json");
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_TRUE(loaded->inEnvelope);
  std::vector<std::pair<std::string, std::string>> context = {
      {"run_id", "r1"}, {"candidate_index", "2"}, {"benchmark", "sum"}};
  EXPECT_EQ(loaded->context, context);
  EXPECT_EQ(errorOf(with(row, "/compile_report/entries/count", 2)),
            "r.json: compile_report.entries.count: 2 contradicts the number of rows, 1");
  EXPECT_EQ(errorOf(with(row, "/compile_report/memory/local_bytes", 2)),
            "r.json: compile_report.memory.local_bytes: 2 contradicts the rest of the report, "
            "which gives 0");
  EXPECT_EQ(errorOf(without(row, "", "compile_report")), "r.json: compile_report: missing");
}

} // namespace
