#include "sluice/ui/timeline_view.h"

#include <gmock/gmock.h>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr Box kRoom{10, 400, 1000, 220};

TimelineView Drawn(TimelineWish wish = {}) {
  if (wish.shown.length() == Nanos(0)) wish.shown = MadeTrack().all;
  return LayOutTimeline(MadeScene(), MadeTrack(), wish, kRoom, 1);
}

TEST(Timeline, PutsEveryLaneOverOneAxis) {
  const TimelineView view = Drawn();
  ASSERT_EQ(view.lanes.size(), 4u);
  for (const LaneView& lane : view.lanes) {
    EXPECT_EQ(lane.box.x, view.plot.x);
    EXPECT_EQ(lane.box.width, view.plot.width);
    EXPECT_LE(lane.strokes.size(), static_cast<std::size_t>(view.plot.width));
    EXPECT_LE(lane.box.bottom(), kRoom.bottom());
  }
  EXPECT_EQ(view.lanes[0].top, "100/s");
  EXPECT_EQ(view.lanes[0].value, "70/s");
  EXPECT_EQ(view.lanes[2].value, "\u2013") << "cores are not known here";
}

TEST(Timeline, DrawsMoreAsALongerStroke) {
  const TimelineView view = Drawn();
  const auto& strokes = view.lanes[0].strokes;
  EXPECT_LT(strokes.back().top, strokes.front().top);
}

TEST(Timeline, MarksDecisionsWithTheirReasonAndFate) {
  const TimelineView view = Drawn();
  ASSERT_EQ(view.marks.size(), 1u);
  EXPECT_FLOAT_EQ(view.marks[0].x, view.plot.x + view.plot.width / 2);
  EXPECT_EQ(view.marks[0].glyph, "\u2713");
  const auto tip = MarkTip(MadeScene(), view, view.marks[0]);
  EXPECT_THAT(tip, Contains(HasSubstr("decode is busy 99%")));
  EXPECT_THAT(tip, Contains("predicted +100%, measured +75%"));
  EXPECT_TRUE(Drawn({.shown = {40s, 60s}}).marks.empty());
}

TEST(Timeline, ShowsTheUsersOwnMarks) {
  const TimelineView view = Drawn({.marks = {15s, 90s}});
  ASSERT_EQ(view.marks.size(), 2u) << "one is out of sight, and there is a decision";
  EXPECT_FLOAT_EQ(view.marks[0].x, view.PlaceOf(15s));
  EXPECT_THAT(MarkTip(MadeScene(), view, view.marks[0]), Contains("marked at 15.0s"));
}

TEST(Timeline, KnowsTheMomentUnderThePointer) {
  const TimelineView view = Drawn({.shown = {10s, 50s}});
  for (const Nanos at : {10s, 17s, 50s})
    EXPECT_NEAR(Seconds(view.TimeAt(view.PlaceOf(at))), Seconds(at), 0.01);
  EXPECT_EQ(view.TimeAt(-100), 10s);
  EXPECT_EQ(view.TimeAt(99999), 50s);
}

TEST(Timeline, HasTicksAtRoundTimesThatDoNotTouch) {
  const TimelineView view = Drawn();
  ASSERT_GE(view.ticks.size(), 3u);
  EXPECT_EQ(view.ticks[0].text, "0s");
  EXPECT_EQ(view.ticks[1].text, "10.0s");
  EXPECT_GE(view.ticks[1].x - view.ticks[0].x, 80);
}

TEST(Timeline, ShowsTheChosenRangeAndTheCursorWhereTheyAreInSight) {
  const TimelineView view = Drawn({.shown = {0s, 30s}, .chosen = TimeRange{15s, 60s}, .cursor = 40s});
  ASSERT_TRUE(view.chosen);
  EXPECT_FLOAT_EQ(view.chosen->right(), view.plot.right());
  EXPECT_FALSE(view.cursor);
}

TEST(Timeline, TellsTheValueAtTheMomentThatIsLookedAt) {
  EXPECT_EQ(Drawn({.cursor = 10s}).lanes[0].value, "40/s");
  EXPECT_EQ(Drawn({.cursor = 40s}).lanes[0].value, "70/s");
}

TEST(Timeline, GivesTheChosenOpLanesOfItsOwn) {
  const TimelineView view = Drawn({.op = 1});
  ASSERT_EQ(view.lanes.size(), 6u);
  EXPECT_EQ(view.lanes[4].name, "decode busy");
  EXPECT_EQ(view.lanes[5].name, "decode->batch fill");
}

TEST(Timeline, HasNothingToDrawBeforeTimeHasPassed) {
  EXPECT_TRUE(LayOutTimeline(MadeScene(), {}, {}, kRoom, 1).lanes.empty());
}

}  // namespace
}  // namespace sluice::ui
