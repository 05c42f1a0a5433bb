//===- LaunchConfigTest.cpp - Geometry of launches ------------------------===//
#include "loom/Check/LaunchConfig.h"
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;
using runtime::ElementType;
using runtime::Extents;
using runtime::Scalar;

namespace {

/// Evaluates @k, the only kernel of `text`.
LaunchEvaluation evaluate(Program &program, std::vector<int64_t> workload) {
  auto kernel = *(*program).getOps<KernelDefOp>().begin();
  std::vector<Scalar> values;
  for (auto [value, argument] : llvm::zip_equal(workload, kernel.getConfig().getArguments())) {
    ElementType type = argument.getType().isIndex()       ? ElementType::Index
                       : argument.getType().isInteger(1)  ? ElementType::I1
                       : argument.getType().isInteger(32) ? ElementType::I32
                                                          : ElementType::Offset;
    values.push_back(*Scalar::fromInteger(type, value));
  }
  return evaluateLaunchConfig(kernel, values, LaunchLimits());
}

/// A kernel whose configuration region is `body` and whose terminator is `config`.
std::string kernel(llvm::StringRef parameters, llvm::StringRef body,
                   llvm::StringRef config = "workgroups(%n, %one, %one) workgroup_size(%one, %one, "
                                            "%one)") {
  return ("kernel.def @k(" + parameters + ") {\n  %one = index.constant 1 : index\n" + body +
          "\n  kernel.launch.config " + config + " : index\n} launch() {\n  kernel.return\n}\n")
      .str();
}

std::string issueOf(const std::string &text, std::vector<int64_t> workload) {
  Program program(text);
  LaunchEvaluation evaluation = evaluate(program, workload);
  if (!evaluation.issue)
    return "none";
  EXPECT_EQ(evaluation.issue->stage, "launch_config");
  return evaluation.issue->kind + ": " + evaluation.issue->message;
}

TEST(LaunchConfig, DividesTheWorkloadUpwards) {
  Program program(kernel("%count: index",
                         "  %size = index.constant 256 : index\n"
                         "  %rounding = index.constant 255 : index\n"
                         "  %rounded = index.add %count, %rounding : index\n"
                         "  %n = index.div %rounded, %size : index",
                         "workgroups(%n, %one, %one) workgroup_size(%size, %one, %one)"));
  for (int64_t count = 1; count < 2000; count += 7) {
    LaunchEvaluation evaluation = evaluate(program, {count});
    ASSERT_FALSE(evaluation.issue);
    int64_t groups = count / 256 + (count % 256 != 0);
    EXPECT_EQ(evaluation.geometry.workgroups, (Extents{groups, 1, 1}));
    EXPECT_EQ(evaluation.geometry.workgroupSize, (Extents{256, 1, 1}));
  }
  // Nothing of the program was folded away.
  EXPECT_EQ((*program)
                .getOps<KernelDefOp>()
                .begin()
                .operator*()
                .getConfig()
                .front()
                .getOperations()
                .size(),
            6u);
}

TEST(LaunchConfig, EvaluatesEveryOperandOfTheTerminator) {
  Program program(kernel("%n: index, %m: index", "  %two = index.add %one, %one : index",
                         "workgroups(%n, %m, %two) workgroup_size(%two, %n, %m)"));
  LaunchEvaluation evaluation = evaluate(program, {3, 5});
  EXPECT_EQ(evaluation.geometry.workgroups, (Extents{3, 5, 2}));
  EXPECT_EQ(evaluation.geometry.workgroupSize, (Extents{2, 3, 5}));
}

TEST(LaunchConfig, ReadsConfigurationAssumesAndBranches) {
  std::string text = "config.def @tile = 4 : index\n" +
                     kernel("%count: index, %wide: i1",
                            "  %known = index.assume %count [range(%count, 0, 64)] : index\n"
                            "  %tile = config.get @tile : index\n"
                            "  %n = scf.if %wide -> (index) {\n"
                            "    %product = index.mul %known, %tile : index\n"
                            "    scf.yield %product : index\n"
                            "  } else {\n"
                            "    scf.yield %known : index\n"
                            "  }");
  Program program(text);
  EXPECT_EQ(evaluate(program, {5, 1}).geometry.workgroups[0], 20);
  EXPECT_EQ(evaluate(program, {5, 0}).geometry.workgroups[0], 5);
  EXPECT_EQ(issueOf(text, {65, 0}),
            "violated_assumption: t.loom:4:12: range(%count, 0, 64) does not hold: %count is 65");
}

TEST(LaunchConfig, ChoosesByNumber) {
  Program program(kernel("%mode: index, %count: index",
                         "  %a = scf.switch %mode -> (index) {\n"
                         "    case 2 {\n"
                         "      %twice = index.add %count, %count : index\n"
                         "      scf.yield %twice : index\n"
                         "    }\n"
                         "    default {\n"
                         "      scf.yield %count : index\n"
                         "    }\n"
                         "  }\n"
                         "  %n = scf.lookup %mode { 1 = (%one), 2 = (%a) } default(%a) : index"));
  EXPECT_EQ(evaluate(program, {0, 7}).geometry.workgroups[0], 7);
  EXPECT_EQ(evaluate(program, {1, 7}).geometry.workgroups[0], 1);
  EXPECT_EQ(evaluate(program, {2, 7}).geometry.workgroups[0], 14);
}

TEST(LaunchConfig, ComparesAndSelects) {
  Program program(kernel("%a: index, %b: index", "  %less = index.cmp slt, %a, %b : index\n"
                                                 "  %n = scf.select %less, %a, %b : index"));
  EXPECT_EQ(evaluate(program, {3, 9}).geometry.workgroups[0], 3);
  EXPECT_EQ(evaluate(program, {9, 4}).geometry.workgroups[0], 4);
}

TEST(LaunchConfig, CastsOtherIntegers) {
  Program program(kernel("%count: i32", "  %n = index.cast %count : i32 to index"));
  EXPECT_EQ(evaluate(program, {77}).geometry.workgroups[0], 77);
}

TEST(LaunchConfig, NamesWhatItCannotCompute) {
  EXPECT_EQ(
      issueOf(kernel("%count: index, %by: index", "  %n = index.div %count, %by : index"), {4, 0}),
      "not_computable: t.loom:3:8: 'index.div' has no result for these values");
  EXPECT_EQ(issueOf(kernel("%count: index", "  %n = index.mul %count, %count : index"),
                    {int64_t(1) << 40}),
            "not_computable: t.loom:3:8: 'index.mul' has no result for these values");
  EXPECT_EQ(issueOf(kernel("%n: index", "  %f = scalar.constant 1.0 : f32\n"
                                        "  %g = scalar.expf %f : f32"),
                    {1}),
            "unsupported_op: t.loom:4:8: 'scalar.expf' is not computed in a launch configuration");
}

TEST(LaunchConfig, ExtentsHaveLimits) {
  std::string text = kernel("%n: index", "");
  EXPECT_EQ(issueOf(text, {1}), "none");
  EXPECT_EQ(issueOf(text, {0}), "none");
  EXPECT_EQ(issueOf(text, {-3}),
            "invalid_geometry: t.loom:4:3: the number of workgroups in x is -3; "
            "it cannot be negative");
  EXPECT_EQ(
      issueOf(text, {int64_t(1) << 33}),
      "invalid_geometry: t.loom:4:3: the grid in x has 8589934592 workgroups of 1 work-items; "
      "the limit is 4294967295 work-items");
  std::string size = kernel("%n: index", "",
                            "workgroups(%one, %one, %one) workgroup_size(%n, %n, "
                            "%one)");
  EXPECT_EQ(issueOf(size, {32}), "none");
  EXPECT_EQ(issueOf(size, {33}), "invalid_geometry: t.loom:4:3: the number of work-items in a "
                                 "workgroup is 1089; the limit is 1024");
}

TEST(LaunchConfig, LaunchesHaveWholeClusters) {
  auto clusters = [](const std::string &size) {
    return kernel("%n: index", "  %size = index.constant " + size + " : index\n",
                  "workgroups(%one, %n, %one) workgroup_size(%one, %one, %one) "
                  "cluster_size(%one, %size, %one)");
  };
  EXPECT_EQ(issueOf(clusters("1"), {7}), "none");
  EXPECT_EQ(issueOf(clusters("3"), {0}), "none");
  EXPECT_EQ(issueOf(clusters("3"), {9}), "none");
  EXPECT_EQ(issueOf(clusters("3"), {7}),
            "invalid_geometry: t.loom:5:3: the number of workgroups in y is 7, which is not a "
            "multiple of the 3 of a cluster");
  Program program(clusters("3"));
  EXPECT_EQ(evaluate(program, {9}).geometry.clusterSize, std::optional(Extents{1, 3, 1}));
}

TEST(LaunchConfig, TargetRecordsLowerLimits) {
  auto limited = [](const std::string &overrides) {
    std::string text = kernel("%groups: index, %size: index", "",
                              "workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one)");
    size_t name = text.find("@k");
    return text.substr(0, name) + "target(@t) " + text.substr(name) + "x86.target<avx2> @t {" +
           overrides + "}\n";
  };
  auto problem = [&](const std::string &overrides, std::vector<int64_t> workload) {
    std::string issue = issueOf(limited(overrides), std::move(workload));
    return issue.substr(
        issue.find("t.loom:4:3: ") == std::string::npos ? 0 : issue.find("t.loom:4:3: ") + 12);
  };
  EXPECT_EQ(problem("max_flat_workgroup_size = 64", {8, 64}), "none");
  EXPECT_EQ(problem("max_flat_workgroup_size = 64", {8, 65}),
            "the number of work-items in a workgroup is 65; the limit is 64");
  EXPECT_EQ(problem("max_workgroup_size_x = 32", {8, 33}),
            "the workgroup size in x is 33; the limit is 32");
  EXPECT_EQ(problem("max_workgroup_size_y = 1", {8, 33}), "none");
  EXPECT_EQ(problem("max_grid_size_x = 100", {3, 33}), "none");
  EXPECT_EQ(problem("max_grid_size_x = 100", {4, 33}),
            "the grid in x has 4 workgroups of 33 work-items; the limit is 100 work-items");
  EXPECT_EQ(problem("max_flat_grid_size = 100", {4, 33}),
            "the grid has more than 100 work-items, which is the limit");
  EXPECT_EQ(problem("max_workgroup_count_x = 3", {4, 33}),
            "the number of workgroups in x is 4; the limit is 3");
  EXPECT_EQ(problem("max_workgroup_count_x = 4", {4, 33}), "none");
}

TEST(LaunchConfig, DynamicWorkgroupMemoryHasALimit) {
  std::string text = kernel("%bytes: offset", "",
                            "workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) "
                            "dynamic_workgroup_storage(%bytes)");
  EXPECT_EQ(issueOf(text, {0}), "none");
  EXPECT_EQ(issueOf(text, {65536}), "none");
  EXPECT_EQ(issueOf(text, {65537}), "invalid_geometry: t.loom:4:3: the dynamic workgroup memory in "
                                    "bytes is 65537; the limit is 65536");
}

} // namespace
