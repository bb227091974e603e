#include <algorithm>
#include <cmath>

#include "sluice/evaluation/run_record.h"

namespace sluice::evaluation {
namespace {

constexpr double kRoomSeconds = 0.5;  // of the optimum's rate: evens out bursts, is soon filled
constexpr double kLeastRoom = 16;
constexpr double kMemoryShare = 0.95;

// Workers as the optimum says, one to spare where that does no harm; behind every op room for half a second
// of its items, less where the memory does not hold them.
class Oracle final : public autotune::Controller {
 public:
  Oracle(const simulator::SimScenario& scenario, std::vector<simulator::Optimum> optima)
      : scenario_(scenario),
        optima_(std::move(optima)),
        bytes_(simulator::SimItemBytes(scenario)),
        visits_(simulator::SimVisits(scenario)) {}

  Decision Decide(const Snapshot& seen) override {
    if (!start_) start_ = seen.at;
    Decision decision;
    if (next_ == optima_.size() || seen.at - *start_ < optima_[next_].from) return decision;
    const simulator::Optimum& optimum = optima_[next_++];
    decision.id = next_;
    for (const Knob& knob : seen.knobs) {
      const std::int64_t to = std::clamp(Wanted(knob, optimum, seen), knob.min, knob.max);
      if (knob.holder == Holder::kAuto && to != knob.value)
        decision.changes.push_back({knob.id, knob.value, to});
    }
    return decision;
  }

 private:
  std::int64_t Wanted(const Knob& knob, const simulator::Optimum& optimum, const Snapshot& seen) const {
    if (knob.id.kind == KnobKind::kWorkers) return Workers(knob.id.target, optimum, seen);
    if (knob.id.kind == KnobKind::kCapacity) return Room(knob.id.target, optimum, seen);
    return knob.value;
  }

  bool SpareHarms(std::size_t op, const simulator::Optimum& optimum) const {
    const Contention& contention = scenario_.ops[op].contention;
    const bool contends = contention.sigma > 0 || contention.kappa > 0 || !contention.table.empty();
    return contends || optimum.limit == Limit::kMemory || scenario_.consumer.burn.mean.count() > 0;
  }

  std::int64_t Workers(std::size_t op, const simulator::Optimum& optimum, const Snapshot&) const {
    return optimum.workers[op] + (SpareHarms(op, optimum) ? 0 : 1);
  }

  double Held(double seconds, const simulator::Optimum& optimum, const Snapshot& seen) const {
    double held = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      held += bytes_[i] * (ItemsIn(seconds, i, optimum) + static_cast<double>(Workers(i, optimum, seen)));
    }
    return held;
  }

  double ItemsIn(double seconds, std::size_t op, const simulator::Optimum& optimum) const {
    const double least = std::min(kLeastRoom, kLeastRoom * seconds / kRoomSeconds);
    return std::ceil(std::max({1.0, least, seconds * optimum.rate.per_second * visits_[op]}));
  }

  std::int64_t Room(std::size_t op, const simulator::Optimum& optimum, const Snapshot& seen) const {
    if (!optimum.capacity.empty()) return optimum.capacity[op];
    const double budget = kMemoryShare * static_cast<double>(seen.budget.memory.count);
    double seconds = kRoomSeconds;
    while (seconds > 1e-3 && budget > 0 && Held(seconds, optimum, seen) > budget) seconds /= 2;
    return static_cast<std::int64_t>(ItemsIn(seconds, op, optimum));
  }

  const simulator::SimScenario scenario_;
  const std::vector<simulator::Optimum> optima_;
  const std::vector<double> bytes_;
  const std::vector<double> visits_;
  std::optional<MonoTime> start_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<autotune::Controller> MakeOracle(const simulator::SimScenario& scenario,
                                                 std::vector<simulator::Optimum> optima) {
  return std::make_unique<Oracle>(scenario, std::move(optima));
}

}  // namespace sluice::evaluation
