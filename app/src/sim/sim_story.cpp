#include "sim/sim_story.h"

#include "sluice/exporters/interval.h"

namespace sluice::app {
namespace {

constexpr Nanos kRecent = std::chrono::seconds(2);

}  // namespace

void SimStory::See(const Snapshot& seen, const Decision& decision) {
  if (start_.empty()) start_ = seen.knobs;
  NoteEvents(seen.at);
  recent_.push_back(seen);
  while (recent_.size() > 2 && seen.at - recent_[1].at >= kRecent) recent_.pop_front();
  for (const Outcome& outcome : decision.outcomes)
    Add(seen.at, exporters::StoryKind::kOutcome).outcome = outcome;
  NoteVerdict(seen, decision);
  if (decision.changes.empty()) return;
  const exporters::SimMeasured measured = Measure();
  exporters::StoryEntry& entry = Add(seen.at, exporters::StoryKind::kDecision);
  entry.measured = measured;
  entry.decision = decision;
  recent_ = {seen};
}

exporters::StoryEntry& SimStory::Add(Nanos at, exporters::StoryKind kind) {
  exporters::StoryEntry& entry = entries_.emplace_back();
  entry.at = at;
  entry.kind = kind;
  return entry;
}

void SimStory::NoteEvents(Nanos now) {
  while (stretch_ + 1 < optima_.size() && optima_[stretch_ + 1].from <= now) {
    const exporters::SimOptimum& optimum = optima_[++stretch_];
    Add(optimum.from, exporters::StoryKind::kEvent).optimum = optimum;
  }
}

// The sentence has figures that differ from tick to tick; another limit is news.
void SimStory::NoteVerdict(const Snapshot& seen, const Decision& decision) {
  const Verdict& now = decision.verdict;
  if (now.limit == verdict_.limit && now.op == verdict_.op) return;
  verdict_ = now;
  Add(seen.at, exporters::StoryKind::kVerdict).decision.verdict = now;
}

exporters::SimMeasured SimStory::Measure() const {
  const Snapshot &from = recent_.front(), &to = recent_.back();
  const exporters::ConsumerInterval consumer = exporters::MeasureConsumer(from, to);
  exporters::SimMeasured measured;
  measured.rate = consumer.items.value_or(Rate{});
  measured.starved = consumer.starved;
  measured.cores = exporters::CoresUsed(from, to);
  measured.buffered = to.buffered;
  measured.optimum = optima_[stretch_].rate;
  return measured;
}

}  // namespace sluice::app
