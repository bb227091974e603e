#include "window/drawing_pace.h"

#include <gtest/gtest.h>

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;

constexpr MonoTime kNow = 1h;

DrawingPace Drawing(int cores, Nanos cost) {
  DrawingPace pace(cores);
  for (int i = 0; i < 20; ++i) pace.Drawn(cost);
  return pace;
}

TEST(DrawingPace, IsSlowWhereDrawingIsDearAndCoresAreFew) {
  const Nanos two = Drawing(2, 24ms).Between(kNow, false);
  EXPECT_LE(24ms, 0.005 * 2 * two) << "at most half a percent of both cores";
  EXPECT_LT(two, 5s);
  EXPECT_LT(Drawing(16, 24ms).Between(kNow, false), two / 4);
  EXPECT_LT(Drawing(2, 1ms).Between(kNow, false), 500ms) << "a graphics card draws it";
  EXPECT_EQ(Drawing(1, 10s).Between(kNow, false), 5s) << "what is older would pass for a fault";
}

TEST(DrawingPace, IsQuickWhileSomebodyLooks) {
  DrawingPace pace = Drawing(2, 24ms);
  pace.Touched(kNow);
  EXPECT_LT(pace.Between(kNow + 9s, false), 500ms);
  EXPECT_GT(pace.Between(kNow + 11s, false), 2s);
  EXPECT_LT(pace.Between(kNow + 11s, true), 100ms) << "what moves must not jump";
}

TEST(DrawingPace, FollowsWhatFramesCost) {
  DrawingPace pace = Drawing(2, 24ms);
  const Nanos before = pace.Between(kNow, false);
  pace.Drawn(200ms);
  EXPECT_GT(pace.Between(kNow, false), before);
  for (int i = 0; i < 30; ++i) pace.Drawn(2ms);
  EXPECT_LT(pace.Between(kNow, false), 500ms);
}

}  // namespace
}  // namespace sluice::ui
