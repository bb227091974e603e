#include "session/timeline.h"

#include <algorithm>

#include "session/settled_part.h"
#include "sluice/exporters/interval.h"

namespace sluice::exporters {
namespace {

std::optional<double> Value(const std::optional<Rate>& rate) {
  return rate ? std::optional(rate->per_second) : std::nullopt;
}

std::optional<double> Value(const std::optional<Fraction>& share) {
  return share ? std::optional(share->value) : std::nullopt;
}

// Ends of the windows, as places among the moments, each once.
std::vector<std::size_t> Ends(const RecordedPipeline& pipeline, std::size_t points) {
  const MonoTime first = pipeline.moments.front().at;
  const Nanos length = pipeline.moments.back().at - first;
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t end =
        pipeline.From(first + length / static_cast<std::int64_t>(points) * static_cast<std::int64_t>(i));
    if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
  }
  if (pipeline.moments.size() > 1 && (ends.empty() || ends.back() + 1 < pipeline.moments.size()))
    ends.push_back(pipeline.moments.size() - 1);
  return ends;
}

void AddKnobs(std::vector<NamedCurve>& curves, const Snapshot& now, Nanos until) {
  for (const Knob& knob : now.knobs) {
    auto curve = std::ranges::find(curves, knob.name, &NamedCurve::name);
    if (curve == curves.end()) curve = curves.insert(curves.end(), {knob.name, {}});
    curve->curve.push_back({until, static_cast<double>(knob.value)});
  }
}

void AddConnectors(std::vector<NamedCurve>& curves, const Snapshot& from, const Snapshot& to, Nanos until) {
  for (std::size_t i = 0; i < curves.size(); ++i)
    curves[i].curve.push_back({until, MeasureConnector(from, to, i).mean_depth});
}

bool NeverChanges(const NamedCurve& curve) {
  const auto same = [&](const CurvePoint& point) { return point.value == curve.curve.front().value; };
  return std::ranges::all_of(curve.curve, same);
}

}  // namespace

Result<Timeline> MeasureTimeline(const SessionReader& session, std::size_t number, std::size_t points) {
  const RecordedPipeline& pipeline = session.pipelines().at(number);
  const MonoTime begin = pipeline.moments.front().at;
  auto from = session.At(number, 0);
  if (!from) return std::unexpected(from.error());
  Timeline timeline;
  timeline.length = pipeline.moments.back().at - begin;
  timeline.in_batches = CountedInBatches(pipeline);
  for (const ConnectorInfo& connector : pipeline.graph->connectors)
    timeline.connectors.push_back({connector.name, {}});
  AddKnobs(timeline.knobs, from->now, Nanos(0));
  for (const std::size_t end : Ends(pipeline, points)) {
    auto to = session.At(number, end);
    if (!to) return std::unexpected(to.error());
    const Nanos until = to->now.at - begin;
    const ConsumerInterval consumer = MeasureConsumer(from->now, to->now);
    timeline.rate.push_back({until, Value(timeline.in_batches ? consumer.items : consumer.rows)});
    timeline.starved.push_back({until, Value(consumer.starved)});
    AddConnectors(timeline.connectors, from->now, to->now, until);
    AddKnobs(timeline.knobs, to->now, until);
    from = std::move(to);
  }
  std::erase_if(timeline.knobs, NeverChanges);
  return timeline;
}

}  // namespace sluice::exporters
