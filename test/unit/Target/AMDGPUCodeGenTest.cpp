//===- AMDGPUCodeGenTest.cpp - The machine code that schedules become -----===//
#include "Disassembly.h"
#include "RowSumProgram.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "loom/Target/Common/LinkedTargets.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <thread>

using namespace llvm;
using namespace loom;
using namespace loom::test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

static const TargetProfile &amdgpuProfile(StringRef key) {
  const TargetProfile *found = lookupTargetProfile(key, TargetFamily::AMDGPU);
  EXPECT_NE(found, nullptr) << key.str();
  return *found;
}

static Expected<amdgpu::CodeGenResult>
compileText(const std::string &text, const TargetProfile &profile,
            amdgpu::OutputKind kind = amdgpu::OutputKind::CodeObject) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  if (!module)
    return createStringError("test program: " + problem.getMessage());
  return amdgpu::compileModule(*module, profile, kind, rowSumOperations());
}

namespace {

/// A compiled row sum with its steady loop.
struct Compiled {
  Compiled(RowSumShape shape, StringRef target) {
    const TargetProfile &profile = amdgpuProfile(target);
    shape.lanes = profile.subgroupSize;
    Expected<amdgpu::CodeGenResult> compiled = compileText(rowSumProgram(shape), profile);
    if (!compiled) {
      ADD_FAILURE() << target.str() << ": " << toString(compiled.takeError());
      return;
    }
    result = std::move(*compiled);
    entry = result.entries.at(0);
    code.emplace(result.artifact, profile.cpu, "sum_rows", *entry.codeBytes);
    steady = code->steadyLoop();
  }

  unsigned copies() const {
    return llvm::count_if(steady, [](const PrintedInstruction &one) { return one.isCopy(); });
  }
  /// How many loads the steady loop takes from a scalar base.
  unsigned scalarBases() const {
    return llvm::count_if(steady, [](const PrintedInstruction &one) {
      return one.isGlobalLoad() && StringRef(one.text).contains(", s[");
    });
  }

  amdgpu::CodeGenResult result;
  report::Entry entry;
  std::optional<Disassembly> code;
  ArrayRef<PrintedInstruction> steady;
};

} // namespace

static void expectNoSpill(const report::Entry &entry) {
  EXPECT_EQ(entry.scalarSpills, 0u);
  EXPECT_EQ(entry.vectorSpills, 0u);
  EXPECT_EQ(entry.privateBytes, 0u);
}

TEST(AMDGPUCodeGen, RowSumDepth3Factor4OnGfx11) {
  for (StringRef target : {"gfx1151", "gfx11-generic"}) {
    SCOPED_TRACE(target.str());
    Compiled kernel({}, target);
    EXPECT_EQ(kernel.copies(), 0u);
    EXPECT_THAT(loadWaits(kernel.steady), ElementsAre(3, 3, 3, 2));
    EXPECT_EQ(pendingLoads(kernel.steady), 2u);
    EXPECT_EQ(kernel.scalarBases(), 4u);
    EXPECT_LE(kernel.entry.vector->registerCount, 7u);
    EXPECT_LE(kernel.entry.scalar->registerCount, 10u);
    EXPECT_LE(*kernel.entry.codeBytes, 376u);
    EXPECT_EQ(kernel.entry.kernargBytes, 24u);
    expectNoSpill(kernel.entry);
  }
}

TEST(AMDGPUCodeGen, RowSumDepth3Factor4OnOtherFamilies) {
  for (StringRef target : {"gfx942", "gfx1200", "gfx1250"}) {
    SCOPED_TRACE(target.str());
    Compiled kernel({}, target);
    EXPECT_EQ(kernel.copies(), 0u);
    EXPECT_THAT(loadWaits(kernel.steady), ElementsAre(3, 3, 3, 2));
    EXPECT_EQ(pendingLoads(kernel.steady), 2u);
    EXPECT_EQ(kernel.scalarBases(), 4u);
    EXPECT_LE(kernel.entry.vector->registerCount, 7u);
    expectNoSpill(kernel.entry);
  }
}

TEST(AMDGPUCodeGen, DepthsWithoutCopies) {
  for (StringRef target : {"gfx1151", "gfx1250"})
    for (unsigned depth = 2; depth <= 5; ++depth) {
      SCOPED_TRACE(target.str() + " depth " + std::to_string(depth));
      RowSumShape shape;
      shape.depth = depth;
      shape.factor = 2 * (depth - 1);
      Compiled kernel(shape, target);
      EXPECT_EQ(kernel.copies(), 0u);
      EXPECT_EQ(pendingLoads(kernel.steady), depth - 1);
      EXPECT_EQ(kernel.scalarBases(), shape.factor);
    }
}

TEST(AMDGPUCodeGen, SteadyLoopFollowsSourceOrder) {
  Compiled kernel({}, "gfx1151");
  std::string order;
  for (const PrintedInstruction &instruction : kernel.steady)
    order += instruction.isGlobalLoad()                  ? "L"
             : instruction.mnemonic() == "v_add_f32_e32" ? "C"
                                                         : "";
  EXPECT_EQ(order, "LLCLCLCC");
}

TEST(AMDGPUCodeGen, NeighbouringLoadsAreNotMerged) {
  RowSumShape shape;
  shape.adjacentRows = true;
  Compiled kernel(shape, "gfx1151");
  EXPECT_EQ(kernel.copies(), 0u);
  EXPECT_THAT(loadWaits(kernel.steady), ElementsAre(3, 3, 3, 2));
  EXPECT_EQ(pendingLoads(kernel.steady), 2u);
}

TEST(AMDGPUCodeGen, VectorFormDepth4Factor6) {
  RowSumShape shape;
  shape.depth = 4;
  shape.factor = 6;
  shape.lead = 2;
  shape.vectorWidth = 4;
  Compiled kernel(shape, "gfx1151");
  EXPECT_EQ(kernel.copies(), 0u);
  EXPECT_THAT(loadWaits(kernel.steady), ElementsAre(4, 4, 4, 4, 4, 3));
  EXPECT_EQ(pendingLoads(kernel.steady), 3u);
  EXPECT_LE(kernel.entry.vector->registerCount, 29u);
  EXPECT_LE(*kernel.entry.codeBytes, 730u);
  expectNoSpill(kernel.entry);
}

TEST(AMDGPUCodeGen, TwoStreamsKeepTwiceTheDepthPending) {
  for (StringRef target : {"gfx1151", "gfx1250"})
    for (unsigned depth = 2; depth <= 4; ++depth) {
      SCOPED_TRACE(target.str() + " depth " + std::to_string(depth));
      RowSumShape shape;
      shape.depth = depth;
      shape.factor = 2 * (depth - 1);
      shape.streams = 2;
      Compiled kernel(shape, target);
      EXPECT_EQ(kernel.copies(), 0u);
      EXPECT_EQ(pendingLoads(kernel.steady), 2 * (depth - 1));
    }
}

TEST(AMDGPUCodeGen, AddressesBeyondTheImmediateStayScalar) {
  // 16 rows of 2048 bytes reach over four times what an immediate of gfx11 can.
  RowSumShape shape;
  shape.depth = 9;
  shape.factor = 16;
  shape.vectorWidth = 16;
  Compiled kernel(shape, "gfx1151");
  unsigned loads = llvm::count_if(kernel.steady, [](auto &one) { return one.isGlobalLoad(); });
  EXPECT_GE(loads, 16u);
  EXPECT_EQ(kernel.scalarBases(), loads);
}

TEST(AMDGPUCodeGen, WideIndexKeepsTheSteadyLoop) {
  RowSumShape shape;
  shape.wideIndex = true;
  Compiled kernel(shape, "gfx1151");
  EXPECT_EQ(kernel.copies(), 0u);
  EXPECT_THAT(loadWaits(kernel.steady), ElementsAre(3, 3, 3, 2));
  EXPECT_EQ(kernel.scalarBases(), 4u);
}

TEST(AMDGPUCodeGen, EveryProfileCompiles) {
  for (const TargetProfile &profile : targetProfiles(TargetFamily::AMDGPU)) {
    SCOPED_TRACE(profile.key);
    Compiled kernel({}, profile.key);
    EXPECT_EQ(kernel.entry.subgroupSize, profile.subgroupSize);
    EXPECT_EQ(pendingLoads(kernel.steady), 2u);
  }
}

TEST(AMDGPUCodeGen, SaxpyAddsLanesToAScalarBase) {
  const char *text = R"(
define amdgpu_kernel void @saxpy(i64 %n, float %a, ptr addrspace(1) noalias readonly align 4 %x,
                                 ptr addrspace(1) noalias align 4 %y) #0 !reqd_work_group_size !0 {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane = call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  %group.wide = zext i32 %group to i64
  %lane.wide = zext nneg i32 %lane to i64
  %first = mul nuw nsw i64 %group.wide, 256
  %i = add nuw nsw i64 %first, %lane.wide
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %offset = mul nuw nsw i64 %i, 4
  %px = getelementptr inbounds i8, ptr addrspace(1) %x, i64 %offset
  %vx = load float, ptr addrspace(1) %px, align 4
  %py = getelementptr inbounds i8, ptr addrspace(1) %y, i64 %offset
  %vy = load float, ptr addrspace(1) %py, align 4
  %product = fmul float %a, %vx
  %sum = fadd float %product, %vy
  store float %sum, ptr addrspace(1) %py, align 4
  br label %exit
exit:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="256,256" }
!0 = !{i32 256, i32 1, i32 1}
)";
  Expected<amdgpu::CodeGenResult> result = compileText(text, amdgpuProfile("gfx1151"));
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  Disassembly code(result->artifact, "gfx1151", "saxpy", *result->entries[0].codeBytes);
  unsigned accesses = 0;
  for (const PrintedInstruction &instruction : code.instructions)
    if (StringRef(instruction.text).starts_with("global_")) {
      ++accesses;
      EXPECT_THAT(instruction.text, HasSubstr(", s["));
    }
  EXPECT_EQ(accesses, 3u);
  EXPECT_EQ(result->entries[0].kernargBytes, 32u);
  EXPECT_EQ(result->entries[0].workgroupSize[0], 256u);
}

TEST(AMDGPUCodeGen, AssemblyIsTheCodeOfTheObject) {
  const TargetProfile &profile = amdgpuProfile("gfx1151");
  auto text = compileText(rowSumProgram({}), profile, amdgpu::OutputKind::Assembly);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  Compiled kernel({}, "gfx1151");
  std::vector<std::string> printed;
  SmallVector<StringRef, 0> lines;
  StringRef(text->artifact.data(), text->artifact.size()).split(lines, '\n');
  for (StringRef line : lines) {
    line = line.split(';').first.trim();
    if (line.starts_with("s_") || line.starts_with("v_") || line.starts_with("global_"))
      if (!line.starts_with("s_code_end"))
        printed.push_back(line.split(' ').first.str());
  }
  std::vector<std::string> emitted;
  for (const PrintedInstruction &instruction : kernel.code->instructions)
    emitted.push_back(instruction.mnemonic());
  EXPECT_EQ(printed, emitted);
  EXPECT_EQ(text->waits.size(), kernel.result.waits.size());
  EXPECT_TRUE(text->entries.empty());
}

/// Some other use of LLVM in the same process: an x86 compilation.
static void compileForX86() {
  initializeLinkedTargets();
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString("define i32 @f(i32 %x) { ret i32 %x }", problem, context);
  Triple triple("x86_64-unknown-linux-gnu");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  ASSERT_NE(target, nullptr) << message;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v3", "", TargetOptions(), Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  ASSERT_FALSE(machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile));
  passes.run(*module);
  EXPECT_FALSE(bytes.empty());
}

TEST(AMDGPUCodeGen, SameBytesWhateverRanBefore) {
  auto compile = [](StringRef target) { return Compiled({}, target).result.artifact; };
  std::vector<char> first = compile("gfx1151");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(compile("gfx1151"), first);
  compileForX86();
  EXPECT_EQ(compile("gfx1151"), first);
  EXPECT_NE(compile("gfx942"), first);
  EXPECT_EQ(compile("gfx1151"), first);
  std::vector<char> results[4];
  std::vector<std::thread> threads;
  for (std::vector<char> &result : results)
    threads.emplace_back([&] { result = compile("gfx1151"); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(results, Each(first));
}

TEST(AMDGPUCodeGen, OptionsOfTheProcessAreLeftAlone) {
  auto *lsr = dynamic_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup("disable-lsr"));
  auto *other =
      dynamic_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup("verify-cfiinstrs"));
  ASSERT_NE(lsr, nullptr);
  ASSERT_NE(other, nullptr);
  size_t known = cl::getRegisteredOptions().size();
  std::vector<char> plain = Compiled({}, "gfx1151").result.artifact;
  EXPECT_FALSE(lsr->getValue());
  EXPECT_EQ(lsr->getNumOccurrences(), 0);
  // lld resets what it finds to the default; an option that somebody set has to survive.
  other->setValue(!other->getValue());
  bool chosen = other->getValue();
  Compiled again({}, "gfx1151");
  EXPECT_EQ(other->getValue(), chosen);
  other->setValue(!chosen);
  EXPECT_EQ(again.result.artifact, plain);
  EXPECT_EQ(cl::getRegisteredOptions().size(), known);
}

TEST(AMDGPUCodeGen, BadInputIsAnError) {
  const TargetProfile &profile = amdgpuProfile("gfx1151");
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString("define void @f() { ret void }", problem, context);
  ASSERT_NE(module, nullptr);
  auto forX86 = amdgpu::compileModule(*module, *lookupTargetProfile("x86:avx2"),
                                      amdgpu::OutputKind::CodeObject, {});
  ASSERT_FALSE(bool(forX86));
  EXPECT_THAT(toString(forX86.takeError()), HasSubstr("x86:avx2"));

  // A block without an end, as a broken lowering would leave it.
  Function *function = module->getFunction("f");
  function->getEntryBlock().getTerminator()->eraseFromParent();
  auto broken = amdgpu::compileModule(*module, profile, amdgpu::OutputKind::CodeObject, {});
  ASSERT_FALSE(bool(broken));
  EXPECT_THAT(toString(broken.takeError()), HasSubstr("invalid LLVM IR"));

  auto unresolved = compileText("declare void @g()\n"
                                "define amdgpu_kernel void @f() { call void @g() ret void }",
                                profile);
  ASSERT_FALSE(bool(unresolved));
  EXPECT_THAT(toString(unresolved.takeError()), HasSubstr("g"));

  auto stack = compileText("define amdgpu_kernel void @f() "
                           "{ %x = alloca [1073741824 x i64], addrspace(5) "
                           "store volatile i64 0, ptr addrspace(5) %x ret void }",
                           profile);
  ASSERT_FALSE(bool(stack));
  EXPECT_FALSE(toString(stack.takeError()).empty());
}
