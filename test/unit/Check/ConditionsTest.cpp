//===- ConditionsTest.cpp - Where a case can run --------------------------===//
#include "loom/Check/Conditions.h"
#include "CheckFixture.h"

using namespace loom;
using namespace loom::check;

namespace {

/// "runs", or the code of the skip, or the message of what is malformed.
std::string outcome(const std::string &conditions, const TargetProfile &profile,
                    std::optional<uint64_t> memory = 1000) {
  Program program("check.case @c {\n" + conditions + "  check.return\n}\n");
  Conditions providers = standardConditions(profile, memory);
  ExecuteOptions options;
  options.conditions = &providers;
  FakeDevice device;
  TestReport report = llvm::cantFail(runPlan(program.plan(), device, options));
  if (!report.planningIssues.empty())
    return report.planningIssues[0].message;
  if (!report.skipped.empty())
    return report.skipped[0].code;
  EXPECT_EQ(report.samples.size(), 1u);
  return "runs";
}

const TargetProfile &profile(llvm::StringRef name) { return *lookupTargetProfile(name); }

std::string requires_(llvm::StringRef feature, llvm::StringRef target) {
  return outcome(("  check.requires<target.feature> {feature = \"" + feature + "\"}\n").str(),
                 profile(target));
}

TEST(Conditions, FeaturesAreFamiliesKeysAndSubgroups) {
  EXPECT_EQ(requires_("x86", "x86:avx2"), "runs");
  EXPECT_EQ(requires_("avx2", "x86:avx2"), "runs");
  EXPECT_EQ(requires_("wave32", "x86:avx2"), "runs");
  EXPECT_EQ(requires_("wave48", "x86:avx2"), "requirement_not_satisfied");
  EXPECT_EQ(requires_("gfx1151", "amdgpu:gfx1151"), "runs");
  EXPECT_EQ(requires_("gfx1100", "amdgpu:gfx1151"), "requirement_not_satisfied");
  EXPECT_EQ(requires_("wave32", "amdgpu:gfx1151"), "runs");
  EXPECT_EQ(requires_("wave64", "amdgpu:gfx1151"), "runs");
  EXPECT_EQ(requires_("wave16", "amdgpu:gfx1151"), "requirement_not_satisfied");
  EXPECT_EQ(requires_("wave", "amdgpu:gfx1151"), "requirement_not_satisfied");
}

TEST(Conditions, MemoryHasTwoBounds) {
  auto memory = [](const char *options, std::optional<uint64_t> bytes) {
    return outcome("  check.skip_if<device.memory> {" + std::string(options) + "}\n",
                   profile("x86:avx2"), bytes);
  };
  EXPECT_EQ(memory("max_bytes = 1000", 1000), "skip_predicate_matched");
  EXPECT_EQ(memory("max_bytes = 999", 1000), "runs");
  EXPECT_EQ(memory("min_bytes = 1000", 1000), "skip_predicate_matched");
  EXPECT_EQ(memory("min_bytes = 1001", 1000), "runs");
  EXPECT_EQ(memory("max_bytes = 2000, min_bytes = 1001", 1000), "runs");
  EXPECT_EQ(memory("max_bytes = 1000", std::nullopt), "provider_unavailable");
}

TEST(Conditions, NothingIsRegisteredByItself) {
  Program program("check.case @c {\n  check.requires<target.family> {family = \"x86\"}\n"
                  "  check.return\n}\n");
  FakeDevice device;
  TestReport report = llvm::cantFail(runPlan(program.plan(), device));
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_EQ(report.skipped[0].code, "provider_not_registered");
  EXPECT_TRUE(report.samples.empty());
  EXPECT_TRUE(report.passed());
}

TEST(Conditions, AHostRegistersItsOwn) {
  Conditions providers;
  providers.add("lab.night",
                [](mlir::DictionaryAttr) -> llvm::Expected<Conditions::Answer> { return true; });
  Program program("check.case @c {\n  check.skip_if<lab.night> reason(\"asleep\")\n"
                  "  check.return\n}\n");
  ExecuteOptions options;
  options.conditions = &providers;
  FakeDevice device;
  TestReport report = llvm::cantFail(runPlan(program.plan(), device, options));
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_EQ(report.skipped[0].message, "asleep");
  EXPECT_EQ(report.skipped[0].op, "check.skip_if");
}

} // namespace
