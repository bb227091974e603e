#include "metrics/scrape_pace.h"

#include <algorithm>

namespace sluice::exporters {
namespace {

constexpr std::size_t kKept = 5;  // several may scrape: their intervals are parts of one

constexpr std::chrono::seconds kLeast{2};

}  // namespace

void ScrapePace::Note(MonoTime at) {
  scrapes_.push_back(at);
  if (scrapes_.size() > kKept) scrapes_.pop_front();
}

std::optional<MonoTime> ScrapePace::NextBy() const {
  if (scrapes_.size() < 2) return std::nullopt;
  Nanos longest{0};
  for (std::size_t i = 1; i < scrapes_.size(); ++i)
    longest = std::max(longest, scrapes_[i] - scrapes_[i - 1]);
  return scrapes_.back() + std::max<Nanos>(longest + longest / 2, kLeast);
}

}  // namespace sluice::exporters
