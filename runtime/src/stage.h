// Stage: one op at work: its workers, its claim lock, and the rules by which threads pass work on.
//
// A *seat* is the right to run the op: an op with n workers has n seats, each with a counter slot and a
// thread of its own. A thread that finds no work parks its seat. Waking it again costs 40-60 us, more than
// many an op costs, so a parked seat of a cheap op may also be taken by a neighbour's thread: whoever
// published input runs the next op itself (down), whoever starves runs the op before it (up). The counters
// belong to the seat, so none of this shows, apart from the time told as helped.
//
// What keeps it alive: (1) a seat that fails to claim has noted, under the connector's lock, why it waits;
// whoever changes that sees the note and then either runs the stage, or wakes it. (2) A wake that meets no
// parked seat leaves a token, and a seat with a token waiting does not park. (3) Producers that wait for
// little room are not woken for it, but whoever starves runs or wakes the stage before it first; and whoever
// takes the last item, to work on it for long, lets another seat starve. (4) A seat that was run for somebody
// who starves, and given back in mid-work, has left no note: whoever starves again runs it on, or wakes it.
// (5) Whoever lets an op starve is at work on the op before it, or asks that one (HelpUp) before it leaves.
//
// An op with several inputs waits for one of them at a time, the one that its logic wants next: "the op
// before" and "input" below are that one's. Such an op is serial, so only whoever runs its seat changes which
// it is.
//
// Lock order: claim_mutex_ of a stage, then the locks of its connectors. seats_mutex_ is a leaf.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "connector.h"
#include "consumer_bell.h"
#include "crew.h"
#include "failed_rows.h"
#include "op_logic.h"
#include "pace.h"
#include "sluice/base/cpu_set.h"
#include "sluice/base/error.h"
#include "sluice/base/graph.h"
#include "sluice/base/mutex.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/runtime/description.h"

namespace sluice::runtime {

struct StageOptions {
  OpId id;
  std::string name;
  ErrorPolicy on_error = ErrorPolicy::kRaise;
  bool ordered = true;
  bool measure = true;   // false: no counters (to measure what measuring costs)
  Pace* pace = nullptr;  // outlives the stage; nullptr: none
};

class Stage {
 public:
  // `in` is empty for a source. All references outlive the stage.
  Stage(StageOptions options, std::unique_ptr<OpLogic> logic, std::vector<Connector*> in, Connector& out,
        probes::SegmentWriter& segment, Crew& crew, FailedRows& failed);
  ~Stage();  // stops and joins

  // Links neighbours; before Start. `before`: one for each input. `bell` is the consumer's.
  void Link(std::vector<Stage*> before, Stage* behind, ConsumerBell& bell);
  void Start(int workers);
  // Live. New workers run within a millisecond; those too many leave after their current item.
  void SetWorkers(int workers);
  void SetCapacity(int capacity);
  // Live. Its threads, those to come included, run on `cpus` and nowhere else; empty: where they were
  // started. Fails where one of them cannot; then some may be bound. `alone`: its neighbours are elsewhere,
  // so none of their threads runs this op, and none of its own runs theirs.
  [[nodiscard]] Result<void> Bind(const CpuSet& cpus);
  void SetAlone(bool alone) { alone_.store(alone, std::memory_order_relaxed); }
  // Binds those threads again that something else has moved since: a launcher, or another cpuset.
  [[nodiscard]] Result<void> KeepBound();
  // Joins threads that have left. Any thread, now and then.
  void Reap();
  // Makes all threads leave after their current item; then Join.
  void Stop();
  void Join();
  // After Stop: waits for the threads, not longer than until then. False: some are inside the op.
  [[nodiscard]] bool LeftBy(MonoTime until);

  // Lets up to `count` parked seats run.
  void Wake(std::uint64_t count);
  // On behalf of somebody who starves behind this stage: runs it when it is cheap, wakes it when it has
  // been left waiting for room. True: something was published. `helping` gets the time spent.
  bool HelpUp(probes::segment::Counter& helping);
  // The same in good time, by the worker `by` of the op behind, which has nothing to do from `now` on.
  void TopUp(probes::segment::Counter& helping, probes::segment::WorkerSlot& by, MonoTime now);

  // Somebody took items from the connector behind this stage: wakes it where there is room worth it, or where
  // it is `urgent`.
  void RoomBehind(const Connector::Popped& popped, bool urgent);
  // Costs next to nothing per item, so items should travel in bulk.
  [[nodiscard]] bool Trivial() const;

  [[nodiscard]] int workers() const { return target_.load(std::memory_order_relaxed); }
  [[nodiscard]] const std::string& name() const { return options_.name; }
  // What its threads do, in words, for the stall watchdog.
  [[nodiscard]] std::string Describe();
  // A row that somebody works on at this moment.
  struct Inside {
    std::uint64_t row = 0;  // of a batch, its first
    MonoTime since{0};      // 0: not measured
  };
  [[nodiscard]] std::vector<Inside> InsideNow();  // one for each seat that is inside, the longest first

 private:
  // kHeld: there are input and room, but memory or the order of an epoch's mark forbids.
  enum class Outcome : std::uint8_t { kProgress, kStarved, kBackedUp, kHeld, kDone };
  enum class SeatState : std::uint8_t { kParked, kRunning, kHelped, kGone };
  static constexpr std::size_t kLargestChunk = 64;  // units per claim
  static constexpr std::uint64_t kNoRow = UINT64_MAX;
  struct Seat {
    int index = 0;
    probes::segment::WorkerSlot* slot = nullptr;
    std::uint32_t track = 0;             // of its spans
    SeatState state = SeatState::kGone;  // guarded by seats_mutex_
    bool in_crew = false;                // the same
    CondVar wake;
    std::thread thread;
    // Whoever runs the seat:
    WorkerContext context;
    std::vector<Unit> units = std::vector<Unit>(kLargestChunk);
    std::vector<Connector::Popped> popped;  // by the last claim, from each input
    std::size_t filled = 0;                 // units in use
    std::uint64_t chunks = 0;
    std::int64_t since = 0;  // ns; when it began to wait, where it does
    Nanos cpu{-1};           // of its thread, when its pace was looked at last; -1: there was no limit
    // For those who ask what it is inside of:
    std::atomic<std::uint64_t> row{kNoRow};
    std::atomic<std::int64_t> row_since{0};
  };
  struct Claimed {
    Outcome outcome = Outcome::kProgress;
    std::uint64_t first = 0;        // ticket of the first unit
    std::uint64_t inputs = 0;       // input items admitted
    std::uint64_t first_input = 0;  // the place of the first of them
    std::uint64_t room = 0;         // tickets left
    Connector::Popped popped;       // from the last input that was asked
    bool ended = false;             // this was the op's last claim
  };

  // One claim, its work, its results. Never waits for anybody. `helper` is null on the seat's own thread,
  // else where the time goes that another thread spends here. `notify` false: the caller is the one behind.
  Outcome Step(Seat& seat, probes::segment::Counter* helper, bool notify);
  [[nodiscard]] Claimed Claim(Seat& seat, MonoTime now) EXCLUDES(claim_mutex_);
  Outcome FillFromInput(Seat& seat, std::uint64_t limit, Claimed& claimed, MonoTime now)
      REQUIRES(claim_mutex_);
  Outcome FillFromSource(Seat& seat, std::uint64_t limit) REQUIRES(claim_mutex_);
  Outcome TakePending(Seat& seat, std::uint64_t limit) REQUIRES(claim_mutex_);
  void HoldMarkBack(Seat& seat) REQUIRES(claim_mutex_);
  // What the logic wants now, for all to see.
  [[nodiscard]] std::size_t Wanted() REQUIRES(claim_mutex_);
  // Of several inputs the next one to ask has something.
  [[nodiscard]] bool GoesOn(const Emitter& out) REQUIRES(claim_mutex_);
  [[nodiscard]] bool MustWait(const Seat& seat, const Item& item) const;
  [[nodiscard]] std::span<Unit> Units(Seat& seat) const { return std::span(seat.units).first(seat.filled); }
  void Work(Seat& seat);  // on the units of its claim
  void Fail(Unit& unit);  // as the op's policy wants
  void Account(Seat& seat, const Claimed& claimed, MonoTime begin, MonoTime end,
               probes::segment::Counter* helper);
  // Ends the state that the seat's slot is in; what it has waited is a span.
  void Switch(Seat& seat, probes::segment::WorkerState to, MonoTime now);
  void TraceWork(const Seat& seat, const Claimed& claimed, std::uint64_t first_output, MonoTime begin,
                 MonoTime end);
  void LearnCosts(std::uint64_t inputs, std::uint64_t outputs, Nanos spent);
  [[nodiscard]] std::uint64_t ChunkSize() const;
  [[nodiscard]] MonoTime Now(const Seat& seat) const;

  // The rules of passing work on.
  void AfterClaim(const Seat& seat, const Claimed& claimed);
  void AfterPublish(const Connector::Published& published, probes::segment::Counter& helper);
  void Feed(const Connector& from, const Connector::Published& published, probes::segment::Counter& helper);
  void HelpDown(probes::segment::Counter& helper);
  // Runs a seat that was taken for somebody behind, and gives it back. True: something came of it.
  bool RunForStarved(Seat& seat, probes::segment::Counter& helping);
  [[nodiscard]] bool CouldBeFed() const;
  [[nodiscard]] bool Cheap() const;
  // Its own threads may sleep on: somebody who runs already will come by.
  [[nodiscard]] bool LeaveToOthers() const { return Cheap() && crew_.Complete(); }
  // The input that is waited for, and the op before it; null for a source.
  [[nodiscard]] Connector* In() const { return in_.empty() ? nullptr : in_[wanted_.load()]; }
  [[nodiscard]] Stage* Before() const { return before_.empty() ? nullptr : before_[wanted_.load()]; }
  [[nodiscard]] bool Joins() const { return in_.size() > 1; }
  // The end of the input, too, is something to claim.
  [[nodiscard]] bool HasInput() const { return in_.empty() || has_pending_.load() || In()->LooksReady(); }

  // Somebody is inside the op, and it is a cheap one.
  [[nodiscard]] bool AboutToPublish() const { return Cheap() && active_.load(std::memory_order_relaxed) > 0; }
  template <typename Condition>
  [[nodiscard]] bool SpinUntil(Condition condition) const;

  void ThreadMain(Seat& seat);
  [[nodiscard]] Outcome RunUntilStuck(Seat& seat);
  // Where the pipeline's workers have taken more CPU time than they may. Not longer than it may stay.
  void Rest(Seat& seat);
  [[nodiscard]] bool ParkAndWait(Seat& seat, Outcome why) EXCLUDES(seats_mutex_);  // false: leave
  void Park(Seat& seat) REQUIRES(seats_mutex_);
  void Unpark(Seat& seat) REQUIRES(seats_mutex_);
  // What made it stop is gone already.
  [[nodiscard]] bool StuckNoMore(Outcome why) const;
  [[nodiscard]] Seat* TakeParked() EXCLUDES(seats_mutex_);
  [[nodiscard]] bool GiveBack(Seat& seat, Outcome last) EXCLUDES(seats_mutex_);  // false: run it again
  // A helper gave a seat back in mid-work, so that no connector holds a note of what the op waits for, and
  // nothing was woken since.
  [[nodiscard]] bool LeftOff() EXCLUDES(seats_mutex_);
  void Launch(Seat& seat) REQUIRES(seats_mutex_);
  void SetRunning(Seat& seat) REQUIRES(seats_mutex_);
  void LeaveCrew(Seat& seat) REQUIRES(seats_mutex_);
  [[nodiscard]] Result<void> BindThreads() REQUIRES(seats_mutex_);
  [[nodiscard]] bool MustLeave(const Seat& seat) const {
    return stopping_.load(std::memory_order_relaxed) || seat.index >= target_.load(std::memory_order_relaxed);
  }

  const StageOptions options_;
  const std::unique_ptr<OpLogic> logic_;
  const std::vector<Connector*> in_;
  Connector& out_;
  probes::SegmentWriter& segment_;
  probes::SpanRecorder& spans_;
  Crew& crew_;
  FailedRows& failed_;
  std::vector<Stage*> before_;
  Stage* behind_ = nullptr;
  ConsumerBell* bell_ = nullptr;

  std::atomic<double> input_cost_ns_{-1};   // per input item; negative: not known yet
  std::atomic<double> output_cost_ns_{-1};  // per output item
  std::atomic<int> active_{0};              // seats inside Process
  std::atomic<int> target_{0};
  std::atomic<int> parked_count_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> has_pending_{false};
  std::atomic<bool> alone_{false};
  std::atomic<std::size_t> wanted_{0};  // of in_

  Mutex claim_mutex_;
  UnitQueue pending_ GUARDED_BY(claim_mutex_);      // admitted, no ticket yet
  bool mark_out_ GUARDED_BY(claim_mutex_) = false;  // without order: an epoch's mark may be in flight
  bool input_ended_ GUARDED_BY(claim_mutex_) = false;
  bool closed_ GUARDED_BY(claim_mutex_) = false;

  Mutex seats_mutex_;
  std::vector<std::unique_ptr<Seat>> seats_ GUARDED_BY(seats_mutex_);
  std::vector<Seat*> parked_ GUARDED_BY(seats_mutex_);
  int tokens_ GUARDED_BY(seats_mutex_) = 0;
  CpuSet cpus_ GUARDED_BY(seats_mutex_);            // empty: as it comes
  CpuSet anywhere_ GUARDED_BY(seats_mutex_);        // of the thread that made the stage's
  CondVar left_;                                    // a thread has
  bool left_off_ GUARDED_BY(seats_mutex_) = false;  // see LeftOff
};

}  // namespace sluice::runtime
