//===- CompilerTest.cpp - The compile request -----------------------------===//
#include "loom/Compiler/Compiler.h"
#include "SumPrograms.h"
#include "loom/Target/X86/X86Device.h"

using namespace loom;
using namespace loom::test;

namespace {

CompileResult compileFor(llvm::StringRef target, llvm::StringRef format, int64_t depth,
                         int64_t factor) {
  Context context;
  auto module = context.parse(sumProgram(depth, factor, "recurrence", false));
  CompileRequest request;
  request.target = lookupTargetProfile(target);
  request.format = lookupArtifactFormat(format);
  CompileResult result;
  EXPECT_TRUE(module && mlir::succeeded(compileModule(*module, request, result)));
  return result;
}

TEST(Compiler, TargetsDoNotDisturbEachOther) {
  std::vector<char> first = compileFor("amdgpu:gfx1151", "amdgpu-hsaco", 3, 4).artifact;
  ASSERT_FALSE(first.empty());
  {
    Context context;
    auto module = context.parse(sumProgram(3, 4, "recurrence", false));
    const TargetProfile &native = *lookupTargetProfile("x86:native");
    ASSERT_TRUE(mlir::succeeded(specializeModule(*module, &native, {})));
    ASSERT_TRUE(mlir::succeeded(x86::compileKernels(*module, native)));
  }
  std::vector<char> other = compileFor("amdgpu:gfx942", "amdgpu-hsaco", 2, 2).artifact;
  EXPECT_NE(first, other);
  EXPECT_EQ(first, compileFor("amdgpu:gfx1151", "amdgpu-hsaco", 3, 4).artifact);
}

TEST(Compiler, ReportHoldsTheSchedule) {
  report::CompileReport report = compileFor("amdgpu:gfx1151", "amdgpu-hsaco", 3, 4).report;
  EXPECT_EQ(report.status.code, 0);
  EXPECT_EQ(report.artifactKind, "hal-executable");
  ASSERT_EQ(report.loopPipelines.size(), 1u);
  const report::LoopPipeline &loop = report.loopPipelines.front();
  EXPECT_EQ(loop.function, "sum");
  EXPECT_TRUE(loop.pipelined);
  EXPECT_EQ(loop.queueRecords, 2u);
  EXPECT_EQ(loop.valuesPerRecord, 1u);
  EXPECT_EQ(loop.readCount, 1u);
  std::string stages;
  for (const report::PipelineStage &stage : loop.stages)
    stages += stage.op + (stage.producer ? " producer " : " consumer ") +
              std::to_string(stage.iterationLookahead) + "\n";
  EXPECT_EQ(stages, "index.constant producer 2\nindex.madd producer 2\n"
                    "view.load producer 2\nscalar.addf consumer 0\n");
  ASSERT_EQ(report.entries.size(), 1u);
  EXPECT_EQ(report.entries.front().workgroupSize[0], 32u);
  EXPECT_EQ(report.artifactSize.value_or(0),
            compileFor("amdgpu:gfx1151", "amdgpu-hsaco", 3, 4).artifact.size());
}

TEST(Compiler, SerialLoopIsReportedAsSuch) {
  report::CompileReport report = compileFor("amdgpu:gfx1151", "amdgpu-hsaco", 1, 4).report;
  ASSERT_EQ(report.loopPipelines.size(), 1u);
  EXPECT_FALSE(report.loopPipelines.front().pipelined);
  EXPECT_EQ(report.loopPipelines.front().depth, 1u);
  EXPECT_TRUE(report.loopPipelines.front().stages.empty());
}

TEST(Compiler, TextFormats) {
  CompileResult assembly = compileFor("amdgpu:gfx1151", "amdgpu-asm", 3, 4);
  llvm::StringRef text(assembly.artifact.data(), assembly.artifact.size());
  EXPECT_TRUE(text.contains("global_load_b32"));
  EXPECT_TRUE(text.contains(".amdhsa_kernel sum"));
  for (llvm::StringRef target : {"amdgpu:gfx1151", "x86:avx2"}) {
    CompileResult ir = compileFor(target, "llvm-ir", 3, 4);
    text = llvm::StringRef(ir.artifact.data(), ir.artifact.size());
    EXPECT_TRUE(text.contains("target triple = "));
    EXPECT_TRUE(text.contains("@sum("));
    EXPECT_TRUE(text.contains("fadd float"));
    EXPECT_FALSE(text.contains("fadd fast"));
  }
}

} // namespace
