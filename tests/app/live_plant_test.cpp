#include "loop/live_plant.h"

#include <gtest/gtest.h>

#include "probes/segment_fixture.h"

namespace sluice::app {
namespace {

constexpr KnobId kWorkers{KnobKind::kWorkers, 1};

class LivePlantTest : public testing::Test {
 protected:
  std::int64_t Requested() { return plant_.Sense().knobs[0].requested; }

  probes::SegmentWriter segment_{
      probes::PrivateSegment(), probes::SmallGraph(), probes::SmallKnobs(), {4, 512_MiB}};
  LivePlant plant_{probes::Sampler(std::move(*probes::SegmentReader::Over(segment_.bytes())), {}),
                   std::move(*probes::KnobRequester::Over(segment_.bytes()))};
};

TEST_F(LivePlantTest, ADecisionBecomesARequest) {
  Decision decision;
  decision.changes = {{kWorkers, 2, 5}};
  plant_.Act(decision);
  EXPECT_EQ(Requested(), 5);
}

TEST_F(LivePlantTest, AdviceTouchesNothing) {
  Decision advice;
  advice.changes = {{kWorkers, 2, 5}};
  advice.advice = true;
  const auto wakes = segment_.header().knob_futex.load();
  plant_.Act(advice);
  EXPECT_EQ(Requested(), 2);
  EXPECT_EQ(segment_.header().knob_futex.load(), wakes);
}

TEST_F(LivePlantTest, AChangeBeyondABoundIsNotRequested) {
  Decision decision;
  decision.changes = {{kWorkers, 2, 9}};
  plant_.Act(decision);
  EXPECT_EQ(Requested(), 2);
}

TEST_F(LivePlantTest, TheControllerSeesWhatUsersLeaveOfARange) {
  const Knob own = plant_.Sense().knobs[0];
  plant_.bounds().Set({kWorkers, 2, 3});
  plant_.bounds().Set({kWorkers, 0, 4});
  const Knob seen = plant_.Sense().knobs[0];
  EXPECT_EQ(seen.min, own.min);
  EXPECT_EQ(seen.max, 4);
  EXPECT_EQ(plant_.knobs()[0].max, own.max);
  plant_.bounds().Set({kWorkers, own.max + 1, own.max + 9});
  EXPECT_EQ(plant_.Sense().knobs[0].min, own.max) << "bounds of another range leave the nearest value";
  EXPECT_EQ(plant_.Sense().knobs[0].max, own.max);
  plant_.bounds().Lift(kWorkers);
  EXPECT_EQ(plant_.Sense().knobs[0].max, own.max);
}

}  // namespace
}  // namespace sluice::app
