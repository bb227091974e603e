// Scene: all that the window shows of a pipeline at one moment, as values of base. Whoever watches fills it
// in: figures are measured where totals become rates and shares (the exporters), and nothing is computed
// again here. Missing is nullopt, never 0.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/machine_shape.h"
#include "sluice/base/process_use.h"
#include "sluice/base/snapshot.h"
#include "sluice/ui/steering.h"

namespace sluice::ui {

enum class Watched : std::uint8_t {
  kLive = 0,
  kEnded = 1,     // it was watched live until it ended
  kRecorded = 2,  // a session's file
};

// Of the time between the scene's `from` and its `now`.
struct OpFigures {
  std::optional<Rate> items{};
  std::optional<Fraction> busy{}, starved{}, backed_up{};   // shares of the workers' time
  std::optional<Fraction> on_cpu{}, runnable{}, off_cpu{};  // their sum is busy
  std::optional<Nanos> p50{}, p90{}, p99{}, p999{};         // busy time per item
  LatencyHistogram latency{};
  bool limits = false;                           // the verdict blames it
  std::optional<std::int64_t> workers_wanted{};  // asked for, where there are not as many yet
};

struct ConnectorFigures {
  std::optional<Fraction> empty{}, full{};
  std::optional<double> mean_depth{};
};

struct ConsumerFigures {
  std::optional<Rate> items{}, rows{};
  std::optional<Fraction> starved{};
  std::optional<Nanos> wait_p50{}, wait_p99{};
};

struct DecisionSeen {
  Decision decision{};
  Fate fate = Fate::kTrial;
  std::optional<Rate> measured{};
};

// One of the pipelines that belong to the same run.
struct RankSeen {
  std::string name{};
  std::optional<int> rank{};
  int pid = 0;
  std::optional<Rate> items{};
  std::optional<Fraction> starved{};
  bool shown = false;  // the scene is of it
};

// A core on which threads of the run ran.
struct CoreSeen {
  int cpu = 0;
  Fraction used{};                     // of the last second, by the run
  std::vector<std::string> threads{};  // the busiest first
};

// What the run does to its machine now. What is not told is nullopt, or not there.
struct MachineSeen {
  std::vector<CoreSeen> cores{};  // by number
  // Share of the last ten seconds in which a task of its control group, else of the machine, waited for it.
  std::optional<Fraction> waits_for_core{}, waits_for_memory{}, waits_for_io{};
  std::vector<GpuUse> gpus{};  // since it is watched
};

struct Scene {
  std::string name{};    // the scenario, or "train.py: train_loader (Photos)"
  std::string origin{};  // "pid 4242", "run.sluice"
  Watched watched = Watched::kLive;
  MonoTime start{0};  // of the run
  MonoTime from{0};   // the figures are of the time since then
  Snapshot now{};
  std::vector<OpFigures> ops{};                // as in now.ops
  std::vector<ConnectorFigures> connectors{};  // as in now.connectors
  ConsumerFigures consumer{};
  std::optional<double> cores_used{};
  Verdict verdict{};
  std::vector<DecisionSeen> decisions{};  // made by now, oldest first
  std::vector<Knob> first_knobs{};        // as they were when the watching began
  std::optional<Nanos> silent{};  // since the process last showed life; nullopt: not known, or recorded
  std::string lost{};             // why it is not heard, where that is known
  std::optional<Nanos> without_items{};  // since the consumer last took one, or since the watching began
  MachineShape machine{};
  std::optional<MachineSeen> machine_now{};  // nullopt: not looked at, or not yet
  std::vector<RankSeen> ranks{};
  bool earlier = false;                    // not the newest moment that there is
  std::optional<SteeringSeen> steering{};  // nullopt: it is over, or was recorded
};

[[nodiscard]] inline Nanos SinceStart(const Scene& scene) {
  return scene.now.at - scene.start;
}

}  // namespace sluice::ui
