#include "rate_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim_flow.h"

namespace sluice::simulator {
namespace {

constexpr double kWarmItems = 1000;
constexpr double kWarmShare = 1.0 / 3;  // of what is measured, where that is less
constexpr double kParts = 10;           // that a measurement is made of, to tell its error
constexpr double kLeastEpochs = 2;
constexpr double kTicksPerEpoch = 100;  // of which one is what an epoch's end is off by
constexpr double kOverdue = 10;         // times what the optimum needs

// From `from` on for ever, with workers that are there at once.
SimScenario Frozen(SimScenario scenario, Nanos from) {
  std::erase_if(scenario.events, [from](const SimEvent& event) { return event.at > from; });
  for (SimEvent& event : scenario.events) event.at = Nanos(0);
  for (SimOp& op : scenario.ops) op.startup = Nanos(0);
  scenario.epochs = 0;
  return scenario;
}

// Where an epoch has phases, or ends with a pause, its parts differ.
double EpochOf(const SimScenario& scenario) {
  const bool uneven = scenario.drain || scenario.pause.count() > 0 || PhasesOf(scenario).size() > 1;
  return uneven ? ItemsPerEpoch(scenario).back() : 0;
}

double AllItems(const SimScenario& scenario) {
  const std::vector<double> items = ItemsPerEpoch(scenario);
  return scenario.machine.ranks * std::accumulate(items.begin(), items.end(), 0.0) / items.back();
}

MeasuredRate MeanOf(const std::vector<double>& rates) {
  const auto n = static_cast<double>(rates.size());
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / n;
  double squares = 0;
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0, 0};
}

}  // namespace

RateMeter::RateMeter(const SimScenario& scenario, const Optimum& optimum)
    : scenario_(Frozen(scenario, optimum.from)),
      rate_(optimum.rate.per_second),
      epoch_(EpochOf(scenario)),
      all_items_(AllItems(scenario)) {}

MeasuredRate RateMeter::Of(const SimSetting& setting, const MeasureLength& length, std::uint64_t seed) const {
  SimScenario scenario = scenario_;
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    scenario.ops[i].workers = setting.workers[i];
    scenario.ops[i].capacity = static_cast<int>(setting.capacity[i]);
  }
  SimPlant plant(std::move(scenario), seed);
  const double items = std::max(kParts, std::min(length.items, length.simulated / all_items_));
  MeasuredRate measured = epoch_ > 0 ? OverEpochs(plant, items) : OverTime(plant, items);
  measured.simulated = static_cast<double>(plant.Truth().simulated);
  return measured;
}

MeasuredRate RateMeter::OverTime(SimPlant& plant, double items) const {
  plant.set_tick(FromSeconds(std::min(kWarmItems, kWarmShare * items) / 2 / rate_));
  static_cast<void>(plant.Sense());
  static_cast<void>(plant.Sense());
  plant.set_tick(FromSeconds(items / kParts / rate_));
  std::vector<double> rates;
  for (SimTruth from = plant.Truth(); rates.size() < kParts;) {
    static_cast<void>(plant.Sense());
    SimTruth to = plant.Truth();
    rates.push_back(static_cast<double>(to.items - from.items) / Seconds(to.now - from.now));
    from = std::move(to);
  }
  return MeanOf(rates);
}

MeasuredRate RateMeter::OverEpochs(SimPlant& plant, double items) const {
  const double warm = std::ceil(std::min(kWarmItems, kWarmShare * items) / epoch_);
  const double all = warm + std::max(kLeastEpochs, std::ceil(items / epoch_));
  plant.set_tick(FromSeconds(epoch_ / rate_ / kTicksPerEpoch));
  std::vector<double> rates;
  double begin = 0;
  for (double ended = 0; ended < all;) {
    static_cast<void>(plant.Sense());
    const SimTruth now = plant.Truth();
    const double at = Seconds(now.now);
    const double more = std::floor(static_cast<double>(now.items) / epoch_) - ended;
    if (more > 0 && ended >= warm) rates.push_back(more * epoch_ / (at - begin));
    if (more > 0) begin = at;
    ended += more;
    if (at > kOverdue * all * epoch_ / rate_) return {static_cast<double>(now.items) / at, 0, 0};
  }
  return MeanOf(rates);
}

}  // namespace sluice::simulator
