#include "sluice/ui/strip.h"

#include <gmock/gmock.h>

#include <functional>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Case {
  const char* name;
  std::function<void(Scene&)> change;
  StripState state;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class StripStates : public testing::TestWithParam<Case> {};

TEST_P(StripStates, IsNamedAndSaysWhatToDo) {
  Scene scene = MadeScene();
  GetParam().change(scene);
  const Strip strip = MakeStrip(scene);
  EXPECT_STREQ(StripStateName(strip.state), StripStateName(GetParam().state));
  EXPECT_NE(strip.word, "");
  EXPECT_NE(strip.glyph, "");
  EXPECT_NE(strip.sentence, "");
  const bool judged = strip.state == StripState::kInputBound || strip.state == StripState::kWaitsAtTimes;
  EXPECT_TRUE(judged || !strip.next.empty()) << "a verdict ends with its remedy, any other state needs one";
}

INSTANTIATE_TEST_SUITE_P(
    All, StripStates,
    testing::Values(
        Case{"input_bound", [](Scene&) {}, StripState::kInputBound},
        Case{"waits_at_times", [](Scene& s) { s.consumer.starved = Fraction{0.05}; },
             StripState::kWaitsAtTimes},
        Case{"keeps_up", [](Scene& s) { s.consumer.starved = Fraction{0.049}; }, StripState::kKeepsUp},
        Case{"no_graph", [](Scene& s) { s.now.graph = nullptr; }, StripState::kStarting},
        Case{"first_item_on_its_way", [](Scene& s) { s.now.consumer = {.starved = 2s}; },
             StripState::kStarting},
        Case{"just_started",
             [](Scene& s) {
               s.now.consumer = {};
               s.now.at = kStart + 1s;
             },
             StripState::kStarting},
        Case{"no_consumer", [](Scene& s) { s.now.consumer = {}; }, StripState::kNoConsumer},
        Case{"stalled", [](Scene& s) { s.without_items = 11s; }, StripState::kStalled},
        Case{"a_slow_step_is_no_stall",
             [](Scene& s) {
               s.without_items = 11s;
               s.consumer.starved = Fraction{0};
             },
             StripState::kKeepsUp},
        Case{"stale", [](Scene& s) { s.silent = 4s; }, StripState::kStale},
        Case{"nothing_measured", [](Scene& s) { s.consumer.starved.reset(); }, StripState::kNotEnoughData},
        Case{"no_verdict_yet", [](Scene& s) { s.verdict = {}; }, StripState::kNotEnoughData},
        Case{"ended", [](Scene& s) { s.watched = Watched::kEnded; }, StripState::kEnded},
        Case{"recorded_runs_are_not_stale",
             [](Scene& s) {
               s.watched = Watched::kRecorded;
               s.silent = 60s;
             },
             StripState::kInputBound}),
    [](const auto& made) { return std::string(made.param.name); });

TEST(Strip, TellsTheEvidenceInNumbers) {
  Scene scene = MadeScene();
  scene.consumer.wait_p99 = 412ms;
  const Strip strip = MakeStrip(scene);
  EXPECT_THAT(strip.sentence, HasSubstr("waits 31% of its time (p99 412ms)."));
  EXPECT_THAT(strip.sentence, HasSubstr("Decode limits the run"));
}

TEST(Strip, TellsWhatIsOnTrial) {
  Scene scene = MadeScene();
  scene.decisions[0].fate = Fate::kTrial;
  EXPECT_EQ(MakeStrip(scene).next, "On trial: decode.workers 1 \u2192 2, predicted +100%.");
}

TEST(Strip, SaysHowOldTheFiguresAre) {
  Scene scene = MadeScene();
  scene.silent = 7s;
  EXPECT_THAT(MakeStrip(scene).sentence, HasSubstr("no life for 7.00s;"));
  scene.lost = "node7:9470: too many watch already";
  EXPECT_THAT(MakeStrip(scene).sentence, HasSubstr("for 7.00s (node7:9470: too many watch already);"));
}

}  // namespace
}  // namespace sluice::ui
