// A plant and a controller that follow a script, for tests of what stands between them.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/base/plant.h"

namespace sluice::app {

inline constexpr MonoTime kRunStart = std::chrono::seconds(1000);
inline constexpr KnobId kDecodeWorkers{KnobKind::kWorkers, 0};

// One op, "decode", whose consumer takes what `rate` says; time advances by `tick` with each look.
class ScriptedPlant : public Plant {
 public:
  Snapshot Sense() override {
    ++looks;
    Snapshot seen = now_;
    now_.at += tick;
    now_.wall += tick;
    taken_ += rate * Seconds(tick);
    now_.consumer.items = static_cast<std::uint64_t>(taken_);
    now_.consumer.rows = 64 * now_.consumer.items;
    now_.consumer.busy += FromSeconds(Seconds(tick) * (1 - starved));
    now_.consumer.starved += FromSeconds(Seconds(tick) * starved);
    return seen;
  }
  void Act(const Decision& decision) override { acted.push_back(decision); }

  void SetWorkers(int alive, std::int64_t in_force) {
    now_.ops[0].workers = alive;
    now_.knobs[0].value = now_.knobs[0].requested = in_force;
  }

  Nanos tick = std::chrono::milliseconds(100);
  double rate = 0;  // items per second
  double starved = 0.5;
  int looks = 0;
  std::vector<Decision> acted;

 private:
  static Snapshot Start() {
    Graph graph;
    graph.ops = {{"decode", "map", false, 1}};
    graph.connectors = {{"decode->consumer", OpId{0}, std::nullopt}};
    Snapshot start;
    start.at = kRunStart;
    start.wall = std::chrono::seconds(1'800'000'000);
    start.graph = std::make_shared<const Graph>(std::move(graph));
    start.ops.resize(1);
    start.ops[0].workers = 1;
    start.connectors.resize(1);
    start.knobs = {{kDecodeWorkers, "decode.workers", 1, 1, 1, 16}};
    start.budget = {4, 512_MiB};
    return start;
  }

  Snapshot now_ = Start();
  double taken_ = 0;
};

// Answers with the next decision of its script, then with nothing.
class ScriptedController : public autotune::Controller {
 public:
  Decision Decide(const Snapshot& now) override {
    seen.push_back(now.at);
    holder = now.knobs[0].holder;
    Decision next;
    if (!script.empty()) {
      next = std::move(script.front());
      script.pop_front();
    }
    next.at = now.at;
    return next;
  }

  std::optional<Forecast> Foresee(const Snapshot&, const std::vector<KnobChange>& changes) override {
    if (forecast) forecast->changes = changes;
    return forecast;
  }

  std::optional<Forecast> forecast;
  std::deque<Decision> script;
  std::vector<MonoTime> seen;
  Holder holder = Holder::kAuto;  // of the knob, as it was seen last
};

inline Decision Widen(std::uint64_t id, std::int64_t from, std::int64_t to) {
  Decision decision;
  decision.id = id;
  decision.changes = {{kDecodeWorkers, from, to}};
  decision.because = "decode limits the run";
  decision.before = {5};
  decision.predicted = {10};
  return decision;
}

}  // namespace sluice::app
