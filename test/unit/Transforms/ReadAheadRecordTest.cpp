// What read-ahead records for the compile report.
#include "LoopPrograms.h"
#include "loom/Transforms/LoopPipelines.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::test;

namespace {

class ReadAheadRecord : public ::testing::Test {
protected:
  ReadAheadRecord() {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  std::vector<report::LoopPipeline> record(const std::string &text) {
    auto module = build(context, text, kLoopPasses);
    return module ? readLoopPipelines(onlyKernel(*module)) : std::vector<report::LoopPipeline>();
  }
  static std::string stages(const report::LoopPipeline &row) {
    std::string text;
    for (const report::PipelineStage &stage : row.stages)
      text += std::to_string(stage.position) + " " + stage.op +
              (stage.producer ? " producer " : " consumer ") +
              std::to_string(stage.iterationLookahead) + "\n";
    return text;
  }
  mlir::MLIRContext context;
};

TEST_F(ReadAheadRecord, RowSum) {
  // The body of the row sum as the author writes it: one read, one sum.
  LoopProgram program;
  program.depth = 3;
  program.factor = 4;
  std::string text = program.text();
  const std::string rowNumber = "    %row = index.sub %at, %begin : index\n";
  text.replace(text.find(rowNumber), rowNumber.size(), "");
  text.replace(text.find("%at ="), 3, "%row");
  auto rows = record(text);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].function, "k");
  EXPECT_EQ(rows[0].loop, 0u);
  EXPECT_TRUE(rows[0].pipelined);
  EXPECT_EQ(rows[0].depth, 3u);
  EXPECT_EQ(rows[0].queueRecords, 2u);
  EXPECT_EQ(rows[0].valuesPerRecord, 1u);
  EXPECT_EQ(rows[0].readCount, 1u);
  EXPECT_EQ(stages(rows[0]), "0 index.constant producer 2\n"
                             "1 index.madd producer 2\n"
                             "2 view.load producer 2\n"
                             "3 scalar.addf consumer 0\n");
}

TEST_F(ReadAheadRecord, SerialLoop) {
  LoopProgram program;
  program.depth = 1;
  auto rows = record(program.text());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].pipelined);
  EXPECT_EQ(rows[0].depth, 1u);
  EXPECT_EQ(rows[0].queueRecords, 0u);
  EXPECT_EQ(rows[0].valuesPerRecord, 0u);
  EXPECT_EQ(rows[0].readCount, 0u);
  EXPECT_TRUE(rows[0].stages.empty());
}

TEST_F(ReadAheadRecord, LoopThatNeverReachesItsDepth) {
  LoopProgram program;
  program.bounds = Bounds::Exact;
  program.last = 3;
  program.depth = 4;
  auto rows = record(program.text());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].pipelined);
  EXPECT_EQ(rows[0].depth, 4u);
  EXPECT_EQ(rows[0].queueRecords, 0u);
}

TEST_F(ReadAheadRecord, InnerLoopsComeFirst) {
  LoopProgram program;
  program.body = Body::Nested;
  program.depth = 3;
  auto rows = record(program.text());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].loop, 0u);
  EXPECT_EQ(rows[0].depth, 2u); // the inner loop's own
  EXPECT_EQ(rows[1].loop, 1u);
  EXPECT_EQ(rows[1].depth, 3u);
  // The inner pipeline is one unit by then: its short path and its pipeline.
  EXPECT_NE(stages(rows[1]).find("scf.if producer 2\n"), std::string::npos) << stages(rows[1]);
}

TEST_F(ReadAheadRecord, TwoReadsInARecord) {
  LoopProgram program;
  program.body = Body::TwoReads;
  program.depth = 2;
  auto rows = record(program.text());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].valuesPerRecord, 2u);
  EXPECT_EQ(rows[0].readCount, 2u);
}

} // namespace
