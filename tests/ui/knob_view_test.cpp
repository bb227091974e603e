#include "sluice/ui/knob_view.h"

#include <gmock/gmock.h>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Scene Steered() {
  Scene scene = MadeScene();
  scene.steering = SteeringSeen{.open = true, .tuning = "tuning"};
  return scene;
}

ForecastSeen Doubled() {
  return {.knobs = {{"decode.workers", 4}},
          .now = {Rate{80}, 1.5, 64_MiB},
          .then = {Rate{124}, 3.2, 120_MiB},
          .limited_by = "read",
          .memory = 512_MiB,
          .cores = 4};
}

TEST(KnobView, TellsAllThatThereIsOfAKnob) {
  const KnobView view = DescribeKnob(Steered(), 0, {});
  EXPECT_EQ(view.title, "decode.workers");
  EXPECT_EQ(view.wanted, 3) << "what was asked for last";
  EXPECT_FALSE(view.changes);
  EXPECT_TRUE(view.free);
  EXPECT_FALSE(view.pinned);
  EXPECT_EQ(view.summary, "2 in force, 1 to 64, takes effect at once");
  EXPECT_THAT(view.outlook, IsEmpty());
  EXPECT_THAT(DescribeKnob(Steered(), 9, {}).title, IsEmpty());
}

TEST(KnobView, WhatIsWantedIsKeptInItsRangeAndComparedWithWhatWasAskedFor) {
  EXPECT_EQ(DescribeKnob(Steered(), 0, 100).wanted, 64);
  EXPECT_TRUE(DescribeKnob(Steered(), 0, 4).changes);
  EXPECT_FALSE(DescribeKnob(Steered(), 0, 3).changes);
}

TEST(KnobView, TellsTheForecastOfThisValueOnly) {
  Scene scene = Steered();
  scene.steering->forecast = Doubled();
  EXPECT_EQ(
      DescribeKnob(scene, 0, 4).outlook,
      "80 \u2192 124 items/s (+55%), 3.2 of 4 cores, at most 120 MiB of 512 MiB; then read is the limit");
  EXPECT_FALSE(DescribeKnob(scene, 0, 4).doubtful);
  EXPECT_THAT(DescribeKnob(scene, 0, 5).outlook, IsEmpty());
}

TEST(KnobView, DoubtsWhatGivesLessOrDoesNotFit) {
  Scene scene = Steered();
  scene.steering->forecast = Doubled();
  scene.steering->forecast->memory = 100_MiB;
  EXPECT_TRUE(DescribeKnob(scene, 0, 4).doubtful);
  scene.steering->forecast->memory.reset();
  EXPECT_FALSE(DescribeKnob(scene, 0, 4).doubtful);
  scene.steering->forecast->then.rate = Rate{70};
  EXPECT_TRUE(DescribeKnob(scene, 0, 4).doubtful);
  scene.steering->forecast->refused = "too little has been measured";
  EXPECT_EQ(DescribeKnob(scene, 0, 4).outlook, "too little has been measured");
  EXPECT_FALSE(DescribeKnob(scene, 0, 4).doubtful);
}

TEST(KnobView, SaysWhyAKnobCannotBeSet) {
  Scene scene = Steered();
  scene.now.knobs[0].held = HeldBecause::kOrder;
  EXPECT_EQ(DescribeKnob(scene, 0, {}).fixed, "It is held: rows would come in another order.");
  scene.now.knobs[0].held = HeldBecause::kNot;
  scene.now.knobs[0].takes_effect = TakesEffect::kNextRun;
  EXPECT_THAT(DescribeKnob(scene, 0, {}).fixed, HasSubstr("next run"));
  scene.now.knobs[0].takes_effect = TakesEffect::kNextEpoch;
  EXPECT_TRUE(DescribeKnob(scene, 0, {}).free);
  scene.earlier = true;
  EXPECT_THAT(DescribeKnob(scene, 0, {}).fixed, HasSubstr("as it was then"));
  scene.steering = SteeringSeen{.closed = "nobody answers"};
  EXPECT_EQ(DescribeKnob(scene, 0, {}).fixed, "nobody answers");
  scene.steering.reset();
  EXPECT_EQ(DescribeKnob(scene, 0, {}).fixed, "The run is over.");
  scene.watched = Watched::kRecorded;
  EXPECT_EQ(DescribeKnob(scene, 0, {}).fixed, "It was recorded.");
}

TEST(KnobView, CanBeSetWhileNobodyHasAnsweredYet) {
  Scene scene = Steered();
  scene.steering = SteeringSeen{};
  EXPECT_TRUE(DescribeKnob(scene, 0, {}).free)
      << "what is wished then waits; keys that come early are not lost";
  EXPECT_THAT(DescribeSteering(scene).line, HasSubstr("Looking for"));
  EXPECT_FALSE(DescribeSteering(scene).warns);
}

TEST(KnobView, BoundsAreToldAndTurnedAtWhatIsWanted) {
  Scene scene = Steered();
  const auto rebounded = [&](std::int64_t wanted, bool least) {
    return Rebounded(DescribeKnob(scene, 0, wanted), least);
  };
  EXPECT_EQ(rebounded(4, true), (KnobRange{4, 64}));
  EXPECT_EQ(rebounded(8, false), (KnobRange{1, 8}));
  scene.steering->bounds = {{"read.workers", {9, 9}}, {"decode.workers", {4, 8}}};
  EXPECT_EQ(DescribeKnob(scene, 0, {}).summary,
            "2 in force, 1 to 64, for the tuner 4 to 8, takes effect at once");
  EXPECT_EQ(rebounded(4, true), (KnobRange{1, 8})) << "the same again lifts it";
  EXPECT_EQ(rebounded(8, false), (KnobRange{4, 64}));
  EXPECT_EQ(rebounded(12, true), (KnobRange{12, 12})) << "the other bound gives way";
  EXPECT_EQ(rebounded(2, false), (KnobRange{2, 2}));
  scene.steering->bounds = {{"decode.workers", {1, 8}}};
  EXPECT_EQ(rebounded(8, false), std::nullopt) << "none are left";
}

TEST(KnobSteps, AreOfOneAndGrowInWideRanges) {
  Knob knob;
  knob.max = 16;
  EXPECT_EQ(Stepped(knob, 3, 1), 4);
  EXPECT_EQ(Stepped(knob, 1, -1), 1);
  EXPECT_EQ(Stepped(knob, 16, 1), 16);
  knob.max = 4096;
  EXPECT_EQ(Stepped(knob, 3, 1), 4);
  EXPECT_EQ(Stepped(knob, 800, 1), 900);
  EXPECT_EQ(Stepped(knob, 800, -1), 700);
}

TEST(Steering, TellsWhoHoldsWhatAndThenWhatCameOfTheLastWish) {
  Scene scene = Steered();
  EXPECT_EQ(DescribeSteering(scene).line, "The tuner is tuning.");
  EXPECT_FALSE(DescribeSteering(scene).warns);
  scene.steering->held_by = "alice";
  EXPECT_EQ(DescribeSteering(scene).line, "alice holds the tuner: it changes nothing.");
  EXPECT_TRUE(DescribeSteering(scene).held);
  scene.steering->holder = "bob";
  EXPECT_THAT(DescribeSteering(scene).line, HasSubstr("bob has the lease"));
  scene.steering->said = "decode.workers is to be 4";
  EXPECT_EQ(DescribeSteering(scene).line, "decode.workers is to be 4");
  EXPECT_FALSE(DescribeSteering(scene).warns);
  scene.steering->refused = true;
  EXPECT_TRUE(DescribeSteering(scene).warns);
  scene.steering = SteeringSeen{.closed = "its run has ended", .undoes = true};
  EXPECT_EQ(DescribeSteering(scene).line, "its run has ended");
  EXPECT_FALSE(DescribeSteering(scene).undoes);
}

TEST(Steering, OffersTheNewestAdviceAsLongAsItIsNotTaken) {
  Scene scene = Steered();
  EXPECT_THAT(DescribeSteering(scene).advice, IsEmpty()) << "its last decision was kept";
  scene.decisions.back().fate = Fate::kAdvised;
  scene.decisions.back().decision.changes = {{{KnobKind::kWorkers, 1}, 2, 4}};
  const std::vector<KnobValue> advice{{"decode.workers", 4}};
  EXPECT_EQ(DescribeSteering(scene).advice, advice);
  DecisionSeen by_user = scene.decisions.back();
  by_user.decision.author = Author::kUser;
  by_user.fate = Fate::kKept;
  scene.decisions.push_back(by_user);
  EXPECT_EQ(DescribeSteering(scene).advice, advice) << "the user has done something else since";
  scene.steering->forecast = Doubled();
  EXPECT_THAT(DescribeSteering(scene).line, HasSubstr("The advice: 80 \u2192 124 items/s"));
  scene.now.knobs[0].requested = 4;
  EXPECT_THAT(DescribeSteering(scene).advice, IsEmpty());
}

}  // namespace
}  // namespace sluice::ui
