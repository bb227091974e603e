#include "consumer_side.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/probes/intervals.h"
#include "sluice/probes/span_layout.h"

namespace sluice::runtime {
namespace {

using probes::segment::WorkerState;

// Small items are taken so many at a time, so that locks and clocks cost little.
constexpr std::uint64_t kTakeAtMost = 64;
// A consumer that is through with an item sooner than it could have been woken for it.
constexpr std::chrono::microseconds kPatience{60};

bool CarriesData(const Item& item) {
  return item.kind == ItemKind::kRow || item.kind == ItemKind::kBatch;
}

}  // namespace

ConsumerSide::ConsumerSide(Connector& last, Stage& last_stage, probes::SegmentWriter& segment, Crew& crew,
                           ConsumerBell& bell, bool measure, MemoryPlan* keeping)
    : last_(last),
      last_stage_(last_stage),
      entry_(segment.consumer()),
      steps_(segment.steps()),
      spans_(segment.spans()),
      crew_(crew),
      bell_(bell),
      measure_(measure) {
  if (keeping != nullptr) keeping_.emplace(*keeping, keeping->ops() - 1);
  taken_.reserve(kTakeAtMost);
}

Pipeline::Got ConsumerSide::Next(Item& item) {
  while (!over_ && !stopped_.load(std::memory_order_relaxed)) {
    if (rest_.empty()) {
      if (!Refill(item)) break;
    } else if (const auto got = Deliver(item)) {
      return *got;
    }
  }
  return End(item);
}

Pipeline::Got ConsumerSide::End(Item& item) {
  over_ = true;
  item = {};
  return Pipeline::Got::kEnd;
}

bool ConsumerSide::Refill(Item& item) {
  item = {};  // others may wait for its memory
  crew_.Join();
  const bool more = TakeNext();
  crew_.Leave();
  return more;
}

bool ConsumerSide::TakeNext() {
  MonoTime now = MonoNow();
  const MonoTime asked = now;
  if (!taken_.empty()) {
    const Nanos step = asked - handed_over_;
    patient_ = step < kPatience * taken_.size();
    if (measure_) Count(steps_.step, step);
  }
  bell_.SetPatient(patient_);
  taken_.clear();
  rest_ = {};
  Switch(WorkerState::kStarved, now);
  while (!stopped_.load(std::memory_order_relaxed)) {
    const auto popped = last_.Pop(last_stage_.Trivial() ? kTakeAtMost : 1, now, [this](Item& item) {
      taken_.push_back(std::move(item));
      return true;
    });
    if (!taken_.empty()) {
      rest_ = taken_;
      last_stage_.RoomBehind(popped, !patient_);
      handed_over_ = MonoNow();
      Switch(WorkerState::kBusy, handed_over_);
      with_data_ = static_cast<std::uint64_t>(std::ranges::count_if(taken_, CarriesData));
      if (measure_) Count(steps_.wait, handed_over_ - asked);
      numbers_ = {.in = popped.first, .ins = static_cast<std::uint32_t>(popped.taken)};
      return true;
    }
    if (popped.closed) return false;
    if (!last_stage_.HelpUp(entry_.helping_ns)) {
      crew_.Leave();
      bell_.Await();
      crew_.Join();
    }
    now = MonoNow();
  }
  return false;
}

// Nothing: none for the consumer; go on.
std::optional<Pipeline::Got> ConsumerSide::Deliver(Item& item) {
  Item& next = rest_.front();
  const bool replaced = next.kind == ItemKind::kReplaced;
  if (next.kind == ItemKind::kSkipped || (replaced && !last_good_)) {
    to_fill_ += replaced;
    rest_ = rest_.subspan(1);
    return std::nullopt;
  }
  if (to_fill_ > 0 && CarriesData(next)) {
    --to_fill_;
    item = next.Clone();
  } else {
    item = replaced ? last_good_->Clone() : std::move(next);
    rest_ = rest_.subspan(1);
  }
  if (item.kind == ItemKind::kEpochEnd) return Pipeline::Got::kEpochEnd;
  if (item.kind == ItemKind::kError) {
    over_ = true;
    return Pipeline::Got::kError;
  }
  if (keeping_) KeepForReplacing(item);
  probes::segment::Add(entry_.items, 1);
  probes::segment::Add(entry_.rows, item.Rows());
  return Pipeline::Got::kItem;
}

// One too large for the budget is not worth an error: the one kept before stays.
void ConsumerSide::KeepForReplacing(const Item& item) {
  SLUICE_CHECK(keeping_);
  if (last_good_) keeping_->Remove(*last_good_);
  if (!keeping_->WhereTooMuch(item)) last_good_ = item.Clone();
  if (last_good_) keeping_->Add(*last_good_);
  keeping_->Tell();
}

void ConsumerSide::Stop() {
  stopped_.store(true, std::memory_order_relaxed);
  bell_.Ring();
}

void ConsumerSide::Clear() {
  taken_.clear();
  rest_ = {};
  last_good_.reset();
}

// Those taken together share the time.
void ConsumerSide::Count(probes::segment::Counter (&latency)[probes::segment::kLatencyBuckets],
                         Nanos spent) const {
  probes::segment::AddLatency(latency, static_cast<std::uint64_t>(std::max(spent, Nanos(0)).count()),
                              with_data_);
}

void ConsumerSide::Switch(WorkerState to, MonoTime now) {
  if (!measure_) return;
  if (entry_.tid.load(std::memory_order_relaxed) == 0) {
    entry_.tid.store(static_cast<std::int32_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
  }
  const auto was = static_cast<WorkerState>(entry_.state.load(std::memory_order_relaxed));
  const std::int64_t since = entry_.since.load(std::memory_order_relaxed);
  probes::segment::Enter(entry_, to, now.count());
  if (!spans_.On(now.count())) return;
  const bool step = was == WorkerState::kBusy;
  spans_.Record(probes::segment::kConsumerTrack, was, since, now.count(),
                step ? numbers_ : probes::SpanItems{});
}

}  // namespace sluice::runtime
