#include "sluice/base/time_log.h"

#include <algorithm>
#include <iterator>

namespace sluice {
namespace {

constexpr std::ptrdiff_t kFirst = 100;  // entries
constexpr std::size_t kMost = 1000;
constexpr double kMayMiss = 0.2;

}  // namespace

void TimeLog::Add(MonoTime at, Nanos sum) {
  if (entries_.size() == kMost) entries_.erase(entries_.begin() + kFirst);
  entries_.push_back({at, sum});
}

const TimeLog::Entry& TimeLog::Nearest(MonoTime at) const {
  const auto after = std::ranges::lower_bound(entries_, at, {}, &Entry::at);
  if (after == entries_.begin()) return *after;
  const auto before = std::prev(after);
  return after == entries_.end() || at - before->at < after->at - at ? *before : *after;
}

std::optional<double> TimeLog::Growth(MonoTime from, MonoTime to) const {
  if (entries_.empty()) return std::nullopt;
  const Entry& first = Nearest(from);
  const Entry& last = Nearest(to);
  const Nanos missed = std::chrono::abs(first.at - from) + std::chrono::abs(last.at - to);
  if (last.at <= first.at || Seconds(missed) > kMayMiss * Seconds(to - from)) return std::nullopt;
  return Seconds(last.sum - first.sum) / Seconds(last.at - first.at);
}

}  // namespace sluice
