// WrapReport: the whole result of one wrapped command as a value, and its two forms: a page of text and a
// JSON document.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/machine_limits.h"
#include "sluice/base/process_use.h"
#include "sluice/base/units.h"
#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

// How the command ended; all empty where it was not our child, so that nobody told us.
struct CommandEnding {
  std::optional<int> exit_code{};
  std::optional<int> signal{};
  bool core_dumped = false;
};

// Of the command with all of its processes. nullopt: neither the kernel nor what was seen tells.
struct WrapTotals {
  std::optional<Nanos> user{}, system{};
  std::optional<double> mean_cores{};
  std::optional<Fraction> runnable{};  // of the time that threads wanted a core, they waited for one
  std::optional<Bytes> peak_rss{}, storage_read{}, storage_written{};
  std::optional<std::int64_t> major_faults{}, voluntary{}, involuntary{};
};

// What only looking at its processes tells.
struct ProcessesSeen {
  int processes = 0;       // at all
  int most_processes = 0;  // at once
  int pythons = 0;         // that run Python, by their name
  std::optional<StrayPython> stray{};
  std::optional<Nanos> runnable{};  // all threads: waiting for a core
  std::optional<Bytes> peak_pss{}, read{}, written{};
};

struct WrapReport {
  std::vector<std::string> command{};
  std::string run_id{};
  Nanos wall{0};
  double cores = 1;                      // that this machine grants
  std::vector<CoreBound> core_bounds{};  // the tightest first
  CommandEnding ended{};
  WrapTotals used{};
  std::optional<ProcessesSeen> seen{};         // nullopt: could not be watched
  std::optional<MainThreadUse> main_thread{};  // the trainer's where one is known, else the busiest
  std::vector<GpuUse> gpus{};
  std::string kept_out{};  // why nothing can have been measured from inside; empty: no reason is known
  // Those that handed out at least one batch, checked; nullopt: the agent was late.
  std::optional<std::vector<LoaderReport>> loaders{};
};

// A dozen lines. What could not be measured is named as such.
[[nodiscard]] std::string WrapReportText(const WrapReport& report);

// The document described in docs/wrap-json.md. Grows by new keys only; anything else raises the version.
inline constexpr int kWrapResultFormatVersion = 1;
[[nodiscard]] std::string WrapReportJson(const WrapReport& report);

}  // namespace sluice::exporters
