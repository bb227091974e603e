// A line of a control socket's stream of snapshots of any bytes is read or refused. What is read holds
// together, and is the same when it has been written and read again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "input.h"
#include "sluice/base/check.h"
#include "sluice/exporters/snapshot_line.h"
#include "steer/line_stream.h"

namespace {

using namespace sluice;  // NOLINT

void CheckHoldsTogether(const Snapshot& now) {
  SLUICE_CHECK(now.graph && now.ops.size() == now.graph->ops.size());
  SLUICE_CHECK(now.connectors.size() == now.graph->connectors.size());
  for (const ConnectorInfo& connector : now.graph->connectors) {
    SLUICE_CHECK(Index(connector.from) < now.ops.size());
    SLUICE_CHECK(!connector.to || Index(*connector.to) < now.ops.size());
  }
  for (const Knob& knob : now.knobs) SLUICE_CHECK(knob.min <= knob.max);
  SLUICE_CHECK(std::isfinite(now.budget.cores) && now.budget.cores >= 0);
}

std::string Written(const exporters::SeenPipeline& seen) {
  exporters::DecisionLog decisions;
  for (const exporters::LoggedDecision& entry : seen.decisions) decisions.Put(entry);
  const exporters::ControlledPipeline pipeline{
      .name = {.name = seen.name, .rank = seen.rank, .pid = seen.pid, .over = seen.over},
      .run_start = seen.run_start,
      .from = &seen.now,
      .to = &seen.now,
      .verdict = &seen.verdict,
      .decisions = &decisions};
  return exporters::SnapshotLine(pipeline, exporters::kAllDecisions);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  app::LineStream stream;
  (void)stream.Take(fuzz::Text(data, size));
  const auto seen = exporters::ReadSnapshotLine(fuzz::Text(data, size));
  if (!seen) {
    SLUICE_CHECK(seen.error().message.starts_with("snapshot: "));
    return 0;
  }
  CheckHoldsTogether(seen->now);
  const std::string once = Written(*seen);
  const auto again = exporters::ReadSnapshotLine(once);
  SLUICE_CHECK(again.has_value());
  SLUICE_CHECK(Written(*again) == once);
  return 0;
}
