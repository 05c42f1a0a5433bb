// What is written is read back the same, to the places and the order of users; whatever else the
// bytes are, reading them is an error or a module.
#include "loom/Bytecode/Bytecode.h"
#include "../Analysis/Program.h"
#include "loom/Dialect/Check/Check.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <gmock/gmock.h>

using namespace loom;
using namespace loom::test;
using namespace mlir;
using ::testing::HasSubstr;

namespace {

constexpr size_t kHeaderSize = 32;

const char *const kProgram = R"(// Everything that a location has to keep.

// Sums a row.
func.def pure @sum(%values: view<64x32xf32>, %count: index, %scale: f32) -> (f32) where [range(%count, 0, 64)] {
  %begin = index.constant 0 : index // of the row
  %step = index.constant 1 : index
  %total = scf.for %row = [%begin to %count step %step](%sum = %scale : f32) -> (f32) {
    %value = view.load %values[%row, %begin] : view<64x32xf32> -> f32
    %twice = scalar.addf<contract> %value, %value : f32
    %large = scalar.cmpf ogt, %twice, %sum : f32
    %next = scf.if %large -> (f32) {
      // Outside values.
      %scaled = scalar.mulf %twice, %scale : f32
      scf.yield %scaled : f32
    } else {
      scf.yield %scale : f32
    }
    scf.yield %next : f32
    // The end.
  }
  func.return %total : f32
}

amdgpu.target<gfx1151> @device

low.func.def target<amdgpu.rdna3_5.core>(@device) @count(%n: reg<amdgpu.sgpr>, %x: reg<amdgpu.vgpr>) -> (reg<amdgpu.vgpr>) {
  low.br ^head(%n: reg<amdgpu.sgpr>, %x: reg<amdgpu.vgpr>)
^head(%i: reg<amdgpu.sgpr>, %sum: reg<amdgpu.vgpr>):
  %c = low.op<s_cmp_eq_u32>(%i) {src1 = 0} : (reg<amdgpu.sgpr>) -> reg<amdgpu.scc>
  low.cond_br %c, ^done, ^body : reg<amdgpu.scc>
^body:
  %more = low.op<v_add_f32>(%sum, %x) : (reg<amdgpu.vgpr>, reg<amdgpu.vgpr>) -> reg<amdgpu.vgpr>
  %less = low.op<s_sub_u32>(%i) {src1 = 1} : (reg<amdgpu.sgpr>) -> reg<amdgpu.sgpr>
  low.br ^head(%less: reg<amdgpu.sgpr>, %more: reg<amdgpu.vgpr>)
^done:
  low.return %sum : reg<amdgpu.vgpr>
}
)";

std::string write(ModuleOp module) {
  std::string bytes;
  EXPECT_TRUE(succeeded(writeBytecode(module, bytes)));
  return bytes;
}

OwningOpRef<ModuleOp> read(StringRef bytes, MLIRContext *context) {
  return readBytecode(llvm::MemoryBufferRef(bytes, "test.loombc"), context);
}

/// Locations of operations and block arguments and the users of every value, in the order of the
/// program, users by their position in it.
struct Details {
  explicit Details(ModuleOp module) {
    llvm::DenseMap<Operation *, unsigned> positions;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) { positions[op] = positions.size(); });
    auto add = [&](Value value) {
      users.emplace_back();
      for (OpOperand &use : value.getUses())
        users.back().push_back({positions.lookup(use.getOwner()), use.getOperandNumber()});
    };
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      locations.push_back(op->getLoc());
      for (Value result : op->getResults())
        add(result);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments()) {
          locations.push_back(argument.getLoc());
          add(argument);
        }
    });
  }

  std::vector<Location> locations;
  std::vector<std::vector<std::pair<unsigned, unsigned>>> users;
};

TEST(BytecodeTest, KeepsTheProgramWithPlacesAndOrderOfUsers) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  std::string bytes = write(*program.module);
  OwningOpRef<ModuleOp> again = read(bytes, &program.context);
  ASSERT_TRUE(again) << program.message;
  EXPECT_TRUE(succeeded(verifyModule(*again))) << program.message;
  EXPECT_EQ(printSourceText(*again), printSourceText(*program.module));
  Details before(*program.module), after(*again);
  EXPECT_EQ(after.locations, before.locations);
  EXPECT_EQ(after.users, before.users);
  EXPECT_EQ(write(*again), bytes);
}

TEST(BytecodeTest, IsTheSameInAnotherContext) {
  Program one(kProgram), two("func.def @else() {\n  func.return\n}\n");
  ASSERT_TRUE(one.module && two.module);
  std::string bytes = write(*one.module);
  OwningOpRef<ModuleOp> elsewhere = read(bytes, &two.context);
  ASSERT_TRUE(elsewhere) << two.message;
  EXPECT_EQ(printSourceText(*elsewhere), printSourceText(*one.module));
  EXPECT_EQ(write(*elsewhere), bytes);
}

TEST(BytecodeTest, KeepsOtherLocations) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  Builder b(&program.context);
  Location source = program.at("twice")->getLoc();
  Location call = CallSiteLoc::get(source, program.at("begin")->getLoc());
  program.at("begin")->setLoc(b.getUnknownLoc());
  program.at("step")->setLoc(call);
  program.at("value")->setLoc(FusedLoc::get(&program.context, {call, b.getUnknownLoc()}));
  program.at("large")->setLoc(makeSourceLoc(b.getStringAttr("other.loom"), 4000000000, 70, "far"));
  OwningOpRef<ModuleOp> again = read(write(*program.module), &program.context);
  ASSERT_TRUE(again) << program.message;
  EXPECT_EQ(Details(*again).locations, Details(*program.module).locations);
}

TEST(BytecodeTest, KeepsAttributesOfEveryKind) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  Builder b(&program.context);
  APInt wide(200, "-123456789012345678901234567890", 10);
  APFloat nan = APFloat::getNaN(APFloat::IEEEdouble(), /*Negative=*/true, 77);
  ModuleOp module = *program.module;
  module->setAttr("test.wide", b.getIntegerAttr(b.getIntegerType(200), wide));
  module->setAttr("test.least", b.getI64IntegerAttr(std::numeric_limits<int64_t>::min()));
  module->setAttr("test.small", b.getIntegerAttr(b.getIntegerType(3), -4));
  module->setAttr("test.nan", FloatAttr::get(b.getF64Type(), nan));
  module->setAttr("test.half", FloatAttr::get(b.getF16Type(), -0.5));
  module->setAttr("test.dense", b.getDenseI64ArrayAttr({-1, 1l << 40}));
  module->setAttr("test.type", TypeAttr::get(b.getFunctionType(b.getF32Type(), {})));
  auto tensor = RankedTensorType::get({3}, b.getI8Type());
  module->setAttr("test.elements", DenseElementsAttr::get(tensor, ArrayRef<int8_t>{1, -2, 3}));
  // This one has no binary form of its own.
  module->setAttr("test.map", AffineMapAttr::get(b.getMultiDimIdentityMap(3)));
  OwningOpRef<ModuleOp> again = read(write(module), &program.context);
  ASSERT_TRUE(again) << program.message;
  EXPECT_EQ((*again)->getAttrDictionary(), module->getAttrDictionary());
}

TEST(BytecodeTest, KeepsManyResultsAndValuesThatAreStillToCome) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  // ^body now stands in front of ^head, whose values it uses.
  Operation *defined = program.at("c"), *body = program.at("more");
  body->getBlock()->moveBefore(defined->getBlock());
  OpBuilder b(body);
  Value ahead = defined->getResult(0);
  auto cast = UnrealizedConversionCastOp::create(b, b.getUnknownLoc(),
                                                 SmallVector<Type>(20, b.getIndexType()), ahead);
  auto user = UnrealizedConversionCastOp::create(b, b.getUnknownLoc(), b.getF32Type(),
                                                 ValueRange{ahead, cast->getResult(19)});
  OwningOpRef<ModuleOp> again = read(write(*program.module), &program.context);
  ASSERT_TRUE(again) << program.message;
  SmallVector<UnrealizedConversionCastOp> casts;
  again->walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  ASSERT_EQ(casts.size(), 2u);
  EXPECT_EQ(casts[0]->getNumResults(), 20u);
  EXPECT_EQ(casts[0]->getResultTypes(), cast->getResultTypes());
  Operation *sameDefined = casts[0]->getOperand(0).getDefiningOp();
  ASSERT_TRUE(sameDefined);
  EXPECT_EQ(sameDefined->getName(), defined->getName());
  EXPECT_EQ(casts[1]->getOperand(0), casts[0]->getOperand(0));
  EXPECT_EQ(casts[1]->getOperand(1), casts[0]->getResult(19));
  EXPECT_EQ(casts[1]->getResultTypes(), user->getResultTypes());
}

TEST(BytecodeTest, RefusesUsesThatAreNotDominated) {
  struct Case {
    const char *user, *used, *message;
  };
  // What asks for the operands of operands would walk in a circle.
  for (auto [user, used, message] : {Case{"twice", "twice", "used where it is not defined"},
                                     Case{"twice", "large", "used where it is not defined"},
                                     Case{"total", "next", "used outside of its region"},
                                     Case{"next", "scaled", "used outside of its region"},
                                     Case{"c", "more", "used where it is not defined"}}) {
    Program program(kProgram);
    ASSERT_TRUE(program.module);
    Operation *op = program.at(user);
    op->setOperand(op->getNumOperands() - 1, program.at(used)->getResult(0));
    EXPECT_FALSE(read(write(*program.module), &program.context)) << user << " " << used;
    EXPECT_THAT(program.message, HasSubstr(message)) << user << " " << used;
  }
}

// Verifiers of other operations rely on these.
TEST(BytecodeTest, RefusesOperationsWithoutTheirParts) {
  auto refuses = [](llvm::function_ref<void(Program &)> change) {
    Program program(kProgram);
    change(program);
    EXPECT_FALSE(read(write(*program.module), &program.context));
    EXPECT_THAT(program.message, HasSubstr("does not have the parts that it declares"));
  };
  auto insert = [](Program &program, StringRef name, ValueRange operands, TypeRange results) {
    OpBuilder b(program.at("value"));
    OperationState state(b.getUnknownLoc(), name, operands, results);
    b.create(state);
  };
  refuses([&](Program &program) {
    Type type = program.at("twice")->getResult(0).getType();
    insert(program, "loom_scalar.mulf", program.at("begin")->getResult(0), type);
  });
  refuses([&](Program &program) {
    insert(program, "loom_scalar.mulf",
           {program.at("begin")->getResult(0), program.at("begin")->getResult(0)}, {});
  });
  refuses([&](Program &program) {
    SmallVector<Value> bounds(2, program.at("begin")->getResult(0));
    insert(program, "loom_scf.for", bounds, {});
  });
  refuses([&](Program &program) {
    Operation *function = program.at("total")->getParentOp();
    function->setAttr("result_types", Builder(&program.context).getStrArrayAttr({"f32"}));
  });
}

// Bytecode can hold what no text says; the verifiers may not believe that it does not.
TEST(BytecodeTest, WhatHasNoTextIsRefusedWithAMessage) {
  Program program("check.case @empty {\n  check.return\n}\ncheck.benchmark<@empty> {x = 1}\n");
  ASSERT_TRUE(program.module) << program.message;
  Builder b(&program.context);
  program.module->walk([&](CheckBenchmarkOp op) {
    op.setAssignmentsAttr(b.getDictionaryAttr(b.getNamedAttr("x", b.getUnitAttr())));
  });
  OwningOpRef<ModuleOp> again = read(write(*program.module), &program.context);
  ASSERT_TRUE(again) << program.message;
  EXPECT_TRUE(failed(verifyModule(*again)));
  EXPECT_THAT(program.message, HasSubstr("parameter 'x' needs a number, true or false, not unit"));
}

TEST(BytecodeTest, RefusesToWriteWhatItCannotHold) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  OpBuilder b = OpBuilder::atBlockEnd(program.module->getBody());
  program.context.allowUnregisteredDialects();
  Operation *unknown = b.create(OperationState(b.getUnknownLoc(), "nobody.knows"));
  std::string bytes;
  EXPECT_TRUE(failed(writeBytecode(*program.module, bytes)));
  EXPECT_THAT(program.message, HasSubstr("bytecode cannot hold operations of dialects that are not "
                                         "known [BYTECODE/001]"));
  unknown->erase();
  for (unsigned i = 0; i < 500; ++i) {
    auto module = ModuleOp::create(b, b.getUnknownLoc());
    b.setInsertionPointToStart(module.getBody());
  }
  EXPECT_TRUE(failed(writeBytecode(*program.module, bytes)));
  EXPECT_THAT(program.message,
              HasSubstr("bytecode cannot hold regions that are nested more than 400 deep"));
}

//===----------------------------------------------------------------------===//
// Bytes that nobody wrote
//===----------------------------------------------------------------------===//

/// `bytes` with the lengths and the hash that belong to its contents.
std::string seal(std::string bytes) {
  using namespace llvm::support::endian;
  StringRef body = StringRef(bytes).drop_front(kHeaderSize);
  uint64_t hash = llvm::xxh3_64bits(ArrayRef<uint8_t>(body.bytes_begin(), body.size()));
  write64le(bytes.data() + 16, body.size() - read32le(bytes.data() + 12));
  write64le(bytes.data() + 24, hash);
  return bytes;
}

size_t payloadBegin(StringRef bytes) {
  return kHeaderSize + llvm::support::endian::read32le(bytes.data() + 12);
}

/// Reads `bytes`; a module that verifies can be printed.
void expectErrorOrModule(StringRef bytes, const Twine &what) {
  static std::unique_ptr<MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % 1000 == 0) {
    DialectRegistry registry;
    registerLoomDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  std::string message;
  llvm::raw_string_ostream errors(message);
  DiagnosticEngineScope scope(context.get(), errors);
  OwningOpRef<ModuleOp> module = read(bytes, context.get());
  EXPECT_EQ(scope.errorCount(), module ? 0u : 1u) << what.str() << ": " << message;
  if (module && succeeded(verifyModule(*module)))
    printSourceText(*module);
}

TEST(BytecodeTest, DoesNotTrustASealedPayload) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  const std::string bytes = write(*program.module);
  ASSERT_EQ(seal(bytes), bytes);
  for (size_t i = payloadBegin(bytes); i < bytes.size(); ++i) {
    std::string cut = bytes.substr(0, i), longer = bytes;
    expectErrorOrModule(seal(cut), "cut at " + Twine(i));
    longer.insert(i, 1, bytes[i]);
    expectErrorOrModule(seal(longer), "doubled " + Twine(i));
    for (int change : {-1, 1, 2, 5, 0x80}) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] + change);
      expectErrorOrModule(seal(other), "changed " + Twine(i) + " by " + Twine(change));
    }
  }
}

TEST(BytecodeTest, SaysWhatIsWrong) {
  Program program(kProgram);
  ASSERT_TRUE(program.module);
  const std::string bytes = write(*program.module);
  auto refusal = [&](std::string damaged) {
    program.message.clear();
    EXPECT_FALSE(read(damaged, &program.context));
    return program.message;
  };
  std::string old = bytes;
  llvm::support::endian::write32le(old.data() + 8, kBytecodeVersion - 1);
  EXPECT_THAT(refusal(old),
              HasSubstr("test.loombc:1:1: error: the bytecode file has format version 2, this tool "
                        "reads version 3; make it anew from its sources with loom-link --to=bc "
                        "[BYTECODE/001]"));
  EXPECT_THAT(refusal(seal(bytes.substr(0, bytes.size() - 1))),
              HasSubstr("error: the bytecode file is damaged: "));
  EXPECT_THAT(refusal(seal(bytes + '\0')),
              HasSubstr("error: the bytecode file is damaged: it does not hold one module "));
  std::string renamed = bytes;
  renamed[renamed.find("loom_func.def")] = 'x';
  EXPECT_THAT(refusal(seal(renamed)),
              HasSubstr("the bytecode file is damaged: there is no operation 'xoom_func.def'"));
}

} // namespace
