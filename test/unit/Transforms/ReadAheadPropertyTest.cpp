// Loops with policies compute the same bits as the loops as they were written, read the same
// elements, and never more than those.
#include "LoopPrograms.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/View/View.h"
#include "loom/IR/Loom.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace loom;
using namespace loom::test;

namespace {

class LoopPolicies : public ::testing::Test {
protected:
  LoopPolicies() {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// Compares the transformed program with the one that was written, on ranges [first, last).
  void check(LoopProgram program, const std::vector<std::pair<int64_t, int64_t>> &ranges) {
    auto written = build(context, program.text());
    auto transformed = build(context, program.text(), kLoopPasses);
    ASSERT_TRUE(written && transformed) << program.describe() << "\n" << program.text();
    transformed->walk([&](ScfForOp loop) {
      EXPECT_FALSE(loop.getDepth() || loop.hasUnrollRequest() || loop.getSchedule() ||
                   loop.getQueueRecords())
          << "a policy is left on a loop: " << program.describe();
    });
    for (auto [first, last] : ranges) {
      program.lane = (program.lane + 7) % 32;
      Outcome expected = runLoop(onlyKernel(*written), program, first, last);
      Outcome got = runLoop(onlyKernel(*transformed), program, first, last);
      ASSERT_EQ(expected.error, "") << program.describe();
      ASSERT_EQ(got.error, "") << program.describe() << " on " << first << " to " << last;
      ASSERT_TRUE(sameBits(expected.result, got.result))
          << program.describe() << " on " << first << " to " << last;
      sortReads(program, expected, got);
      ASSERT_EQ(expected.reads, got.reads)
          << program.describe() << " on " << first << " to " << last;
    }
  }

  static bool sameBits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

  /// Reads keep their order as far as the schedule does not put those of several iterations
  /// together.
  static void sortReads(const LoopProgram &program, Outcome &a, Outcome &b) {
    if (program.schedule == "linear" || program.body == Body::Scalar ||
        program.body == Body::Weighted || program.body == Body::Vector)
      return;
    std::sort(a.reads.begin(), a.reads.end());
    std::sort(b.reads.begin(), b.reads.end());
  }

  static std::vector<std::pair<int64_t, int64_t>> counts(int64_t most) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t count = 0; count <= most; ++count)
      ranges.emplace_back(0, count);
    return ranges;
  }

  mlir::MLIRContext context;
};

const char *const schedules[] = {"linear", "interleaved", "recurrence"};

void forEachPolicy(LoopProgram program, std::vector<int64_t> depths, std::vector<int64_t> factors,
                   std::vector<int64_t> steps,
                   const std::function<void(const LoopProgram &)> &body) {
  for (const char *schedule : schedules)
    for (int64_t depth : depths)
      for (int64_t factor : factors)
        for (int64_t step : steps) {
          program.schedule = schedule;
          program.depth = depth;
          program.factor = factor;
          program.step = step;
          body(program);
        }
}

TEST_F(LoopPolicies, ScalarAndVectorSums) {
  for (Body body : {Body::Scalar, Body::Vector}) {
    LoopProgram program;
    program.body = body;
    forEachPolicy(program, {1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3},
                  [&](const LoopProgram &p) { check(p, counts(40)); });
  }
}

TEST_F(LoopPolicies, OtherBodies) {
  for (Body body : {Body::Weighted, Body::TwoReads, Body::Indexed, Body::Guarded, Body::Chained,
                    Body::Nested}) {
    LoopProgram program;
    program.body = body;
    forEachPolicy(program, {1, 2, 3, 5}, {0, 2, 3, 4}, {1, 3},
                  [&](const LoopProgram &p) { check(p, counts(24)); });
  }
}

TEST_F(LoopPolicies, OffsetLoops) {
  LoopProgram program;
  program.bounds = Bounds::Offset;
  forEachPolicy(program, {1, 2, 4}, {0, 2, 4, 5}, {1, 2, 3},
                [&](const LoopProgram &p) { check(p, counts(24)); });
}

/// Nothing is known of the bounds, which lie at both ends of the type. The interpreter refuses
/// arithmetic that does not fit.
TEST_F(LoopPolicies, BoundsAtTheEndsOfTheType) {
  std::vector<std::pair<int64_t, int64_t>> ranges = {
      {INT64_MAX, INT64_MIN}, {0, INT64_MIN}, {INT64_MAX, 0}, {5, 5}, {-3, 9}};
  for (int64_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
    ranges.emplace_back(INT64_MIN, INT64_MIN + count);
    ranges.emplace_back(INT64_MAX - count, INT64_MAX);
    ranges.emplace_back(INT64_MAX - 20, INT64_MAX - 20 + count);
  }
  for (Body body : {Body::Scalar, Body::Indexed}) {
    LoopProgram program;
    program.body = body;
    program.bounds = Bounds::Free;
    forEachPolicy(program, {1, 2, 4, 6}, {0, 2, 3, 8}, {1, 2, 3},
                  [&](const LoopProgram &p) { check(p, ranges); });
  }
}

TEST_F(LoopPolicies, ExactBounds) {
  for (Body body : {Body::Scalar, Body::Indexed, Body::Collective}) {
    LoopProgram program;
    program.body = body;
    program.bounds = Bounds::Exact;
    for (int64_t last : {0, 1, 2, 3, 4, 5, 8, 13}) {
      program.first = 0;
      program.last = last;
      forEachPolicy(program, {1, 2, 3, 4}, {-1, 0, 1, 2, 4}, {1, 2}, [&](const LoopProgram &p) {
        LoopProgram q = p;
        if (*q.factor < 0)
          q.factor.reset();
        check(q, {{q.first, q.last}});
      });
    }
  }
}

/// The comparison above sees a sum whose order was changed.
TEST_F(LoopPolicies, ComparisonSeesReassociation) {
  LoopProgram program;
  std::string text = program.text();
  auto replace = [&](const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
  };
  // Even and odd rows in two sums that are added at the end.
  replace("%result = scf.for", "%even, %odd = scf.for");
  replace("(%sum = %initial : f32) -> (f32)",
          "(%sum = %initial : f32, %other = %initial : f32) -> (f32, f32)");
  replace("scf.yield %next : f32", "scf.yield %other, %next : f32, f32");
  replace("  }\n  view.store", "  }\n  %result = scalar.addf %even, %odd : f32\n  view.store");
  auto written = build(context, program.text());
  auto changed = build(context, text);
  ASSERT_TRUE(written && changed);
  unsigned different = 0;
  for (program.lane = 0; program.lane < 32; ++program.lane)
    for (auto [first, last] : counts(40))
      different += !sameBits(runLoop(onlyKernel(*written), program, first, last).result,
                             runLoop(onlyKernel(*changed), program, first, last).result);
  EXPECT_GT(different, 650u); // of 1312
}

/// And it sees a queue that is used in the wrong order, and a read beyond the range.
TEST_F(LoopPolicies, ComparisonSeesBrokenQueues) {
  LoopProgram program;
  program.body = Body::Weighted;
  program.depth = 4;
  auto written = build(context, program.text());
  auto broken = build(context, program.text(), kLoopPasses);
  ASSERT_TRUE(written && broken);
  ScfForOp steady;
  broken->walk([&](ScfForOp loop) {
    if (loop.getInits().size() == 4)
      steady = loop;
  });
  ASSERT_TRUE(steady);
  mlir::Value second = steady.getInits()[2], third = steady.getInits()[3];
  steady.getInitsMutable()[2].set(third);
  steady.getInitsMutable()[3].set(second);
  unsigned different = 0;
  for (program.lane = 0; program.lane < 32; ++program.lane)
    for (int64_t count = 4; count < 10; ++count) {
      Outcome got = runLoop(onlyKernel(*broken), program, 0, count);
      EXPECT_EQ(got.error, "");
      Outcome expected = runLoop(onlyKernel(*written), program, 0, count);
      different += !sameBits(expected.result, got.result);
    }
  EXPECT_GT(different, 150u); // of 192

  steady.getUpperMutable().assign(onlyKernel(*broken).getBody().getArgument(1));
  Outcome got = runLoop(onlyKernel(*broken), program, 0, 9);
  EXPECT_NE(got.error.find("outside the buffer"), std::string::npos) << got.error;
}

} // namespace
