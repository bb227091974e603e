// What holds of every snapshot, whatever the bytes that it was read from.
#pragma once
#include <algorithm>
#include <cmath>

#include "sluice/base/check.h"
#include "sluice/base/snapshot.h"

namespace sluice::fuzz {

inline void CheckOp(const OpReading& op) {
  SLUICE_CHECK(op.bytes >= Bytes{0} && op.workers >= 0);
  SLUICE_CHECK(std::min({op.busy, op.starved, op.backed_up}) >= Nanos(0));
  const Nanos on_cpu = op.on_cpu.value_or(Nanos(0)), runnable = op.runnable.value_or(Nanos(0));
  SLUICE_CHECK(std::min(on_cpu, runnable) >= Nanos(0));
  SLUICE_CHECK(on_cpu <= op.busy && runnable <= op.busy - on_cpu);
}

inline void CheckConnector(const ConnectorReading& connector) {
  SLUICE_CHECK(connector.bytes >= Bytes{0} && std::min(connector.empty, connector.full) >= Nanos(0));
  SLUICE_CHECK(std::isfinite(connector.depth_seconds) && connector.depth_seconds >= 0);
}

inline void CheckSnapshot(const Snapshot& seen) {
  SLUICE_CHECK(seen.graph && seen.ops.size() == seen.graph->ops.size());
  SLUICE_CHECK(seen.connectors.size() == seen.graph->connectors.size());
  for (const OpReading& op : seen.ops) CheckOp(op);
  for (const ConnectorReading& connector : seen.connectors) CheckConnector(connector);
  const ConsumerReading& consumer = seen.consumer;
  SLUICE_CHECK(std::min({consumer.busy, consumer.starved, consumer.starting}) >= Nanos(0));
  SLUICE_CHECK(std::isfinite(seen.budget.cores) && seen.budget.cores >= 0);
  SLUICE_CHECK(std::min({seen.budget.memory, seen.buffered, seen.buffered_peak}) >= Bytes{0});
  SLUICE_CHECK(std::min(seen.process_cpu, seen.idle.value_or(Nanos(0))) >= Nanos(0));
  SLUICE_CHECK(seen.rss.value_or(Bytes{0}) >= Bytes{0});
  for (const Knob& knob : seen.knobs) {
    const auto targets =
        knob.id.kind == KnobKind::kCapacity ? seen.connectors.size() : seen.graph->ops.size();
    SLUICE_CHECK(knob.id.target < targets && knob.min <= knob.max);
    SLUICE_CHECK(knob.held == HeldBecause::kNot || knob.holder == Holder::kUser);
  }
}

// Totals never fall.
inline void CheckLater(const Snapshot& now, const Snapshot& before) {
  for (std::size_t i = 0; i < now.ops.size(); ++i) {
    SLUICE_CHECK(now.ops[i].busy >= before.ops[i].busy && now.ops[i].starved >= before.ops[i].starved);
    SLUICE_CHECK(now.ops[i].backed_up >= before.ops[i].backed_up);
  }
  SLUICE_CHECK(now.consumer.busy >= before.consumer.busy && now.consumer.starved >= before.consumer.starved);
  SLUICE_CHECK(now.consumer.starting >= before.consumer.starting);
}

}  // namespace sluice::fuzz
