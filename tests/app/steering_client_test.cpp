#include "steer/steering_client.h"

#include <gmock/gmock.h>

#include "app/steered_run.h"

namespace sluice::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using ui::Ask;

// Two viewers and the steering of a run, without sockets between them.
class SteeringClientTest : public testing::Test {
 protected:
  ControlRoad Road() {
    return {[this] { return sockets_; },
            [this](const std::string& socket, const ControlCall& call) -> Result<ControlReply> {
              if (socket != "7.control") return ControlReply{200, R"({"pipelines": "nonsense"})"};
              if (dead_) return Fail("nobody answers at 7.control: its run has ended");
              const auto answer =
                  run_.steering.Handle({1, call.method, call.path, call.lease, call.body}, now_);
              return ControlReply{answer.status, answer.json};
            }};
  }
  void Do(Ask ask, std::int64_t value = 0) { alice_.Do({ask, {{"decode.workers", value}}}); }
  [[nodiscard]] const ui::SteeringSeen& seen() const { return alice_.seen(); }
  // As the run does when it is asked to.
  void PutInForce() {
    run_.plant.SetWorkers(1, run_.plant.acted.back().changes[0].to), run_.agent.Step(), run_.agent.Step();
  }
  [[nodiscard]] std::vector<std::int64_t> Asked() const {
    std::vector<std::int64_t> to;
    to.reserve(run_.plant.acted.size());
    for (const Decision& decision : run_.plant.acted) to.push_back(decision.changes[0].to);
    return to;
  }

  SteeredRun run_;
  std::vector<std::string> sockets_{"3.control", "7.control"};
  bool dead_ = false;
  MonoTime now_ = kRunStart;
  SteeringClient alice_{Road(), {7, "train"}, "alice's top"}, bob_{Road(), {7, "train"}, "bob's top"};
};

TEST_F(SteeringClientTest, FindsItsPipelineAndTellsWhoHoldsWhat) {
  alice_.Look();
  EXPECT_TRUE(seen().open);
  EXPECT_EQ(seen().tuning, "tuning");
  Do(Ask::kHold);
  bob_.Look();
  EXPECT_EQ(bob_.seen().held_by, "alice's top");
  EXPECT_EQ(bob_.seen().holder, "alice's top");
  EXPECT_EQ(seen().held_by, "alice's top");
  EXPECT_THAT(seen().holder, IsEmpty()) << "that is herself";
  Do(Ask::kResume);
  EXPECT_FALSE(run_.agent.held());
}

TEST_F(SteeringClientTest, SetsUndoesAndRedoes) {
  Do(Ask::kSet, 4);
  EXPECT_EQ(seen().said, "decode.workers is to be 4");
  EXPECT_FALSE(seen().refused);
  EXPECT_TRUE(seen().undoes);
  PutInForce();
  Do(Ask::kSet, 6);
  PutInForce();
  alice_.Do({Ask::kUndo, {}});
  EXPECT_EQ(seen().said, "decode.workers is to be 4 again");
  PutInForce();
  EXPECT_TRUE(seen().redoes);
  alice_.Do({Ask::kRedo, {}});
  EXPECT_EQ(seen().said, "decode.workers is to be 6 again");
  PutInForce();
  EXPECT_FALSE(seen().redoes);
  alice_.Do({Ask::kUndo, {}});
  PutInForce();
  alice_.Do({Ask::kUndo, {}});
  PutInForce();
  EXPECT_FALSE(seen().undoes);
  EXPECT_THAT(Asked(), ElementsAre(4, 6, 4, 6, 4, 1));
  Do(Ask::kSet, 5);
  EXPECT_FALSE(seen().redoes) << "what comes after a new change is gone";
  EXPECT_EQ(run_.agent.decisions().entries()[0].decision.because,
            "alice's top (control socket) sets decode.workers 1 → 4");
}

TEST_F(SteeringClientTest, BoundsTheTunerAndSeesWhatOthersHaveBound) {
  alice_.Do({Ask::kBound, {{"decode.workers", 0}}, ui::KnobRange{2, 8}});
  EXPECT_EQ(seen().said, "the tuner keeps it from 2 to 8");
  EXPECT_THAT(Asked(), ElementsAre(2));
  EXPECT_TRUE(seen().undoes) << "what it has moved";
  bob_.Look();
  ASSERT_EQ(bob_.seen().bounds.size(), 1U);
  EXPECT_EQ(bob_.seen().bounds[0].knob, "decode.workers");
  EXPECT_EQ(bob_.seen().bounds[0].range, (ui::KnobRange{2, 8}));
  alice_.Do({Ask::kBound, {{"decode.workers", 0}}});
  bob_.Look();
  EXPECT_THAT(bob_.seen().bounds, IsEmpty());
}

TEST_F(SteeringClientTest, WhatIsRefusedIsSaidInTheRunsOwnWordsForAWhile) {
  Do(Ask::kSet, 99);
  EXPECT_TRUE(seen().refused);
  EXPECT_EQ(seen().said, "set.decode.workers: 99 is out of range; give 1 to 16");
  bob_.Do({Ask::kSet, {{"decode.workers", 4}}});
  EXPECT_THAT(bob_.seen().said, HasSubstr("alice's top holds the lease"));
  EXPECT_EQ(bob_.seen().holder, "alice's top");
  for (int i = 0; i < 20; ++i) alice_.Look();
  EXPECT_THAT(seen().said, IsEmpty());
  EXPECT_FALSE(seen().refused);
  EXPECT_THAT(run_.plant.acted, IsEmpty());
}

TEST_F(SteeringClientTest, ALeaseThatHasEndedIsTakenAgainAndGivenBackAtTheEnd) {
  Do(Ask::kSet, 4);
  now_ += std::chrono::hours(1);
  Do(Ask::kPin);
  EXPECT_FALSE(seen().refused) << seen().said;
  EXPECT_THAT(run_.holders, ElementsAre(Holder::kUser));
  alice_.Leave();
  bob_.Do({Ask::kUnpin, {{"decode.workers", 0}}});
  EXPECT_FALSE(bob_.seen().refused) << bob_.seen().said;
  EXPECT_THAT(run_.holders, ElementsAre(Holder::kUser, Holder::kAuto));
}

TEST_F(SteeringClientTest, AForecastNeedsNoLease) {
  Do(Ask::kForecast, 4);
  ASSERT_TRUE(seen().forecast);
  EXPECT_THAT(seen().forecast->refused, HasSubstr("too little"));
  run_.controller.forecast =
      Forecast{.now = {Rate{10}, 1.5, 100_MiB}, .then = {Rate{25}, 3.5, 400_MiB}, .limit = Limit::kCores};
  Do(Ask::kForecast, 5);
  EXPECT_EQ(seen().forecast->knobs, (std::vector<ui::KnobValue>{{"decode.workers", 5}}));
  EXPECT_EQ(seen().forecast->then.rate, Rate{25});
  EXPECT_EQ(seen().forecast->then.bytes, 400_MiB);
  EXPECT_EQ(seen().forecast->limited_by, "the cores");
  EXPECT_EQ(seen().forecast->cores, 4);
  EXPECT_EQ(seen().forecast->memory, 512_MiB);
  bob_.Look();
  EXPECT_THAT(bob_.seen().holder, IsEmpty());
  run_.controller.forecast.reset();
  Do(Ask::kForecast, 6);
  run_.controller.forecast = Forecast{.now = {Rate{10}}, .then = {Rate{30}}};
  alice_.Look();
  EXPECT_EQ(seen().forecast->then.rate, Rate{30}) << "what came too early is asked again";
}

TEST_F(SteeringClientTest, TellsWhoHasTakenTheLeaseMeanwhile) {
  Do(Ask::kSet, 4);
  now_ += std::chrono::hours(1);
  bob_.Do({Ask::kSet, {{"decode.workers", 5}}});
  alice_.Look();
  EXPECT_EQ(seen().holder, "bob's top");
  EXPECT_TRUE(seen().undoes);
}

TEST_F(SteeringClientTest, UndoOutlivesALostAnswer) {
  Do(Ask::kSet, 4);
  PutInForce();
  dead_ = true;
  alice_.Look();
  EXPECT_FALSE(seen().undoes);
  dead_ = false;
  alice_.Look();
  EXPECT_TRUE(seen().undoes);
  alice_.Do({Ask::kUndo, {}});
  EXPECT_THAT(Asked(), ElementsAre(4, 1));
}

TEST_F(SteeringClientTest, ARunThatIsGoneOrComesAgainIsNoSurprise) {
  dead_ = true;
  alice_.Look();
  EXPECT_FALSE(seen().open);
  EXPECT_THAT(seen().closed, HasSubstr("Nobody can be asked"));
  Do(Ask::kSet, 4);
  EXPECT_FALSE(seen().open);
  dead_ = false;
  alice_.Look();
  EXPECT_TRUE(seen().open);
  dead_ = true;
  Do(Ask::kSet, 4);
  EXPECT_THAT(seen().said, HasSubstr("nobody answers"));
  alice_.Look();
  EXPECT_FALSE(seen().open);
  dead_ = false;
  run_.over = true;
  alice_.Look();
  EXPECT_FALSE(seen().open);
}

}  // namespace
}  // namespace sluice::app
