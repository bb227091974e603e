#include "sluice/exporters/beliefs.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace sluice::exporters {
namespace {

// Names are the user's: they may hold what CSV is made of.
std::string Cell(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Of the controller's own, by when they were made.
std::map<MonoTime, std::uint64_t> DecidedAt(const DecisionLog& decisions) {
  std::map<MonoTime, std::uint64_t> ids;
  for (const LoggedDecision& entry : decisions.entries()) {
    const Decision& decision = entry.decision;
    if (decision.author == Author::kController) ids[decision.at] = decision.id;
  }
  return ids;
}

}  // namespace

void Beliefs::Add(Nanos since_start, std::uint64_t decision, const std::vector<Belief>& state) {
  if (state.empty()) return;
  const bool first = columns.empty();
  Row row{.at = since_start, .decision = decision, .values = {}};
  for (const Belief& belief : state) {
    if (first) columns.push_back(belief.name);
    row.values.push_back(belief.value);
  }
  rows.push_back(std::move(row));
}

Result<Beliefs> BeliefsOf(const SessionReader& session, std::size_t pipeline) {
  const RecordedPipeline& of = session.pipelines().at(pipeline);
  const auto decisions = session.Decisions(pipeline);
  if (!decisions) return std::unexpected(decisions.error());
  const auto decided_at = DecidedAt(*decisions);
  Beliefs beliefs;
  for (std::size_t i = 0; i < of.moments.size(); ++i) {
    const auto state = session.At(pipeline, i);
    if (!state) return std::unexpected(state.error());
    const auto decision = decided_at.find(state->now.at);
    beliefs.Add(state->now.at - of.info.started, decision == decided_at.end() ? 0 : decision->second,
                state->beliefs);
  }
  return beliefs;
}

std::string BeliefsCsv(const Beliefs& beliefs) {
  std::string csv = "seconds,decision";
  for (const std::string& column : beliefs.columns) csv += "," + Cell(column);
  csv += "\n";
  for (const Beliefs::Row& row : beliefs.rows) {
    fmt::format_to(std::back_inserter(csv), "{:.1f},{}", Seconds(row.at), row.decision);
    for (const double value : row.values) {
      csv += ",";
      if (!std::isnan(value)) fmt::format_to(std::back_inserter(csv), "{:.6g}", value);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace sluice::exporters
