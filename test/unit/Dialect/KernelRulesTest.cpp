//===- KernelRulesTest.cpp - Rules of kernels that no text can break ------===//
//
// The text has no branches between the blocks of a kernel, and its parser refuses some words. What
// passes make, or bytecode holds, is held to the rules by the verifier.
//
//===----------------------------------------------------------------------===//
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Text/Text.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace loom;
using namespace mlir;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class KernelRulesTest : public testing::Test {
protected:
  KernelRulesTest() : errors(shown), scope(&context, errors) {
    DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
  }

  /// The first operation of that class in the program.
  template <typename OpTy> OpTy parse(const std::string &text) {
    module = parseSourceText(text, "rules.loom", &context);
    EXPECT_TRUE(module && succeeded(verifyModule(*module))) << shown;
    OpTy found;
    if (module)
      module->walk([&](OpTy op) { found = found ? found : op; });
    return found;
  }

  /// Branches from `from` with an operation that the language does not have.
  void branch(Block *from, ValueRange operands, ArrayRef<Block *> to) {
    OperationState state(UnknownLoc::get(&context), "test.branch");
    state.addOperands(operands);
    state.addSuccessors(BlockRange(to));
    from->push_back(Operation::create(state));
  }

  std::string verify() {
    EXPECT_TRUE(failed(verifyModule(*module)));
    return shown;
  }

  MLIRContext context;
  std::string shown;
  llvm::raw_string_ostream errors;
  DiagnosticEngineScope scope;
  OwningOpRef<ModuleOp> module;
};

const char *kKernel = R"(kernel.def @k() {
  %one = index.constant 1 : index
  %size = index.constant 64 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%uniform: i1, %n: index) {
  %lane = kernel.workitem.id<x> : index
  %varying = index.cmp eq, %lane, %n : index
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  kernel.return
}
)";

/// The blocks of a diamond: the entry branches on `%uniform` or `%varying`, both arms join. The
/// barrier stands in one of them.
class DiamondTest : public KernelRulesTest {
protected:
  bool build(bool isVarying) {
    auto kernel = parse<KernelDefOp>(kKernel);
    if (!kernel)
      return false;
    entry = &kernel.getBody().front();
    Operation *barrier = entry->getTerminator()->getPrevNode();
    condition = entry->getArgument(0);
    if (isVarying)
      condition = barrier->getPrevNode()->getResult(0);
    join = entry->splitBlock(barrier);
    left = new Block, right = new Block;
    left->insertBefore(join);
    right->insertBefore(join);
    return true;
  }
  void connect() {
    branch(entry, condition, {left, right});
    branch(left, {}, {join});
    branch(right, {}, {join});
  }
  void moveBarrier(Block *to) { join->front().moveBefore(to, to->end()); }

  Block *entry, *left, *right, *join;
  Value condition;
};

TEST_F(DiamondTest, BarrierBehindAJoinOfEverybody) {
  ASSERT_TRUE(build(/*isVarying=*/true));
  connect();
  EXPECT_TRUE(succeeded(verifyModule(*module))) << shown;
}

TEST_F(DiamondTest, BarrierInAnArmOfAUniformBranch) {
  ASSERT_TRUE(build(/*isVarying=*/false));
  moveBarrier(left);
  connect();
  EXPECT_TRUE(succeeded(verifyModule(*module))) << shown;
}

TEST_F(DiamondTest, BarrierInAnArmOfADivergentBranch) {
  ASSERT_TRUE(build(/*isVarying=*/true));
  moveBarrier(left);
  connect();
  EXPECT_THAT(verify(), AllOf(HasSubstr("branch by a value that is the same for all of it "
                                        "[STRUCTURE/038]"),
                              HasSubstr("decides: cfg_selector is lane_predicate")));
}

TEST_F(DiamondTest, BarrierInALoopThatSomeLeave) {
  ASSERT_TRUE(build(/*isVarying=*/true));
  // The entry leads into the loop, which goes on while the condition holds.
  moveBarrier(left);
  branch(entry, {}, {left});
  branch(left, condition, {left, right});
  branch(right, {}, {join});
  EXPECT_THAT(verify(), AllOf(HasSubstr("branch by a value that is the same for all of it "
                                        "[STRUCTURE/038]"),
                              HasSubstr("decides: cfg_selector is lane_predicate")));
}

TEST_F(KernelRulesTest, KernelHasTwoRegions) {
  auto kernel = parse<KernelDefOp>(kKernel);
  ASSERT_TRUE(kernel);
  kernel.getConfig().dropAllReferences();
  kernel.getConfig().getBlocks().clear();
  EXPECT_THAT(verify(), HasSubstr("rules.loom:1:1: error: a kernel has a configuration and a body "
                                  "[STRUCTURE/006]"));
}

TEST_F(KernelRulesTest, BarrierScope) {
  auto barrier = parse<KernelBarrierOp>(kKernel);
  ASSERT_TRUE(barrier);
  barrier.setScope(SyncScope::device);
  EXPECT_THAT(verify(), HasSubstr("rules.loom:8:3: error: the scope of a barrier is subgroup or "
                                  "workgroup, not device [STRUCTURE/014]"));
}

/// Whether a value suits the predicates of a declaration.
struct Asked {
  const char *predicate, *type;
  int64_t value;
  bool holds;
};

TEST_F(KernelRulesTest, PredicatesOfConfigurationValues) {
  const Asked table[] = {
      {"eq(%x, 3)", "index", 3, true},          {"eq(%x, 3)", "index", 4, false},
      {"ne(%x, 3)", "index", 4, true},          {"ne(%x, 3)", "index", 3, false},
      {"lt(%x, 0)", "index", -1, true},         {"lt(%x, 0)", "index", 0, false},
      {"le(%x, 0)", "index", 0, true},          {"le(%x, 0)", "index", 1, false},
      {"gt(%x, 0)", "index", 1, true},          {"gt(%x, 0)", "index", 0, false},
      {"ge(%x, 0)", "index", 0, true},          {"ge(%x, 0)", "index", -1, false},
      {"ult(%x, -1)", "i8", 254, true},         {"ult(%x, 5)", "i8", -1, false},
      {"ule(%x, 5)", "i32", 5, true},           {"ule(%x, 5)", "i32", -1, false},
      {"ugt(%x, 5)", "i32", -1, true},          {"ugt(%x, 5)", "i32", 5, false},
      {"uge(%x, 5)", "i32", 5, true},           {"uge(%x, -1)", "i32", 5, false},
      {"mul(%x, 8)", "index", -24, true},       {"mul(%x, 8)", "index", 20, false},
      {"pow2(%x)", "index", 64, true},          {"pow2(%x)", "index", 0, false},
      {"pow2(%x)", "index", -4, false},         {"pow2(%x)", "index", 48, false},
      {"range(%x, 2, 4)", "index", 4, true},    {"range(%x, 2, 4)", "index", 5, false},
      {"range(%x, 2, 4)", "offset", 1, false},  {"eq(%x, 1)", "i1", 1, true},
      {"eq(%x, 1), ge(%x, 2)", "i32", 1, false}};
  for (const Asked &asked : table) {
    std::string text =
        std::string("config.decl @x : %x: ") + asked.type + " where [" + asked.predicate + "]\n";
    auto decl = parse<ConfigDeclOp>(text);
    ASSERT_TRUE(decl) << text;
    Attribute literal = Builder(&context).getI64IntegerAttr(asked.value);
    auto typed = convertLiteral(literal, decl.getValueType(), [&](const Twine &message) {
      return emitCoded(decl, DiagCode::TypeAttribute, message);
    });
    ASSERT_TRUE(succeeded(typed)) << text << shown;
    EXPECT_EQ(!findBrokenPredicate(decl, *typed).has_value(), asked.holds) << text << asked.value;
  }
}

TEST_F(KernelRulesTest, EncodingAsConfigurationValue) {
  auto def = parse<ConfigDefOp>("config.def @c = #encoding.layout.dense : encoding<layout>\n");
  ASSERT_TRUE(def);
  def.setValueAttr(Builder(&context).getI64IntegerAttr(1));
  EXPECT_THAT(verify(),
              HasSubstr("rules.loom:1:1: error: the value has to be an encoding [TYPE/005]"));
}

} // namespace
