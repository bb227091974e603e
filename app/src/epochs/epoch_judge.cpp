#include "epochs/epoch_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "epochs/loader_view.h"
#include "sluice/base/check.h"

namespace sluice::app {
namespace {

constexpr double kMargin = 2;  // what waiting costs is saved by half at best
// Seconds that the trainer takes at least to receive a batch from a worker and to send it the next task: 0.5
// to 0.65 ms with two tensors of a few kB (PyTorch 1.13 on a Xeon, 2026-11-30). Where it makes the batch in
// less, no worker helps.
constexpr double kHandOver = 0.0003;
constexpr double kBearable = 0.1;  // of the CPU time, or of the waiting that they can end, may go into starts
constexpr double kAffordable = 0.01;  // of the run's time may be lost by what is undone
constexpr double kEpochsToTry = 2;    // of a setting, before the script's own is put back for one ...
constexpr double kEpochsOfGain = 8;   // ... or so many, where that would clearly take longer ...
constexpr double kEpochsOfLoss = 1;   // ... or shorter
constexpr std::uint64_t kTrial = 3;   // epochs at most; the one that it comes in does not count
constexpr double kPause = 2;       // times the time until something was undone: nothing else is tried before
constexpr double kFade = 0.5;      // of what the epochs before have shown
constexpr double kCheaper = 0.75;  // of what rows took: not by chance
constexpr double kFewItems = 0.5;  // of the epoch's items: an epoch that was left so early tells little
constexpr std::uint64_t kPaceItems = 4;
constexpr std::uint64_t kIds = std::uint64_t{1} << 32;  // the controller's own stay below

}  // namespace

void EpochJudge::Look(const Snapshot& seen, const std::optional<probes::EndedEpoch>& ended,
                      const probes::EpochOutlook& outlook, const std::vector<WorkerReading>& workers) {
  if (!last_) {
    own_ = EpochSettingOf(seen);
    ledger_.SetOwn(own_);
    trainer_cpu_ = Seconds(seen.process_cpu);
    begun_ = seen;
  }
  outlook_ = outlook;
  if (last_ && seen.epoch != last_->epoch) Turn(seen, workers);
  if (last_ && EpochSettingOf(seen) != EpochSettingOf(*last_)) EstimateOwn(*last_);
  if (const Knob* knob = FindKnob(seen, KnobKind::kWorkers))
    most_workers_ = std::max({most_workers_, knob->value, knob->requested});
  NoteWait(seen);
  if (last_ && own_) NoteStarts(seen);
  last_ = seen;
  if (ended && ended->number != ended_) NoteEnded(*ended);
  const auto now = EpochSettingOf(seen);
  if (target_ && now && now->workers == target_->workers) target_.reset();
}

// Who comes later has a later number.
EpochJudge::Fetched EpochJudge::FetchedBy(const std::vector<WorkerReading>& workers,
                                          std::int64_t first) const {
  Fetched fetched;
  const Knob* knob = FindKnob(last(), KnobKind::kWorkers);
  for (const WorkerReading& worker : workers) {
    if (knob == nullptr || worker.op != OpId{knob->id.target} || worker.number >= first) continue;
    fetched.items += static_cast<double>(worker.items);
    fetched.busy += worker.busy;
  }
  return fetched;
}

void EpochJudge::Turn(const Snapshot& seen, const std::vector<WorkerReading>& workers) {
  const bool first = !before_;
  before_ = begun_;
  begun_ = seen;
  own_before_ = std::exchange(own_begun_, FetchedBy(workers, own_ ? own_->workers : 0));
  all_before_ = std::exchange(all_begun_, FetchedBy(workers, std::numeric_limits<std::int64_t>::max()));
  if (!first) dearest_fetch_ = std::max(dearest_fetch_, FetchSeconds().value_or(0));
  flowing_.reset();
  alive_.reset();
  waited_ *= kFade;
  active_ *= kFade;
}

// More than the script's own.
void EpochJudge::NoteStarts(const Snapshot& seen) {
  const auto setting = EpochSettingOf(seen);
  const auto started = static_cast<double>(StartsOf(seen) - StartsOf(last()));
  if (!setting || !own_ || setting->workers <= own_->workers) return;
  more_starts_ +=
      started * static_cast<double>(setting->workers - own_->workers) / static_cast<double>(setting->workers);
}

// Not while workers start: more of them would not make that shorter.
void EpochJudge::NoteWait(const Snapshot& seen) {
  const auto setting = EpochSettingOf(seen);
  const bool started = ended_ == 0 && setting && setting->workers > 0 &&
                       StartsOf(seen) >= static_cast<std::uint64_t>(setting->workers);
  if (!alive_ && (started || seen.consumer.items > begun_.consumer.items)) alive_ = seen;
  if (last_ && alive_ && alive_->at < seen.at && seen.epoch == last_->epoch) {
    const auto items = static_cast<double>(seen.consumer.items - last().consumer.items);
    const double stays = setting && setting->workers == 0 ? kHandOver * items : 0;
    waited_ += std::max(0.0, Seconds(seen.consumer.starved - last().consumer.starved) - stays);
    active_ += ActiveSeconds(seen) - ActiveSeconds(last());
  }
  if (!flowing_ && seen.consumer.items > begun_.consumer.items) flowing_ = seen;
}

// What the first epoch would have come to without the change that has just been made.
void EpochJudge::EstimateOwn(const Snapshot& seen) {
  if (!flowing_ || ended_ > 0 || outlook_.items == 0 || !own_ || EpochSettingOf(seen) != own_) return;
  const Knob* workers = FindKnob(seen, KnobKind::kWorkers);
  const std::size_t fetch = workers == nullptr ? seen.ops.size() : workers->id.target;
  if (fetch >= seen.ops.size() || fetch >= flowing_->ops.size()) return;
  // What was taken faster than it was made had been waiting.
  const std::uint64_t items = std::min(seen.consumer.items - flowing_->consumer.items,
                                       seen.ops[fetch].items - flowing_->ops[fetch].items);
  if (items < kPaceItems || items >= outlook_.items) return;
  const auto all = static_cast<double>(outlook_.items);
  const auto left = static_cast<double>(outlook_.items - std::min(outlook_.items, flowing_->consumer.items));
  const auto whole = [&](double started, double flowed) {
    return (started + flowed / static_cast<double>(items) * left) / all;
  };
  ledger_.Estimate(*own_,
                   {whole(ActiveSeconds(*flowing_), ActiveSeconds(seen) - ActiveSeconds(*flowing_)),
                    whole(Seconds(flowing_->process_cpu - begun_.process_cpu),
                          Seconds(seen.process_cpu - flowing_->process_cpu))},
                   Fraction{static_cast<double>(items) / all});
}

EpochCost EpochJudge::CostOf(const probes::EndedEpoch& ended) const {
  EpochCost cost{Seconds(ended.took) / static_cast<double>(ended.items), 0};
  const Snapshot& from =
      last().epoch == begun_.epoch && last().consumer.items > begun_.consumer.items + ended.items / 2
          ? begun_
          : before_.value_or(begun_);
  const Snapshot& to = &from == &begun_ ? last() : begun_;
  const double items = static_cast<double>(to.consumer.items - from.consumer.items);
  if (items > 0) cost.cpu = Seconds(to.process_cpu - from.process_cpu) / items;
  return cost;
}

void EpochJudge::NoteEnded(const probes::EndedEpoch& ended) {
  const bool next = ended.number == ended_ + 1;
  ended_ = ended.number;
  last_ended_ = ended;
  most_taken_ = std::max(most_taken_, ended.items);
  if (ended.number == 1) first_start_ = ended.first;
  const std::uint64_t starts = StartsOf(last());
  if (ended.number > 1 && next && ended.workers != 0) {
    starts_every_epoch_ = starts > starts_before_ && starts > static_cast<std::uint64_t>(most_workers_);
    starts_are_known_ = true;
  }
  starts_before_ = starts;
  const bool whole = static_cast<double>(ended.items) >= kFewItems * static_cast<double>(outlook_.items);
  const bool counts = ended.items > 0 && whole;
  const EpochCost cost = counts ? CostOf(ended) : EpochCost{};
  const EpochSetting setting{ended.workers, ended.capacity};
  if (counts && ended.workers >= 0) ledger_.Add(setting, cost, ended.number == 1);
  if (tried_against_) Compare(ended);
  const auto now = EpochSettingOf(last());
  if (!counts || !now || target_ || tried_against_) return;
  if (ended.workers >= 0 && setting == *now) finding_ = ledger_.Worse(setting);
  if (ended.workers < 0 && starts_every_epoch_ && ended.number != decided_in_)
    finding_ = ledger_.WorseAt(*now, cost);
  // What batches cost on their way to the trainer is paid with the first worker, what they save comes with
  // the next ones.
  if (finding_ && !finding_->longer && ledger_.Epochs(*now) < EpochLedger::kEpochsToGain) finding_.reset();
  if (finding_ && !finding_->estimated) NoteLost(static_cast<double>(ended.items));
}

// REQUIRES: it has looked.
const Snapshot& EpochJudge::last() const {
  SLUICE_CHECK(last_);
  return *last_;
}

void EpochJudge::NoteLost(double items) {
  SLUICE_CHECK(finding_);
  lost_ += std::max(0.0, (finding_->is.seconds - finding_->was.seconds) * items);
  quiet_until_ = std::max(kPause * ActiveSeconds(last()), lost_ / kAffordable);
}

// Of one worker: what it computes until it works, and what starting it takes the trainer. Before one has been
// started: what the trainer's own start took, as a worker that is spawned does the same.
double EpochJudge::StartSeconds() const {
  if (StartUpOf(last()) == nullptr) return 0;
  const double own = outlook_.start_cpu > Nanos(0) ? Seconds(outlook_.start_cpu) : trainer_cpu_;
  return own + Seconds(outlook_.start);
}

double EpochJudge::WaitShare() const {
  return active_ > 0 ? std::clamp(waited_ / active_, 0.0, 1.0) : 0;
}

// Seconds, start-up left out: of the present epoch, or of the run, where its workers last.
double EpochJudge::Waited() const {
  if (!starts_every_epoch_) return std::max(0.0, Seconds(last().consumer.starved - first_start_));
  return alive_ ? Seconds(last().consumer.starved - alive_->consumer.starved) : 0;
}

// Of the consumer, in which it is certain that workers repay their start: the rest of the epoch, as workers
// may end with it. Without workers they come with the next epoch; where nobody knows an epoch's length, or
// workers last, as much is left as has passed.
double EpochJudge::SecondsLeft() const {
  if (!starts_every_epoch_) return ActiveSeconds(last());
  if (ComesNext()) return last_ended_ ? Seconds(last_ended_->took - last_ended_->first) : 0;
  if (!flowing_) return alive_ ? ActiveSeconds(last()) - ActiveSeconds(*alive_) : 0;
  const double passed = ActiveSeconds(last()) - ActiveSeconds(*flowing_);
  if (outlook_.items == 0) return passed;
  const auto taken = static_cast<double>(last().consumer.items - flowing_->consumer.items);
  const auto left = static_cast<double>(outlook_.items) -
                    static_cast<double>(last().consumer.items - begun_.consumer.items);
  return taken > 0 && left > 0 ? passed / taken * left : 0;
}

// CPU time of the run that bears what is started now: of one epoch, where each starts its workers anew, else
// of all of them. Where nobody knows how long that is, as much is taken to be left as has passed. The
// script's own starts count once: they say nothing of what items take.
double EpochJudge::BearingCpu() const {
  const double start = StartSeconds();
  const auto started = static_cast<double>(StartsOf(last()));
  const double flowed = std::max(0.0, Seconds(last().process_cpu) - trainer_cpu_ - start * started);
  const auto items = static_cast<double>(last().consumer.items);
  if (!starts_every_epoch_ || outlook_.items == 0 || items == 0)
    return 2 * flowed + start * std::max(0.0, started - more_starts_);
  const double own = own_ ? static_cast<double>(own_->workers) : 0;
  return flowed / items * static_cast<double>(outlook_.items) + start * own;
}

// Seconds for starts that may not pay: what costs the run too little to be felt.
double EpochJudge::Affordable() const {
  const double active = ActiveSeconds(last());
  const double account = kAffordable * active - StartSeconds() * more_starts_;
  const double epoch = last_ended_ ? Seconds(last_ended_->took) : active;
  const double each = starts_every_epoch_ ? kAffordable * epoch - StartSeconds() * MoreThanOwn() : account;
  return std::min({account, each, WaitShare() * active / kMargin});
}

// What is changed now is of use to the next epoch only.
bool EpochJudge::ComesNext() const {
  const Knob* workers = FindKnob(last(), KnobKind::kWorkers);
  return workers != nullptr && workers->takes_effect == TakesEffect::kNextEpoch;
}

std::int64_t EpochJudge::MoreThanOwn() const {
  const Knob* workers = FindKnob(last(), KnobKind::kWorkers);
  return workers == nullptr || !own_ ? 0 : std::max<std::int64_t>(workers->value - own_->workers, 0);
}

// Seconds for starts that save enough of the waiting that is left, and that the run can bear with those
// before them, which is why what was waited before counts as well.
double EpochJudge::Worth(double left, double waited) const {
  const double more = starts_every_epoch_ ? static_cast<double>(MoreThanOwn()) : more_starts_;
  const double bearable = kBearable * std::max(BearingCpu(), waited + left) - StartSeconds() * more;
  return std::min(left / kMargin, bearable);
}

// Workers that may be started: those that save their start in what is left of the epoch and that the run can
// bear, or as many as are not felt.
std::int64_t EpochJudge::Room() const {
  constexpr double kAll = 1 << 20;
  const double start = StartSeconds();
  if (start <= 0) return static_cast<std::int64_t>(kAll);
  const double worth = Worth(WaitShare() * SecondsLeft(), ComesNext() ? 0 : Waited());
  return static_cast<std::int64_t>(std::clamp(std::max(worth, Affordable()) / start, 0.0, kAll));
}

std::optional<exporters::TriedWorkers> EpochJudge::TriedInVain() const {
  const auto now = last_ ? EpochSettingOf(*last_) : std::nullopt;
  if (!in_vain_ || !now || now->workers >= in_vain_->workers) return std::nullopt;
  exporters::TriedWorkers tried = *in_vain_;
  tried.started_anew = starts_are_known_ && starts_every_epoch_;
  return tried;
}

std::optional<Fraction> EpochJudge::TooDearStart() const {
  if (!last_ || !last_ended_ || !starts_every_epoch_ || BearingCpu() <= 0) return std::nullopt;
  const double start = StartSeconds();
  const double waiting = WaitShare() * Seconds(last_ended_->took - last_ended_->first);
  if (Worth(waiting, 0) >= start) return std::nullopt;
  return Fraction{start / BearingCpu()};
}

void EpochJudge::Range::Close(std::int64_t refused, std::int64_t better) {
  if (refused > better) most = (refused + better) / 2;
  if (refused < better) least = (refused + better + 1) / 2;
}

void EpochJudge::Range::Narrow(Knob& knob) const {
  if (most) knob.max = std::clamp(*most, knob.value, std::max(knob.max, knob.value));
  if (least) knob.min = std::clamp(*least, knob.min, std::max(knob.min, knob.value));
}

// No more batches can be fetched ahead than an epoch has; where the loop leaves its epochs early, more than
// it has taken of any would be fetched in vain.
void EpochJudge::BoundCapacity(Knob& knob) const {
  const std::int64_t present = std::max(knob.value, knob.requested);
  const bool as_before = last().consumer.items - begun_.consumer.items < most_taken_;
  const auto all = static_cast<std::int64_t>(as_before ? most_taken_ : outlook_.items);
  if (all > 0) knob.max = std::clamp(all, present, std::max(knob.max, present));
  capacity_.Narrow(knob);
}

void EpochJudge::Bound(Snapshot& seen) const {
  if (!last_) return;
  const bool poor = ActiveSeconds(*last_) < quiet_until_;
  for (Knob& knob : seen.knobs) {
    const bool free = knob.held == HeldBecause::kNot && knob.holder == Holder::kAuto;
    if (free && (target_ || finding_ || tried_against_ || poor)) knob.holder = Holder::kUser;
    if (knob.id.kind == KnobKind::kCapacity) BoundCapacity(knob);
    if (knob.id.kind != KnobKind::kWorkers) continue;
    const std::int64_t present = std::max(knob.value, knob.requested);
    const std::int64_t most = std::max(present, knob.value + Room());
    knob.max = std::clamp(most, knob.value, std::max(knob.max, knob.value));
    workers_.Narrow(knob);
  }
}

// Of a worker for each item of the last whole epoch, without what it queued for a core; nullopt: not known.
std::optional<double> EpochJudge::FetchSeconds() const {
  const Knob* workers = last_ ? FindKnob(last(), KnobKind::kWorkers) : nullptr;
  if (workers == nullptr || !before_) return std::nullopt;
  const std::size_t fetch = workers->id.target;
  if (fetch >= begun_.ops.size() || fetch >= before_->ops.size()) return std::nullopt;
  const OpReading &from = before_->ops[fetch], &to = begun_.ops[fetch];
  const auto fetched = static_cast<double>(to.items - from.items);
  if (fetched <= 0) return std::nullopt;
  const Nanos queued = to.runnable.value_or(Nanos(0)) - from.runnable.value_or(Nanos(0));
  return std::max(0.0, Seconds(to.busy - from.busy - queued)) / fetched;
}

// Of what an item takes, what it takes in those that have lived the longest.
double EpochJudge::InOwnWorkers() const {
  const double items = own_begun_.items - own_before_.items;
  const double all_items = all_begun_.items - all_before_.items;
  const double busy = Seconds(own_begun_.busy - own_before_.busy);
  const double all_busy = Seconds(all_begun_.busy - all_before_.busy);
  if (starts_every_epoch_ || items < kPaceItems || all_busy <= 0) return 1;
  return std::min(1.0, busy / items / (all_busy / all_items));
}

// Neither the trainer nor its workers are held up by each other. They start as fast as the first ones, or as
// the newest.
std::optional<double> EpochJudge::OwnByPresentCosts() const {
  const auto all = FetchSeconds();
  if (!all || !before_ || !own_ || !last_ended_ || last_ended_->items == 0) return std::nullopt;
  const auto taken = static_cast<double>(begun_.consumer.items - before_->consumer.items);
  if (taken <= 0) return std::nullopt;
  const double present = *all * InOwnWorkers();
  const bool cheapens = !starts_every_epoch_ && present < kCheaper * dearest_fetch_;
  const double fetch_each = cheapens ? 0 : present;
  const double step_each = Seconds(begun_.consumer.busy - before_->consumer.busy) / taken;
  const double start_each =
      Seconds(std::min(first_start_, last_ended_->first)) / static_cast<double>(last_ended_->items);
  if (own_->workers == 0) return fetch_each + step_each;
  return start_each + std::max(step_each, fetch_each / static_cast<double>(own_->workers));
}

double EpochJudge::EpochsToTry(EpochSetting now) const {
  const auto own = OwnByPresentCosts();
  const auto present = ledger_.Of(now);
  if (!own || !present) return kEpochsToTry;
  if (ledger_.Longer(*own, present->seconds)) return kEpochsOfGain;
  return ledger_.Longer(present->seconds, *own) ? kEpochsOfLoss : kEpochsToTry;
}

// The script's own setting costs a run nothing that it would not have cost anyway, but what was gained by
// then is lost for an epoch, and workers that last are ended and started again.
bool EpochJudge::TrialIsDue() const {
  const auto now = EpochSettingOf(last());
  if (!own_ || !now || *now == *own_ || target_ || finding_ || tried_against_) return false;
  const auto adjustable = [](const Knob& knob) {
    return knob.held == HeldBecause::kNot && knob.holder == Holder::kAuto;
  };
  if (!std::ranges::all_of(last().knobs, adjustable)) return false;
  if (ledger_.Epochs(*own_) >= 1) return false;
  const double restarts =
      starts_every_epoch_ ? 0 : StartSeconds() * static_cast<double>(std::abs(now->workers - own_->workers));
  return ledger_.Epochs(*now) >= EpochsToTry(*now) && restarts < kAffordable * ActiveSeconds(last());
}

// The epoch that has just ended, while the script's own setting is tried.
void EpochJudge::Compare(const probes::EndedEpoch& ended) {
  SLUICE_CHECK(own_ && tried_against_);
  if (ledger_.Epochs(*own_) < 1 && ended.number < trial_ends_) return;
  const auto estimated = std::exchange(estimated_against_, std::nullopt);
  finding_ = estimated ? ledger_.WorseAt(*tried_against_, *estimated) : ledger_.Worse(*tried_against_);
  if (!finding_) go_back_ = tried_against_;
  const double epochs = estimated ? 1 : ledger_.Epochs(*tried_against_);
  if (finding_) NoteLost(epochs * static_cast<double>(ended.items));
}

Decision EpochJudge::Change(EpochSetting to, std::string because) {
  Decision decision;
  for (const Knob& knob : last().knobs) {
    const bool workers = knob.id.kind == KnobKind::kWorkers;
    if ((!workers && knob.id.kind != KnobKind::kCapacity) || knob.held != HeldBecause::kNot) continue;
    const std::int64_t value = workers ? to.workers : to.capacity;
    if (knob.value != value) decision.changes.push_back({knob.id, knob.value, value});
  }
  if (decision.changes.empty()) return decision;
  decision.id = kIds + ++asked_;
  decision.at = last().at;
  decision.because = std::move(because);
  target_ = to;
  decided_in_ = ended_ + 1;
  return decision;
}

Decision EpochJudge::Undo() {
  const auto now = EpochSettingOf(last());
  SLUICE_CHECK(finding_ && now);
  const EpochFinding found = *finding_;
  finding_.reset();
  if (found.estimated && !tried_against_) {
    TryOwn(*now);
    estimated_against_ = found.is;
  } else {
    const EpochSetting tried = std::exchange(tried_against_, std::nullopt).value_or(*now);
    if (tried.workers > found.better.workers) in_vain_ = {.workers = tried.workers, .longer = found.longer};
    workers_.Close(tried.workers, found.better.workers);
    capacity_.Close(tried.capacity, found.better.capacity);
  }
  Decision undo = Change(
      found.better,
      fmt::format(
          "whole epochs: {:.3g} ms per batch instead of {:.3g} ms{}{}: undone", 1e3 * found.is.seconds,
          1e3 * found.was.seconds, found.estimated ? " by the first batches" : "",
          found.longer ? "" : fmt::format(", but {:.2g} times the CPU time", found.is.cpu / found.was.cpu)));
  undo.before = {1 / found.is.seconds};
  undo.predicted = {1 / found.was.seconds};
  return undo;
}

void EpochJudge::TryOwn(EpochSetting instead_of) {
  SLUICE_CHECK(last_ended_);
  tried_against_ = instead_of;
  trial_ends_ = last_ended_->number + kTrial;
}

Decision EpochJudge::Decide() {
  if (!last_) return {};
  if (finding_) return Undo();
  if (const auto back = std::exchange(go_back_, std::nullopt)) {
    SLUICE_CHECK(own_);
    tried_against_.reset();
    return Change(*back, ledger_.Epochs(*own_) < 1
                             ? "no whole epoch of the script's own setting was seen: back"
                             : "whole epochs of the script's own setting are no shorter: back");
  }
  if (!TrialIsDue()) return {};
  const auto now = EpochSettingOf(*last_);
  SLUICE_CHECK(now && own_);
  TryOwn(*now);
  return Change(*own_, "for an epoch, the script's own setting: to see what it takes");
}

std::optional<double> EpochJudge::SecondsUnder(EpochSetting setting) const {
  const auto cost = ledger_.Of(setting);
  if (!cost || ledger_.Epochs(setting) < 1) return std::nullopt;
  return cost->seconds;
}

Nanos EpochJudge::LongerFirstStart() const {
  if (!last_ended_ || first_start_ <= Nanos(0) || last_ended_->number == 1) return Nanos(0);
  return std::max(Nanos(0), first_start_ - last_ended_->first);
}

std::optional<EpochSetting> EpochJudge::Instead() const {
  if (!last_) return std::nullopt;
  const auto now = EpochSettingOf(*last_);
  if (!now) return std::nullopt;
  if (finding_) return finding_->better;
  if (tried_against_) return estimated_against_ ? own_ : tried_against_;
  if (target_) return target_;
  if (const auto worse = ledger_.Worse(*now)) return worse->better;
  const auto best = ledger_.Best();
  const bool proven = ledger_.Of(*now).has_value();
  if (proven || !best || *best == *now || !last_ended_ || last_ended_->items == 0) return std::nullopt;
  const auto worse = ledger_.WorseAt(*now, CostOf(*last_ended_));
  return worse ? std::optional(worse->better) : std::nullopt;
}

}  // namespace sluice::app
