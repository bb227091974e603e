#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"
#include "simulator/scenarios.h"

namespace sluice::baselines {
namespace {

using simulator::testing::Fixed;
using simulator::testing::Lognormal;
using testing::Made;
using namespace std::chrono_literals;

class EveryBaseline : public ::testing::TestWithParam<BaselineInfo> {};

// Read, decode, augment with three pinned workers, batch.
simulator::SimScenario Pipeline() {
  simulator::SimScenario s = simulator::testing::Rows();
  s.ops = {{.name = "read",
            .kind = simulator::SimKind::kRange,
            .count = 1'000'000'000,
            .burn = Fixed(500us),
            .wait = Fixed(2ms),
            .allocate = {100'000},
            .capacity = 4,
            .max_workers = 12},
           {.name = "decode", .burn = Lognormal(8ms, 0.3), .workers = 2, .capacity = 4, .max_workers = 12},
           {.name = "augment", .burn = Fixed(2ms), .workers = 3, .capacity = 4, .pin_workers = true},
           {.name = "batch",
            .kind = simulator::SimKind::kBatch,
            .size = 8,
            .burn = Fixed(1ms),
            .capacity = 2,
            .max_workers = 12}};
  s.consumer.step = Fixed(4ms);
  s.machine.noise = 0.02;
  s.seed = 5;
  return s;
}

bool Allowed(const Snapshot& seen, const KnobChange& change) {
  for (const Knob& knob : seen.knobs) {
    if (knob.id != change.knob) continue;
    return knob.holder == Holder::kAuto && change.from == knob.value && change.to >= knob.min &&
           change.to <= knob.max && change.to != change.from;
  }
  return false;
}

TEST_P(EveryBaseline, RunsAMinuteWithinTheKnobsAndLeavesPinnedOnesAlone) {
  simulator::SimPlant plant(Pipeline());
  const auto rule = Made(GetParam().name, 5);
  std::uint64_t last_id = 0;
  while (plant.Truth().now < 60s) {
    const Snapshot seen = plant.Sense();
    const Decision decision = rule->Decide(seen);
    for (const KnobChange& change : decision.changes) {
      EXPECT_TRUE(Allowed(seen, change)) << static_cast<int>(change.knob.kind) << " of " << change.knob.target
                                         << ": " << change.from << " to " << change.to;
    }
    EXPECT_EQ(decision.id != 0, !decision.changes.empty());
    EXPECT_EQ(decision.changes.empty(), decision.because.empty());
    if (decision.id != 0) {
      EXPECT_EQ(decision.id, ++last_id);
    }
    plant.Act(decision);
  }
  EXPECT_EQ(plant.Truth().workers[2], 3);
  EXPECT_GT(plant.Truth().items, 100U);
}

TEST_P(EveryBaseline, IsSilentBeforeThereIsAGraphAndAfterTheEnd) {
  const auto rule = Made(GetParam().name);
  EXPECT_EQ(rule->Decide({}).id, 0U);
  testing::HandMade plant({{.name = "read"}}, 4);
  Snapshot ended = plant.seen();
  ended.finished = true;
  EXPECT_EQ(rule->Decide(ended).id, 0U);
}

TEST_P(EveryBaseline, SaysWhatItIsAndWhereItComesFrom) {
  EXPECT_FALSE(GetParam().description.empty());
  EXPECT_FALSE(GetParam().source.empty());
}

std::string TestName(const ::testing::TestParamInfo<BaselineInfo>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryBaseline, ::testing::ValuesIn(Baselines().begin(), Baselines().end()),
                         TestName);

}  // namespace
}  // namespace sluice::baselines
