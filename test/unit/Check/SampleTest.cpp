//===- SampleTest.cpp - One sample of a case, step by step ----------------===//
#include "loom/Check/Sample.h"
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;
using runtime::ElementType;
using runtime::Launch;
using runtime::Scalar;
using runtime::Tensor;

namespace {

const char *const kKernel = "kernel.def @k(%n: index) {\n"
                            "  %one = index.constant 1 : index\n"
                            "  kernel.launch.config workgroups(%n, %one, %one) "
                            "workgroup_size(%one, %one, %one) : index\n"
                            "} launch(%data: buffer, %other: buffer) {\n  kernel.return\n}\n";

/// Overwrites everything that it is given.
void spoil(const Launch &launch) {
  for (unsigned i = 0; i < 2; ++i)
    std::memset(tensorArgument(launch, i).data(), 0x55, tensorArgument(launch, i).byteSize());
}

TEST(Sample, GoesStepByStep) {
  Program program(std::string(kKernel) +
                  "check.case @c {\n"
                  "  %n = check.param.range linear bounds(1 to 3) name(\"n\") : index\n"
                  "  %a = check.generate.fill value(7) : tensor<[%n]xi32>\n"
                  "  %b = check.generate.fill value(8) : tensor<2xi32>\n"
                  "  kernel.launch @k[%n](%a, %b) : [index](tensor<[%n]xi32>, tensor<2xi32>)\n"
                  "  kernel.launch @k[%n](%b, %b) : [index](tensor<2xi32>, tensor<2xi32>)\n"
                  "  check.expect.equal actual(%b) expected(%b) : tensor<2xi32>\n"
                  "  check.return\n}\n");
  TestPlan plan = program.plan();
  FakeDevice device;
  unsigned runs = 0;
  device.kernels["k"] = [&](const Launch &) { ++runs; };
  Sample sample(plan.cases[0], device);
  for (uint64_t ordinal : {2u, 0u}) {
    ASSERT_FALSE(sample.materialize(ordinal));
    EXPECT_TRUE(sample.launches().empty());
    ASSERT_FALSE(sample.prepare());
    ASSERT_EQ(sample.launches().size(), 2u);
    const PreparedLaunch &first = sample.launches()[0];
    EXPECT_EQ(first.kernel, "k");
    EXPECT_EQ(first.geometry.workgroups[0], int64_t(ordinal) + 1);
    EXPECT_EQ(first.workload[0].toInteger(), int64_t(ordinal) + 1);
    Tensor &data = *std::get<Tensor *>(first.arguments[0]);
    EXPECT_EQ(data.elementCount(), ordinal + 1);
    EXPECT_EQ(data.get(ordinal).toInteger(), 7);
    ASSERT_FALSE(sample.launch());
    ASSERT_FALSE(sample.launch()); // as often as one likes
    SampleResult result = sample.check();
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.ordinal, ordinal);
    EXPECT_EQ(result.parameters[0].second, std::to_string(ordinal + 1));
  }
  EXPECT_EQ(runs, 8u);
}

/// The bytes of every tensor of a case, in the order of its launches, as they are before these run.
std::vector<uint8_t> inputs(Sample &sample, uint64_t ordinal) {
  EXPECT_FALSE(sample.materialize(ordinal));
  EXPECT_FALSE(sample.prepare());
  std::vector<uint8_t> bytes;
  for (const PreparedLaunch &launch : sample.launches())
    for (const runtime::Argument &argument : launch.arguments)
      if (auto *tensor = std::get_if<Tensor *>(&argument))
        bytes.insert(bytes.end(), (*tensor)->data(), (*tensor)->data() + (*tensor)->byteSize());
  return bytes;
}

// One object for all samples, in any order and with kernels that overwrite everything, against a
// fresh object for each.
TEST(Sample, ReusedOnesBeginLikeFreshOnes) {
  Program program(
      std::string(kKernel) +
      "func.def @twice(%x: f32) -> (f32) {\n  %y = scalar.addf %x, %x : f32\n"
      "  func.return %y : f32\n}\n"
      "func.decl @m()\n"
      "check.case @c {\n"
      "  %n = check.param.choice values([2, 3, 2]) : index\n"
      "  %seed = check.param.seed base(1) count(2) : i64\n"
      "  %x = check.param.range linear bounds(1.0 to 2.0) step(1.0) : f32\n"
      "  %one = check.literal value(1) : index\n"
      "  %fixed = check.generate.iota offset(0.0) step(0.5) : tensor<4x4xf32>\n"
      "  %sized = check.generate.iota offset(1) step(1) : tensor<[%n]xi16>\n"
      "  %noise = check.generate.random.uniform seed(%seed) range(-1.0 to 1.0) : tensor<4x4xf32>\n"
      "  %half = check.tensor.view %noise offset(8) : tensor<4x4xf32> -> tensor<8xf32>\n"
      "  %flat = check.generate.fill value(3.0) : tensor<4x4xf32>\n"
      "  %product = check.oracle.call<reference.matmul> callee(@m) inputs(%fixed, %noise, %flat) : "
      "(tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>)\n"
      "  %double = check.oracle.call<reference.scalar> callee(@twice) inputs(%half) : "
      "(tensor<8xf32>) -> (tensor<8xf32>)\n"
      "  %y = func.call @twice(%x) : (f32) -> (f32)\n"
      "  %scaled = check.oracle.call<reference.scalar> callee(@twice) inputs(%y) : (f32) -> (f32)\n"
      "  kernel.launch @k[%one](%fixed, %sized) : [index](tensor<4x4xf32>, tensor<[%n]xi16>)\n"
      "  kernel.launch @k[%one](%half, %flat) : [index](tensor<8xf32>, tensor<4x4xf32>)\n"
      "  kernel.launch @k[%one](%product, %double) : [index](tensor<4x4xf32>, tensor<8xf32>)\n"
      "  kernel.launch @k[%one](%noise, %noise) : [index](tensor<4x4xf32>, tensor<4x4xf32>)\n"
      "  check.expect.equal actual(%scaled) expected(%scaled) : f32\n"
      "  check.return\n}\n");
  TestPlan plan = program.plan();
  ASSERT_EQ(plan.issues.size(), 0u);
  ASSERT_EQ(plan.cases[0].sampleCount, 12u);
  FakeDevice device;
  device.kernels["k"] = spoil;
  Sample reused(plan.cases[0], device);
  for (uint64_t ordinal : {0, 0, 0, 3, 6, 6, 1, 2, 2, 5, 11, 4, 4, 4, 0, 7, 9}) {
    Sample fresh(plan.cases[0], device);
    ASSERT_EQ(inputs(reused, ordinal), inputs(fresh, ordinal)) << ordinal;
    ASSERT_FALSE(reused.launch());
  }
}

// A source that failed leaves nothing behind for the samples after it.
TEST(Sample, RecoversFromAValueThatCannotBeMade) {
  Program program(std::string(kKernel) +
                  "func.decl @m()\n"
                  "check.case @c {\n"
                  "  %n = check.param.choice values([100, 300, 50]) : index\n"
                  "  %ramp = check.generate.iota offset(-60) step(1) : tensor<[%n]xi8>\n"
                  "  %one = check.literal value(1) : index\n"
                  "  kernel.launch @k[%one](%ramp, %ramp) : [index](tensor<[%n]xi8>, "
                  "tensor<[%n]xi8>)\n"
                  "  check.return\n}\n");
  TestPlan plan = program.plan();
  FakeDevice device;
  device.kernels["k"] = spoil;
  Sample sample(plan.cases[0], device);
  EXPECT_TRUE(sample.run(0).passed());
  SampleResult failed = sample.run(1);
  ASSERT_EQ(failed.issues.size(), 1u);
  EXPECT_EQ(failed.issues[0].message, "t.loom:10:11: %ramp: element 188 does not fit i8");
  EXPECT_EQ(failed.issues[0].stage, "materialize");
  for (uint64_t ordinal : {2, 0}) {
    Sample fresh(plan.cases[0], device);
    EXPECT_EQ(inputs(sample, ordinal), inputs(fresh, ordinal));
  }
}

TEST(Sample, KeepsEventsForTheCheck) {
  Program program(std::string(kKernel) +
                  "check.case @c {\n"
                  "  %one = check.literal value(1) : index\n"
                  "  %a = check.generate.fill value(7) : tensor<2xi32>\n"
                  "  kernel.launch @k[%one](%a, %a) : [index](tensor<2xi32>, tensor<2xi32>)\n"
                  "  check.return\n}\n");
  TestPlan plan = program.plan();
  FakeDevice device;
  device.kernels["k"] = [&](const Launch &) {
    runtime::Event event;
    event.kind = runtime::Event::Kind::AsanReport;
    event.message = "a read of 4 bytes outside of %data";
    event.file = "k.loom";
    event.line = 7;
    event.column = 3;
    device.log.events = {event};
  };
  Sample sample(plan.cases[0], device);
  SampleResult result = sample.run(0);
  EXPECT_EQ(result.expectationCount, 1u);
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].kind, "event");
  EXPECT_EQ(result.failures[0].detail, "a read of 4 bytes outside of %data [asan_report]");
  EXPECT_EQ(stringifyPlace(*result.failures[0].location), "k.loom:7:3");
  // The next sample begins without them.
  device.kernels["k"] = [](const Launch &) {};
  EXPECT_TRUE(sample.run(0).passed());
}

} // namespace
