#include "doctor/thread_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "loaders/crowd.h"
#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;

constexpr double kMuchSystem = 0.5;  // of the CPU time: threads that fight spend it in the kernel
constexpr double kManyForced = 100;  // a second on a core; one that is alone on it has a few
constexpr Nanos kEnoughCpu = std::chrono::seconds(1);  // less says nothing
constexpr double kNearlyAll = 0.8;                     // of the files that may be open
constexpr const char* kOneThread =
    "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 COMMAND, or sluice wrap --tune-threads -- "
    "COMMAND; "
    "OpenCV: cv2.setNumThreads(0) in worker_init_fn";
constexpr const char* kOneThreadCosts =
    "no rights; a new start; what one worker did in parallel it does alone";

// Of a whole run.
struct Sum {
  Nanos user{0}, system{0};
  std::optional<std::uint64_t> forced;
  std::int64_t threads = 0;

  [[nodiscard]] Nanos cpu() const { return user + system; }
};

Sum SumOf(const MeasuredRun& run) {
  Sum sum;
  for (const MeasuredProcess& process : run.processes) {
    sum.user += process.toll.user;
    sum.system += process.toll.system;
    sum.threads += process.threads.threads;
    if (process.toll.switches) sum.forced = sum.forced.value_or(0) + process.toll.switches->forced;
  }
  return sum;
}

double ForcedPerSecond(const Sum& sum) {
  return static_cast<double>(sum.forced.value_or(0)) / Seconds(std::max(sum.cpu(), kEnoughCpu));
}

std::vector<exporters::DoctorEvidence> EvidenceOf(const MeasuredRun& run, const Sum& sum) {
  const std::string pids = run.processes.size() == 1 ? std::to_string(run.pid) : "PID";
  const std::string of =
      run.processes.size() == 1 ? "" : fmt::format(" in {} processes", run.processes.size());
  return {
      {fmt::format("/proc/{}/stat", pids),
       fmt::format("user {}, system {}{}", FormatDuration(sum.user), FormatDuration(sum.system), of)},
      {fmt::format("/proc/{}/task/*/status", pids),
       sum.forced ? fmt::format("nonvoluntary_ctxt_switches {}{}, {} threads", *sum.forced, of, sum.threads)
                  : "missing"}};
}

std::set<std::string> LibrariesOf(const MeasuredRun& run) {
  std::set<std::string> all;
  for (const MeasuredProcess& process : run.processes)
    all.insert(process.threads.libraries.begin(), process.threads.libraries.end());
  return all;
}

DoctorCheck Finding(const MeasuredRun& run, const Sum& sum, std::string kind, const std::string& found) {
  return {.state = State::kNote,
          .subject = "threads",
          .found = NameOf(run) + ": " + found,
          .remedy = "",
          .kind = std::move(kind),
          .evidence = EvidenceOf(run, sum)};
}

// Where libraries have brought threads, those are too many; else the run's own, or another's work.
void Mend(const MeasuredRun& run, const Sum& sum, DoctorCheck& check) {
  if (const auto libraries = LibrariesOf(run); !libraries.empty()) {
    check.found += fmt::format("; {} {} threads of its own", fmt::join(libraries, ", "),
                               libraries.size() == 1 ? "brings" : "bring");
    check.remedy = kOneThread;
    check.costs = kOneThreadCosts;
  } else if (static_cast<double>(sum.threads) > run.cores) {
    check.found += fmt::format("; it has {} threads on {:g} cores", sum.threads, run.cores);
    check.remedy = fmt::format("sluice top {}, then k OP.workers N", run.pid);
    check.costs =
        "the rights of the run's user; at once; worth it only where the forecast beside it loses little";
  } else {
    check.found += "; its own threads have cores enough, so others' work is in the way";
    check.remedy = "ps -eo pid,user,pcpu,comm --sort=-pcpu | head";
    check.costs = "no rights; only says who has the cores";
  }
}

std::vector<probes::WorkerThreads> WorkersOf(const MeasuredRun& run) {
  std::vector<probes::WorkerThreads> workers;
  for (const MeasuredProcess& process : run.processes) {
    if (process.pid != run.pid) workers.push_back(process.threads);
  }
  return workers;
}

DoctorCheck Quiet(const MeasuredRun& run, const Sum& sum, Fraction system) {
  DoctorCheck check = Finding(run, sum, "threads",
                              fmt::format("{} threads on {:g} cores, {} of the CPU time in the kernel",
                                          sum.threads, run.cores, FormatPercent(system)));
  if (!sum.forced) check.found += "; switches are not told";
  if (sum.forced) check.state = State::kGood;
  return check;
}

void AddRun(const MeasuredRun& run, std::vector<DoctorCheck>& checks) {
  const Sum sum = SumOf(run);
  const std::size_t before = checks.size();
  if (const auto crowd = FindCrowd(WorkersOf(run), run.cores, false)) {
    checks.push_back(Finding(run, sum, "library_threads",
                             fmt::format("{} workers have {} threads on {:g} cores", crowd->workers,
                                         crowd->threads, crowd->cores)));
  }
  const Fraction system = Share(sum.system, sum.cpu());
  if (sum.cpu() >= kEnoughCpu && system.value >= kMuchSystem) {
    checks.push_back(
        Finding(run, sum, "system_time",
                fmt::format("{} of its CPU time is the kernel's: locks, switches, or memory that is "
                            "given and taken back",
                            FormatPercent(system))));
  }
  if (sum.cpu() >= kEnoughCpu && ForcedPerSecond(sum) >= kManyForced) {
    checks.push_back(
        Finding(run, sum, "preemption",
                fmt::format("{:.0f} times in a second on a core, a thread had to leave it for another",
                            ForcedPerSecond(sum))));
  }
  for (std::size_t i = before; i < checks.size(); ++i) Mend(run, sum, checks[i]);
  if (checks.size() == before) checks.push_back(Quiet(run, sum, system));
}

// A process that runs out of them fails in whatever it opens next.
void AddFiles(const MeasuredRun& run, std::vector<DoctorCheck>& checks) {
  for (const MeasuredProcess& process : run.processes) {
    const auto& [open, limit] = std::pair(process.toll.files, process.toll.file_limit);
    if (!open || !limit || static_cast<double>(*open) < kNearlyAll * static_cast<double>(*limit)) continue;
    checks.push_back(
        {.state = State::kNote,
         .subject = "open files",
         .found = fmt::format("{} of {} are open in {} ({})", *open, *limit, process.toll.name, process.pid),
         .remedy = fmt::format("prlimit --pid {} --nofile={}:", process.pid,
                               std::max<std::uint64_t>(65536, *limit * 4)),
         .kind = "run_open_files",
         .evidence = {{fmt::format("/proc/{}/fd", process.pid), std::to_string(*open)},
                      {fmt::format("/proc/{}/limits: Max open files", process.pid), std::to_string(*limit)}},
         .costs = "the rights of the run's user, root above the hard limit; until the process ends"});
  }
}

}  // namespace

std::vector<DoctorCheck> ThreadChecks(const std::vector<MeasuredRun>& runs) {
  if (runs.empty())
    return {{.state = State::kNote,
             .subject = "threads",
             .found = "not told: no measured run goes on here; sluice wrap -- COMMAND starts one",
             .remedy = "",
             .kind = "threads"}};
  std::vector<DoctorCheck> checks;
  for (const MeasuredRun& run : runs) {
    AddRun(run, checks);
    AddFiles(run, checks);
  }
  return checks;
}

}  // namespace sluice::app
