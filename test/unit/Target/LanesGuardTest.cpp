//===- LanesGuardTest.cpp - Work that only some work-items have -----------===//
//
// Comparisons of the number of a work-item with a bound, as guards of a segment, as masks inside of
// one and as ends of loops, against the same said of single work-items.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

class LanesGuardTest : public LanesTest {};

constexpr int64_t kItems = 80;
constexpr int64_t kGroups = 2;

/// `body` gets %item, %i (in the dispatch), %bound and a view %to of integers of kGroups * kItems.
std::string guardText(bool isExact, const std::string &body) {
  std::string text = R"(
kernel.def export("k") @k(%any: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant 80 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size($size, %one, %one) : index
} launch(%out: buffer, %limit: index) {
  %base = index.constant 0 : offset
  %bytes = index.constant 320 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %bound = index.assume %limit [range(%limit, -1000, 1000)] : index
  %to = buffer.view %out[%base] : buffer -> view<160xi32>
  %storage = buffer.alloca<workgroup> align(4) %bytes : buffer
  %tile = buffer.view %storage[%base] : buffer -> view<80xi32>
  %item = kernel.workitem.id<x> : index
  %i = kernel.workitem.dispatch.id<x> : index
  %seven = scalar.constant 7 : i32
$body
  kernel.return
}
)";
  return replaced(replaced(text, "$size", isExact ? "%size" : "%any"), "$body", body);
}

using Expected = llvm::function_ref<int32_t(int64_t group, int64_t item, int64_t bound)>;

/// What `text` writes for several bounds; elements that it does not write stay -1.
void runGuard(const x86::CompiledKernels &kernels, const std::string &text, Expected expected) {
  for (int64_t bound : {-1000, -17, -1, 0,  1,  2,  7,  15, 16,  17,  31,  32,  40,  63,
                        64,    65,  79, 80, 81, 95, 96, 97, 128, 159, 160, 161, 1000}) {
    GuardedBytes out(kGroups * kItems * 4, true);
    std::fill(out.data(), out.data() + out.size, char(-1));
    launchSized(kernels, "k", kGroups, {kItems, 1, 1}, Arguments().add(out.data()).add(bound));
    auto *written = reinterpret_cast<const int32_t *>(out.data());
    for (int64_t i = 0; i < kGroups * kItems; ++i)
      ASSERT_EQ(written[i], expected(i / kItems, i % kItems, bound))
          << "work-item " << i << ", bound " << bound << text;
  }
}

bool holds(const std::string &predicate, int64_t a, int64_t b) {
  return predicate == "slt"   ? a < b
         : predicate == "sle" ? a <= b
         : predicate == "sgt" ? a > b
         : predicate == "sge" ? a >= b
         : predicate == "eq"  ? a == b
                              : a != b;
}

struct Number {
  const char *text;                          ///< defines %n
  int64_t (*value)(int64_t item, int64_t i); ///< and what it is
};

const Number kNumbers[] = {
    {"%n = index.add %item, %zero : index", [](int64_t item, int64_t) { return item; }},
    {"%n = index.add %i, %one : index", [](int64_t, int64_t i) { return i + 1; }},
    {"%three = index.constant 3 : index\n%n = index.mul %item, %three : index",
     [](int64_t item, int64_t) { return item * 3; }},
    {"%most = index.constant 79 : index\n%n = index.sub %most, %item : index",
     [](int64_t item, int64_t) { return 79 - item; }},
};

/// The guard is all that the kernel does; the same guard leaves through an exit; the same condition
/// chooses between values that are read.
TEST_F(LanesGuardTest, ComparisonsWithABound) {
  const std::string ways[] = {
      R"(
  scf.if %passes {
    view.store %seven, %to[%i] : i32, view<160xi32>
  })",
      R"(
  %five = scalar.constant 5 : i32
  %old = scf.if %passes -> (i32) {
    %read = view.load %to[%i] : view<160xi32> -> i32
    scf.yield %read : i32
  } else {
    scf.yield %five : i32
  }
  %sum = scalar.addi %old, %seven : i32
  view.store %sum, %to[%i] : i32, view<160xi32>)"};
  size_t number = 0;
  for (const std::string &way : ways)
    for (const Number &sequence : kNumbers)
      for (const char *predicate : {"slt", "sle", "sgt", "sge", "eq", "ne"})
        for (bool swaps : {false, true}) {
          if (!isTaken(number++, 5))
            continue;
          std::string compare = std::string(sequence.text) + "\n%passes = index.cmp " + predicate +
                                (swaps ? ", %bound, %n : index" : ", %n, %bound : index");
          std::string text = guardText(number % 2, compare + way);
          std::optional<x86::CompiledKernels> kernels = compileFor(text, "x86:avx2");
          ASSERT_TRUE(kernels);
          bool writesAll = &way != &ways[0];
          runGuard(*kernels, text, [&](int64_t group, int64_t item, int64_t bound) -> int32_t {
            int64_t n = sequence.value(item, group * kItems + item);
            bool passes = swaps ? holds(predicate, bound, n) : holds(predicate, n, bound);
            return writesAll ? (passes ? 6 : 12) : passes ? 7 : -1;
          });
        }
}

TEST_F(LanesGuardTest, ExitsBeforeTheWork) {
  for (const char *predicate : {"slt", "sge", "sgt", "ne"})
    forEachProfile([&](const LaneProfile &profile) {
      std::string text =
          guardText(true, std::string("%leaves = index.cmp ") + predicate + R"(, %i, %bound : index
  kernel.exit %leaves : i1
  view.store %seven, %to[%i] : i32, view<160xi32>)");
      std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
      ASSERT_TRUE(kernels);
      runGuard(*kernels, text, [&](int64_t group, int64_t item, int64_t bound) -> int32_t {
        return holds(predicate, group * kItems + item, bound) ? -1 : 7;
      });
    });
}

/// Work-items add those behind them, in steps that are written out or, with a bound, are not; the
/// memory of the workgroup is written in part.
TEST_F(LanesGuardTest, StepsOfATree) {
  const char *const ends[] = {"%end = index.constant 6 : index",
                              "%end = index.assume %six [range(%six, 0, 6)] : index"};
  for (const char *end : ends)
    forEachProfile([&](const LaneProfile &profile) {
      std::string text = guardText(true, std::string(R"(
  %wide = index.constant 64 : index
  %raised = index.max %bound, %zero : index
  %many = index.constant 6 : index
  %six = index.min %raised, %many : index
  )") + end + R"(
  %own = index.cast %item : index to i32
  view.store %own, %tile[%item] : i32, view<80xi32>
  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  scf.for %step = [%zero to %end step %one] {
    %distance = index.shrui %wide, %step : index
    %below = index.cmp slt, %item, %distance : index
    %last = index.constant 79 : index
    %sum_at = index.add %item, %distance : index
    %other = index.min %sum_at, %last : index
    %mine = view.load %tile[%item] : view<80xi32> -> i32
    %theirs = view.load %tile[%other] : view<80xi32> -> i32
    kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
    scf.if %below {
      %sum = scalar.addi %mine, %theirs : i32
      view.store %sum, %tile[%item] : i32, view<80xi32>
    }
    kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  }
  %result = view.load %tile[%item] : view<80xi32> -> i32
  view.store %result, %to[%i] : i32, view<160xi32>)");
      std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
      ASSERT_TRUE(kernels);
      bool isWrittenOut = end == ends[0];
      runGuard(*kernels, text, [&](int64_t, int64_t item, int64_t bound) {
        int64_t steps = isWrittenOut ? 6 : std::clamp<int64_t>(bound, 0, 6);
        std::vector<int32_t> tile(kItems);
        for (int64_t i = 0; i < kItems; ++i)
          tile[i] = i;
        for (int64_t step = 0; step < steps; ++step) {
          std::vector<int32_t> before = tile;
          for (int64_t i = 0; i < (64 >> step); ++i)
            tile[i] = before[i] + before[std::min<int64_t>(i + (64 >> step), kItems - 1)];
        }
        return tile[item];
      });
    });
}

/// Each work-item counts from its own number in steps of the workgroup's size.
TEST_F(LanesGuardTest, LoopsFromTheNumberOfTheWorkItem) {
  for (const char *first :
       {"%first = index.add %item, %zero : index",
        "%two = index.constant 2 : index\n%first = index.mul %item, %two : index"})
    for (int64_t step : {1, 5, 80})
      forEachProfile([&](const LaneProfile &profile) {
        std::string text =
            guardText(step != 5, std::string(first) + "\n  %width = index.constant " +
                                     std::to_string(step) + R"( : index
  %none = scalar.constant 0 : i32
  view.store %none, %to[%i] : i32, view<160xi32>
  %sum = scf.for %c = [%first to %bound step %width](%acc = %none : i32) -> (i32) {
    %n = index.cast %c : index to i32
    %before = view.load %to[%i] : view<160xi32> -> i32
    %after = scalar.addi %before, %seven : i32
    view.store %after, %to[%i] : i32, view<160xi32>
    %next = scalar.addi %acc, %n : i32
    scf.yield %next : i32
  }
  %counted = view.load %to[%i] : view<160xi32> -> i32
  %all = scalar.addi %counted, %sum : i32
  view.store %all, %to[%i] : i32, view<160xi32>)");
        std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
        ASSERT_TRUE(kernels);
        bool isDouble = first[1] == 't';
        runGuard(*kernels, text, [&](int64_t, int64_t item, int64_t bound) {
          int32_t sum = 0;
          for (int64_t c = isDouble ? 2 * item : item; c < bound; c += step)
            sum += 7 + c;
          return sum;
        });
      });
}

} // namespace
} // namespace loom::test
