#include "sluice/exporters/view_rows.h"

#include <algorithm>

namespace sluice::exporters {
namespace {

std::size_t OpCount(const Snapshot& snapshot) {
  return snapshot.graph ? std::min(snapshot.ops.size(), snapshot.graph->ops.size()) : 0;
}

std::size_t ConnectorCount(const Snapshot& snapshot) {
  return snapshot.graph ? std::min(snapshot.connectors.size(), snapshot.graph->connectors.size()) : 0;
}

bool Blames(const Verdict& verdict, std::size_t op) {
  return verdict.op == op && verdict.limit != Limit::kUnknown && verdict.limit != Limit::kConsumer;
}

std::optional<std::int64_t> WorkersWanted(const Snapshot& now, std::size_t op) {
  const KnobId id{KnobKind::kWorkers, static_cast<std::uint32_t>(op)};
  const auto knob = std::ranges::find(now.knobs, id, &Knob::id);
  if (now.finished || knob == now.knobs.end() || knob->requested == now.ops[op].workers) return std::nullopt;
  return knob->requested;
}

std::optional<Placement> PlaceOf(const Snapshot& now, std::size_t op) {
  const KnobId id{KnobKind::kPlacement, static_cast<std::uint32_t>(op)};
  const auto knob = std::ranges::find(now.knobs, id, &Knob::id);
  if (knob == now.knobs.end() || knob->value == 0) return std::nullopt;
  return PlacementOf(knob->value);
}

std::string NameOf(const Graph& graph, OpId op) {
  return Index(op) < graph.ops.size() ? graph.ops[Index(op)].name : "";
}

ConnectorRow RowOf(const Snapshot& from, const Snapshot& to, std::size_t c) {
  const Graph& graph = *to.graph;
  const ConnectorInfo& info = graph.connectors[c];
  ConnectorRow row{.name = info.name,
                   .from_op = Index(info.from),
                   .from = NameOf(graph, info.from),
                   .to = std::nullopt,
                   .total = to.connectors[c],
                   .seen = MeasureConnector(from, to, c)};
  if (info.to) row.to = NameOf(graph, *info.to);
  const std::size_t next = row.from_op + 1;
  row.to_next = info.to ? Index(*info.to) == next : next == graph.ops.size();
  return row;
}

DecisionRow RowOf(const LoggedDecision& entry, MonoTime run_start, const std::vector<Knob>& knobs) {
  const Decision& decision = entry.decision;
  return {.id = decision.id,
          .at = decision.at - run_start,
          .author = decision.author,
          .changes = NamedChanges(decision.changes, knobs),
          .because = decision.because,
          .fate = entry.fate,
          .before = decision.before,
          .predicted = decision.predicted,
          .measured = entry.measured,
          .predicted_gain = Gain(decision.before, decision.predicted),
          .measured_gain = Gain(decision.before, entry.measured)};
}

}  // namespace

std::vector<OpRow> OpRows(const Snapshot& from, const Snapshot& to, const Verdict& verdict) {
  std::vector<OpRow> rows;
  rows.reserve(OpCount(to));
  for (std::size_t op = 0; op < OpCount(to); ++op) {
    rows.push_back({.info = to.graph->ops[op],
                    .total = to.ops[op],
                    .seen = MeasureOp(from, to, op),
                    .limits = Blames(verdict, op),
                    .workers_wanted = WorkersWanted(to, op),
                    .place = PlaceOf(to, op),
                    .regime = op < verdict.regimes.size() ? verdict.regimes[op] : Regime::kUnknown});
  }
  return rows;
}

std::vector<ConnectorRow> ConnectorRows(const Snapshot& from, const Snapshot& to) {
  std::vector<ConnectorRow> rows;
  rows.reserve(ConnectorCount(to));
  for (std::size_t c = 0; c < ConnectorCount(to); ++c) rows.push_back(RowOf(from, to, c));
  return rows;
}

std::vector<KnobRow> KnobRows(const std::vector<Knob>& start, const std::vector<Knob>& now) {
  std::vector<KnobRow> rows;
  for (const Knob& knob : now) {
    const auto first = std::ranges::find(start, knob.id, &Knob::id);
    rows.push_back({knob, first == start.end() ? std::nullopt : std::optional(first->value)});
  }
  return rows;
}

std::vector<DecisionRow> DecisionRows(const DecisionLog& log, MonoTime run_start,
                                      const std::vector<Knob>& knobs, std::size_t most) {
  const auto& entries = log.entries();
  std::vector<DecisionRow> rows;
  for (std::size_t i = entries.size() - std::min(most, entries.size()); i < entries.size(); ++i) {
    rows.push_back(RowOf(entries[i], run_start, knobs));
  }
  return rows;
}

}  // namespace sluice::exporters
