// Totals over time of what was looked at now and then. One thread.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::exporters {

// A total that grows in straight lines from point to point.
class Total {
 public:
  // REQUIRES: `at` is later than the last.
  void Add(std::int64_t at, double total);
  // Before the first point that one's, behind the last one that one's; 0 without any.
  [[nodiscard]] double At(std::int64_t at) const;

 private:
  std::vector<std::int64_t> at_;
  std::vector<double> total_;
};

// What was seen at `times` (ms, rising) becomes a total of value times seconds from `begin` to `end`: between
// two looks the mean of both counts, before the first and behind the last one that one.
[[nodiscard]] Total Integral(std::span<const std::int64_t> times, std::span<const double> values,
                             std::int64_t begin, std::int64_t end);

}  // namespace sluice::exporters
