#include "epochs/queue_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/probes/proc_files.h"

namespace sluice::app {

void QueueLog::Look(MonoTime at, int pid, const std::string& root) {
  const auto text = probes::ReadSmallFile(fmt::format("{}/proc/{}/task/{}/schedstat", root, pid, pid));
  const auto seen = text ? probes::ParseSchedStat(*text) : std::nullopt;
  if (seen) runnable_.Add(at, seen->runnable);
}

std::optional<Fraction> QueueLog::Queued(MonoTime from, MonoTime to) const {
  const auto share = runnable_.Growth(from, to);
  return share ? std::optional(Fraction{std::clamp(*share, 0.0, 1.0)}) : std::nullopt;
}

}  // namespace sluice::app
