//===- Statistics.cpp - What a list of times amounts to -------------------===//
#include "loom/Bench/Statistics.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>

namespace loom::bench {

uint64_t nearestRank(llvm::ArrayRef<uint64_t> ascending, unsigned percent) {
  assert(!ascending.empty() && percent > 0 && percent <= 100 && "no such rank");
  // Counted from one. The product fits: a list of 2^57 times does not fit into memory.
  uint64_t rank = llvm::divideCeil(uint64_t(ascending.size()) * percent, uint64_t(100));
  return ascending[rank - 1];
}

uint64_t median(std::vector<uint64_t> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return nearestRank(values, 50);
}

uint64_t spreadPpm(uint64_t low, uint64_t high) {
  assert(low <= high && "a spread is not negative");
  unsigned __int128 parts =
      static_cast<unsigned __int128>(high - low) * 1000000 / std::max<uint64_t>(low, 1);
  return parts > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(parts);
}

uint64_t rangePpm(const std::vector<uint64_t> &values) {
  if (values.empty())
    return 0;
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  uint64_t middle = median(values);
  return spreadPpm(middle, llvm::SaturatingAdd(middle, *most - *least));
}

double roundTo(double value, unsigned decimals) {
  double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

Distribution Distribution::dividedBy(uint64_t parts) const {
  Distribution part = *this;
  for (uint64_t *number : {&part.total, &part.min, &part.max, &part.p50, &part.p90})
    *number /= parts;
  part.mean /= static_cast<double>(parts);
  return part;
}

void Times::add(uint64_t nanoseconds) {
  ascending.insert(std::upper_bound(ascending.begin(), ascending.end(), nanoseconds), nanoseconds);
  sum = llvm::SaturatingAdd(sum, nanoseconds);
}

Distribution Times::summarize() const {
  Distribution result;
  if (ascending.empty())
    return result;
  result.count = ascending.size();
  result.total = sum;
  result.min = ascending.front();
  result.max = ascending.back();
  result.mean = static_cast<double>(sum) / static_cast<double>(ascending.size());
  result.p50 = nearestRank(ascending, 50);
  result.p90 = nearestRank(ascending, 90);
  return result;
}

} // namespace loom::bench
