#include "sluice/ui/screen.h"

#include <gmock/gmock.h>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr TimeRange kAll{0s, 60s};

Choice Pressed(Choice choice, std::initializer_list<Action> actions) {
  for (const Action action : actions) choice = After(std::move(choice), action, MadeScene(), kAll);
  return choice;
}

TEST(Keys, DoNothingOnAPageThatIsAboutSomethingElse) {
  for (const Page page : {Page::kStart, Page::kPlan, Page::kFeed, Page::kChoose, Page::kCompare})
    EXPECT_TRUE(HasMeaning(Action::kQuit, page)) << static_cast<int>(page);
  EXPECT_TRUE(HasMeaning(Action::kHold, Page::kFeed));
  EXPECT_FALSE(HasMeaning(Action::kHold, Page::kCompare));
  EXPECT_FALSE(HasMeaning(Action::kPause, Page::kChoose));
  EXPECT_TRUE(HasMeaning(Action::kCompare, Page::kFeed));
  EXPECT_FALSE(HasMeaning(Action::kCompare, Page::kStart));
  EXPECT_TRUE(HasMeaning(Action::kPalette, Page::kStart));
  EXPECT_TRUE(HasMeaning(Action::kClear, Page::kStart)) << "else help could not be closed";
  EXPECT_TRUE(HasMeaning(Action::kClear, Page::kChoose)) << "there is a way back";
  EXPECT_TRUE(HasMeaning(Action::kStart, Page::kCompare));
}

TEST(Pause, StopsAtTheMomentAndFollowsAgain) {
  EXPECT_EQ(Pressed({}, {Action::kPause}).at, 60s);
  EXPECT_EQ(Pressed({}, {Action::kPause, Action::kPause}).at, std::nullopt);
}

TEST(Play, GoesThroughAllOfItInTwentySecondsAndThenFollows) {
  Choice choice = Pressed({}, {Action::kPlay});
  EXPECT_TRUE(choice.playing);
  EXPECT_EQ(choice.at, 0s);
  choice = Played(choice, 1s, kAll);
  EXPECT_EQ(choice.at, 3s);
  choice = Played(choice, 18s, kAll);
  EXPECT_EQ(choice.at, 57s);
  choice = Played(choice, 2s, kAll);
  EXPECT_EQ(choice.at, std::nullopt);
  EXPECT_FALSE(choice.playing);
}

TEST(Play, IsNeverSlowerThanItWent) {
  const Choice choice = Played(Pressed({}, {Action::kPlay}), 1s, {0s, 5s});
  EXPECT_EQ(choice.at, 1s);
}

TEST(Play, BeginsWhereItIsStoppedAndStopsThere) {
  Choice choice = Pressed({}, {Action::kLeft, Action::kPlay});
  EXPECT_EQ(choice.at, 51s);
  choice = Pressed(Played(choice, 1s, kAll), {Action::kPlay});
  EXPECT_EQ(choice.at, 54s);
  EXPECT_FALSE(choice.playing);
  EXPECT_EQ(Played(choice, 1s, kAll).at, 54s) << "it is not played";
  choice = Pressed(choice, {Action::kPlay, Action::kPause});
  EXPECT_EQ(choice.at, 54s) << "where it is played, it is stopped";
  EXPECT_FALSE(choice.playing);
}

TEST(Mark, IsPutAtTheMomentAndTakenAway) {
  Choice choice = Pressed({}, {Action::kMark, Action::kLeft, Action::kMark});
  EXPECT_THAT(choice.marks, testing::ElementsAre(51s, 60s));
  choice = Pressed(choice, {Action::kMark});
  EXPECT_THAT(choice.marks, testing::ElementsAre(60s)) << "it is there already";
}

TEST(Mark, IsGoneToAsDecisionsAre) {
  Choice choice = Pressed({}, {Action::kLeft, Action::kMark, Action::kLeft});
  EXPECT_EQ(Pressed(choice, {Action::kNextDecision}).at, 51s);
  EXPECT_EQ(Pressed(choice, {Action::kPreviousDecision}).at, 30s) << "the decision";
  EXPECT_EQ(Pressed(choice, {Action::kPreviousDecision, Action::kNextDecision}).at, 51s);
}

TEST(Range, IsFromTheMarkBeforeToTheMoment) {
  Choice choice = Pressed({}, {Action::kLeft, Action::kMark, Action::kRight, Action::kRange});
  EXPECT_EQ(choice.chosen, (TimeRange{51s, 60s}));
  EXPECT_EQ(Pressed({}, {Action::kLeft, Action::kRange}).chosen, (TimeRange{0s, 51s})) << "from the start";
  EXPECT_EQ(Pressed({}, {Action::kPlay, Action::kRange}).chosen, std::nullopt) << "nothing is before it";
}

TEST(ExportName, IsMadeOfPlainCharactersAndTheMoment) {
  Scene scene = MadeScene();
  scene.name = "train.py: loader (Photos/2)";
  EXPECT_EQ(ExportName(scene, Pressed({}, {Action::kLeft}), kAll), "train.py-loader-Photos-2-51.0s");
  scene.name = "/";
  EXPECT_EQ(ExportName(scene, {}, kAll), "run-60.0s");
}

TEST(Scrubbing, GoesBackAndKeepsTheMomentInSight) {
  EXPECT_EQ(Pressed({}, {Action::kLeft}).at, 51s);
  EXPECT_EQ(Pressed({}, {Action::kLeft, Action::kRight, Action::kRight}).at, 60s)
      << "not beyond what there is";
  Choice close;
  close.shown = TimeRange{40s, 60s};
  close.at = 40s;
  const Choice moved = Pressed(close, {Action::kLeft});
  EXPECT_EQ(moved.at, 37s);
  EXPECT_EQ(moved.shown, (TimeRange{37s, 57s}));
}

TEST(Zoom, EndsWhereAllIsSeen) {
  const Choice close = Pressed({}, {Action::kZoomIn});
  ASSERT_TRUE(close.shown);
  EXPECT_EQ(close.shown->to, 60s) << "around the moment that is looked at";
  EXPECT_EQ(Pressed(close, {Action::kZoomOut}).shown, std::nullopt);
}

TEST(Fit, ShowsTheChosenRange) {
  Choice choice;
  choice.chosen = TimeRange{10s, 20s};
  choice = Pressed(choice, {Action::kFit});
  EXPECT_EQ(choice.shown, choice.chosen);
  EXPECT_EQ(choice.look().from, 10s);
  EXPECT_EQ(choice.look().until, 20s);
}

TEST(Decisions, AreReachedByKey) {
  EXPECT_EQ(Pressed({}, {Action::kPreviousDecision}).at, 30s);
  Choice early;
  early.at = 5s;
  EXPECT_EQ(Pressed(early, {Action::kNextDecision}).at, 30s);
  EXPECT_EQ(Pressed(early, {Action::kPreviousDecision}).at, 5s) << "there is none before";
}

TEST(Ops, AreChosenByKeyAllAround) {
  EXPECT_EQ(Pressed({}, {Action::kNextOp}).op, 0u);
  EXPECT_EQ(Pressed({}, {Action::kPreviousOp}).op, 2u);
  EXPECT_EQ(Pressed({}, {Action::kPreviousOp, Action::kNextOp}).op, 0u);
  EXPECT_EQ(After({}, Action::kNextOp, Scene{}, kAll).op, std::nullopt);
}

TEST(Escape, ForgetsOneThingAtATime) {
  Choice choice;
  choice.help = true;
  choice.op = 1;
  choice.chosen = kAll;
  choice.table().filter = "x";
  choice = Pressed(choice, {Action::kClear});
  EXPECT_FALSE(choice.help);
  EXPECT_EQ(choice.table().filter, "x");
  choice = Pressed(choice, {Action::kClear});
  EXPECT_EQ(choice.table().filter, "");
  choice = Pressed(choice, {Action::kClear});
  EXPECT_FALSE(choice.chosen);
  EXPECT_TRUE(choice.op);
  EXPECT_FALSE(Pressed(choice, {Action::kClear}).op);
}

TEST(Themes, ComeRoundToTheFirst) {
  EXPECT_EQ(Pressed({}, {Action::kTheme, Action::kTheme, Action::kTheme, Action::kTheme}).theme,
            Theme::kDark);
}

TEST(Scale, HasItsLimitsAndComesBackToThatOfTheScreen) {
  Choice choice;
  choice.screen_scale = 2;
  for (int i = 0; i < 100; ++i) choice = Pressed(choice, {Action::kLarger});
  EXPECT_EQ(choice.scale, 4);
  EXPECT_EQ(Pressed(choice, {Action::kNormalSize}).scale, 2);
}

TEST(Screen, HasNoPanelOverAnotherAndNoneOutside) {
  for (const float scale : {1.0F, 2.0F}) {
    Choice choice;
    choice.scale = scale;
    choice.op = 1;
    const ScreenView view = LayOutScreen(1280 * scale, 800 * scale, choice, true);
    ASSERT_TRUE(view.steering);
    const Box boxes[] = {view.header,   view.strip, *view.steering, view.pipeline,
                         view.timeline, view.tabs,  view.table};
    for (std::size_t i = 1; i < std::size(boxes); ++i) EXPECT_GE(boxes[i].y, boxes[i - 1].bottom()) << i;
    EXPECT_LE(view.table.bottom(), 800 * scale);
    ASSERT_TRUE(view.detail);
    EXPECT_GE(view.detail->x, view.table.right());
    EXPECT_LE(view.detail->right(), 1280 * scale);
  }
  EXPECT_FALSE(LayOutScreen(1280, 800, {}, false).detail);
  EXPECT_GE(LayOutScreen(50, 50, {}, false).table.height, 1) << "a window may be tiny";
}

TEST(Screens, HaveAWindowWithinReachWhereItsTopIs) {
  const Box screens[] = {{0, 0, 1920, 1080}, {1920, 200, 800, 600}};
  EXPECT_TRUE(WithinReach({100, 100, 1280, 800}, screens));
  EXPECT_TRUE(WithinReach({2000, 300, 700, 900}, screens));
  EXPECT_FALSE(WithinReach({3000, 300, 700, 900}, screens)) << "that screen was taken away";
  EXPECT_FALSE(WithinReach({100, -200, 1280, 800}, screens)) << "nobody could move it";
  EXPECT_FALSE(WithinReach({0, 0, 100, 100}, {}));
}

TEST(Knobs, AreChosenTurnedAndForgottenByKeys) {
  Choice choice;
  choice.op = 1;
  choice = Pressed(choice, {Action::kKnobs});
  EXPECT_EQ(choice.tab, Tab::kKnobs);
  EXPECT_EQ(choice.knob, 0U) << "that of the chosen op";
  EXPECT_TRUE(LayOutScreen(1280, 800, choice, true).detail);
  EXPECT_THAT(TitleText(MadeScene(), choice, kAll), testing::HasSubstr("decode.workers 2"));
  choice = Pressed(choice, {Action::kMore, Action::kMore});
  EXPECT_EQ(choice.wanted, 5) << "from what was asked for last";
  EXPECT_EQ(Pressed(choice, {Action::kLess}).wanted, 4);
  choice = Pressed(choice, {Action::kClear});
  EXPECT_FALSE(choice.wanted);
  choice = Pressed(choice, {Action::kMore, Action::kNextOp});
  EXPECT_FALSE(choice.wanted) << "another knob, or the same anew";
  EXPECT_EQ(choice.op, 1U) << "among knobs the arrows choose knobs";
  choice = Pressed(choice, {Action::kClear});
  EXPECT_FALSE(choice.knob);
  EXPECT_FALSE(LayOutScreen(1280, 800, choice, true).detail);
  EXPECT_FALSE(Pressed(choice, {Action::kMore}).wanted) << "none is chosen";
}

TEST(Title, TellsTheVerdictFirst) {
  Choice choice;
  choice.op = 1;
  const std::string title = TitleText(MadeScene(), choice, kAll);
  EXPECT_THAT(title, StartsWith("INPUT-BOUND"));
  EXPECT_THAT(title, HasSubstr("decode"));
  EXPECT_THAT(title, HasSubstr("live"));
  EXPECT_THAT(TitleText(MadeScene(), Pressed(choice, {Action::kLeft}), kAll),
              HasSubstr("stopped at 51.0s of 60.0s"));
}

}  // namespace
}  // namespace sluice::ui
