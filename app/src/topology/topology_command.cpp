#include "topology/topology_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/exporters/topology_report.h"
#include "sluice/probes/process_places.h"
#include "sluice/probes/topology.h"
#include "topology/measured_families.h"

namespace sluice::app {
namespace {

Result<Topology> TopologyFor(const TopologyOptions& options) {
  if (!options.xml.empty()) return probes::ReadTopologyXml(options.xml);
  if (!options.synthetic.empty()) return probes::MakeTopology(options.synthetic);
  return probes::ReadTopology();
}

Result<std::vector<exporters::PlacedFamily>> FamiliesFor(int pid) {
  if (pid == 0) return MeasuredFamilies();
  exporters::PlacedFamily family{"", probes::ReadFamilyPlaces(pid)};
  if (family.processes.empty())
    return Fail(fmt::format("there is no process {}; sluice ls lists the measured ones", pid));
  return std::vector{std::move(family)};
}

std::string TextOf(const exporters::TopologyReport& report) {
  std::string text;
  for (const std::string& line : exporters::TopologyText(report, PageStyle(STDOUT_FILENO)))
    text += line + "\n";
  return text;
}

}  // namespace

int ShowTopology(const TopologyOptions& options) {
  auto topology = TopologyFor(options);
  if (!topology) return Complain(topology.error(), kExitUsage);
  exporters::TopologyReport report{std::move(*topology), {}, {}};
  if (options.xml.empty() && options.synthetic.empty()) {
    auto families = FamiliesFor(options.pid);
    if (!families) return Complain(families.error(), kExitUsage);
    report.families = std::move(*families);
    report.findings = FindingsOf(report.topology, report.families);
  }
  return PrintOut(options.json ? exporters::TopologyJson(report) : TextOf(report));
}

}  // namespace sluice::app
