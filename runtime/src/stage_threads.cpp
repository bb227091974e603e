// The threads of a stage: start, park, wake, retire. The rules of passing work on are in stage.cpp.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/probes/binding.h"
#include "sluice/probes/intervals.h"
#include "stage.h"

namespace sluice::runtime {
namespace {

constexpr std::chrono::microseconds kSpin{30};
constexpr std::chrono::microseconds kShortestRest{2000};  // each ends with a wake-up, which takes CPU time
constexpr std::chrono::milliseconds kLongestRest{20};     // before it looks whether it is still wanted

}  // namespace

void Stage::Start(int workers) {
  if (auto now = probes::ReadAffinity(0)) {
    MutexLock lock(seats_mutex_);
    anywhere_ = std::move(*now);
  }
  SetWorkers(workers);
}

void Stage::SetWorkers(int workers) {
  SLUICE_CHECK(workers >= 1);
  {
    MutexLock lock(seats_mutex_);
    if (stopping_.load(std::memory_order_relaxed)) return;
    target_.store(workers, std::memory_order_relaxed);
    for (int i = 0; i < workers; ++i) {
      if (static_cast<std::size_t>(i) == seats_.size()) {
        seats_.push_back(std::make_unique<Seat>());
        seats_.back()->index = i;
      }
      Seat& seat = *seats_[static_cast<std::size_t>(i)];
      if (seat.state == SeatState::kGone) Launch(seat);
    }
    for (std::size_t i = static_cast<std::size_t>(workers); i < seats_.size(); ++i)
      seats_[i]->wake.NotifyAll();
  }
  out_.SetWorkers(workers, MonoNow());
  if (out_.TakeWaitingProducer()) Wake(static_cast<std::uint64_t>(workers));
}

void Stage::SetCapacity(int capacity) {
  out_.SetCapacity(static_cast<std::uint64_t>(capacity), MonoNow());
  if (out_.TakeWaitingProducer()) Wake(static_cast<std::uint64_t>(workers()));
}

Result<void> Stage::Bind(const CpuSet& cpus) {
  MutexLock lock(seats_mutex_);
  const bool was_bound = !cpus_.empty();
  cpus_ = cpus;
  return was_bound || !cpus.empty() ? BindThreads() : Result<void>();
}

Result<void> Stage::KeepBound() {
  MutexLock lock(seats_mutex_);
  return cpus_.empty() ? Result<void>() : BindThreads();
}

// A thread that has none yet binds itself when it gets its number.
Result<void> Stage::BindThreads() {
  const CpuSet& wanted = cpus_.empty() ? anywhere_ : cpus_;
  for (const auto& seat : seats_) {
    const int tid = seat->slot == nullptr ? 0 : seat->slot->tid.load(std::memory_order_relaxed);
    if (tid == 0) continue;
    const auto now = probes::ReadAffinity(tid);
    if (now && (cpus_.empty() ? *now == wanted : now->Within(wanted))) continue;
    if (auto bound = probes::BindThread(tid, wanted); !bound) return bound;
  }
  return {};
}

// A seat keeps its counter slot for good, so that resizing never uses slots up.
void Stage::Launch(Seat& seat) {
  if (seat.thread.joinable()) seat.thread.join();
  if (seat.slot == nullptr) {
    seat.slot = &segment_.AddWorker(options_.id);
    seat.track = segment_.TrackOf(*seat.slot);
  }
  seat.since = MonoNow().count();
  seat.slot->since.store(seat.since, std::memory_order_relaxed);
  seat.slot->state.store(static_cast<std::uint32_t>(probes::segment::WorkerState::kStarved),
                         std::memory_order_relaxed);
  SetRunning(seat);
  seat.thread = std::thread([this, &seat] { ThreadMain(seat); });
}

void Stage::SetRunning(Seat& seat) {
  seat.state = SeatState::kRunning;
  seat.in_crew = Cheap();
  if (seat.in_crew) crew_.Join();
}

void Stage::LeaveCrew(Seat& seat) {
  if (std::exchange(seat.in_crew, false)) crew_.Leave();
}

void Stage::ThreadMain(Seat& seat) {
  const std::string name = fmt::format("{}/{}", options_.name.substr(0, 11), seat.index);
  pthread_setname_np(pthread_self(), name.c_str());
  {
    MutexLock lock(seats_mutex_);
    seat.slot->tid.store(static_cast<std::int32_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
    seat.cpu = Nanos(-1);
    if (!cpus_.empty()) static_cast<void>(probes::BindThread(0, cpus_));  // KeepBound tells where it cannot
  }
  Outcome why = Outcome::kProgress;
  do {
    why = RunUntilStuck(seat);
  } while (ParkAndWait(seat, why));
}

// Whoever runs a cheap op at this moment is done within less than a sleep and a wake-up would take.
template <typename Condition>
bool Stage::SpinUntil(Condition condition) const {
  for (const MonoTime end = MonoNow() + kSpin; MonoNow() < end;) {
    for (int i = 0; i < 16; ++i) CpuRelax();
    if (condition()) return true;
  }
  return false;
}

Stage::Outcome Stage::RunUntilStuck(Seat& seat) {
  Outcome outcome = Outcome::kProgress;
  while (!MustLeave(seat)) {
    outcome = Step(seat, nullptr, true);
    const bool paced = options_.pace != nullptr && options_.pace->limited();
    if (paced) Rest(seat);
    if (!paced) seat.cpu = Nanos(-1);
    if (outcome == Outcome::kProgress) continue;
    if (outcome == Outcome::kStarved && !before_.empty()) {
      if (Before()->HelpUp(seat.slot->thread_helping_ns)) continue;
      if (Before()->AboutToPublish() && SpinUntil([this] { return In()->LooksReady(); })) continue;
    } else if (outcome == Outcome::kBackedUp && behind_ != nullptr && behind_->AboutToPublish()) {
      if (SpinUntil([this] { return out_.LooksRoomy(); })) continue;
    }
    break;
  }
  return outcome;
}

// It counts as backed up: it could work, and is not let.
void Stage::Rest(Seat& seat) {
  const Nanos cpu = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  const Nanos before = std::exchange(seat.cpu, cpu);
  if (before.count() < 0) return;
  const Nanos spent = cpu - before;
  const MonoTime begin = MonoNow();
  const MonoTime end = begin + options_.pace->Charge(spent, begin);
  if (end - begin < kShortestRest) return;
  if (options_.measure) Switch(seat, probes::segment::WorkerState::kBackedUp, begin);
  for (MonoTime now = begin; now < end && !MustLeave(seat); now = MonoNow())
    std::this_thread::sleep_for(std::min<Nanos>(end - now, kLongestRest));
}

// A seat first counts as parked and then looks once more; who brings work first makes it visible and then
// looks for parked seats. So one of the two sees the other, whatever notes and tokens others have taken.
bool Stage::ParkAndWait(Seat& seat, Outcome why) {
  bell_->Flush();
  MutexLock lock(seats_mutex_);
  if (!MustLeave(seat)) {
    if (std::exchange(tokens_, 0) > 0) return true;
    LeaveCrew(seat);
    Park(seat);
    if (StuckNoMore(why)) {
      Unpark(seat);
      SetRunning(seat);
      return true;
    }
    while (seat.state == SeatState::kHelped || (seat.state == SeatState::kParked && !MustLeave(seat))) {
      seat.wake.Wait(seats_mutex_);
    }
    if (seat.state == SeatState::kRunning && !MustLeave(seat)) return true;
    if (seat.state == SeatState::kParked) Unpark(seat);
  }
  LeaveCrew(seat);
  seat.state = SeatState::kGone;
  left_.NotifyAll();
  // What this seat was woken for, or was about to look at again, another one must do.
  if (parked_.empty()) {
    tokens_ = 1;
  } else {
    Seat& other = *parked_.back();
    Unpark(other);
    SetRunning(other);
    other.wake.NotifyAll();
  }
  spans_.Finish(seat.track);
  seat.slot->state.store(static_cast<std::uint32_t>(probes::segment::WorkerState::kRetired),
                         std::memory_order_relaxed);
  seat.slot->tid.store(0, std::memory_order_relaxed);
  return false;
}

void Stage::Park(Seat& seat) {
  seat.state = SeatState::kParked;
  parked_.push_back(&seat);
  parked_count_.fetch_add(1);
}

void Stage::Unpark(Seat& seat) {
  std::erase(parked_, &seat);
  parked_count_.fetch_sub(1);
}

bool Stage::StuckNoMore(Outcome why) const {
  if (why != Outcome::kStarved && why != Outcome::kBackedUp) return false;
  return HasInput() && out_.LooksRoomy();
}

void Stage::Wake(std::uint64_t count) {
  MutexLock lock(seats_mutex_);
  left_off_ = false;
  if (parked_.empty()) tokens_ = 1;
  for (; count > 0 && !parked_.empty(); --count) {
    Seat& seat = *parked_.back();
    Unpark(seat);
    SetRunning(seat);
    seat.wake.NotifyAll();
  }
}

Stage::Seat* Stage::TakeParked() {
  MutexLock lock(seats_mutex_);
  if (parked_.empty() || stopping_.load(std::memory_order_relaxed)) return nullptr;
  Seat* seat = parked_.back();
  Unpark(*seat);
  seat->state = SeatState::kHelped;
  return seat;
}

bool Stage::GiveBack(Seat& seat, Outcome last) {
  MutexLock lock(seats_mutex_);
  Park(seat);
  if (!MustLeave(seat) && (std::exchange(tokens_, 0) > 0 || StuckNoMore(last))) {
    Unpark(seat);
    seat.state = SeatState::kHelped;
    return false;
  }
  left_off_ |= last == Outcome::kProgress;
  const auto busy = static_cast<std::uint32_t>(probes::segment::WorkerState::kBusy);
  if (options_.measure && seat.slot->state.load(std::memory_order_relaxed) == busy) {
    const std::int64_t since = seat.slot->since.load(std::memory_order_relaxed);
    probes::segment::Enter(*seat.slot, probes::segment::WorkerState::kBackedUp, since);
  }
  if (MustLeave(seat)) seat.wake.NotifyAll();
  return true;
}

bool Stage::LeftOff() {
  MutexLock lock(seats_mutex_);
  return left_off_;
}

void Stage::Reap() {
  MutexLock lock(seats_mutex_);
  for (const auto& seat : seats_) {
    if (seat->state == SeatState::kGone && seat->thread.joinable()) seat->thread.join();
  }
}

void Stage::Stop() {
  MutexLock lock(seats_mutex_);
  stopping_.store(true, std::memory_order_relaxed);
  for (const auto& seat : seats_) seat->wake.NotifyAll();
}

void Stage::Join() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(seats_mutex_);
    for (const auto& seat : seats_) threads.push_back(std::move(seat->thread));
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

bool Stage::LeftBy(MonoTime until) {
  MutexLock lock(seats_mutex_);
  const auto is_gone = [](const auto& seat) { return seat->state == SeatState::kGone; };
  while (!std::ranges::all_of(seats_, is_gone)) {
    const Nanos left = until - MonoNow();
    if (left.count() <= 0) return false;
    left_.WaitFor(seats_mutex_, left);
  }
  return true;
}

std::vector<Stage::Inside> Stage::InsideNow() {
  std::vector<Inside> all;
  {
    MutexLock lock(seats_mutex_);
    for (const auto& seat : seats_) {
      const std::uint64_t row = seat->row.load(std::memory_order_relaxed);
      if (row != kNoRow) all.push_back({row, MonoTime(seat->row_since.load(std::memory_order_relaxed))});
    }
  }
  std::ranges::sort(all, {}, &Inside::since);
  return all;
}

std::string Stage::Describe() {
  int parked = 0;
  {
    MutexLock lock(seats_mutex_);
    parked = static_cast<int>(parked_.size());
  }
  const int inside = active_.load(std::memory_order_relaxed);
  const std::string no_input = Joins() ? fmt::format("no input from {}", Before()->name()) : "no input";
  const std::string why = out_.closed()     ? "at its end"
                          : !HasInput()     ? no_input
                          : !out_.HasRoom() ? "no room behind it"
                                            : "memory, or a call from the op behind";
  return fmt::format("{}: {} of {} workers inside the op, {} parked ({})", options_.name, inside, workers(),
                     parked, parked > 0 ? why : "none waits");
}

}  // namespace sluice::runtime
