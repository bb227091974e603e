#include "mindspore/sampled.h"

#include <algorithm>

namespace sluice::exporters {

void Total::Add(std::int64_t at, double total) {
  at_.push_back(at);
  total_.push_back(total);
}

double Total::At(std::int64_t at) const {
  if (at_.empty()) return 0;
  const auto after = static_cast<std::size_t>(std::ranges::upper_bound(at_, at) - at_.begin());
  if (after == 0) return total_.front();
  if (after == at_.size()) return total_.back();
  const double part =
      static_cast<double>(at - at_[after - 1]) / static_cast<double>(at_[after] - at_[after - 1]);
  return total_[after - 1] + part * (total_[after] - total_[after - 1]);
}

Total Integral(std::span<const std::int64_t> times, std::span<const double> values, std::int64_t begin,
               std::int64_t end) {
  Total total;
  if (times.empty() || values.empty()) return total;
  const std::size_t count = std::min(times.size(), values.size());
  const auto seconds = [](std::int64_t ms) { return static_cast<double>(ms) / 1000; };
  double sum = 0;
  if (begin < times[0]) {
    total.Add(begin, 0);
    sum = values[0] * seconds(times[0] - begin);
  }
  total.Add(times[0], sum);
  for (std::size_t i = 1; i < count; ++i) {
    sum += (values[i - 1] + values[i]) / 2 * seconds(times[i] - times[i - 1]);
    total.Add(times[i], sum);
  }
  const std::int64_t last = times[count - 1];
  if (end > last) total.Add(end, sum + values[count - 1] * seconds(end - last));
  return total;
}

}  // namespace sluice::exporters
