// SimRank: one pipeline of the host at work in virtual time: ops, connectors, consumer. Jobs are items in
// the making; a worker is only a number, because workers of one op do not differ. One thread.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim_clocks.h"
#include "sim_connector.h"
#include "sim_draw.h"
#include "sim_machine.h"
#include "sluice/base/rng.h"

namespace sluice::simulator {

// Bytes of all ranks.
struct SimMemory {
  std::int64_t held = 0;
  std::int64_t limit = 0;  // 0: none
  [[nodiscard]] bool Exceeded() const { return limit > 0 && held > limit; }
};

class SimRank {
 public:
  // All references outlive the rank.
  SimRank(const SimScenario& scenario, std::uint32_t number, std::uint64_t seed, SimMachine& machine,
          SimMemory& memory);

  // One of its jobs has come to the end of what it did (SimMachine::Next).
  void Proceed(std::uint32_t id);
  // Starts everything that can be. To be called after anything has changed.
  void Settle();

  void SetWorkers(std::size_t op, int workers);
  void SetCapacity(std::size_t connector, std::int64_t capacity);
  void Place(std::size_t op, std::uint64_t nodes) { ops_[op].nodes = nodes; }  // bit n: node n; 0: any
  // Factors for items that start from now on.
  void SetSpeed(std::size_t op, double speed) { ops_[op].speed = speed; }
  void SetCost(std::size_t op, double factor) { ops_[op].cost = factor; }
  void SetStep(double factor) { consumer_.cost = factor; }

  // Drops what is buffered and under way; nothing runs until Revive, which begins the epoch anew.
  void Kill();
  void Revive();

  // What a snapshot says of it, times exact.
  [[nodiscard]] OpReading ReadOp(std::size_t index) const;
  [[nodiscard]] ConnectorReading ReadConnector(std::size_t c) const {
    return connectors_[c].Read(machine_.now());
  }
  [[nodiscard]] ConsumerReading ReadConsumer() const;
  [[nodiscard]] double CpuSeconds() const;
  [[nodiscard]] int workers(std::size_t op) const { return ops_[op].target; }
  [[nodiscard]] std::uint64_t capacity(std::size_t c) const { return connectors_[c].capacity(); }
  [[nodiscard]] std::int64_t held() const { return held_; }
  [[nodiscard]] std::int64_t held_peak() const { return held_peak_; }
  [[nodiscard]] std::uint64_t epoch() const { return consumer_.epoch; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t made() const;

 private:
  enum class Phase : std::uint8_t { kNew, kReading, kWaiting, kComputing, kPausing, kStarting };
  struct Job {
    std::uint32_t op = 0;
    int node = 0;
    Phase phase = Phase::kNew;
    double start = 0;
    double read = 0, wait = 0, burn = 0;
    std::uint64_t ticket = 0;
    std::int64_t frees = 0;  // bytes of its inputs, once it is done
    SimItem item;
  };
  struct Op {
    const SimOp* info;
    std::vector<std::uint32_t> inputs;
    SimDraw wait, burn, read;
    SimDear dear;
    double storage_per_byte = 0;
    double storage_fixed = 0;
    Rng rng;
    WorkerClock clock;
    CpuClock cpu;
    int target = 1;
    int ready = 0;     // of these; the others are starting
    int starting = 0;  // more than is missing where some are not wanted any more
    int busy = 0;
    std::uint64_t nodes = 0;
    double speed = 1;
    double cost = 1;
    // What it has taken and not yet begun to work on.
    std::uint32_t gathered = 0;
    SimItem gathering;
    std::deque<SimItem> mixed;             // that a shuffle holds
    bool empties = false;                  // ... and lets go, because its epoch has ended
    std::size_t turn = 0;                  // of a concat: which input
    bool mark_out = false;                 // without order: an epoch's last item is in the making
    std::uint64_t emitted = 0, epoch = 0;  // of a source
    std::uint64_t items = 0;
    std::int64_t bytes = 0;
    LatencyHistogram latency{};
  };
  struct Consumer {
    SimDraw step, burn;
    Rng rng;
    WorkerClock clock;
    CpuClock cpu;
    double cost = 1;
    bool busy = false;
    std::uint64_t items = 0, rows = 0, epoch = 0;
    LatencyHistogram steps{};
  };

  [[nodiscard]] static Op MakeOp(const SimScenario& scenario, std::size_t i, std::uint64_t seed,
                                 std::uint32_t rank);
  [[nodiscard]] Rng& RngOf(const Job& job) { return IsConsumer(job) ? consumer_.rng : ops_[job.op].rng; }
  [[nodiscard]] bool IsConsumer(const Job& job) const { return job.op == ops_.size(); }
  [[nodiscard]] CpuClock& CpuOf(const Job& job) { return IsConsumer(job) ? consumer_.cpu : ops_[job.op].cpu; }
  [[nodiscard]] SimToken Token(std::uint32_t job) const { return {number_, job}; }
  void Wake(std::size_t op) { dirty_[op / kWord] |= std::uint64_t{1} << op % kWord; }
  [[nodiscard]] std::optional<std::size_t> LastDirty() const;

  void StartWorkers(std::size_t index);
  void EndStartUp(std::size_t index);
  void Fill(std::size_t index);
  [[nodiscard]] bool Blocked(const Op& op, IdleReason& why, std::size_t index) const;
  [[nodiscard]] bool Gather(std::size_t index);
  [[nodiscard]] bool Emit(Op& op);
  [[nodiscard]] bool GatherOne(Op& op);
  [[nodiscard]] bool GatherBatch(Op& op);
  [[nodiscard]] bool GatherZip(Op& op);
  [[nodiscard]] bool GatherConcat(Op& op);
  [[nodiscard]] bool GatherShuffle(Op& op);
  [[nodiscard]] bool MayTake(const Op& op, std::uint32_t input) const;
  [[nodiscard]] bool MayStart(const Op& op, bool last) const;
  SimItem Take(std::uint32_t input);
  void Start(std::size_t index);
  void DrawTimes(Op& op, Job& job) const;
  void EnterCpu(std::uint32_t id);
  void LeaveCpu(std::uint32_t id);
  void Finish(std::uint32_t id);
  void FillConsumer();
  void EndStep(std::uint32_t id);
  void EndPause();
  void Hold(std::int64_t bytes);
  [[nodiscard]] std::uint32_t NewJob(std::uint32_t op);

  const SimScenario& scenario_;
  const std::uint32_t number_;
  const double load_;  // factor on what its items cost
  SimMachine& machine_;
  SimMemory& memory_;
  std::vector<Op> ops_;
  std::vector<SimConnector> connectors_;
  std::vector<std::uint32_t> behind_;  // which op takes from connector i; ops_.size(): the consumer
  Consumer consumer_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> lock_queue_;  // waiting for the lock
  bool locked_ = false;
  std::uint64_t released_ = 0;  // epochs that draining sources may have begun, less one
  static constexpr std::size_t kWord = 64;
  std::vector<std::uint64_t> dirty_;  // a bit by op; that behind the last op is the consumer's
  std::int64_t held_ = 0;
  std::int64_t held_peak_ = 0;
  std::uint64_t lost_ = 0;
  bool down_ = false;
  bool finished_ = false;
};

}  // namespace sluice::simulator
