//===- Metrics.h - The numbers that show prints -----------------*- C++ -*-===//
#ifndef LOOM_LIB_REPORT_METRICS_H
#define LOOM_LIB_REPORT_METRICS_H

#include "Derived.h"
#include <string>
#include <vector>

namespace loom::report {

enum class Unit { None, Bytes, Percent };

/// One number of a view, with its label for people and its key for machines.
struct Metric {
  const char *label;
  const char *key;
  std::optional<uint64_t> value;
  Unit unit = Unit::None;
};

/// What the artifact holds, every label in a fixed order.
std::vector<Metric> artifactMetrics(const Entry &entry);

/// What the compiler found out about the final code. `occupancy limit` is not a number; the views
/// print it behind the occupancy.
std::vector<Metric> resourceMetrics(const Entry &entry);
std::vector<Metric> waitMetrics(const WaitSummary &summary);

/// `1,360`, `1,360 B`, `100%`.
std::string numberText(uint64_t value, Unit unit = Unit::None);

} // namespace loom::report

#endif // LOOM_LIB_REPORT_METRICS_H
