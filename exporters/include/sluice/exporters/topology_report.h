// TopologyReport: a machine and who runs where on it, as a value, and its two forms. Immutable functions.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/process_place.h"
#include "sluice/base/topology.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

// A process and what descends from it.
struct PlacedFamily {
  std::string title;  // "train.py (run 5f3a)"; empty: the process's own name
  std::vector<ProcessPlace> processes;
};

struct TopologyReport {
  Topology topology;
  std::vector<PlacedFamily> families;
  std::vector<PlaceFinding> findings;  // about them
};

// Drawn: packages, nodes with a sign for each core, devices, distances, the threads, findings. Lines without
// line breaks.
[[nodiscard]] std::vector<std::string> TopologyText(const TopologyReport& report, const TextStyle& style);

// The document described in docs/topology.md. Grows by new keys only; anything else raises the version.
inline constexpr int kTopologyFormatVersion = 1;
[[nodiscard]] std::string TopologyJson(const TopologyReport& report);

}  // namespace sluice::exporters
