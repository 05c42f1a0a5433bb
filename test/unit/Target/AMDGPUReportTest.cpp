//===- AMDGPUReportTest.cpp - Reports against what LLVM's tools read ------===//
#include "Disassembly.h"
#include "RowSumProgram.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace loom;
using namespace loom::test;
using testing::IsEmpty;

static amdgpu::CodeGenResult compile(RowSumShape shape, const TargetProfile &profile) {
  shape.lanes = profile.subgroupSize;
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(rowSumProgram(shape), problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str();
    return {};
  }
  auto result =
      amdgpu::compileModule(*module, profile, amdgpu::OutputKind::CodeObject, rowSumOperations());
  if (!result) {
    ADD_FAILURE() << toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

static const TargetProfile &profileOf(StringRef key) {
  return *lookupTargetProfile(key, TargetFamily::AMDGPU);
}

/// How the disassembly of `model` calls the counter of a report row.
static std::string printedCounter(WaitCounterModel model, StringRef counter) {
  bool separate = model == WaitCounterModel::Separate;
  if (counter == "vmem_load")
    return separate ? "loadcnt" : "vmcnt";
  if (counter == "vmem_store")
    return separate ? "storecnt" : model == WaitCounterModel::VmVsLgkm ? "vscnt" : "vmcnt";
  if (counter == "lds")
    return separate ? "dscnt" : "lgkmcnt";
  if (counter == "smem")
    return separate ? "kmcnt" : "lgkmcnt";
  return counter == "x" ? "xcnt" : counter.str();
}

TEST(AMDGPUReport, WaitsEqualTheDisassembly) {
  RowSumShape vectors;
  vectors.depth = 4;
  vectors.factor = 6;
  vectors.vectorWidth = 4;
  RowSumShape streams;
  streams.streams = 2;
  for (const TargetProfile &profile : targetProfiles(TargetFamily::AMDGPU))
    for (const RowSumShape &shape : {RowSumShape(), vectors, streams}) {
      SCOPED_TRACE(profile.key);
      amdgpu::CodeGenResult result = compile(shape, profile);
      ASSERT_EQ(result.entries.size(), 1u);
      const report::Entry &entry = result.entries[0];
      Disassembly code(result.artifact, profile.cpu, "sum_rows", *entry.codeBytes);
      EXPECT_EQ(entry.instructionCount, code.instructions.size());
      std::vector<PrintedWait> recorded;
      for (const report::WaitAction &wait : result.waits)
        recorded.push_back(
            {wait.nodeIndex, printedCounter(profile.waitCounters, wait.counter), wait.targetCount});
      EXPECT_EQ(recorded, code.waits());
      EXPECT_FALSE(recorded.empty());
      for (const report::WaitAction &wait : result.waits) {
        if (wait.producerNode) {
          EXPECT_EQ(wait.producerInstruction, code.instructions[*wait.producerNode].mnemonic());
        }
        ASSERT_TRUE(wait.consumerNode || wait.reason == "amdgpu.unknown");
      }
    }
}

TEST(AMDGPUReport, ResourcesEqualTheMetadata) {
  for (StringRef target : {"gfx942", "gfx11-generic", "gfx1151", "gfx1250"}) {
    SCOPED_TRACE(target.str());
    amdgpu::CodeGenResult result = compile({}, profileOf(target));
    ASSERT_EQ(result.entries.size(), 1u);
    const report::Entry &entry = result.entries[0];
    std::string notes = runLLVMTool("llvm-readobj", {"--notes"}, result.artifact);
    auto number = [&](StringRef key) {
      StringRef behind = StringRef(notes).split((key + ":").str()).second.ltrim();
      uint64_t value = ~0ull;
      EXPECT_FALSE(behind.consumeInteger(10, value)) << key.str();
      return value;
    };
    EXPECT_EQ(entry.scalar->registerCount, number(".sgpr_count"));
    EXPECT_EQ(entry.vector->registerCount, number(".vgpr_count"));
    EXPECT_EQ(entry.scalarSpills, number(".sgpr_spill_count"));
    EXPECT_EQ(entry.vectorSpills, number(".vgpr_spill_count"));
    EXPECT_EQ(entry.privateBytes, number(".private_segment_fixed_size"));
    EXPECT_EQ(entry.localBytes, number(".group_segment_fixed_size"));
    EXPECT_EQ(entry.kernargBytes, number(".kernarg_segment_size"));
    EXPECT_EQ(entry.subgroupSize, number(".wavefront_size"));
    EXPECT_NE(notes.find("amdgcn-amd-amdhsa--" + target.str()), std::string::npos) << notes;

    std::string symbols = runLLVMTool("llvm-readobj", {"--symbols"}, result.artifact);
    StringRef symbol = StringRef(symbols).split("Name: sum_rows (").second;
    uint64_t size = 0;
    symbol = symbol.split("Size: ").second;
    EXPECT_FALSE(symbol.consumeInteger(10, size));
    EXPECT_EQ(entry.codeBytes, size);
    EXPECT_EQ(entry.codeStorageBytes, alignTo(size, 256));
    EXPECT_EQ(entry.function, "sum_rows");
    EXPECT_EQ(entry.targetExport, "sum_rows");
    EXPECT_EQ(entry.workgroupSize[0], profileOf(target).subgroupSize);
    EXPECT_EQ(entry.workgroupSize[1], 1u);
  }
}

TEST(AMDGPUReport, WaitsNameTheirProducersAndConsumers) {
  RowSumShape shape;
  shape.locations = true;
  amdgpu::CodeGenResult result = compile(shape, profileOf("gfx1151"));
  // The block with the four waits of the steady loop.
  std::map<unsigned, std::vector<const report::WaitAction *>> blocks;
  for (const report::WaitAction &wait : result.waits)
    if (wait.counter == "vmem_load")
      blocks[wait.blockIndex].push_back(&wait);
  const std::vector<const report::WaitAction *> *steady = nullptr;
  for (auto &[block, waits] : blocks)
    if (waits.size() == 4)
      steady = &waits;
  ASSERT_NE(steady, nullptr);
  unsigned expectedBefore[] = {2, 3, 4, 3}, expectedAfter[] = {2, 3, 3, 2};
  for (unsigned i = 0; i < 4; ++i) {
    const report::WaitAction &wait = *(*steady)[i];
    EXPECT_EQ(wait.function, "sum_rows");
    EXPECT_EQ(wait.counterId, 1u);
    EXPECT_EQ(wait.action, "planned");
    EXPECT_EQ(wait.reason, "amdgpu.ssa_use");
    EXPECT_EQ(wait.outstandingBefore, expectedBefore[i]);
    EXPECT_EQ(wait.outstandingAfter, expectedAfter[i]);
    EXPECT_EQ(wait.producerOperation, "view.load");
    EXPECT_EQ(wait.consumerOperation, "scalar.addf");
    EXPECT_EQ(wait.consumerInstruction, "v_add_f32_e32");
  }
  // The two carried values come from the startup or from the iteration before.
  EXPECT_EQ((*steady)[0]->producerNode, std::nullopt);
  EXPECT_EQ((*steady)[1]->producerNode, std::nullopt);
  EXPECT_EQ((*steady)[2]->producerInstruction, "global_load_b32");
  ASSERT_TRUE((*steady)[2]->producerNode && (*steady)[3]->producerNode);
  EXPECT_LT(*(*steady)[2]->producerNode, *(*steady)[3]->producerNode);
}

TEST(AMDGPUReport, LocationsChangeNoByte) {
  RowSumShape plain, located;
  located.locations = true;
  for (StringRef target : {"gfx942", "gfx1151", "gfx1250"})
    EXPECT_EQ(compile(plain, profileOf(target)).artifact,
              compile(located, profileOf(target)).artifact)
        << target.str();
}

TEST(AMDGPUReport, ProgramWithoutLocationsNamesNoOperation) {
  for (const report::WaitAction &wait : compile({}, profileOf("gfx1151")).waits) {
    EXPECT_THAT(wait.producerOperation, IsEmpty());
    EXPECT_THAT(wait.consumerOperation, IsEmpty());
  }
}

TEST(AMDGPUReport, OccupancyAgreesWithTheProfileTable) {
  for (const TargetProfile &profile : targetProfiles(TargetFamily::AMDGPU))
    for (unsigned depth : {3u, 12u, 20u}) {
      SCOPED_TRACE(std::string(profile.key) + " depth " + std::to_string(depth));
      RowSumShape shape;
      shape.depth = depth;
      shape.factor = 2 * (depth - 1);
      shape.vectorWidth = 4;
      amdgpu::CodeGenResult result = compile(shape, profile);
      ASSERT_EQ(result.entries.size(), 1u);
      const report::Entry &entry = result.entries[0];
      const AMDGPUFacts &facts = profile.amdgpu;
      unsigned each = alignTo(entry.vector->registerCount, facts.vectorRegisterGranule);
      unsigned resident = std::min(facts.maxSubgroupsPerSimd, facts.vectorRegistersPerSimd / each);
      EXPECT_EQ(entry.residentSubgroupsPerSimd, resident);
      EXPECT_EQ(entry.maxSubgroupsPerSimd, facts.maxSubgroupsPerSimd);
      EXPECT_EQ(entry.occupancyLimit, resident < facts.maxSubgroupsPerSimd ? "amdgpu.vgpr" : "");
    }
}
