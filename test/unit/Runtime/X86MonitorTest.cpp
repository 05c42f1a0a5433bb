//===- X86MonitorTest.cpp - What the checks of a launch report ------------===//
#include "X86Monitor.h"
#include "X86Faults.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <thread>

namespace loom::runtime {
namespace {

class X86MonitorTest : public ::testing::Test {
protected:
  SanitizerSite site(unsigned line, std::string message, SiteCheck check = SiteCheck::Access) {
    mlir::Location place = mlir::FileLineColLoc::get(&context, "k.loom", line, 3);
    SanitizerSite site = {check, "view.load", place, "k_export", std::move(message)};
    site.bytes = 4;
    return site;
  }
  /// One work-item reports two numbers.
  static void report(KernelMonitor &monitor, uint32_t site, int64_t workgroup, int64_t item,
                     int64_t first = 0, int64_t second = 0) {
    monitor.report(&monitor, site, workgroup, item, 1, &first, &second);
  }
  static std::string field(const Event &event, llvm::StringRef key) {
    for (const auto &[name, value] : event.fields)
      if (name == key) {
        if (auto *number = std::get_if<uint64_t>(&value))
          return std::to_string(*number);
        return std::get<std::string>(value);
      }
    return "none";
  }

  mlir::MLIRContext context;
  Launch launch = {"k", {{4, 1, 1}, {8, 1, 1}}, {}};
};

TEST_F(X86MonitorTest, TheFirstReportOfASiteIsItsEvent) {
  std::vector<SanitizerSite> sites = {site(7, "reads element {0} of %v, which has {1} elements")};
  KernelMonitor monitor(sites, launch, /*traps=*/false);
  int64_t first[8] = {0, 0, 11, 12}, second[8] = {9, 9, 9, 9};
  monitor.report(&monitor, 0, 2, 0, 0, first, second); // nobody
  monitor.report(&monitor, 0, 2, 4, 0b1100, first, second);
  monitor.report(&monitor, 0, 2, 4, 0b0100, first, second); // once more
  report(monitor, 0, 1, 5, -1, 9);
  EventLog log = monitor.takeEvents();
  ASSERT_EQ(log.events.size(), 1u);
  const Event &event = log.events[0];
  EXPECT_EQ(event.message, "reads element -1 of %v, which has 9 elements; work-item 5 of workgroup "
                           "1, the first of 3 work-items (4 times)");
  EXPECT_EQ(event.kind, Event::Kind::AsanReport);
  EXPECT_EQ(event.severity, Event::Severity::Error);
  EXPECT_EQ(event.file, "k.loom");
  EXPECT_EQ(event.line, 7u);
  EXPECT_EQ(event.column, 3u);
  EXPECT_EQ(field(event, "asan.access"), "read");
  EXPECT_EQ(field(event, "asan.access_length"), "4");
  EXPECT_EQ(field(event, "function"), "k");
  EXPECT_EQ(field(event, "export"), "k_export");
  EXPECT_EQ(field(event, "operation"), "view.load");
  EXPECT_EQ(field(event, "ubsan.check"), "none");
  EXPECT_EQ(log.dropped, 0u);
  EXPECT_TRUE(monitor.takeEvents().events.empty());
}

TEST_F(X86MonitorTest, EventsAreInOrderWhateverTheThreads) {
  std::vector<SanitizerSite> sites = {site(1, "a"), site(2, "b"), site(3, "c")};
  std::string expected = "c; work-item 6 of workgroup 0\n"
                         "a; work-item 1 of workgroup 1, the first of 2 work-items\n"
                         "b; work-item 0 of workgroup 1, the first of 3 work-items\n";
  auto runGroup = [](KernelMonitor &monitor, int64_t group) {
    if (group == 0)
      report(monitor, 2, 0, 6);
    if (group == 1)
      report(monitor, 0, 1, 1);
    if (group > 0)
      report(monitor, 1, group, 0);
    if (group == 3)
      report(monitor, 0, 3, 2);
  };
  for (bool isBackwards : {false, true}) {
    KernelMonitor monitor(sites, launch, /*traps=*/false);
    for (int64_t i = 0; i < 4; ++i)
      std::thread([&] { runGroup(monitor, isBackwards ? 3 - i : i); }).join();
    std::string text;
    for (const Event &event : monitor.takeEvents().events)
      text += event.message + "\n";
    EXPECT_EQ(text, expected);
  }
}

TEST_F(X86MonitorTest, TooManyEventsAreCounted) {
  std::vector<SanitizerSite> sites;
  for (unsigned line = 1; line <= KernelMonitor::kMaxEvents + 5; ++line)
    sites.push_back(site(line, "x"));
  KernelMonitor monitor(sites, launch, /*traps=*/false);
  for (size_t number = sites.size(); number-- > 0;)
    report(monitor, number, 0, 0);
  EventLog log = monitor.takeEvents();
  EXPECT_EQ(log.events.size(), KernelMonitor::kMaxEvents);
  EXPECT_EQ(log.dropped, 5u);
  // What came first stays.
  EXPECT_EQ(log.events.front().line, sites.size());
}

TEST_F(X86MonitorTest, NumbersMayBeFloats) {
  std::vector<SanitizerSite> sites = {site(1, "%x is {0}, {y} is {1}", SiteCheck::Value)};
  sites[0].hasFloats = true;
  sites[0].kind = "float_nan_contract";
  KernelMonitor monitor(sites, launch, /*traps=*/false);
  double first = -0.5, second = std::numeric_limits<double>::infinity();
  int64_t bits[2];
  std::memcpy(&bits[0], &first, 8);
  std::memcpy(&bits[1], &second, 8);
  report(monitor, 0, 0, 0, bits[0], bits[1]);
  EventLog log = monitor.takeEvents();
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].message, "%x is -0.5, {y} is +Inf; work-item 0 of workgroup 0");
  EXPECT_EQ(log.events[0].kind, Event::Kind::UbsanReport);
  EXPECT_EQ(field(log.events[0], "ubsan.check"), "float_nan_contract");
}

TEST_F(X86MonitorTest, WhatCannotBeEndsTheKernel) {
  std::vector<SanitizerSite> sites = {site(1, "a")};
  KernelMonitor monitor(sites, launch, /*traps=*/false);
  FaultHandlers handlers;
  SignalStack stack;
  auto kindOf = [&](uint32_t site, int64_t workgroup, int64_t first, uint64_t lanes,
                    const int64_t *numbers) {
    std::optional<KernelFault> fault = runGuarded([&] {
      callKernel(
          [&] { monitor.report(&monitor, site, workgroup, first, lanes, numbers, numbers); });
    });
    return fault ? std::optional(fault->kind) : std::nullopt;
  };
  const int64_t numbers[64] = {};
  auto overwritten = std::optional(KernelFault::Kind::Overwritten);
  EXPECT_EQ(kindOf(0, 3, 0, 0x80, numbers), std::nullopt);
  EXPECT_EQ(kindOf(0, 3, 0, 0x100, numbers), overwritten);
  EXPECT_EQ(kindOf(0, 4, 0, 1, numbers), overwritten);
  EXPECT_EQ(kindOf(0, -1, 0, 1, numbers), overwritten);
  EXPECT_EQ(kindOf(0, 0, 8, 1, numbers), overwritten);
  EXPECT_EQ(kindOf(0, 0, -8, 1, numbers), overwritten);
  EXPECT_EQ(kindOf(1, 0, 0, 1, numbers), overwritten);
  EXPECT_EQ(kindOf(0, 0, 0, 1, reinterpret_cast<const int64_t *>(uintptr_t(8))),
            std::optional(KernelFault::Kind::Memory));
  // None of it holds the monitor.
  EXPECT_EQ(kindOf(0, 0, 0, 1, numbers), std::nullopt);
  EXPECT_EQ(monitor.takeEvents().events.size(), 1u);
}

TEST_F(X86MonitorTest, PlacesHaveAsManyCoordinatesAsTheLaunch) {
  EXPECT_EQ(placeOfItem({{4, 1, 1}, {8, 1, 1}}, 3, 7), "work-item 7 of workgroup 3");
  EXPECT_EQ(placeOfItem({{4, 2, 1}, {2, 3, 4}}, 5, 23),
            "work-item (1, 2, 3) of workgroup (1, 1, 0)");
}

} // namespace
} // namespace loom::runtime
