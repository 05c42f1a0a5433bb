//===- BindingsTest.cpp - Launches of a sample, to be run many times ------===//
#include "loom/Bench/Bindings.h"
#include "BenchFixture.h"
#include "gmock/gmock.h"

using namespace loom::bench;
using namespace loom::runtime;
using loom::check::FakeDevice;
using loom::check::PreparedLaunch;
using loom::check::tensorArgument;
using testing::ElementsAre;

namespace {

Tensor makeTensor(int64_t elements, int64_t first) {
  Tensor tensor = llvm::cantFail(Tensor::create(ElementType::I32, {elements}));
  for (int64_t i = 0; i < elements; ++i)
    tensor.set(i, *Scalar::fromInteger(ElementType::I32, first + i));
  return tensor;
}

PreparedLaunch prepared(llvm::StringRef kernel, std::vector<Argument> arguments) {
  PreparedLaunch launch;
  launch.kernel = kernel.str();
  launch.geometry.workgroups = {3, 1, 1};
  launch.arguments = std::move(arguments);
  return launch;
}

TEST(Bindings, ReplaysLaunchesOnACopy) {
  Tensor a = makeTensor(4, 10), b = makeTensor(2, 0);
  Scalar n = *Scalar::fromInteger(ElementType::Index, 7);
  Recording recording(std::vector{prepared("first", {n, &a, &b}), prepared("second", {&b})});
  EXPECT_EQ(recording.launchCount(), 2u);
  EXPECT_EQ(recording.bindingCount(), 2u);
  EXPECT_EQ(recording.bindingBytes(), 24u);

  BindingSet set = llvm::cantFail(BindingSet::create(recording));
  FakeDevice device;
  Tensor *seen = nullptr;
  device.kernels["first"] = [&](const Launch &launch) {
    EXPECT_EQ(loom::check::scalarArgument(launch, 0).toInteger(), 7);
    EXPECT_EQ(tensorArgument(launch, 1).get(3).toInteger(), 13);
    EXPECT_NE(tensorArgument(launch, 1).data(), a.data());
    seen = &tensorArgument(launch, 2);
    seen->set(0, *Scalar::fromInteger(ElementType::I32, 99));
  };
  device.kernels["second"] = [&](const Launch &launch) {
    EXPECT_EQ(&tensorArgument(launch, 0), seen);
    EXPECT_EQ(seen->get(0).toInteger(), 99);
  };
  EXPECT_FALSE(set.run(device));
  ASSERT_EQ(device.launches.size(), 2u);
  EXPECT_EQ(device.launches[1].kernel, "second");
  EXPECT_EQ(device.launches[0].geometry.workgroups, (Extents{3, 1, 1}));
  EXPECT_EQ(b.get(0).toInteger(), 0);

  set.reset();
  EXPECT_EQ(seen->get(0).toInteger(), 0);
}

TEST(Bindings, ViewsStayViewsOfEachOther) {
  Tensor all = makeTensor(8, 0);
  Tensor upper = llvm::cantFail(all.view(4, {2, 2}));
  Tensor empty = makeTensor(0, 0);
  // The view comes first, so that its block has to grow.
  Recording recording(std::vector{prepared("k", {&upper, &all, &empty})});
  EXPECT_EQ(recording.bindingCount(), 3u);
  EXPECT_EQ(recording.bindingBytes(), 32u);
  BindingSet set = llvm::cantFail(BindingSet::create(recording));
  FakeDevice device;
  device.kernels["k"] = [&](const Launch &launch) {
    Tensor &upper = tensorArgument(launch, 0), &all = tensorArgument(launch, 1);
    EXPECT_THAT(upper.shape(), ElementsAre(2, 2));
    EXPECT_EQ(upper.get(1).toInteger(), 5);
    upper.set(1, *Scalar::fromInteger(ElementType::I32, -1));
    EXPECT_EQ(all.get(5).toInteger(), -1);
    EXPECT_EQ(all.get(4).toInteger(), 4);
    EXPECT_EQ(tensorArgument(launch, 2).elementCount(), 0u);
  };
  EXPECT_FALSE(set.run(device));
  EXPECT_EQ(device.launches.size(), 1u);
}

TEST(Bindings, RingsAreAsLargeAsAskedFor) {
  RingPolicy policy;
  policy.minBytes = 100;
  EXPECT_EQ(ringSize(policy, 1, 30), 4u); // the least number with 100 bytes
  EXPECT_EQ(ringSize(policy, 8, 30), 8u); // one for each operation of a batch
  EXPECT_EQ(ringSize(policy, 1, 1000), 1u);
  EXPECT_EQ(ringSize(policy, 64, 0), 1u); // nothing to have cold
  policy.minBytes = 0;
  EXPECT_EQ(ringSize(policy, 64, 30), 1u);
  policy.count = 5;
  EXPECT_EQ(ringSize(policy, 64, 30), 5u);
}

TEST(Bindings, AutomaticRingsAreLimited) {
  RingPolicy policy;
  EXPECT_EQ(ringSize(policy, 1, 4), RingPolicy::kMaxSets);
  policy.maxBytes = 1000;
  EXPECT_EQ(ringSize(policy, 1, 300), 3u);
  EXPECT_EQ(ringSize(policy, 1, 2000), 1u);
}

TEST(Bindings, ARingThatDoesNotFitIsRefused) {
  Tensor a = makeTensor(100, 0);
  Recording recording(std::vector{prepared("k", {&a})});
  RingPolicy policy;
  policy.count = 10;
  policy.maxBytes = 3999;
  llvm::Expected<BindingRing> ring = BindingRing::create(recording, policy, 1);
  ASSERT_FALSE(ring);
  EXPECT_EQ(llvm::toString(ring.takeError()),
            "10 binding sets of 400 bytes exceed the 3999 bytes that a ring may have here "
            "(--input-ring-count)");
  policy.maxBytes = 4000;
  EXPECT_EQ(llvm::cantFail(BindingRing::create(recording, policy, 1)).size(), 10u);
}

TEST(Bindings, EachOperationTakesTheNextSet) {
  Tensor a = makeTensor(1, 0);
  Recording recording(std::vector{prepared("k", {&a})});
  RingPolicy policy;
  policy.count = 3;
  BindingRing ring = llvm::cantFail(BindingRing::create(recording, policy, 2));
  FakeDevice device;
  std::vector<uint8_t *> used;
  device.kernels["k"] = [&](const Launch &launch) {
    used.push_back(tensorArgument(launch, 0).data());
  };
  for (uint64_t batch = 0; batch < 3; ++batch)
    EXPECT_FALSE(ring.runBatch(device, batch, 2));
  ASSERT_EQ(used.size(), 6u);
  EXPECT_NE(used[0], used[1]);
  EXPECT_NE(used[1], used[2]);
  EXPECT_NE(used[0], used[2]);
  EXPECT_THAT(std::vector(used.begin() + 3, used.end()), ElementsAre(used[0], used[1], used[2]));
}

TEST(Bindings, ALaunchThatFailsEndsTheBatch) {
  Tensor a = makeTensor(1, 0);
  Recording recording(std::vector{prepared("unknown", {&a})});
  BindingRing ring = llvm::cantFail(BindingRing::create(recording, RingPolicy{0, 0}, 4));
  FakeDevice device;
  std::optional<Issue> issue = ring.runBatch(device, 0, 4);
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->message, "no @unknown");
  EXPECT_EQ(device.launches.size(), 1u);
}

} // namespace
