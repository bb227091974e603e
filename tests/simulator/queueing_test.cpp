// The simulation against results of queueing theory.
#include <gtest/gtest.h>

#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

// Rows arrive by chance, every 10 ms on average, whatever happens behind.
SimScenario Arrivals() {
  SimScenario s = Rows();
  s.ops[0].wait = Exponential(10ms);
  s.ops[0].serial = true;
  s.ops[0].capacity = s.ops[0].max_capacity = 100'000;
  return s;
}

// M/M/1 (Kendall): of a server that is busy a share rho of the time, rho^2 / (1 - rho) wait in the queue.
TEST(Queueing, AQueueIsAsLongAsForPoissonArrivalsAndExponentialService) {
  for (const auto& [service, length] : {std::pair{5ms, 0.5}, std::pair{8ms, 3.2}}) {
    SimScenario s = Arrivals();
    Waits(s, "server", Exponential(service)).serial = true;
    SimPlant plant(s);
    const Snapshot seen = RunFor(plant, 4000s);
    EXPECT_NEAR(seen.connectors[0].depth_seconds / Seconds(seen.at), length, 0.06 * length);
    EXPECT_NEAR(Seconds(seen.ops[1].busy) / Seconds(seen.at), Seconds(service) / 0.01, 0.01);
  }
}

// M/G/1 with processor sharing (Kleinrock): an item takes s / (1 - rho), whatever its distribution.
TEST(Queueing, ASharedCoreStretchesItemsByItsLoadWhateverTheirSpread) {
  for (const Distribution& time : {Exponential(5ms), Lognormal(5ms, 2), Fixed(5ms)}) {
    SimScenario s = Arrivals();
    s.machine.cores = 1;
    SimOp& op = Burns(s, "op", time);
    op.workers = op.max_workers = 500;
    SimPlant plant(s);
    const Snapshot seen = RunFor(plant, 4000s);
    const OpReading& reading = seen.ops[1];
    EXPECT_NEAR(Seconds(reading.busy) / static_cast<double>(reading.items), 0.010, 0.0006);
    EXPECT_NEAR(Seconds(*reading.on_cpu) / static_cast<double>(reading.items), 0.005, 0.0002);
    EXPECT_NEAR(Seconds(*reading.on_cpu + *reading.runnable), Seconds(reading.busy), 1e-3);
  }
}

// M/M/1/K at balance passes K / (K + 1) of its rate; with capacity c the item in service and c waiting make
// K = c + 1.
TEST(Queueing, AFiniteConnectorCostsAsMuchAsTheoryHasIt) {
  for (const int capacity : {1, 4, 16}) {
    SimScenario s = Rows();
    s.ops[0].wait = Exponential(2ms);
    s.ops[0].serial = true;
    s.ops[0].capacity = capacity;
    Waits(s, "server", Exponential(2ms)).serial = true;
    s.ops[1].capacity = 1000;
    const double k = capacity + 1;
    EXPECT_NEAR(MeasuredRate(s, 10s, 1000s), 500 * k / (k + 1), 0.01 * 500) << capacity;
  }
}

// Little's law: items inside = throughput x time inside.
TEST(Queueing, WorkersThatWaitAddUpAsLittleSays) {
  SimScenario s = Rows();
  SimOp& fetch = Waits(s, "fetch", Lognormal(20ms, 1));
  fetch.workers = 64;
  fetch.ordered = false;
  s.consumer.step = Fixed(1ms);
  SimPlant plant(s);
  const Snapshot before = RunFor(plant, 10s);
  const Snapshot seen = RunFor(plant, 100s);
  const double busy = Seconds(seen.ops[1].busy - before.ops[1].busy) / Seconds(seen.at - before.at);
  EXPECT_NEAR(busy, 1000 * 0.020, 0.6);
}

}  // namespace
}  // namespace sluice::simulator::testing
