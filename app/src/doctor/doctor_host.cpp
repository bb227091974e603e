#include "doctor/doctor_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "doctor/clock_checks.h"
#include "doctor/measured_runs.h"
#include "doctor/memory_checks.h"
#include "doctor/numa_checks.h"
#include "doctor/pressure_checks.h"
#include "doctor/run_forecasts.h"
#include "doctor/storage_checks.h"
#include "doctor/thread_checks.h"
#include "loop/ticker.h"
#include "sluice/autotune/auto_tune.h"
#include "sluice/base/clock.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/probes/topology.h"
#include "top/watched_run.h"

namespace sluice::app {
namespace {

void Append(std::vector<DoctorCheck>& all, std::vector<DoctorCheck> more) {
  std::ranges::move(more, std::back_inserter(all));
}

FreeMemory FreeNow() {
  const probes::MachineBudget budget = probes::ReadMachineBudget(0);
  for (const MemoryBound& bound : budget.limits.memory) {
    if (bound.left) return {bound.left, bound.origin};
  }
  return {std::nullopt, "/proc/meminfo: MemAvailable"};
}

std::vector<DoctorCheck> CheckStorage(const std::vector<DataSet>& data) {
  const FreeMemory memory = FreeNow();
  if (data.empty())
    return {NotTold("storage", "storage_device", ".",
                    "the current folder cannot be read; name the data set with --data DIR")};
  std::vector<DoctorCheck> checks;
  for (const DataSet& set : data) {
    const DataLook look{set.folder, probes::ReadStorage(set.path), set.sample,
                        probes::LookAtPageCache(set.sample.chosen)};
    Append(checks, StorageChecks(look, memory));
  }
  return checks;
}

std::vector<DoctorCheck> CheckNodes(const FirstLook& first, const Result<Topology>& topology,
                                    const std::vector<MeasuredRun>& runs) {
  if (!topology)
    return {NotTold("NUMA", "numa_remote", "/sys/devices/system/node", topology.error().message)};
  NumaLook look = ChooseCounts(first.nodes, probes::ReadNumastat(), MonoNow() - first.at);
  look.settings = probes::ReadNumaSettings();
  return NumaChecks(look, *topology, runs);
}

std::vector<Foreseen> LookAt(const MeasuredPipeline& pipeline, std::vector<Foreseen> asked) {
  auto reader = probes::SegmentReader::Open(pipeline.path);
  if (!reader) return asked;
  WatchedPlant plant(std::move(*reader));
  const auto model = autotune::MakeAutoTune({.advise = true});
  Ticker ticker(kLookEvery);
  return ForeseeFromOutside(plant, *model, std::move(asked), [&] { static_cast<void>(ticker.Wait()); });
}

// What measured runs could do with less of. One thread.
class Cuts {
 public:
  explicit Cuts(const std::vector<MeasuredPipeline>& pipelines) : pipelines_(pipelines) {}

  std::vector<DoctorCheck> Of(const MeasuredRun& run) {
    std::vector<DoctorCheck> checks;
    const Strain strain = StrainOf(run.pressure);
    if (!strain.any()) return checks;
    for (const MeasuredPipeline& pipeline : pipelines_) {
      const auto is_its = [&](const ProcessPlace& place) { return place.pid == pipeline.pid; };
      if (std::ranges::any_of(run.places, is_its)) Append(checks, Of(pipeline, strain));
    }
    return checks;
  }

 private:
  std::vector<DoctorCheck> Of(const MeasuredPipeline& pipeline, Strain strain) {
    const SteeredName whom{pipeline.pid, pipeline.program};
    auto foreseen = ForeseeCuts(road_, whom, CutsOf(pipeline.seen, strain));
    if (!AllForeseen(foreseen) && looks_ < kMostLooks) {
      ++looks_;
      foreseen = LookAt(pipeline, std::move(foreseen));
    }
    return CutChecks(pipeline, foreseen, strain);
  }

  static constexpr int kMostLooks = 3;  // each takes seconds

  const std::vector<MeasuredPipeline>& pipelines_;
  const ControlRoad road_ = RoadIn(probes::DefaultSegmentFolder());
  int looks_ = 0;
};

std::vector<DoctorCheck> PressureWithoutRuns(const PressureLook& look) {
  std::vector<DoctorCheck> checks = PressureChecks(look);
  if (StrainOf(look).any())
    checks.push_back(NotTold("give up", "give_up", "measured runs",
                             "no measured run goes on here that could do with less"));
  return checks;
}

std::vector<DoctorCheck> CheckPressure(const std::vector<MeasuredRun>& runs,
                                       const std::vector<MeasuredPipeline>& pipelines) {
  if (runs.empty()) return PressureWithoutRuns(ReadPressureOf(0));
  std::vector<DoctorCheck> checks;
  std::set<std::string> told;  // runs of one group wait together
  Cuts cuts(pipelines);
  for (const MeasuredRun& run : runs) {
    if (told.insert(run.pressure.origin).second) Append(checks, PressureChecks(run.pressure));
    Append(checks, cuts.Of(run));
  }
  return checks;
}

}  // namespace

Result<std::vector<DataSet>> FindDataSets(const std::vector<std::string>& folders) {
  std::vector<DataSet> sets;
  for (const std::string& folder : folders.empty() ? std::vector<std::string>{"."} : folders) {
    auto sample = probes::SampleData(folder);
    if (!sample && folders.empty()) return sets;
    if (!sample) return Fail("--data " + sample.error().message);
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(folder, error);
    if (error) return Fail(fmt::format("--data {}: {}", folder, error.message()));
    sets.push_back({folder, path, std::move(*sample)});
  }
  return sets;
}

FirstLook LookFirst() {
  return {MonoNow(), probes::ReadNumastat()};
}

std::vector<DoctorCheck> CheckHost(const FirstLook& first, const std::vector<DataSet>& data) {
  const auto topology = probes::ReadTopology();
  const bool several = topology && HomeNodes(*topology).size() > 1;
  const std::vector<MeasuredRun> runs = ReadMeasuredRuns(several);
  const std::vector<MeasuredPipeline> pipelines = ReadMeasuredPipelines();
  std::vector<DoctorCheck> checks = CheckStorage(data);
  Append(checks, CheckNodes(first, topology, runs));
  Append(checks, ClockChecks(probes::ReadCpuClock()));
  Append(checks, ThreadChecks(runs));
  Append(checks, CheckPressure(runs, pipelines));
  Append(checks, HugePageChecks(probes::ReadHugePages(), LargestItem(pipelines)));
  Append(checks, SwapChecks(probes::ReadSwapUse(), runs));
  return checks;
}

}  // namespace sluice::app
