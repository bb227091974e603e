#include "sluice/exporters/session_view.h"

#include <algorithm>
#include <utility>

namespace sluice::exporters {
namespace {

constexpr std::chrono::seconds kRatesOver{1};
constexpr std::chrono::milliseconds kHistoryStep{500};
constexpr std::ptrdiff_t kHistoryLength = 240;

DecisionLog MadeUntil(const DecisionLog& decisions, MonoTime when) {
  DecisionLog made;
  for (const LoggedDecision& entry : decisions.entries()) {
    if (entry.decision.at <= when) made.Put(entry);
  }
  return made;
}

std::optional<Fraction> Starved(const ConsumerReading& from, const ConsumerReading& to) {
  const Nanos starved = std::max(to.starved - from.starved, Nanos(0));
  const Nanos all = starved + std::max(to.busy - from.busy, Nanos(0));
  return all.count() > 0 ? std::optional(Share(starved, all)) : std::nullopt;
}

// One value per half second, oldest first.
std::vector<Fraction> StarvedUntil(const RecordedPipeline& pipeline, std::size_t moment) {
  std::vector<Fraction> history;
  const MonoTime end = pipeline.moments[moment].at;
  const MonoTime begin = std::max(pipeline.moments.front().at, end - Nanos(kHistoryStep) * kHistoryLength);
  std::size_t from = pipeline.From(begin);
  for (std::size_t i = from; i <= moment; ++i) {
    if (pipeline.moments[i].at - pipeline.moments[from].at < kHistoryStep) continue;
    const auto starved = Starved(pipeline.moments[from].consumer, pipeline.moments[i].consumer);
    if (starved) history.push_back(*starved);
    from = i;
  }
  return history;
}

}  // namespace

Result<LiveView> ViewAt(const SessionReader& session, std::size_t pipeline, std::size_t moment,
                        const DecisionLog& decisions) {
  const RecordedPipeline& recorded = session.pipelines().at(pipeline);
  const MonoTime at = recorded.moments.at(moment).at;
  auto now = session.At(pipeline, moment);
  if (!now) return std::unexpected(now.error());
  auto previous = session.At(pipeline, recorded.Until(at - kRatesOver));
  if (!previous) return std::unexpected(previous.error());
  LiveView view;
  view.scenario = recorded.info.name;
  view.start = recorded.moments.front().at;
  view.previous = std::move(previous->now);
  view.now = std::move(now->now);
  view.decisions = MadeUntil(decisions, at);
  view.verdict = std::move(now->verdict);
  view.starved_history = StarvedUntil(recorded, moment);
  return view;
}

}  // namespace sluice::exporters
