#include "findings/wrap_findings.h"

#include <sys/wait.h>

#include <algorithm>

#include "findings/loader_values.h"
#include "sluice/base/check.h"
#include "sluice/exporters/loader_check.h"

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

void AddEnd(exporters::WrapTotals& totals, const rusage& usage) {
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
void RaiseCpu(exporters::WrapTotals& totals, Nanos user, Nanos system) {
  if (totals.user && totals.system && *totals.user + *totals.system >= user + system) return;
  totals.user = user;
  totals.system = system;
}

void AddTree(exporters::WrapTotals& totals, const wrap::TreeUse& tree) {
  RaiseCpu(totals, tree.waited_user, tree.waited_system);
  SLUICE_CHECK(totals.user && totals.system);
  *totals.user += tree.orphan_user;
  *totals.system += tree.orphan_system;
  RaiseCpu(totals, tree.user, tree.system);
  Raise(totals.peak_rss, tree.peak_rss);
  Raise(totals.major_faults, tree.major_faults);
  if (tree.storage_read) Raise(totals.storage_read, *tree.storage_read);
  if (tree.storage_written) Raise(totals.storage_written, *tree.storage_written);
  if (tree.runnable && tree.scheduled)
    totals.runnable = Share(*tree.runnable, *tree.runnable + *tree.scheduled);
}

exporters::CommandEnding EndingOf(const std::optional<wrap::CommandEnd>& end) {
  exporters::CommandEnding ending;
  if (!end) return ending;
  if (WIFEXITED(end->status)) ending.exit_code = WEXITSTATUS(end->status);
  if (WIFSIGNALED(end->status)) ending.signal = WTERMSIG(end->status);
  ending.core_dumped = WIFSIGNALED(end->status) && WCOREDUMP(end->status);
  return ending;
}

exporters::ProcessesSeen SeenOf(const wrap::TreeUse& tree) {
  return {.processes = tree.processes,
          .most_processes = tree.most_processes,
          .pythons = tree.pythons,
          .stray = tree.stray,
          .runnable = tree.runnable,
          .peak_pss = tree.peak_pss,
          .read = tree.read,
          .written = tree.written};
}

// The trainer's where one is known: a worker may compute more.
std::optional<MainThreadUse> MainThreadOf(const wrap::TreeUse& tree,
                                          const std::vector<exporters::LoaderReport>& loaders) {
  const auto most = std::ranges::max_element(
      loaders, {}, [](const exporters::LoaderReport& loader) { return loader.values.active; });
  const auto trainer = tree.main_threads.find(most != loaders.end() ? most->pid : 0);
  return trainer != tree.main_threads.end() ? trainer->second : tree.busiest;
}

}  // namespace

exporters::WrapReport ReportOf(const WrapOutcome& outcome) {
  exporters::WrapReport report{.command = outcome.command,
                               .run_id = outcome.run_id,
                               .wall = outcome.wall,
                               .cores = outcome.cores,
                               .core_bounds = outcome.core_bounds,
                               .ended = EndingOf(outcome.end),
                               .used = TotalsOf(outcome),
                               .gpus = outcome.gpus,
                               .kept_out = outcome.kept_out};
  if (outcome.tree) {
    report.seen = SeenOf(*outcome.tree);
    report.main_thread =
        MainThreadOf(*outcome.tree, outcome.loaders.value_or(std::vector<exporters::LoaderReport>()));
  }
  if (outcome.loaders)
    report.loaders = Tellable(*outcome.loaders, outcome.tree ? outcome.tree->cores : wrap::CoresLog());
  return report;
}

std::vector<exporters::LoaderReport> Tellable(std::vector<exporters::LoaderReport> loaders,
                                              const wrap::CoresLog& cores) {
  std::erase_if(loaders, [](const exporters::LoaderReport& loader) { return loader.values.batches == 0; });
  for (exporters::LoaderReport& loader : loaders) {
    NoteMachine(loader.values, cores);
    loader.values = exporters::OnlyWhatHolds(std::move(loader.values));
  }
  return loaders;
}

exporters::WrapTotals TotalsOf(const WrapOutcome& outcome) {
  exporters::WrapTotals totals;
  if (outcome.end) AddEnd(totals, outcome.end->usage);
  if (outcome.tree && outcome.tree->processes > 0) AddTree(totals, *outcome.tree);
  if (totals.user && totals.system && outcome.wall > Nanos(0)) {
    const double cores = Seconds(*totals.user + *totals.system) / Seconds(outcome.wall);
    if (cores <= kRounding * outcome.cores) totals.mean_cores = std::min(cores, outcome.cores);
  }
  return totals;
}

}  // namespace sluice::app
