// Small scenarios, written as sentences, and runs of them without a controller.
#pragma once
#include <cstdint>
#include <string>

#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_plant.h"

namespace sluice::simulator::testing {

using namespace std::chrono_literals;

[[nodiscard]] Distribution Fixed(Nanos mean);
[[nodiscard]] Distribution Exponential(Nanos mean);
[[nodiscard]] Distribution Lognormal(Nanos mean, double cv);

// A source of endless rows and nothing else, on 8 cores.
[[nodiscard]] SimScenario Rows(std::uint64_t per_epoch = 1'000'000'000);
// Appends an op and returns it; valid until the next is appended.
SimOp& Add(SimScenario& scenario, const std::string& name);
SimOp& Burns(SimScenario& scenario, const std::string& name, Distribution time);
SimOp& Waits(SimScenario& scenario, const std::string& name, Distribution time);
SimOp& Batches(SimScenario& scenario, std::uint32_t size);

// Lets `time` pass in ticks.
Snapshot RunFor(SimPlant& plant, Nanos time);
// Consumer items per second after a start of `warmup`.
[[nodiscard]] double MeasuredRate(const SimScenario& scenario, Nanos warmup, Nanos time);
// The scenario with as many workers as the optimum needs, a few to `spare` where there is no contention, and
// `capacity` everywhere (0: as it is).
enum class Spare { kNo, kYes };
[[nodiscard]] SimScenario AtOptimum(SimScenario scenario, Spare spare = Spare::kYes, int capacity = 128);

[[nodiscard]] Decision Change(KnobKind kind, std::uint32_t target, std::int64_t to,
                              Author author = Author::kController);

}  // namespace sluice::simulator::testing
