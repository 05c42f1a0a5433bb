//===- EventsTest.cpp - Patterns of events --------------------------------===//
#include "CheckFixture.h"
#include "Expect.h"

using namespace loom;
using namespace loom::check;
using runtime::Event;

namespace {

Event write() {
  Event event;
  event.kind = Event::Kind::AsanReport;
  event.message = "a write of 4 bytes outside of %sums";
  event.file = "/tmp/kernels/sum.loom";
  event.line = 12;
  event.column = 3;
  event.fields = {{"function", std::string("sum_rows")},
                  {"operation", std::string("view.store")},
                  {"site_id", uint64_t(7)},
                  {"asan.access", std::string("write")},
                  {"asan.access_length", uint64_t(4)}};
  return event;
}

Event race() {
  Event event;
  event.kind = Event::Kind::TsanReport;
  event.severity = Event::Severity::Fatal;
  event.message = "a race";
  event.fields = {{"tsan.memory", std::string("workgroup")}, {"tsan.prior_atomic", false}};
  return event;
}

Event print() {
  Event event;
  event.kind = Event::Kind::Printf;
  event.severity = Event::Severity::Info;
  event.message = "hello";
  return event;
}

/// Runs a case with these patterns on a device that reports `events`; the details of its failures.
std::vector<std::string> failuresOf(const std::vector<std::string> &patterns,
                                    std::vector<Event> events, uint64_t dropped = 0) {
  std::string text = "kernel.def @k() {\n  %one = index.constant 1 : index\n"
                     "  kernel.launch.config workgroups(%one, %one, %one) "
                     "workgroup_size(%one, %one, %one) : index\n} launch() {\n  kernel.return\n}\n"
                     "check.case @c {\n  kernel.launch @k() : ()\n";
  for (const std::string &pattern : patterns)
    text += "  check.expect.event<device> {" + pattern + "}\n";
  Program program(text + "  check.return\n}\n");
  FakeDevice device;
  device.kernels["k"] = [&](const runtime::Launch &) { device.log = {events, dropped}; };
  TestReport report = llvm::cantFail(runPlan(program.plan(), device));
  std::vector<std::string> details;
  for (const ExpectationFailure &failure : report.samples[0].failures) {
    EXPECT_EQ(failure.kind, "event");
    details.push_back(failure.detail);
  }
  return details;
}

using Details = std::vector<std::string>;

TEST(Events, AnErrorThatNobodyExpectsFails) {
  EXPECT_EQ(failuresOf({}, {}), Details());
  EXPECT_EQ(failuresOf({}, {print()}), Details());
  EXPECT_EQ(failuresOf({}, {write(), race()}),
            (Details{"a write of 4 bytes outside of %sums [asan_report]", "a race [tsan_report]"}));
  EXPECT_EQ(failuresOf({}, {}, 3), (Details{"the device dropped 3 events"}));
}

TEST(Events, APatternMatchesWhenAllOfItDoes) {
  for (const char *pattern :
       {"", "type = asan_report", "severity = error", "function = \"sum_rows\"", "site_id = 7",
        "source_file = \"/tmp/kernels/sum.loom\"", "source_file = \"sum.loom\"",
        "source_file = \"kernels/sum.loom\"", "asan = {access = write, access_length = 4}",
        "asan = {access = write}, operation = \"view.store\", type = asan_report"})
    EXPECT_EQ(failuresOf({pattern}, {write()}), Details()) << pattern;
  for (const char *pattern :
       {"type = tsan_report", "severity = fatal", "function = \"sum\"", "site_id = 8",
        "source_file = \"um.loom\"", "source_file = \"/sum.loom\"", "asan = {access = read}",
        "asan = {access = write, access_length = 8}", "asan = {shadow_value = 0}",
        "ubsan = {check = alignment}", "driver = \"x86\"", "type = none"})
    EXPECT_EQ(failuresOf({pattern}, {write()}).size(), 2u) << pattern;
  EXPECT_EQ(failuresOf({"tsan = {memory = workgroup, prior_atomic = false}"}, {race()}), Details());
  EXPECT_EQ(failuresOf({"tsan = {prior_atomic = true}"}, {race()}).size(), 2u);
}

TEST(Events, ExactlyAsManyAsCounted) {
  EXPECT_EQ(failuresOf({"count = 2, type = asan_report"}, {write(), write()}), Details());
  EXPECT_EQ(failuresOf({"type = asan_report"}, {write(), write()}),
            (Details{"2 events match where 1 is expected; the device reported 2 events, the first: "
                     "/tmp/kernels/sum.loom:12:3: a write of 4 bytes outside of %sums "
                     "[asan_report]"}));
  EXPECT_EQ(failuresOf({"count = 0"}, {print()}).size(), 1u);
  EXPECT_EQ(failuresOf({"count = 0, type = tsan_report"}, {print()}), Details());
  // One pattern for each event, and one event for two patterns.
  EXPECT_EQ(failuresOf({"type = asan_report", "type = tsan_report"}, {race(), write()}), Details());
  EXPECT_EQ(failuresOf({"type = asan_report", "site_id = 7"}, {write()}), Details());
}

} // namespace
