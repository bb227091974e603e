// The measured runs of this user that go on, with what the kernel says of their processes: reads segments,
// /proc and control groups.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/autotune/place_findings.h"
#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"
#include "sluice/base/units.h"
#include "sluice/probes/process_toll.h"
#include "sluice/probes/psi.h"
#include "sluice/probes/worker_threads.h"

namespace sluice::app {

struct MeasuredProcess {
  int pid = 0;
  probes::ProcessToll toll{};
  probes::WorkerThreads threads{};  // with libraries where there are many
};

// A group of the process's own where the kernel counts there, else the machine's.
struct PressureLook {
  std::string origin{};  // "cgroup /pods/a", "/proc/pressure"; empty: there is none
  Result<probes::Pressure> cpu = Fail("not asked"), memory = Fail("not asked"), io = Fail("not asked");
};

struct MeasuredRun {
  int pid = 0;
  std::string program{};
  autotune::Family places{};                    // the run and all that it has started
  std::vector<MeasuredProcess> processes{};     // likewise, those that could be read
  std::optional<std::map<int, Bytes>> pages{};  // by node; nullopt: not asked, or not readable
  double cores = 1;                             // that it may use
  PressureLook pressure{};
};

// A pipeline of such a run.
struct MeasuredPipeline {
  int pid = 0;
  std::string program{};
  std::string path{};  // of its segment
  Snapshot seen{};
};

// "train.py (4711)"
[[nodiscard]] std::string NameOf(const MeasuredRun& run);

// `pages`: also where their memory lies, which costs the runs some milliseconds.
[[nodiscard]] std::vector<MeasuredRun> ReadMeasuredRuns(bool pages);
[[nodiscard]] std::vector<MeasuredPipeline> ReadMeasuredPipelines();
// pid 0: this process.
[[nodiscard]] PressureLook ReadPressureOf(int pid, const std::string& root = "");

}  // namespace sluice::app
