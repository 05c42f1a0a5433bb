//===- ScenarioTest.cpp - Planning and running trials ---------------------===//
#include "CheckFixture.h"
#include "Slots.h"
#include <set>

using namespace loom;
using namespace loom::check;
using runtime::ElementType;
using runtime::Launch;
using runtime::Scalar;

namespace {

const char *const kHalf = "func.def @half(%x: f32, %n: index) -> (f32, index, i1) {\n"
                          "  %h = scalar.constant 0.5 : f32\n"
                          "  %y = scalar.mulf %x, %h : f32\n"
                          "  %t = scalar.constant true : i1\n"
                          "  func.return %y, %n, %t : f32, index, i1\n}\n";

std::string scenario(const std::string &configure, const std::string &body) {
  return "check.scenario @s " + configure + "{\n" + body + "  check.return\n}\n";
}

const char *const kCompare =
    "  check.trial[3](%trial: index, %noise: check.entropy) {\n"
    "    %x = check.literal value(5.0) : f32\n"
    "    check.compare<@half>(%x, %trial) : (f32, index) -> [actual(%a: f32), expected(%e: f32)], "
    "[actual(%b: index), expected(%f: index)], [actual(%c: i1), expected(%g: i1)] {\n"
    "      check.expect.bitwise actual(%a) expected(%e) : f32\n"
    "      check.expect.equal actual(%b) expected(%f) : index\n"
    "      check.expect.equal actual(%c) expected(%g) : i1\n"
    "    }\n  }\n";

TEST(Scenario, PlansTrialsOfConfigurations) {
  Program program(std::string(kHalf) + scenario("configure[4](%o: index, %entropy: check.entropy) ",
                                                std::string(kCompare) + kCompare));
  TestPlan plan = program.plan();
  ASSERT_EQ(plan.scenarios.size(), 1u);
  EXPECT_EQ(plan.scenarios[0].configurations, 4u);
  EXPECT_EQ(plan.scenarios[0].trialsPerConfiguration, 6u);
  EXPECT_EQ(plan.scenarios[0].trialCount, 24u);
  PlanOptions options;
  options.maxSamplesPerCase = 10;
  EXPECT_EQ(program.plan(options).scenarios[0].trialCount, 10u);
  EXPECT_TRUE(program.plan(options).scenarios[0].isTruncated());
  // The kernel that calls the function is made once.
  unsigned kernels = llvm::range_size((*program).getOps<KernelDefOp>());
  EXPECT_EQ(kernels, 1u);
  EXPECT_TRUE((*program).lookupSymbol("half.check_entry"));
  EXPECT_TRUE(succeeded(verifyModule(*program)));
}

TEST(Scenario, HugeProductsDoNotOverflow) {
  std::string trial = "  check.trial[9223372036854775807](%t: index, %n: check.entropy) {\n"
                      "    %x = check.literal value(5.0) : f32\n"
                      "    %y, %m, %b = check.invoke<@half>(%x, %t) : (f32, index) -> (f32, index, "
                      "i1)\n  }\n";
  Program program(std::string(kHalf) +
                  scenario("configure[9223372036854775807](%o: index, %entropy: check.entropy) ",
                           trial + trial + trial));
  TestPlan plan = program.plan();
  EXPECT_EQ(plan.scenarios[0].totalTrials, UINT64_MAX);
  EXPECT_EQ(plan.scenarios[0].trialCount, 4096u);
}

/// The entry kernel of @half, with an answer of its own.
void half(const Launch &launch, double factor) {
  runtime::Tensor &results = tensorArgument(launch, 2);
  ASSERT_EQ(results.elementCount(), 3u);
  Scalar product =
      Scalar::fromDouble(ElementType::F32, scalarArgument(launch, 0).toDouble() * factor);
  // Bits above the width of a result are the device's business.
  results.set(0, Scalar::fromBits(ElementType::I64, product.bits() | 0xabcd00000000));
  results.set(1, Scalar::fromBits(ElementType::I64, scalarArgument(launch, 1).bits()));
  results.set(2, Scalar::fromBits(ElementType::I64, 0x5501));
}

TEST(Scenario, ComparesTheTargetWithTheHost) {
  Program program(std::string(kHalf) + scenario("", kCompare));
  FakeDevice device;
  device.kernels["half.check_entry"] = [](const Launch &launch) { half(launch, 0.5); };
  TestReport report = llvm::cantFail(runPlan(program.plan(), device));
  EXPECT_TRUE(report.passed());
  ASSERT_EQ(report.trials.size(), 3u);
  EXPECT_EQ(report.trials[1].expectationCount, 3u);
  device.kernels["half.check_entry"] = [](const Launch &launch) { half(launch, 0.25); };
  report = llvm::cantFail(runPlan(program.plan(), device));
  EXPECT_EQ(report.failedTrialCount(), 3u);
  ASSERT_EQ(report.trials[0].failures.size(), 1u);
  EXPECT_EQ(report.trials[0].failures[0].detail, "%a is 1.25 (0x3fa00000), %e is 2.5 (0x40200000)");
}

TEST(Scenario, ATrialAloneIsTheSameTrial) {
  Program program(std::string(kHalf) +
                  scenario("configure[3](%o: index, %entropy: check.entropy) ", kCompare));
  FakeDevice device;
  device.kernels["half.check_entry"] = [](const Launch &launch) { half(launch, 0.5); };
  TestPlan plan = program.plan();
  TestReport all = llvm::cantFail(runPlan(plan, device));
  std::set<uint64_t> entropies;
  for (uint64_t ordinal = 0; ordinal < 9; ++ordinal) {
    TrialResult alone = runTrial(plan.scenarios[0], ordinal, device);
    EXPECT_EQ(alone.entropy, all.trials[ordinal].entropy);
    EXPECT_EQ(alone.configuration, ordinal / 3);
    EXPECT_EQ(alone.index, ordinal % 3);
    entropies.insert(alone.entropy);
  }
  EXPECT_EQ(entropies.size(), 9u);
}

TEST(Scenario, AnUnexpectedEventFailsAnInvocation) {
  Program program(std::string(kHalf) +
                  scenario("", "  check.trial[1](%t: index, %n: check.entropy) {\n"
                               "    %x = check.literal value(5.0) : f32\n"
                               "    %y, %m, %b = check.invoke<@half>(%x, %t) : (f32, index) -> "
                               "(f32, index, i1)\n  }\n"));
  FakeDevice device;
  device.kernels["half.check_entry"] = [&](const Launch &) { device.log.events.resize(1); };
  TestReport report = llvm::cantFail(runPlan(program.plan(), device));
  EXPECT_EQ(report.failedTrialCount(), 1u);
  device.kernels.clear();
  report = llvm::cantFail(runPlan(program.plan(), device));
  ASSERT_EQ(report.trials[0].issues.size(), 1u);
  EXPECT_EQ(report.trials[0].issues[0].kind, "unknown_kernel");
}

TEST(Entropy, IsAFunctionOfItsOrigin) {
  Entropy root;
  EXPECT_EQ(root.fork("a").key, root.fork("a").key);
  EXPECT_EQ(root.fork("a").read(3), root.fork("a").read(3));
  std::set<uint64_t> keys;
  for (const char *label : {"a", "b", "ab", "ba", "aa", ""}) {
    Entropy fork = root.fork(label);
    keys.insert(fork.key);
    for (uint64_t i = 0; i < 100; ++i) {
      keys.insert(fork.read(i));
      keys.insert(fork.fork("c", i).key);
      keys.insert(fork.fork("c", i).fork("d").key);
    }
  }
  EXPECT_EQ(keys.size(), 6u * 301);
}

} // namespace
