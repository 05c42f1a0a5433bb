//===- DeviceTest.cpp - Limits of launches --------------------------------===//
#include "loom/Runtime/Device.h"
#include "gtest/gtest.h"

using namespace loom::runtime;

namespace {

std::string violation(Extents workgroups, Extents size) {
  return violatedLimit({workgroups, size}, loom::LaunchLimits()).value_or("");
}

TEST(LaunchLimits, AcceptsUpToTheLimits) {
  EXPECT_EQ(violation({1, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(violation({4294967295, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(violation({1, 1, 1}, {1024, 1, 1}), "");
  EXPECT_EQ(violation({7, 3, 2}, {16, 8, 8}), "");
  // A launch of nothing.
  EXPECT_EQ(violation({0, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(violation({7, 0, 2}, {16, 8, 8}), "");
}

TEST(LaunchLimits, NamesWhatExceedsThem) {
  EXPECT_EQ(violation({-1, 1, 1}, {1, 1, 1}),
            "the number of workgroups in x is -1; it cannot be negative");
  EXPECT_EQ(violation({0, -4, 1}, {1, 1, 1}),
            "the number of workgroups in y is -4; it cannot be negative");
  EXPECT_EQ(violation({1, 1, 1}, {1, 1, 0}), "the workgroup size in z is 0; it has to be positive");
  EXPECT_EQ(violation({1, 1, 1}, {1025, 1, 1}),
            "the workgroup size in x is 1025; the limit is 1024");
  EXPECT_EQ(violation({1, 1, 1}, {64, 64, 1}),
            "the number of work-items in a workgroup is 4096; the limit is 1024");
  EXPECT_EQ(violation({1, INT64_MAX, 1}, {1, 256, 1}),
            "the grid in y has 9223372036854775807 workgroups of 256 work-items; the limit is "
            "4294967295 work-items");
}

} // namespace
