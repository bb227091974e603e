#include "plain_setting.h"

#include <algorithm>
#include <cmath>

#include "sim_state.h"

namespace sluice::simulator {
namespace {

constexpr double kRoomSeconds = 0.5;  // of the optimum's rate: evens out bursts, is soon filled
constexpr double kLeastRoom = 16;
constexpr double kMemoryShare = 0.95;

bool SpareHarms(const SimScenario& scenario, const SimOp& op, const Optimum& optimum) {
  const Contention& contention = op.contention;
  const bool contends = contention.sigma > 0 || contention.kappa > 0 || !contention.table.empty();
  return contends || optimum.limit == Limit::kMemory || scenario.consumer.burn.mean.count() > 0;
}

class Rooms {
 public:
  Rooms(const SimScenario& scenario, const Optimum& optimum, const std::vector<int>& workers)
      : visits_(SimVisits(scenario)), bytes_(SimItemBytes(scenario)), rate_(optimum.rate.per_second) {
    const double budget = kMemoryShare * static_cast<double>(StateAt(scenario, optimum.from).memory.count);
    while (seconds_ > 1e-3 && budget > 0 && Held(workers) > budget) seconds_ /= 2;
  }

  [[nodiscard]] double Behind(std::size_t op) const {
    const double least = std::min(kLeastRoom, kLeastRoom * seconds_ / kRoomSeconds);
    return std::ceil(std::max({1.0, least, seconds_ * rate_ * visits_[op]}));
  }

 private:
  [[nodiscard]] double Held(const std::vector<int>& workers) const {
    double held = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) held += bytes_[i] * (Behind(i) + workers[i]);
    return held;
  }

  const std::vector<double> visits_;
  const std::vector<double> bytes_;
  const double rate_;
  double seconds_ = kRoomSeconds;
};

}  // namespace

SimSetting PlainSetting(const SimScenario& scenario, const Optimum& optimum) {
  SimSetting setting;
  std::vector<int> wanted = optimum.workers;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] += SpareHarms(scenario, scenario.ops[i], optimum) ? 0 : 1;
  }
  const Rooms rooms(scenario, optimum, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const SimOp& op = scenario.ops[i];
    const int most = op.serial ? 1 : op.max_workers;
    setting.workers.push_back(op.pin_workers ? op.workers : std::clamp(wanted[i], op.min_workers, most));
    const double room = std::clamp<double>(rooms.Behind(i), op.min_capacity, op.max_capacity);
    setting.capacity.push_back(op.pin_capacity ? op.capacity : static_cast<std::int64_t>(room));
  }
  return setting;
}

}  // namespace sluice::simulator
