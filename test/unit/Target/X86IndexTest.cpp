//===- X86IndexTest.cpp - Coordinates and byte counts on x86 --------------===//
#include "LoweringPrograms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <limits>
#include <random>

namespace loom::test {
namespace {

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();

/// Runs kernels of one work-item that have `index` arguments and store i64 results.
class X86IndexTest : public LoweringTest {
protected:
  /// `body` sees arguments %a, %b, %c and a view %out of `results` elements.
  std::vector<int64_t> run(const std::string &body, int64_t a, int64_t b, int64_t c, size_t results,
                           const std::string &type = "index") {
    std::string count = std::to_string(results);
    x86::CompiledKernels kernels = compile(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : index
} launch(%a: )" + type + ", %b: " + type +
                                           ", %c: " + type +
                                           R"(, %buffer: buffer) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %unit = index.constant 1 : index
  %out = buffer.view %buffer[%base] : buffer -> view<)" +
                                           count + "xi64>\n" + body + "  kernel.return\n}\n");
    std::vector<int64_t> output(results, -77);
    launch(kernels, "k", 1, Arguments().add(a).add(b).add(c).add(output));
    return output;
  }
  /// `operation` defines %r from %a, %b, %c.
  int64_t evaluate(const std::string &operation, int64_t a, int64_t b, int64_t c = 0) {
    return run("  " + operation + R"(
  %value = index.cast %r : index to i64
  view.store %value, %out[0] : i64, view<1xi64>
)",
               a, b, c, 1)[0];
  }
};

TEST_F(X86IndexTest, WideArithmetic) {
  int64_t big = int64_t(1) << 40;
  EXPECT_EQ(evaluate("%r = index.add %a, %b : index", big, -big - 7), -7);
  EXPECT_EQ(evaluate("%r = index.sub %a, %b : index", -big, big), -2 * big);
  EXPECT_EQ(evaluate("%r = index.mul %a, %b : index", -big, 1000), -1000 * big);
  EXPECT_EQ(evaluate("%r = index.madd %a, %b, %c : index", -3, big, 5), -3 * big + 5);
  EXPECT_EQ(evaluate("%r = index.min %a, %b : index", lowest, highest), lowest);
  EXPECT_EQ(evaluate("%r = index.max %a, %b : index", lowest, highest), highest);
  EXPECT_EQ(evaluate("%r = index.div %a, %b : index", highest, 3), highest / 3);
  EXPECT_EQ(evaluate("%r = index.rem %a, %b : index", highest, 1000), highest % 1000);
}

TEST_F(X86IndexTest, NarrowArithmeticWidensInTime) {
  // Operands of 32 bits whose results need more, and back.
  std::string operands = R"(%x = index.assume %a [range(%a, -2147483648, 2147483647)] : index
  %y = index.assume %b [range(%b, -2147483648, 2147483647)] : index
  )";
  int64_t low = INT32_MIN, high = INT32_MAX;
  EXPECT_EQ(evaluate(operands + "%r = index.add %x, %y : index", high, high), 2 * high);
  EXPECT_EQ(evaluate(operands + "%r = index.sub %x, %y : index", low, high), low - high);
  EXPECT_EQ(evaluate(operands + "%r = index.mul %x, %y : index", low, low), low * low);
  EXPECT_EQ(evaluate(operands + "%r = index.madd %x, %y, %c : index", low, high, 17),
            low * high + 17);
  EXPECT_EQ(evaluate(operands + "%d = index.sub %x, %y : index\n  %r = index.min %d, %x : index",
                     -5, high),
            -5 - high);
  std::string small = R"(%x = index.assume %a [range(%a, -100, 100)] : index
  %y = index.assume %b [range(%b, -100, 100)] : index
  )";
  EXPECT_EQ(evaluate(small + "%r = index.mul %x, %y : index", -100, 99), -9900);
  EXPECT_EQ(
      evaluate(small + "%p = index.mul %x, %y : index\n  %r = index.sub %p, %x : index", -7, -8),
      63);
}

TEST_F(X86IndexTest, DivisionNeverTraps) {
  // The results are unspecified; reaching the end is what is asked for.
  EXPECT_EQ(run(R"(
  %q = index.div %a, %b : index
  %m = index.rem %c, %b : index
  %q64 = index.cast %q : index to i64
  %m64 = index.cast %m : index to i64
  view.store %q64, %out[0] : i64, view<3xi64>
  view.store %m64, %out[1] : i64, view<3xi64>
  %done = scalar.constant 1 : i64
  view.store %done, %out[2] : i64, view<3xi64>
)",
                lowest, 0, -1, 3)[2],
            1);
}

//===----------------------------------------------------------------------===//
// All operations, on scalars and on lanes
//===----------------------------------------------------------------------===//

struct IndexOperation {
  const char *text; ///< defines %r from %x and %y
  int64_t (*value)(int64_t x, int64_t y);
  bool (*isDefined)(int64_t x, int64_t y);
};

bool always(int64_t, int64_t) { return true; }
bool isQuotient(int64_t x, int64_t y) { return x >= 0 && y > 0; }
bool isAmount(int64_t, int64_t y) { return y >= 0 && y < 64; }
bool fits(__int128 value) { return value >= lowest && value <= highest; }

const IndexOperation indexOperations[] = {
    {"index.add %x, %y : index", [](int64_t x, int64_t y) { return x + y; },
     [](int64_t x, int64_t y) { return fits(__int128(x) + y); }},
    {"index.sub %x, %y : index", [](int64_t x, int64_t y) { return x - y; },
     [](int64_t x, int64_t y) { return fits(__int128(x) - y); }},
    {"index.mul %x, %y : index", [](int64_t x, int64_t y) { return x * y; },
     [](int64_t x, int64_t y) { return fits(__int128(x) * y); }},
    {"index.madd %x, %y, %x : index", [](int64_t x, int64_t y) { return x * y + x; },
     [](int64_t x, int64_t y) { return fits(__int128(x) * y) && fits(__int128(x) * y + x); }},
    {"index.div %x, %y : index", [](int64_t x, int64_t y) { return x / y; }, isQuotient},
    {"index.rem %x, %y : index", [](int64_t x, int64_t y) { return x % y; }, isQuotient},
    {"index.min %x, %y : index", [](int64_t x, int64_t y) { return std::min(x, y); }, always},
    {"index.max %x, %y : index", [](int64_t x, int64_t y) { return std::max(x, y); }, always},
    {"index.andi %x, %y : index", [](int64_t x, int64_t y) { return x & y; }, always},
    {"index.ori %x, %y : index", [](int64_t x, int64_t y) { return x | y; }, always},
    {"index.xori %x, %y : index", [](int64_t x, int64_t y) { return x ^ y; }, always},
    {"index.shli %x, %y : index", [](int64_t x, int64_t y) { return x << y; },
     [](int64_t x, int64_t y) { return isAmount(x, y) && x << y >> y == x; }},
    {"index.shrsi %x, %y : index", [](int64_t x, int64_t y) { return x >> y; }, isAmount},
    {"index.shrui %x, %y : index", [](int64_t x, int64_t y) { return int64_t(uint64_t(x) >> y); },
     isAmount},
    {"index.rotli %x, %y : index",
     [](int64_t x, int64_t y) { return int64_t(llvm::rotl<uint64_t>(x, y)); }, isAmount},
    {"index.rotri %x, %y : index",
     [](int64_t x, int64_t y) { return int64_t(llvm::rotr<uint64_t>(x, y)); }, isAmount},
    {"index.ctlzi %x : index",
     [](int64_t x, int64_t) { return int64_t(llvm::countl_zero<uint64_t>(x)); }, always},
    {"index.cttzi %x : index",
     [](int64_t x, int64_t) { return int64_t(llvm::countr_zero<uint64_t>(x)); }, always},
    {"index.ctpopi %x : index",
     [](int64_t x, int64_t) { return int64_t(llvm::popcount<uint64_t>(x)); }, always},
};

/// The operands are known to lie in these intervals.
struct IndexRange {
  int64_t xLow, xHigh, yLow, yHigh;
};

const IndexRange indexRanges[] = {
    {lowest, highest, lowest, highest},
    {0, highest, 0, 63},
    {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX},
    {INT32_MIN, INT32_MAX, 0, 31},
    {0, INT32_MAX, 1, INT32_MAX},
    {1, 1000, 1, 20},
    {-8, -1, 0, 63},
};

TEST_F(X86IndexTest, EveryOperation) {
  std::string loads = R"(    %x64 = view.load %v0[%i] : view<[%n]xi64> -> i64
    %y64 = view.load %v1[%i] : view<[%n]xi64> -> i64
    %x_any = index.cast %x64 : i64 to index
    %y_any = index.cast %y64 : i64 to index
)";
  size_t compared = 0;
  for (const IndexRange &range : indexRanges) {
    std::string facts =
        "    %x = index.assume %x_any [range(%x_any, " + std::to_string(range.xLow) + ", " +
        std::to_string(range.xHigh) + ")] : index\n    %y = index.assume %y_any [range(%y_any, " +
        std::to_string(range.yLow) + ", " + std::to_string(range.yHigh) + ")] : index\n";
    std::string body = loads + facts;
    std::vector<std::string> elements = {"i64", "i64"};
    for (auto [number, operation] : llvm::enumerate(indexOperations)) {
      std::string id = std::to_string(number);
      body += "    %r" + id + " = " + operation.text + "\n    %s" + id + " = index.cast %r" + id +
              " : index to i64\n    view.store %s" + id + ", %v" + std::to_string(number + 2) +
              "[%i] : i64, view<[%n]xi64>\n";
      elements.push_back("i64");
    }
    std::mt19937_64 generator(7);
    std::vector<int64_t> x, y;
    auto sample = [&](int64_t low, int64_t high) {
      switch (generator() % 5) {
      case 0:
        return low;
      case 1:
        return high;
      default:
        int64_t value = int64_t(generator()) >> (generator() % 64);
        if (value >= low && value <= high)
          return value;
        uint64_t width = uint64_t(high) - uint64_t(low) + 1;
        return int64_t(uint64_t(low) + (width ? generator() % width : generator()));
      }
    };
    for (size_t i = 0; i < 500; ++i) {
      x.push_back(sample(range.xLow, range.xHigh));
      y.push_back(sample(range.yLow, range.yHigh));
    }
    for (bool lanes : {false, true}) {
      x86::CompiledKernels kernels = compile(elementwise(elements, body, lanes ? 64 : 1));
      std::vector<std::vector<int64_t>> results(std::size(indexOperations),
                                                std::vector<int64_t>(x.size(), -77));
      Arguments arguments;
      arguments.add(int64_t(x.size())).add(x).add(y);
      for (std::vector<int64_t> &result : results)
        arguments.add(result);
      launch(kernels, "k", lanes ? (x.size() + 63) / 64 : x.size(), arguments);
      for (auto [number, operation] : llvm::enumerate(indexOperations))
        for (size_t i = 0; i < x.size(); ++i)
          if (operation.isDefined(x[i], y[i])) {
            ++compared;
            ASSERT_EQ(results[number][i], operation.value(x[i], y[i]))
                << operation.text << " of " << x[i] << ", " << y[i] << (lanes ? " in lanes" : "");
          }
    }
  }
  // Of 133,000 rows those that have a value.
  EXPECT_GT(compared, 60000u);
}

TEST_F(X86IndexTest, LanesThatAreNotActiveDivideByZero) {
  // The facts hold where the division stands; the lanes around have a zero there.
  x86::CompiledKernels kernels = compile(elementwise({"i64", "i64"}, R"(
    %x = view.load %v0[%i] : view<[%n]xi64> -> i64
    %zero = scalar.constant 0 : i64
    %positive = scalar.cmpi sgt, %x, %zero : i64
    scf.if %positive {
      %any = index.cast %x : i64 to index
      %divisor = index.assume %any [range(%any, 1, 9223372036854775807)] : index
      %thousand = index.constant 1000 : index
      %q = index.div %thousand, %divisor : index
      %q64 = index.cast %q : index to i64
      view.store %q64, %v1[%i] : i64, view<[%n]xi64>
    }
)"));
  std::vector<int64_t> x(100, 0), out(100, -1), expected(100, -1);
  for (size_t i = 0; i < x.size(); i += 3) {
    x[i] = i + 1;
    expected[i] = 1000 / x[i];
  }
  launch(kernels, "k", 2, Arguments().add(int64_t(x.size())).add(x).add(out));
  EXPECT_EQ(out, expected);
}

TEST_F(X86IndexTest, Comparisons) {
  auto compare = [&](const std::string &predicate, int64_t a, int64_t b,
                     const std::string &type = "index") {
    return run("  %r = index.cmp " + predicate + ", %a, %b : " + type + R"(
  %value = scalar.extui %r : i1 to i64
  view.store %value, %out[0] : i64, view<1xi64>
)",
               a, b, 0, 1, type)[0];
  };
  EXPECT_EQ(compare("slt", -1, 0), 1);
  EXPECT_EQ(compare("ult", -1, 0), 0);
  EXPECT_EQ(compare("uge", -1, highest), 1);
  EXPECT_EQ(compare("sge", lowest, highest), 0);
  EXPECT_EQ(compare("eq", lowest, lowest), 1);
  EXPECT_EQ(compare("ne", lowest, lowest), 0);
  // Byte counts are unsigned, whatever the predicate is called.
  EXPECT_EQ(compare("slt", lowest, 1, "offset"), 0);
  EXPECT_EQ(compare("ugt", lowest, 1, "offset"), 1);
}

TEST_F(X86IndexTest, Casts) {
  std::vector<int64_t> values = run(R"(
  %a8 = index.cast %a : index to i8
  %back8 = index.cast %a8 : i8 to index
  %v0 = index.cast %back8 : index to i64
  view.store %v0, %out[0] : i64, view<6xi64>
  %a32 = index.cast %a : index to i32
  %raw32 = index.cast %a32 : i32 to offset
  %v1 = index.cast %raw32 : offset to i64
  view.store %v1, %out[1] : i64, view<6xi64>
  %back32 = index.cast %a32 : i32 to index
  %v2 = index.cast %back32 : index to i64
  view.store %v2, %out[2] : i64, view<6xi64>
  %flag = index.cmp slt, %a, %b : index
  %one_ = index.cast %flag : i1 to index
  %v3 = index.cast %one_ : index to i64
  view.store %v3, %out[3] : i64, view<6xi64>
  %bytes = index.cast %b : index to offset
  %again = index.cast %bytes : offset to index
  %v4 = index.cast %again : index to i64
  view.store %v4, %out[4] : i64, view<6xi64>
  %c1 = index.cast %c : index to i1
  %v5 = scalar.extui %c1 : i1 to i64
  view.store %v5, %out[5] : i64, view<6xi64>
)",
                                    -200, 3000000000, 2, 6);
  EXPECT_EQ(values, (std::vector<int64_t>{56, 4294967096, -200, 1, 3000000000, 0}));
}

/// The values that a loop visits, at most ten of them, and their number in the last element.
std::string visits(const std::string &bounds, const std::string &type, const std::string &cast) {
  return R"(
  %count = scf.for %i = )" +
         bounds + R"((%k = %zero : index) -> (index) {
    %value = index.cast %i : )" +
         type + " to i64\n" + cast + R"(
    view.store %value, %out[%k] : i64, view<12xi64>
    %next = index.add %k, %unit : index
    scf.yield %next : index
  }
  %count64 = index.cast %count : index to i64
  view.store %count64, %out[11] : i64, view<12xi64>
)";
}

std::vector<int64_t> expected(std::vector<int64_t> visited) {
  int64_t count = visited.size();
  visited.resize(11, -77);
  visited.push_back(count);
  return visited;
}

TEST_F(X86IndexTest, LoopsUpToTheLargestValue) {
  std::string step = "  %step = index.assume %c [range(%c, 1, 9223372036854775807)] : index\n";
  std::string loop = step + visits("[%a to %b step %step]", "index", "");
  EXPECT_EQ(run(loop, highest - 5, highest, 2, 12),
            expected({highest - 5, highest - 3, highest - 1}));
  EXPECT_EQ(run(loop, highest - 4, highest, 3, 12), expected({highest - 4, highest - 1}));
  EXPECT_EQ(run(loop, lowest, highest, highest, 12), expected({lowest, -1, highest - 1}));
  EXPECT_EQ(run(loop, lowest, lowest + 1, highest, 12), expected({lowest}));
  EXPECT_EQ(run(loop, 3, 3, 1, 12), expected({}));
  EXPECT_EQ(run(loop, 4, lowest, 1, 12), expected({}));
  EXPECT_EQ(run(loop, -3, 3, 2, 12), expected({-3, -1, 1}));
}

TEST_F(X86IndexTest, LoopsUpToTheLargestNarrowValue) {
  std::string facts = R"(
  %x = index.assume %a [range(%a, -2147483648, 2147483647)] : index
  %y = index.assume %b [range(%b, -2147483648, 2147483647)] : index
  %step = index.assume %c [range(%c, 1, 2147483647)] : index
)";
  std::string loop = facts + visits("[%x to %y step %step]", "index", "");
  int64_t low = INT32_MIN, high = INT32_MAX;
  EXPECT_EQ(run(loop, high - 5, high, 2, 12), expected({high - 5, high - 3, high - 1}));
  EXPECT_EQ(run(loop, low, high, high, 12), expected({low, -1, high - 1}));
  EXPECT_EQ(run(loop, low, low, 1, 12), expected({}));
}

TEST_F(X86IndexTest, LoopsOverByteCountsAreUnsigned) {
  std::string step = "  %step = index.constant 3 : offset\n";
  std::string loop = step + visits("[%a to %b step %step]", "offset", "");
  // Around 2^63 and up to 2^64 - 1.
  EXPECT_EQ(run(loop, highest - 2, lowest + 3, 0, 12, "offset"), expected({highest - 2, lowest}));
  EXPECT_EQ(run(loop, -6, -1, 0, 12, "offset"), expected({-6, -3}));
  EXPECT_EQ(run(loop, -1, 5, 0, 12, "offset"), expected({}));
}

TEST_F(X86IndexTest, ByteArithmetic) {
  EXPECT_EQ(run(R"(
  %stride = index.constant 4096 : offset
  %row = index.constant -3 : index
  %sum = index.add %a, %b : offset
  %rest = index.sub %sum, %c : offset
  %coordinate = index.cast %c : offset to index
  %scaled = index.scale %coordinate, %stride : index, offset -> offset
  %total = index.add %rest, %scaled : offset
  %value = index.cast %total : offset to i64
  view.store %value, %out[0] : i64, view<1xi64>
)",
                int64_t(1) << 40, 100, 7, 1, "offset")[0],
            (int64_t(1) << 40) + 100 - 7 + 7 * 4096);
}

TEST_F(X86IndexTest, ViewsBeginAtTheirOffset) {
  EXPECT_EQ(run(R"(
  %eight = index.constant 8 : offset
  %second = buffer.view %buffer[%eight] : buffer -> view<2xi64>
  %back = index.sub %a, %b : index
  %x = scalar.constant 5 : i64
  view.store %x, %second[%back] : i64, view<2xi64>
)",
                lowest + 4, lowest + 3, 0, 3),
            (std::vector<int64_t>{-77, -77, 5}));
}

} // namespace
} // namespace loom::test
