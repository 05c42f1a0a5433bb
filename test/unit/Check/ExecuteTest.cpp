//===- ExecuteTest.cpp - Running samples and reporting them ---------------===//
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;
using runtime::ElementType;
using runtime::Extents;
using runtime::Launch;
using runtime::Scalar;
using runtime::Tensor;

namespace {

const char *const kSumRows = "kernel.def export(\"sum_rows\") @sum_rows() {\n"
                             "  %one = index.constant 1 : index\n"
                             "  %width = index.constant 32 : index\n"
                             "  kernel.launch.config workgroups(%one, %one, %one) "
                             "workgroup_size(%width, %one, %one) : index\n"
                             "} launch(%row_count: index, %input: buffer, %output: buffer) {\n"
                             "  kernel.return\n"
                             "}\n";

/// A case over @sum_rows with `count` rows whose expected sums are an iota.
std::string sumCase(llvm::StringRef name, int64_t count, llvm::StringRef offset,
                    llvm::StringRef step) {
  return ("check.case public @" + name + " {\n  %count = check.literal value(" +
          llvm::Twine(count) +
          ") : index\n"
          "  %input = check.generate.iota offset(1.0) step(1.0) : tensor<64x32xf32>\n"
          "  %output = check.generate.fill value(-1.0) : tensor<32xf32>\n"
          "  %expected = check.generate.iota offset(" +
          offset + ") step(" + step +
          ") : tensor<32xf32>\n"
          "  kernel.launch @sum_rows(%count, %input, %output) : (index, tensor<64x32xf32>, "
          "tensor<32xf32>)\n"
          "  check.expect.equal actual(%output) expected(%expected) : tensor<32xf32>\n"
          "  check.return\n}\n")
      .str();
}

/// A kernel @k whose launch parameters are `parameters`, on one workgroup of one work-item.
std::string kernelWith(llvm::StringRef parameters, llvm::StringRef where = "") {
  return ("kernel.def @k() {\n"
          "  %one = index.constant 1 : index\n"
          "  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : "
          "index\n} launch(" +
          parameters + ")" + where + " {\n  kernel.return\n}\n")
      .str();
}

TestReport run(Program &program, runtime::Device &device, ExecuteOptions options = {}) {
  return llvm::cantFail(runPlan(program.plan(), device, options));
}

TEST(Execute, RunsTheRowSumCasesOfTheSeed) {
  std::string text = kSumRows;
  text += sumCase("empty", 0, "0.0", "0.0") + sumCase("single", 1, "1.0", "1.0") +
          sumCase("short", 2, "34.0", "2.0") + sumCase("boundary", 3, "99.0", "3.0") +
          sumCase("unroll", 4, "196.0", "4.0") + sumCase("remainder", 5, "325.0", "5.0") +
          sumCase("long", 63, "62559.0", "63.0") + sumCase("full", 64, "64576.0", "64.0");
  Program program(text);
  for (runtime::Placement placement : {runtime::Placement::Heap, runtime::Placement::Guarded}) {
    FakeDevice device;
    device.kernels["sum_rows"] = sumRows;
    ExecuteOptions options;
    options.placement = placement;
    TestReport report = run(program, device, options);
    EXPECT_TRUE(report.passed());
    EXPECT_EQ(report.caseCount, 8u);
    ASSERT_EQ(report.samples.size(), 8u);
    EXPECT_EQ(report.samples[7].caseName, "full");
    ASSERT_EQ(device.launches.size(), 8u);
    EXPECT_EQ(device.launches[0].kernel, "sum_rows");
    EXPECT_EQ(device.launches[0].geometry.workgroups, (Extents{1, 1, 1}));
    EXPECT_EQ(device.launches[0].geometry.workgroupSize, (Extents{32, 1, 1}));
  }
}

TEST(Execute, FindsAWrongKernel) {
  Program program(kSumRows + sumCase("short", 2, "34.0", "2.0"));
  FakeDevice device;
  device.kernels["sum_rows"] = [](const Launch &launch) {
    sumRows(launch);
    for (unsigned lane : {5u, 30u})
      tensorArgument(launch, 2).set(lane, Scalar::fromDouble(ElementType::F32, 0.5));
  };
  TestReport report = run(program, device);
  EXPECT_FALSE(report.passed());
  ASSERT_EQ(report.samples[0].failures.size(), 1u);
  const ExpectationFailure &failure = report.samples[0].failures[0];
  EXPECT_EQ(failure.index, 0u);
  EXPECT_EQ(failure.kind, "equal");
  EXPECT_EQ(failure.actualId, 2u);
  EXPECT_EQ(failure.expectedId, 3u);
  EXPECT_EQ(failure.detail, "%output[5] is 0.5 (0x3f000000), %expected[5] is 44.0 (0x42300000); "
                            "first of 2 mismatches in 32 elements (flat index 5)");
}

TEST(Execute, ANoOpKernelFailsEveryCaseThatExpectsWrites) {
  Program program(kSumRows + sumCase("empty", 0, "0.0", "0.0"));
  FakeDevice device;
  device.kernels["sum_rows"] = [](const Launch &) {};
  TestReport report = run(program, device);
  EXPECT_EQ(report.failedSampleCount(), 1u);
}

TEST(Execute, EachSampleBeginsWithFreshValues) {
  Program program(kernelWith("%data: buffer") +
                  "check.case @c {\n"
                  "  %s = check.param.seed base(1) count(5) : i64\n"
                  "  %data = check.generate.fill value(7) : tensor<4xi32>\n"
                  "  %expected = check.generate.fill value(8) : tensor<4xi32>\n"
                  "  kernel.launch @k(%data) : (tensor<4xi32>)\n"
                  "  check.expect.bitwise actual(%data) expected(%expected) : tensor<4xi32>\n"
                  "  check.return\n}\n");
  FakeDevice device;
  device.kernels["k"] = [](const Launch &launch) {
    Tensor &data = tensorArgument(launch, 0);
    for (unsigned i = 0; i < 4; ++i)
      data.set(i, *Scalar::fromInteger(ElementType::I32, data.get(i).toInteger() + 1));
  };
  TestReport report = run(program, device);
  EXPECT_EQ(report.samples.size(), 5u);
  EXPECT_TRUE(report.passed());
}

TEST(Execute, AWriteBesideATensorIsAnIssueOfItsSample) {
  Program program(kernelWith("%data: buffer") +
                  "check.case @c {\n"
                  "  %at = check.param.range linear bounds(-2 to 0) : index\n"
                  "  %data = check.generate.fill value(7) : tensor<5xi32>\n"
                  "  kernel.launch @k(%data) : (tensor<5xi32>)\n"
                  "  check.return\n}\n");
  FakeDevice device;
  int64_t place = -2;
  device.kernels["k"] = [&](const Launch &launch) {
    tensorArgument(launch, 0).data()[place++ * 4] = 1;
  };
  ExecuteOptions options;
  options.placement = runtime::Placement::Guarded;
  TestReport report = run(program, device, options);
  ASSERT_EQ(report.samples.size(), 3u);
  EXPECT_EQ(report.failedSampleCount(), 2u);
  for (unsigned i : {0u, 1u}) {
    ASSERT_EQ(report.samples[i].issues.size(), 1u);
    const runtime::Issue &issue = report.samples[i].issues[0];
    EXPECT_EQ(issue.provider + " " + issue.stage + " " + issue.kind, "fake launch memory_fault");
    EXPECT_EQ(issue.message, std::string("t.loom:1:1: @k writes outside of a tensor, ") +
                                 (i == 0 ? "8" : "4") + " bytes in front of the 20 bytes of %data");
  }
}

TEST(Execute, LaunchesRunInOrderOnTheSameStorage) {
  Program program(kernelWith("%by: i64, %data: buffer") +
                  "check.case @c {\n"
                  "  %two = check.literal value(2) : i64\n"
                  "  %three = check.literal value(3) : i64\n"
                  "  %data = check.generate.fill value(5) : tensor<i64>\n"
                  "  kernel.launch @k(%two, %data) : (i64, tensor<i64>)\n"
                  "  kernel.launch @k(%three, %data) : (i64, tensor<i64>)\n"
                  "  %expected = check.generate.fill value(523) : tensor<i64>\n"
                  "  check.expect.equal actual(%data) expected(%expected) : tensor<i64>\n"
                  "  check.return\n}\n");
  FakeDevice device;
  device.kernels["k"] = [](const Launch &launch) {
    Tensor &data = tensorArgument(launch, 1);
    data.set(0, *Scalar::fromInteger(ElementType::I64, data.get(0).toInteger() * 10 +
                                                           scalarArgument(launch, 0).toInteger()));
  };
  EXPECT_TRUE(run(program, device).passed());
}

TEST(Execute, DynamicExtentsComeFromParametersAndLiterals) {
  Program program(kernelWith("%data: buffer") +
                  "check.case @c {\n"
                  "  %m = check.param.choice values([1, 5]) name(\"rows\") : index\n"
                  "  %n = check.literal value(3) : index\n"
                  "  %data = check.generate.iota offset(0) step(1) : tensor<[%m]x2x[%n]xi32>\n"
                  "  kernel.launch @k(%data) : (tensor<[%m]x2x[%n]xi32>)\n"
                  "  check.return\n}\n");
  FakeDevice device;
  std::vector<std::vector<int64_t>> shapes;
  device.kernels["k"] = [&](const Launch &launch) {
    Tensor &data = tensorArgument(launch, 0);
    shapes.push_back(data.shape().vec());
    EXPECT_EQ(data.get(data.elementCount() - 1).toInteger(),
              static_cast<int64_t>(data.elementCount()) - 1);
  };
  TestReport report = run(program, device);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(shapes, (std::vector<std::vector<int64_t>>{{1, 2, 3}, {5, 2, 3}}));
  EXPECT_EQ(report.samples[1].parameters[0].first, "rows");
  EXPECT_EQ(report.samples[1].parameters[0].second, "5");
}

TEST(Execute, ScalarsOfEveryTypeArrive) {
  Program program(
      kernelWith("%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: index, %g: offset, %j: f32, "
                 "%k: f64") +
      "check.case @c {\n"
      "  %a = check.literal value(true) : i1\n  %b = check.literal value(-1) : i8\n"
      "  %c = check.literal value(-2) : i16\n  %d = check.literal value(-3) : i32\n"
      "  %e = check.literal value(-4) : i64\n  %f = check.literal value(5) : index\n"
      "  %g = check.literal value(6) : offset\n  %j = check.literal value(0.1) : f32\n"
      "  %k = check.literal value(0.1) : f64\n"
      "  kernel.launch @k(%a, %b, %c, %d, %e, %f, %g, %j, %k) : (i1, i8, i16, i32, i64, index, "
      "offset, f32, f64)\n"
      "  check.expect.equal actual(%a) expected(%a) : i1\n"
      "  check.expect.equal actual(%j) expected(%j) : f32\n"
      "  check.return\n}\n");
  FakeDevice device;
  device.kernels["k"] = [](const Launch &launch) {
    const std::pair<ElementType, uint64_t> expected[] = {{ElementType::I1, 1},
                                                         {ElementType::I8, 0xff},
                                                         {ElementType::I16, 0xfffe},
                                                         {ElementType::I32, 0xfffffffd},
                                                         {ElementType::I64, uint64_t(-4)},
                                                         {ElementType::Index, 5},
                                                         {ElementType::Offset, 6},
                                                         {ElementType::F32, 0x3dcccccd},
                                                         {ElementType::F64, 0x3fb999999999999a}};
    ASSERT_EQ(launch.arguments.size(), std::size(expected));
    for (auto [i, scalar] : llvm::enumerate(expected)) {
      auto [type, bits] = scalar;
      EXPECT_EQ(scalarArgument(launch, i).type(), type);
      EXPECT_EQ(scalarArgument(launch, i).bits(), bits) << i;
    }
  };
  EXPECT_TRUE(run(program, device).passed());
}

TEST(Execute, EveryExpectationIsEvaluated) {
  Program program("check.case @c {\n"
                  "  %zero = check.literal value(0.0) : f32\n"
                  "  %minus = check.literal value(-0.0) : f32\n"
                  "  %one = check.literal value(1.0) : f32\n"
                  "  check.expect.equal actual(%zero) expected(%minus) : f32\n"
                  "  check.expect.bitwise actual(%zero) expected(%minus) : f32\n"
                  "  check.expect.equal actual(%one) expected(%one) : f32\n"
                  "  check.expect.equal actual(%one) expected(%zero) : f32\n"
                  "  check.return\n}\n");
  FakeDevice device;
  TestReport report = run(program, device);
  const SampleResult &sample = report.samples[0];
  EXPECT_EQ(sample.expectationCount, 4u);
  ASSERT_EQ(sample.failures.size(), 2u);
  EXPECT_EQ(sample.failures[0].index, 1u);
  EXPECT_EQ(sample.failures[0].kind, "bitwise");
  EXPECT_EQ(sample.failures[0].detail, "%zero is 0.0 (0x00000000), %minus is -0.0 (0x80000000)");
  EXPECT_EQ(sample.failures[1].index, 3u);
  EXPECT_EQ(sample.failures[1].location->startLine, 8u);
}

TEST(Execute, ShapesThatDifferFail) {
  Program program("check.case @c {\n"
                  "  %m = check.literal value(2) : index\n"
                  "  %n = check.literal value(1000000) : index\n"
                  "  %a = check.generate.fill value(0) : tensor<[%m]x3xi8>\n"
                  "  %b = check.generate.fill value(0) : tensor<[%n]x3xi8>\n"
                  "  check.expect.equal actual(%a) expected(%b) : tensor<[%m]x3xi8>\n"
                  "  check.return\n}\n");
  FakeDevice device;
  TestReport report = run(program, device);
  ASSERT_EQ(report.samples[0].failures.size(), 1u);
  EXPECT_EQ(report.samples[0].failures[0].detail,
            "%a has the shape [2, 3], %b has the shape [1000000, 3]");
}

TEST(Execute, SeedsDecideTheData) {
  Program program(
      kernelWith("%a: buffer, %b: buffer") +
      "check.case @c {\n"
      "  %s = check.param.seed base(3) count(2) : i64\n"
      "  %fixed = check.literal value(3) : i32\n"
      "  %a = check.generate.random.uniform seed(%s) range(0 to 1000) : tensor<64xi64>\n"
      "  %b = check.generate.random.uniform seed(%fixed) range(0 to 1000) : "
      "tensor<64xi64>\n"
      "  check.expect.equal actual(%a) expected(%b) : tensor<64xi64>\n"
      "  check.return\n}\n");
  FakeDevice device;
  TestReport report = run(program, device);
  EXPECT_TRUE(report.samples[0].passed());
  EXPECT_FALSE(report.samples[1].passed());
}

//===----------------------------------------------------------------------===//
// Samples that are not evaluated
//===----------------------------------------------------------------------===//

/// "category stage kind: message" of the only issue of the only sample.
std::string onlyIssue(const std::string &text, FakeDevice &device) {
  Program program(text);
  TestReport report = run(program, device);
  EXPECT_FALSE(report.passed());
  const SampleResult &sample = report.samples.at(0);
  EXPECT_EQ(sample.expectationCount, 0u);
  EXPECT_TRUE(sample.failures.empty());
  if (sample.issues.size() != 1)
    return "no issue";
  const runtime::Issue &issue = sample.issues[0];
  bool rejected = issue.category == runtime::Issue::Category::CompileRejected;
  return std::string(rejected ? "compile_rejected " : "none ") + issue.stage + " " + issue.kind +
         ": " + issue.message;
}

TEST(Execute, ADeviceThatRefusesMakesAnIssue) {
  FakeDevice device;
  EXPECT_EQ(onlyIssue(kSumRows + sumCase("short", 2, "34.0", "2.0"), device),
            "compile_rejected compile unknown_kernel: no @sum_rows");
}

TEST(Execute, AnExtentBelowZeroMakesAnIssue) {
  FakeDevice device;
  EXPECT_EQ(onlyIssue("check.case @c {\n"
                      "  %n = check.literal value(-2) : index\n"
                      "  %a = check.generate.fill value(0) : tensor<[%n]xi8>\n"
                      "  check.expect.equal actual(%a) expected(%a) : tensor<[%n]xi8>\n"
                      "  check.return\n}\n",
                      device),
            "none materialize invalid_value_source: t.loom:3:8: %a: an extent of -2 is negative");
}

TEST(Execute, AnIotaThatOutgrowsItsTypeMakesAnIssue) {
  FakeDevice device;
  EXPECT_EQ(onlyIssue("check.case @c {\n"
                      "  %n = check.literal value(200) : index\n"
                      "  %a = check.generate.iota offset(0) step(1) : tensor<[%n]xi8>\n"
                      "  check.return\n}\n",
                      device),
            "none materialize invalid_value_source: t.loom:3:8: %a: element 128 does not fit i8");
}

TEST(Execute, AnArgumentOutsideOfTheWhereClauseMakesAnIssue) {
  std::string body = "check.case @c {\n  %n = check.literal value(VALUE) : index\n"
                     "  kernel.launch @k(%n) : (index)\n  check.return\n}\n";
  std::string kernel = kernelWith("%n: index", " where [range(%n, 0, 64)]");
  auto withValue = [&](llvm::StringRef value) {
    std::string text = body;
    return kernel + text.replace(text.find("VALUE"), 5, value.str());
  };
  FakeDevice device;
  device.kernels["k"] = [](const Launch &) {};
  EXPECT_EQ(
      onlyIssue(withValue("65"), device),
      "none launch_config violated_where: t.loom:1:1: range(%n, 0, 64) does not hold: %n is 65");
  EXPECT_TRUE(device.launches.empty());
  Program good(withValue("64"));
  EXPECT_TRUE(run(good, device).passed());
}

TEST(Execute, AWorkloadWithoutLegalGeometryMakesAnIssueOfItsSample) {
  Program program("kernel.def @k(%n: index) {\n"
                  "  %one = index.constant 1 : index\n"
                  "  kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%one, %one, "
                  "%one) : index\n"
                  "} launch(%n: index) {\n  kernel.return\n}\n"
                  "check.case @c {\n"
                  "  %n = check.param.range linear bounds(-1 to 2) : index\n"
                  "  kernel.launch @k[%n](%n) : [index](index)\n"
                  "  check.return\n}\n");
  FakeDevice device;
  device.kernels["k"] = [](const Launch &) {};
  TestReport report = run(program, device);
  ASSERT_EQ(report.samples.size(), 4u);
  EXPECT_EQ(report.failedSampleCount(), 1u);
  EXPECT_EQ(report.samples[0].issues[0].kind, "invalid_geometry");
  EXPECT_TRUE(report.samples[2].passed());
  // None at all is a launch like others.
  ASSERT_EQ(device.launches.size(), 3u);
  EXPECT_EQ(device.launches[0].geometry.workgroups[0], 0);
  EXPECT_EQ(device.launches[2].geometry.workgroups[0], 2);
}

//===----------------------------------------------------------------------===//
// Selection of samples
//===----------------------------------------------------------------------===//

TEST(Execute, OneSampleCanBeRunAlone) {
  Program program("check.case @c {\n"
                  "  %n = check.param.range linear bounds(0 to 9) name(\"n\") : index\n"
                  "  check.return\n}\n");
  FakeDevice device;
  ExecuteOptions options;
  options.sample = 7;
  TestReport report = run(program, device, options);
  ASSERT_EQ(report.samples.size(), 1u);
  EXPECT_EQ(report.samples[0].ordinal, 7u);
  EXPECT_EQ(report.samples[0].parameters[0].second, "7");
  options.sample = 10;
  llvm::Expected<TestReport> outside = runPlan(program.plan(), device, options);
  ASSERT_FALSE(outside);
  EXPECT_EQ(llvm::toString(outside.takeError()),
            "case @c has 10 samples counted from 0; there is no sample 10");
}

} // namespace
