#include "simulator/scenarios.h"

#include <algorithm>

namespace sluice::simulator::testing {

Distribution Fixed(Nanos mean) {
  return {.mean = mean};
}
Distribution Exponential(Nanos mean) {
  return {Distribution::Kind::kExponential, mean, 0};
}
Distribution Lognormal(Nanos mean, double cv) {
  return {Distribution::Kind::kLognormal, mean, cv};
}

SimScenario Rows(std::uint64_t per_epoch) {
  SimScenario scenario;
  scenario.epochs = 0;
  SimOp& source = Add(scenario, "source");
  source.kind = SimKind::kRange;
  source.count = per_epoch;
  return scenario;
}

SimOp& Add(SimScenario& scenario, const std::string& name) {
  return scenario.ops.emplace_back(SimOp{.name = name});
}

SimOp& Burns(SimScenario& scenario, const std::string& name, Distribution time) {
  SimOp& op = Add(scenario, name);
  op.burn = time;
  return op;
}

SimOp& Waits(SimScenario& scenario, const std::string& name, Distribution time) {
  SimOp& op = Add(scenario, name);
  op.wait = time;
  return op;
}

SimOp& Batches(SimScenario& scenario, std::uint32_t size) {
  SimOp& op = Add(scenario, "batch");
  op.kind = SimKind::kBatch;
  op.size = size;
  return op;
}

Snapshot RunFor(SimPlant& plant, Nanos time) {
  Snapshot seen;
  for (Nanos passed{0}; passed < time; passed += SimPlant::kTick) seen = plant.Sense();
  return seen;
}

double MeasuredRate(const SimScenario& scenario, Nanos warmup, Nanos time) {
  SimPlant plant(scenario);
  const Snapshot before = RunFor(plant, warmup);
  const Snapshot after = RunFor(plant, time);
  return static_cast<double>(after.consumer.items - before.consumer.items) / Seconds(after.at - before.at);
}

SimScenario AtOptimum(SimScenario scenario, Spare spare, int capacity) {
  const Optimum optimum = OptimumAt(scenario, Nanos(0));
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    SimOp& op = scenario.ops[i];
    const bool more = spare == Spare::kYes && op.contention == Contention{} && !op.serial;
    const int needed = optimum.workers[i];
    op.workers = std::min(more ? needed + needed / 4 + 1 : needed, op.max_workers);
    if (capacity > 0) op.capacity = std::min(capacity, op.max_capacity);
  }
  return scenario;
}

Decision Change(KnobKind kind, std::uint32_t target, std::int64_t to, Author author) {
  Decision decision;
  decision.id = 1;
  decision.author = author;
  decision.changes = {{{kind, target}, 0, to}};
  return decision;
}

}  // namespace sluice::simulator::testing
