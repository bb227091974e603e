// A pipeline as the planner sees it: read (0.1 ms) -> decode (4 ms) -> consumer, on 8 cores, one worker each.
#pragma once
#include <limits>

#include "propose/planner.h"

namespace sluice::autotune::testing {

struct Planned {
  Planned() {
    Graph graph;
    graph.ops = {{.name = "read", .kind = "source"}, {.name = "decode", .kind = "map", .passes_on = true}};
    graph.connectors = {{"read->decode", OpId(0), OpId(1)}, {"decode->consumer", OpId(1), std::nullopt}};
    seen.graph = std::make_shared<const Graph>(graph);
    seen.ops.resize(2);
    for (OpReading& op : seen.ops) op.items = 100;
    seen.connectors.resize(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::string& name = graph.ops[i].name;
      seen.knobs.push_back({.id = {KnobKind::kWorkers, i}, .name = name + ".workers", .max = 64});
      seen.knobs.push_back({.id = {KnobKind::kCapacity, i}, .name = name + ".capacity", .max = 1024});
    }
    seen.budget.cores = 8;
    estimate.ops.resize(2);
    estimate.ops[0].cpu = 0.0001;
    estimate.ops[1].cpu = 0.004;
    for (OpEstimate& op : estimate.ops) {
      op.bytes = 1e6;
      op.items = 100;
    }
    estimate.ops[1].utilisation = 0.99;
    estimate.demand = std::numeric_limits<double>::infinity();
    estimate.consumer_items = 100;
    estimate.starved = 0.9;
  }

  Knob& Workers(std::uint32_t op) { return seen.knobs[std::size_t{2} * op]; }
  Knob& Capacity(std::uint32_t connector) { return seen.knobs[std::size_t{2} * connector + 1]; }
  [[nodiscard]] Planner planner() const { return {seen, estimate, caps, settings}; }

  Snapshot seen;
  PipelineEstimate estimate;
  WorkerCaps caps = {kNoCap, kNoCap};
  AutoTuneSettings settings;
};

}  // namespace sluice::autotune::testing
