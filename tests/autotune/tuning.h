// Runs the controller beside a simulated pipeline and keeps what matters: decisions, outcomes, what was
// taken.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulator/scenarios.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice::autotune::testing {

using simulator::SimEvent;
using simulator::SimOp;
using simulator::SimPlant;
using simulator::SimScenario;
using simulator::testing::Fixed;
using simulator::testing::Lognormal;
using simulator::testing::MeasuredRate;
using namespace std::chrono_literals;

// What stands around the ops of a line.
struct Around {
  double cores = 8;
  Bytes memory{0};  // the byte budget; 0: none
  double noise = 0;
  std::uint64_t seed = 1;
  Nanos step{0};  // the consumer's
  std::vector<SimEvent> events{};
};

// Ops one after the other. The first is a source that has no end, one of a `size` above 1 a batch.
[[nodiscard]] SimScenario Line(std::vector<SimOp> ops, Around around = {});

// Of a run that nobody touches, after two seconds.
[[nodiscard]] double RateUntouched(const SimScenario& scenario);

struct Tick {
  Nanos at{0};
  std::uint64_t consumed = 0;
  double could_hold = 0;
};

class Tuning {
 public:
  // What of a snapshot the controller does not get to see as it is.
  using Lens = std::function<void(Snapshot&)>;

  explicit Tuning(const SimScenario& scenario, AutoTuneOptions options = {}, Lens lens = {})
      : plant_(scenario), controller_(MakeAutoTune(options)), lens_(std::move(lens)) {}

  void Run(Nanos time);
  // For `most` at most. When that was.
  Nanos RunUntil(const std::function<bool()>& reached, Nanos most);
  // As the user would.
  void Set(KnobKind kind, std::uint32_t target, std::int64_t to);

  // Consumer items per second over the last `time`.
  [[nodiscard]] double Rate(Nanos time) const;
  [[nodiscard]] int Changes(Nanos since = Nanos(0)) const;
  [[nodiscard]] int Fates(Fate fate) const {
    return static_cast<int>(std::ranges::count(outcomes_, fate, &Outcome::fate));
  }
  // One line per decision and outcome.
  [[nodiscard]] std::string Trace() const;

  [[nodiscard]] Nanos now() const { return plant_.Truth().now; }
  [[nodiscard]] int workers(std::size_t op) const { return plant_.Truth().workers[op]; }
  [[nodiscard]] std::uint64_t consumed() const { return plant_.Truth().items; }
  [[nodiscard]] Nanos starved() const { return plant_.Truth().consumer_starved; }  // the consumer
  // The bytes that connectors and workers in force can hold, items of their mean size.
  [[nodiscard]] double CouldHold() const;
  [[nodiscard]] const Verdict& verdict() const { return decisions_.back().verdict; }
  [[nodiscard]] const std::vector<Decision>& decisions() const { return decisions_; }
  [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void Step();

  SimPlant plant_;
  std::unique_ptr<Controller> controller_;
  Lens lens_;
  std::vector<Decision> decisions_;
  std::vector<Outcome> outcomes_;
  std::vector<Tick> ticks_;
};

}  // namespace sluice::autotune::testing
