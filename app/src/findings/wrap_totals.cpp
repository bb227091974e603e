#include "findings/wrap_totals.h"

#include <algorithm>

namespace sluice::app {
namespace {

// Kernels count CPU time in ticks: of a run of a few, more cores may seem to be used than there are.
constexpr double kRounding = 1.05;
constexpr std::int64_t kBlock = 512;  // of ru_inblock

Nanos FromTimeval(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

template <typename T>
void Raise(std::optional<T>& value, T other) {
  value = value ? std::max(*value, other) : other;
}

void AddEnd(WrapTotals& totals, const rusage& usage) {
  totals.user = FromTimeval(usage.ru_utime);
  totals.system = FromTimeval(usage.ru_stime);
  totals.peak_rss = Bytes{usage.ru_maxrss * 1024};
  totals.storage_read = Bytes{usage.ru_inblock * kBlock};
  totals.storage_written = Bytes{usage.ru_oublock * kBlock};
  totals.major_faults = usage.ru_majflt;
  totals.voluntary = usage.ru_nvcsw;
  totals.involuntary = usage.ru_nivcsw;
}

// The pair with the larger sum: user and system time belong together.
void RaiseCpu(WrapTotals& totals, Nanos user, Nanos system) {
  if (totals.user && *totals.user + *totals.system >= user + system) return;
  totals.user = user;
  totals.system = system;
}

void AddTree(WrapTotals& totals, const wrap::TreeUse& tree) {
  RaiseCpu(totals, tree.waited_user, tree.waited_system);
  *totals.user += tree.orphan_user;
  *totals.system += tree.orphan_system;
  RaiseCpu(totals, tree.user, tree.system);
  Raise(totals.peak_rss, tree.peak_rss);
  Raise(totals.major_faults, tree.major_faults);
  if (tree.storage_read) Raise(totals.storage_read, *tree.storage_read);
  if (tree.storage_written) Raise(totals.storage_written, *tree.storage_written);
  if (tree.runnable) totals.runnable = Share(*tree.runnable, *tree.runnable + *tree.scheduled);
}

}  // namespace

WrapTotals TotalsOf(const WrapOutcome& outcome) {
  WrapTotals totals;
  if (outcome.end) AddEnd(totals, outcome.end->usage);
  if (outcome.tree && outcome.tree->processes > 0) AddTree(totals, *outcome.tree);
  if (totals.user && outcome.wall > Nanos(0)) {
    const double cores = Seconds(*totals.user + *totals.system) / Seconds(outcome.wall);
    if (cores <= kRounding * outcome.cores) totals.mean_cores = std::min(cores, outcome.cores);
  }
  return totals;
}

}  // namespace sluice::app
