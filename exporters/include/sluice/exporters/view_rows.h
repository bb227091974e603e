// View rows: what the tables about a pipeline show, row by row, as values: figures with their units and
// states, nothing formatted. The live table, the report and the result files are made of the same rows.
// Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/knob.h"
#include "sluice/base/placement.h"
#include "sluice/base/regime.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/interval.h"

namespace sluice::exporters {

struct OpRow {
  OpInfo info{};
  OpReading total{};                             // since the run's start
  OpInterval seen{};                             // between the two snapshots
  bool limits = false;                           // the verdict blames it
  std::optional<std::int64_t> workers_wanted{};  // asked for, where there are not as many yet
  std::optional<Placement> place{};              // nullopt: it may run anywhere
  Regime regime = Regime::kUnknown;
};

struct ConnectorRow {
  std::string name{};
  std::size_t from_op = 0;          // the row of the op before it
  std::string from{};               // that op's name; empty: not known
  std::optional<std::string> to{};  // nullopt: the consumer; empty: not known
  bool to_next = true;              // the op of the next row, or the consumer behind the last one
  ConnectorReading total{};
  ConnectorInterval seen{};
};

struct KnobRow {
  Knob now{};
  std::optional<std::int64_t> start{};  // nullopt: there was no such knob
  [[nodiscard]] bool changed() const { return start && *start != now.value; }
};

struct DecisionRow {
  std::uint64_t id = 0;
  Nanos at{0};  // since the run's start
  Author author = Author::kController;
  std::vector<NamedChange> changes{};
  std::string because{};
  Fate fate = Fate::kTrial;
  Rate before{}, predicted{};  // consumer items per second
  std::optional<Rate> measured{};
  std::optional<double> predicted_gain{}, measured_gain{};  // of `before`; 0.5: half as much again
};

// As many as the graph names, in its order; none without a graph.
[[nodiscard]] std::vector<OpRow> OpRows(const Snapshot& from, const Snapshot& to,
                                        const Verdict& verdict = {});
[[nodiscard]] std::vector<ConnectorRow> ConnectorRows(const Snapshot& from, const Snapshot& to);
[[nodiscard]] std::vector<KnobRow> KnobRows(const std::vector<Knob>& start, const std::vector<Knob>& now);
// The newest `most`, oldest first.
[[nodiscard]] std::vector<DecisionRow> DecisionRows(const DecisionLog& log, MonoTime run_start,
                                                    const std::vector<Knob>& knobs,
                                                    std::size_t most = SIZE_MAX);

}  // namespace sluice::exporters
