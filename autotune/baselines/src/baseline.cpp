#include "baseline.h"

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {
namespace {

constexpr Nanos kRecent = std::chrono::seconds(2);

void Want(std::vector<KnobChange>& changes, const Snapshot& seen, const Wish& wish) {
  const Knob* knob = Find(seen, wish.knob);
  if (knob == nullptr || !Free(*knob)) return;
  const std::int64_t to = std::clamp(wish.to, knob->min, knob->max);
  if (to == knob->requested) return;
  changes.push_back({wish.knob, knob->value, to});
}

}  // namespace

Decision Baseline::Decide(const Snapshot& seen) {
  Decision decision;
  decision.at = seen.at;
  if (seen.graph == nullptr || seen.graph->ops.empty() || seen.finished) return decision;
  if (graph_ != seen.graph) Restart(seen);
  const Rate rate = RecentRate(seen);
  Move move = Next(seen);
  for (const Wish& wish : move.wishes) Want(decision.changes, seen, wish);
  if (move.previous && last_id_ > 0) decision.outcomes.push_back({last_id_, *move.previous, rate});
  decision.verdict = verdict_;
  if (decision.changes.empty()) return decision;
  decision.id = ++last_id_;
  decision.because = std::move(move.because);
  decision.before = rate;
  decision.predicted = move.predicted;
  return decision;
}

void Baseline::Restart(const Snapshot& seen) {
  graph_ = seen.graph;
  verdict_ = {};
  marks_.clear();
  Begin(seen);
}

Rate Baseline::RecentRate(const Snapshot& seen) {
  marks_.push_back({seen.at, seen.consumer.items});
  while (marks_.size() > 2 && seen.at - marks_[1].at >= kRecent) marks_.pop_front();
  const double seconds = Seconds(seen.at - marks_.front().at);
  const auto items = static_cast<double>(seen.consumer.items - marks_.front().items);
  return {seconds > 0 ? items / seconds : 0};
}

}  // namespace sluice::baselines
