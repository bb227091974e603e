// ScrapePace: how often somebody scrapes, and so when the next scrape is due at the latest. One thread.
#pragma once
#include <deque>
#include <optional>

#include "sluice/base/units.h"

namespace sluice::exporters {

class ScrapePace {
 public:
  void Note(MonoTime at);
  // One and a half of the longest of the last intervals after the last scrape, two seconds at least; nullopt:
  // nobody has scraped twice, so nobody is expected.
  [[nodiscard]] std::optional<MonoTime> NextBy() const;

 private:
  std::deque<MonoTime> scrapes_;  // the last few
};

}  // namespace sluice::exporters
