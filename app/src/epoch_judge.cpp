#include "epoch_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

constexpr double kMargin = 2;      // what waiting costs is saved by half at best
constexpr double kBearable = 0.1;  // of the CPU time, or of the waiting that they can end, may go into starts
constexpr double kAffordable =
    0.01;                          // of the run's time may be lost by what is undone, before no more is tried
constexpr double kFade = 0.5;      // of what the epochs before have shown
constexpr double kFewItems = 0.5;  // of the epoch's items: an epoch that was left so early tells little
constexpr std::uint64_t kPaceItems = 4;
constexpr std::uint64_t kIds = std::uint64_t{1} << 32;  // the controller's own stay below

const Knob* Find(const Snapshot& seen, KnobKind kind) {
  const auto found = std::ranges::find(seen.knobs, kind, [](const Knob& knob) { return knob.id.kind; });
  return found == seen.knobs.end() ? nullptr : &*found;
}

std::optional<EpochSetting> SettingOf(const Snapshot& seen) {
  const Knob* workers = Find(seen, KnobKind::kWorkers);
  const Knob* capacity = Find(seen, KnobKind::kCapacity);
  if (workers == nullptr || capacity == nullptr) return std::nullopt;
  return EpochSetting{workers->value, capacity->value};
}

double Active(const Snapshot& seen) {
  return Seconds(seen.consumer.busy + seen.consumer.starved);
}

// The part of the graph that counts the workers that were started, and the CPU time of that.
const OpReading* StartUp(const Snapshot& seen) {
  for (std::size_t i = 0; seen.graph != nullptr && i < seen.ops.size(); ++i) {
    if (seen.graph->IsPart(i) && seen.graph->ops[i].name == "start-up") return &seen.ops[i];
  }
  return nullptr;
}

std::uint64_t Starts(const Snapshot& seen) {
  const OpReading* part = StartUp(seen);
  return part == nullptr ? 0 : part->items;
}

}  // namespace

void EpochJudge::Look(const Snapshot& seen, const std::optional<EndedEpoch>& ended,
                      const EpochOutlook& outlook) {
  if (!last_) {
    own_ = SettingOf(seen);
    trainer_cpu_ = Seconds(seen.process_cpu);
    begun_ = seen;
  }
  outlook_ = outlook;
  if (last_ && seen.epoch != last_->epoch) Turn(seen);
  NoteWait(seen);
  if (last_ && SettingOf(seen) != SettingOf(*last_)) EstimateOwn(*last_);
  if (last_ && own_) NoteStarts(seen);
  last_ = seen;
  if (ended && ended->number != ended_) NoteEnded(*ended);
  const auto now = SettingOf(seen);
  if (target_ && now && now->workers == target_->workers) target_.reset();
}

void EpochJudge::Turn(const Snapshot& seen) {
  before_ = begun_;
  begun_ = seen;
  flowing_.reset();
  alive_.reset();
  waited_ *= kFade;
  active_ *= kFade;
}

// More than the script's own.
void EpochJudge::NoteStarts(const Snapshot& seen) {
  const auto setting = SettingOf(seen);
  const auto started = static_cast<double>(Starts(seen) - Starts(*last_));
  if (!setting || setting->workers <= own_->workers) return;
  more_starts_ +=
      started * static_cast<double>(setting->workers - own_->workers) / static_cast<double>(setting->workers);
}

// Not while workers start: more of them would not make that shorter.
void EpochJudge::NoteWait(const Snapshot& seen) {
  const auto setting = SettingOf(seen);
  const bool started = ended_ == 0 && setting && setting->workers > 0 &&
                       Starts(seen) >= static_cast<std::uint64_t>(setting->workers);
  if (!alive_ && (started || seen.consumer.items > begun_.consumer.items)) alive_ = seen;
  if (last_ && alive_ && alive_->at < seen.at && seen.epoch == last_->epoch) {
    waited_ += Seconds(seen.consumer.starved - last_->consumer.starved);
    active_ += Active(seen) - Active(*last_);
  }
  if (!flowing_ && seen.consumer.items > begun_.consumer.items) flowing_ = seen;
}

// What the first epoch would have come to without the change that has just been made.
void EpochJudge::EstimateOwn(const Snapshot& seen) {
  if (!flowing_ || ended_ > 0 || outlook_.items == 0 || !own_ || SettingOf(seen) != own_) return;
  const std::uint64_t items = seen.consumer.items - flowing_->consumer.items;
  if (items < kPaceItems) return;
  const double pace = (Active(seen) - Active(*flowing_)) / static_cast<double>(items);
  const auto left = static_cast<double>(outlook_.items) - static_cast<double>(flowing_->consumer.items);
  ledger_.Estimate(*own_, {(Active(*flowing_) + pace * left) / static_cast<double>(outlook_.items), 0});
}

EpochCost EpochJudge::CostOf(const EndedEpoch& ended) const {
  EpochCost cost{Seconds(ended.took) / static_cast<double>(ended.items), 0};
  const Snapshot& from =
      last_->epoch == begun_.epoch && last_->consumer.items > begun_.consumer.items + ended.items / 2
          ? begun_
          : before_.value_or(begun_);
  const Snapshot& to = &from == &begun_ ? *last_ : begun_;
  const double items = static_cast<double>(to.consumer.items - from.consumer.items);
  if (items > 0) cost.cpu = Seconds(to.process_cpu - from.process_cpu) / items;
  return cost;
}

void EpochJudge::NoteEnded(const EndedEpoch& ended) {
  const bool next = ended.number == ended_ + 1;
  ended_ = ended.number;
  last_ended_ = ended;
  const std::uint64_t starts = Starts(*last_);
  if (ended.number > 1 && next && ended.workers != 0) starts_every_epoch_ = starts > starts_before_;
  starts_before_ = starts;
  const bool whole = static_cast<double>(ended.items) >= kFewItems * static_cast<double>(outlook_.items);
  if (ended.items == 0 || !whole) return;
  const EpochCost cost = CostOf(ended);
  const EpochSetting setting{ended.workers, ended.capacity};
  if (ended.workers >= 0) ledger_.Add(setting, cost, ended.number == 1);
  const auto now = SettingOf(*last_);
  if (!now || target_) return;
  if (ended.workers >= 0 && setting == *now) finding_ = ledger_.Worse(setting);
  if (ended.workers < 0 && starts_every_epoch_) finding_ = ledger_.WorseAt(*now, cost);
  if (finding_)
    lost_ += std::max(0.0, (cost.seconds - finding_->was.seconds) * static_cast<double>(ended.items));
}

// Of one worker: what it computes until it works, and what starting it takes the trainer. Before one has been
// started: what the trainer's own start took, as a worker that is spawned does the same.
double EpochJudge::StartSeconds() const {
  if (StartUp(*last_) == nullptr) return 0;
  const double own = outlook_.start_cpu > Nanos(0) ? Seconds(outlook_.start_cpu) : trainer_cpu_;
  return own + Seconds(outlook_.start);
}

double EpochJudge::WaitShare() const {
  return active_ > 0 ? std::clamp(waited_ / active_, 0.0, 1.0) : 0;
}

// Of the consumer, in which it is certain that workers repay their start: the rest of the epoch, as workers
// may end with it. Without workers they come with the next epoch; where nobody knows an epoch's length as
// much is left as has passed.
double EpochJudge::SecondsLeft() const {
  const Knob* workers = Find(*last_, KnobKind::kWorkers);
  const bool comes_next = workers != nullptr && workers->takes_effect == TakesEffect::kNextEpoch;
  if (comes_next) return last_ended_ ? Seconds(last_ended_->took - last_ended_->first) : 0;
  if (!flowing_) return alive_ ? Active(*last_) - Active(*alive_) : 0;
  const double passed = Active(*last_) - Active(*flowing_);
  if (outlook_.items == 0) return passed;
  const auto taken = static_cast<double>(last_->consumer.items - flowing_->consumer.items);
  const auto left = static_cast<double>(outlook_.items) -
                    static_cast<double>(last_->consumer.items - begun_.consumer.items);
  return taken > 0 && left > 0 ? passed / taken * left : 0;
}

// CPU time of the run that bears what is started now: of one epoch, where each starts its workers anew, else
// of all of them, of which as much is taken to be left as has passed.
double EpochJudge::CpuLeft() const {
  const double used = Seconds(last_->process_cpu) - trainer_cpu_ - StartSeconds() * more_starts_;
  if (!starts_every_epoch_) return std::max(0.0, 2 * used);
  const auto items = static_cast<double>(last_->consumer.items);
  const bool known = outlook_.items > 0 && items > 0;
  return std::max(0.0, known ? used / items * static_cast<double>(outlook_.items) : used);
}

// Seconds for starts that may not pay: what costs the run too little to be felt.
double EpochJudge::Affordable() const {
  const double active = Active(*last_);
  const double account = kAffordable * active - StartSeconds() * more_starts_;
  const double epoch = last_ended_ ? Seconds(last_ended_->took) : active;
  const double each = starts_every_epoch_ ? kAffordable * epoch - StartSeconds() * MoreThanOwn() : account;
  return std::min({account, each, WaitShare() * active / kMargin});
}

std::int64_t EpochJudge::MoreThanOwn() const {
  const Knob* workers = Find(*last_, KnobKind::kWorkers);
  return workers == nullptr || !own_ ? 0 : std::max<std::int64_t>(workers->value - own_->workers, 0);
}

// Seconds for starts that save enough of so much waiting, and that the run can bear.
double EpochJudge::Worth(double waiting) const {
  const double more = starts_every_epoch_ ? static_cast<double>(MoreThanOwn()) : more_starts_;
  const double bearable = kBearable * std::max(CpuLeft(), waiting) - StartSeconds() * more;
  return std::min(waiting / kMargin, bearable);
}

// Workers that may be started: those that save their start in what is left of the epoch and that the run can
// bear, or as many as are not felt.
std::int64_t EpochJudge::Room() const {
  constexpr double kAll = 1 << 20;
  const double start = StartSeconds();
  if (start <= 0) return static_cast<std::int64_t>(kAll);
  const double worth = Worth(WaitShare() * SecondsLeft());
  return static_cast<std::int64_t>(std::clamp(std::max(worth, Affordable()) / start, 0.0, kAll));
}

std::optional<Fraction> EpochJudge::TooDearStart() const {
  if (!last_ || !last_ended_ || !starts_every_epoch_ || CpuLeft() <= 0) return std::nullopt;
  const double start = StartSeconds();
  const double waiting = WaitShare() * Seconds(last_ended_->took - last_ended_->first);
  if (Worth(waiting) >= start) return std::nullopt;
  return Fraction{start / CpuLeft()};
}

void EpochJudge::Bound(Snapshot& seen) const {
  if (!last_) return;
  const bool poor = lost_ > kAffordable * Active(*last_);
  for (Knob& knob : seen.knobs) {
    const bool free = knob.held == HeldBecause::kNot && knob.holder == Holder::kAuto;
    if (free && (target_ || finding_ || poor)) knob.holder = Holder::kUser;
    if (knob.id.kind != KnobKind::kWorkers) continue;
    const std::int64_t present = std::max(knob.value, knob.requested);
    std::int64_t most = std::max(present, knob.value + Room());
    if (most_ > 0) most = std::min(most, std::max(most_, knob.value));
    knob.max = std::clamp(most, knob.value, std::max(knob.max, knob.value));
    if (least_ > 0) knob.min = std::clamp(least_, knob.min, std::max(knob.min, knob.value));
  }
}

Decision EpochJudge::Undo() {
  Decision undo;
  if (!finding_) return undo;
  const EpochFinding found = *std::exchange(finding_, std::nullopt);
  const Knob* workers = Find(*last_, KnobKind::kWorkers);
  const Knob* capacity = Find(*last_, KnobKind::kCapacity);
  const std::int64_t now = workers->value, better = found.better.workers;
  if (now > better) most_ = (now + better) / 2;
  if (now < better) least_ = (now + better + 1) / 2;
  if (now != better) undo.changes.push_back({workers->id, now, better});
  if (capacity->value != found.better.capacity)
    undo.changes.push_back({capacity->id, capacity->value, found.better.capacity});
  std::erase_if(undo.changes, [&](const KnobChange& change) {
    return (change.knob == workers->id ? workers : capacity)->held != HeldBecause::kNot;
  });
  if (undo.changes.empty()) return undo;
  undo.id = kIds + ++asked_;
  undo.at = last_->at;
  undo.because = fmt::format(
      "whole epochs: {:.3g} ms per batch instead of {:.3g} ms{}: undone", 1e3 * found.is.seconds,
      1e3 * found.was.seconds,
      found.longer ? "" : fmt::format(", but {:.2g} times the CPU time", found.is.cpu / found.was.cpu));
  undo.before = {1 / found.is.seconds};
  undo.predicted = {1 / found.was.seconds};
  target_ = found.better;
  return undo;
}

std::optional<EpochSetting> EpochJudge::Instead() const {
  if (!last_) return std::nullopt;
  const auto now = SettingOf(*last_);
  if (!now) return std::nullopt;
  if (target_) return target_;
  if (const auto worse = ledger_.Worse(*now)) return worse->better;
  const auto best = ledger_.Best();
  const bool proven = ledger_.Of(*now).has_value();
  if (proven || !best || *best == *now || !last_ended_ || last_ended_->items == 0) return std::nullopt;
  const auto worse = ledger_.WorseAt(*now, CostOf(*last_ended_));
  return worse ? std::optional(worse->better) : std::nullopt;
}

}  // namespace sluice
