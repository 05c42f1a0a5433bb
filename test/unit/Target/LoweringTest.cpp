//===- LoweringTest.cpp - The LLVM IR that kernels are lowered to ---------===//
#include "LoweringPrograms.h"
#include "OperationNames.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gmock/gmock.h"

using namespace mlir;
using ::testing::HasSubstr;
using ::testing::Not;

namespace loom::test {
namespace {

std::string rowSum(const std::string &assume = "[range(%row_count, 0, 64)]",
                   const std::string &view = "view<64x32xf32>") {
  return R"(
kernel.def export("sum_rows") @sum() {
  %unit = index.constant 1 : index
  %width = index.constant 32 : index
  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%width, %unit, %unit) : index
} launch(%row_count: index, %input: buffer, %output: buffer) {
  %count = index.assume %row_count )" +
         assume + R"( : index
  %lane = kernel.workitem.id<x> : index
  %base = index.constant 0 : offset
  %aligned = buffer.assume.alignment %input {minimum_alignment = 4} : buffer
  %values = buffer.view %aligned[%base] : buffer -> )" +
         view + R"(
  %sums = buffer.view %output[%base] : buffer -> view<32xf32>
  %begin = index.constant 0 : index
  %step = index.constant 1 : index
  %initial = scalar.constant 0.0 : f32
  %result = scf.for %row = [%begin to %count step %step](%sum = %initial : f32) -> (f32) {
    %value = view.load %values[%row, %lane] : )" +
         view + R"( -> f32
    %next = scalar.addf %sum, %value : f32
    scf.yield %next : f32
  }
  view.store %result, %sums[%lane] : f32, view<32xf32>
  kernel.return
}
)";
}

TEST_F(LoweringTest, RowSumForAMDGPUNarrowsToThirtyTwoBits) {
  std::string ir = lowerToText(rowSum(), amdgpu());
  EXPECT_THAT(ir, HasSubstr("define amdgpu_kernel void @sum_rows(i64 %0, ptr addrspace(1) readonly "
                            "align 4 %1, ptr addrspace(1) writeonly %2)"));
  EXPECT_THAT(ir, HasSubstr("trunc nuw nsw i64 %0 to i32"));
  EXPECT_THAT(ir, HasSubstr("call range(i32 0, 32) i32 @llvm.amdgcn.workitem.id.x()"));
  EXPECT_THAT(ir, HasSubstr("phi i32 "));
  EXPECT_THAT(ir, HasSubstr("mul nuw nsw i32 %")); // row * 32
  EXPECT_THAT(ir, HasSubstr("add nuw nsw i32 %"));
  EXPECT_THAT(ir, HasSubstr("zext nneg i32 %"));
  EXPECT_THAT(ir, HasSubstr("getelementptr inbounds i8, ptr addrspace(1) %1, i64 %"));
  EXPECT_THAT(ir, HasSubstr("\"amdgpu-flat-work-group-size\"=\"32,32\""));
  EXPECT_THAT(ir, HasSubstr("!reqd_work_group_size"));
  EXPECT_THAT(ir, Not(HasSubstr("mul i64")));
  EXPECT_THAT(ir, Not(HasSubstr("noalias")));
  EXPECT_THAT(ir, Not(HasSubstr("fadd fast")));
}

TEST_F(LoweringTest, UnknownCountStaysWide) {
  // Row and count may have any value, so the counter takes 64 bits. The address still has 32: the
  // element has to lie inside the view.
  std::string ir = lowerToText(rowSum("[ge(%row_count, 0)]"), amdgpu());
  EXPECT_THAT(ir, HasSubstr("phi i64 "));
  EXPECT_THAT(ir, Not(HasSubstr("phi i32 ")));
  EXPECT_THAT(ir, HasSubstr("zext nneg i32 %"));
  // With an extent that is not known, it has 64 too.
  ir = lowerToText(rowSum("[ge(%row_count, 0)]", "view<[%count]x32xf32>"), amdgpu());
  EXPECT_THAT(ir, HasSubstr("mul i64 %"));
  EXPECT_THAT(ir, Not(HasSubstr("trunc")));
}

TEST_F(LoweringTest, LoopsAreRotatedAndGuardedOnlyWhereNeeded) {
  auto branches = [](const std::string &ir) {
    size_t count = 0;
    for (size_t at = ir.find("br i1"); at != std::string::npos; at = ir.find("br i1", at + 1))
      ++count;
    return count;
  };
  // Guard and backedge.
  EXPECT_EQ(branches(lowerToText(rowSum(), amdgpu())), 2u);
  EXPECT_EQ(branches(lowerToText(rowSum("[range(%row_count, 1, 64)]"), amdgpu())), 1u);
}

TEST_F(LoweringTest, EveryInstructionNamesItsOperation) {
  ModuleOp module = parse(rowSum());
  llvm::LLVMContext llvmContext;
  FailureOr<LoweredModule> lowered = lowerForAMDGPU(module, amdgpu(), llvmContext);
  ASSERT_TRUE(succeeded(lowered));
  ASSERT_EQ(lowered->kernels.size(), 1u);
  const LoweredKernel &kernel = lowered->kernels[0];
  EXPECT_EQ(kernel.symbol, "sum_rows");
  EXPECT_THAT(kernel.arguments, ::testing::ElementsAre(ArgumentKind::Index, ArgumentKind::Buffer,
                                                       ArgumentKind::Buffer));
  EXPECT_EQ(kernel.workgroupSize[0], 32);
  EXPECT_EQ(kernel.workgroupCount[2], 1);
  std::vector<std::string> seen;
  for (llvm::Instruction &i : llvm::instructions(*lowered->module->getFunction("sum_rows"))) {
    if (isa<llvm::ReturnInst>(i))
      continue;
    std::string expected;
    if (isa<llvm::LoadInst>(i) || isa<llvm::GetElementPtrInst>(i))
      expected = "view.";
    else if (i.getOpcode() == llvm::Instruction::FAdd)
      expected = "scalar.addf";
    else if (isa<llvm::StoreInst>(i))
      expected = "view.store";
    else if (isa<llvm::CallInst>(i))
      expected = "kernel.workitem.id";
    else if (isa<llvm::PHINode>(i) || i.isTerminator())
      expected = "scf.for";
    else
      continue;
    if (!i.getDebugLoc()) {
      // The entry block of a phi has no operation of its own.
      EXPECT_TRUE(isa<llvm::PHINode>(i)) << expected;
      continue;
    }
    unsigned line = i.getDebugLoc().getLine();
    ASSERT_GE(line, 1u);
    ASSERT_LE(line, lowered->operations.size());
    EXPECT_THAT(lowered->operations[line - 1].name, ::testing::StartsWith(expected));
    seen.push_back(expected);
  }
  EXPECT_THAT(seen, ::testing::IsSupersetOf({"scalar.addf", "view.store", "scf.for"}));
  std::string ir;
  llvm::raw_string_ostream(ir) << *lowered->module;
  EXPECT_THAT(ir, HasSubstr("emissionKind: NoDebug"));
}

TEST_F(LoweringTest, AliasPromisesNeedAllBuffers) {
  auto program = [](const std::string &promise) {
    return elementwise({"f32", "f32"}, promise + R"(
    %p = buffer.view %a[%base] : buffer -> view<[%n]xf32>
    %q = buffer.view %b[%base] : buffer -> view<[%n]xf32>
    %x = view.load %p[%i] : view<[%n]xf32> -> f32
    view.store %x, %q[%i] : f32, view<[%n]xf32>)");
  };
  std::string both = "    %a, %b = buffer.assume.noalias %b0, %b1 : buffer, buffer";
  std::string one = "    %a = buffer.assume.noalias %b0 : buffer\n"
                    "    %b = buffer.assume.alignment %b1 {minimum_alignment = 16} : buffer";
  std::string ir = lowerToText(program(both), amdgpu());
  EXPECT_THAT(ir, HasSubstr("ptr addrspace(1) noalias readonly %1"));
  EXPECT_THAT(ir, HasSubstr("ptr addrspace(1) noalias writeonly %2"));
  ir = lowerToText(program(one), amdgpu());
  EXPECT_THAT(ir, Not(HasSubstr("noalias")));
  // Promised below a condition only.
  EXPECT_THAT(ir, Not(HasSubstr("align 16")));
}

TEST_F(LoweringTest, FastMathStandsWhereTheProgramHasIt) {
  std::string ir = lowerToText(elementwise({"f32", "f32"}, R"(
    %x = view.load %v0[%i] : view<[%n]xf32> -> f32
    %p = scalar.mulf<contract> %x, %x : f32
    %s = scalar.addf<contract> %p, %x : f32
    %t = scalar.addf %s, %x : f32
    %u = scalar.fmaf %t, %x, %s : f32
    view.store %u, %v1[%i] : f32, view<[%n]xf32>)"),
                               amdgpu());
  EXPECT_THAT(ir, HasSubstr("fmul contract float"));
  EXPECT_THAT(ir, HasSubstr("fadd contract float"));
  EXPECT_THAT(ir, HasSubstr("fadd float"));
  EXPECT_THAT(ir, HasSubstr("call float @llvm.fma.f32("));
  EXPECT_THAT(ir, Not(HasSubstr("fmuladd")));
}

TEST_F(LoweringTest, ReductionsAreChainsUnlessReassociated) {
  auto program = [](const std::string &kind) {
    return elementwise({"f32", "f32"}, R"(
    %x = vector.load %v0[%i] : view<[%n]xf32> -> vector<4xf32>
    %z = scalar.constant 0.5 : f32
    %s = vector.reduce<)" + kind + R"(> %x, %z : vector<4xf32>, f32
    view.store %s, %v1[%i] : f32, view<[%n]xf32>)");
  };
  std::string ir = lowerToText(program("addf"), amdgpu());
  EXPECT_THAT(ir, Not(HasSubstr("vector.reduce")));
  EXPECT_THAT(ir, HasSubstr("load <4 x float>, ptr addrspace(1) %"));
  EXPECT_THAT(ir, HasSubstr(", align 4"));
  ir = lowerToText(program("addf, reassoc"), amdgpu());
  EXPECT_THAT(ir, HasSubstr("call reassoc float @llvm.vector.reduce.fadd.v4f32(float"));
}

TEST_F(LoweringTest, WorkgroupIdsAreUnsigned) {
  std::string ir = lowerToText(elementwise({"f32"}, R"(
    %x = scalar.constant 1.0 : f32
    view.store %x, %v0[%i] : f32, view<[%n]xf32>)"),
                               amdgpu());
  // The number of workgroups is not known, so the id may use all 32 bits.
  EXPECT_THAT(ir, HasSubstr("zext i32 %"));
  EXPECT_THAT(ir, HasSubstr("icmp slt i64 %"));
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

class RefusalTest : public LoweringTest {
protected:
  std::string refuse(const std::string &text, const TargetProfile &profile) {
    ModuleOp module = parse(text);
    if (!module)
      return "";
    llvm::LLVMContext llvmContext;
    auto lower = profile.family == TargetFamily::AMDGPU ? lowerForAMDGPU : lowerForX86;
    EXPECT_TRUE(failed(lower(module, profile, llvmContext, {})));
    return takeErrors();
  }
  static std::string kernel(const std::string &config, const std::string &body) {
    return "kernel.def @k(%n: index) {\n  %one = index.constant 1 : index\n" + config +
           "} launch(%n: index, %b0: buffer) {\n" + body + "  kernel.return\n}\n";
  }
  static std::string body(const std::string &body) {
    return kernel("  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, "
                  "%one) : index\n",
                  body);
  }
};

TEST_F(RefusalTest, AllOperationsAreReported) {
  std::string program = body(R"(
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  %x = scalar.constant 1.0 : f32
  %s = kernel.subgroup.reduce<addf> %x : f32
)");
  std::string errors = refuse(program, amdgpu());
  EXPECT_THAT(errors,
              HasSubstr("error: 'kernel.barrier' is not supported on amdgpu yet [TARGET/002]"));
  EXPECT_THAT(errors, HasSubstr("error: 'kernel.subgroup.reduce' is not supported on amdgpu yet "
                                "[TARGET/002]"));
  EXPECT_THAT(errors, HasSubstr("test.loom:6:"));
  EXPECT_THAT(errors, HasSubstr("test.loom:8:"));
}

TEST_F(RefusalTest, VectorsThatAreNotLowered) {
  std::string program = body(R"(
  %zero = index.constant 0 : offset
  %m = buffer.view %b0[%zero] : buffer -> view<8x4096xf32>
  %tile = vector.load %m[0, 0] : view<8x4096xf32> -> vector<2x4xf32>
  %row = vector.extract %tile[0] : vector<2x4xf32> -> vector<4xf32>
  %turned = vector.shuffle<[3, 2, 1, 0]> %row : vector<4xf32>
  vector.store<volatile> %turned, %m[0, 0] : vector<4xf32>, view<8x4096xf32>
  %long = vector.load %m[0, 0] : view<8x4096xf32> -> vector<2048xf32>
)");
  for (const TargetProfile *profile : {&x86(), &amdgpu()}) {
    std::string name = profile->family == TargetFamily::X86 ? "x86" : "amdgpu";
    std::string errors = refuse(program, *profile);
    std::string refused = "' is not supported on " + name + " yet";
    EXPECT_EQ(StringRef(errors).contains("'vector.store" + refused + " with <volatile>"),
              profile->family == TargetFamily::AMDGPU);
    EXPECT_THAT(errors, HasSubstr("'vector.load' has a value of type vector<2048xf32>"));
  }
}

TEST_F(RefusalTest, LaunchLimits) {
  auto sized = [](const std::string &x, const std::string &y) {
    return kernel("  %x = index.constant " + x + " : index\n  %y = index.constant " + y +
                      " : index\n  kernel.launch.config workgroups(%one, %one, %one) "
                      "workgroup_size(%x, %y, %one) : index\n",
                  "");
  };
  EXPECT_THAT(refuse(sized("1025", "1"), amdgpu()),
              HasSubstr("a workgroup size of 1025 in x; amdgpu:gfx1151 has 1 to 1024"));
  EXPECT_THAT(refuse(sized("0", "1"), x86()), HasSubstr("a workgroup size of 0 in x"));
  EXPECT_THAT(refuse(sized("512", "4"), amdgpu()),
              HasSubstr("a workgroup of 2048 work-items; amdgpu:gfx1151 has at most 1024"));
}

TEST_F(RefusalTest, ExtentsThatAMDGPUDoesNotKnow) {
  std::string program = kernel("  kernel.launch.config workgroups(%n, %one, %one) "
                               "workgroup_size(%n, %one, %one) : index\n",
                               "  %s = kernel.workgroup.size<x> : index\n"
                               "  %c = kernel.workgroup.count<x> : index\n"
                               "  %y = kernel.workgroup.size<y> : index\n");
  std::string errors = refuse(program, amdgpu());
  EXPECT_THAT(errors, HasSubstr("'kernel.workgroup.size' is not supported on amdgpu yet unless the "
                                "launch configuration makes the workgroup size exact"));
  EXPECT_THAT(errors, HasSubstr("makes the workgroup count exact"));
  EXPECT_EQ(diagnostics->errorCount(), 2u);
  EXPECT_NE(lowerToText(program, x86()), "");
}

TEST_F(RefusalTest, LoopsThatAreNotReady) {
  std::string errors = refuse(body(R"(
  %zero = index.constant 0 : index
  scf.for %i = [%zero to %n step %n] {
    %a = index.add %i, %i : index
  }
  %two = index.constant 2 : index
  scf.for %j = [%zero to %n step %two] unroll(%two) {
    %b = index.add %j, %j : index
  }
)"),
                              x86());
  EXPECT_THAT(errors, HasSubstr("the step of this 'scf.for' is not known to be positive"));
  EXPECT_THAT(errors, HasSubstr("STRUCTURE/035"));
  EXPECT_THAT(errors, HasSubstr("a loop policy of this 'scf.for' was not carried out"));
}

TEST_F(RefusalTest, TwoKernelsOfOneName) {
  std::string one = body("");
  std::string two = one;
  two.replace(two.find("@k"), 2, "export(\"k\") @other");
  EXPECT_THAT(refuse(one + two, x86()), HasSubstr("two kernels have the name \"k\""));
}

//===----------------------------------------------------------------------===//
// Both back ends in one process
//===----------------------------------------------------------------------===//

TEST_F(LoweringTest, CompilationsDoNotDisturbEachOther) {
  ModuleOp module = parse(rowSum());
  auto forAMDGPU = [&] {
    llvm::LLVMContext llvmContext;
    FailureOr<LoweredModule> lowered = lowerForAMDGPU(module, amdgpu(), llvmContext);
    EXPECT_TRUE(succeeded(lowered));
    llvm::Expected<amdgpu::CodeGenResult> result = amdgpu::compileModule(
        *lowered->module, amdgpu(), amdgpu::OutputKind::CodeObject, operationNames(*lowered));
    lowered->module.reset();
    EXPECT_TRUE(bool(result)) << llvm::toString(result.takeError());
    return std::move(result->artifact);
  };
  auto forX86 = [&] {
    llvm::LLVMContext llvmContext;
    FailureOr<LoweredModule> lowered = lowerForX86(module, x86(), llvmContext);
    EXPECT_TRUE(succeeded(lowered));
    auto object = x86::emitObject(*lowered->module, x86());
    lowered->module.reset();
    EXPECT_TRUE(bool(object)) << llvm::toString(object.takeError());
    return std::move(*object);
  };
  auto x86First = forX86();
  auto first = forAMDGPU();
  auto x86Second = forX86();
  auto second = forAMDGPU();
  EXPECT_EQ(first, second);
  EXPECT_EQ(x86First, x86Second);
}

/// A kernel with every operation on floats of `type`, whose bits have the type `integer`.
std::string everything(const std::string &type, const std::string &integer) {
  std::string t = " : " + type + "\n", body;
  auto line = [&](const std::string &text) { body += "    " + text; };
  line("%a = view.load %v0[%i] : view<[%n]x" + type + "> -> " + type + "\n");
  line("%k = scalar.constant 1.5" + t);
  line("%b = scalar.addf %a, %k" + t);
  line("%c = scalar.subf %b, %a" + t);
  line("%d = scalar.mulf %c, %b" + t);
  line("%e = scalar.divf %d, %a" + t);
  line("%f = scalar.minimumf %e, %b" + t);
  line("%g = scalar.maximumf %f, %c" + t);
  line("%h = scalar.negf %g" + t);
  line("%j = scalar.absf %h" + t);
  line("%l = scalar.fmaf %j, %a, %b" + t);
  line("%m = scalar.cmpf ole, %l, %a" + t);
  line("%p = scf.select %m, %l, %a" + t);
  line("%q = scalar.bitcast %p : " + type + " to " + integer + "\n");
  line("%r = scalar.sitofp %q : " + integer + " to " + type + "\n");
  line("%s = scalar.uitofp %q : " + integer + " to " + type + "\n");
  line("%v = vector.splat %r : vector<4x" + type + ">\n");
  line("%w = vector.addf %v, %v : vector<4x" + type + ">\n");
  std::string last = "%s";
  for (const char *kind : {"addf", "mulf", "minimumf", "maximumf", "minnumf", "maxnumf"}) {
    std::string next = std::string("%r_") + kind;
    line(next + " = vector.reduce<" + kind + "> %w, " + last + " : vector<4x" + type + ">, " +
         type + "\n");
    last = next;
  }
  line("view.store " + last + ", %v0[%i] : " + type + ", view<[%n]x" + type + ">\n");
  // To the other widths and back.
  unsigned bits = type == "f64" ? 64 : type == "f32" ? 32 : 16, position = 1;
  for (auto [other, width] : {std::pair("f16", 16u), {"bf16", 16u}, {"f32", 32u}, {"f64", 64u}}) {
    std::string name = std::string("%t_") + other, view = "%v" + std::to_string(position++);
    if (width == bits)
      continue;
    line(name + " = scalar." + (width > bits ? "extf " : "fptrunc ") + last + " : " + type +
         " to " + other + "\n");
    line("view.store " + name + ", " + view + "[%i] : " + other + ", view<[%n]x" + other + ">\n");
  }
  return elementwise({type, "f16", "bf16", "f32", "f64"}, body);
}

TEST_F(LoweringTest, EveryFloatOperationCompilesForEveryFamily) {
  for (auto [type, integer] :
       {std::pair("f16", "i16"), {"bf16", "i16"}, {"f32", "i32"}, {"f64", "i64"}}) {
    ModuleOp module = parse(everything(type, integer));
    for (const char *key : {"gfx942", "gfx11-generic", "gfx1200", "gfx1250"}) {
      SCOPED_TRACE(std::string(type) + " for " + key);
      const TargetProfile *profile = lookupTargetProfile(std::string("amdgpu:") + key);
      ASSERT_NE(profile, nullptr);
      llvm::LLVMContext llvmContext;
      LoweringOptions options;
      options.verifyIntermediate = true;
      FailureOr<LoweredModule> lowered = lowerForAMDGPU(module, *profile, llvmContext, options);
      ASSERT_TRUE(succeeded(lowered)) << takeErrors();
      llvm::Expected<amdgpu::CodeGenResult> result = amdgpu::compileModule(
          *lowered->module, *profile, amdgpu::OutputKind::CodeObject, operationNames(*lowered));
      lowered->module.reset();
      ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
      EXPECT_FALSE(result->artifact.empty());
    }
    EXPECT_TRUE(succeeded(x86::compileKernels(module, x86()))) << takeErrors();
  }
}

} // namespace
} // namespace loom::test
