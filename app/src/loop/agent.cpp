#include "loop/agent.h"

#include <algorithm>
#include <utility>

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kKeep{10};
constexpr std::chrono::seconds kFirstWindow{3};
constexpr std::chrono::seconds kLastWindow{5};
constexpr std::chrono::minutes kLongestWindow{2};
constexpr std::uint64_t kWindowItems = 4;  // windows are longer where the consumer is slow
constexpr std::chrono::milliseconds kShortestWindow{500};
constexpr std::chrono::milliseconds kShortestFirstWindow{150};  // the first change comes that soon
constexpr std::chrono::seconds kSettles{1};                     // a user's change, once it is in force
constexpr std::chrono::milliseconds kHistoryStep{500};
constexpr std::size_t kHistoryLength = 240;

std::uint64_t Items(const Snapshot& from, const Snapshot& to) {
  return to.consumer.items - from.consumer.items;
}

bool IsInForce(const std::vector<KnobChange>& changes, const std::vector<Knob>& knobs) {
  return std::ranges::all_of(changes, [&](const KnobChange& change) {
    const auto knob = std::ranges::find(knobs, change.knob, &Knob::id);
    return knob != knobs.end() && knob->value == change.to;
  });
}

Snapshot AllPinned(Snapshot seen) {
  for (Knob& knob : seen.knobs) knob.holder = Holder::kUser;
  return seen;
}

}  // namespace

Agent::Agent(Plant& plant, autotune::Controller* controller) : plant_(plant), controller_(controller) {
  first_ = plant_.Sense();
  recent_.push_back(first_);
}

const Decision& Agent::Step() {
  Remember(plant_.Sense());
  decided_ = {};
  if (controller_ == nullptr) return decided_;
  decided_ = controller_->Decide(held_ ? AllPinned(now()) : now());
  verdict_ = decided_.verdict;
  MeasureUsersChange();
  decisions_.Add(decided_);
  if (!decided_.changes.empty()) {
    plant_.Act(decided_);
    if (!decided_.advice) {
      last_change_ = now().at;
      unmeasured_.reset();
    }
    if (flowing_ && !first_window_end_) first_window_end_ = now();
  }
  return decided_;
}

void Agent::Adopt(Decision decision) {
  const bool by_user = decision.author == Author::kUser && !decision.changes.empty();
  if (const auto forecast = by_user ? Foresee(decision.changes) : std::nullopt) {
    decision.before = forecast->now.rate;
    decision.predicted = forecast->then.rate;
  }
  decisions_.Add(decision);
  decisions_.Apply({.decision = decision.id, .fate = Fate::kKept, .measured = {}});
  if (decision.changes.empty()) return;
  plant_.Act(decision);
  last_change_ = now().at;
  unmeasured_.reset();
  if (by_user) unmeasured_ = Unmeasured{std::move(decision), {}};
}

std::optional<Forecast> Agent::Foresee(const std::vector<KnobChange>& changes) {
  return controller_ == nullptr ? std::nullopt : controller_->Foresee(now(), changes);
}

std::vector<Belief> Agent::Beliefs() const {
  return controller_ == nullptr ? std::vector<Belief>() : controller_->DebugState();
}

// Over a last window of its own; what is changed again before is never known.
void Agent::MeasureUsersChange() {
  if (!unmeasured_) return;
  if (!unmeasured_->in_force) {
    if (IsInForce(unmeasured_->decision.changes, now().knobs)) unmeasured_->in_force = now().at;
    return;
  }
  const auto span = LastSpan();
  if (!span || span->from.at < *unmeasured_->in_force + kSettles || span->to.at - span->from.at < kLastWindow)
    return;
  decided_.outcomes.push_back({.decision = unmeasured_->decision.id,
                               .fate = Fate::kKept,
                               .measured = exporters::MeasureConsumer(span->from, span->to).items});
  unmeasured_.reset();
}

void Agent::TellNews(const std::function<void(MonoTime, const std::string&)>& tell) {
  const auto& entries = decisions_.entries();
  for (const Outcome& outcome : decided_.outcomes) {
    for (const exporters::LoggedDecision& entry : entries) {
      if (entry.decision.id == outcome.decision) tell(now().at, exporters::DecisionJson(entry));
    }
  }
  for (; told_ < entries.size(); ++told_) tell(now().at, exporters::DecisionJson(entries[told_]));
  if (verdict_.limit == told_verdict_.limit && verdict_.op == told_verdict_.op) return;
  told_verdict_ = verdict_;
  tell(now().at, exporters::VerdictRecordJson(verdict_, now()));
}

void Agent::LookBack() {
  Snapshot last = plant_.Sense();
  for (const Knob& knob : last.knobs) {
    if (knob.id.kind == KnobKind::kWorkers && knob.id.target < last.ops.size()) {
      last.ops[knob.id.target].workers = static_cast<int>(knob.value);
    }
  }
  Remember(std::move(last));
}

void Agent::Remember(Snapshot seen) {
  if (!flowing_ && seen.consumer.items > 0) flowing_ = seen;
  if (flowing_ && !first_window_end_ && seen.at - flowing_->at >= kFirstWindow &&
      Items(*flowing_, seen) >= kWindowItems) {
    first_window_end_ = seen;
  }
  NoteFlow(seen);
  recent_.push_back(std::move(seen));
  while (recent_.size() > 2 && now().at - recent_[1].at > kKeep) recent_.pop_front();
  NoteStarved();
}

void Agent::NoteFlow(const Snapshot& seen) {
  if (Items(flow_.empty() ? first_ : flow_.back(), seen) == 0) return;
  flow_.push_back(seen);
  const auto spare = [&](const Snapshot& second) {
    const Nanos age = seen.at - second.at;
    return age > kLongestWindow || (age > kLastWindow && Items(second, seen) >= kWindowItems);
  };
  while (flow_.size() > 2 && spare(flow_[1])) flow_.pop_front();
}

void Agent::NoteStarved() {
  if (!starved_from_) starved_from_ = now();
  if (now().at - starved_from_->at < kHistoryStep) return;
  const auto interval = exporters::MeasureConsumer(*starved_from_, now());
  if (interval.starved) starved_.push_back(*interval.starved);
  if (starved_.size() > kHistoryLength) starved_.erase(starved_.begin());
  starved_from_ = now();
}

const Snapshot& Agent::Before(Nanos age) const {
  const auto old_enough = [&](const Snapshot& s) { return now().at - s.at >= age; };
  const auto found = std::find_if(recent_.rbegin(), recent_.rend(), old_enough);
  return found == recent_.rend() ? recent_.front() : *found;
}

std::optional<Span> Agent::FirstSpan() const {
  if (!flowing_) return std::nullopt;
  const Snapshot& end = first_window_end_ ? *first_window_end_ : now();
  const Nanos shortest = first_window_end_ ? kShortestFirstWindow : kShortestWindow;
  if (end.at - first_.at < shortest) return std::nullopt;
  // From the very start where the first item came late: otherwise a slow start would not count.
  return Span{end.at - flowing_->at < shortest ? first_ : *flowing_, end};
}

// Up to the last item: what comes after it is a pause, unless the consumer waits.
std::optional<Span> Agent::LastSpan() const {
  if (flow_.empty()) return std::nullopt;
  const bool waits = now().consumer.starved - flow_.back().consumer.starved >= kLastWindow;
  const Snapshot& end = waits ? now() : flow_.back();
  Nanos length = kLastWindow;
  if (last_change_) length = std::clamp<Nanos>(end.at - *last_change_, kShortestWindow, kLastWindow);
  const auto long_enough = [&](const Snapshot& from) {
    const bool before_change = last_change_ && from.at <= *last_change_;
    return end.at - from.at >= length && (before_change || waits || Items(from, end) >= kWindowItems);
  };
  const auto found = std::find_if(flow_.rbegin(), flow_.rend(), long_enough);
  const Snapshot& from = found == flow_.rend() ? flow_.front() : *found;
  if (end.at - from.at < kShortestWindow) return std::nullopt;
  return Span{from, end};
}

std::optional<exporters::ConsumerInterval> Agent::FirstWindow() const {
  const auto span = FirstSpan();
  return span ? std::optional(exporters::MeasureConsumer(span->from, span->to)) : std::nullopt;
}

std::optional<exporters::ConsumerInterval> Agent::LastWindow() const {
  const auto span = LastSpan();
  return span ? std::optional(exporters::MeasureConsumer(span->from, span->to)) : std::nullopt;
}

}  // namespace sluice::app
