#include "stage.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <exception>

#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/probes/intervals.h"

namespace sluice::runtime {
namespace {

using probes::segment::Add;
using probes::segment::WorkerState;

// Work below this is not worth waking a thread for: about what the wake costs both sides.
constexpr double kWakeWorthNs = 60'000;
// A claim takes about this much work, so that locks and clocks cost little.
constexpr double kChunkNs = 50'000;
// Ops below this per item may be run by a neighbour's thread.
constexpr double kCheapNs = 25'000;
// Items of ops below this are handed to the consumer in bulk.
constexpr double kTrivialNs = 2'000;
// Work of one claim that keeps a thread from coming back for long.
constexpr double kLongNs = 300'000;
// After so many claims a helper hands the op back to its own workers.
constexpr int kHelpAtMost = 32;
// With measuring off, costs are still learned, from one chunk in so many.
constexpr std::uint64_t kUnmeasuredStride = 16;

// Times of neighbours' threads may be read a moment apart; such a step back counts as none. Returns when.
std::int64_t EnterAt(probes::segment::WorkerSlot& slot, WorkerState to, MonoTime now) {
  const std::int64_t at = std::max(now.count(), slot.since.load(std::memory_order_relaxed));
  probes::segment::Enter(slot, to, at);
  return at;
}

// Exponential forgetting; several threads may write, a lost update does not matter.
void Blend(std::atomic<double>& average, double sample) {
  const double old = average.load(std::memory_order_relaxed);
  average.store(old < 0 ? sample : old + 0.2 * (sample - old), std::memory_order_relaxed);
}

bool IsMark(const Unit& unit) {
  return unit.item.kind == ItemKind::kEpochEnd;
}

bool CarriesData(const Item& item) {
  return item.kind == ItemKind::kRow || item.kind == ItemKind::kBatch;
}

// The rows that a unit is about: its own, or those of its batch, made or in the making.
std::vector<std::uint64_t> RowsOf(const Unit& unit) {
  std::vector<std::uint64_t> rows;
  rows.reserve(unit.rows.size());
  for (const Item& row : unit.rows) rows.push_back(row.index);
  if (rows.empty() && unit.item.kind == ItemKind::kBatch && unit.item.buffer) {
    const auto indices = unit.item.Indices();
    rows.assign(indices.begin(), indices.end());
  }
  if (rows.empty()) rows.push_back(unit.item.index);
  return rows;
}

}  // namespace

Stage::Stage(StageOptions options, std::unique_ptr<OpLogic> logic, std::vector<Connector*> in, Connector& out,
             probes::SegmentWriter& segment, Crew& crew, FailedRows& failed)
    : options_(std::move(options)),
      logic_(std::move(logic)),
      in_(std::move(in)),
      out_(out),
      segment_(segment),
      spans_(segment.spans()),
      crew_(crew),
      failed_(failed) {}

Stage::~Stage() {
  Stop();
  Join();
}

void Stage::Link(std::vector<Stage*> before, Stage* behind, ConsumerBell& bell) {
  before_ = std::move(before);
  behind_ = behind;
  bell_ = &bell;
}

MonoTime Stage::Now(const Seat& seat) const {
  return options_.measure || seat.chunks % kUnmeasuredStride == 0 ? MonoNow() : MonoTime(0);
}

bool Stage::Cheap() const {
  if (alone_.load(std::memory_order_relaxed)) return false;
  const double cost = output_cost_ns_.load(std::memory_order_relaxed);
  return cost >= 0 && cost < kCheapNs;
}

bool Stage::Trivial() const {
  const double cost = output_cost_ns_.load(std::memory_order_relaxed);
  return cost >= 0 && cost < kTrivialNs;
}

std::uint64_t Stage::ChunkSize() const {
  const double cost = output_cost_ns_.load(std::memory_order_relaxed);
  if (cost < 0) return 1;
  return static_cast<std::uint64_t>(
      std::clamp(kChunkNs / std::max(cost, 1.0), 1.0, static_cast<double>(kLargestChunk)));
}

Stage::Outcome Stage::Step(Seat& seat, probes::segment::Counter* helper, bool notify) {
  const MonoTime begin = Now(seat);
  const Claimed claimed = Claim(seat, begin);
  if (claimed.outcome != Outcome::kProgress) {
    if (options_.measure) {
      const bool starved = claimed.outcome == Outcome::kStarved || claimed.outcome == Outcome::kDone;
      Switch(seat, starved ? WorkerState::kStarved : WorkerState::kBackedUp, begin);
    }
    return claimed.outcome;
  }
  if (options_.measure) Switch(seat, WorkerState::kBusy, begin);
  AfterClaim(seat, claimed);
  seat.context.active = active_.fetch_add(1, std::memory_order_relaxed) + 1;
  seat.row_since.store(begin.count(), std::memory_order_relaxed);
  Work(seat);
  active_.fetch_sub(1, std::memory_order_relaxed);
  const MonoTime end = Now(seat);
  Account(seat, claimed, begin, end, helper);
  Connector::Published published;
  if (seat.filled > 0) published = out_.Publish(claimed.first, Units(seat), end, !notify);
  if (seat.filled > 0) {
    if (notify) AfterPublish(published, helper != nullptr ? *helper : seat.slot->thread_helping_ns);
    // Others may have been held back by a mark; a helper may not come again.
    if (!options_.ordered && std::ranges::any_of(Units(seat), IsMark)) Wake(1);
  }
  // Those behind have been told first.
  if (options_.measure) TraceWork(seat, claimed, published.first, begin, end);
  const bool low =
      claimed.inputs > 0 && (Joins() ? !In()->LooksReady() : claimed.popped.left < claimed.inputs);
  if (low && notify && !before_.empty()) Before()->TopUp(seat.slot->thread_helping_ns, *seat.slot, end);
  if (claimed.ended) behind_ != nullptr ? behind_->Wake(1) : bell_->Ring();
  return Outcome::kProgress;
}

Stage::Claimed Stage::Claim(Seat& seat, MonoTime now) {
  Claimed claimed;
  MutexLock lock(claim_mutex_);
  for (Unit& unit : Units(seat)) {
    if (unit.rows.capacity() > 0) logic_->Recycle(std::move(unit.rows));
  }
  seat.filled = 0;
  claimed.outcome = Outcome::kDone;
  if (closed_ || stopping_.load(std::memory_order_relaxed)) return claimed;
  claimed.outcome = Outcome::kHeld;
  if (mark_out_ && out_.InFlight() > 0) return claimed;
  claimed.outcome = Outcome::kBackedUp;
  const std::uint64_t room = out_.RoomOrWait(now);
  if (room == 0) return claimed;

  const std::uint64_t limit = std::min(ChunkSize(), room);
  claimed.outcome = TakePending(seat, limit);
  if (pending_.empty() && !input_ended_ && seat.filled < limit) {
    claimed.outcome = in_.empty() ? FillFromSource(seat, limit) : FillFromInput(seat, limit, claimed, now);
  }
  if (seat.filled > 0) claimed.first = out_.Reserve(seat.filled);
  claimed.room = room - seat.filled;
  if (input_ended_ && pending_.empty()) {
    closed_ = claimed.ended = true;
    out_.Close();
  }
  if (seat.filled > 0 || claimed.inputs > 0 || claimed.ended) claimed.outcome = Outcome::kProgress;
  mark_out_ = !options_.ordered && std::ranges::any_of(Units(seat), IsMark);
  has_pending_.store(!pending_.empty());
  return claimed;
}

Stage::Outcome Stage::TakePending(Seat& seat, std::uint64_t limit) {
  for (; !pending_.empty() && seat.filled < limit; pending_.PopFront()) {
    if (MustWait(seat, pending_.front().item)) return Outcome::kHeld;
    seat.units[seat.filled++] = std::move(pending_.front());
  }
  return Outcome::kProgress;
}

Stage::Outcome Stage::FillFromInput(Seat& seat, std::uint64_t limit, Claimed& claimed, MonoTime now) {
  Emitter out(seat.units, seat.filled, limit, pending_);
  bool refused = false;
  std::size_t from = 0;
  const auto admit = [&](Item& item) {
    if (Joins() && logic_->Wants() != from) return false;
    refused =
        out.Room() == 0 || MustWait(seat, item) || logic_->Admit(item, out) == OpLogic::Admission::kNoMemory;
    return !refused;
  };
  seat.popped.assign(in_.size(), {});
  // An op that gathers may take much input before it has its first output.
  while (!refused && (seat.filled == 0 || GoesOn(out))) {
    from = Wanted();
    claimed.popped = in_[from]->Pop(logic_->InputsFor(out.Room()), now, admit);
    if (claimed.popped.taken > 0) seat.popped[from] = claimed.popped;
    if (claimed.inputs == 0) claimed.first_input = claimed.popped.first;
    claimed.inputs += claimed.popped.taken;
    if (claimed.popped.closed) {
      input_ended_ = true;
      logic_->Finish(out);
      return Outcome::kProgress;
    }
    if (claimed.popped.taken == 0) break;
  }
  static_cast<void>(Wanted());
  return refused ? Outcome::kHeld : Outcome::kStarved;
}

std::size_t Stage::Wanted() {
  const std::size_t wanted = logic_->Wants();
  if (wanted != wanted_.load()) wanted_.store(wanted);
  return wanted;
}

bool Stage::GoesOn(const Emitter& out) {
  return Joins() && out.Room() > 0 && in_[logic_->Wants()]->LooksReady();
}

// Without order an epoch's mark would overtake its rows, and the rows behind it the mark: it waits until all
// before it are through, and all behind it until it is (mark_out_). Whoever finishes the last of them claims
// again.
bool Stage::MustWait(const Seat& seat, const Item& item) const {
  return !options_.ordered && item.kind == ItemKind::kEpochEnd && (seat.filled > 0 || out_.InFlight() > 0);
}

Stage::Outcome Stage::FillFromSource(Seat& seat, std::uint64_t limit) {
  Emitter out(seat.units, seat.filled, limit, pending_);
  const OpLogic::Supply supply = logic_->Generate(out);
  if (!options_.ordered) HoldMarkBack(seat);
  switch (supply) {
    case OpLogic::Supply::kMore:
      return Outcome::kProgress;
    case OpLogic::Supply::kNoMemory:
      return Outcome::kHeld;
    case OpLogic::Supply::kEnd:
      input_ended_ = true;
      return Outcome::kProgress;
  }
  return Outcome::kDone;
}

void Stage::HoldMarkBack(Seat& seat) {
  const std::span<Unit> units = Units(seat);
  const auto mark = std::ranges::find_if(units, IsMark);
  if (mark == units.end() || (mark == units.begin() && out_.InFlight() == 0)) return;
  seat.filled = static_cast<std::size_t>(mark - units.begin());
  pending_.PutBack({mark, units.end()});
}

void Stage::Work(Seat& seat) {
  OpLogic& logic = *logic_;
  for (Unit& unit : Units(seat)) {
    if (!CarriesData(unit.item)) continue;
    seat.row.store(unit.item.index, std::memory_order_relaxed);
    try {
      if (unit.item.error() == nullptr) logic.Process(unit, seat.context);
    } catch (const std::exception& e) {
      unit.item.EnsureExtras().error = Error{e.what()};
    } catch (...) {
      unit.item.EnsureExtras().error = Error{"an exception that is no std::exception"};
    }
    if (unit.item.error() != nullptr) Fail(unit);
    if (!unit.rows.empty()) unit.rows.clear();
    unit.target.reset();
  }
  seat.row.store(kNoRow, std::memory_order_relaxed);
}

void Stage::Fail(Unit& unit) {
  const std::vector<std::uint64_t> rows = RowsOf(unit);
  Item& item = unit.item;
  segment_.op(options_.id).failed.fetch_add(rows.size(), std::memory_order_relaxed);
  std::string message = item.error()->message;
  const bool tell = failed_.Note(options_.name, rows, item.epoch, message);
  const bool raise = options_.on_error == ErrorPolicy::kRaise;
  item.data = {};
  item.buffer.reset();
  item.extras.reset();
  if (raise || tell) message = failed_.Sentence(options_.name, rows, item.epoch, message);
  if (raise) {
    item.kind = ItemKind::kError;
    item.EnsureExtras().error = Error{std::move(message)};
    return;
  }
  item.kind = options_.on_error == ErrorPolicy::kSkip ? ItemKind::kSkipped : ItemKind::kReplaced;
  if (tell) segment_.LogEvent(MonoNow().count(), message);
}

void Stage::Account(Seat& seat, const Claimed& claimed, MonoTime begin, MonoTime end,
                    probes::segment::Counter* helper) {
  ++seat.chunks;
  if (begin.count() == 0 || end.count() == 0) return;
  const Nanos spent = end - begin;
  LearnCosts(claimed.inputs, seat.filled, spent);
  if (!options_.measure) return;

  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  for (const Unit& unit : Units(seat)) {
    items += unit.item.kind != ItemKind::kEpochEnd;
    bytes += unit.item.data.Size();
  }
  probes::segment::WorkerSlot& slot = *seat.slot;
  const auto ns = static_cast<std::uint64_t>(spent.count());
  EnterAt(slot, WorkerState::kBusy, end);
  if (helper != nullptr) {
    Add(slot.helped_ns, ns);
    Add(*helper, ns);
  }
  if (items == 0) return;
  Add(slot.items, items);
  Add(slot.bytes, bytes);
  probes::segment::AddLatency(slot.latency, ns, items);
}

void Stage::Switch(Seat& seat, WorkerState to, MonoTime now) {
  const auto was = static_cast<WorkerState>(seat.slot->state.load(std::memory_order_relaxed));
  const std::int64_t at = EnterAt(*seat.slot, to, now);
  if (was == to) return;  // however often a seat that waits looks again
  // Work is told when its items have their places (TraceWork).
  if (was != WorkerState::kBusy && spans_.On(at)) spans_.Record(seat.track, was, seat.since, at);
  seat.since = at;
}

void Stage::TraceWork(const Seat& seat, const Claimed& claimed, std::uint64_t first_output, MonoTime begin,
                      MonoTime end) {
  if (!spans_.On(end.count())) return;
  spans_.Record(seat.track, WorkerState::kBusy, begin.count(), end.count(),
                {.in = claimed.first_input,
                 .out = first_output,
                 .ins = Joins() ? 0 : static_cast<std::uint32_t>(claimed.inputs),
                 .outs = static_cast<std::uint32_t>(seat.filled)});
}

void Stage::LearnCosts(std::uint64_t inputs, std::uint64_t outputs, Nanos spent) {
  const auto ns = static_cast<double>(spent.count());
  if (outputs > 0) Blend(output_cost_ns_, ns / static_cast<double>(outputs));
  const std::uint64_t taken = in_.empty() ? outputs : inputs;
  if (taken > 0) Blend(input_cost_ns_, ns / static_cast<double>(taken));
}

// More work than one thread needs: let another one run. And room has come up behind the ops before.
void Stage::AfterClaim(const Seat& seat, const Claimed& claimed) {
  const bool parked = parked_count_.load() > 0;
  const double input_cost = input_cost_ns_.load(std::memory_order_relaxed);
  const bool long_work = input_cost < 0 || static_cast<double>(claimed.inputs) * input_cost >= kLongNs;
  for (std::size_t i = 0; claimed.inputs > 0 && i < before_.size(); ++i) {
    if (seat.popped[i].taken > 0) before_[i]->RoomBehind(seat.popped[i], long_work || (parked && !Cheap()));
  }
  const std::uint64_t left = in_.empty() ? claimed.room : std::min(claimed.popped.left, claimed.room);
  const bool worth = input_cost < 0 || static_cast<double>(left) * input_cost >= kWakeWorthNs;
  if (left > 0 && worth && (parked || claimed.popped.others_wait) && !LeaveToOthers()) Wake(1);
}

// Somebody took items from the connector behind this stage. A cheap op is not woken for little room, since
// whoever starves behind it runs it. But not when nobody behind it will come back soon to starve, or some
// starve already and sleep.
void Stage::RoomBehind(const Connector::Popped& popped, bool urgent) {
  const bool parked = parked_count_.load() > 0;
  if (popped.room == 0 || (!popped.producer_waits && !parked)) return;
  const double cost = output_cost_ns_.load(std::memory_order_relaxed);
  const double work = static_cast<double>(popped.room) * cost;
  if (cost >= 0 && !urgent && (work < kWakeWorthNs || LeaveToOthers())) return;
  if (!out_.TakeWaitingProducer() && !CouldBeFed()) return;
  const auto worth = cost < 0 ? 1 : static_cast<std::uint64_t>(work / kWakeWorthNs);
  Wake(std::clamp<std::uint64_t>(worth, 1, popped.room));
}

// It has input, or ops before it, left alone, have some for it.
bool Stage::CouldBeFed() const {
  if (HasInput()) return true;
  const Stage& before = *Before();
  return before.parked_count_.load() >= before.workers() && before.CouldBeFed();
}

void Stage::AfterPublish(const Connector::Published& published, probes::segment::Counter& helper) {
  if (behind_ != nullptr) {
    behind_->Feed(out_, published, helper);
  } else {
    bell_->Published(published);
  }
}

// An op before has published. It may be one that nobody waits for at this moment.
void Stage::Feed(const Connector& from, const Connector::Published& published,
                 probes::segment::Counter& helper) {
  const std::uint64_t depth = published.depth;
  const bool waits = published.consumer_waits;  // a seat of ours had found nothing
  if (!waits && (parked_count_.load() == 0 || &from != In())) return;
  const double cost = input_cost_ns_.load(std::memory_order_relaxed);
  const double work = static_cast<double>(depth) * cost;
  if (Cheap() && (work < kWakeWorthNs || crew_.Complete())) {
    if (waits) HelpDown(helper);
    return;
  }
  if (!waits && !out_.HasRoom()) return;
  const auto worth = cost < 0 ? 1 : static_cast<std::uint64_t>(work / kWakeWorthNs);
  Wake(std::clamp<std::uint64_t>(worth, 1, std::max<std::uint64_t>(depth, 1)));
}

void Stage::HelpDown(probes::segment::Counter& helper) {
  Seat* seat = TakeParked();
  if (seat == nullptr) return Wake(1);
  int claims = 0;
  Outcome last = Outcome::kProgress;
  do {
    do {
      last = Step(*seat, &helper, true);
      // The helper feeds one input; if it is another one that is missing now, nobody else may ask for it.
      if (Joins() && last == Outcome::kStarved && Before()->HelpUp(helper)) last = Outcome::kProgress;
    } while (last == Outcome::kProgress && ++claims < kHelpAtMost);
  } while (!GiveBack(*seat, last));
  if (last == Outcome::kProgress) Wake(1);
}

// Somebody behind this stage will starve after its next claim: better run this stage now than then, when
// several may stand and wait for one.
void Stage::TopUp(probes::segment::Counter& helping, probes::segment::WorkerSlot& by, MonoTime now) {
  if (!LeaveToOthers() || !out_.LooksRoomy()) return;
  Seat* seat = TakeParked();
  if (seat == nullptr) return;
  if (options_.measure) EnterAt(by, WorkerState::kStarved, now);
  RunForStarved(*seat, helping);
}

bool Stage::HelpUp(probes::segment::Counter& helping) {
  Seat* seat = Cheap() ? TakeParked() : nullptr;
  if (seat == nullptr) {
    // While this op was cheap, whoever starved ran it and left it in mid-work, and its own threads slept.
    if (out_.TakeWaitingProducer() || LeftOff()) Wake(1);
    return false;
  }
  return RunForStarved(*seat, helping);
}

// An op that starves itself is not left before the ops before it have been asked: whoever starves next may
// find the op dear, which it was not when it was taken, and then leaves it to its own threads, which sleep.
bool Stage::RunForStarved(Seat& seat, probes::segment::Counter& helping) {
  bool progress = false;
  Outcome last = Outcome::kProgress;
  do {
    last = Step(seat, &helping, false);
    while (last == Outcome::kStarved && !before_.empty() && Before()->HelpUp(helping)) {
      last = Step(seat, &helping, false);
    }
    progress |= last == Outcome::kProgress;
  } while (!GiveBack(seat, last));
  return progress;
}

}  // namespace sluice::runtime
