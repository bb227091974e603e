#include <algorithm>

#include "sluice/evaluation/run_record.h"

namespace sluice::evaluation {
namespace {

// At the start and at each event, the setting that reaches the optimum from then on.
class Oracle final : public autotune::Controller {
 public:
  Oracle(const simulator::SimScenario& scenario, const std::vector<simulator::Optimum>& optima) {
    for (const simulator::Optimum& optimum : optima) {
      plan_.push_back({optimum.from, simulator::SettingFor(scenario, optimum)});
    }
  }

  Decision Decide(const Snapshot& seen) override {
    if (!start_) start_ = seen.at;
    Decision decision;
    if (next_ == plan_.size() || seen.at - *start_ < plan_[next_].from) return decision;
    const simulator::SimSetting& setting = plan_[next_++].setting;
    decision.id = next_;
    for (const Knob& knob : seen.knobs) {
      const std::int64_t to = std::clamp(Wanted(knob, setting), knob.min, knob.max);
      if (knob.holder == Holder::kAuto && to != knob.value)
        decision.changes.push_back({knob.id, knob.value, to});
    }
    return decision;
  }

 private:
  struct Step {
    Nanos from;
    simulator::SimSetting setting;
  };

  static std::int64_t Wanted(const Knob& knob, const simulator::SimSetting& setting) {
    if (knob.id.kind == KnobKind::kWorkers) return setting.workers[knob.id.target];
    if (knob.id.kind == KnobKind::kCapacity) return setting.capacity[knob.id.target];
    return knob.value;
  }

  std::vector<Step> plan_;
  std::optional<MonoTime> start_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<autotune::Controller> MakeOracle(const simulator::SimScenario& scenario,
                                                 const std::vector<simulator::Optimum>& optima) {
  return std::make_unique<Oracle>(scenario, optima);
}

}  // namespace sluice::evaluation
