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
  Pipeline::Got got = Pipeline::Got::kEnd;
  while (!over_ && !stopped_.load(std::memory_order_relaxed)) {
    if (next_ == taken_.size()) {
      item = {};  // others may wait for its memory
      if (!Refill()) break;
    } else if (Deliver(item, got)) {
      return got;
    }
  }
  over_ = true;
  item = {};
  return Pipeline::Got::kEnd;
}

bool ConsumerSide::Refill() {
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
  next_ = 0;
  Switch(WorkerState::kStarved, now);
  while (!stopped_.load(std::memory_order_relaxed)) {
    const auto popped = last_.Pop(last_stage_.Trivial() ? kTakeAtMost : 1, now, [this](Item& item) {
      taken_.push_back(std::move(item));
      return true;
    });
    if (!taken_.empty()) {
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

// False: nothing for the consumer; go on.
bool ConsumerSide::Deliver(Item& item, Pipeline::Got& got) {
  Item& next = taken_[next_];
  if (next.kind == ItemKind::kSkipped) {
    ++next_;
    return false;
  }
  if (next.kind == ItemKind::kReplaced) {
    ++next_;
    if (!last_good_) {
      ++to_fill_;
      return false;
    }
    item = last_good_->Clone();
  } else if (CarriesData(next) && to_fill_ > 0) {
    --to_fill_;
    item = next.Clone();
  } else {
    item = std::move(next);
    ++next_;
  }
  if (CarriesData(item) && keeping_) KeepForReplacing(item);
  probes::segment::Add(entry_.items, CarriesData(item));
  switch (item.kind) {
    case ItemKind::kEpochEnd:
      got = Pipeline::Got::kEpochEnd;
      return true;
    case ItemKind::kError:
      got = Pipeline::Got::kError;
      over_ = true;
      return true;
    default:
      probes::segment::Add(entry_.rows, item.Rows());
      got = Pipeline::Got::kItem;
      return true;
  }
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
  next_ = 0;
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
