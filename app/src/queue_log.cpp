#include "queue_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sluice/base/error.h"
#include "sluice/probes/proc_files.h"

namespace sluice {
namespace {

constexpr std::size_t kFirst = 100;  // entries, some seconds
constexpr std::size_t kMost = 1000;
constexpr double kMostOf = 0.8;

}  // namespace

void QueueLog::Look(MonoTime at, int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/task/{}/schedstat", root, pid, pid));
  const auto seen = text ? ParseSchedStat(*text) : std::nullopt;
  if (seen) Add(at, seen->runnable);
}

void QueueLog::Add(MonoTime at, Nanos runnable) {
  if (entries_.size() == kMost) entries_.erase(entries_.begin() + kFirst);
  entries_.push_back({at, runnable});
}

std::optional<Fraction> QueueLog::Queued(MonoTime from, MonoTime to) const {
  const auto first = std::ranges::lower_bound(entries_, from, {}, &Entry::at);
  const auto end = std::ranges::upper_bound(entries_, to, {}, &Entry::at);
  if (first == entries_.end() || end == entries_.begin()) return std::nullopt;
  const Entry& last = *std::prev(end);
  if (last.at <= first->at || Seconds(last.at - first->at) < kMostOf * Seconds(to - from))
    return std::nullopt;
  return Fraction{
      std::clamp(Seconds(last.runnable - first->runnable) / Seconds(last.at - first->at), 0.0, 1.0)};
}

}  // namespace sluice
