// How many items of all ops a second of real time simulates: a chain of four ops with spread times, eight
// ranks, a storage with waiting readers. The first line is what a promise is made of; there is nothing to
// compare it with.
#include <fmt/format.h>

#include "paired.h"
#include "sluice/base/clock.h"
#include "sluice/simulator/sim_plant.h"

namespace sluice::bench {
namespace {

using namespace std::chrono_literals;

simulator::SimScenario Chain(int ranks) {
  simulator::SimScenario s;
  s.name = "chain";
  s.epochs = 0;
  s.machine.cores = 16.0 * ranks;
  s.machine.ranks = ranks;
  s.ops = {{.name = "source", .kind = simulator::SimKind::kRange, .count = 1'000'000'000},
           {.name = "decode", .burn = {Distribution::Kind::kLognormal, 600us, 0.5}, .workers = 12},
           {.name = "augment", .burn = {Distribution::Kind::kLognormal, 200us, 0.5}, .workers = 5},
           {.name = "batch", .kind = simulator::SimKind::kBatch, .size = 32}};
  return s;
}

simulator::SimScenario Readers() {
  simulator::SimScenario s = Chain(1);
  s.name = "readers";
  s.ops[1].wait = {Distribution::Kind::kExponential, 2ms, 0};
  s.ops[1].read = {100'000};
  s.ops[1].workers = 60;
  s.storage = {.bandwidth = {4'000'000'000}, .parallelism = {0.1, 0.3, 0.6, 0.8, 1}};
  return s;
}

constexpr double kRoundSeconds = 2;

void Measure(const simulator::SimScenario& scenario, int rounds) {
  std::vector<double> millions, virtual_seconds;  // per second
  for (int round = 0; round < rounds; ++round) {
    simulator::SimPlant plant(scenario);
    const MonoTime start = MonoNow();
    while (Seconds(MonoNow() - start) < kRoundSeconds) (void)plant.Sense();
    const simulator::SimTruth truth = plant.Truth();
    const double took = Seconds(MonoNow() - start);
    millions.push_back(static_cast<double>(truth.simulated) / took * 1e-6);
    virtual_seconds.push_back(Seconds(truth.now) / took);
  }
  fmt::print("{:<8} {} million items per second, {:8.1f} virtual seconds per second\n", scenario.name,
             Text(SpreadOf(millions)), Median(virtual_seconds));
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 3);
  LookAround(busy);
  for (const auto& scenario : {Chain(1), Chain(8), Readers()}) {
    Measure(scenario, rounds);
  }
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
