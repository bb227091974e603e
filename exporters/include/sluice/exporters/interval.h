// Intervals: what happened between two snapshots, as rates and shares. Immutable functions.
//
// Missing is nullopt, never 0: no time has passed, nothing was recorded, or the snapshots disagree about
// the graph. Shares are clamped to 0..1, because two counters of one snapshot are not read at one instant.
#pragma once
#include <cstddef>
#include <optional>

#include "sluice/base/snapshot.h"

namespace sluice::exporters {

struct OpInterval {
  std::optional<Rate> items;
  std::optional<Fraction> busy;  // shares of the workers' time
  std::optional<Fraction> starved;
  std::optional<Fraction> backed_up;
  std::optional<Fraction> on_cpu;  // on_cpu + runnable + off_cpu = busy
  std::optional<Fraction> runnable;
  std::optional<Fraction> off_cpu;
  std::optional<Nanos> p50;  // busy time per item, interpolated within its log2 bucket
  std::optional<Nanos> p99;
};

struct ConnectorInterval {
  std::optional<Fraction> empty;  // high: the ops before are too slow
  std::optional<Fraction> full;   // high: the ops behind are too slow
  std::optional<double> mean_depth;
};

struct ConsumerInterval {
  Nanos length{0};
  std::optional<Rate> items;
  std::optional<Rate> rows;
  std::optional<Fraction> starved;  // of busy + starved
  Nanos active{0};                  // of the length, busy or starved; the rest it asked for nothing
};

// `away`: how long its workers were not there meanwhile, as between two epochs.
[[nodiscard]] OpInterval MeasureOp(const Snapshot& from, const Snapshot& to, std::size_t op,
                                   Nanos away = Nanos(0));
[[nodiscard]] ConnectorInterval MeasureConnector(const Snapshot& from, const Snapshot& to,
                                                 std::size_t connector);
[[nodiscard]] ConsumerInterval MeasureConsumer(const Snapshot& from, const Snapshot& to);

// Cores kept busy by the whole process.
[[nodiscard]] std::optional<double> CoresUsed(const Snapshot& from, const Snapshot& to);

// The time below which the share `q` of the counted items stayed; nullopt where nothing was counted.
[[nodiscard]] std::optional<Nanos> Quantile(const LatencyHistogram& histogram, Fraction q);

}  // namespace sluice::exporters
