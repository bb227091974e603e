// FakePlant: a small pipeline in virtual time for the controller's tests: workers that burn and wait,
// processor-shared cores, bounded connectors, batches, a consumer with a step time, seeded noise. Time
// advances by fixed small steps. It has no costs for hand-off or waking up: that is for live tests.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/plant.h"
#include "sluice/base/rng.h"

namespace sluice::autotune::testing {

struct FakeOp {
  std::string name;
  double cpu_ms = 1;
  double wait_ms = 0;
  double spread = 0;  // coefficient of variation of the time per item (lognormal)
  int workers = 1;
  int most_workers = 64;
  bool serial = false;
  std::uint32_t rows_per_item = 1;
  std::int64_t capacity = 1;  // of the connector behind it
  std::int64_t bytes = 100'000;
  bool pinned = false;
  // Time per item with n workers inside the op, over the time with one.
  std::function<double(int)> slowdown = [](int) { return 1.0; };
};

struct FakeMachine {
  double cores = 8;
  Bytes memory{0};
  double noise = 0;  // relative, of every op's speed, anew each 100 ms
  std::uint64_t seed = 1;
  bool measures_cpu = true;
};

class FakePlant : public Plant {
 public:
  FakePlant(const std::vector<FakeOp>& ops, double step_ms, FakeMachine machine);

  // Advances by one tick of 200 ms.
  [[nodiscard]] Snapshot Sense() override;
  void Act(const Decision& decision) override;

  // Scripted events.
  FakeOp& op(std::size_t i) { return ops_[i].info; }
  FakeMachine& machine() { return machine_; }
  void set_step_ms(double ms) { step_ms_ = ms; }
  void SetByUser(KnobId id, std::int64_t value);

  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] std::uint64_t consumed() const { return consumer_.items; }
  [[nodiscard]] double consumer_starved() const { return Seconds(consumer_.starved); }
  // The most that connectors and workers of the present setting can hold, and did hold.
  [[nodiscard]] double CouldHold() const;
  [[nodiscard]] double peak() const { return peak_; }
  [[nodiscard]] int workers(std::size_t op) const { return static_cast<int>(ops_[op].wanted); }

 private:
  struct Worker {
    std::uint32_t gathered = 0;
    bool serving = false;
    double cpu_left = 0;
    double wait_left = 0;
    double spent = 0;
  };
  struct LiveOp {
    FakeOp info;
    OpReading reading;
    std::int64_t wanted = 1;
    double speed = 1;
    std::vector<Worker> workers;
    int inside = 0;
    double busy = 0, starved = 0, backed_up = 0, cpu = 0, runnable = 0;
  };
  struct LiveConnector {
    std::uint64_t depth = 0;
    std::uint64_t reserved = 0;
    std::int64_t capacity = 1;
    ConnectorReading reading;
  };

  void Advance(double dt);
  void AdvanceOp(std::size_t i, double dt, double share);
  void AdvanceWorker(std::size_t i, Worker& worker, double dt, double share);
  [[nodiscard]] bool Begin(std::size_t i, Worker& worker, double& starved_for, double& backed_up_for,
                           double left);
  void End(std::size_t i, Worker& worker);
  void AdvanceConsumer(double dt);
  void Jitter();
  void Resize(LiveOp& op);
  [[nodiscard]] double RowsPerItem(std::size_t i) const;
  [[nodiscard]] Knob KnobFor(KnobKind kind, std::size_t i) const;

  std::vector<LiveOp> ops_;
  std::vector<LiveConnector> connectors_;
  double step_ms_;
  FakeMachine machine_;
  Rng rng_;
  Rng jitter_;  // of its own, so that plants of one seed meet the same noise at the same time
  std::shared_ptr<const Graph> graph_;
  std::vector<KnobId> pinned_;
  double now_ = 0;
  double next_jitter_ = 0;
  double step_left_ = 0;
  bool stepping_ = false;
  double peak_ = 0;
  ConsumerReading consumer_;
  double consumer_busy_ = 0, consumer_waits_ = 0;
};

}  // namespace sluice::autotune::testing
