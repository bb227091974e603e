#include <gtest/gtest.h>

#include "autotune/fake_plant.h"
#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using autotune::testing::FakeOp;
using autotune::testing::FakePlant;
using testing::Made;

class EveryBaseline : public ::testing::TestWithParam<BaselineInfo> {};

std::vector<FakeOp> Pipeline() {
  return {{.name = "read", .cpu_ms = 0.5, .wait_ms = 2, .most_workers = 12, .capacity = 4},
          {.name = "decode", .cpu_ms = 8, .spread = 0.3, .workers = 2, .most_workers = 12, .capacity = 4},
          {.name = "augment", .cpu_ms = 2, .workers = 3, .capacity = 4, .pinned = true},
          {.name = "batch", .cpu_ms = 1, .most_workers = 12, .rows_per_item = 8, .capacity = 2}};
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
  FakePlant plant(Pipeline(), 4, {.cores = 8, .noise = 0.02, .seed = 5});
  const auto rule = Made(GetParam().name, 5);
  std::uint64_t last_id = 0;
  while (plant.now() < 60) {
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
  EXPECT_EQ(plant.workers(2), 3);
  EXPECT_GT(plant.consumed(), 100U);
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
