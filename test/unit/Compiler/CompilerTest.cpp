//===- CompilerTest.cpp - The compile request -----------------------------===//
#include "loom/Compiler/Compiler.h"
#include "SumPrograms.h"
#include "loom/Target/X86/X86Device.h"
#include <thread>

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

/// One artifact of each format, of different schedules.
struct Job {
  const char *target, *format;
  int64_t depth, factor;
};
constexpr Job kJobs[] = {
    {"amdgpu:gfx1151", "amdgpu-hsaco", 3, 4},
    {"x86:avx2", "x86-shared-library", 3, 4},
    {"amdgpu:gfx942", "amdgpu-hsaco", 2, 2},
    {"x86:avx512", "x86-object", 2, 3},
    {"amdgpu:gfx1200", "amdgpu-asm", 1, 4},
    {"x86:avx2", "x86-object", 4, 6},
    {"x86:avx2", "llvm-ir", 3, 4},
    {"x86:native", "x86-shared-library", 1, 1},
};

std::vector<char> compileJob(const Job &job) {
  return compileFor(job.target, job.format, job.depth, job.factor).artifact;
}

TEST(Compiler, ThreadsAndTargetsDoNotDisturbEachOther) {
  std::vector<std::vector<char>> alone;
  for (const Job &job : kJobs) {
    alone.push_back(compileJob(job));
    ASSERT_FALSE(alone.back().empty()) << job.target << " " << job.format;
  }
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      // Everybody begins elsewhere and runs against the others.
      for (unsigned step = 0; step < std::size(kJobs); ++step) {
        unsigned i =
            (2 * thread + (thread % 2 ? step : std::size(kJobs) - step)) % std::size(kJobs);
        EXPECT_TRUE(compileJob(kJobs[i]) == alone[i]) << kJobs[i].target << " " << kJobs[i].format;
      }
    });
  // A device compiles and runs at the same time.
  threads.emplace_back([&] {
    for (unsigned step = 0; step < 3; ++step) {
      Context context;
      auto module = context.parse(sumProgram(3, 4, "recurrence", false));
      const TargetProfile &native = *lookupTargetProfile("x86:native");
      EXPECT_TRUE(mlir::succeeded(specializeModule(*module, &native, {})));
      EXPECT_TRUE(mlir::succeeded(x86::compileKernels(*module, native)));
    }
  });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Compiler, HeadersAreMadeOnRequest) {
  for (bool wanted : {false, true}) {
    Context context;
    auto module = context.parse(sumProgram(3, 4, "recurrence", false));
    CompileRequest request;
    request.target = lookupTargetProfile("x86:avx2");
    request.format = &defaultArtifactFormat(TargetFamily::X86);
    request.wantsCHeader = wanted;
    CompileResult result;
    ASSERT_TRUE(module && mlir::succeeded(compileModule(*module, request, result)));
    EXPECT_EQ(result.report.artifactFormat, "x86-shared-library");
    EXPECT_EQ(result.report.artifactKind, "hal-kernel-library");
    ASSERT_EQ(result.report.entries.size(), 1u);
    EXPECT_EQ(result.report.entries.front().targetExport, "sum");
    EXPECT_EQ(result.report.entries.front().workgroupSize[0], 32u);
    EXPECT_EQ(result.cHeader.find("void sum(const sum_arguments *") != std::string::npos, wanted);
  }
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
    // Lanes are a vector on x86.
    EXPECT_TRUE(text.contains("fadd float") || text.contains(" x float>"));
    EXPECT_FALSE(text.contains("fadd fast"));
  }
}

} // namespace
