//===- SanitizerTest.cpp - What --sanitizer says --------------------------===//
#include "loom/Runtime/Device.h"
#include "gtest/gtest.h"

using namespace loom::runtime;

namespace {

std::string parsed(llvm::StringRef text) {
  llvm::Expected<SanitizerOptions> options = parseSanitizers(text);
  return options ? stringifySanitizers(*options) : llvm::toString(options.takeError());
}

TEST(Sanitizers, AreWordsWithBarsBetween) {
  EXPECT_EQ(parsed(""), "none");
  EXPECT_EQ(parsed("none"), "none");
  EXPECT_EQ(parsed("race"), "race");
  EXPECT_EQ(parsed("value|access"), "access|value");
  EXPECT_EQ(parsed("access | race"), "access|race");
  EXPECT_EQ(parsed("asan"), "access");
  EXPECT_EQ(parsed("ubsan"), "value|operation");
  EXPECT_EQ(parsed("tsan"), "race");
  EXPECT_EQ(parsed("all"), "access|value|operation|race");
  EXPECT_EQ(parsed("acces"),
            "there is no sanitizer 'acces'; they are none, access, value, "
            "operation, race, asan, ubsan, tsan and all, with '|' between several");
  EXPECT_NE(parsed("access|"), "access");
  EXPECT_NE(parsed("access|none"), "access");
}

TEST(Sanitizers, ReportInThreeWays) {
  EXPECT_EQ(llvm::cantFail(parseSanitizerReporting("default")), SanitizerReporting::Default);
  EXPECT_EQ(llvm::cantFail(parseSanitizerReporting("trap")), SanitizerReporting::Trap);
  EXPECT_EQ(llvm::cantFail(parseSanitizerReporting("report-only")), SanitizerReporting::ReportOnly);
  EXPECT_EQ(llvm::toString(parseSanitizerReporting("loud").takeError()),
            "a sanitizer reports as default, trap or report-only, not 'loud'");
}

class PlainDevice : public Device {
public:
  llvm::StringRef name() const override { return "plain"; }
  std::optional<Issue> launch(const Launch &) override { return std::nullopt; }
};

TEST(Sanitizers, ADeviceWithoutThemSaysSo) {
  PlainDevice device;
  SanitizerOptions options;
  EXPECT_FALSE(device.setSanitizers(options));
  options.race = true;
  std::optional<Issue> issue = device.setSanitizers(options);
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->kind, "unsupported_sanitizer");
  EXPECT_EQ(issue->message, "the device plain has no instrumentation for --sanitizer=race");
  EXPECT_TRUE(device.takeEvents().events.empty());
}

TEST(Sanitizers, LogsAreAppendedInOrder) {
  EventLog log, more;
  log.events.resize(1);
  log.dropped = 1;
  more.events.resize(2);
  more.events[1].message = "last";
  more.dropped = 4;
  log.append(std::move(more));
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[2].message, "last");
  EXPECT_EQ(log.dropped, 5u);
}

} // namespace
