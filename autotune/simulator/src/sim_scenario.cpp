#include "sluice/simulator/sim_scenario.h"

#include <array>

#include "sluice/base/check.h"

namespace sluice::simulator {

std::string_view KindName(SimKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"range", "synthetic", "batch",
                                                      "zip",   "concat",    "shuffle"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::uint32_t> InputsOf(const SimScenario& scenario, std::size_t op) {
  SLUICE_CHECK(op < scenario.ops.size());
  const SimOp& info = scenario.ops[op];
  if (!info.inputs.empty() || info.kind == SimKind::kRange || op == 0) return info.inputs;
  return {static_cast<std::uint32_t>(op - 1)};
}

Graph GraphOf(const SimScenario& scenario) {
  Graph graph;
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    const SimOp& op = scenario.ops[i];
    const auto inputs = InputsOf(scenario, i);
    const std::uint32_t before = inputs.empty() ? 1 : graph.ops[inputs[0]].rows_per_item;
    const bool passes_on = op.kind != SimKind::kRange && op.kind != SimKind::kBatch && op.allocate.count == 0;
    const bool reads_nothing = op.read.count == 0 && op.requests == 0;
    graph.ops.push_back(
        {op.name, std::string(KindName(op.kind)), op.serial, before * op.size, passes_on, reads_nothing});
    graph.connectors.push_back({op.name + "->consumer", OpId(i), std::nullopt});
    for (const std::uint32_t input : inputs) {
      ConnectorInfo& connector = graph.connectors[input];
      connector.name = scenario.ops[input].name + "->" + op.name;
      connector.to = OpId(i);
    }
  }
  return graph;
}

}  // namespace sluice::simulator
