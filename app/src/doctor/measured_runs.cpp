#include "doctor/measured_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/numa_counts.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"
#include "topology/measured_families.h"

namespace sluice::app {
namespace {

constexpr std::size_t kMostWalked = 16;  // processes of a run whose pages the kernel is to walk

MeasuredProcess ReadProcess(int pid, probes::ProcessToll toll) {
  MeasuredProcess process{pid, std::move(toll), {}};
  if (auto threads = probes::ReadWorkerThreads(pid)) process.threads = std::move(*threads);
  if (probes::LibraryThreads(process.threads) > 0)
    process.threads.libraries = probes::ReadThreadedLibraries(pid);
  return process;
}

std::optional<std::map<int, Bytes>> ReadPages(const autotune::Family& places) {
  std::optional<std::map<int, Bytes>> sum;
  for (std::size_t i = 0; i < std::min(places.size(), kMostWalked); ++i) {
    const auto pages = probes::ReadNumaMaps(places[i].pid);
    if (!pages) continue;
    if (!sum) sum.emplace();
    for (const auto& [node, bytes] : *pages) (*sum)[node] = Sum((*sum)[node], bytes);
  }
  return sum;
}

Result<probes::Pressure> PressureFrom(probes::Resource resource, int pid, bool group,
                                      const std::string& root) {
  return group ? probes::ReadGroupPressure(resource, pid, root) : probes::ReadPressure(resource, root);
}

}  // namespace

std::string NameOf(const MeasuredRun& run) {
  return fmt::format("{} ({})", run.program.empty() ? "run" : run.program, run.pid);
}

PressureLook ReadPressureOf(int pid, const std::string& root) {
  const std::string origin = probes::ReadPressureTimes(pid, root).origin;
  const bool group = origin.starts_with("cgroup");
  return {origin, PressureFrom(probes::Resource::kCpu, pid, group, root),
          PressureFrom(probes::Resource::kMemory, pid, group, root),
          PressureFrom(probes::Resource::kIo, pid, group, root)};
}

std::vector<MeasuredRun> ReadMeasuredRuns(bool pages) {
  std::vector<MeasuredRun> runs;
  for (exporters::PlacedFamily& family : MeasuredFamilies()) {
    MeasuredRun run{.pid = family.processes.front().pid, .program = std::move(family.title)};
    run.places = std::move(family.processes);
    for (const ProcessPlace& place : run.places) {
      if (auto toll = probes::ReadProcessToll(place.pid))
        run.processes.push_back(ReadProcess(place.pid, std::move(*toll)));
    }
    if (pages) run.pages = ReadPages(run.places);
    run.cores = probes::ReadMachineBudget(run.pid).cores;
    run.pressure = ReadPressureOf(run.pid);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<MeasuredPipeline> ReadMeasuredPipelines() {
  std::vector<MeasuredPipeline> pipelines;
  for (const probes::FoundSegment& found : probes::FindSegments(probes::DefaultSegmentFolder(), false)) {
    if (!found.alive || !found.identity) continue;
    const auto reader = probes::SegmentReader::Open(found.path);
    if (!reader) continue;
    Snapshot seen = reader->Read(MonoNow(), WallNow());
    if (!seen.finished)
      pipelines.push_back(
          {static_cast<int>(found.identity->pid), found.identity->program, found.path, std::move(seen)});
  }
  return pipelines;
}

}  // namespace sluice::app
