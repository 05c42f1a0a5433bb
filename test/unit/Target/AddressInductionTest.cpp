//===- AddressInductionTest.cpp - Rewritten addresses are the same --------===//
//
// The address pass is checked by running programs before and after it on this machine: every store
// is replaced by a call that records its address, so that no memory is touched and addresses may
// be anything.
//
//===----------------------------------------------------------------------===//
#include "AMDGPU/AddressInduction.h"
#include "AddressPrograms.h"
#include "RowSumProgram.h"
#include "loom/Target/Common/LinkedTargets.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using namespace loom;
using namespace loom::test;

static std::unique_ptr<TargetMachine> createMachine(const TargetProfile &profile) {
  initializeLinkedTargets();
  Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, profile.cpu, "", TargetOptions(), std::nullopt));
}

static std::unique_ptr<Module> parse(const std::string &text, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  if (!module)
    ADD_FAILURE() << problem.getMessage().str() << "\n" << problem.getLineContents().str();
  return module;
}

static void runPass(Module &module, const TargetProfile &profile) {
  std::unique_ptr<TargetMachine> machine = createMachine(profile);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (Function &function : module)
    if (!function.isDeclaration())
      amdgpu::inductAddresses(function, *machine, profile);
  std::string message;
  raw_string_ostream stream(message);
  EXPECT_FALSE(verifyModule(module, &stream)) << message;
}

static const TargetProfile &gfx1151() {
  return *lookupTargetProfile("gfx1151", TargetFamily::AMDGPU);
}

//===----------------------------------------------------------------------===//
// The same addresses
//===----------------------------------------------------------------------===//

namespace {

using Trace = std::vector<std::pair<uint64_t, uint32_t>>;
Trace *trace = nullptr;
uint32_t lane = 0;

void recordStore(uint64_t address, uint32_t number) { trace->emplace_back(address, number); }

using Kernel = void (*)(uint64_t, uint64_t, uint32_t, uint32_t, uint64_t, uint32_t);

} // namespace

/// Turns stores into calls of `record` and reads of the lane into reads of a variable.
static void makeHostProgram(Module &module, const Twine &suffix) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  FunctionCallee record = module.getOrInsertFunction("record", Type::getVoidTy(context), i64, i32);
  Constant *laneVariable = module.getOrInsertGlobal("lane", i32);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setCallingConv(CallingConv::C);
    function.setName(function.getName() + suffix);
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      IRBuilder<> builder(&instruction);
      if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        builder.CreateCall(record, {builder.CreatePtrToInt(store->getPointerOperand(), i64),
                                    store->getValueOperand()});
        store->eraseFromParent();
      } else if (isa<IntrinsicInst>(instruction)) {
        instruction.replaceAllUsesWith(builder.CreateLoad(i32, laneVariable));
        instruction.eraseFromParent();
      }
    }
  }
}

static unsigned countPointerPhis(const Module &module) {
  unsigned count = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      count += isa<PHINode>(instruction) && instruction.getType()->isPointerTy();
  return count;
}

TEST(AddressInduction, RandomProgramsKeepTheirAddresses) {
  // A longer search can be asked for; the seeds are the same every time.
  unsigned programs = 150;
  if (const char *asked = std::getenv("LOOM_TEST_PROGRAMS"))
    programs = std::max(1, std::atoi(asked));
  initializeLinkedTargets();
  auto targetMachine = cantFail(orc::JITTargetMachineBuilder::detectHost());
  targetMachine.setCodeGenOptLevel(CodeGenOptLevel::None);
  auto jit =
      cantFail(orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(targetMachine)).create());
  cantFail(jit->getMainJITDylib().define(
      orc::absoluteSymbols({{jit->mangleAndIntern("record"),
                             {orc::ExecutorAddr::fromPtr(&recordStore), JITSymbolFlags::Exported}},
                            {jit->mangleAndIntern("lane"),
                             {orc::ExecutorAddr::fromPtr(&lane), JITSymbolFlags::Exported}}})));

  std::string text = "declare i32 @llvm.amdgcn.workitem.id.x()\n";
  for (unsigned program = 0; program < programs; ++program)
    text += addressProgram(program, "f" + std::to_string(program));
  unsigned phis[2];
  for (bool rewritten : {false, true}) {
    auto context = std::make_unique<LLVMContext>();
    std::unique_ptr<Module> module = parse(text, *context);
    ASSERT_NE(module, nullptr);
    if (rewritten)
      runPass(*module, gfx1151());
    phis[rewritten] = countPointerPhis(*module);
    makeHostProgram(*module, rewritten ? ".after" : ".before");
    module->setTargetTriple(jit->getTargetTriple());
    module->setDataLayout(jit->getDataLayout());
    cantFail(jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  }
  // The pass has to do something for this test to say anything.
  EXPECT_EQ(phis[0], 0u);
  EXPECT_GT(phis[1], programs);

  struct Arguments {
    int32_t a, b;
    int64_t c;
    uint32_t x;
  };
  for (unsigned program = 0; program < programs; ++program) {
    std::string name = "f" + std::to_string(program);
    auto before = cantFail(jit->lookup(name + ".before")).toPtr<Kernel>();
    auto after = cantFail(jit->lookup(name + ".after")).toPtr<Kernel>();
    for (Arguments arguments : {Arguments{0, -50, 0, 0}, Arguments{3, 50, 1000, 0x80000001},
                                Arguments{98, -7, 17, 0xfffffff0}, Arguments{7, 0, 999, 12345}})
      for (uint32_t thisLane : {0u, 1u, 7u, 63u}) {
        Trace expected, actual;
        lane = thisLane;
        for (auto [kernel, result] : {std::pair(before, &expected), std::pair(after, &actual)}) {
          trace = result;
          kernel(0x100000000000, 0x7ffffff00000, arguments.a, arguments.b, arguments.c,
                 arguments.x);
        }
        ASSERT_EQ(expected, actual) << addressProgram(program, name);
      }
  }
}

//===----------------------------------------------------------------------===//
// The form of the result
//===----------------------------------------------------------------------===//

static unsigned pointerPhis(const BasicBlock &block) {
  return llvm::count_if(block.phis(),
                        [](const PHINode &phi) { return phi.getType()->isPointerTy(); });
}

static const BasicBlock *blockNamed(const Function &function, StringRef name) {
  for (const BasicBlock &block : function)
    if (block.getName() == name)
      return &block;
  ADD_FAILURE() << "no block " << name.str();
  return nullptr;
}

TEST(AddressInduction, EachLoopAdvancesOnePointer) {
  LLVMContext context;
  auto module = parse(rowSumProgram({}), context);
  ASSERT_NE(module, nullptr);
  runPass(*module, gfx1151());
  const Function &function = *module->getFunction("sum_rows");
  for (StringRef name : {"steady", "rest", "serial"}) {
    const BasicBlock *block = blockNamed(function, name);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(pointerPhis(*block), 1u) << name.str();
    for (const Instruction &instruction : *block)
      EXPECT_NE(instruction.getOpcode(), unsigned(Instruction::Mul)) << name.str();
  }
  // The remainder takes over the pointer of the steady loop.
  const BasicBlock *merge = blockNamed(function, "rest.guard");
  const BasicBlock *steady = blockNamed(function, "steady");
  ASSERT_EQ(pointerPhis(*merge), 1u);
  for (const PHINode &phi : merge->phis())
    if (phi.getType()->isPointerTy()) {
      auto *next = dyn_cast<GetElementPtrInst>(phi.getIncomingValueForBlock(steady));
      ASSERT_NE(next, nullptr);
      EXPECT_EQ(next->getParent(), steady);
      EXPECT_TRUE(isa<PHINode>(next->getPointerOperand()));
    }
}

TEST(AddressInduction, ExactnessIsNotGuessed) {
  // The sum may wrap at 32 bits before it is extended, so it cannot be split.
  LLVMContext context;
  auto module = parse("define amdgpu_kernel void @f(ptr addrspace(1) %p, i32 %x, i32 %y) {\n"
                      "  %sum = add i32 %x, %y\n"
                      "  %offset = zext i32 %sum to i64\n"
                      "  %g = getelementptr i8, ptr addrspace(1) %p, i64 %offset\n"
                      "  store i32 0, ptr addrspace(1) %g\n"
                      "  ret void\n}\n",
                      context);
  ASSERT_NE(module, nullptr);
  runPass(*module, gfx1151());
  bool found = false;
  for (const Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *extension = dyn_cast<ZExtInst>(&instruction))
      found |= extension->getOperand(0)->getName() == "sum";
  EXPECT_TRUE(found);
}

TEST(AddressInduction, DivergentBaseStaysAsItIs) {
  LLVMContext context;
  auto module = parse("declare i32 @llvm.amdgcn.workitem.id.x()\n"
                      "define amdgpu_kernel void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n"
                      "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                      "  %odd = trunc i32 %lane to i1\n"
                      "  %base = select i1 %odd, ptr addrspace(1) %p, ptr addrspace(1) %q\n"
                      "  %g = getelementptr i8, ptr addrspace(1) %base, i64 16\n"
                      "  store i32 0, ptr addrspace(1) %g\n"
                      "  ret void\n}\n",
                      context);
  ASSERT_NE(module, nullptr);
  runPass(*module, gfx1151());
  for (const Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      EXPECT_EQ(store->getPointerOperand()->getName(), "g");
    }
}
