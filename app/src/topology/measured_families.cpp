#include "topology/measured_families.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sluice/autotune/place_findings.h"
#include "sluice/probes/process_places.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::app {
namespace {

bool Holds(const exporters::PlacedFamily& family, int pid) {
  return std::ranges::any_of(family.processes, [&](const ProcessPlace& place) { return place.pid == pid; });
}

}  // namespace

std::vector<exporters::PlacedFamily> MeasuredFamilies() {
  std::map<int, std::string> programs;  // by pid: a process has a segment for each loader
  for (const probes::FoundSegment& found : probes::FindSegments(probes::DefaultSegmentFolder(), false)) {
    if (found.alive && found.identity)
      programs.emplace(static_cast<int>(found.identity->pid), found.identity->program);
  }
  std::vector<exporters::PlacedFamily> all, families;
  for (const auto& [pid, program] : programs) all.push_back({program, probes::ReadFamilyPlaces(pid)});
  for (const exporters::PlacedFamily& family : all) {
    if (family.processes.empty()) continue;
    const int pid = family.processes.front().pid;
    const bool started_by_another = std::ranges::any_of(
        all, [&](const exporters::PlacedFamily& other) { return &other != &family && Holds(other, pid); });
    if (!started_by_another) families.push_back(family);
  }
  return families;
}

std::vector<PlaceFinding> FindingsOf(const Topology& topology,
                                     const std::vector<exporters::PlacedFamily>& families) {
  std::vector<autotune::Family> places;
  places.reserve(families.size());
  for (const exporters::PlacedFamily& family : families) places.push_back(family.processes);
  return autotune::FindWrongMasks(topology, places);
}

}  // namespace sluice::app
