//===- Statistics.h - What a list of times amounts to -----------*- C++ -*-===//
#ifndef LOOM_BENCH_STATISTICS_H
#define LOOM_BENCH_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace loom::bench {

/// The value of nearest rank in an ascending list that is not empty: the smallest one that at least
/// `percent` of the values do not exceed. Of five values p50 is the third and p90 the fifth.
uint64_t nearestRank(llvm::ArrayRef<uint64_t> ascending, unsigned percent);

/// The median of nearest rank of a list in any order; 0 for an empty list.
uint64_t median(std::vector<uint64_t> values);

/// (high - low) / low in parts per million, rounded down. A `low` of 0 counts as 1, the resolution
/// of the clock; the largest number stands for what does not fit.
uint64_t spreadPpm(uint64_t low, uint64_t high);

/// (max - min) / median of a list in parts per million; 0 for an empty list.
uint64_t rangePpm(const std::vector<uint64_t> &values);

/// `value` rounded to so many decimals.
double roundTo(double value, unsigned decimals);

/// Times in nanoseconds, summed up. All zero when there were none.
struct Distribution {
  uint64_t count = 0, total = 0, min = 0, max = 0;
  double mean = 0;
  uint64_t p50 = 0, p90 = 0;

  /// How far p90 lies above p50, see spreadPpm.
  uint64_t p90ToP50Ppm() const { return spreadPpm(p50, p90); }
  /// The times of one of `parts` equal parts: every number divided, rounded down but for the mean.
  /// The count stays that of the measured times.
  Distribution dividedBy(uint64_t parts) const;
};

/// Collects times and keeps them sorted.
class Times {
public:
  void add(uint64_t nanoseconds);
  uint64_t count() const { return ascending.size(); }
  uint64_t total() const { return sum; }
  Distribution summarize() const;

private:
  std::vector<uint64_t> ascending;
  uint64_t sum = 0;
};

} // namespace loom::bench

#endif // LOOM_BENCH_STATISTICS_H
