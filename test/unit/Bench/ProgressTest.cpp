//===- ProgressTest.cpp - Showing that work goes on -----------------------===//
#include "loom/Bench/Progress.h"
#include "gtest/gtest.h"

using namespace loom::bench;

namespace {

TEST(Progress, TimesHaveThreeDigits) {
  EXPECT_EQ(readableTime(0), "0 ns");
  EXPECT_EQ(readableTime(999), "999 ns");
  EXPECT_EQ(readableTime(1000), "1.00 us");
  EXPECT_EQ(readableTime(12345), "12.3 us");
  EXPECT_EQ(readableTime(99960), "100 us");
  EXPECT_EQ(readableTime(999600), "1.00 ms");
  EXPECT_EQ(readableTime(1500000000), "1.50 s");
  EXPECT_EQ(readableTime(7200000000000), "7200 s");
}

class Shown {
public:
  explicit Shown(unsigned width) : os(text), progress(os, width) {}

  /// What was written since the last call, without the codes for one line.
  std::string take() {
    std::string lines = std::move(text);
    text.clear();
    std::string::size_type at;
    while ((at = lines.find("\x1b[K\r")) != std::string::npos)
      lines.replace(at, 4, "|");
    return lines;
  }

  std::string text;
  llvm::raw_string_ostream os;
  TerminalProgress progress;
};

TEST(Progress, OneLineIsWrittenOverAndOver) {
  Shown shown(80);
  shown.progress.begin(2, 7, "@sum");
  EXPECT_EQ(shown.take(), "\r[2/7] @sum|");
  shown.progress.phase("checking");
  EXPECT_EQ(shown.take(), "\r[2/7] @sum: checking|");
  shown.progress.clear();
  EXPECT_EQ(shown.take(), "\r\x1b[K");
  shown.progress.clear();
  EXPECT_EQ(shown.take(), "");
}

TEST(Progress, TimesAreShownTenTimesASecond) {
  Shown shown(80);
  shown.progress.begin(1, 1, "@sum");
  shown.progress.phase("measuring");
  shown.take();
  Times times;
  shown.progress.timing(5000000000, times);
  EXPECT_EQ(shown.take(), "\r[1/1] @sum: measuring: warming up|");
  times.add(1200);
  shown.progress.timing(5099999999, times);
  EXPECT_EQ(shown.take(), "");
  shown.progress.timing(5100000000, times);
  EXPECT_EQ(shown.take(), "\r[1/1] @sum: measuring: 1 timed, p50 1.20 us|");
}

TEST(Progress, LinesFitTheTerminal) {
  Shown shown(10);
  shown.progress.begin(1, 1, "@a_long_name");
  EXPECT_EQ(shown.take(), "\r[1/1] @a_|");
}

TEST(Progress, NothingIsLeftBehind) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    TerminalProgress progress(os, 80);
    progress.begin(1, 1, "@sum");
    text.clear();
  }
  EXPECT_EQ(text, "\r\x1b[K");
}

} // namespace
